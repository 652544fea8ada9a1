"""Configurations that could never run: `oche config check` must not call them right."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.config.reader import read_config
from daemon.errors import UserError
from protocol.codebook import read_shipped
from tests.daemon.test_equipment import written

PACKETS = """
id = "packets"
name = "Frames that are packets"
[framing]
kind = "{kind}"
[hits.names]
S = "S{{n}}"
D = "D{{n}}"
T = "T{{n}}"
SB = "B25"
DB = "B50"
"""

MISTYPED = (
    (
        "tcp:board",
        "",
        "line 2: neither the address tcp:board nor the profile opendarts has a port: add it, as in tcp:board:11080",
    ),
    (
        "tcp:1.2.3.4",
        'profile = "fynn"',
        "line 2: neither the address tcp:1.2.3.4 nor the profile fynn has a port: add it, as in tcp:1.2.3.4:11080",
    ),
    (
        "tcp:auto",
        'profile = "darts-connect"',
        (
            "line 2: oche does not choose a board on the network by itself: name one that oche scan shows, as in tcp:"
            "192.168.0.1"
        ),
    ),
    (
        "tcp:-",
        'profile = "darts-connect"',
        "line 2: '-' in tcp:- is not a host: write a name, or a number such as 192.168.0.1",
    ),
    (
        "tcp:192.168.0",
        'profile = "darts-connect"',
        "line 2: '192.168.0' in tcp:192.168.0 is not a host: write a name, or a number such as 192.168.0.1",
    ),
    (
        "tcp:192.168.0.256:11080",
        "",
        (
            "line 2: '192.168.0.256' in tcp:192.168.0.256:11080 is not a host: write a name, "
            "or a number such as 192.168.0.1"
        ),
    ),
    (
        "serial:auto",
        "",
        (
            "line 2: oche does not choose a serial port by itself: name one that oche scan shows, "
            "as in serial:/dev/ttyUSB0"
        ),
    ),
    (
        "serial:/dev/ttyUSB0?baud=fast",
        "",
        "line 2: baud=fast in serial:/dev/ttyUSB0?baud=fast must be a whole number above 0",
    ),
    (
        "sim:granboard?speed=-1",
        "",
        "line 2: speed=-1 in sim:granboard?speed=-1 must be a whole number above 0",
    ),
    ("ble://auto", 'profile = "granboard"', "line 2: write 'ble://auto' without the slashes, as in ble:auto"),
    ("sim://granboard", "", "line 2: write 'sim://granboard' without the slashes, as in sim:granboard"),
    ("ble: auto", 'profile = "granboard"', "line 2: write 'ble: auto' without the blanks, as in ble:auto"),
    (
        "usb:auto ?bus=1-1",
        'profile = "pydarts-leonardo"',
        "line 2: write 'usb:auto ?bus=1-1' without the blanks, as in usb:auto?bus=1-1",
    ),
    (
        "sim:granboard",
        'profile = "opendarts"',
        "line 3: sim:granboard does not simulate a opendarts board: leave out the profile, or write sim:opendarts",
    ),
    (
        "serial:x",
        "timing = { repeat_ms = 99999999999999 }",
        "line 3: timing.repeat_ms = 99999999999999: this must be a whole number <= 60000",
    ),
    (
        "serial:x",
        "timing = { stuck_ms = 60001 }",
        "line 3: timing.stuck_ms = 60001: this must be a whole number <= 60000",
    ),
)


@pytest.mark.parametrize(("board", "more", "complaint"), MISTYPED, ids=[f"{b} {m}" for b, m, _ in MISTYPED])
def test_a_configuration_that_cannot_run_is_refused(tmp_path: Path, board: str, more: str, complaint: str) -> None:
    file = written(tmp_path, f'board = "{board}"', more)
    with pytest.raises(UserError) as caught:
        read_config(file)
    assert str(caught.value) == f"{file}, {complaint}"


@pytest.mark.parametrize("kind", ["datagram", "keyboard"])
@pytest.mark.parametrize("board", ["serial:/dev/ttyUSB0", "tcp:192.168.0.1:11080"])
def test_packets_do_not_survive_a_stream(tmp_path: Path, board: str, kind: str) -> None:
    scheme = board[: board.index(":")]
    text = PACKETS.format(kind=kind) if kind == "datagram" else keyboard()
    (tmp_path / "packets.toml").write_text(text, encoding="utf-8")
    file = written(tmp_path, f'board = "{board}"', 'profile = "packets.toml"')
    with pytest.raises(UserError) as caught:
        read_config(file)
    assert str(caught.value) == (
        f"{file}, line 3: the profile packets reads packets ({kind}), and a {scheme} link has "
        "none: use framing delimited or fixed"
    )


@pytest.mark.parametrize("board", ["sim:packets", "replay:evening.jsonl"])
def test_a_link_that_keeps_packets_may_carry_a_packet_profile(tmp_path: Path, board: str) -> None:
    (tmp_path / "packets.toml").write_text(PACKETS.format(kind="datagram"), encoding="utf-8")
    setup = read_config(written(tmp_path, f'board = "{board}"', 'profile = "packets.toml"'))
    assert setup.codebooks[0].profile.framing.is_packets


def keyboard() -> str:
    """A profile of keys, one for each contact of a mat."""
    return read_shipped("pydarts-leonardo").text.replace('"pydarts-leonardo"', '"packets"', 1)


@pytest.mark.parametrize(
    ("board", "more"),
    [
        ("tcp:my-board.local:23", ""),
        ("tcp:dart_board", 'profile = "darts-connect"'),
        ("tcp:auto.local:23", ""),
        ("serial://dev/ttyUSB0", ""),
        ("serial:/dev/ttyUSB0?baud=9600", "timing = { repeat_ms = 60000 }"),
        ("ble:GRAN BOARD", 'profile = "granboard"'),
        ("sim:dartslive_home", 'profile = "dartslive-home"'),
        ("sim:Granboard?speed=3", 'profile = "granboard"'),
    ],
)
def test_a_configuration_that_can_run_is_accepted(tmp_path: Path, board: str, more: str) -> None:
    assert read_config(written(tmp_path, f'board = "{board}"', more)).config.table[0].board == board


def test_a_name_with_a_slash_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text(PACKETS.format(kind="delimited"), encoding="utf-8")
    assert read_config(written(tmp_path, 'board = "serial:x"', 'profile = "./mine"')).codebooks[0].profile.id == (
        "packets"
    )


def test_a_strange_profile_is_not_answered_with_all_there_are(tmp_path: Path) -> None:
    file = written(tmp_path, 'board = "serial:x"', 'profile = "zzz"')
    with pytest.raises(UserError) as caught:
        read_config(file)
    assert str(caught.value) == f"{file}, line 3: there is no board profile 'zzz'; oche boards list shows them all"
