/* The caller: what a visit scored and who requires what, in the browser's own voice; silent unless asked for. And the live
   region: what happens, for those who do not see it. */

import { $, make } from "../dom.js";
import { MOMENTS } from "./facts.js";
import { preference } from "../preferences.js";
import { store } from "../store.js";
import { isReason, sayTask } from "../words/tasks.js";
import { language, words } from "../words/words.js";

const TOTAL = "TOTAL"; // of a visit without beds
const TONS = ["180", "low_ton", "high_ton", "high_out"]; // their number says it
const CHARACTER_MS = 55; // about what a voice takes
const MOST_WAITING = 5;
const MOST_LINES = 8;

/** @type {string[]} */
let waiting = [];
let spokenAt = 0; // when what was said has been spoken
let isAwake = false;
/** The task that each side was told last. @type {string[]} */
const called = [];

/** Says what is worth it among the facts of one input; `state` is what they led to.
    @param {Oche.Fact[]} facts @param {Oche.State} state */
export function callFacts(facts, state) {
  const of = (/** @type {Oche.Fact["event_type"]} */ type) => facts.find((fact) => fact.event_type === type);
  const text = isReason(state) && of("bust") ? sayTask(state.task) : describeResult(of, facts);
  if (text) stopCalling(); // a newer visit cuts off the one before
  speak(text);
  const turn = of("turn_changed");
  if (turn && state.routes?.length && state.turn?.side === turn.side) {
    const { score, detail } = state.sides[state.turn.side];
    speak(words.requires(turn.player, detail.left ?? score)); // in games that go up the score is not what is left
  } else if (turn && state.task && called[state.turn.side] !== state.match + state.task.key) {
    called[state.turn.side] = state.match + state.task.key; // what is the same every visit is said once
    speak(sayTask(state.task));
  }
}

/** Phones let no page speak that did not begin with a touch. */
function wake() {
  if (isAwake || !preference("speech")) return;
  isAwake = true;
  globalThis.speechSynthesis?.speak(new SpeechSynthesisUtterance(""));
}
for (const gesture of ["pointerup", "keyup"]) addEventListener(gesture, wake, true);

/** Says no more of what was begun. */
export function stopCalling() {
  if (preference("speech")) globalThis.speechSynthesis?.cancel();
}

/** @param {(type: Oche.Fact["event_type"]) => Oche.Fact | undefined} of @param {Oche.Fact[]} facts */
function describeResult(of, facts) {
  const won = of("match_won");
  if (won?.isOrder) return words.moment(won);
  if (won) return won.names?.length ? words.gameShotMatch(words.wins(won.names)) : words.over;
  const part = of("set_won") ?? of("leg_won");
  if (part) return `${words.gameShot}. ${words.moment(part)}`;
  if (of("bust")) return words.bust;
  const gains = facts.filter(({ event_type: type, award = "" }) =>
    type in MOMENTS && !TONS.includes(award));
  const visit = of("visit");
  const none = visit && !gains.length && (store.face.callsNoScore || visit.darts?.every((dart) => dart === "MISS" || dart === TOTAL));
  return [...gains.map(words.moment), visit?.points || (none && words.noScore)].filter(Boolean).join(". ");
}

/** @param {string} text */
export function speak(text) {
  if (!text || !preference("speech") || !globalThis.speechSynthesis) return;
  const spoken = new SpeechSynthesisUtterance(text);
  spoken.lang = words.voice;
  spoken.voice = speechSynthesis.getVoices().find((voice) => voice.lang.startsWith(language)) ?? null;
  speechSynthesis.speak(spoken);
}

/** Says a sentence in the live region, as soon as those before it are spoken. While a voice still speaks only the newest
    wait, so that a match of bots leaves no queue behind. @param {string} text */
export function announce(text) {
  if (!waiting.length) setTimeout(sayWaiting, spokenAt - performance.now());
  waiting = [...waiting, text].slice(-MOST_WAITING);
}

function sayWaiting() {
  const text = waiting.join(" ");
  waiting = [];
  spokenAt = performance.now() + text.length * CHARACTER_MS;
  $("log").append(make("p", {}, text));
  if ($("log").children.length > MOST_LINES) $("log").firstElementChild?.remove();
}
