/* Parts of the page that most visits do without: each is loaded when it is first opened, with its style sheet, by the script
   that opens it. This one names none of them, so that they may import it. */

import { make, showToast } from "./dom.js";
import { words } from "./words/words.js";

let loading = 0;

/** Whether a part is on its way: what is typed now is for it. */
export const isLoading = () => loading > 0;

/** Returns a function that loads a part and opens it, or says why not. Once loaded it opens at once. @template {unknown[]} What
    @param {() => Promise<(...what: What) => Promise<void> | void>} load @param {string} sheet its style sheet */
export function preparePart(load, sheet) {
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
    globalThis.renew?.();
    throw new Error(words.unreachable, { cause: problem });
  } finally {
    loading -= 1;
  }
}

/** The style sheets that are there or on their way. @type {Map<string, Promise<unknown>>} */
const sheets = new Map();

/** Resolves when this style sheet holds; rejects when it does not come: then it is asked for again the next time. @param {string} href */
export function loadSheet(href) {
  const sheet = sheets.get(href) ?? new Promise((done, failed) => {
    const link = make("link", { rel: "stylesheet", href, onload: done, onerror(problem) {
      link.remove();
      sheets.delete(href);
      failed(problem);
    } });
    document.head.append(link);
  });
  sheets.set(href, sheet);
  return sheet;
}
