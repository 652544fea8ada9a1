"""QR codes as the page draws them."""

from __future__ import annotations

from msgspec import Struct


class QrCode(Struct, frozen=True):
    """A QR code: modules on a side, and the dark ones as an SVG path of unit squares."""

    size: int
    path: str


def draw_qr_code(text: str) -> QrCode:
    """Returns the QR code of this text, without its quiet zone."""
    import segno  # noqa: PLC0415  only phones that join need it

    rows = [list(row) for row in segno.make(text, error="m", micro=False).matrix]
    path = "".join(f"M{x} {y}h1v1h-1z" for y, row in enumerate(rows) for x, dark in enumerate(row) if dark)
    return QrCode(len(rows), path)
