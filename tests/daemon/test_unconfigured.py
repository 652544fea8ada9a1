"""Without any configuration: `oche run` plays, keeps what was played, and prints lines that do the same."""

from __future__ import annotations

import os
import re
import socket
import tomllib
from contextlib import suppress
from pathlib import Path

import aiohttp
import pytest
import tomli_w
from msgspec.structs import replace

from daemon.config.reader import DEFAULT_FILE, read_config
from daemon.config.sections import Mqtt, Web
from daemon.config.unconfigured import describe, find_config, find_state_folder
from daemon.plugins import loader
from daemon.web.token import PageToken
from tests.daemon.checkup import write
from tests.daemon.evenings import Evening
from tests.daemon.process import ROOT, STRICT, Process, Saying, eventually
from tests.daemon.test_play import tapped
from tests.daemon.test_settings import change, read, started_anew

BEGIN = """
import sys
from pathlib import Path
from daemon.config import reader
reader.DEFAULT_FILE = Path({file!r})
sys.argv = ["oche", *sys.argv[3:]]
from daemon.cli import main
main()
"""
OWN = (ROOT / "docs" / "boards" / "usb-report.toml").read_text(encoding="utf-8").replace("# product", "product")


def typed(folder: Path, *arguments: str) -> Process:
    """This command on a machine that has its configuration in this folder, and none there."""
    code = BEGIN.format(file=str(folder / "etc" / "oche.toml"))
    env = {**os.environ, "XDG_STATE_HOME": str(folder / "home")}
    env.pop("STATE_DIRECTORY", None)
    return Process(*arguments, env=env, python=(*STRICT, "-c", code))


async def said(folder: Path, *arguments: str) -> Process:
    async with typed(folder, *arguments) as process:
        await process.ended()
    return process


@pytest.fixture
def without(tmp_path: Path, oche: Saying, monkeypatch: pytest.MonkeyPatch) -> Saying:
    """`oche` where there is no configuration, and the state is kept below this folder."""
    monkeypatch.setattr("daemon.config.unconfigured.DEFAULT_FILE", tmp_path / "none.toml")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("STATE_DIRECTORY", raising=False)
    return oche


@pytest.mark.slow
async def test_what_is_played_is_kept_and_the_lines_go_on_with_it(tmp_path: Path, oche: Saying) -> None:
    async with typed(tmp_path, "run") as daemon:
        await daemon.said("[[table]]\n")
        async with aiohttp.ClientSession(await daemon.runs()) as web:
            await tapped(web, "O20")
        assert await daemon.stop() == 0
    assert "Traceback" not in daemon.errors
    lines = daemon.output[daemon.output.index("[bridge]") :]
    assert tomllib.loads(lines)["table"] == [{"board": "sim:granboard"}]
    (file := tmp_path / "mine.toml").write_text(lines, encoding="utf-8")
    checked = oche("config", "check", file)
    assert (checked.status, checked.errors) == (0, "")
    assert (tmp_path / "home" / "oche" / "main.sqlite3").is_file()
    again = tomllib.loads(lines) | {"mqtt": {"on": False}, "web": {"port": 0}}  # others may have the usual ports by now
    file.write_text(tomli_w.dumps(again), encoding="utf-8")
    async with Process("run", "--config", file) as daemon:
        async with aiohttp.ClientSession(await daemon.runs()) as web:

            async def is_there() -> bool:
                async with web.get("/api/table/main/state") as answer:
                    return [dart["segment"] for dart in (await answer.json())["turn"]["darts"]] == ["O20"]

            await eventually(is_there)
        assert await daemon.stop() == 0


async def test_the_history_is_read_without_a_configuration_too(tmp_path: Path, without: Saying) -> None:
    async with typed(tmp_path, "run") as daemon:
        async with aiohttp.ClientSession(await daemon.runs()) as web:
            for command in ("start", "throw", "stop"):
                body = {"start": {"game": "501", "players": ["Cy", "Di"]}, "throw": {"throw": "T20"}}.get(command)
                async with web.post(f"/api/table/main/{command}", json=body) as answer:
                    assert answer.status == 200
        assert await daemon.stop() == 0
    told = without("history", "list")
    assert (told.status, told.errors) == (0, "")
    assert "Cy" in told.output


def test_the_check_of_no_configuration_says_what_is_done_without(without: Saying) -> None:
    told = without("config", "check")
    assert (told.status, told.errors) == (0, "")
    assert told.output.startswith(f"There is no {DEFAULT_FILE}: oche run uses what it finds")


def test_before_the_first_evening_it_is_said_that_nothing_is_kept(tmp_path: Path, without: Saying) -> None:
    assert without("stats") == (
        2,
        "",
        f"oche: there is no {DEFAULT_FILE}, and oche run has saved nothing in {tmp_path}/home/oche: "  # noqa: ISC004  one
        "play with oche run first, or name the configuration with --config FILE\n",
    )


def test_the_token_is_made_where_the_state_is_kept(tmp_path: Path, without: Saying) -> None:
    (kept := tmp_path / "home" / "oche").mkdir(parents=True)
    told = without("token")
    assert (told.status, told.errors) == (0, "")
    assert "[web] of a file with the lines that oche run prints." in told.output
    assert PageToken("0.0.0.0", None, kept).find_role(told.output.split()[1]) == "play"


def test_a_backup_without_a_configuration_has_matches_and_lines(tmp_path: Path, without: Saying) -> None:
    state, backup, mine = tmp_path / "home" / "oche", tmp_path / "oche.tar.gz", tmp_path / "mine" / "oche.toml"
    state.parent.mkdir()
    with Evening(state) as evening:
        match = evening.play("T20 T20 T20 /", {"stop": True})
    told = without("backup", backup)
    assert (told.status, "oche.tar.gz, 0.0 MB" in told.errors) == (0, True)
    (state / "main.sqlite3").unlink()
    told = without("restore", backup, "--config", mine)
    assert (told.status, "now start oche" in told.errors) == (0, True)
    config = read_config(mine).config
    assert (config.bridge.state_dir, config.web) == (str(state), Web())
    assert match in without("history", "list", "--config", mine).output


def test_the_doctor_has_no_problem_with_it(tmp_path: Path, without: Saying) -> None:
    told = without("doctor")
    lines = [line.split(maxsplit=2) for line in told.output.splitlines()]
    verdicts = {name: verdict for verdict, name, *_ in lines[:-1]}
    assert {verdicts[name] for name in ("config", "state", "page", "daemon", "broker")} == {"ok"}
    assert not {"groups", "serial", "usb", "bluetooth"} & set(verdicts)
    assert str(tmp_path / "home" / "oche") in told.output
    assert not (tmp_path / "home").exists()


def test_the_state_is_where_the_manager_or_the_user_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STATE_DIRECTORY", "/var/lib/oche:/var/lib/more")
    assert find_state_folder() == Path("/var/lib/oche")
    monkeypatch.delenv("STATE_DIRECTORY")
    monkeypatch.setenv("XDG_STATE_HOME", "/home/ann/state")
    assert find_state_folder() == Path("/home/ann/state/oche")
    monkeypatch.setenv("HOME", "/home/ann")
    for unset in ("", "state"):  # a path that is not absolute is to be ignored
        monkeypatch.setenv("XDG_STATE_HOME", unset)
        assert find_state_folder() == Path("/home/ann/.local/state/oche")


async def test_a_port_that_is_taken_now_is_not_replaced_in_the_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.config.unconfigured.find_free_port", lambda usual: usual + 1)
    found = (await find_config(tmp_path)).with_broker(Mqtt(port=1884))
    assert "port =" not in found.lines
    assert found.taken_ports == [8180, 1883]
    assert "Port 8180 is taken by another program" in describe(found, None, "")


def plug(folder: Path, port: str, product: str, serial: str) -> None:
    """A USB device, as the kernel shows it."""
    texts = {"idVendor": "1209", "idProduct": "da27", "busnum": "1", "devnum": port, "product": product}
    for name, text in {**texts, "serial": serial, "bDeviceClass": "00"}.items():
        write(folder, f"1-{port}/{name}", f"{text}\n")


def has_bound(other: socket.socket, port: int) -> bool:
    other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        other.bind(("127.0.0.1", port))
    except OSError:
        return False
    other.listen()
    return True


@pytest.mark.slow
async def test_settings_are_saved_where_another_program_has_the_usual_port(tmp_path: Path) -> None:
    (tmp_path / "etc").mkdir()
    with socket.socket() as other:
        with suppress(TimeoutError):  # a program of this machine has it; tests beside this one, only for a while
            await eventually(lambda: has_bound(other, Web().port))
        async with typed(tmp_path, "run") as daemon, aiohttp.ClientSession(await daemon.runs()) as web:
            found = await read(web)
            assert found["effective"]["web"]["port"] != Web().port
            status, answer = await change(web, (["table", 0, "title"], "The Oak"))
            assert status == 200, answer
            again = await started_anew(web, answer["run"])
            assert (again["notice"], again["effective"]["table"][0]["title"]) == (None, "The Oak")
            assert again["effective"]["web"] == found["effective"]["web"]
            assert await daemon.stop() == 0


@pytest.mark.parametrize(
    ("profile", "products", "board", "perhaps"),
    [
        (OWN, ["Dartboard"], "usb:1209:da27", 0),
        (OWN, ["Dartboard", "Dartboard"], "sim:granboard", 2),
        (OWN, ["Mouse"], "sim:granboard", 0),
        (re.sub("product = .*", "", OWN), ["Dartboard"], "sim:granboard", 1),  # other things have these ids too
    ],
)
async def test_one_board_that_says_what_it_is_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, profile: str, products: list[str], board: str, perhaps: int
) -> None:
    write(tmp_path, "boards/mine.toml", profile)
    for number, product in enumerate(products, 1):
        plug(tmp_path / "sys", str(number), product, f"s{number}")
    monkeypatch.setattr("drivers.usb_devices._DEVICES", tmp_path / "sys")
    assert loader.load(tmp_path) == ()
    try:
        evening = await find_config(tmp_path / "state")
        write(tmp_path, "oche.toml", evening.lines)
        config = replace(evening.checked.config, web=Web())  # its port may be taken
        assert read_config(tmp_path / "oche.toml").config == config
    finally:
        loader.forget()
    assert evening.checked.config.table[0].board == board
    assert len([each for each in evening.possible_boards if each.address.startswith("usb:")]) == perhaps
