/* Playing cards: how one looks, and how one of many is found without a list of fifty-two. */

import { make } from "../dom.js";
import { makeGlyph } from "../glyphs.js";
import { words } from "../words/words.js";

const RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];
const SUITS = ["S", "H", "C", "D"];
const CARD = /^(10|[2-9AJQK])([SHCD])$/;

const readColour = (/** @type {string} */ suit) => ("HD".includes(suit) ? "red" : "black");
/** @param {string} id */
const splitCard = (id) => (CARD.exec(id) ?? []).slice(1);

/** Returns the picture of a card; without an id an empty place.
    @template {"span" | "button"} [Tag="span"] @param {string | null | undefined} id @param {Tag} [tag]
    @param {Oche.Props<Tag>} [props] a button's, where it can be laid */
export function makeCard(id, tag = /** @type {Tag} */ ("span"), props = /** @type {Oche.Props<Tag>} */ ({})) {
  if (!id) return make(tag, { ...props, className: "card none" });
  const [rank, suit] = splitCard(id);
  const className = `card ${readColour(suit)} ${props.className ?? ""}`;
  return make(tag, { ...props, className, title: words.card(rank, suit) }, make("b", {}, rank), makeGlyph(suit));
}

/** Returns buttons for rank and suit, each a tap, in any order; only what is among `options` can be had.
    @param {string[]} options @param {(card: string) => void} answer */
export function makeCardPicker(options, answer) {
  const offered = options.map(splitCard);
  const picked = ["", ""];
  /** @type {(part: 0 | 1, values: string[], look: (value: string) => Node | string) => HTMLButtonElement[]} */
  const column = (part, values, look) => values.map((value) => make("button", {
    type: "button", className: part ? `suit ${readColour(value)}` : "rank", title: words.suit(value),
    test: `${part ? "suit" : "rank"}-${value}`, value,
    onclick() {
      picked[part] = picked[part] === value ? "" : value;
      if (picked[0] && picked[1]) answer(picked.join(""));
      else show();
    },
  }, look(value)));
  const columns = [column(0, RANKS, String), column(1, SUITS, makeGlyph)];
  function show() {
    columns.forEach((buttons, part) => buttons.forEach((button) => {
      const { value } = button;
      const other = picked[1 - part];
      button.disabled = !offered.some((each) => each[part] === value && (!other || each[1 - part] === other));
      button.ariaPressed = String(picked[part] === value);
    }));
  }
  show();
  return make("div", { className: "picker" },
    make("div", { className: "ranks" }, ...columns[0]), make("div", { className: "suits" }, ...columns[1]));
}
