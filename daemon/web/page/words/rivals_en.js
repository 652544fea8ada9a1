/* The texts about rivals, goals and practice, in English. Loaded with them, in the language of the page alone. */

/** @satisfies {Oche.Texts} */
export const rivals = {
  title: "Rivals",
  league: {
    title: "League of the month", month: "Month", none: "In this month no two players have finished a match against each other.",
    rule: "Three points for a win, one for a draw. Only matches between two people count. If points are equal, the matches among those players decide, then the average in the game played most.",
    columns: ["Player", "Points", "Played", "Won", "Drawn", "Lost", "Legs"], value: (kind, game) => `${kind}, ${game}`,
  },
  ratings: {
    title: "Ratings", game: "Game", others: (game) => `${game}: three or more, and teams`, columns: ["Player", "Rating", "At least", "Matches", "Last", "Trend"],
    rule: "A new player has 1500. The strength of a player is nearly always within the number after ±. The order is by what each has at least, so a few lucky matches do not lead.",
    way: (from, to, n) => `From ${from} to ${to} in ${n}`,
    classes: "Averages and classes", heads: ["Player", "PR"], ppd: "PPD, X01", mpr: "MPR, Cricket",
    classRule: "PR is points per dart plus ten times the marks per round. A class means “about this class by that table”, first in X01, then in Cricket; it is no rating of a maker. DARTSLIVE 80 % is the maker’s own table, for the first 80 % of each leg; the others are from an unofficial one of 2026.",
  },
  pair: {
    title: "Head to head", players: ["First player", "Second player"], choose: "Choose two players.",
    never: (one, other) => `${one} and ${other} have not finished a match against each other.`,
    leads: (name, won, lost) => `${name} leads ${won} : ${lost}`, level: (won) => `Level at ${won} : ${won}`,
    drawn: (n) => `${n} drawn`, streak: (name, n) => (n === 1 ? `${name} won the last match.` : `${name} won the last ${n} matches.`),
    latest: "Latest matches, oldest first", draw: "drawn", game: "Game", drawnHead: "Drawn", streakHead: "Streak", run: (name, n) => `${name}, ${n}`,
    teams: "Only matches between these two alone count, not those of teams.",
    handicap: {
      find: "Work out a fair handicap", title: "Fair handicap", working: "Working it out …",
      starts: (game, one, score, other, otherScore) => `${game}: ${one} starts from ${score}, ${other} from ${otherScore}.`, even: (game) => `${game}: nobody needs a handicap.`,
      chance: (name, fair, before) => `${name} then wins a leg with ${fair}; from the same score it would be ${before}.`, from: (one, darts, other, otherDarts) => `From ${darts} by ${one} and ${otherDarts} by ${other}.`,
      few: (darts, game) => `This needs ${darts} of each in games such as ${game}.`, none: "A handicap needs matches of X01 with the same start for everyone, straight in.",
    },
  },
  goals: {
    title: "Goals", reached: "reached",
    kinds: { darts: "Darts a week", days: "Days in a row", weeks: "Weeks in a row", average: "Average in a game" },
    progress: (value, amount) => `${value} of ${amount}`, average: (game) => `Average, ${game}`, mpr: (game) => `Marks per round, ${game}`, notPlayed: "not played yet",
    kind: "Goal", amount: "How much", game: "Game", add: "Add a goal", remove: "Remove this goal",
    help: "An average is that of the latest five matches. The card in the statistics shows how far you are.",
  },
  calendar: { title: "Calendar", label: "Darts on each day of the last twelve weeks", weekOf: (day) => `Week of ${day}`, on: (day, darts) => `${day}: ${darts}` },
  practice: {
    title: "Doubles to practise", help: "The doubles that are hit least often, thirty darts at each.", double: (name, hits, darts) => `${name}: ${hits} of ${darts}`,
    start: "Start the practice", by: (name, doubles) => `${name}: ${doubles}`, none: "No player here has thrown ten darts at a double yet.",
    running: (title) => `${title} is being played at this table.`, stop: "Stop it and start the practice", no: "Play on",
  },
};
