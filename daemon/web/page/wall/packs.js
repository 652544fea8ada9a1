/* The sound packs of this screen: which recordings there are for a key, and playing them. A pack is an index of files;
   each is fetched when it is first called, while the call still waits. */

import { ask } from "../link.js";
import { preference } from "../preferences.js";
import { findRecordedName } from "./recorded_names.js";
import { language } from "../words/words.js";
import { findAudio, findBackground } from "./sounds.js";

export const NO_PACK = "-"; // as a preference: the browser's own voice alone
const SHARED = "shared"; // a pack whose recordings take the place of those of any other
const MOST_KEPT = 100;
const AMBIENCE = 0.6;
const LONGEST_FETCH_MS = 8_000; // what never comes would not be asked for again
const LATEST_MS = 3_000; // after that a call does without what has not come: it would be late

/** The packs in their order: the addresses of the takes, by their keys. @type {Map<string, string[]>[]} */
let packs = [];
/** What was fetched lately, decoded. @type {Map<string, Promise<AudioBuffer | null>>} */
const fetched = new Map();
/** What plays. @type {Set<AudioBufferSourceNode>} */
const playing = new Set();

/** Lists the packs that there are. @returns {Promise<Oche.PackSummary[]>} */
export const listPacks = async () => (/** @type {{ packs: Oche.PackSummary[] }} */ (await ask("sounds"))).packs;

/** Reads what this screen is to play: the pack that was chosen, or the first; then the voice in the box. */
export async function loadPacks() {
  packs = [];
  const wanted = preference("pack");
  if (wanted === NO_PACK) return;
  const found = await listPacks();
  const own = found.filter(({ installed, pack }) => !installed && pack !== SHARED);
  const first = wanted ? found.find(({ pack }) => pack === wanted) : own[0];
  const box = found.find(({ installed, pack }) => installed && pack.endsWith(`-${language}`));
  const readIfAny = (/** @type {string} */ pack) => readPack(pack).catch(() => /** @type {Map<string, string[]>} */ (new Map())); // others are heard
  const shared = found.some(({ pack }) => pack === SHARED) ? await readIfAny(SHARED) : new Map();
  const names = new Set([first, box].flatMap((each) => (each ? [each.pack] : [])));
  const read = await Promise.all([...names].map(readIfAny));
  packs = read.length ? read.map((own) => new Map([...own, ...shared])) : [shared];
}

/** @param {string} pack @returns {Promise<Map<string, string[]>>} */
async function readPack(pack) {
  /** @type {{ tag: string, keys: Record<string, string[]> }} */
  const { tag, keys } = await ask(`sounds/${encodeURIComponent(pack)}`);
  const place = (/** @type {string} */ file) => `sounds/${encodeURIComponent(pack)}/${encodeURIComponent(file)}?tag=${tag}`;
  return new Map(Object.entries(keys).map(([key, files]) => [key, files.map(place)]));
}

/** Returns the recordings of the first way that a pack can say wholly, or recorded names alone; null: there are none. Of each
    step it has a random take of each of its keys, of which the first that can be played counts.
    @param {Oche.CallStep[][]} ways */
export function findRecordings(ways) {
  for (const pack of [...packs, new Map()]) {
    const findTakes = (/** @type {string} */ key) => (key.startsWith("+") ? [findRecordedName(key.slice(1)) ?? []].flat() : pack.get(key) ?? []);
    for (const way of ways) {
      const steps = way.map(({ isOptional, keys }) => ({ isOptional, files: keys.map(findTakes).flatMap(pick) }));
      const files = steps.map((step) => step.files).filter(({ length }) => length);
      if (files.length && steps.every((step) => step.isOptional || step.files.length)) return files;
    }
  }
  return null;
}

/** Returns one of these, or none of none. @param {string[]} takes */
const pick = (takes) => (takes.length ? [takes[Math.floor(Math.random() * takes.length)]] : []);

/** Returns the first of these recordings that can be played; null: there is none. @param {string[]} files */
export async function fetchFirst(files) {
  for (const file of files) {
    const found = await fetchRecording(file);
    if (found) return found;
  }
  return null;
}

/** Returns a recording, which is fetched and decoded once; null: it cannot be. @param {string} file */
export function fetchRecording(file) {
  const found = fetched.get(file) ?? decode(file);
  fetched.delete(file);
  fetched.set(file, found); // as the latest
  found.then((recording) => { if (!recording) fetched.delete(file); }); // another time it may come
  for (const oldest of fetched.keys()) if (fetched.size > MOST_KEPT) fetched.delete(oldest);
  return found;
}

/** @param {string} file */
async function decode(file) {
  try {
    const response = await fetch(new URL(file, document.baseURI), { signal: AbortSignal.timeout(LONGEST_FETCH_MS) });
    return response.ok ? await findAudio()?.decodeAudioData(await response.arrayBuffer()) ?? null : null;
  } catch {
    return null; // a missing sound is silence
  }
}

/** Returns until when a call that begins now waits for its recordings. */
export const findDeadline = () => performance.now() + LATEST_MS;

/** Resolves with what is fetched; null: it has not come by then. @template T @param {Promise<T>} found @param {number} until */
export function waitUntil(found, until) {
  let timer = 0;
  const end = new Promise((/** @type {(nothing: null) => void} */ done) => { timer = setTimeout(() => done(null), until - performance.now()); });
  return Promise.race([found, end]).finally(() => clearTimeout(timer));
}

/** Plays recordings one after the other, of each step the first that can be played; resolves when the last has ended, or was
    stopped, with whether there was any. What has not come by the time `until` is left out.
    @param {string[][]} files @param {() => boolean} isWanted asked once they are there @param {boolean} isAmbience */
export async function playRecordings(files, isWanted, isAmbience, until = findDeadline()) {
  const buffers = (await Promise.all(files.map((takes) => waitUntil(fetchFirst(takes), until)))).flatMap((each) => each ?? []);
  const audio = findAudio();
  if (!audio || !buffers.length || !isWanted()) return false;
  const loudness = new GainNode(audio, { gain: isAmbience ? AMBIENCE : 1 });
  loudness.connect(isAmbience ? findBackground(audio) : audio.destination);
  let from = audio.currentTime;
  await Promise.all(buffers.map((buffer) => {
    const source = new AudioBufferSourceNode(audio, { buffer });
    source.connect(loudness);
    playing.add(source);
    source.start(from);
    from += buffer.duration;
    return new Promise((done) => {
      source.onended = () => done(playing.delete(source));
    });
  }));
  return true;
}

/** Stops all that plays. */
export function stopRecordings() {
  for (const source of playing) source.stop();
}
