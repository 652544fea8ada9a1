"""The size of a picture is read from its head, and one that is large when it is drawn is neither taken nor shown."""

from __future__ import annotations

import sqlite3
import struct
import zlib
from base64 import b64decode
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from daemon.admin.players.book import FILE, PlayerBook
from daemon.admin.players.picture_size import read_size
from daemon.errors import UserError


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def make_png(width: int, height: int, *more: bytes) -> bytes:
    """A black picture in two colours; `more` are chunks of its head."""
    head = _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0))
    rows = zlib.compress(bytes((1 + (width + 7) // 8) * height), 9)
    return b"\x89PNG\r\n\x1a\n" + head + b"".join(more) + _chunk(b"IDAT", rows) + _chunk(b"IEND", b"")


def _segment(marker: int, data: bytes) -> bytes:
    return struct.pack(">BBH", 0xFF, marker, 2 + len(data)) + data


def _frame(width: int, height: int, marker: int = 0xC0) -> bytes:
    return _segment(marker, struct.pack(">BHHB", 8, height, width, 1) + b"\1\x11\0")


def _jpeg(*segments: bytes, scan: bytes = b"\xff\xda\0\x08\1\1\0\0\x3f\0") -> bytes:
    return b"\xff\xd8" + b"".join(segments) + scan + b"\xff\xd9"


def _webp(*chunks: tuple[bytes, bytes]) -> bytes:
    body = b"".join(kind + struct.pack("<I", len(data)) + data + bytes(len(data) % 2) for kind, data in chunks)
    return b"RIFF" + struct.pack("<I", 4 + len(body)) + b"WEBP" + body


def _vp8(width: int, height: int) -> tuple[bytes, bytes]:
    return b"VP8 ", b"\x30\3\0\x9d\1\x2a" + struct.pack("<HH", width | 0x4000, height)


def _canvas(width: int, height: int, flags: int = 0) -> tuple[bytes, bytes]:
    sizes = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    return b"VP8X", bytes([flags, 0, 0, 0]) + sizes


THUMBNAIL = _segment(0xE1, b"Exif\0\0" + _jpeg(_frame(160, 120)))
MADE_BY_LIBRARIES = {
    "webp": (
        "UklGRkIAAABXRUJQVlA4IDYAAAAwAwCdASooAB4AP83m7XA/uDIrJWgD8DmJZwDLLA8Kvu4AAP7Qx7//WuVtoBJrErbLdAAAAAA=",
        (40, 30),
    ),
    "lossless": ("UklGRh4AAABXRUJQVlA4TBEAAAAvJ0AHAAdQjyKXp/+BiOh/AAA=", (40, 30)),
    "extended": (
        (
            "UklGRnYAAABXRUJQVlA4WAoAAAAIAAAAJwAAHQAAVlA4IDYAAAAwAwCdASooAB4AP83m7XA/uDIrJWgD8DmJZwDLLA8Kvu4AAP7Qx7//"
            "WuVtoBJrErbLdAAAAABFWElGGgAAAE1NACoAAAAIAAEBDgACAAAAAngAAAAAAAAA"
        ),
        (40, 30),
    ),
    "progressive": (
        (
            "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAKBueIx4ZKCMgoy0qqC+8P//8Nzc8P/////////////////////////////////////////////"
            "/////////////2wBDAaq0tPDS8P//////////////////////////////////////////////////////////////////////////////wgAR"
            "CAAeACgDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAH/2g=="
        ),
        (40, 30),
    ),
}


@pytest.mark.parametrize("kind", MADE_BY_LIBRARIES)
def test_what_libraries_have_made_is_read(kind: str) -> None:
    written, size = MADE_BY_LIBRARIES[kind]
    assert read_size(b64decode(written)) == size


@pytest.mark.parametrize(
    ("content", "size"),
    [
        (make_png(96, 64), (96, 64)),
        (make_png(7600, 7600), (7600, 7600)),
        (make_png(96, 64, _chunk(b"tEXt", b"IHDR" * 9)), (96, 64)),
        (make_png(96, 64, _chunk(b"acTL", struct.pack(">II", 2, 0))), None),
        (make_png(0, 64), None),
        (make_png(96, 64)[:20], None),
        (b"\x89PNG\r\n\x1a\n" + _chunk(b"IDAT", b""), None),
        *((_jpeg(_frame(300, 200, marker)), (300, 200)) for marker in (0xC0, 0xC1, 0xC2, 0xC3, 0xC9, 0xCA, 0xCF)),
        *((_jpeg(_frame(300, 200, marker)), None) for marker in (0xC4, 0xC8, 0xCC)),
        (_jpeg(THUMBNAIL, _frame(7600, 5000, 0xC2)), (7600, 5000)),
        (_jpeg(_frame(10, 10), _frame(7600, 20)), (7600, 20)),
        (_jpeg(b"\xff\xff\xff" + _segment(0xDB, b"\xff\xc0" * 20), b"\xff\xff" + _frame(300, 200)), (300, 200)),
        (_jpeg(_frame(300, 0)), None),
        (_jpeg(b"\0", _frame(300, 200)), None),
        (_jpeg(_frame(300, 200), b"\0\xda"), None),
        (_jpeg(THUMBNAIL), None),
        (_jpeg(_frame(300, 200), scan=b""), None),
        (_jpeg(_frame(300, 200)[:-6], scan=b""), None),
        (_webp(_vp8(300, 200)), (300, 200)),
        (_webp((b"VP8L", b"\x2f" + struct.pack("<I", 7599 | 4999 << 14))), (7600, 5000)),
        (_webp(_canvas(7600, 5000), (b"ICCP", b"odd"), _vp8(10, 10)), (7600, 5000)),
        (_webp(_canvas(10, 10), (b"ALPH", b"odd"), _vp8(7600, 10)), (7600, 10)),
        (_webp(_canvas(10, 10, 0x02), _vp8(10, 10)), None),
        (_webp(_canvas(10, 10), (b"ANMF", b"")), None),
        (_webp((b"VP8 ", b"\x30\3\0")), None),
        (_webp(), None),
    ],
)
def test_what_the_head_says(content: bytes, size: tuple[int, int] | None) -> None:
    assert read_size(content) == size


def test_a_picture_that_is_large_when_it_is_drawn_is_refused(tmp_path: Path) -> None:
    book = PlayerBook(tmp_path)
    book.set_picture("Ann", make_png(1024, 1024))
    for content in (make_png(1025, 8), make_png(8, 7600), make_png(8, 8)[:20]):
        with pytest.raises(UserError, match="at most 1024 pixels wide and high"):
            book.set_picture("Ann", content)


def test_a_large_picture_has_limits_of_its_own(tmp_path: Path) -> None:
    book = PlayerBook(tmp_path)
    with pytest.raises(UserError, match="send the small picture first"):
        book.set_face("Ann", make_png(480, 480))
    book.set_picture("Ann", make_png(8, 8))
    book.set_face("Ann", largest := make_png(480, 480) + bytes(48_000 - len(make_png(480, 480))))
    (ann,) = book.list_players()
    assert book.read_picture(ann.face or "") == ("image/png", largest)
    for content in (make_png(481, 8), make_png(8, 65_535), make_png(8, 8)[:20], _webp(_canvas(10, 10, 0x02))):
        with pytest.raises(UserError, match="at most 480 pixels wide and high"):
            book.set_face("Ann", content)
    for content in (largest + b"\0", b"<svg onload=alert(1)>", b"\xff\xd8"):
        with pytest.raises(UserError, match=r"at most 48000 bytes|not a picture"):
            book.set_face("Ann", content)
    assert book.list_players() == [ann], "what is refused changes nothing"
    with closing(sqlite3.connect(tmp_path / FILE)) as db, db:  # as a backup may bring it
        db.execute("update face set content = ?", (huge := make_png(7600, 7600),))
        db.execute("update face set digest = ?", (sha256(huge).hexdigest()[:20],))
    assert book.read_picture(sha256(huge).hexdigest()[:20]) is None


def test_one_that_is_kept_already_is_not_shown(tmp_path: Path) -> None:
    book, large = PlayerBook(tmp_path), make_png(7600, 7600)
    book.set_picture("Ann", make_png(8, 8))
    with closing(sqlite3.connect(tmp_path / FILE)) as db, db:
        db.execute("update player set picture = ?", (large,))
    assert [each.picture for each in book.list_players()] == [None]
    assert book.read_picture(sha256(large).hexdigest()[:20]) is None
