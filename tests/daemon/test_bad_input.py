"""What people get wrong: one clear sentence each that says what to do, the right status, and nothing else stops."""

from __future__ import annotations

import os
import socket
import tempfile
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from daemon.admin.doctor.broker import check_running
from daemon.assemble import run_daemon
from daemon.config.reader import read_config
from daemon.errors import UserError
from simulator.pty_board import PtyBoard
from tests.daemon.checkup import write
from tests.daemon.display import DirectDisplay, Display
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import Saying, configure, eventually, throw
from tests.daemon.relay import DISCONNECT, between
from tests.daemon.test_doctor import with_page
from tests.daemon.test_unconfigured import said as say_there
from tests.sweep import sweep

BOARD = '[[table]]\nboard = "serial:/dev/x"\n'

CONFIGS = (
    ("tabel = 1", "line 1: unknown key 'tabel'; did you mean 'table'?"),
    ("", "the key 'table' is missing"),
    ("table = []", "line 1: the configuration needs at least one [[table]] with a board"),
    ("[[table]", "line 1: this is not TOML: Expected ']]' at the end of an array declaration"),
    ('[[table]]\nboart = "serial:/dev/x"', "line 2: unknown key 'boart'; did you mean 'board'?"),
    ('[mqtt]\npassword = "x"\n' + BOARD, "line 2: unknown key 'password'; did you mean 'password_file'?"),
    (BOARD + 'profile = "opendart"', "line 3: there is no board profile 'opendart'; did you mean 'opendarts'?"),
    (BOARD + 'profile = "mine.toml"', "line 3: cannot read {folder}/mine.toml: no such file or directory"),
    (BOARD + 'mat = "oem_8x9"', "line 3: there is no mat 'oem_8x9'; did you mean 'oem_8x8'?"),
    (BOARD + 'profile = "fynn"\nmat = "oem_8x8"', "line 4: the profile fynn has no mat to replace"),
    (BOARD + 'game = "x02"', "line 3: there is no game 'x02'; did you mean 'x01'?"),
    (BOARD + "options = {strat = 301}", "line 3: x01 has no option 'strat'; did you mean 'start'?"),
    (BOARD + "options = {start = 42}", "line 3: option start of x01 is 42: this must be a whole number >= 101"),
    (BOARD + "players = []", "line 3: x01 is for 1 to 16 sides, not for 0"),
    (BOARD + 'players = ["Ann", "\\u0007"]', "line 3: player 2 needs a name with at least one visible character"),
    (
        BOARD + 'takeout = "buton"',
        "line 3: table.0.takeout = 'buton': this must be one of button, timer, hits, sensor; did you mean 'button'?",
    ),
    (BOARD + "takeout_s = nan", "line 3: table.0.takeout_s = nan: this must be a number >= 0.1"),
    (BOARD + 'name = "A B"', "line 3: table 'A B' is part of MQTT topics: use only a to z, 0 to 9 and dashes"),
    ('[mqtt]\nbase = "a/#"\n' + BOARD, "line 2: base '#' is part of MQTT topics: use only a to z, 0 to 9 and dashes"),
    ('[bridge]\nname = "A"\n' + BOARD, "line 2: bridge 'A' is part of MQTT topics: use only a to z, 0 to 9 and dashes"),
    (
        '[bridge]\nupdate_url = "file:///etc/passwd"\n' + BOARD,
        "line 2: 'file:///etc/passwd' is not a web address: write one such as http://host/latest.json",
    ),
    (
        '[bridge]\nupdate_url = "https://ann:secret@host/latest.json"\n' + BOARD,
        "line 2: others can see an address with a password: serve latest.json without a login",
    ),
    ("[mqtt]\nport = 70000\n" + BOARD, "line 2: mqtt.port = 70000: this must be a whole number <= 65535"),
    (BOARD + BOARD, "line 3: two tables are called 'main': give each its own name"),
    (BOARD + BOARD + 'name = "b"', "line 4: two tables have the board serial:/dev/x: give each its own board"),
    (
        '[[table]]\nboard = "/dev/ttyUSB0"',
        "line 2: the address '/dev/ttyUSB0' must begin with the kind of link; did you mean serial:/dev/ttyUSB0?",
    ),
    (
        '[[table]]\nboard = "seral:/dev/x"',
        "line 2: there is no kind of link 'seral' (in 'seral:/dev/x'); did you mean 'serial'?",
    ),
)


@pytest.mark.parametrize(("text", "sentence"), CONFIGS)
def test_a_mistake_in_the_configuration(tmp_path: Path, text: str, sentence: str) -> None:
    file = tmp_path / "oche.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(UserError) as caught:
        read_config(file)
    colon = "," if sentence.startswith("line") else ":"
    assert str(caught.value) == f"{file}{colon} {sentence}".replace("{folder}", str(tmp_path))
    assert caught.value.status == 2


def test_commands_that_cannot_be(tmp_path: Path, oche: Saying, monkeypatch: pytest.MonkeyPatch) -> None:
    (temporary := tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    (tmp_path / "typo.toml").write_text("tabel = 1", encoding="utf-8")
    (tmp_path / "binary.toml").write_bytes(b"\xff")
    missing = f"{tmp_path}/none.toml"
    typo = f"{tmp_path}/typo.toml, line 1: unknown key 'tabel'; did you mean 'table'?"
    table = {
        f"run --config {tmp_path}/typo.toml": typo,
        f"config check {tmp_path}/typo.toml": typo,
        f"run --config {tmp_path}/binary.toml": f"{tmp_path}/binary.toml is not UTF-8 text: save it as UTF-8",
        f"run --config {missing}": (
            f"cannot read {missing}: no such file or directory; name the configuration with --config FILE"
        ),
        "rnu": "there is no command 'rnu'; did you mean 'run'?",
        "games x02": "there is no game 'x02'; did you mean 'x01'?",
        "play --game x02": "there is no game 'x02'; did you mean 'x01'?",
        "play --game burma_road --players Ann": "burma_road is for 2 to 16 sides, not for 1",
        "play --players Ann,bot:200": ("player 2 is a bot of level '200': a level is a three-dart average, 20 to 110"),
        "play --players Ann,bot:Bo": "oche play knows no measured darts of 'Bo': give the bot a level, 20 to 110",
        "play --board granbord": "there is no board profile 'granbord'; did you mean 'granboard'?",
        f"play --board {missing}": f"cannot read {missing}: no such file or directory",
        "play --board granboard --game yatzy_dart": (
            "yatzy_dart needs the yatzy layout; the profile granboard has the standard layout"
        ),
        f"play --config {missing}": (
            f"cannot read {missing}: no such file or directory; name the configuration with --config FILE"
        ),
        "-v -q games": "-v and -q contradict each other: choose one",
        "games -q": "the option -q must stand before the command: oche -q COMMAND",
        "boards show opendart": "there is no board profile 'opendart'; did you mean 'opendarts'?",
        f"boards check {missing}": f"cannot read {missing}: no such file or directory",
        f"boards decode opendarts {missing}": f"cannot read {missing}: no such file or directory",
    }
    for line, sentence in table.items():
        assert oche(*line.split()) == (2, "", f"oche: {sentence}\n")
    assert not [*temporary.iterdir()], "nothing is left of a game that cannot begin"


PASSWORD = 'username = "oche"\npassword_file = "secret"'


def test_the_check_misses_the_file_of_the_password(tmp_path: Path, oche: Saying) -> None:
    file = configure(tmp_path, 1883, mqtt=PASSWORD)
    told = oche("config", "check", file)
    reason = f"there is no file {tmp_path}/secret: write the broker's password into it"
    assert (told.status, told.errors.partition(": ")[2].partition(": ")[2]) == (1, f"{reason}\n")
    assert told.errors.startswith(f"oche: {file}, line ")
    assert "is right" not in told.output
    (tmp_path / "secret").write_text("bridge\n", encoding="utf-8")
    assert oche("config", "check", file).status == 0


@pytest.mark.parametrize("is_there", [True, False])
async def test_the_password_that_the_service_manager_has_is_not_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_there: bool
) -> None:
    (tmp_path / "etc").mkdir()
    configure(tmp_path / "etc", 1883, mqtt=PASSWORD)
    credential = write(tmp_path, "credential", "bridge\n") if is_there else tmp_path / "nothing"
    unit = f"#!/bin/sh\necho LoadCredential=mqtt-password:{credential}\n"
    write(tmp_path, "bin/systemctl", unit).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    told = await say_there(tmp_path, "config", "check")
    assert told.process.returncode == (0 if is_there else 1)
    assert ("there is no file" in told.errors) != is_there


def test_what_is_right_is_shown(tmp_path: Path, oche: Saying) -> None:
    file = configure(tmp_path, 1883)
    check, games, x01 = oche("config", "check", file), oche("games"), oche("games", "x01")
    assert all((p.status, p.errors) == (0, "") for p in (check, games, x01))
    assert check.output == f"table main: x01 on serial:{tmp_path}/board (quick.toml)\n{file} is valid.\n"
    assert {line.split()[0] for line in games.output.splitlines() if line} >= {"x01", "burma_road", "warm_up"}
    assert "Every side starts at the same score" in x01.output
    assert "  start (Start score): 101 to 1501 (default 501)" in x01.output.splitlines()
    starts = "  starts (Handicap): a list with a score for each side, 2 to 1501, such as [501, 301] (default [])"
    assert starts in x01.output.splitlines()


@pytest.mark.slow
async def test_a_second_daemon_on_the_same_board_waits_for_it(
    tmp_path: Path, broker: Mosquitto, board: PtyBoard
) -> None:
    (tmp_path / "second").mkdir()
    rivals = {"board": board.address, "bridge": 'name = "rival"', "mqtt": 'base = "rival"'}
    second = configure(tmp_path / "second", broker.port, **rivals)
    async with AsyncExitStack() as stack:
        display = await stack.enter_async_context(Display(broker.port))
        async with run_daemon(read_config(configure(tmp_path, broker.port))):
            await board.wait_until_open()
            rival = (await stack.enter_async_context(run_daemon(read_config(second)))).tables["main"]
            await eventually(lambda: rival.board.info.text.startswith(f"another program uses {board.path}: close it"))
            throw(board, "T20")
            assert (await display.until_line(2))["turn"]["darts"][0]["segment"] == "T20"
        await eventually(lambda: rival.board.online)
        throw(board, "DB")
        await eventually(lambda: rival.state().line == 2)


async def refuse_to_start(file: Path) -> str:
    """Returns why the daemon does not start with this file."""
    with pytest.raises(UserError) as refused:
        async with run_daemon(read_config(file)):
            pass
    assert refused.value.status == 1
    return str(refused.value)


async def test_a_second_daemon_on_the_same_journals_does_not_start(tmp_path: Path) -> None:
    file = configure(tmp_path)
    async with run_daemon(read_config(file)):
        assert await refuse_to_start(file) == (
            f"another oche daemon uses {tmp_path}/state: stop it, or configure another folder (bridge.state_dir)"
        )


async def test_ports_that_are_taken(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
        file = configure(tmp_path, port)
        text = file.read_text()
        file.write_text(text.replace("port = 0", f"port = {port}"), encoding="utf-8")
        page = await refuse_to_start(file)
        file.write_text(text.replace('host = "127.0.0.1"\n', ""), encoding="utf-8")
        broker = await refuse_to_start(file)
    assert page == f"the page cannot be served at 127.0.0.1:{port}: address already in use; set another web.port"
    assert broker == (
        f"port {port} is in use, perhaps by another broker: "
        'to use that broker write host = "127.0.0.1" below [mqtt]; otherwise set another mqtt.port'
    )


@pytest.mark.parametrize(
    ("login", "sentence"),
    [
        (
            'username = "oche"\npassword_file = "{folder}/wrong"',
            "the broker 127.0.0.1:{port} refused the login: check mqtt.username and the password",
        ),
        (
            'username = "oche"\npassword_file = "{folder}/none"',
            "cannot read the broker's password from {folder}/none: no such file or directory: "  # noqa: ISC004  one
            "write the broker's password into that file, and nothing else; the user that oche runs as must be able to "
            "read it",
        ),
    ],
)
async def test_a_login_that_is_refused(
    tmp_path: Path, mosquitto_path: Path, unused_tcp_port: int, login: str, sentence: str
) -> None:
    (tmp_path / "wrong").write_text("wrong", encoding="utf-8")
    file = configure(tmp_path, unused_tcp_port, mqtt=login.format(folder=tmp_path))
    async with (
        Mosquitto(mosquitto_path, tmp_path / "mosquitto", unused_tcp_port, users={"oche": "right"}),
        run_daemon(read_config(file)) as running,
    ):
        said = sentence.format(folder=tmp_path, port=unused_tcp_port)
        await eventually(lambda: running.mqtt.status.sentence == said)


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("127.0.0.1", "no broker answers at 127.0.0.1:{port}: start it, or check mqtt.host and mqtt.port"),
        (
            "no.such.host.invalid",
            "the broker's name no.such.host.invalid is not known here: check mqtt.host, or use the broker's address",
        ),
    ],
)
async def test_a_broker_that_cannot_be_reached(
    tmp_path: Path, unused_tcp_port: int, address: str, sentence: str
) -> None:
    file = configure(tmp_path, unused_tcp_port)
    file.write_text(file.read_text().replace('host = "127.0.0.1"', f'host = "{address}"'), encoding="utf-8")
    async with run_daemon(read_config(file)) as running:
        await eventually(lambda: running.mqtt.status.sentence.startswith(sentence.format(port=unused_tcp_port)))


RENAME = "another client also calls itself oche-oche: give one of the two another name below [bridge], and restart it"
LOG = "; or see in the broker's log why it ends the connection"
_LEVEL_3 = 4
"""How MQTT 3.1.1 calls itself in a CONNECT."""
TAKEN_OVER = b"\xe0\x01\x8e"
"""DISCONNECT of MQTT 5, which newer brokers than Debian 12's mosquitto send: another client has taken the session."""


@pytest.mark.slow
@pytest.mark.parametrize("way", sweep(["taken over", "hung up", "3.1.1"], "taken over".__eq__))
async def test_two_daemons_of_one_name_are_told_and_it_stays(
    tmp_path: Path, broker: Mosquitto, unused_tcp_port_factory: Callable[[], int], way: str
) -> None:
    """`way`: the broker says why; it does not; it cannot."""

    async def pass_on(kind: int, packet: bytes) -> bytes:
        return b"" if way == "hung up" and kind == DISCONNECT else packet  # newer brokers do say why

    def admits(greeting: bytes) -> bool:
        return way != "3.1.1" or greeting[greeting.index(b"MQTT") + 4] == _LEVEL_3

    (tmp_path / "second").mkdir()
    farewell = TAKEN_OVER if way == "taken over" else b""
    async with between(broker.port, pass_on, admits, farewell) as port:
        first, second = configure(tmp_path, port), configure(tmp_path / "second", port)
        setups = [with_page(first, unused_tcp_port_factory()), read_config(second)]
        async with run_daemon(setups[0]) as running, run_daemon(setups[1]) as twin:
            links, told = [running.mqtt, twin.mqtt], list[str]()
            for link in links:
                link.status.trouble.subscribe(told.append)
            where = f"127.0.0.1:{port}"
            said = {
                "taken over": f"another client at {where} also{RENAME.partition('also')[2]}",
                "hung up": (
                    f"the broker {where} ends every connection soon after it was made, as it does when {RENAME}{LOG}"
                ),
            }.get(way, RENAME + LOG)
            await eventually(lambda: all(link.status.sentence.endswith(said) for link in links))
            if way == "taken over":
                lost = [sentence for sentence in told if sentence and not sentence.endswith(said)]
                assert not lost, "it is told at once, and nothing else before it"
            before = [link.reconnects for link in links]
            told.clear()
            await eventually(lambda: all(now.reconnects > was + 1 for now, was in zip(links, before, strict=True)))
            assert not told, "it does not come and go with the connection"
            checks = [check async for check in check_running(setups[0])]
            found = next(check for check in checks if check.name == "daemon")
            assert (found.verdict, str(found.remedy)) == ("problem", said.partition("oche-oche: ")[2])


async def test_names_are_tamed(tmp_path: Path, unused_tcp_port: int) -> None:
    file = configure(tmp_path, unused_tcp_port)
    names = ["\\u001b[31mAnn\\n", "B" * 300, "<script>alert(1)</script>"]
    written = ", ".join(f'"{name}"' for name in names)
    file.write_text(file.read_text().replace('["Ann", "Bo"]', f"[{written}]"), encoding="utf-8")
    async with run_daemon(read_config(file)) as running, DirectDisplay(running) as display:
        state = await display.until_line(1)
        assert [side["name"] for side in state["sides"]] == ["[31mAnn", "B" * 40, "<script>alert(1)</script>"]
