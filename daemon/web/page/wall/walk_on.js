/* Who plays, as a match begins: faces and nicknames at once; the averages of the month and what was between two so far as soon as the
   statistics answer, which nothing waits for. */

import { makeFace } from "../avatar.js";
import { make, setFittedText, setSideColour, setStyle } from "../dom.js";
import { ask } from "../link.js";
import { findPlayer } from "./wall_players.js";
import { history } from "../words/words.js";

const AGAIN_MS = 1_000; // between two questions, while a long history is read
const MOST_ASKED = 8;
const LETTERS = 2; // of a name, where the first is that of the other, too

/** Returns the plate of a match's players. @param {Oche.State} state @param {Oche.ScenesLanguage} text */
export function makeWalkOn({ sides }, text) {
  const cards = sides.map(makeCard);
  const between = make("p", { className: "between", test: "between" });
  const element = make("div", { className: "plate" }, make("div", { className: "walkers" }, ...cards), between);
  setStyle(element, "--sides", sides.length);
  const players = sides.map(({ players: names }) => (names.length === 1 ? names[0] : null));
  fillFaces(cards, sides, element);
  fillAverages(cards, players, text, element);
  const [name, other] = players;
  if (players.length === 2 && name && other) fillBetween(between, name, other, text, element);
  return element;
}

/** @param {Oche.Side} side @param {number} index */
function makeCard(side, index) {
  const name = make("b", { className: "number" });
  setFittedText(name, side.name);
  const card = make("section", { className: "walker", test: `walker-${index}` }, make("div", { className: "walker-faces" }), name, make("p", { className: "nickname" }), make("p", { className: "month" }));
  setSideColour(card, index);
  return card;
}

/** Puts in the faces and the nickname, which are known a moment after the match. @param {HTMLElement[]} cards @param {Oche.Side[]} sides @param {HTMLElement} element */
function fillFaces(cards, sides, element, tries = MOST_ASKED) {
  cards.forEach((card, index) => {
    const { name, players } = sides[index];
    const [faces, , nickname] = card.children;
    const known = players.map((each) => ({ ...findPlayer(each), name: each, colour: index }));
    const drawn = JSON.stringify(known);
    if (card.dataset.drawn === drawn) return;
    card.dataset.drawn = drawn;
    faces.replaceChildren(...known.map(makeFace));
    for (const each of faces.children) each.removeAttribute("loading"); // they are wanted at once
    const own = players.length === 1 ? findPlayer(name)?.nickname ?? "" : players.join(" · ");
    nickname.textContent = own;
  });
  if (tries > 0) setTimeout(() => { if (element.isConnected) fillFaces(cards, sides, element, tries - 1); }, AGAIN_MS / 4);
}

/** Asks until the statistics have read what there is, while the plate stands; null where they have nothing to say.
    @template Found @param {string} path @param {HTMLElement} element @returns {Promise<Found | null>} */
async function askWhileShown(path, element) {
  for (let tries = 0; tries < MOST_ASKED; tries++) {
    /** @type {any} */
    const found = await ask(path).catch(() => null);
    if (!found?.reading) return found;
    await new Promise((done) => { setTimeout(done, AGAIN_MS); });
    if (!element.isConnected) return null;
  }
  return null;
}

/** @param {HTMLElement[]} cards @param {(string | null)[]} players @param {Oche.ScenesLanguage} text @param {HTMLElement} element */
async function fillAverages(cards, players, text, element) {
  const now = new Date(), since = `${now.getFullYear()}-${String(now.getMonth() + 1).padStart(2, "0")}-01`; // here: elsewhere the month may be over
  /** @type {{ players: Oche.PlayerSummary[] } | null} */
  const found = await askWhileShown(`stats?since=${since}`, element);
  cards.forEach((card, index) => {
    const name = players[index] && (findPlayer(players[index])?.name ?? players[index]);
    const mine = found?.players.find((each) => each.name === name && each.value !== null && each.value_darts > 0);
    if (mine) card.children[3].append(make("b", {}, history.level(mine.value ?? 0)), ` ${text.thisMonth(history.kinds[mine.figure])}`);
  });
}

/** @typedef {{ names: string[], won: number[], drawn: number, last: (number | null)[] }} Meetings */

/** Says how often each has won against the other, and who won the latest. @param {HTMLElement} line @param {string} name @param {string} other
    @param {Oche.ScenesLanguage} text @param {HTMLElement} element */
async function fillBetween(line, name, other, text, element) {
  /** @type {Meetings | null} */
  const found = await askWhileShown(`stats/head_to_head?${new URLSearchParams({ name, other })}`, element);
  if (!found) return;
  const { drawn, last, won } = found, [one, two] = won;
  if (!one && !two && !drawn) line.textContent = text.neverMet;
  else line.textContent = one === two ? text.level(one) : text.leads(one > two ? name : other, Math.max(one, two), Math.min(one, two));
  const letters = [name, other].map((each) => [...each][0]?.toUpperCase() ?? "");
  if (letters[0] === letters[1]) [name, other].forEach((each, index) => { letters[index] = [...each].slice(0, LETTERS).join(""); });
  const five = last.slice(-5).map((winner) => {
    const mark = make("i", {}, winner === null ? "–" : letters[winner]);
    if (winner !== null) setSideColour(mark, winner);
    return mark;
  });
  if (five.length) line.append(make("span", { className: "latest" }, text.lastOnes(five.length), ...five));
}
