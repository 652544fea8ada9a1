/* An evening, from noon to noon where the device is, or a week from Monday to Monday; and what is told of it as texts. */

import { texts } from "./card.js";
import { history, language, words } from "../words/words.js";

const NOON = 12;
const LONGEST_EVENING_MS = 26 * 3_600_000;

/** @typedef {{ since: Date, before: Date }} When */

/** Returns the evening that a moment is in. @param {Date} moment @returns {{ since: Date, before: Date }} */
export function findEvening(moment) {
  const day = new Date(moment);
  if (day.getHours() < NOON) day.setDate(day.getDate() - 1);
  return makeEvening(day.getFullYear(), day.getMonth(), day.getDate());
}

/** Returns the evening of a day such as 2026-11-29; null where it is none. @param {string} day */
export function readDay(day) {
  const [, year, month, date] = (/^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? []).map(Number);
  return year && month <= 12 && date && date <= 31 ? makeEvening(year, month - 1, date) : null;
}

/** @param {number} year @param {number} month @param {number} date */
const makeEvening = (year, month, date) => ({ since: new Date(year, month, date, NOON), before: new Date(year, month, date + 1, NOON) });

/** Returns the day of an evening as an address has it. @param {Date} since */
export function writeDay(since) {
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  return `${since.getFullYear()}-${two(since.getMonth() + 1)}-${two(since.getDate())}`;
}

/** Whether it is a week, and no evening. @param {When} when */
export const isWeek = ({ since, before }) => before.getTime() - since.getTime() > LONGEST_EVENING_MS;

/** Returns the week that begins on a Monday. @param {Date} monday @returns {When} */
const makeWeek = (monday) => ({ since: monday, before: new Date(monday.getFullYear(), monday.getMonth(), monday.getDate() + 7) });

/** @param {Date} moment */
const findMonday = (moment) => new Date(moment.getFullYear(), moment.getMonth(), moment.getDate() - (moment.getDay() + 6) % 7);

/** Returns the week that a moment is in. @param {Date} moment */
export const findWeek = (moment) => makeWeek(findMonday(moment));

/** Returns the first Monday of the weeks of a year: its week has the 4th of January. @param {number} year */
const findFirstMonday = (year) => findMonday(new Date(year, 0, 4));

/** Returns the week of a text such as 2026-W48; null where it is none. @param {string} text @returns {When | null} */
export function readWeek(text) {
  const [, year, week] = (/^(\d{4})-W(\d\d)$/.exec(text) ?? []).map(Number);
  if (!year || !week || week > 53) return null;
  const first = findFirstMonday(year);
  return makeWeek(new Date(first.getFullYear(), first.getMonth(), first.getDate() + 7 * (week - 1)));
}

/** Returns a week as an address has it. @param {Date} since */
export function writeWeek(since) {
  const year = new Date(since.getFullYear(), since.getMonth(), since.getDate() + 3).getFullYear();
  const week = Math.round((since.getTime() - findFirstMonday(year).getTime()) / (7 * 86_400_000)) + 1;
  return `${year}-W${String(week).padStart(2, "0")}`;
}

const date = new Intl.DateTimeFormat(language, { dateStyle: "full" });
const clock = new Intl.DateTimeFormat(language, { timeStyle: "short" });
const day = new Intl.DateTimeFormat(language, { dateStyle: "long" });
const weekday = new Intl.DateTimeFormat(language, { weekday: "short" });
/** @param {When} when */
export const sayWhen = (when) => (isWeek(when) ? day.formatRange(when.since, new Date(when.before.getTime() - 1)) : date.format(when.since));
/** @param {string} at @param {When} when */
export const sayTime = (at, when) => [...(isWeek(when) ? [weekday.format(new Date(at))] : []), clock.format(new Date(at))].join(" ");

/** Returns the names and the score of a match, those who have won marked. @param {Oche.EveningMatch} match
    @returns {{ name: string, score: string, won: boolean }[]} */
export const listSides = ({ result: { players, sides = [] } }) => (sides.length
  ? sides.map(({ players: names, score, won }) => ({ name: names.join(" + "), score: history.number(score), won }))
  : players.map((name) => ({ name, score: "", won: false })));

/** Returns what more is said of a match. @param {Oche.EveningMatch} match */
export const sayMore = ({ best_visit: best, result: { score_of: scoreOf, standing } }) => [
  ...(standing === "stopped" ? [history.wasStopped] : []), ...(scoreOf && scoreOf !== "score" ? [history[scoreOf]] : []),
  ...(best ? [`${texts.bestVisit}${words.colon}${`${history.number(best.points)} · ${best.player}`}`] : [])].join(" · ");

/** Returns what players did for the first time, a line for each of them. @param {Oche.Evening} evening */
export const sayFirsts = ({ firsts }) => [...new Set(firsts.map(({ player }) => player))].map((name) =>
  `${name}${words.colon}${firsts.filter(({ player }) => player === name).map(({ kind }) => texts.firstTimes[kind]).join(", ")}`);

/** Returns the badges that each player has earned, in their order. @param {Oche.Evening} evening
    @param {Oche.BadgesLanguage} named @returns {[player: string, text: string][]} */
export function sayBadges({ badges }, { named, tiers }) {
  const known = badges.filter(({ badge }) => badge in named); // an older page may not know all
  return [...new Set(known.map(({ player }) => player))].map((name) => [name, known.filter(({ player }) => player === name)
    .map(({ badge, tier }) => `${named[/** @type {keyof typeof named} */ (badge)][0]} (${tiers[tier - 1]})`).join(", ")]);
}

/** Returns the records: what it is, and whose. @param {Oche.Evening} evening @returns {[label: string, text: string][]} */
export const sayRecords = ({ records }) => records.map(({ is_personal: isPersonal, kind, label, player, value }) => [
  [texts.best[kind], label && words.title(label)].filter(Boolean).join(" · "),
  [`${kind === "leg" ? words.darts(value) : history.number(value)} · ${player}`, ...(isPersonal ? [texts.personal] : [])].join(" · "),
]);
