/* The texts of tournaments, in English. */

/** @satisfies {Oche.Texts} */
export const tournament = {
  tournaments: "Tournaments", list: "Tournaments", make: "New tournament", loading: "Loading …", gone: "There is no tournament with this link.",
  offline: "No connection. Trying again …", waits: (n) => (n === 1 ? "No connection. What you tapped is kept and will be sent." : `No connection. ${n} taps are kept and will be sent.`),
  needsSetup: "To make a tournament, enter the setup token on this device.", enterSetup: "Enter the setup token",
  views: { bracket: "Bracket", tables: "Tables", organise: "Organise", print: "Print" },
  phases: { sign_up: "Sign-up", playing: "Playing", over: "Over" }, played: (played, matches) => `${played} of ${matches} matches played`,
  wonBy: (name) => `Winner: ${name}`,
  close: "Close", less: (label) => `${label}: less`, more: (label) => `${label}: more`, sure: (label) => `${label}? Press again`,

  kind: "Kind",
  kinds: {
    knock_out: "Knock-out", double_knock_out: "Double knock-out", round_robin: "Everyone plays everyone", groups: "Groups, then knock-out",
    swiss: "Swiss", ladder: "Ladder", open: "Open evening",
  },
  sides: "Sides", sideKinds: { singles: "Singles", fixed: "Pairs", drawn: "Drawn pairs", teams: "Teams" }, teamHow: "Type a team and its players: “Home: Ann, Bo”. The first plays the first, the second the second.", teamExample: "Home: Ann, Bo", inTurn: (n) => (n === 2 ? "Tap partners one after the other." : `Tap the ${n} of a side one after the other.`),
  name: "Name of the tournament", draw: "Draw", drawOf: (n) => `Draw (${n})`, openSignUp: "Open sign-up", makes: "Making the tournament …",
  tooFew: "A tournament needs two sides: tap players, or type their names.", lacksPartner: (n) => (n === 2 ? "The last player has no partner yet." : `The last side has fewer than ${n} players.`),
  options: {
    size: "Players a side", doubles: "Teams: also a match of pairs", sets: "Sets to win", byRound: "Legs to win in some rounds (0: as in the others)", finalSets: "Final: sets to win", losers: "Losers’ side", third: "Match for third place", second: "Second final if the unbeaten side loses the first",
    groups: "Groups", through: "Go on from each group", twice: "Everyone meets twice", rounds: "Rounds (0: as few as find one winner)", reach: "Places one may challenge upwards",
    seeding: "Seeding", seedings: { draw: "Drawn", hand: "By hand", average: "By average", rating: "By rating" }, first: "Throws first", firsts: { drawn: "Drawn fairly", bull: "Throw for the bull" },
    win: "Points for a win", drawn: "Points for a draw", ties: "If points are equal", tieBreak: (n) => `Tie-break ${n}`,
    tieBreaks: {
      direct: "The match between them", leg_difference: "Leg difference", level_leg_difference: "Leg difference among them", legs_won: "Legs won", wins: "Matches won",
      opponents: "Points of the opponents", average: "Average", lots: "Drawn by lot",
    },
    withdrawn: "If a side leaves", withdrawals: { walkover: "The others win by walkover", annul: "Annul its matches if few are played" },
    rest: "Rest between two matches, in minutes", confirm: "Confirm each sign-up",
  },

  // What the organiser does.
  needs: {
    disputed: (pair) => `${pair}: the result was corrected, but others have begun on it`, other: (table) => `${table} plays something else`, away: (table) => `${table} does not answer`, board: (table) => `${table}: its board does not answer. Switch it on, or enter the darts by hand`,
    paper: (pair, table) => `Enter the result: ${pair} (${table})`, confirm: (name) => `${name} wants to enter`, late: (name) => `${name} came late: find a place`, noTable: "Add a table",
    few: (n) => (n === 1 ? "For the groups one more has to enter" : `For the groups ${n} more have to enter`),
    draw: (n) => `Draw (${n} entered)`, drawNext: "Draw the next round", code: "Show the code to sign up",
  },
  inputs: {
    enter: (name) => `${name} enters`, change: (name) => `Change of ${name}`, leave: (name) => `${name} leaves`, draw_sides: "Draw of the sides", draw_seats: "Draw", draw_groups: "Draw of the groups",
    draw_round: "Draw of the round", draw_ladder: "Draw", seat_late: (name) => `${name} enters late`, pair: (pair) => `Match ${pair}`, set_tables: "Change of the tables",
    call_to: (pair, table) => `Call ${pair} to ${table}`, callBack: (pair) => `Call back ${pair}`, result: (pair, score) => `${pair} ${score}`, take_back: (pair) => `Result of ${pair} taken back`,
    set_writer: (pair) => `${pair}: who keeps the score`, settle: (pair) => `${pair} stands`, end: "End",
  },
  status: {
    waiting: "waiting", ready: "ready", called: "called", playing: "playing", played: "played", disputed: "disputed", walkover: "walkover", bye: "bye", annulled: "annulled",
  },
  boardAway: "its board does not answer",
  tableStatus: { free: "free", called: "called", playing: "playing", else: "plays something else", away: "does not answer" },
  tables: "Tables", ready: "Ready to play", pairing: "Who plays whom", people: "Entrants", results: "Results", more_: "Codes, files, end", match: "Match", next: (pair) => `next: ${pair}`, auto: "Call matches by themselves",
  ends: (end, early, late) => `ends about ${end} (${early} to ${late})`, notOrganiser: "Only the organiser sees this: open the organiser’s link, or enter the setup token on this device.",
  undo: "Undo", redo: "Redo", writer: "Keeps the score", writes: (name) => `${name} keeps the score`, youWrite: (pair, table) => `You keep the score: ${pair}, ${table}`,
  call: "Call to", callTo: (table) => `Call to ${table}`, move: "Move to", callBack: "Call back", paused: "paused",
  result: "Enter the result", correct: "Correct the result", enterResult: "Enter", saveCorrection: "Correct", winner: "Winner", drawn: "Draw", whoWon: "Choose who won.",
  takeBack: "Take the result back", takeBackOf: (pair) => `Take back ${pair}`, givesAway: (name) => `${name} gives the match away`,
  outdated: (score, table) => `ended ${score} at ${table}, after it was called elsewhere or back. That counts nowhere`,
  disputeHow: "The table has corrected this result, and the winner is another one. Matches that depend on it have begun.", settle: "Let the first result stand",
  pause: "Pause", resume: "Resume", playFirst: "Give it matches first", removeTable: "Remove the table", addTable: "Add a table", paper: "A table without oche", paperHow: "You call its matches and enter their results.", otherTable: "Tables of other oches", otherNone: "None found so far. Each needs to run, and to use the same broker as this one.", tableOf: (bridge) => `on ${bridge}`, olderTable: (bridge) => `on ${bridge} · older oche: results are entered by hand`,
  paperName: "Name of the table", paperNumber: (n) => `Paper ${n}`,
  confirm: "Confirm", toConfirm: "not confirmed", paid: "Paid", rename: "Rename", save: "Save", teamName: "Name of the side", leave: "Leaves the tournament", refuse: "Refuse", hasLeft: "has left", change: "Change",
  seed: "Number in the seeding (0: none)", seeded: (n) => `seed ${n}`, rated: (average, darts) => `Average of the last 90 days: ${average} (${darts})`, ratedAs: (rating) => `Rating ${rating}`, unrated: "No average of the last 90 days",
  late: "Late entry: into a bye", joinNow: "Joins now", noBye: "No free place: byes are taken, or their partners have begun.", addEntrant: "Name of someone new",
  challenges: (name) => `${name} challenges`, plays: (name) => `${name} plays`, isTop: "Nobody is above.", notMet: "Not met yet", metBefore: "Met before",
  signUpCode: "Sign up", organiserLink: "Organise on another device", saveFile: "Save as file", saveResults: "Results as CSV", end: "End the tournament", restore: "Restore from a file",
  newton: {
    title: "Play it on NewTon", handOver: "Scan this with the tablet", text: "The same as text", take: "Take its result", paste: "Paste the text of the result", read: "Read the text", photo: "Photo of the code", accept: "Accept this result", noPicture: "This file is no picture.",
    play: "Play a match of NewTon", playHow: "NewTon shows a code for each match. Take a photo of it, or paste its text.", pasteMatch: "Paste the text of the match", planned: (match, table) => `${match}: planned at ${table}. Start it there; after the match the table shows the code for NewTon.`,
  },

  // Signing up.
  signUp: "Sign up", signUpFor: (kind) => `Sign up: ${kind}`, yourName: "Your name", playerNumber: (n) => `Player ${n}`, code: "Code on the screen", signUpMore: "Sign up someone else", signUpClosed: "Sign-up is closed: ask the organiser.",
  happensNext: "You are in at once. This page then shows when and where you play.", happensConfirmed: "The organiser confirms you. This page then shows when and where you play.",
  entered: (n) => `Entered: ${n}`, youAreIn: (name, n) => `${name}, you are in: number ${n}`, youWait: (name) => `${name}, the organiser has yet to confirm you`,
  yourNext: "Your next match", youPlay: "You play now", about: (time) => `about ${time}`, drawComes: "The draw comes next.", noNext: "No match is waiting for you.", yourPlace: (first, last) => (first === last ? `Your place: ${first}` : `Your place: ${first} to ${last}`),
  placed: (place) => `Place ${place} in the table`, placedIn: (place, group) => `Place ${place} in group ${group}`,

  redraw: "Draw again", start: "Start", swap: "Tap two names to let them change places.", order: "Order", rests: "Rests", bye: "Bye", sideNumber: (n) => `Side ${n}`,
  nobody: "nobody", unknown: "not known yet",
  awaits: { winner: (match) => `Winner of ${match}`, loser: (match) => `Loser of ${match}`, place: (group, place) => `Place ${place} of group ${group}` },
  rounds: {
    final: "Final", second: "Second final", semi: "Semi-final", quarter: "Quarter-final", third: "Match for third place", last: (n) => `Last ${n}`, round: (n) => `Round ${n}`,
    winners: (n) => `Winners’ side, round ${n}`, losers: (n) => `Losers’ side, round ${n}`, group: (group) => `Group ${group}`, match: (round, n) => `${round} · ${n}`,
  },
};
