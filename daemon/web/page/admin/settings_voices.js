/* The sound packs: listed, added as a zip, removed. Loaded when its part is opened. */

import { make, setText } from "../dom.js";
import { makeFileButton, makeRemoveButton } from "./sent_files.js";
import { text } from "./settings_fields.js";
import { sayFailure, saySentence } from "../words/tasks.js";

const MEGABYTE = 1e6;

/** Fills the part. @param {HTMLElement} place @param {Oche.CareTools["call"]} call */
export async function fillVoices(place, call) {
  const { voices } = text;
  const said = make("p", { role: "status", test: "voices-said" });
  const list = make("ul", { className: "checks", test: "voices-list" });
  const teller = { say: (/** @type {string} */ sentence) => setText(said, sentence), show, focus: () => add.focus() };
  const [add, input] = makeFileButton("voices-add", voices.add, ".zip,application/zip", voices, (file) => call(`sounds?name=${encodeURIComponent(file.name)}`, file),
    ({ pack, files, left_out: leftOut, used_version: version }) => voices.added(pack, files, leftOut, version), teller);

  async function show() {
    const { status, answer } = await call("sounds");
    if (status !== 200) return setText(said, sayFailure(answer.error));
    list.replaceChildren(...answer.packs.map(makeItem));
    for (const { why } of /** @type {Oche.UnreadablePack[]} */ (answer.unreadable ?? [])) list.append(make("li", { className: "problem" }, saySentence(why)));
    if (!list.children.length) list.replaceChildren(make("li", {}, voices.empty));
  }

  /** @param {Oche.PackSummary} pack */
  function makeItem({ pack, files, bytes, installed }) {
    const end = installed ? make("span", {}, voices.installed)
      : makeRemoveButton(`voices-remove-${pack}`, pack, voices, () => call("sounds/remove", { pack }), voices.removed(pack), teller);
    const about = voices.pack(files, (bytes / MEGABYTE).toFixed(1));
    return make("li", { className: "ok" }, make("b", {}, pack), ` ${about} `, end);
  }

  place.replaceChildren(make("p", { className: "help" }, voices.about), list, make("div", { className: "buttons" }, add, input), said);
  await show();
}
