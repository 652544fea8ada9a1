/* Three Dice: the roll as dice, and how far each side is from being out. */

import { make, rebuild } from "../dom.js";
import { makeDie } from "../glyphs.js";
import { readMultiplier } from "./tables.js";
import { words } from "../words/words.js";

/** @type {Oche.Face} */
export const threeDice = {
  shape: "wide",
  panel(element, { board: { multipliers = [], penalty, roll, stands_for: targets = [] }, turn }, board) {
    const isHit = targets.map((/** @type {string} */ target) =>
      turn.darts.some((dart) => board.counts(dart.segment, [target])));
    const hits = isHit.filter(Boolean).length;
    rebuild(element, [roll, isHit, turn.darts.length], () => (roll
      ? [...roll.map((/** @type {number} */ number, /** @type {number} */ place) =>
        make("div", { className: isHit[place] ? "rolled hit" : "rolled", test: `die-${place}` },
          makeDie(number), make("span", {}, targets[place] === String(number) ? "" : words.option(targets[place])))),
      make("ul", { className: "ladder" }, ...multipliers.map((/** @type {number} */ factor, /** @type {number} */ count) =>
        make("li", { className: turn.darts.length && count === hits ? "now" : "", test: `factor-${count}` },
          make("span", {}, words.numbersHit(count)), make("b", {}, count ? `×${factor}` : words.penalty(penalty)))))]
      : [make("p", { className: "aside" }, words.unrolled)]));
  },
  facts({ board: { behind = [], out_behind: out }, sides }, index) {
    const { out: isOut, players, detail } = sides[index];
    const gap = behind[index];
    const leads = Math.max(0, ...behind) > 0; // while all are level, no side does
    const place = gap > 0 || !leads ? words.behind(gap, out) : words.leads;
    const last = players.length ? detail.last && [words.lastVisit, words.marks(detail.last)] : words.playsAlone;
    return [!isOut && place, last].filter(Boolean);
  },
  aims: () => [], // the dice say it
  danger: ({ board, sides }, index) => (sides[index].out ? null : board.behind[index] / board.out_behind || null),
  sum({ phase, sides, turn }) {
    const { last } = sides[turn.side].detail;
    if (phase === "throwing" && turn.darts.length) return words.gained(turn.points);
    if (phase !== "takeout" || !last) return "";
    return last.penalty ? words.penalty(last.penalty) : words.gained(last.points);
  },
  note(dart, { targets }, board) {
    if (!board.counts(dart.segment, targets)) return "–";
    const groups = board.groups(dart.segment);
    return groups.includes("bull") ? "" : readMultiplier(groups) ?? "×1";
  },
};
