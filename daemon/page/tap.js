/* Playing without a board: a tap on the drawn face is a dart; for a keyboard there is a field. The server decides
   what was hit; the page remembers where the finger was, to put the dart's mark there. */

import { $, make, say } from "./dom.js";
import { send, tableOf } from "./link.js";
import { words } from "./words.js";

const WAIT_MS = 5_000; // a tap that has become no dart by then became none

const places = new Map(); // by line: {x, y, segment}
let waiting = [];
let visit;
let lines = new Set(); // of the darts that were there before
let sending = Promise.resolve(); // one after the other: three quick taps are three darts

/** Sends a dart, {x, y} or {segment}; `failed` is told why it could not be. One that had to wait for a slow link until
    another visit is on, or too long, is none. */
export function tap(table, dart, failed) {
  const wait = { ...dart, until: Date.now() + WAIT_MS };
  const meant = visit;
  if ("x" in dart) waiting.push(wait);
  sending = sending.then(() => {
    if (visit !== meant || Date.now() > wait.until) throw new Error(words.stale);
    return send(tableOf(table), "tap", dart);
  }).catch((problem) => {
    waiting = waiting.filter((each) => each !== wait);
    failed(problem.message);
  });
}

/** Gives the new darts of this state the places of the taps that wait; returns all places by line. */
export function settle({ match, turn }) {
  if (visit !== `${match} ${turn?.visit}`) {
    places.clear();
    lines.clear();
  }
  visit = `${match} ${turn?.visit}`;
  waiting = waiting.filter((each) => each.until > Date.now());
  for (const { line, segment } of turn?.darts ?? []) {
    if (!lines.has(line) && waiting.length) places.set(line, { ...waiting.shift(), segment });
    if (places.get(line)?.segment !== segment) places.delete(line); // corrected since
  }
  lines = new Set(turn?.darts.map((dart) => dart.line));
  return places;
}

/** The line under the board, for this face; `throws` gets {segment}. */
export function prepareTap(board, throws) {
  $("tap").hidden = false;
  $("tap-id").ariaLabel = words.segmentField;
  $("tap-id").placeholder = board.areas.at(-1).id;
  $("tap").onsubmit = (event) => {
    event.preventDefault();
    const text = $("tap-id").value.trim();
    if (text) throws({ segment: board.named(text)?.id ?? text });
    $("tap-id").value = "";
  };
  // What is no place on the face and no miss (it fell off, a foul) gets a button.
  const others = board.layout.segments.filter(({ groups }) => groups.includes("off") || groups.includes("foul"));
  $("tap-off").replaceChildren(...others.map(({ id }) =>
    make("button", { type: "button", test: `tap-${id}`, onclick: () => throws({ segment: id }) }, words.segment(id))));
}

/** Says what a finger on the board does now. */
export function sayTap(state, throwing) {
  say($("tap-text"), throwing ? words.tapBoard : state.prompts?.length ? words.tapAnswer : "");
  document.body.classList.toggle("tapping", throwing);
}
