/* Faces that many games share, drawn from what the state says and from nothing else, so that a new game gets one by
   naming it: a sheet of rounds, marks on targets, a track, lives, a grid. */

import { make, makeSvg, rebuild, setSideColour, setStyle } from "../dom.js";
import { drawText, makeGlyph, makeSpans } from "../glyphs.js";
import { store } from "../store.js";
import { words } from "../words/words.js";

/** Columns that have room beside each other, and where heads are several words; a longer sheet shows those around the
    one at play. @type {Record<"wall" | "phone", { usual: number, wordy: number }>} */
const COLUMNS = { wall: { usual: 10, wordy: 8 }, phone: { usual: 7, wordy: 5 } };
const WORDY = 8; // characters of such a head
const MOST_STEPS = 14; // of a track that have room in one line
const MOST_TRACK = { wall: 3 * MOST_STEPS, phone: 16 }; // in all
const MOST_LINES = 16; // of a slate that have room below each other; a longer one is in two columns
const MOST_LINES_OF_TWO = 11; // where two sides leave room for two such columns
const BESIDE = 4; // sides whose columns have room beside each other with letters that are read from three metres
const LETTER = .7, LEAST_COLUMN = 1.42, LEAST_NAME = 4.2, LEAST_UPRIGHT_NAME = 3, LEAST_SIDE = 2.2, LONG = .75; // of a slate, in em
const BEGINNING = 4; // letters of a name that surely have room
const SIDES = 4; // lines that have room; of more sides only the one whose turn it is

/** Returns which of these are shown: all, or as many as have room around the one at play, null where others are left out.
    @param {number[]} all @param {number | null} now @param {number} most @returns {(number | null)[]} */
function chooseAround(all, now, most) {
  const from = Math.max(0, Math.min(all.length - most, all.indexOf(now ?? -1) - Math.floor(most / 2)));
  const shown = all.slice(from, from + most);
  const isCut = (/** @type {number} */ at) => (at === 0 && from > 0) || (at === most - 1 && from + most < all.length);
  return shown.map((each, at) => (isCut(at) ? null : each));
}

/** Whether this is looked at from the oche or held in a hand. */
const nameDevice = () => (document.documentElement.dataset.view === "wall" ? "wall" : "phone");

/** @param {any[]} list */
const countUp = (list) => [...list.keys()];
const MORE = "…";
const RANGE = /^(\D)(\d+)-(?=\d)(.+)$/; // D1-3: from D1 to D3
const HALF = 0.5; // of a digit: what a sign is wide

/** How wide the longest word of a head is, in digits. @param {string} head */
const measureHead = (head) => Math.max(...head.split(" ").map((word) => [...word].length - HALF * (word.match(/[^\p{L}\d]/gu)?.length ?? 0)));

/** Whether the row, step or cell of this label is what to aim at now: many sheets name their rounds by numbers that are not.
    @param {Oche.State} state @param {string} label */
export const isAim = ({ board, phase, targets }, label) => phase === "throwing" && targets.includes(resolveLabel({ board }, label));

/** A table with a line a side. `cells(side)` are its values, `look(value)` gives text or an element and what is said.
    @param {HTMLElement} element @param {Oche.State} state @param {string[]} heads @param {number | null} now
    @param {(side: Oche.Side) => any[] | undefined} cells @param {(value: any) => [Node | string, string?]} look */
export function renderTable(element, state, heads, now, cells, look, columns = chooseAround(countUp(heads), now, COLUMNS[nameDevice()].usual)) {
  const { board, sides, turn } = state;
  const atPlay = now !== null && isAim(state, heads[now]) ? "now target" : "now";
  const lines = sides.map((side, index) => ({ side, index }))
    .filter(({ index }) => sides.length <= SIDES || index === turn.side);
  const names = heads.map((head) => words.short(resolveLabel({ board }, head)).replace(RANGE, "$1$2– $1$3").replace(/-B$/, `– ${words.short("bull")}`).replace("-", "– ")); // in two lines where one has no room
  const shown = lines.flatMap(({ side }) => columns.map((at) => (at === null ? "" : look(cells(side)?.[at])[0])));
  setStyle(element, "--columns", columns.length + 1);
  setStyle(element, "--digits", Math.max(2, ...shown.map((text) => (typeof text === "string" ? text.length : 1))));
  rebuild(element, [heads, columns, now, atPlay, lines.map(({ side }) => [side.name, cells(side)]), turn.side], () => [
    make("table", { className: "lines" },
      ...(lines.length < sides.length ? [make("caption", {}, words.roundsOf(sides[turn.side].name))] : []),
      make("thead", {}, make("tr", {}, make("td"), ...columns.map((at) => {
        if (at === null) return make("td", {}, MORE);
        const head = make("th", { scope: "col", className: at === now ? atPlay : "", test: `row-${at}` }, names[at]);
        setStyle(head, "--chars", measureHead(names[at]));
        return head;
      }))),
      make("tbody", {}, ...lines.map(({ side, index }) => {
        const line = make("tr", { className: index === turn.side ? "up" : "" },
          make("th", { scope: "row", title: side.name, ariaLabel: side.name }, make("span", { className: "badge" }, String(index + 1))),
          ...columns.map((at) => {
            if (at === null) return make("td", { className: "more" });
            const [text, said = null] = look(cells(side)?.[at]);
            return make("td", { className: at === now ? "now" : "", ariaLabel: said, test: `cell-${index}-${at}` }, text);
          }));
        setSideColour(line, index);
        return line;
      })))]);
}

/** What both kinds of slates are drawn from; those rows that are closed for all are struck out.
    @typedef {{ names: string[], isClosed: (row: number) => boolean, look: (side: Oche.Side, row: number) => [Node | string, string] }} Marked */

/** @param {Oche.State} state @param {Oche.Side} side */
const sayWon = ({ format }, { legs, sets }) =>
  [format.sets > 1 && words.sets(sets), format.legs > 1 && words.legs(legs)].filter((each) => each !== false)
    .map((each) => each.replace(" ", "\u00a0")).join(" ");

/** @param {Oche.State} state */
const hasFormat = ({ format }) => format.legs > 1 || format.sets > 1;

/** Returns a cell of a slate in the colour of its side. @template {HTMLElement} Cell
    @param {Cell} cell @param {number} index @param {Oche.State} state */
function colour(cell, index, { turn }) {
  setSideColour(cell, index);
  cell.classList.toggle("up", index === turn.side);
  return cell;
}

/** @param {Oche.State} state @param {"col" | "row"} scope @param {number} index */
function makeSlateName(state, scope, index) {
  const side = state.sides[index];
  return colour(make("th", { scope, title: side.name, className: side.out ? "out" : "" },
    make("span", {}, side.name), make("small", {}, sayWon(state, side))), index, state);
}

/** @param {Oche.State} state @param {number} index */
const makeSlatePoints = (state, index) =>
  colour(make("td", { className: "points", test: `points-${index}` }, String(state.sides[index].score)), index, state);

/** @param {Oche.State} state @param {Marked} marked @param {number} index @param {number} at */
function makeSlateCell(state, { look }, index, at) {
  const [text, said] = look(state.sides[index], at);
  return colour(make("td", { ariaLabel: said, test: `cell-${index}-${at}` }, text), index, state);
}

/** @param {Oche.State} state @param {Marked} marked @param {"col" | "row"} scope @param {number} at @param {string} name */
const makeSlateHead = (state, { isClosed, names }, scope, at, name) => make("th", {
  scope, test: `row-${at}`, className: `${isClosed(at) ? "closed" : at !== state.board.row ? "" : isAim(state, names[at]) ? "now target" : "now"}${name.length < 3 ? "" : " long"}`.trim(),
}, name);

/** A slate: a column a side, the rows named in the middle.
    @param {HTMLElement} element @param {Oche.State} state @param {Marked} marked */
function renderSlate(element, state, marked) {
  const { board, sides, turn } = state;
  const half = Math.ceil(sides.length / 2);
  const line = (/** @type {(index: number) => HTMLElement} */ build, middle = make("td", { className: "between" })) => {
    const cells = countUp(sides).map(build);
    return [...cells.slice(0, half), middle, ...cells.slice(half)];
  };
  const heads = marked.names.map((name) => words.row(resolveLabel(state, name)));
  const makeLines = () => [
    line((index) => makeSlatePoints(state, index), make("td", { className: "between" }, words.unit(board.unit ?? "points", 2))),
    ...heads.map((name, at) => line((index) => makeSlateCell(state, marked, index, at), makeSlateHead(state, marked, "row", at, name))),
  ];
  rebuild(element, ["slate", marked.names, board.row, state.targets, state.phase, sides, turn.side], () => {
    const lines = makeLines();
    const isWide = lines.length > (sides.length > 2 ? MOST_LINES : MOST_LINES_OF_TWO);
    const deep = isWide ? Math.ceil(lines.length / 2) : lines.length;
    const blocks = [lines.slice(0, deep), lines.slice(deep)].filter((block) => block.length);
    const join = (/** @type {(block: HTMLElement[][]) => HTMLElement[]} */ choose) => make("tr", {},
      ...blocks.flatMap((block, at) => [...(at ? [make("td", { className: "gap" })] : []), ...choose(block)]));
    const longest = (/** @type {string[]} */ texts) => Math.max(3, ...texts.map((text) => text.length)) * LETTER;
    const widths = blocks.length > 1 ? [longest(heads.slice(0, deep - 1)), LONG * longest(heads.slice(deep - 1))] : [longest(heads)];
    const slate = make("table", { className: blocks.length > 1 ? "slate double" : "slate" },
      make("thead", {}, join((block) => line((index) => makeSlateName(state, "col", index),
        setWidth(make("td", { className: "between" }), widths[blocks.indexOf(block)])))),
      make("tbody", {}, ...blocks[0].map((_, at) => join((block) => block[at] ?? []))));
    tellApart(slate, state);
    measureSlate(slate, deep + (hasFormat(state) ? 1.4 : 1), widths.reduce((sum, width) => sum + width + sides.length * LEAST_SIDE, 0));
    return [slate];
  });
}

/** A slate that lies, where many sides or little width leave no room for columns: a line a side, which begins with its
    name and its points. @param {HTMLElement} element @param {Oche.State} state @param {Marked} marked */
function renderLyingSlate(element, state, marked) {
  const { board, sides, turn } = state;
  const isUpright = nameDevice() === "wall" && matchMedia("(max-aspect-ratio: 1/1)").matches;
  rebuild(element, ["lying", isUpright, marked.names, board.row, state.targets, state.phase, sides, turn.side], () => {
    const isLong = marked.names.length > COLUMNS.wall.usual || hasFormat(state) || isUpright; // then the heads are as short as they come
    const heads = isLong ? marked.names : marked.names.map((name) => words.short(resolveLabel(state, name)));
    const counted = sides.flatMap((side) => heads.map((_, at) => `${marked.look(side, at)[0]}`)).filter((text) => text.includes("/"));
    const least = Math.max(isLong ? LEAST_COLUMN : 1.1 * LEAST_COLUMN, ...counted.map((text) => text.length * LETTER));
    const widths = heads.map((name) => Math.max(least, name.length * LETTER));
    const digits = Math.max(3, ...sides.map(({ score }) => `${score}`.length)) * LETTER + .4;
    const slate = make("table", { className: "slate lying" },
      make("thead", {}, make("tr", {}, make("td", { className: "between" }),
        setWidth(make("td", { className: "between" }), digits),
        ...heads.map((name, at) => setWidth(makeSlateHead(state, marked, "col", at, name), widths[at])))),
      make("tbody", {}, ...countUp(sides).map((index) => make("tr", {}, makeSlateName(state, "row", index), makeSlatePoints(state, index),
        ...countUp(heads).map((at) => makeSlateCell(state, marked, index, at))))));
    tellApart(slate, state);
    measureSlate(slate, sides.length + 1, widths.reduce((sum, width) => sum + width, (isUpright ? LEAST_UPRIGHT_NAME : LEAST_NAME) + digits));
    return [slate];
  });
}

/** @template {HTMLElement} Cell @param {Cell} cell @param {number} width in em */
function setWidth(cell, width) {
  setStyle(cell, "width", `calc(${width} * var(--em))`);
  return cell;
}

/** Shows names in two lines of smaller letters where one of large ones may cut them off before they differ.
    @param {HTMLElement} slate @param {Oche.State} state */
function tellApart(slate, { sides }) {
  const beginnings = sides.map(({ name }) => name.slice(0, BEGINNING).toLowerCase());
  slate.classList.toggle("alike", new Set(beginnings).size < sides.length);
}

/** Says how many lines a slate has and how many em it needs beside each other, for the style sheet to find its letters' size.
    @param {HTMLElement} slate @param {number} lines @param {number} ems */
function measureSlate(slate, lines, ems) {
  setStyle(slate, "--lines", lines);
  setStyle(slate, "--ems", ems);
}

/** Figures that say nothing before each side has had a visit. */
const OVER_ROUNDS = ["average", "best", "best_inning", "first_nine", "goals_a_visit", "highest_break", "mpr", "mpr_80", "per_hole", "per_visit", "ppd"];

function isFirstRound() {
  const { leg, phase, round, set } = store.state ?? {};
  return phase !== "over" && round === 1 && leg === 1 && set === 1;
}

/** Returns what a game says of a side beside what its face has drawn.
    @param {Record<string, any>} detail @param {...string} drawn @returns {Oche.Short[]} */
export const describeOthers = (detail, ...drawn) => Object.entries(detail)
  .filter(([key]) => !drawn.includes(key) && !(isFirstRound() && OVER_ROUNDS.includes(key))).map(([key, value]) => words.detail(key, value)).filter(Boolean);

/** Beside the score: what the table has to say, then what is said of the side whose turn it is, as labels and values.
    @param {(state: Oche.State, index: number) => Oche.Short[]} of
    @returns {(element: HTMLElement, state: Oche.State) => void} */
const makeFiguresPanel = (of) => (element, state) => {
  const texts = [...new Map(of(state, state.turn.side).map((text) => [String(text), text])).values()]; // none twice
  rebuild(element, texts, () => (texts.length ? [make("div", { className: "figures" }, ...makeSpans(texts))] : []));
};

/** Returns what was hit, a dash before that; null where a game does not go by it.
    @param {Oche.State} state @param {number} index */
const nameZone = ({ sides }, index) => (sides[index].detail.zone === undefined ? null
  : /** @type {string} */ (words.detail("zone", sides[index].detail.zone)) || "–");

/** What each target is and is worth, where a game has a list of them; those that may be hit now are lit.
    @typedef {{ target: string, name: string, colour: string, points: number, on: boolean }} Value
    @param {HTMLElement} element @param {Value[]} values @param {Oche.Short[]} more said below them */
function renderValues(element, values, more) {
  rebuild(element, [values, more], () => [make("ul", { className: "values" }, ...values.map(({ target, name, colour, points, on }) => {
    const ball = make("i");
    setStyle(ball, "--ball", colour);
    return make("li", { className: on ? "on" : "", test: `value-${target}` },
      make("b", {}, words.short(target).replace("-", "–")), ball, ` ${words.symbol(name)} `, make("span", {}, `${points} ${words.unit("points", points)}`));
  }), make("li", { className: "more" }, ...makeSpans(more)))]);
}

/** Whether a game sends such a list: of its own it may send anything. @param {Oche.State["board"]} board */
const hasValues = ({ values }) => Array.isArray(values) && values.length > 0 && values.every((each) => typeof each?.target === "string");

/** The number of rounds stands above, and a target that is a bed below. */
const describePlain = makeFiguresPanel(({ board: { target, ...board }, sides }, index) => [
  .../** @type {Oche.Short[]} */ (typeof target === "number" ? [[words.toReach, `${target}`]] : []),
  ...describeOthers(board, "order", "rounds", "split_singles", "notes", "total", "unit"), ...describeOthers(sides[index].detail, "zone"),
]);

/** The face of a game that names none that is known. @type {Oche.Face} */
export const plain = {
  aims: ({ board, targets }) => (hasValues(board) ? [] : targets), // the list says them
  hero: (state) => (state.turn.darts.length || nameZone(state, state.turn.side) === null ? nameZone(state, state.turn.side)
    : words.targetName(state.targets[0] ?? "bull")),
  caption: (state) => (nameZone(state, state.turn.side) === null ? null : state.turn.darts.length ? "" : words.target),
  points: nameZone,
  sumLast: (state) => (state.last && nameZone(state, state.last.side) !== null ? "" : null),
  facts: ({ sides }, index) => describeOthers(sides[index].detail, "zone"),
  sum: ({ sides, turn }) => (turn.darts.length && sides[turn.side].detail.zone == null ? words.sum(turn.points) : ""),
  panel(element, state) {
    const { on: _, values, ...more } = state.board; // what is on, the list says
    if (hasValues(state.board)) renderValues(element, values, describeOthers(more));
    else describePlain(element, state);
  },
};

/** Whether a side throws at numbers for points: they decide, and what is left of a number is the small figure.
    @param {Oche.Side} side */
const isDrill = ({ detail }) => detail.number != null;

/** @param {Oche.Side} side @param {Oche.Short} what */
const describeFinishes = ({ detail: { average, checkouts, number, points: _, failed: __, ...more } }, what) => [
  .../** @type {Oche.Short[]} */ (number == null ? [] : [what, [words.from, `${number}`]]),
  ...describeOthers({ average, ...(checkouts?.[1] && { checkouts }), ...more }, "ppd")];

/** X01 and its drills: the average and the checkouts before anything else. @type {Oche.Face} */
export const x01 = {
  isDuel: true,
  callsNoScore: true,
  caption: () => words.left,
  points: ({ sides }, index) => (isDrill(sides[index]) ? `${sides[index].detail.points}` : null),
  unit: ({ sides }, index) => (isDrill(sides[index]) ? words.unit("points", sides[index].detail.points) : null),
  sumLast: ({ last, sides }) => (last && sides[last.side].detail.failed ? words.notOut : null),
  facts: ({ sides }, index) => describeFinishes(sides[index], [words.left, `${sides[index].score}`]),
  panel: makeFiguresPanel(({ sides }, index) =>
    describeFinishes(sides[index], [words.unit("points", 2), `${sides[index].detail.points}`])),
};

/** One mark is a stroke, two are a cross, three a cross in a circle, as on a slate; more are a number.
    @param {number | undefined} marks @param {number} need */
export function makeStrokes(marks, need) {
  if (need > 3) return `${marks ?? 0}/${need}`;
  if (!marks) return "";
  if (marks > 3) return `${marks}`;
  if (need === 1) return makeGlyph("dot");
  const lines = (marks < need ? ["M3 21 21 3", "M3 3 21 21"] : ["M6 18 18 6", "M6 6 18 18"]).slice(0, Math.min(marks, 2));
  return makeSvg("svg", { viewBox: "0 0 24 24", class: "strokes", "aria-hidden": "true" },
    ...lines.map((d) => makeSvg("path", { d })), ...(marks >= need ? [makeSvg("circle", { cx: 12, cy: 12, r: 10.5 })] : []));
}

/** @type {Record<string, string>} */
const TIMES = { triple: "×3", double: "×2" };

/** Returns how often a bed counts, by its ring; nothing where no ring says so. @param {string[]} groups */
export const readMultiplier = (groups) => groups.map((group) => TIMES[group]).find(Boolean);

/** Returns what a short label of a row, a step or a cell stands for.
    @param {Pick<Oche.State, "board">} state @param {string} label */
const resolveLabel = ({ board }, label) => board.legend?.[label] ?? label;

/** What is at play is lit in the table itself. @param {Oche.State} state */
const readUnseenTargets = ({ board, targets }) => (board.row == null ? targets : []);

/** Returns which columns of a sheet are shown: fewer where their heads are words. @param {Oche.State} state */
export function chooseColumns(state) {
  const { rows = [], row = null } = state.board;
  const isWordy = rows.some((/** @type {string} */ each) => words.short(resolveLabel(state, each)).length >= WORDY);
  return chooseAround(countUp(rows), row, COLUMNS[nameDevice()][isWordy ? "wordy" : "usual"]);
}

/** @type {Oche.Face} */
export const sheet = {
  shape: "table",
  aims: readUnseenTargets,
  sum: () => "", // face values are not what counts
  panel(element, state) {
    const { rows = [], row = null } = state.board;
    renderTable(element, state, rows, row, ({ detail }) => detail.cells, (value) => [String(value ?? "")], chooseColumns(state));
  },
  facts: ({ sides }, index) => describeOthers(sides[index].detail, "cells"),
};

const countPoints = (/** @type {number} */ n, kind = "points") => `${n} ${words.unit(kind, n)}`;

/** The rows that one side alone closes, as one list for all: each struck out once it is closed, below what each side
    does and has. @param {HTMLElement} element @param {Oche.State} state @param {boolean} isWall */
function renderClosing(element, state, isWall) {
  const { board: { closing, need, rows = [] }, sides } = state;
  const made = sides[closing].detail.marks;
  setStyle(element, "--columns", Math.ceil(rows.length / Math.ceil(rows.length / (isWall ? 5 : 10))));
  rebuild(element, [rows, closing, made, state.turn.side, sides.map(({ name, score }) => [name, score])], () => [
    make("ul", { className: "roles" }, ...sides.map(({ detail, name, score }, index) => {
      const item = make("li", { className: index === state.turn.side ? "up" : "" }, make("span", { title: name }, name),
        make("b", { test: `points-${index}` }, String(score)), make("small", {}, words.symbol(detail.role ?? "")));
      setSideColour(item, index);
      return item;
    })),
    make("ol", { className: "rounds closing" }, ...rows.map((/** @type {string} */ row, /** @type {number} */ at) => {
      const isClosed = made[at] >= need;
      const name = words.short(resolveLabel(state, row));
      const item = make("li", { test: `cell-${at}`, className: isClosed ? "done" : "", ariaLabel: `${name}, ${words.ofMarks(made[at], need)}` },
        name, ...(need > 1 && !isClosed ? [make("small", {}, ...drawText(words.pips(made[at], need)))] : []));
      setSideColour(item, closing);
      return item;
    }))]);
}

/** @type {Oche.Face} */
export const marks = {
  shape: "table",
  aims: () => [],
  noPoints: true,
  sum: ({ board, turn }) => (turn.points ? countPoints(turn.points, board.unit) : turn.marks ? words.marked(turn.marks) : ""),
  sumLast: ({ board, last }) => last && countPoints(last.points, board.unit),
  note: (dart, { board: { need } }, board) => (need === 1 ? "" : readMultiplier(board.groups(dart.segment)) ?? "×1"),
  panel(element, state) {
    const { rows = [], need = 3 } = state.board;
    const cells = (/** @type {Oche.Side} */ { detail }) => detail.marks;
    const isWall = nameDevice() === "wall";
    if (state.board.closing != null) {
      renderClosing(element, state, isWall);
      return;
    }
    (isWall && state.sides.length <= BESIDE ? renderSlate : renderLyingSlate)(element, state, {
      names: rows,
      isClosed: (at) => state.sides.every((side) => cells(side)?.[at] >= need),
      look(side, at) {
        const value = cells(side)?.[at] ?? 0;
        return [makeStrokes(value, need), words.ofMarks(value, need)];
      },
    });
  },
  worth: (points) => (points ? countPoints(points) : ""),
  facts: ({ sides }, index) => describeOthers(sides[index].detail, "marks"),
};

/** What the visit before came to, where the game says what it counts. @param {Oche.State} state */
const sayLast = ({ board, last }) => (last && board.unit ? `${last.points} ${words.unit(board.unit, last.points)}` : null);

/** @type {Oche.Face} */
export const track = {
  shape: "table",
  hero: ({ board: { steps = [] }, sides, turn }) => words.short(steps[sides[turn.side].detail.at ?? 0] ?? "") || null,
  caption: () => words.target,
  aims: () => [],
  noPoints: true,
  sumLast: sayLast,
  note: () => "",
  /** The others, where they are after each other around the board, and the darts that were left in it. */
  map({ board: { caught = [], stands = [] }, turn }, board) {
    const others = stands.map((/** @type {number} */ number, /** @type {number} */ side) => ({ number, side }))
      .filter((/** @type {{ side: number }} */ { side }) => side !== turn.side);
    rebuild(board.layer, [others, caught], () => [...caught.map((/** @type {string} */ id) => board.leftDart(id)),
      ...others.map((/** @type {{ number: number, side: number }} */ { number, side }) => board.badge(number, side))]);
  },
  panel(element, { board: { steps = [] }, sides, turn }) {
    const at = sides[turn.side].detail.at ?? 0;
    const shown = chooseAround(countUp(steps), Math.min(at, steps.length - 1), MOST_TRACK[nameDevice()]);
    setStyle(element, "--columns", Math.ceil(shown.length / Math.ceil(shown.length / MOST_STEPS)));
    rebuild(element, [steps, at], () => [make("ol", { className: "rounds" }, ...shown.map((step) => {
      if (step === null) return make("li", { className: "more" }, MORE);
      const item = make("li", { test: `step-${step}`, className: step < at ? "done" : step === at ? "now" : "" },
        words.short(steps[step]));
      item.ariaCurrent = step === at ? "step" : null;
      return item;
    }))]);
  },
  facts: ({ board, sides }, index) => {
    const { at = 0, darts, of = board.steps?.length ?? 0, lives: left, taken, ...more } = sides[index].detail;
    return [...(of == null ? [] : [words.done(at, of)]), ...(left == null ? [] : [words.hearts(left, board.lives)]),
      ...(darts == null ? [] : [words.dartsEach(darts)]), ...describeOthers(taken ? { taken, ...more } : more)];
  },
};

/** @param {Oche.State} state @param {number} index */
const drawLives = ({ board, sides }, index) => words.hearts(sides[index].detail.lives ?? 0, board.lives);

/** What a side owns and does beside its lives. @param {Oche.State} state @param {number} index @returns {Oche.Short[]} */
function describeOwned({ sides }, index) {
  const { number, taken, ...more } = sides[index].detail;
  return [...(number ? [words.owns(number)] : []), ...describeOthers({ ...more, ...(taken != null && { lives_taken: taken }) }, "lives")];
}

/** Whether the points of a visit are lives of others. @param {Oche.Side} side */
const takesLives = ({ detail }) => detail.taken != null;

/** @type {Oche.Face} */
export const lives = {
  noPoints: true,
  note: () => "",
  sum: ({ sides, turn }) => (turn.points && takesLives(sides[turn.side]) ? words.taken(turn.points) : ""),
  sumLast: ({ last, sides }) => (last && takesLives(sides[last.side]) ? words.livesTaken(last.points) : null),
  hero(state) {
    const drawn = drawLives(state, state.turn.side);
    return state.board.lives > 1 && /[♥♡]/.test(drawn) ? drawn : null; // one alone, or many, the score tells better
  },
  facts: (state, index) => [drawLives(state, index), ...describeOwned(state, index)].filter(Boolean),
  panel: makeFiguresPanel((state, index) =>
    [...describeOthers(state.board, "lives", "throwing", "legend", "choosing", "target", "notes", "total", "unit"), ...describeOwned(state, index)]), // the task says these
  danger({ board, sides }, index) {
    const { out, detail } = sides[index];
    return out || !board.lives || detail.lives == null ? null : 1 - detail.lives / board.lives;
  },
};

/** What a cell of a grid says of its sides.
    @typedef {{ label: string, owner?: number, marks?: number[], lives?: number, completes?: number[] }} Cell */

/** @type {Record<string, string>} */
const SIGNS = { cross: "M4 4 20 20M20 4 4 20", ring: "M12 3a9 9 0 1 0 .01 0" };
export const makeSign = (/** @type {string} */ name) =>
  makeSvg("svg", { viewBox: "0 0 24 24", class: "strokes drawn", "aria-hidden": "true" }, makeSvg("path", { d: SIGNS[name] }));

/** @param {Cell} cell @param {number} at @param {Oche.State} state */
function makeGridCell({ label, owner, marks: made = [], lives: left, completes = [] }, at, state) {
  const { board: { need = 0, signs = [] }, sides } = state;
  const said = owner != null ? [sides[owner].name] : made.map((count, side) => `${sides[side].name} ${count}`);
  const seen = owner != null ? [signs[owner] ? makeSign(signs[owner]) : String(owner + 1)] : left != null ? drawText(words.hearts(left)) : made.some(Boolean) ? made.map((count, side) => {
    const own = make("span", { className: "pips" }, ...(count ? drawText(words.pips(count, need)) : []));
    setSideColour(own, side);
    return own;
  }) : [];
  const cell = make("div", {
    className: owner != null ? "cell owned" : "cell", test: `cell-${at}`, role: "img",
    ariaLabel: [words.targetName(resolveLabel(state, label)), ...(left != null ? [words.lives(left)] : said)].join(", "),
  }, make("b", {}, words.short(resolveLabel(state, label))), make("small", {}, ...seen));
  cell.classList.toggle("lined", signs.length > 0);
  cell.classList.toggle("completes", completes.length > 0);
  const side = owner ?? completes[0];
  if (side != null) setSideColour(cell, side);
  return cell;
}

/** @type {Oche.Face} */
export const grid = {
  shape: "whole",
  aims: () => [],
  noPoints: true,
  sumLast: sayLast,
  note: () => "",
  points: ({ board, sides }, index) => (board.secret ? (sides[index].out ? words.out : words.stillIn) : null), // the score gives nothing away
  panel(element, state) {
    /** @type {Cell[]} */
    const cells = state.board.cells ?? [];
    setStyle(element, "--columns", state.board.columns ?? 3);
    rebuild(element, cells, () => cells.map((each, at) => makeGridCell(each, at, state)));
  },
  facts: ({ board, sides }, index) => describeOthers({ ...(board.secret && { [board.unit]: sides[index].score }), ...sides[index].detail }),
};
