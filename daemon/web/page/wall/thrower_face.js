/* Who throws, as a large picture in the corner beside the board of a wall. It is loaded when one of a match has such a picture.
   The board is then drawn in the opposite corner of its place: it keeps its size, and so does all else. */

import { makeFace } from "../avatar.js";
import { $, make, setSideColour, setStyle } from "../dom.js";
import { store, watch } from "../store.js";

const [FEWEST_PX, MOST_PX] = [200, 560];
const LEAST_FREE = 0.8; // of the width; the rest is behind the board

/** @typedef {{ name: string, side: number, player: Oche.KnownPlayer | undefined }} Named */

/** By the names of the players. @type {Map<string, HTMLElement>} */
let faces = new Map();
let widest = 0; // that has room beside the board
/** Whose face stands there; null: that of nobody, undefined: it is to be drawn. @type {string | null | undefined} */
let shown;
const place = make("div", { id: "thrower", hidden: true, ariaHidden: "true", test: "thrower" }); // the name stands elsewhere

/** Has the faces of these players shown while they throw; of an empty list none. @param {Named[]} players */
export function setFaces(players) {
  faces = new Map(players.map(({ name, side, player }) => {
    const face = makeFace(player ?? { name, colour: side });
    setSideColour(face, side);
    return [name, face];
  }));
  place.replaceChildren(...faces.values());
  shown = undefined;
  show();
}

function show() {
  const { board, state } = store;
  const isWanted = faces.size > 0 && Boolean(board?.layout.dartboard) && widest >= FEWEST_PX * LEAST_FREE;
  const thrower = isWanted && state && state.phase !== "over" ? state.turn.player : null;
  if (thrower === shown) return; // as at most darts: they touch nothing here
  shown = thrower;
  place.hidden = thrower === null;
  for (const [name, face] of faces) face.hidden = name !== thrower;
  $("board").setAttribute("preserveAspectRatio", isWanted ? "xMaxYMax" : "xMidYMid");
}

/** Works out how wide a circle in one corner can be beside the board in the other. */
new ResizeObserver(([{ contentRect: { width, height } }]) => {
  const [long, short] = width > height ? [width, height] : [height, width];
  widest = Math.min(0.676 * long - 0.506 * short, short); // within a percent, from a square to one that is half as long again
  setStyle(place, "--size", `${Math.round(Math.min(Math.max(widest, FEWEST_PX), MOST_PX))}px`);
  shown = undefined;
  show();
}).observe($("board"));
$("face").prepend(place); // the board, which comes later, lies over its edge
watch(show);
