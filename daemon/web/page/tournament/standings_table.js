/* The tables of a tournament: standings, results of each against each, a ladder, and who has not met. */

import { make } from "../dom.js";
import { listNotMet } from "./bracket_layout.js";
import { makeName, readScore, said } from "./match_card.js";
import { letterOf, nameEntrant, texts } from "./texts.js";
import { history } from "../words/words.js";

/** What a touch on a name does; without it nothing can be touched. @typedef {((entrant: number) => void) | undefined} Choose */

/** Makes the name of an entrant as the head of its line. @param {Oche.TournamentView} view @param {number} id @param {Choose} choose */
function makeHead(view, id, choose) {
  const name = makeName(nameEntrant(view, id));
  const head = make("th", { scope: "row", className: "entrant" }, choose ? make("button", { type: "button", onclick: () => choose(id) }, name) : name);
  head.dataset.entrant = String(id);
  return head;
}

/** Returns what a table is called. @param {Oche.TournamentStandings} standings */
export const nameStandings = ({ group }) => (group === null ? said.standings : texts.rounds.group(letterOf(group)));

/** Makes a table of standings, or of some of its lines. @param {Oche.TournamentView} view @param {Oche.TournamentStandings} standings
    @param {{ rows?: readonly Oche.TournamentRow[], choose?: Choose }} [how] */
export function makeStandings(view, standings, { rows = standings.rows, choose } = {}) {
  const hasDraws = standings.rows.some(({ drawn }) => drawn > 0), hasAverages = standings.rows.some(({ average }) => average !== null);
  /** @type {[string, string, (row: Oche.TournamentRow) => string][]} */
  const columns = [
    ["played", said.played, ({ played }) => `${played}`], ["won", said.won, ({ won }) => `${won}`],
    ...(hasDraws ? [/** @type {[string, string, (row: Oche.TournamentRow) => string]} */ (["drawn", said.drawn, ({ drawn }) => `${drawn}`])] : []),
    ["lost", said.lost, ({ lost }) => `${lost}`], ["leg_score", said.legs, ({ legs }) => legs.join(":")],
    ...(hasAverages ? [/** @type {[string, string, (row: Oche.TournamentRow) => string]} */ (["average", said.average, ({ average }) => (average === null ? "–" : history.fixed(average))])] : []),
    ["points", said.points, ({ points }) => `${points}`],
  ];
  const heads = [make("td"), make("th", { scope: "col", className: "entrant" }, said.name), ...columns.map(([key, label]) => make("th", { scope: "col", className: `of-${key}` }, label))];
  const through = standings.group === null ? 0 : view.spec.through ?? 2;
  const lines = rows.map((row) => make("tr", { className: row.place <= through ? "through" : "", test: `standing-${row.entrant}` },
    make("td", { className: "place" }, `${row.place}.`), makeHead(view, row.entrant, choose), ...columns.map(([key, , read]) => make("td", { className: `of-${key}` }, read(row)))));
  return make("table", { className: "tournament-table", ariaLabel: nameStandings(standings) }, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...lines));
}

/** Makes a table with what each came to against each.
    @param {Oche.TournamentView} view @param {Oche.TournamentStandings} standings @param {Choose} [choose] */
export function makeCross(view, { rows }, choose) {
  const all = rows.map(({ entrant }) => entrant);
  /** @param {number} one @param {number} other */
  const readResult = (one, other) => view.matches.filter(({ of, sides, stage }) => !of && (stage === "group" || stage === "round") && sides.includes(one) && sides.includes(other))
    .map((match) => [match.sides.indexOf(one), 1 - match.sides.indexOf(one)].map((side) => readScore(match, side)))
    .filter(([score]) => score).map((scores) => scores.join(":")).join(" ");
  const heads = all.map((_, place) => make("th", { scope: "col" }, String(place + 1)));
  const lines = all.map((one, place) => make("tr", {}, make("td", { className: "place" }, String(place + 1)), makeHead(view, one, choose),
    ...all.map((other) => (one === other ? make("td", { className: "self" }) : make("td", {}, readResult(one, other) || "·")))));
  return make("table", { className: "cross-table", ariaLabel: said.cross }, make("thead", {}, make("tr", {}, make("td"), make("th", { scope: "col", className: "entrant" }, said.name), ...heads)), make("tbody", {}, ...lines));
}

/** Makes the places of a ladder from the top, or some of them. @param {Oche.TournamentView} view
    @param {{ order?: readonly number[], from?: number, choose?: Choose }} [how] */
export function makeLadder(view, { order = view.ladder ?? [], from = 0, choose } = {}) {
  return make("table", { className: "tournament-table ladder", ariaLabel: said.ladder }, make("tbody", {}, ...order.map((entrant, place) =>
    make("tr", {}, make("td", { className: "place" }, `${from + place + 1}.`), makeHead(view, entrant, choose)))));
}

/** Returns who came to which place, a line each. @param {Oche.TournamentView} view */
export const listPlaced = ({ places }) => places.flatMap(({ entrants, first, last }) => entrants.map((entrant) => ({ entrant, place: first === last ? `${first}.` : `${first}–${last}.` })));

/** Makes the places of all, or some of their lines. @param {Oche.TournamentView} view
    @param {{ rows?: ReturnType<typeof listPlaced>, choose?: Choose }} [how] */
export function makePlaces(view, { rows = listPlaced(view), choose } = {}) {
  return make("table", { className: "tournament-table ladder", ariaLabel: said.places, test: "places" }, make("tbody", {}, ...rows.map(({ entrant, place }) =>
    make("tr", {}, make("td", { className: "place" }, place), makeHead(view, entrant, choose)))));
}

/** Makes a list of whom each has not met. @param {Oche.TournamentView} view @param {number} [of] of this side alone */
export function makeNotMet(view, of) {
  const those = view.entrants.filter(({ id, left }) => !left && (of === undefined || id === of));
  return make("dl", { className: "not-met", test: "not-met" }, ...those.flatMap(({ id, name }) => [make("dt", {}, name),
    make("dd", {}, listNotMet(view, id).map((each) => nameEntrant(view, each)).join(", ") || said.metAll)]));
}
