"""`oche play`, whole: a game to its end, the same one for the same seed, and nothing left behind."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import re
import signal
import socket
import sys
import termios
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, suppress
from itertools import product
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from daemon.simulated_players import Rematch
from tests.commanding import give
from tests.daemon.display import Display
from tests.daemon.process import PATIENCE_S, Process, eventually
from tests.daemon.test_bots import evening
from tests.daemon.test_statistics import get
from tests.simulator.hurry import in_no_time
from tests.sweep import sweep


@pytest.fixture(autouse=True)
def _usual_ports_are_taken() -> Iterator[None]:
    """Shared by the tests that run at a time: what one of them frees is still held by the others."""
    with ExitStack() as stack:
        for port in (1883, 8180):
            with suppress(OSError):  # taken by another program: as good
                stack.enter_context(socket.create_server(("127.0.0.1", port), reuse_port=True))
        yield


def made(folder: Path) -> Path:
    """This folder, which is there now."""
    folder.mkdir(exist_ok=True)
    return folder


def play(folder: Path, *arguments: str) -> Process:
    """The demo, with its temporary files in this folder."""
    env = {**os.environ, "TMPDIR": str(made(folder))}
    return Process("play", "--port", "0", *arguments, env=env, python=())  # the embedded broker leaves things open


def left_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def found(process: Process, pattern: str) -> str:
    match = re.search(pattern, process.output)
    assert match is not None, process.output
    return match[1]


@pytest.mark.slow
@pytest.mark.parametrize("game", sweep(["x01", "burma_road"], lambda game: game == "x01"))
async def test_a_game_runs_to_its_end(tmp_path: Path, game: str) -> None:
    async with play(tmp_path, "--game", game, "--seed", "1", "--speed", "200", "--players", "Cy,Di") as demo:
        assert await demo.ended() == 0
    assert demo.errors == ""
    end = demo.output.rstrip().splitlines()
    assert re.fullmatch(r"(Cy|Di|Cy and Di) won\.", end[-1])
    assert any(line.startswith("* ") for line in end[-3:])
    assert left_in(tmp_path) == []


@pytest.mark.long
async def test_the_same_seed_is_the_same_game(tmp_path: Path) -> None:
    games = await asyncio.gather(*(whole(tmp_path, seed) for seed in ("one", "one", "two")))
    assert games[0] == games[1]
    assert games[0] != games[2]


async def whole(folder: Path, seed: str) -> list[str]:
    """Every line of a game but those that name ports and folders."""
    async with play(folder, "--seed", seed, "--speed", "200", "--game", "101") as demo:
        assert await demo.ended() == 0
    return demo.output.splitlines()[5:]


@pytest.mark.slow
async def test_a_reader_that_has_gone_is_no_trouble(tmp_path: Path) -> None:
    """As in `oche play | head`."""
    arguments = ("play", "--port", "0", "--seed", "1", "--speed", "200", "--game", "101")
    reader, writer = os.pipe()
    demo = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "daemon.cli", *arguments),
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdout=writer,
        stderr=asyncio.subprocess.PIPE,
    )
    os.close(writer)
    while b"Seed" not in await asyncio.to_thread(os.read, reader, 4096):
        pass
    os.close(reader)
    _, errors = await demo.communicate()
    assert (demo.returncode, errors) == (0, b"")
    assert left_in(tmp_path) == []


async def tapped(web: aiohttp.ClientSession, segment_id: str) -> None:
    """Taps, and looks for the dart on the scoreboard."""
    async with web.post("/api/table/main/tap", json={"segment": segment_id}) as answer:
        dart = await answer.json()
    assert dart["segment"] == segment_id
    async with web.get("/api/table/main/state") as answer:
        assert dart.items() <= (await answer.json())["turn"]["darts"][0].items()


@asynccontextmanager
async def watched(
    folder: Path, *arguments: str, display: str = "", path: str = os.environ["PATH"]
) -> AsyncIterator[tuple[asyncio.subprocess.Process, Callable[[], str]]]:
    """The demo on a terminal, on a desktop with this display, and what stands there."""
    master, terminal = os.openpty()
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "daemon.cli", "play", "--port", "0", "--seed", "1", "--speed", "200", *arguments),
        env={
            **os.environ,
            "TMPDIR": str(folder),
            "DISPLAY": display,
            "WAYLAND_DISPLAY": "",
            "PATH": path,
            "NO_COLOR": "1",
        },
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(terminal)
    shown = bytearray()

    def read() -> None:
        try:
            shown.extend(os.read(master, 65536))
        except OSError:  # the other end is closed
            asyncio.get_running_loop().remove_reader(master)

    asyncio.get_running_loop().add_reader(master, read)
    try:
        yield process, lambda: shown.decode().replace("\r", "")
        os.write(master, b"\x03")
        async with asyncio.timeout(PATIENCE_S):
            assert await process.wait() == 0
        await eventually(lambda: shown.endswith(b"Stopped.\r\n"))
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        asyncio.get_running_loop().remove_reader(master)
        os.close(master)
    assert left_in(folder) == []


async def post(web: aiohttp.ClientSession, command: str, body: object = None) -> None:
    async with web.post(f"/api/table/main/{command}", json=body) as answer:
        assert answer.status == 200, await answer.text()


async def state_of(web: aiohttp.ClientSession) -> dict[str, Any]:
    async with web.get("/api/table/main/state") as answer:
        return dict(await answer.json())


@pytest.mark.slow
async def test_on_a_terminal_match_follows_match(tmp_path: Path) -> None:
    """The next is dealt; the page's own are played too, by others and other rules, and after a throw for the bull."""
    async with watched(tmp_path, "--game", "101") as (_, shown):
        await eventually(lambda: shown().count(" won.\n") == 2)
        assert shown().count("\n101: Bo, Ann\n") == 1
        async with aiohttp.ClientSession(re.findall(r"Scoreboard  (\S+)", shown())[0]) as web:
            for game, players in (
                ("shanghai", ["Cy", "Di", "Ed"]),
                ("301", ["Bo", "bot:60"]),
                ("dards", ["Di", "Ann"]),
            ):
                await post(web, "start", {"game": game, "players": players})

                async def is_over() -> bool:
                    return bool((await state_of(web))["phase"] == "over")

                await eventually(is_over)
                sides = [side["players"] for side in (await state_of(web))["sides"]]
                assert [name for side in sides for name in side] == [name.replace("bot:", "Bot ") for name in players]
            await post(web, "start", {"game": "101", "players": ["Di", "Ann"], "order": "bull"})
            assert (await state_of(web))["game"] == "bull_off"

            async def is_won() -> bool:
                state = await state_of(web)
                return bool(state["game"] == "x01" and state["winners"])

            await eventually(is_won)


@pytest.fixture
def desktop(tmp_path: Path) -> tuple[str, Path]:
    """A PATH whose `xdg-open` writes down what it is to open, and where."""
    opened, program = tmp_path / "opened", tmp_path / "bin" / "xdg-open"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$*" >>{opened}\n', encoding="utf-8")
    program.chmod(0o755)
    return f"{program.parent}:{os.environ['PATH']}", opened


async def test_on_a_desktop_the_browser_opens_the_page(tmp_path: Path, desktop: tuple[str, Path]) -> None:
    path, opened = desktop
    async with watched(made(tmp_path / "demo"), "--human", display=":7", path=path) as (_, shown):
        await eventually(opened.exists)
        await eventually(lambda: opened.read_text(encoding="utf-8").endswith("\n"))
        (page,) = re.findall(r"Scoreboard  (\S+)", shown())
        assert opened.read_text(encoding="utf-8") == f"{page}\n"


@pytest.mark.slow
@pytest.mark.parametrize("without", sweep(["a display", "a terminal", "the wish"], "a display".__eq__))
async def test_no_browser_opens_unasked(tmp_path: Path, desktop: tuple[str, Path], without: str) -> None:
    path, opened = desktop
    folder = made(tmp_path / "demo")
    if without == "a terminal":
        env = {**os.environ, "TMPDIR": str(folder), "DISPLAY": ":7", "PATH": path}
        async with Process("play", "--port", "0", "--human", env=env, python=()) as demo:
            await demo.said("tap the board")
            assert await demo.stop(signal.SIGINT) == 0
    else:
        display, more = ("", ()) if without == "a display" else (":7", ("--no-open",))
        async with watched(folder, "--human", *more, display=display, path=path) as (_, shown):
            await eventually(lambda: "tap the board" in shown())
    assert not opened.exists()


@pytest.mark.slow
async def test_phones_join_by_the_link_that_is_shown(tmp_path: Path) -> None:
    async with play(tmp_path, "--human", "--phones") as demo:
        await demo.said("tap the board")
        ours, theirs = (found(demo, rf"{name}  +http://(\S+)") for name in ("Scoreboard", "Phones"))
        assert theirs.partition(":")[0] != "127.0.0.1"
        assert theirs.partition(":")[2] == ours.partition(":")[2], "the same port and token"
        address, _, token = ours.partition("#token=")
        async with aiohttp.ClientSession(f"http://{address}") as guest:
            async with guest.get("/api/table/main/join") as refused:
                assert refused.status == 401
            async with guest.get("/api/table/main/join", headers={"Authorization": f"Bearer {token}"}) as answer:
                told = await answer.json()
        assert not told["asks"]
        assert not told["local"]
        remote, spectator = (code["url"] for code in told["codes"])
        assert remote == f"http://{theirs.replace('#', '?view=remote#')}"
        assert spectator.startswith(f"http://{theirs.partition('#')[0]}?kiosk=1#token=look-")
        assert await demo.stop(signal.SIGINT) == 0
    assert left_in(tmp_path) == []


@pytest.mark.parametrize(("players", "has_hands"), [("Cy,Di,Ed", True), ("Cy,Di", False)])
@pytest.mark.long
async def test_where_hands_need_phones_the_option_is_named(tmp_path: Path, players: str, has_hands: bool) -> None:
    async with play(tmp_path, "--game", "dards", "--players", players, "--human", "--no-open") as demo:
        await demo.said("tap the board to throw")
        assert ("a phone; for that, run oche play --phones" in demo.output) is has_hands
        assert await demo.stop(signal.SIGINT) == 0


@in_no_time
@pytest.mark.long
async def test_a_match_that_begins_in_the_last_moment_is_not_replaced(tmp_path: Path) -> None:
    async with evening(tmp_path, players=("Ann", "Bo")) as ours:
        rematch, match = Rematch(ours.table), None
        for chosen in ({"start": {"game": "301", "players": ["Cy", "Di"]}}, {"undo": True}):
            await give(ours.table, {"stop": True}, "page")
            await rematch.result(0.0)
            await give(ours.table, chosen, "page")
            match = ours.table.match_id
            await rematch.start()
            assert ours.table.match_id == match
        await give(ours.table, {"stop": True}, "page")
        await rematch.result(0.0)
        await rematch.start()
        assert ours.table.match_id != match


@pytest.mark.slow
async def test_a_person_plays_match_after_match_until_ctrl_c(tmp_path: Path) -> None:
    async with play(tmp_path, "--human", "--game", "101") as demo:
        await demo.said("tap the board to throw")
        async with aiohttp.ClientSession(found(demo, r"Scoreboard  (\S+)")) as web:
            for _ in range(2):
                for dart in ("T17", "O18", "D16"):
                    await post(web, "throw", {"throw": dart})
                assert (await state_of(web))["winners"] == [0]
                await post(web, "start")
            for path in ("/history", "/api/stats", "/api/players"):
                assert (await get(web, path))[0] == 200
            assert "Ann" in (await get(web, "/api/stats"))[1]
        assert await demo.stop(signal.SIGINT) == 0
    assert demo.errors == ""
    assert demo.output.endswith("\nStopped.\n")
    assert left_in(tmp_path) == []


@pytest.mark.slow
async def test_without_a_sensor_a_person_enters_what_visits_came_to(tmp_path: Path) -> None:
    async with play(tmp_path, "--board", "none", "--game", "101") as demo:
        await demo.said("enter the total of each visit")
        async with aiohttp.ClientSession(found(demo, r"Scoreboard  (\S+)")) as web:
            await post(web, "total", {"total": 60})
            state = await state_of(web)
            assert (state["sides"][0]["score"], state["turn"]["player"]) == (41, "Bo")
            steel = json.loads((await get(web, "/api/layout/steel"))[1])
            assert json.loads((await get(web, "/api/table/main/layout"))[1]) == {**steel, "face": "x01"}
        assert await demo.stop(signal.SIGINT) == 0
    assert demo.errors == ""


@pytest.mark.slow
async def test_a_result_is_one_only_when_it_stays(tmp_path: Path) -> None:
    """Where no terminal is, it ends with a match: not with a throw for the bull, and not with one that is undone."""
    async with play(tmp_path, "--game", "101", "--speed", "0.1") as demo:  # the players are too slow to throw meanwhile
        await demo.said("Ctrl-C ends it.")
        async with aiohttp.ClientSession(found(demo, r"Scoreboard  (\S+)")) as web:

            async def throw(*darts: str) -> None:
                for dart in darts:
                    await post(web, "throw", {"throw": dart})

            await post(web, "start", {"game": "101", "players": ["Cy", "Di"], "order": "bull"})
            await throw("T20")
            await post(web, "next")
            await throw("DB")
            assert (await state_of(web))["winners"] == [1]
            await demo.said("101: Di, Cy\n")  # which the page would have begun as well
            await throw("T17", "O18", "D16")
            await demo.said("Di won.")
            await post(web, "undo")
            await throw("D16")
            await post(web, "start", {"game": "101", "players": ["Ed", "Flo"]})
            await throw("T17", "O18", "D16")
        assert await demo.ended() == 0
    assert demo.output.count("Di won.") == 3
    assert demo.output.endswith("Ed won.\n")
    assert demo.errors == ""
    assert left_in(tmp_path) == []


@pytest.mark.long
async def test_teams_are_written_with_a_plus(tmp_path: Path) -> None:
    names = ("--players", "Ann+Cy,Bo+Di")
    async with play(tmp_path, "--game", "101", "--seed", "1", "--speed", "200", *names) as demo:
        assert await demo.ended() == 0
    assert re.fullmatch(r"(Ann & Cy|Bo & Di) won\.", demo.output.rstrip().splitlines()[-1])


@pytest.mark.slow
async def test_people_throw_at_the_board_and_bots_by_themselves(tmp_path: Path) -> None:
    async with play(tmp_path, "--game", "301", "--seed", "1", "--speed", "200", "--players", "Cy,bot:45") as demo:
        assert await demo.ended() == 0
    assert demo.errors == ""
    assert "  1  Bot 45 " in demo.output
    assert re.fullmatch(r"(Cy|Bot 45) won\.", demo.output.rstrip().splitlines()[-1])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "when"),
    sweep(
        product((signal.SIGINT, signal.SIGTERM), ("at once", "in the game")),
        lambda case: case in {(signal.SIGINT, "in the game"), (signal.SIGTERM, "at once")},
    ),
)
async def test_play_ends_cleanly_on_a_signal(tmp_path: Path, number: signal.Signals, when: str) -> None:
    async with play(tmp_path, "--speed", "20") as demo:
        if when == "at once":
            await eventually(lambda: bool(left_in(tmp_path)))
        else:
            await demo.said("  1  Ann ")
        assert await demo.stop(number) == 0
    assert demo.output.endswith("\nStopped.\n")
    assert demo.errors == ""
    assert left_in(tmp_path) == []


@pytest.mark.slow
async def test_the_game_is_on_the_page_and_on_mqtt(tmp_path: Path) -> None:
    async with play(tmp_path, "--speed", "10", "--seed", "1") as demo:
        await demo.said("Ctrl-C ends it.")
        page = found(demo, r"Scoreboard  (\S+)")
        async with (
            Display(int(found(demo, r"127\.0\.0\.1:(\d+), retained")), version=4) as display,
            aiohttp.ClientSession(page) as web,
        ):
            await display.until_line(3)
            async with web.get("/api/table/main/state") as answer:
                assert (await answer.json())["match"] == display.state()["match"]
            async with web.get("/") as answer:
                assert answer.status == 200
        assert await demo.stop(signal.SIGINT) == 0
    assert demo.errors == ""


@pytest.mark.long
async def test_ports_that_are_taken_are_left_alone(tmp_path: Path) -> None:
    async with Process("play", "--speed", "10", env={**os.environ, "TMPDIR": str(tmp_path)}, python=()) as demo:
        await demo.said("Ctrl-C ends it.")
        assert found(demo, r"Scoreboard  http://127\.0\.0\.1:(\d+)/") != "8180"
        assert found(demo, r"MQTT        127\.0\.0\.1:(\d+)") != "1883"
        assert await demo.stop(signal.SIGINT) == 0
