/* The texts of what everybody sees of a tournament, in Dutch; what the organiser sees too is in tournament_nl.js. */

/** @satisfies {Oche.BracketLanguage} */
export const bracket = {
  bracket: "Schema", standings: "Stand", rounds: "Rondes", onWall: "Tonen zoals aan de muur", browse: "Alle rondes tonen", winnersSide: "Winnaarskant", losersSide: "Verliezerskant", ladder: "Ladder", places: "Plaatsen",
  status: { ready: "klaar", called: "opgeroepen", playing: "bezig", disputed: "wordt nagekeken", walkover: "zonder spel", bye: "vrij", annulled: "vervallen" },
  due: (clock) => `rond ${clock}`, ends: (clock, early, late) => `Einde rond ${clock} (${early} tot ${late})`,
  choose: "Tik op een naam om die te volgen.", stop: "Niemand volgen", yourNext: "je volgende partij", against: (name) => `tegen ${name}`, noNext: "nu geen partij", placed: (places) => `plaats ${places}`,
  winner: "Winnaar", wins: "wint het toernooi", notDrawn: "Er is nog niet geloot.", entered: "Ingeschreven",
  name: "Naam", played: "Gespeeld", won: "Winst", drawn: "Gelijk", lost: "Verlies", legs: "Legs", points: "Punten", average: "Gemiddelde", cross: "Uitslagen", notMet: "Nog te spelen tegen", metAll: "heeft tegen iedereen gespeeld", page: (n, of) => `${n} van ${of}`,
  writes: (name) => `${name} schrijft`, free: "vrij", paused: "gepauzeerd", away: "niet verbonden", else: "speelt iets anders", paper: "op papier", nextUp: (pair) => `Hierna: ${pair}`, noTables: "In dit toernooi speelt nog geen baan.",
  pressStart: "druk op start", here: "hier", goTo: (table) => `${table}: jullie zijn aan de beurt`, soon: "zo aan de beurt", notNow: "Niet nu",
  paperSize: "Papier", printNow: "Afdrukken", time: "Tijd", table: "Baan", match: "Partij", result: "Uitslag", scan: "Scan de code om je in te schrijven.", asOf: (clock) => `Stand van ${clock}`,
  leg: (n) => `Leg ${n}`, legsTo: (legs) => (legs === 1 ? "Eén leg" : `Wie het eerst ${legs} legs heeft`), setsTo: (sets, legs) => `Wie het eerst ${sets} sets van ${legs} legs heeft`, signature: "Handtekening",
  parts: { bracket: "Schema", standings: "Standen", order: "Speelvolgorde", code: "Code om in te schrijven", sheets: "Scorebladen" },
};
