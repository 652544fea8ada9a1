/* Symbols, suits and dice as drawings, for fonts differ from device to device. Each fits a square of 100 around the
   origin, y down. */

import { makeSvg } from "./dom.js";

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
};

/** @param {string} name */
export const hasGlyph = (name) => name in GLYPHS;

/** Returns a glyph for use inside a drawing: `size` wide, around (x, y).
    @param {string} name @param {number} x @param {number} y @param {number} size */
export const makeGlyphMark = (name, x, y, size, kind = "glyph") =>
  makeSvg("path", { d: GLYPHS[name], class: kind, transform: `translate(${x} ${y}) scale(${size / 100})` });

/** Returns a glyph as a picture of its own, as large as the text around it. @param {string} name */
export const makeGlyph = (name) =>
  makeSvg("svg", { viewBox: "-50 -50 100 100", class: `glyph ${name}`, "aria-hidden": "true" },
    makeSvg("path", { d: GLYPHS[name] }));

export const SHIELD = "M0 26C-16 18-21 8-21-16Q-11-16 0-24 11-16 21-16C21 8 16 18 0 26Z";

/** Returns the shield of a defense as a picture of its own. */
export const makeShield = () =>
  makeSvg("svg", { viewBox: "-30 -30 60 60", class: "glyph", "aria-hidden": "true" }, makeSvg("path", { d: SHIELD }));

/** Returns a die of twenty sides, seen from above, with its number. @param {number} number */
export const makeDie = (number) =>
  makeSvg("svg", { viewBox: "-50 -50 100 100", class: "die", "aria-hidden": "true" },
    makeSvg("path", { d: "M0-48L42-24V24L0 48-42 24V-24Z", class: "rim" }),
    makeSvg("path", { d: "M0-48V-30M42-24L27 16M-42-24L-27 16M0 48L27 16M0 48L-27 16M42 24L27 16M-42 24L-27 16M42-24L0-30"
      + "L-42-24", class: "edge" }),
    makeSvg("path", { d: "M0-30L27 16H-27Z", class: "top" }),
    makeSvg("text", { y: 4, class: "pip" }, number));
