/* What the symbols of a face mean, for the sheet of rules. */

import { make } from "../dom.js";
import { drawText, makeDie, makeGlyph } from "../glyphs.js";
import { isAim, makeSign, makeStrokes } from "../faces/tables.js";
import { words } from "../words/words.js";

const text = words.legend;

const makeBadge = () => make("span", { className: "badge" }, "1");
const makeNow = () => make("b", { className: "now" }, "20");

/** @typedef {[symbol: Node | string, meaning: string]} Entry */

/** Returns what stands on the slate for marks. @param {number} need how many close a row @returns {Entry[]} */
const explainMarks = (need) => [
  ...(need === 3 ? text.strokes.map((meaning, at) => /** @type {Entry} */ ([makeStrokes(at + 1, need), meaning]))
    : need === 1 ? [/** @type {Entry} */ ([makeStrokes(1, need), text.hit])] : [/** @type {Entry} */ (["2", text.marks])]),
  [make("s", {}, "20"), text.closed],
];

/** Returns what the rounds ask for whose name on the sheet is short. @param {string[]} rows @returns {Entry[]} */
const explainRounds = (rows) => Object.entries(text.together).filter(([row]) => rows.includes(row))
  .map(([row, meaning]) => [words.short(row === "21" ? "bed_or_21" : row), meaning]);

/** By the face, what is drawn on it. @type {Record<string, (state: Oche.State) => Entry[]>} */
const FACES = {
  marks: ({ board }) => (board.closing == null ? explainMarks(board.need ?? 3) : [[make("s", {}, "20"), text.struck], ...(board.need > 1 ? [/** @type {Entry} */ (["●○○", text.marks])] : [])]),
  lives: () => [[makeGlyph("H"), text.life], [makeGlyph("H", "hollow"), text.gone], [words.ownSign, text.own]],
  track: ({ board }) => [[makeNow(), text.now], ...(board.caught ? [/** @type {Entry} */ ([makeGlyph("dart"), text.caught])] : [])],
  sheet: (state) => (isAim(state, state.board.rows?.[state.board.row]) ? [[makeNow(), text.now]] : []),
  halve_it: ({ board }) => [[makeNow(), text.now], ...explainRounds(board.rows ?? [])],
  grid: ({ board: { signs } }) => (signs ? signs.map((/** @type {string} */ name, /** @type {number} */ at) => [makeSign(name), text.owned(at + 1)]) : [[makeBadge(), text.owner]]),
  three_dice: () => [[makeDie(20), text.die]],
  dards: () => [[makeGlyph("clockwise"), text.red], [makeGlyph("anticlockwise"), text.black], ["×2", text.times], [words.wild, text.wild]],
  yatzy: () => [
    ...["i", "m", "o"].map((ring, at) => /** @type {Entry} */ ([words.rings[ring], text.rings[at]])), [makeGlyph("star"), text.star],
  ],
  ground_round: () => [
    ...Object.entries(text.glyphs).map(([name, meaning]) => /** @type {Entry} */ ([makeGlyph(name), meaning])),
    [makeGlyph("shield"), text.shield],
    [makeBadge(), text.owner],
  ],
};

/** Returns the symbols of the match on the page with their meanings. @param {Oche.State} state */
export function makeLegend(state) {
  const own = FACES[document.body.dataset.face ?? ""]?.(state) ?? [];
  /** @type {Entry[]} */
  const entries = [...own, ["–", text.nothing]];
  return make("ul", { className: "legend", test: "legend", ariaLabel: text.title },
    ...entries.map(([symbol, meaning]) => make("li", {}, make("span", { className: "symbol" }, ...(typeof symbol === "string" ? drawText(symbol) : [symbol])), meaning)));
}
