/* What a touch sends to the table: commands and tapped darts, one after the other, so that three quick taps are three
   darts and two quick presses of Undo take back two. Each is meant for what the finger saw: where something else was
   faster, or what was sent before it is lost, it is refused, and that is said. */

import { $, showToast } from "./dom.js";
import { post } from "./link.js";
import { put, store } from "./store.js";
import { words } from "./words/words.js";

const DOUBLE_MS = 600; // one of PASSING twice by then is one finger: the second would be the next player's
const PASSING = ["next", "total"];
const TAP_MS = 5_000; // a tap that could not be sent by then is none
const REPEATABLE = ["miss", "undo", "redo", "amend"]; // any other, pressed twice in one state, is meant once

/** Resolves when all that was sent is answered. @type {Promise<unknown>} */
let sent = Promise.resolve();
let unanswered = 0;
let lost = ""; // why one of those that are unanswered came to nothing
/** The commands that are unanswered, each with the match and the line that were shown. @type {string[]} */
const pressed = [];
/** What was pressed last, and when that was or was taken. */
let latest = { command: "", at: 0 };
/** Where what this page has sent has led the match to. @type {{ match: string | null, line: number }} */
let reached = { match: null, line: 0 };

/** Does it when all that was sent before is answered; rejects if that was lost.
    @template Found @param {(lost: string) => Promise<Found>} act @param {(problem: Error) => boolean} isLost */
function inTurn(act, isLost) {
  if (!unanswered) lost = "";
  unanswered += 1;
  const done = sent.then(() => act(lost));
  sent = done.catch((problem) => { if (isLost(problem)) lost = problem.message; }).finally(() => { unanswered -= 1; });
  return done;
}

/** Says why nothing came of it: that the scoreboard did not answer until it is heard of again, anything else for this turn.
    @param {Error} problem */
function sayFailed({ message }) {
  const { state } = store;
  const isOut = message === words.unreachable;
  showToast(message, () => (isOut ? store.state === state : message === words.stale || nameTurn(store.state) === nameTurn(state)));
}

/** Sends a command to the table. Resolves with whether it was taken; if not, why is shown.
    @param {string} name @param {object} [body] @param {boolean} [isTyped] after several keys: the same soon again is meant */
export async function sendCommand(name, body, isTyped = false) {
  const { line = 0, match = null } = store.state ?? {};
  const press = [name, match, line].join(" ");
  const command = JSON.stringify([name, body]);
  const isSoon = command === latest.command && performance.now() - latest.at < DOUBLE_MS;
  if (PASSING.includes(name) && isSoon && !isTyped) return false;
  if (pressed.includes(press) && !REPEATABLE.includes(name)) {
    showToast(words.unanswered, () => pressed.length > 0);
    return false;
  }
  latest = { command, at: performance.now() };
  pressed.push(press);
  put({ isSending: true });
  try {
    await inTurn(async (before) => {
      if (before) throw new Error(before);
      const at = Math.max(line, reached.match === match ? reached.line : 0);
      const answer = await post(`${store.place}/${name}`, { ...body, ...(at && { at }) });
      reached = { match, line: answer.line };
    }, () => true);
    if (command === latest.command) latest.at = performance.now();
    $("toast").hidden = true;
    return true;
  } catch (problem) {
    sayFailed(/** @type {Error} */ (problem));
    return false;
  } finally {
    pressed.splice(pressed.indexOf(press), 1);
    put({ isSending: pressed.length > 0 });
  }
}

/** Answers a question of the game. @param {Oche.Prompt} prompt @param {string} text */
export const sendAnswer = (prompt, text) => sendCommand("choose", { choose: text, prompt: prompt.id });

/** Throws a dart where darts are tapped. The table decides what was hit, and whether that visit is still on; one that had to
    wait too long for a slow link is none. @param {Oche.Tap} dart */
export async function throwDart(dart) {
  const { match = null, turn } = store.state ?? {};
  const until = Date.now() + TAP_MS;
  latest = { command: "", at: 0 }; // what is pressed after a dart is meant, however soon
  store.waiting.add(dart);
  put();
  try {
    const written = await inTurn(async () => {
      if (store.state?.match !== match || Date.now() > until) throw new Error(words.stale);
      /** @type {Oche.TappedDart} */
      const { line, segment } = await post(`${store.place}/tap`, { ...dart, visit: turn?.visit });
      reached = { match, line };
      store.places.set(line, { ...dart, segment });
      return line;
    }, ({ cause }) => cause !== "illegal");
    if (store.lent?.to) await (await import("./far_dart.js")).comeBack(match, written);
  } catch (problem) {
    sayFailed(/** @type {Error} */ (problem));
  } finally {
    store.waiting.delete(dart);
    put();
  }
}

/** Returns by what a turn is told from others. @param {Oche.State | null} state */
export const nameTurn = (state) => state && [state.match, state.set, state.leg, state.round, state.turn?.side].join(" ");

/** Returns by what the next dart is told from others; "" where none is awaited. @param {Oche.State} state */
export const nameNextDart = ({ match, phase, turn }) => (phase === "throwing" ? [match, turn.visit, turn.darts.length].join(" ") : "");
