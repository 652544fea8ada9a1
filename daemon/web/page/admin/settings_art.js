/* The art: listed, added as a zip, removed; and one's own pictures and sounds of moments. Loaded when its part is opened. */

import { make, setText } from "../dom.js";
import { makeFileButton, makeRemoveButton } from "./sent_files.js";
import { sayFailure } from "../words/tasks.js";
import { importTexts } from "../words/words.js";

const KILOBYTE = 1e3;
const OWN = "own"; // where the files of moments are
/** Moments without a scene, in which a picture would be, and those without a sound. */
const UNSEEN = ["hat_trick", "high_out", "bust"], UNHEARD = ["first_leg", "walk_on"];
const PICTURES = "image/gif,image/png,image/jpeg,image/webp,image/svg+xml";
const SOUNDS = ".mp3,.wav,.ogg,audio/mpeg,audio/wav,audio/ogg";

/** @typedef {import("./sent_files.js").Teller} Teller */

/** @type {Oche.ArtLanguage} */
const text = (await importTexts("art")).art;

/** Fills the part. @param {HTMLElement} place @param {Oche.CareTools["call"]} call */
export async function fillArt(place, call) {
  const said = make("p", { role: "status", test: "art-said" });
  const list = make("ul", { className: "checks", test: "art-list" }), events = make("ul", { className: "checks", test: "art-events" });
  const teller = { say: (/** @type {string} */ sentence) => setText(said, sentence), show, focus: () => add.focus() };
  const [add, input] = makeFileButton("art-add", text.add, ".zip,application/zip", text, (file) => call(`art?name=${encodeURIComponent(file.name)}`, file),
    ({ art, files, left_out: leftOut }) => text.added(art, files, leftOut), teller);
  const moment = make("select", { test: "art-event", onchange: offer }, ...Object.entries(text.events).map(([value, label]) => make("option", { value }, label)));
  const makeEventButton = (/** @type {"picture" | "sound"} */ kind, /** @type {string} */ accept) => makeFileButton(
    `art-${kind}`, text[kind], accept, text, (file) => call(`art/event?event=${moment.value}&kind=${kind}`, file), () => text.kept, teller);
  const [picture, pictureFile] = makeEventButton("picture", PICTURES);
  const [sound, soundFile] = makeEventButton("sound", SOUNDS);

  /** Offers what this moment shows and plays. */
  function offer() {
    picture.hidden = UNSEEN.includes(moment.value);
    sound.hidden = UNHEARD.includes(moment.value);
  }

  async function show() {
    const { status, answer } = await call("art");
    if (status !== 200) return teller.say(sayFailure(answer.error));
    /** @type {Oche.ArtSummary[]} */
    const found = answer.art;
    const rest = found.filter(({ art }) => art !== OWN), own = found.find(({ art }) => art === OWN);
    list.replaceChildren(...rest.map((art) => makeItem(art, call, teller)), ...(rest.every(({ shipped }) => shipped) ? [make("li", {}, text.empty)] : []));
    events.replaceChildren(...Object.entries(own?.events ?? {}).flatMap(([event, files]) => Object.entries(files).map(([kind, file]) => makeEventItem(event, kind, file, call, teller))));
  }

  place.replaceChildren(
    make("p", { className: "help" }, text.about), list, make("div", { className: "buttons" }, add, input),
    make("h3", {}, text.ownTitle), make("p", { className: "help" }, text.ownAbout), events, make("label", {}, make("span", {}, text.event), " ", moment),
    make("div", { className: "buttons" }, picture, pictureFile, sound, soundFile), said,
  );
  await show();
}

/** @param {Oche.ArtSummary} art @param {Oche.CareTools["call"]} call @param {Teller} teller */
function makeItem({ art, bytes, files, shipped, title }, call, teller) {
  const remove = () => call("art/remove", { art });
  const end = shipped ? make("span", {}, text.shipped) : makeRemoveButton(`art-remove-${art}`, title, text, remove, text.removed(title), teller);
  return make("li", { className: "ok" }, make("b", {}, text.names[art] ?? title), ` ${text.art(files, Math.ceil(bytes / KILOBYTE))} `, end);
}

/** @param {string} event @param {string} kind @param {string} file @param {Oche.CareTools["call"]} call @param {Teller} teller */
function makeEventItem(event, kind, file, call, teller) {
  const name = text.events[event] ?? event;
  const remove = () => call(`art/event?event=${event}&kind=${kind}`, new Blob([]));
  return make("li", { className: "ok" }, make("b", {}, name), ` ${file} `,
    makeRemoveButton(`art-remove-${event}-${kind}`, `${name} (${file})`, text, remove, text.gone, teller));
}
