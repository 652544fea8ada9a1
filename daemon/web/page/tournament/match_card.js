/* A match of a tournament as a card: both sides, what they came to, and what is to be known of it. A name is never cut: it
   is set on one line or on two, in the largest letters for which its box has room. */

import { make, setStyle } from "../dom.js";
import { measureWidest } from "../measure.js";
import { letterOf, nameSide, nameTable, texts, writeClock } from "./texts.js";
import { importTexts } from "../words/words.js";

/** @type {Oche.BracketLanguage} */
export const said = (await importTexts("bracket")).bracket;

const EMPTY = 0;
const IN_TREE = ["winners", "losers"];
const WEIGHT = 700;
const SHORT = 12; // letters of a word that is not cut
const WHOLE_WORDS = 0.8; // of its length: wider halves are cut within a word

/** How wide names are on one line and in their wider half, and the halves. @type {Map<string, { one: number, two: number, halves: string[] }>} */
const measured = new Map();

/** Returns how wide a name is, and how it is set on two lines. @param {string} name */
function measureName(name) {
  const known = measured.get(name);
  if (known) return known;
  const letters = [...name], one = Math.max(1, measureWidest([name], WEIGHT));
  const ends = letters.flatMap((letter, place) => (" -".includes(letter) ? [place + 1] : []));
  const cut = (/** @type {number} */ end) => {
    const halves = [letters.slice(0, end).join(""), letters.slice(end).join("")].filter(Boolean);
    return { one, two: Math.max(1, measureWidest(halves.map((each) => each.trim()), WEIGHT)), halves };
  };
  const best = ends.map(cut).sort((a, b) => a.two - b.two)[0];
  const isWhole = best && best.two <= WHOLE_WORDS * one;
  const found = isWhole ? best : letters.length <= SHORT ? { one, two: one, halves: [name] } : cut(Math.ceil(letters.length / 2));
  measured.set(name, found);
  return found;
}

/** Makes a name that fits its box, which has a size of its own. @param {string} name @param {string} [test] */
export function makeName(name, test = "") {
  const { halves, one, two } = measureName(name);
  const text = make("span", {}, ...halves.map((half) => make("i", {}, half)));
  const element = make("span", { className: "fitted-name", ...(test && { test }) }, text);
  setStyle(element, "--one", one.toFixed(2));
  setStyle(element, "--two", two.toFixed(2));
  return element;
}

/** Returns what is told of a match beside its sides: where and when, or how it came to its winner.
    @param {Oche.TournamentView} view @param {Oche.TournamentMatchView} match */
export function describeMatch(view, { due_s: due, status, table }) {
  const where = table && ["called", "playing", "disputed"].includes(status) ? nameTable(view, table) : "";
  const how = status !== "bye" && status in said.status ? said.status[/** @type {keyof typeof said.status} */ (status)] : "";
  const when = ["waiting", "ready"].includes(status) && due ? said.due(writeClock(due)) : "";
  return [where, when || (where && status === "called" ? "" : how)].filter(Boolean).join(" · ");
}

/** Returns when the tournament is expected to end; "" if that is not known. @param {Oche.TournamentView} view */
export const describeForecast = ({ forecast, phase }) =>
  (forecast && phase === "playing" ? said.ends(writeClock(forecast.end_s), writeClock(forecast.early_s), writeClock(forecast.late_s)) : "");

/** Returns what is told of a result: the scores; nothing where nothing was played. @param {Oche.TournamentMatchView} match @param {number} side */
export const readScore = ({ score, status }, side) => (score && !["bye", "waiting", "ready", "called"].includes(status) ? String(score[side]) : "");

/** Returns the number by which others in the tree call a match, as in "Winner of Last 64 · 1"; "" where its round says it.
    @param {Oche.TournamentView} view @param {Oche.TournamentMatchView} match */
const countMatch = ({ matches }, { number, of, round, stage }) =>
  (!of && IN_TREE.includes(stage) && matches.some((each) => each.stage === stage && each.round === round && each.number !== number) ? String(number) : "");

/** Makes a card. With `choose` names are buttons. @param {Oche.TournamentView} view @param {Oche.TournamentMatchView} match
    @param {{ choose?: (entrant: number) => void, label?: string }} [how] */
export function makeCard(view, match, { choose, label = "" } = {}) {
  const { id, sides, status, winner } = match;
  const rows = sides.map((entrant, side) => {
    const name = makeName(status === "bye" && entrant === EMPTY ? said.status.bye : nameSide(view, match, side));
    const isKnown = entrant > EMPTY;
    const row = make("div", { className: "side-row" }, name, " ", make("b", { className: "score" }, readScore(match, side)));
    row.classList.toggle("known", isKnown);
    row.classList.toggle("won", isKnown && winner === entrant);
    row.classList.toggle("beaten", isKnown && winner !== null && winner !== entrant);
    if (!isKnown) return row;
    row.dataset.entrant = String(entrant);
    if (!choose) return row;
    const button = make("button", { type: "button", className: row.className, onclick: () => choose(entrant) }, ...row.childNodes);
    button.dataset.entrant = String(entrant);
    return button;
  });
  const card = make("div", { className: `match-card is-${status}`, test: `match-${id}` }, ...(label ? [make("small", { className: "label" }, label)] : []),
    ...rows, make("small", { className: "told" }, [countMatch(view, match), describeMatch(view, match)].filter(Boolean).join(" · ")));
  card.dataset.match = id;
  return card;
}

/** Marks what belongs to a side that is followed. @param {HTMLElement} root @param {number} entrant @param {Set<string>} path */
export function markPath(root, entrant, path) {
  root.classList.toggle("following", entrant > EMPTY);
  for (const card of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[data-match]"))) card.classList.toggle("on-path", path.has(card.dataset.match ?? ""));
  for (const row of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[data-entrant]"))) {
    const isFollowed = row.dataset.entrant === String(entrant), button = row instanceof HTMLButtonElement ? row : row.querySelector("button");
    row.classList.toggle("followed", isFollowed);
    if (button) button.ariaPressed = String(isFollowed);
  }
}

/** Returns what a section is called, "" where the rounds say it. @param {Oche.TournamentView} view @param {import("./bracket_layout.js").Section} section */
export function nameSection(view, { key, rounds }) {
  if (key.startsWith("group-")) return texts.rounds.group(letterOf(rounds[0].match.group ?? 0));
  if (view.spec.kind !== "double_knock_out") return "";
  return key === "winners" ? said.winnersSide : key === "losers" ? said.losersSide : "";
}
