"""Boards that a Bluetooth proxy reaches: a table plays, lists have them, and the doctor says what is wrong."""

from __future__ import annotations

import tomllib
from base64 import b64encode
from pathlib import Path

import pytest

from daemon.admin.doctor import boards
from daemon.admin.doctor.boards import _LISTEN_S as LISTEN_S
from daemon.admin.doctor.boards import find_boards, list_near
from daemon.admin.doctor.examine import _PATIENCE_S as EXAMINATION_S
from daemon.admin.doctor.examine import examine
from daemon.admin.doctor.proxies import check_proxies
from daemon.admin.doctor.system import System
from daemon.board.proxies import use_proxies
from daemon.commands.shared import with_proxies as with_proxies_of
from daemon.config.reader import read_config
from daemon.service.lock import lock_folder
from drivers.bluetooth import PROXIES_S
from drivers.proxies import get_proxies
from tests.daemon.checkup import ROOT_USER, lines, only, write
from tests.daemon.process import PATIENCE_S, configure, eventually, journal, run, segment
from tests.daemon.test_boards import order
from tests.daemon.test_settings import serve, write_file
from tests.esphome_proxy import run_proxy

KEY, OTHER_KEY = (b64encode(bytes([number]) * 32).decode() for number in (1, 2))
ACTIVATE = "write active: true below bluetooth_proxy: in its ESPHome configuration"
FIRST, SECOND = "C0:11:22:33:44:01", "C0:11:22:33:44:02"


@pytest.fixture(autouse=True)
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """A machine whose system bus is not there, and so no Bluetooth of its own."""
    bus = f"unix:path={tmp_path}/nothing"
    monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", bus)
    return bus


def with_proxies(file: Path, *ports: int, key: str = KEY) -> Path:
    """The configuration of one table on a GRANBOARD that is near these proxies."""
    (secret := file.parent / "key").write_text(f"{key}\n")
    secret.chmod(0o600)
    text = file.read_text().replace("sim:opendarts", "ble:auto").replace('"opendarts"', '"granboard"')
    proxies = [f'[[proxy]]\nhost = "127.0.0.1:{port}"\nkey_file = "key"\n' for port in ports]
    file.write_text("\n".join([text, *proxies]))
    return file


@pytest.mark.slow
async def test_a_table_plays_through_a_proxy_and_the_page_lists_other_boards_once(
    tmp_path: Path, unused_tcp_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.admin.boards.SECONDS", 0.5)
    async with run_proxy(key=KEY) as near, run_proxy(key=KEY, name="proxy-attic") as far:
        file = with_proxies(write_file(tmp_path, unused_tcp_port), near.port, far.port)
        async with serve(file) as client:
            board = near.place("granboard", FIRST)

            def plays() -> bool:
                return board.is_heard and board.hit(segment("T20")) and {"throw": "T20"} in journal(tmp_path)

            await eventually(plays)
            other = near.place("granboard", SECOND)
            far.hear(other, rssi=-80)
            status, told = await order(client, "scan")
            assert status == 200, told
            found = [each for each in told["found"] if each["address"].startswith("ble:")]
            assert [(each["address"], each["fits"][0]["profile"]) for each in found] == [(f"ble:{SECOND}", "granboard")]
            assert not [note for note in told["notes"] if "proxy" in note]
        await near.until_unused()


@pytest.mark.slow
async def test_a_scan_listens_through_the_proxies_of_the_configuration_unless_oche_runs(
    tmp_path: Path, nowhere: str, capsys: pytest.CaptureFixture[str]
) -> None:
    async with run_proxy(key=KEY) as proxy:
        proxy.place("granboard", FIRST)
        file = with_proxies(configure(tmp_path, board="sim:opendarts", profile="opendarts"), proxy.port)
        env = {"PATH": "/usr/bin", "DBUS_SYSTEM_BUS_ADDRESS": nowhere}
        told = await run("scan", "--seconds", "1", "--config", file, env=env)
        assert tomllib.loads(told.output)["table"][0] == {"board": f"ble:{FIRST}", "profile": "granboard"}
    with lock_folder(tmp_path / "state"):
        async with with_proxies_of(file):
            assert get_proxies() == ()
    assert "oche: the proxies are not used: oche may be running" in capsys.readouterr().err
    async with with_proxies_of(tmp_path / "none.toml"):
        assert get_proxies() == ()
    assert capsys.readouterr().err == ""


@pytest.mark.slow
async def test_the_doctor_says_of_each_proxy_whether_it_can_be_used(
    tmp_path: Path, unused_tcp_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(boards, "_LISTEN_S", 0.5)
    for name in ("daemon.admin.doctor.examine", "daemon.admin.doctor.proxies"):
        monkeypatch.setattr(f"{name}._PATIENCE_S", PATIENCE_S)
    file, root = configure(tmp_path, board="sim:opendarts", profile="opendarts"), tmp_path / "machine"
    async with run_proxy(key=KEY) as proxy, run_proxy(key=KEY, active=False) as passive:
        proxy.place("granboard", FIRST)
        with_proxies(file, proxy.port, passive.port, unused_tcp_port)
        what, listens, is_off = (
            f"the Bluetooth proxy 127.0.0.1:{port}" for port in (proxy.port, passive.port, unused_tcp_port)
        )
        said = lines([check async for check in examine(file, System(root))])
        assert [line for line in said if line.split()[1] in ("groups", "proxy", "bluetooth", "adverts")] == [
            f"ok proxy {what} (proxy-cellar) answers (free connections: 3 of 3)",
            f"problem proxy {listens} listens, but does not connect: {ACTIVATE}",
            f"problem proxy {is_off} does not answer: check its power, its network, and the host in the configuration",
            "ok adverts the board of table main can be heard",
        ]
        proxies, key, proxy.is_held = read_config(file).config.proxy[:1], file.parent / "key", True
        async with use_proxies(proxies):
            ours, theirs = [await check_proxies(proxies, ROOT_USER, is_running=is_ours) for is_ours in (None, False)]
        assert lines(ours) == [f"ok proxy {what} (proxy-cellar) answers, and is in use while oche runs"]
        assert only(theirs).startswith("problem proxy another program uses the Bluetooth proxy 127.0.0.1")
        proxy.is_held = False
        key.write_text(OTHER_KEY)
        key.chmod(0o644)
        async with use_proxies(proxies):
            opened, wrong = lines(await check_proxies(proxies, ROOT_USER, is_running=False))
        assert opened == f"warning proxy every user of this machine can read {key}: sudo chmod o= {key}"
        assert wrong.startswith(f"problem proxy the encryption key of the Bluetooth proxy 127.0.0.1:{proxy.port} is")
        assert not [line for line in (*said, opened, wrong) if KEY in line or OTHER_KEY in line]


def test_there_is_time_to_listen_also_where_one_of_the_proxies_does_not_answer() -> None:
    assert PROXIES_S + LISTEN_S < EXAMINATION_S


def test_with_a_proxy_only_a_board_that_names_an_adapter_needs_one_of_this_machine(tmp_path: Path) -> None:
    file = with_proxies(configure(tmp_path, board="sim:opendarts", profile="opendarts"), 6053)
    more = '\n[[table]]\nname = "bar"\nboard = "ble:auto?adapter=hci1"\nprofile = "granboard"\n'
    file.write_text(file.read_text() + more)
    found, system = find_boards(read_config(file), "ble"), System(tmp_path)
    assert [board.table for board in list_near(found, system, has_proxies=True)] == ["bar"]
    assert list_near(found, system, has_proxies=False) == found
    write(tmp_path, "/sys/class/bluetooth/hci0/address", "")
    assert list_near(found, system, has_proxies=True) == found
