/* The names that players have recorded. A script of its own, for who asks for the players fills it, and the voice, which may
   be loaded later, or not at all, plays them. */

/** Where they are, by the names in lower case. @type {Map<string, string>} */
let found = new Map();

/** Takes over those of these players, under all names that they have. @param {Oche.KnownPlayer[]} players */
export function keepRecordedNames(players) {
  found = new Map(players.flatMap(({ name, names = [], recorded_name: recorded }) =>
    (recorded ? [name, ...names].map((each) => [each.toLowerCase(), recordedNameUrl(recorded)]) : [])));
}

/** Returns where a recorded name is. @param {string} recorded */
export const recordedNameUrl = (recorded) => `api/players/recorded_name/${encodeURIComponent(recorded)}`;

/** Returns where the recorded name of a player is. @param {string} name @returns {string | undefined} */
export const findRecordedName = (name) => found.get(name.toLowerCase());
