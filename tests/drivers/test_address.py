"""Addresses: what people write in a configuration, and what they are told when it cannot work."""

from __future__ import annotations

import subprocess
import sys

import pytest

from drivers.address import Address, AddressError, Scheme
from drivers.schemes import SCHEMES, parse, parse_board
from drivers.transport import Refused, Transport, Unavailable
from protocol.profile import Profile

USB_IDS = "four hex digits for the vendor and four for the product, as in usb:2341:8036"
SPEED = "must be a number: 10 is ten times as fast"


@pytest.mark.parametrize(
    ("text", "target", "options"),
    [
        ("serial:/dev/ttyUSB0", "/dev/ttyUSB0", {}),
        ("serial:/dev/serial/by-id/usb-1a86:7523?baud=115200", "/dev/serial/by-id/usb-1a86:7523", {"baud": "115200"}),
        (" serial:/dev/ttyACM0 ", "/dev/ttyACM0", {}),
        ("usb:2341:8036", "2341:8036", {}),
        ("usb:16C0:05df?serial=A%20B&bus=1-1.4", "16C0:05df", {"serial": "A B", "bus": "1-1.4"}),
        ("usb:auto?bus=1-2", "auto", {"bus": "1-2"}),
        ("none", "", {}),
        ("ble:C2:A4:CF:00:00:0G", "C2:A4:CF:00:00:0G", {}),  # may well be a name
    ],
)
def test_an_address_is_read_and_written_back(text: str, target: str, options: dict[str, str]) -> None:
    address = parse(text)
    assert address == Address(text.strip().partition(":")[0], target, options)
    assert str(address) == text.strip()


@pytest.mark.parametrize("text", ["sim:granboard", "board"])
def test_a_table_without_a_sensor_is_not_offered_where_a_board_is_needed(text: str) -> None:
    with pytest.raises(AddressError, match="serial") as found:
        parse_board(text)
    assert "none" not in str(found.value)


@pytest.mark.parametrize("serial", ["A+B&c%41", "a=b?c", "two words", "ß/:#", ""])
def test_an_option_of_any_characters_is_read_as_it_was_written(serial: str) -> None:
    address = Address("usb", "2341:8036", {"serial": serial, "bus": "1-1.4"})
    assert parse(str(address)) == address


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("/dev/ttyUSB0", "did you mean serial:/dev/ttyUSB0?"),
        ("ttyUSB0", "such as serial:/dev/ttyUSB0"),
        ("", "such as serial:/dev/ttyUSB0"),
        ("seriall:/dev/ttyUSB0", "did you mean 'serial'?"),
        ("none:", "write none and nothing behind it"),
        ("zigbee:board", "possible here: "),
        ("serial:", "write it like serial:/dev/ttyUSB0"),
        ("serial:/dev/ttyUSB0?bauds=9600", "did you mean 'baud'?"),
        ("serial:/dev/ttyUSB0?parity=odd", "possible here: baud"),
        ("serial:esphome://10.0.0.5:6053", "as in rfc2217:192.168.0.1:4000, or as in tcp:"),
        ("tcp:fe80::1:23", "in brackets"),
        ("tcp://192.168.0.1:23/", "without the slashes, as in tcp:192.168.0.1:23"),
        *((f"tcp:board:{port}", "a whole number from 1 to 65535") for port in ("http", "0", "65536", "")),
        ("tcp::23", "is not a host"),
        ("tcp:my board:23", "is not a host"),
        ("tcp:[board]:23", "is not an IPv6 address"),
        ("tcp:[::1]23", "write it like tcp:192.168.0.1:11080"),
        ("tcp:[::1", "write it like tcp:192.168.0.1:11080"),
        *((f"usb:{target}", USB_IDS) for target in ("2341", "2341:80366", "0x2341:0x8036", "2341-8036", "Leonardo")),
        ("ble:C2:A4:CF:00:00", ""),
        ("ble:auto?adapte=hci0", "did you mean 'adapter'?"),
        *((f"replay:x?speed={speed}", SPEED) for speed in ("fast", "-1", "nan", "inf", "")),
    ],
)
def test_a_wrong_address_says_what_would_be_right(text: str, sentence: str) -> None:
    with pytest.raises(AddressError) as caught:
        parse(text)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("baud", ["fast", "0", "-9600", "", "9600.0", "²"])
def test_a_number_that_is_none_is_refused(baud: str) -> None:
    with pytest.raises(Refused, match="must be a whole number above 0"):
        parse(f"serial:/dev/ttyUSB0?baud={baud}").number("baud", 9600)


def test_the_default_holds_where_the_address_is_silent() -> None:
    assert parse("serial:/dev/ttyUSB0").number("baud", 19200) == 19200
    assert parse("serial:/dev/ttyUSB0?baud=115200").number("baud", 19200) == 115200


def test_others_add_kinds_of_link_without_touching_ours() -> None:
    async def out_of_reach(address: Address, profile: Profile) -> Transport:
        raise Unavailable(f"{address} is out of reach of {profile.name}")

    schemes = {**SCHEMES, "sim": Scheme(out_of_reach, ("sigma",), "sim:opendarts")}
    assert parse("sim:opendarts?sigma=5", schemes).options == {"sigma": "5"}
    assert "sim" not in SCHEMES
    with pytest.raises(AddressError, match="possible here: "):
        parse("sim:opendarts")


@pytest.mark.parametrize(("module", "library"), [("address", "serial"), ("usb_devices", "usb")])
def test_a_links_library_is_loaded_by_what_uses_it_only(module: str, library: str) -> None:
    script = f"import sys, drivers.session, drivers.{module}; print('{library}' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_table_without_a_sensor_is_no_board_to_listen_to() -> None:
    with pytest.raises(AddressError, match="a table without a sensor sends nothing"):
        parse_board("none")
