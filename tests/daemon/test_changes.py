"""Changes that are asked of the machine: which wait for which, and what becomes of those that are given up."""

from __future__ import annotations

import asyncio
import threading
from functools import partial
from pathlib import Path

import aiohttp
import pytest

from daemon.admin import requests
from daemon.admin.admin import Admin
from daemon.admin.answers import Answer, Refused
from daemon.admin.history.people import People
from daemon.admin.players.book import PlayerBook
from daemon.admin.turn import finish_in_turn
from daemon.assemble import RunningDaemon
from tests.daemon.process import PATIENCE_S, eventually
from tests.daemon.test_worker import held_reading


async def find_people(admin: Admin) -> People:
    return await admin._load(admin._make_people)  # noqa: SLF001


async def list_nicknames(admin: Admin) -> dict[str, str]:
    return {each.name: each.nickname for each in await admin.ask(requests.ListPlayers())}


async def test_what_is_given_up_before_its_turn_is_not_done_and_what_has_begun_is() -> None:
    lock, goes_on, said = asyncio.Lock(), asyncio.Event(), list[str]()

    async def work(name: str) -> None:
        said.append(f"{name} begins")
        await goes_on.wait()
        said.append(f"{name} ends")

    first, second, third = (asyncio.create_task(finish_in_turn(lock, partial(work, name))) for name in "abc")
    await eventually(lambda: bool(said))
    second.cancel()
    await asyncio.wait({second})
    for _ in range(5):
        first.cancel()
        await asyncio.sleep(0)
    assert said == ["a begins"], "the next one waits for what goes on"
    goes_on.set()
    await asyncio.wait({first, third})
    assert (first.cancelled(), second.cancelled(), third.exception()) == (True, True, None)
    assert said == ["a begins", "a ends", "c begins", "c ends"]


async def test_changes_of_players_wait_for_each_other_and_what_reads_does_not(admin: Admin) -> None:
    first, second = requests.ChangePlayer("Ann", nickname="A"), requests.RenamePlayer("Ann", to="Anne")
    people = await find_people(admin)
    async with people._changing:  # noqa: SLF001  as while another change is made
        changes = [asyncio.create_task(admin.ask(each)) for each in (first, second)]
        assert await list_nicknames(admin) == {"Ann": "", "Bo": ""}
        done, _ = await asyncio.wait(changes, timeout=0.5)
        assert not done
        changes[1].cancel()
    assert await changes[0] == Answer()
    await asyncio.wait(changes)
    assert await list_nicknames(admin) == {"Ann": "A", "Bo": ""}, "the other was given up"


@pytest.mark.slow
async def test_no_change_waits_while_the_history_is_read(admin: Admin, tmp_path: Path) -> None:
    """Nor does a new start: whoever forgets a player may wait for long."""
    worker = admin._worker  # noqa: SLF001
    async with held_reading(worker, tmp_path / "state"):
        forgetting = [asyncio.create_task(admin.ask(requests.ForgetPlayer("Ann", sure=sure))) for sure in (False, True)]
        async with asyncio.timeout(PATIENCE_S):
            assert await admin.ask(requests.ChangePlayer("Bo", nickname="B")) == Answer()
            version = (await admin.ask(requests.ReadSettings()))["version"]
            with pytest.raises(Refused):
                await admin.ask(requests.RevertSettings(version))
            assert await admin.ask(requests.Restart()) == Answer()
        assert not any(each.done() for each in forgetting)
    counted, forgotten = [(await each)["matches"] for each in forgetting]
    assert forgotten == 1
    assert counted in (0, 1)  # the two are asked for at once, and either may read first
    assert await list_nicknames(admin) == {"Bo": "B"}


@pytest.mark.slow
async def test_a_player_who_is_forgotten_takes_no_other_along(admin: Admin, tmp_path: Path) -> None:
    """Whoever is made one with the player meanwhile is not deleted from the book."""
    async with held_reading(admin._worker, tmp_path / "state"):  # noqa: SLF001
        await admin.ask(requests.ChangePlayer("Bo", nickname="B"))
        forgetting = asyncio.create_task(admin.ask(requests.ForgetPlayer("Ann", sure=True)))
        await eventually(lambda: PlayerBook(tmp_path / "state").find("Ann") is not None)
        async with asyncio.timeout(PATIENCE_S):
            assert await admin.ask(requests.MergePlayers("Ann", to="Bo")) == Answer()
    with pytest.raises(Refused) as refused:
        await forgetting
    assert refused.value.code == "illegal"
    assert (await list_nicknames(admin))["Bo"] == "B"


async def test_a_forgetting_that_has_begun_is_done_to_its_end(
    admin: Admin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add, begun, goes_on = PlayerBook.add, threading.Event(), threading.Event()

    def add_slowly(book: PlayerBook, name: str) -> None:
        begun.set()
        goes_on.wait()
        add(book, name)

    monkeypatch.setattr(PlayerBook, "add", add_slowly)
    forgetting = asyncio.create_task(admin.ask(requests.ForgetPlayer("Ann", sure=True)))
    await eventually(begun.is_set)
    forgetting.cancel()
    await asyncio.wait({forgetting})
    goes_on.set()
    people = await find_people(admin)
    await eventually(lambda: not people._forgetting)  # noqa: SLF001
    assert await list_nicknames(admin) == {"Bo": ""}


async def test_a_player_can_be_forgotten_twice_at_once(admin: Admin) -> None:
    await admin.ask(requests.RenamePlayer("Ann", to="Anne"))
    both = (admin.ask(requests.ForgetPlayer("Anne", sure=True)) for _ in range(2))
    assert not any(each["left"] for each in await asyncio.gather(*both))
    assert await list_nicknames(admin) == {"Bo": ""}


async def test_the_end_of_the_daemon_breaks_off_a_forgetting_that_waits(admin: Admin, tmp_path: Path) -> None:
    async with held_reading(admin._worker, tmp_path / "state"):  # noqa: SLF001
        forgetting = asyncio.create_task(admin.ask(requests.ForgetPlayer("Ann", sure=True)))
        await eventually(lambda: PlayerBook(tmp_path / "state").find("Ann") is not None)
        async with asyncio.timeout(PATIENCE_S):
            await admin.close()
            await asyncio.wait({forgetting})
    assert forgetting.cancelled()


@pytest.mark.parametrize(
    ("path", "body"),
    [("/api/players", {"name": "Ann", "nickname": "A"}), ("/api/players/forget", {"name": "Ann", "sure": True})],
)
async def test_what_a_client_has_given_up_before_its_turn_is_not_done(
    running: RunningDaemon, web: aiohttp.ClientSession, tmp_path: Path, path: str, body: dict[str, object]
) -> None:
    admin = next(part for part in running.parts if isinstance(part, Admin))
    lock = (await find_people(admin))._changing  # noqa: SLF001
    await admin.ask(requests.ChangePlayer("Ann", nickname="Ace"))

    def waits() -> bool:
        return bool(lock._waiters)  # noqa: SLF001

    async with lock:  # as while another change is made
        asked = asyncio.create_task(web.post(path, json=body))
        await eventually(waits)
        asked.cancel()
        await eventually(lambda: not waits())
    assert await list_nicknames(admin) == {"Ann": "Ace"}
