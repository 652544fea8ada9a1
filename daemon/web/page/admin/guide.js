/* The guide: from a first visit to the first dart by the language, the board, and the lobby. It writes what the settings
   write. Each step can be left; while no table has a board, the scoreboard comes back here. */

import { $, make, nameForTests, setText } from "../dom.js";
import { findBoard, tryBoard } from "./find_board.js";
import { choose, linkTo } from "../preferences.js";
import { text } from "./settings_fields.js";
import { call, changeBoard, waitForStart } from "./setup_link.js";
import { sayFailure, saySentence } from "../words/tasks.js";
import { LANGUAGES, language } from "../words/words.js";

const say = text.guide;

/** Shows a step. @param {number} number @param {string} title @param {...(Node | string)} content */
function showStep(number, title, ...content) {
  const heading = make("h2", { id: "step-title", tabIndex: -1, test: "step-title" }, title);
  $("step").replaceChildren(make("p", { className: "help" }, say.progress(number)), heading, ...content);
  setText($("problem"), "");
  heading.focus();
}

function showLanguages() {
  showStep(1, say.language, make("div", { className: "choices" }, ...Object.entries(LANGUAGES).map(([code, name]) =>
    make("button", { type: "button", lang: code, className: code === language ? "go" : "", test: `guide-${code}`, onclick() {
      choose("lang", code);
      location.assign(linkTo("guide", { step: "board" }));
    } }, name))));
}

/** @param {Oche.Settings} settings */
function showBoards(settings) {
  const place = make("div", { className: "finder" });
  const present = settings.written.table?.find((/** @type {any} */ { board }) => board)?.board;
  showStep(2, say.board, ...(present && settings.version !== "none" ? [make("p", {}, say.replaces(present))] : []), place, makeAddressForm(settings));
  findBoard(place, { call, card: 0, choose: play, learn: (address, profile) => showLearning(settings, address, profile) });
}

/** For a board that is not found, as some in the network. @param {Oche.Settings} settings */
function makeAddressForm(settings) {
  const address = make("input", { id: "guide-address", test: "guide-address", required: true, autocomplete: "off", autocapitalize: "none", spellcheck: false, placeholder: "tcp:192.168.1.20:8888" });
  const profile = make("select", { id: "guide-profile", test: "guide-profile" },
    make("option", { value: "" }, say.usual), ...settings.choices.profile.map((each) => make("option", {}, each)));
  const trial = make("div");
  const form = make("form", { onsubmit(event) {
    event.preventDefault();
    tryBoard(trial, call, address.value.trim(), profile.value, () => play(address.value.trim(), profile.value || null),
      (tried, fit) => showLearning(settings, tried, fit));
  } }, make("label", { htmlFor: "guide-address" }, text.learn.board), address, make("label", { htmlFor: "guide-profile" }, text.fields.profile), profile,
  make("button", { test: "guide-try" }, text.finding.try));
  return make("details", { className: "finder", test: "guide-other" }, make("summary", {}, say.address), make("div", { className: "inner" }, form, trial));
}

/** @param {Oche.Settings} settings @param {string} address of the board that is learned; "": it is asked for
    @param {string} [profile] with which it was tried */
async function showLearning(settings, address, profile) {
  await call("boards/stop", {}); // what is tried out has the board
  const { fillLearn } = await import("./learn.js");
  const place = make("div", { id: "learn" });
  showStep(2, text.learn.title, place, make("button", { type: "button", test: "guide-back", async onclick() {
    await call("learn/stop", {}); // its presses are kept
    showBoards(settings);
  } }, say.back));
  await fillLearn(place, {
    call, profiles: () => settings.choices.profile, tables: () => [{ board: address, name: text.learn.tables }],
    tried: () => ({ address, profile }), use: (_, board, found) => play(board, found),
  });
}

/** Has the first table play on this board, and goes on to the lobby. @param {string} board @param {string | null} profile */
async function play(board, profile) {
  setText($("problem"), "");
  setText($("said"), text.saving);
  const held = document.activeElement; // loses the focus to nothing
  $("step").inert = true;
  setText($("problem"), await apply(board, profile));
  $("step").inert = false;
  setText($("said"), "");
  if (held instanceof HTMLElement) held.focus();
}

/** Returns why that is not so; goes on where it is. @param {string} board @param {string | null} profile */
async function apply(board, profile) {
  await call("boards/stop", {}); // what is tried out
  const { status, answer: settings } = await call("settings");
  if (status !== 200) return sayFailure(settings.error);
  const isSpoken = (settings.written.bridge?.language ?? "en") === language;
  const changes = [...changeBoard(settings, 0, board, profile), ...(isSpoken ? [] : [{ path: ["bridge", "language"], value: language }])];
  const { status: done, answer } = await call("settings", { version: settings.version, changes });
  if (done !== 200) return sayFailure(answer.error);
  const found = await waitForStart(answer.run);
  if (!found) return text.lost;
  if (found.notice) return sayFailure({ code: "", message: found.notice.text, ...found.notice });
  location.assign(linkTo("./", { step: null, lobby: "1" }));
  return "";
}

async function begin() {
  nameForTests();
  setText($("title"), say.title);
  document.title = `${say.title} – oche`;
  setText($("later"), say.later);
  $("later").href = linkTo("./", { step: null });
  const { status, answer } = await call("settings");
  if (status !== 200) return setText($("problem"), sayFailure(answer.error));
  $("later").onclick = () => choose("guide", "");
  if (answer.trouble) return setText($("problem"), saySentence(answer.trouble));
  if (new URLSearchParams(location.search).get("step") === "board") showBoards(answer);
  else showLanguages();
}

begin().catch(({ message }) => setText($("problem"), message));
