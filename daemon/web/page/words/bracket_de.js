/* The texts of what everybody sees of a tournament, in German; what the organiser sees too is in tournament_de.js. */

/** @satisfies {Oche.BracketLanguage} */
export const bracket = {
  bracket: "Turnierbaum", standings: "Tabelle", rounds: "Runden", onWall: "Wie an der Wand zeigen", browse: "Alle Runden zeigen", winnersSide: "Gewinnerseite", losersSide: "Verliererseite", ladder: "Rangliste", places: "Plätze",
  status: { ready: "bereit", called: "gerufen", playing: "läuft", disputed: "wird geprüft", walkover: "kampflos", bye: "Freilos", annulled: "gestrichen" },
  due: (clock) => `etwa ${clock}`, ends: (clock, early, late) => `Ende etwa ${clock} (${early} bis ${late})`,
  choose: "Tippe auf einen Namen, um ihm zu folgen.", stop: "Niemandem folgen", yourNext: "dein nächstes Spiel", against: (name) => `gegen ${name}`, noNext: "zurzeit kein Spiel", placed: (places) => `Platz ${places}`,
  winner: "Sieg", wins: "gewinnt das Turnier", notDrawn: "Es ist noch nicht ausgelost.", entered: "Gemeldet",
  name: "Name", played: "Spiele", won: "Siege", drawn: "Remis", lost: "Nied.", legs: "Legs", points: "Punkte", average: "Average", cross: "Ergebnisse", notMet: "Noch zu spielen gegen", metAll: "hat gegen alle gespielt", page: (n, of) => `${n} von ${of}`,
  writes: (name) => `${name} schreibt`, free: "frei", paused: "pausiert", away: "nicht verbunden", else: "spielt etwas anderes", paper: "auf Papier", nextUp: (pair) => `Als Nächstes: ${pair}`, noTables: "In diesem Turnier spielt noch kein Tisch.",
  pressStart: "drückt Start", here: "hier", goTo: (table) => `${table}: ihr seid dran`, soon: "gleich dran", notNow: "Nicht jetzt",
  paperSize: "Papier", printNow: "Drucken", time: "Zeit", table: "Tisch", match: "Spiel", result: "Ergebnis", scan: "Zum Anmelden den Code scannen.", asOf: (clock) => `Stand ${clock}`,
  leg: (n) => `Leg ${n}`, legsTo: (legs) => (legs === 1 ? "Ein Leg" : `Wer zuerst ${legs} Legs hat`), setsTo: (sets, legs) => `Wer zuerst ${sets} Sätze zu ${legs} Legs hat`, signature: "Unterschrift",
  parts: { bracket: "Turnierbaum", standings: "Tabellen", order: "Spielfolge", code: "Code zum Anmelden", sheets: "Spielzettel" },
};
