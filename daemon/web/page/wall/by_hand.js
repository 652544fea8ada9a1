/* Going on by hand while the board is away: after ten seconds it is offered on every device that may play, and it ends when
   the board is back. Then a tap on the face is a dart, and where totals are taken there is the keypad. */

import { $, showToast } from "../dom.js";
import { put, store } from "../store.js";
import { words } from "../words/words.js";

const AWAY_MS = 10_000;

let timer = 0;

/** Notes whether the board is there. @param {Oche.BoardStatus} status */
export function noteBoard({ sensor, state }) {
  if (sensor && state !== "online") {
    timer ||= setTimeout(() => put({ isAway: true }), AWAY_MS);
    return;
  }
  clearTimeout(timer);
  timer = 0;
  if (store.isByHand) showToast(words.boardIsBack, () => store.boardStatus?.state === "online");
  put({ isAway: false, ...(store.isByHand && { isByHand: false, isTapped: false }) });
}

/** Offers to go on by hand, or to wait for the board again. */
export function renderByHand() {
  const { choices, isAway, isByHand, isTapped, role, seat, state } = store;
  const isPlaying = Boolean(state?.match) && state?.phase !== "over";
  const isOffered = isAway && isPlaying && !isTapped && role !== "look" && seat === null && !choices.kiosk;
  $("by-hand").hidden = !isOffered;
  $("by-board").hidden = !isByHand;
}

export function prepareByHand() {
  for (const [id, isByHand] of /** @type {const} */ ([["by-hand", true], ["by-board", false]])) {
    $(id).onclick = () => put({ isByHand, isTapped: isByHand });
  }
}
