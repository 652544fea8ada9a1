/* Single keys for a screen with a keyboard, while nothing that takes letters has the focus. */

import { $, findClosest } from "../dom.js";
import { isLoading } from "../parts.js";
import { preference } from "../preferences.js";
import { store } from "../store.js";

/** The keys, and the buttons they press. */
export const KEYS = /** @type {const} */ ({ n: "next", m: "miss", u: "undo", r: "redo", g: "other", j: "join", "?": "menu" });

/** The keys that do something on a device that only looks on. */
const LOOKING = ["j", "?"];

export function prepareKeys() {
  addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.repeat || !Object.hasOwn(KEYS, event.key)) return;
    if (!preference("keys") || preference("kiosk")) return;
    if (store.role === "look" && !LOOKING.includes(event.key)) return;
    if (isLoading() || document.querySelector("dialog[open]") || findClosest(event, "input, select")) return;
    $(KEYS[/** @type {keyof typeof KEYS} */ (event.key)]).click();
  });
}
