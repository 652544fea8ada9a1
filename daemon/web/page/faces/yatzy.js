/* Yatzy-Dart: the score sheet. While a row has to be chosen the open rows are buttons, each with what it would give. */

import { sendAnswer } from "../commands.js";
import { make, rebuild, setSideColour, setStyle } from "../dom.js";
import { words } from "../words/words.js";

/** How often an area counts, by its ring. @type {Record<string, number>} */
const TIMES = { inner: 3, middle: 2, outer: 1 };

const COLUMNS = 4; // as many as have room; of more sides only the one whose turn it is

const isRow = (/** @type {Oche.Prompt} */ prompt) => prompt.options_are === "rows";

/** A line of the sheet: its name, and `look(side, index)` in the column of each side.
    @param {Oche.State} state @param {string} name @param {(side: Oche.Side, index: number) => Node | string} look */
function makeCells({ sides, turn }, name, look) {
  const cells = sides.map((side, index) => {
    const cell = make("b", {}, look(side, index));
    setSideColour(cell, index);
    cell.classList.toggle("own", index === turn.side);
    return cell;
  });
  return [make("span", {}, name), ...(sides.length <= COLUMNS ? cells : [cells[turn.side]])];
}

/** A line that is not chosen. @param {Oche.Props<"li">} props @param {(Node | string)[]} cells */
const makeFixedRow = (props, cells) => make("li", props, make("div", { className: "line" }, ...cells));

/** @param {Oche.State} state */
const makeHead = (state) => makeFixedRow({ className: "head" }, makeCells(state, state.board.so_far ? words.soFar : "", ({ name }, index) =>
  make("span", { className: "badge", title: name }, String(index + 1))));

/** @param {Oche.State} state */
const makeTotal = (state) =>
  makeFixedRow({ className: "head", test: "total" }, makeCells(state, words.total, ({ score }) => String(score)));

/** @param {Oche.State} state */
const makeBonus = (state) => makeFixedRow({ className: "summed" },
  makeCells(state, words.bonusOver(state.board.bonus.over), ({ detail }) =>
    (detail.bonus ? words.gained(detail.bonus) : String(detail.upper ?? 0))));

/** @param {string} id @param {Oche.State} state @param {Oche.Prompt | undefined} prompt */
function makeRow(id, state, prompt) {
  const isOpen = prompt?.options?.includes(id);
  const cells = makeCells(state, words.option(id), ({ detail }, index) => {
    const isOwn = index === state.turn.side;
    if (isOwn && isOpen) return make("span", { className: "offered" }, String(prompt?.values?.[id] ?? ""));
    const soFar = isOwn && state.board.so_far?.[id]; // with the darts thrown until now
    return soFar ? make("i", {}, `(${soFar})`) : String(detail.rows?.[id] ?? "");
  });
  return isOpen && prompt ? make("li", { test: `row-${id}` }, make("button", {
    type: "button", className: id === prompt.default ? "line usual" : "line", test: `option-${id}`,
    onclick: () => sendAnswer(prompt, id),
  }, ...cells)) : makeFixedRow({ test: `row-${id}` }, cells);
}

/** @type {Oche.Face} */
export const yatzy = {
  shape: "low",
  sheet(element, state) {
    const { board: { rows = [], upper = 0 }, sides } = state;
    const prompt = state.prompts.find(isRow);
    setStyle(element, "--columns", sides.length > COLUMNS ? 1 : sides.length);
    element.classList.toggle("wide", sides.length > 2 && sides.length <= COLUMNS);
    element.dataset.testid = prompt ? `prompt-${prompt.id}` : "sheet";
    const lines = (/** @type {string[]} */ ids) => ids.map((id) => makeRow(id, state, prompt));
    const left = Math.ceil((rows.length + 3) / 2) - 2; // rows in the left of two columns, below head and bonus
    rebuild(element, [sides.map((side) => [side.name, side.score, side.detail]), prompt, state.turn.side, state.board.so_far], () =>
      [makeHead(state), ...lines(rows.slice(0, upper)), makeBonus(state), ...lines(rows.slice(upper, left)),
        makeTotal(state), ...lines(rows.slice(left))]);
  },
  takes: isRow,
  facts({ sides }, index) {
    const { upper = 0, bonus: more } = sides[index].detail;
    return [words.upper(upper), ...(more ? [`${words.bonus} ${words.gained(more)}`] : [])];
  },
  aims: () => [], // the task names it
  sum: ({ phase, turn }) => (phase === "takeout" ? words.gained(turn.points) : ""),
  note(dart, _state, board) {
    const groups = board.groups(dart.segment);
    const times = groups.map((group) => TIMES[group]).find(Boolean);
    return times ? words.countsAs(groups.filter(Number).map((number) => Array(times).fill(number).join(" "))) : "–";
  },
};
