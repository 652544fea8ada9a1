/* What tells turns, and the next darts in them, from others. */

/** Returns by what a turn is told from others. @param {Oche.State | null} state */
export const nameTurn = (state) => state && [state.match, state.set, state.leg, state.round, state.turn?.side].join(" ");

/** Returns by what the next dart is told from others; "" where none is awaited. @param {Oche.State} state */
export const nameNextDart = ({ match, phase, turn }) => (phase === "throwing" ? [match, turn.visit, turn.darts.length].join(" ") : "");
