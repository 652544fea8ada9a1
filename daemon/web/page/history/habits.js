/* What a player makes a habit of, on the card: goals and how far they are, the darts of each day, and doubles to practise. */

import { $, make } from "../dom.js";
import { linkHere, NOTHING } from "./history_links.js";
import { read, tablePath } from "../link.js";
import { loadSheet } from "../parts.js";
import { linkTo } from "../preferences.js";
import { makeStart } from "../wall/weak_doubles.js";
import { history as words, importTexts, language, words as spoken } from "../words/words.js";

/** @type {Oche.RivalsLanguage} */
const { calendar: text, goals, pair, practice: practising } = (await importTexts("rivals")).rivals;

const WEEKS = 12, DAYS = 7, LEVELS = 4;
const DAY_MS = 86_400_000;
const format = (/** @type {Intl.DateTimeFormatOptions} */ how) => new Intl.DateTimeFormat(language, { ...how, timeZone: "UTC" });
const weekday = format({ weekday: "short" }), month = format({ month: "short" }), day = format({ day: "numeric", month: "long" });

/** Shows them below the card. @param {Oche.PlayerReport & Oche.Habits} found */
export async function showHabits({ days, goals: set, is_bot: isBot, name, practice }) {
  const [start] = await Promise.all([practice && !isBot ? makePractice(name, practice) : null, loadSheet("static/history/habits.css")]);
  const parts = [...(Object.keys(days).length ? [makeCalendar(days)] : []), ...(set.length ? [makeGoals(set)] : []), ...(start ? [start] : [])];
  $("habits").replaceChildren(...parts);
  $("habits").hidden = !parts.length;
  if (!isBot) $("card").append(make("a", { href: linkHere({ ...NOTHING, rivals: "1", player: name }), test: "compare" }, pair.title));
}

/** Returns the last weeks, a column each. @param {Record<string, number>} days darts by day */
function makeCalendar(days) {
  const now = new Date(), today = Date.UTC(now.getFullYear(), now.getMonth(), now.getDate());
  const first = today - (((new Date(today).getUTCDay() + DAYS - 1) % DAYS) + (WEEKS - 1) * DAYS) * DAY_MS; // a Monday
  const most = Math.max(...Object.values(days));
  const at = (/** @type {number} */ week, /** @type {number} */ place) => first + (week * DAYS + place) * DAY_MS;
  const weeks = Array.from({ length: WEEKS }, (_, week) => at(week, 0));
  const heads = weeks.map((monday, week) => make("th", { scope: "col" }, make("span", { className: "unseen" }, text.weekOf(day.format(monday))),
    ...(!week || new Date(monday).getUTCMonth() !== new Date(weeks[week - 1]).getUTCMonth() ? [make("span", { ariaHidden: "true" }, month.format(monday))] : [])));
  const rows = Array.from({ length: DAYS }, (_, place) => make("tr", {}, make("th", { scope: "row" }, weekday.format(at(0, place))), ...weeks.map((_each, week) => {
    const time = at(week, place);
    if (time > today) return make("td", { className: "later" });
    const darts = days[new Date(time).toISOString().slice(0, 10)] ?? 0;
    return make("td", { className: `level-${Math.ceil((LEVELS * darts) / most)}`, title: text.on(day.format(time), spoken.darts(darts)) }, make("span", { className: "unseen" }, String(darts)));
  })));
  const table = make("table", { className: "calendar", ariaLabel: text.label, test: "calendar" }, make("thead", {}, make("tr", {}, make("td"), ...heads)), make("tbody", {}, ...rows));
  return make("section", {}, make("h2", {}, text.title), table);
}

/** @param {Oche.GoalProgress[]} set */
function makeGoals(set) {
  return make("section", {}, make("h2", {}, goals.title), make("ul", { className: "goals", test: "goals" }, ...set.map((goal) => {
    const { amount, figure, is_reached: isReached, kind, label, value } = goal;
    const isFigure = kind === "average", write = isFigure ? words.level : words.number;
    const name = !isFigure ? goals.kinds[kind] : figure === "mpr" ? goals.mpr(label ?? "") : goals.average(label ?? goal.game ?? "");
    const told = value === null ? goals.notPlayed : goals.progress(write(value), write(amount));
    return make("li", { className: isReached ? "reached" : "" }, make("span", {}, name), make("b", {}, isReached ? `${told}, ${goals.reached}` : told),
      make("progress", { max: amount, value: Math.min(value ?? 0, amount), ariaLabel: name }));
  })));
}

/** Returns the doubles, and for who may play a button that starts the practice. @param {string} name @param {Oche.Practice} practice */
async function makePractice(name, practice) {
  /** @type {Oche.TableInfo[]} */
  const tables = await read("tables") ?? [];
  const wanted = new URLSearchParams(location.search).get("table");
  const table = tables.find((each) => each.table === wanted) ?? tables[0];
  const begun = () => location.assign(linkTo("./", { ...NOTHING, bots: null, table: table.table }));
  return make("section", { test: "practice" }, make("h2", {}, practising.title),
    make("ul", { className: "doubles" }, ...practice.doubles.map(({ darts, hits, target }) => make("li", {}, practising.double(target, words.number(hits), words.number(darts))))),
    make("p", { className: "aside" }, practising.help),
    ...(table && table.role !== "look" ? [makeStart(practising.start, tablePath(table.table), practice, () => ({ players: [name] }), begun)] : []));
}
