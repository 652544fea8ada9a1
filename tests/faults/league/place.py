"""A place of a league: a daemon with its tables, and people who play short matches there until it closes.

They correct what they have entered, also when the match is over; one is renamed, and one is forgotten. When an old
backup was put back they rename and forget once more, and in the end fetch what the league knows more of.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

import msgspec

from daemon.admin.players.book import PlayerBook
from daemon.journal.lines import StoredMatch
from daemon.league.store import LeagueStore
from protocol.codebook import shipped
from protocol.player_names import name_key
from simulator.pty_board import PtyBoard
from tests.daemon.process import PATIENCE_S, configure, run, segment
from tests.faults.league.disks import SmallDisk
from tests.faults.league.journals import find_latest, read_acknowledged, read_matches, write_record
from tests.faults.tournament.hall import Gone, Hall, Screen

JSON = dict[str, Any]  # Any: JSON
_GAMES: Sequence[JSON] = (
    {"game": "x01", "options": {"start": 101, "out": "straight"}},
    {"game": "count_up", "options": {"rounds": 1}},
)
_TABLE = '[[table]]\nname = "{name}"\nboard = "serial:{folder}/{name}"\nprofile = "quick.toml"\n{more}'


SENDING_S = 600
"""A daemon says again what was not answered every five minutes."""
_REST_S = 6.0
"""Between matches. Played one after the other by a machine, they would be too many for one daemon to send meanwhile."""


class Regulars(Screen):
    """Who plays at one table. `matches` counts what they have begun."""

    matches = 0
    corrections = 0
    has_begun = True
    """A match, since the daemon's backup was put back: the one before can be fetched."""
    _rested = ""
    _corrected = ""
    _is_last = False

    async def play(self) -> None:
        """Plays one match after the other, until the place is closed; the last one is corrected when it was sent."""
        place = self._hall
        assert isinstance(place, Place)
        while True:
            await place.is_up.wait()
            shown, seen = self.now.get("state"), self._count
            if shown is None or self.now.get("board", {}).get("state") != "online" or self._is_in_trouble:
                await self._until(lambda: self._count != seen)  # noqa: B023
            elif shown["phase"] != "over":
                self._throw(shown)
                async with asyncio.timeout(PATIENCE_S):
                    await self._until(lambda: self._at != (shown["match"], shown["line"]) or self._is_in_trouble)  # noqa: B023
            elif self._rested != shown["match"]:
                self._rested = shown["match"]
                await asyncio.sleep(self._rng.uniform(0, _REST_S))
            elif place.is_backup_wanted:
                place.is_backup_wanted = False
                await place.back_up()
                await self._correct_once(place, shown)
            elif self._corrected != shown["match"] and self._rng.random() < 0.2:
                await self._correct_once(place, shown)
            elif not place.is_closed or not self.has_begun:
                await self._begin(place, shown)
            elif self._is_last:
                return
            else:  # the league has this match before it is corrected
                self._is_last = True
                await place.until_taken(shown["match"])
                self.corrections += 1
                await self._correct(place)

    async def _begin(self, place: Place, shown: JSON) -> None:
        players = self._rng.sample(place.players, 2)
        body = {**self._rng.choice(_GAMES), "players": players, "at": shown["line"]}
        with suppress(Gone):
            status, said = await place.ask("POST", f"/api/table/{self.table}/start", body)
            assert status in (200, 409, 503), said  # 409: it has begun by a start whose answer did not come
            if status == 503:  # its disk is full
                await asyncio.sleep(0.1)
                return
            self.matches += status == 200
            self.has_begun = self.has_begun or status == 200
        async with asyncio.timeout(PATIENCE_S):
            await self._until(lambda: self._at != (shown["match"], shown["line"]))

    async def _correct_once(self, place: Place, shown: JSON) -> None:
        self._corrected = shown["match"]
        self.corrections += 1
        await self._correct(place)

    async def _correct(self, place: Place) -> None:
        """Takes the last dart of a match back that was over, or says what the first one was."""
        before = self._at
        command, body = self._rng.choice((("undo", {}), ("amend", {"amend": 2, "throw": "O1"})))
        status = 0
        with suppress(Gone):
            status, _ = await place.ask("POST", f"/api/table/{self.table}/{command}", body)
        if status == 200:
            async with asyncio.timeout(PATIENCE_S):
                await self._until(lambda: self._at != before)

    @property
    def _is_in_trouble(self) -> bool:
        """The disk is full: no dart counts."""
        return bool(self.now.get("board", {}).get("trouble"))

    def _throw(self, state: JSON) -> None:
        if state["phase"] == "takeout":
            assert self.board.press("next")
        elif state["turn"]["darts"] and self._rng.random() < 0.03:
            assert self.board.press("undo")
        else:
            left = state["sides"][state["turn"]["side"]]["score"]
            is_close = state["game"] == "x01" and 0 < left <= 20
            chosen = f"O{left}" if is_close else self._rng.choice(("T20", "O20", "T17", "D16", "O5"))
            assert self.board.hit(segment(chosen))
            self._hall.darts += 1


class Place(Hall):
    """`players` are those who play at present. Its tables and players have names that no other place has.

    It has a `disk` of its own, if this user may mount one. `lost` are the matches that it had before backups were put
    back, and `acknowledged` those of them that the league had taken; `cut` has the records that it had taken of matches
    whose beginning came back. `redone` are the matches that went on another way then, perhaps; `fetched` counts those
    whose end was fetched.
    """

    def __init__(
        self,
        file: Path,
        boards: dict[str, PtyBoard],
        rng: Random,
        players: list[str],
        env: dict[str, str],
        disk: SmallDisk | None,
    ) -> None:
        super().__init__(file, boards, rng, Regulars, env)
        self.players = players
        self.disk = disk
        self.is_closed = False
        self.is_backup_wanted = False
        self.backup: Path | None = None
        self.restores = 0
        self.fetched = 0
        self.lost = dict[tuple[str, str], StoredMatch]()
        self.acknowledged = set[tuple[str, str]]()
        self.cut = dict[tuple[str, str], bytes]()
        self.redone = set[str]()
        self.folder = file.parent / "state"
        self._forgotten: str | None = None

    @property
    def bridge_id(self) -> UUID:
        """What the league knows it by."""
        return UUID((self.folder / "bridge.uuid").read_text(encoding="ascii").strip())

    @property
    def regulars(self) -> list[Regulars]:
        """Who plays, by tables."""
        return [each for each in self.screens.values() if isinstance(each, Regulars)]

    async def rename(self, number: int) -> None:
        """Gives one of the players a name of this number."""
        name = self.players[0]
        to = f"{name.split()[0]} {number}"
        if await self._change("rename", {"name": name, "to": to}):
            self.players[0] = to

    async def forget(self) -> None:
        """Has the last one of the players forgotten, who plays no more."""
        self._forgotten = self.players.pop()
        await self.forget_again()

    async def forget_again(self) -> None:
        """Has that player forgotten, also where an old backup has the name again."""
        name = self._forgotten
        while name is not None and not await self._change("forget", {"name": name, "sure": True}):  # noqa: ASYNC110  nothing says when
            await asyncio.sleep(0.2)  # who is in a match is not forgotten yet

    async def _change(self, what: str, body: JSON) -> bool:
        with suppress(Gone):
            status, said = await self.ask("POST", f"/api/players/{what}", body)
            assert status in (200, 409, 503), said  # 503: its disk is full
            return status == 200
        return False

    async def back_up(self) -> None:
        """Makes a backup, which may be put back later."""
        file = self._file.parent / "backup.tar.gz"
        done = await run("backup", file, "--force", "--config", self._file)
        assert done.process.returncode == 0, done.errors
        self.backup = file

    async def put_back(self) -> None:
        """Puts the backup in the place of what there is, and names the players as they were named."""
        assert self.backup is not None
        self.restores += 1
        former = self._file.parent / f"former-{self.restores}"
        await asyncio.to_thread(shutil.copytree, self.folder, former)
        done = await run("restore", self.backup, "--config", self._file)
        assert done.process.returncode == 0, done.errors
        for parent in (self.folder, self._file.parent):
            for aside in parent.glob("*before-restore-*"):
                await asyncio.to_thread(shutil.rmtree, aside)
        here = await asyncio.to_thread(read_matches, self.folder)
        before = await asyncio.to_thread(read_matches, former)
        taken = await asyncio.to_thread(read_acknowledged, former)
        self.lost |= {key: stored for key, stored in before.items() if key not in here}
        self.acknowledged |= self.lost.keys() & taken.keys()
        for key in here.keys() & taken.keys():
            text = write_record(before[key])
            if len(here[key].lines) < len(before[key].lines) and hashlib.sha256(text).hexdigest() == taken[key]:
                self.cut[key] = text
        self.redone |= find_latest(here)
        for regulars in self.regulars:
            regulars.has_begun = False
        await self._rename_again(PlayerBook(former))
        await asyncio.to_thread(shutil.rmtree, former)

    async def _rename_again(self, book: PlayerBook) -> None:
        """Gives players the names that they have in this book."""
        for player in book.list_players():
            for name in player.names:
                shown = PlayerBook(self.folder).read_names().get(name)
                if name_key(shown) != name_key(player.name):
                    done = await run("players", "rename", shown, player.name, "--yes", "--config", self._file)
                    assert done.process.returncode in (0, 2), done.errors

    async def read_sending(self) -> JSON:
        """How it stands with the league. Raises Gone."""
        status, said = await self.ask("GET", "/api/league/sending")
        assert status == 200, said
        found: JSON = msgspec.json.decode(said)
        return found

    async def fetch(self) -> None:
        """Fetches what the league knows more of, until that is nothing."""
        while not await self.is_sent() or (await self.read_sending())["known_more"]:
            if (await self.read_sending())["known_more"]:
                done = await run("history", "fetch", "--config", self._file)
                assert "Traceback" not in done.errors, done.errors
                self.fetched += done.output.count(" added\n")
            await asyncio.sleep(0.5)

    async def until_taken(self, match: str) -> None:
        """Waits until the league has taken this match."""
        async with asyncio.timeout(SENDING_S):
            while (match, "league") not in (await asyncio.to_thread(LeagueStore(self.folder).read)).taken:  # noqa: ASYNC110
                await asyncio.sleep(0.2)

    async def is_sent(self) -> bool:
        """Whether the league has answered to everything."""
        with suppress(Gone):
            found = await self.read_sending()
            assert not found["not_taken"], found
            return bool(found["waiting"] == 0 and found["forgetting"] == 0)
        return False


@asynccontextmanager
async def open_place(
    folder: Path,
    brokers: Sequence[str],
    rng: Random,
    tables: int,
    env: Mapping[str, str],
    disk: SmallDisk | None,
    pages: str,
) -> AsyncIterator[Place]:
    """A place of this name with so many tables, whose daemon finds its broker at these addresses in turn.

    Its state folder is there, on this disk. The league has its pages at the address `pages`.
    """
    (folder / "token").write_text("none yet", encoding="ascii")
    name = folder.name
    names = [f"{name}-{number}" for number in range(1, tables + 1)]
    players = [f"{who}{name}" for who in ("ann", "bo", "cy", "di", "ed")]
    async with AsyncExitStack() as stack:
        boards = {each: PtyBoard(shipped("opendarts"), folder / each) for each in names}
        for board in boards.values():
            await stack.enter_async_context(board)
        short = "options = { start = 101, out = 'straight' }"
        more = [_TABLE.format(name=each, folder=folder, more=f"players = {players[:2]}\n{short}") for each in names[1:]]
        league = f'[league]\non = true\nsince = "2000-01-01"\nurl = "{pages}"\ntoken_file = "token"\n'
        file = configure(
            folder,
            1883,
            f'name = "{names[0]}"\n{short}',
            board=f"serial:{folder}/{names[0]}",
            bridge=f'name = "{name}"',
            mqtt=f'username = "{name}"' if "OCHE_MQTT_PASSWORD" in env else "",
            more="\n".join([*more, league]),
        )
        text = file.read_text(encoding="utf-8")
        for written, meant in (
            ('host = "127.0.0.1"', f"host = {list(brokers)}"),
            ('players = ["Ann", "Bo"]', f"players = {players[:2]}"),
        ):
            assert written in text
            text = text.replace(written, meant, 1)
        file.write_text(text, encoding="utf-8")
        place = Place(file, boards, rng, players, {**os.environ, **env}, disk)
        stack.push_async_callback(place.close)
        await place.start()
        yield place
