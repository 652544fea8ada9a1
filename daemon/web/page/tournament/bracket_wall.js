/* A tournament on a wall that nobody touches: page after page, each as large as it can be read from afar. What is played, or
   can be, comes every second time; the final has a page of its own. */

import { make, rebuild, setStyle } from "../dom.js";
import { cutList, cutTree, isLive, isOpen, listSections, orderPages } from "./bracket_layout.js";
import { makeTree } from "./bracket_panels.js";
import { describeForecast, makeCard, makeName, nameSection, said } from "./match_card.js";
import { askCode, drawCode } from "./sign_up_code.js";
import { listPlaced, makeLadder, makePlaces, makeStandings, nameStandings } from "./standings_table.js";
import { nameEntrant, nameRound } from "./texts.js";

const TURN_MS = 12_000;
const LINES = 8; // of a table that have room
const CARDS = 6;
const FINAL = 2; // sides that are left
const PLACES = 4;
const ENTERED = { upright: 21, lying: 16 }; // names that have room beside the code

/** @typedef {{ key: string, title: string, isLive: boolean, from: unknown, build: () => Node }} WallPage */
/** @typedef {{ view: Oche.TournamentView | null, subscribe(read: () => void): () => void, ask(path: string): Promise<any> }} Source */

/** Shows the pages by turns until what it returns is called. @param {HTMLElement} root @param {Source} source @param {number} [turnMs] */
export function followWall(root, source, turnMs = TURN_MS) {
  let place = 0, timer = 0, shown = "";
  /** Asked for while nothing is drawn. @type {import("./sign_up_code.js").SignUpCode | null} */
  let code = null;
  let isAsked = false;
  const draw = () => {
    const { view } = source;
    if (!view) return;
    const pages = listWallPages(view, root.clientHeight > root.clientWidth, code);
    if (pages[0].key.startsWith("entered") && !isAsked) {
      isAsked = true;
      askCode(source).then((found) => {
        code = found;
        draw();
      });
    }
    const kept = shown ? pages.find(({ key }) => key === shown) : undefined;
    const order = orderPages(pages.map((page) => page.isLive));
    const page = kept ?? pages[order[place % order.length]];
    shown = page.key;
    rebuild(root, [page.key, page.title, page.from, view.forecast, pages.length], () => [makePage(view, page, pages.indexOf(page) + 1, pages.length)]);
  };
  const turn = () => {
    place += 1;
    shown = "";
    draw();
    timer = setTimeout(turn, turnMs);
  };
  addEventListener("resize", draw);
  const leave = source.subscribe(draw);
  draw();
  timer = setTimeout(turn, turnMs);
  return () => {
    clearTimeout(timer);
    removeEventListener("resize", draw);
    leave();
  };
}

/** @param {Oche.TournamentView} view @param {WallPage} page @param {number} n @param {number} of */
function makePage(view, { build, key, title }, n, of) {
  return make("article", { className: `wall-page of-${key.split("-")[0]}`, test: "wall-page", ariaLabel: title },
    make("div", { className: "wall-head" }, make("h2", {}, makeName([view.spec.name, title].filter(Boolean).join(" · "))), make("span", { className: "forecast" }, describeForecast(view)), ...(of > 1 ? [make("span", { className: "page-of" }, said.page(n, of))] : [])), build());
}

/** Returns all pages. @param {Oche.TournamentView} view @param {boolean} isUpright
    @param {import("./sign_up_code.js").SignUpCode | null} code @returns {WallPage[]} */
function listWallPages(view, isUpright, code) {
  const pages = [...listWinner(view), ...listPlaces(view), ...listFinal(view), ...listTables(view), ...listMatches(view, isUpright)];
  return pages.length ? pages : cutList(view.entrants.filter(({ left }) => !left).map(({ name }) => name), isUpright ? ENTERED.upright : ENTERED.lying)
    .map((names, part) => ({ key: `entered-${part}`, title: said.entered, isLive: false, from: [names, code], build: () => makeEntered(names, code) }));
}

/** @param {Oche.TournamentView} view @returns {WallPage[]} */
function listWinner(view) {
  const { places, winner } = view;
  if (winner == null) return [];
  return [{ key: "winner", title: said.winner, isLive: true, from: [winner, places], build: () => make("div", { className: "champion" }, makeName(nameEntrant(view, winner), "champion"),
    make("div", { className: "placed" }, ...places.filter(({ first }) => first > 1 && first <= PLACES).map(({ entrants, first, last }) =>
      make("div", {}, make("b", {}, first === last ? `${first}.` : `${first}–${last}.`), makeName(entrants.map((each) => nameEntrant(view, each)).join(", ")))))) }];
}

/** Returns the pages of all places, where the page of the winner has no room for them. @param {Oche.TournamentView} view @returns {WallPage[]} */
function listPlaces(view) {
  const placed = listPlaced(view);
  if (view.winner == null || view.standings.some(({ group }) => group === null) || placed.length <= PLACES) return [];
  return cutList(placed, LINES).map((rows, part) => ({ key: `places-${part}`, title: said.places, isLive: false, from: rows, build: () => makePlaces(view, { rows }) }));
}

/** Returns the page of the final, once both are known who play it. @param {Oche.TournamentView} view @returns {WallPage[]} */
function listFinal(view) {
  const finals = view.matches.filter(({ last, of, sides, stage }) => !of && (stage === "final" || (stage === "winners" && last === FINAL && view.spec.kind !== "double_knock_out")) && sides.every((side) => side > 0));
  return finals.slice(-1).map((match) => ({ key: "final", title: nameRound(view, match), isLive: isLive(match), from: match, build: () => make("div", { className: "the-final" }, makeCard(view, match)) }));
}

/** @param {Oche.TournamentView} view @returns {WallPage[]} */
function listTables(view) {
  const { kind } = view.spec;
  const ladder = view.ladder ?? [];
  if (kind === "ladder") return cutList(ladder, LINES).filter(({ length }) => length).map((order, part) => ({ key: `ladder-${part}`, title: said.ladder, isLive: false, from: order, build: () => makeLadder(view, { order, from: ladder.indexOf(order[0]) }) }));
  return view.standings.flatMap((standings) => cutList(standings.rows, LINES).filter(({ length }) => length).map((rows, part) => ({
    key: `standings-${standings.group ?? "all"}-${part}`, title: nameStandings(standings), isLive: false, from: rows, build: () => makeStandings(view, standings, { rows }),
  })));
}

/** @param {Oche.TournamentView} view @param {boolean} isUpright @returns {WallPage[]} */
function listMatches(view, isUpright) {
  const most = isUpright ? { columns: 2, rows: 8 } : { columns: 3, rows: 4 }, sections = listSections(view);
  const trees = sections.filter(({ key }) => key === "winners" || key === "losers").flatMap((section) => cutTree(section.rounds, most).map((rounds, part) =>
    makeMatchesPage(`${section.key}-${part}`, nameSection(view, section), rounds.flatMap(({ matches }) => matches), () => makeTree(view, rounds))));
  const open = sections.filter(({ key }) => key.startsWith("group-") || key === "round" || key === "third") // what is played is in the tables
    .flatMap(({ rounds }) => rounds.find(({ matches }) => matches.some(isOpen))?.matches ?? []);
  const cards = cutList(open, CARDS).filter(({ length }) => length).map((matches, part) => makeMatchesPage(`cards-${part}`, "", matches, () => {
    const page = make("div", { className: "cards" }, ...matches.flatMap((each) => (each ? [makeCard(view, each, { label: nameRound(view, each) })] : [])));
    setStyle(page, "--lines", isUpright ? matches.length : Math.ceil(matches.length / 2));
    return page;
  }));
  return [...cards, ...trees];
}

/** @param {string} key @param {string} title @param {(Oche.TournamentMatchView | null)[]} matches @param {() => Node} build @returns {WallPage} */
const makeMatchesPage = (key, title, matches, build) => ({ key, title, isLive: matches.some(isLive), from: matches, build });

/** @param {readonly string[]} names @param {import("./sign_up_code.js").SignUpCode | null} code */
const makeEntered = (names, code) => make("div", { className: "wall-entered" },
  make("div", { className: "names" }, ...names.map((name) => make("div", {}, makeName(name)))),
  ...(code ? [make("div", { className: "scan" }, drawCode(code.qr), make("p", {}, said.scan))] : []));
