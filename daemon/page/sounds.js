/* Short tones, made here; silent unless asked for. A browser lets nobody sound before the first touch: until then, and
   after a reload, they wait. */

import { preference } from "./preferences.js";

const LOUDNESS = 0.2;
const LENGTH_S = 0.35;
const STEP_S = 0.12;
const [LOW, HIGH, RISING] = [[196, 147], [659, 880], [523, 659, 784, 1047]];
const TONES = { // hertz, one after the other
  dart: [190], bust: LOW, halved: LOW, eliminated: LOW, closed: HIGH, claimed: HIGH, award: HIGH,
  great: RISING, leg_won: RISING, set_won: RISING, match_won: [392, ...RISING, 784, 1047],
};

let context = null;

function wake() {
  if (preference("sound")) (context ??= new AudioContext()).resume().catch(() => {});
}
for (const gesture of ["pointerup", "keyup"]) addEventListener(gesture, wake, true);

/** Plays the tones of a kind of moment, if it has any. */
export function play(kind) {
  if (!preference("sound") || context?.state !== "running") return;
  (TONES[kind] ?? []).forEach((hertz, place) => {
    const from = context.currentTime + place * STEP_S;
    const [tone, loudness] = [context.createOscillator(), context.createGain()];
    Object.assign(tone, { type: "triangle" }).frequency.value = hertz;
    loudness.gain.setValueAtTime(LOUDNESS, from);
    loudness.gain.exponentialRampToValueAtTime(0.001, from + LENGTH_S);
    tone.connect(loudness).connect(context.destination);
    tone.start(from);
    tone.stop(from + LENGTH_S);
  });
}
