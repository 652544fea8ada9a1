"""What is heard on the sound output of the machine, and when: in virtual time, and by a program that plays.

Only that program is one of the test's own, since there is no sound output here.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from daemon.assemble import run_daemon
from daemon.config.outlets import Loudspeaker as Config
from daemon.config.outlets import Outlets, Rule, Then
from daemon.config.reader import read_config
from daemon.errors import UserError
from daemon.mqtt.outbox import Outbox
from daemon.outlets import player
from daemon.outlets.call_keys import AMBIENT, CALLS, Recordings, Step, find_recordings, find_ways
from daemon.outlets.dispatcher import Dispatcher
from daemon.outlets.loudspeaker import Loudspeaker, is_quiet, read_packs
from daemon.outlets.make import make_outlets
from daemon.outlets.player import play_file
from daemon.outlets.speech_queue import VISIT_S
from daemon.sound_packs import SOUNDS
from daemon.table.table import Table
from tests.commanding import give
from tests.daemon.display import DirectDisplay
from tests.daemon.played import keep_running, open_table, throw
from tests.daemon.process import configure, eventually
from tests.daemon.test_sounds import MP3, OGG, WAV, unreadable
from tests.simulator.hurry import in_no_time

PAGE = Path(__file__).parents[2] / "daemon/web/page/wall/call_keys.js"
KEYS = (
    "0 26 60 100 140 180 busted gameon matchon gameshot leg_1 matchshot you_require c_121 c_161 121 player1 ann bo t20"
    " d20 s20 oche_hat_trick ambient_180 ambient_100more ambient_noscore ambient_playerchange ambient_gameshot crowd"
).split()
SOUND_S = 1.0
"""How long each recording is."""


class Room:
    """A table with a loudspeaker: what was heard, from when until when, by the clock of the loop."""

    def __init__(self, table: Table, troubles: dict[str, str]) -> None:
        self.table = table
        self.troubles = troubles
        self.heard: list[tuple[float, float, str]] = []
        self.broken: set[str] = set()
        """The recordings that cannot be played."""

    async def play(self, file: Path) -> str | None:
        """Stands for the program."""
        clock = asyncio.get_running_loop().time
        began = clock()
        if file.stem in self.broken:
            return f"{file.stem} is broken"
        try:
            await asyncio.sleep(SOUND_S)
        finally:
            self.heard.append((began, clock(), file.stem))
        return None

    async def throw(self, *darts: str) -> float:
        """Throws at once; returns when."""
        return await throw(self.table, *darts)

    async def listen(self, seconds: float = 30) -> list[str]:
        """Waits, and returns what was heard by then."""
        await asyncio.sleep(seconds)
        return self.keys

    @property
    def keys(self) -> list[str]:
        return [key for _, _, key in self.heard]


def write_pack(folder: Path, name: str, keys: Iterable[str], *, ending: str = "wav", content: bytes = WAV) -> Path:
    """Puts a pack into this folder of packs."""
    (pack := folder / name).mkdir(parents=True)
    for key in keys:
        (pack / f"{key}.{ending}").write_bytes(content)
    return pack


@asynccontextmanager
async def room(
    folder: Path, keys: Sequence[str] = KEYS, rules: Sequence[Rule] = (), config: Config | None = None, **table: Any
) -> AsyncIterator[Room]:
    """A table at which Ann and Bo play 301, and what the loudspeaker beside it plays."""
    write_pack(folder / SOUNDS, "joey", keys)
    played = await open_table(folder, **table)
    troubles = dict[str, str]()
    here = Room(played, troubles)
    speaker = Loudspeaker(config or Config(on=True), "main", folder, "en", here.play, troubles, folder / "installed")
    dispatcher = Dispatcher(rules, {"main": played.codebook.layout}, [speaker], [speaker.follow])
    played.subscribe(dispatcher)
    async with keep_running(played, dispatcher.run, speaker.run):
        await asyncio.sleep(1)
        yield here


@in_no_time
async def test_a_visit_is_called_after_its_last_dart_and_once_as_corrected(tmp_path: Path) -> None:
    async with room(tmp_path, [*KEYS, "ambient_140"]) as here:
        thrown = await here.throw("T20", "T20", "S20")
        await asyncio.sleep(VISIT_S / 2)
        await give(here.table, {"amend": 4, "throw": "T20"}, "page")
        assert await here.listen() == ["180"], "of what was corrected no noise is heard"
        assert round(here.heard[0][0] - thrown, 3) == VISIT_S
        await give(here.table, {"amend": 4, "throw": "S20"}, "page")
        assert await here.listen() == ["180"], "a later correction is not called"


@in_no_time
async def test_what_is_corrected_to_no_end_of_a_visit_is_not_called(tmp_path: Path) -> None:
    async with room(tmp_path, [*KEYS, "61"], options={"start": 101}) as here:
        await here.throw("T20", "T20")
        await asyncio.sleep(VISIT_S / 2)
        await give(here.table, {"amend": 3, "throw": "S1"}, "page")
        assert await here.listen() == []


@in_no_time
async def test_the_first_dart_of_a_visit_drops_what_has_not_begun(tmp_path: Path) -> None:
    async with room(tmp_path, [*KEYS, "ambient_140"], options={"start": 161}) as here:
        await here.throw("T20", "T20", "S20")
        await asyncio.sleep(VISIT_S + 0.1)
        await give(here.table, {"next": True}, "page")
        await here.throw("S5")
        assert await here.listen() == ["140"], "what is said is said to its end; no noise and no turn follows"


@in_no_time
async def test_what_is_taken_back_falls_silent(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await here.throw("T20", "T20", "T20")
        await asyncio.sleep(VISIT_S + 0.1)
        await give(here.table, {"undo": True}, "page")
        assert await here.listen() == ["180"]
        began, ended, _ = here.heard[0]
        assert round(ended - began, 3) == 0.1
        await give(here.table, {"redo": True}, "page")
        assert await here.listen() == ["180"]


@in_no_time
async def test_nothing_overlaps_and_noises_wait_for_calls(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await here.throw("T20", "T20", "T20")
        await give(here.table, {"next": True}, "page")
        await here.listen()
        await here.throw("S20", "S5", "S1")
        await give(here.table, {"next": True}, "page")
        assert await here.listen() == [
            *("180", "ambient_180", "ambient_playerchange"),
            *("26", "ann", "you_require", "c_121", "ambient_playerchange"),
        ]
    assert all(ended <= began for (_, ended, _), (began, _, _) in zip(here.heard, here.heard[1:], strict=False))


@in_no_time
async def test_a_call_ends_the_noise_that_sounds(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await here.throw("T20", "T20", "T20")
        await asyncio.sleep(VISIT_S + SOUND_S + 0.1)
        await give(here.table, {"next": True}, "page")
        thrown = await here.throw("S20", "S5", "S1")
        assert await here.listen() == ["180", "ambient_180", "26"]
    (_, ended, _), (began, _, _) = here.heard[1:]
    assert (round(ended - thrown, 3), round(began - thrown, 3)) == (VISIT_S, VISIT_S)


@in_no_time
async def test_legs_and_the_match_are_called_and_no_end_twice(tmp_path: Path) -> None:
    async with room(tmp_path, options={"start": 101}) as here:
        start = {"game": "x01", "players": ["Ann", "Bo"], "options": {"start": 101}, "format": {"legs": 2}}
        await give(here.table, {"start": start}, "page")
        assert await here.listen() == ["matchon"]
        await here.throw("T20", "S1", "D20")
        await give(here.table, {"next": True}, "page")
        assert await here.listen() == [
            *("matchon", "gameshot", "leg_1", "ann", "gameon", "ambient_gameshot", "ambient_playerchange")
        ]
        del here.heard[:]
        await here.throw("MISS", "MISS", "MISS")
        await give(here.table, {"next": True}, "page")
        await here.listen()
        await here.throw("T20", "S1", "D20")
        assert (await here.listen())[-3:] == ["matchshot", "ann", "ambient_gameshot"]
        del here.heard[:]
        await give(here.table, {"undo": True}, "page")
        await give(here.table, {"redo": True}, "page")
        assert await here.listen() == []


@in_no_time
async def test_a_bust_and_awards_are_called(tmp_path: Path) -> None:
    async with room(tmp_path, options={"start": 201}) as here:
        await here.throw("DB", "SB", "SB")
        await give(here.table, {"next": True}, "page")
        assert (await here.listen())[:2] == ["oche_hat_trick", "100"]
        del here.heard[:]
        await here.throw("T20", "T20", "T20")
        await give(here.table, {"next": True}, "page")
        await here.throw("T20", "T20")
        assert (await here.listen())[-2:] == ["busted", "ambient_noscore"]


@pytest.mark.parametrize("is_called", [True, False])
@in_no_time
async def test_darts_are_called_where_that_is_wanted(tmp_path: Path, is_called: bool) -> None:
    async with room(tmp_path, config=Config(on=True, darts=is_called)) as here:
        for dart in ("T20", "S20", "S20"):
            await here.throw(dart)
            await asyncio.sleep(5)
    assert here.keys[:3] == (["t20", "s20", "100"] if is_called else ["100", "ambient_100more"])


@in_no_time
async def test_a_call_is_said_to_its_end(tmp_path: Path) -> None:
    async with room(tmp_path, config=Config(on=True, darts=True)) as here:
        await here.throw("T20")
        await asyncio.sleep(SOUND_S / 2)
        await here.throw("S20")
        assert await here.listen() == ["t20", "s20"]
    (began, ended, _), (next_began, _, _) = here.heard
    assert (round(ended - began, 3), round(next_began - began, 3)) == (SOUND_S, SOUND_S)


@in_no_time
async def test_the_greatest_of_what_was_gained_is_called_and_no_score_of_none(tmp_path: Path) -> None:
    keys = ["0", "oche_closed", "oche_white_horse", "ambient_noscore"]
    async with room(tmp_path, keys, game="cricket", options={}) as here:
        await here.throw("T20", "T19", "T18")
        assert await here.listen() == ["oche_white_horse"]


@in_no_time
async def test_a_rule_has_a_sound_follow_the_call(tmp_path: Path) -> None:
    rules = [Rule("180", Then(sound="Crowd"))]
    async with room(tmp_path, ["180", "crowd"], rules) as here:
        await here.throw("T20", "T20", "T20")
        assert await here.listen() == ["180", "crowd"]


@in_no_time
async def test_a_pack_that_is_added_is_played_from_the_next_match(tmp_path: Path) -> None:
    async with room(tmp_path, options={"start": 101}) as here:
        write_pack(tmp_path / SOUNDS, "bob", ["gameon", "60"])
        start = {"game": "x01", "players": ["Ann", "Bo"]}
        await give(here.table, {"start": start}, "page")
        assert await here.listen() == ["gameon"]
        await here.throw("T20", "T20", "T20")
        assert await here.listen() == ["gameon"], "a missing recording is silence"


@in_no_time
async def test_what_failed_is_told_until_it_plays_and_logged_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "oche.outlets")
    async with room(tmp_path, config=Config(on=True, darts=True), players=("Ann",)) as here:

        async def throw(*darts: str) -> list[str]:
            for dart in darts:
                await here.throw(dart)
                await here.listen()
            return [*here.troubles.values()]

        here.broken = {"t20", "you_require"}
        assert await throw("T20", "S20", "T20") == ["t20 is broken"], "others play"
        await give(here.table, {"next": True}, "page")
        await here.listen()
        assert [*here.troubles.values()] == ["you_require is broken"], "what follows in the call plays"
        assert here.keys[-2:] == ["c_161", "ambient_playerchange"]
        assert await throw("T20", "S20") == ["you_require is broken"]
        assert [each.getMessage() for each in caplog.records] == [
            "loudspeaker: t20 is broken",
            "loudspeaker: you_require is broken",
        ]
        here.broken = {"you_require"}
        await give(here.table, {"start": {"game": "x01", "players": ["Ann"]}}, "page")
        await here.listen()
        assert here.troubles == {}, "a new match begins, and its call plays"
        here.broken = {"s20"}
        assert await throw("S20") == ["s20 is broken"]
        here.broken = set()
        assert await throw("S20") == []
    assert caplog.records[-1].getMessage() == "loudspeaker: works again"


@in_no_time
async def test_in_quiet_hours_nothing_is_heard(tmp_path: Path) -> None:
    async with room(tmp_path, config=Config(on=True, quiet_hours="0-0")) as here:
        await here.throw("T20", "T20", "T20")
        assert await here.listen() == []


@pytest.mark.parametrize(
    ("hours", "quiet"), [(None, ()), ("9-12", (9, 10, 11)), ("22-2", (0, 1, 22, 23)), ("0-0", range(24))]
)
def test_quiet_hours_may_go_over_midnight(hours: str | None, quiet: Iterable[int]) -> None:
    assert [hour for hour in range(24) if is_quiet(hours, hour)] == [*quiet]


def test_the_page_and_the_loudspeaker_have_the_same_keys() -> None:
    found = re.findall(r"^  (\w+): \[(\".*\")\],$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    ways = [(name, tuple(re.findall(r'"([^"]*)"', listed))) for name, listed in found]
    assert ways == [*CALLS.items(), *AMBIENT.items()]


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        (["ann", "you_require", "c_40", "40"], "ann you_require c_40"),
        (["player1", "you_require", "40", "yr_40"], "player1 you_require 40"),
        (["you_require", "yr_40"], "yr_40"),
        (["ann", "you_require"], ""),
    ],
)
def test_what_a_pack_can_say_wholly_is_said(tmp_path: Path, keys: list[str], said: str) -> None:
    pack: Recordings = {key: (tmp_path / f"{key}.mp3",) for key in keys}
    found = find_recordings(find_ways("requires", {"name": "Ann", "number": 1, "left": 40}), [{}, pack])
    assert " ".join(file.stem for file in found) == said


def test_packs_are_tried_in_their_order_and_shared_recordings_replace_theirs(tmp_path: Path) -> None:
    installed = tmp_path / "installed"
    for name in ("oche-de", "oche-en"):
        write_pack(installed, name, ["180", "busted"])
    with pytest.raises(UserError, match="there is no sound pack: add one"):
        read_packs(tmp_path, installed, None, "nl")
    with pytest.raises(UserError, match="there is no sound pack 'joey': add it"):
        read_packs(tmp_path, tmp_path / "none", "joey", "nl")
    for name in ("zoe", "bob", "shared"):
        write_pack(tmp_path / SOUNDS, name, ["180", "180+2"] if name == "shared" else ["180", name])

    def find(key: str, wanted: str | None = None) -> set[str]:
        packs = read_packs(tmp_path, installed, wanted, "en").packs
        return {find_recordings([(Step((key,)),)], packs)[0].relative_to(tmp_path).as_posix() for _ in range(50)}

    assert find("180") == {"sounds/shared/180.wav", "sounds/shared/180+2.wav"}
    assert find("bob") == {"sounds/bob/bob.wav"}
    assert find("zoe", "zoe") == {"sounds/zoe/zoe.wav"}
    assert find("busted", "zoe") == {"installed/oche-en/busted.wav"}
    assert find("180", "shared") == find("180"), "it may be the only one"
    assert find("busted", "shared") == {"installed/oche-en/busted.wav"}
    assert find("busted", "oche-de") == {"installed/oche-de/busted.wav"}
    with pytest.raises(
        UserError, match="there is no sound pack 'Joey', only bob, oche-de, oche-en, shared, zoe: add it"
    ):
        read_packs(tmp_path, installed, "Joey", "en")
    write_pack(tmp_path / SOUNDS, "Joey-v3", ["joey"])
    for wanted in ("Joey-v3", "Joey", "joey"):
        assert find("joey", wanted) == {"sounds/Joey-v3/joey.wav"}


def test_packs_that_cannot_be_read_are_named_and_others_are_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("bob", "joey", "shared"):
        write_pack(tmp_path / SOUNDS, name, ["180"])
    with unreadable(tmp_path, monkeypatch, "bob", "shared") as state:
        for wanted in ("bob", None):
            packs, broken = read_packs(state, state / "none", wanted, "en")
            assert {name: str(why) for name, why in broken.items()} == dict.fromkeys(
                ("bob", "shared"), "permission denied"
            )
            assert find_recordings([(Step(("180",)),)], packs) == (state / SOUNDS / "joey/180.wav",)


@in_no_time
async def test_a_sound_output_that_is_gone_is_logged_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with room(tmp_path, config=Config(on=True, darts=True), players=("Ann",)) as here:
        here.broken = {*KEYS}
        for dart in ("T20", "S20", "D20"):
            await here.throw(dart)
            await here.listen()
        assert [each.getMessage() for each in caplog.records] == ["loudspeaker: t20 is broken"]


SLEEP = shutil.which("sleep")
Install = Callable[[str, str], Path]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Installs a program, a script for the shell that notes its arguments; returns the file of its notes."""
    (programs := tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(programs))

    def make(name: str, script: str) -> Path:
        notes = tmp_path / f"{name}.txt"
        (program := programs / name).write_text(f'#!/bin/sh\necho "$@" >>{notes}\n{script}\n')
        program.chmod(0o755)
        return notes

    return make


async def test_the_first_program_that_can_play_a_file_plays_it(tmp_path: Path, install: Install) -> None:
    pack = write_pack(tmp_path, "joey", ["180"])
    for ending, content in (("mp3", MP3), ("ogg", OGG)):
        (pack / f"180.{ending}").write_bytes(content)
    (pack / "none.mp3").write_bytes(b"#EXTM3U\nhttp://a.example/")
    assert await play_file(pack / "180.wav") == (
        "no program that plays wav files is installed: sudo oche doctor says which"
    )
    mpg123, aplay = install("mpg123", ""), install("aplay", "")
    assert [await play_file(pack / f"180.{ending}") for ending in ("mp3", "wav")] == [None, None]
    assert (mpg123.read_text(), aplay.read_text()) == (f"-q -- {pack}/180.mp3\n", f"-q -- {pack}/180.wav\n")
    assert "plays ogg files" in str(await play_file(pack / "180.ogg"))
    mpv = install("mpv", "")
    assert [await play_file(pack / f"180.{ending}") for ending in ("ogg", "mp3")] == [None, None]
    assert mpv.read_text().count(f"--no-video --load-scripts=no -- {pack}/180") == 2
    assert "plays ogg files" in str(await play_file(pack / "180.ogg", "aplay"))
    assert await play_file(pack / "none.mp3") == "none.mp3 is no sound: remove it from its pack"
    assert await play_file(pack / "1.mp3") == "1.mp3 cannot be read: no such file or directory"


async def test_a_program_that_fails_or_hangs_is_named(
    tmp_path: Path, install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_pack(tmp_path, "joey", ["180"]) / "180.wav"
    install("aplay", "exit 3")
    assert await play_file(file) == "aplay could not play 180.wav (status 3): sudo oche doctor says more"
    monkeypatch.setattr(player, "LONGEST_S", 0.2)
    install("mpv", f"exec {SLEEP} 1000")
    assert str(await play_file(file)).startswith("mpv was stopped after 0.2 seconds")


async def test_a_program_is_killed_when_its_sound_is_stopped(tmp_path: Path, install: Install) -> None:
    file = write_pack(tmp_path, "joey", ["180"]) / "180.wav"
    notes = install("mpv", f"echo $$ >>{tmp_path}/mpv.txt; exec {SLEEP} 1000")
    playing = asyncio.create_task(play_file(file))
    await eventually(lambda: notes.exists() and len(notes.read_text().splitlines()) == 2)
    playing.cancel()
    await asyncio.wait([playing])
    with pytest.raises(ProcessLookupError):
        os.kill(int(notes.read_text().splitlines()[-1]), 0)


async def test_what_the_daemon_plays_and_what_fails(
    tmp_path: Path, install: Install, monkeypatch: pytest.MonkeyPatch, unused_tcp_port: int
) -> None:
    notes = install("aplay", "exit 1")
    said = "aplay could not play t20.wav (status 1): sudo oche doctor says more"
    pack = write_pack(tmp_path / "state" / SOUNDS, "joey", ["180", "crowd", "t20"])
    more = """
[outlets.loudspeaker]
on = true
darts = true
[[outlets.rule]]
on = "180"
then = { sound = "crowd" }
"""
    monkeypatch.setattr("daemon.health.HEALTH_S", 0.2)
    config = configure(tmp_path, unused_tcp_port, more=more)
    async with run_daemon(read_config(config)) as daemon, DirectDisplay(daemon) as display:

        def read_troubles() -> object:
            return json.loads(display.now.get("oche/bridge/oche/health", "{}")).get("outlets")

        await display.ask("throw", {"throw": "T20"})
        await eventually(lambda: read_troubles() == {"loudspeaker": said})
        await display.ask("throw", {"throw": "T20"})
        await display.ask("throw", {"throw": "T20"})
        await eventually(lambda: notes.exists() and "crowd" in notes.read_text())
    assert notes.read_text() == "".join(f"-q -- {pack}/{key}.wav\n" for key in ("t20", "t20", "180", "crowd"))


@pytest.mark.parametrize("table", ["main", "back"])
def test_a_table_that_cannot_be_used_has_no_loudspeaker(tmp_path: Path, table: str) -> None:
    outlets, troubles = Outlets(loudspeaker=Config(on=True, table=table)), dict[str, str]()
    parts = make_outlets(outlets, {}, tmp_path, troubles, lambda *_: False, "en", Outbox("oche"), None)
    assert parts == {}
    assert troubles == {"loudspeaker": f"the loudspeaker has no table: {table} cannot be used"}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('table = "maim"', "there is no 'maim'; did you mean 'main'"),
        ('player = "vlc"', "'vlc'"),
        ('quiet_hours = "22-24"', "write two hours from 0 to 23 with a hyphen"),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, line: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        read_config(configure(tmp_path, more=f"[outlets.loudspeaker]\n{line}\n"))
