/* Wires the page: what the daemon tells goes into the store, and each change of it is drawn. */

import { Board } from "./board.js";
import { noteBoard, prepareByHand, renderByHand } from "./wall/by_hand.js";
import { nameNextDart, nameTurn, sendAnswer, sendCommand, throwDart } from "./commands.js";
import { $, dropToast, findClosest, make, nameForTests, setStyle, setText, showBriefly, showToast } from "./dom.js";
import { bring } from "./enter.js";
import { loadFace } from "./faces/faces.js";
import { prepareKeys, prepareKiosk } from "./wall/screen.js";
import { follow, read, seatPath, tablePath } from "./link.js";
import { endMoment, showMoment } from "./wall/moments.js";
import { hasSplitSingles } from "./words/naming.js";
import { playSound } from "./wall/caller.js";
import { preparePart } from "./parts.js";
import { isChosen, linkTo, preference } from "./preferences.js";
import { render } from "./wall/scoreboard.js";
import { followSeats, prepareSeats } from "./wall/seats.js";
import { put, store, watch } from "./store.js";
import { isThrown, renderTap } from "./wall/tap.js";
import { addSentences, saySentence } from "./words/tasks.js";
import { renderWarnings } from "./wall/warnings.js";
import { language, words } from "./words/words.js";

const openLobby = preparePart(async () => (await import("./lobby/lobby.js")).openLobby, "static/lobby/lobby.css");
const openJoin = preparePart(async () => (await import("./wall/join.js")).openJoin, "static/wall/menu.css");
const openIdle = preparePart(async () => (await import("./wall/idle.js")).showIdle, "static/wall/idle.css");
const openMenu = preparePart(async () => (await import("./wall/menu.js")).openMenu, "static/wall/menu.css");
const openRules = preparePart(async () => (await import("./lobby/rules.js")).openRules, "static/wall/menu.css");
const openSensed = preparePart(async () => (await import("./wall/sensed.js")).renderSensed, "static/wall/sensed.css");
const openSummary = preparePart(async () => (await import("./wall/summary.js")).showSummary, "static/wall/summary.css");

const STRAY_MS = 2_400;
const RELOAD_MS = 2_000;
const PLAYERS_MS = 2_000; // when the scoreboard stands, their pictures may come, and the stage of a wall
const REST_MS = 120_000; // without any news of a match that is not played

const isWall = () => document.documentElement.dataset.view === "wall";

let isAnother = false; // table than the address asks for, which may be back after a restart
/** The match whose board is drawn: another match may be played on another face. @type {string | null | undefined} */
let drawnFor;
/** The end of a match whose summary is shown, or on its way: the match and its line. */
let summarized = "";
/** What the wall comes to rest after, "" while a match is on, and the timer until it does. */
let rested = "", restTimer = 0;
/** Whether the board has asked or needed something that is drawn by a part of its own. */
let hasAsked = false;
/** What speaks, where that was chosen. @type {typeof import("./wall/ear.js") | undefined} */
let ear;
/** The version of the page that was loaded. @type {string | undefined} */
let served;
/** The match of this table, also while that of another one is shown. @type {Oche.State | null} */
let own = null;
/** The sentences on boards and journals, which are read when one fails. @type {Promise<void> | undefined} */
let troubleWords;

function draw() {
  const held = document.activeElement;
  const { board, boardStatus, isSending, state } = store;
  document.body.classList.toggle("busy", isSending);
  dropToast();
  renderWarnings();
  renderByHand();
  hasAsked ||= Boolean(state?.sensor || boardStatus?.remedy);
  if (hasAsked) openSensed();
  if (!state || !board) return; // its face says where all stands: drawn without one, the page would jump
  render(state);
  renderTap(state);
  summarize(state);
  rest(state);
  if (held instanceof HTMLElement && held !== document.body && !canHold(held)) refocus(held.dataset.testid ?? "");
}

/** Has what a match came to shown once it is over; an end that was taken back goes. On a wall the winner waits
    for it, to come where it has its place. @param {Oche.State} state */
function summarize({ board, line, match, phase }) {
  const isHere = store.seat === null && !store.lent?.state; // where the match is kept
  const ended = phase === "over" && match && isHere && !board.order ? `${match} ${line}` : "";
  if (ended === summarized) return;
  summarized = ended;
  $("summary").hidden = true;
  $("result").ariaBusy = String(Boolean(ended));
  if (ended) openSummary().then(() => { if (summarized === ended) showWinner(); });
}

const showWinner = () => { $("result").ariaBusy = "false"; };

/** Has a wall show who leads and how to join once a match has been over for long, or has waited for long for its first
    dart. @param {Oche.State} state */
function rest({ board, line, match, phase }) {
  const isAtRest = phase === "over" ? !board.order : line <= 1 && !store.isTapped; // an order stands, a tapped board is played on
  const after = isWall() && isAtRest ? `${match} ${line}` : "";
  if (after === rested) return;
  rested = after;
  clearTimeout(restTimer);
  $("idle").hidden = true;
  if (after) restTimer = setTimeout(() => openIdle(() => rested === after), REST_MS);
}

const canHold = (/** @type {HTMLElement} */ element) =>
  element.isConnected && !("disabled" in element && element.disabled) && element.getClientRects().length > 0;

/** Gives the focus to what took the place of the one that had it, or else to what can be done now.
    @param {string} test its name for tests */
function refocus(test) {
  const same = `[data-testid="${CSS.escape(test)}"]`;
  const places = [same, "#prompts button", "#next", "footer button", "main button", "#menu"];
  /** @type {(selector: string) => HTMLElement[]} */
  const find = (selector) => [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(selector))];
  places.flatMap(find).find(canHold)?.focus();
}

/** What is done with each kind of news. @type {Record<string, (data: any) => void>} */
const heard = {
  state: takeOwnState,
  lent: takeLent,
  fact: takeFact,
  ear: (/** @type {Oche.SpeechItem} */ item) => ear?.hear(item),
  plan: (/** @type {Oche.Plan} */ plan) => put({ plan }),
  board(/** @type {Oche.BoardStatus} */ status) {
    put({ boardStatus: status });
    noteBoard(status);
    if (status.state !== "online" || status.trouble_said) (troubleWords ??= addSentences("setup_")).then(() => put());
  },
  broker: (/** @type {{ text: string }} */ { text }) => put({ broker: text }),
  sound: (/** @type {{ sound: string }} */ { sound }) => playSound(sound),
  notice: (/** @type {Oche.Sentence} */ said) => showToast(saySentence(said)),
  tournament: (/** @type {any} */ news) => import("./wall/called.js").then(({ takeNews }) => takeNews(news)),
  clip: (/** @type {Oche.Clip} */ clip) => import("./wall/replay.js").then(({ showClip }) => showClip(clip)),
  page(/** @type {{ version: string }} */ { version }) {
    served ??= version;
    if (served !== version) location.reload(); // oche was updated
  },
};

/** @param {Oche.State} state */
function takeOwnState(state) {
  own = state;
  if (!store.lent?.state) takeState(state);
}

/** Takes that this table plays along at another one, whose match is shown then. @param {Oche.Store["lent"]} lent */
function takeLent(lent) {
  const was = store.lent;
  put({ lent });
  const shown = lent?.state ?? (was?.state ? own : null);
  if (shown) takeState(shown);
  openPlaces();
}

const openPlaces = () => import("./wall/two_places.js").then(({ showPlaces }) => showPlaces());

/** @param {Oche.State} state */
function takeState(state) {
  const before = store.state;
  const isNew = before?.match !== state.match;
  if (isNew) {
    $("correction").close(""); // the line of a correction is another one there
    store.places.clear();
  }
  if (nameTurn(before) !== nameTurn(state)) endMoment();
  const { next } = $("correction").dataset;
  if ($("correction").open && next && next !== nameNextDart(state)) { // the board has seen it after all, say
    $("correction").close("");
    showToast(words.changedMeanwhile);
  }
  put({ state, ...(before?.game !== state.game && { face: {} }) }); // until the face of this game is known
  if (drawnFor !== state.match) drawBoard(state.match);
  if (store.seat === null && store.role !== "look") followSeats(state);
  if (state.places) openPlaces();
}

/** @param {Oche.Fact} fact */
function takeFact(fact) {
  showMoment(fact);
  if (fact.event_type === "stray") showBriefly($("stray"), words.stray(words.segment(fact.segment ?? "", hasSplitSingles(store.state))), STRAY_MS);
}

/** Loads what speaks to who plays by ear; returns what the stream is asked for then. */
async function prepareEar() {
  const detail = preference("ear");
  if (!detail) return "";
  ear = await import("./wall/ear.js");
  return `?ear=${detail === "brief" ? detail : "full"}&lang=${language}`;
}

/** @param {boolean} isUp */
function linked(isUp) {
  const link = isUp ? "live" : "lost";
  if (link === store.link) return;
  if (isUp) ear?.sayStanding();
  if (isUp && isAnother && store.link === "lost") return location.reload();
  put({ link });
  if (!isUp) drawnFor = undefined; // after a restart the table may have another board
}

/** Reads the face that a match is played on, and draws it. @param {string | null} match */
async function drawBoard(match) {
  drawnFor = match;
  /** @type {Oche.Layout | null} */
  const layout = await read(`${store.place}/layout`);
  const name = store.lent?.state?.face ?? layout?.face; // the game is that of the match, the board is that of this table
  const face = await loadFace(name ?? null);
  if (!layout || drawnFor !== match) return; // meanwhile another match began, or the link broke: that draws its own
  if (JSON.stringify(store.board?.layout) !== JSON.stringify(layout)) $("correction").close("");
  const board = new Board($("board"), layout);
  document.body.dataset.face = name ?? "";
  const names = new Set(layout.segments.map(({ id }) => words.segment(id)));
  $("segment-ids").replaceChildren(...[...names].map((value) => make("option", { value })));
  put({ board, face });
}

/** A finger on the board: while something is asked it may answer; else it throws a dart where that is how darts are
    thrown. One that does not count (the visit is thrown, the match is over) is said by the table.
    @param {MouseEvent} event */
function touch(event) {
  const { board, face, isTapped, moves, role, state } = store;
  if (!state || !board || role === "look") return;
  if (isThrown()) return throwDart(board.at(event));
  const id = findClosest(event, "[data-segment]")?.dataset.segment;
  const touched = id && face.touched?.(state, id);
  if (!touched) {
    if (isTapped && (state.phase === "deciding" || moves.size)) showToast(words.tapAnswer, () => Boolean(store.state?.prompts.length));
    else if (isTapped) throwDart(board.at(event));
    return;
  }
  if (touched.option) return sendAnswer(touched.prompt, touched.option);
  moves.set(touched.prompt.id, touched.from ?? "");
  put();
}

async function begin() {
  nameForTests();
  for (const name of /** @type {const} */ (["undo", "redo", "miss", "next"])) {
    $(name).onclick = () => sendCommand(name);
  }
  $("again").onclick = () => sendCommand("start");
  $("other").onclick = () => openLobby();
  $("menu").onclick = () => openMenu();
  $("join").onclick = () => openJoin();
  $("rules").onclick = () => openRules();
  $("board").addEventListener("click", touch);
  for (const [id, text] of Object.entries(words.fixed)) setText($(/** @type {Oche.FixedId} */ (id)), text);
  for (const [id, text] of Object.entries(words.labels)) $(/** @type {Oche.FixedId} */ (id)).ariaLabel = text;
  const foot = $("next").parentElement;
  if (foot) setStyle(foot, "--chars", ["undo", "redo", "miss", "next"].map((id) => words.fixed[id]).join("").length); // share a line
  prepareKiosk();
  addEventListener("unanswered", showWinner); // the headline may be long in coming
  watch(draw);
  const asked = new URLSearchParams(location.search);
  const seat = asked.get("seat");
  await (seat === null ? beginTable(asked) : beginSeat(seat));
}

/** @param {URLSearchParams} asked */
async function beginTable(asked) {
  const wanted = asked.get("table");
  /** @type {Oche.TableInfo[]} */
  let tables = (await read("tables")) ?? [];
  if (tables.length && await bring(tables[0].role)) tables = (await read("tables")) ?? [];
  if (!tables.length) return showToast(words.noTables);
  const found = tables.find((each) => each.table === wanted) ?? tables[0];
  const { role, table } = found;
  if (found.lacks_board && preference("guide") && !preference("kiosk")) return location.replace(linkTo("guide", {}));
  isAnother = Boolean(wanted) && table !== wanted;
  if (isAnother) showToast(words.noSuchTable(wanted, found.name));
  $("tables").hidden = tables.length < 2;
  $("tables").append(...tables.map((each) => {
    const link = make("a", { href: linkTo("", { table: each.table }) }, each.name);
    if (each === found) link.setAttribute("aria-current", "page");
    return link;
  }));
  document.documentElement.dataset.role = role;
  put({ table, place: tablePath(table), isTapped: found.tap && role !== "look", role });
  prepareSeats();
  prepareKeys();
  prepareByHand();
  if (asked.has("lobby")) { // the guide leads there, once
    history.replaceState(null, "", linkTo("./", { lobby: null }));
    openLobby();
  }
  setTimeout(() => import("./wall/art.js").catch(() => {}), preference("art") ? 0 : PLAYERS_MS);
  setTimeout(() => (isWall() ? import("./wall/stage.js") : import("./wall/wall_players.js")).catch(() => {}), PLAYERS_MS);
  if (!isChosen("speech")) setTimeout(() => import("./wall/voice_offer.js").catch(() => {}), PLAYERS_MS);
  await follow(store.place, hear, linked, await prepareEar());
  setTimeout(() => location.reload(), RELOAD_MS); // a restart may have renamed the tables
}

/** @param {string} token */
async function beginSeat(token) {
  const place = seatPath(token);
  /** @type {{ table: string, seat: number, player: string } | null} */
  const found = await read(place);
  if (found) {
    put({ place, table: found.table, seat: found.seat });
    setText($("whose"), found.player);
    await follow(place, hear, linked, await prepareEar());
  }
  put({ link: "gone" });
}

const hear = (/** @type {string} */ type, /** @type {any} */ data) => heard[type]?.(data);

begin();
