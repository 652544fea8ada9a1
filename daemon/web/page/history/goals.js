/* The goals of a player in the profile: at most five, each with a kind and an amount, and for an average a game. */

import { make } from "../dom.js";
import { askHistory } from "./history_parts.js";
import { importTexts } from "../words/words.js";

const MOST = 5; // as in daemon/admin/requests/players.py
/** @type {Record<Oche.Goal["kind"], { most: number, usual: number }>} as in daemon/admin/players/goals.py */
const KINDS = { darts: { most: 10_000, usual: 300 }, days: { most: 365, usual: 7 }, weeks: { most: 104, usual: 4 }, average: { most: 180, usual: 60 } };

/** @type {Oche.RivalsLanguage["goals"]} */
const text = (await importTexts("rivals")).rivals.goals;

/** Returns the fields, and what reads them. @param {Oche.KnownPlayer} player @returns {{ element: HTMLElement, read: () => Oche.Goal[] }} */
export function makeGoals({ goals = [], name }) {
  const list = make("ul", { className: "set-goals" });
  /** @type {Map<Element, () => Oche.Goal>} */
  const reads = new Map();
  const add = make("button", { type: "button", test: "add-goal", onclick: () => append({ kind: "darts", amount: KINDS.darts.usual }) }, text.add);
  const refresh = () => { add.disabled = list.children.length >= MOST; };
  /** @param {Oche.Goal} goal */
  function append(goal) {
    const { element, read } = makeGoal(goal, name, () => { reads.delete(element); element.remove(); refresh(); add.focus(); });
    reads.set(element, read);
    list.append(element);
    refresh();
  }
  for (const goal of goals) append(goal);
  return {
    element: make("fieldset", { className: "goals-set", test: "profile-goals" }, make("legend", {}, text.title), list, add, make("small", {}, text.help)),
    read: () => [...list.children].flatMap((each) => reads.get(each)?.() ?? []),
  };
}

/** @param {Oche.Goal} goal @param {string} name whose it is @param {() => void} remove */
function makeGoal(goal, name, remove) {
  const kind = make("select", { ariaLabel: text.kind, test: "goal-kind", onchange: () => follow(true) },
    ...Object.entries(text.kinds).map(([key, label]) => new Option(label, key, key === goal.kind, key === goal.kind)));
  const amount = make("input", { type: "number", min: "0.1", required: true, value: String(goal.amount), ariaLabel: text.amount, test: "goal-amount" });
  const game = make("select", { ariaLabel: text.game, required: true, test: "goal-game" });
  const chosen = () => /** @type {Oche.Goal["kind"]} */ (kind.value);
  /** @param {boolean} isNew whether the kind was just chosen */
  function follow(isNew) {
    const { most, usual } = KINDS[chosen()], isAverage = chosen() === "average";
    Object.assign(amount, { max: String(most), min: isAverage ? "0.1" : "1", step: isAverage ? "0.1" : "1", ...(isNew && { value: String(usual) }) });
    game.hidden = !isAverage;
    game.disabled = !isAverage;
    if (isAverage && !game.options.length) fillGames(game, name, goal.game ?? "");
  }
  follow(false);
  return {
    element: make("li", { className: "row" }, kind, amount, game, make("button", { type: "button", ariaLabel: text.remove, onclick: remove }, "×")),
    /** @returns {Oche.Goal} */
    read: () => ({ kind: chosen(), amount: Number(amount.value), ...(chosen() === "average" && { game: game.value }) }),
  };
}

/** Puts the games that the player has played into the list, and the one that is chosen.
    @param {HTMLSelectElement} game @param {string} name @param {string} chosen */
async function fillGames(game, name, chosen) {
  game.append(new Option(chosen, chosen, true, true)); // until they are read
  /** @type {Oche.PlayerReport | null} */
  const found = await askHistory(`stats/player?${new URLSearchParams({ name })}`);
  const games = (found?.games ?? []).map(({ label, variant }) => /** @type {const} */ ([variant, label]));
  if (chosen && !games.some(([variant]) => variant === chosen)) games.push([chosen, chosen]);
  game.replaceChildren(...games.map(([variant, label]) => new Option(label, variant, variant === chosen, variant === chosen)));
}
