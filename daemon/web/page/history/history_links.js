/* Links between the pages of the statistics, and moments on them. */

import { linkTo } from "../preferences.js";
import { language } from "../words/words.js";

/** What the address of a page of the statistics may say, besides what concerns the device. */
export const NOTHING = { player: null, game: null, match: null, matches: null, before: null, players: null, rivals: null, other: null, month: null, standings: null };

/** Returns a link to another of these pages. */
export const linkHere = (/** @type {Record<string, string | null>} */ changes) => linkTo("history", changes);

const clock = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
/** Returns the day and the time. @param {string} at */
export const writeTime = (at) => clock.format(new Date(at));
