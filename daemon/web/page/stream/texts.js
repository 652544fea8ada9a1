/* The texts of the views for a stream, in the language of the page. */

import { importTexts } from "../words/words.js";

/** @type {Oche.StreamLanguage} */
export const text = (await importTexts("stream")).stream;
