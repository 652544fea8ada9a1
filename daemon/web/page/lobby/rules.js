/* The rules of the match at hand with its options, at any time; and how a rule sheet is written, for the lobby too. */

import { $, make } from "../dom.js";
import { describeValue } from "../form.js";
import { makeLegend } from "./legend.js";
import { ask, tablePath } from "../link.js";
import { store } from "../store.js";
import { language, words } from "../words/words.js";

/** Returns the paragraphs of a rule sheet. @param {Oche.GameSheet} sheet */
export const makeRules = ({ language: lang, rules }) => rules.split("\n\n").map((each) =>
  make("p", { lang }, ...each.split("`").map((piece, index) => (index % 2 ? make("b", {}, piece) : piece))));

export async function openRules() {
  if ($("rules-dialog")) return;
  /** @type {Oche.GameSheet} */
  const sheet = await ask(`${tablePath(store.table)}/rules?lang=${language}`);
  const { close, options, rules } = words.lobby;
  const { all, differs, wins } = words.sheet;
  const dialog = make("dialog", { id: "rules-dialog", test: "rules-dialog", ariaLabel: words.labels.rules });
  const button = make("button", { type: "button", test: "rules-close", onclick: () => dialog.close() }, close);
  const chosen = Object.entries(sheet.chosen).filter(([, value]) => !Array.isArray(value) || value.length);
  const list = (/** @type {boolean} */ isDiffering) => chosen.filter(([key]) => sheet.differing.includes(key) === isDiffering)
    .map(([key, value]) => make("li", {}, `${sheet.names[key].label}${words.colon}`, make("b", {}, describeValue(value, sheet.names[key]))));
  const differing = list(true), usual = list(false);
  dialog.append(
    make("header", {}, make("h2", {}, `${words.title(store.state?.title ?? sheet.title)}${words.colon}${rules}`), button),
    make("section", { className: "wins", test: "rules-wins", ariaLabel: wins },
      ...makeRules({ ...sheet, rules: [sheet.line, ...sheet.wins].join("\n\n") })),
    ...(differing.length ? [make("h3", {}, differs), make("ul", { test: "rules-differ" }, ...differing)] : []),
    make("details", { test: "rules-all" }, make("summary", {}, all),
      ...(usual.length ? [make("h3", {}, options)] : []), make("ul", {}, ...usual),
      ...(store.state ? [make("h3", {}, words.legend.title), makeLegend(store.state)] : []),
      ...makeRules(sheet)),
  );
  dialog.onclose = () => dialog.remove();
  document.body.append(dialog);
  dialog.showModal();
}
