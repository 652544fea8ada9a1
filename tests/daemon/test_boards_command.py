"""`oche boards` on the boards that ship: what it lists, checks and decodes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from daemon.commands.boards import command
from daemon.errors import UserError
from protocol.codebook import shipped
from tests.protocol.hearing import WEB

BOARDS = Path(__file__).parent.parent.parent / "protocol" / "boards"
DIALOGUES = {name: shipped(name).profile.dialogue for name in WEB}


def boards(*arguments: str, given: str = "") -> Result:
    return CliRunner().invoke(command, arguments, input=given)


def decoded(name: str, *lines: str) -> list[object]:
    result = boards("decode", name, "-", given="\n".join(lines) + "\n")
    assert (result.exit_code, result.exception) == (0, None)
    return [json.loads(line) for line in result.output.splitlines()]


def test_the_list_says_the_link() -> None:
    rows = {line.split()[0]: line.split()[1:4] for line in boards("list").output.splitlines()}
    assert rows["granboard"] == ["ble", "82", "segments"]
    assert rows["darts-connect"] == ["tcp", "82", "segments"]
    assert rows["opendarts-cameras"] == ["web", "82", "segments"]
    assert rows["pydarts-leonardo"] == ["usb", "62", "segments"]
    assert rows["opendarts"] == ["serial", "82", "segments"]


@pytest.mark.parametrize("file", sorted(BOARDS.glob("*.toml")), ids=lambda file: file.stem)
def test_every_shipped_board_is_checked_through_its_dialogue(file: Path) -> None:
    result = boards("check", str(file))
    assert result.exit_code == 0, result.output
    if file.stem in WEB:
        reader = f"the dialogue {DIALOGUES[file.stem]} reads what the board says"
        assert result.output == f"{file}: all keys fit; {reader}.\n"
    else:
        assert result.output.endswith(" segments, all decoded correctly.\n")


def test_a_mat_with_one_bull_is_told(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    text = 'id = "mine"\nname = "Mine"\n[hits]\nframe = "{row},{col}"\nmat = "arachnid_8x8"\n'
    file.write_text(text, encoding="utf-8")
    result = boards("check", str(file))
    assert result.exit_code == 0
    assert result.output.endswith("The mat arachnid_8x8 has no contact for DB: darts there are not seen.\n")


def test_a_segment_without_a_frame_is_a_mistake(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    names = 'T = "t{n}"\nD = "d{n}"\nS = "s{n}"\nSB = "25"\n'
    file.write_text(f'id = "mine"\nname = "Mine"\n[hits.names]\n{names}', encoding="utf-8")
    result = boards("check", str(file))
    assert isinstance(result.exception, UserError)
    assert str(result.exception) == f"{file}: no frame for DB: add them, or darts there are not seen"


def test_decode_prints_only_darts_buttons_misses_battery_and_garbage() -> None:
    press = "01000000 0500 0000ff ff"
    let_go = "02000000 0500 0000ee ee"
    assert decoded("sdb-bt", press, press, let_go, "03000000 0500 0b0002 0d", "010203") == [
        {"button": "next"},
        {"hit": "T20"},
        {"garbage": "010203"},
    ]
    assert decoded("pidart", "09", "70", "70", "83", "86") == [{"hit": "T20"}, {"miss": True}, {"button": "next"}]
    assert decoded("granboard", "4742383b313032372e3040", "77726974 65204f4b40", "332e", "3540") == [
        {"hit": "T3"},
        {"hit": "O20"},
    ]
    assert decoded("pikado", "00", "50696b61646f5f3230313000", "0a", "77") == [{"hit": "T20"}, {"garbage": "77"}]
    assert decoded("unicorn", "1403", "55aa", "1500") == [{"hit": "T20"}, {"button": "next"}, {"garbage": "1500"}]


def test_the_same_line_twice_is_two() -> None:
    red = "2308000001000000040100000800000052010000a0ef714000100000"
    assert decoded("darts-connect", red, red) == [{"button": "next"}, {"button": "next"}], "a line has no time"


def test_a_capture_is_decoded_too() -> None:
    entries = [
        '{"oche_capture": 1, "address": "ble:auto", "started": "2026-01-01T00:00:00Z", "version": "0"}',
        '{"ms": 5, "link": "up"}',
        '{"ms": 9, "out": "00"}',
        '{"ms": 10, "in": "4742383b3130"}',
        '{"ms": 11.5, "in": "32332e"}',
        '{"ms": 12, "in": "3440322e"}',
        '{"ms": 50, "link": "lost", "why": "gone"}',
        '{"ms": 90, "link": "up"}',
        '{"ms": 95, "in": "332e3640"}',
        '{"ms": 96, "battery": 80}',
    ]
    assert decoded("granboard", *entries) == [{"hit": "T20"}, {"hit": "D20"}], "half a frame ends with its connection"


PREFIXED = """id = "prefixed"
name = "Each line has a time stamp before the hit"
ignore = ["LOG *"]
[framing]
start = ";hit;"
[hits.names]
S = "{n};1"
D = "{n};2"
T = "{n};3"
SB = "25;1"
DB = "25;2"
"""


def test_time_stamps_and_ignored_lines_are_no_garbage(tmp_path: Path) -> None:
    file = tmp_path / "prefixed.toml"
    file.write_text(PREFIXED, encoding="utf-8")
    lines = [
        b"1700000000001;hit;20;3\n",
        b"LOG ready\n",
        b"1700000000555;hit;5;1\n",
        b"LOG " + b"x" * 100 + b"\n",
        b"y" * 100 + b";hit;25;2\n",
        b"oops\n",
    ]
    assert decoded(str(file), *(line.hex() for line in lines)) == [
        {"hit": "T20"},
        {"hit": "S5"},
        {"hit": "DB"},
        {"garbage": b"oops".hex()},
    ]


@pytest.mark.parametrize(
    "line",
    [
        "54-32-30-0D-0A",
        "0x54 0x32 0x30 0x0d 0x0a",
        "54:32:30:0d:0a",
        "54, 32, 30, 0D, 0A",
        "0x54,0X32,0x30,0xD,0xA",
        "5432 300d0a",
        "[54 32 30 0D 0A]",
        "\\x54\\x32\\x30\\x0d\\x0a",
        "0x5432300d0a",
        "(0x) 54-32-30-0D-0A",
    ],
)
def test_the_hex_that_logs_have_is_read(tmp_path: Path, line: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(MINE, encoding="utf-8")
    assert decoded(str(file), line) == [{"hit": "T20"}]


@pytest.mark.parametrize("line", ["5", "54-3", "54--x", "T20", "54 0xx1", "0x123 0x1", "zz"])
def test_what_is_no_hex_is_named(line: str) -> None:
    result = boards("decode", "granboard", "-", given=f"332e3640\n{line}\n")
    assert str(result.exception) == "-, line 2: this is not hex; write each chunk as 54 32 30 0d 0a"


@pytest.mark.parametrize("line", ['{"in": "zz"}', '{"in": ', "\0\0\0", '"in": "33"}'])
def test_a_damaged_line_of_a_recording_is_named(line: str) -> None:
    result = boards("decode", "granboard", "-", given=f'{{"ms": 1, "in": "332e3640"}}\n{line}\n')
    assert isinstance(result.exception, UserError)
    assert str(result.exception) == (
        "-, line 2: this line of the recording is damaged: remove it, and the rest can be decoded"
    )


MINE = """id = "mine"
name = "Mine"
[hits.names]
S = "S{n}"
D = "D{n}"
T = "T{n}"
SB = "B25"
DB = "B50"
[buttons]
"""


@pytest.mark.parametrize(
    ("button", "meant"), [("nxt", "next"), ("Undo", "undo"), ("takout", "takeout"), ("mis", "miss")]
)
def test_a_button_that_is_nearly_one_that_acts_is_a_warning(tmp_path: Path, button: str, meant: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(f'{MINE}lamp = "L"\n{button} = "N"\n', encoding="utf-8")
    result = boards("check", str(file))
    assert (result.exit_code, result.output.splitlines()) == (
        0,
        [
            f"{file}: 62 segments, all decoded correctly.",
            f"{file}, line 11: the button {button!r} does nothing; did you mean {meant!r}?",
        ],
    )


@pytest.mark.parametrize("name", ["nope", "./nope", "nope.toml", "opendarts"])
def test_what_is_checked_is_always_a_file(tmp_path: Path, name: str) -> None:
    result = boards("check", f"{tmp_path}/{name}")
    assert isinstance(result.exception, UserError)
    assert str(result.exception) == f"cannot read {Path(tmp_path, name)}: no such file or directory"


def test_a_file_without_toml_in_its_name_is_checked(tmp_path: Path) -> None:
    file = tmp_path / "mine"
    file.write_text(f'{MINE}next = "N"\n', encoding="utf-8")
    assert boards("check", str(file)).output == f"{file}: 62 segments, all decoded correctly.\n"
    result = boards("decode", str(file), "-", given="5432300d0a\n")
    assert result.output == '{"hit": "T20"}\n'


def test_packets_on_a_stream_are_a_mistake(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(f'{MINE}next = "N"\n[framing]\nkind = "datagram"\n', encoding="utf-8")
    result = boards("check", str(file))
    assert isinstance(result.exception, UserError)
    assert str(result.exception) == (
        f"{file}, line 12: the profile mine reads packets (datagram), and a serial link has none: "
        "use framing delimited or fixed"
    )


@pytest.mark.parametrize(
    ("name", "hint"), [("granbord", "; did you mean 'granboard'?"), ("zzz", "; oche boards list shows them all")]
)
@pytest.mark.parametrize("subcommand", ["show", "decode"])
def test_an_unknown_name_gets_a_short_answer(subcommand: str, name: str, hint: str) -> None:
    result = boards(subcommand, name, *(["-"] if subcommand == "decode" else []))
    assert isinstance(result.exception, UserError)
    assert (str(result.exception), result.exception.status) == (f"there is no board profile {name!r}{hint}", 2)
