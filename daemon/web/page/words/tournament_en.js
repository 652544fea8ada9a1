/* The texts of tournaments, in English. */

/** @satisfies {Oche.Texts} */
export const tournament = {
  tournaments: "Tournaments", list: "Tournaments", make: "New tournament", loading: "Loading …", gone: "There is no tournament with this link.",
  offline: "No connection. Trying again …", waits: (n) => (n === 1 ? "No connection. What you tapped is kept and will be sent." : `No connection. ${n} taps are kept and will be sent.`),
  needsSetup: "To make a tournament, enter the setup token on this device.",
  views: { bracket: "Bracket", tables: "Tables", organise: "Organise", print: "Print" },
  phases: { sign_up: "Sign-up", playing: "Playing", over: "Over" }, played: (played, matches) => `${played} of ${matches} matches played`,
  wonBy: (name) => `Winner: ${name}`,
  close: "Close", less: (label) => `${label}: less`, more: (label) => `${label}: more`, sure: (label) => `${label}? Press again`,

  kind: "Kind",
  kinds: {
    knock_out: "Knock-out", double_knock_out: "Double knock-out", round_robin: "Everyone plays everyone", groups: "Groups, then knock-out",
    swiss: "Swiss", ladder: "Ladder", open: "Open evening",
  },
  sides: "Sides", sideKinds: { singles: "Singles", fixed: "Pairs", drawn: "Drawn pairs" }, inTurn: (n) => (n === 2 ? "Tap partners one after the other." : `Tap the ${n} of a side one after the other.`),
  name: "Name of the tournament", draw: "Draw", drawOf: (n) => `Draw (${n})`, openSignUp: "Open sign-up", makes: "Making the tournament …",
  tooFew: "A tournament needs two sides: tap players, or type their names.", lacksPartner: (n) => (n === 2 ? "The last player has no partner yet." : `The last side has fewer than ${n} players.`),
  options: {
    size: "Players a side", sets: "Sets to win", final: "Legs to win in the final (0: as in the other rounds)", third: "Match for third place", second: "Second final if the unbeaten side loses the first",
    groups: "Groups", through: "Go on from each group", twice: "Everyone meets twice", rounds: "Rounds (0: as few as find one winner)", reach: "Places one may challenge upwards",
    seeding: "Seeding", seedings: { draw: "Drawn", hand: "By hand", rating: "By average" }, first: "Throws first", firsts: { drawn: "Drawn fairly", bull: "Throw for the bull" },
    win: "Points for a win", drawn: "Points for a draw", ties: "If points are equal", tieBreak: (n) => `Tie-break ${n}`,
    tieBreaks: {
      direct: "The match between them", leg_difference: "Leg difference", level_leg_difference: "Leg difference among them", legs_won: "Legs won", wins: "Matches won",
      opponents: "Points of the opponents", average: "Average", lots: "Drawn by lot",
    },
    withdrawn: "If a side leaves", withdrawals: { walkover: "The others win by walkover", annul: "Annul its matches if few are played" },
    rest: "Rest between two matches, in minutes", confirm: "Confirm each sign-up",
  },

  redraw: "Draw again", start: "Start", swap: "Tap two names to let them change places.", order: "Order", rests: "Rests", bye: "Bye", sideNumber: (n) => `Side ${n}`,
  nobody: "nobody", unknown: "not known yet",
  awaits: { winner: (match) => `Winner of ${match}`, loser: (match) => `Loser of ${match}`, place: (group, place) => `Place ${place} of group ${group}` },
  rounds: {
    final: "Final", second: "Second final", semi: "Semi-final", quarter: "Quarter-final", third: "Match for third place", last: (n) => `Last ${n}`, round: (n) => `Round ${n}`,
    winners: (n) => `Winners’ side, round ${n}`, losers: (n) => `Losers’ side, round ${n}`, group: (group) => `Group ${group}`, match: (round, n) => `${round} · ${n}`,
  },
};
