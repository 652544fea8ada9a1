"""A table as configured: the links of its board, times of its own, a missing library, its players' doubles."""

from __future__ import annotations

import os
from base64 import b64encode
from pathlib import Path
from secrets import token_hex

import msgspec
import pytest

from daemon.config.reader import read_config
from daemon.config.sections import TableConfig
from daemon.errors import UserError
from daemon.table import matches
from protocol.codebook import shipped
from protocol.layouts import find_layout
from protocol.match_spec import MatchSpec
from protocol.profile import Timing
from simulator.pty_board import PtyBoard
from tests.daemon.display import Display
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import Process, configure, eventually, throw
from tests.plain_guard import PlainGuard


def written(folder: Path, *lines: str) -> Path:
    file = folder / "oche.toml"
    file.write_text("\n".join(["[[table]]", *lines]), encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("board", "profile"),
    [
        ("ble:auto", "granboard"),
        ("ble:C2:A4:CF:00:00:01", "unicorn"),
        ("usb:auto", "pydarts-leonardo"),
        ("tcp:192.168.0.1:11080", "darts-connect"),
        ("serial:/dev/ttyUSB0", "granboard-bridge"),
        ("serial:/dev/rfcomm0", "granboard"),
        ("replay:evening.jsonl", "unicorn"),
        ("web:192.168.0.1", "opendartboard"),
        ("replay:evening.jsonl", "opendartboard"),
    ],
)
def test_a_link_that_the_profile_can_be_heard_on(tmp_path: Path, board: str, profile: str) -> None:
    setup = read_config(written(tmp_path, f'board = "{board}"', f'profile = "{profile}"'))
    assert setup.codebooks == (shipped(profile),)


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        (
            ['board = "ble:auto"', 'profile = "opendarts"'],
            "line 3: the profile opendarts does not describe a board on ble: run oche scan to find the one that fits",
        ),
        (
            ['profile = "granboard"', 'board = "usb:auto"'],
            "line 2: the profile granboard does not describe a board on usb: run oche scan to find the one that fits",
        ),
        (['board = "ble:auto"'], "line 2: the board ble:auto needs a profile: run oche scan to find the one that fits"),
        (['board = "usb:auto"'], "line 2: the board usb:auto needs a profile: run oche scan to find the one that fits"),
        (['board = "web:box"'], "line 2: the board web:box needs a profile: run oche scan to find the one that fits"),
        (
            ['board = "web:box"', 'profile = "opendarts"'],
            "line 3: the profile opendarts does not describe a board on web: run oche scan to find the one that fits",
        ),
        (
            ['board = "tcp:box:80"', 'profile = "scolia"'],
            "line 3: the profile scolia does not describe a board on tcp: run oche scan to find the one that fits",
        ),
        (
            ['board = "web:box"', 'profile = "opendartboard-apaiko"'],
            'line 2: the board at box has a token: enter "Token of the board" on the page, or name a board_token_file',
        ),
        (
            ['profile = "scolia"', 'board = "web:box"', 'board_token_file = "/x"'],
            "line 3: web:box lacks the serial of the board: write web:box?serial=…",
        ),
        (
            ['board = "serial:x"', "timing = { repeat_s = 3 }"],
            "line 3: unknown key 'repeat_s'; did you mean 'repeat_ms'?",
        ),
        (
            ['board = "serial:x"', "timing = { repeat_ms = -3 }"],
            "line 3: timing.repeat_ms = -3: this must be a whole number >= 0",
        ),
        (
            ['board = "serial:x"', 'timing = { repeat_ms = "long" }'],
            "line 3: table.0.timing.repeat_ms = 'long': this must be a whole number",
        ),
        (
            ['board = "ble:auto"', 'profile = "granboard"', "[[proxy]]", 'host = "http://box"'],
            "line 5: 'http://box' is not a proxy's address: write host, host:port or [IPv6]:port",
        ),
        (
            ['board = "serial:x"', "[[proxy]]", 'host = "[fe80::1]:70000"'],
            "line 4: '[fe80::1]:70000' has an invalid port: write one from 1 to 65535",
        ),
        (
            ['board = "serial:x"', "[[proxy]]", 'host = "box"', 'key_file = "k"', "[[proxy]]", 'host = "BOX:6053"'],
            "line 7: the proxy BOX:6053 is there twice: remove one of them",
        ),
        (
            ['board = "serial:x"', "[[proxy]]", 'host = "box"', f'key_file = "{b64encode(bytes(32)).decode()}"'],
            "line 5: key_file is not the key itself: write the key into a file, and the name of that file here",
        ),
    ],
)
def test_a_board_or_proxy_that_cannot_be_is_one_sentence(tmp_path: Path, lines: list[str], complaint: str) -> None:
    file = written(tmp_path, *lines)
    with pytest.raises(UserError) as caught:
        read_config(file)
    assert str(caught.value) == f"{file}, {complaint}"


def test_proxies_are_named_by_host_or_address_with_keys_beside_the_configuration(tmp_path: Path) -> None:
    hosts = ("proxy-cellar.local", "192.168.0.9:6054", "fe80::1%wlan0", "[fe80::1]:6054")
    lines = [line for host in hosts for line in ("[[proxy]]", f'host = "{host}"')]
    proxies = read_config(written(tmp_path, 'board = "serial:x"', *lines, 'key_file = "key"')).config.proxy
    assert [proxy.find_address(6053) for proxy in proxies] == [
        *[("proxy-cellar.local", 6053), ("192.168.0.9", 6054), ("fe80::1%wlan0", 6053), ("fe80::1", 6054)]
    ]
    assert [proxy.key_file for proxy in proxies] == [None, None, None, str(tmp_path / "key")]


def test_without_a_profile_a_line_is_read_as_the_usual_firmware(tmp_path: Path) -> None:
    assert read_config(written(tmp_path, 'board = "serial:x"')).codebooks == (shipped("opendarts"),)


def test_single_times_of_a_table_replace_those_of_its_profile(tmp_path: Path) -> None:
    setup = read_config(written(tmp_path, 'board = "serial:x"', "timing = { repeat_ms = 300 }"))
    usual = shipped("opendarts").profile.timing
    timing = setup.codebooks[0].profile.timing
    assert timing == Timing(300, usual.contact_ms, usual.miss_ms, usual.stuck_ms)
    assert setup.codebooks[0].cells == shipped("opendarts").cells


def test_the_numbers_of_a_board_without_a_mat_can_be_turned(tmp_path: Path) -> None:
    lines = ['board = "ble:auto"', 'profile = "unicorn"', "wiring = { button_at = 3 }"]
    book = read_config(written(tmp_path, *lines)).codebooks[0]
    meaning = book.meaning(bytes.fromhex("0103"))
    assert meaning is not None
    assert str(meaning) == "T13"


def tables(*boards: tuple[str, str]) -> list[str]:
    """Lines of tables with these boards and profiles, the head of the first left out."""
    heads = (f'name = "t{n}"\nboard = "{board}"\nprofile = "{profile}"' for n, (board, profile) in enumerate(boards))
    return ["\n[[table]]\n".join(heads)]


@pytest.mark.parametrize(
    "boards",
    [
        (("ble:auto", "granboard"), ("ble:auto", "unicorn")),
        (("web:box", "opendartboard"), ("web:box:8420", "opendarts-cameras")),
        (("sim:granboard", "granboard"), ("sim:granboard", "granboard")),
        (("usb:2341:8036?bus=1-1", "pydarts-leonardo"), ("usb:2341:8036?bus=1-2", "pydarts-leonardo")),
        (("serial:/dev/ttyUSB0", "opendarts"), ("serial:/dev/ttyusb0", "opendarts")),
    ],
)
def test_boards_that_are_two(tmp_path: Path, boards: tuple[tuple[str, str], ...]) -> None:
    assert len(read_config(written(tmp_path, *tables(*boards))).codebooks) == 2


@pytest.mark.parametrize(
    "boards",
    [
        (("ble:auto", "granboard"), ("ble:auto", "granboard")),
        (("ble:C2:A4:CF:00:00:01", "granboard"), ("ble:c2:a4:cf:00:00:01", "granboard")),
        (("usb:2A03:8036", "pydarts-leonardo"), ("usb:2a03:8036", "pydarts-leonardo")),
        (("serial:/dev/ttyUSB0", "opendarts"), ("serial:/dev/ttyUSB0?baud=9600", "maddarts")),
    ],
)
def test_boards_that_are_one(tmp_path: Path, boards: tuple[tuple[str, str], ...]) -> None:
    with pytest.raises(UserError, match=r"two tables have the board .*: give each its own board"):
        read_config(written(tmp_path, *tables(*boards)))


@pytest.mark.parametrize("key", ["profile", "face"])
def test_a_file_that_is_no_text_is_one_sentence(tmp_path: Path, key: str) -> None:
    (tmp_path / "mine.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(UserError, match=r"line 3: .*mine\.toml is not UTF-8 text: save it as UTF-8$"):
        read_config(written(tmp_path, 'board = "serial:x"', f'{key} = "mine.toml"'))


async def test_a_library_that_is_missing_costs_its_table_and_no_other(
    tmp_path: Path, broker: Mosquitto, board: PtyBoard
) -> None:
    for name in ("bleak", "usb"):
        (tmp_path / f"{name}.py").write_text(f"raise ModuleNotFoundError(name={name!r})", encoding="utf-8")
    others = """
[[table]]
name = "radio"
board = "ble:auto"
profile = "granboard"

[[table]]
name = "keys"
board = "usb:auto"
profile = "pydarts-leonardo"
"""
    file = configure(tmp_path, broker.port, more=others)
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    async with Display(broker.port) as display, Process("run", "--config", file, env=env) as process:
        await process.runs()
        for scheme, name in (("ble", "bleak"), ("usb", "usb")):
            await process.said(f"{scheme} needs the Python module {name}, which cannot be loaded: install oche again")
        await board.wait_until_open()
        await eventually(lambda: "oche/table/main/state" in display.now)
        throw(board, "T20")
        await display.until_line(2)
        assert await process.stop() == 0
    assert "Traceback" not in process.errors


LAYOUT = find_layout("standard")
ANN = {"Ann": (16, 8)}


def table(folder: Path, *more: str) -> TableConfig:
    """The first table of a configuration with these lines at its end."""
    return read_config(written(folder, 'board = "serial:/dev/ttyUSB0"', *more)).config.table[0]


def test_a_table_sets_the_fields_of_its_first_match_that_it_names() -> None:
    """TableConfig has those fields again, for their docstrings and defaults."""
    given = {"game": "cricket", "players": ("Ann", "Bo"), "options": {"spread": 1}, "teams": ((1,), (0,)), "seed": "a"}
    left_out = {"team_names", "format", "rules", "bots", "tempos", "ghosts", "undo_all", "seed_given", "routine", "ref"}
    left_out |= {"places", "continues", "like"}
    assert {*MatchSpec.__struct_fields__} == {*given, "dartboard"} | left_out, "the dartboard is the table's own"
    assert {*TableConfig.__struct_fields__}.isdisjoint(left_out)
    header = msgspec.convert({"board": "sim:x", **given}, TableConfig).first_header()
    assert header == msgspec.convert(given, MatchSpec)


@pytest.mark.parametrize(("given", "doubles"), [({}, [[], [16, 8]]), ({"doubles": [[4], []]}, [[4], []])])
def test_a_match_has_its_players_doubles_unless_it_says_others(
    given: dict[str, object], doubles: list[list[int]]
) -> None:
    header = MatchSpec(game="501", players=("Bo", "Ann"), options=dict(given))
    opened = matches.begin(header, LAYOUT, token_hex, PlainGuard(), ANN)
    assert [list(numbers) for numbers in opened.match.options.doubles] == doubles
    assert [list(numbers) for numbers in opened.match.header.options["doubles"]] == doubles
    again = opened.match.header.same_again
    assert [
        list(numbers)
        for numbers in matches.begin(again, LAYOUT, token_hex, PlainGuard(), opened.doubles).match.options.doubles
    ] == doubles


def test_unknown_players_and_games_without_the_option_change_nothing() -> None:
    others = matches.begin(MatchSpec(game="501", players=("Cy", "Di")), LAYOUT, token_hex, PlainGuard(), ANN)
    assert others.match.options.doubles == ()
    other = matches.begin(MatchSpec(game="burma_road", players=("Ann", "Bo")), LAYOUT, token_hex, PlainGuard(), ANN)
    assert "doubles" not in other.match.header.options


def test_the_hint_of_a_match_that_is_begun_ends_on_them() -> None:
    header = MatchSpec(game="101", players=("Ann",))
    assert matches.begin(header, LAYOUT, token_hex, PlainGuard(), ANN).match.panel().hint[-1] == "D16"
    assert matches.begin(header, LAYOUT, token_hex, PlainGuard()).match.panel().hint[-1] != "D16"


def test_the_hosts_list_is_for_every_table_and_its_own_comes_first(tmp_path: Path) -> None:
    people = ("[[player]]", 'name = "Ann"', "doubles = [16, 8]", "[[player]]", 'name = "Bo"', "doubles = [25]")
    assert table(tmp_path, *people).doubles == {"Ann": (16, 8), "Bo": (25,)}
    assert table(tmp_path, "doubles = { Ann = [4] }", *people).doubles == {"Ann": (4,), "Bo": (25,)}
    assert table(tmp_path).doubles == {}
    opened = matches.begin_first(table(tmp_path, 'players = ["Ann", "Cy"]', *people), LAYOUT, token_hex, PlainGuard())
    assert opened.match.options.doubles == ((16, 8), ())


@pytest.mark.parametrize(
    ("numbers", "complaint"),
    [("[22]", "favourite doubles are 1 to 20, and 25 for the bull"), ("[26]", "this must be a whole number <= 25")],
)
def test_a_number_that_is_no_double_is_refused(tmp_path: Path, numbers: str, complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        table(tmp_path, "[[player]]", 'name = "Ann"', f"doubles = {numbers}")
