"""Boards that a Bluetooth proxy reaches: a table plays, and lists have them."""

from __future__ import annotations

import tomllib
from base64 import b64encode
from pathlib import Path

import pytest

from daemon.commands.shared import with_proxies as with_proxies_of
from daemon.service.lock import lock_folder
from drivers.proxies import get_proxies
from tests.daemon.process import configure, eventually, journal, run, segment
from tests.daemon.test_boards import order
from tests.daemon.test_settings import serve, write_file
from tests.esphome_proxy import run_proxy

KEY = b64encode(bytes(32)).decode()
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
