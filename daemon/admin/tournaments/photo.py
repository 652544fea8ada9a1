"""Reads the QR code in a photograph, with a library that is an extra of oche: without it people paste the text.

A photograph comes as a PGM file, a byte for the grey of each point: the page makes it of any picture, and no decoder of
pictures has to look at what others send.
"""

from __future__ import annotations

import re

from daemon.admin.answers import Refused
from protocol.extras import suggest_extra
from protocol.sentence import say

MAGIC = b"P5"
"""How a PGM file begins."""
_HEAD = re.compile(rb"P5\s(\d{1,4})\s(\d{1,4})\s255\s")


def read_qr_code(content: bytes) -> str:
    """Returns the text of the code. Raises Refused."""
    head = _HEAD.match(content)
    width, height = map(int, head.groups()) if head else (0, 0)
    points = memoryview(content)[head.end() if head else 0 :]
    if len(points) != width * height or not points:
        raise Refused("invalid", "a photograph is a PGM file: P5, width, height, 255, and a byte for each point")
    try:
        import zxingcpp  # noqa: PLC0415  an extra
    except ImportError:
        said = say(
            "tournament.no_reader",
            "this oche cannot read photographs: paste the text of the code, or {remedy}",
            remedy=suggest_extra("photo", __file__),
        )
        raise Refused("unavailable", said) from None
    formats = zxingcpp.BarcodeFormats([zxingcpp.BarcodeFormat.QRCode])
    found = zxingcpp.read_barcodes(points.cast("B", (height, width)), formats)
    if not found:
        said = say("tournament.no_qr_code", "this photograph has no QR code: take another one, closer to it")
        raise Refused("invalid", said)
    return str(found[0].text)
