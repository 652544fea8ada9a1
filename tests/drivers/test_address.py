"""Addresses: what people write in a configuration, and what they are told when it cannot work."""

from __future__ import annotations

import pytest

from drivers.address import SCHEMES, Address, AddressError, Scheme, parse
from drivers.transport import Refused, Transport, Unavailable
from protocol.profile import Profile


@pytest.mark.parametrize(
    ("text", "target", "options"),
    [
        ("serial:/dev/ttyUSB0", "/dev/ttyUSB0", {}),
        ("serial:/dev/serial/by-id/usb-1a86:7523?baud=115200", "/dev/serial/by-id/usb-1a86:7523", {"baud": "115200"}),
        (" serial:/dev/ttyACM0 ", "/dev/ttyACM0", {}),
    ],
)
def test_an_address_is_read_and_written_back(text: str, target: str, options: dict[str, str]) -> None:
    address = parse(text)
    assert address == Address("serial", target, options)
    assert str(address) == text.strip()


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
        ("zigbee:board", "possible here: "),
        ("serial:", "write it like serial:/dev/ttyUSB0"),
        ("serial:/dev/ttyUSB0?bauds=9600", "did you mean 'baud'?"),
        ("serial:/dev/ttyUSB0?parity=odd", "possible here: baud"),
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
