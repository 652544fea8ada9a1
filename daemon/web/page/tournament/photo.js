/* A photograph as the daemon reads it: a PGM file, a byte for the grey of each point. So the daemon decodes no pictures. */

const MOST_PIXELS = 1600;

/** Returns the photograph in grey, smaller if it is large. Rejects where it is no picture. @param {Blob} file */
export async function makeGrey(file) {
  const picture = await createImageBitmap(file);
  const scale = Math.min(1, MOST_PIXELS / Math.max(picture.width, picture.height));
  const width = Math.round(picture.width * scale), height = Math.round(picture.height * scale);
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  const drawing = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  drawing.drawImage(picture, 0, 0, width, height);
  const { data } = drawing.getImageData(0, 0, width, height);
  const head = new TextEncoder().encode(`P5 ${width} ${height} 255\n`);
  const found = new Uint8Array(head.length + width * height);
  found.set(head);
  for (let at = 0; at < width * height; at++) found[head.length + at] = (77 * data[4 * at] + 150 * data[4 * at + 1] + 29 * data[4 * at + 2]) >> 8;
  return found;
}
