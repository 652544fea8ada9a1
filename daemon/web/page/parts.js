/* Parts of the page that most visits do without: each is loaded when it is opened, with its style sheet. */

import { make, showToast } from "./dom.js";
import { renew } from "./renew.js";
import { words } from "./words.js";

/** Opens a part that is on its way, or says why not.
    @template Part @param {Promise<Part>} part @param {string} sheet its style sheet
    @param {(part: Part) => Promise<void> | void} show */
export async function openPart(part, sheet, show) {
  try {
    const [loaded] = await Promise.all([part, loadSheet(sheet)]).catch((problem) => {
      renew();
      throw new Error(words.unreachable, { cause: problem });
    });
    await show(loaded);
  } catch (problem) {
    showToast(/** @type {Error} */ (problem).message);
  }
}

/** Resolves when this style sheet holds; rejects when it does not come. @param {string} href */
function loadSheet(href) {
  if (document.querySelector(`link[href="${href}"]`)) return undefined;
  return new Promise((done, failed) => {
    document.head.append(make("link", { rel: "stylesheet", href, onload: done, onerror: failed }));
  });
}
