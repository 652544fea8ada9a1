/* What is said of a match in a few words, for all views that show one. */

import { store } from "../store.js";
import { TOTAL } from "./tap.js";
import { describeOthers } from "../faces/tables.js";
import { hasLostLife } from "../words/tasks.js";
import { words } from "../words/words.js";

const IN_REACH = 2; // darts that the next visit needs: a way to leave more is no advice
const MOST_POINTS = 60; // of a dart
export const UNREAD = "?"; // a dart that the board could not read

/** Set, leg and round, as far as several are played, and the exercise of a routine. @param {Oche.State} state */
export function describeProgress({ board, format, leg, round, routine, set }) {
  const parts = [format.sets > 1 && words.set(set), format.legs > 1 && words.leg(leg), words.round(round, board.rounds),
    routine && words.exercise(routine.exercise, routine.of, routine.next && words.title(routine.next))];
  return parts.filter(Boolean).join(" · ");
}

/** What the score of a side counts, where the game says it. @param {Oche.State} state @param {Oche.Side} side */
export const sayUnit = ({ board }, { score }) => (board.unit ? words.unit(board.unit, score) : "");

/** @param {Oche.Dart} dart @param {boolean} isSplit */
export const nameDart = ({ points, segment, unread }, isSplit) =>
  (unread ? UNREAD : segment === TOTAL ? String(points) : words.segment(segment, isSplit));

/** Returns the value of the bed, as often as it counts; nothing where the game does not add up these values.
    @param {Oche.Dart} dart @param {Oche.State} state */
function noteValue(dart, { board, turn }) {
  const values = turn.darts.map(({ counts, points }, at) => (counts === false ? 0 : points * (board.x?.[at] ?? 1)));
  return values.reduce((sum, value) => sum + value, 0) === turn.points ? values[turn.darts.indexOf(dart)] : "";
}

/** Returns the darts to throw: the way out, else one that leaves a finish. A game may not say what that needs.
    @param {Oche.State} state */
export const readWay = ({ hint, leave }) =>
  (hint.length || !leave || (leave.needs ?? leave.left / MOST_POINTS) > IN_REACH ? hint : leave.darts);

/** Returns what a dart is worth: what the game says of it, else what its face makes of it.
    @param {Oche.Dart} dart @param {number} index @param {Oche.State} state */
export function describeWorth(dart, index, state) {
  const { board, face } = store;
  const { notes } = state.board;
  if (dart.unread) return "";
  if (!state.turn.bust && notes?.[index]) return words.symbol(`${notes[index]}`);
  if (state.turn.bust || dart.counts === false || notes?.[index] === 0) return "–";
  return face.note && board ? face.note(dart, state, board) : noteValue(dart, state);
}

/** Whether this side leads. The figures of a duel say so themselves, and two level ones would be doubted.
    @param {Oche.State} state @param {number} index */
export const isAhead = ({ leader, sides: [one, other, ...more] }, index) =>
  leader === index && (more.length > 0 || (!store.face.isDuel && one.score !== other?.score));

/** Whether this side throws next: of two nobody need be told. @param {Oche.State} state @param {number} index */
export const isNext = ({ next, sides, turn }, index) => sides.length > 2 && next?.side === index && turn.side !== index;

/** Returns legs and sets where they are played, then what this game tells about a side, as short texts.
    @param {Oche.State} state @param {number} index @returns {Oche.Short[]} */
export function describeSide(state, index) {
  const { format, ranks = [], sides } = state;
  const { detail, legs, out, sets } = sides[index];
  return [
    ...(out ? [words.out] : []), ...(ranks.includes(index) ? [words.place(ranks.indexOf(index) + 1)] : []),
    ...(format.sets > 1 ? [words.sets(sets)] : []), ...(format.legs > 1 ? [words.legs(legs)] : []),
    ...(store.face.facts?.(state, index) ?? describeOthers(detail)),
  ];
}

/** Returns what the visit comes to, and whether that is a loss. @param {Oche.State} state */
export function describeVisit(state) {
  const { board: { total }, turn } = state;
  const { face } = store;
  const lost = hasLostLife(state) ? words.lifeGone : "";
  const sum = total != null ? (turn.darts.length ? words.sum(total) : "")
    : face.sum ? face.sum(state) : face.noPoints || !turn.darts.length ? "" : words.sum(turn.points);
  return { text: turn.bust ? words.bust : lost || sum, isLoss: turn.bust || Boolean(lost) };
}

/** Returns how a match has ended: of which kind that is, and who it is about. @param {Oche.State} state */
export function describeEnd({ board, sides, winners }) {
  const names = winners.map((side) => sides[side]?.name ?? String(side));
  const isAlone = sides.length === 1; // who has nobody to win against has a result
  const kind = board.order ? words.order : isAlone ? words.labels.result
    : names.length > 1 ? words.winners : names.length ? words.winner : words.over;
  return { kind, who: isAlone ? sides[0].name : names.length ? words.list(names) : words.drawn };
}
