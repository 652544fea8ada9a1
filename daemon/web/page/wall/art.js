/* The art of this screen: a style sheet after all others, and pictures and sounds of events, one's own before those of the art.
   It is loaded at once where art was chosen, else when the scoreboard stands. Nothing of it is on the way of a dart. */

import { $, make } from "../dom.js";
import { MOMENTS } from "./facts.js";
import { ask } from "../link.js";
import { loadSheet } from "../parts.js";
import { preference } from "../preferences.js";
import { isQuiet } from "./sounds.js";
import { store, watch } from "../store.js";

export const OWN = "own"; // the files of single events, for any art
const RANKS = Object.keys(MOMENTS);
const PICTURE = ".art-picture";
const MOVING = /\.gif$/;
const still = matchMedia("(prefers-reduced-motion: reduce)");

/** The style sheet that holds. @type {HTMLLinkElement | null} */
let sheet = null;
/** The art that was chosen last, and the match that was on. */
let chosen = "", match = store.state?.match;
/** The files by the events that they are for. @type {Map<string, { picture?: string, sound?: string }>} */
let files = new Map();
/** What the latest moment is called. @type {string[]} */
let latest = [];

/** Lists the art that there is. @returns {Promise<Oche.ArtSummary[]>} */
export const listArt = async () => (/** @type {{ art: Oche.ArtSummary[] }} */ (await ask("art"))).art;

/** Reads the art that was chosen, and has the page look so. */
async function use() {
  const wanted = preference("art");
  chosen = wanted;
  const found = await listArt();
  if (chosen !== wanted) return; // meanwhile another was
  const art = found.find((each) => each.art === wanted && each.art !== OWN);
  const own = found.find((each) => each.art === OWN);
  files = new Map();
  for (const each of [art, own]) addFiles(each);
  await dress(art?.has_sheet ? art : undefined);
}

/** Adds the files of this art to those of the others, or takes their places. @param {Oche.ArtSummary | undefined} art */
function addFiles(art) {
  if (!art) return;
  for (const [event, { picture, sound }] of Object.entries(art.events)) {
    files.set(event, {
      ...files.get(event), ...(picture && { picture: addressOf(art, picture) }), ...(sound && { sound: addressOf(art, sound) }),
    });
  }
}

/** @param {Oche.ArtSummary} art @param {string} name */
const addressOf = ({ art, tag }, name) => `art/${encodeURIComponent(art)}/${encodeURIComponent(name)}?tag=${tag}`;

/** Has the page look so; without art as it does by itself. @param {Oche.ArtSummary | undefined} art */
async function dress(art) {
  const { dataset } = document.documentElement;
  const href = art ? addressOf(art, "art.css") : "";
  if (href === (sheet?.getAttribute("href") ?? "")) return;
  const next = art ? make("link", { rel: "stylesheet", href }) : null;
  if (next) await new Promise((done, failed) => {
    Object.assign(next, { onload: done, onerror: failed });
    document.head.append(next);
  }).catch((problem) => { next.remove(); throw problem; });
  if (next && chosen !== art?.art) return next.remove(); // meanwhile another was
  sheet?.remove();
  sheet = next;
  if (art) dataset.art = art.art;
  else delete dataset.art;
}

/** Looks whether other art was chosen, or another match has begun: then its files may be others. */
function look() {
  const isNew = match !== undefined && match !== store.state?.match;
  const isOther = isNew || chosen !== preference("art");
  match = store.state?.match;
  if (isOther) use().catch(() => {}); // then the page stays as it is
}

/** Returns by which names files are found for facts, the greatest first. @param {Oche.Fact[]} facts */
function nameEvents(facts) {
  const rank = (/** @type {Oche.Fact} */ { event_type: type }) => RANKS.indexOf(type);
  return [...facts].filter(({ isOrder }) => !isOrder).sort((one, other) => rank(other) - rank(one)).map(({ award, event_type: type }) => award ?? type);
}

/** Plays the sound of a moment in place of the tones. @param {Event} event */
function hear(event) {
  latest = nameEvents(/** @type {CustomEvent<Oche.Fact[]>} */ (event).detail);
  const sound = latest.map((name) => files.get(name)?.sound).find(Boolean);
  if (!sound || !preference("sound") || isQuiet()) return;
  event.preventDefault();
  import("./packs.js").then(({ playRecordings }) => playRecordings([[sound]], () => true, true)).catch(() => {});
}

/** Shows the picture of a scene where its darts would fly in; one that moves only where motion is welcome.
    @param {HTMLElement} scene */
async function show(scene) {
  const names = [scene.dataset.scene ?? "", ...latest];
  const picture = names.map((name) => files.get(name)?.picture).find(Boolean);
  if (!picture || (still.matches && MOVING.test(picture.split("?")[0]))) return;
  await loadSheet("static/wall/art.css");
  if (scene.querySelector(PICTURE)) return; // meanwhile it was made
  scene.classList.add("with-picture");
  const place = scene.querySelector(".over-board") ?? scene.querySelector(".plate") ?? scene;
  place.append(make("img", { className: PICTURE.slice(1), src: picture, alt: "", test: "art-picture" }));
}

/** Shows pictures on the stage, which a wall makes when it is first needed. */
function watchStage() {
  const stage = document.getElementById("stage");
  if (!stage) return false;
  new MutationObserver(() => {
    const scene = /** @type {HTMLElement | null} */ (stage.querySelector(".scene"));
    if (scene && !scene.querySelector(PICTURE)) show(scene).catch(() => {});
  }).observe(stage, { childList: true, subtree: true }); // what lies over the board goes where the board does
  return true;
}

addEventListener("moment", hear);
if (!watchStage()) {
  const waiting = new MutationObserver(() => { if (watchStage()) waiting.disconnect(); });
  waiting.observe(/** @type {Node} */ ($("face").parentElement), { childList: true });
}
watch(look);
use().catch(() => {});
