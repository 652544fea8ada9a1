/* Walk-on sounds, with which matches of players begin: a few tones made here, or the name in the caller's voice. A script
   of its own, for the scoreboard loads it once it stands, and the profiles without the scoreboard. */

import { withVoice } from "./caller.js";
import { playSequence } from "./sounds.js";

/** @type {Record<string, number[]>} */
const TONES = { // hertz, one after the other
  rising: [392, 523, 659, 784], fanfare: [523, 523, 523, 659, 784, 659, 784], bell: [1568, 1319, 1047], drum: [98, 82, 98, 82, 65],
};

/** Lets a player's walk-on sound be heard after so many seconds, where this device may; returns how long it takes, in seconds.
    @param {Oche.KnownPlayer} player @param {number} after */
export function playPlayerSound({ name, nickname, sound }, after = 0) {
  if (sound === "name") withVoice((voice) => voice.sayName(name, nickname ? `${name}, ${nickname}` : name));
  return playSequence(TONES[sound ?? ""] ?? [], after);
}
