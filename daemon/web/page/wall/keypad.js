/* A keypad for a table without a sensor: a scorer enters what a visit came to, and not each dart. What a total may be now
   is in the state; where one finishes, or may have been thrown at a double, the keypad asks with how many darts. */

import { sendCommand } from "../commands.js";
import { $, findClosest, make, setText, showToast } from "../dom.js";
import { makeGlyph } from "../glyphs.js";
import { choose, preference } from "../preferences.js";
import { store } from "../store.js";
import { words } from "../words/words.js";

const MOST_DIGITS = 3;
const USUAL = [180, 140, 100, 60, 45, 26]; // a key of their own each

/** The keys, and what is typed on them. */
class Pad {
  #typed = "";
  /** What is typed was entered: the next digit begins another total, also while the answer is on its way. */
  #isEntered = false;
  /** What is typed was begun after a total was entered, and so is for the visit after that. */
  #isAhead = false;
  /** Takes the answer to what is asked now. @type {((answer: number | null) => void) | null} */
  #answer = null;
  /** @type {number[]} */
  #possible = [];
  #shown = make("output", { className: "typed", test: "pad-typed" });
  #question = make("p", { className: "question", test: "pad-question", role: "status" });
  #answers = make("div", { className: "answers" });
  #keys;

  /** @param {(total: number, isTyped: boolean) => Promise<boolean> | void} enter is called with each total, which has a key
      of its own or was typed; returns whether it was sent @param {HTMLButtonElement} [bust] a key more */
  constructor(enter, bust) {
    this.enter = enter;
    this.#keys = make("div", { className: "keys" }, ...makeKeys(this, bust));
    this.element = make("div", { className: "pad" }, this.#shown, this.#question, this.#answers, this.#keys);
    this.#show();
  }

  get isEmpty() {
    return !(this.#typed || this.#answer);
  }

  /** @param {string} key a digit, Enter, Backspace or Escape */
  press(key) {
    if (this.#answer) {
      if (key === "Backspace" || key === "Escape") this.#answer(null);
      else if (this.#possible.includes(Number(key))) this.#answer(Number(key));
    } else if (key === "Enter") {
      if (this.#typed) this.#enter(true);
    } else if (key === "Backspace" || key === "Escape") {
      this.#isEntered = false;
      this.#set(key === "Escape" ? "" : this.#typed.slice(0, -1));
    } else {
      this.#isAhead ||= this.#isEntered;
      const before = this.#isEntered ? "" : this.#typed;
      this.#isEntered = false;
      this.#set(String(Number(before.length < MOST_DIGITS ? before + key : before)));
    }
  }

  /** Enters what is typed, which stays to be mended if it is refused. @param {boolean} isTyped */
  async #enter(isTyped) {
    this.#isEntered = true;
    this.#isAhead = false;
    if (await this.enter(Number(this.#typed), isTyped) === false) this.#isAhead = false; // it is for this visit after all
  }

  /** A total that has a key of its own. @param {number} total */
  take(total) {
    this.#set(String(total));
    this.#enter(false);
  }

  /** Another visit is entered: what was typed for the one before goes. */
  reset() {
    if (!this.#isAhead) return this.clear();
    this.#answer?.(null);
    this.#isAhead = false;
  }

  clear() {
    this.#answer?.(null);
    this.#isEntered = this.#isAhead = false;
    this.#set("");
  }

  /** Resolves with one of these numbers, or null for none; at once where there is but one.
      @param {string} question @param {number[]} numbers @returns {Promise<number | null>} */
  ask(question, numbers) {
    if (numbers.length === 1) return Promise.resolve(numbers[0]);
    setText(this.#question, question);
    this.#answers.replaceChildren(
      ...numbers.map((n) => makeKey(`answer-${n}`, String(n), () => this.press(String(n)), "digit")),
      makeKey("back", words.backwards, () => this.press("Escape")));
    this.#possible = numbers;
    return new Promise((done) => {
      this.#answer = (given) => {
        this.#answer = null;
        this.#show();
        done(given);
      };
      this.#show();
    });
  }

  /** @param {string} typed */
  #set(typed) {
    this.#typed = typed;
    this.#show();
  }

  #show() {
    setText(this.#shown, this.#typed || words.keypad.total);
    this.#shown.classList.toggle("empty", !this.#typed);
    this.#keys.hidden = Boolean(this.#answer);
    this.#question.hidden = this.#answers.hidden = !this.#answer;
  }
}

/** @param {string} test @param {Node | string} text @param {() => void} onclick @param {string} [className] */
const makeKey = (test, text, onclick, className = "") => make("button", {
  type: "button", test: `pad-${test}`, onclick, className,
  onpointerdown: (event) => event.preventDefault(), // Enter is for what is typed, and not for the key touched last
}, text);

/** @param {Pad} pad @param {HTMLButtonElement} [bust] */
function makeKeys(pad, bust) {
  const digit = (/** @type {number} */ n) => makeKey(`${n}`, String(n), () => pad.press(String(n)), "digit");
  const [top, second, third, ...others] = USUAL.map((total) => makeKey(`total-${total}`, String(total), () => pad.take(total), "usual"));
  const erase = makeKey("erase", makeGlyph("erase"), () => pad.press("Backspace"), "digit");
  erase.ariaLabel = words.keypad.erase;
  return [
    ...[1, 2, 3].map(digit), top, ...[4, 5, 6].map(digit), second, ...[7, 8, 9].map(digit), third,
    erase, digit(0), makeKey("ok", words.answer, () => pad.press("Enter"), "ok"), others[0],
    makeKey("none", words.noScore, () => pad.take(0), bust ? "words" : "none"), ...(bust ? [bust] : []), ...others.slice(1),
  ];
}

const range = (/** @type {number} */ from, /** @type {number} */ to) => Array.from({ length: to - from + 1 }, (_, n) => from + n);

/** Enters a total, when it is known with how many darts. Resolves with whether it was taken. @param {Pad} asked @param {number} total @param {boolean} isTyped */
async function enterTotal(asked, total, isTyped) {
  const { totals = {}, turn } = store.state ?? {};
  if (!turn) return false;
  /** @type {{ total: number, darts?: number, at_finish?: number }} */
  const body = { total };
  if (totals.finish !== undefined && totals.darts !== undefined && totals.at_finish !== undefined) {
    const isFinish = total === totals.finish;
    if (isFinish) {
      const darts = await asked.ask(words.keypad.used, range(totals.darts, turn.darts_left));
      if (darts === null) return false;
      body.darts = darts;
    }
    if (total >= totals.at_finish) {
      const most = (body.darts ?? turn.darts_left) - totals.darts + 1;
      const thrown = await asked.ask(words.keypad.atFinish, range(isFinish ? 1 : 0, most));
      if (thrown === null) return false;
      body.at_finish = thrown;
    }
  }
  return sendCommand("total", body, isTyped);
}

/** Enters a bust, when it is known with how many darts, and how many were at a double. @param {Pad} asked */
async function enterBust(asked) {
  const { totals = {}, turn } = store.state ?? {};
  if (!turn || totals.bust === undefined) return;
  const darts = await asked.ask(words.keypad.bust, range(totals.bust, turn.darts_left));
  if (darts === null) return;
  const most = totals.darts === undefined ? 0 : Math.max(0, darts - totals.darts + 1);
  const thrown = await asked.ask(words.keypad.atFinish, range(0, most));
  if (thrown !== null) sendCommand("total", { total: 0, darts, at_finish: thrown, bust: true });
}

const bustKey = makeKey("bust", words.keypad.bustKey, () => {
  tablePad.clear();
  enterBust(tablePad);
}, "words");
/** @type {Pad} */
const tablePad = new Pad((total, isTyped) => enterTotal(tablePad, total, isTyped), bustKey);
const toFace = make("button", { type: "button", className: "switch", test: "pad-face", onclick: () => choose("pad", "") }, words.keypad.face);
const toPad = make("button", { type: "button", test: "tap-pad", onclick: () => choose("pad", "1") }, words.keypad.pad);
const keypad = make("section", { id: "keypad", test: "keypad", ariaLabel: words.keypad.total, hidden: true }, tablePad.element, toFace);
$("board").before(keypad);
$("tap").append(toPad);
/** The visit that is entered: what was typed for another one goes. */
let entered = "";

/** Shows the keypad, or the way back to it. @param {Oche.State} state @param {boolean} isPossible */
export function renderKeypad(state, isPossible) {
  const isShown = isPossible && Boolean(preference("pad"));
  document.body.classList.toggle("keyed", isShown);
  keypad.hidden = !isShown;
  toPad.hidden = !isPossible;
  bustKey.disabled = state.totals?.bust === undefined;
  const visit = [state.match, state.turn?.visit, state.turn?.darts.length].join(" ");
  if (visit === entered) return;
  tablePad.reset();
  entered = visit;
}

addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.repeat || !/^(\d|Enter|Backspace|Escape)$/.test(event.key)) return;
  const open = document.querySelector("dialog[open]");
  const target = open ? (open === correction?.dialog ? correction.pad : null) : keypad.hidden || !preference("keys") ? null : tablePad;
  if (!target || findClosest(event, "input, select, a")) return;
  if (event.key === "Escape" ? open : event.key === "Enter" && target.isEmpty) return; // closes the dialog; presses a button
  event.preventDefault();
  target.press(event.key);
});

/** The dialog that corrects a total, and its keypad. @type {{ dialog: HTMLDialogElement, pad: Pad } | null} */
let correction = null;

/** Opens a keypad for a total that was another one. @param {Pick<Oche.Dart, "line" | "points">} dart */
export function correctTotal({ line, points }) {
  const match = store.state?.match;
  /** @param {{ total: number, bust?: boolean }} right */
  const amend = (right) => {
    dialog.close();
    if (match === store.state?.match) sendCommand("amend", { amend: line, ...right });
    else showToast(words.stale);
  };
  // Whether that visit could be bust the daemon says: what may be entered now is of another visit.
  const bust = makeKey("correct-bust", words.keypad.bustKey, () => amend({ total: 0, bust: true }), "words");
  const pad = new Pad((total) => amend({ total }), bust);
  const title = words.keypad.correct(points);
  const cancel = make("button", { type: "button", test: "pad-cancel", onclick: () => dialog.close() }, words.fixed["correction-cancel"]);
  /** @type {HTMLDialogElement} */
  const dialog = make("dialog", { className: "pad-dialog", test: "pad-dialog", ariaLabel: title }, make("h2", {}, title), pad.element, cancel);
  dialog.onclose = () => {
    dialog.remove();
    correction = null;
  };
  correction = { dialog, pad };
  document.body.append(dialog);
  dialog.showModal();
  cancel.focus(); // and no key of the pad
}
