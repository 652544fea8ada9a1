/* Correcting a dart: tap where it really landed, see what was picked, confirm. Two steps on purpose, because a ring
   is thinner than a finger on a phone; and a field to type in, because not everybody can tap. */

import { Board } from "./board.js";
import { $, make, say } from "./dom.js";
import { words } from "./words.js";

let board = null;
let answered = null;

/** Prepares the dialog for a face. */
export function setLayout(layout) {
  board = new Board($("correction-board"), layout);
  $("segment-ids").replaceChildren(...layout.segments.map((segment) => make("option", { value: segment.id })));
  // What is no place on the drawing (a miss, a foul) gets a button; S20 is drawn, as the two singles it stands for.
  // A line, between areas, is typed: there are too many of them.
  const undrawn = layout.segments.filter((segment) => !board.covered(segment.id).length);
  $("correction-off").replaceChildren(...undrawn.map((segment) => make("button", {
    type: "button", textContent: words.segment(segment.id), test: `correction-${segment.id}`,
    onclick: () => pick(segment.id),
  })));
}

/** Opens for one dart ({line, segment}, its number from 1); `amend(line, segment or null)` is called when confirmed. */
export function correct(dart, number, amend) {
  if (!board) return;
  answered = (segment) => amend(dart.line, segment);
  say($("correction-title"), words.correctTitle(number));
  say($("correction-was"), words.wasScored(words.segment(dart.segment)));
  board.show([], [dart]);
  pick("");
  $("correction").showModal();
}

function pick(id) {
  const segment = board.named(id);
  if ($("correction-id").value.trim().toUpperCase() !== id.trim().toUpperCase()) $("correction-id").value = id;
  board.paint("picked", segment ? [segment.id] : []);
  $("correction-ok").disabled = !segment;
  $("correction-ok").dataset.segment = segment?.id ?? "";
  const worth = segment?.points ? ` · ${segment.points}` : "";
  say($("correction-ok"), segment ? words.correct(words.segment(segment.id) + worth) : words.pick);
}

export function prepare() {
  $("correction-board").addEventListener("click", (event) => {
    const id = event.target.closest("[data-segment]")?.dataset.segment;
    if (id) pick(id);
  });
  $("correction-id").addEventListener("input", (event) => pick(event.target.value));
  $("correction-cancel").addEventListener("click", () => $("correction").close(""));
  $("correction").addEventListener("close", () => {
    const how = $("correction").returnValue;
    if (how === "ok") answered($("correction-ok").dataset.segment);
    if (how === "none") answered(null);
    $("correction").returnValue = "";
  });
}
