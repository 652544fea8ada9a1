/* The tables that a side may throw at: the others of this oche, and those of other oches on its broker, which are found by
   and by. Any name can be typed besides. */

import { make } from "../dom.js";
import { ask, pause } from "../link.js";
import { store } from "../store.js";

const LOOK_MS = 500;
const MOST_LOOK_MS = 5_000;

/** The lists that are kept up to date. @type {Set<HTMLElement>} */
const kept = new Set();

/** Fills the list with a button for each table, which writes its name into the field, for as long as it is seen.
    @param {HTMLElement} list @param {HTMLInputElement} field */
export async function offerTables(list, field) {
  if (kept.has(list)) return;
  kept.add(list);
  /** @type {Oche.TableInfo[]} */
  const own = await ask("tables").catch(() => []);
  const offer = (/** @type {string} */ name, /** @type {string} */ title) => {
    if (name === store.table || [...list.children].some((each) => each instanceof HTMLElement && each.dataset.table === name)) return;
    const button = make("button", { type: "button", onclick: () => { field.value = name; } }, title);
    button.dataset.table = name;
    list.append(button);
  };
  for (const { name, table } of own) offer(table, name);
  for (let wait = LOOK_MS; wait === LOOK_MS || list.checkVisibility(); wait = Math.min(2 * wait, MOST_LOOK_MS)) {
    /** @type {Oche.FoundTable[]} */
    const others = await ask("tables/others").catch(() => []);
    for (const { name, title } of others) offer(name, title);
    await pause(wait);
  }
  kept.delete(list);
}
