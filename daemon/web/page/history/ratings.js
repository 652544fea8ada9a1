/* The ratings of a game, and the averages of all players with their classes. */

import { makeAvatar } from "../avatar.js";
import { make, makeSvg } from "../dom.js";
import { linkHere } from "./history_links.js";
import { askHistory, fillTable, makePiece, showInPieces } from "./history_parts.js";
import { history as words } from "../words/words.js";

const [WIDE, HIGH, PAD] = [90, 28, 3]; // the drawing of a player's way

/** @typedef {Oche.RivalsLanguage["ratings"]} Texts */
/** @typedef {Map<string, Oche.KnownPlayer>} Profiles */

/** @param {Record<string, string>} query @returns {Promise<Oche.Ratings | null>} */
const ask = (query) => askHistory(`stats/ratings?${new URLSearchParams(query)}`);

/** @param {HTMLElement} section @param {Profiles} profiles @param {Texts} text */
export async function showRatings(section, profiles, text) {
  const found = await ask(makePiece());
  if (!found) return;
  const { games, players, tables } = found;
  const rated = make("table", { test: "ratings-table" }), classes = make("table", { test: "classes-table" });
  const label = (/** @type {Oche.RatedGame} */ game) => (game.method === "glicko2" ? game.label : text.others(game.label));
  const select = make("select", { test: "rated-game", async onchange() {
    const chosen = getGame(), first = await askRated(makePiece());
    if (chosen === getGame()) ratedList.begin(first);
  } }, ...games.map((game, place) => new Option(label(game), String(place))));
  const getGame = () => games[select.selectedIndex];
  async function askRated(/** @type {Record<string, string>} */ piece) {
    const { method, variant } = getGame();
    const there = (await ask({ game: variant, method, ...piece }))?.games.find((each) => each.variant === variant && each.method === method);
    return there?.players ?? [];
  }
  const ratedList = showInPieces(askRated, (listed) => fillRatings(rated, { ...getGame(), players: listed }, profiles, text));
  const classList = showInPieces(async (piece) => (await ask(piece))?.players ?? [], (listed) => fillClasses(classes, listed, tables, profiles, text));
  if (games.length) ratedList.begin(games[0].players);
  classList.begin(players);
  section.replaceChildren(
    ...(games.length ? [make("h2", {}, text.title), make("label", { className: "month" }, make("span", {}, text.game), select), rated, ratedList.button, make("p", { className: "aside" }, text.rule)] : []),
    ...(players.length ? [make("h2", {}, text.classes), classes, classList.button, make("p", { className: "aside" }, text.classRule)] : []));
}

/** @param {HTMLElement} table @param {Oche.RatedGame} game @param {Profiles} profiles @param {Texts} text */
function fillRatings(table, { label, players }, profiles, text) {
  fillTable(table, `${text.title}, ${label}`, text.columns, players.map((each, place) => [
    make("div", { className: "named" }, make("em", {}, `${place + 1}.`), ...makeName(each.name, profiles).childNodes),
    make("span", {}, make("b", {}, each.rating.toFixed()), ` ± ${(2 * each.deviation).toFixed()}`), each.least.toFixed(),
    words.number(each.matches), words.day(each.last), drawWay(each.points, text),
  ]));
}

/** @param {HTMLElement} table @param {Oche.PlayerClass[]} players @param {Oche.ClassSource[]} tables @param {Profiles} profiles @param {Texts} text */
function fillClasses(table, players, tables, profiles, text) {
  const [first, second, third] = tables;
  const average = (/** @type {number | null} */ value, /** @type {number} */ darts) => (value === null ? "–" : `${words.fixed(value)} (${words.number(darts)})`);
  const find = (/** @type {Oche.FoundClass[]} */ classes, /** @type {Oche.ClassSource} */ { id }) => classes.find((each) => each.table === id);
  const both = (/** @type {Oche.PlayerClass} */ { cricket, x01 }, /** @type {Oche.ClassSource} */ source) =>
    [x01, cricket].map((classes) => find(classes, source)).map((each) => (each ? `${each.number} ${each.name}` : "–")).join(" / ");
  fillTable(table, text.classes, [...text.heads, first.title, text.ppd, text.mpr, second.title, third.title], players.map((each) => [
    makeName(each.name, profiles), each.pr === null ? "–" : make("b", {}, words.fixed(each.pr)), both(each, first),
    average(each.ppd, each.ppd_darts), average(each.mpr, each.mpr_darts), both(each, second), both(each, third),
  ]));
}

/** @param {string} name @param {Profiles} profiles */
const makeName = (name, profiles) => make("div", { className: "named" }, makeAvatar(profiles.get(name) ?? { name }),
  make("a", { href: linkHere({ rivals: null, month: null, other: null, player: name }) }, name));

/** Returns the rating over the latest days as a line. @param {Oche.RatingPoint[]} points @param {Texts} text */
function drawWay(points, text) {
  const values = points.map(({ rating }) => rating), low = Math.min(...values), high = Math.max(...values);
  const x = (/** @type {number} */ place) => PAD + (place / Math.max(1, values.length - 1)) * (WIDE - 2 * PAD);
  const y = (/** @type {number} */ value) => HIGH - PAD - (high > low ? (value - low) / (high - low) : 0.5) * (HIGH - 2 * PAD);
  const [from, to] = [values[0], values[values.length - 1]].map((value) => value.toFixed());
  const way = makeSvg("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, class: "way", role: "img", "aria-label": text.way(from, to, words.matches(values.length)) });
  way.append(makeSvg("polyline", { points: values.map((value, place) => `${x(place)},${y(value)}`).join(" ") }));
  return way;
}
