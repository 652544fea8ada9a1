/* A player's name as the player says it: recorded here, or chosen as a file; heard, and then kept. What is kept is a short wav,
   which every browser plays, whatever this device records. */

import { make, setText } from "../dom.js";
import { recordedNameUrl } from "../wall/recorded_names.js";

const LONGEST_S = 3;
const MOST_FILE_BYTES = 5_000_000; // a longer one is not read: it is no name
const LONGEST_FETCH_MS = 8_000;
const RATE = 22_050; // samples a second
const LOUD = 0.9, SILENT = 0.01; // of the loudest that there can be: what the name is brought to, and what is none
const QUIET = 0.05; // of the loudest in it: what is cut off before and after
const MARGIN_S = 0.05; // what stays before and after the name
const HEAD_BYTES = 44;
const LARGEST = 32_767;

/** @type {AudioContext | null} */
let context = null;

/** Returns the fields for it. `store` keeps a recording, or without one removes it, and shows the player anew.
    @param {Oche.KnownPlayer} player @param {Oche.PlayersLanguage["recorded"]} text
    @param {(recording: Blob | null) => Promise<void>} store */
export function makeNameRecorder({ recorded_name: recorded }, text, store) {
  /** What was recorded or chosen, and is not kept yet. @type {Blob | null} */
  let draft = null;
  const said = make("small", { role: "status", test: "name-said" }, text.help);
  const button = (/** @type {string} */ test, /** @type {string} */ label, /** @type {() => unknown} */ act, hidden = false) =>
    make("button", { type: "button", test, hidden, onclick: act }, label);
  const listen = button("hear-name", text.listen, () => play(draft ?? fetchName(recorded ?? "")).catch(() => setText(said, text.unreadable)), !recorded);
  const keep = button("keep-name", text.keep, () => store(draft), true);
  const remove = button("remove-name", text.remove, () => store(null), !recorded);
  const record = button("record-name", text.record, () => take(recordVoice(() => setText(said, text.recording(LONGEST_S)))));
  const file = make("input", { type: "file", accept: "audio/*", test: "name-file", onchange: () => {
    const [chosen] = file.files ?? [];
    if (chosen) take(Promise.resolve(chosen));
  } });

  /** @param {Promise<Blob>} coming */
  async function take(coming) {
    record.disabled = true;
    try {
      draft = await cutSound(await coming);
      setText(said, text.heard);
      setText(record, text.again);
      listen.hidden = keep.hidden = false;
      remove.hidden = true; // that one is about the former
    } catch (problem) {
      const isRefused = /** @type {DOMException} */ (problem).name === "NotAllowedError";
      setText(said, isRefused ? text.refused : text.unreadable);
    }
    record.disabled = false;
  }

  return make("fieldset", { className: "recorded" }, make("legend", {}, text.title),
    ...(navigator.mediaDevices ? [record] : []), // a browser has them only for https and its own machine
    make("label", {}, make("span", {}, text.choose), file), listen, keep, remove, said);
}

/** Records for a few seconds. Rejects where the microphone may not be used.
    @param {() => void} begin called when it does @returns {Promise<Blob>} */
async function recordVoice(begin) {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  try {
    const recorder = new MediaRecorder(stream);
    /** @type {Blob[]} */
    const pieces = [];
    recorder.ondataavailable = ({ data }) => pieces.push(data);
    const stopped = new Promise((done) => { recorder.onstop = done; });
    recorder.start();
    begin();
    setTimeout(() => { if (recorder.state !== "inactive") recorder.stop(); }, LONGEST_S * 1000);
    await stopped;
    return new Blob(pieces, { type: recorder.mimeType });
  } finally {
    for (const track of stream.getTracks()) track.stop();
  }
}

/** Returns a wav of one channel, without the silence around what is heard, as loud as others, and of a few seconds at most.
    Rejects for what is no sound, or is silent. @param {Blob} file */
async function cutSound(file) {
  if (file.size > MOST_FILE_BYTES) throw new Error("too large");
  const found = await new OfflineAudioContext(1, 1, RATE).decodeAudioData(await file.arrayBuffer());
  const channels = Array.from({ length: found.numberOfChannels }, (_, channel) => found.getChannelData(channel));
  const samples = channels[0].map((_, place) => channels.reduce((sum, channel) => sum + channel[place], 0) / channels.length);
  const from = samples.findIndex(isLouder(Math.max(SILENT, QUIET * findLoudest(samples))));
  if (from < 0) throw new Error("silent");
  const margin = Math.round(MARGIN_S * RATE);
  const part = samples.subarray(Math.max(from - margin, 0)).subarray(0, LONGEST_S * RATE);
  const loudest = findLoudest(part); // what comes later may be louder
  return makeWav(part.subarray(0, part.findLastIndex(isLouder(QUIET * loudest)) + margin), LOUD / loudest);
}

/** @param {Float32Array} samples */
const findLoudest = (samples) => samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);

/** @param {number} least @returns {(sample: number) => boolean} */
const isLouder = (least) => (sample) => Math.abs(sample) > least;

/** @param {Float32Array} samples @param {number} factor with which they are from -1 to 1 */
function makeWav(samples, factor) {
  const bytes = 2 * samples.length;
  const view = new DataView(new ArrayBuffer(HEAD_BYTES + bytes));
  const write = (/** @type {number} */ place, /** @type {string} */ letters) => [...letters].forEach((letter, index) => view.setUint8(place + index, letter.charCodeAt(0)));
  write(0, "RIFF");
  view.setUint32(4, HEAD_BYTES - 8 + bytes, true);
  write(8, "WAVEfmt ");
  view.setUint32(16, 16, true); // bytes of the format
  view.setUint16(20, 1, true); // PCM
  view.setUint16(22, 1, true); // channels
  view.setUint32(24, RATE, true);
  view.setUint32(28, 2 * RATE, true); // bytes a second
  view.setUint16(32, 2, true); // bytes a sample
  view.setUint16(34, 16, true); // bits a sample
  write(36, "data");
  view.setUint32(40, bytes, true);
  samples.forEach((sample, index) => view.setInt16(HEAD_BYTES + 2 * index, sample * factor * LARGEST, true));
  return new Blob([view], { type: "audio/wav" });
}

/** @param {string} recorded */
async function fetchName(recorded) {
  const response = await fetch(new URL(recordedNameUrl(recorded), document.baseURI), { signal: AbortSignal.timeout(LONGEST_FETCH_MS) });
  return response.blob();
}

/** Plays a recording; called in a touch, for phones allow it in none other. @param {Blob | Promise<Blob>} recording */
async function play(recording) {
  context ??= new AudioContext();
  await context.resume();
  const buffer = await context.decodeAudioData(await (await recording).arrayBuffer());
  const source = new AudioBufferSourceNode(context, { buffer });
  source.connect(context.destination);
  source.start();
}
