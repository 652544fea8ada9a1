/* Parts of the page that most visits do without: each is loaded when it is first opened, with its style sheet. */

import { make, showToast } from "./dom.js";
import { renew } from "./renew.js";
import { words } from "./words/words.js";

export const openLobby = prepare(async () => (await import("./lobby/lobby.js")).openLobby, "static/lobby/lobby.css");
export const openJoin = prepare(async () => (await import("./wall/join.js")).openJoin, "static/wall/menu.css");
export const openIdle = prepare(async () => (await import("./wall/idle.js")).showIdle, "static/wall/idle.css");
export const openMenu = prepare(async () => (await import("./wall/menu.js")).openMenu, "static/wall/menu.css");
export const openRules = prepare(async () => (await import("./lobby/rules.js")).openRules, "static/wall/menu.css");
export const openSummary = prepare(async () => (await import("./wall/summary.js")).showSummary, "static/wall/summary.css");
export const openCorrection = prepare(async () => (await import("./wall/correction.js")).correct, "static/wall/correction.css");
export const openEntry = prepare(async () => (await import("./wall/correction.js")).enterDart, "static/wall/correction.css");
export const openKeypad = prepare(async () => (await import("./wall/keypad.js")).renderKeypad, "static/wall/keypad.css");
export const openTotal = prepare(async () => (await import("./wall/keypad.js")).correctTotal, "static/wall/keypad.css");

let loading = 0;

/** Whether a part is on its way: what is typed now is for it. */
export const isLoading = () => loading > 0;

/** Returns a function that loads a part and opens it, or says why not. Once loaded it opens at once. @template {unknown[]} What
    @param {() => Promise<(...what: What) => Promise<void> | void>} load @param {string} sheet its style sheet */
function prepare(load, sheet) {
  /** @type {((...what: What) => Promise<void> | void) | null} */
  let open = null;
  return async (/** @type {What} */ ...what) => {
    try {
      open ??= await loadPart(load, sheet);
      await open(...what);
    } catch (problem) {
      showToast(/** @type {Error} */ (problem).message);
    }
  };
}

/** @template T @param {() => Promise<T>} load @param {string} sheet */
async function loadPart(load, sheet) {
  loading += 1;
  try {
    const [loaded] = await Promise.all([load(), loadSheet(sheet)]);
    return loaded;
  } catch (problem) {
    renew();
    throw new Error(words.unreachable, { cause: problem });
  } finally {
    loading -= 1;
  }
}

/** Resolves when this style sheet holds; rejects when it does not come. @param {string} href */
export function loadSheet(href) {
  if (document.querySelector(`link[href="${href}"]`)) return undefined;
  return new Promise((done, failed) => {
    document.head.append(make("link", { rel: "stylesheet", href, onload: done, onerror: failed }));
  });
}
