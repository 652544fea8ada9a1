/* A season of a league: of each division the table, and the matches by their days. */

import { $, make, setText } from "../dom.js";
import { linkHere } from "./history_links.js";
import { askHistory, fillTable } from "./history_parts.js";
import { loadSheet } from "../parts.js";
import { history as words, importTexts, language } from "../words/words.js";

/** @type {Oche.SeasonLanguage} */
const text = (await importTexts("season")).season;
/** @typedef {{ place: number, side: string, played: number, won: number, drawn: number, lost: number, legs: [number, number],
      points: number, deducted: number, mark: "promoted" | "relegated" | null, withdrawn: boolean }} Row */
/** @typedef {{ day: number, date: string, home: string, away: string, place: string, score: [number, number] | null, postponed: boolean,
      status: "open" | "playing" | "played" | "forfeit" | "annulled" }} Fixture */
/** @typedef {{ name: string, rows: Row[], fixtures: Fixture[], rests: (string | null)[] }} Division */

const days = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone: "UTC" });
const join = (/** @type {(string | false | null | undefined)[]} */ parts) => parts.filter(Boolean).join(" · ");

/** @param {string} id of the season */
export async function showSeason(id) {
  await loadSheet("static/history/whole_league.css");
  /** @type {{ name: string, begins: string, ends: string, divisions: Division[] } | null} */
  const season = await askHistory(`league/season?name=${encodeURIComponent(id)}`);
  if (!season) return setText($("said"), text.unknown);
  setText($("title"), season.name);
  setText($("said"), `${writeDay(season.begins)} – ${writeDay(season.ends)}`);
  $("season").replaceChildren(
    make("p", {}, make("a", { href: linkHere({ standings: null, season: id, league: "1" }), test: "season-statistics" }, text.statistics)),
    ...season.divisions.map(makeDivision));
  $("season").hidden = false;
}

const writeDay = (/** @type {string} */ day) => days.format(new Date(day));

/** @param {Division} division */
function makeDivision({ fixtures, name, rests, rows }) {
  const table = make("table");
  fillTable(table, name, text.columns, rows.map((row) => [
    make("span", {}, `${row.place}. ${row.side}`, ...makeNote(join([row.mark && text.marks[row.mark], row.withdrawn && text.withdrawn, row.deducted > 0 && text.deducted(row.deducted)]))),
    make("b", {}, words.number(row.points)), ...[row.played, row.won, row.drawn, row.lost].map(words.number), row.legs.join(" : "),
  ]));
  return make("section", { test: "division" }, make("h2", {}, name), table, ...rests.flatMap((rest, at) => makeDay(at + 1, fixtures.filter(({ day }) => day === at + 1), rest)));
}

const makeNote = (/** @type {string} */ note) => (note ? [make("small", {}, note)] : []);

/** @param {number} day @param {Fixture[]} fixtures @param {string | null} rest who rests */
function makeDay(day, fixtures, rest) {
  const planned = fixtures.find(({ date, postponed }) => date && !postponed)?.date;
  const title = join([text.day(day), planned && writeDay(planned), rest && text.rests(rest)]), table = make("table");
  fillTable(table, title, text.heads, fixtures.map(({ away, date, home, place, postponed, score, status }) => [
    make("span", {}, `${home} – ${away}`, ...makeNote(place)), score ? score.join(" : ") : "–",
    join([postponed && `${text.postponed}: ${writeDay(date)}`, status !== "open" && status !== "played" && text.how[status]]),
  ]));
  return [make("h3", {}, title), table];
}
