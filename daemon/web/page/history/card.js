/* A player as a card, of one game: the picture, the figure that players of it compare themselves by and where it goes, and
   the bests; below it all other figures, each with what it is. */

import { makeAvatar, makeFace } from "../avatar.js";
import { $, make, makeSvg, setSideColour } from "../dom.js";
import { makeGlyph } from "../glyphs.js";
import { explain, texts } from "./history_parts.js";
import { history as words, words as spoken } from "../words/words.js";

const RECENT = 5; // matches that are one point of the line, as in daemon/admin/history/player_figures.py
const FEWEST_DARTS = 30; // a trend of fewer says nothing
const STEADY = 0.01; // of the figure: less than that is no way up or down
const [WIDE, HIGH, PAD] = [300, 70, 6]; // the line on the card
const SIGNS = { up: "rising", down: "falling", level: "steady" };

/** @typedef {[label: string, value: string, about: string]} Fact */

/** Shows the card. @param {Oche.PlayerReport} found @param {Oche.GameReport} game @param {Oche.KnownPlayer | undefined} profile */
export function showCard(found, game, profile) {
  const [main, ...bests] = listBests(game);
  const name = found.is_bot ? texts.bot(found.name) : found.name;
  $("card").replaceChildren(
    make("div", { className: "person" }, profile?.face ? makeFace(profile) : makeAvatar(profile ?? { name: found.name }),
      make("div", {}, make("b", {}, name), ...(profile?.nickname ? [make("i", {}, profile.nickname)] : []),
        make("span", {}, `${game.label} · ${words.played(game)}`))),
    make("dl", { className: "bests" },
      make("div", { className: "main" }, ...makeFact(main), ...(game.better ? [] : makeTrend(game))), ...bests.map((fact) => make("div", {}, ...makeFact(fact)))));
  setSideColour($("card"), profile?.colour ?? null);
  showOthers(game, [main, ...bests].map(([label]) => label));
}

/** @param {Fact} fact */
const makeFact = ([label, value, about]) => [make("dt", {}, label), make("dd", { test: label }, value), ...(about ? [make("dd", { className: "about" }, about)] : [])];

/** Returns what is shown large, the main one first. @param {Oche.GameReport} game @returns {Fact[]} */
function listBests({ best, better, figure, figures: f, matches, results = [], won }) {
  const { about } = texts, { named } = words;
  /** @type {(Fact | false | null | undefined)[]} */
  const found = [
    better && best && [texts.bestResult, words.number(best.value), words.day(best.at)],
    better && results.length > 1 && [texts.latest, words.number(results[results.length - 1].value), words.day(results[results.length - 1].at)],
    figure === "mpr" && f.mpr !== null && [named.mpr, words.fixed(f.mpr), about.mpr],
    figure === "average" && f.average !== null && f.average > 0 && [named.average, words.fixed(f.average), about.average],
    Boolean(f.best_leg) && [named.bestLeg, spoken.darts(f.best_leg ?? 0), about.bestLeg],
    Boolean(f.high_finish) && [named.highFinish, words.number(f.high_finish ?? 0), about.highFinish],
    [texts.won, words.pair(won, matches), ""],
  ];
  return /** @type {Fact[]} */ (found.filter(Boolean));
}

/** Returns where the figure goes: the last matches beside all, and the line. @param {Oche.GameReport} game */
function makeTrend({ figure, figures, trend }) {
  const all = figure === "mpr" ? figures.mpr : figures.average;
  if (trend.length <= RECENT || !all || figures.darts < FEWEST_DARTS) return [];
  const last = trend[trend.length - 1].pooled;
  const way = last > all * (1 + STEADY) ? "up" : last < all * (1 - STEADY) ? "down" : "level";
  const values = trend.map(({ pooled }) => pooled), [low, high] = [Math.min(...values), Math.max(...values)];
  const points = values.map((value, place) =>
    `${PAD + (place / (values.length - 1)) * (WIDE - 2 * PAD)},${HIGH - PAD - (high > low ? (value - low) / (high - low) : 0.5) * (HIGH - 2 * PAD)}`);
  return [
    make("dd", { className: `trend ${way}`, test: "way" }, make("span", { role: "img", ariaLabel: texts.trends[way] }, makeGlyph(SIGNS[way])), ` ${texts.lastFive(words.fixed(last))}`),
    make("dd", { className: "way" }, makeSvg("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, "aria-hidden": "true" }, makeSvg("polyline", { points: points.join(" ") }))),
  ];
}

/** Shows the other figures. @param {Oche.GameReport} game @param {string[]} shown the labels of those that are on the card */
function showOthers({ figures }, shown) {
  const others = words.figures(figures).filter(([label, text]) => (text ?? "") !== "" && text !== words.fixed(0) && !shown.includes(label));
  $("figures").replaceChildren(...others.map(([label, text, wide]) =>
    make("div", { className: wide ? "wide" : "" }, ...makeFact([label, String(text), explain(label)]))));
}
