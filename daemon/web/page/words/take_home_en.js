/* The texts of what players take home, the picture of a match and the story of an evening, in English. */

/** @satisfies {Oche.Texts} */
export const takeHome = {
  picture: "Picture of the match", story: "The evening", match: "The whole match", upright: "Upright", wide: "Wide",
  share: "Share", save: "Save", shareAll: "Share all pictures", saveAll: "Save all pictures", print: "Print", drawing: "Drawing the picture …",
  lastVisit: "Last visit", bestVisit: "Best visit",
  wins: (name) => `${name} wins`, win: (names) => `${names} win`, stopped: "Match stopped", drawn: "No winner", finished: "Practice",
  scan: "Take the picture home", scanStory: "Take the evening home", scanHow: "The code works for an hour.",
  newton: "Scan this with NewTon", newtonHow: "The result of the match",
  matches: "Matches", players: "Who played", firsts: "For the first time", records: "Records", ofMatches: (won, matches) => `${won} of ${matches} won`,
  firstTimes: { match: "first match", win: "first win", 180: "first 180", high_finish: "first finish of 100 or more" },
  best: { visit: "Highest visit", finish: "Highest finish", 180: "Most 180s", leg: "Fewest darts", result: "Best result" },
  personal: "personal best", none: "No match was finished that evening.", earlier: "The evening before", later: "The next evening",
  more: (n) => `Only the latest ${n} matches are shown.`, reading: (done, of) => `Reading matches: ${done} of ${of}.`,
  noDay: "The address needs a day, such as ?day=2026-11-29, or a week, such as ?week=2026-W48.",
  ofWeek: { story: "The week", scanStory: "Take the week home", none: "No match was finished that week.", earlier: "The week before", later: "The next week" },
};
