/* Practice at the doubles that a player hits most seldom: a button that starts it at a table. A match with darts in it is not
   stopped without a question. */

import { make } from "../dom.js";
import { ask, post } from "../link.js";
import { importTexts, words } from "../words/words.js";

/** @type {Oche.RivalsLanguage["practice"]} */
export const text = (await importTexts("rivals")).rivals.practice;

/** Returns the button, and what is asked or said below it. `who` returns the players as a start has them, null: not now.
    @param {string} label @param {string} place a table @param {Oche.Practice} practice @param {() => object | null} who
    @param {() => void} begun called once it has begun */
export function makeStart(label, place, { game, options, routine }, who, begun) {
  const said = make("div", { className: "asked", role: "alert" });
  const button = make("button", { type: "button", className: "go", test: "start-practice", onclick: look }, label);
  /** @param {number | undefined} at the line that was seen */
  async function start(at) {
    const people = who();
    if (!people) return;
    try {
      await post(`${place}/start`, { game, options, routine, ...people, at });
      begun();
    } catch (problem) {
      said.replaceChildren(/** @type {Error} */ (problem).message);
    }
  }
  async function look() {
    /** @type {Oche.State | Error} */
    const state = await ask(`${place}/state`).catch((problem) => problem);
    if (state instanceof Error) return said.replaceChildren(state.message);
    const { line, match, phase, title, turn } = state;
    if (!match || phase === "over" || (turn.visit === 1 && !turn.darts.length)) return start(line); // nothing is lost by it
    const no = make("button", { type: "button", onclick: () => { said.replaceChildren(); button.focus(); } }, text.no);
    const yes = make("button", { type: "button", test: "stop-and-practise", onclick: () => { said.replaceChildren(); start(line); } }, text.stop);
    said.replaceChildren(make("p", {}, text.running(words.title(title))), yes, no);
    no.focus();
  }
  return make("div", { className: "start-practice" }, button, said);
}
