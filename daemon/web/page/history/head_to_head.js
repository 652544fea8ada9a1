/* Two players head to head: who leads, the winners of the latest matches, the streak, and the same game by game. */

import { chooseColours, makeFace } from "../avatar.js";
import { make, setSideColour } from "../dom.js";
import { fillTable } from "./history_parts.js";
import { history as words, words as phrases } from "../words/words.js";

/** Returns it. @param {Oche.HeadToHead} found @param {Map<string, Oche.KnownPlayer>} profiles @param {Oche.RivalsLanguage["pair"]} text */
export function makeHeadToHead(found, profiles, text) {
  const { drawn, games, last, names, streak, won } = found;
  if (!games.length) return make("p", { className: "aside" }, text.never(names[0], names[1]));
  const players = names.map((name) => profiles.get(name) ?? { name });
  const colours = chooseColours(players);
  const ahead = won[0] > won[1] ? 0 : 1;
  const sentences = [won[0] === won[1] ? text.level(words.number(won[0])) : text.leads(names[ahead], words.number(won[ahead]), words.number(won[1 - ahead])),
    ...(drawn ? [text.drawn(drawn)] : [])];
  const table = make("table", { test: "by-game" });
  fillTable(table, text.title, [text.game, names[0], names[1], text.drawnHead, text.latest, text.streakHead], games.map((each) => [
    each.label, ...each.won.map(words.number), words.number(each.drawn), makeLatest(each.last, names, colours, text),
    each.streak ? text.run(names[each.streak.side], each.streak.matches) : "–",
  ]));
  return make("div", {},
    make("div", { className: "duel" }, makeSide(players[0], colours[0]), make("p", { className: "tally", ariaHidden: "true", test: "tally" }, `${words.number(won[0])} : ${words.number(won[1])}`), makeSide(players[1], colours[1])),
    make("p", { className: "leads", test: "leads" }, sentences.join(" · ")),
    makeLatest(last, names, colours, text), ...(streak ? [make("p", { test: "streak" }, text.streak(names[streak.side], streak.matches))] : []),
    table, make("p", { className: "aside" }, text.teams));
}

/** @param {Parameters<typeof makeFace>[0]} player @param {number} colour */
function makeSide(player, colour) {
  const element = make("div", {}, makeFace(player), make("b", {}, player.name));
  setSideColour(element, colour);
  return element;
}

/** Returns the winners as letters in their colours, oldest first.
    @param {(number | null)[]} last @param {string[]} names @param {number[]} colours @param {Oche.RivalsLanguage["pair"]} text */
function makeLatest(last, names, colours, text) {
  const told = last.map((winner) => (winner === null ? text.draw : names[winner]));
  return make("span", { className: "latest", role: "img", ariaLabel: `${text.latest}${phrases.colon}${told.join(", ")}` }, ...last.map((winner) => {
    const chip = make("i", {}, winner === null ? "–" : [...names[winner]][0].toUpperCase());
    setSideColour(chip, winner === null ? null : colours[winner]);
    return chip;
  }));
}
