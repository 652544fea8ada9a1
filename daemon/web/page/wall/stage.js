/* The stage of a wall: a great moment is shown as a scene that people see across the room. It stands beside the board, in whose beds the
   darts of the visit fly in, and over no button. It is gone with the next dart, an undo or a correction; nothing of it stays on the page.
   It is loaded once the wall stands. What it does not know, and what a wall without scenes shows, is a label: see moments.js. */

import { makeFace } from "../avatar.js";
import { nameNextDart } from "../commands.js";
import { $, make, makeSvg, rebuild, setFittedText, setSideColour, setStyle } from "../dom.js";
import { makeConfetti } from "./confetti.js";
import { useStage } from "./moments.js";
import { loadSheet } from "../parts.js";
import { preference } from "../preferences.js";
import { drawScene } from "./scene_drawings.js";
import { chooseScene, findNextThrower, listDarts } from "./scenes.js";
import { store, watch } from "../store.js";
import { makeWalkOn } from "./walk_on.js";
import { findPlayer } from "./wall_players.js";
import { importTexts, words } from "../words/words.js";

/** @type {[{ scenes: Oche.ScenesLanguage }, { badges: Oche.BadgesLanguage }]} */
const [{ scenes }, { badges: { named, tiers } }] = await Promise.all([importTexts("scenes"), importTexts("badges")]);
const text = { ...scenes, named, tiers };

const SHORT_MS = 1_200;
const WALK_ON_MS = 12_000; // unless a dart is thrown before
const MOST_WAITING = 3;
const CONFETTI = 24, MOST_AT_ONCE = 8;
const LEAST_PX = 90; // of a place that a scene is put in
const FLATTEST = 3; // times as wide as high; what is wider shows no more
const LEAST_SHARE = 0.3; // of the height of the match that there should be beside the board
/** What of its place the great text has: the width, and the height. */
const ROOM = { number: [0.95, 0.64], count: [0.95, 0.52], portrait: [0.53, 0.64] };
const MOST_TALLER = 1.5, MOST_WIDER = 1.25; // that letters are drawn, to fill it
const SAMPLE_PX = 100;
const AROUND = ["face", "hero", "visit", "result", "summary", "sides"]; // what leaves the place
const NEAR = 0.028; // of the radius of the board: between two darts in one bed, so that all are in it

const stage = make("div", { id: "stage", test: "stage", hidden: true, ariaHidden: "true" });
const pen = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));
/** Where a scene stands, and where the board is drawn; null: it is not seen. @typedef {{ box: DOMRect, isOverBoard: boolean, board: DOMRect | null }} Place */

let ending = 0;
/** Fits the scene to its place, which the face of a game, a question or a summary that come change. */
let refit = () => {};
const sizes = new ResizeObserver(() => refit());
const changes = new MutationObserver(() => refit()); // in a place of the same size the buttons of a summary may be elsewhere, and the board
/** By what the dart is known that ends the scene. */
let awaited = "";
/** The match that is on, whether it is thrown for the order of the next, and whether the one before it was: then who plays has been shown. */
const current = { match: store.state?.match, isOrder: false, hadOrder: false };
/** Scenes that let the one before them end. @type {{ scene: import("./scenes.js").Scene, facts: Oche.Fact[], state: Oche.State }[]} */
let waiting = [];

/** Shows what happened as a scene; returns whether it does. @param {Oche.Fact[]} facts @param {Oche.Fact} greatest @param {Oche.State} state */
function play(facts, greatest, state) {
  if (!preference("scenes") || document.documentElement.dataset.view !== "wall") return false;
  if (facts.some(({ event_type: type }) => type === "match_started")) return walkOn(state);
  const scene = chooseScene(facts, greatest, state, text);
  if (!scene || (scene.waits && state.phase !== "over")) return false; // a badge that comes when the next match is on: a label
  if (scene.waits && !stage.hidden) waiting = [...waiting, { scene, facts, state }].slice(-MOST_WAITING);
  else return !isStill(state) || show(scene, facts, state);
  return true;
}

/** Whether no dart has followed on this state. @param {Oche.State} state */
const isStill = (state) => Boolean(store.state && store.state.match === state.match && nameNextDart(store.state) === nameNextDart(state));

/** Shows a scene; returns whether there is a place for it. @param {import("./scenes.js").Scene} scene @param {Oche.Fact[]} facts @param {Oche.State} state */
function show(scene, facts, state) {
  const name = make("b");
  setFittedText(name, scene.player);
  const foot = make("div", { className: "foot" },
    make("p", { className: "hero-name" }, name, make("span", { className: "note" }, scene.note)), ...makeNext(facts, state));
  const number = make("p", { className: "number" });
  const plate = make("div", { className: "plate" }, drawScene(scene.id), makeThrower(scene.player, scene.side), number, foot);
  const element = make("section", { className: "scene" }, plate);
  if (scene.id === "match_won") addOnceDrawn(plate, makeConfetti(CONFETTI));
  Object.assign(element.dataset, { scene: scene.id, layout: scene.layout, tier: scene.tier });
  setSideColour(element, scene.side);
  const layer = scene.flies && store.board ? makeBoardLayer(store.board, listDarts(state, scene.side)) : null;
  return put(element, scene.ms, ({ board, box, isOverBoard }) => {
    setBox(plate, box);
    fillNumber(number, scene.text, box, ROOM[scene.layout]);
    if (!layer) return;
    if (isOverBoard || !board) return layer.remove();
    setBox(layer, board);
    if (!layer.parentElement) element.append(layer); // only then, for whatever is put in again moves again
  });
}

/** Adds what moves over a scene once that is drawn, few at a time: all at once takes a slow processor too long. @param {HTMLElement} parent @param {HTMLElement[]} parts */
const addOnceDrawn = (parent, parts) => requestAnimationFrame(() => requestAnimationFrame(() => {
  parent.append(...parts.slice(0, MOST_AT_ONCE));
  if (parts.length > MOST_AT_ONCE) addOnceDrawn(parent, parts.slice(MOST_AT_ONCE));
}));

/** Shows who plays now, before the first dart; returns whether it does. @param {Oche.State} state */
function walkOn(state) {
  const isWanted = preference("scenes") !== "short" && state.sides.length > 1 && state.sides.length <= 4 && !current.hadOrder && $("seats").hidden;
  if (!isWanted || !isStill(state)) return false;
  const plate = makeWalkOn(state, text);
  plate.append(make("div", { className: "foot" }, ...makeNext([], state)));
  const element = make("section", { className: "scene" }, plate);
  element.dataset.scene = "walk_on";
  return put(element, WALK_ON_MS, ({ box }) => setBox(plate, box));
}

/** Puts a scene on the stage, where there is a place for it; returns whether there is. @param {HTMLElement} element @param {number} ms
    @param {(place: Place) => void} arrange fits it to its place, now and whenever that changes */
function put(element, ms, arrange) {
  const first = findPlace();
  if (!first) return false;
  arrange(first);
  let latest = JSON.stringify(first);
  clear();
  const isShort = preference("scenes") === "short";
  element.classList.toggle("short", isShort);
  awaited = store.state ? nameNextDart(store.state) : "";
  stage.replaceChildren(element);
  stage.hidden = false;
  ending = setTimeout(showWaiting, isShort ? Math.min(ms, SHORT_MS) : ms);
  refit = () => {
    const place = findPlace();
    if (!place) return clear();
    if (latest !== (latest = JSON.stringify(place))) arrange(place);
  };
  for (const each of /** @type {Oche.FixedId[]} */ (AROUND)) sizes.observe($(each));
  changes.observe($("summary"), { childList: true, subtree: true });
  changes.observe($("board"), { attributeFilter: ["preserveAspectRatio"] }); // a face that comes moves it to a corner of its place
  return true;
}

/** Ends the scene, and those that wait for it. */
function end() {
  waiting = [];
  clear();
}

function clear() {
  clearTimeout(ending);
  if (stage.hidden) return;
  sizes.disconnect();
  changes.disconnect();
  refit = () => {};
  stage.hidden = true;
  stage.replaceChildren();
}

function showWaiting() {
  clear();
  const following = waiting.shift();
  if (following && isStill(following.state)) show(following.scene, following.facts, following.state);
}

/** Returns where a scene may stand: the largest place beside the board, or above or below it, that is free of buttons; where they leave little,
    as after a match, the place of the board. Null where there is none. @returns {Place | null} */
function findPlace() {
  const main = /** @type {HTMLElement} */ (stage.parentElement).getBoundingClientRect(), face = $("face").getBoundingClientRect();
  const places = face.width ? [
    makeBox(main.left, face.top, face.left, face.bottom), makeBox(face.right, face.top, main.right, face.bottom),
    makeBox(main.left, main.top, main.right, face.top), makeBox(main.left, face.bottom, main.right, main.bottom),
  ] : [main];
  const area = (/** @type {DOMRect} */ { height, width }) => height * Math.min(width, FLATTEST * height);
  const buttons = listButtons();
  const beside = places.map((each) => leaveFree(each, buttons)).reduce((most, each) => (area(each) > area(most) ? each : most));
  const isLow = beside.height < main.height * LEAST_SHARE;
  const over = isLow ? leaveFree(face, buttons) : beside;
  const isOverBoard = area(over) > area(beside);
  const { height, width, x, y } = isOverBoard ? over : beside;
  const gap = Math.min(main.width, main.height) / 80;
  return height > LEAST_PX && width > LEAST_PX ? { box: new DOMRect(x - main.x, y - main.y, width - gap, height - gap), isOverBoard, board: findBoard(main) } : null;
}

const makeBox = (/** @type {number} */ left, /** @type {number} */ top, /** @type {number} */ right, /** @type {number} */ bottom) =>
  new DOMRect(left, top, Math.max(0, right - left), Math.max(0, bottom - top));

/** Returns the highest part of a box that none of these is in. @param {DOMRect} box @param {DOMRect[]} others */
function leaveFree({ bottom, left, right, top }, others) {
  const inside = others.filter((each) => each.left < right && each.right > left && each.top < bottom && each.bottom > top).sort((one, other) => one.top - other.top);
  let from = top, found = makeBox(left, top, right, top);
  for (const each of [...inside, makeBox(left, bottom, right, bottom)]) {
    if (each.top - from > found.height) found = makeBox(left, from, right, each.top);
    from = Math.max(from, each.bottom);
  }
  return found;
}

/** Returns the boxes of what can be pressed in the match; in a kiosk that is nothing. */
const listButtons = () => (preference("kiosk") ? [] : [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("main :is(button:enabled, input, a, #prompts, #seats, #tap)"))]
  .filter((each) => each.checkVisibility()).map((each) => each.getBoundingClientRect()));

/** @param {HTMLElement} element @param {DOMRect} box */
function setBox(element, { height, width, x, y }) {
  for (const [name, value] of Object.entries({ "--left": x, "--top": y, "--wide": width, "--tall": height })) setStyle(element, name, `${value.toFixed(1)}px`);
}

/** Writes the great text as large as its place allows: in as many lines as make it largest, and a little taller or wider than letters are.
    @param {HTMLElement} number @param {string} great @param {DOMRect} place @param {number[]} room */
function fillNumber(number, great, { height, width }, [wide, tall]) {
  const { fontFamily } = getComputedStyle(document.body);
  pen.font = `850 ${SAMPLE_PX}px ${fontFamily}`;
  const isFlat = /^[\d\n]+$/.test(great); // has nothing below its line
  const line = isFlat ? 0.78 : 1.02; // of the size of the letters
  const drop = isFlat ? 0.03 : 0; // what figures are above the middle of their line
  const fits = splitWays(great).map((lines) => {
    const widest = Math.max(...lines.map((each) => pen.measureText(each).width)) / SAMPLE_PX;
    const [across, down] = [(wide * width) / widest, (tall * height) / (line * lines.length)];
    return { lines, size: Math.min(across, down), taller: Math.min(MOST_TALLER, Math.max(1, down / across)), wider: Math.min(MOST_WIDER, Math.max(1, across / down)) };
  });
  const best = fits.reduce((most, each) => (each.size * Math.sqrt(each.taller) > most.size * Math.sqrt(most.taller) ? each : most));
  rebuild(number, best.lines, (lines) => lines.map((each, place) => {
    const part = make("span", {}, each);
    setStyle(part, "--place", place);
    return part;
  }));
  for (const [name, value] of Object.entries({ "--size": `${best.size.toFixed(1)}px`, "--line": line, "--drop": `${drop}em`, "--taller": best.taller.toFixed(3), "--wider": best.wider.toFixed(3) })) setStyle(number, name, value);
}

/** Returns in which lines a text can stand: in those it has, else in one, and in more where it has blanks. @param {string} great */
function splitWays(great) {
  const lines = great.split("\n");
  const parts = great.split(" ");
  if (lines.length > 1 || parts.length === 1) return [lines];
  const cuts = parts.slice(1).map((_, place) => [parts.slice(0, place + 1).join(" "), parts.slice(place + 1).join(" ")]);
  return [lines, ...cuts, ...(parts.length > 2 ? [parts] : [])];
}

/** Returns the face of who has thrown, or the letter. @param {string} name @param {number | undefined} side */
function makeThrower(name, side) {
  const face = makeFace({ ...findPlayer(name), name, colour: side ?? 0 });
  face.removeAttribute("loading"); // it is wanted at once
  return face;
}

/** Returns who throws next, which has to be read over every scene. @param {Oche.Fact[]} facts @param {Oche.State} state */
function makeNext(facts, state) {
  const next = findNextThrower(facts, state, store.plan);
  if (!next) return [];
  const element = make("p", { className: "next-thrower" }, make("span", {}, words.toThrow(next.name)), " ", make("b", {}, next.score));
  setStyle(element, "--chars", words.toThrow(next.name).length);
  setSideColour(element, next.side);
  return [element];
}

/** Returns where the board is drawn, which is less than its place; null where it is not seen. @param {DOMRect} main */
function findBoard(main) {
  const svg = $("board"), matrix = svg.getScreenCTM();
  if (!matrix || !svg.checkVisibility() || !$("prompts").hidden) return null;
  const { height, width, x, y } = svg.viewBox.baseVal;
  return new DOMRect(matrix.a * x + matrix.e - main.x, matrix.d * y + matrix.f - main.y, matrix.a * width, matrix.d * height);
}

/** Returns what lies over the board, a dart in each bed. @param {import("../board.js").Board} board @param {Oche.Dart[]} darts */
function makeBoardLayer(board, darts) {
  const { height, width, x, y } = $("board").viewBox.baseVal;
  const layer = make("div", { className: "over-board" }, make("i", { className: "ring" }));
  /** @type {Map<string, number>} */
  const seen = new Map();
  const flights = darts.flatMap((dart, place) => {
    const at = findPoint(board, dart, seen);
    if (!at) return [];
    const flight = make("i", { className: "flight" }, drawDart());
    const vars = { "--x": ((at[0] - x) / width) * 100, "--y": ((at[1] - y) / height) * 100, "--place": place, "--lean": Number(at[0] > 0.1 * width) };
    for (const [name, value] of Object.entries(vars)) setStyle(flight, name, Number(value.toFixed(2)));
    return [flight];
  });
  addOnceDrawn(layer, flights);
  return layer;
}

/** Returns where a dart is in the drawing of the board: where a sensor or a finger says so, else in its bed. @param {import("../board.js").Board} board
    @param {Oche.Dart} dart @param {Map<string, number>} seen how many darts an area has already */
function findPoint(board, { line, point, segment }, seen) {
  const tap = store.places.get(line);
  if (point) return board.keepInside(point, 0);
  if (tap?.x !== undefined && tap.segment === segment) return [tap.x, -tap.y];
  return board.beside(segment, board.layout.radius * NEAR, seen);
}

/** Returns a dart as the thrower sees it: its point is in the corner above to the left. */
const drawDart = () => makeSvg("svg", { viewBox: "0 0 100 100" },
  makeSvg("path", { class: "shadow", d: "M2 6L28 36 70 84 96 104 108 92 80 72 34 30Z" }),
  makeSvg("path", { class: "tip", d: "M0 0L25 21 21 25Z" }), makeSvg("path", { class: "barrel", d: "M20 16L52 44 44 52 16 20Q16 16 20 16Z" }),
  makeSvg("path", { class: "grip", d: "M26 21l-5 5M31 26l-5 5M36 30l-6 6M41 35l-6 6M46 39l-7 7" }), makeSvg("path", { class: "shaft", d: "M50 46L76 70 70 76 46 50Z" }),
  makeSvg("path", { class: "wing", d: "M64 62L88 50 108 70 104 104 70 70Z" }), makeSvg("path", { class: "wing far", d: "M62 64L50 88 70 108 104 104 70 70Z" }));

function follow() {
  const { state } = store;
  if (!state) return;
  if (!stage.hidden && nameNextDart(state) !== awaited) end();
  const isOrder = state.board.order !== undefined;
  if (state.match !== current.match) Object.assign(current, { match: state.match, hadOrder: current.isOrder });
  current.isOrder = isOrder;
}

await loadSheet("static/wall/stage.css");
document.querySelector("main")?.append(stage);
watch(follow);
follow();
useStage({ play, end });
