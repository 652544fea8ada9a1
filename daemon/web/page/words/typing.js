/* Reads what players type for a dart, in any case: 19, 25, bull, 60 where that is one bed, t20, double 16, 5·6 red, C3,
   or an id. What the daemon takes over MQTT is read too, whatever the language (protocol/standard.py). */

import { words } from "./words.js";

/** @type {Record<string, string[]>} */
const EXAMPLES = { standard: ["20", "D16", "T20", "25", "bull"] };
const MOST_NUMBER = 25; // beyond the numbers on a board only points can be meant
const MOST_NAMED = 4;

/** How the daemon reads beds of the standard layout, folded. @type {Record<string, string>} */
const BULLS = {
  s25: "SB", ob: "SB", outerbull: "SB", singlebull: "SB", single25: "SB", sbull: "SB",
  50: "DB", d25: "DB", ib: "DB", innerbull: "DB", doublebull: "DB", double25: "DB", dbull: "DB", bull: "DB", bullseye: "DB",
};
const RING = /^(t)(?:riple|reble)(?=\d+$)|^(d)ouble(?=\d+$)|^(s)ingle(?=\d+$)/;

const fold = (/** @type {string} */ text) => text.toLowerCase().replace(/[\s·]/g, "");
const either = new Intl.ListFormat(words.voice, { type: "disjunction" });

/** Returns the ids of the beds by all that they are called. @param {Oche.Segment[]} segments */
function listNames(segments) {
  /** @type {Map<string, string>} */
  const names = new Map();
  const ways = [(/** @type {string} */ id) => id, words.segment, words.spoken];
  for (const way of ways) {
    for (const { id } of segments) if (!names.has(fold(way(id, true)))) names.set(fold(way(id, true)), id);
  }
  return names;
}

/** Returns the id of the bed that is meant, or why it is none.
    @param {string} typed @param {Oche.Layout} layout @returns {{ id?: string, refusal?: string }} */
export function readBed(typed, { miss, name, segments }) {
  const text = fold(typed);
  const names = listNames(segments);
  const spelled = name === "standard" ? BULLS[text] ?? names.get(text.replace(RING, "$1$2$3")) : undefined;
  const id = text === "0" ? miss : names.get(text) ?? spelled;
  if (id) return { id };
  const isNumber = /^\d+$/.test(text);
  const meant = segments.filter((each) => isNumber && !each.groups.includes("single") && (
    (Number(text) > MOST_NUMBER && each.points === Number(text)) || (each.id.startsWith(text) && each.id.length === text.length + 1)));
  if (meant.length === 1) return { id: meant[0].id };
  if (meant.length) return { refusal: words.whichBed(typed.trim(), either.format(meant.map((each) => words.segment(each.id)))) };
  const examples = EXAMPLES[name] ?? segments.filter((each) => each.outline.length).slice(-MOST_NAMED).map((each) => words.segment(each.id));
  return { refusal: words.noBed(typed.trim(), either.format(examples)) };
}
