/* The halve-it family: the sheet of rounds, known from paper, and what the visit did to it. */

import { others, sheet } from "./tables.js";
import { words } from "./words.js";

const came = (last) => (last.halved ? words.halved : (last.shanghai ? words.shanghai : words.gained)(last.points));

export const halveIt = {
  ...sheet,
  facts({ sides }, index) {
    const { detail } = sides[index];
    return [...(detail?.last ? [came(detail.last)] : []), ...others(detail, "last", "cells")];
  },
  /** Face values are not what counts here, but in the round in which they have to make a number. */
  sum({ phase, sides, targets, turn }) {
    const last = sides[turn.side].detail?.last;
    if (phase === "takeout" && last) return came(last);
    if (targets.length || !turn.darts.length) return "";
    return words.sum(turn.darts.reduce((sum, dart) => sum + dart.points, 0));
  },
};
