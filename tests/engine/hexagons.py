"""Matches of Ground Round to begin a test with, and what is looked at in them."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from protocol.layouts import layout
from tests.engine.records import Record, State, header

FACE = layout("ground_round")


def record(**options: Any) -> Record:  # Any: JSON
    return Record(header("ground_round", options=options))


def given(owner: dict[str, int], pins: tuple[tuple[str, ...], ...] = ((), ()), **options: Any) -> Record:  # Any: JSON
    """A match whose first visit begins with these hexagons held and these pins standing."""
    match = record(**options)
    state = match.match.position.state
    territory = replace(state.now.territory, owners=owner, pins=pins)
    now = replace(state.now, territory=territory, movable=pins[0])
    match.match.position = replace(match.match.position, state=replace(state, now=now))
    return match


def prompts(state: State) -> list[str]:
    return [prompt["id"] for prompt in state["prompts"]]


def owners(state: State) -> dict[str, int]:
    return {h: cell["side"] for h, cell in state["board"]["cells"].items() if cell["side"] is not None}


def choose(answer: str, prompt: str | None = None) -> dict[str, str]:
    return {"choose": answer} if prompt is None else {"choose": answer, "prompt": prompt}
