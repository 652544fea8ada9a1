"""A match on a terminal: the scoreboard as text, and while it is played a line a visit; and the colours there."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TextIO

import click

from protocol.facts import FACTS, Event, Fact
from protocol.messages import Dart, State
from protocol.naming import name_bed, name_move

if TYPE_CHECKING:
    from daemon.table.effects import Update

_HIDDEN = ("first_nine", "darts", "ppd", "best_leg", "high_finish", "180s")
"""Figures for a display with more room."""
_PUB_AWARDS = {"three_in_the_black": "three bullseyes", "hat_trick": "three bulls", "high_out": "high finish"}
"""Awards that have names of soft-tip machines, as they are called at a steel tip."""
_UNREAD = "?"
_TONS = ("low_ton", "high_ton")
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_ONES = (
    *("", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
Colour = Literal["bold", "red", "green", "yellow"]
_CODES: dict[Colour, int] = {"bold": 1, "red": 31, "green": 32, "yellow": 33}


def paint(text: str, colour: Colour, stream: TextIO | None = None) -> str:
    """Returns the text in this colour if `stream`, None: standard output, is a terminal with colours; else unchanged.

    `NO_COLOR`, not empty, switches colours off: https://no-color.org.
    """
    is_plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM", "dumb") == "dumb"
    if is_plain or not (stream or sys.stdout).isatty():
        return text
    return f"\x1b[{_CODES[colour]}m{text}\x1b[0m"


class Terminal:
    """An Outlet that prints on standard output until that is closed; `is_steel`: the darts have steel tips."""

    def __init__(self, *, is_steel: bool = False) -> None:
        self._is_steel = is_steel

    def publish(self, update: Update) -> None:
        """Prints the events, notice and scoreboard of this update."""
        try:
            self._print(update)
        except BrokenPipeError:  # as in `oche play | head`: the match goes on
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

    def _print(self, update: Update) -> None:
        for event in update.events:
            if update.state is not None and event.event_type == "match_started":
                title = f"{_name_match(update.state)}: {', '.join(side.name for side in update.state.sides)}"
                click.echo(f"\n{paint(title, 'bold')}")
            elif update.state is not None:
                line = self._name_award(event, update) or _format_event(event, update.state)
                if line:
                    click.echo(line)
        if update.notice:
            click.echo(paint(f"! {update.notice}", "yellow"))
        if update.state is not None and update.state.phase == "over":
            click.echo(f"\n{render_scoreboard(update.state)}")

    def _name_award(self, event: Event, update: Update) -> str:
        """A line for an award, with the points that its visit scored where these are its name; "" for other events."""
        if event.event_type != "award" or not isinstance(event.award, str):
            return ""
        name = "perfect leg" if event.award == "nine_darter" else unslug(event.award)  # in a shorter leg it is not nine
        if self._is_steel:
            name = _PUB_AWARDS.get(event.award, name)
            scored = next((each.points for each in update.events if each.event_type == "visit"), None)
            if event.award in _TONS and isinstance(scored, int) and 100 <= scored < 200:
                name = _spell_hundreds(scored)
        return paint(f"     {event.player}: {name}!", "yellow")


def _format_event(event: Event, state: State) -> str | None:
    match event.event_type:
        case "visit" if isinstance(event.side, int) and isinstance(event.darts, tuple):
            side = state.sides[event.side]
            thrown = _name_darts(_find_darts(event, state), state)
            return f"{state.round:>3}  {side.name:<12} {thrown:<16} {event.points:>4} {side.score:>6}"
        case "prompt":
            return _format_question(event, state)
        case "life_lost" if event.player or event.target:
            lost = "a life" if event.lives == 1 else f"{event.lives} lives"
            return paint(f"     {event.player or event.target}: {lost} lost", "yellow")
        case "match_dart_missed":
            missed = "match dart" if event.missed == 1 else f"{event.missed} match darts"
            return paint(f"     {event.player}: {missed} missed", "yellow")
        case "comeback":
            behind = getattr(event, "from")
            return paint(f"     {event.player}: comeback, was {behind} {event.of} behind", "yellow")
    kind = FACTS[event.event_type]
    if kind.rank and kind.__struct_fields__ == Fact.__struct_fields__:  # its name says all of it
        colour: Colour = "red" if event.event_type == "bust" else "yellow"
        return paint(f"     {event.player}: {unslug(event.event_type)}", colour)
    return None


def _format_question(event: Event, state: State) -> str | None:
    """The open prompt of this event with its public options; None when it is answered already."""
    prompt = next((each for each in state.prompts if each.id == event.id), None)
    if prompt is None:
        return None
    answers = f" ({', '.join(unslug(name_move(option)) for option in prompt.options)})" if prompt.options else ""
    return f"     {event.player}: {prompt.text}{answers}"


def _name_match(state: State) -> str:
    """The title, and what differs from what it usually means: "501 (double in · 12 rounds)"."""
    return f"{state.title} ({state.variant.text})" if state.variant else state.title


def render_scoreboard(state: State) -> str:
    """A few lines: the game, every side, whose turn it is or who won."""
    width = max(len(side.name) for side in state.sides)
    place = f"set {state.set}, leg {state.leg}, " if _has_legs(state) else ""
    lines = [f"{_name_match(state)}, {place}round {state.round}"]
    for index, side in enumerate(state.sides):
        mark = "*" if index in state.winners else ">" if index == state.turn.side and state.phase != "over" else " "
        extra = []
        if _has_legs(state):
            extra.append(f"legs {side.legs}" + (f", sets {side.sets}" if side.sets else ""))
        extra += _format_figures(side.detail, state.board.get("rows"))
        if side.out:
            extra.append("out")
        lines.append(f"{mark} {side.name:<{width}} {side.score:>6}  {', '.join(extra)}".rstrip())
    lines.append(_format_status(state))
    return "\n".join(lines)


def format_darts(state: State) -> str:
    """The darts of the visit at the oche: "T20 5 Miss", with "?" for one that the board could not read."""
    return _name_darts([_read_dart(dart) for dart in state.turn.darts], state)


def _read_dart(dart: Dart) -> str:
    """The segment of a dart, "?" where that is not known."""
    return _UNREAD if dart.unread else dart.segment


def _find_darts(event: Event, state: State) -> Iterable[str]:
    """The darts of the visit that this event is about."""
    for visit in (state.turn, state.last):
        if visit is not None and tuple(dart.segment for dart in visit.darts) == event.darts:
            return [_read_dart(dart) for dart in visit.darts]
    return tuple(event.darts)


def _name_darts(segment_ids: Iterable[str], state: State) -> str:
    """The names of beds; with commas between those of several words."""
    names = [name_bed(each, is_split=bool(state.board.get("split_singles"))) for each in segment_ids]
    return (", " if any(" " in name for name in names) else " ").join(names)


def unslug(name: str) -> str:
    """What programs call `low_ton`, as people read it: "low ton"."""
    return name.replace("_", " ")


def _spell_hundreds(points: int) -> str:
    """A score from 100 to 199 in words: "one hundred and forty"."""
    tens, ones = divmod(points - 100, 10)
    small = _ONES[points - 100] if tens < 2 else "-".join(filter(None, (_TENS[tens - 2], _ONES[ones])))
    return f"one hundred and {small}" if small else "one hundred"


def _format_figures(detail: Mapping[str, Any], rows: object) -> list[str]:  # Any: JSON
    """What the game tells of a side, as far as it is short: numbers, words, and the cells of a sheet of `rows`."""
    figures = []
    for name, value in detail.items():
        if name == "average":
            figures.append(f"average {value:.2f}")
        elif isinstance(value, bool):
            figures += [unslug(name)] * value
        elif isinstance(value, int | float | str) and name not in _HIDDEN:
            figures.append(f"{unslug(name)} {unslug(value) if isinstance(value, str) else value}")
        elif isinstance(value, list | tuple) and isinstance(rows, list | tuple) and len(value) == len(rows):
            cells = zip(rows, value, strict=True)
            figures.append(" ".join(f"{unslug(str(row))}:{cell}" for row, cell in cells if cell is not None))
    return figures


def _has_legs(state: State) -> bool:
    """Is this more than a single leg, as far as it can be told from where it stands?"""
    won = any(side.legs or side.sets for side in state.sides)
    return state.leg > 1 or state.set > 1 or (won and state.phase != "over")


def _format_status(state: State) -> str:
    if state.phase == "over":
        names = " and ".join(state.sides[side].name for side in state.winners)
        return paint(f"{names} won.", "green") if state.winners else "No winner."
    if state.phase == "takeout":
        return f"{state.turn.player} threw {format_darts(state)}; pull the darts, then next."
    if state.prompts:
        return f"{state.turn.player} is asked: {state.prompts[0].text}"
    thrown = f", threw {format_darts(state)}" if state.turn.darts else ""
    left = "1 dart left" if state.turn.darts_left == 1 else f"{state.turn.darts_left} darts left"
    return f"{state.turn.player} to throw{thrown}, {left}."
