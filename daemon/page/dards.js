/* Dards: the card on the pile and the number it leads to; on a seat's own phone the hand, which answers by touch. */

import { card, isCard } from "./cards.js";
import { make, rebuild } from "./dom.js";
import { words } from "./words.js";

const gain = (dart, state, board) =>
  (board.counts(dart.segment, state.targets) ? dart.points * (state.board.multiplier ?? 1) : 0);
const isRed = (card) => "HD".includes(card.at(-1));
const PACES = { J: 11, Q: 12, K: 13 };
const way = (card) => make("span", { className: "turn", role: "img", ariaLabel: isRed(card) ? words.clockwise : words.counterclockwise },
  isRed(card) ? "↻" : "↺");
const asksCard = (prompt) => Boolean(prompt.options?.every(isCard));

export const dards = {
  shape: "wide",
  panel(element, { board: { card: laid, target, multiplier, wild, cards_left: left }, targets }) {
    const open = targets.length > 0;
    rebuild(element, [laid, target, multiplier, wild, left, open], () => [
      make("div", { className: "aimed" }, card(laid), ...(open && laid ? [way(laid)] : [])),
      make("div", { className: "aimed", test: "dards-target" },
        make("span", { className: "label" }, open ? words.target : words.fromHere),
        make("b", { className: open ? "" : "old" }, String(target ?? "–")),
        ...(open && multiplier > 1 ? [make("em", {}, `×${multiplier}`)] : [])),
      make("div", { className: "pile" },
        ...(wild ? [make("span", {}, words.wild, card(wild))] : []), make("span", {}, words.cardsLeft(left))),
    ]);
  },
  /** From the number before to the target, around the board. */
  map({ board: { ace = 1, card: laid, target }, targets }, board) {
    const pace = targets.length && laid ? (PACES[laid.slice(0, -1)] ?? (Number.parseInt(laid, 10) || ace)) : 0;
    rebuild(board.layer, [target, laid, pace], () => (pace ? board.arrow(target, isRed(laid) ? pace : -pace) : []));
  },
  facts: ({ sides }, index) => {
    const { round_points: points = 0, cards = 0 } = sides[index].detail ?? {};
    return [words.roundPoints(points), words.cards(cards)];
  },
  aims: () => [], // it stands in the panel
  sum: (state, board) => (state.turn.darts.length
    ? words.gained(state.turn.darts.reduce((sum, dart) => sum + gain(dart, state, board), 0)) : ""),
  note: (dart, state, board) => gain(dart, state, board) || "–",
  takes: (prompt, screen) => screen.seat !== null && asksCard(prompt),

  /** The hand of a seat; a card is laid by touch while that seat is asked for one. */
  hand(element, state, { does, seat }) {
    const hand = state.board.hand ?? [];
    const prompt = state.prompts.find((each) => each.seat === seat && asksCard(each));
    rebuild(element, [hand, prompt], () => [
      make("h3", {}, (prompt && words.question(prompt)) ?? (hand.length ? words.hand : words.noCards)),
      make("div", { className: "fan" }, ...hand.map((id) => {
        const button = card(id, "button", {
          type: "button", disabled: !prompt?.options.includes(id), onclick: () => does.answer(prompt, id),
          className: id === prompt?.default ? "usual" : "",
        });
        button.dataset.testid = `hand-${id}`;
        button.append(make("span", { className: "worth" }, String(prompt?.values?.[id] ?? "")));
        return button;
      })),
    ]);
  },
};
