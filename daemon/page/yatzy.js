/* Yatzy-Dart: the score sheet. While a row has to be chosen the open rows are buttons, each with what it would give. */

import { make, rebuild, tint } from "./dom.js";
import { words } from "./words.js";

const UPPER = ["ones", "twos", "threes", "fours", "fives", "sixes"];
const LOWER = [
  "two_pairs", "three_kind", "villa", "single_straight", "double_straight", "triple_straight", "yatzy", "chance"];
const ROWS = [...UPPER, "pair", ...LOWER];
const RINGS = { inner: "×3", middle: "×2", outer: "×1" };
const COLUMNS = 4; // as many as have room; of more sides only the one whose turn it is

const isRow = (prompt) => prompt.options?.length > 0 && prompt.options.every((row) => ROWS.includes(row));

/** A line of the sheet: its name, and `look(side, index)` in the column of each side. */
function line(state, name, look, tag = "div", props = {}) {
  const shown = (index) => state.sides.length <= COLUMNS || index === (state.turn?.side ?? 0);
  return make(tag, { className: "line", ...props }, make("span", {}, name), ...state.sides.map((side, index) => {
    const cell = make("b", {}, look(side, index));
    tint(cell, index);
    cell.classList.toggle("own", index === state.turn?.side);
    return cell;
  }).filter((_, index) => shown(index)));
}

const head = (state) => make("li", { className: "head" }, line(state, "", ({ name }, index) =>
  make("span", { className: "badge", title: name }, String(index + 1))));

const total = (state) =>
  make("li", { className: "head", test: "total" }, line(state, words.total, ({ score }) => String(score)));

const bonus = (state) => make("li", { className: "summed" }, line(state, words.bonusOver, ({ detail }) =>
  (detail?.bonus ? words.gained(detail.bonus) : String(detail?.upper ?? 0))));

function row(id, state, prompt, does) {
  const open = prompt?.options.includes(id);
  const look = ({ detail }, index) => {
    const offered = open && index === state.turn.side;
    const value = String((offered ? prompt.values : detail?.rows)?.[id] ?? "");
    return offered ? make("span", { className: "offered" }, value) : value;
  };
  const button = {
    type: "button", className: id === prompt?.default ? "line usual" : "line", test: `option-${id}`,
    onclick: () => does.answer(prompt, id),
  };
  return make("li", { test: `row-${id}` }, line(state, words.option(id), look, ...(open ? ["button", button] : [])));
}

export const yatzy = {
  shape: "low",
  sheet(element, state, { does }) {
    const { sides } = state;
    const prompt = state.prompts.find(isRow);
    element.style.setProperty("--columns", sides.length > COLUMNS ? 1 : sides.length);
    element.classList.toggle("wide", sides.length > 2 && sides.length <= COLUMNS);
    element.dataset.testid = prompt ? `prompt-${prompt.id}` : "sheet";
    const rows = (ids) => ids.map((id) => row(id, state, prompt, does));
    rebuild(element, [sides.map((side) => [side.name, side.score, side.detail]), prompt, state.turn?.side], () =>
      [head(state), ...rows(UPPER), bonus(state), ...rows(["pair"]), total(state), ...rows(LOWER)]);
  },
  takes: isRow,
  facts: ({ sides }, index) => {
    const { upper = 0, bonus: more } = sides[index].detail ?? {};
    return [words.upper(upper), ...(more ? [`${words.bonus} ${words.gained(more)}`] : [])];
  },
  sum: () => "",
  note: (dart, state, board) => RINGS[board.byId.get(dart.segment)?.groups.find((group) => group in RINGS)] ?? "–",
};
