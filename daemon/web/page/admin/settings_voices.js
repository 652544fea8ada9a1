/* The sound packs: listed, added as a zip, removed. Loaded when its part is opened. */

import { make, setText } from "../dom.js";
import { text } from "./settings_fields.js";
import { sayFailure, saySentence } from "../words/tasks.js";
import { words } from "../words/words.js";

const MEGABYTE = 1e6;

/** Fills the part. @param {HTMLElement} place @param {Oche.CareTools["call"]} call */
export async function fillVoices(place, call) {
  const { voices } = text;
  const said = make("p", { role: "status", test: "voices-said" });
  const list = make("ul", { className: "checks", test: "voices-list" });
  const input = make("input", { type: "file", accept: ".zip,application/zip", hidden: true, test: "voices-file", async onchange() {
    const [file] = input.files ?? [];
    input.value = ""; // the same one may be chosen again
    if (!file) return;
    add.disabled = true;
    setText(said, voices.sending);
    setText(said, await send(file));
    await show();
    add.disabled = false;
    add.focus();
  } });
  const add = make("button", { type: "button", test: "voices-add", onclick: () => input.click() }, voices.add);

  async function show() {
    const { status, answer } = await call("sounds");
    if (status !== 200) return setText(said, sayFailure(answer.error));
    list.replaceChildren(...answer.packs.map(makeItem));
    for (const { why } of /** @type {Oche.UnreadablePack[]} */ (answer.unreadable ?? [])) list.append(make("li", { className: "problem" }, saySentence(why)));
    if (!list.children.length) list.replaceChildren(make("li", {}, voices.empty));
  }

  /** @param {Oche.PackSummary} pack */
  function makeItem({ pack, files, bytes, installed }) {
    const button = make("button", { type: "button", test: `voices-remove-${pack}`, ariaLabel: `${voices.remove}${words.colon}${pack}` }, voices.remove);
    const remove = async () => {
      const { status, answer } = await call("sounds/remove", { pack });
      setText(said, status === 200 ? voices.removed(pack) : sayFailure(answer.error));
      await show();
      add.focus();
    };
    button.onclick = () => { // a second press is needed
      button.ariaLabel = voices.sure(pack);
      setText(button, voices.sure(pack));
      button.onclick = remove;
    };
    const about = voices.pack(files, (bytes / MEGABYTE).toFixed(1));
    return make("li", { className: "ok" }, make("b", {}, pack), ` ${about} `, ...(installed ? [make("span", {}, voices.installed)] : [button]));
  }

  place.replaceChildren(make("p", { className: "help" }, voices.about), list, make("div", { className: "buttons" }, add, input), said);
  await show();
}

/** Sends a zip; returns what has become of it. @param {File} body */
async function send(body) {
  try {
    const address = new URL(`api/sounds?name=${encodeURIComponent(body.name)}`, document.baseURI);
    const headers = { "Content-Type": "application/zip" };
    const answer = await (await fetch(address, { method: "POST", headers, body, cache: "no-store" })).json();
    return answer.error ? sayFailure(answer.error) : text.voices.added(answer.pack, answer.files, answer.left_out, answer.used_version);
  } catch {
    return text.voices.failed;
  }
}
