"""Matches that go to a tablet with NewTon and come back, and those of NewTon that are played at our tables.

protocol/newton.py has the messages.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import fields, replace

from daemon.admin.answers import Answer, Json, Refused
from engine.tournament.match_header import make_header
from engine.tournament.state import Tournament
from protocol.commands import ChangePlan
from protocol.match_spec import Wanted
from protocol.newton import (
    Assignment,
    NewtonResult,
    assign,
    check_result,
    decode,
    encode,
    name_matches,
    plan,
    read_result,
)
from protocol.sentence import Refusal, say, write_sentence
from protocol.tournament import EMPTY, MatchView, TournamentView

if TYPE_CHECKING:
    from daemon.table.table import Table


class Written(Answer, kw_only=True):
    """The text of the QR code."""

    text: str


class Pasted(Struct, frozen=True, forbid_unknown_fields=True):
    """What the QR code says, as a person pastes it or a scanner types it."""

    text: str


def write_assignment(tournament: Tournament, view: TournamentView, match: str) -> Written:
    """Returns the text that hands a match over. Raises Refusal."""
    return Written(text=encode(_assign(tournament, view, _find(view, match))))


def read_message(tournament: Tournament, view: TournamentView, match: str, text: str) -> Json:
    """Returns the result in this text, and what does not add up in it. Raises Refusal."""
    found = _find(view, match)
    message = decode(text)
    if not isinstance(message, NewtonResult):
        raise Refusal(say("tournament.newton_no_result", "this is a match that was handed over, not its result"))
    remarks = check_result(message, _assign(tournament, view, found))
    result = read_result(message, match, found.sides)
    return {"v": 1, "result": result, "remarks": [write_sentence(each) for each in remarks]}


async def plan_match(tables: Mapping[str, Table], name: str, text: str) -> Json:
    """Plans the match that this text hands over, as the next one of a table. Raises Refusal, Refused, CommandError."""
    if (table := tables.get(name)) is None:
        raise Refused("unknown", f"there is no table {name!r}")
    message = decode(text)
    if not isinstance(message, Assignment):
        raise Refusal(say("tournament.newton_no_assignment", "this is the result of a match, not a match to be played"))
    spec = plan(message)
    await table.command(ChangePlan(Wanted(**{each.name: getattr(spec, each.name) for each in fields(spec)})), "page")
    told = {"players": spec.players, "start": message.sc, "legs": spec.format.legs, "rounds": message.mr}
    return {"v": 1, "table": name, **told}


def _find(view: TournamentView, match: str) -> MatchView:
    found = next((each for each in view.matches if each.id == match), None)
    if found is None:
        raise Refused("unknown", say("tournament.no_match", "there is no match {given}", given=match))
    return found


def _assign(tournament: Tournament, view: TournamentView, match: MatchView) -> Assignment:
    """Returns the match as NewTon has it, its players in the order of its sides."""
    header = make_header(tournament, match.id, "")
    if len(header.players) == 2:
        header = replace(header, players=tuple(people[0] for people in tournament.find_people(match.id)))
    writer = next((each.name for each in view.entrants if each.id == match.writer != EMPTY), "")
    names: Sequence[str | None] = [table.name for table in view.tables]
    return assign(
        header,
        mid=name_matches(view.matches)[match.id],
        tid=view.id,
        # The same on each machine where the tournament goes on: a tablet may have its match from another one.
        sid=hashlib.sha256(f"{view.id} {view.spec.seed}".encode()).hexdigest()[:12],
        ts=int(time.time()),
        lane=names.index(match.table) + 1 if match.table in names else 1,
        writer=writer,
    )
