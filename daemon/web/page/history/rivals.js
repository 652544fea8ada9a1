/* Rivals: the league of a month, the ratings, and two players head to head. Who is compared and which month is shown are in the address. */

import { makeAvatar } from "../avatar.js";
import { $, make, setText } from "../dom.js";
import { offerHandicap } from "./handicap.js";
import { makeHeadToHead } from "./head_to_head.js";
import { linkHere } from "./history_links.js";
import { askHistory, fillTable } from "./history_parts.js";
import { read } from "../link.js";
import { loadSheet } from "../parts.js";
import { showRatings } from "./ratings.js";
import { history as words, importTexts, language } from "../words/words.js";

/** @type {Oche.RivalsLanguage} */
const { league: text, pair, ratings, title } = (await importTexts("rivals")).rivals;
const NAMES = 2000; // so many at once, as a league may have ten thousand
const months = new Intl.DateTimeFormat(language, { month: "long", year: "numeric" });
const writeMonth = (/** @type {string} */ month) => months.format(new Date(`${month}-15T12:00`));

/** @typedef {Map<string, Oche.KnownPlayer>} Profiles */

/** @param {URLSearchParams} asked what the address says */
export async function showRivals(asked) {
  await loadSheet("static/history/rivals.css");
  /** @type {Oche.KnownPlayer[] | null} */
  const known = asked.has("league") ? null : await read("players");
  const profiles = new Map((known ?? []).map((each) => [each.name, each]));
  const people = known ? [...profiles.keys()] : await listPlayers();
  setText($("title"), title);
  const league = make("section", { test: "league" }), compared = make("section", { test: "head-to-head" }), rated = make("section", { test: "ratings" });
  $("rivals").replaceChildren(league, compared, rated);
  $("rivals").hidden = false;
  showPair(compared, profiles, people, asked.get("player") ?? "", asked.get("other") ?? "");
  await showLeague(league, profiles, asked.get("month") ?? "");
  await showRatings(rated, profiles, ratings);
}

/** Returns the names of those who have played in the league, which knows no more of them. */
async function listPlayers() {
  /** @type {string[]} */
  const names = [];
  for (;;) {
    /** @type {{ players: Oche.PlayerSummary[] } | null} */
    const found = await askHistory(`stats?first=${names.length}&most=${NAMES}`);
    names.push(...(found?.players ?? []).map(({ name }) => name));
    if (found?.players.length !== NAMES) return names;
  }
}

/** Keeps it in the address, without a new page. @param {Record<string, string>} changes */
const note = (changes) => history.replaceState(null, "", linkHere(changes));

/** @param {HTMLElement} section @param {Profiles} profiles @param {string} wanted */
async function showLeague(section, profiles, wanted) {
  /** @type {Oche.League | null} */
  const found = await askHistory(`stats/league${wanted ? `?month=${encodeURIComponent(wanted)}` : ""}`);
  if (!found) return;
  setText($("said"), "");
  const { figure, label, month, months: listed, players } = found;
  const select = make("select", { test: "league-month", onchange: () => {
    note({ month: select.value });
    showLeague(section, profiles, select.value).then(() => section.querySelector("select")?.focus());
  } }, ...listed.map((each) => new Option(writeMonth(each), each, each === month, each === month)));
  const table = make("table", { test: "league-table" });
  const hasFigure = players.some(({ value }) => value !== null);
  const heads = [...text.columns, ...(hasFigure && figure && label ? [text.value(words.kinds[figure], label)] : [])];
  fillTable(table, `${text.title}, ${writeMonth(month)}`, heads, players.map((each) => [
    make("div", { className: "named" }, make("em", {}, `${each.place}.`), makeAvatar(profiles.get(each.name) ?? { name: each.name }),
      make("a", { href: linkHere({ rivals: null, month: null, other: null, player: each.name }) }, each.name)),
    make("b", {}, words.number(each.points)), ...[each.played, each.won, each.drawn, each.lost].map(words.number), each.legs.join(" : "),
    ...(hasFigure ? [each.value === null ? "–" : words.fixed(each.value)] : []),
  ]));
  section.replaceChildren(make("h2", {}, text.title), make("label", { className: "month" }, make("span", {}, text.month), select),
    ...(players.length ? [table] : [make("p", { className: "aside" }, text.none)]), make("p", { className: "aside" }, text.rule));
}

/** Lets two players be chosen, and shows what their matches came to.
    @param {HTMLElement} section @param {Profiles} profiles @param {string[]} people
    @param {string} one @param {string} other */
function showPair(section, profiles, people, one, other) {
  const shown = make("div", { test: "compared" });
  const names = [...new Set([...people, ...[one, other].filter(Boolean)])].sort((a, b) => a.localeCompare(b, language));
  const selects = [one, other].map((chosen, place) => make("select", { ariaLabel: pair.players[place], test: `rival-${place}`, onchange: compare },
    new Option("–", "", !chosen, !chosen), ...names.map((name) => new Option(name, name, name === chosen, name === chosen))));
  let asked = 0;
  async function compare() {
    const [name, rival] = selects.map(({ value }) => value), turn = ++asked;
    note({ player: name, other: rival });
    const isPair = Boolean(name && rival && name !== rival);
    /** @type {Oche.HeadToHead | null} */
    const found = isPair ? await askHistory(`stats/head_to_head?${new URLSearchParams({ name, other: rival })}`) : null;
    if (turn !== asked) return; // others were chosen meanwhile
    shown.replaceChildren(...(found ? [makeHeadToHead(found, profiles, pair), offerHandicap(name, rival, pair.handicap)] : [make("p", { className: "aside" }, pair.choose)]));
  }
  section.replaceChildren(make("h2", {}, pair.title), make("div", { className: "pair" }, ...selects), shown);
  compare();
}
