/* The art: listed, added as a zip, removed; and one's own pictures and sounds of moments. Loaded when its part is opened. */

import { make, setText } from "../dom.js";
import { sayFailure } from "../words/tasks.js";
import { importTexts, words } from "../words/words.js";

const KILOBYTE = 1e3;
const OWN = "own"; // where the files of moments are
const PICTURES = "image/gif,image/png,image/jpeg,image/webp,image/svg+xml";
const SOUNDS = ".mp3,.wav,.ogg,audio/mpeg,audio/wav,audio/ogg";

/** What a button tells, and does when it is done. @typedef {{ say(sentence: string): void, show(): Promise<void>, focus(): void }} Teller */

/** @type {Oche.ArtLanguage} */
const text = (await importTexts("art")).art;

/** Fills the part. @param {HTMLElement} place @param {Oche.CareTools["call"]} call */
export async function fillArt(place, call) {
  const said = make("p", { role: "status", test: "art-said" });
  const list = make("ul", { className: "checks", test: "art-list" }), events = make("ul", { className: "checks", test: "art-events" });
  const teller = { say: (/** @type {string} */ sentence) => setText(said, sentence), show, focus: () => add.focus() };
  const [add, input] = makeFileButton("art-add", text.add, ".zip,application/zip", addArt, teller);
  const moment = make("select", { test: "art-event" }, ...Object.entries(text.events).map(([value, label]) => make("option", { value }, label)));
  const keep = (/** @type {string} */ kind) => async (/** @type {File} */ file) => {
    const answer = await send(`art/event?event=${moment.value}&kind=${kind}`, file);
    return answer.error ? sayFailure(answer.error) : text.kept;
  };

  async function show() {
    const { status, answer } = await call("art");
    if (status !== 200) return teller.say(sayFailure(answer.error));
    /** @type {Oche.ArtSummary[]} */
    const found = answer.art;
    const rest = found.filter(({ art }) => art !== OWN), own = found.find(({ art }) => art === OWN);
    list.replaceChildren(...rest.map((art) => makeItem(art, call, teller)), ...(rest.every(({ shipped }) => shipped) ? [make("li", {}, text.empty)] : []));
    events.replaceChildren(...Object.entries(own?.events ?? {}).flatMap(([event, files]) => Object.entries(files).map(([kind, file]) => makeEventItem(event, kind, file, teller))));
  }

  place.replaceChildren(
    make("p", { className: "help" }, text.about), list, make("div", { className: "buttons" }, add, input),
    make("h3", {}, text.ownTitle), make("p", { className: "help" }, text.ownAbout), events, make("label", {}, make("span", {}, text.event), " ", moment),
    make("div", { className: "buttons" }, ...makeFileButton("art-picture", text.picture, PICTURES, keep("picture"), teller), ...makeFileButton("art-sound", text.sound, SOUNDS, keep("sound"), teller)), said,
  );
  await show();
}

/** Sends a zip; returns what has become of it. @param {File} file */
async function addArt(file) {
  const answer = await send(`art?name=${encodeURIComponent(file.name)}`, file);
  return answer.error ? sayFailure(answer.error) : text.added(answer.art, answer.files, answer.left_out);
}

/** Returns a button that has a file chosen and sent, and what it opens.
    @param {string} test @param {string} label @param {string} accept @param {(file: File) => Promise<string>} act @param {Teller} teller */
function makeFileButton(test, label, accept, act, { say, show }) {
  const input = make("input", { type: "file", accept, hidden: true, test: `${test}-file`, async onchange() {
    const [file] = input.files ?? [];
    input.value = ""; // the same one may be chosen again
    if (!file) return;
    button.disabled = true;
    say(text.sending);
    say(await act(file).catch(() => text.failed));
    await show();
    button.disabled = false;
    button.focus();
  } });
  const button = make("button", { type: "button", test, onclick: () => input.click() }, label);
  return [button, input];
}

/** @param {Oche.ArtSummary} art @param {Oche.CareTools["call"]} call @param {Teller} teller */
function makeItem({ art, bytes, files, shipped, title }, call, teller) {
  const remove = () => call("art/remove", { art });
  const end = shipped ? make("span", {}, text.shipped) : makeRemove(`art-remove-${art}`, title, remove, text.removed(title), teller);
  return make("li", { className: "ok" }, make("b", {}, text.names[art] ?? title), ` ${text.art(files, Math.ceil(bytes / KILOBYTE))} `, end);
}

/** @param {string} event @param {string} kind @param {string} file @param {Teller} teller */
function makeEventItem(event, kind, file, teller) {
  const name = text.events[event] ?? event;
  const remove = () => send(`art/event?event=${event}&kind=${kind}`, new Blob([])).then((answer) => ({ status: answer.error ? 400 : 200, answer }));
  return make("li", { className: "ok" }, make("b", {}, name), ` ${file} `, makeRemove(`art-remove-${event}-${kind}`, `${name} (${file})`, remove, text.gone, teller));
}

/** Returns a button that is to be pressed twice. @param {string} test @param {string} name
    @param {() => Promise<{ status: number, answer: any }>} remove @param {string} done @param {Teller} teller */
function makeRemove(test, name, remove, done, { focus, say, show }) {
  const button = make("button", { type: "button", test, ariaLabel: `${text.remove}${words.colon}${name}` }, text.remove);
  button.onclick = () => {
    button.ariaLabel = text.sure(name);
    setText(button, text.sure(name));
    button.onclick = async () => {
      const { status, answer } = await remove();
      say(status === 200 ? done : sayFailure(answer.error));
      await show();
      focus();
    };
  };
  return button;
}

/** Sends a file; returns the answer. @param {string} path @param {Blob} body @returns {Promise<any>} */
async function send(path, body) {
  const headers = { "Content-Type": "application/octet-stream" };
  return (await fetch(new URL(`api/${path}`, document.baseURI), { method: "POST", headers, body, cache: "no-store" })).json();
}
