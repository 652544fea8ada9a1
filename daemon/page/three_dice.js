/* Three Dice: the roll as dice, and how far everybody is from being out. */

import { make, rebuild } from "./dom.js";
import { die } from "./glyphs.js";
import { words } from "./words.js";

const OUT = 25; // who is so far behind the leader is out
const RINGS = { triple: "×3", double: "×2" };

/** What each die stands for: its number, or when it is like one before it the bull and then any number. */
const meanings = (roll) => roll.map((number, place) =>
  [String(number), "bull", "any"][roll.slice(0, place).filter((each) => each === number).length]);

const behind = ({ sides }, index) =>
  Math.max(...sides.filter((side) => !side.out).map((side) => side.score)) - sides[index].score;

export const threeDice = {
  shape: "wide",
  panel(element, { board: { roll }, turn }, board) {
    const targets = roll ? meanings(roll) : [];
    const hit = targets.map((target) => turn.darts.some((dart) => board.counts(dart.segment, [target])));
    rebuild(element, [roll, hit], () => (roll
      ? roll.map((number, place) =>
        make("div", { className: hit[place] ? "rolled hit" : "rolled", test: `die-${place}` },
          die(number), make("span", {}, words.option(targets[place]))))
      : [make("p", { className: "aside" }, words.unrolled)]));
  },
  facts(state, index) {
    const { out, players, detail } = state.sides[index];
    const gap = behind(state, index);
    const apart = state.sides.some((_, each) => behind(state, each) > 0);
    const place = gap > 0 ? words.behind(gap, gap >= OUT) : apart && words.leads;
    const last = players.length ? detail?.last && words.marks(detail.last) : words.nobody;
    return [!out && place, last].filter(Boolean);
  },
  danger: (state, index) => (state.sides[index].out ? null : behind(state, index) / OUT),
  sum({ phase, sides, turn, board }) {
    const last = sides[turn.side].detail?.last;
    if (phase !== "takeout" || !last) return "";
    const wild = new Set(board.roll).size === 1; // any number could be claimed: nothing hit may cost nothing
    return last.marks || wild ? words.gained(last.points) : words.penalty;
  },
  note(dart, { targets }, board) {
    if (!board.counts(dart.segment, targets)) return "–";
    const { groups } = board.byId.get(dart.segment);
    return groups.includes("bull") ? "" : RINGS[groups.find((group) => group in RINGS)] ?? "×1";
  },
};
