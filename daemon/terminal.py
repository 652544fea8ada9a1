"""The match as it goes, on a terminal: a line a visit, and the scoreboard at the end."""

from __future__ import annotations

import click

from daemon.scoreboard import scoreboard
from daemon.updates import Update
from protocol.messages import Event, State


class Terminal:
    """An Outlet that prints, as long as somebody reads it."""

    def __init__(self) -> None:
        self._is_read = True

    def publish(self, update: Update) -> None:
        """Prints what is worth a line."""
        if self._is_read:
            try:
                self._print(update)
            except BrokenPipeError:  # as in `oche play | head`: the match goes on without it
                self._is_read = False

    def _print(self, update: Update) -> None:
        for event in update.events:
            if update.state is not None:
                line = _line(event, update.state)
                if line:
                    click.echo(line)
        if update.notice:
            click.echo(f"! {update.notice}")
        if update.state is not None and update.state.phase == "over":
            click.echo(f"\n{scoreboard(update.state)}")


def _line(event: Event, state: State) -> str | None:
    match event.event_type:
        case "visit" if isinstance(event.side, int) and isinstance(event.darts, tuple):
            side = state.sides[event.side]
            return f"{state.round:>3}  {side.name:<12} {' '.join(event.darts):<16} {event.points:>4} {side.score:>6}"
        case "bust" | "halved" | "eliminated" | "leg_won" | "set_won":
            return f"     {event.player}: {event.event_type.replace('_', ' ')}"
        case "prompt":
            return _question(event, state)
        case "award":
            return f"     {event.player}: {event.award}!"
    return None


def _question(event: Event, state: State) -> str | None:
    """What somebody is asked, and the answers everybody may see; nothing when it is answered already."""
    prompt = next((each for each in state.prompts if each.id == event.id), None)
    if prompt is None:
        return None
    answers = f" ({', '.join(prompt.options)})" if prompt.options else ""
    return f"     {prompt.id}, {event.player}: {prompt.text}{answers}"
