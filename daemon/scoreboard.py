"""The scoreboard as text, for terminals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from protocol.messages import State

_HIDDEN = ("first_nine", "darts", "ppd", "best_leg", "high_finish", "180s")
"""Figures for a display with more room."""


def scoreboard(state: State) -> str:
    """A few lines: the game, every side, whose turn it is or who won."""
    width = max(len(side.name) for side in state.sides)
    lines = [f"{state.title}, {_where(state)}"]
    for index, side in enumerate(state.sides):
        mark = "*" if index in state.winners else ">" if index == state.turn.side and state.phase != "over" else " "
        extra = []
        if _has_legs(state):
            extra.append(f"legs {side.legs}" + (f", sets {side.sets}" if side.sets else ""))
        extra += _figures(side.detail, state.board.get("rows"))
        if side.out:
            extra.append("out")
        lines.append(f"{mark} {side.name:<{width}} {side.score:>6}  {', '.join(extra)}".rstrip())
    lines.append(_standing(state))
    return "\n".join(lines)


def darts(state: State) -> str:
    """The darts of the visit at the oche: "T20 S5 MISS"."""
    return " ".join(dart.segment for dart in state.turn.darts)


def _figures(detail: Mapping[str, Any], rows: object) -> list[str]:  # Any: JSON
    """What the game tells of a side, as far as it is short: numbers, words, and the cells of a sheet of `rows`."""
    told = []
    for name, value in detail.items():
        if name == "average":
            told.append(f"average {value:.2f}")
        elif isinstance(value, bool):
            told += [_plain(name)] * value
        elif isinstance(value, int | float | str) and name not in _HIDDEN:
            told.append(f"{_plain(name)} {value}")
        elif isinstance(value, list | tuple) and isinstance(rows, list | tuple) and len(value) == len(rows):
            told.append(" ".join(f"{row}:{cell}" for row, cell in zip(rows, value, strict=True) if cell is not None))
    return told


def _plain(name: str) -> str:
    return name.replace("_", " ")


def _where(state: State) -> str:
    place = f"round {state.round}"
    return f"set {state.set}, leg {state.leg}, {place}" if _has_legs(state) else place


def _has_legs(state: State) -> bool:
    """Is this more than a single leg, as far as it can be told from where it stands?"""
    won = any(side.legs or side.sets for side in state.sides)
    return state.leg > 1 or state.set > 1 or (won and state.phase != "over")


def _standing(state: State) -> str:
    if state.phase == "over":
        names = " and ".join(state.sides[side].name for side in state.winners)
        return f"{names} won." if state.winners else "Nobody won."
    if state.phase == "takeout":
        return f"{state.turn.player} threw {darts(state)}; pull the darts, then next."
    if state.prompts:
        return f"{state.turn.player} is asked: {state.prompts[0].text}"
    thrown = f", threw {darts(state)}" if state.turn.darts else ""
    left = "1 dart left" if state.turn.darts_left == 1 else f"{state.turn.darts_left} darts left"
    return f"{state.turn.player} to throw{thrown}, {left}."
