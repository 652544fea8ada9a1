/* All tables of a tournament on one screen: what is played there and how it stands, who is called, who comes next. */

import { make, rebuild, setStyle } from "../dom.js";
import { isOn, readScore } from "../stream/parts.js";
import { drawStates, followStates } from "../stream/table_states.js";
import { cutList } from "./bracket_layout.js";
import { makeName, readScore as readResult, said } from "./match_card.js";
import { loadSheet } from "../parts.js";
import { isChosen, linkTo, preference } from "../preferences.js";
import { findMatch, nameEntrant, namePair, nameRound, nameSide } from "./texts.js";
import { words } from "../words/words.js";

const MOST = 9; // tables that have room on a wall
const TURN_MS = 12_000;
const AGAIN_MS = 5_000;

/** @typedef {{ view: Oche.TournamentView | null, subscribe(read: () => void): () => void }} Source */
/** What is played at the tables of this daemon. @type {Map<string, { state: Oche.State, face: Oche.Face }>} */
const played = new Map();
/** Draws what is shown now. */
let redraw = () => {};
let isFollowed = false;

/** Follows the tables from the first time on, for as long as the page is there. */
async function followTables() {
  if (isFollowed) return;
  isFollowed = true;
  for (;;) {
    await followStates((table, state, face) => {
      played.set(table, { state, face });
      redraw();
    }, () => {}, () => {});
    await new Promise((done) => { setTimeout(done, AGAIN_MS); });
  }
}

/** Shows it; returns what ends that. @param {HTMLElement} root @param {Source} source */
export async function show(root, source) {
  await Promise.all([loadSheet("static/tournament/bracket.css"), loadSheet("static/tournament/live.css")]);
  const onWall = Boolean(preference("kiosk")) || (isChosen("view") && preference("view") === "wall");
  const grid = make("div", { className: onWall ? "live on-wall" : "live", test: "live" });
  document.body.classList.toggle("as-wall", onWall);
  root.replaceChildren(grid);
  let page = 0;
  redraw = () => {
    const { view } = source;
    if (!view) return;
    const pages = onWall ? cutList(view.tables, MOST) : [view.tables];
    draw(grid, view, pages[page % pages.length]);
  };
  const timer = onWall ? setInterval(() => { page += 1; redraw(); }, TURN_MS) : 0;
  drawStates((table, state, face) => played.set(table, { state, face }));
  followTables();
  const leave = source.subscribe(() => redraw());
  redraw();
  return () => {
    clearInterval(timer);
    document.body.classList.remove("as-wall");
    redraw = () => {};
    leave();
  };
}

/** @param {HTMLElement} grid @param {Oche.TournamentView} view @param {readonly Oche.TournamentTableView[]} tables */
function draw(grid, view, tables) {
  if (!tables.length) return rebuild(grid, "none", () => [make("p", {}, said.noTables)]);
  if (grid.dataset.of !== tables.map(({ name }) => name).join()) {
    grid.dataset.of = tables.map(({ name }) => name).join();
    delete grid.dataset.built;
    for (const [name, most] of /** @type {const} */ ([["", 1], ["-upright", 2]])) { // a table is wider than it is high
      const columns = Math.ceil(Math.sqrt(tables.length) / most);
      setStyle(grid, `--columns${name}`, columns);
      setStyle(grid, `--rows${name}`, Math.ceil(tables.length / columns));
    }
    grid.replaceChildren(...tables.map(({ name }) => make("article", { test: `live-${name}` })));
  }
  tables.forEach((table, place) => drawTable(/** @type {HTMLElement} */ (grid.children[place]), view, table));
}

/** @param {HTMLElement} card @param {Oche.TournamentView} view @param {Oche.TournamentTableView} table */
function drawTable(card, view, table) {
  const { name, next, paper, paused, status, title } = table;
  const match = table.match === null ? undefined : findMatch(view, table.match), here = status === "playing" || status === "else" ? played.get(name) : undefined;
  const state = here?.state.sides.length ? here.state : null, face = here?.face ?? {};
  const told = paused ? said.paused : status === "playing" ? "" : status === "called" ? said.status.called : said[status];
  card.className = `live-table is-${status}`;
  const waits = next === null ? undefined : findMatch(view, next);
  rebuild(card, [table, match, state, waits, view.entrants.length], () => [
    make("div", { className: "live-head" }, make("h2", {}, paper ? title : make("a", { href: linkTo("./", { view: null, table: name }) }, title)), make("span", { className: "state" }, [paper ? said.paper : "", told].filter(Boolean).join(" · "))),
    ...(state ? listPlaying(state, face) : match ? listCalled(view, match) : [make("p", { className: "idle-table" }, waits ? said.nextUp(namePair(view, waits)) : "")]),
    make("p", { className: "live-foot" }, makeName(describeFoot(view, table, match, state))),
  ]);
}

/** @param {Oche.TournamentView} view @param {Oche.TournamentTableView} table @param {Oche.TournamentMatchView | undefined} match @param {Oche.State | null} state */
function describeFoot(view, { paper, status }, match, state) {
  const turn = state && isOn(state) ? words.toThrow(state.turn.player) : "";
  const writer = match?.writer ? nameEntrant(view, match.writer) : "";
  return [match ? nameRound(view, match) : "", turn || (status === "called" && !paper ? said.pressStart : ""), writer && said.writes(writer)].filter(Boolean).join(" · ");
}

/** @param {Oche.State} state @param {Oche.Face} face */
const listPlaying = (state, face) => state.sides.map(({ legs, name, sets }, side) => {
  const isUp = isOn(state) && state.turn.side === side;
  const won = state.format.sets > 1 ? `${sets} (${legs})` : state.format.legs > 1 ? `${legs}` : "";
  const row = make("div", { className: `live-side${isUp ? " up" : ""}${state.winners.includes(side) ? " won" : ""}` }, make("i", { className: "turn", ariaHidden: "true" }), makeName(name), make("span", { className: "won-so-far" }, won), make("b", { className: "score" }, readScore(state, side, face)));
  if (isUp) row.ariaCurrent = "true";
  return row;
});

/** @param {Oche.TournamentView} view @param {Oche.TournamentMatchView} match */
const listCalled = (view, match) => match.sides.map((_, side) => make("div", { className: "live-side" }, makeName(nameSide(view, match, side)), make("b", { className: "score" }, readResult(match, side))));
