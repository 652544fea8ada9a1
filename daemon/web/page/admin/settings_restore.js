/* Putting a backup back, a part of Care: the file is sent and checked, then said what is in it; only a second button changes
   anything. */

import { make, setText } from "../dom.js";
import { text } from "./settings_fields.js";
import { saySentence, sayFailure } from "../words/tasks.js";

/** @param {HTMLElement} said where what happens is said @param {Oche.CareTools["call"]} call @param {Oche.CareTools["restore"]} restoreBackup */
export function makeRestore(said, call, restoreBackup) {
  const { care } = text;
  const found = make("div", { className: "found", test: "restore-found" });
  const input = make("input", { type: "file", accept: ".gz,.tgz,application/gzip", hidden: true, test: "restore-file", async onchange() {
    const [file] = input.files ?? [];
    input.value = ""; // the same one may be chosen again
    if (!file) return;
    found.replaceChildren();
    setText(said, care.checking);
    button.disabled = true;
    const { answer } = await call("care/restore", file);
    button.disabled = false;
    if (answer.error) return setText(said, sayFailure(answer.error));
    setText(said, "");
    found.replaceChildren(...offer(answer));
    found.querySelector("button")?.focus();
  } });
  const button = make("button", { type: "button", test: "care-restore", onclick: () => input.click() }, care.restore);

  /** What is in the backup, what it replaces, and the question. @param {Oche.StagedBackup} staged */
  function offer({ restore, at, oche, matches, matches_now: now, beside, config_trouble: trouble, aside }) {
    const parts = {
      config: makeChoice("config", care.restoreConfig, !trouble),
      state: makeChoice("state", care.restoreState(count(matches), count(now)), true),
    };
    const go = make("button", { type: "button", className: "go", test: "restore-go", async onclick() {
      const wanted = Object.entries(parts).filter(([, { box }]) => box.checked).map(([name]) => name);
      if (!wanted.length) return setText(said, care.restoreNothing);
      for (const each of found.querySelectorAll("button")) each.disabled = true;
      setText(said, text.care.working);
      setText(said, await restoreBackup(restore, wanted));
      found.replaceChildren();
      button.focus();
    } }, care.restoreGo);
    const leave = make("button", { type: "button", test: "restore-leave", onclick() {
      found.replaceChildren();
      button.focus();
    } }, care.restoreLeave);
    return [
      make("p", {}, care.restoreFound(new Date(at).toLocaleString(), oche)),
      parts.config.element, ...(trouble ? [make("p", { className: "help", test: "restore-trouble" }, care.restoreTrouble(saySentence(trouble)))] : []),
      parts.state.element,
      ...(beside.length ? [make("p", { className: "help", test: "restore-beside" }, care.restoreBeside(beside.join(", ")))] : []),
      make("p", { className: "help" }, care.restoreAside(aside)),
      make("div", { className: "buttons" }, go, leave),
    ];
  }
  return make("section", {}, button, input, make("p", { className: "help" }, care.restoreHelp), found);
}

/** @param {string} name @param {string} label @param {boolean} isPossible */
function makeChoice(name, label, isPossible) {
  const box = make("input", { type: "checkbox", checked: isPossible, disabled: !isPossible, test: `restore-${name}` });
  return { box, element: make("p", {}, make("label", {}, box, ` ${label}`)) };
}

const count = (/** @type {Record<string, number>} */ matches) => Object.values(matches).reduce((sum, each) => sum + each, 0);
