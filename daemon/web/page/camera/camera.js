/* A camera for moments: keeps the latest seconds in this browser, and sends them to oche when something great happens.
   A browser gives a camera only to a page of its own machine, or one that came by https. Any other device is told so, and can still
   say who is not to be filmed. */

import { $, make, nameForTests, setText } from "../dom.js";
import { bring } from "../enter.js";
import { fetchAnswer, follow, read, tablePath } from "../link.js";
import { linkTo } from "../preferences.js";
import { RecentFilm, takeStill } from "./recent_film.js";
import { Unfilmed } from "../unfilmed.js";
import { MOMENTS } from "../wall/facts.js";
import { addSentences } from "../words/tasks.js";
import { history, importTexts, words } from "../words/words.js";

const SETTLE_MS = 30; // the facts of one input come within that
const RANKS = Object.keys(MOMENTS);
const WON = ["leg_won", "set_won", "match_won"];
const CAMERA = { audio: false, video: { width: { ideal: 960 }, height: { ideal: 540 }, frameRate: { ideal: 24, max: 30 } } };

/** Which moments are kept, by the choice. @type {Record<string, (fact: Oche.Fact) => boolean>} */
const WANTED = {
  few: ({ event_type: type, great }) => Boolean(great) || type === "match_won",
  usual: ({ event_type: type, great }) => Boolean(great) || WON.includes(type),
  many: ({ event_type: type }) => RANKS.indexOf(type) >= RANKS.indexOf("award"),
};

/** @type {Oche.CameraLanguage} */
const text = (await importTexts("camera")).camera;

/** The film while the camera is on and nobody has said no. @type {RecentFilm | null} */
let film = null;
/** What the camera shows, once it is on. @type {MediaStream | null} */
let stream = null;
/** Those in this match who are not to be filmed; null: nobody knows yet. @type {string[] | null} */
let unwilling = null;
/** @type {Oche.State | null} */
let state = null;
/** The facts of one input that are worth a clip. @type {Oche.Fact[]} */
let gathered = [];
/** Another number whenever what happened was taken back. */
let takenBack = 0;
let settling = 0, sent = 0;

const preview = make("video", { muted: true, playsInline: true, autoplay: true, test: "preview" });
const startButton = make("button", { type: "button", className: "go", test: "start", onclick: start }, text.start);
const stopButton = make("button", { type: "button", hidden: true, test: "stop", onclick: stop }, text.stop);
const status = make("p", { role: "status", test: "status" });
/** @param {Record<string, string>} options @param {string} value @param {string} test */
const makeChoice = (options, value, test) => make("select", { test }, ...Object.entries(options).map(([key, label]) =>
  make("option", { value: key, selected: key === value }, label)));
const asked = new URLSearchParams(location.search);
const moments = makeChoice(text.moments, asked.get("moments") ?? "usual", "moments");
const kinds = makeChoice(text.kinds, asked.get("kind") ?? "film", "kind");
kinds.onchange = prepare;
const people = new Unfilmed((names) => {
  unwilling = names;
  prepare();
});

/** Whether the camera is on, and nobody in the match has said no. */
const mayFilm = () => Boolean(stream?.active) && unwilling?.length === 0;

/** Films where that may be and was chosen; else nothing is kept, not even here. */
function prepare() {
  const isWanted = mayFilm();
  if (isWanted && stream && kinds.value === "film") film ??= new RecentFilm(stream);
  else {
    film?.end();
    film = null;
  }
  preview.classList.toggle("on", isWanted);
  startButton.hidden = Boolean(stream?.active);
  stopButton.hidden = !startButton.hidden;
  if (stream) setText(status, unwilling?.length ? text.paused(words.list(unwilling)) : isWanted ? text.ready : text.ended);
}

async function start() {
  try {
    stream = await navigator.mediaDevices.getUserMedia(CAMERA);
  } catch (problem) {
    const { name } = /** @type {Error} */ (problem);
    setText(status, name === "NotAllowedError" ? text.refused : text.noCamera);
    return;
  }
  preview.srcObject = stream;
  for (const track of stream.getTracks()) track.onended = prepare;
  prepare();
}

function stop() {
  for (const track of stream?.getTracks() ?? []) track.stop();
  prepare();
  stream = preview.srcObject = null;
}

/** What is done with each kind of news. @param {string} type @param {any} data */
function hear(type, data) {
  if (type === "state") {
    const isOther = state?.match !== data.match;
    state = data;
    if (isOther) look();
  }
  if (type === "fact") takeFact(data);
}

/** Looks anew who plays, and who of them has said no; until that is known nothing is kept. */
function look() {
  unwilling = null;
  prepare();
  return people.show([...new Set(state?.sides.flatMap(({ players }) => players))]).catch(() => {});
}

/** @param {Oche.Fact} fact */
function takeFact(fact) {
  if (["undone", "corrected"].includes(fact.event_type)) {
    takenBack += 1;
    gathered = [];
  } else if (fact.match && !state?.board.order && WANTED[moments.value](fact)) {
    gathered.push(fact);
    clearTimeout(settling);
    settling = setTimeout(keep, SETTLE_MS);
  }
}

/** Sends what was seen of the greatest of these facts. */
async function keep() {
  const rank = (/** @type {Oche.Fact} */ { event_type: type }) => RANKS.indexOf(type);
  if (!gathered.length || !mayFilm()) return;
  const { award, event_type: type, line, match } = gathered.reduce((most, fact) => (rank(fact) > rank(most) ? fact : most));
  gathered = [];
  const before = takenBack;
  const clip = await (film ? film.cut() : takeStill(preview));
  if (!clip || before !== takenBack || unwilling?.length !== 0) return;
  const query = new URLSearchParams({ match: String(match), line: String(line), moment: award ?? type });
  try {
    await fetchAnswer(`clips?${query}`, { method: "POST", body: clip });
    sent += 1;
    setText(status, text.sent(sent));
  } catch (problem) {
    await look(); // somebody may have said no elsewhere
    setText(status, /** @type {Error} */ (problem).message);
  }
}

/** Shows the camera, or why there is none here. */
function showCamera() {
  if (!isSecureContext) {
    return [make("p", { test: "insecure" }, text.insecure(location.host, `localhost:${location.port || 80}/camera`))];
  }
  if (!navigator.mediaDevices || typeof MediaRecorder === "undefined") return [make("p", {}, text.noRecorder)];
  if (asked.has("start")) start();
  return [make("p", {}, text.about), preview, status,
    make("div", {}, startButton, stopButton),
    make("label", {}, text.when, moments), make("label", {}, text.what, kinds)];
}

async function begin() {
  nameForTests();
  setText($("title"), text.title);
  setText($("back"), history.back);
  $("back").href = linkTo("./", { start: null, moments: null, kind: null });
  document.title = text.title;
  /** @type {Oche.TableInfo[]} */
  let tables = await read("tables") ?? [];
  if (tables.length && await bring(tables[0].role)) tables = await read("tables") ?? [];
  const table = tables.find((each) => each.table === asked.get("table")) ?? tables[0];
  if (!table) return;
  if (table.role === "look") return setText($("said"), text.mayNot);
  await addSentences("setup_");
  /** @type {{ most: number } | null} */
  const kept = await read("clips?match=-");
  if (!kept?.most) return setText($("said"), text.off);
  setText($("said"), tables.length > 1 ? table.name : "");
  $("filming").append(make("section", {}, ...showCamera()), people.element);
  await follow(tablePath(table.table), hear, () => {});
}

begin().catch(({ message }) => setText($("said"), message));
