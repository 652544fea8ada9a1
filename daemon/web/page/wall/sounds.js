/* Short tones, made here; silent unless asked for. A browser lets no page sound before the first touch: until then, and
   after a reload, they wait. */

import { MOMENTS } from "./facts.js";
import { preference } from "../preferences.js";

const LOUDNESS = 0.2;
const LENGTH_S = 0.35;
const STEP_S = 0.12;
const DUCKED = 1 / 3; // what a call leaves of them
const DUCKING_S = 0.05; // in which most of the change is done
const RISING = [523, 659, 784, 1047];
/** @type {Record<string, number[]>} */
const TONES = { // hertz, one after the other
  dart: [190], low: [196, 147], high: [659, 880], great: RISING, rising: RISING, won: [392, ...RISING, 784, 1047],
};

/** @type {AudioContext | null} */
let context = null;
let isPrimed = false; // the browser's own voice
/** Through which all goes but calls. @type {GainNode | null} */
let background = null;
let isDucked = false;

/** Lets this page be heard, where it is to be: called in a touch, for phones allow it in none other. What turns a sound on
    calls it too, as the touch itself came before that. */
export function wake() {
  if (preference("sound") || preference("speech")) (context ??= new AudioContext()).resume().catch(() => {});
  if (isPrimed || !preference("speech")) return;
  isPrimed = true;
  globalThis.speechSynthesis?.speak(new SpeechSynthesisUtterance(""));
}
for (const gesture of ["pointerup", "keyup"]) addEventListener(gesture, wake, true);

/** Whether this device is to be silent now: between two hours, as in "22-7". */
export function isQuiet() {
  if (!preference("quiet")) return false;
  const [from, to] = preference("quiet").split("-").map(Number);
  const hour = new Date().getHours();
  return from < to ? hour >= from && hour < to : hour >= from || hour < to; // over midnight
}

/** Returns what plays sounds; null where the browser lets none be heard yet. */
export const findAudio = () => (context?.state === "running" ? context : null);

/** Returns where all that is no call is to be heard. @param {AudioContext} audio */
export function findBackground(audio) {
  if (!background) {
    background = new GainNode(audio, { gain: isDucked ? DUCKED : 1 });
    background.connect(audio.destination);
  }
  return background;
}

/** Has all that is no call be quieter, or as before. @param {boolean} isSpoken something is said now */
export function duck(isSpoken) {
  isDucked = isSpoken;
  background?.gain.setTargetAtTime(isSpoken ? DUCKED : 1, background.context.currentTime, DUCKING_S);
}

/** Plays the tones of a kind of moment, if it has any. @param {string} kind */
export function playTones(kind) {
  const tone = kind in MOMENTS ? MOMENTS[/** @type {keyof typeof MOMENTS} */ (kind)] : kind;
  playSequence(TONES[tone] ?? []);
}

/** Plays tones of these hertz, one after the other; returns how long that takes, in seconds.
    @param {number[]} tones @param {number} after seconds to wait */
export function playSequence(tones, after = 0) {
  const audio = context;
  if (!preference("sound") || audio?.state !== "running" || isQuiet()) return 0;
  tones.forEach((hertz, place) => {
    const from = audio.currentTime + after + place * STEP_S;
    const [source, loudness] = [audio.createOscillator(), audio.createGain()];
    Object.assign(source, { type: "triangle" }).frequency.value = hertz;
    loudness.gain.setValueAtTime(LOUDNESS, from);
    loudness.gain.exponentialRampToValueAtTime(0.001, from + LENGTH_S);
    source.connect(loudness).connect(findBackground(audio));
    source.start(from);
    source.stop(from + LENGTH_S);
  });
  return tones.length && tones.length * STEP_S + LENGTH_S;
}
