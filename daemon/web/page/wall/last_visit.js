/* The last visit of a match again, slowly: dart by dart on the board, while the score counts down, from the states of the
   record. It ends at once when the match goes on, another one begins, or the board is used. */

import { $, make, setText } from "../dom.js";
import { ask } from "../link.js";
import { result as text } from "./result_words.js";
import { store, watch } from "../store.js";

const HEADLINE_MS = 9_000; // the headline stands before the visit comes again by itself
const DART_MS = 1_300;
const COUNT_MS = 700;
const COUNTS = 14; // numbers on the way
const STEPS_A_DART = 3; // states that there may be of one: it, a question, its answer

/** The visit that is shown now, or waits to be. @type {Replay | undefined} */
let current;
watch(() => current?.check());

class Replay {
  /** @param {Oche.MatchReport} report */
  constructor({ last, match, steps }) {
    this.match = match;
    this.line = store.state?.line;
    this.first = Math.max(0, steps - 1 - STEPS_A_DART * last.darts.length);
    this.isStopped = false;
    this.timer = 0;
    /** What is on the board while it is shown. @type {Oche.Dart[] | null} */
    this.darts = null;
    /** @type {Promise<{ steps: Oche.State[] }> | undefined} */
    this.asked = undefined;
  }

  /** Ends it for good once the match is not the one, or does not stand where it stood; other news leave it on the board. */
  check() {
    const { state } = store;
    if (state?.match === this.match && state?.line === this.line && !$("summary").hidden) {
      if (this.darts) store.board?.show([], this.darts);
      return;
    }
    this.isStopped = true;
    this.finish();
  }

  finish() {
    clearTimeout(this.timer);
    this.darts = null;
    $("board").classList.remove("replaying");
    $("summary").querySelector(".counting")?.remove();
  }

  /** @param {number} ms */
  showLater(ms) {
    this.timer = setTimeout(() => this.show(), ms);
  }

  async show() {
    this.finish();
    this.asked ??= /** @type {Promise<{ steps: Oche.State[] }>} */ (ask(`match/${encodeURIComponent(this.match)}/steps?first=${this.first}`));
    const { steps } = await this.asked.catch(() => ({ steps: /** @type {Oche.State[]} */ ([]) }));
    if (!steps.length) this.asked = undefined; // it is asked again when it is wanted again
    const visit = steps.at(-1)?.turn.visit;
    const states = steps.filter(({ turn }, place) => turn.visit === visit && turn.darts.length !== (steps[place - 1]?.turn.visit === visit ? steps[place - 1].turn.darts.length : -1));
    if (this.isStopped || !states.length) return;
    const score = make("p", { className: "counting", test: "counting", ariaHidden: "true" });
    $("summary").querySelector(".win")?.append(score);
    $("board").classList.add("replaying");
    this.showStep(states, 0, score);
  }

  /** Shows the visit up to that state, and then the next one. @param {Oche.State[]} states @param {number} place @param {HTMLElement} score */
  showStep(states, place, score) {
    clearTimeout(this.timer);
    const state = states[place];
    if (this.isStopped) return;
    if (!state) return this.finish();
    this.darts = state.turn.darts;
    store.board?.show([], this.darts);
    count(score, states[place - 1] ?? state, state);
    this.timer = setTimeout(() => this.showStep(states, place + 1, score), DART_MS);
  }
}

/** Makes the button that shows it again, and has a wall show it once by itself; nothing where there are no darts to be shown.
    @param {Oche.MatchReport} report @returns {HTMLButtonElement[]} */
export function prepareLastVisit(report) {
  current?.finish();
  current = undefined;
  if (report.was_stopped || !report.steps || !report.last.darts.length) return [];
  const replay = current = new Replay(report);
  const isWall = document.documentElement.dataset.view === "wall";
  if (isWall && !isStill()) replay.showLater(HEADLINE_MS);
  return [make("button", {
    type: "button", className: "last-visit-again", test: "last-visit-again", onclick: () => replay.show(),
  }, text.again)];
}

const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Counts from the score of one state to that of the next. @param {HTMLElement} element @param {Oche.State} from @param {Oche.State} to */
function count(element, from, { sides, turn }) {
  const before = from.sides[turn.side].score, after = sides[turn.side].score;
  const write = (/** @type {number} */ n) => {
    if (!element.isConnected) return;
    setText(element, Math.round(before + ((after - before) * n) / COUNTS));
    if (n < COUNTS) setTimeout(write, COUNT_MS / COUNTS, n + 1);
  };
  write(isStill() || before === after ? COUNTS : 0);
}
