/* The great moments: a few words flashed large for a fact. Facts come once; a correction or a reconnect repeats none. */

import { $, say } from "./dom.js";
import { words } from "./words.js";

const SHOWN_MS = 2_400;

let timer;

/** Shows what a fact is worth, if it is. */
export function moment(fact, app) {
  const text = words.moment(fact);
  if (!text) return;
  say($("moment"), text);
  $("moment").hidden = false;
  clearTimeout(timer);
  timer = setTimeout(withdraw, SHOWN_MS);
}

/** Takes back what is shown: it has not been so. */
export function withdraw() {
  $("moment").hidden = true;
}
