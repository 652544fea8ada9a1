"""A picture in 256 colours, a third of the size: the browser chooses them, for it is quick at counting pixels."""

from __future__ import annotations

import base64
import struct
import zlib

from playwright.async_api import Browser

_CHOOSE = """async (source) => {
  const picture = await createImageBitmap(await (await fetch(source)).blob());
  const { width, height } = picture;
  const canvas = new OffscreenCanvas(width, height).getContext("2d");
  canvas.drawImage(picture, 0, 0);
  const { data } = canvas.getImageData(0, 0, width, height);
  const STEP = 4; // colours nearer than that are one: what is left of a gradient's noise
  const of = (at) => [...data.subarray(at, at + 3)].map((each) => Math.min(255, STEP * Math.round(each / STEP)));
  const counts = new Map();
  for (let at = 0; at < data.length; at += 4) {
    const key = of(at).join();
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const colours = [...counts].sort((one, other) => other[1] - one[1]).map(([key]) => key.split(",").map(Number));
  const palette = colours.slice(0, 256);
  const far = (one, other) => one.reduce((sum, each, index) => sum + (each - other[index]) ** 2, 0);
  const nearest = new Map(colours.map((colour) => [colour.join(),
    palette.reduce((best, each, index) => (far(each, colour) < far(palette[best], colour) ? index : best), 0)]));
  let pixels = "";
  for (let at = 0; at < data.length; at += 4) pixels += String.fromCharCode(nearest.get(of(at).join()));
  return { width, height, palette: palette.flat(), pixels: btoa(pixels) };
}"""


async def reduced(browser: Browser, picture: bytes) -> bytes:
    """The same as a PNG with a palette."""
    page = await browser.new_page()
    found = await page.evaluate(_CHOOSE, f"data:image/png;base64,{base64.b64encode(picture).decode()}")
    await page.close()
    wide, high, pixels = found["width"], found["height"], base64.b64decode(found["pixels"])
    rows = b"".join(b"\0" + pixels[row * wide : (row + 1) * wide] for row in range(high))
    header = struct.pack(">IIBBBBB", wide, high, 8, 3, 0, 0, 0)
    parts = [(b"IHDR", header), (b"PLTE", bytes(found["palette"])), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*part) for part in parts)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
