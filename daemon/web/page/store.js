/* What the page was told, in one place: by the daemon, by its address, by this device. Views read it and keep nothing of
   it; `put` changes it and has them drawn. Of a match there is the newest state and nothing else, so a reload, a second
   phone or a restarted daemon always show the same. */

/** @type {Oche.Store} */
export const store = {
  place: "", // what commands go to, and news come from: a table, or a seat at one
  table: "",
  seat: null, // whose screen this is; null is a screen for all players
  isTapped: false, // a tap on the board is a dart
  isAway: false, // the board has been away for so long that one may go on by hand
  isByHand: false, // which is done on this device
  role: "play", // or "setup", which may change settings too; or "look": the daemon refuses what this device would do
  link: "connecting",
  boardStatus: null,
  broker: "", // what is wrong with it
  state: null,
  plan: null, // the match that the next start begins
  board: null, // as it is drawn
  face: {}, // of the game
  moves: new Map(), // where a move that is half answered starts, by prompt
  waiting: new Set(), // taps that are no darts yet
  places: new Map(), // where taps landed, by line
  isSending: false,
  choices: {}, // what this device was told about itself: see preferences.js
};

/** @type {Set<() => void>} */
const views = new Set();

/** Changes what the page knows, and has all views drawn. @param {Partial<Oche.Store>} [changes] */
export function put(changes) {
  Object.assign(store, changes);
  for (const draw of views) draw();
}

/** Calls `draw` at each change from now on; returns what ends that. @param {() => void} draw */
export function watch(draw) {
  views.add(draw);
  return () => { views.delete(draw); };
}
