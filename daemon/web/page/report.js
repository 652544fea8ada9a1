/* What a match came to, as tables: the figures of its sides beside each other, and a line for each leg. */

import { make, setSideColour } from "./dom.js";
import { history as words } from "./words/words.js";

const WIDE = 2; // sides that have a column each beside the legs

/** Returns the name of a side as the head of a column, in its colour.
    @param {Oche.MatchReport} report @param {number} index */
function makeHead({ sides }, index) {
  const { name, players, won } = sides[index];
  const head = make("th", { scope: "col", className: won ? "won" : "", title: [name, ...players].join(" · ") },
    make("span", { className: "badge" }, String(index + 1)), " ", make("span", { className: "head-name" }, name));
  setSideColour(head, index);
  return head;
}

/** Returns the counts of all sides under the names that any of them has.
    @template {Record<string, number>} Counts @param {Counts[]} all @returns {Counts[]} */
function alike(all) {
  const none = Object.fromEntries(all.flatMap((each) => Object.keys(each)).map((name) => [name, 0]));
  return all.map((each) => ({ ...none, ...each }));
}

/** Returns the figures of the sides as lines: a label, then a text a side.
    @param {Oche.SideReport[]} sides @returns {[string, ...string[]][]} */
function compare(sides) {
  const own = sides.map(({ figures }) => figures);
  const [tons, marks, more] = [alike(own.map((f) => f.tons)), alike(own.map((f) => f.marks)), alike(own.map((f) => f.more))];
  const named = sides.map(({ figures }, index) => new Map(words.figures({
    ...figures, tons: tons[index], marks: marks[index], more: more[index],
  }).map(([label, text]) => [label, String(text ?? "")])));
  const labels = [...new Set(named.flatMap((each) => [...each.keys()]))];
  return labels.map((label) => /** @type {[string, ...string[]]} */ ([label, ...named.map((each) => each.get(label) ?? "")]));
}

/** The figures that are told first, by their labels. */
const BRIEF = new Set([
  ...(/** @type {const} */ (["mpr", "average", "firstNine", "checkouts", "highFinish", "highVisit", "bestLeg", "darts"]))
    .map((name) => words.named[name]),
  "100+", "140+", "170+", "180",
]);

/** Makes the table of the figures, side by side; a brief one has those that people ask for first. How it stood comes
    before them, unless that is told elsewhere.
    @param {Oche.MatchReport} report @param {boolean} isBrief */
export function makeFiguresTable(report, isBrief, hasScores = true) {
  const { format, sides } = report;
  const stood = !hasScores ? [] : [
    ...(format.sets > 1 ? [[words.sets, ...sides.map(({ sets }) => String(sets))]] : []),
    ...(format.legs > 1 ? [[words.legs, ...sides.map(({ legs }) => String(legs))]] : []),
    [words.score, ...sides.map(({ score }) => String(score))],
  ];
  const isTold = (/** @type {string} */ text) => text && text !== words.fixed(0); // games without points have no average
  const figures = compare(sides).filter(([label, ...texts]) => texts.some(isTold) && (!isBrief || BRIEF.has(label)));
  return make("table", { className: "figures-table", ariaLabel: words.sideBySide },
    make("thead", {}, make("tr", {}, make("td"), ...sides.map((_, index) => makeHead(report, index)))),
    make("tbody", {}, ...[...stood, ...figures].map(([label, ...texts]) => make("tr", {},
      make("th", { scope: "row" }, label),
      ...texts.map((text, index) => make("td", { test: label === words.score ? `final-${index}` : "" }, text || "–"))))));
}

/** Makes the table of the legs, the last `most` of them; null where one leg was all there was.
    @param {Oche.MatchReport} report @param {number} most */
export function makeLegsTable(report, most) {
  const { figure, format, legs, sides } = report;
  if ((format.legs < 2 && format.sets < 2) || legs.length < 2) return null;
  const isWide = sides.length <= WIDE;
  const number = (/** @type {Oche.LegReport} */ leg) => (format.sets > 1 ? `${leg.set}.${leg.leg}` : String(leg.leg));
  const won = (/** @type {Oche.LegReport} */ { winners }) => winners.map((index) => sides[index].name).join(", ") || "–";
  const columns = isWide ? sides.map((_, index) => makeHead(report, index)) : [make("th", { scope: "col" }, words.legWinner)];
  return make("table", { className: "legs-table", ariaLabel: words.byLeg(words.kinds[figure]) },
    make("thead", {}, make("tr", {}, make("th", { scope: "col" }, words.leg), ...columns,
      ...[words.named.darts, words.checkout].map((text) => make("th", { scope: "col" }, text)))),
    make("tbody", {}, ...legs.slice(-most).map((leg, place) => make("tr", { test: `leg-${place}` },
      make("th", { scope: "row" }, number(leg)),
      ...(isWide ? leg.values.map((value, index) => make("td", { className: leg.winners.includes(index) ? "won" : "" },
        value === null ? "–" : words.fixed(value))) : [make("td", { className: "won" }, won(leg))]),
      make("td", {}, String(Math.max(0, ...leg.winners.map((index) => leg.darts[index])) || "–")),
      make("td", {}, String(leg.checkout ?? "–"))))));
}

/** Says the visit that ended the match, dart by dart.
    @param {Oche.MatchReport} report @param {(id: string) => string} segment */
export const describeLast = ({ last, was_stopped: wasStopped }, segment) =>
  (wasStopped || !last.darts.length ? "" : words.last(last.player, last.darts.map((id) => segment(id)).join(" "), last.points));
