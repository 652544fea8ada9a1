/* The live region: what happens, for those who do not see it. While a voice still speaks only the newest waits, so that
   a match of bots leaves no queue behind. */

import { $, make } from "../dom.js";

const CHARACTER_MS = 55; // about what a voice takes
const MOST_WAITING = 5;
const MOST_LINES = 8;

/** @type {string[]} */
let waiting = [];
let spokenAt = 0; // when what was said has been spoken

/** Says a sentence, as soon as those before it are spoken. @param {string} text */
export function announce(text) {
  if (!waiting.length) setTimeout(speak, spokenAt - performance.now());
  waiting = [...waiting, text].slice(-MOST_WAITING);
}

function speak() {
  const text = waiting.join(" ");
  waiting = [];
  spokenAt = performance.now() + text.length * CHARACTER_MS;
  $("log").append(make("p", {}, text));
  if ($("log").children.length > MOST_LINES) $("log").firstElementChild?.remove();
}
