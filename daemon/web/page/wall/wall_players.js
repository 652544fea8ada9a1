/* The players of a match as they have said of themselves: pictures and colours in the places of the numbers of sides, and
   their sounds when a match begins. It is loaded when the scoreboard stands. */

import { pictureUrl } from "../avatar.js";
import { $, setSideColour } from "../dom.js";
import { ask } from "../link.js";
import { playPlayerSound } from "./player_sounds.js";
import { keepRecordedNames } from "./recorded_names.js";
import { store, watch } from "../store.js";

/** The players by all their names, in lower case. @type {Map<string, Oche.KnownPlayer>} */
let known = new Map();
/** The match whose players were asked for. @type {string | null | undefined} */
let askedFor;

/** Returns the player who has this name, now or in the records; nothing for a guest, a bot, or while the players are asked for.
    @param {string} name @returns {Oche.KnownPlayer | undefined} */
export const findPlayer = (name) => known.get(name.toLowerCase());

/** Looks who plays, at each match anew. */
async function look() {
  const { state } = store;
  if (!state || state.match === askedFor) return show();
  const isNew = askedFor !== undefined && state.line <= 1;
  askedFor = state.match;
  /** @type {Oche.KnownPlayer[]} */
  const players = await ask("players").catch(() => []);
  if (askedFor !== state.match) return; // another one has begun meanwhile
  known = new Map(players.flatMap((player) => [player.name, ...(player.names ?? [])].map((name) => [name.toLowerCase(), player])));
  keepRecordedNames(players);
  if (isNew) {
    const playing = state.sides.flatMap((side) => side.players).flatMap((name) => findPlayer(name) ?? []);
    playing.reduce((after, player) => after + playPlayerSound(player, after), 0);
  }
  show();
}

function show() {
  const sides = store.state?.sides ?? [];
  [...$("sides").children].forEach((card, index) => {
    const badge = /** @type {HTMLElement | null} */ (card.querySelector(".name .badge"));
    if (!badge) return;
    const [name, ...others] = sides[index]?.players ?? [];
    const player = name && !others.length ? findPlayer(name) : undefined;
    badge.classList.toggle("pictured", Boolean(player?.picture));
    badge.style.backgroundImage = player?.picture ? `url("${pictureUrl(player.picture)}")` : "";
    setSideColour(badge, player?.colour ?? null);
  });
}

watch(look);
look();
