"""`oche boards` on the boards that ship: what it lists, checks and decodes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from daemon.commands.boards import command
from daemon.errors import UserError

BOARDS = Path(__file__).parent.parent.parent / "protocol" / "boards"


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
    assert rows["pydarts-leonardo"] == ["usb", "62", "segments"]
    assert rows["opendarts"] == ["serial", "82", "segments"]


@pytest.mark.parametrize("file", sorted(BOARDS.glob("*.toml")), ids=lambda file: file.stem)
def test_every_shipped_board_is_checked_through_its_dialogue(file: Path) -> None:
    result = boards("check", str(file))
    assert result.exit_code == 0, result.output
    assert result.output.endswith(" segments, every one comes back as it was sent.\n")


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
    assert str(result.exception) == f"{file}: no frame for DB; add them, or darts there are not seen"


def test_what_is_no_dart_button_or_miss_is_not_printed() -> None:
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


def test_a_broken_line_is_named() -> None:
    for line in ("zz", '{"in": "zz"}', '{"in": '):
        result = boards("decode", "granboard", "-", given=f"332e3640\n{line}\n")
        assert isinstance(result.exception, UserError)
        assert str(result.exception) == "-, line 2: this is not hex; write each chunk as 54 32 30 0d 0a"
