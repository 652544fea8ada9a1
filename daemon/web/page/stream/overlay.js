/* The overlay: opaque panels over the picture of a stream, in a box of a fixed size in the corner of the window. What stands
   in it, on which side and how large is in the address. What is not decided yet is not shown. */

import { $, keepChildren, make, rebuild, setFittedText, setStyle, setText } from "../dom.js";
import { makeSpans } from "../glyphs.js";
import { describeAim, describeQuestion, isOn, makeDarts, makeOwn, makeSigns, markSide, readScore, readUnit, renderDarts, renderOwn, renderSum } from "./parts.js";
import { store } from "../store.js";
import { text } from "./texts.js";
import { describeEnd, describeProgress, describeSide } from "../wall/describe.js";
import { isReason, sayTask } from "../words/tasks.js";
import { history, words } from "../words/words.js";

/** The shapes, the parts that each can have, and those that it leaves out unless the address names them. */
const SHAPES = {
  full: { parts: ["title", "scores", "visit", "aim", "game", "moments", "board"], unusual: ["board"] },
  strip: { parts: ["title", "scores", "visit", "aim", "moments"], unusual: ["title"] },
};
const SIDES = ["left", "right"];
const LEAST = 50, MOST = 150; // percent
const FEW = 4; // sides that have a line of figures
const COLUMN = 8; // sides below each other
const NOTHING = /^[0./]+$/; // a figure, or several

/** @typedef {{ shape: keyof typeof SHAPES, parts: Set<string>, hasParts: boolean, side: string, size: number, wrong: string }} Choices */

/** Returns what the address asks for; `wrong` says what of it is not possible. @param {URLSearchParams} asked @returns {Choices} */
export function readChoices(asked) {
  const wrong = /** @type {string[]} */ ([]);
  const choose = (/** @type {string} */ name, /** @type {string[]} */ values) => {
    const wanted = asked.get(name) || values[0];
    if (!values.includes(wanted)) wrong.push(text.noChoice(name, wanted, values.join(", ")));
    return values.includes(wanted) ? wanted : values[0];
  };
  const shape = /** @type {keyof typeof SHAPES} */ (choose("shape", Object.keys(SHAPES)));
  const named = (asked.get("parts") ?? "").split(",").map((each) => each.trim()).filter(Boolean);
  const { parts, unusual } = SHAPES[shape];
  const unknown = named.find((each) => !parts.includes(each));
  if (unknown) wrong.push(text.noPart(unknown, parts.join(", ")));
  const size = Number(asked.get("size") || 100);
  const isSize = size >= LEAST && size <= MOST;
  if (!isSize) wrong.push(text.noSize(asked.get("size") ?? "", LEAST, MOST));
  return { shape, parts: new Set(named.length ? named.filter((each) => parts.includes(each)) : parts.filter((each) => !unusual.includes(each))), hasParts: named.length > 0, side: choose("side", SIDES), size: isSize ? size : 100, wrong: wrong.join(" ") };
}

/** Makes the overlay, and returns what draws it, and what the address asks for in vain. @param {HTMLElement} main @param {URLSearchParams} asked */
export function prepareOverlay(main, asked) {
  const choices = readChoices(asked);
  const { parts, shape, side, size, wrong } = choices;
  const root = document.documentElement;
  Object.assign(root.dataset, { overlay: shape, side });
  setStyle(root, "--size", size / 100);
  main.inert = true; // nothing in it is to be pressed
  const own = makeOwn();
  /** @type {Record<string, HTMLElement>} */
  const made = {
    moments: $("moment"), aim: make("section", { className: "panel aiming", test: "aim" }),
    title: make("header", { className: "panel headline", test: "title" }, make("b"), make("span")),
    scores: make("section", { className: "panel scores", test: "scores" }, make("p", { className: "heads" }), make("ol", { ariaLabel: words.labels.sides })),
    visit: make("section", { className: "panel visiting", test: "visit" }, makeDarts(), make("p", { className: "sum", test: "sum" }), make("p", { className: "ended", test: "ended" })),
  };
  const column = Object.entries(made).filter(([name]) => parts.has(name)).map(([, element]) => element);
  if (!parts.has("moments")) $("moment").classList.add("unwanted");
  own.element.classList.add("panel");
  main.replaceChildren(make("div", { className: "column" }, ...column), own.element);
  return { svg: own.svg, draw: () => draw(choices, made, own), wrong };
}

/** @param {Choices} choices @param {Record<string, HTMLElement>} made @param {ReturnType<typeof makeOwn>} own */
function draw({ hasParts, parts, shape }, made, own) {
  const { board, state } = store;
  $("stream").hidden = !state?.sides.length || !board; // nothing is drawn that is not known whole
  if (!state || !board) return;
  setText(made.title.children[0], words.title(state.title));
  setText(made.title.children[1], describeProgress(state));
  renderScores(made.scores, state);
  renderVisit(made.visit, state);
  renderAim(made.aim, state, shape === "strip");
  const isUnusual = board.layout.dartboard === null && shape === "full" && !store.face.sheet; // viewers do not know this face
  renderOwn(own, state, { hasGame: parts.has("game"), hasBoard: parts.has("board") || (isUnusual && !hasParts) });
}

/** @param {HTMLElement} element @param {Oche.State} state */
function renderScores(element, state) {
  const { format, sides } = state;
  const [heads, list] = /** @type {Iterable<HTMLElement>} */ (element.children);
  const hasSets = format.sets > 1, hasLegs = hasSets || format.legs > 1;
  const unit = sides.length ? readUnit(state, state.turn.side) : "";
  rebuild(heads, [hasSets, hasLegs, unit], () => [make("span", { className: "fill" }), ...(hasSets ? [make("span", { className: "wins" }, history.sets)] : []),
    ...(hasLegs ? [make("span", { className: "wins" }, history.legs)] : []), make("span", { className: "unit" }, unit)]);
  heads.hidden = sides.length > COLUMN || (!hasLegs && !unit);
  const columns = Math.ceil(sides.length / COLUMN);
  setStyle(element, "--columns", columns || 1);
  setStyle(element, "--across", Math.ceil(sides.length / columns) || 1);
  setStyle(element, "--digits", Math.max(3, ...sides.map((_, index) => readScore(state, index).length)));
  element.classList.toggle("many", sides.length > FEW);
  keepChildren(list, sides.length, makeRow).forEach((row, index) => {
    const { legs, name, players, sets } = sides[index];
    const [badge, called, signs, wonSets, wonLegs, score, facts] = /** @type {Iterable<HTMLElement>} */ (row.children);
    markSide(row, state, index);
    setText(badge, index + 1);
    setFittedText(called, name);
    rebuild(signs, makeSigns(state, index).map(({ title }) => title), () => makeSigns(state, index));
    setText(wonSets, sets);
    setText(wonLegs, legs);
    [wonSets.hidden, wonLegs.hidden] = [!hasSets, !hasLegs];
    [wonSets.dataset.head, wonLegs.dataset.head] = [history.sets, history.legs];
    setFittedText(score, readScore(state, index));
    const thrower = players.length > 1 && isOn(state) && state.turn.side === index ? [state.turn.player] : [];
    const told = sides.length > FEW ? [] : [...thrower, ...describeDecided(state, index)];
    rebuild(facts, told, () => makeSpans(told));
  });
}

const makeRow = (/** @type {number} */ index) => make("li", { className: "entry", test: `side-${index}` },
  make("span", { className: "badge" }), make("b", { className: "called", test: `name-${index}` }), make("span", { className: "signs" }),
  make("span", { className: "wins" }), make("span", { className: "wins" }), make("b", { className: "score", test: `score-${index}` }),
  make("p", { className: "told", test: `told-${index}` }));

/** Returns what is said of a side beside legs and sets; a figure that is still nothing is none.
    @param {Oche.State} state @param {number} index */
const describeDecided = (state, index) => describeSide({ ...state, format: { ...state.format, legs: 1, sets: 1 } }, index)
  .filter((each) => !Array.isArray(each) || !NOTHING.test(String(each[1])));

/** @param {HTMLElement} element @param {Oche.State} state */
function renderVisit(element, state) {
  const [darts, sum, ended] = /** @type {Iterable<HTMLElement>} */ (element.children);
  const on = isOn(state);
  for (const each of [darts, sum]) each.hidden = !on;
  ended.hidden = on;
  if (on) {
    renderDarts(darts, state);
    renderSum(sum, state);
  } else if (state.sides.length) {
    const { kind, who } = describeEnd(state);
    setFittedText(ended, `${kind}${words.colon}${who}`);
  }
}

/** What there is to do, and what to aim at, where that is not the same in each visit.
    @param {HTMLElement} element @param {Oche.State} state @param {boolean} isAlways it keeps its place when it is empty */
function renderAim(element, state, isAlways) {
  const [label, items] = isOn(state) ? describeAim(state) : ["", []];
  const isTold = !store.face.isDuel || isReason(state);
  const isNamed = !store.face.isDuel || state.hint.length > 0; // else it is the same bed again and again
  const task = isOn(state) ? describeQuestion(state) || (isTold ? sayTask(state.task) : "") : "";
  rebuild(element, [label, items, task], () => [
    ...(task ? [make("p", { className: "task" }, task)] : []),
    ...(items.length && isNamed ? [make("p", { className: "items" }, make("span", {}, label), ...makeSpans(items, "item"))] : []),
  ]);
  element.hidden = !isAlways && !element.childElementCount;
}
