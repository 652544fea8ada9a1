/* The halve-it family: the sheet of rounds, known from paper, and what the visit did to it. */

import { chooseColumns, describeOthers, renderTable, sheet } from "./tables.js";
import { words } from "../words/words.js";

/** @param {{ halved: boolean, shanghai: boolean, points: number }} last */
const describeVisit = (last) => (last.halved ? words.halved : (last.shanghai ? words.shanghai : words.gained)(last.points));

/** Returns the state with what this visit has made so far in its row, and with a name for 21, which is no number of the
    board. @param {Oche.State} state @returns {Oche.State} */
function addVisit(state) {
  const { board, phase, sides, turn } = state;
  const rows = (board.rows ?? []).map((/** @type {string} */ row) => (row === "21" ? "bed_or_21" : row));
  const isOpen = phase === "throwing" && turn.points > 0;
  const cells = isOpen ? sides[turn.side].detail.cells.with(board.row, turn.points) : [];
  return {
    ...state, board: { ...board, rows },
    sides: sides.map((side, index) => (isOpen && index === turn.side ? { ...side, detail: { ...side.detail, cells } } : side)),
  };
}

/** @type {Oche.Face} */
export const halveIt = {
  ...sheet,
  panel(element, state) {
    const { board, sides } = addVisit(state);
    const shown = { ...state, board, sides };
    renderTable(element, shown, board.rows, board.row, ({ detail }) => detail.cells,
      (value) => (value === 0 ? ["½", words.halved] : [String(value ?? "")]), chooseColumns(shown));
  },
  facts({ sides }, index) {
    const { detail } = sides[index];
    const { last } = detail;
    const others = describeOthers(detail, "last", "cells");
    return last && !last.halved ? [[words.symbol("last"), describeVisit(last)], ...others] : others; // else the halves say it
  },
  /** Face values are not what counts here, but in the round in which they have to make a number. */
  sum({ board, phase, sides, turn }) {
    const { last } = sides[turn.side].detail;
    if (phase === "takeout" && last) return describeVisit(last);
    if (phase !== "throwing") return "";
    return board.together ? words.sum(turn.darts.reduce((sum, dart) => sum + dart.points, 0)) : words.gained(turn.points);
  },
};
