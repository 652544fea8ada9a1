"""What a table has said aloud over MQTT, and when, in virtual time; a speaker that was away hears nothing old."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from copy import copy
from pathlib import Path
from typing import Any

import pytest

from daemon.config.reader import read_config
from daemon.errors import UserError
from daemon.mqtt.outbox import Outbox
from daemon.outlets.page_ear import PageEar
from daemon.outlets.play_by_ear import Mode
from daemon.outlets.speech_queue import VISIT_S
from daemon.outlets.spoken import SpokenTopic
from daemon.part import Part
from daemon.table.effects import Update
from daemon.table.table import Table
from daemon.web.ear import EarListener
from protocol import aiming
from protocol.codebook import Codebook, expand, shipped
from protocol.segment import Layout
from tests.commanding import give
from tests.daemon.display import fits
from tests.daemon.played import keep_running, open_table, throw
from tests.simulator.hurry import in_no_time

PACE = 20


class Room:
    """A table, and what was said at it: when, by the clock of the loop, and what."""

    def __init__(self, table: Table, outbox: Outbox) -> None:
        self.table = table
        self.outbox = outbox
        self.said: list[tuple[float, dict[str, Any]]] = []  # Any: JSON
        self.connect()

    def connect(self) -> None:
        """The broker is there: all that is retained is sent again, and what comes is sent at once."""
        self.outbox.begin_connection()
        self.outbox.follow(lambda _: self._send())
        self._send()

    def _send(self) -> None:
        for message in iter(self.outbox.take, None):
            if message.topic.endswith("/spoken"):
                value = json.loads(message.payload)
                fits("spoken", value)
                self.said.append((asyncio.get_running_loop().time(), value))

    async def throw(self, *darts: str) -> float:
        """Throws at once; returns when."""
        return await throw(self.table, *darts)

    @property
    def texts(self) -> list[str]:
        return [said["text"] for _, said in self.said]


@asynccontextmanager
async def room(
    folder: Path, mode: Mode = "calls", language: str = "en", book: Codebook | None = None, **table: Any
) -> AsyncIterator[Room]:
    """A table at which Ann and Bo play 301, where this much is said."""
    played = await open_table(folder, book, **table)
    outbox = Outbox("oche", language)
    spoken = SpokenTopic({"main": played}, outbox, language, mode, PACE)
    played.subscribe(spoken)
    async with keep_running(played, spoken.run):
        yield Room(played, outbox)


@in_no_time
async def test_a_visit_is_called_after_its_last_dart_and_once_as_corrected(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        thrown = await here.throw("T20", "T20", "S20")
        await asyncio.sleep(VISIT_S / 2)
        await give(here.table, {"amend": 4, "throw": "T20"}, "page")
        await asyncio.sleep(10)
        assert [(round(at - thrown, 3), said["text"]) for at, said in here.said] == [(VISIT_S, "180 points. Ann: 121.")]
        await give(here.table, {"amend": 4, "throw": "S20"}, "page")
        await asyncio.sleep(10)
        assert here.texts[1:] == ["Corrected. 140 points. Ann: 161."]


@pytest.mark.parametrize("legs", [1, 2])
@pytest.mark.parametrize("mode", ["calls", "full"])
@in_no_time
async def test_a_win_that_is_corrected_before_it_is_called_is_never_called(
    tmp_path: Path, mode: Mode, legs: int
) -> None:
    async with room(tmp_path, mode) as here:
        start = {"game": "x01", "players": ["Ann", "Bo"], "options": {"start": 101}, "format": {"legs": legs}}
        await give(here.table, {"start": start}, "page")
        await asyncio.sleep(60)
        await here.throw("T20", "S1", "D20")
        await asyncio.sleep(VISIT_S / 2)
        await give(here.table, {"amend": 4, "throw": "S20"}, "page")
        await asyncio.sleep(60)
    assert here.texts[-1].startswith("81 points. Ann: 20.")
    assert not [text for text in here.texts if "win" in text]


@in_no_time
async def test_a_win_that_was_called_is_taken_back(tmp_path: Path) -> None:
    async with room(tmp_path, options={"start": 101}) as here:
        await here.throw("T20", "S1", "D20")
        await asyncio.sleep(10)
        await give(here.table, {"amend": 4, "throw": "S20"}, "page")
        await asyncio.sleep(10)
        assert here.texts[1:] == [
            "Ann wins the match.",
            "Corrected. 81 points. Ann: 20.",
            "Corrected. The win does not count.",
        ]
        await give(here.table, {"amend": 4, "throw": "D20"}, "page")
        await asyncio.sleep(10)
        assert here.texts[4:] == ["Corrected. 101 points. Ann: 0.", "Ann wins the match."]


@in_no_time
async def test_what_followed_from_a_dart_is_not_said_once_it_is_corrected(tmp_path: Path) -> None:
    async with room(tmp_path, game="cricket", options={}) as here:
        await here.throw("T20", "T19", "T18")
        await asyncio.sleep(VISIT_S / 2)
        await give(here.table, {"amend": 4, "throw": "S18"}, "page")
        await asyncio.sleep(60)
    assert here.texts == ["20 closed.", "19 closed.", "Marks: 7. Ann: 0."]


@in_no_time
async def test_one_sentence_follows_the_other_when_it_was_said(tmp_path: Path) -> None:
    async with room(tmp_path, "full") as here:
        await here.throw("T20", "T19", "S1")
        await give(here.table, {"next": True}, "page")
        await asyncio.sleep(60)
    times = [at for at, _ in here.said]
    for (at, said), later in zip(here.said, times[1:], strict=False):
        assert later - at >= len(said["text"]) / PACE
    assert [said["n"] for _, said in here.said] == [*range(1, len(here.said) + 1)]
    assert here.texts[-1].startswith("Bo: 301. 3 darts.")


@in_no_time
async def test_the_first_dart_of_a_visit_drops_what_was_not_said(tmp_path: Path) -> None:
    async with room(tmp_path, "full") as here:
        await here.throw("T20", "T19", "S1")
        await give(here.table, {"next": True}, "page")
        await here.throw("S3")
        await asyncio.sleep(60)
    assert here.texts[0].startswith("Triple 20, on target.")
    assert here.texts[1:] == ["Single 3, too low.", "2 darts. Get 298 to 0 on a double. Aim at triple 20."]


@in_no_time
async def test_what_to_do_is_not_said_once_it_is_done(tmp_path: Path) -> None:
    async with room(tmp_path, "full") as here:
        for dart in ("T20", "S5", "S20"):
            await here.throw(dart)
            await asyncio.sleep(0.5)
        await asyncio.sleep(60)
    assert [text for text in here.texts if "Get" in text] == []
    assert here.texts[0] == "Triple 20, on target."
    assert here.texts[-1] == "85 points. Ann: 216. Pull your darts."


@in_no_time
async def test_a_speaker_that_comes_back_hears_nothing_old(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await here.throw("T20", "T20", "T20")
        await asyncio.sleep(5)
        here.outbox.follow(None)
        await give(here.table, {"next": True}, "page")
        await here.throw("S1", "S1", "S1")
        await asyncio.sleep(5)
        here.connect()
        await asyncio.sleep(5)
        assert [said["n"] for _, said in here.said] == [1, 1], "what is retained is sent again, with the same number"
        await give(here.table, {"next": True}, "page")
        await here.throw("S5", "S5", "S5")
        await asyncio.sleep(5)
    assert here.texts[2:] == ["Ann, you require 121.", "15 points. Ann: 106."]
    assert here.said[-1][1]["n"] == 3
    assert {said["session"] for _, said in here.said} == {"test"}


class Listening(Part):
    """Hands the news of a table to somebody who plays by ear on a page."""

    def __init__(self, listener: EarListener) -> None:
        self.listener = listener
        self.said: list[Any] = []  # Any: what the ear makes

    def publish(self, update: Update) -> None:
        self.listener.tell(update, self.said.extend)


@pytest.mark.parametrize("page", [True, False])
@in_no_time
async def test_no_dart_waits_while_it_is_found_out_where_to_aim(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, page: bool
) -> None:
    """It takes long, so it is done in a thread; the layout is a copy, of which nothing is known yet."""
    here_computed, elsewhere_computed = set[str](), set[str]()

    def note(layout: Layout, name: str) -> aiming.AimPoint:
        is_here = threading.current_thread() is threading.main_thread()
        (here_computed if is_here else elsewhere_computed).add(name)
        return aiming.aim_at(layout, name)

    monkeypatch.setattr("daemon.outlets.where_it_went.aim_at", note)
    plain = shipped("plain-standard")
    book = expand(plain.profile, layout=copy(plain.layout))
    async with room(tmp_path, "calls" if page else "full", book=book) as here:
        listening = Listening(EarListener(PageEar(), here.table, None, "full", "en")) if page else None
        if listening is not None:
            here.table.subscribe(listening)
        await here.throw("S5", "T20")
        await asyncio.sleep(60)
    said = here.texts if listening is None else [item.text for item in listening.said]
    assert said[0] == "Single 5, to the left."
    assert here_computed == set()
    assert {"T20", "D1", "bull"} <= elsewhere_computed


@in_no_time
@pytest.mark.parametrize(("thrown", "said"), [(2, "1 dart not thrown."), (1, "2 darts not thrown.")])
async def test_no_miss_is_told_of_a_dart_that_nobody_threw(tmp_path: Path, thrown: int, said: str) -> None:
    async with room(tmp_path, "full") as here:
        await here.throw(*["S5"] * thrown)
        await asyncio.sleep(60)
        before = len(here.said)
        await give(here.table, {"next": True}, "page")
        await asyncio.sleep(60)
    points = 5 * thrown
    assert here.texts[before : before + 2] == [said, f"{points} points. Ann: {301 - points}."]


@in_no_time
async def test_it_is_said_in_the_language_of_the_bridge(tmp_path: Path) -> None:
    async with room(tmp_path, "full", "de") as here:
        await here.throw("T20")
        await asyncio.sleep(20)
    assert here.texts == ["Triple 20, getroffen.", "2 Darts. Von 241 mit Doppel auf 0. Ziele auf Triple 20."]


@pytest.mark.parametrize("spoken", ["calls", "ear"])
def test_without_mqtt_nothing_can_be_said_aloud(tmp_path: Path, spoken: str) -> None:
    config = tmp_path / "oche.toml"
    config.write_text(f'[mqtt]\non = false\n[outlets]\nspoken = "{spoken}"\n[[table]]\n')
    with pytest.raises(UserError, match=r"goes over MQTT, which is off: write on = true below"):
        read_config(config)


@pytest.mark.parametrize("spoken", ["off", "calls"])
def test_nothing_of_it_is_made_unless_it_is_configured(tmp_path: Path, spoken: Any) -> None:
    from daemon.config.outlets import Outlets
    from daemon.outlets.make import make_outlets

    parts = make_outlets(Outlets(spoken=spoken), {}, tmp_path, {}, lambda *_: False, "en", Outbox("oche"), None)
    assert list(parts) == ([] if spoken == "off" else ["what is said aloud"])
