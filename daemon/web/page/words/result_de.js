/* The texts of the result of a match, in German. Loaded with it, in the language of the page alone. */

/** @satisfies {Oche.ResultLanguage} */
export const result = {
  out: (points) => `${points} gecheckt`,
  figures: {
    average: "Schnitt", mpr: "MPR", firstNine: "Erste neun", checkouts: "Checkouts", highFinish: "High Finish",
    highVisit: "Beste Aufnahme",
  },
  missed: "Vergebene Matchdarts",
  curve: "Verlauf des Matches", leads: (name, points) => `${name} lag bis zu ${points} vorn`,
  turning: "Wendepunkt",
  best: "Beste Aufnahmen", again: "Letzte Aufnahme noch einmal",
};
