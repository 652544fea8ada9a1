/* The players of a match as they have said of themselves: pictures and colours in the places of the numbers of sides, and
   their sounds when a match begins. It is loaded when the scoreboard stands. */

import { pictureUrl } from "../avatar.js";
import { $, setSideColour } from "../dom.js";
import { ask } from "../link.js";
import { loadSheet } from "../parts.js";
import { playPlayerSound } from "./player_sounds.js";
import { keepRecordedNames } from "./recorded_names.js";
import { store, watch } from "../store.js";

/** The players by all their names, in lower case. @type {Map<string, Oche.KnownPlayer>} */
let known = new Map();
/** What shows the face of whoever throws, once it was needed. @type {typeof import("./thrower_face.js") | null} */
let thrower = null;
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
  await showFaces().catch(() => {}); // the next match asks again
}

/** Has the face of whoever throws shown on a wall, if one of the match has a large picture. */
async function showFaces() {
  const list = () => (store.state?.sides ?? []).flatMap(({ players }, side) => players.map((name) => ({ name, side, player: findPlayer(name) })));
  const isWanted = () => document.documentElement.dataset.view === "wall" && list().some(({ player }) => player?.face);
  if (isWanted()) thrower ??= (await Promise.all([import("./thrower_face.js"), loadSheet("static/wall/thrower_face.css")]))[0];
  thrower?.setFaces(isWanted() ? list() : []);
}

/** Shows pictures and chosen colours at the scores. A colour that was given, or that another side has too, is not shown: the two
    sides of a match are told apart by colours, on the board and in tables as well, so those of the sides come first. */
function show() {
  const sides = store.state?.sides ?? [];
  const people = sides.map(({ players: [name, ...others] }) => (name && !others.length ? findPlayer(name) : undefined));
  const chosen = people.map((player) => (!player || player.given_colour ? null : player.colour));
  const areDifferent = new Set(chosen.map((colour, index) => colour ?? index)).size === sides.length;
  [...$("sides").children].forEach((card, index) => {
    const badge = /** @type {HTMLElement | null} */ (card.querySelector(".name .badge"));
    if (!badge) return;
    const player = people[index];
    badge.classList.toggle("pictured", Boolean(player?.picture));
    badge.style.backgroundImage = player?.picture ? `url("${pictureUrl(player.picture)}")` : "";
    setSideColour(badge, areDifferent ? chosen[index] : null);
  });
}

watch(look);
look();
