"""What the doctor says of matches in two places, at a real broker with the access list that ships."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from pathlib import Path

import msgspec
import pytest

from daemon.admin.doctor.broker import check_running
from daemon.assemble import run_daemon
from daemon.config.reader import CheckedConfig, read_config
from protocol.messages import Failure, Response
from tests.daemon.display import Display
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import configure, ended, eventually
from tests.daemon.test_two_places import AGREED, MATCH, ask, configure_one, log_in, make_acl
from tests.daemon.tournament.playing import run_desk
from tests.daemon.tournament.test_other_tables import begin_far, configure_other


async def find_trouble(setup: CheckedConfig) -> dict[str, str]:
    """What it says of them, by verdict."""
    return {check.verdict: str(check) async for check in check_running(setup) if check.name == "two places"}


async def is_well(setup: CheckedConfig) -> bool:
    return "the broker accepts what matches in two places need" in (await find_trouble(setup)).get("ok", "")


async def names_line(setup: CheckedConfig, line: str) -> bool:
    return any(line in said for said in (await find_trouble(setup)).values())


@pytest.mark.slow
async def test_the_doctor_names_the_line_that_is_missing(
    tmp_path: Path, mosquitto_path: Path, unused_tcp_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.admin.doctor.other_tables.ECHO_S", 0.5)
    acl = make_acl("north") + make_acl("south")
    north, south = (
        configure_one(tmp_path / name, unused_tcp_port, name, more, mqtt=log_in(tmp_path / name, name))
        for name, more in (("north", ""), ("south", AGREED))
    )
    users = {"north": "bridge", "south": "bridge"}
    async with Mosquitto(
        mosquitto_path, tmp_path / "m", unused_tcp_port, users=users, shipped="oche.conf", acl=acl
    ) as broker:
        async with run_daemon(north) as one, run_daemon(south):
            assert await find_trouble(north) == {}, "nothing of it is configured here"
            await eventually(partial(is_well, south))
            for line in (
                "topic read oche/bridge/+/info",
                "topic read oche/bridge/+/state",
                "topic read oche/table/+/state",
                "topic read oche/table/+/board/state",
                "topic read oche/table/+/response/lend",
                "topic write oche/table/+/request/lend",
            ):
                broker.heed(make_acl("north") + make_acl("south").replace(f"{line}\n", ""))
                await eventually(partial(names_line, south, line))
            broker.heed(acl)
            await ask(one.tables["north"], game=MATCH)
            await eventually(partial(is_well, north))  # the plan names another table
            await ask(one.tables["north"], start=None)
            await ask(one.tables["north"], game={"players": ["Cy", "Di"]})
            await eventually(partial(is_well, north))  # the match that goes on does
        assert "the table north of a match in two places does not answer" in (await find_trouble(south))["warning"]


@pytest.mark.slow
async def test_the_doctor_waits_for_all_tables_elsewhere_at_once(
    tmp_path: Path, broker: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that answers a tournament only after another was asked to play along has answered in time."""
    monkeypatch.setattr("daemon.admin.doctor.other_tables.ECHO_S", 1.0)
    setup = read_config(configure(tmp_path, broker.port, more='[league]\nlend_to = ["attic"]\n'))
    asked, lent = "oche/table/far/request/game", "oche/table/attic/request/lend"

    async def answer(display: Display) -> None:
        while True:
            await display.until(lambda: {asked, lent} <= display.now.keys())
            transaction = json.loads(display.now.pop(asked))["transaction"]
            del display.now[lent]
            refused = Response("error", transaction, data={}, error=Failure("unknown", "no such game"))
            await display.say("oche/table/far/response/game", msgspec.json.encode(refused))

    async def is_well() -> bool:
        found = {check.name: check.verdict async for check in check_running(setup)}
        return (found["tournaments"], found["two places"]) == ("ok", "warning")

    async with run_desk(setup) as (_, desk), Display(broker.port) as display:
        async with run_daemon(configure_other(tmp_path / "other", broker.port)):
            await begin_far(desk)
        for place in {asked, lent} & display.now.keys():
            del display.now[place]
        answering = asyncio.create_task(answer(display))
        try:
            await eventually(is_well)
        finally:
            await ended(answering)
