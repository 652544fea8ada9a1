/* A clip of the moment that was just seen, once, over the board of a wall. It waits until the moment is over, and is ended by the next
   dart. A film is left out where motion is not welcome. It is loaded when the first clip comes. */

import { $, make } from "../dom.js";
import { loadSheet } from "../parts.js";
import { store, watch } from "../store.js";

const STILL_MS = 5_000;
const LONGEST_MS = 20_000;
const LOOK_MS = 300;
const PATIENCE_MS = 15_000; // for the moment to end

const still = matchMedia("(prefers-reduced-motion: reduce)");
/** What is shown, and of which line of which match. @type {{ element: HTMLElement, clip: Oche.Clip } | null} */
let shown = null;
let leaving = 0;

/** Shows a clip that has come, unless another dart was thrown since. @param {Oche.Clip} clip */
export async function showClip(clip) {
  if (document.documentElement.dataset.view !== "wall" || (clip.kind === "video" && still.matches)) return;
  await loadSheet("static/wall/replay.css");
  for (let waited = 0; isBusy(); waited += LOOK_MS) {
    if (waited >= PATIENCE_MS || !isLatest(clip)) return;
    await new Promise((done) => { setTimeout(done, LOOK_MS); });
  }
  if (isLatest(clip)) begin(clip);
}

/** Whether a moment is shown. */
const isBusy = () => !$("moment").hidden || document.querySelector("#stage:not([hidden])") !== null;

/** Whether no dart was thrown after it. @param {Oche.Clip} clip */
function isLatest({ line, match }) {
  const { state } = store;
  const darts = [...(state?.turn.darts ?? []), ...(state?.last?.darts ?? [])];
  return state?.match === match && state.line >= line && darts.every((dart) => dart.line <= line);
}

/** @param {Oche.Clip} clip */
function begin(clip) {
  end();
  const src = `api/clips/${encodeURIComponent(clip.clip)}`;
  const element = clip.kind === "video"
    ? make("video", { src, muted: true, autoplay: true, playsInline: true, onended: end, onerror: end })
    : make("img", { src, alt: "", onerror: end });
  const place = make("div", { id: "replay", test: "replay", ariaHidden: "true" }, element);
  $("face").parentElement?.append(place);
  shown = { element: place, clip };
  leaving = setTimeout(end, clip.kind === "video" ? LONGEST_MS : STILL_MS);
}

function end() {
  clearTimeout(leaving);
  shown?.element.remove();
  shown = null;
}

watch(() => { if (shown && !isLatest(shown.clip)) end(); });
