/* Dards: the card on the pile and the number it leads to; on a seat's own phone the hand, which answers by touch. */

import { makeCard } from "./cards.js";
import { sendAnswer } from "./commands.js";
import { make, rebuild } from "./dom.js";
import { store } from "./store.js";
import { words } from "./words.js";

/** What a dart brings. @param {Oche.Dart} dart @param {Oche.State} state @param {import("./board.js").Board} board */
const countGain = (dart, state, board) =>
  (board.counts(dart.segment, state.targets) ? dart.points * (state.board.multiplier ?? 1) : 0);

/** @param {number} pace */
const makeArrow = (pace) => make("span", {
  className: "turn", role: "img", ariaLabel: pace > 0 ? words.clockwise : words.counterclockwise,
}, pace > 0 ? "↻" : "↺");

/** @type {Oche.Face} */
export const dards = {
  shape: "wide",
  panel(element, { board: { card: laid, pace, target, multiplier, wild, cards_left: left }, targets }) {
    const isOpen = targets.length > 0;
    rebuild(element, [laid, target, multiplier, wild, left, isOpen], () => [
      make("div", { className: "aimed" }, makeCard(laid), ...(isOpen && pace ? [makeArrow(pace)] : [])),
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
    const { round_points: points = 0, cards = 0 } = sides[index].detail;
    return [words.roundPoints(points), words.cards(cards)];
  },
  aims: () => [], // it stands in the panel
  sum: ({ turn }) => (turn.darts.length ? words.gained(turn.points) : ""),
  note: (dart, state, board) => countGain(dart, state, board) || "–",
  takes: (prompt) => store.seat !== null && prompt.options_are === "cards",

  /** The hand of a seat; a card is laid by touch while that seat is asked for one. */
  hand(element, { board, prompts }) {
    /** @type {string[]} */
    const hand = board.hand ?? [];
    const prompt = prompts.find((each) => each.seat === store.seat && each.options_are === "cards");
    rebuild(element, [hand, prompt], () => [
      make("h3", {}, prompt ? words.question(prompt) : hand.length ? words.hand : words.noCards),
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
