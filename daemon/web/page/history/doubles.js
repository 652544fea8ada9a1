/* The doubles as a picture: how often each was hit, on the board. */

import { Board } from "../board.js";
import { $, make, makeSvg } from "../dom.js";
import { read } from "../link.js";
import { history as words, words as spoken } from "../words/words.js";

/** Colours the doubles by how often they were hit; how often of how many is said among the figures.
    @param {Oche.GameReport} report */
export async function showDoubles({ face, figures: { targets } }) {
  const svg = makeSvg("svg", { "aria-hidden": "true" });
  $("doubles").replaceChildren(make("h2", {}, words.rates), svg, make("p", { className: "aside" }, words.ratesBy));
  $("doubles").hidden = false;
  /** @type {Oche.Layout | null} */
  const layout = await read(`layout/${encodeURIComponent(face)}`);
  const board = layout && new Board(svg, layout);
  for (const [bed, [hit, of]] of Object.entries(targets)) {
    const area = board?.paths.get(bed);
    area?.classList.add("rated");
    area?.style.setProperty("--rate", String(hit / of));
    area?.append(makeSvg("title", {}, `${spoken.segment(bed)}: ${words.pair(hit, of)}`));
  }
}
