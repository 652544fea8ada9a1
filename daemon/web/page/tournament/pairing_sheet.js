/* Who plays whom where that is not drawn: a challenge in a ladder, or at an open evening somebody whom one has not met. */

import { make } from "../dom.js";
import { makeButton, openSheet } from "./fields.js";
import { nameEntrant, texts } from "./texts.js";

const PLAYED = ["played", "walkover", "disputed"];

/** @param {import("./source.js").Source} source @param {number} id */
export function openPairing(source, id) {
  const { view } = source;
  if (!view) return;
  const isLadder = view.spec.kind === "ladder";
  openSheet(isLadder ? texts.challenges(nameEntrant(view, id)) : texts.plays(nameEntrant(view, id)), (act) => {
    const pair = (/** @type {number} */ other) => makeButton(nameEntrant(view, other),
      () => act(() => source.do({ do: "pair", sides: [id, other] }, texts.pairing)), `against-${other}`);
    if (isLadder) {
      const { ladder = [], spec: { reach = 2 } } = view, place = ladder.indexOf(id);
      const above = ladder.slice(Math.max(0, place - reach), place).toReversed();
      return [above.length ? make("div", { className: "grid" }, ...above.map(pair)) : make("p", {}, texts.isTop)];
    }
    const met = new Set(view.matches.filter(({ sides, status }) => sides.includes(id) && PLAYED.includes(status)).flatMap(({ sides }) => sides));
    const others = view.entrants.filter((each) => each.id !== id && !each.left && each.confirmed).map((each) => each.id);
    const [fresh, again] = [others.filter((each) => !met.has(each)), others.filter((each) => met.has(each))];
    return [make("h3", {}, texts.notMet), make("div", { className: "grid" }, ...fresh.map(pair)),
      ...(again.length ? [make("details", {}, make("summary", {}, texts.metBefore), make("div", { className: "grid" }, ...again.map(pair)))] : [])];
  });
}
