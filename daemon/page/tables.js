/* Faces that many games share, drawn from what the state says and from nothing else, so that a new game gets one by
   naming it: a sheet of rounds, marks on targets, a track, lives, a grid. */

import { make, rebuild, shape, spans, tint } from "./dom.js";
import { words } from "./words.js";

const MOST = 12; // columns that have room beside each other; a longer sheet shows those around the one at play
const SIDES = 4; // lines that have room; of more sides only the one whose turn it is

/** Which columns are shown: all of them, or as many as have room, the one at play among them. */
function shown(count, now) {
  const from = Math.max(0, Math.min(count - MOST, (now ?? 0) - Math.floor(MOST / 2)));
  return [...Array(Math.min(count, MOST)).keys()].map((each) => each + from);
}

/** A table with a line a side: `cells(side)` are its values, `look(value)` gives text or an element and what is said. */
function table(element, { sides, turn }, heads, now, cells, look, columns = shown(heads.length, now)) {
  const lines = sides.map((side, index) => ({ side, index }))
    .filter(({ index }) => sides.length <= SIDES || index === turn?.side);
  element.style.setProperty("--columns", columns.length + 1);
  rebuild(element, [heads, columns, now, lines.map(({ side }) => [side.name, cells(side)]), turn?.side], () => [
    make("table", { className: "lines" },
      make("thead", {}, make("tr", {}, make("td"), ...columns.map((at) =>
        make("th", {
          scope: "col", className: `${at === now ? "now" : ""}${heads[at].length > 3 ? " long" : ""}`.trim(), test: `row-${at}`,
        }, words.short(heads[at]))))),
      make("tbody", {}, ...lines.map(({ side, index }) => {
        const line = make("tr", { className: index === turn?.side ? "up" : "" },
          make("th", { scope: "row", title: side.name, ariaLabel: side.name }, make("span", { className: "badge" }, String(index + 1))),
          ...columns.map((at) => {
            const [text, said] = look(cells(side)?.[at], at);
            return make("td", { className: at === now ? "now" : "", ariaLabel: said ?? null, test: `cell-${index}-${at}` }, text);
          }));
        tint(line, index);
        return line;
      })))]);
}

/** What a game says of a side beside what its face has drawn. */
export const others = (detail, ...drawn) => Object.entries(detail ?? {})
  .filter(([key]) => !drawn.includes(key)).map(([key, value]) => words.detail(key, value)).filter(Boolean);

/** Beside the score: what the table has to say, then what is said of the side whose turn it is, as labels and values. */
export const figures = (of) => (element, state) => {
  const texts = [...new Map(of(state, state.turn.side).map((text) => [String(text), text])).values()]; // none twice
  rebuild(element, texts, () => (texts.length ? [make("div", { className: "figures" }, ...spans(texts))] : []));
};

/** The face of a game that names none that is known. */
export const plain = {
  panel: figures(({ board, sides }, index) => [...others(board, "order"), ...others(sides[index].detail)]),
};

const finishes = ({ sides }, index) => {
  const { average, checkouts, ...more } = sides[index].detail ?? {};
  return [...others({ average, ...(checkouts?.[1] && { checkouts }), ...more }, "ppd")];
};

/** X01 and its drills: the average and the checkouts before anything else. */
export const x01 = { facts: finishes, panel: figures(finishes) };

/** One mark is a stroke, two are a cross, three a cross in a circle, as on a slate; more are a number. */
function strokes(marks, need) {
  if (!marks) return "";
  if (need > 3 || marks > 3) return `${marks}`;
  if (need === 1) return "●";
  const lines = ["M6 18 18 6", "M6 6 18 18"].slice(0, Math.min(marks, 2));
  return shape("svg", { viewBox: "0 0 24 24", class: "strokes", "aria-hidden": "true" },
    ...lines.map((d) => shape("path", { d })), ...(marks >= need ? [shape("circle", { cx: 12, cy: 12, r: 10.5 })] : []));
}

const GROUPS = { B: "bull", D: "double", T: "triple" }; // what a short label of a row stands for

/** The small line of a dart where only darts in a target count. */
const counted = (dart, { targets }, board) =>
  (!targets.length || board.counts(dart.segment, targets) ? dart.points : "–");

/** What is at play is lit in the table itself. */
const lit = ({ board, targets }) => (board.row == null ? targets : []);

export const sheet = {
  shape: "table",
  aims: lit,
  sum: () => "", // face values are not what counts
  note: counted,
  panel(element, state) {
    const { rows = [], row = null } = state.board;
    table(element, state, rows, row, ({ detail }) => detail?.cells, (value) => [value ?? ""].map(String));
  },
  facts: ({ sides }, index) => others(sides[index].detail, "cells"),
};

export const marks = {
  shape: "table",
  aims: () => [],
  sum: () => "",
  note(dart, { board: { rows = [], row = null } }, board) {
    const { groups } = board.byId.get(dart.segment);
    const name = groups.find((group) => ["triple", "double"].includes(group));
    const hit = (row === null ? rows : [rows[row]]).some((each) => groups.includes(GROUPS[each] ?? each));
    return hit ? { triple: "×3", double: "×2" }[name] ?? "×1" : "–";
  },
  panel(element, state) {
    const { rows = [], need = 3, row = null } = state.board;
    const cells = ({ detail }) => detail?.marks;
    const open = [...rows.keys()].filter((at) => !state.sides.some((side) => cells(side)?.[at] >= need));
    const columns = rows.length > MOST && row === null ? open.slice(0, MOST) : undefined; // closed rows make room first
    table(element, state, rows, row, cells,
      (value) => [strokes(value, need), words.ofMarks(value ?? 0, need)], columns);
  },
  facts: ({ sides }, index) => others(sides[index].detail, "marks"),
};

export const track = {
  shape: "table",
  aims: () => [],
  sum: () => "",
  note: () => "",
  panel(element, { board: { steps = [] }, sides, turn }) {
    const at = sides[turn.side].detail?.at ?? 0;
    const columns = shown(steps.length, Math.min(at, steps.length - 1));
    element.style.setProperty("--columns", columns.length);
    rebuild(element, [steps, at], () => [make("ol", { className: "rounds" }, ...columns.map((step) => {
      const item = make("li", { test: `step-${step}`, className: step < at ? "done" : step === at ? "now" : "" },
        words.short(steps[step]));
      item.ariaCurrent = step === at ? "step" : null;
      return item;
    }))]);
  },
  facts: ({ board, sides }, index) =>
    [words.done(sides[index].detail?.at ?? 0, board.steps?.length ?? 0), ...others(sides[index].detail, "at")],
};

export const lives = {
  facts({ board, sides }, index) {
    const { lives: left = 0, number } = sides[index].detail ?? {};
    return [words.hearts(left, board.lives), number ? words.owns(number) : "", ...others(sides[index].detail, "lives", "number")]
      .filter(Boolean);
  },
  panel: figures((state, index) => [...others(state.board, "lives", "throwing"), ...lives.facts(state, index)]),
  danger({ board, sides }, index) {
    const { out, detail } = sides[index];
    return out || !board.lives || detail?.lives == null ? null : 1 - detail.lives / board.lives;
  },
};

export const grid = {
  shape: "wide",
  aims: () => [],
  sum: () => "",
  note: () => "",
  panel(element, { board: { cells = [], columns = 3 }, sides }) {
    element.style.setProperty("--columns", columns);
    rebuild(element, cells, () => cells.map(({ label, owner, marks: made = [], lives: left }, at) => {
      const taken = owner != null;
      const said = taken ? [sides[owner].name] : made.map((count, side) => `${sides[side].name} ${count}`);
      const cell = make("div", {
        className: taken ? "cell owned" : "cell", test: `cell-${at}`, role: "img",
        ariaLabel: [words.targetName(GROUPS[label] ?? label), ...(left != null ? [words.hearts(left)] : said)].join(", "),
      }, make("b", {}, words.short(label)), make("small", {},
        ...(taken ? [String(owner + 1)] : left != null ? [words.hearts(left)] : made.map((count, side) => {
          const own = make("span", {}, count ? String(count) : "");
          tint(own, side);
          return own;
        }))));
      if (taken) tint(cell, owner);
      return cell;
    }));
  },
  facts: ({ sides }, index) => others(sides[index].detail),
};
