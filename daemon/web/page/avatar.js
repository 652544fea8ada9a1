/* What a player looks like: the picture, else the first letter, in the colour of the player; of those side by side each in another
   colour. A script of its own, for the lobby,
   the profiles and the scoreboard load it later, each without the others. */

import { COLOURS, make, setSideColour } from "./dom.js";

/** Returns where a picture is. @param {string} picture */
export const pictureUrl = (picture) => String(new URL(`api/players/picture/${encodeURIComponent(picture)}`, document.baseURI));

/** @typedef {Pick<Oche.KnownPlayer, "name"> & Partial<Pick<Oche.KnownPlayer, "picture" | "face" | "colour" | "given_colour">>} Looks */

/** Returns the small picture of a player, else the letter. @param {Looks} player */
export function makeAvatar({ name, picture, colour }) {
  const element = picture
    ? make("img", { className: "avatar", src: pictureUrl(picture), alt: "", loading: "lazy" })
    : make("span", { className: "avatar", ariaHidden: "true" }, [...name][0]?.toUpperCase() ?? "");
  setSideColour(element, colour ?? null);
  return element;
}

/** Returns the large picture of a player; the small one where there is no large one, and else the letter. The style sheet of the
    place gives it its `--size`. @param {Looks} player */
export function makeFace(player) {
  const element = makeAvatar({ ...player, picture: player.face ?? player.picture });
  element.classList.add("face");
  if (element instanceof HTMLImageElement) element.loading = "eager"; // before its turn comes
  return element;
}

/** Returns a colour for each of those who stand side by side: no two have the same while there are enough. One that a player has
    chosen stays, of two the earlier; where oche has given it, or nobody is known, the later takes the next that is free.
    @param {(Looks | undefined)[]} players */
export function chooseColours(players) {
  /** @type {number[]} */
  const colours = [];
  players.forEach((player, index) => {
    if (player?.colour != null && !player.given_colour && !colours.includes(player.colour)) colours[index] = player.colour;
  });
  players.forEach((player, index) => {
    const own = player?.colour ?? index;
    const nearest = Array.from({ length: COLOURS }, (_, step) => (own + step) % COLOURS);
    colours[index] ??= nearest.find((colour) => !colours.includes(colour)) ?? nearest[0];
  });
  return colours;
}
