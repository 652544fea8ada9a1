/* What the games' own faces add, by the name that comes with the layout. Without a part the page shows short words;
   a name that is not here is a plain one. A text may be a pair: a label and its value. Their types: Oche.Face.

   shape: where the panel stands: beside the score (nothing said), "wide" there, in a "table" below, or all of it "low"
   panel(element, state, board)  beside the score           sheet(element, state)   a large place of its own
   hand(element, state)          on a seat's phone          map(state, board)       drawn over the board
   facts(state, index)           short texts about a side   danger(state, index)    0 to 1: how near to out
   sum(state)                    what the visit comes to    note(dart, state, board)  the small line of a dart
   noPoints: a visit is worth none  callsNoScore: the caller says it  isDuel: two sides share a wall
   aims(state)                   what is aimed at           option(text, state)     how an option looks
   takes(prompt)                 is it answered elsewhere?  touched(state, id)      what a finger answers */

import { dards } from "./dards.js";
import { groundRound } from "./ground_round.js";
import { halveIt } from "./halve_it.js";
import { grid, lives, marks, plain, sheet, track, x01 } from "./tables.js";
import { threeDice } from "./three_dice.js";
import { yatzy } from "./yatzy.js";

/** @type {Map<string | null, Oche.Face>} */
const FACES = new Map(Object.entries({
  plain, x01, sheet, marks, track, lives, grid,
  dards, halve_it: halveIt, three_dice: threeDice, yatzy, ground_round: groundRound,
}));

/** Returns the face of this name, else the plain one. @param {string | null} name */
export const faceOf = (name) => FACES.get(name) ?? plain;
