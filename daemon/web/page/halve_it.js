/* The halve-it family: the sheet of rounds, known from paper, and what the visit did to it. */

import { describeOthers, sheet } from "./tables.js";
import { words } from "./words.js";

/** @param {{ halved: boolean, shanghai: boolean, points: number }} last */
const describeVisit = (last) => (last.halved ? words.halved : (last.shanghai ? words.shanghai : words.gained)(last.points));

/** @type {Oche.Face} */
export const halveIt = {
  ...sheet,
  facts({ sides }, index) {
    const { detail } = sides[index];
    return [...(detail.last ? [describeVisit(detail.last)] : []), ...describeOthers(detail, "last", "cells")];
  },
  /** Face values are not what counts here, but in the round in which they have to make a number. */
  sum({ board, phase, sides, turn }) {
    const { last } = sides[turn.side].detail;
    if (phase === "takeout" && last) return describeVisit(last);
    return board.together && turn.darts.length ? words.sum(turn.darts.reduce((sum, dart) => sum + dart.points, 0)) : "";
  },
};
