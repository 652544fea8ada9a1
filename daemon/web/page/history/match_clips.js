/* The clips of a match: films and stills of its moments, each with a button that deletes it. */

import { make } from "../dom.js";
import { post, read } from "../link.js";
import { importTexts } from "../words/words.js";

const SURE_MS = 5_000;

/** @type {[{ camera: Oche.CameraLanguage }, { art: { events: Record<string, string> } }]} */
const [{ camera: text }, { art: { events } }] = await Promise.all([importTexts("camera"), importTexts("art")]);

/** Returns a section with them; null where there are none. @param {string} match */
export async function makeClips(match) {
  /** @type {{ clips: Oche.Clip[] } | null} */
  const found = await read(`clips?${new URLSearchParams({ match })}`);
  if (!found?.clips.length) return null;
  const inOrder = [...found.clips].sort((one, other) => one.line - other.line);
  return make("section", { className: "clips", test: "clips" }, make("h2", {}, text.clips), ...inOrder.map(makeClip));
}

/** @param {Oche.Clip} clip */
function makeClip({ clip, kind, moment }) {
  const src = `api/clips/${encodeURIComponent(clip)}`, name = events[moment] ?? moment.replaceAll("_", " ");
  const shown = kind === "video"
    ? make("video", { src, muted: true, playsInline: true, controls: true, preload: "metadata", ariaLabel: name, test: "clip" })
    : make("img", { src, alt: name, loading: "lazy", test: "clip" });
  const remove = make("button", { type: "button", test: "remove-clip" }, text.remove);
  const figure = make("figure", {}, shown, make("figcaption", {}, name, " ", remove));
  let isSure = false;
  remove.onclick = async () => {
    if (!isSure) {
      isSure = true;
      remove.textContent = text.sureRemove;
      setTimeout(() => { isSure = false; remove.textContent = text.remove; }, SURE_MS);
      return;
    }
    try {
      await post("clips/remove", { clip });
      figure.remove();
    } catch (problem) {
      remove.textContent = /** @type {Error} */ (problem).message;
    }
  };
  return figure;
}
