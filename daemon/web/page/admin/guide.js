/* The guide: from a first visit to the first dart by one of three cards, the board where it is electronic, and the lobby. It
   writes what the settings write. Each step can be left; while no table has a board, the scoreboard comes back here. */

import { $, make, nameForTests, setText } from "../dom.js";
import { makeDrawing } from "./drawings.js";
import { makeToken } from "./board_token.js";
import { findBoard, tryBoard } from "./find_board.js";
import { makeKnown } from "./known_boards.js";
import { choose, linkTo } from "../preferences.js";
import { text } from "./settings_fields.js";
import { call, changeBoard, waitForStart } from "./setup_link.js";
import { readSettings, showTrouble } from "./states.js";
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

const makeLanguages = () => make("div", { className: "languages", role: "group", ariaLabel: say.language }, ...Object.entries(LANGUAGES).map(([code, name]) =>
  make("button", { type: "button", lang: code, ariaPressed: String(code === language), test: `guide-${code}`, onclick() {
    choose("lang", code);
    if (code !== language) location.assign(linkTo("guide", {}));
  } }, name)));

/** Shows the step that the address names. @param {Oche.Settings} settings */
function show(settings) {
  if (new URLSearchParams(location.search).get("step") === "board") showBoards(settings);
  else showCards(settings);
}

/** What the board of the table is that a choice here replaces. @param {Oche.Settings} settings */
function makeReplaced({ written, version }) {
  const present = written.table?.find((/** @type {any} */ { board }) => board)?.board;
  return present && version !== "none" ? [make("p", {}, say.replaces(/** @type {Record<string, string>} */ (text.values["table.board"])[present] ?? present))] : [];
}

/** @param {Oche.Settings} settings */
function showCards(settings) {
  const brands = [...new Set(settings.boards.flatMap((each) => each.brands.slice(0, 1)))].join(", ");
  /** @param {"electronic" | "typed" | "shown"} name @param {string} about @param {() => void} onclick */
  const card = (name, about, onclick) => make("button", { type: "button", test: `card-${name}`, onclick }, makeDrawing(name),
    make("span", {}, make("b", {}, say.cards[name]), make("small", {}, about)));
  showStep(1, say.kind, ...makeReplaced(settings), make("div", { className: "cards" },
    card("electronic", say.electronic(brands), () => {
      history.pushState(null, "", linkTo("guide", { step: "board" }));
      showBoards(settings);
    }),
    card("typed", say.typed, () => play("none", null)), card("shown", say.shown, () => play("sim:granboard", null))),
  make("button", { type: "button", test: "guide-backup", onclick: () => showRestore(settings) }, say.backup));
  $("step").prepend(makeLanguages());
}

/** @param {Oche.Settings} settings */
const makeBack = (settings) => make("button", { type: "button", test: "guide-cards", async onclick() {
  history.replaceState(null, "", linkTo("guide", { step: null }));
  showCards(settings);
  await call("boards/stop", {});
} }, say.backToCards);

/** @param {Oche.Settings} settings */
function showBoards(settings) {
  const place = make("div", { className: "finder" });
  const learn = (/** @type {string} */ address, /** @type {string} */ profile = "") => showLearning(settings, address, profile);
  const form = makeAddressForm(settings);
  const known = makeKnown(settings.boards, { call, play, learn, enterAddress: form.open });
  showStep(2, say.board, ...makeReplaced(settings), known, place, form.element, makeBack(settings));
  findBoard(place, { call, card: 0, choose: play, learn });
}

/** For a board that is not found, as some in the network. @param {Oche.Settings} settings */
function makeAddressForm(settings) {
  const address = make("input", { id: "guide-address", test: "guide-address", required: true, autocomplete: "off", autocapitalize: "none", spellcheck: false, placeholder: "tcp:192.168.1.20:8888" });
  const profile = make("select", { id: "guide-profile", test: "guide-profile" },
    make("option", { value: "" }, say.usual), ...settings.choices.profile.map((each) => make("option", {}, each)));
  const token = makeToken("guide-token");
  const follow = () => { token.element.hidden = !settings.boards.find((each) => each.profile === profile.value)?.wants_token; };
  profile.onchange = follow;
  follow();
  const trial = make("div");
  const form = make("form", { onsubmit(event) {
    event.preventDefault();
    const typed = token.element.hidden ? "" : token.read();
    tryBoard(trial, call, address.value.trim(), profile.value, () => play(address.value.trim(), profile.value || null, typed),
      (tried, fit) => showLearning(settings, tried, fit), typed);
  } }, make("label", { htmlFor: "guide-address" }, text.learn.board), address, make("label", { htmlFor: "guide-profile" }, text.fields.profile), profile,
  token.element, make("button", { test: "guide-try" }, text.finding.try));
  const element = make("details", { className: "finder", test: "guide-other" }, make("summary", {}, say.address), make("div", { className: "inner" }, form, trial));
  return { element, open(/** @type {string} */ kind) {
    element.open = true;
    profile.value = kind;
    follow();
    address.focus();
  } };
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

/** @param {Oche.Settings} settings */
async function showRestore(settings) {
  const { makeRestore } = await import("./settings_restore.js");
  const said = make("p", { role: "status", test: "restore-said" });
  showStep(1, say.backup, make("div", { id: "care" }, said, makeRestore(said, call, restore)), makeBack(settings));
}

/** Puts back these parts of a backup, and leads to the scoreboard; returns why not.
    @param {string} backup @param {string[]} parts @returns {Promise<string>} */
async function restore(backup, parts) {
  const { status, answer: settings } = await call("settings");
  if (status !== 200) return sayFailure(settings.error);
  const { status: done, answer } = await call("settings/restore", { version: settings.version, restore: backup, parts });
  if (done !== 200) return sayFailure(answer.error);
  const there = answer.url ?? new URL(`${location.protocol}//${location.hostname}:${answer.port || location.port}${new URL(".", document.baseURI).pathname}`).href;
  const hasMoved = location.port && new URL(there).host !== location.host;
  const found = hasMoved ? null : await waitForStart(answer.run);
  if (found?.notice) return sayFailure({ code: "", message: found.notice.text, ...found.notice });
  if (!found && !hasMoved) return text.lost;
  if (!hasMoved && !answer.tokens.length) location.assign(linkTo("./", { step: null }));
  const { makeTokens } = await import("./tokens.js");
  showStep(3, text.care.restored, make("div", { id: "tokens", hidden: !answer.tokens.length }, ...makeTokens(answer.tokens)),
    make("a", { href: hasMoved ? there : linkTo("./", { step: null }), className: "onward" }, text.back));
  return text.care.restored;
}

/** Has the first table play on this board, and goes on to the lobby. @param {string} board @param {string | null} profile
    @param {string} [token] that the board asks for */
async function play(board, profile, token) {
  setText($("problem"), "");
  setText($("said"), text.saving);
  const held = document.activeElement; // loses the focus to nothing
  $("step").inert = true;
  setText($("problem"), await apply(board, profile, token));
  $("step").inert = false;
  setText($("said"), "");
  if (held instanceof HTMLElement) held.focus();
}

/** Returns why that is not so; goes on where it is. @param {string} board @param {string | null} profile @param {string} [token] */
async function apply(board, profile, token) {
  await call("boards/stop", {}); // what is tried out
  const { status, answer: settings } = await call("settings");
  if (status !== 200) return sayFailure(settings.error);
  const isSpoken = (settings.written.bridge?.language ?? "en") === language;
  const changes = [...changeBoard(settings, 0, board, profile, token), ...(isSpoken ? [] : [{ path: ["bridge", "language"], value: language }])];
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
  setText($("later"), text.back);
  $("later").href = linkTo("./", { step: null });
  const settings = await readSettings($("step"), "guide");
  if (!settings) return;
  setText($("later"), say.later);
  $("later").onclick = () => choose("guide", "");
  if (settings.trouble) return showTrouble($("step"), saySentence(settings.trouble));
  addEventListener("popstate", () => show(settings));
  show(settings);
}

begin().catch(({ message }) => setText($("problem"), message));
