"""`oche scan`: lines that the daemon takes as they are, whatever is missing on the machine."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest

from daemon.admin.scan import find_games, list_wanted_profiles
from daemon.config.reader import check, read_config
from daemon.config.schemes import SIMULATED
from daemon.config.sections import Config, Mqtt
from daemon.mqtt.local_broker import run_embedded_broker, run_local_broker
from daemon.mqtt.probe import find_other_broker
from drivers.scan import Found, ProfileFit, Scan, format_json, format_toml
from protocol.source import Source
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import ROOT, Saying, run
from tests.drivers.bluetoothd import BleBoard, Bluetoothd
from tests.drivers.system_bus import system_bus

GRAN = "442f157{}-8a00-9a28-cbe1-e1d4212d53eb"

AROUND = Scan(
    [
        Found("ble:C0:11:22:33:44:55", "GRANBOARD, -61 dBm", (ProfileFit("granboard", "sure"),)),
        Found("usb:2341:8036", "Arduino Leonardo", (ProfileFit("pydarts-leonardo", "likely"),)),
        Found(
            'serial:/dev/serial/by-id/usb-"odd"-port0',
            "/dev/ttyUSB0, CH340",
            (ProfileFit("opendarts", "possible"), ProfileFit("fynn", "possible")),
        ),
        Found("serial:/dev/ttyAMA0", ""),
        Found("ble:C0:11:22:33:44:56", ""),
        Found("ble:C0:11:22:33:44:57", ""),
    ],
    ["there is no Bluetooth adapter: plug one in"],
)
HOST = Found("tcp:192.168.0.1:11080", "answers on port 11080", (ProfileFit("darts-connect", "possible"),))


SURE = Found("usb:1209:da27", "a dartboard", (ProfileFit("pydarts-leonardo", "sure"),))
YATZY = Found(
    "serial:/dev/ttyUSB9", "CH340", (ProfileFit("plain-yatzy", "possible"), ProfileFit("opendarts", "possible"))
)
HEXAGONS = Found("serial:/dev/ttyUSB8", "CH340", (ProfileFit("plain-ground-round", "possible"),))


@pytest.mark.parametrize(
    "found",
    [
        AROUND.found,
        [],
        AROUND.found[3:],
        [AROUND.found[2]],
        [AROUND.found[0], SURE],
        [YATZY],
        [SURE, YATZY, HEXAGONS],
        [SURE, HOST],
    ],
    ids=lambda found: str(len(found)),
)
def test_the_output_is_a_configuration_with_any_comment_uncommented(tmp_path: Path, found: list[Found]) -> None:
    text = format_toml(Scan(found, []), {"plain-yatzy": "yatzy_dart", "plain-ground-round": "ground_round"}, SIMULATED)
    blocks = text.split("\n\n")
    commented = [n for n, block in enumerate(blocks) if "\n# [[table]]" in block]
    (file := tmp_path / "oche.toml").write_text(text, encoding="utf-8")
    assert len(read_config(file).config.table) == max(1, sum(each.sure == "sure" for each in found))
    boards = {}
    for chosen in ([], *([n] for n in commented), commented):
        whole = [
            re.sub("^# ((?:\\[|\\w+ = ).*)$", r"\1", b, flags=re.MULTILINE) if n in chosen else b
            for n, b in enumerate(blocks)
        ]
        file.write_text("\n\n".join(whole), encoding="utf-8")
        boards = {table.board: table.profile for table in read_config(file).config.table}
    assert boards == ({each.address: each.fits[0].profile for each in found if each.fits} or {"sim:granboard": ""})


def test_the_surest_comes_first_and_a_doubtful_board_is_a_comment() -> None:
    text = format_toml(AROUND, {}, SIMULATED)
    assert [table["board"] for table in tomllib.loads(text)["table"]] == ["ble:C0:11:22:33:44:55"]
    assert text.index("GRANBOARD") < text.index("CH340") < text.index("ttyAMA0")
    assert '# profile = "opendarts"  # or fynn' in text
    assert text.endswith("#   and 2 Bluetooth devices without a name")


def test_a_profile_brings_a_game_that_its_layout_can_be_played_with() -> None:
    games = find_games(list_wanted_profiles(()))
    assert (games["granboard"], games["plain-yatzy"], games["plain-ground-round"]) == ("", "yatzy_dart", "ground_round")


def test_programs_read_the_same() -> None:
    said = json.loads(format_json(AROUND, {}))
    assert said["notes"] == [str(note) for note in AROUND.notes]
    assert [note["text"] for note in said["notes_said"]] == said["notes"]
    assert said["found"][2]["fits"] == [
        {"profile": "opendarts", "sure": "possible"},
        {"profile": "fynn", "sure": "possible"},
    ]
    assert said["found"][0]["config"] == AROUND.found[0].lines()
    assert [each["address"] for each in said["found"]] == [each.address for each in AROUND.found]


def test_a_host_is_no_board_until_it_has_said_so() -> None:
    assert "# It may be darts-connect or another program" in format_toml(Scan([HOST], []), {}, SIMULATED)
    likely = HOST._replace(fits=(ProfileFit("darts-connect", "likely"),))
    assert "# It sends the same messages as darts-connect." in format_toml(Scan([likely], []), {}, SIMULATED)


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """A machine whose system bus is not there, and so no Bluetooth."""
    return {"PATH": "/usr/bin", "TERM": "xterm", "DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={tmp_path}/nothing"}


OWN = """
id = "pub"
name = "The board of the pub"
hits.frame = "{id}"
link = "ble"

[ble]
names = ["Pub"]
service = "fff0"
notify = "fff1"
"""


@pytest.mark.slow
async def test_a_board_with_a_custom_profile_is_found_and_printed_usable(
    env: dict[str, str], dbus_path: Path, tmp_path: Path
) -> None:
    (own := tmp_path / "my pub.toml").write_text(OWN, encoding="utf-8")
    board = BleBoard("C2:A4:CF:00:00:02", "Pub dartboard", "fff0", "fff1")
    async with system_bus(dbus_path, tmp_path) as address, Bluetoothd(address, board):
        arguments = ("scan", "--seconds", "1", "--profile", own)
        told = await run(*arguments, env={**env, "DBUS_SYSTEM_BUS_ADDRESS": address})
    assert (told.process.returncode, told.errors) == (0, "")
    table = tomllib.loads(told.output)["table"][0]
    assert table == {"board": "ble:C2:A4:CF:00:00:02", "profile": str(own)}
    check(msgspec.convert({"table": [table]}, Config), Source("", "pasted"))


@pytest.mark.parametrize(("file", "sentence"), [("granboard", "ending in .toml"), ("/none.toml", "no such file")])
def test_a_profile_that_is_no_file_is_one_sentence(oche: Saying, file: str, sentence: str) -> None:
    told = oche("scan", "--profile", file)
    assert (told.status, told.errors.count("\n")) == (2, 1)
    assert sentence in told.errors


def test_the_usual_profile_is_named_first_where_any_may_be_right() -> None:
    assert list_wanted_profiles(())[0].id == "opendarts"


@pytest.mark.slow
async def test_without_bluetooth_a_scan_searches_the_rest_and_shows_a_bar(env: dict[str, str]) -> None:
    master, terminal = os.openpty()
    arguments = ("-m", "daemon.cli", "scan", "--seconds", "0.5")
    process = await asyncio.create_subprocess_exec(
        sys.executable, *arguments, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=terminal
    )
    output, _ = await process.communicate()
    os.close(terminal)
    said = b""
    with suppress(OSError):  # at the end: nobody has it open any more
        while True:  # a terminal may give it in pieces
            said += os.read(master, 65536)
    os.close(master)
    shown = said.decode()
    assert process.returncode == 0
    assert tomllib.loads(output.decode()) is not None
    assert "Looking around" in shown
    assert "100%" in shown
    assert "oche: Bluetooth needs D-Bus" in shown


async def test_the_broker_of_another_program_is_told_from_one_that_oche_has_started(
    mosquitto_path: Path, tmp_path: Path, unused_tcp_port_factory: Callable[[], int]
) -> None:
    port = unused_tcp_port_factory()
    assert await find_other_broker(port) is None
    async with run_local_broker(port) as program:
        assert (program, await find_other_broker(port)) == ("mosquitto", None)
    async with run_embedded_broker(port):
        assert await find_other_broker(port) is None
    async with Mosquitto(mosquitto_path, tmp_path / "open", port):
        assert await find_other_broker(port) == "open"
        async with run_local_broker(unused_tcp_port_factory()):
            assert await find_other_broker(port) == "open"
    async with Mosquitto(mosquitto_path, tmp_path / "closed", port, users={"oche": "bridge"}):
        assert await find_other_broker(port) == "login"


BESIDE_A_BROKER = """
import socket, subprocess, sys, time
broker = subprocess.Popen([sys.argv[1], "-c", sys.argv[2]], stderr=subprocess.DEVNULL)
for _ in range(600):
    try:
        socket.create_connection(("127.0.0.1", 1883)).close()
        break
    except OSError:
        time.sleep(0.05)
try:
    sys.exit(subprocess.call([sys.executable, "-m", "daemon.cli", "scan", "--seconds", "0.5"]))
finally:
    broker.kill()
"""


@pytest.mark.slow
@pytest.mark.parametrize("is_open", [True, False])
def test_the_broker_of_this_machine_is_in_what_is_printed(
    env: dict[str, str], mosquitto_path: Path, tmp_path: Path, is_open: bool
) -> None:
    (settings := tmp_path / "mosquitto.conf").write_text(
        f"listener 1883 127.0.0.1\nuser root\nallow_anonymous {str(is_open).lower()}\n", encoding="utf-8"
    )
    alone = find_way_to_be_alone(env)
    program = [sys.executable, "-c", BESIDE_A_BROKER, str(mosquitto_path), str(settings)]
    text = subprocess.check_output([*alone, *program], cwd=ROOT, env=env, text=True)
    (file := tmp_path / "oche.toml").write_text(text, encoding="utf-8")
    assert read_config(file).config.mqtt == Mqtt(host="127.0.0.1")
    assert ('# username = "oche"' in text) != is_open
    file.write_text(text.replace("# username", "username"), encoding="utf-8")
    assert read_config(file).config.mqtt.username == (None if is_open else "oche")


ON_THE_NETWORK = """
set -e
ip link set lo up
ip link add wifi type veth peer name board
ip link set wifi up
ip address add 192.168.0.2/24 dev wifi
ip neighbour add 192.168.0.1 lladdr 02:00:00:00:00:01 dev wifi nud permanent
ip address add 192.168.0.1/32 dev lo
exec "$@"
"""
"""A network of its own, whose only neighbour takes its connections here."""
BOARD = """
import socket, subprocess, sys, threading
board = socket.create_server(("192.168.0.1", 11080))
def greet():
    while True:
        board.accept()[0].sendall(bytes.fromhex("2308000001000000060100001c000000a0ef7240").ljust(48, b"\\0"))
threading.Thread(target=greet, daemon=True).start()
sys.exit(subprocess.call([sys.executable, "-m", "daemon.cli", "scan", "--seconds", "0.5", "--json"]))
"""


@pytest.mark.slow
def test_a_board_on_the_network_is_found_among_the_neighbours(env: dict[str, str]) -> None:
    alone = find_way_to_be_alone(env)
    output = subprocess.check_output([*alone, sys.executable, "-c", BOARD], cwd=ROOT, env=env)
    found = [each for each in json.loads(output)["found"] if each["address"].startswith("tcp:")]
    assert [(each["address"], each["what"]) for each in found] == [(HOST.address, HOST.what)]
    assert found[0]["config"] == HOST.lines()


def find_way_to_be_alone(env: dict[str, str]) -> tuple[str, ...]:
    """How a command is begun that has this network to itself."""
    alone = ("unshare", "--net", *(("--map-root-user",) if os.geteuid() else ()), "sh", "-c", ON_THE_NETWORK, "sh")
    env["PATH"] = f"{os.environ['PATH']}:/usr/sbin"
    if subprocess.call([*alone, "true"], env=env, stderr=subprocess.DEVNULL):
        pytest.skip("no network of its own can be made here: needs ip, and the right to unshare")
    return alone
