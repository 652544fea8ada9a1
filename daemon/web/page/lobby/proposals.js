/* Practice that is proposed in the lobby to those who are chosen to play: at the doubles that each of them hits most seldom. */

import { make } from "../dom.js";
import { ask } from "../link.js";
import { store } from "../store.js";
import { makeStart, text } from "../wall/weak_doubles.js";

/** Puts a button for each player into the element. @param {HTMLElement} element @param {string[]} names of people
    @param {() => object | null} who returns all players, as a start has them @param {() => void} begun */
export async function propose(element, names, who, begun) {
  /** @type {(Oche.Habits & Oche.Reading | null)[]} */
  const found = await Promise.all(names.map((name) => ask(`stats/player?${new URLSearchParams({ name })}`).catch(() => null)));
  const offers = found.flatMap((each, place) => (each?.practice
    ? [makeStart(text.by(names[place], each.practice.routine.title), store.place, each.practice, who, begun)] : []));
  element.replaceChildren(make("h4", {}, text.title), ...(offers.length ? [make("p", { className: "aside" }, text.help), ...offers] : [make("p", { className: "aside" }, text.none)]));
}
