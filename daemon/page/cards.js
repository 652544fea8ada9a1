/* Playing cards: how one looks, and how one of many is found without a list of fifty-two. */

import { make } from "./dom.js";
import { glyph } from "./glyphs.js";
import { words } from "./words.js";

const RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];
const SUITS = ["S", "H", "C", "D"];
const CARD = /^(10|[2-9AJQK])([SHCD])$/;

export const isCard = (text) => CARD.test(text);
const colour = (suit) => ("HD".includes(suit) ? "red" : "black");

/** The picture of a card, with `tag` a button where it can be laid; without an id an empty place. */
export function card(id, tag = "span", props = {}) {
  if (!id) return make(tag, { className: "card none" });
  const [, rank, suit] = CARD.exec(id);
  const kind = `card ${colour(suit)} ${props.className ?? ""}`;
  return make(tag, { ...props, className: kind, title: words.card(rank, suit) }, make("b", {}, rank), glyph(suit));
}

/** Rank and suit, each a tap, in any order; only what is among `options` can be had. */
export function cardPicker(options, answer) {
  const offered = options.map((id) => CARD.exec(id).slice(1));
  const picked = [null, null];
  const column = (part, values, look) => values.map((value) => make("button", {
    type: "button", className: part ? `suit ${colour(value)}` : "rank", title: words.suit(value),
    test: `${part ? "suit" : "rank"}-${value}`, value,
    onclick() {
      picked[part] = picked[part] === value ? null : value;
      if (picked[0] && picked[1]) answer(picked.join(""));
      else show();
    },
  }, look(value)));
  const columns = [column(0, RANKS, String), column(1, SUITS, glyph)];
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
