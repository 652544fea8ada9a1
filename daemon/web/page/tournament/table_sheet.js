/* What can be done with a table of the tournament, and adding others: of this oche, of another one, or paper
   where results are typed. */

import { make } from "../dom.js";
import { pause } from "../link.js";
import { makeButton, makeGrave, openSheet } from "./fields.js";
import { openMatch } from "./match_sheet.js";
import { sayTable } from "./needs.js";
import { findMatch, namePair, nameTable, texts } from "./texts.js";
import { words } from "../words/words.js";

/** @typedef {import("./source.js").Source} Source */

const MOST_NAME = 40;
const LOOK_MS = 500;
const MOST_LOOK_MS = 5_000;

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
    make("p", { className: "aside" }, sayTable(table)),
    ...(match ? [makeButton(namePair(view, match), () => { close(); openMatch(source, match.id); }, "match-here", "go")] : []),
    makeButton(table.paused ? texts.resume : texts.pause, () => act(() => change({ paused: !table.paused })), "pause"),
    makeButton(texts.playFirst, () => act(() => {
      const tables = readTables(source);
      return setTables(source, [...tables.filter((each) => each.name === name), ...tables.filter((each) => each.name !== name)]);
    }), "play-first"),
    makeGrave(texts.removeTable, () => act(() => setTables(source, readTables(source).filter((each) => each.name !== name))), "remove-table"),
  ]);
}

/** Adds a table: of this oche, of another one on the same broker, or paper. Those of others are found by and by.
    @param {Source} source */
export function openNewTable(source) {
  const there = readTables(source);
  const own = make("div", { className: "grid" }), others = make("div", { className: "grid" });
  const none = make("p", { className: "aside", test: "no-others" }, texts.otherNone);
  const dialog = openSheet(texts.addTable, (act) => {
    const field = make("input", { maxLength: MOST_NAME, placeholder: texts.paperName, ariaLabel: texts.paperName, test: "paper-name", value: texts.paperNumber(there.filter(({ paper }) => paper).length + 1) });
    const add = (/** @type {string} */ name, /** @type {boolean} */ paper) => act(() => {
      if (!name) throw new Error(texts.paperName);
      return setTables(source, [...readTables(source), { name, paper, paused: false }]);
    });
    const offer = (/** @type {HTMLElement} */ list, /** @type {Oche.FoundTable[]} */ found) => list.append(...found
      .filter(({ name }) => !list.querySelector(`[data-testid="${CSS.escape(`add-${name}`)}"]`))
      .map(({ name, title, bridge, paper }) => {
        const button = makeButton(title || name, () => add(name, Boolean(paper)), `add-${name}`, "go");
        if (bridge) button.append(make("small", {}, paper ? texts.olderTable(bridge) : texts.tableOf(bridge)));
        return button;
      }));
    const look = async () => {
      for (let wait = LOOK_MS; dialog.isConnected; wait = Math.min(2 * wait, MOST_LOOK_MS)) {
        /** @type {{ tables: Oche.FoundTable[] }} */
        const { tables } = await source.ask("tables").catch(() => ({ tables: [] }));
        offer(own, tables.filter(({ bridge }) => !bridge));
        offer(others, tables.filter(({ bridge }) => bridge));
        none.hidden = others.childElementCount > 0;
        await pause(wait);
      }
    };
    setTimeout(look);
    return [
      own,
      make("h3", {}, texts.paper), make("p", { className: "aside" }, texts.paperHow),
      make("div", { className: "typed" }, field, makeButton(words.lobby.add, () => add(field.value.trim(), true), "add-paper")),
      make("h3", {}, texts.otherTable), others, none,
    ];
  });
}
