"""A photograph of a QR code comes to the daemon in grey, and as small as it may be."""

from __future__ import annotations

import base64
import io

import pytest
import segno
from playwright.async_api import Page

from daemon.admin.requests.tournament import MOST_PHOTO_BYTES
from daemon.admin.tournaments.photo import read_qr_code
from daemon.assemble import RunningDaemon

_MAKE_GREY = """async (picture) => {
  const { makeGrey } = await import("/static/tournament/photo.js");
  const grey = await makeGrey(new Blob([Uint8Array.from(atob(picture), (each) => each.charCodeAt(0))]));
  let text = "";
  for (let at = 0; at < grey.length; at += 8192) text += String.fromCharCode(...grey.subarray(at, at + 8192));
  return btoa(text);
}"""


@pytest.mark.parametrize(("scale", "side"), [(4, 148), (60, 1600)])
async def test_a_picture_of_a_code_is_read_by_the_daemon(
    running: RunningDaemon, page: Page, scale: int, side: int
) -> None:
    picture, text = io.BytesIO(), "NewTon: Jürgen, Zoë"
    segno.make(text, error="m", micro=False, version=3).save(picture, kind="png", scale=scale, dark="#224")
    await page.goto(f"{running.page}tournament")
    given = base64.b64encode(picture.getvalue()).decode()
    grey = base64.b64decode(await page.evaluate(_MAKE_GREY, given))
    assert grey.startswith(f"P5 {side} {side} 255\n".encode())
    assert len(grey) < MOST_PHOTO_BYTES
    assert read_qr_code(grey) == text
