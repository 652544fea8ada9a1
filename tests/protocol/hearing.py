"""What a host hears, in one word an event: how the tests of this folder speak of events."""

from __future__ import annotations

from protocol.codebook import shipped
from protocol.endpoint import Host
from protocol.events import Button, Event, Hit, Status


def heard(name: str, *chunks: bytes) -> list[Event]:
    host = Host(shipped(name))
    return [event for chunk in chunks for event in host.feed(chunk, 5)]


def said(event: Event) -> str:
    """An event in one word."""
    match event:
        case Hit(segment=segment):
            return segment.id
        case Button(name=name):
            return f"button {name}"
        case Status(text=text):
            return f"status {text}"
        case _:
            return type(event).__name__.lower()
