/* What the statistics draw of one game alone: the results of an exercise over time, as a picture and as a table, and the
   doubles on the board. Higher in the picture is better, also where the lower result is. */

import { Board } from "../board.js";
import { $, make, makeSvg } from "../dom.js";
import { linkHere } from "./history_links.js";
import { fillTable, texts } from "./history_parts.js";
import { read } from "../link.js";
import { loadSheet } from "../parts.js";
import { history as words, words as spoken } from "../words/words.js";

const [WIDE, HIGH, LEFT, PAD, FOOT] = [600, 220, 66, 22, 46]; // the drawing; below FOOT are the days
const NEWEST = 12; // lines of the table, as many as a phone likes to scroll

/** Shows what a player has come to in one exercise. @param {Oche.GameReport} report */
export async function showResults({ best, better, results = [] }) {
  if (!better || !best || !results.length) return;
  const title = texts.results(texts.better[better]);
  const newest = results.slice(-NEWEST).reverse();
  const listed = newest.some(({ match }) => match === best.match) ? newest : [...newest, best];
  const table = make("table");
  fillTable(table, title, texts.resultColumns, listed.map((each) => [
    make("a", { href: linkHere({ player: null, game: null, match: each.match }) }, words.day(each.at)),
    words.number(each.value), each.match === best.match ? texts.isBest : each.is_best ? texts.newBest : "",
  ]));
  await loadSheet("static/history/results.css");
  $("trend").before(make("section", { id: "results", test: "results" }, make("h2", {}, title), draw(results, best, better), table));
}

/** @param {Oche.Result[]} results @param {Oche.Result} best @param {"high" | "low"} better */
function draw(results, best, better) {
  const values = [...results, best].map(({ value }) => value), [low, high] = [Math.min(...values), Math.max(...values)];
  const times = results.map(({ at }) => Date.parse(at)), [first, last] = [Math.min(...times), Math.max(...times)];
  const x = (/** @type {number} */ time) => LEFT + (last > first ? (time - first) / (last - first) : 0.5) * (WIDE - LEFT - PAD);
  const y = (/** @type {number} */ value) => {
    const share = high > low ? (value - low) / (high - low) : 0.5;
    return PAD + (better === "high" ? 1 - share : share) * (HIGH - FOOT - PAD);
  };
  const levels = high > low ? [low, high] : [low];
  const days = last > first ? [first, last] : [first];
  const ends = ["start", "end"];
  const places = results.map(({ value }, place) => `${x(times[place])},${y(value)}`);
  const svg = makeSvg("svg", {
    class: "drawing", role: "img", viewBox: `0 0 ${WIDE} ${HIGH}`,
    "aria-label": texts.resultsLabel(results[0].value, results[results.length - 1].value, results.length, best.value, words.day(best.at)),
  });
  svg.append(
    ...levels.flatMap((level) => [
      makeSvg("line", { x1: LEFT, x2: WIDE - PAD, y1: y(level), y2: y(level) }),
      makeSvg("text", { x: 6, y: y(level) }, words.number(level)),
    ]),
    ...days.map((time, place) => makeSvg("text", { x: x(time), y: HIGH - 8, class: days.length > 1 ? ends[place] : "middle" },
      words.day(new Date(time).toISOString()))),
    makeSvg("polyline", { points: places.join(" ") }),
    ...results.map(({ at, match, value }, place) => {
      const isBest = match === best.match;
      return makeSvg("circle", { cx: x(times[place]), cy: y(value), r: isBest ? 9 : 5, class: isBest ? "best" : "" },
        makeSvg("title", {}, `${words.day(at)}${spoken.colon}${words.number(value)}${isBest ? ` (${texts.isBest})` : ""}`));
    }));
  return svg;
}

/** Colours the doubles by how often they were hit; how often of how many is said among the figures.
    @param {Oche.GameReport} report */
export async function showDoubles({ face, figures: { targets } }) {
  const svg = makeSvg("svg", { "aria-hidden": "true" });
  $("doubles").replaceChildren(make("h2", {}, texts.rates), svg, make("p", { className: "aside" }, texts.ratesBy));
  $("doubles").hidden = false;
  /** @type {Oche.Layout | null} */
  const layout = await read(`layout/${encodeURIComponent(face)}`);
  const board = layout && new Board(svg, layout);
  for (const [bed, [hit, of]] of Object.entries(targets)) {
    const area = board?.paths.get(bed);
    area?.classList.add("rated");
    area?.style.setProperty("--rate", String(hit / of));
    area?.append(makeSvg("title", {}, `${spoken.segment(bed)}${spoken.colon}${words.pair(hit, of)}`));
  }
}
