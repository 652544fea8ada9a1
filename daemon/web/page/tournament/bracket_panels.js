/* What is shown of a tournament, in panels: on a wide screen a section each, on a phone a round each. */

import { make, setStyle } from "../dom.js";
import { isLive, isOpen, listSections, placeTree } from "./bracket_layout.js";
import { describeMatch, makeCard, nameSection, readScore, said } from "./match_card.js";
import { makeCross, makeLadder, makeNotMet, makePlaces, makeStandings, nameStandings } from "./standings_table.js";
import { nameColumn, namePair, nameRound } from "./texts.js";

/** @typedef {import("./bracket_layout.js").Round} Round */
/** @typedef {import("./bracket_layout.js").Section} Section */
/** @typedef {import("./standings_table.js").Choose} Choose */
/** A panel: `isOpen` while something of it is still to be played. @typedef {{ key: string, title: string, matches: Oche.TournamentMatchView[], build: () => Node[] }} Panel */

const MOST_CROSSED = 16;
const HIGH = 8; // lines of a tree that are more than a screen

/** @param {Section} section */
const isTree = ({ key }) => ["winners", "losers", "final", "third"].includes(key);

/** @param {(Oche.TournamentMatchView | null)[]} matches */
const leaveEmpty = (matches) => matches.filter((match) => match !== null);

/** Draws rounds as a tree: a column each, and lines from each match to those that it leads to.
    @param {Oche.TournamentView} view @param {Round[]} rounds @param {{ choose?: Choose }} [how] */
export function makeTree(view, rounds, how = {}) {
  const { cells, rows } = placeTree(rounds.map(({ matches }) => matches));
  const tree = make("div", { className: "bracket-tree", role: "group", ariaLabel: said.bracket, test: "tree" },
    ...rounds.map(({ match }, column) => place(make("h3", {}, nameColumn(view, match)), column, 0, 1)),
    ...cells.map(({ column, feeders, match, row, span }) => {
      const cell = place(make("div", { className: `bracket-cell fed-${feeders}` }, makeCard(view, match, how)), column, row + 1, span);
      cell.classList.toggle("leads", column < rounds.length - 1);
      return cell;
    }));
  setStyle(tree, "--columns", rounds.length);
  setStyle(tree, "--rows", rows);
  tree.classList.toggle("high", rows > HIGH);
  return tree;
}

/** @param {HTMLElement} element @param {number} column @param {number} row @param {number} span */
function place(element, column, row, span) {
  element.style.gridArea = `${row + 1} / ${column + 1} / span ${span} / span 1`;
  return element;
}

/** @param {Oche.TournamentView} view @param {(Oche.TournamentMatchView | null)[]} matches @param {{ choose?: Choose }} how */
export const makeRound = (view, matches, how) => make("ol", { className: "round" }, ...leaveEmpty(matches).map((match) => make("li", {}, makeCard(view, match, how), ...makeParts(view, match))));

/** Makes what is played between two teams, one by one. @param {Oche.TournamentView} view @param {Oche.TournamentMatchView} match */
function makeParts(view, { id }) {
  const parts = view.matches.filter(({ of }) => of === id);
  return parts.length ? [make("ol", { className: "match-parts" }, ...parts.map((part) => make("li", { test: `part-${part.id}` }, make("span", {}, namePair(view, part)),
    make("b", {}, [0, 1].map((side) => readScore(part, side)).filter(Boolean).join(":")), make("small", {}, describeMatch(view, part)))))] : [];
}

/** Makes the table of a section, and what belongs beside it. @param {Oche.TournamentView} view @param {number | null} group @param {Choose} choose */
function makeTables(view, group, choose) {
  const { kind } = view.spec, standings = view.standings.find((each) => each.group === group);
  if (kind === "ladder") return [makeLadder(view, { choose })];
  if (!standings?.rows.length) return [];
  const crosses = (kind === "round_robin" || kind === "groups") && standings.rows.length <= MOST_CROSSED;
  return [make("div", { className: "wide" }, makeStandings(view, standings, { choose })),
    ...(crosses ? [make("h3", {}, said.cross), make("div", { className: "wide" }, makeCross(view, standings, choose))] : []),
    ...(kind === "open" ? [make("h3", {}, said.notMet), makeNotMet(view)] : [])];
}

/** Returns what there is to show. @param {Oche.TournamentView} view @param {{ isNarrow: boolean, choose?: Choose }} how @returns {Panel[]} */
export function listPanels(view, { choose, isNarrow }) {
  const sections = listSections(view), { kind } = view.spec;
  const hasTable = ["round_robin", "swiss", "ladder", "open"].includes(kind);
  /** @type {Panel[]} */
  const table = hasTable ? [{ key: "standings", title: kind === "ladder" ? said.ladder : said.standings, matches: [], build: () => makeTables(view, null, choose) }]
    : view.phase === "over" && view.places.length ? [{ key: "places", title: said.places, matches: [], build: () => [makePlaces(view, { choose })] }] : [];
  return [...table, ...sections.flatMap((section) => {
    if (section.key.startsWith("group-")) return [makeGroup(view, section, choose)];
    if (isTree(section) && !isNarrow) return section.key === "third" ? [] : [makeTreePanel(view, section, sections.find(({ key }) => key === "third" && section.key === "winners"), choose)];
    return section.rounds.map(({ match, matches }) => ({
      key: `${section.key}-${match.stage}-${match.round}`, title: nameRound(view, match), matches: leaveEmpty(matches), build: () => [makeRound(view, matches, { choose })],
    }));
  })];
}

/** @param {Oche.TournamentView} view @param {Section} section @param {Choose} choose @returns {Panel} */
function makeGroup(view, section, choose) {
  const group = section.rounds[0].match.group ?? 0, standings = view.standings.find((each) => each.group === group);
  return {
    key: section.key, title: standings ? nameStandings(standings) : nameSection(view, section), matches: section.rounds.flatMap(({ matches }) => leaveEmpty(matches)),
    build: () => [...makeTables(view, group, choose), ...section.rounds.flatMap(({ match, matches }) => [make("h3", {}, nameRound(view, match)), makeRound(view, matches, { choose })])],
  };
}

/** @param {Oche.TournamentView} view @param {Section} section @param {Section | undefined} third the match for third place, below it @param {Choose} choose @returns {Panel} */
function makeTreePanel(view, section, third, choose) {
  const rounds = [...section.rounds, ...(third?.rounds ?? [])];
  return {
    key: section.key, title: nameSection(view, section) || (section.key === "winners" ? said.bracket : nameRound(view, section.rounds[0].match)),
    matches: rounds.flatMap(({ matches }) => leaveEmpty(matches)),
    build: () => [make("div", { className: "wide" }, makeTree(view, section.rounds, { choose })),
      ...(third?.rounds ?? []).flatMap(({ match, matches }) => [make("h3", {}, nameRound(view, match)), makeRound(view, matches, { choose })])],
  };
}

/** Returns the panel that is wanted most: where a followed side plays next, else where something is played, else what comes next; at the
    end the first, which has the places.
    @param {Panel[]} panels @param {string | undefined} next the match of the followed side */
export function choosePanel(panels, next) {
  return panels.find(({ matches }) => matches.some(({ id }) => id === next)) ?? panels.find(({ matches }) => matches.some(isLive)) ?? panels.find(({ matches }) => matches.some(isOpen)) ?? panels[0];
}
