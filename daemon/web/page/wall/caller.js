/* The caller: says what happens, where it is asked for; its voice is a part that is loaded then. And the live region: what
   happens, for those who do not see it. */

import { $, make } from "../dom.js";
import { preference } from "../preferences.js";

const CHARACTER_MS = 55; // about what a voice takes
const BEHIND_MS = 100; // the facts that it belongs to are called first
const MOST_WAITING = 5;
const MOST_LINES = 8;

/** @type {string[]} */
let waiting = [];
let spokenAt = 0; // when what was said has been spoken
/** @type {Promise<typeof import("./voice.js")> | null} */
let voice = null;

async function loadVoice() {
  const loaded = await import("./voice.js");
  await loaded.prepareVoice();
  return loaded;
}

/** Does something with the voice, in turn, where this screen is to speak.
    @param {(voice: typeof import("./voice.js")) => void} act */
export async function withVoice(act = () => {}) {
  if (!preference("speech")) return;
  voice ??= loadVoice();
  try {
    act(await voice);
  } catch {
    voice = null; // what did not come is asked for again
  }
}

/** Calls what is worth it among the facts of one input; `state` is what they led to.
    @param {Oche.Fact[]} facts @param {Oche.State} state */
export function callFacts(facts, state) {
  const now = performance.now();
  withVoice((loaded) => loaded.callFacts(facts, state, now));
}

/** Plays what a rule of the owner names. @param {string} key */
export function playSound(key) {
  setTimeout(() => withVoice((loaded) => loaded.playSound(key)), BEHIND_MS);
}

/** Takes back what is said, as it has not been so; what was corrected is called as it is now, if its call has not begun.
    @param {boolean} isCorrected @param {Oche.State | null} state */
export function takeBackCalls(isCorrected, state) {
  withVoice((loaded) => loaded.takeBack(isCorrected, state));
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

withVoice();
