/* The way from the scoreboard to a hand on a phone: a code for each seat, shown as a match begins and later behind a
   small button, until a phone has used it. */

import { $, make, makeSvg, rebuild, setText, showToast } from "../dom.js";
import { read, tablePath } from "../link.js";
import { store } from "../store.js";
import { words } from "../words/words.js";

const QUIET = 4; // modules of white around a code, without which readers fail

/** The match whose codes were shown by themselves. @type {string | null | undefined} */
let match;
let isWanted = false;
let isAwaited = false; // by who starts a match here
let isReading = false;
let isUnread = false; // a newer state came, for which the codes have to be read

export function prepareSeats() {
  $("hands").onclick = () => { isWanted = Boolean($("seats").hidden); refresh(); };
  $("seats-close").onclick = () => {
    isWanted = false;
    refresh();
    $("hands").focus();
  };
}

/** Has the next match show its codes in any view, and the focus there. @param {boolean} isSo */
export function awaitSeats(isSo) {
  isAwaited = isSo;
}

/** On every state: asks once for a new match, and while codes are shown; they make way for the first dart.
    @param {Oche.State} state */
export function followSeats(state) {
  if (state.match !== match) {
    match = state.match;
    isWanted = state.turn?.visit === 1 && (isAwaited || document.documentElement.dataset.view === "wall"); // else in the way
  } else if (!isWanted) return;
  if (state.turn?.darts.length) isWanted = false;
  refresh();
}

async function refresh() {
  isUnread = true;
  if (!isWanted) $("seats").hidden = true; // whatever the codes are, a dart does not wait for them
  if (isReading) return; // and then once more
  isReading = true;
  /** @type {Oche.FreeSeat[]} */
  let seats = [];
  while (isUnread) {
    isUnread = false;
    try {
      seats = store.state?.match && store.state.phase !== "over" ? await readSeats() : [];
    } catch (problem) {
      seats = [];
      showToast(/** @type {Error} */ (problem).message); // the page has a name here that oche does not know
    }
  }
  isReading = false;
  $("hands").hidden = !seats.length;
  $("seats").hidden = !isWanted || !seats.length;
  if (isAwaited && !$("seats").hidden) {
    isAwaited = false; // of a match that decides who begins it has no seats
    $("seats-close").focus();
  }
  const text = words.fixed["seats-text"];
  setText($("seats-text"), seats.some(({ local }) => local) ? `${text} ${words.joining.local}` : text);
  rebuild($("codes"), seats, (free) => free.map((each) => makeCode(`seat-${each.seat}`, each.player, words.handLink, each)));
}

/** Returns the address of the page, to be asked for codes with: only the page knows it from outside. */
export const base = () => encodeURIComponent(new URL(".", document.baseURI).href);

/** Returns the seats whose hand no phone shows yet. @returns {Promise<Oche.FreeSeat[]>} */
export async function readSeats() {
  return await read(`${tablePath(store.table)}/seats?base=${base()}`) ?? [];
}

/** @param {string} test its name for tests @param {string} name @param {string} link what opens it without a phone
    @param {Pick<Oche.JoinCode, "url" | "qr">} code */
export function makeCode(test, name, link, { url, qr }) {
  const side = qr.size + 2 * QUIET;
  return make("li", { test },
    makeSvg("svg", { viewBox: `${-QUIET} ${-QUIET} ${side} ${side}`, "shape-rendering": "crispEdges" },
      makeSvg("rect", { x: -QUIET, y: -QUIET, width: side, height: side, fill: "#fff" }), makeSvg("path", { d: qr.path })),
    make("b", {}, name), make("a", { href: url }, link));
}
