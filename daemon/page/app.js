/* Wires the page: what comes in goes to the scoreboard, what is touched goes to the table. The page holds no game
   state of its own, so a reload, a second phone or a restarted daemon always show the same. */

import { Board } from "./board.js";
import { correct, prepare, setLayout } from "./correction.js";
import { $, make, say } from "./dom.js";
import { faceOf } from "./faces.js";
import { prepareKeys } from "./keys.js";
import { prepareKiosk } from "./kiosk.js";
import { follow, read, seatOf, send, tableOf } from "./link.js";
import { moment } from "./moments.js";
import { linkTo } from "./preferences.js";
import { begun } from "./prompts.js";
import { renew } from "./renew.js";
import { render, standing } from "./scoreboard.js";
import { followSeats, prepareSeats } from "./seats.js";
import { prepareTap, sayTap, settle, tap } from "./tap.js";
import { warnOfBoard, warnOfBroker, warnOfLink } from "./warnings.js";
import { words } from "./words.js";

const TOAST_MS = 5_000;
const STRAY_MS = 2_400;
const PRESSED = ["next", "miss", "undo", "redo"]; // pressed twice, they are meant once
const DOUBLE_MS = 600; // Next twice by then is one finger, and would skip a player
const RELOAD_MS = 2_000;

let place = null; // what commands go to, and news come from
let table = null;
let isAnother = false; // than the address asks for, which may be back after a restart
let state = null;
let plan = null; // the match that the next start begins
let layout = null;
let drawnFor; // the match whose board is drawn: another match may be played on another face
let served; // the version of the page that was loaded
let moved = -DOUBLE_MS; // when Next was taken, and nothing since
const timers = new Map();

/** What drawing needs beside the state. */
const screen = {
  board: null,
  face: {},
  seat: null, // whose screen this is; null is everybody's
  tap: false, // a tap on the board is a dart
  busts: new Set(), // how it stood when a visit of this match went bust, since the state itself does not say so
  places: new Map(), // where taps landed, by line
  does: {
    correct: (dart, number) =>
      correct(dart, number, (line, segment) => command("amend", { amend: line, throw: segment })),
    answer: (prompt, text) => command("choose", { choose: text, prompt: prompt.id }),
  },
  redraw,
};

/** What the parts of the page that are loaded when they are needed get to see, and may do. */
const app = {
  get table() { return table; },
  get place() { return place; },
  get state() { return state; },
  get plan() { return plan; },
  get layout() { return layout; },
  get seat() { return screen.seat; },
  command, toast,
};

const NEWS = new Event("news"); // for the lobby, which may be open meanwhile

function redraw() {
  document.dispatchEvent(NEWS);
  const held = document.activeElement;
  if (state) render(state, screen, plan);
  if (state && screen.tap) sayTap(state, throwsNow());
  if (held !== document.body && !canHold(held)) refocus(held.dataset.testid);
}

const canHold = (element) => element.isConnected && !element.disabled && element.getClientRects().length > 0;

/** The focus goes to what took the place of the one that had it, or else to what can be done now. */
function refocus(test) {
  const same = `[data-testid="${CSS.escape(test ?? "")}"]`;
  const places = [same, "#prompts button", "#next", "footer button", "main button", "#menu"];
  places.flatMap((each) => [...document.querySelectorAll(each)]).find(canHold)?.focus();
}

/** Shows a text in an element for a while; a new text starts the while again. */
function flash(element, text, ms) {
  say(element, text);
  element.hidden = false;
  clearTimeout(timers.get(element));
  timers.set(element, setTimeout(() => { element.hidden = true; }, ms));
}

function toast(text) {
  flash($("toast"), text, TOAST_MS);
}

/** One command at a time, and only for what the finger saw (`at`): two phones at once do not skip a player. Resolves
    with whether it was taken; why not is shown. */
async function command(name, body) {
  if (document.body.classList.contains("busy")) {
    if (!PRESSED.includes(name)) toast(words.stale);
    return false;
  }
  if (name === "next" && performance.now() - moved < DOUBLE_MS) return false;
  document.body.classList.add("busy");
  try {
    await send(place, name, { ...body, at: state?.line });
    moved = name === "next" ? performance.now() : -DOUBLE_MS;
    $("toast").hidden = true;
    return true;
  } catch (problem) {
    toast(problem.message);
    return false;
  } finally {
    document.body.classList.remove("busy");
  }
}

function linked(up) {
  if (up && isAnother && document.body.dataset.link === "lost") return location.reload();
  warnOfLink(up);
  document.dispatchEvent(NEWS);
  if (!up) drawnFor = undefined; // after a restart the table may have another board
}

const heard = {
  state(data) {
    if (state?.game !== data.game) screen.face = {}; // until the face of this game is known
    if (state?.match !== data.match) {
      screen.busts.clear();
      $("correction").close(""); // its line is another one there
    }
    state = data;
    if (screen.tap) screen.places = settle(state);
    redraw();
    if (drawnFor !== state.match) drawBoard(state.match);
    if (screen.seat === null) followSeats(table, state);
  },
  board: warnOfBoard,
  broker: warnOfBroker,
  plan(data) {
    plan = data;
    redraw();
  },
  notice: ({ text }) => toast(text),
  page({ version }) {
    served ??= version;
    if (served !== version) location.reload(); // oche was updated
  },
  fact(fact) {
    if (fact.event_type === "bust" && state.turn.darts.at(-1)?.line === fact.line) {
      screen.busts.add(standing(state));
      redraw();
    }
    moment(fact, app);
    if (fact.event_type === "stray") flash($("stray"), words.stray(words.segment(fact.segment)), STRAY_MS);
  },
};

const hear = (type, data) => heard[type]?.(data);

async function drawBoard(match) {
  drawnFor = match;
  const found = await read(`${place}/layout`);
  if (!found || drawnFor !== match) return; // meanwhile another match began, or the link broke: that draws its own
  layout = found;
  screen.board = new Board($("board"), layout);
  screen.face = faceOf(layout.face);
  document.body.dataset.face = layout.face ?? "";
  setLayout(layout);
  if (screen.tap) prepareTap(screen.board, throwDart);
  redraw();
}

const throwDart = (dart) => tap(table, dart, toast);
const throwsNow = () => screen.tap && state?.phase === "throwing" && !begun.size;

/** A finger on the board throws a dart where that is how darts are thrown, and else may answer a question. */
function touched(event) {
  if (!state || !screen.board) return;
  if (throwsNow()) return throwDart(screen.board.at(event));
  const id = event.target.closest("[data-segment]")?.dataset.segment;
  const answer = id && screen.face.touched?.(state, id);
  if (!answer) return;
  if (answer.option) return screen.does.answer(answer.prompt, answer.option);
  begun.set(answer.prompt.id, answer.from);
  redraw();
}

/** Opens a dialog of a part that is loaded when it is needed, or says why not. */
async function open(part, name) {
  try {
    const { [name]: show } = await part.catch((problem) => {
      renew();
      throw new Error(words.unreachable, { cause: problem });
    });
    await show(app);
  } catch (problem) {
    toast(problem.message);
  }
}

async function begin() {
  for (const element of document.querySelectorAll("[id]")) element.dataset.testid ??= element.id;
  for (const name of ["undo", "redo", "miss", "next"]) {
    $(name).onclick = () => command(name);
  }
  $("again").onclick = () => command("start");
  $("other").onclick = () => open(import("./lobby.js"), "openLobby");
  $("menu").onclick = () => open(import("./menu.js"), "openMenu");
  $("board").addEventListener("click", touched);
  for (const [id, text] of Object.entries(words.fixed)) say($(id), text);
  for (const [id, text] of Object.entries(words.labels)) $(id).ariaLabel = text;
  prepare();
  prepareKiosk();
  const asked = new URLSearchParams(location.search);
  await (asked.has("seat") ? beginSeat(asked.get("seat")) : beginTable(asked.get("table")));
}

async function beginTable(wanted) {
  const tables = (await read("tables")) ?? [];
  if (!tables.length) return toast(words.noTables);
  const found = tables.find((each) => each.table === wanted) ?? tables[0];
  table = found.table;
  place = tableOf(table);
  isAnother = Boolean(wanted) && table !== wanted;
  if (isAnother) toast(words.noSuchTable(wanted, found.name));
  $("tables").hidden = tables.length < 2;
  $("tables").append(...tables.map((each) => {
    const link = make("a", { href: linkTo("", { table: each.table }) }, each.name);
    if (each === found) link.setAttribute("aria-current", "page");
    return link;
  }));
  screen.tap = Boolean(found.tap);
  prepareSeats(table, () => state, toast);
  prepareKeys();
  // A restart may have renamed the tables.
  follow(place, hear, linked, () => setTimeout(() => location.reload(), RELOAD_MS));
}

async function beginSeat(token) {
  place = seatOf(token);
  const seat = await read(place);
  if (!seat) return unseat();
  table = seat.table;
  screen.seat = seat.seat;
  say($("whose"), seat.player);
  follow(place, hear, linked, unseat);
}

function unseat() {
  warnOfLink(false, "gone", words.seatGone);
}

begin();
