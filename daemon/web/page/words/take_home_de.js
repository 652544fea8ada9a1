/* The texts of what players take home, the picture of a match and the story of an evening, in German. */

/** @satisfies {Oche.TakeHomeLanguage} */
export const takeHome = {
  picture: "Bild vom Match", story: "Der Abend", match: "Das ganze Match", upright: "Hochformat", wide: "Querformat",
  share: "Teilen", save: "Speichern", shareAll: "Alle Bilder teilen", saveAll: "Alle Bilder speichern", print: "Drucken", drawing: "Das Bild wird gezeichnet …",
  lastVisit: "Letzte Aufnahme", bestVisit: "Beste Aufnahme",
  wins: (name) => `${name} gewinnt`, win: (names) => `${names} gewinnen`, stopped: "Match abgebrochen", drawn: "Kein Sieger", finished: "Training",
  scan: "Nimm das Bild mit nach Hause", scanStory: "Nimm den Abend mit nach Hause", scanHow: "Der Code gilt eine Stunde.",
  newton: "Scanne das mit NewTon", newtonHow: "Das Ergebnis des Matches",
  matches: "Matches", players: "Wer gespielt hat", firsts: "Zum ersten Mal", records: "Bestleistungen", ofMatches: (won, matches) => `${won} von ${matches} gewonnen`,
  firstTimes: { match: "erstes Match", win: "erster Sieg", 180: "erste 180", high_finish: "erstes Finish ab 100" },
  best: { visit: "Höchste Aufnahme", finish: "Höchstes Finish", 180: "Meiste 180er", leg: "Wenigste Darts", result: "Bestes Ergebnis" },
  personal: "persönliche Bestleistung", none: "An diesem Abend wurde kein Match beendet.", earlier: "Der Abend davor", later: "Der nächste Abend",
  more: (n) => `Zu sehen sind nur die letzten ${n} Matches.`, reading: (done, of) => `Matches werden gelesen: ${done} von ${of}.`,
  noDay: "In die Adresse gehört ein Tag, etwa ?day=2026-11-29, oder eine Woche, etwa ?week=2026-W48.",
  ofWeek: { story: "Die Woche", scanStory: "Nimm die Woche mit nach Hause", none: "In dieser Woche wurde kein Match beendet.", earlier: "Die Woche davor", later: "Die nächste Woche" },
};
