"""The players: those known here, their profiles, and changes of their names."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from functools import partial
from pathlib import Path

from daemon.admin import requests
from daemon.admin.answers import Answer, Json, Picture, Refused, Sound
from daemon.admin.clips.clip_files import remove_clips_of
from daemon.admin.clips.clips import list_people
from daemon.admin.history.forget import (
    Forgotten,
    find_keys,
    has_player,
    tell_league_to_forget,
    write_neutral_names,
)
from daemon.admin.history.known_players import KnownPlayer, MeasuredPlayer, change_player, list_known_players
from daemon.admin.players.book import PlayerBook
from daemon.admin.players.doubles import FavouriteDoubles
from daemon.admin.players.player_files import PlayerRefused
from daemon.admin.process import FindScatters, ForgetMatches, WorkerProcess
from daemon.admin.turn import finish_in_turn
from daemon.errors import UserError
from daemon.table.table import Table
from protocol.commands import CommandError
from protocol.match_spec import write_header
from protocol.player_names import name_key
from protocol.player_words import can_be_model, find_model
from protocol.sentence import Sentence, say


class People:
    """Requests about players.

    `doubles` and `tell_league` are notified of changes, and `reload` has tournaments read again.
    """

    def __init__(
        self,
        folder: Path,
        tables: Mapping[str, Table],
        worker: WorkerProcess,
        doubles: FavouriteDoubles,
        reload: Callable[[], Awaitable[None]],
        tell_league: Callable[[], None],
    ) -> None:
        self._folder = folder
        self._book = PlayerBook(folder)
        self._tables = tables
        self._worker = worker
        self._doubles = doubles
        self._reload = reload
        self._tell_league = tell_league
        self._changing = asyncio.Lock()
        """Held while the book or the current matches are changed; not while the history is read, which takes long."""
        self._forgetting: set[asyncio.Task[Json]] = set()

    async def ask(
        self, request: requests.PlayerRequest
    ) -> list[KnownPlayer] | list[MeasuredPlayer] | Picture | Answer | Json:
        """Returns the answer. Raises Refused."""
        try:
            match request:
                case requests.ListPlayers():
                    return await asyncio.to_thread(list_known_players, self._folder)
                case requests.ListMeasured():
                    return await self._list_measured()
                case requests.ReadPicture() | requests.ReadRecordedName():
                    return await self._read_file(request)
                case requests.ForgetPlayer():
                    return await (self._forget(request.name) if request.sure else self._count(request.name))
            await finish_in_turn(self._changing, partial(self._change, request))
        except PlayerRefused as error:
            raise Refused("invalid", error.said) from None
        except UserError as error:
            raise Refused("unavailable", str(error)) from None
        except CommandError as error:
            raise Refused(error.code, error.said) from None
        return Answer()

    async def _read_file(self, request: requests.ReadPicture | requests.ReadRecordedName) -> Picture | Sound:
        match request:
            case requests.ReadPicture(picture):
                if (found := await asyncio.to_thread(self._book.read_picture, picture)) is None:
                    raise Refused("unknown", "there is no such picture")
                return Picture(picture, *found)
            case requests.ReadRecordedName(recorded_name):
                if (found := await asyncio.to_thread(self._book.read_recorded_name, recorded_name)) is None:
                    raise Refused("unknown", "there is no such recording")
                return Sound(recorded_name, *found)

    async def _list_measured(self) -> list[MeasuredPlayer]:
        """Returns the players of whom enough is known, by the names that they have now."""
        scatters = self._doubles.scatters
        if not scatters.is_read:
            scatters.learn(await self._worker.read(FindScatters()))
        shown = self._doubles.aliases
        measured = sorted((each for each in scatters.items() if each[1].is_enough), key=lambda each: each[1].darts)
        found = {shown.get(name_key(name), name): scatter for name, scatter in measured}
        return [MeasuredPlayer(name, found[name]) for name in sorted(found, key=name_key) if can_be_model(name)]

    async def close(self) -> None:
        """Breaks off what waits for the history: a player whose forgetting was cut off can be forgotten again."""
        for task in self._forgetting:
            task.cancel()
        if self._forgetting:
            await asyncio.wait(self._forgetting)

    async def _change(self, request: requests.BookChange) -> None:
        await asyncio.to_thread(change_player, self._folder, request)
        if isinstance(request, requests.ChangePlayer | requests.MergePlayers):  # who said no may have another name now
            await self._remove_unfilmed()
        await asyncio.to_thread(self._doubles.read)
        self._tell_league()

    async def _count(self, name: str) -> Json:
        keys = await self._find_keys(name)
        at_tables = await self._forget_at_tables(keys, is_sure=False)
        forgotten = await self._forget_history(keys, is_sure=False)
        self._check_not_playing(keys)  # a match has begun meanwhile
        return self._describe_forgotten(keys, at_tables, forgotten)

    async def _forget(self, name: str) -> Json:
        """Once its turn has come it goes on without the client, for half of it would be of no use to the player."""
        await self._changing.acquire()
        task = asyncio.create_task(self._forget_in_turn(name), name="forgetting a player")
        self._forgetting.add(task)
        task.add_done_callback(self._note_forgotten)
        return await asyncio.shield(task)

    def _note_forgotten(self, task: asyncio.Task[Json]) -> None:
        self._forgetting.discard(task)
        if not task.cancelled():
            task.exception()  # its client has been told, or has gone

    async def _forget_in_turn(self, name: str) -> Json:
        try:
            keys = await self._find_keys(name)
            await asyncio.to_thread(self._book.add, name)  # so that it can be repeated when it is cut off
            has_league = await asyncio.to_thread(tell_league_to_forget, self._folder, name)
            self._tell_league()  # what is read of matches from now on does not have the name
            at_tables = await self._forget_at_tables(keys, is_sure=True)
        finally:
            self._changing.release()
        forgotten = await self._forget_history(keys, is_sure=True)
        async with self._changing:
            if not await self._find_keys(name) <= keys:  # else one is deleted whom the player was merged into
                said = say("players.changed", "{name} was merged meanwhile: check who {name} is now", name=name)
                raise Refused("illegal", said)
            await asyncio.to_thread(self._book.remove, name)
            self._doubles.forget_scatters(keys)
            await asyncio.to_thread(self._doubles.read)
        self._tell_league()
        told = self._describe_forgotten(keys, at_tables, forgotten)
        return {**told, "league": True} if has_league else told

    async def _find_keys(self, name: str) -> frozenset[str]:
        """Returns the keys of all names of this player, who can be forgotten now. Raises Refused and UserError."""
        keys = await asyncio.to_thread(find_keys, self._folder, name)
        self._check_not_playing(keys)
        return keys

    async def _forget_history(self, keys: frozenset[str], *, is_sure: bool) -> Forgotten:
        forgotten: Forgotten = await self._worker.read(ForgetMatches(tuple(keys), not is_sure, tuple(self._tables)))
        if is_sure:
            await self._reload()
        return forgotten

    def _describe_forgotten(self, keys: frozenset[str], at_tables: int, forgotten: Forgotten) -> Json:
        first = {name_key(find_model(name) or name) for table in self._tables.values() for name in table.config.players}
        configured = not first.isdisjoint(keys) or self._doubles.has_configured(keys)
        return {"v": 1, "matches": at_tables + forgotten.matches, "left": forgotten.left, "configured": configured}

    async def _forget_at_tables(self, keys: Collection[str], *, is_sure: bool) -> int:
        """In how many current matches the player is; with `is_sure` no more. Raises CommandError."""
        count = 0
        for table in self._tables.values():
            if _is_at(table, keys):
                is_in_match = has_player(write_header(table.match.header), keys)
                count += is_in_match
                if is_sure:
                    filmed = {table.match_id} if is_in_match else ()
                    await asyncio.to_thread(remove_clips_of, self._folder, filmed)
                    await table.rewrite_header(partial(write_neutral_names, keys=keys))
                    await asyncio.to_thread(remove_clips_of, self._folder, filmed)  # what came in between
        return count

    async def _remove_unfilmed(self) -> None:
        """Deletes the clips of the current matches in which one plays who is not to be filmed."""
        unwilling = await asyncio.to_thread(self._book.list_unfilmed)
        found = {
            table.match_id
            for table in self._tables.values()
            if not unwilling.isdisjoint(map(name_key, list_people(table)))
        }
        await asyncio.to_thread(remove_clips_of, self._folder, found)

    def _check_not_playing(self, keys: Collection[str]) -> None:
        """Raises Refused while the player of these keys cannot be forgotten."""
        for table in self._tables.values():
            if _is_at(table, keys) and not table.match.position.over:
                raise Refused("illegal", _say_playing(table, keys))


def _is_at(table: Table, keys: Collection[str]) -> bool:
    """Whether the current match or the plan of the next one at this table has the player, or a bot that throws so."""
    return has_player(write_header(table.match.header), keys) or any(
        name_key(find_model(name) or name) in keys for name in table.committed.plan.players
    )


def _say_playing(table: Table, keys: Collection[str]) -> Sentence:
    header = table.match.header
    thrown_like = [each.player for each in (*(header.like or ()), *(header.ghosts or ())) if each is not None]
    planned = [find_model(name) or name for name in table.committed.plan.players]
    names = (*table.match.seating.players, *filter(None, thrown_like), *planned)
    return say(
        "refused.still_playing",
        "{name} plays at the table {table}, or in its next match: end that match first",
        name=next((name for name in names if name_key(name) in keys), ""),
        table=table.title,
    )
