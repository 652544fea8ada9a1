/* The picture of one match, in one of its two sizes, to be shared or saved. The match is in the address, or what the code in
   it is for. */

import { drawCard, SIZES, texts } from "./card.js";
import { $, make, nameForTests, setText } from "../dom.js";
import { writeDay } from "./evening.js";
import { canShare, makeFile, nameFile, save, share } from "./pictures.js";
import { linkTo } from "../preferences.js";
import { readCode, readShown, seesOnlyThis } from "./source.js";
import { history as words, words as spoken } from "../words/words.js";

/** @param {Oche.MatchReport} report @param {Oche.KnownPlayer[]} players @param {string} venue */
async function showCard(report, players, venue) {
  const canvas = make("canvas", { test: "card" });
  const name = nameFile("oche", writeDay(new Date(report.at)), spoken.title(report.title), ...report.sides.map((side) => side.name));
  const best = report.sides.length === 1 ? await readBest(report) : "";
  const draw = (/** @type {"upright" | "wide"} */ size) => drawCard(canvas, report, players, { size, venue, best });
  const choices = /** @type {("upright" | "wide")[]} */ (Object.keys(SIZES)).map((size) => make("button", {
    type: "button", test: size, ariaPressed: String(size === "upright"),
    async onclick() {
      for (const each of choices) each.ariaPressed = String(each.dataset.testid === size);
      await draw(size);
    },
  }, texts[size]));
  await draw("upright");
  $("taken").replaceChildren(
    make("div", { className: "choices" }, ...choices,
      ...(canShare() ? [make("button", { type: "button", className: "go", test: "share", onclick: async () => share([await makeFile(canvas, name)], spoken.title(report.title)) }, texts.share)] : []),
      make("button", { type: "button", className: canShare() ? "" : "go", test: "save", onclick: async () => save(await makeFile(canvas, name)) }, texts.save)),
    canvas,
    ...(seesOnlyThis() ? [] : [make("a", { href: linkTo("history", { match: report.match }), test: "whole-match" }, texts.match)]));
}

/** Returns what the result of practice alone is beside the player's best, "" where the game compares no results.
    @param {Oche.MatchReport} report */
async function readBest({ match }) {
  /** @type {{ result: Oche.Result | null, best: Oche.Result | null } | null} */
  const found = await readShown(`match/${encodeURIComponent(match)}/best`);
  if (!found?.result || !found.best) return "";
  if (found.result.is_best) return words.isNewBest;
  return found.best.match === match ? "" : words.bestSoFar(words.number(found.best.value));
}

async function begin() {
  nameForTests();
  const id = readCode().match || new URLSearchParams(location.search).get("match") || "";
  setText($("title"), texts.picture);
  setText($("said"), texts.drawing);
  const [report, players, place] = await Promise.all([
    /** @type {Promise<Oche.MatchReport | null>} */ (id ? readShown(`match/${encodeURIComponent(id)}`) : null),
    /** @type {Promise<Oche.KnownPlayer[] | null>} */ (readShown("players")),
    /** @type {Promise<{ venue: string } | null>} */ (readShown("venue"))]);
  if (!report) return setText($("said"), words.unknownMatch);
  document.title = [spoken.title(report.title), report.sides.map(({ name }) => name).join(" – ")].join(" · ");
  await showCard(report, players ?? [], place?.venue ?? "");
  return setText($("said"), "");
}

begin().catch(({ message }) => setText($("said"), message));
