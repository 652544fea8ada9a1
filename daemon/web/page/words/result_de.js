/* The texts of the result of a match, in German. Loaded with it, in the language of the page alone. */

/** @satisfies {Oche.ResultLanguage} */
export const result = {
  out: (points) => `${points} gecheckt`, darts: (n) => (n === 1 ? "1 Dart" : `${n} Darts`),
  figures: {
    average: "Average", mpr: "MPR", firstNine: "Erste neun", checkouts: "Checkouts", highFinish: "High Finish",
    highVisit: "Top-Aufnahme",
  },
  missed: "Vergebene Matchdarts",
  curve: "Verlauf des Matches", leads: (name, points) => `${name} lag höchstens ${points} vorn`,
  turning: "Wendepunkt",
  best: "Beste Aufnahmen", marks: (n) => (n === 1 ? "1 Mark" : `${n} Marks`), again: "Letzte Aufnahme noch einmal",
};
