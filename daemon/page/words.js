/* What the pages say, in the language of whoever looks. To add a language: translate words_en.js into a file of its own
   (words_fr.js), and name it here. */

import { preference } from "./preferences.js";

export const LANGUAGES = { en: "English" };

const spoken = [preference("lang"), ...navigator.languages].map((code) => code.slice(0, 2));
export const language = spoken.find((code) => code in LANGUAGES) ?? "en";
export const { words, history } = await import(`./words_${language}.js`);

document.documentElement.lang = language;
