/* Codes that open the picture of a match, or the story of an evening, on a phone without a token, for an hour. */

import { $, make } from "../dom.js";
import { read } from "../link.js";
import { loadSheet } from "../parts.js";
import { linkTo } from "../preferences.js";
import { base, makeCode } from "./seats.js";
import { importTexts } from "../words/words.js";

/** Returns the code with what it is for; null where no phone could open it.
    @param {Record<string, string>} what the match, or the moments of the evening @param {string} title @param {string} how */
export async function makeHourCode(what, title, how) {
  /** @type {Oche.HourCode | null} */
  const code = await read(`code?${new URLSearchParams(what)}&base=${base()}`).catch(() => null);
  if (!code || code.local) return null;
  await loadSheet("static/wall/hour_code.css");
  return make("aside", { className: "hour-code", test: "hour-code" }, make("ul", {}, makeCode("take-home-code", title, how, code)));
}

/** Shows what leads from the result of a match to its picture: on a wall a code for phones below the board, which is at
    rest; on a phone a link. A match of NewTon's organiser goes back to it first. It goes with the summary.
    @param {Pick<Oche.MatchReport, "match" | "ref">} report @param {() => boolean} isWanted whether that result is still shown */
export async function showTakeHome({ match, ref }, isWanted) {
  /** @type {Oche.TakeHomeLanguage} */
  const texts = (await importTexts("take_home")).takeHome;
  const isWall = document.documentElement.dataset.view === "wall";
  const newTon = ref ? await (await import("./newton_result.js")).makeNewTonResult({ match, ref }) : null;
  const code = isWall && !newTon ? await makeHourCode({ match }, texts.scan, texts.scanHow) : null;
  if (!isWanted()) return;
  for (const old of document.querySelectorAll(".take-home-code, .newton-code, #summary .take-home-link")) old.remove();
  if (newTon) (isWall ? $("face") : $("summary")).append(newTon);
  if (code) {
    code.classList.add("take-home-code");
    $("face").append(code);
  } else if (!isWall) {
    $("summary").append(make("a", { className: "take-home-link", href: linkTo("take_home", { match }), test: "take-home" }, texts.scan));
  }
}
