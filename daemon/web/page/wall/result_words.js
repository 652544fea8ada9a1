/* What the result says besides, in the language of the page. */

import { importTexts } from "../words/words.js";

/** @type {Oche.ResultLanguage} */
export const result = (await importTexts("result")).result;
