/* Dards: the card on the pile and the number it leads to; on a seat's own phone the hand, which answers by touch. */

import { makeCard } from "./cards.js";
import { sendAnswer } from "../commands.js";
import { make, rebuild } from "../dom.js";
import { drawText } from "../glyphs.js";
import { store } from "../store.js";
import { sayQuestion } from "../words/tasks.js";
import { words } from "../words/words.js";

/** What a dart brings. @param {Oche.Dart} dart @param {Oche.State} state @param {import("../board.js").Board} board */
const countGain = (dart, state, board) =>
  (board.counts(dart.segment, state.targets) ? dart.points * (state.board.multiplier ?? 1) : 0);

/** Says where the card led from. @param {number} target @param {number} pace @param {import("../board.js").Board} board */
function sayWay(target, pace, board) {
  const around = [...board.numbers.keys()]; // clockwise
  const from = around.at((around.indexOf(String(target)) - pace) % around.length);
  return words.fromNumber(from, Math.abs(pace), pace > 0);
}

/** @type {Oche.Face} */
export const dards = {
  shape: "wide",
  panel(element, { board: { card: laid, pace, target, multiplier, wild, cards_left: left }, targets }, board) {
    const isOpen = targets.length > 0;
    rebuild(element, [laid, target, multiplier, wild, left, isOpen], () => [
      make("div", { className: "aimed" }, makeCard(laid),
        ...(isOpen && pace ? [make("span", { className: "turn", test: "dards-way" }, ...drawText(sayWay(target, pace, board)))] : [])),
      make("div", { className: "aimed", test: "dards-target" },
        make("span", { className: "label" }, isOpen ? words.target : words.fromHere),
        make("b", { className: isOpen ? "" : "old" }, String(target ?? "–")),
        ...(isOpen && multiplier > 1 ? [make("em", {}, `×${multiplier}`)] : [])),
      make("div", { className: "pile" },
        ...(wild ? [make("span", {}, words.wild, makeCard(wild))] : []), make("span", {}, words.cardsLeft(left))),
    ]);
  },
  /** From the number before to the target, around the board. */
  map({ board: { pace, target }, targets }, board) {
    const steps = targets.length ? pace : null;
    rebuild(board.layer, [target, steps], () => (steps ? board.arrow(target, steps) : []));
  },
  facts({ sides }, index) {
    const { score, detail: { round_points: points = 0, cards = 0 } } = sides[index];
    return [words.toLay(cards), ...(points === score ? [] : [words.dealPoints(points)])]; // of the first deal that is the score
  },
  aims: () => [], // it stands in the panel
  sum: ({ turn }) => (turn.darts.length ? words.gained(turn.points) : ""),
  note: (dart, state, board) => countGain(dart, state, board) || "–",
  takes: (prompt) => store.seat !== null && prompt.options_are === "cards",

  /** The hand of a seat; a card is laid by touch while that seat is asked for one. */
  hand(element, { board, game, prompts }) {
    /** @type {string[]} */
    const hand = board.hand ?? [];
    const prompt = prompts.find((each) => each.seat === store.seat && each.options_are === "cards");
    rebuild(element, [hand, prompt], () => [
      make("h3", {}, prompt ? sayQuestion(prompt, game) : hand.length ? words.hand : words.noCards),
      make("div", { className: "fan" }, ...hand.map((id) => {
        const button = makeCard(id, "button", {
          type: "button", disabled: !prompt?.options?.includes(id), onclick() { if (prompt) sendAnswer(prompt, id); },
          className: id === prompt?.default ? "usual" : "", test: `hand-${id}`,
        });
        button.append(make("span", { className: "worth" }, String(prompt?.values?.[id] ?? "")));
        return button;
      })),
    ]);
  },
};
