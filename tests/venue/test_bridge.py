"""Venues bridged to a league by the files in docs/venue: two real brokers, and the league's, with TLS."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from daemon.assemble import RunningDaemon, run_daemon
from daemon.config.reader import read_config
from simulator.pty_board import PtyBoard
from tests.daemon.display import Display
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import configure, throw
from tests.daemon.test_topics import listening, until
from tests.venue.venue import write_certificate

SHIPPED = Path(__file__).parents[2] / "docs" / "venue"
USERS = {"elm-street": "word-of-elm", "oak-lane": "word-of-oak", "wall": "word-of-wall", "office": "word-of-office"}


class League:
    """The league's broker: TLS for the venues, and a plain port on the loopback for the displays of the test."""

    def __init__(self, program: Path, folder: Path, ports: tuple[int, int]) -> None:
        certificate, key = write_certificate(folder)
        rights = folder / "league.acl"
        office = "\nuser office\ntopic readwrite venues/#\n"
        rights.write_text((SHIPPED / "league.acl").read_text(encoding="utf-8") + office, encoding="utf-8")
        self.port, self.tls_port = ports
        self.certificate = certificate
        more = (
            f"acl_file {rights}",
            f"listener {self.tls_port} 127.0.0.1",
            f"certfile {certificate}",
            f"keyfile {key}",
        )
        self.broker = Mosquitto(program, folder / "league", self.port, users=USERS, more=more)

    def venue(self, program: Path, folder: Path, port: int, name: str, *, is_open: bool = False) -> Mosquitto:
        """A venue's broker, bridged to this league. `is_open`: with all that may be allowed."""
        text = (SHIPPED / "bridge.conf").read_text(encoding="utf-8")
        for shipped, own in (
            ("elm-street", name),
            ("league.example.org:8883", f"127.0.0.1:{self.tls_port}"),
            ("change-me", USERS[name]),
            ("bridge_capath /etc/ssl/certs", f"bridge_cafile {self.certificate}"),
            ("#topic ", "topic " if is_open else "#topic "),
        ):
            assert shipped in text
            text = text.replace(shipped, own)
        return Mosquitto(program, folder / name, port, more=text.splitlines())


class Venues(NamedTuple):
    """A daemon with a board at elm-street, a display at each venue; oak-lane allows the league all that can be."""

    league: League
    running: RunningDaemon
    at_elm: Display
    at_oak: Display


@pytest.fixture
async def venues(
    mosquitto_path: Path, tmp_path: Path, board: PtyBoard, unused_tcp_port_factory: Callable[[], int]
) -> AsyncIterator[Venues]:
    port = unused_tcp_port_factory
    league = League(mosquitto_path, tmp_path, (port(), port()))
    elm = league.venue(mosquitto_path, tmp_path, port(), "elm-street")
    oak = league.venue(mosquitto_path, tmp_path, port(), "oak-lane", is_open=True)
    async with (
        league.broker,
        elm,
        oak,
        run_daemon(read_config(configure(tmp_path, elm.port))) as running,
        Display(elm.port) as at_elm,
        Display(oak.port) as at_oak,
    ):
        await at_oak.say("oche/table/main/state", json.dumps({"line": 7}), retain=True)
        await board.wait_until_open()
        yield Venues(league, running, at_elm, at_oak)


async def test_a_league_sees_its_venues_and_commands_only_where_it_may(venues: Venues, board: PtyBoard) -> None:
    league, _, at_elm, at_oak = venues
    await at_oak.say("oche/table/main/seat/0/state", "a hand", retain=True)
    async with Display(league.port, username="office", password=USERS["office"]) as office:
        await seen(office, "oak-lane", 7)
        await office.until(lambda: office.now.get("venues/oak-lane/link") == "1")
        for venue in ("elm-street", "oak-lane"):
            for command in ("undo", "start"):
                await office.say(f"venues/{venue}/oche/table/main/cmd/{command}", '{"players": ["Eve", "Mallory"]}')
        await at_oak.until(lambda: "oche/table/main/cmd/start" in at_oak.now)
        throw(board, "T20")
        await seen(office, "elm-street", 2)
        await at_elm.say("oche/bridge/marker/state", "after all that")
        await at_elm.until(lambda: "oche/bridge/marker/state" in at_elm.now)
        assert not any("seat" in topic for topic in office.now)
    async with listening(league.port, username="office", password=USERS["office"]) as heard:
        await until(heard, "venues/elm-street/oche/bridge/oche/state", "online")
        assert {0 < (each.row.expiry_s or 0) <= 90 for each in heard if each.text == "online"} == {True}
    assert "oche/table/main/cmd/undo" not in at_oak.now
    assert not {"oche/table/main/cmd/undo", "oche/table/main/cmd/start"} & set(at_elm.now)


async def test_a_league_takes_matches_from_where_it_may(venues: Venues) -> None:
    league, _, at_elm, at_oak = venues
    offer = "oche/bridge/hall/league/offer"
    async with Display(league.port, username="office", password=USERS["office"]) as office:
        for venue in ("elm-street", "oak-lane"):
            await office.until(lambda: office.now.get(f"venues/{venue}/link") == "1")  # noqa: B023
        await at_elm.say(offer, "of elm")
        await at_oak.say(offer, "of oak")
        await office.until(lambda: office.now.get(f"venues/oak-lane/{offer}") == "of oak")
        for venue in USERS.keys() - {"wall", "office"}:
            await office.say(f"venues/{venue}/oche/bridge/hall/league/taken", venue)
        await at_oak.until(lambda: at_oak.now.get("oche/bridge/hall/league/taken") == "oak-lane")
        await at_elm.say("oche/bridge/hall/state", "after all that")
        await office.until(lambda: "venues/elm-street/oche/bridge/hall/state" in office.now)
        assert f"venues/elm-street/{offer}" not in office.now
    assert "oche/bridge/hall/league/taken" not in at_elm.now


@pytest.mark.long
async def test_a_link_that_was_cut_comes_back_with_everything(venues: Venues, board: PtyBoard) -> None:
    league, running, at_elm, _ = venues
    async with Display(league.port, username="wall", password=USERS["wall"]) as wall:
        await seen(wall, "elm-street", 1)
    await league.broker.kill()
    throw(board, "DB")
    await at_elm.until_line(2)
    await league.broker.start()  # it has forgotten everything
    async with Display(league.port, username="wall", password=USERS["wall"]) as wall:
        await seen(wall, "elm-street", 2)
        await seen(wall, "oak-lane", 7)
        await wall.until(lambda: wall.now.get("venues/elm-street/oche/bridge/oche/state") == "online")
        throw(board, "T20")
        await seen(wall, "elm-street", 3)
    assert running.tables["main"].state().line == 3


async def seen(display: Display, venue: str, line: int) -> None:
    """Waits until this display of the league has seen this line of a venue's table."""
    state = f"venues/{venue}/oche/table/main/state"
    await display.until(lambda: state in display.now and json.loads(display.now[state])["line"] >= line)
