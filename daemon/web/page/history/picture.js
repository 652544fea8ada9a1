/* Makes a picture small before it leaves the device: its middle as a square. What a camera writes beside the picture, such as
   the place, does not go along. */

const SIZE = 128;
const MOST_BYTES = 8000; // as in daemon/admin/players/book.py
const QUALITIES = [0.85, 0.7, 0.5, 0.3, 0.1];

/** Returns a JPEG of the square in the middle. Rejects for a file that is no picture. @param {File} file */
export async function cutPicture(file) {
  const found = await createImageBitmap(file);
  const canvas = Object.assign(document.createElement("canvas"), { width: SIZE, height: SIZE });
  const drawing = canvas.getContext("2d");
  if (!drawing) throw new Error("no canvas");
  const side = Math.min(found.width, found.height);
  drawing.imageSmoothingQuality = "high";
  drawing.fillRect(0, 0, SIZE, SIZE); // below what is transparent
  drawing.drawImage(found, (found.width - side) / 2, (found.height - side) / 2, side, side, 0, 0, SIZE, SIZE);
  for (const quality of QUALITIES) {
    /** @type {Blob | null} */
    const made = await new Promise((done) => { canvas.toBlob(done, "image/jpeg", quality); });
    if (made && made.size <= MOST_BYTES) return made;
  }
  throw new Error("too large");
}
