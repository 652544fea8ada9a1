"""Matches of Dards as the tests drive them: who sees what, and how a card is laid."""

from __future__ import annotations

from typing import Any

import msgspec

from tests.engine.records import Record, header

PEOPLE = ("Ann", "Bo", "Cy", "Di", "Ed", "Fay")


def game(
    people: int = 2, teams: list[list[int]] | None = None, seed: str = "oche", **options: Any
) -> Record:  # Any: JSON
    more: dict[str, Any] = {"teams": teams} if teams else {}  # Any: JSON
    return Record({**header("dards", PEOPLE[:people], options=options, **more), "seed": seed})


def seen_by(given: Record, seat: int | None) -> dict[str, Any]:  # Any: JSON
    state: dict[str, Any] = msgspec.json.decode(given.encoded(seat))  # Any: JSON
    return state


def hand(given: Record, seat: int) -> list[str]:
    cards: list[str] = seen_by(given, seat)["board"]["hand"]
    return cards


def lay(given: Record, card: str | None = None) -> str:
    """Lays this card, or the first of the hand."""
    card = card or hand(given, given.state["turn"]["seat"])[0]
    given.play({"choose": card})
    return card
