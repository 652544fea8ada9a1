/* A kiosk only shows, and stays awake. It has no buttons: a long press on the title or Escape leaves it. */

import { $ } from "../dom.js";
import { choose, preference } from "../preferences.js";

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
