"""What the lines of each format mean, held against what other people published.

Host and Board are mirrors of one table, so that they agree proves nothing about a real board. The lines here come from
the firmwares and from the programs that read them; whole tables are in tests/data, each with its source.
"""

from __future__ import annotations

import pytest

from protocol.codebook import shipped
from tests.protocol.hearing import DATA, heard, said

SPOKEN: dict[str, dict[str, str]] = {
    "opendarts": {
        "0,0": "I20",
        "1,0": "T20",
        "2,0": "O20",
        "3,0": "D20",
        "0,10": "DB",
        "1,10": "SB",
        "4,9": "I10",
        "5,3": "T13",
        "7,1": "D18",
        "6,8": "O15",
        "0,5": "I19",
        "next": "button next",
        "undo": "button undo",
        "miss": "miss",
        "missb": "miss",
        "OpenDarts": "status OpenDarts",
        "2,10": "garbage",
        "8,0": "garbage",
        "0,11": "garbage",
        "00,0": "garbage",
        "0": "garbage",
        "Miss": "garbage",
    },
    "opendarts-hybrid49": {
        "4,7": "S1",
        "1,7": "D1",
        "6,7": "T1",
        "3,6": "S5",
        "2,6": "D5",
        "7,6": "T5",
        "0,0": "D19",
        "7,7": "T20",
        "3,7": "S20",
        "2,7": "D20",
        "5,6": "SB",
        "5,7": "DB",
        "btnValidate": "button next",
        "btnCancel": "button undo",
        "0,6": "garbage",
        "0,7": "garbage",
        "miss": "garbage",
    },
    "realopendarts": {
        "4,7": "S1",
        "1,7": "D1",
        "6,7": "T1",
        "5,6": "SB",
        "5,7": "DB",
        "VIB": "miss",
        "Send: 4,7": "nothing",
        "RealOpenDarts": "status RealOpenDarts",
        "Ready.": "nothing",
        "Sent: 4,7": "garbage",
    },
    "darts-number": {
        "320": "T20",
        "220": "D20",
        "120": "S20",
        "301": "T1",
        "101": "S1",
        "209": "D9",
        "119": "S19",
        "125": "SB",
        "225": "DB",
        "KNOPF": "button next",
        "PFEILE": "button takeout",
        "FEHLWURF": "miss",
        "325": "garbage",
        "000": "garbage",
        "20": "garbage",
        "1201": "garbage",
        "121": "garbage",
    },
    "fynn": {
        "20x3": "T20",
        "20x2": "D20",
        "8i": "I8",
        "8o": "O8",
        "1o": "O1",
        "11i": "I11",
        "19x3": "T19",
        "3x2": "D3",
        "Bullseye": "SB",
        "Bullseyex2": "DB",
        "_40": "button next",
        "20": "garbage",
        "20x1": "garbage",
        "bullseye": "garbage",
        "08i": "garbage",
        "21i": "garbage",
    },
    "maddarts": {
        "14;3": "T14",
        "9;1": "S9",
        "9;2": "D9",
        "20;3": "T20",
        "1;1": "S1",
        "7;2": "D7",
        "11;1": "S11",
        "25;1": "SB",
        "25;2": "DB",
        "NULL": "nothing",
        "25;3": "garbage",
        "0;1": "garbage",
        "3;14": "garbage",
    },
    "dartplus": {
        "3\t20": "T20",
        "2\t20": "D20",
        "1\t20": "S20",
        "1\t1": "S1",
        "2\t1": "D1",
        "3\t2": "T2",
        "1\t2": "S2",
        "3\t19": "T19",
        "1\t25": "SB",
        "2\t25": "DB",
        "Initiating dartboard...": "status Initiating dartboard...",
        "3\t25": "garbage",
        "3 20": "garbage",
        "20\t3": "garbage",
    },
    "granboard-bridge": {
        "<T20>": "T20",
        "<D20>": "D20",
        "<S20>": "S20",
        "<S1>": "S1",
        "<T13>": "T13",
        "<D9>": "D9",
        "<SB>": "SB",
        "<DB>": "DB",
        "<BTN>": "button next",
        "<OUT>": "miss",
        "<KO>": "nothing",
        "T20>": "garbage",
        "<T21>": "garbage",
        "<t20>": "garbage",
    },
    "dartsio": {
        "S03": "S3",
        "D12": "D12",
        "T10": "T10",
        "S20": "S20",
        "T01": "T1",
        "t10": "T10",
        "d5": "D5",
        "S3": "S3",
        "B25": "SB",
        "b50": "DB",
        "S00": "miss",
        "MISS": "miss",
        "miss": "miss",
        "0": "miss",
        "T00": "garbage",
        "B20": "garbage",
        "T25": "garbage",
        "10": "garbage",
    },
    "plain-standard": {"T20": "T20", "S5": "S5", "I5": "I5", "DB": "DB", "MISS": "miss", "next": "button next"},
    "plain-yatzy": {"6i": "6i", "56m": "56m", "STAR": "STAR", "OFF": "OFF", "NONE": "miss"},
    "plain-ground-round": {"0,0": "0,0", "1,0!": "1,0!", "0,0|1,0": "0,0|1,0", "MISS": "miss"},
}


@pytest.mark.parametrize(
    ("name", "line", "meaning"), [(name, line, m) for name, table in SPOKEN.items() for line, m in table.items()]
)
@pytest.mark.parametrize("end", ["\r\n", "\n"], ids=["CR LF", "LF"])
def test_what_a_line_means(name: str, line: str, meaning: str, end: str) -> None:
    events = heard(name, (line + end).encode())
    assert [said(event) for event in events] == ([] if meaning == "nothing" else [meaning])
    assert all(event.raw == line.strip("<>").encode() for event in events)


@pytest.mark.parametrize("name", ["opendarts", "opendarts-hybrid49"])
def test_all_lines_of_a_published_calibration(name: str) -> None:
    table = [row.split() for row in (DATA / f"lines_{name}.txt").read_text().splitlines() if not row.startswith("#")]
    assert len(table) == len(shipped(name).segments)
    assert [said(e) for line, _ in table for e in heard(name, f"{line}\r\n".encode())] == [s for _, s in table]


def test_the_format_of_ring_times_100_is_what_its_firmware_holds() -> None:
    ring = {"1": "S", "2": "D", "3": "T"}
    rows = (DATA / "numbers_loewen_4x16.txt").read_text().splitlines()[1:]
    numbers = [number for row in rows for number in row.split() if number != "000"]
    assert len(set(numbers)) == 62
    for number in numbers:
        kind, value = ring[number[0]], int(number[1:])
        expected = f"{kind}{value}" if value != 25 else f"{kind}B"
        assert [said(e) for e in heard("darts-number", f"{number}\r\n".encode())] == [expected]


def test_boot_noise_before_a_marked_frame_costs_no_hit() -> None:
    noise = b"ets Jun  8 2016 00:22:57\r\n\r\nrst:0x1 (POWERON_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)\r\n" * 4
    assert [said(e) for e in heard("granboard-bridge", noise + b"<T20>\r\n<D1>\r\n")] == ["garbage", "T20", "D1"]
    assert [said(e) for e in heard("granboard-bridge", b"\x00\xfe~ <T20>")] == ["garbage", "T20"]
