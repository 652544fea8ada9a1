/* Where the darts landed whose points a board has measured: a map of them over the board, and in words how they scatter. */

import { Board } from "../board.js";
import { $, make, makeSvg } from "../dom.js";
import { texts } from "./history_parts.js";
import { read } from "../link.js";
import { loadSheet } from "../parts.js";
import { history as words, words as spoken } from "../words/words.js";

const BEDS = 5; // as many as are read
const { points: text } = texts;

/** Shows them in the section of the heat, above the map by beds; that goes if it has no more darts.
    @param {Oche.GameReport} report @param {Oche.MeasuredPoints} measured */
export async function showPoints({ face, figures: { hits } }, measured) {
  const svg = makeSvg("svg", { class: "landed", "aria-hidden": "true" });
  await loadSheet("static/history/points.css");
  /** @type {Oche.Layout | null} */
  const layout = await read(`layout/${encodeURIComponent(face)}`);
  if (layout) draw(new Board(svg, layout), measured);
  $("map").before(svg, make("ul", { className: "landed", test: "points" }, ...describe(measured).map((line) => make("li", {}, line))));
  if (measured.scatter) $("map").before(make("p", { className: "aside" }, text.about));
  $("map").style.display = Object.values(hits).reduce((sum, n) => sum + n, 0) > measured.darts ? "" : "none";
}

/** @param {Board} board @param {Oche.MeasuredPoints} measured */
function draw(board, { cells, cell_mm: mm }) {
  const size = 10 * mm, most = Math.max(...Object.values(cells));
  board.marks.append(...Object.entries(cells).map(([cell, n]) => {
    const [column, row] = cell.split(",").map(Number);
    // The root, so that squares with few darts are seen at all.
    return makeSvg("rect", { x: (column - 0.5) * size, y: (-row - 0.5) * size, width: size, height: size, opacity: Math.sqrt(n / most) });
  }));
}

/** Returns what is said of them, a line each. @param {Oche.MeasuredPoints} measured */
function describe({ aimed, beds, darts, grouping_mm: grouping, scatter }) {
  const lines = [text.darts(spoken.darts(darts))];
  if (!scatter) return [...lines, text.few(words.number(aimed))];
  const listed = Object.entries(beds).slice(0, BEDS);
  for (const [bed, each] of listed) lines.push(say(text.bed(spoken.segment(bed)), each));
  if (listed.length !== 1 || listed[0][1].darts < aimed) lines.push(say(text.all, scatter));
  return grouping === null ? lines : [...lines, text.grouping(mm(grouping))];
}

const mm = (/** @type {number} */ value) => words.number(Math.round(Math.abs(value)));

/** @param {string} which @param {Oche.Scatter} scatter */
function say(which, { darts, deviation_mm: deviation, right_mm: right, up_mm: up }) {
  const ways = [[right, text.right, text.left], [up, text.high, text.low]].flatMap(([by, plus, minus]) => {
    const name = /** @type {(mm: string) => string} */ (Number(by) > 0 ? plus : minus);
    return Math.round(Math.abs(Number(by))) ? [name(mm(Number(by)))] : [];
  });
  return text.lands(which, ways.length ? ways.join(text.and) : text.middle, mm(deviation), spoken.darts(darts));
}
