/* Pictures that were drawn here become files: shared where the browser can do that, else saved. */

import { make } from "../dom.js";

const TYPE = "image/jpeg"; // a tenth of a PNG, which keeps each grain of the ground
const QUALITY = 0.92;
const FREE_MS = 60_000; // a phone may ask first whether to save

/** Returns the canvas as a file of this name. @param {HTMLCanvasElement} canvas @param {string} name @returns {Promise<File>} */
export const makeFile = (canvas, name) => new Promise((done, failed) => {
  canvas.toBlob((blob) => (blob ? done(new File([blob], `${name}.jpg`, { type: TYPE })) : failed(new Error(name))), TYPE, QUALITY);
});

/** Whether this browser can share files: over TLS only. */
export function canShare() {
  const probe = new File([""], "probe.jpg", { type: TYPE });
  return "share" in navigator && Boolean(navigator.canShare?.({ files: [probe] }));
}

/** Shares files; nothing happens where the person changes their mind. @param {File[]} files @param {string} title */
export async function share(files, title) {
  try {
    await navigator.share({ files, title });
  } catch (problem) {
    if (/** @type {Error} */ (problem).name !== "AbortError") for (const file of files) save(file);
  }
}

/** Saves a file. @param {File} file */
export function save(file) {
  const href = URL.createObjectURL(file);
  make("a", { href, download: file.name }).click();
  setTimeout(() => URL.revokeObjectURL(href), FREE_MS);
}

/** Returns the name of a file from texts: letters and digits of any script. @param {string[]} parts */
export const nameFile = (...parts) => parts.map((part) => part.normalize("NFC").replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "")).filter(Boolean).join("_").slice(0, 80) || "oche";
