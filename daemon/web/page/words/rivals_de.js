/* The texts about rivals, goals and practice, in German. Loaded with them, in the language of the page alone. */

/** @satisfies {Oche.RivalsLanguage} */
export const rivals = {
  title: "Rivalen",
  league: {
    title: "Liga des Monats", month: "Monat", none: "In diesem Monat haben noch keine zwei Spieler ein Match gegeneinander beendet.",
    rule: "Drei Punkte für einen Sieg, einer für ein Unentschieden. Nur Matches zwischen zwei Personen zählen. Bei gleichen Punkten entscheiden die Matches untereinander, dann der Schnitt im meistgespielten Spiel.",
    columns: ["Spieler", "Punkte", "Gespielt", "Gewonnen", "Unentschieden", "Verloren", "Legs"], value: (kind, game) => `${kind}, ${game}`,
  },
  ratings: {
    title: "Spielstärke", game: "Spiel", others: (game) => `${game}: drei und mehr, und Teams`, columns: ["Spieler", "Stärke", "Mindestens", "Matches", "Zuletzt", "Verlauf"],
    rule: "Ein neuer Spieler hat 1500. Die Stärke liegt fast immer innerhalb der Zahl nach ±. Die Reihenfolge richtet sich danach, was jeder mindestens hat; ein paar glückliche Matches führen also nicht.",
    way: (from, to, n) => `Von ${from} auf ${to} in ${n}`,
    classes: "Schnitte und Klassen", heads: ["Spieler", "PR"], ppd: "PPD, X01", mpr: "MPR, Cricket",
    classRule: "PR sind die Punkte pro Dart plus zehnmal die Marken je Runde. Eine Klasse heißt „etwa diese Klasse nach jener Tabelle“, zuerst in X01, dann in Cricket; sie ist keine Einstufung eines Herstellers. DARTSLIVE 80 % ist die Tabelle des Herstellers, für die ersten 80 % jedes Legs; die anderen stammen aus einer inoffiziellen von 2026.",
  },
  pair: {
    title: "Direkter Vergleich", players: ["Erster Spieler", "Zweiter Spieler"], choose: "Wähle zwei Spieler.",
    never: (one, other) => `${one} und ${other} haben noch kein Match gegeneinander beendet.`,
    leads: (name, won, lost) => `${name} führt ${won} : ${lost}`, level: (won) => `Es steht ${won} : ${won}`,
    drawn: (n) => `${n} unentschieden`, streak: (name, n) => (n === 1 ? `${name} hat das letzte Match gewonnen.` : `${name} hat die letzten ${n} Matches gewonnen.`),
    latest: "Letzte Matches, die ältesten zuerst", draw: "unentschieden", game: "Spiel", drawnHead: "Unentschieden", streakHead: "Serie", run: (name, n) => `${name}, ${n}`,
    teams: "Es zählen nur Matches zwischen diesen beiden allein, keine von Teams.",
    handicap: {
      find: "Faires Handicap berechnen", title: "Faires Handicap", working: "Wird berechnet …",
      starts: (game, one, score, other, otherScore) => `${game}: ${one} beginnt mit ${score}, ${other} mit ${otherScore}.`, even: (game) => `${game}: Niemand braucht ein Handicap.`,
      chance: (name, fair, before) => `${name} gewinnt ein Leg dann mit ${fair}; bei gleichem Start wären es ${before}.`, from: (one, darts, other, otherDarts) => `Aus ${darts} von ${one} und ${otherDarts} von ${other}.`,
      few: (darts, game) => `Dafür braucht es von beiden ${darts} in Spielen wie ${game}.`, none: "Ein Handicap braucht Matches X01 mit gleichem Start für alle, Straight In.",
    },
  },
  goals: {
    title: "Ziele", reached: "erreicht",
    kinds: { darts: "Darts pro Woche", days: "Tage in Folge", weeks: "Wochen in Folge", average: "Schnitt in einem Spiel" },
    progress: (value, amount) => `${value} von ${amount}`, average: (game) => `Schnitt, ${game}`, mpr: (game) => `Marken je Runde, ${game}`, notPlayed: "noch nicht gespielt",
    kind: "Ziel", amount: "Wie viel", game: "Spiel", add: "Ziel hinzufügen", remove: "Dieses Ziel entfernen",
    help: "Der Schnitt ist der der letzten fünf Matches. Wie weit du bist, zeigt die Karte in der Statistik.",
  },
  calendar: { title: "Kalender", label: "Darts an jedem Tag der letzten zwölf Wochen", weekOf: (day) => `Woche ab ${day}`, on: (day, darts) => `${day}: ${darts}` },
  practice: {
    title: "Doppel zum Üben", help: "Die Doppel, die am seltensten getroffen werden, dreißig Darts auf jedes.", double: (name, hits, darts) => `${name}: ${hits} von ${darts}`,
    start: "Training starten", by: (name, doubles) => `${name}: ${doubles}`, none: "Hier hat noch niemand zehn Darts auf ein Doppel geworfen.",
    running: (title) => `An diesem Tisch läuft gerade ${title}.`, stop: "Abbrechen und Training starten", no: "Weiterspielen",
  },
};
