/* What the pages say, in the reader's language. A new one is a file beside each that ends in _en.js, and a line here. It awaits
   its own; phrases.js awaits none. */

import { makeHistoryPhrases, makePhrases } from "./phrases.js";
import { preference } from "../preferences.js";
import { typeface } from "../typeface.js";

export const LANGUAGES = { en: "English", de: "Deutsch", nl: "Nederlands", fr: "Français", es: "Español" };

const wanted = [preference("lang"), ...navigator.languages].map((code) => code.slice(0, 2));
export const language = wanted.find((code) => code in LANGUAGES) ?? "en";

/** Returns what `NAME_LANGUAGE.js` exports. @param {string} name */
export const importTexts = (name) =>
  import(`./${name}_${language}.js`).catch((problem) => { globalThis.renew?.(); throw problem; });

/** @type {{ words: Oche.Language, history: Oche.HistoryLanguage }} */
const texts = await importTexts("words");
await typeface;
export const words = makePhrases(texts.words, language);
export const history = makeHistoryPhrases(texts.history, (id) => words.pub[id] ?? words.symbol(id), language, words);

document.documentElement.lang = language;
