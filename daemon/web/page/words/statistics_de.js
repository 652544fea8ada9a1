/* The texts of the statistics that no other page needs, in German. Loaded with them, in the language of the page alone. */

/** @satisfies {Oche.StatisticsLanguage} */
export const statistics = {
  about: {
    mpr: "Marks je Runde mit drei Darts", average: "Punkte mit drei Darts", ppd: "Punkte je Dart",
    firstNine: "Schnitt der ersten neun Darts jedes Legs",
    upTo80: "Schnitt, bis der Führende 80 % des Legs geschafft hat: danach stufen Softdart-Automaten ein",
    level: "Einstufung wie an Softdart-Automaten, 18 ist die beste", rate: "Anteil der Darts auf ein Finish, die trafen",
    checkouts: "getroffen, von den Darts auf ein Finish", highFinish: "die meisten Punkte, mit einer Aufnahme gecheckt",
    bestLeg: "die wenigsten Darts für ein gewonnenes Leg", highVisit: "die meisten Punkte in einer Aufnahme", visits: "Aufnahmen mit so vielen Punkten",
    marks: "Aufnahmen mit so vielen Marks",
  },
  loading: "Die Matches werden gelesen …", offline: "oche antwortet nicht. Sobald es das tut, kommen die Matches von selbst.",
  more: "Weitere Zahlen", won: "Gewonnene Matches", bestResult: "Bestes Ergebnis", latest: "Letztes Ergebnis",
  lastFive: (value) => `${value} in den letzten fünf Matches`,
  trends: { up: "steigend", down: "fallend", level: "gleich" },
  columns: ["Match", "Zeit", "Ergebnis", "Darts"], mpr: "MPR: Marks je Runde mit drei Darts.",
  onlyBed: (bed, n) => `Alle ${n} Darts steckten in ${bed}.`,
  onlyThese: (n) => `Das sind ${n} von allen Matches; ein Tipp auf eine Überschrift sortiert sie.`,
  picture: "Bild", evening: "Der Abend",
  rivals: "Rivalen",
  edit: "Profil bearbeiten",
  ghost: "Gegen das beste Leg spielen", ghosts: (name) => `Gegen ein Leg von ${name} spielen:`,
  empty: {
    title: "Was hier stehen wird",
    items: [
      "dein Schnitt, und ob er steigt", "dein bestes Leg, dein höchstes Finish, und wie oft du jedes Doppel triffst",
      "jedes Match mit seinem Ergebnis, Dart für Dart zum Nachsehen",
    ],
    how: "Das merkt sich oche von selbst: Spielt ein Match zu Ende.", play: "Das erste Match spielen",
    tokens: "Startet das erste Match auf einem Gerät, das spielen darf.",
  },
};
