/* Wires the page: what comes in goes to the scoreboard, what is touched goes to the table. The page holds no game
   state of its own, so a reload, a second phone or a restarted daemon always show the same. */

import { Board } from "./board.js";
import { correct, prepare, setLayout } from "./correction.js";
import { $, make, say } from "./dom.js";
import { api, follow, read, readLayout, send } from "./link.js";
import { render } from "./scoreboard.js";
import { words } from "./words.js";

const TOAST_MS = 5_000;
const MOMENT_MS = 2_400;
const LOG_LINES = 8;

let table = null;
let state = null;
let board = null;
let drawnFor; // the match whose board is drawn: another match may be played on another face
const busts = new Set(); // "match line" of darts that went bust, since the state itself does not say so
const timers = new Map();

const does = {
  correct: (dart, number) =>
    correct(dart, number, (line, segment) => command("amend", { amend: line, throw: segment })),
  answer: (prompt, text) => command("choose", { choose: text, prompt: prompt.id }),
};

/** Shows a text in an element for a while; a new text starts the while again. */
function flash(element, text, ms) {
  say(element, text);
  element.hidden = false;
  clearTimeout(timers.get(element));
  timers.set(element, setTimeout(() => { element.hidden = true; }, ms));
}

const toast = (text) => flash($("toast"), text, TOAST_MS);

/** One command at a time, and only for what the finger saw (`at`): two phones at once do not skip a player. */
async function command(name, body) {
  if (document.body.classList.contains("busy")) return;
  document.body.classList.add("busy");
  try {
    await send(table.table, name, { ...body, at: state?.line });
    $("toast").hidden = true;
  } catch (problem) {
    toast(problem.message);
  } finally {
    document.body.classList.remove("busy");
  }
}

function linked(up) {
  document.body.dataset.link = up ? "live" : "lost";
  $("link").dataset.state = document.body.dataset.link;
  say($("link"), up ? words.live : words.lost);
  $("link-warning").hidden = up;
  say($("link-warning"), up ? "" : words.lostLong);
  if (!up) drawnFor = undefined; // after a restart the table may have another board
}

const heard = {
  state(data) {
    state = data;
    render(state, board, does, busts);
    if (drawnFor !== state.match) drawBoard(state.match);
  },
  board({ state: is, text }) {
    const online = is === "online";
    $("board-state").dataset.state = is;
    say($("board-state"), online ? words.boardOnline : words.boardOffline);
    $("board-warning").hidden = online;
    say($("board-warning"), online ? "" : text || words.boardOfflineLong);
  },
  notice: ({ text }) => toast(text),
  fact(fact) {
    if (fact.event_type === "bust") {
      busts.add(`${fact.match} ${fact.line}`);
      if (state) render(state, board, does, busts);
    }
    const moment = words.moment(fact);
    if (moment) flash($("moment"), moment, MOMENT_MS);
    const told = words.told(fact);
    if (told) $("log").append(make("p", {}, told));
    while ($("log").children.length > LOG_LINES) $("log").firstChild.remove();
  },
};

async function drawBoard(match) {
  drawnFor = match;
  const layout = await readLayout(table.table);
  if (drawnFor !== match) return; // meanwhile another match began, or the link broke: that draws its own
  board = new Board($("board"), layout);
  setLayout(layout);
  if (state) render(state, board, does, busts);
}

async function begin() {
  for (const name of ["undo", "redo", "miss", "next"]) {
    say($(name), words[name]);
    $(name).onclick = () => command(name);
  }
  $("again").onclick = () => command("start");
  say($("link"), words.connecting);
  say($("board-state"), words.boardUnknown);
  prepare();

  const tables = await read(api("tables"));
  if (!tables.length) return toast(words.noTables);
  const wanted = new URLSearchParams(location.search).get("table");
  table = tables.find((each) => each.table === wanted) ?? tables[0];
  if (wanted && table.table !== wanted) toast(words.noSuchTable(wanted, table.name));
  $("tables").hidden = tables.length < 2;
  $("tables").append(...tables.map((each) => {
    const link = make("a", { href: `?table=${encodeURIComponent(each.table)}` }, each.name);
    if (each === table) link.setAttribute("aria-current", "page");
    return link;
  }));
  follow(table.table, (type, data) => heard[type]?.(data), linked);
}

begin();
