/* What the pages of the statistics share: links, tables, and how the history is asked. */

import { $, make, setText } from "../dom.js";
import { read } from "../link.js";
import { linkTo } from "../preferences.js";
import { history as words } from "../words/words.js";

/** Returns a link to another of these pages. */
export const linkHere = (/** @type {Record<string, string | null>} */ changes) => linkTo("history", changes);

/** Fills a table of that name; the first cell of a row is its head.
    @param {HTMLElement} element @param {string} name @param {string[]} head @param {(Node | string)[][]} rows */
export function fillTable(element, name, head, rows) {
  const row = (/** @type {string} */ scope) => (/** @type {(Node | string)[]} */ cells) => make("tr", {}, ...cells.map((content, column) => {
    const className = column > 2 && column < 6 ? "spare" : "";
    return scope === "col" || !column ? make("th", { className, scope }, content) : make("td", { className }, content);
  }));
  element.ariaLabel = name;
  element.replaceChildren(make("thead", {}, row("col")(head)), make("tbody", {}, ...rows.map(row("row"))));
}

/** Reads it; says how far it is while the matches are read.
    @template Found @param {string} path @returns {Promise<Found | null>} */
export async function askHistory(path) {
  for (;;) {
    /** @type {Found & Oche.Reading | null} */
    const found = await read(path);
    if (!found?.reading) return found;
    setText($("said"), words.reading(found.reading));
  }
}
