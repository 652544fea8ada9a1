/* Where a league has pages: this board or the whole league, and which place, game, season and time. Loaded once an answer says that
   there is one; what is chosen is in the address. */

import { $, make, setText } from "../dom.js";
import { linkHere, NOTHING, writeTime } from "./history_links.js";
import { read } from "../link.js";
import { loadSheet } from "../parts.js";
import { importTexts, words } from "../words/words.js";

/** @type {Oche.WholeLeagueLanguage} */
const text = (await importTexts("whole_league")).wholeLeague;
/** @typedef {{ name: string, places: string[], games: string[], seasons: { id: string, name: string }[] }} LeagueSummary */

const note = make("p", { className: "aside", test: "league-said", role: "status" });
let isShown = false;

/** Shows that there is a league. @param {string} said whose figures these are, as the header Oche-League says it */
export function showLeague(said) {
  if (said === "none") setText(note, text.none);
  else setText(note, ["own", "now", "whole"].includes(said) ? "" : text.kept(writeTime(said)));
  if (isShown) return;
  isShown = true;
  show(said === "whole");
}

/** @param {boolean} isAtLeague whether the league serves this page, and no daemon */
async function show(isAtLeague) {
  const asked = new URLSearchParams(location.search), isWide = isAtLeague || asked.has("league");
  const nav = make("nav", { className: "whole-league", ariaLabel: text.of });
  if (isAtLeague) for (const id of /** @type {const} */ (["back", "who", "evening"])) $(id).remove(); // what only a daemon has
  else nav.append(makeSwitch(isWide));
  await loadSheet("static/history/whole_league.css");
  $("said").before(nav, note);
  if (!isWide) return;
  /** @type {LeagueSummary | null} */
  const league = await read("league?league=1");
  if (league?.name) nav.prepend(make("b", { test: "league-name" }, league.name));
  if (league?.seasons?.length) nav.append(makeSeasons(league.seasons, asked.get("standings")));
  if (league?.places.length && !asked.has("match") && !asked.has("standings")) nav.append(makeFilters(league, asked));
}

/** @param {boolean} isWide */
function makeSwitch(isWide) {
  const none = { league: null, place: null, season: null, standings: null, game: null, from: null, to: null, player: null, match: null };
  return make("p", {}, ...[false, true].map((wide) => {
    const link = make("a", { href: linkHere({ ...none, league: wide ? "1" : null }), test: wide ? "whole-league" : "this-board" }, wide ? text.league : text.board);
    if (wide === isWide) link.setAttribute("aria-current", "true");
    return link;
  }));
}

/** @param {{ id: string, name: string }[]} seasons @param {string | null} chosen */
function makeSeasons(seasons, chosen) {
  return make("p", {}, make("span", {}, text.seasons), ...seasons.map(({ id, name }) => {
    const link = make("a", { href: linkHere({ ...NOTHING, bots: null, season: null, standings: id }), test: `season-${id}` }, name);
    if (id === chosen) link.setAttribute("aria-current", "page");
    return link;
  }));
}

/** @param {LeagueSummary} league @param {URLSearchParams} asked */
function makeFilters({ games, places, seasons }, asked) {
  const choose = (/** @type {string} */ key, /** @type {string} */ all, /** @type {Iterable<[string, string]>} */ listed) => {
    const chosen = asked.get(key) ?? "";
    return make("select", { test: `league-${key}` }, new Option(all, "", !chosen, !chosen), ...Array.from(listed, ([value, label]) => new Option(label, value, value === chosen, value === chosen)));
  };
  const day = (/** @type {string} */ key) => make("input", { type: "date", value: asked.get(key) ?? "", test: `league-${key}` });
  const fields = {
    place: choose("place", text.everywhere, places.map((each) => [each, each])),
    ...(asked.has("player") || asked.has("rivals") ? {} : { game: choose("game", text.allGames, games.map((each) => [each, words.title(each)])) }),
    ...(seasons.length ? { season: choose("season", text.anyTime, seasons.map(({ id, name }) => [id, name])) } : {}),
    from: day("from"), to: day("to"),
  };
  const label = (/** @type {string} */ name, /** @type {HTMLElement} */ field) => make("label", {}, make("span", {}, name), field);
  return make("form", { onsubmit(event) {
    event.preventDefault();
    const chosen = Object.entries(fields).map(([key, { value }]) => [key, value || null]);
    location.assign(linkHere({ ...Object.fromEntries(chosen), league: "1", before: null }));
  } }, ...Object.entries(fields).map(([key, field]) => label(text[/** @type {keyof typeof fields} */ (key)], field)),
  make("button", { className: "go", test: "league-show" }, text.show));
}
