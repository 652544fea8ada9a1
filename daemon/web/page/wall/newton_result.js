/* The result of a match of NewTon's organiser that was played here, as the code that NewTon scans. */

import { make } from "../dom.js";
import { read } from "../link.js";
import { loadSheet } from "../parts.js";
import { makeCode } from "./seats.js";
import { importTexts } from "../words/words.js";

/** Returns the code, and the same as text; null of any other match, and of one that nobody has won.
    @param {Pick<Oche.MatchReport, "match" | "ref">} report */
export async function makeNewTonResult({ match, ref }) {
  if (!ref?.startsWith("newton/")) return null;
  /** @type {{ text: string, qr: Oche.JoinCode["qr"] } | null} */
  const found = await read(`match/${encodeURIComponent(match)}/newton`).catch(() => null);
  if (!found) return null;
  await loadSheet("static/wall/hour_code.css");
  /** @type {Oche.TakeHomeLanguage} */
  const texts = (await importTexts("take_home")).takeHome;
  const code = makeCode("newton-code", texts.newton, "", { url: "", qr: found.qr });
  code.querySelector("a")?.replaceWith(make("textarea", { readOnly: true, rows: 2, value: found.text, ariaLabel: texts.newtonHow, test: "newton-result" }));
  return make("aside", { className: "newton-code" }, make("ul", {}, code));
}
