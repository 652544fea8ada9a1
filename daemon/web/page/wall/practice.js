/* What practice alone comes to: the result, the best so far, and the last five as a line. Which number that is, the
   statistics say: the result where the game compares results over time, else the darts of a leg that was won, else the score. */

import { make, makeSvg, setFittedText, setStyle } from "../dom.js";
import { read } from "../link.js";
import { history, words } from "../words/words.js";

const FIVE = 5;
const [STEP, HIGH, TOP, FOOT] = [100, 100, 48, 12]; // the drawing; the numbers are above the dots

/** Reads what this player has come to in the game of this match; null where the statistics do not know.
    @param {string} player @param {string} match @returns {Promise<Oche.GameReport | null>} */
async function readGame(player, match) {
  for (;;) {
    /** @type {Oche.PlayerReport & Oche.Reading | null} */
    const found = await read(`stats/player?${new URLSearchParams({ name: player })}`);
    if (found?.reading) continue;
    return found?.games.find(({ results = [], trend }) => [...results, ...trend].some((each) => each.match === match)) ?? null;
  }
}

/** Makes what stands in the place of the figures of several sides.
    @param {Oche.MatchReport} report @param {Oche.Face} face */
export async function makePractice({ match, sides: [side] }, { noPoints }) {
  const game = await readGame(side.players[0], match);
  const { better = null, best = null, figure = "average", figures = null, results = [], trend = [] } = game ?? {};
  const mine = results.find((each) => each.match === match);
  const { best_leg: darts } = side.figures;
  const isResult = Boolean(better && mine);
  const told = mine ? history.number(mine.value) : darts ? words.darts(darts) : history.number(side.score);
  // The first of all is the best, too: there is nothing to compare it with.
  const most = mine ? best && (mine.is_best || best.match !== match) && history.number(best.value)
    : darts && figures?.best_leg && figures.best_leg !== darts && words.darts(figures.best_leg);
  const latest = isResult ? results.map(({ value }) => value) : noPoints ? [] : trend.map(({ value }) => value);
  const write = isResult ? history.number : history.level;
  const caption = history.lastOnes(Math.min(FIVE, latest.length), isResult ? "" : history.kinds[figure]);
  const result = make("p", { className: "came-to", test: "came-to" });
  setFittedText(result, told);
  return make("div", { className: "practice", test: "practice" },
    result, ...(most ? [make("p", { test: "best-so-far" }, mine?.is_best ? history.isNewBest : history.bestSoFar(most))] : []),
    ...(latest.length > 1 ? [drawLine(latest.slice(-FIVE), write, better === "low" && isResult, caption)] : []));
}

/** Draws values as a line, oldest first; higher is better.
    @param {number[]} values @param {(value: number) => string} write @param {boolean} isLow whether the lower are better
    @param {string} caption */
function drawLine(values, write, isLow, caption) {
  const low = Math.min(...values), high = Math.max(...values);
  const y = (/** @type {number} */ value) => {
    const share = high > low ? (value - low) / (high - low) : 0.5;
    return TOP + (isLow ? share : 1 - share) * (HIGH - TOP - FOOT);
  };
  const x = (/** @type {number} */ place) => (place + 0.5) * STEP;
  const svg = makeSvg("svg", {
    role: "img", viewBox: `0 0 ${values.length * STEP} ${HIGH}`, "aria-label": `${caption}${words.colon}${values.map(write).join(", ")}`,
  });
  setStyle(svg, "--values", values.length);
  svg.append(makeSvg("polyline", { points: values.map((value, place) => `${x(place)},${y(value)}`).join(" ") }),
    ...values.flatMap((value, place) => {
      const text = makeSvg("text", { x: x(place), y: y(value) - 18 });
      text.append(write(value));
      return [makeSvg("circle", { cx: x(place), cy: y(value), r: 6, class: place === values.length - 1 ? "now" : "" }), text];
    }));
  return make("figure", { test: "last-five" }, make("figcaption", {}, caption), svg);
}
