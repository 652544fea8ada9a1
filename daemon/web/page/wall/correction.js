/* Correcting a dart, or entering one that the board has missed: tap where it really landed, or its ring and its number; see
   what was picked, confirm. Two steps on purpose, because a ring is thinner than a finger; and a field to type in, because
   not every player can tap. */

import { Board } from "../board.js";
import { nameNextDart, sendCommand } from "../commands.js";
import { $, findClosest, make, setText } from "../dom.js";
import { findLikely } from "./likely_beds.js";
import { hasSplitSingles } from "../words/naming.js";
import { store } from "../store.js";
import { readBed } from "../words/typing.js";
import { words } from "../words/words.js";

const KEYED = /^(\D*)(\d+)(\D*)$/; // T20, 12i: a ring and a number
const TYPED = /^[\w,|!·-]$/;
const ORDER = "SDTOI"; // of the rings, as far as a face has them

/** The face it is prepared for. @type {Oche.Layout | null} */
let drawn = null;
let isSplit = false; // does the game tell inner and outer singles apart?
/** @type {Board | null} */
let board = null;
/** Segment ids by "ring number". @type {Map<string, string>} */
let keys = new Map();
/** The ring and the number whose keys are down. @type {(string | undefined)[]} */
let held = [];
/** The dart to be corrected; without a segment the next one, which is not there yet.
    @typedef {Pick<Oche.Dart, "close" | "line" | "point" | "segment" | "unread">} Asked @type {Asked} */
let asked = { line: 0, segment: "" };
/** Where the points of the face are drawn here. @type {(point: Oche.Point2) => Oche.Point2} */
let widenPoint = (point) => point;
/** The beds that are offered first. */
const likely = make("div", { id: "correction-likely", className: "keys", role: "group", ariaLabel: words.likely, test: "correction-likely" });

/** Returns the ring and the number of a segment; nothing where it has none. @param {string} id */
function splitId(id) {
  const [, before, number, after] = KEYED.exec(id) ?? [];
  return number ? [before + after, number] : [];
}

/** @param {string} name @param {string} id @param {string} text @param {() => void} onclick */
const makeKey = (name, id, text, onclick) =>
  make("button", { type: "button", textContent: text, value: id, test: `correction-${name}${id}`, onclick });

/** Returns the segment as the game tells it: the whole single, unless its halves differ. @param {string} id */
const widen = (id) => (isSplit ? id : id.replace(/^[OI](?=\d)/, "S"));

/** Prepares the dialog for a face. @param {Oche.Layout} layout @param {boolean} isSplitNow */
function setLayout(layout, isSplitNow) {
  if (drawn === layout && isSplit === isSplitNow) return;
  [drawn, isSplit] = [layout, isSplitNow];
  widenPoint = findWidening(layout);
  const segments = layout.segments.map((s) => ({ ...s, outline: s.outline.map((each) => each.map(widenPoint)) }));
  const face = new Board($("correction-board"), { ...layout, segments });
  board = face;
  const [keyed, others] = [true, false].map((is) =>
    layout.segments.filter(({ id }) => KEYED.test(id) === is && widen(id) === id));
  keys = new Map(keyed.map(({ id }) => [splitId(id).join(" "), id]));
  const [rings, numbers] = [0, 1].map((part) => [...new Set(keyed.map(({ id }) => splitId(id)[part]))]);
  rings.sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b));
  numbers.sort((a, b) => Number(a) - Number(b));
  const nameNumber = (/** @type {string} */ number) => (rings.includes("i") ? [...number].join("·") : number);
  const group = (/** @type {string} */ ring) =>
    keyed.find(({ id }) => splitId(id)[0] === ring)?.groups.find((each) => !/\d/.test(each)) ?? ring;
  $("correction-rings").replaceChildren(...rings.map((ring) =>
    makeKey("ring-", ring, words.rings[ring] ?? words.symbol(group(ring)), () => hold(0, ring))));
  $("correction-numbers").replaceChildren(...numbers.map((number) => makeKey("number-", number, nameNumber(number), () => hold(1, number))));
  // The bulls, and what is no place on the drawing (a miss, a foul). A line, between areas, is typed: they are too many.
  const single = others.filter(({ id }) => keys.size || !face.covered(id).length);
  $("correction-off").replaceChildren(...single.map(({ id }) => makeKey("", id, words.spoken(id), () => pick(id))));
}

/** Returns what moves the points of a face so that its rings are as wide as a finger needs them; every angle stays.
    @param {Oche.Layout} layout @returns {(point: Oche.Point2) => Oche.Point2} */
function findWidening(layout) {
  const ring = (/** @type {string} */ id) =>
    layout.segments.find((s) => s.id === id)?.outline.flat().map(([x, y]) => Math.hypot(x, y));
  const [inner, bull, triple, double] = ["DB", "SB", "T20", "D20"].map(ring);
  if (!(inner && bull && triple && double)) return (point) => point;
  const { max, min } = Math;
  const from = [0, max(...inner), max(...bull), min(...triple), max(...triple), min(...double), layout.radius];
  const to = [0, 0.09, 0.2, 0.46, 0.64, 0.82, 1].map((share) => share * layout.radius);
  return ([x, y]) => {
    const away = Math.hypot(x, y);
    if (away > layout.radius + 1) return [x, y];
    const k = max(1, from.findIndex((stop) => stop >= away - 1));
    const wide = to[k - 1] + ((away - from[k - 1]) * (to[k] - to[k - 1])) / (from[k] - from[k - 1]);
    return away ? [(x * wide) / away, (y * wide) / away] : [x, y];
  };
}

const describeAsked = () => (asked.unread ? words.wasUnread : asked.segment ? words.wasScored(words.spoken(asked.segment, isSplit)) : words.enterHelp);

/** Opens for one dart, the `number`th of its visit. @param {Oche.Dart} dart @param {number} number */
export const correct = (dart, number) => open(dart, words.correctTitle(number), "");

/** Opens for the next dart of the visit, while it is the next. */
export function enterDart() {
  const { state } = store;
  if (state) open({ line: 0, segment: "" }, words.enterTitle(state.turn.darts.length + 1), nameNextDart(state));
}

/** @param {Asked} dart @param {string} title @param {string} next "": it is corrected */
function open(dart, title, next) {
  if (!store.board) return;
  setLayout(store.board.layout, hasSplitSingles(store.state));
  asked = { ...dart, segment: widen(dart.segment) };
  $("correction").dataset.next = next;
  $("correction-none").hidden = !asked.segment;
  setText($("correction-title"), title);
  setText($("correction-was"), describeAsked());
  board?.show([], asked.segment ? [{ ...dart, point: dart.point && widenPoint(dart.point) }] : []);
  likely.replaceChildren(...findLikely(store.board.layout, dart, widen).map(makeLikely));
  likely.hidden = !likely.childElementCount;
  held = splitId(asked.segment);
  pick("");
  $("correction").showModal();
}

/** Makes the button of a likely bed, which needs no second step: it is as large as a finger. @param {string} id */
function makeLikely(id) {
  const seen = words.segment(id, isSplit);
  const button = makeKey("likely-", id, seen, () => {
    pick(id);
    $("correction-ok").click();
  });
  button.ariaLabel = `${seen}${words.colon}${words.correct(words.spoken(id, isSplit))}`;
  return button;
}

/** A key of the pad: with the ring or the number that is down already, it names a segment.
    @param {0 | 1} part @param {string} value */
function hold(part, value) {
  held[part] = value;
  held[0] ??= findButtons("correction-rings")[0].value;
  pick(keys.get(held.join(" ")) ?? "");
}

/** @param {"correction-rings" | "correction-numbers" | "correction-off"} id */
const findButtons = (id) => /** @type {HTMLButtonElement[]} */ ([...$(id).children]);

/** Shows what the dart would become; "" is nothing yet. @param {string} id @param {boolean} [isTyped] */
function pick(id, isTyped) {
  const [field, ok] = [$("correction-id"), $("correction-ok")];
  const segment = board?.byId.get(widen(id));
  if (segment) held = [splitId(segment.id)[0] ?? held[0], splitId(segment.id)[1]];
  if (!isTyped) field.value = segment ? words.segment(segment.id, isSplit) : "";
  board?.light("picked", segment ? [segment.id] : []);
  for (const each of findButtons("correction-rings")) each.ariaPressed = String(each.value === held[0]);
  for (const each of findButtons("correction-off")) each.ariaPressed = String(each.value === segment?.id);
  for (const each of findButtons("correction-numbers")) {
    each.ariaPressed = String(each.value === held[1]);
    each.disabled = !(keys.has(`${held[0]} ${each.value}`) || held[0] === undefined);
  }
  const other = segment && (asked.unread || segment.id !== asked.segment) ? segment : null;
  ok.disabled = !other;
  ok.dataset.segment = segment?.id ?? "";
  const worth = segment?.points ? ` · ${segment.points}` : "";
  setText(ok, other ? words.correct(words.spoken(other.id, isSplit) + worth) : words.pick);
}

/** Reads what is typed; nothing typed is no mistake. */
function read() {
  const typed = $("correction-id").value;
  return typed.trim() && drawn ? readBed(typed, drawn) : {};
}

function prepare() {
  const [dialog, field] = [$("correction"), $("correction-id")];
  field.placeholder = words.fixed["correction-label"];
  $("correction-was").after(likely);
  $("correction-board").addEventListener("click", (event) => {
    const id = findClosest(event, "[data-segment]")?.dataset.segment;
    if (id) pick(id);
  });
  field.addEventListener("input", () => pick(read().id ?? "", true));
  const explain = () => setText($("correction-was"), read().refusal ?? describeAsked());
  field.addEventListener("change", explain);
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.repeat) return;
    event.preventDefault(); // else the list of beds takes the key, as in WebKit
    explain();
    $("correction-ok").click();
  });
  dialog.addEventListener("keydown", (event) => {
    if (event.target !== field && TYPED.test(event.key) && !event.ctrlKey && !event.metaKey) field.select();
  });
  $("correction-cancel").addEventListener("click", () => dialog.close(""));
  dialog.addEventListener("cancel", () => { dialog.returnValue = ""; });
  dialog.addEventListener("close", () => {
    const how = dialog.returnValue;
    dialog.returnValue = "";
    const segment = how === "ok" ? $("correction-ok").dataset.segment : null;
    if (how !== "ok" && how !== "none") return;
    if (asked.segment) sendCommand("amend", { amend: asked.line, throw: segment });
    else sendCommand("throw", { throw: segment });
  });
}

prepare();
