/* A match in two places, above the match: that another table asks for this one, what the link to it is like, and what one
   of both tables has asked for. Loaded with the first such news. */

import { sendCommand } from "../commands.js";
import { $, make, rebuild } from "../dom.js";
import { loadSheet } from "../parts.js";
import { preference } from "../preferences.js";
import { store, watch } from "../store.js";
import { importTexts } from "../words/words.js";

const text = (await importTexts("two_places")).twoPlaces;
await loadSheet("static/wall/two_places.css");

const strip = make("section", { id: "two-places", test: "two-places", role: "status", hidden: true });

/** Draws it from now on. */
export function showPlaces() {
  if (!strip.isConnected) {
    $("warnings").after(strip);
    watch(draw);
  }
  draw();
}

function draw() {
  const wish = store.state?.wish, said = wish ? sayTrouble() : [...sayLent(), ...sayPlaces()]; // both do not fit above the scores
  const asked = store.lent?.asked ?? "", to = store.lent?.to ?? "";
  const isPlayed = store.role !== "look" && !preference("kiosk");
  strip.hidden = !said.length && !asked && !wish;
  rebuild(strip, { said, asked, to, wish, isPlayed }, () => [
    ...said.map((sentence) => make("p", {}, sentence)),
    ...(asked ? [make("p", {}, text.ask(asked)), ...(isPlayed ? [choices(
      [text.agree, "agree-lend", () => sendCommand("lend", { lend: asked })],
      [text.refuse, "refuse-lend", () => sendCommand("lend", { lend: null })],
    )] : [])] : []),
    ...(wish ? sayWish(wish, isPlayed) : []),
    ...(to && isPlayed && !wish ? [choices([text.end, "end-lend", () => sendCommand("lend", { lend: null })])] : []),
  ]);
}

/** @param {...[string, string, () => void]} buttons */
const choices = (...buttons) => make("div", { className: "choices" },
  ...buttons.map(([label, test, onclick]) => make("button", { type: "button", test, onclick }, label)));

/** What a table says that plays along at another one. */
function sayLent() {
  const { lent } = store;
  if (!lent?.to) return [];
  if (lent.linked === false) return [`${text.away(lent.to)}${lent.waiting ? ` ${text.waiting(lent.waiting)}` : ""}`];
  return [lent.state ? text.lent(lent.to) : text.waits(lent.to)];
}

/** What is said besides a wish. */
const sayTrouble = () => (store.lent?.linked === false ? sayLent() : sayPlaces().slice(0, 1));

/** What is to be said of the tables that play along at this one. */
function sayPlaces() {
  const { lent, state } = store;
  if (lent?.to || state?.phase === "over") return [];
  return (state?.places ?? []).flatMap(({ board, table }) => (board === "here" || board === "online" ? [] : [text[board](table)]));
}

/** @param {Oche.Wish} wish @param {boolean} isPlayed */
function sayWish({ by, input }, isPlayed) {
  /** @type {Record<string, string>} */
  const names = text.wishes;
  const word = ["amend", "retire", "concede", "stop", "undo", "redo"].find((each) => each in input) ?? "stop";
  const isOurs = by.includes(store.table);
  const body = word === "amend" || word === "retire" ? input : {};
  const about = word === "retire" ? store.state?.sides[Number(input.retire)]?.name : word === "amend" ? input.throw : null;
  const what = about ? `${names[word]} (${about})` : names[word]; // nobody agrees to what is not said
  return [make("p", {}, isOurs ? text.wished(what) : text.wish(by.join(", "), what)),
    ...(isPlayed && !isOurs ? [choices([text.agree, "agree-wish", () => sendCommand(word, body)])] : [])];
}
