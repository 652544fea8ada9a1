/* A screen without fingers: single keys, while nothing that takes letters has the focus, or a kiosk, which only shows, and
   stays awake. It has no buttons: a long press on the title or Escape leaves it. */

import { $, findClosest } from "../dom.js";
import { isLoading } from "../parts.js";
import { choose, preference } from "../preferences.js";
import { store } from "../store.js";

/** The keys, and the buttons they press. */
export const KEYS = /** @type {const} */ ({ n: "next", m: "miss", u: "undo", r: "redo", g: "other", j: "join", "?": "menu" });

/** The keys that do something on a device that only looks on. */
const LOOKING = ["j", "?"];

const HOLD_MS = 2_000;

/** @type {WakeLockSentinel | null} */
let lock = null;

/** Keeps the screen on; the browser lets go of it whenever the page is not seen. */
export async function stayAwake() {
  lock?.release();
  lock = null;
  if (!preference("kiosk") || document.hidden) return;
  try {
    lock = await navigator.wakeLock?.request("screen");
  } catch { /* a low battery, say: the device's own settings rule */ }
}

function leave() {
  if (!preference("kiosk")) return;
  choose("kiosk", "");
  stayAwake();
}

export function prepareKiosk() {
  let holding = 0;
  $("title").addEventListener("pointerdown", () => { holding = setTimeout(leave, HOLD_MS); });
  for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => clearTimeout(holding));
  addEventListener("keydown", ({ key }) => { if (key === "Escape") leave(); });
  document.addEventListener("visibilitychange", stayAwake);
  stayAwake();
}

/** Whether a key may press a button now. @param {KeyboardEvent} event */
export const mayPress = (event) => !(event.altKey || event.ctrlKey || event.metaKey || event.repeat)
  && preference("keys") && !preference("kiosk")
  && !(isLoading() || document.querySelector("dialog[open]") || findClosest(event, "input, select"));

export function prepareKeys() {
  addEventListener("keydown", (event) => {
    if (!Object.hasOwn(KEYS, event.key) || !mayPress(event)) return;
    if (store.role === "look" && !LOOKING.includes(event.key)) return;
    $(KEYS[/** @type {keyof typeof KEYS} */ (event.key)]).click();
  });
}
