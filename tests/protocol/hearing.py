"""What a host hears, in one word an event: how the tests of this folder speak of events."""

from __future__ import annotations

from pathlib import Path

from protocol.codebook import Codebook, list_shipped, shipped
from protocol.endpoint import Board, Host
from protocol.events import BoardEvent, Button, Hit, MissSensed, Status, Stuck, Unanswered

DATA = Path(__file__).parent.parent / "data"
SECOND = 1_000_000_000
FRAMED = [name for name in list_shipped() if shipped(name).profile.web is None]
"""The boards that ship whose profiles say what each frame means. The others are web servers; see simulator/cameras."""
WEB = [name for name in list_shipped() if name not in FRAMED]


def heard(name: str, *chunks: bytes) -> list[BoardEvent]:
    host = Host(shipped(name))
    return [event for chunk in chunks for event in host.feed(chunk, 5)]


def words(name: str, *chunks: bytes) -> list[str]:
    """The same in one word each."""
    return [said(event) for event in heard(name, *chunks)]


def said(event: BoardEvent) -> str:
    """An event in one word."""
    match event:
        case Hit(segment=segment):
            return segment.id
        case Button(name=name):
            return f"button {name}"
        case Status(text=text):
            return f"status {text}"
        case Unanswered(said=sentence):
            return f"unanswered {sentence}"
        case MissSensed():
            return "miss"
        case _:
            return type(event).__name__.lower()


def sayable(codebook: Codebook) -> list[BoardEvent]:
    """Everything a board of this kind has words for."""
    profile = codebook.profile
    events: list[BoardEvent] = [Hit(segment=segment) for segment in codebook.segments]
    events += [Button(name=button) for button in profile.buttons]
    return events + ([MissSensed()] if profile.miss else []) + ([Stuck()] if profile.stuck else [])


def spoken(board: Board, *events: BoardEvent) -> list[bytes]:
    """The packets of a board that says these."""
    packets: list[bytes] = []
    for event in events:
        assert board.send(event)
        packets += board.packets()
    return packets


def table(file: str) -> list[tuple[str, str]]:
    """Code and meaning of each segment in a published table."""
    lines = [line for line in (DATA / file).read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    cells = [cell for line in lines for cell in line.split()]
    return list(zip(cells[::2], cells[1::2], strict=True))
