"""Carries out the requests about tournaments. Who may ask what is judged before."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec.structs import replace

from daemon.admin import requests
from daemon.admin.answers import Answer, Code, File, Json, Refused
from daemon.admin.players.names import check_name, clean_visible
from daemon.admin.tournaments.newton import Pasted, plan_match, read_message, write_assignment
from daemon.admin.tournaments.photo import MAGIC, read_qr_code
from daemon.admin.tournaments.tables import format_places, format_results
from daemon.admin.tournaments.tournament_file import FileRefused, Head, read_file, write_file
from daemon.errors import UserError
from daemon.journal.errors import StoreError
from engine.tournament.entering import count_most_entrants, count_people
from protocol.commands import CommandError
from protocol.json_depth import check_depth
from protocol.sentence import Refusal, Sentence, get_reason, say, write_said
from protocol.tournament import (
    Begin,
    Change,
    Enter,
    Expectation,
    FoundTable,
    Input,
    Outdated,
    TournamentSpec,
    TournamentSummary,
    TournamentView,
)

if TYPE_CHECKING:
    from daemon.table.table import Table
    from daemon.tournament.desk import Desk
    from daemon.tournament.open_tournament import OpenTournament

OpenDesk = Callable[[], Awaitable["Desk"]]
"""Returns the desk of the tournaments. The first call has it read their file, and makes it."""
_CODES: dict[str, Code] = {"invalid": "invalid", "unknown": "unknown", "unavailable": "unavailable"}
_WAIT_S = 10.0
_CSV = "text/csv; charset=utf-8"
_SEATED = ("knock_out", "double_knock_out", "groups")
"""What nobody enters by the code any more once it is drawn: only the organiser can find a seat."""


class Made(Answer, kw_only=True):
    """The answer once a tournament is made."""

    id: str


class Done(Answer, kw_only=True):
    """The answer once an input is on the disk: the number of its line."""

    line: int


class Listed(Answer, kw_only=True):
    """All tournaments, the latest first."""

    tournaments: list[TournamentSummary]


class FoundTables(Answer, kw_only=True):
    """The tables that a tournament can still be given."""

    tables: list[FoundTable]


class ShownTournament(TournamentView, frozen=True, kw_only=True):
    """A tournament, what tells this view from others, and what its client may."""

    version: str
    role: Literal["organise", "look"] = "look"


class Tournaments:
    """Requests about tournaments. With no `file` of tournaments the desk is opened only to make one.

    `tables` are those of this daemon, by name: at them the matches of others are played, too.
    """

    def __init__(self, file: Path, open_desk: OpenDesk, tables: Mapping[str, Table]) -> None:
        self._file = file
        self._open_desk = open_desk
        self._tables = tables
        self._run = secrets.token_hex(4)
        """Tells the versions of this run from those of others."""

    async def ask(self, request: requests.TournamentRequest) -> Any:  # Any: the answer, by the request
        """Returns the answer. Raises Refused."""
        try:
            return await self._carry_out(request)
        except (FileRefused, UserError) as error:
            raise Refused("invalid", get_reason(error)) from None
        except CommandError as error:
            raise Refused(_CODES.get(error.code, "illegal"), error.said) from None
        except Refusal as error:
            raise Refused("illegal", error.said) from None
        except StoreError as error:
            raise Refused("unavailable", get_reason(error)) from None

    async def _carry_out(self, request: requests.TournamentRequest) -> Any:  # Any: as above
        match request:
            case requests.MakeTournament(content):
                spec = _read(content, TournamentSpec)
                return Made(id=await (await self._open_desk()).make(spec))
            case requests.RestoreTournament(content):
                return Made(id=await self._restore(content))
            case requests.PlanNewTon(table, content):
                return await plan_match(self._tables, table, await _read_text(content))
        if not await asyncio.to_thread(self._file.exists):
            if isinstance(request, requests.ListTournaments):
                return Listed(tournaments=[])
            raise Refused("unknown", say("tournament.unknown", "there is no such tournament on this machine"))
        desk = await self._open_desk()
        if isinstance(request, requests.ListTournaments):
            return Listed(tournaments=[each.summary for each in await desk.list()])
        return await self._ask_one(desk, await desk.find(request.id), request)

    async def _ask_one(
        self, desk: Desk, found: OpenTournament, request: requests.TournamentRequest
    ) -> Any:  # Any: as above
        match request:
            case requests.ReadTournament(since=since):
                return await self._show(found, since)
            case requests.DoInTournament(content=content):
                given = _read(content, Input)
                if isinstance(given, Begin | Outdated) or getattr(given, "attempt", None) is not None:
                    raise Refused("invalid", say("tournament.by_table", "only a table can say that"))
                seen = _read(content, Expectation).seen
                return Done(line=(await desk.do(found.id, _clean(given), "organiser", seen)).number)
            case requests.ProposeDraw():
                return await desk.propose(found.id)
            case requests.FindTables():
                return FoundTables(tables=desk.list_found(found))
            case requests.ReadSignUp():
                return _describe_sign_up(await _read_view(found))
            case requests.SignUp(people=people, name=name):
                given = _make_entry(await _read_view(found), people, name)
                return Done(line=(await desk.do(found.id, given, "sign_up")).number)
            case requests.WriteNewTon(match=match):
                return await asyncio.to_thread(write_assignment, found.tournament, await _read_view(found), match)
            case requests.ReadNewTon(match=match, content=content):
                text = await _read_text(content)
                return read_message(found.tournament, await _read_view(found), match, text)
            case _:
                return await _write_file(found, request)

    async def _show(self, found: OpenTournament, since: str) -> ShownTournament:
        """Returns a tournament; waits for a change where the client has its latest version."""
        version = found.version
        if since == f"{self._run}.{version}":
            with suppress(TimeoutError):
                async with asyncio.timeout(_WAIT_S):
                    while found.version == version:
                        await found.changed.wait()
        view = await _read_view(found)
        return ShownTournament(**{name: getattr(view, name) for name in _SHOWN}, version=f"{self._run}.{found.version}")

    async def _restore(self, content: bytes) -> str:
        """Stores the tournament of a file, or what is missing of it here; returns its id."""
        file = await asyncio.to_thread(read_file, content)
        await (await self._open_desk()).restore(file.head.id, file.head.made_s, file.head.spec, file.lines)
        return file.head.id


_SHOWN = TournamentView.__struct_fields__


def _read(content: bytes, kind: Any) -> Any:  # Any: a type, and a value of it
    """Returns what a body says. Raises Refused."""
    try:
        check_depth(content)
        return msgspec.json.decode(content, type=kind)
    except ValueError as error:
        raise Refused("invalid", get_reason(error)) from None


async def _read_text(content: bytes) -> str:
    """Returns what NewTon's QR code says, of which this is a photograph, or the text as JSON. Raises Refused."""
    if content.startswith(MAGIC):
        return await asyncio.to_thread(read_qr_code, content)
    text: str = _read(content, Pasted).text
    return text


async def _read_view(found: OpenTournament) -> TournamentView:
    """Returns all of a tournament once what is being written is on the disk: who did it looks at what it came to."""
    async with found.writing:
        pass
    return found.view


async def _write_file(found: OpenTournament, request: requests.TournamentRequest) -> File:
    view = await _read_view(found)
    match request:
        case requests.ReadResults():
            return File(f"results-{found.id}.csv", _CSV, b"".join(format_results(view)))
        case requests.ReadPlaces():
            return File(f"places-{found.id}.csv", _CSV, b"".join(format_places(view)))
    kept, lines = found.kept, found.journal.lines[: view.line - 1]
    content = write_file(Head(1, kept.id, kept.made_s, kept.spec), lines)
    return File(f"tournament-{kept.id}.jsonl", "application/x-ndjson", content)


def _clean(given: Input) -> Input:
    """Returns the input with its names as records have them. Raises UserError."""
    if not isinstance(given, Enter | Change):
        return given
    name = clean_visible(given.name) if given.name else given.name
    people = None if given.people is None else tuple(map(check_name, given.people))
    return replace(given, name=name, people=people)


def _find_obstacle(view: TournamentView) -> Sentence | None:
    """Returns why nobody can sign up; None: people can."""
    if view.phase == "over":
        return say("tournament.sign_up_over", "this tournament is over")
    if view.phase != "sign_up" and view.spec.kind in _SEATED:
        return say("tournament.sign_up_drawn", "the draw is made: ask the organiser for a place")
    if sum(not each.left and not each.members for each in view.entrants) >= count_most_entrants(view.spec):
        return say("tournament.sign_up_full", "this tournament is full")
    return None


def _make_entry(view: TournamentView, people: tuple[str, ...], name: str) -> Enter:
    """Returns what enters these people, in a tournament of teams by the name of theirs.

    Raises Refused, and UserError for a name that nobody can have.
    """
    if why := _find_obstacle(view):
        raise Refused("illegal", why)
    team = clean_visible(name) if name and view.spec.slots else ""
    return Enter(tuple(map(check_name, people)), team, confirmed=not view.spec.confirm)


def _describe_sign_up(view: TournamentView) -> Json:
    """Returns what people are told who want to enter: `side` is how many enter together, `why` is why they cannot."""
    why, spec = _find_obstacle(view), view.spec
    least, most = count_people(spec)
    entered = [each for each in view.entrants if not each.left and not each.members]
    return {
        "v": 1,
        "id": view.id,
        "name": spec.name,
        "kind": spec.kind,
        "phase": view.phase,
        "side": least if spec.slots else most,
        "team": bool(spec.slots),
        "confirm": spec.confirm,
        "open": why is None,
        **write_said("why", why),
        "entrants": [{"name": each.name, "people": each.people, "confirmed": each.confirmed} for each in entered],
    }
