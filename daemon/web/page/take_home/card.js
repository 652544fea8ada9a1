/* The picture of a match that players take home, drawn on this device: faces, score, the last visit on the board. */

import { Board } from "../board.js";
import { describeCard } from "./card_texts.js";
import { Drawing, makeUnseenSvg } from "./drawing.js";
import { read } from "../link.js";
import { readFace } from "./source.js";
import { importTexts } from "../words/words.js";

/** @typedef {{ x: number, y: number, width: number, height: number }} Box */
/** @typedef {import("./card_texts.js").CardTexts} CardTexts */
/** @typedef {Map<string, ImageBitmap | null>} Faces by the names of players */

/** @type {Oche.TakeHomeLanguage} */
export const texts = (await importTexts("take_home")).takeHome;

/** The sizes of a picture: for a phone, and for a screen. */
export const SIZES = { upright: { width: 1080, height: 1350 }, wide: { width: 1920, height: 1080 } };
const MARGIN = 64;
const BIG = 2; // sides that stand beside each other
const TALL = 200; // of a box in which a text stands below what it is
const MOST_MEMBERS = 3; // faces of a team

/** Draws a match, and says in the canvas' label all that is written on it.
    @param {HTMLCanvasElement} canvas @param {Oche.MatchReport} report @param {Oche.KnownPlayer[]} players
    @param {{ size?: "upright" | "wide", venue?: string, best?: string }} [how] @returns {Promise<void>} */
export async function drawCard(canvas, report, players, { size = "upright", venue = "", best = "" } = {}) {
  const told = describeCard(report, players, texts, venue, best);
  const [faces, board] = await Promise.all([readFaces(told, players), drawLastVisit(report, told)]);
  const { width, height } = SIZES[size];
  const drawing = new Drawing(canvas, width, height);
  const leader = told.sides.find(({ won }) => won) ?? told.sides[0];
  drawing.fillGround(drawing.palette.sides[leader.colour]);
  const isWide = size === "wide";
  const top = { x: MARGIN, y: MARGIN, width: width - 2 * MARGIN, height: 96 };
  drawHead(drawing, told, top);
  const body = { x: MARGIN, y: top.y + top.height + 24, width: top.width, height: height - 2 * MARGIN - top.height - 24 };
  const { figures, last, sides } = (isWide ? splitWide : splitUpright)(body, told, Boolean(board));
  if (told.isAlone) drawAlone(drawing, told, faces, sides);
  else if (told.sides.length <= BIG) drawTwo(drawing, told, faces, sides);
  else drawMany(drawing, told, faces, sides);
  if (board) drawLast(drawing, told, board, last);
  drawFigures(drawing, told, figures);
  board?.remove();
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", drawing.texts.join(". "));
}

/** How many lines the figures take. @param {CardTexts} told */
const countLines = ({ bestVisit, figures, sides }) => (sides.length <= BIG ? figures.length : 0) + Number(Boolean(bestVisit));

/** Returns the places of the sides, of the last visit and of the figures on a picture for a screen.
    @param {Box} box @param {CardTexts} told @param {boolean} hasBoard @returns {Record<"sides" | "last" | "figures", Box>} */
function splitWide({ x, y, width, height }, told, hasBoard) {
  const right = hasBoard ? width * 0.4 : 0, left = width - right - (hasBoard ? 40 : 0);
  const lines = countLines(told), lower = lines ? Math.min(height * 0.45, lines * 64 + 56) : 0;
  return {
    sides: { x, y, width: left, height: height - lower - (lower ? 24 : 0) },
    figures: { x, y: y + height - lower, width: left, height: lower },
    last: { x: x + width - right, y, width: right, height },
  };
}

/** Returns them for a picture on a phone. @param {Box} box @param {CardTexts} told @param {boolean} hasBoard
    @returns {Record<"sides" | "last" | "figures", Box>} */
function splitUpright({ x, y, width, height }, told, hasBoard) {
  const { length } = told.sides, hasMembers = told.sides.some(({ members }) => members);
  const upper = length > BIG ? Math.min(660, 8 + length * 112) : hasMembers ? 520 : 476;
  const lower = { x, y: y + upper + 24, width, height: height - upper - 24 };
  const left = !hasBoard ? 0 : countLines(told) ? width * 0.49 : width;
  return {
    sides: { x, y, width, height: upper },
    last: { ...lower, width: left },
    figures: { ...lower, x: x + left + (left ? 24 : 0), width: width - left - (left ? 24 : 0) },
  };
}

/** Reads the faces of all who play, at once. @param {CardTexts} told @param {Oche.KnownPlayer[]} players @returns {Promise<Faces>} */
async function readFaces({ sides }, players) {
  const known = new Map(players.map((player) => [player.name.toLowerCase(), player]));
  const names = sides.flatMap((side) => side.players.slice(0, MOST_MEMBERS));
  return new Map(await Promise.all(names.map(async (name) =>
    /** @type {[string, ImageBitmap | null]} */ ([name, await readFace(known.get(name.toLowerCase()))]))));
}

/** Returns the board with the darts of the last visit, in the document; null where there is nothing to show on it.
    @param {Oche.MatchReport} report @param {CardTexts} told */
async function drawLastVisit({ dartboard, layout: name }, { lastDarts }) {
  if (!lastDarts.length) return null;
  /** @type {Oche.Layout | null} */
  const layout = await read(`layout/${encodeURIComponent(dartboard ?? name)}`);
  if (!layout) return null;
  const svg = makeUnseenSvg();
  new Board(svg, layout).show([], lastDarts.map((segment, line) => ({ line, segment })));
  return svg;
}

/** The place and the game on the left, the day and how it ended on the right. @param {Drawing} drawing @param {CardTexts} told @param {Box} box */
function drawHead(drawing, { date, outcome, title, venue, wasStopped }, { x, y, width, height }) {
  const { palette } = drawing, half = width / 2 - 16;
  drawing.write(venue || title, x, y + 44, { size: 52, least: 34, width: half + 120, weight: 700 });
  drawing.write(venue ? title : date, x, y + 92, { size: 34, least: 26, width: half, colour: palette.soft });
  if (venue) drawing.write(date, x + width, y + 92, { size: 34, least: 24, width: half, colour: palette.soft, align: "right" });
  drawing.write(outcome, x + width, y + 44, { size: 44, least: 28, width: half - 120, weight: 700, colour: wasStopped ? palette.soft : palette.gold, align: "right" });
  drawing.rule(x, y + height + 8, x + width, y + height + 8);
}

/** Two sides, their faces with the score between. @param {Drawing} drawing @param {CardTexts} told @param {Faces} faces @param {Box} box */
function drawTwo(drawing, { scoreOf, sides }, faces, { x, y, width, height }) {
  const { palette } = drawing;
  const radius = Math.min(width * 0.15, (height - 150) / 2.3), middle = x + width / 2;
  const between = width * 0.24 - 20;
  sides.forEach((side, index) => {
    const centre = x + width * (index ? 0.81 : 0.19), line = y + radius + 40;
    const colour = palette.sides[side.colour];
    if (side.won) drawing.fillBox(centre - width * 0.19, y, width * 0.38, height, colour, 0.14, 36);
    drawTeam(drawing, side, faces, centre, line, radius);
    const below = line + radius + 76;
    drawing.write(side.name, centre, below, { size: 60, least: 34, width: width * 0.36, weight: 700, colour, align: "center" });
    drawing.write(side.members, centre, below + 46, { size: 30, least: 24, width: width * 0.36, colour: palette.soft, align: "center" });
  });
  const score = sides.map((side) => side.score).join("\u2009:\u2009");
  drawing.write(score, middle, y + radius + 40 + 46, { size: 132, least: 40, width: between, weight: 700, align: "center" });
  drawing.write(scoreOf, middle, y + radius + 40 + 100, { size: 32, least: 24, width: between, colour: palette.soft, align: "center" });
}

/** The face of a side, or those of a team beside each other. @param {Drawing} drawing @param {CardTexts["sides"][0]} side @param {Faces} faces
    @param {number} x @param {number} y @param {number} radius */
function drawTeam(drawing, { colour, players }, faces, x, y, radius) {
  const shown = players.slice(0, MOST_MEMBERS), each = shown.length > 1 ? radius * 0.62 : radius;
  shown.forEach((name, index) => {
    const from = x - (shown.length - 1) * each * 0.75;
    drawing.drawFace(faces.get(name) ?? null, name, from + index * each * 1.5, y, each, drawing.palette.sides[colour]);
  });
}

/** Three sides and more, a line each, those who have won first. @param {Drawing} drawing @param {CardTexts} told @param {Faces} faces @param {Box} box */
function drawMany(drawing, { figures, sides }, faces, { x, y, width, height }) {
  const { palette } = drawing, step = Math.min(124, height / sides.length), radius = step * 0.36;
  const figure = figures[0] ?? "";
  sides.toSorted((one, other) => Number(other.won) - Number(one.won)).forEach((side, place) => {
    const top = y + place * step, line = top + step / 2, colour = palette.sides[side.colour];
    drawing.fillBox(x, top + 4, width, step - 8, side.won ? colour : palette.panel, side.won ? 0.2 : 0.7, 22);
    drawing.drawFace(faces.get(side.players[0]) ?? null, side.name, x + radius + 24, line, radius, colour);
    const left = x + 2 * radius + 56, end = x + width - 32;
    const score = drawing.write(side.score, end, line + step * 0.16, { size: step * 0.5, weight: 700, align: "right" });
    const room = end - score - left - 24;
    const value = side.figures.get(figure);
    const told = value ? drawing.write(`${figure} ${value}`, end - score - 32, line + step * 0.12, { size: step * 0.26, least: 20, width: room * 0.45, colour: palette.soft, align: "right" }) : 0;
    const name = { size: step * 0.4, least: 26, width: room - told - 32, weight: 700, colour };
    drawing.write(side.name, left, line + (side.members ? 0 : step * 0.14), name);
    drawing.write(side.members, left, line + step * 0.28, { size: step * 0.22, least: 18, width: name.width, colour: palette.soft });
  });
}

/** Practice alone: the face, the result, and the best so far. @param {Drawing} drawing @param {CardTexts} told @param {Faces} faces @param {Box} box */
function drawAlone(drawing, { best, scoreOf, sides: [side] }, faces, { x, y, width, height }) {
  const { palette } = drawing, radius = Math.min(width * 0.2, height * 0.34), colour = palette.sides[side.colour];
  drawTeam(drawing, side, faces, x + width * 0.26, y + radius + 40, radius);
  drawing.write(side.name, x + width * 0.26, y + 2 * radius + 128, { size: 60, least: 34, width: width * 0.48, weight: 700, colour, align: "center" });
  const middle = x + width * 0.75;
  drawing.write(side.score, middle, y + radius + 80, { size: 200, least: 70, width: width * 0.44, weight: 700, align: "center" });
  drawing.write(scoreOf, middle, y + radius + 136, { size: 36, least: 26, width: width * 0.44, colour: palette.soft, align: "center" });
  drawing.write(best, middle, y + radius + 200, { size: 44, least: 28, width: width * 0.46, weight: 700, colour: palette.gold, align: "center" });
}

/** The last visit on its board, and in words below it, or beside it where that leaves more room. @param {Drawing} drawing
    @param {CardTexts} told @param {SVGSVGElement} board @param {Box} box */
function drawLast(drawing, { last, lastPlayer, lastSide, sides }, board, { x, y, width, height }) {
  const { palette } = drawing, isBeside = width > 1.5 * height;
  drawing.fillBox(x, y, width, height, palette.panel, 0.75, 36);
  const size = isBeside ? height - 48 : Math.min(width - 48, height - 148);
  const middle = isBeside ? y + height / 2 : y + (height - 124) / 2;
  const centre = isBeside ? x + 32 + size / 2 : x + width / 2;
  drawing.drawBoard(board, centre, middle, size);
  const [textX, line, room] = isBeside ? [(x + 32 + size + x + width) / 2, middle - 16, width - size - 96] : [centre, y + height - 84, width - 40];
  drawing.write(`${texts.lastVisit} · ${lastPlayer}`, textX, line, { size: 28, least: 22, width: room, colour: palette.soft, align: "center" });
  drawing.write(last, textX, line + 52, { size: 44, least: 22, width: room, weight: 700, align: "center", colour: palette.sides[sides[lastSide].colour] });
}

/** The figures of one or two sides, and the best visit; of more sides only that. @param {Drawing} drawing @param {CardTexts} told @param {Box} box */
function drawFigures(drawing, told, box) {
  const { bestVisit, figures, sides } = told, { palette } = drawing;
  const shown = sides.length <= BIG ? figures : [], lines = countLines(told);
  if (!lines) return;
  drawing.fillBox(box.x, box.y, box.width, box.height, palette.panel, 0.75, 36);
  const x = box.x + 28, y = box.y + 16, width = box.width - 56, height = box.height - 32;
  const step = Math.min(92, height / lines), small = Math.min(28, step * 0.42), large = Math.min(44, step * 0.56);
  const top = y + Math.max(0, (height - lines * step) / 2);
  const write = (/** @type {number} */ place, /** @type {string} */ label, /** @type {[string, string][]} */ values) => {
    const line = top + place * step + step * 0.62, room = width * (values.length > 1 ? 0.29 : 0.5);
    if (place) drawing.rule(x, top + place * step, x + width, top + place * step);
    const isAlone = values.length === 1;
    drawing.write(label, isAlone ? x : x + width / 2, line, { size: small, least: 18, width: width * (isAlone ? 0.46 : 0.4), colour: palette.soft, align: isAlone ? "left" : "center" });
    values.forEach(([text, colour], index) => drawing.write(text, index || isAlone ? x + width : x, line,
      { size: large, least: 20, width: room, weight: 700, colour, align: index || isAlone ? "right" : "left" }));
  };
  shown.forEach((label, place) => write(place, label, sides.map((side) => [side.figures.get(label) ?? "–", palette.sides[side.colour]])));
  if (!bestVisit) return;
  if (shown.length || box.height < TALL) return write(shown.length, texts.bestVisit, [[bestVisit, palette.text]]);
  drawing.write(texts.bestVisit, x + width / 2, y + height / 2 - 28, { size: 32, least: 24, width, colour: palette.soft, align: "center" });
  drawing.write(bestVisit, x + width / 2, y + height / 2 + 36, { size: 52, least: 24, width, weight: 700, align: "center" });
}
