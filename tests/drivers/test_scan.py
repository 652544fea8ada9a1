"""Matching what is plugged in or in the air with the profiles, from made-up lists; and asking a port what it is."""

from __future__ import annotations

import asyncio
import tomllib
from pathlib import Path

import pytest
from msgspec.structs import replace
from serial.tools.list_ports_common import ListPortInfo

from drivers.ble_adverts import Advert
from drivers.probe import identify_board, probe_time_s
from drivers.scan import (
    Found,
    Port,
    ProfileFit,
    find_links,
    list_serial_ports,
    match_adverts,
    match_ports,
    match_usb,
    sort_by_sureness,
    with_sure_profile,
)
from drivers.schemes import parse
from drivers.transport import Refused, Unavailable
from drivers.usb_devices import UsbDevice, match_address
from protocol.codebook import expand, shipped
from protocol.events import Write
from protocol.profile import Ble, Handshake, Hits, Profile, Usb
from simulator.pty_board import PtyBoard
from tests.drivers.listening import PATIENCE_S

HITS = Hits(frame="{id}")
LOUD = Profile("loud", "Loud", HITS, link="ble", ble=Ble(["Loud"], "fff0", "fff1"))
LOUDER = Profile("louder", "Louder", HITS, link="ble", ble=Ble(["Loud"], "ffe0", "ffe1"))
KEYS = Profile("keys", "Keys", HITS, link="usb", usb=Usb(["2341:8036"]))
MAT = Profile("mat", "Mat", HITS, link="usb", usb=Usb(["2341:8036", "16C0:27DB"], product="Dart"))
LINES = Profile("lines", "Lines", HITS)
WORDS = Profile("words", "Words", HITS)
ALL = [LINES, LOUD, LOUDER, KEYS, MAT, WORDS]


def advert(name: str, *services: str, rssi: int = -60) -> Advert:
    return Advert(
        "C0:11:22:33:44:55", name, tuple(f"0000{each}-0000-1000-8000-00805f9b34fb" for each in services), rssi
    )


def device(vid: int, pid: int, product: str | None, serial: str | None = None, bus: str = "1-1") -> UsbDevice:
    return UsbDevice(vid, pid, product, None, serial, bus, "/dev/bus/usb/001/002")


@pytest.mark.parametrize(
    ("heard", "fits"),
    [
        (advert("LOUD board 7", "fff0"), (ProfileFit("loud", "sure"),)),
        (advert("Loud", "ffe0", "180f"), (ProfileFit("louder", "sure"),)),
        (advert("Loud"), (ProfileFit("loud", "likely"), ProfileFit("louder", "likely"))),
        (advert("Headphones", "fff0"), ()),
        (advert("Loud", "180f"), ()),
        (advert("", "fff0"), ()),
    ],
)
def test_a_bluetooth_board_is_known_by_name_and_service(heard: Advert, fits: tuple[ProfileFit, ...]) -> None:
    (found,) = match_adverts([heard], ALL)
    assert (found.address, found.fits) == ("ble:C0:11:22:33:44:55", fits)
    assert found.what == (f"{heard.name}, -60 dBm" if heard.name else "")


def test_the_shipped_boards_that_share_a_service_are_told_apart() -> None:
    profiles = [shipped(name).profile for name in ("granboard", "sdb-bt", "unicorn")]
    heard = [advert("SDB-BT", "fff0"), advert("joofunn Dartboard (B)", "fff0"), advert("GRANBOARD", rssi=-40)]
    found = [(each.fits[0].profile, each.sure) for each in match_adverts(heard, profiles)]
    assert found == [("granboard", "likely"), ("sdb-bt", "sure"), ("unicorn", "sure")]


def test_a_usb_board_is_known_by_ids_and_product() -> None:
    found = match_usb(
        [
            device(0x2341, 0x8036, "Arduino Leonardo"),
            device(0x16C0, 0x27DB, "Dartboard"),
            device(0x16C0, 0x27DB, None, bus="1-2"),
            device(0x046D, 0xC077, "Mouse"),
        ],
        ALL,
    )
    assert found == [
        Found("usb:2341:8036", "Arduino Leonardo", (ProfileFit("keys", "likely"),)),
        Found("usb:16c0:27db?bus=1-1", "Dartboard", (ProfileFit("mat", "sure"),)),
    ]


def test_usb_twins_are_told_apart_by_serial_number_or_port() -> None:
    twins = [device(0x2341, 0x8036, "Leonardo", serial, f"1-{n}") for n, serial in enumerate(("A", "B", "B", None))]
    assert [each.address.partition("?")[2] for each in match_usb(twins, ALL)] == [
        "serial=A",
        "bus=1-1",
        "bus=1-2",
        "bus=1-3",
    ]


def test_what_is_pasted_means_the_twin_it_was_written_for() -> None:
    twins = [device(0x2341, 0x8036, "Leonardo", serial) for serial in ("A+B&c%41", 'A "B"')]
    for found, twin in zip(match_usb(twins, ALL), twins, strict=True):
        (table,) = tomllib.loads(found.lines())["table"]
        assert match_address(twins, parse(table["board"]), Usb([])) == [twin]


def test_lines_hold_any_address_and_any_profile() -> None:
    odd = 'serial:/dev/a"b\\c\n[mqtt]'
    (table,) = tomllib.loads(Found(odd, "x", (ProfileFit('C:\\my "b".toml', "sure"),)).lines())["table"]
    assert table == {"board": odd, "profile": 'C:\\my "b".toml'}


def test_what_a_serial_adapter_says_of_itself_is_fit_to_be_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    info = ListPortInfo("/dev/ttyUSB0")
    info.vid, info.pid, info.product, info.manufacturer = 0x1A86, 0x7523, "USB\n[mqtt]\x1b[2J", 99 * "x"
    monkeypatch.setattr("serial.tools.list_ports.comports", lambda: [info])
    (port,) = list_serial_ports()
    assert (port.product, port.manufacturer) == ("USB?[mqtt]?[2J", 64 * "x")


def test_a_serial_port_of_usb_may_be_any_board_and_another_none() -> None:
    by_id = "/dev/serial/by-id/usb-1a86_USB_Serial-if00-port0"
    chip, console = match_ports(
        [Port(by_id, "/dev/ttyUSB0", 0x1A86, 0x7523, "USB Serial"), Port("/dev/ttyAMA0", "/dev/ttyAMA0")], ALL
    )
    assert chip == Found(
        f"serial:{by_id}",
        "/dev/ttyUSB0, USB Serial, CH340, 1a86:7523",
        (ProfileFit("lines", "possible"), ProfileFit("words", "possible")),
    )
    assert chip.lines() == f'[[table]]\nboard = "serial:{by_id}"\nprofile = "lines"  # or words'
    assert (console.fits, console.lines()) == ((), "")
    assert with_sure_profile(chip, "words").lines() == f'[[table]]\nboard = "serial:{by_id}"\nprofile = "words"'


def test_boards_come_first_the_surest_first() -> None:
    sure, likely, possible = (Found(each, each, (ProfileFit("x", each),)) for each in ("sure", "likely", "possible"))
    none = Found("serial:/dev/x", "x")
    assert sort_by_sureness([none, possible, sure, likely, none]) == [sure, likely, possible, none, none]


def test_a_port_is_called_by_its_lasting_name(tmp_path: Path) -> None:
    tty = tmp_path / "ttyUSB0"
    tty.touch()
    folder = tmp_path / "by-id"
    assert find_links(folder) == {}
    folder.mkdir()
    for name in ("usb-b", "usb-a"):
        (folder / name).symlink_to(tty)
    assert find_links(folder) == {str(tty): str(folder / "usb-a")}
    assert all(port.device.startswith("/dev/") for port in list_serial_ports())


BANNER = replace(
    shipped("opendarts").profile, id="greets", serial=replace(shipped("opendarts").profile.serial, banner="OpenDarts")
)
ASKED = replace(
    shipped("plain-standard").profile, id="answers", handshake=Handshake(send="who?", expect="me"), ignore=["me"]
)
SILENT = shipped("fynn").profile


async def test_a_board_that_greets_is_known_on_its_port() -> None:
    async with PtyBoard(expand(BANNER)) as board:
        assert await identify_board(board.path, [SILENT, ASKED, BANNER]) == "greets"


async def test_a_board_that_answers_is_known() -> None:
    pikado = shipped("pikado")
    async with PtyBoard(pikado) as board:
        assert await identify_board(board.path, [SILENT, pikado.profile]) == "pikado"


async def test_a_board_that_says_more_than_the_answer_has_not_answered() -> None:
    async with PtyBoard(expand(replace(BANNER, serial=ASKED.serial, ignore=[]))) as board:

        async def answer() -> None:
            while await board.commands.get() != Write(b"who?"):
                pass
            board.write_raw(b"ok\r\nme\r\n")

        answering = asyncio.create_task(answer())
        assert await identify_board(board.path, [SILENT, ASKED], 0.2) is None
        async with asyncio.timeout(PATIENCE_S):
            await answering


async def test_what_cannot_tell_is_not_even_opened() -> None:
    assert await identify_board("/dev/no-such-port", [SILENT, LOUD]) is None
    assert probe_time_s([SILENT, LOUD]) == 0
    with pytest.raises(Unavailable):
        await identify_board("/dev/no-such-port", [BANNER])


async def test_a_port_in_use_is_left_alone() -> None:
    async with PtyBoard(expand(BANNER)) as board:
        from drivers.serial_line import open_line

        line = await open_line(board.path, 9600)
        with pytest.raises(Refused, match="another program uses"):
            await identify_board(board.path, [BANNER])
        await line.aclose()
