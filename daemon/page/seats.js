/* The way from the scoreboard to a hand on a phone: a code for each seat, shown as a match begins and later behind a
   small button, until a phone has used it. */

import { $, make, rebuild, shape } from "./dom.js";
import { read, tableOf } from "./link.js";
import { words } from "./words.js";

const QUIET = 4; // modules of white around a code, without which readers fail

let match; // the match whose codes were shown by themselves
let wanted = false;
let reading = false;
let complain; // told what is wrong
let unread; // the newest state for which the codes have to be read

export function prepareSeats(table, latest, toast) {
  complain = toast;
  $("hands").onclick = () => { wanted = $("seats").hidden; refresh(table, latest()); };
  $("seats-close").onclick = () => { wanted = false; refresh(table, latest()); };
}

/** On every state: asks once for a new match, and while codes are shown; they make way for the first dart. */
export function followSeats(table, state) {
  const fresh = state.match !== match;
  if (fresh) match = state.match;
  if (fresh) wanted = state.turn?.visit === 1 && document.documentElement.dataset.view === "wall"; // else in the way
  else if (!wanted) return;
  if (state.turn?.darts.length) wanted = false;
  refresh(table, state);
}

async function refresh(table, state) {
  unread = state ?? {};
  if (reading) return; // and then once more
  reading = true;
  const base = encodeURIComponent(new URL(".", document.baseURI)); // what it is from outside, nobody else knows
  let seats;
  while (unread) {
    const isOn = unread.match && unread.phase !== "over";
    unread = null;
    try {
      seats = isOn ? await read(`${tableOf(table)}/seats?base=${base}`) : [];
    } catch (problem) {
      seats = [];
      complain(problem.message); // the page has a name here that oche does not know
    }
  }
  reading = false;
  $("hands").hidden = !seats?.length;
  $("seats").hidden = !wanted || !seats?.length;
  rebuild($("codes"), seats ?? [], (free) => free.map(code));
}

function code({ seat, player, url, qr }) {
  const side = qr.size + 2 * QUIET;
  return make("li", { test: `seat-${seat}` },
    shape("svg", { viewBox: `${-QUIET} ${-QUIET} ${side} ${side}`, "shape-rendering": "crispEdges" },
      shape("rect", { x: -QUIET, y: -QUIET, width: side, height: side, fill: "#fff" }), shape("path", { d: qr.path })),
    make("b", {}, player), make("a", { href: url }, words.handLink));
}
