/* What a thumb can use in a loud pub: numbers between two large buttons, a few choices side by side, and a sheet of actions
   that comes from below, where the thumb is. */

import { $, make, setText } from "../dom.js";
import { texts } from "./texts.js";

/** Has the focus go on where it was lost because what had it is gone, or cannot be pressed now: to what is called the same,
    or else to what is here, or to the title. Nothing moves. @param {string | undefined} test @param {HTMLElement} [here] */
export function keepFocus(test, here) {
  if (document.activeElement && document.activeElement !== document.body) return;
  /** @type {(root: ParentNode, what: string) => HTMLElement | undefined} */
  const find = (root, what) => [.../** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(`${what}:enabled`))].find((each) => each.checkVisibility());
  const same = test && find(document, `[data-testid="${CSS.escape(test)}"]`), near = here && find(here, "button");
  (same || near || $("title")).focus({ preventScroll: true });
}

/** @param {string} label @param {() => void} onclick @param {string} test @param {string} [className] */
export const makeButton = (label, onclick, test, className = "") => make("button", { type: "button", onclick, test, className }, label);

/** A number that two buttons change. @param {string} label @param {number} value @param {[number, number]} range the least and
    the most @param {string} test @param {(value: number) => void} [changed] */
export function makeStepper(label, value, [least, most], test, changed = () => {}) {
  const shown = make("output", { test: `${test}-value` }, String(value));
  const step = (/** @type {number} */ by) => {
    const held = document.activeElement; // a button that cannot be pressed any more loses the focus
    value = Math.min(most, Math.max(least, value + by));
    setText(shown, value);
    less.disabled = value <= least;
    more.disabled = value >= most;
    if (held === less && less.disabled) more.focus();
    if (held === more && more.disabled) less.focus();
    if (by) changed(value);
  };
  const less = make("button", { type: "button", ariaLabel: texts.less(label), test: `${test}-less`, onclick: () => step(-1) }, "−");
  const more = make("button", { type: "button", ariaLabel: texts.more(label), test: `${test}-more`, onclick: () => step(1) }, "+");
  const element = make("div", { className: "stepper", role: "group", ariaLabel: label }, make("span", {}, label), less, shown, more);
  step(0);
  return { element, read: () => value, write: (/** @type {number} */ to) => { value = to; step(0); } };
}

let made = 0;

/** A few values side by side, of which one is chosen. @template {string} Value @param {string} label
    @param {Record<Value, string>} values @param {NoInfer<Value>} chosen @param {string} test @param {(value: NoInfer<Value>) => void} [changed] */
export function makeChoice(label, values, chosen, test, changed = () => {}) {
  const name = `${test}-${made++}`;
  const buttons = /** @type {[Value, string][]} */ (Object.entries(values)).map(([value, said]) => {
    const button = make("input", { type: "radio", name, value, checked: value === chosen, test: `${test}-${value}`, onchange: () => changed(value) });
    return { value, button, element: make("label", {}, button, make("span", {}, said)) };
  });
  const element = make("fieldset", { className: "choice" }, make("legend", {}, label), ...buttons.map((each) => each.element));
  return { element, read: () => /** @type {Value} */ (buttons.find(({ button }) => button.checked)?.value ?? chosen) };
}

/** @param {string} label @param {boolean} checked @param {string} test @param {(isOn: boolean) => void} [changed] */
export function makeSwitch(label, checked, test, changed = () => {}) {
  const box = make("input", { type: "checkbox", checked, test, onchange: () => changed(box.checked) });
  return { element: make("label", { className: "switch" }, box, make("span", {}, label)), read: () => box.checked };
}

/** A sheet of actions, one at a time; `fill` is called with what closes it, and with what does an action: that closes it
    once it is done, and says why if it is refused. @param {string} title
    @param {(act: (doing: () => Promise<any>, stays?: boolean) => Promise<void>, close: () => void) => (Node | string)[]} fill */
export function openSheet(title, fill) {
  document.querySelector("dialog.actions")?.remove();
  const opener = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.testid : undefined;
  const said = make("p", { role: "alert", test: "sheet-said" });
  const close = () => dialog.close();
  let isActing = false;
  const act = async (/** @type {() => Promise<any>} */ doing, stays = false) => {
    if (isActing) return; // a second tap is for the same
    isActing = true;
    setText(said, "");
    dialog.classList.add("acting");
    try {
      await doing();
      if (!stays) close();
    } catch (problem) {
      setText(said, /** @type {Error} */ (problem).message);
    } finally {
      isActing = false;
      dialog.classList.remove("acting");
    }
  };
  /** @type {HTMLDialogElement} */
  const dialog = make("dialog", { className: "actions", test: "sheet", ariaLabel: title, onclose: () => {
    dialog.remove();
    keepFocus(opener); // which may have been drawn anew meanwhile
  } });
  dialog.append(make("header", {}, make("h2", {}, title), makeButton(texts.close, close, "sheet-close"), said), ...fill(act, close));
  dialog.onclick = ({ target }) => { if (target === dialog) close(); }; // beside it
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Has a button ask once more before it does what cannot be meant by a slip. @param {string} label @param {() => void} act
    @param {string} test */
export function makeGrave(label, act, test) {
  const button = makeButton(label, () => {
    if (button.classList.contains("sure")) return act();
    button.classList.add("sure");
    setText(button, texts.sure(label));
    return undefined;
  }, test, "grave");
  button.onblur = () => {
    button.classList.remove("sure");
    setText(button, label);
  };
  return button;
}
