/* Offers the voice on a wall where nobody has chosen, in its first match: one tap, and it speaks. Loaded when the scoreboard
   stands. */

import { withVoice } from "./caller.js";
import { $, make } from "../dom.js";
import { listPacks } from "./packs.js";
import { choose, isChosen } from "../preferences.js";
import { wake } from "./sounds.js";
import { store, watch } from "../store.js";
import { words } from "../words/words.js";

const button = make("button", { type: "button", className: "small", test: "offer-voice", hidden: true, onclick() {
  choose("speech", "1");
  wake();
  withVoice();
} }, words.menu.offerVoice);

/** The first match. @type {string | null} */
let first = null;
let unwatch = () => {};

async function offer() {
  const packs = await listPacks().catch(() => []);
  if (!packs.length && !globalThis.speechSynthesis?.getVoices().length) return;
  $("join").before(button);
  unwatch = watch(show);
  show();
}

function show() {
  const { match = null, phase } = store.state ?? {};
  first ??= match;
  if (isChosen("speech")) { // here, or in the menu
    unwatch();
    button.remove();
  } else if (first && (match !== first || phase === "over")) choose("speech", ""); // nobody wanted it
  else button.hidden = !first || document.documentElement.dataset.view !== "wall" || store.choices.kiosk !== "";
}

offer();
