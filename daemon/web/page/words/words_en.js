/* Everything the pages say, in English; phrases.js makes sentences of it that are built alike in every language. How
   another language is added is told in docs/translating.md. Beds are named for the ear ("triple 20"); for the eye naming.js
   makes them short. */

const ONES = ["", ..."one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(" ")];
const TENS = ["", "", ..."twenty thirty forty fifty sixty seventy eighty ninety".split(" ")];

/** @satisfies {Oche.Texts} */
export const words = {
  voice: "en-GB",
  // Between a label and what it is of, where a script joins the two.
  colon: ": ",
  rings: { T: "triple", D: "double", S: "single", O: "outer single", I: "inner single",
    i: "red", m: "green", o: "grey" },
  halves: { O: "outer", I: "inner" },
  beds: { SB: "outer bull", DB: "bullseye", MISS: "miss", NONE: "miss", OFF: "fell off", FOUL: "foul", STAR: "star", TOTAL: "total", UNREAD: "not read" },
  groups: { double: "any double", triple: "any triple", single: "any single", bull: "Bull",
    inner: "any inner single", outer: "any outer single" },
  suits: { S: "spades", H: "hearts", C: "clubs", D: "diamonds" }, ranks: { A: "ace", J: "jack", Q: "queen", K: "king" },
  shorts: { double: "any D", triple: "any T", bull: "Bull", inner: "Bull", bed_or_21: "Bed/ 21", "3B": "Bed",
    // Rounds that ask for three darts together.
    C: "any", 57: "sum 57", "3S": "side by side", "3R": "run of 3", "3C": "3 colours", H: "Hop", WILD: "Wild" },
  rows: { double: "Doubles", triple: "Triples", bull: "Bull", bed: "Bed" },
  // What the daemon names by an identifier and this says otherwise: details, options, symbols, awards.
  names: {
    nine_darter: "perfect leg", average: "avg", left: "points left", on: "ball on", best: "best round", mark: "against", wickets: "wickets left", to_win: "goals to win", first_nine: "first nine", mpr: "MPR", mpr_80: "MPR 80 %", ppd: "PPD", three_kind: "three of a kind",
    halves: "halved", cancel: "throw again", drill: "visits hit", began_with: "started with", shirt: "rank", next_shirt_at: "next rank from", home: "steps to home", behind: "numbers behind", half_hit: "1 of 2", whole_hit: "hit", gotchas: "opponents sent back", taken: "darts freed", stopper: "closes numbers", scorer: "scores",
  },
  // Awards that have names of machines, as a pub says them: at a steel tip, and in the statistics of all boards.
  pub: { low_ton: "100 to 150", high_ton: "151 to 179", three_in_the_black: "three bullseyes", hat_trick: "three bulls", high_out: "high finish" },
  hundreds: (n) => {
    const rest = n % 100, tens = TENS[Math.floor(rest / 10)];
    const small = rest < 20 ? ONES[rest] : ONES[rest % 10] ? `${tens}-${ONES[rest % 10]}` : tens;
    return small ? `one hundred and ${small}` : "one hundred";
  },
  // A game or a routine by its English title, where it is called otherwise.
  title: (text) => text,

  // What never changes, by the element that shows it.
  fixed: {
    undo: "Undo", redo: "Redo", miss: "Miss", next: "Next", hands: "Hands", menu: "Menu", other: "New game", join: "Join",
    link: "Connecting …", "board-state": "Board …", "by-hand": "Go on by hand", "by-board": "Wait for the board",
    "correction-none": "No dart", "correction-cancel": "Cancel", "correction-label": "Type it", "tap-ok": "Throw",
    "seats-title": "Your hand, on your own phone", "seats-close": "Close",
    "seats-text": "Scan your code to see your cards there. Each code works for one phone.",
  },
  labels: {
    rules: "Rules of this match",
    tables: "Tables", hero: "At the oche", darts: "This visit", result: "Result", sheet: "Score sheet", hand: "Hand",
    face: "Board", sides: "Scores",
  },
  exercise: (n, of, next) => `exercise ${n} of ${of}${next ? `, then ${next}` : ""}`,
  exercises: ["Exercise"],
  again: "Play again", againBy: (player) => `Play again: ${player} throws first`, start: "Start", begin: (title) => `Start ${title}`,
  hint: "Checkout", purposes: { close: "Tip: close", defend: "Tip: defend", score: "Tip: score", attack: "Tip: attack", arm: "Tip: be a killer" }, target: "Target", last: "Previous", out: "out", stillIn: "still in", notOut: "failed", answer: "OK",
  token: "Token", tokenTitle: "This page asks for a token", tokenHow: "Each device is asked once. Whoever runs oche has the token, or makes a new one on the machine that oche runs on:", enter: "Enter",
  noSuchAnswer: "There is no such answer.", doesNothing: "That does nothing right now.",
  live: "Live", lost: "No connection",
  lostLong: "Connection lost – what you see may be out of date. Trying again …",
  unreachable: "The scoreboard did not answer. Please try again.",
  unanswered: "Sent. Waiting for the scoreboard to answer.",
  stale: "Another device was faster. Check the score, then press again.",
  noSensor: "Enter the darts", boardOnline: "Board ready", boardOffline: "Board offline",
  boardIsBack: "The board is back. You can throw.",
  boardOfflineLong: "The board is offline. Check its cable and power.",
  broker: (text) => `Broker: ${text}`,
  stuckSomewhere: "A segment is stuck – free it, or its darts do not count.",
  stuck: (ids, n) => `${ids} ${n > 1 ? "are" : "is"} stuck – free ${n > 1 ? "them" : "it"}, or darts there do not count.`,
  trouble: (text) => `Darts do not count right now – ${text}`,
  stray: (bed) => `${bed} does not count`,
  noTables: "No table is set up. Add one to the configuration.",
  noSuchTable: (wanted, shown) => `There is no table “${wanted}”. This is ${shown}.`,
  welcome: "Welcome", idle: "No match yet", idlePhase: "Choose a game to begin",
  round: (n, of = 0) => `Round ${n}${of ? ` of ${of}` : ""}`, leg: (n) => `Leg ${n}`, set: (n) => `Set ${n}`,
  legs: (n) => `legs ${n}`, sets: (n) => `sets ${n}`,
  toThrow: (name) => `${name} to throw`, visits: "scored · left",
  throwing: (n, thrown) => (n > 1 ? `${n} darts to throw` : thrown ? "Last dart" : "1 dart to throw"),
  takeout: "Pull your darts, then Next", pull: "Pull your darts", deciding: "Choose to continue", chooses: (player) => `${player} chooses`, over: "Match over",
  correct: (bed) => `It was ${bed}`, correctTitle: (n) => `Correct dart ${n}`,
  wasScored: (bed) => `Scored as ${bed}. Tap where it really landed.`, wasUnread: "The board could not read it. Tap where it landed.", likely: "Likely beds", pick: "Pick a segment",
  // A label begins with what is seen, so that people who speak to their device can say what they see.
  correctLabel: (seen, n, bed) => `${seen}: dart ${n}, ${bed}. Correct it`,
  enterTitle: (n) => `Enter dart ${n}`, enterHelp: "Tap where it landed, or type it.", enterShort: "enter",
  enterLabel: (way, n) => `${way && `${way}: `}Dart ${n} not thrown yet. Enter the next dart`,
  changedMeanwhile: "Another dart has come in. Check the darts again.",
  emptyLabel: (n) => `${n}: dart not thrown yet`,
  bust: "Bust", winner: "Winner", winners: "Shared win", stopped: "Match stopped", drawn: "No winner",
  noBed: (typed, beds) => `There is no ${typed} on the board. Type ${beds}.`,
  whichBed: (typed, beds) => `${typed} can be ${beds}. Type one of them.`,
  secret: "Answered on the player’s own screen.",

  // The games' own faces.
  orThrow: "Optional: or just throw", orNext: "Optional: or press Next", backwards: "Back",
  segmentField: "Segment", tapBoard: "Tap the board to throw a dart", tapAnswer: "Answer first",
  keypad: {
    total: "Total of the visit", erase: "Delete", face: "Tap the face", pad: "Keypad", used: "Finished with how many darts?",
    atFinish: "How many darts at the finish (at a double)?", bustKey: "Bust", bust: "Bust with how many darts?", correct: (total) => `Change ${total} to`,
  },
  handLink: "open here",
  seatGone: "This link is no longer valid. Scan your code on the scoreboard, or use the phone that opened the link first.",
  roundsOf: (name) => `${name}’s rounds`, partners: (names) => `with ${names}`, notYet: (player) => `${player} is at the oche`, hand: "Your hand", noCards: "No cards in hand",
  wild: "wild", fromNumber: (from, n, isClockwise) => `${isClockwise ? `↻ ${n} on` : `↺ ${n} back`} from ${from}`, fromHere: "From",
  dealPoints: (n) => `${n} in this deal`,
  card: (rank, suit) => `${rank} of ${suit}`,
  unrolled: "Roll the dice", leads: "leads", throwsNext: "throws next", thenThrows: (text, player) => `${text}, then ${player}`, behind: (n, out) => (n >= out ? "falls out" : `${n} behind, out at ${out}`), numbersHit: (n) => (n ? `${n} of 3 hit` : "no hit"), lastVisit: "last visit",
  playsAlone: "plays by itself", place: (n) => `${n}${["st", "nd", "rd"][n - 1] ?? "th"}`,
  hasLeft: (names, n) => `${names} ${n > 1 ? "have" : "has"} left`, winsIt: (name, n) => `${name} ${n > 1 ? "win" : "wins"}`,
  alone: (left, wins) => `${left}: ${wins}, or play on?`, playOn: "Play on", finished: "Finished!",
  order: "Throws first", ordered: (names) => `then ${names}`,
  noTarget: "no target", ofMarks: (n, need) => `${n} of ${need}`, lives: (n) => `lives ${n}`, owns: (n) => `№ ${n}`, ownSign: "№", timesHalved: (n) => (n === 1 ? "halved once" : `halved ${n} times`),
  // What a score counts, where it is not points.
  from: "from", toReach: "points to win", left: "left",
  units: {
    goals: ["goal", "goals"], hits: ["hit", "hits"], marks: ["mark", "marks"], runs: ["run", "runs"], steps: ["step", "steps"],
    strokes: ["stroke", "strokes"], points: ["point", "points"], fox_steps: ["fox step", "fox steps"],
    lives: ["life", "lives"], lives_taken: ["life taken", "lives taken"], numbers: ["number", "numbers"], flags: ["flag", "flags"],
  },
  halved: "halved", shanghai: (n) => `Shanghai +${n}`, bonus: "Bonus", total: "Total",
  soFar: "(n): points so far", countsAs: (dice) => dice.join(" or "), bonusOver: (n) => `Bonus over ${n}`, upper: (n) => `upper ${n}`, attack: (n) => `attack ${n}`,
  takes: (n) => `Attack ${n}: takes ${n > 1 ? `shields up to ${n - 1}` : "what has no shield"}`,
  counts: {
    toLay: ["card to lay", "cards to lay"], cardsLeft: ["card left", "cards left"],
    dartsEach: ["dart a visit", "darts a visit"], taken: ["taken", "taken"], livesTaken: ["life taken", "lives taken"],
    darts: ["dart", "darts"], marked: ["mark", "marks"], hexagons: ["hexagon", "hexagons"], inHand: ["pin in hand", "pins in hand"],
  },
  sheet: { wins: "How one wins", differs: "Differs from usual", all: "All rules and options" },
  lobby: {
    title: "New match", close: "Close", who: "Players", game: "Game", options: "Options", rules: "Rules",
    name: "Name", add: "Add", recent: "Recent players", bot: "Add a bot", level: "Level of the bot, 20 to 110",
    seconds: "sec", tempo: "Seconds the bot takes per dart", botName: "Name of the bot", plays: "How the bot throws", byLevel: "Throws by its level", like: (name) => `Throws like ${name}`,
    far: "Plays at another table", allHere: "All play here", farTable: "Name of the table",
    shuffle: "Shuffle", teams: "Teams", side: (n) => `Side ${n}`, sideName: (n) => `Name of side ${n}`, sideBot: (n) => `Add a bot to side ${n}`, shortBot: "+ Bot", addSide: "Add a side", swap: (name) => `${name}: change sides`,
    up: (name) => `Move ${name} up`, remove: (name) => `Remove ${name}`,
    bull: "Throw for the bull", bullHint: "Each side first throws one dart at the bull. The nearest throws first in this match.",
    legs: "Legs to win", sets: "Sets to win",
    twoClear: "Two clear legs", all: "Play all legs; a tie is a draw",
    first: "Throws first in the next leg", firsts: { "": "The next side", loser: "The loser", same: "The same side for the whole set" },
    search: "Search", noGame: "No game has that name.",
    favourite: (title) => `${title} is a favourite`, variants: (n) => (n === 1 ? "1 variant" : `${n} variants`),
    groups: {
      x01: "Down to zero", cricket: "Cricket and similar", rounds: "Round by round", races: "First to the goal",
      lives: "Last one standing", boards: "Cards and other boards", practice: "Practice", routines: "Routines: several exercises in a row",
      others: "More games",
    },
    clear: "Clear players", more: "More options",
    takes: (sides, players) => `Sides: ${sides}. Players a side: ${players}.`,
    twice: (one, other) => `"${one}" and "${other}" are the same player: remove one of them, or enter another name`,
    others: (options) => `Reset because the players changed: ${options}. Press Start again to confirm.`,
    stop: (title) => `Stop ${title} and start`, begun: (title) => `${title} was started on another display.`,
    none: "not set", on: "on", off: "off",
    hands: "With hands on your phones?", handsHint: "Only your own phone then shows your hand. Scan its code after the start.", no: "No", yes: "Yes",
  },

  // What the symbols on the wall mean, in the sheet of rules.
  legend: {
    title: "Symbols", nothing: "does not count", now: "hit this now", hit: "hit", marks: "marks so far", closed: "closed by all",
    strokes: ["one mark", "two marks", "three marks: closed"],
    struck: "closed", owned: (n) => `belongs to side ${n}`, caught: "a dart left here: hit its number and it is yours", life: "a life", gone: "a lost life", own: "the player’s own number", owner: "belongs to the side of this number",
    red: "red card: move clockwise", black: "black card: move counter-clockwise", times: "how many times this visit counts",
    wild: "cards of its rank fit any chain", die: "a number that counts in this visit",
    rings: ["the number counts three times", "twice", "once"], star: "50 points as Yatzy", shield: "a shield: attack must be higher",
    together: {
      C: "every dart counts", 57: "exactly 57 points", 41: "exactly 41 points", 21: "three darts in one number, or 21 points",
      "3S": "three numbers side by side", "3R": "three consecutive numbers, such as 7, 8, 9",
      "3C": "three different colours", H: "a number, then the next but one clockwise, and again",
    },
    glyphs: {
      flag: "all three win at once", fist: "attack +1", flaming_fist: "takes anything, with one dart",
      tower: "defense +1 beside it", crossed_darts: "hit its red area: extra darts", dart: "take back one dart per turn",
      pin: "an army pin: defense +1 around it",
    },
  },

  boardLabel: (targets) => (targets ? `Board, aim at ${targets}` : "Board"),

  // The great moments, flashed large; the caller says some otherwise.
  badgeTo: (name) => `A badge for ${name}`, legTo: (name) => `Leg to ${name}`, setTo: (name) => `Set to ${name}`, matchTo: (name) => `${name} wins!`,
  matchDartMissed: "Match dart missed", comeback: (name) => `Comeback, ${name}!`,
  isOut: (name) => `${name} is out`, losesLives: (name, n) => `${name} loses ${n === 1 ? "a life" : `${n} lives`}`, closed: (target) => `Closed ${target}`, claimed: (name, cell) => `${name} takes ${cell}`,
  noScore: "No score", requires: (name, n) => `${name} requires ${n}`, gameShot: "Game shot",
  gameShotMatch: (name) => `Game shot, and the match, ${name}`,

  // What the live region says about what happens.
  told: {
    dart: (name, bed, points, score) => `${name}: ${bed}, ${points}.${score == null ? "" : ` Score ${score}.`}`,
    visit: (n) => `${n} in this visit.`, turn_changed: (name) => `${name} to throw.`,
    corrected: () => "A dart was corrected.", undone: () => "Undone.", match_started: () => "A match begins.",
    retired: (name) => `${name} has left.`, lead_taken: (name) => `${name} takes the lead.`,
  },

  joining: {
    title: "Join with a phone", close: "Close", remote: "Remote", spectator: "Watch", open: "open here",
    local: "These codes only work on this machine. For phones, open Settings, Phones and TV, and set “Who can reach it” to everyone in this network; oche play needs --phones.",
    asks: "A remote has to enter the token of the page once (to make one, run oche token).",
  },
  menu: {
    title: "Menu", close: "Close", match: "Match", device: "This device", stop: "Stop the match",
    leaves: (name) => `${name} leaves`, enter: "Play with this device", sure: (text) => `${text}? Press again`, statistics: "Statistics",
    view: "View", wall: "Wall", remote: "Remote", asDevice: "Same as device", lang: "Language",
    theme: "Colours", dark: "Dark", light: "Light", sound: "Sound", speech: "Caller’s voice", noVoice: "This browser has no voice.", offerVoice: "Turn on the voice", pack: "Voice", anyPack: "The first there is", noPack: "The browser’s", darts: "Call each dart", quiet: "Quiet hours", never: "None", hours: (from, to) => `${from}:00 to ${to}:00`, full: "Full screen",
    kiosk: "Kiosk", kioskWay: "To leave kiosk mode, hold the title for two seconds or press Escape.",
    ear: "Play by ear", earOff: "Off", earFull: "Everything", earBrief: "In few words", reader: "Said by", earVoice: "The browser’s voice", earReader: "Your screen reader", pace: "Pace", slow: "Slow", usual: "Usual", fast: "Fast", faster: "Very fast",
    earKeys: "Keys: 1 to 9 answer, from 10 on with Enter. N: next player. U: undo. R: say it again. I: where you stand.",
    keys: "Keys", settings: "Settings", tournaments: "Tournaments",
  },
};

/** What the statistics say. @satisfies {Oche.Texts} */
export const history = {
  back: "Scoreboard",
  reading: (done, of) => `Reading matches: ${done} of ${of}.`,
  matches: ["match", "matches"],
  played: (matches, won, stopped) => `${matches}, ${won} won${stopped ? `, ${stopped} stopped` : ""}`,
  pair: (hit, of) => `${hit} of ${of}`, kinds: { average: "Average", mpr: "MPR" }, best: (name) => `Best ${name}`,
  figures: {
    mpr: "MPR", average: "3-dart average", round: "Points per round", ppd: "PPD", firstNine: "First nine",
    upTo80: "Up to 80 %", level: "Level, 1 to 18", rate: "Checkout rate", checkouts: "Checkouts",
    highFinish: "High finish",
    bestLeg: "Best leg", highVisit: "High visit", legs: "Legs won", darts: "Darts", awards: "Awards",
    doubles: "Doubles", targets: "Targets",
  },
  bestSoFar: (best) => `Best so far: ${best}`, lastOnes: (n, kind) => (kind ? `${kind}, last ${n}` : `Last ${n}`), isNewBest: "A new best",
  sideBySide: "Side by side", byLeg: (kind) => `Leg by leg, ${kind}`, score: "Score", legs: "Legs", sets: "Sets", leg: "Leg",
  legWinner: "Winner", checkout: "Out", whole: "Dart by dart",
  last: (player, darts, points) => `${player}: ${darts}${points ? ` = ${points}` : ""}`,
  wasStopped: "stopped",
  unknownMatch: "There is no finished match with this link.",
};
