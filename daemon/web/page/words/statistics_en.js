/* The texts of the statistics that no other page needs, in English. Loaded with them, in the language of the page alone. */

/** @satisfies {Oche.Texts} */
export const statistics = {
  // What a figure is, below it.
  about: {
    mpr: "marks per round of three darts", average: "points with three darts", ppd: "points per dart",
    firstNine: "average of the first nine darts of each leg",
    upTo80: "average until the leader has 80 % of the leg behind: soft-tip machines rate by it",
    level: "rating of soft-tip machines, 18 is best", rate: "how many of the darts at a finish hit",
    checkouts: "finished, of the darts at a finish", highFinish: "most points taken out in one visit",
    bestLeg: "fewest darts for a leg won", highVisit: "most points in one visit", visits: "visits of so many points",
    marks: "visits with so many marks",
  },
  loading: "Reading the matches …", offline: "oche does not answer. Once it does, the matches come by themselves.",
  more: "More figures", won: "Matches won", bestResult: "Best result", latest: "Latest result",
  lastFive: (value) => `${value} in the last five matches`,
  trends: { up: "rising", down: "falling", level: "steady" },
  columns: ["Match", "Time", "Result", "Darts"], mpr: "MPR: marks per round of three darts.",
  onlyBed: (bed, n) => `All ${n} darts landed in ${bed}.`,
  onlyThese: (n) => `These are ${n} of all matches; a tap on a heading puts them in order.`,
  picture: "Picture", evening: "The evening",
  rivals: "Rivals",
  edit: "Edit the profile",
  ghost: "Play against the best leg", ghosts: (name) => `Play against a leg of ${name}:`,
  empty: {
    title: "What will be here",
    items: [
      "your average, and whether it rises", "your best leg, your highest finish, and how often you hit each double",
      "every match with its score, to look at again dart by dart",
    ],
    how: "oche keeps them by itself: play a match to its end.", play: "Play the first match",
    tokens: "Start the first match on a device that may play.",
  },
};
