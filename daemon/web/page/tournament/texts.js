/* The texts of tournaments, and what entrants and matches are called in them. */

import { importTexts, language } from "../words/words.js";

/** @type {Oche.TournamentLanguage} */
export const texts = (await importTexts("tournament")).tournament;

const EMPTY = 0;
const UNKNOWN = -1;
const LETTER_A = 65;
const MOST_LETTERS = 26;

const clock = new Intl.DateTimeFormat(language, { timeStyle: "short" });
/** Returns the time of day. @param {number} s Unix time */
export const writeClock = (s) => clock.format(new Date(s * 1000));

/** Returns what a group is called. @param {number} group counted from 0 */
export const letterOf = (group) => (group < MOST_LETTERS ? String.fromCharCode(LETTER_A + group) : `${group + 1}`);

/** @param {Oche.TournamentView} view @param {string} id */
export const findMatch = (view, id) => view.matches.find((match) => match.id === id);

/** Returns what an entrant is called; "" if nobody. @param {Oche.TournamentView} view @param {number | null} id */
export const nameEntrant = (view, id) => view.entrants.find((each) => each.id === id)?.name ?? "";

/** Returns who of a side plays a part of a team match; "" where it is none, or not known. @param {Oche.TournamentView} view
    @param {Oche.TournamentMatchView} match @param {number} side */
function namePart({ entrants, spec: { slots = [] } }, { sides, slot }, side) {
  const people = entrants.find(({ id }) => id === sides[side])?.people ?? [], part = slot == null ? undefined : slots[slot];
  return part ? (side ? part.away : part.home).map((place) => people[place] ?? "?").join(" & ") : "";
}

/** Returns what a side of a match is called, or what it waits for.
    @param {Oche.TournamentView} view @param {Oche.TournamentMatchView} match @param {number} side 0 or 1 */
export function nameSide(view, match, side) {
  const id = match.sides[side], awaited = match.awaits[side];
  if (id === EMPTY) return texts.nobody;
  if (id !== UNKNOWN) return namePart(view, match, side) || nameEntrant(view, id);
  if (!awaited) return texts.unknown;
  const [what, of] = /** @type {[keyof typeof texts.awaits, string]} */ (/** @type {unknown} */ (awaited));
  if (what === "place") {
    const [group, place] = of.split("-");
    return texts.awaits.place(letterOf(Number(group) - 1), Number(place));
  }
  const other = findMatch(view, of);
  return texts.awaits[what](other ? nameMatch(view, other) : of);
}

/** Returns both. @param {Oche.TournamentView} view @param {Oche.TournamentMatchView} match */
export const namePair = (view, match) => `${nameSide(view, match, 0)} – ${nameSide(view, match, 1)}`;

/** Returns what a round of a knock-out with so many sides left is called. @param {number} last */
export const nameLast = (last) => ({ 2: texts.rounds.final, 4: texts.rounds.semi, 8: texts.rounds.quarter })[last] ?? texts.rounds.last(last);

/** Returns what the round of a match is called. @param {Oche.TournamentView} view @param {Oche.TournamentMatchView} match */
export function nameRound(view, { group, last, round, stage }) {
  const said = texts.rounds;
  if (stage === "group") return group == null ? said.round(round) : `${said.group(letterOf(group))}, ${said.round(round)}`;
  if (stage === "round") return said.round(round);
  if (stage === "third") return said.third;
  if (stage === "final") return round > 1 ? said.second : said.final;
  if (view.spec.kind === "double_knock_out") return stage === "winners" ? said.winners(round) : said.losers(round);
  return last == null ? said.round(round) : nameLast(last);
}

/** Returns what a round is called in a tree, which says itself which side of a double knock-out it is.
    @param {Oche.TournamentView} view @param {Oche.TournamentMatchView} match */
export const nameColumn = (view, match) =>
  (view.spec.kind === "double_knock_out" && ["winners", "losers"].includes(match.stage) ? texts.rounds.round(match.round) : nameRound(view, match));

/** Returns what a match is called: its round, and its number there if there are several.
    @param {Oche.TournamentView} view @param {Oche.TournamentMatchView} match */
export function nameMatch(view, match) {
  const round = nameRound(view, match);
  const isAlone = view.matches.filter((each) => !each.of && nameRound(view, each) === round).length < 2;
  return isAlone ? round : texts.rounds.match(round, match.number);
}

/** @param {Oche.TournamentView} view @param {string | null} name */
export const nameTable = (view, name) => view.tables.find((table) => table.name === name)?.title || name || "";
