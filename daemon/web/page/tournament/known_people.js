/* The pictures of those who are known, beside the names of the sides of a tournament. Whoever has none has none: a letter would
   say nothing that the name does not. A phone that may not ask for the players shows none. */

import { makeAvatar } from "../avatar.js";
import { ask } from "../link.js";

/** The players by their names, as they are compared. @typedef {Map<string, Oche.KnownPlayer>} Known */

/** Returns a name as names are compared. */
export const fold = (/** @type {string} */ name) => name.normalize("NFC").toLowerCase().trim().split(/\s+/).join(" ");

/** Returns the players who are known. @returns {Promise<Known>} */
export async function readKnown() {
  /** @type {Oche.KnownPlayer[]} */
  const players = await ask("players").catch(() => []);
  return new Map(players.map((each) => [fold(each.name), each]));
}

/** Returns the pictures of these people. @param {Known} known @param {readonly string[]} people */
export function makeFaces(known, people) {
  return people.flatMap((name) => {
    const player = known.get(fold(name));
    return player?.picture ? [makeAvatar(player)] : [];
  });
}
