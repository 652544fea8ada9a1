/* What is played at all tables, each with the face of its game. All of it comes in one stream, for a browser keeps few
   connections to one server. */

import { loadFace } from "../faces/faces.js";
import { follow, read, tablePath } from "../link.js";

/** The faces of the tables, and the matches that they are of. @type {Map<string, { match: string | null, face: Oche.Face }>} */
const faces = new Map();
/** The newest states. @type {Map<string, Oche.State>} */
const states = new Map();

/** Calls `draw` for each table whose state is known. @param {(table: string, state: Oche.State, face: Oche.Face) => void} draw */
export function drawStates(draw) {
  for (const [table, state] of states) draw(table, state, faces.get(table)?.face ?? {});
}

/** Follows the stream until there is none any more. `draw` is called with each new state, once its face is there; `hear`
    with all else. @param {(table: string, state: Oche.State, face: Oche.Face) => void} draw
    @param {(type: string, data: any) => void} hear @param {(isUp: boolean) => void} noteLink */
export const followStates = (draw, hear, noteLink) => follow("tables", (type, data) => {
  if (type === "table") return takeState(data.table, data.state, draw);
  return hear(type, data);
}, noteLink);

/** @param {string} table @param {Oche.State} state @param {(table: string, state: Oche.State, face: Oche.Face) => void} draw */
async function takeState(table, state, draw) {
  states.set(table, state);
  if (faces.get(table)?.match !== state.match) {
    /** @type {Oche.Layout | null} */
    const layout = await read(`${tablePath(table)}/layout`);
    faces.set(table, { match: state.match, face: await loadFace(layout?.face ?? null) });
    if (states.get(table)?.match !== state.match) return; // meanwhile another match began
  }
  draw(table, states.get(table) ?? state, faces.get(table)?.face ?? {});
}
