/* Matches of two programs. One of ours on a tablet with NewTon is handed over by a code, and its result comes back as text
   or as a photograph of a code. What comes is shown; it counts when the organiser says so. One of NewTon's organiser comes
   in the same ways, and is planned at a table of ours. */

import { make, setText } from "../dom.js";
import { apiUrl, fetchAnswer, readMessage } from "../link.js";
import { makeCode } from "../wall/seats.js";
import { makeButton, makeChoice } from "./fields.js";
import { makeGrey } from "./photo.js";
import { nameEntrant, texts } from "./texts.js";
import { saySentence } from "../words/tasks.js";
import { words } from "../words/words.js";

const said = texts.newton;

/** @param {import("./source.js").Source} source @param {Oche.TournamentMatchView} match */
export async function makeHandOver(source, match) {
  const told = make("p", { role: "alert", test: "newton-said" });
  const found = make("div", { test: "newton-found" });
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
  const code = make("ul", { className: "codes" });
  try {
    const { qr, text } = await source.ask(`newton/${encodeURIComponent(match.id)}`);
    code.append(makeCode("newton-code", said.handOver, "", { url: "", qr }));
    code.querySelector("a")?.replaceWith(make("textarea", { readOnly: true, rows: 2, value: text, ariaLabel: said.text, test: "newton-handed" }));
  } catch (problem) {
    setText(told, /** @type {Error} */ (problem).message);
  }
  return make("div", {}, code, make("h3", {}, said.take), ...makeReader(said.paste, read, told), told, found);
}

/** Makes the form that plans a match of NewTon's organiser at one of these tables. @param {Oche.TableInfo[]} tables */
export function makeAssignment(tables) {
  const told = make("p", { role: "alert", test: "newton-said" });
  const planned = make("p", { role: "status", test: "newton-planned" });
  const names = Object.fromEntries(tables.map(({ name, table }) => [table, name || table]));
  const table = makeChoice(texts.views.tables, names, tables[0].table, "newton-table");
  const plan = async (/** @type {BodyInit} */ body, /** @type {string} */ type) => {
    setText(told, "");
    setText(planned, "");
    try {
      const place = table.read();
      const { players, start } = await fetchAnswer(`newton?table=${encodeURIComponent(place)}`, { method: "POST", headers: { "Content-Type": type }, body });
      setText(planned, said.planned(`${players.join(" – ")}, ${start}`, names[place]));
    } catch (problem) {
      setText(told, /** @type {Error} */ (problem).message);
    }
  };
  return [make("p", { className: "aside" }, said.playHow), ...(tables.length > 1 ? [table.element] : []), ...makeReader(said.pasteMatch, plan, told), told, planned];
}

/** Makes what takes the text or the photograph of a code, for `read`. @param {string} paste
    @param {(body: BodyInit, type: string) => Promise<void>} read @param {HTMLElement} told */
function makeReader(paste, read, told) {
  const field = make("textarea", { rows: 3, ariaLabel: paste, placeholder: paste, spellcheck: false, test: "newton-text" });
  const readText = () => read(JSON.stringify({ text: field.value }), "application/json");
  field.onkeydown = (event) => { // a hand scanner types the text, which is one line, and then Enter
    if (event.key !== "Enter") return;
    event.preventDefault();
    readText();
  };
  const photo = make("input", { type: "file", accept: "image/*", test: "newton-photo" });
  photo.capture = "environment";
  photo.onchange = async () => {
    const [file] = photo.files ?? [];
    if (file) await makeGrey(file).then((grey) => read(grey, "image/x-portable-graymap"), () => setText(told, said.noPicture));
    photo.value = ""; // the same file may be taken again
  };
  return [field, make("div", { className: "grid" }, makeButton(said.read, readText, "newton-read"),
    make("label", { className: "file" }, make("span", {}, said.photo), photo))];
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
