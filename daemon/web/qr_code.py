"""QR codes as the page draws them. A display may choose what is in its codes, so those it asks for wait for turns."""

from __future__ import annotations

from collections import OrderedDict

from msgspec import Struct

from daemon.http.turns import Turns

_KEPT = 256
"""Codes: those that were asked for last."""
_REST = 3.0
_MASK = 2
"""One for all. To find the best of the eight takes six times as long, and readers take each."""


class QrCode(Struct, frozen=True):
    """A QR code: modules on a side, and the dark ones as an SVG path of unit squares."""

    size: int
    path: str


class QrCodes:
    """Codes that are drawn once, a few at a time."""

    def __init__(self) -> None:
        self._turns = Turns(_REST)
        self._kept: OrderedDict[str, QrCode] = OrderedDict()

    async def draw(self, text: str, client: str) -> QrCode:
        """Returns the code of this text, for this client: clients alternate."""
        if text not in self._kept:
            await self._turns.take(client)
        if text not in self._kept:  # also by now
            self._kept[text] = draw_qr_code(text)
        self._kept.move_to_end(text)
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return self._kept[text]


def draw_qr_code(text: str) -> QrCode:
    """Returns the QR code of this text, without its quiet zone."""
    import segno  # noqa: PLC0415  only phones that join need it

    rows = [list(row) for row in segno.make(text, error="m", micro=False, mask=_MASK).matrix]
    path = "".join(f"M{x} {y}h1v1h-1z" for y, row in enumerate(rows) for x, dark in enumerate(row) if dark)
    return QrCode(len(rows), path)
