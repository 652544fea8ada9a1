/* The texts of the result of a match, in Dutch. Loaded with it, in the language of the page alone. */

/** @satisfies {Oche.ResultLanguage} */
export const result = {
  out: (points) => `${points} uit`,
  figures: {
    average: "Gemiddelde", mpr: "MPR", firstNine: "Eerste negen", checkouts: "Finishes", highFinish: "Hoogste uit",
    highVisit: "Beste beurt",
  },
  missed: "Gemiste matchdarts",
  curve: "Verloop van de partij", leads: (name, points) => `${name} stond tot ${points} voor`,
  turning: "Keerpunt",
  best: "Beste beurten", again: "Laatste beurt nog eens",
};
