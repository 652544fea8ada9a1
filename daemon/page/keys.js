/* Single keys for a screen with a keyboard, while nothing that takes letters has the focus. */

import { $ } from "./dom.js";
import { preference } from "./preferences.js";

/** The keys, and the buttons they press. */
export const KEYS = { n: "next", m: "miss", u: "undo", r: "redo", g: "other", "?": "menu" };

export function prepareKeys() {
  addEventListener("keydown", ({ altKey, ctrlKey, key, metaKey, repeat, target }) => {
    if (altKey || ctrlKey || metaKey || repeat || !Object.hasOwn(KEYS, key)) return;
    if (!preference("keys") || preference("kiosk")) return;
    if (!document.querySelector("dialog[open]") && !target.closest?.("input, select")) $(KEYS[key]).click();
  });
}
