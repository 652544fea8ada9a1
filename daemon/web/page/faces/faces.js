/* What the games' own faces add, by the name that comes with the layout. Without a part the page shows short words;
   a name that is not here is a plain one. A text may be a pair: a label and its value. Their types: Oche.Face.

   shape: where the panel stands: beside the score (nothing said), "wide" there, in a "table" below, all of it "low", or as
          the "whole" in the place of the score
   hero(state)                   what stands large in the place of a score that says nothing; null: the score
   caption(state)                what that is; without it, or null: what the score counts
   panel(element, state, board)  beside the score           sheet(element, state)   a large place of its own
   hand(element, state)          on a seat's phone          map(state, board)       drawn over the board
   points(state, index)          as the hero, for a side in the list of all; a number is as large as a score
   unit(state, index)            what that number counts
   facts(state, index)           short texts about a side   danger(state, index)    0 to 1: how near to out
   sum(state), sumLast(state)    what a visit comes to      note(dart, state, board)  the small line of a dart
   noPoints: a visit is worth none  callsNoScore: the caller says it  isDuel: two sides share a wall, visits are chalked
   aims(state)                   what is aimed at           option(text, state)     how an option looks
   worth(value)                  what an option says of its value
   takes(prompt)                 is it answered elsewhere?  touched(state, id)      what a finger answers */

import { grid, lives, marks, plain, sheet, track, x01 } from "./tables.js";

/** @type {Map<string | null, Oche.Face>} */
const SHARED = new Map(Object.entries({ plain, x01, sheet, marks, track, lives, grid }));
/** Those of one game, which is loaded when it is played. @type {Map<string | null, () => Promise<Oche.Face>>} */
const OWN = new Map(Object.entries({
  dards: () => import("./dards.js").then(({ dards }) => dards),
  halve_it: () => import("./halve_it.js").then(({ halveIt }) => halveIt),
  three_dice: () => import("./three_dice.js").then(({ threeDice }) => threeDice),
  yatzy: () => import("./yatzy.js").then(({ yatzy }) => yatzy),
  ground_round: () => import("./ground_round.js").then(({ groundRound }) => groundRound),
}));

/** Returns the face of this name, else the plain one; one that does not come is there when the page is loaded anew.
    @param {string | null} name @returns {Promise<Oche.Face>} */
export async function loadFace(name) {
  const load = OWN.get(name);
  if (!load) return SHARED.get(name) ?? plain;
  return load().catch(() => { globalThis.renew?.(); return plain; });
}
