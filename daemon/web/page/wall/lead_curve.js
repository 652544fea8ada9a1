/* How a match of two sides went, as a curve: above the middle the first side was ahead, below it the second. A leg that was
   won lifts all that comes after it, so that the curve stays on the side of whoever is ahead in the match. */

import { make, makeSvg, setSideColour } from "../dom.js";
import { words } from "../words/words.js";
import { result as text } from "./result_words.js";

const [WIDE, HIGH, EDGE] = [1000, 200, 8];

/** Returns how the match stood after each visit, as one number: the legs won, and then the points of the leg.
    @param {Oche.MatchReport} report */
function measure({ curve, legs }) {
  const most = Math.max(1, ...curve.map(({ lead }) => Math.abs(lead)));
  /** By leg, how many more legs the first side had before it. @type {Map<string, number>} */
  const before = new Map();
  let ahead = 0;
  for (const { leg, set, winners } of legs) {
    before.set(`${set} ${leg}`, ahead);
    if (winners.length === 1) ahead += winners[0] ? -1 : 1;
  }
  return curve.map(({ lead, leg, set }) => (before.get(`${set} ${leg}`) ?? 0) * most + lead);
}

/** Returns these values with their places, and the places where they pass 0 between two of them.
    @param {number[]} values @returns {[number, number][]} */
const cross = (values) => values.flatMap((value, place) => {
  const before = values[place - 1] ?? value;
  /** @type {[number, number][]} */
  const passed = before * value < 0 ? [[place - value / (value - before), 0]] : [];
  return [...passed, /** @type {[number, number]} */ ([place, value])];
});

/** Draws the curve; null where there is none, or nothing to be seen in it.
    @param {Oche.MatchReport} report */
export function drawCurve(report) {
  const { curve, sides, turning } = report;
  const values = [0, ...measure(report)];
  const high = Math.max(...values), low = Math.min(...values);
  if (values.length < 3 || high === low) return null;
  const x = (/** @type {number} */ place) => EDGE + (place * (WIDE - 2 * EDGE)) / (values.length - 1);
  const y = (/** @type {number} */ value) => EDGE + ((high - value) / (high - low)) * (HIGH - 2 * EDGE);
  const write = (/** @type {[number, number][]} */ points) => points.map(([place, value]) => `${x(place)} ${y(value)}`).join("L");
  const line = cross(values);
  /** @type {[number, number]} */
  const last = [values.length - 1, 0];
  const halves = [1, -1].map((sign, side) => {
    const half = makeSvg("path", { d: `M${write([...line, last].map(([place, value]) => [place, sign * value > 0 ? value : 0]))}Z`, class: "half" });
    setSideColour(half, side);
    return half;
  });
  const ends = curve.flatMap(({ leg, set }, place) => (place && (curve[place - 1].leg !== leg || curve[place - 1].set !== set) ? [place] : []));
  const leads = sides.map(({ name }, side) => {
    const points = Math.max(0, ...curve.map(({ lead }) => (side ? -lead : lead)));
    return points ? text.leads(name, points) : "";
  });
  const turned = turning === null ? "" : sayTurning(report, turning);
  const svg = makeSvg("svg", {
    role: "img", viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: "none",
    "aria-label": `${text.curve}${words.colon}${[...leads, turned].filter(Boolean).join("; ")}`,
  }, ...halves,
  ...ends.map((place) => makeSvg("path", { d: `M${x(place)} 0V${HIGH}`, class: "leg" })),
  makeSvg("path", { d: `M0 ${y(0)}H${WIDE}`, class: "level" }), makeSvg("path", { d: `M${write(line)}`, class: "line" }));
  if (turning !== null) {
    const at = turning + 1;
    svg.append(makeSvg("path", { d: `M${x(at)} 0V${HIGH}`, class: "turn" }), makeSvg("path", { d: `M${x(at)} ${y(values[at])}h0`, class: "turn dot" }));
  }
  const winner = sides.findIndex(({ won }) => won);
  const caption = make("figcaption", { test: "turning" }, turned);
  setSideColour(caption, winner < 0 ? null : winner);
  return make("figure", { className: "curve", test: "curve" }, svg, ...(turned ? [caption] : []));
}

/** Says in which round the winner took the lead for good. @param {Oche.MatchReport} report @param {number} turning */
function sayTurning({ curve, format }, turning) {
  const { leg, set } = curve[turning];
  const round = Math.ceil(curve.slice(0, turning + 1).filter((each) => each.leg === leg && each.set === set).length / 2);
  const where = [...(format.sets > 1 ? [words.set(set)] : []), ...(format.legs > 1 ? [words.leg(leg)] : []), words.round(round)];
  return `${text.turning}${words.colon}${where.join(", ")}`;
}
