/* The live region: what happens, for whoever does not see it. While a voice still speaks only the newest waits, so
   that a match of bots leaves no queue behind. */

import { $, make } from "./dom.js";

const CHARACTER_MS = 55; // about what a voice takes
const MOST_WAITING = 5;
const MOST_LINES = 8;

let waiting = [];
let timer = 0;
let silent = 0; // when what was said has been spoken

/** Says a sentence, as soon as those before it are spoken. */
export function announce(text) {
  waiting = [...waiting, text].slice(-MOST_WAITING);
  timer ||= setTimeout(speak, silent - performance.now());
}

function speak() {
  const text = waiting.join(" ");
  [waiting, timer, silent] = [[], 0, performance.now() + text.length * CHARACTER_MS];
  $("log").append(make("p", {}, text));
  if ($("log").children.length > MOST_LINES) $("log").firstChild.remove();
}
