/* The halve-it family: the sheet of rounds, known from paper. A game can name its rounds in `board.rounds`; else they
   are those of Burma Road where these fit the target, or only numbers. */

import { keep, make, say } from "./dom.js";
import { words } from "./words.js";

const ROUNDS = ["20", "19", "triple", "18", "17", "double", "16", "15", "bed_or_21", "14", "13", "bull"];

const came = (last) => (last.halved ? words.halved : (last.shanghai ? words.shanghai : words.gained)(last.points));

export const halveIt = {
  panel(element, { board, round, targets }) {
    const rounds = board?.rounds ?? ROUNDS;
    const now = (round - 1) % rounds.length;
    const fits = (targets[0] ?? "bed_or_21") === rounds[now];
    const list = keep(element, 1, () => make("ol", { className: "rounds" }))[0];
    keep(list, rounds.length, (index) => make("li", { test: `round-${index + 1}` })).forEach((item, index) => {
      say(item, fits ? words.short(rounds[index]) : index + 1);
      item.className = index < now ? "done" : index === now ? "now" : "";
      item.ariaCurrent = index === now ? "step" : null;
    });
  },
  facts: ({ sides }, index) => (sides[index].detail?.last ? [came(sides[index].detail.last)] : []),
  /** Face values are not what counts here, but in the round in which they have to make 21. */
  sum({ phase, sides, targets, turn }) {
    const last = sides[turn.side].detail?.last;
    if (phase === "takeout" && last) return came(last);
    if (targets.length || !turn.darts.length) return "";
    return words.sum(turn.darts.reduce((sum, dart) => sum + dart.points, 0));
  },
  note: (dart, { targets }, board) => (!targets.length || board.counts(dart.segment, targets) ? dart.points : "–"),
};
