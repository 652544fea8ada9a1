/* Where what is shown comes from: the daemon, as it tells all pages; or, where the address has brought a code, what that lets
   this phone see. Once the code has ended, a device that has entered the token goes on with that. */

import { apiUrl, read, readMessage } from "../link.js";
import { words } from "../words/words.js";

const AGAIN_MS = 2_000;

const code = /^#code=([\w.-]+)$/.exec(location.hash)?.[1] ?? "";
/** Whether the code is what lets this device in. */
let isByCode = Boolean(code);

/** Whether this device sees what its code shows, and nothing else of the page. */
export const seesOnlyThis = () => isByCode;

/** Returns what the code is for: the id of a match, or the moments between which an evening is, in Unix time. */
export function readCode() {
  const [, match, since, before] = /^(?:m([\w-]+)|e(\d+)-(\d+))\./.exec(code) ?? [];
  return { match: match ?? "", since: Number(since ?? 0), before: Number(before ?? 0) };
}

/** Reads a JSON resource; null when there is none. While the matches are read, `wait` is told how far that is. Throws an
    Error that is fit to be shown. @template Found @param {string} path
    @param {(reading: { done: number, of: number }) => void} [wait] @returns {Promise<Found | null>} */
export async function readShown(path, wait = () => {}) {
  for (;;) {
    /** @type {Found & Oche.Reading | null} */
    const found = isByCode ? await readByCode(path) : await read(path);
    if (!found?.reading) return found;
    wait(found.reading);
  }
}

/** @param {string} path @returns {Promise<any>} */
async function readByCode(path) {
  for (;;) {
    let refused = "";
    try {
      const response = await ask(path);
      if (response.ok) return await response.json();
      if (response.status === 404) return null;
      if (response.status < 500 && response.status !== 429) refused = readMessage(await response.text()) || words.unreachable;
    } catch { /* not reachable now */ }
    if (refused && await isLetIn(path)) {
      isByCode = false;
      return read(path);
    }
    if (refused) throw new Error(refused);
    await new Promise((done) => { setTimeout(done, AGAIN_MS); });
  }
}

/** @param {string} path */
const ask = (path) => fetch(apiUrl(`taken/${path}`), { headers: { "Oche-Code": code }, cache: "no-store" });

/** Whether this device may see it without the code. @param {string} path */
async function isLetIn(path) {
  const response = await fetch(apiUrl(path), { cache: "no-store" }).catch(() => null);
  return Boolean(response?.ok);
}

/** Returns the picture of a player, the large one where there is one; null without one.
    @param {Pick<Oche.KnownPlayer, "face" | "picture"> | undefined} player */
export async function readFace(player) {
  for (const id of [player?.face, player?.picture]) {
    if (!id) continue;
    const path = `players/picture/${encodeURIComponent(id)}`;
    const response = await (isByCode ? ask(path) : fetch(apiUrl(path))).catch(() => null);
    const picture = response?.ok ? await createImageBitmap(await response.blob()).catch(() => null) : null;
    if (picture) return picture;
  }
  return null;
}
