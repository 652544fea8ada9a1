/* What the views of a match have in common: its sides, the darts of the visit, and what only one game draws. Nothing here
   knows a game by name, and nothing can be pressed. */

import { keepChildren, make, makeSvg, setFittedText, setSideColour, setStyle, setText } from "../dom.js";
import { makeGlyph } from "../glyphs.js";
import { store } from "../store.js";
import { describeVisit, describeWorth, isAhead, isNext, nameDart, readWay, sayUnit } from "../wall/describe.js";
import { isTyped } from "../wall/tap.js";
import { hasSplitSingles } from "../words/naming.js";
import { sayQuestion } from "../words/tasks.js";
import { words } from "../words/words.js";

const MOST_NAMED = 8; // targets that are read; of more the board tells

/** Whether there is a match, and it is not over. @param {Oche.State} state */
export const isOn = ({ phase, sides }) => phase !== "over" && sides.length > 0;

/** Returns what stands large for a side: its score, or what its face has in that place.
    @param {Oche.State} state @param {number} index */
export const readScore = (state, index, face = store.face) => String(face.points?.(state, index) ?? state.sides[index].score);

/** Returns what that counts; "" where it says so itself. @param {Oche.State} state @param {number} index */
export const readUnit = (state, index, face = store.face) =>
  face.unit?.(state, index) ?? (face.points?.(state, index) == null ? sayUnit(state, state.sides[index]) : "");

/** Returns the signs that a side has: it leads, or throws next. @param {Oche.State} state @param {number} index */
export const makeSigns = (state, index) =>
  /** @type {[boolean, string, string][]} */ ([[isAhead(state, index), words.leads, "crown"], [isNext(state, index), words.throwsNext, "chevrons"]])
    .filter(([isSo]) => isSo).map(([, label, glyph]) => make("i", { className: "sign", role: "img", ariaLabel: label, title: label }, makeGlyph(glyph)));

/** Puts a state of a side on its element: whose turn it is, who has won, who is out.
    @param {HTMLElement} element @param {Oche.State} state @param {number} index */
export function markSide(element, state, index) {
  const { sides, turn, winners } = state;
  const is = { up: isOn(state) && turn.side === index, won: winners.includes(index), out: sides[index].out };
  for (const [what, so] of Object.entries(is)) element.classList.toggle(what, so);
  element.ariaCurrent = is.up ? "true" : null;
  setSideColour(element, index);
}

export const makeDarts = () => make("ol", { className: "thrown-darts", ariaLabel: words.labels.darts, test: "darts" });

/** Shows the darts of the visit, and places for those that are left, each with the way out.
    @param {HTMLElement} list @param {Oche.State} state */
export function renderDarts(list, state) {
  const { phase, turn } = state;
  const count = turn.darts.length + (isTyped(state) ? 0 : turn.darts_left);
  const way = phase === "throwing" ? readWay(state) : [];
  setStyle(list, "--slots", Math.max(3, count));
  keepChildren(list, count, () => make("li", {}, make("b"), make("small"))).forEach((item, index) => {
    const dart = turn.darts[index];
    const [name, note] = /** @type {Iterable<HTMLElement>} */ (item.children);
    const worth = dart ? describeWorth(dart, index, state) : "";
    const advised = dart ? undefined : way[index - turn.darts.length];
    setFittedText(name, dart ? nameDart(dart, hasSplitSingles(state)) : advised ? words.segment(advised) : "·");
    setText(note, String(worth) === name.textContent ? "" : worth);
    item.classList.toggle("thrown", Boolean(dart));
    item.classList.toggle("advised", Boolean(advised));
    item.classList.toggle("nothing", worth === 0 || worth === "–");
  });
}

/** @param {HTMLElement} element @param {Oche.State} state */
export function renderSum(element, state) {
  const { text, isLoss } = describeVisit(state);
  setFittedText(element, state.turn.darts.length || isLoss ? text : "");
  element.classList.toggle("bust", isLoss);
}

/** Returns what to aim at now: what that is called, and the beds. @param {Oche.State} state @returns {[label: string, items: string[]]} */
export function describeAim(state) {
  const { advice, hint, phase, routes, targets } = state;
  if (advice) return [words.purposes[advice.purpose], [words.segment(advice.segment)]];
  if (phase !== "throwing") return ["", []];
  if (hint.length) return [routes?.length ? words.hint : words.target, hint.map((each) => words.segment(each))];
  const named = store.face.aims?.(state) ?? targets;
  return [words.target, named.length > MOST_NAMED ? [] : named.map(words.targetName)];
}

/** Returns the question that has to be answered before anything else; "" if there is none. @param {Oche.State} state */
export function describeQuestion({ game, prompts }) {
  const asked = prompts.find(({ blocking }) => blocking);
  return asked ? words.first(sayQuestion(asked, game)) : "";
}

/** Makes the places of what only one game draws: its panel, its sheet, and its board. */
export function makeOwn() {
  const panel = make("div", { id: "panel", test: "panel" });
  const sheet = make("ol", { id: "sheet", ariaLabel: words.labels.sheet, test: "sheet" });
  const board = make("div", { className: "own-board" });
  const svg = makeSvg("svg", { id: "board", role: "img" });
  board.append(svg);
  return { element: make("div", { className: "gamebox" }, panel, sheet, board), panel, sheet, board, svg };
}

/** Shows what only this game draws. Its figures are left out, which the sides have, too.
    @param {ReturnType<typeof makeOwn>} own @param {Oche.State} state @param {{ hasGame: boolean, hasBoard: boolean }} what */
export function renderOwn({ element, panel, sheet, board: place, svg }, state, { hasGame, hasBoard }) {
  const { board, face } = store;
  if (!board) return;
  element.dataset.face = board.layout.face ?? "";
  const on = isOn(state);
  if (on && hasGame) face.panel?.(panel, state, board);
  panel.hidden = !on || !hasGame || !face.panel || Boolean(panel.querySelector(":scope > .figures")) || !panel.childElementCount;
  sheet.hidden = !state.sides.length || !hasGame || !face.sheet;
  if (!sheet.hidden) face.sheet?.(sheet, state);
  place.hidden = !state.sides.length || !hasBoard;
  if (!place.hidden) {
    const targets = state.phase === "throwing" ? state.targets : [];
    board.show(targets, state.turn.darts, new Map(), [], readWay(state).slice(1), state.advice ? [state.advice.segment] : []);
    svg.ariaLabel = words.boardLabel(targets.map(words.targetName));
    face.map?.(state, board);
  }
  element.hidden = panel.hidden && sheet.hidden && place.hidden;
}

