/* Everything the pages say, in English; words.js tells how another language is added. Segments are named for the ear
   ("triple 20"); for the eye their ids are what players write themselves. */

const RINGS = { T: "triple", D: "double", S: "single", O: "outer single", I: "inner single" };
const SPOKEN = { SB: "outer bull", DB: "bullseye", MISS: "miss" };
const GROUPS = { double: "any double", triple: "any triple", single: "any single", bull: "bull" };
const DETAILS = { average: "avg", first_nine: "first nine", mpr: "MPR", mpr_80: "MPR 80 %", ppd: "PPD" };
const SUITS = { S: "spades", H: "hearts", C: "clubs", D: "diamonds" };
const RANKS = { A: "ace", J: "jack", Q: "queen", K: "king" };
const SHORT = { double: "D", triple: "T", bull: "Bull", bed_or_21: "Bed 21" };
const DECIMALS = { average: 1, first_nine: 1, mpr: 2, mpr_80: 2, ppd: 2 }; // always as many, so that they do not dance

const plain = (name) => String(name).replaceAll("_", " ");
const count = (n, thing) => `${n} ${thing}${n === 1 ? "" : "s"}`;
const capitals = (text) => text.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const names = new Intl.ListFormat("en", { type: "conjunction" });
const number = (value) => (Number.isInteger(value) ? String(value) : value.toFixed(1));

/** Any value of a game's detail in a few characters; "" for what is empty, off or too deep to be short. */
function shortly(value, deep = false) {
  if (value === null || value === false || value === "") return "";
  if (typeof value === "number") return number(value);
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value)) return value.some((each) => typeof each === "object") ? "" : value.join("/");
  if (deep) return "";
  return Object.entries(value).map(([key, each]) => {
    if (each === true) return plain(key);
    const text = shortly(each, true);
    return text && key !== "points" ? `${plain(key)} ${text}` : text; // points are what a bare number means anyway
  }).filter(Boolean).join(", ");
}

const english = {
  /** What never changes, by the element that shows it. */
  fixed: {
    undo: "Undo", redo: "Redo", miss: "Miss", next: "Next", hands: "Hands", menu: "Menu", other: "New game",
    link: "Connecting …", "board-state": "Board …",
    "correction-none": "No dart", "correction-cancel": "Cancel", "correction-label": "Or type it", "tap-ok": "Throw",
    "seats-title": "Your hand, on your own phone", "seats-close": "Close",
    "seats-text": "Scan your code to see your cards there. A code goes when it has been used.",
  },
  again: "Play again", start: "Start", begin: (title) => `Start ${title}`,
  hint: "Checkout", target: "Target", last: "Before", out: "out", answer: "OK",
  token: "The token of this scoreboard (oche token makes one)", enter: "Enter",
  live: "Live", lost: "No connection",
  lostLong: "Connection lost – what you see may be out of date. Trying again …",
  unreachable: "The scoreboard did not answer; please try again.",
  boardOnline: "Board ready", boardOffline: "Board offline",
  boardOfflineLong: "The board is offline; check its cable or its power.",
  broker: (text) => `Broker: ${text}`,
  stuck: (ids) => (ids.includes("?")
    ? "A segment is stuck – free it, or its darts do not count."
    : `${names.format(ids)} ${ids.length > 1 ? "are" : "is"} stuck – free ${ids.length > 1 ? "them" : "it"}, or darts there do not count.`),
  trouble: (text) => `No dart counts now – ${text}`,
  stray: (id) => `${english.segment(id)} does not count`,
  noTables: "No table is set up; add one to the configuration.",
  noSuchTable: (wanted, shown) => `There is no table “${wanted}”; this is ${shown}.`,
  idle: "Nobody is playing yet", idlePhase: "Press Start to play",
  round: (n) => `Round ${n}`, leg: (n) => `Leg ${n}`, set: (n) => `Set ${n}`,
  legs: (n) => `legs ${n}`, sets: (n) => `sets ${n}`,
  throwing: (n) => (n === 1 ? "Last dart" : `${n} darts to throw`),
  takeout: "Pull your darts, then Next", deciding: "Choose to go on", over: "Match over",
  first: (text) => text.split(/(?<=[.?!]) /)[0],
  correct: (id) => `It was ${id}`, correctTitle: (n) => `Correct dart ${n}`,
  wasScored: (id) => `Scored as ${id}. Tap where it really landed.`, pick: "Pick a segment",
  // A label begins with what is seen, so that people who speak to their device can say what they see.
  correctLabel: (seen, n, id) => `${seen}: dart ${n}, ${english.spoken(id)}. Correct it`,
  emptyLabel: (n) => `${n}: dart not thrown yet`,
  bust: "Bust", winner: "Winner", winners: "Shared win", stopped: "Match stopped", drawn: "No winner",
  wins: (list) => names.format(list), secret: "Answered on the player’s own screen.",

  // The games' own faces.
  orThrow: "If you like, or throw on", orNext: "If you like, or Next", backwards: "Back",
  segmentField: "Segment", tapBoard: "Tap the board to throw a dart", tapAnswer: "Answer first",
  handLink: "open here",
  seatGone: "This link is not valid any more; scan the code on the scoreboard again.",
  notYet: (player) => `${player} is at the oche`, hand: "Your hand", noCards: "No cards in hand",
  wild: "wild", fromHere: "From", roundPoints: (n) => `round ${n}`, cardsLeft: (n) => `${count(n, "card")} left`,
  cards: (n) => count(n, "card"), suit: (suit) => SUITS[suit] ?? "",
  card: (rank, suit) => `${RANKS[rank] ?? rank} of ${SUITS[suit]}`,
  unrolled: "Roll the dice", leads: "leads", behind: (n, out) => `${n} behind${out ? ": falls out" : ""}`,
  nobody: "plays by itself", penalty: "−3",
  marks: (last) => (last.marks ? `${last.marks} × ${last.multiplier} = ${last.points}` : "no target"),
  ofMarks: (n, need) => `${n} of ${need}`, done: (n, of) => `${n} of ${of}`, hearts: (n, of = n) => (of > 9 ? `lives ${n}` : "♥".repeat(n) + "♡".repeat(Math.max(0, of - n))), owns: (n) => `№ ${n}`,
  halved: "halved", shanghai: (n) => `Shanghai +${n}`, gained: (n) => `+${n}`, sum: (n) => `= ${n}`,
  short: (target) => SHORT[target] ?? target, bonus: "Bonus", total: "Total",
  bonusOver: "Bonus over 100", upper: (n) => `upper ${n}`,
  symbol: plain, attack: (n) => `attack ${n}`, unlimited: "unlimited",
  cancels: (n) => `${count(n, "cancel")} left`, hexagons: (n) => count(n, "hexagon"), flags: (n) => count(n, "flag"),
  inHand: (n) => `${count(n, "pin")} in hand`,
  option: (text) => (text === "three_kind" ? "Three of a Kind" : /^[a-z_]+$/.test(text) ? capitals(plain(text)) : text),

  boardLabel: (targets) => (targets.length ? `Board, aim at ${targets.join(", ")}` : "Board"),

  segment: (id) => (id === "MISS" ? "Miss" : id),
  spoken: (id) => SPOKEN[id] ?? (/^[TDSOI]\d+$/.test(id) ? `${RINGS[id[0]]} ${id.slice(1)}` : id),
  targetName: (label) => GROUPS[label] ?? label,

  /** One entry of a game's detail; empty where there is nothing to say. */
  detail(key, value) {
    const label = DETAILS[key] ?? plain(key);
    if (value === true) return label;
    const text = key in DECIMALS && typeof value === "number" ? value.toFixed(DECIMALS[key]) : shortly(value);
    return text && `${label} ${text}`;
  },

  /** The few words flashed large for a fact, or null for facts that pass quietly. */
  moment(fact) {
    switch (fact.event_type) {
      case "bust": return english.bust;
      case "halved": return "Halved";
      case "award": return sentence(plain(fact.award));
      case "leg_won": return `Leg to ${fact.player}`;
      case "set_won": return `Set to ${fact.player}`;
      case "eliminated": return `${fact.player} is out`;
      case "closed": return `Closed ${fact.target}`;
      case "claimed": return `Claimed ${english.option(fact.cell)}`;
      default: return null;
    }
  },

  /** What the live region says of a fact, or null. */
  told(fact) {
    switch (fact.event_type) {
      case "dart": {
        const score = fact.score == null ? "" : ` Score ${fact.score}.`;
        return `${fact.player}: ${english.spoken(fact.segment)}, ${fact.points}.${score}`;
      }
      case "visit": return `${fact.points} in this visit.`;
      case "turn_changed": return `${fact.player} to throw.`;
      case "takeout_started": return `${english.takeout}.`;
      case "corrected": return "A dart was corrected.";
      case "undone": return "Undone.";
      case "match_started": return "A match begins.";
      case "match_stopped": return `${english.stopped}.`;
      case "match_won": return fact.player ? `${fact.player} wins the match.` : `${english.over}.`;
      default: { const text = english.moment(fact); return text && `${text}.`; }
    }
  },
};

export const words = english;

const whole = new Intl.NumberFormat("en");
const day = new Intl.DateTimeFormat("en", { dateStyle: "medium" });
const matches = (n) => `${whole.format(n)} ${n === 1 ? "match" : "matches"}`;
const pair = ([hit, of]) => `${hit} of ${of}`;
const FIGURES = { average: "Average", mpr: "MPR" };

/** What the statistics say. */
export const history = {
  title: "Statistics", back: "Scoreboard", all: "All players",
  rule: "A match counts when it is over. A stopped one counts for its darts, but not for legs and wins.",
  bots: { show: "Show bots", hide: "Hide bots" },
  nobody: "Nobody has played a match to its end yet.", unknown: "No match of this player is over.",
  reading: ({ done, of }) => `The matches are being read: ${whole.format(done)} of ${whole.format(of)}.`,
  unread: (n) => `${n} could not be read: see oche stats.`,
  columns: ["Player", "Matches", "Won", "Legs", "Darts", "Last", "Mostly"],
  bot: (name) => `${name} (bot)`,
  played: ({ matches: n, won, stopped }) => `${matches(n)}, ${won} won${stopped ? `, ${stopped} stopped` : ""}`,
  mostly: ({ label, figure, value }) => (value === null ? label : `${label}, ${FIGURES[figure].toLowerCase()} ${value.toFixed(1)}`),
  number: (n) => whole.format(n), fixed: (n) => n.toFixed(2), day: (at) => day.format(new Date(at)), share: (n) => `${(100 * n).toFixed(1)} %`,
  /** The figures of a game: [label, text, is it long]; what means nothing in it has no text. */
  figures: (f) => [
    ["MPR", f.mpr?.toFixed(2)], [f.mpr === null ? "3-dart average" : "Points per round", f.average?.toFixed(2)],
    ["PPD", f.ppd?.toFixed(2)], ["First nine", f.first_nine?.toFixed(2)],
    ["Up to 80 %", (f.mpr_80 ?? f.average_80)?.toFixed(2)], ["Level, 1 to 18", f.level],
    ["Checkout rate", f.checkouts && `${f.checkout_rate} %`], ["Checkouts", f.checkouts && pair(f.checkouts)],
    ["High finish", f.high_finish], ["Best leg", f.best_leg && `${f.best_leg} darts`], ["High visit", f.high_visit],
    ["Legs won", f.legs && pair(f.legs)], ["Darts", whole.format(f.darts)],
    ...Object.entries({ ...f.tons, ...f.marks, ...f.more }).map(([name, n]) => [plain(name), whole.format(n)]),
    ...Object.entries(f.bests).map(([name, n]) => [`Best ${plain(name)}`, n]),
    ["Awards", Object.entries(f.awards).map(([name, n]) => `${plain(name)} ${n}`).join(", "), true],
    [Object.keys(f.targets).every((name) => name[0] === "D") ? "Doubles" : "Targets",
      Object.entries(f.targets).map(([name, n]) => `${name} ${pair(n)}`).join(", "), true],
  ],
  trend: (figure) => `${FIGURES[figure]} by match`,
  window: "Dots are matches; the line is the last five of them together.",
  trendLabel: (figure, from, to, n) => `${FIGURES[figure]} over ${matches(n)}, five at a time: from ${from.toFixed(2)} to ${to.toFixed(2)}`,
  months: (figure) => ["Month", "Matches", FIGURES[figure]],
  heat: "Where the darts landed", beds: ["Bed", "Darts", "Share", "Heat"],
};
