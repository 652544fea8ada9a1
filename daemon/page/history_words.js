/* What the statistics say; as words.js is for the scoreboard. */

const plain = (name) => name.replaceAll("_", " ");
const whole = new Intl.NumberFormat("en");
const day = new Intl.DateTimeFormat("en", { dateStyle: "medium" });
const matches = (n) => `${whole.format(n)} ${n === 1 ? "match" : "matches"}`;
const pair = ([hit, of]) => `${hit} of ${of}`;
const FIGURES = { average: "Average", mpr: "MPR" };

export const words = {
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
