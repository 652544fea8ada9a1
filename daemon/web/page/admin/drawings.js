/* The drawings of the pages that set oche up, each a few shapes in the colours of the theme. */

import { makeSvg } from "../dom.js";
import { makeGlyphMark } from "../glyphs.js";

const BEDS = 20;

/** A dartboard around (x, y), with one bed lit where a board says its darts. @param {number} x @param {number} y
    @param {number} r @param {boolean} [isLit] */
function makeBoard(x, y, r, isLit) {
  /** @param {number} at its middle, and how wide it is, as parts of the board @param {number} width @param {string} colour @param {string} [beds] */
  const ring = (at, width, colour, beds = "") => makeSvg("circle", {
    r: r * at, fill: "none", stroke: `var(--${colour})`, "stroke-width": r * width, pathLength: BEDS, "stroke-dasharray": beds,
  });
  const turned = makeSvg("g", { transform: `translate(${x} ${y}) rotate(-99)` }, makeSvg("circle", { r, fill: "var(--surround)" }),
    ring(.4, .8, "light"), ring(.4, .8, "dark", "1 1"), ring(.77, .1, "green"), ring(.77, .1, "red", "1 1"), ring(.48, .1, "green"),
    ring(.48, .1, "red", "1 1"), ring(.08, .08, "green"), makeSvg("circle", { r: r * .05, fill: "var(--red)" }));
  if (isLit) turned.append(ring(.48, .16, "lit", "1 19"));
  return turned;
}

/** @param {string} d @param {string} colour @param {number} [width] */
const makeLine = (d, colour, width = 5) =>
  makeSvg("path", { d, fill: "none", stroke: `var(--${colour})`, "stroke-width": width, "stroke-linecap": "round" });

const makeScreen = () => [
  makeSvg("rect", { x: 8, y: 6, width: 104, height: 58, rx: 6, fill: "var(--raised)", stroke: "var(--edge)", "stroke-width": 3 }),
  makeLine("M44 74h32", "edge"),
];

/** @type {Record<string, () => Node[]>} */
const DRAWINGS = {
  electronic: () => [makeBoard(44, 40, 36, true), makeLine("M90 30a14 14 0 0 1 0 20M99 20a28 28 0 0 1 0 40", "gold")],
  typed: () => [
    makeBoard(38, 40, 36), makeGlyphMark("dart", 58, 24, 40, "thrown"),
    makeSvg("rect", { x: 82, y: 8, width: 34, height: 64, rx: 5, fill: "var(--raised)", stroke: "var(--edge)", "stroke-width": 3 }),
    makeSvg("text", { x: 99, y: 29, "text-anchor": "middle", "font-size": 18, "font-weight": 800, fill: "var(--gold)" }, "60"),
    makeLine("M91 42h0m8 0h0m8 0h0M91 52h0m8 0h0m8 0h0M91 62h0m8 0h0m8 0h0", "soft"),
  ],
  shown: () => [
    ...makeScreen(), makeBoard(60, 35, 25, true),
    makeSvg("path", { d: "M70 44l30 11-13 5-5 13Z", fill: "var(--gold)", stroke: "var(--panel)", "stroke-width": 3 }),
  ],
  locked: () => [makeLine("M44 36v-8a16 16 0 0 1 32 0v8", "edge", 7), makeSvg("rect", { x: 34, y: 36, width: 52, height: 38, rx: 6, fill: "var(--edge)" }),
    makeLine("M60 50v10", "panel", 6)],
  offline: () => [...makeScreen(), makeLine("M40 28a29 29 0 0 1 40 0M49 38a16 16 0 0 1 22 0M60 49h0", "soft"), makeLine("M38 54L82 18", "bad")],
};

/** @param {string} name */
export const makeDrawing = (name) => makeSvg("svg", { viewBox: "0 0 120 80", class: "drawing", "aria-hidden": "true" }, ...DRAWINGS[name]());
