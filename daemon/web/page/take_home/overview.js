/* The evening, or the week, as a picture in two sizes: who played, the results, the records. */

import { SIZES, texts } from "./card.js";
import { Drawing } from "./drawing.js";
import { listSides, sayFirsts, sayRecords } from "./evening.js";
import { readFace } from "./source.js";
import { history, words } from "../words/words.js";

const MARGIN = 64;
const GAP = 56; // between the columns of a wide picture
const MOST_FACES = 8;
const A_ROW = 4;
const MOST_MATCHES = { upright: 8, wide: 13 };
const MOST_LINES = 4;

/** Draws it. @param {HTMLCanvasElement} canvas @param {Oche.Evening} evening @param {Map<string, Oche.KnownPlayer>} profiles
    @param {{ title: string, when: string, size: keyof typeof SIZES }} how */
export async function drawOverview(canvas, evening, profiles, { title, when, size }) {
  const { width, height } = SIZES[size], inner = width - 2 * MARGIN, isWide = size === "wide";
  const column = isWide ? (inner - GAP) / 2 : inner, right = isWide ? MARGIN + column + GAP : MARGIN;
  const shown = evening.players.slice(0, MOST_FACES);
  const faces = await Promise.all(shown.map(({ name }) => readFace(profiles.get(name.toLowerCase()))));
  const drawing = new Drawing(canvas, width, height), { palette } = drawing;
  drawing.fillGround(palette.sides[profiles.get(shown[0]?.name.toLowerCase() ?? "")?.colour ?? 0]);
  drawing.write(title, MARGIN, MARGIN + 48, { size: 60, least: 36, width: inner, weight: 700 });
  drawing.write(when, MARGIN, MARGIN + 100, { size: 36, least: 24, width: inner, colour: palette.soft });
  drawing.rule(MARGIN, MARGIN + 124, width - MARGIN, MARGIN + 124);
  const top = MARGIN + 156;
  shown.forEach(({ matches, name, won }, index) => {
    const inRow = Math.min(A_ROW, shown.length - A_ROW * Math.floor(index / A_ROW));
    const step = column / inRow, x = MARGIN + step * (index % A_ROW + 0.5), y = top + Math.floor(index / A_ROW) * 216;
    const colour = palette.sides[profiles.get(name.toLowerCase())?.colour ?? index % 8];
    drawing.drawFace(faces[index], name, x, y + 60, 58, colour);
    drawing.write(name, x, y + 158, { size: 32, least: 22, width: step - 16, weight: 700, colour, align: "center" });
    drawing.write(texts.ofMatches(history.number(won), history.number(matches)), x, y + 188, { size: 22, least: 16, width: step - 12, colour: palette.soft, align: "center" });
  });
  const below = top + Math.ceil(shown.length / A_ROW) * 216 + 16;
  const end = drawMatches(drawing, evening.matches.slice(-MOST_MATCHES[size]), right, isWide ? top : below, column);
  drawRecords(drawing, evening, MARGIN, isWide ? below : end, column);
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", drawing.texts.join(". "));
}

/** Draws these results; returns where they end. @param {Drawing} drawing @param {Oche.EveningMatch[]} matches
    @param {number} x @param {number} y @param {number} width */
function drawMatches(drawing, matches, x, y, width) {
  const { palette } = drawing, step = 56;
  drawing.fillBox(x, y, width, matches.length * step + 20, palette.panel, 0.75);
  matches.forEach((match, place) => {
    const line = y + 10 + place * step + 38, sides = listSides(match);
    const text = sides.map(({ name, score }) => [name, score].filter(Boolean).join(" ")).join("  :  ");
    const title = drawing.write(words.title(match.result.title), x + width - 28, line, { size: 26, least: 18, width: 260, colour: palette.soft, align: "right" });
    drawing.write(text, x + 28, line, { size: 32, least: 22, width: width - title - 90, weight: 700 });
  });
  return y + matches.length * step + 44;
}

/** Draws the records, and what was done for the first time, as far as there is room. @param {Drawing} drawing
    @param {Oche.Evening} evening @param {number} x @param {number} y @param {number} width */
function drawRecords(drawing, evening, x, y, width) {
  const { palette } = drawing, step = 52;
  const room = Math.min(2 * MOST_LINES, Math.floor((drawing.height - MARGIN - y) / step));
  /** @type {[string, string][]} */
  const lines = [...sayRecords(evening).slice(0, MOST_LINES), .../** @type {[string, string][]} */ (sayFirsts(evening).slice(0, MOST_LINES).map((text) => ["", text]))];
  lines.slice(0, Math.max(0, room)).forEach(([label, text], place) => {
    const line = y + place * step + 36;
    const labelled = drawing.write(label, x, line, { size: 28, least: 20, width: 400, colour: palette.soft });
    drawing.write(text, x + width, line, { size: 32, least: 22, width: width - labelled - 32, weight: 700, colour: label ? palette.gold : palette.text, align: "right" });
  });
}
