/* What is drawn behind a scene, as data: each drawing is a picture of its own, so that the style sheet moves it as a whole and nothing of
   it is drawn anew. A box of 100 by 100, y down; where it stands and how it comes, stage.css says by its name. */

import { makeSvg, setStyle } from "../dom.js";

const RAYS = [...Array(20).keys()].map((ray) => {
  const point = (/** @type {number} */ turn) => `${(50 + 80 * Math.sin(turn)).toFixed(1)} ${(50 - 80 * Math.cos(turn)).toFixed(1)}`;
  const turn = (ray * Math.PI) / 10;
  return `M50 50L${point(turn)} ${point(turn + 0.157)}Z`;
}).join("");
const WAVE = "M0 40Q12.5 22 25 40T50 40 75 40 100 40V100H0Z";
const FISH = "M4 52C16 30 44 22 66 44L92 26Q84 50 92 76L66 60C44 82 16 76 4 52ZM22 46a4 4 0 1 0 .1 0Z";
const DART = "M8 92L34 60 40 66ZM32 56L58 30 70 42 44 68ZM70 26L76 8 90 2 86 16 98 12 92 26 74 32Z";
const LANTERN = "M47 0h6v12h-6ZM30 12h40v7H30ZM34 19h32Q92 46 66 74H34Q8 46 34 19ZM30 74h40v7H30ZM44 81h3v17h-3ZM53 81h3v17h-3Z";
const HORSE = "M34 98C36 78 52 70 50 54 42 60 34 60 27 66 20 72 12 70 8 62 6 56 14 52 18 44 22 34 26 26 36 20L34 6 46 14 54 4 58 18C80 28 92 56 88 98ZM34 34a3 3 0 1 0 .1 0Z";
const BED = "M2 18h8v40h80v-8h8v40h-8V78H10v12H2ZM14 40q0-10 12-10h10q8 0 8 10v14H14ZM48 40h34q8 0 8 10v4H48Z";
const BALLOON = "M50 2C74 2 86 22 82 42 78 60 62 72 53 74L57 80H51Q46 90 50 100H48Q42 90 49 80H43L47 74C38 72 22 60 18 42 14 22 26 2 50 2Z";
const STEPS = [46, 34, 22, 12, 30, 58, 94];
const CROWN = "M4 30L27 54 50 12 73 54 96 30 88 88H12Z";
const STAR = "M50 2L62 34 96 35 69 56 79 90 50 70 21 90 31 56 4 35 38 34Z";
const RIBBON = "M24 0h18l16 40-16 8ZM76 0H58L46 30l10 18Z";
const MEDAL = "M50 34a33 33 0 1 0 .1 0ZM50 46L56 60 71 61 59 70 63 85 50 77 37 85 41 70 29 61 44 60Z";
const RING = "M50 4A46 46 0 1 1 49.9 4ZM50 16A34 34 0 1 0 50.1 16Z";
const STRIPES = [0, 1, 2, 3, 4, 5].map((place) => `M${place * 22 - 20} 100L${place * 22 + 14} 0H${place * 22 + 24}L${place * 22 - 10} 100Z`).join("");

/** @typedef {{ name: string, d: string, count?: number, stretches?: boolean }} Drawing */

/** @type {Record<string, Drawing[]>} */
const DRAWINGS = {
  180: [{ name: "rays", d: RAYS }],
  big_fish: [{ name: "bubble", d: RING, count: 4 }, { name: "fish", d: FISH }, { name: "wave", d: WAVE, stretches: true }, { name: "wave near", d: WAVE, stretches: true }],
  nine_darter: [{ name: "rays", d: RAYS }, { name: "nth", d: DART, count: 9 }],
  shanghai: [{ name: "lantern", d: LANTERN, count: 3 }],
  white_horse: [{ name: "horse", d: HORSE }],
  three_in_a_bed: [{ name: "bed", d: BED }],
  first_leg: [{ name: "balloon", d: BALLOON, count: 5 }],
  match_dart_missed: [{ name: "wire", d: RING }],
  comeback: STEPS.map((height) => ({ name: "step", d: `M0 ${100 - height}H100V100H0Z`, stretches: true })),
  leg_won: [{ name: "stripes", d: STRIPES, stretches: true }],
  match_won: [{ name: "crown", d: CROWN }],
  award: [{ name: "star", d: STAR, count: 3 }],
  badge: [{ name: "medal", d: MEDAL }, { name: "ribbon", d: RIBBON }],
};

/** Returns the drawings of a scene. @param {string} scene */
export function drawScene(scene) {
  const drawings = document.createDocumentFragment();
  const all = (DRAWINGS[scene] ?? []).flatMap((each) => Array(each.count ?? 1).fill(each));
  all.forEach(({ d, name, stretches }, place) => {
    const svg = makeSvg("svg", { class: `drawing ${name}`, viewBox: "0 0 100 100", ...(stretches && { preserveAspectRatio: "none" }) }, makeSvg("path", { d, "fill-rule": "evenodd" }));
    setStyle(svg, "--place", place);
    drawings.append(svg);
  });
  return drawings;
}
