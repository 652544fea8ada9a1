/* What needs the organiser now, most urgent first; and what an input is called, in a sentence or on a button. Pure. */

import { findMatch, nameEntrant, namePair, nameTable, texts } from "./texts.js";

/** What is to be done, and where that is done: a match, a table, an entrant, or a draw.
    @typedef {{ key: string, text: string, match?: string, table?: string, entrant?: number, draw?: true, code?: true }} Need */

const LEAST = 2;
const CALLED = ["called", "playing"];
const ENDED = ["played", "walkover", "bye", "annulled"];

/** Returns the kinds of draws that can be made now. @param {Oche.TournamentView} view */
export const listDraws = ({ may }) => may.filter((each) => each.startsWith("draw_"));

/** Whether a draw is what everybody waits for; before the first dart of what it drew it can be made again, too.
    @param {Oche.TournamentView} view */
export function needsDraw(view) {
  if (!listDraws(view).length || listEntrants(view).filter((each) => each.confirmed && !each.left).length < LEAST) return false;
  return view.phase === "sign_up" || (view.spec.kind === "swiss" && view.matches.every(({ status }) => ENDED.includes(status)));
}

/** Returns who takes part: sides that were drawn, and not those in them. @param {Oche.TournamentView} view */
export function listEntrants({ entrants }) {
  const drawn = new Set(entrants.flatMap(({ id, members }) => members.filter((member) => member !== id)));
  return entrants.filter(({ id }) => !drawn.has(id));
}

/** Returns how many are still to enter, so that groups can be drawn. @param {Oche.TournamentView} view */
function countLacking(view) {
  const { drawn, groups = LEAST, kind } = view.spec;
  return kind === "groups" && !drawn && view.phase === "sign_up" ? LEAST * groups - listEntrants(view).filter((each) => each.confirmed && !each.left).length : 0;
}

/** Returns those who came late and are in no match yet, where that matters. @param {Oche.TournamentView} view */
function listLate(view) {
  if (view.phase !== "playing" || !view.may.includes("seat_late")) return [];
  const seated = new Set([...view.matches.flatMap(({ sides }) => sides), ...view.ladder ?? [], ...view.standings.flatMap(({ rows }) => rows.map(({ entrant }) => entrant))]);
  return listEntrants(view).filter(({ confirmed, id, left }) => confirmed && !left && !seated.has(id));
}

/** Whether people would begin at a table whose board is away. @param {Oche.TournamentTableView} table */
export const needsBoard = ({ board_away: isAway, paused, status }) => Boolean(isAway) && !paused && ["free", "called"].includes(status);

/** What a table does now. @param {Oche.TournamentTableView} table */
export const sayTable = (table) => [
  ...(needsBoard(table) && table.status === "free" ? [] : [table.paused ? texts.paused : texts.tableStatus[table.status]]),
  ...(needsBoard(table) ? [texts.boardAway] : []),
].join(" · ");

/** Returns how earlier attempts at a match ended, at the tables from which it was moved. @param {Oche.TournamentView} view
    @param {Oche.TournamentMatchView} match */
export const listOutdated = (view, match) => (view.outdated ?? []).filter((each) => each.match === match.id)
  .map(({ score, table }) => `${namePair(view, match)}: ${texts.outdated(score.join(":"), nameTable(view, table))}`);

/** @param {Oche.TournamentView} view @returns {Need[]} */
export function listNeeds(view) {
  if (view.phase === "over") return [];
  const said = texts.needs;
  const paper = new Set(view.tables.filter((table) => table.paper).map(({ name }) => name));
  return [
    ...view.matches.filter(({ status }) => status === "disputed").map((match) => ({ key: `disputed-${match.id}`, text: said.disputed(namePair(view, match)), match: match.id })),
    ...view.matches.filter(({ status }) => !ENDED.includes(status)).flatMap((match) => listOutdated(view, match).map((text, at) => ({ key: `outdated-${match.id}-${at}`, text, match: match.id }))),
    ...view.tables.filter(({ match, status }) => status === "else" && match).map(({ name }) => ({ key: `else-${name}`, text: said.other(nameTable(view, name)), table: name })),
    ...view.tables.filter(({ paper: isPaper, status }) => status === "away" && !isPaper).map(({ name }) => ({ key: `away-${name}`, text: said.away(nameTable(view, name)), table: name })),
    ...view.tables.filter((table) => table.status === "called" && needsBoard(table)).map(({ name }) => ({ key: `board-${name}`, text: said.board(nameTable(view, name)), table: name })),
    ...view.matches.filter(({ status, table }) => CALLED.includes(status) && table !== null && paper.has(table))
      .map((match) => ({ key: `paper-${match.id}`, text: said.paper(namePair(view, match), nameTable(view, match.table)), match: match.id })),
    ...view.entrants.filter(({ confirmed, left }) => !confirmed && !left).map(({ id, name }) => ({ key: `confirm-${id}`, text: said.confirm(name), entrant: id })),
    ...listLate(view).map(({ id, name }) => ({ key: `late-${id}`, text: said.late(name), entrant: id })),
    ...(view.tables.length ? [] : [{ key: "tables", text: said.noTable, table: "" }]),
    ...(view.phase === "sign_up" ? [{ key: "code", text: said.code, code: /** @type {true} */ (true) }] : []),
    ...(countLacking(view) > 0 ? [{ key: "few", text: said.few(countLacking(view)), code: /** @type {true} */ (true) }] : []),
    ...(needsDraw(view) ? [{ key: "draw", text: view.phase === "sign_up" ? said.draw(listEntrants(view).filter((each) => each.confirmed && !each.left).length) : said.drawNext, draw: /** @type {true} */ (true) }] : []),
  ];
}

/** Returns what an input does, for a button that takes it back. @param {Oche.TournamentView} view @param {Oche.TournamentInput} input */
export function describeInput(view, input) {
  /** @type {Record<string, string | ((...values: any[]) => string)>} */
  const said = texts.inputs;
  const pair = (/** @type {string} */ id) => {
    const match = findMatch(view, id);
    return match ? namePair(view, match) : id;
  };
  const text = said[input.do === "call" ? "call_to" : input.do ?? ""] ?? "";
  if (typeof text === "string") return text;
  switch (input.do) {
    case "enter": return text(input.name || input.people.join(" & "));
    case "change": case "leave": case "seat_late": return text(nameEntrant(view, input.entrant));
    case "pair": return text(input.sides.map((id) => nameEntrant(view, id)).join(" – "));
    case "call": return input.table === null ? texts.inputs.callBack(pair(input.match)) : text(pair(input.match), nameTable(view, input.table));
    case "result": return text(pair(input.match), (input.sets?.some(Boolean) ? input.sets : input.legs ?? []).join(":"));
    case "set_writer": case "take_back": case "settle": return text(pair(input.match));
    default: return "";
  }
}
