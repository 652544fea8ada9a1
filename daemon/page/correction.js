/* Correcting a dart: tap where it really landed, or its ring and its number; see what was picked, confirm. Two steps on
   purpose, because a ring is thinner than a finger; and a field to type in, because not everybody can tap. */

import { Board } from "./board.js";
import { $, make, say } from "./dom.js";
import { words } from "./words.js";

const KEYED = /^(\D*)(\d+)(\D*)$/; // T20, 12i: a ring and a number
const TYPED = /^[\w,|!-]$/;
const ORDER = "SDTOI"; // of the rings, as far as a face has them

let drawn; // the face it is prepared for
let board = null;
let keys = new Map(); // segment ids by "ring number"
let held = []; // the ring and the number whose keys are down
let scored = "";
let answered = null;

const parts = (id) => { const [, before, number, after] = KEYED.exec(id) ?? []; return number ? [before + after, number] : []; };
const key = (name, id, text, onclick) =>
  make("button", { type: "button", textContent: text, value: id, test: `correction-${name}${id}`, onclick });

/** Prepares the dialog for a face; what was asked on another one is withdrawn. */
export function setLayout(layout) {
  if (drawn === JSON.stringify(layout)) return;
  drawn = JSON.stringify(layout);
  $("correction").close("");
  board = new Board($("correction-board"), widened(layout));
  $("segment-ids").replaceChildren(...layout.segments.map((segment) => make("option", { value: segment.id })));
  const [keyed, others] = [true, false].map((is) => layout.segments.filter(({ id }) => KEYED.test(id) === is));
  keys = new Map(keyed.map(({ id }) => [parts(id).join(" "), id]));
  const [rings, numbers] = [0, 1].map((part) => [...new Set(keyed.map(({ id }) => parts(id)[part]))]);
  rings.sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b));
  numbers.sort((a, b) => a - b);
  const group = (ring) => keyed.find(({ id }) => parts(id)[0] === ring).groups.find((each) => !/\d/.test(each));
  $("correction-rings").replaceChildren(...rings.map((ring) =>
    key("ring-", ring, words.rings[ring] ?? words.symbol(group(ring)), () => hold(0, ring))));
  $("correction-numbers").replaceChildren(...numbers.map((number) => key("number-", number, number, () => hold(1, number))));
  // The bulls, and what is no place on the drawing (a miss, a foul). A line, between areas, is typed: they are too many.
  const single = others.filter(({ id }) => keys.size || !board.covered(id).length);
  $("correction-off").replaceChildren(...single.map(({ id }) => key("", id, words.spoken(id), () => pick(id))));
}

/** The face with its rings as wide as a finger needs them; every angle stays. */
function widened(layout) {
  const ring = (id) => layout.segments.find((s) => s.id === id)?.outline.flat().map(([x, y]) => Math.hypot(x, y));
  const [inner, bull, triple, double] = ["DB", "SB", "T20", "D20"].map(ring);
  if (!(inner && bull && triple && double)) return layout;
  const { max, min } = Math;
  const from = [0, max(...inner), max(...bull), min(...triple), max(...triple), min(...double), layout.radius];
  const to = [0, 0.09, 0.2, 0.46, 0.64, 0.82, 1].map((share) => share * layout.radius);
  const moved = ([x, y]) => {
    const away = Math.hypot(x, y);
    const k = max(1, from.findIndex((stop) => stop >= away - 1));
    const wide = to[k - 1] + ((away - from[k - 1]) * (to[k] - to[k - 1])) / (from[k] - from[k - 1]);
    return away ? [(x * wide) / away, (y * wide) / away] : [x, y];
  };
  return { ...layout, segments: layout.segments.map((s) => ({ ...s, outline: s.outline.map((each) => each.map(moved)) })) };
}

/** Opens for one dart ({line, segment}, its number from 1); `amend(line, segment or null)` is called when confirmed. */
export function correct(dart, number, amend) {
  if (!board) return;
  answered = (segment) => amend(dart.line, segment);
  scored = dart.segment;
  say($("correction-title"), words.correctTitle(number));
  say($("correction-was"), words.wasScored(words.spoken(scored)));
  board.show([], [dart]);
  held = parts(scored);
  pick("");
  $("correction").showModal();
}

/** A key of the pad: with the ring or the number that is down already, it names a segment. */
function hold(part, value) {
  held[part] = value;
  held[0] ??= $("correction-rings").firstChild.value;
  pick(keys.get(held.join(" ")) ?? "");
}

function pick(id) {
  const segment = board.named(id);
  if (segment) held = [parts(segment.id)[0] ?? held[0], parts(segment.id)[1]];
  if ($("correction-id").value.trim().toUpperCase() !== id.trim().toUpperCase()) $("correction-id").value = id;
  board.paint("picked", segment ? [segment.id] : []);
  [held[0], held[1], segment?.id].forEach((down, part) => {
    for (const each of $(["correction-rings", "correction-numbers", "correction-off"][part]).children) {
      each.ariaPressed = String(each.value === down);
      if (part === 1) each.disabled = !(keys.has(`${held[0]} ${each.value}`) || held[0] === undefined);
    }
  });
  const other = segment && segment.id !== scored;
  $("correction-ok").disabled = !other;
  $("correction-ok").dataset.segment = segment?.id ?? "";
  const worth = segment?.points ? ` · ${segment.points}` : "";
  say($("correction-ok"), other ? words.correct(words.spoken(segment.id) + worth) : words.pick);
}

export function prepare() {
  const [dialog, field] = [$("correction"), $("correction-id")];
  field.placeholder = words.fixed["correction-label"];
  $("correction-board").addEventListener("click", (event) => {
    const id = event.target.closest("[data-segment]")?.dataset.segment;
    if (id) pick(id);
  });
  field.addEventListener("input", () => pick(field.value));
  dialog.addEventListener("keydown", (event) => {
    if (event.target !== field && TYPED.test(event.key) && !event.ctrlKey && !event.metaKey) field.select();
  });
  $("correction-cancel").addEventListener("click", () => dialog.close(""));
  dialog.addEventListener("cancel", () => { dialog.returnValue = ""; });
  dialog.addEventListener("close", () => {
    const how = dialog.returnValue;
    dialog.returnValue = "";
    if (how === "ok") answered($("correction-ok").dataset.segment);
    if (how === "none") answered(null);
  });
}
