/* The evening, or the week, as one picture: who played, the results, the records. */

import { texts } from "./card.js";
import { Drawing } from "./drawing.js";
import { listSides, sayFirsts, sayRecords } from "./evening.js";
import { readFace } from "./source.js";
import { history, words } from "../words/words.js";

const [WIDTH, HIGH, MARGIN] = [1080, 1350, 64];
const MOST_FACES = 8;
const A_ROW = 4;
const MOST_MATCHES = 8;
const MOST_LINES = 4;

/** Draws it. @param {HTMLCanvasElement} canvas @param {Oche.Evening} evening @param {Map<string, Oche.KnownPlayer>} profiles
    @param {{ title: string, when: string }} how */
export async function drawOverview(canvas, evening, profiles, { title, when }) {
  const shown = evening.players.slice(0, MOST_FACES);
  const faces = await Promise.all(shown.map(({ name }) => readFace(profiles.get(name.toLowerCase()))));
  const drawing = new Drawing(canvas, WIDTH, HIGH), { palette } = drawing;
  drawing.fillGround(palette.sides[profiles.get(shown[0]?.name.toLowerCase() ?? "")?.colour ?? 0]);
  drawing.write(title, MARGIN, MARGIN + 48, { size: 60, least: 36, width: WIDTH - 2 * MARGIN, weight: 700 });
  drawing.write(when, MARGIN, MARGIN + 100, { size: 36, least: 24, width: WIDTH - 2 * MARGIN, colour: palette.soft });
  drawing.rule(MARGIN, MARGIN + 124, WIDTH - MARGIN, MARGIN + 124);
  let y = MARGIN + 156;
  shown.forEach(({ matches, name, won }, index) => {
    const inRow = Math.min(A_ROW, shown.length - A_ROW * Math.floor(index / A_ROW)), column = index % A_ROW;
    const step = (WIDTH - 2 * MARGIN) / inRow, x = MARGIN + step * (column + 0.5), top = y + Math.floor(index / A_ROW) * 216;
    const colour = palette.sides[profiles.get(name.toLowerCase())?.colour ?? index % 8];
    drawing.drawFace(faces[index], name, x, top + 60, 58, colour);
    drawing.write(name, x, top + 158, { size: 32, least: 22, width: step - 16, weight: 700, colour, align: "center" });
    drawing.write(texts.ofMatches(history.number(won), history.number(matches)), x, top + 188, { size: 22, least: 16, width: step - 12, colour: palette.soft, align: "center" });
  });
  y += Math.ceil(shown.length / A_ROW) * 216 + 16;
  y = drawMatches(drawing, evening, y);
  drawRecords(drawing, evening, y);
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", drawing.texts.join(". "));
}

/** Draws the latest results; returns where they end. @param {Drawing} drawing @param {Oche.Evening} evening @param {number} y */
function drawMatches(drawing, { matches }, y) {
  const { palette } = drawing, latest = matches.slice(-MOST_MATCHES), step = 56;
  drawing.fillBox(MARGIN, y, WIDTH - 2 * MARGIN, latest.length * step + 20, palette.panel, 0.75);
  latest.forEach((match, place) => {
    const line = y + 10 + place * step + 38, sides = listSides(match);
    const text = sides.map(({ name, score }) => [name, score].filter(Boolean).join(" ")).join("  :  ");
    const width = drawing.write(words.title(match.result.title), WIDTH - MARGIN - 28, line, { size: 26, least: 18, width: 260, colour: palette.soft, align: "right" });
    drawing.write(text, MARGIN + 28, line, { size: 32, least: 22, width: WIDTH - 2 * MARGIN - width - 90, weight: 700 });
  });
  return y + latest.length * step + 44;
}

/** Draws the records, and what was done for the first time, as far as there is room. @param {Drawing} drawing @param {Oche.Evening} evening @param {number} y */
function drawRecords(drawing, evening, y) {
  const { palette } = drawing, step = 52;
  const room = Math.min(2 * MOST_LINES, Math.floor((HIGH - MARGIN - y) / step));
  /** @type {[string, string][]} */
  const lines = [...sayRecords(evening).slice(0, MOST_LINES), .../** @type {[string, string][]} */ (sayFirsts(evening).slice(0, MOST_LINES).map((text) => ["", text]))];
  lines.slice(0, Math.max(0, room)).forEach(([label, text], place) => {
    const line = y + place * step + 36;
    const width = drawing.write(label, MARGIN, line, { size: 28, least: 20, width: 400, colour: palette.soft });
    drawing.write(text, WIDTH - MARGIN, line, { size: 32, least: 22, width: WIDTH - 2 * MARGIN - width - 32, weight: 700, colour: label ? palette.gold : palette.text, align: "right" });
  });
}
