/* The token of a board that asks for one: typed here, kept by the daemon in a file of its own, and never shown again. */

import { make } from "../dom.js";
import { text } from "./settings_fields.js";

const say = text.finding;
let made = 0;

/** Makes a field that is seen like a password. @param {string} test @param {...(Node | string)} help */
function makeInput(test, ...help) {
  const id = `board-token-${made++}`;
  const input = make("input", { id, type: "password", autocomplete: "new-password", spellcheck: false, maxLength: 512, test });
  const about = make("p", { id: `${id}-help`, className: "help" }, ...help);
  input.setAttribute("aria-describedby", about.id);
  return { input, about, label: make("label", { htmlFor: id }, say.token) };
}

/** Makes the field of a board that no table plays on yet; `read` returns "" where nothing is typed. @param {string} test */
export function makeToken(test) {
  const { input, about, label } = makeInput(test, say.wantsToken);
  return { element: make("div", { className: "field" }, label, input, about), read: () => input.value.trim() };
}

/** Makes the field of a table's card: `show` it where the board asks for a token, or one is kept. `forget` has the kept one
    removed, unless another is typed, or leaves it. @param {string} test @param {boolean} isKept */
export function makeTokenField(test, isKept) {
  const { input, about, label } = makeInput(`set-${test}`, isKept ? say.keptToken : say.wantsToken);
  const error = make("p", { className: "error", test: `error-${test}` });
  let isRemoved = false;
  const forget = (/** @type {boolean} */ isOther) => {
    isRemoved = isKept && isOther;
    remove.ariaPressed = String(isRemoved);
  };
  const remove = make("button", { type: "button", ariaPressed: "false", hidden: !isKept, test: `forget-${test}`, onclick() {
    isRemoved = !isRemoved;
    remove.ariaPressed = String(isRemoved);
    input.value = "";
    input.dispatchEvent(new Event("input", { bubbles: true }));
  } }, say.removeToken);
  const inner = make("div", { className: "field" }, label, input, error, about, remove);
  const element = make("div", {}, inner); // which the doors hide and show
  element.dataset.path = "table.board_token";
  const read = () => (inner.hidden ? null : input.value.trim() || (isRemoved ? "" : null));
  const show = (/** @type {boolean} */ isSeen) => { inner.hidden = !isSeen; };
  return {
    key: "board_token", element, read, forget, show, isChanged: () => read() !== null,
    say: (/** @type {string} */ sentence) => { error.textContent = sentence; }, focus: () => input.focus(),
    write: (/** @type {string} */ value) => { input.value = value; },
    differences: () => (read() === null ? [] : [{ label: say.token, was: "", now: read() ? text.changes.password : text.changes.removed }]),
  };
}
