/* A fair handicap between two players of X01: worked out when it is asked for, since that takes a moment. */

import { make } from "../dom.js";
import { askHistory } from "./history_parts.js";
import { history as words, words as phrases } from "../words/words.js";

/** Returns the button, in whose place the handicap is shown. @param {string} name @param {string} other @param {Oche.RivalsLanguage["pair"]["handicap"]} text */
export function offerHandicap(name, other, text) {
  const shown = make("div", { className: "handicap", test: "handicap" });
  const button = make("button", { type: "button", test: "find-handicap", onclick: async () => {
    button.disabled = true;
    button.textContent = text.working;
    /** @type {Oche.Handicap | null} */
    const found = await askHistory(`stats/handicap?${new URLSearchParams({ name, other })}`);
    if (found) return shown.replaceChildren(make("h3", {}, text.title), ...tell(found, text).map((sentence) => make("p", {}, sentence)));
    button.disabled = false;
    button.textContent = text.find;
    return undefined;
  } }, text.find);
  shown.append(button);
  shown.setAttribute("aria-live", "polite");
  return shown;
}

/** Returns the sentences. @param {Oche.Handicap} found @param {Oche.RivalsLanguage["pair"]["handicap"]} text */
function tell({ chance, darts, even_chance, label, least_darts, names: [one, other], starts }, text) {
  if (!label) return [text.none];
  const from = text.from(one, phrases.darts(darts[0]), other, phrases.darts(darts[1]));
  if (!starts) return [text.few(phrases.darts(least_darts ?? 0), label), from];
  const [score, otherScore] = starts.map(words.number);
  const told = starts[0] === starts[1] ? text.even(label) : text.starts(label, one, score, other, otherScore);
  return [told, text.chance(one, words.share(chance ?? 0), words.share(even_chance ?? 0)), from];
}
