/* Symbols, suits and dice as drawings, for fonts differ from device to device. Each fits a square of 100 around the
   origin, y down, and is filled with the colour of the text around it. */

import { make, makeSvg, rebuild, setStyle } from "./dom.js";
import { words } from "./words/words.js";

const DART = "M-46 46L-12 2 -2 12ZM-15-1L13-29 29-13 1 15ZM16-32L20-48 34-42 28-28 42-34 48-20 32-16Z";
const MIRRORED = DART.replace(/(-?\d+)([ -]\d+)/g, (_, x, y) => `${-Number(x)} ${y}`);
const FIST = "M-34-4h12v-14a8 8 0 0 0-12 0ZM-19-4h15v-20a8 8 0 0 0-15 0ZM-1-4h15v-20a8 8 0 0 0-15 0Z"
  + "M17-4h15v-14a8 8 0 0 0-15 0ZM-34-1h44a8 8 0 0 1 0 17h-16v4h16a12 12 0 0 0 11-21h12v17q0 14-12 20v10h-42v-12"
  + "q-13-8-13-22Z";

/** @type {Record<string, string>} */
const GLYPHS = {
  flag: "M-30 48V-48h8v6q14-9 28-3t28 1V0q-14 4-28-2t-28 4V48Z",
  dart: DART,
  crossed_darts: DART + MIRRORED,
  tower: "M-34 46V32h8V-8h-10v-38h14v12h12v-12h20v12h12v-12h14v38h-10v40h8v14Z",
  pin: "M0 48L-5 6A27 27 0 1 1 5 6Z",
  fist: FIST,
  flaming_fist: `${FIST}M-40-14Q-50-38-32-50-30-38-22-34-18-46-4-52-4-42 4-34 10-44 22-48 20-38 28-32 32-38 34-46 `
    + "48-30 38-14V-20Q30-30 22-30 6-38-12-36-28-34-38-24Z",
  star: "M0-48L12-16 46-15 19 6 29 39 0 20-29 39-19 6-46-15-12-16Z",
  S: "M0-48C8-24 42-8 42 16A20 20 0 0 1 5 23Q7 38 18 46H-18Q-7 38-5 23A20 20 0 0 1-42 16C-42-8-8-24 0-48Z",
  H: "M0 44C-58 2-46-38-22-38-8-38 0-28 0-20 0-28 8-38 22-38 46-38 58 2 0 44Z",
  D: "M0-48L34 0 0 48-34 0Z",
  C: "M-16-6A21 21 0 1 1 16-6 21 21 0 1 1 5 22Q7 38 18 46H-18Q-7 38-5 22A21 21 0 1 1-16-6Z",
  shield: "M0 44C-27 30-36 13-36-27Q-19-27 0-40 19-27 36-27C36 13 27 30 0 44Z",
  crown: "M-50-30L-23 4 0-42 23 4 50-30 40 42H-40Z",
  chevrons: "M-46-40H-22L6 0-22 40H-46L-18 0ZM-4-40H20L48 0 20 40H-4L24 0Z",
  dot: "M-32 0A32 32 0 1 1 32 0 32 32 0 1 1-32 0Z",
  tick: "M-46 4L-32-10-12 10 32-36 46-22-12 38Z",
  plus: "M-9-40H9V-9H40V9H9V40H-9V9H-40V-9H-9Z",
  cross: "M-38-26L-26-38 0-12 26-38 38-26 12 0 38 26 26 38 0 12-26 38-38 26-12 0Z",
  erase: "M-50 0L-20-36H48V36H-20ZM2-20L-7-11 4 0-7 11 2 20 13 9 24 20 33 11 22 0 33-11 24-20 13-9Z",
  arrow_up: "M0-46L36-10 24 2 9-13V44H-9V-13L-24 2-36-10Z",
  arrow_right: "M46 0L10-36-2-24 13-9H-44V9H13L-2 24 10 36Z",
  clockwise: "M40 4A40 40 0 1 1 0-36V-50L34-28 0-6V-20A24 24 0 1 0 24 4Z",
  anticlockwise: "M-40 4A40 40 0 1 0 0-36V-50L-34-28 0-6V-20A24 24 0 1 1-24 4Z",
  rising: "M0-36L42 36H-42Z",
  falling: "M0 36L42-36H-42Z",
  steady: "M-40-10H40V10H-40Z",
};

/** @param {string} name */
export const hasGlyph = (name) => name in GLYPHS;

/** Returns a glyph for use inside a drawing: `size` wide, around (x, y).
    @param {string} name @param {number} x @param {number} y @param {number} size */
export const makeGlyphMark = (name, x, y, size, kind = "glyph") =>
  makeSvg("path", { d: GLYPHS[name], class: kind, transform: `translate(${x} ${y}) scale(${size / 100})` });

/** Returns a glyph as a picture of its own, as large as the text around it; `hollow` is its outline alone.
    @param {string} name @param {"" | "hollow"} [kind] */
export const makeGlyph = (name, kind = "") =>
  makeSvg("svg", { viewBox: "-50 -50 100 100", class: `glyph ${name}${kind && ` ${kind}`}`, "aria-hidden": "true" },
    makeSvg("path", { d: GLYPHS[name] }));

/** What is drawn where a text has these, and whether it is filled. @type {Record<string, [glyph: string, kind: string]>} */
const CHARACTERS = {
  "♥": ["H", ""], "♡": ["H", "hollow"], "●": ["dot", ""], "○": ["dot", "hollow"], "↻": ["clockwise", ""], "↺": ["anticlockwise", ""],
};

/** Returns symbols that stand together as one picture, with what they count as its name. @param {string} run */
function makeRun(run) {
  const each = [...run], full = run.match(/[♥●]/g)?.length ?? 0;
  const name = /[♥♡]/.test(run) ? words.lives(full) : /[●○]/.test(run) ? `${full}/${each.length}` : "";
  return makeSvg("svg", { viewBox: `-50 -50 ${100 * each.length} 100`, class: "glyph run", ...(name ? { role: "img" } : { "aria-hidden": "true" }) },
    ...(name ? [makeSvg("title", {}, name)] : []), ...each.map((symbol, at) => makeGlyphMark(CHARACTERS[symbol][0], 100 * at, 0, 100, CHARACTERS[symbol][1])));
}

/** Returns a text as nodes, its symbols drawn. @param {string} text */
export const drawText = (text) => text.split(/([♥♡]+|[●○]+|[↻↺])/).filter(Boolean).map((part) => (part[0] in CHARACTERS ? makeRun(part) : part));

/** Returns texts as elements of their own; a pair is a label and its value.
    @param {Oche.Short[]} texts @param {string} className */
export const makeSpans = (texts, className = "") => texts.map((text) => make("span", { className },
  ...(Array.isArray(text) ? [make("i", {}, text[0]), " ", make("b", {}, String(text[1]))] : drawText(text))));

/** Sets a text whose symbols are drawn, and how long it is, for the style sheet to fit it to its box.
    @param {HTMLElement} element @param {string} text */
export function setDrawnText(element, text) {
  rebuild(element, text, drawText);
  setStyle(element, "--chars", Math.max(1, [...text].length));
}

/** Returns a die of twenty sides, seen from above, with its number. @param {number} number */
export const makeDie = (number) =>
  makeSvg("svg", { viewBox: "-50 -50 100 100", class: "die", "aria-hidden": "true" },
    makeSvg("path", { d: "M0-48L42-24V24L0 48-42 24V-24Z", class: "rim" }),
    makeSvg("path", { d: "M0-48V-30M42-24L27 16M-42-24L-27 16M0 48L27 16M0 48L-27 16M42 24L27 16M-42 24L-27 16M42-24L0-30"
      + "L-42-24", class: "edge" }),
    makeSvg("path", { d: "M0-30L27 16H-27Z", class: "top" }),
    makeSvg("text", { y: 4, class: "pip" }, number));
