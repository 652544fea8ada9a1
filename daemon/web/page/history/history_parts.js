/* What the pages of the statistics share: links, tables, and how the history is asked. */

import { $, make, setText } from "../dom.js";
import { makeGlyph } from "../glyphs.js";
import { read } from "../link.js";
import { linkTo } from "../preferences.js";
import { history as words, importTexts, language } from "../words/words.js";
import { NOTHING } from "./history_links.js";

/** @type {Oche.StatisticsLanguage} */
export const texts = (await importTexts("statistics")).statistics;

/** What the address says of the league, and how that is asked. */
const OF_LEAGUE = { league: "league", place: "place", season: "season", from: "since" };
const LISTS = ["stats", "matches"]; // which a game narrows
const DAY_MS = 24 * 3600 * 1000;
let isOfLeague = false;

/** Whether what is shown was played at this board, so that it can be played against, and taken home. */
export const isOwn = () => !isOfLeague && !new URLSearchParams(location.search).has("league");

/** Returns how this is asked: where the address says so of the whole league, or of what the address names of it.
    @param {string} path */
export function askLeague(path) {
  const here = new URLSearchParams(location.search), [name, query = ""] = path.split("?"), wanted = new URLSearchParams(query);
  if (!here.has("league")) return path;
  for (const [key, parameter] of Object.entries(OF_LEAGUE)) if (here.get(key)) wanted.set(parameter, here.get(key) ?? "");
  const last = Date.parse(here.get("to") ?? "");
  if (last && !wanted.has("before")) wanted.set("before", new Date(last + DAY_MS).toISOString().slice(0, 10));
  if (LISTS.includes(name) && here.get("game")) wanted.set("game", here.get("game") ?? "");
  return `${name}?${wanted}`;
}

/** Shows that there is a league, where an answer says so. @param {Headers} headers */
export async function hearOfLeague(headers) {
  const said = headers.get("Oche-League");
  if (!said) return;
  if (said === "whole") isOfLeague = true;
  (await import("./whole_league.js")).showLeague(said);
}

/** Returns a link to the lobby, with a match against a leg of this player: that with this number, else the best one.
    @param {string} match @param {string} player @param {string} label @param {number | null} [leg] */
export const linkToGhost = (match, player, label, leg = null) => make("a", {
  href: linkTo("./", { ...NOTHING, bots: null, lobby: "1", ghost: match, player, leg: leg === null ? null : String(leg) }), test: "ghost",
}, label);

const abouts = new Map(Object.entries(texts.about).map(([key, text]) =>
  [/** @type {Record<string, string>} */ (/** @type {unknown} */ (words.named))[key], text]));

/** Returns what a figure is, "" where its name says it. @param {string} label */
export const explain = (label) =>
  abouts.get(label) ?? (/^\d+\+?$/.test(label) ? texts.about.visits : /^\dm$/.test(label) ? texts.about.marks : "");

/** Fills a table of that name; the first cell of a row is its head. With `keys`, those of each row by which it is put in
    order, a tap on a heading does that, and another the other way round.
    @param {HTMLElement} element @param {string} name @param {string[]} head @param {(Node | string)[][]} rows
    @param {(string | number)[][]} [keys] */
export function fillTable(element, name, head, rows, keys) {
  const row = (/** @type {string} */ scope) => (/** @type {(Node | string)[]} */ cells) => make("tr", {}, ...cells.map((content, column) => {
    const className = column > 2 && column < 6 ? "spare" : "";
    return scope === "col" || !column ? make("th", { className, scope }, content) : make("td", { className }, content);
  }));
  const lines = rows.map(row("row"));
  const body = make("tbody", {}, ...lines);
  const heads = row("col")(head);
  if (keys) makeSortable([.../** @type {HTMLCollectionOf<HTMLElement>} */ (heads.children)], body, lines, keys);
  element.ariaLabel = name;
  element.replaceChildren(make("thead", {}, heads), body);
}

/** @param {HTMLElement[]} heads @param {HTMLElement} body @param {HTMLElement[]} lines @param {(string | number)[][]} keys */
function makeSortable(heads, body, lines, keys) {
  heads.forEach((head, column) => {
    const isText = typeof keys[0]?.[column] === "string";
    const places = lines.map((_, place) => place);
    head.replaceChildren(make("button", {
      type: "button", test: `by-${column}`,
      onclick() {
        const wasDown = head.ariaSort === "descending";
        const isDown = head.ariaSort ? !wasDown : !isText; // the most first, names from A
        for (const each of heads) each.ariaSort = null;
        head.ariaSort = isDown ? "descending" : "ascending";
        const compare = (/** @type {number} */ one, /** @type {number} */ other) => {
          const [a, b] = [keys[one][column], keys[other][column]];
          return typeof a === "string" ? a.localeCompare(String(b), language) : a - Number(b);
        };
        body.replaceChildren(...places.toSorted((one, other) => (isDown ? compare(other, one) : compare(one, other)) || one - other).map((place) => lines[place]));
      },
    }, ...head.childNodes, makeGlyph("rising"), makeGlyph("falling")));
  });
}

/** Shows what will be here, and how one gets it, while there is nothing. @param {string} said */
export async function showEmpty(said) {
  setText($("said"), said);
  /** @type {Oche.TableInfo[] | null} */
  const tables = await read("tables");
  const { how, items, play, title, tokens } = texts.empty;
  const mayPlay = tables?.some(({ role }) => role !== "look");
  $("empty").replaceChildren(make("h2", {}, title), make("ul", {}, ...items.map((item) => make("li", {}, item))), make("p", {}, how),
    mayPlay ? make("a", { className: "go", href: linkTo("./", { ...NOTHING, bots: null, lobby: "1" }), test: "play-first" }, play) : make("p", {}, tokens));
  $("empty").hidden = false;
}

export const PIECE = 200; // players of a list that are asked for at once, as a league may have ten thousand

/** Shows a list of players piece by piece: returns what begins it, and the button that adds the next piece.
    @template Each @param {(query: Record<string, string>) => Promise<Each[]>} ask @param {(found: Each[]) => void} show */
export function showInPieces(ask, show) {
  /** @type {Each[]} */
  let shown = [];
  const button = make("button", { type: "button", className: "next", test: "show-more", async onclick() {
    const before = shown;
    button.disabled = true;
    const found = await ask(makePiece(before.length));
    button.disabled = false;
    if (shown === before) begin([...before, ...found], found.length); // else another list was begun meanwhile
  } }, texts.next);
  function begin(/** @type {Each[]} */ found, latest = found.length) {
    shown = found;
    show(found);
    button.hidden = latest !== PIECE; // a league of before sends all of them at once
  }
  return { begin, button };
}

/** Returns how the piece of a list from this place on is asked for. @param {number} [first] */
export const makePiece = (first = 0) => ({ first: String(first), most: String(PIECE) });

/** Reads it; says how far it is while the matches are read.
    @template Found @param {string} path @returns {Promise<Found | null>} */
export async function askHistory(path) {
  for (;;) {
    /** @type {Found & Oche.Reading | null} */
    const found = await read(askLeague(path), hearOfLeague);
    if (!found?.reading) return found;
    setText($("said"), words.reading(found.reading));
  }
}
