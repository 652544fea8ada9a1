/* What the pages say, in the reader's language. A new one is a file beside words_en.js, and a line here. */

import { histories, phrases } from "./phrases.js";
import { preference } from "./preferences.js";
import { renew } from "./renew.js";

export const LANGUAGES = { en: "English", de: "Deutsch" };

const spoken = [preference("lang"), ...navigator.languages].map((code) => code.slice(0, 2));
export const language = spoken.find((code) => code in LANGUAGES) ?? "en";
const own = await import(`./words_${language}.js`).catch((problem) => { renew(); throw problem; });
export const words = phrases(own.words, language);
export const history = histories(own.history, words, language);

document.documentElement.lang = language;
