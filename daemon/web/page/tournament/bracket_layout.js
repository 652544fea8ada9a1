/* Where the matches of a tournament stand: in sections and rounds, in a tree, and on the pages that a wall shows by turns.
   Pure: all of it is computed from the TournamentView alone, so that Node.js tests it. */

/** @typedef {Oche.TournamentMatchView} Match */
/** A round: its matches by number, null where a place of the tree is empty. @typedef {{ match: Match, matches: (Match | null)[] }} Round */
/** What is drawn as one: a group, a side of a knock-out, a final. @typedef {{ key: string, rounds: Round[] }} Section */
/** A match in a tree: its column, its first line and how many it has, counted from 0, and how many matches before lead to it.
    @typedef {{ match: Match, column: number, row: number, span: number, feeders: number }} Cell */

const ORDER = ["group", "round", "winners", "losers", "third", "final"];
const IN_TREE = ["winners", "losers", "final"];
/** What guests want to see first. */
const LIVE = ["ready", "called", "playing"];
const EMPTY = 0;

/** Whether a match is played, or can be at once. @param {Match | null} match */
export const isLive = (match) => match !== null && LIVE.includes(match.status);

/** Whether it is still to be played, or is played. @param {Match | null} match */
export const isOpen = (match) => match !== null && ["waiting", ...LIVE].includes(match.status);

/** Whether nobody plays it, and nobody ever will. @param {Match} match */
const isVoid = ({ sides }) => sides.every((side) => side === EMPTY);

/** Returns the sections in the order in which they are played. The parts of team matches are left out. The final of a
    single knock-out belongs to its tree. @param {Oche.TournamentView} view @returns {Section[]} */
export function listSections({ matches }) {
  const whole = matches.filter((match) => !match.of && !isVoid(match));
  const isDouble = whole.some(({ stage }) => stage === "losers");
  /** @type {Map<string, Match[]>} */
  const sections = new Map();
  const sorted = whole.toSorted((one, other) => ORDER.indexOf(one.stage) - ORDER.indexOf(other.stage)
    || (one.group ?? 0) - (other.group ?? 0) || one.round - other.round || one.number - other.number);
  for (const match of sorted) {
    const key = match.stage === "group" ? `group-${match.group ?? 0}` : match.stage === "final" && !isDouble ? "winners" : match.stage;
    sections.set(key, [...(sections.get(key) ?? []), match]);
  }
  const isTree = (/** @type {string} */ key) => IN_TREE.includes(key);
  /** How many places a round of a tree has: those of matches that nobody plays too. @param {Match} of */
  const count = ({ round, stage }) => matches.filter((match) => !match.of && match.stage === stage && match.round === round).length;
  return [...sections].map(([key, all]) => ({ key, rounds: listRounds(all, isTree(key) ? count : null) }))
    .sort((one, other) => Number(one.key === "third") - Number(other.key === "third"));
}

/** @param {Match[]} matches @param {((of: Match) => number) | null} count of a tree, whose matches stand at their numbers */
function listRounds(matches, count) {
  /** @type {Map<string, Match[]>} */
  const rounds = new Map();
  for (const match of matches) {
    const key = `${match.stage} ${match.round}`;
    rounds.set(key, [...(rounds.get(key) ?? []), match]);
  }
  return [...rounds.values()].map((all) => ({ match: all[0], matches: count
    ? Array.from({ length: count(all[0]) }, (_, place) => all.find(({ number }) => number === place + 1) ?? null) : all }));
}

/** Returns where each match stands: between those that lead to it.
    @param {(Match | null)[][]} columns @returns {{ rows: number, cells: Cell[] }} */
export function placeTree(columns) {
  const rows = Math.max(1, ...columns.map(({ length }) => length));
  const cells = columns.flatMap((matches, column) => {
    const span = Math.floor(rows / matches.length), before = columns[column - 1]?.length ?? 0;
    return matches.flatMap((match, place) =>
      (match ? [{ match, column, row: place * span, span, feeders: Math.floor(before / matches.length) }] : []));
  });
  return { rows, cells };
}

/** Cuts a tree into pages of so many columns and lines. A page shows matches with those to which they lead; the last page
    is as full as can be, and begins with rounds that were shown before.
    @param {Round[]} rounds @param {{ columns: number, rows: number }} most @returns {Round[][]} */
export function cutTree(rounds, { columns, rows }) {
  /** @type {Round[][]} */
  const pages = [];
  for (let first = 0; first < rounds.length; first += columns) {
    const from = Math.max(0, Math.min(first, rounds.length - columns));
    const taken = rounds.slice(from, from + columns);
    const parts = Math.max(1, Math.ceil(taken[0].matches.length / rows));
    for (let part = 0; part < parts; part++) {
      const page = taken.map(({ match, matches }) => ({ match, matches: matches.slice(part * matches.length / parts, (part + 1) * matches.length / parts) }))
        .filter(({ matches }, column) => taken[column].matches.length >= parts && matches.some(Boolean));
      if (page.length) pages.push(page);
    }
  }
  return pages;
}

/** Cuts a list into pages that are about equally full. @template T @param {readonly T[]} list @param {number} most @returns {T[][]} */
export function cutList(list, most) {
  const pages = Math.max(1, Math.ceil(list.length / most)), size = Math.ceil(list.length / pages);
  return Array.from({ length: pages }, (_, page) => list.slice(page * size, (page + 1) * size));
}

/** Returns in what order pages are shown, by their places: each that is quiet comes after one where something is played, so
    that this is never away for long. @param {boolean[]} live which are so @returns {number[]} */
export function orderPages(live) {
  const places = live.map((_, place) => place);
  const [played, quiet] = [places.filter((place) => live[place]), places.filter((place) => !live[place])];
  if (!played.length || !quiet.length) return places;
  return Array.from({ length: Math.max(played.length, quiet.length) }, (_, turn) => [played[turn % played.length], quiet[turn % quiet.length]]).flat();
}

/** Returns the matches of a side by their ids, and those that it comes to if it wins on.
    @param {Oche.TournamentView} view @param {number} entrant @returns {Set<string>} */
export function findPath({ matches }, entrant) {
  const path = new Set(matches.filter(({ sides }) => sides.includes(entrant)).map(({ id }) => id));
  const isOn = (/** @type {string} */ id) => matches.some((match) => match.id === id && (match.winner === null || match.winner === entrant));
  for (let before = -1; before !== path.size;) {
    before = path.size;
    for (const { awaits, id } of matches) {
      if (awaits.some((each) => each?.[0] === "winner" && path.has(each[1]) && isOn(each[1]))) path.add(id);
    }
  }
  return path;
}

/** Returns the next match of a side, null without one. @param {Oche.TournamentView} view @param {number} entrant */
export function findNext({ matches }, entrant) {
  const waiting = matches.filter((match) => !match.of && match.sides.includes(entrant) && isOpen(match));
  const rank = (/** @type {Match} */ { status }) => ["playing", "called", "ready", "waiting"].indexOf(status);
  return waiting.toSorted((one, other) => rank(one) - rank(other) || (one.due_s ?? Infinity) - (other.due_s ?? Infinity) || one.round - other.round)[0] ?? null;
}

/** Returns whom a side has not met, of those that still take part. @param {Oche.TournamentView} view @param {number} entrant */
export function listNotMet({ entrants, matches }, entrant) {
  const met = new Set(matches.filter(({ sides, status }) => sides.includes(entrant) && status === "played").flatMap(({ sides }) => sides));
  return entrants.filter(({ id, left }) => id !== entrant && !left && !met.has(id)).map(({ id }) => id);
}
