"""The players on the web: who is known here, what they say of themselves, and what is done with their names.

    GET  /api/players                     a list of KnownPlayer, the latest first
    GET  /api/players/picture/ID          a picture, a file
    POST /api/players                     {"name": "Ann", "nickname": "Ace"}: some fields of a profile
    POST /api/players/picture?name=Ann    the picture itself as the body, "" removes it
    POST /api/players/rename              {"name": "Ann", "to": "Annie"}
    POST /api/players/merge               {"name": "Anna", "to": "Ann"}
    POST /api/players/split               {"name": "Anna"}
    POST /api/players/forget              {"name": "Ann", "sure": true}; without `sure` nothing is done

The last four need the role "setup".
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping
from functools import partial
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct

from daemon.admin.history.forget import Forgotten, find_keys, has_player, write_neutral_names
from daemon.admin.history.known_players import list_known_players
from daemon.admin.history.players import list_recorded_names
from daemon.admin.history.process import HistoryProcess
from daemon.admin.players.book import Book, PlayerRefused, ProfileChange
from daemon.admin.players.doubles import FavouriteDoubles
from daemon.errors import UserError
from daemon.http.messages import (
    HttpRequest,
    HttpResponse,
    Route,
    answer_text,
    pack_json,
    read_body,
    respond_error,
    respond_json,
)
from daemon.table.table import Table
from protocol.commands import CommandError
from protocol.match_spec import write_header
from protocol.player_names import name_key
from protocol.sentence import Sentence, say

T = TypeVar("T")


class _Change(Struct, forbid_unknown_fields=True):
    name: str
    to: str


class _Name(Struct, forbid_unknown_fields=True):
    name: str
    sure: bool = False


class PlayerPages:
    """What is asked and said of players. `doubles` are told of changes."""

    def __init__(
        self, folder: Path, tables: Mapping[str, Table], history: HistoryProcess, doubles: FavouriteDoubles
    ) -> None:
        self._folder = folder
        self._book = Book(folder)
        self._tables = tables
        self._history = history
        self._doubles = doubles
        self.routes = [
            Route("GET", "/api/players", self._list_players),
            Route("GET", "/api/players/picture/{picture}", self._get_picture),
            Route("POST", "/api/players", self._change),
            Route("POST", "/api/players/picture", self._set_picture),
            Route("POST", "/api/players/rename", self._rename),
            Route("POST", "/api/players/merge", self._merge),
            Route("POST", "/api/players/split", self._split),
            Route("POST", "/api/players/forget", self._forget),
        ]

    async def _list_players(self, request: HttpRequest) -> HttpResponse:
        try:
            found = await asyncio.to_thread(list_known_players, self._folder)
        except UserError as error:
            return _refuse(error)
        return (await pack_json(found)).respond(request)

    async def _get_picture(self, request: HttpRequest) -> HttpResponse:
        picture = request.params["picture"]
        try:
            found = await asyncio.to_thread(self._book.read_picture, picture)
        except UserError as error:
            return _refuse(error)
        if found is None:
            raise answer_text(404, "there is no such picture")
        response = HttpResponse(found[1], found[0])
        response.headers |= {"ETag": f'"{picture}"', "Content-Security-Policy": "default-src 'none'; sandbox"}
        if f'"{picture}"' in request.header("if-none-match"):
            response.status = 304
        return response

    async def _change(self, request: HttpRequest) -> HttpResponse:
        return await self._write(request, ProfileChange, self._book.change)

    async def _set_picture(self, request: HttpRequest) -> HttpResponse:
        name = request.query.get("name", "")
        return await self._store(partial(self._book.set_picture, name, request.body))

    async def _rename(self, request: HttpRequest) -> HttpResponse:
        def rename(wanted: _Change) -> None:
            self._book.rename(wanted.name, wanted.to, list_recorded_names(self._folder))

        return await self._write(request, _Change, rename)

    async def _merge(self, request: HttpRequest) -> HttpResponse:
        return await self._write(request, _Change, lambda wanted: self._book.merge(wanted.name, wanted.to))

    async def _split(self, request: HttpRequest) -> HttpResponse:
        return await self._write(request, _Name, lambda wanted: self._book.split(wanted.name))

    async def _write(self, request: HttpRequest, kind: type[T], change: Callable[[T], None]) -> HttpResponse:
        try:
            wanted = read_body(request.body, kind)
        except ValueError as error:
            return respond_error(400, "invalid", str(error))
        return await self._store(partial(change, wanted))

    async def _store(self, change: Callable[[], None]) -> HttpResponse:
        try:
            await asyncio.to_thread(change)
            await asyncio.to_thread(self._doubles.read)
        except UserError as error:
            return _refuse(error)
        return respond_json({"v": 1})

    async def _forget(self, request: HttpRequest) -> HttpResponse:
        try:
            wanted = read_body(request.body, _Name)
            keys = await asyncio.to_thread(find_keys, self._folder, wanted.name)
            if (why := self._explain_playing(keys)) is not None:
                return respond_error(409, "illegal", why)
            if wanted.sure:  # so that it can be repeated when it is cut off
                await asyncio.to_thread(self._book.add, wanted.name)
            at_tables = await self._forget_at_tables(keys, is_sure=wanted.sure)
            found = await self._history.ask("forget_player", keys, not wanted.sure, [*self._tables])
            assert found is not None
            forgotten = msgspec.json.decode(found, type=Forgotten)
            if (why := self._explain_playing(keys)) is not None:  # a match has begun meanwhile
                return respond_error(409, "illegal", why)
            if wanted.sure:
                await asyncio.to_thread(self._book.remove, wanted.name)
                await asyncio.to_thread(self._doubles.read)
        except ValueError as error:
            return respond_error(400, "invalid", str(error))
        except CommandError as error:
            return respond_error(503 if error.code == "unavailable" else 409, error.code, error.said)
        except UserError as error:
            return _refuse(error)
        first = {name_key(name) for table in self._tables.values() for name in table.config.players}
        configured = not first.isdisjoint(keys) or self._doubles.has_configured(keys)
        told = {"v": 1, "matches": at_tables + forgotten.matches, "left": forgotten.left, "configured": configured}
        return respond_json(told)

    async def _forget_at_tables(self, keys: Collection[str], *, is_sure: bool) -> int:
        """In how many matches at hand the player is; with `is_sure` no more. Raises CommandError."""
        count = 0
        for table in self._tables.values():
            if _is_at(table, keys):
                count += has_player(write_header(table.match.header), keys)
                if is_sure:
                    await table.rewrite_header(partial(write_neutral_names, keys=keys))
        return count

    def _explain_playing(self, keys: Collection[str]) -> Sentence | None:
        """Why the player of these keys cannot be forgotten now; None: it is possible."""
        for table in self._tables.values():
            if _is_at(table, keys) and not table.match.position.over:
                return say(
                    "refused.still_playing",
                    "{name} plays at the table {table}, or is planned for its next match: end the match first",
                    name=_name_at(table, keys),
                    table=table.title,
                )
        return None


def _is_at(table: Table, keys: Collection[str]) -> bool:
    """Whether the match at hand or the plan of the next one at this table has the player."""
    return has_player(write_header(table.match.header), keys) or any(
        name_key(name) in keys for name in table.committed.plan.players
    )


def _name_at(table: Table, keys: Collection[str]) -> str:
    names = (*table.match.seating.players, *table.committed.plan.players)
    return next((name for name in names if name_key(name) in keys), "")


def _refuse(error: UserError) -> HttpResponse:
    if isinstance(error, PlayerRefused):
        return respond_error(400, "invalid", error.said)
    return respond_error(503, "unavailable", str(error))
