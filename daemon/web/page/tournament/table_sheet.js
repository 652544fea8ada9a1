/* What can be done with a table of the tournament, and adding others: of this daemon, or paper where results are typed. */

import { make } from "../dom.js";
import { ask } from "../link.js";
import { makeButton, makeGrave, openSheet } from "./fields.js";
import { openMatch } from "./match_sheet.js";
import { findMatch, namePair, nameTable, texts } from "./texts.js";
import { words } from "../words/words.js";

/** @typedef {import("./source.js").Source} Source */

const MOST_NAME = 40;

/** @param {Source} source */
const readTables = ({ view }) => (view?.tables ?? []).map(({ name, paper, paused }) => ({ name, paper, paused }));
/** @param {Source} source @param {Oche.TournamentTableUse[]} tables */
const setTables = (source, tables) => source.do({ do: "set_tables", tables, auto: source.view?.auto ?? true }, texts.tables);

/** Has matches called by themselves, or by hand. @param {Source} source @param {boolean} auto */
export const setAuto = (source, auto) => source.do({ do: "set_tables", tables: readTables(source), auto }, texts.tables);

/** @param {Source} source @param {string} name */
export function openTable(source, name) {
  const view = source.view, table = view?.tables.find((each) => each.name === name);
  if (!view || !table) return;
  const match = table.match && findMatch(view, table.match);
  const change = (/** @type {Partial<Oche.TournamentTableUse>} */ what) =>
    setTables(source, readTables(source).map((each) => (each.name === name ? { ...each, ...what } : each)));
  openSheet(nameTable(view, name), (act, close) => [
    make("p", { className: "aside" }, table.paused ? texts.paused : texts.tableStatus[table.status]),
    ...(match ? [makeButton(namePair(view, match), () => { close(); openMatch(source, match.id); }, "match-here", "go")] : []),
    makeButton(table.paused ? texts.resume : texts.pause, () => act(() => change({ paused: !table.paused })), "pause"),
    makeButton(texts.playFirst, () => act(() => {
      const tables = readTables(source);
      return setTables(source, [...tables.filter((each) => each.name === name), ...tables.filter((each) => each.name !== name)]);
    }), "play-first"),
    makeGrave(texts.removeTable, () => act(() => setTables(source, readTables(source).filter((each) => each.name !== name))), "remove-table"),
  ]);
}

/** Adds a table. @param {Source} source */
export async function openNewTable(source) {
  /** @type {Oche.TableInfo[]} */
  const own = await ask("tables").catch(() => []);
  const there = readTables(source);
  openSheet(texts.addTable, (act) => {
    const field = make("input", { maxLength: MOST_NAME, placeholder: texts.paperName, ariaLabel: texts.paperName, test: "paper-name", value: texts.paperNumber(there.filter(({ paper }) => paper).length + 1) });
    const other = make("input", { maxLength: MOST_NAME, placeholder: texts.paperName, ariaLabel: texts.otherTable, autocapitalize: "none", spellcheck: false, test: "other-name" });
    const add = (/** @type {string} */ name, /** @type {boolean} */ paper) => act(() => {
      if (!name) throw new Error(texts.paperName);
      return setTables(source, [...readTables(source), { name, paper, paused: false }]);
    });
    const left = own.filter(({ table }) => !there.some(({ name }) => name === table));
    return [
      ...(left.length ? [make("div", { className: "grid" }, ...left.map(({ name, table }) => makeButton(name || table, () => add(table, false), `add-${table}`, "go")))] : []),
      make("h3", {}, texts.paper), make("p", { className: "aside" }, texts.paperHow),
      make("div", { className: "typed" }, field, makeButton(words.lobby.add, () => add(field.value.trim(), true), "add-paper")),
      make("h3", {}, texts.otherTable), make("p", { className: "aside" }, texts.otherHow),
      make("div", { className: "typed" }, other, makeButton(words.lobby.add, () => add(other.value.trim(), false), "add-other")),
    ];
  });
}
