/* The texts of what everybody sees of a tournament, in English; what the organiser sees too is in tournament_en.js. */

/** @satisfies {Oche.Texts} */
export const bracket = {
  bracket: "Bracket", standings: "Standings", rounds: "Rounds", onWall: "Show as on a wall", browse: "Show all rounds", winnersSide: "Winners’ side", losersSide: "Losers’ side", ladder: "Ladder", places: "Places",
  status: { ready: "ready", called: "called", playing: "playing", disputed: "being checked", walkover: "walkover", bye: "bye", annulled: "annulled" },
  due: (clock) => `about ${clock}`, ends: (clock, early, late) => `Ends about ${clock} (${early} to ${late})`,
  choose: "Touch a name to follow it.", stop: "Follow nobody", yourNext: "your next match", against: (name) => `against ${name}`, noNext: "no match to play now", placed: (places) => `place ${places}`,
  winner: "Winner", wins: "wins the tournament", notDrawn: "The draw has not been made yet.", entered: "Entered",
  name: "Name", played: "Played", won: "Won", drawn: "Drawn", lost: "Lost", legs: "Legs", points: "Points", average: "Average", cross: "Results", notMet: "Still to meet", metAll: "has met everyone", page: (n, of) => `${n} of ${of}`,
  writes: (name) => `${name} keeps score`, free: "free", paused: "paused", away: "not connected", else: "plays something else", paper: "on paper", nextUp: (pair) => `Next: ${pair}`, noTables: "No table plays in this tournament yet.",
  pressStart: "press start", here: "here", goTo: (table) => `${table}: you are next`, soon: "up soon", notNow: "Not now",
  paperSize: "Paper", printNow: "Print", time: "Time", table: "Table", match: "Match", result: "Result", scan: "Scan the code to sign up.", asOf: (clock) => `As of ${clock}`,
  leg: (n) => `Leg ${n}`, legsTo: (legs) => (legs === 1 ? "One leg" : `First to ${legs} legs`), setsTo: (sets, legs) => `First to ${sets} sets of ${legs} legs`, signature: "Signature",
  parts: { bracket: "Bracket", standings: "Standings", order: "Order of play", code: "Sign-up code", sheets: "Score sheets" },
};
