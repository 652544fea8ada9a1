/* Whom a bot can throw like: the players of whom boards have measured enough darts. */

import { make } from "../dom.js";
import { ask } from "../link.js";
import { words } from "../words/words.js";

const text = words.lobby;

/** Puts a choice before the field of the level that takes its place; nothing where nobody can be chosen. `model` is who
    was chosen before, "" for nobody, and `choose` is told of another choice.
    @param {HTMLInputElement} level @param {string} model @param {(model: string) => void} choose */
export async function offerModels(level, model, choose) {
  /** @type {Oche.MeasuredPlayer[]} */
  const measured = await ask("players/measured").catch(() => []);
  const named = measured.map(({ name }) => (name.toLowerCase() === model.toLowerCase() ? model : name));
  const names = [...new Set([...named, model])].filter(Boolean);
  if (!names.length) return;
  const select = make("select", {
    ariaLabel: text.plays, test: "plays",
    onchange: () => { choose(select.value); level.hidden = level.disabled = Boolean(select.value); },
  }, new Option(text.byLevel, ""), ...names.map((name) => new Option(text.like(name), name)));
  select.value = model;
  level.before(select);
}
