/* The texts of the result of a match, in English. Loaded with it, in the language of the page alone. */

/** @satisfies {Oche.Texts} */
export const result = {
  out: (points) => `${points} out`, // the winner's last leg: it stands large on the wall
  figures: { // short, for they are read from the oche
    average: "Average", mpr: "MPR", firstNine: "First nine", checkouts: "Checkouts", highFinish: "High finish",
    highVisit: "High visit",
  },
  missed: "Match darts missed",
  curve: "How the match went", leads: (name, points) => `${name} was up to ${points} ahead`,
  turning: "Turning point",
  best: "Best visits", again: "Last visit again",
};
