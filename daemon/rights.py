"""Who may do what at a table: a seat answers its own questions, and a bot plays its own darts and no others.

A command is judged by where it came from (its `source`: "board", "page", "seat 1", "bot" …). Whether it is legal in the
match is the referee's business, not decided here.
"""

from __future__ import annotations

from engine.match import Match
from protocol.commands import CommandError

BOT = "bot"
"""The source of what bots do."""


def check_answer(match: Match, prompt_id: object, source: str) -> None:
    """A secret question is answered by its own seat alone, and a seat's phone answers its own questions only.

    Raises CommandError.
    """
    prompt = next((p for p in match.position.prompts if prompt_id in (None, p.id)), None)
    if prompt is None:
        return  # the referee says so
    is_bot = match.header.bot(prompt.seat) is not None
    from_seat = source == BOT or source.startswith("seat ")
    if (prompt.secret or from_seat) and source != (BOT if is_bot else f"seat {prompt.seat}"):
        who, where = match.seating.players[prompt.seat], "" if is_bot else ", on the phone of that seat"
        raise CommandError(f"{prompt.id} is answered by {who}{where}", "illegal")


def check_next(match: Match, source: str) -> None:
    """Nobody else closes the visit while a bot has to throw or to answer, however often a button is pressed.

    Raises CommandError.
    """
    position, seat = match.position, match.position.mover
    if source != BOT and position.phase in ("throwing", "deciding") and match.header.bot(seat) is not None:
        raise CommandError(f"{match.seating.players[seat]} goes on by itself", "illegal")


def not_a_dart(match: Match, source: str) -> str | None:
    """Why this is no dart of whoever is at the oche: a bot throws all of its darts itself, and no others."""
    seat = match.position.visit.seat
    is_bot = match.header.bot(seat) is not None and not match.position.over
    if is_bot == (source == BOT):
        return None
    return f"{match.seating.players[seat]} is at the oche" + (", and throws by itself" if is_bot else "")
