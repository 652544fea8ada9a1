/* A match that can be played with hands, but has none by itself: its start asks. */

import { make } from "../dom.js";
import { ask } from "../link.js";
import { store } from "../store.js";
import { base } from "../wall/seats.js";
import { words } from "../words/words.js";

const text = words.lobby;

/** Who was asked here before and said no: the game and the players. @type {Set<string>} */
const refused = new Set();

/** Returns the options of this match with hands, unless it has them anyway, or somebody chose other values for them.
    @param {Oche.GameSheet} sheet of the game @param {import("../form.js").OptionForm} form
    @param {{ players: string[], teams?: number[][] }} people */
export function findHands({ name, chosen, hands }, form, { players, teams }) {
  const filled = hands?.filled[teams?.length ?? players.length];
  const isOnlyBots = players.every((player) => player.startsWith("bot:"));
  if (!hands || !filled || isOnlyBots || refused.has(`${name} ${players}`)) return null;
  const own = form.read();
  /** @type {Record<string, any>} */
  const now = { ...chosen, ...filled, ...own };
  const wanted = Object.entries(hands.options);
  const isSo = wanted.every(([key, value]) => now[key] === value);
  return isSo || wanted.some(([key, value]) => key in own && own[key] !== value) ? null : { ...own, ...hands.options };
}

/** Asks whether to play with hands, these people once. Resolves with null if the question was left without an answer.
    @param {Oche.GameSheet} sheet @param {{ players: string[] }} people @returns {Promise<boolean | null>} */
export function askForHands({ name }, { players }) {
  const local = make("p", { hidden: true, test: "hands-local" }, words.joining.local);
  const dialog = make("dialog", { id: "hands-dialog", test: "hands-dialog", ariaLabel: text.hands, ariaDescription: text.handsHint });
  const button = (/** @type {"no" | "yes"} */ answer) =>
    make("button", { type: "button", autofocus: answer === "no", onclick: () => dialog.close(answer) }, text[answer]);
  dialog.append(make("h2", {}, text.hands), make("p", {}, text.handsHint), local,
    make("div", { className: "row" }, button("no"), button("yes")));
  document.body.append(dialog);
  dialog.showModal();
  ask(`${store.place}/join?base=${base()}`).then(({ local: isLocal }) => { local.hidden = !isLocal; }, () => {}); // the codes will say it
  return new Promise((done) => {
    dialog.onclose = () => {
      dialog.remove();
      if (dialog.returnValue === "no") refused.add(`${name} ${players}`);
      done(dialog.returnValue ? dialog.returnValue === "yes" : null);
    };
  });
}
