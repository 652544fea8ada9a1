"""Carries out what the machine is asked for, whoever asks: what does so is loaded when it is first asked."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from types import UnionType
from typing import IO, TYPE_CHECKING, Any, TypeVar, get_args

from daemon.admin import requests
from daemon.admin.answers import BUSY, ENDING, Refused
from daemon.admin.requests import ASKED, Request
from daemon.admin.restored import list_restored
from daemon.admin.temporary import ART, TOURNAMENTS, close_beside
from daemon.config.lights import TRIED
from daemon.config.sections import League
from daemon.journal.errors import StoreError
from daemon.part import Part
from daemon.plugins.profiles import is_file_name
from daemon.rules import Guard
from daemon.sound_packs import SOUNDS
from protocol.sentence import say

if TYPE_CHECKING:
    from daemon.admin.art.shelf import ArtShelf
    from daemon.admin.backup.backups import Backups
    from daemon.admin.boards import Boards
    from daemon.admin.care import Care
    from daemon.admin.clips.clips import Announce, Clips
    from daemon.admin.history.people import People
    from daemon.admin.history.statistics import Statistics
    from daemon.admin.learning.learning import Learning
    from daemon.admin.lights import Lights
    from daemon.admin.players.doubles import FavouriteDoubles
    from daemon.admin.process import WorkerProcess
    from daemon.admin.sending import Sending
    from daemon.admin.settings.settings import Settings
    from daemon.admin.settings.settings_file import SettingsFile
    from daemon.admin.sounds.sounds import Sounds
    from daemon.admin.tournaments.tournaments import Tournaments
    from daemon.board.link import BoardLink
    from daemon.outlets.strip import LendLight
    from daemon.table.table import Table
    from daemon.tournament.desk import Desk
    from daemon.tournament.walls import TellTable
    from daemon.web.auth import Auth

log = logging.getLogger("oche")

C = TypeVar("C")
_ABOUT_FILE = requests.SettingsRequest | requests.CareRequest | requests.BackupRequest | requests.LightRequest
"""What a daemon has only where it runs with a file of settings."""


class Admin(Part):
    """The one place that carries out requests.

    `links` have the boards of the tables, by table. `settings` is the file that the daemon runs with; None: it has
    none. `home_assistant` returns what is announced to Home Assistant. `lend_light` has the daemon leave the light at
    an address alone for a while. `most_clips` are kept; `announce` sends an event to the displays of a table, and
    `tell_walls` what a tournament says of it, also to those that come later. `follow_desk` is called with the desk of
    the tournaments once there is one, and `tell_league` when what the league may know has changed.
    """

    def __init__(
        self,
        auth: Auth,
        folder: Path,
        links: Mapping[str, BoardLink],
        worker: WorkerProcess,
        doubles: FavouriteDoubles,
        settings: SettingsFile | None,
        guard: Guard,
        home_assistant: Callable[[], object],
        lend_light: LendLight,
        most_clips: int,
        announce: Announce,
        tell_walls: TellTable,
        follow_desk: Callable[[Desk], None],
        tell_league: Callable[[], None],
    ) -> None:
        self._auth = auth
        self._folder = folder
        self._links = links
        self._worker = worker
        self._doubles = doubles
        self._settings = settings
        self._guard = guard
        self._home_assistant = home_assistant
        self._lend_light = lend_light
        self._most_clips = most_clips
        self._announce = announce
        self._tell_walls = tell_walls
        self._follow_desk = follow_desk
        self._tell_league = tell_league
        self.desk: Desk | None = None
        """The desk of the tournaments, once there is one."""
        self._loading = asyncio.Lock()
        self._loaded: dict[Callable[[], object], Any] = {}  # Any: what they have returned
        self.is_busy = False
        """Whether what is carried out alone is being carried out, or a backup sent."""
        self._sent: IO[bytes] | None = None
        """The backup that is being sent: the disk may have no room for a second one."""
        self._is_ending = False
        makers: Mapping[UnionType, Callable[[], Any]] = {  # Any: what carries out the requests of a union
            requests.FiguresRequest: self._make_statistics,
            requests.PlayerRequest: self._make_people,
            requests.SettingsRequest: self._make_settings,
            requests.CareRequest: self._make_care,
            requests.BackupRequest: self._make_backups,
            requests.SoundRequest: self._make_sounds,
            requests.ArtRequest: self._make_art,
            requests.ClipRequest: self._make_clips,
            requests.BoardRequest: self._make_boards,
            requests.LightRequest: self._make_lights,
            requests.LearnRequest: self._make_learning,
            requests.TournamentRequest: self._make_tournaments,
            requests.SendingRequest: self._make_sending,
        }
        self._makers = {kind: make for union, make in makers.items() for kind in get_args(union)}

    async def run(self) -> None:
        """Goes on with tournaments, if there are any, and once the daemon runs with what was left to do.

        It puts back lights that were tried, and adds the sound packs and the art of a backup. Runs until cancelled.
        """
        if await asyncio.to_thread((self._folder / TOURNAMENTS).exists):
            try:
                await self.open_desk()
            except Refused as error:  # the first request about tournaments tries it again
                log.error("%s", error.said)
        if self._settings is not None:
            await self._settings.started.wait()
            with suppress(Refused):  # the daemon ends: the next start does it
                if await asyncio.to_thread(lambda: any(self._folder.glob(TRIED))):
                    (await self._load(self._make_lights)).put_back()
                if await asyncio.to_thread(list_restored, self._folder, SOUNDS):
                    await (await self._load(self._make_sounds)).add_restored()
                if await asyncio.to_thread(list_restored, self._folder, ART):
                    await (await self._load(self._make_art)).add_restored()
        await asyncio.get_running_loop().create_future()

    async def check(self, kind: type[Request]) -> None:
        """Waits until the daemon runs with its settings. Raises Refused for a request about them where it has none."""
        if self._settings is not None:
            await self._settings.started.wait()
        elif issubclass(kind, _ABOUT_FILE):
            said = say("settings.none", "this daemon has no configuration to change: start it with oche run")
            raise Refused("unknown", said)

    async def ask(self, request: Request) -> Any:  # Any: the answer, by the request
        """Returns the answer. Raises Refused, SourceError, UserError and OSError."""
        await self.check(type(request))
        self._check_not_ending()
        if ASKED[type(request)].alone:
            return await self._carry_out_alone(request)
        return await self._carry_out(request)

    async def _carry_out_alone(self, request: Request) -> Any:  # Any: as above
        if self.is_busy:
            raise Refused("busy", BUSY, 10)
        self.is_busy = True
        try:
            answer = await self._carry_out(request)
        except BaseException:
            self.is_busy = False
            raise
        if isinstance(request, requests.MakeBackup) and not isinstance(answer.content, bytes):
            self._sent = answer.content
        else:
            self.is_busy = False
        return answer

    async def _carry_out(self, request: Request) -> Any:  # Any: as above
        if isinstance(request, requests.ReadHomeAssistant):
            return self._home_assistant()
        return await (await self._load(self._makers[type(request)])).ask(request)

    def release(self, content: IO[bytes]) -> None:
        """Closes the content of a File, which frees its room on the disk. After a backup the next one can be made."""
        if content is self._sent:
            self._sent, self.is_busy = None, False
        close_beside(content)

    def lacks_board(self) -> bool:
        """Whether no table has been given a board yet, and the settings can give it one."""
        return self._settings is not None and self._settings.started.is_set() and self._settings.lacks_board

    async def close(self) -> None:
        """Ends what goes on, and gives boards back to their tables. What is asked from now on is refused."""
        self._is_ending = True
        async with AsyncExitStack() as stack:  # each is closed, whatever becomes of the others
            for carrier in self._loaded.values():
                if hasattr(carrier, "close"):
                    stack.push_async_callback(carrier.close)

    async def _load(self, make: Callable[[], C]) -> C:
        """Returns what carries out the requests of a union: what is made with the first of them, and kept.

        Its module is loaded beside the event loop: that takes a small machine long. Raises Refused while the daemon
        ends.
        """
        async with self._loading:
            found: C = self._loaded[make] if make in self._loaded else await asyncio.to_thread(make)
            self._check_not_ending()  # it would not be closed any more
            self._loaded[make] = found
            return found

    def _check_not_ending(self) -> None:
        if self._is_ending:
            raise Refused("unavailable", ENDING)

    def _make_statistics(self) -> Statistics:
        from daemon.admin.history.statistics import Statistics  # noqa: PLC0415  loaded when it is first asked, as below

        return Statistics(self._worker)

    def _make_people(self) -> People:
        from daemon.admin.history.people import People  # noqa: PLC0415

        return People(
            *(self._folder, self._list_tables(), self._worker, self._doubles, self._reload_tournaments),
            self._tell_league,
        )

    def _make_settings(self) -> Settings:
        from daemon.admin.settings.settings import Settings  # noqa: PLC0415

        return Settings(self._require_settings(), self._auth, self._folder, self._guard, self._worker)

    def _make_care(self) -> Care:
        from daemon.admin.care import Care  # noqa: PLC0415

        return Care(self._require_settings(), self._folder, self._links, self._worker)

    def _make_backups(self) -> Backups:
        from daemon.admin.backup.backups import Backups  # noqa: PLC0415

        return Backups(self._require_settings(), self._folder, self._worker)

    def _make_sounds(self) -> Sounds:
        from daemon.admin.sounds.sounds import Sounds  # noqa: PLC0415

        return Sounds(self._folder, self._worker)

    def _make_art(self) -> ArtShelf:
        from daemon.admin.art.shelf import ArtShelf  # noqa: PLC0415

        return ArtShelf(self._folder, self._worker)

    def _make_clips(self) -> Clips:
        from daemon.admin.clips.clips import Clips  # noqa: PLC0415

        return Clips(self._folder, self._list_tables(), self._most_clips, self._announce)

    def _make_boards(self) -> Boards:
        from daemon.admin.boards import Boards  # noqa: PLC0415

        return Boards(self._folder, self._links, self._worker, self._list_own_profiles)

    def _make_lights(self) -> Lights:
        from daemon.admin.lights import Lights  # noqa: PLC0415

        return Lights(self._require_settings(), self._folder, self._lend_light)

    def _make_learning(self) -> Learning:
        from daemon.admin.learning.learning import Learning  # noqa: PLC0415

        return Learning(self._folder, self._links)

    def _make_sending(self) -> Sending:
        from daemon.admin.sending import Sending  # noqa: PLC0415

        league = League() if self._settings is None else self._settings.running.league
        return Sending(self._folder, league, self._worker, self._tell_league)

    def owns_ref(self, ref: str) -> bool:
        """Whether a `ref` is of a tournament of this daemon."""
        return self.desk is not None and self.desk.owns(ref)

    async def open_desk(self) -> Desk:
        """The desk of the tournaments, which runs from the first call on. Raises Refused."""
        desk = await self._load(self._make_desk)
        try:
            await desk.start()
        except StoreError as error:
            raise Refused("unavailable", error.said) from None
        if self.desk is None:
            self.desk = desk
            self._follow_desk(desk)
        return desk

    async def _reload_tournaments(self) -> None:
        """Has the desk read again what was changed on the disk. Raises StoreError."""
        if (desk := self._loaded.get(self._make_desk)) is not None:
            await desk.reload()

    def _make_desk(self) -> Desk:
        from daemon.admin.history.seeding import StrengthReader  # noqa: PLC0415
        from daemon.tournament.desk import Desk  # noqa: PLC0415
        from daemon.tournament.own import OwnTables  # noqa: PLC0415
        from daemon.tournament.walls import Walls  # noqa: PLC0415

        tables = self._list_tables()
        layouts = {name: table.codebook.layout for name, table in tables.items()}
        desk = Desk(self._folder, [OwnTables(tables)], layouts, self._guard, StrengthReader(self._worker).read)
        desk.subscribe(Walls(tables, self._tell_walls).show)
        return desk

    def _make_tournaments(self) -> Tournaments:
        from daemon.admin.tournaments.tournaments import Tournaments  # noqa: PLC0415

        return Tournaments(self._folder / TOURNAMENTS, self.open_desk, self._list_tables())

    def _list_tables(self) -> dict[str, Table]:
        return {name: link.table for name, link in self._links.items()}

    def _require_settings(self) -> SettingsFile:
        assert self._settings is not None, "check has refused the request"
        return self._settings

    def _list_own_profiles(self) -> list[str]:
        if self._settings is None or not self._settings.started.is_set():
            return []
        names = [table.profile for table in self._settings.running.table]
        return [str(self._settings.file.parent / name) for name in names if is_file_name(name)]
