/* The result as a headline: the winner with picture, with what the match was won, the figures of all sides that are read
   from the oche, how the match went, and the best visits. */

import { makeFace } from "../avatar.js";
import { make, setSideColour, setStyle } from "../dom.js";
import { drawCurve } from "./lead_curve.js";
import { measureWidest } from "../measure.js";
import { result as text } from "./result_words.js";
import { findPlayer } from "./wall_players.js";
import { history, words } from "../words/words.js";

const MOST_FACES = 4;
const MOST_FIGURES = 5; // lines that have room where they are read from the oche
const GAP_EM = 0.35; // between the columns
const WIDE_EM = 8.8; // what there is room for beside the winner
const NAME_EM = 4; // what of it a name has at least
const HEAD = 0.5; // how large the head of a column is beside its figures
const [LABEL, VALUE] = [600, 700]; // how bold they are

/** Returns the winners with what they have won by, the legs' last darts or what the sides came to.
    @param {Oche.MatchReport} report */
export function makeHeadline(report) {
  const { sides } = report;
  const winners = sides.flatMap((side, index) => (side.won ? side.players.map((name) => ({ name, index })) : []));
  if (!winners.length) return [];
  const faces = make("div", { className: "faces", test: "winner-face" }, ...winners.slice(0, MOST_FACES).map(({ name, index }) => makeFace({ ...findPlayer(name), name, colour: index })));
  setStyle(faces, "--faces", Math.min(winners.length, MOST_FACES));
  const told = describeWin(report);
  const out = make("p", { className: "won-by", test: "won-by" }, ...told.flatMap((each, place) => [...(place ? [make("i", {}, " · ")] : []), make("span", {}, each)]));
  setStyle(out, "--wide", measureWidest(told, VALUE));
  setStyle(out, "--chars", Math.max(4, ...told.map((each) => each.length)));
  return [make("div", { className: "headline" }, faces, ...(told.length ? [make("div", { className: "win" }, out)] : []))];
}

/** Returns the checkout and the darts of the last leg where it was checked out; else what the sides have come to.
    @param {Oche.MatchReport} report @returns {string[]} */
function describeWin({ format, legs, sides }) {
  const leg = legs.at(-1);
  const darts = leg?.winners.length === 1 ? leg.darts[leg.winners[0]] : 0;
  if (leg?.checkout != null && darts) return [text.out(leg.checkout), words.darts(darts)];
  if (format.legs > 1 || format.sets > 1 || sides.length !== 2 || !hasScores(sides)) return darts ? [words.darts(darts)] : [];
  const order = sides[1].won && !sides[0].won ? [sides[1], sides[0]] : sides;
  return [order.map(({ score }) => history.number(score)).join(" : ")];
}

/** @param {Oche.SideReport[]} sides */
const hasScores = (sides) => sides.some(({ score }) => score);

/** Returns the figures that are read from the oche, a label and a text a side each, the most asked for first.
    @param {Oche.MatchReport} report */
function listFigures({ format, sides }) {
  const { figures: named } = text;
  const own = sides.map(({ figures }) => figures);
  const number = (/** @type {number | null} */ n) => (n ? history.number(n) : "");
  /** @type {[string, string[]][]} */
  const rows = [
    ...(format.sets > 1 ? [/** @type {[string, string[]]} */ ([history.sets, sides.map(({ sets }) => String(sets))])] : []),
    ...(format.legs > 1 ? [/** @type {[string, string[]]} */ ([history.legs, sides.map(({ legs }) => String(legs))])] : []),
    ...(format.sets > 1 || format.legs > 1 || !hasScores(sides) ? [] : [/** @type {[string, string[]]} */ ([history.score, sides.map(({ score }) => history.number(score))])]),
    [named.mpr, own.map(({ mpr }) => history.fixed(mpr))],
    [named.average, own.map(({ average, mpr }) => (mpr === null && average !== null && average > 0 ? history.fixed(average) : ""))],
    [named.checkouts, own.map(({ checkouts }) => (checkouts ? checkouts.join("/") : ""))],
    [named.firstNine, own.map(({ first_nine: value }) => (value ? history.fixed(value) : ""))],
    [named.highFinish, own.map(({ high_finish: n }) => number(n))],
    [named.highVisit, own.map(({ high_visit: n }) => number(n))],
    ["180", own.map(({ tons }) => number(tons["180"] ?? 0))],
    [history.named.darts, own.map(({ darts }) => number(darts))],
  ];
  return rows.filter(([, texts]) => texts.some(Boolean));
}

/** Makes the table that is read from the oche: a few figures of two sides beside each other.
    @param {Oche.MatchReport} report */
export function makeGreatFigures(report) {
  const { sides } = report;
  const shown = listFigures(report).slice(0, MOST_FIGURES);
  const heads = sides.map(({ name, won }, index) => {
    const head = make("th", { scope: "col", className: won ? "won" : "" });
    head.append(make("span", { className: "head-name" }, name));
    setSideColour(head, index);
    return head;
  });
  const table = make("table", { className: "figures-table great", ariaLabel: history.sideBySide },
    make("thead", {}, make("tr", {}, make("td"), ...heads)),
    make("tbody", {}, ...shown.map(([label, texts]) => make("tr", {},
      make("th", { scope: "row" }, label), ...texts.map((each, index) => makeCell(label, index, each))))));
  const label = measureWidest(shown.map(([each]) => each), LABEL), value = measureWidest(shown.flatMap(([, texts]) => texts), VALUE);
  const widths = { "--label": label, "--value": value, "--name": measureWidest(sides.map(({ name }) => name), VALUE), "--wide": label + 2 * (value + GAP_EM) };
  for (const [name, each] of Object.entries(widths)) setStyle(table, name, each.toFixed(2));
  return table;
}

/** Makes the table that is read from the oche where not two have played: a line for each side, the winners first, with as
    many figures as have room beside the names.
    @param {Oche.MatchReport} report */
export function makeStandings(report) {
  const { sides } = report;
  let room = WIDE_EM;
  const shown = listFigures(report).map(([label, texts]) => ({ label, texts, wide: GAP_EM + Math.max(measureWidest(texts, VALUE), HEAD * measureWidest([label], LABEL)) }))
    .filter(({ wide }) => room - wide >= NAME_EM && (room -= wide));
  const heads = shown.map(({ label, wide }) => {
    const head = make("th", { scope: "col" }, make("span", { className: "label" }, label));
    setStyle(head, "--column", wide.toFixed(2));
    return head;
  });
  const lines = order(report).map((index) => {
    const { name, won } = sides[index];
    const line = make("tr", { className: won ? "won" : "" },
      make("th", { scope: "row" }, make("span", { className: "head-name" }, name)), ...shown.map(({ label, texts }) => makeCell(label, index, texts[index])));
    setSideColour(line, index);
    setStyle(line, "--name", measureWidest([name], VALUE).toFixed(2));
    return line;
  });
  const table = make("table", { className: "figures-table great standings", ariaLabel: history.sideBySide },
    make("thead", {}, make("tr", {}, make("td"), ...heads)), make("tbody", {}, ...lines));
  setStyle(table, "--wide", WIDE_EM);
  setStyle(table, "--lines", lines.length);
  setStyle(table, "--room", (room - GAP_EM).toFixed(2));
  return table;
}

/** Returns the sides in the order in which they are listed: the winners first, the others as they stood, by scores where
    those say which way is up. @param {Oche.MatchReport} report */
function order({ sides }) {
  const best = sides.find(({ won }) => won)?.score ?? 0;
  const [isHigh, isLow] = [1, -1].map((way) => sides.every(({ score }) => way * (best - score) >= 0));
  const way = Number(isHigh) - Number(isLow);
  return sides.map((_, index) => index).sort((one, other) => {
    const [a, b] = [sides[one], sides[other]];
    return Number(b.won) - Number(a.won) || b.sets - a.sets || b.legs - a.legs || way * (b.score - a.score);
  });
}

/** @param {string} label @param {number} side @param {string} value */
const makeCell = (label, side, value) => make("td", { test: label === history.score ? `final-${side}` : "" }, value || "–");

/** Makes what is told of how the match went: its curve, the best visits, the missed match darts. @param {Oche.MatchReport} report */
export function makeStory(report) {
  const curve = drawCurve(report);
  const { best_visits: visits, match_darts_missed: missed, sides } = report;
  const best = sides.length < 2 ? [] : visits.map(({ darts, marks, player, points, side }) =>
    makeItem(side, marks === null ? history.number(points) : words.marked(marks), player, darts.map((id) => words.segment(id)).join(" ")));
  const missers = missed.flatMap((n, side) => (n ? [makeItem(side, history.number(n), sides[side].name)] : []));
  return [...(curve ? [curve] : []), ...makeLine("best-visits", text.best, best), ...makeLine("match-darts-missed", text.missed, missers)];
}

/** @param {number} side @param {string} value @param {string} name */
function makeItem(side, value, name, title = "") {
  const item = make("li", { title }, make("b", {}, value), ` ${name}`);
  setSideColour(item, side);
  return item;
}

/** @param {string} test @param {string} label @param {HTMLElement[]} items */
const makeLine = (test, label, items) =>
  (items.length ? [make("div", { className: "told", test }, make("span", {}, label), make("ol", {}, ...items))] : []);
