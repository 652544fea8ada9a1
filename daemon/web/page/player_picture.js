/* The picture of a player: taken by the phone's camera, or chosen from files. It is cut to a square on the device, large and small;
   what a camera writes beside the picture, such as the place, does not go along. */

import { makeAvatar, makeFace } from "./avatar.js";
import { make, setText } from "./dom.js";
import { fetchAnswer } from "./link.js";

/** What the daemon takes (daemon/admin/players/player_files.py), and how wide a picture is made for it: the first that fits. */
const SMALL = { mostBytes: 8_000, widths: [128, 96, 64] };
const LARGE = { mostBytes: 48_000, widths: [480, 400, 320, 240] };
const QUALITIES = [0.85, 0.7, 0.5, 0.3];

/** @typedef {{ small: Blob, large: Blob }} Picture */

/** Returns the fields for it. `store` keeps a picture, or without one removes it, and shows the player anew; a file that is no
    picture is told about in `said`.
    @param {import("./avatar.js").Looks} player @param {Oche.PlayersLanguage} text @param {HTMLElement} said
    @param {(picture: Picture | null) => Promise<void>} store */
export function makePictureFields(player, text, said, store) {
  const makeChoice = (/** @type {string} */ label, /** @type {string} */ test, isCamera = false) => {
    const file = make("input", { type: "file", accept: "image/*", hidden: true, test, onchange: async () => {
      const [chosen] = file.files ?? [];
      if (!chosen) return;
      file.value = ""; // else the same one could not be chosen again
      const cut = await cutPicture(chosen).catch(() => null);
      if (cut) await store(cut);
      else setText(said, text.noPicture);
    } });
    if (isCamera) file.setAttribute("capture", "user");
    return [make("button", { type: "button", className: test, onclick: () => file.click() }, label), file];
  };
  return make("div", { className: "portrait" }, player.face ? makeFace(player) : makeAvatar(player),
    make("div", {},
      ...makeChoice(text.takePicture, "take-picture", true), ...makeChoice(text.choosePicture, "picture"),
      ...(player.picture ? [make("button", { type: "button", test: "remove-picture", onclick: () => store(null) }, text.removePicture)] : []),
      make("small", {}, text.pictureHelp)));
}

/** Has a file of a player kept; without it the former one is removed.
    @param {"picture" | "recorded_name"} what @param {string} name @param {Blob | null} body @param {"small" | "large"} [size] */
export const keepFile = (what, name, body, size) =>
  fetchAnswer(`players/${what}?name=${encodeURIComponent(name)}${size ? `&size=${size}` : ""}`, { method: "POST", ...(body && { body }) });

/** Has both forms of a picture kept, the small one first, as it removes the large one; without them both are removed.
    @param {string} name @param {Picture | null} picture */
export async function keepPicture(name, picture) {
  await keepFile("picture", name, picture?.small ?? null, "small");
  if (picture) await keepFile("picture", name, picture.large, "large");
}

/** Returns the square in the middle of this file as two JPEGs. Rejects for a file that is no picture. @param {File} file */
async function cutPicture(file) {
  const found = await createImageBitmap(file); // upright, as the camera was held
  try {
    return { small: await makeSquare(found, SMALL), large: await makeSquare(found, LARGE) };
  } finally {
    found.close();
  }
}

/** @param {ImageBitmap} picture @param {typeof SMALL} limits */
async function makeSquare(picture, { mostBytes, widths }) {
  const side = Math.min(picture.width, picture.height);
  for (const width of widths) {
    const canvas = Object.assign(document.createElement("canvas"), { width, height: width });
    const drawing = canvas.getContext("2d");
    if (!drawing) throw new Error("no canvas");
    drawing.imageSmoothingQuality = "high";
    drawing.fillRect(0, 0, width, width); // below what is transparent
    drawing.drawImage(picture, (picture.width - side) / 2, (picture.height - side) / 2, side, side, 0, 0, width, width);
    for (const quality of QUALITIES) {
      /** @type {Blob | null} */
      const made = await new Promise((done) => { canvas.toBlob(done, "image/jpeg", quality); });
      if (made && made.size <= mostBytes) return made;
    }
  }
  throw new Error("too large");
}
