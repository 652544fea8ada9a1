"""What a receiver makes of a serial line that runs at another speed: the bits are on the wire, the sampling is wrong.

Always 8N1, as in every profile.
"""

from __future__ import annotations


def misread(data: bytes, sent_baud: int | None, read_baud: int | None) -> bytes:
    """These bytes as they arrive at another speed; None: a speed that fits. A byte without its stop bit is dropped."""
    if not data or None in (sent_baud, read_baud) or sent_baud == read_baud:
        return data
    assert sent_baud is not None
    assert read_baud is not None
    wire = [level for byte in data for level in _levels(byte)]
    read = bytearray()
    start = 0.0
    while (start := _falls(wire, start)) < len(wire):
        step = sent_baud / read_baud
        sampled = [_level(wire, start + step * (0.5 + bit)) for bit in range(10)]
        if not sampled[0] and sampled[9]:
            read.append(sum(level << bit for bit, level in enumerate(sampled[1:9])))
        start += step * (9.5 if not sampled[0] else 0.5)
    return bytes(read)


def _levels(byte: int) -> list[int]:
    """A byte on the wire: start bit, eight bits, the lowest first, stop bit."""
    return [0, *(byte >> bit & 1 for bit in range(8)), 1]


def _level(wire: list[int], time: float) -> int:
    return wire[int(time)] if time < len(wire) else 1


def _falls(wire: list[int], time: float) -> float:
    """Where the line is low next, which a receiver takes for a start bit."""
    at = time
    while at < len(wire) and wire[int(at)]:
        at = float(int(at) + 1)
    return at
