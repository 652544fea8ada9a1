/* A line that is to be typed on the machine, and what copies it. */

import { make, setText } from "../dom.js";
import { text } from "./settings_fields.js";

/** Without HTTPS a page may not copy: there the line is selected. @param {string} line */
export function makeCopy(line) {
  const code = make("code", {}, line);
  const said = make("span", { role: "status" });
  const button = make("button", { type: "button", lang: document.documentElement.lang, test: "copy", async onclick() {
    const isCopied = await navigator.clipboard?.writeText(line).then(() => true, () => false);
    if (!isCopied) getSelection()?.selectAllChildren(code);
    setText(said, isCopied ? text.care.copied : text.care.selected);
  } }, text.care.copy);
  return make("span", { className: "typed" }, code, button, said);
}
