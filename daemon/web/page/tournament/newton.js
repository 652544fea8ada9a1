/* A match on a tablet with NewTon: it is handed over by a code, and its result comes back as text or as a photograph of a
   code. What comes is shown; it counts when the organiser says so. */

import { make, setText } from "../dom.js";
import { apiUrl, readMessage } from "../link.js";
import { makeCode } from "../wall/seats.js";
import { makeButton } from "./fields.js";
import { makeGrey } from "./photo.js";
import { nameEntrant, texts } from "./texts.js";
import { saySentence } from "../words/tasks.js";
import { words } from "../words/words.js";

const said = texts.newton;

/** @param {import("./source.js").Source} source @param {Oche.TournamentMatchView} match */
export async function makeHandOver(source, match) {
  const told = make("p", { role: "alert", test: "newton-said" });
  const found = make("div", { test: "newton-found" });
  const field = make("textarea", { rows: 3, ariaLabel: said.paste, placeholder: said.paste, spellcheck: false, test: "newton-text" });
  const photo = make("input", { type: "file", accept: "image/*", test: "newton-photo" });
  photo.capture = "environment";
  const read = async (/** @type {BodyInit} */ body, /** @type {string} */ type) => {
    setText(told, "");
    try {
      const response = await fetch(apiUrl(`tournament/${source.id}/newton/${encodeURIComponent(match.id)}`), { method: "POST", headers: { ...source.headers, "Content-Type": type }, body });
      if (!response.ok) throw new Error(readMessage(await response.text()));
      found.replaceChildren(...makeFound(source, match, await response.json(), told));
    } catch (problem) {
      setText(told, problem instanceof TypeError ? words.unreachable : /** @type {Error} */ (problem).message);
    }
  };
  photo.onchange = async () => {
    const [file] = photo.files ?? [];
    if (file) await makeGrey(file).then((grey) => read(grey, "image/x-portable-graymap"), () => setText(told, said.noPicture));
    photo.value = ""; // the same file may be taken again
  };
  const code = make("ul", { className: "codes" });
  try {
    const { qr, text } = await source.ask(`newton/${encodeURIComponent(match.id)}`);
    code.append(makeCode("newton-code", said.handOver, "", { url: "", qr }));
    code.querySelector("a")?.replaceWith(make("textarea", { readOnly: true, rows: 2, value: text, ariaLabel: said.text, test: "newton-handed" }));
  } catch (problem) {
    setText(told, /** @type {Error} */ (problem).message);
  }
  return make("div", {}, code, make("h3", {}, said.take), field,
    make("div", { className: "grid" }, makeButton(said.read, () => read(JSON.stringify({ text: field.value }), "application/json"), "newton-read"),
      make("label", { className: "file" }, make("span", {}, said.photo), photo)), told, found);
}

/** Shows a result that has come, with what is to be said of it. @param {import("./source.js").Source} source
    @param {Oche.TournamentMatchView} match @param {{ result: Oche.TournamentResult, remarks: Oche.Sentence[] }} come @param {HTMLElement} told */
function makeFound(source, match, { remarks = [], result }, told) {
  const { view } = source;
  const names = view ? result.sides.map((id) => nameEntrant(view, id)) : [];
  const accept = makeButton(said.accept, async () => {
    accept.disabled = true;
    await source.do(result, texts.result, match).then(() => /** @type {HTMLDialogElement | null} */ (accept.closest("dialog"))?.close(), ({ message }) => setText(told, message));
    accept.disabled = false;
  }, "newton-accept", "go");
  return [make("p", { className: "pair", test: "newton-result" }, `${names[0]} ${(result.legs ?? []).join(":")} ${names[1]}`),
    ...remarks.map((each) => make("p", { className: "remark" }, saySentence(each))), accept];
}
