"""The kinds of link to a board, and how an address is read by them.

They are a mapping from scheme to opener. Each opener imports its own library when it is first used, so a table with a
serial board never loads a Bluetooth stack; and the mapping is passed in, so the daemon adds kinds that this room does
not know (`sim:`) by extending it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from urllib.parse import parse_qsl

from drivers.address import Address, AddressError, Scheme
from drivers.transport import Transport
from protocol.events import NO_SENSOR
from protocol.profile import Profile
from protocol.sentence import say
from protocol.spelling import say_nearest


async def _open_serial(address: Address, profile: Profile) -> Transport:
    from drivers.serial_line import open_line  # noqa: PLC0415  pyserial is loaded by those who use it

    return await open_line(address.target, address.number("baud", profile.serial.baud))


def _check_serial(address: Address) -> None:
    if address.target.lower() == "auto":
        raise AddressError(
            say(
                "address.no_port",
                "oche does not choose a serial port by itself: name one that oche scan shows, as in "
                "serial:/dev/ttyUSB0",
            )
        )
    if "://" in address.target:
        raise AddressError(
            say(
                "address.no_url",
                "{given} is not a port of this machine: of a port elsewhere write host and port, as in "
                "rfc2217:192.168.0.1:4000, or as in tcp:192.168.0.1:4000 if its server passes the bytes on unchanged",
                given=address.target,
            )
        )
    address.number("baud", 1)


async def _open_rfc2217(address: Address, profile: Profile) -> Transport:
    from drivers.rfc2217_line import open_rfc2217  # noqa: PLC0415  as above

    return await open_rfc2217(address, profile)


def _check_rfc2217(address: Address) -> None:
    from drivers.port_control import MOST_BAUD  # noqa: PLC0415  as above
    from drivers.tcp_line import parse_host_port  # noqa: PLC0415  as above

    try:
        port = parse_host_port(address).port
    except AddressError:
        port = None
    if port is None:
        raise AddressError(
            say(
                "address.no_rfc2217",
                "{given} is not a host and port: write it like rfc2217:192.168.0.1:4000",
                given=repr(address.target),
            )
        )
    address.number("baud", 1, MOST_BAUD)


async def _open_replay(address: Address, profile: Profile) -> Transport:
    from drivers.replay import open_replay  # noqa: PLC0415  as above

    return await open_replay(address)


def _check_replay(address: Address) -> None:
    from drivers.replay import parse_speed  # noqa: PLC0415  as above

    parse_speed(address)


async def _open_usb(address: Address, profile: Profile) -> Transport:
    from drivers.usb_board import open_reports  # noqa: PLC0415  pyusb is loaded by those who use it

    return await open_reports(address, profile)


def _check_usb(address: Address) -> None:
    from drivers.usb_devices import parse_ids  # noqa: PLC0415  as above

    parse_ids(address)


async def _open_ble(address: Address, profile: Profile) -> Transport:
    from drivers.bluetooth import open_board  # noqa: PLC0415  bleak is loaded by those who use it

    return await open_board(address, profile)


def _check_ble(address: Address) -> None:
    from drivers.ble_adverts import parse_target  # noqa: PLC0415  as above

    parse_target(address)


async def _open_tcp(address: Address, profile: Profile) -> Transport:
    from drivers.tcp_line import open_tcp  # noqa: PLC0415  as above

    return await open_tcp(address, profile)


def _check_tcp(address: Address) -> None:
    from drivers.tcp_line import parse_host_port  # noqa: PLC0415  as above

    parse_host_port(address)


async def _open_web(address: Address, profile: Profile) -> Transport:
    from drivers.web_link import open_web  # noqa: PLC0415  h11 and wsproto are loaded by those who use them

    return await open_web(address, profile)


async def _open_none(address: Address, profile: Profile) -> Transport:
    from drivers.no_sensor import open_none  # noqa: PLC0415  as above

    return await open_none(address, profile)


SCHEMES: Mapping[str, Scheme] = MappingProxyType(
    {
        "serial": Scheme(_open_serial, ("baud",), "serial:/dev/ttyUSB0", _check_serial),
        "rfc2217": Scheme(_open_rfc2217, ("baud",), "rfc2217:192.168.0.1:4000", _check_rfc2217),
        "usb": Scheme(_open_usb, ("serial", "bus"), "usb:2341:8036", _check_usb),
        "ble": Scheme(_open_ble, ("adapter",), "ble:auto", _check_ble),
        "tcp": Scheme(_open_tcp, (), "tcp:192.168.0.1:11080", _check_tcp),
        "web": Scheme(_open_web, ("serial",), "web:192.168.0.1", _check_tcp),
        NO_SENSOR: Scheme(_open_none, (), NO_SENSOR),
        "replay": Scheme(_open_replay, ("speed",), "replay:first-evening.jsonl", _check_replay),
    },
)
"""The kinds of link this room brings. Add to them with `{**SCHEMES, "sim": …}`."""


_PYSERIAL = {"serial:rfc2217://": "rfc2217", "serial:socket://": "tcp"}
"""How people write such ports for pyserial."""


def parse(text: str, schemes: Mapping[str, Scheme] = SCHEMES) -> Address:
    """The address in this text; raises AddressError that names what is wrong, with the nearest spelling."""
    scheme, colon, rest = _read_url(text.strip()).partition(":")
    if scheme == NO_SENSOR:
        if colon:
            raise AddressError(
                say(
                    "address.none",
                    "write {name} and nothing behind it, instead of {given}",
                    name=scheme,
                    given=repr(text),
                )
            )
        return Address(NO_SENSOR, "", {})
    if not colon:
        given, serial = repr(text), f"serial:{text}"
        raise AddressError(
            say(
                "address.serial",
                "the address {given} must begin with the kind of link; did you mean {name}?",
                given=given,
                name=serial,
            )
            if text.startswith("/")
            else say(
                "address.no_kind",
                "the address {given} must begin with the kind of link, such as {examples}",
                given=given,
                examples=_list_examples(schemes),
            )
        )
    if scheme not in schemes:
        raise AddressError(
            say(
                "address.unknown_kind",
                "there is no kind of link {name} (in {given}){meant}",
                name=repr(scheme),
                given=repr(text),
                meant=say_nearest(scheme, list(schemes)),
            )
        )
    target, _, query = rest.partition("?")
    kind = schemes[scheme]
    if not target:
        raise AddressError(
            say(
                "address.no_target",
                "the address {given} does not name a board: write it like {name}",
                given=repr(text),
                name=kind.example,
            )
        )
    _check_target(text, scheme, target, query)
    options = dict(parse_qsl(query, keep_blank_values=True))
    for option in options:
        if option not in kind.options:
            nothing = say("address.no_options", "; {name}: takes none", name=scheme)
            raise AddressError(
                say(
                    "address.option",
                    "unknown option {name} in {given}{meant}",
                    name=repr(option),
                    given=repr(text),
                    meant=say_nearest(option, kind.options) if kind.options else nothing,
                )
            )
    address = Address(scheme, target, options)
    kind.check(address)
    return address


def _read_url(text: str) -> str:
    """Returns the address; of one as pyserial writes it, the same as oche does."""
    for begin, scheme in _PYSERIAL.items():
        if text.lower().startswith(begin):
            return f"{scheme}:{text[len(begin) :]}"
    return text


def parse_board(text: str, schemes: Mapping[str, Scheme] = SCHEMES) -> Address:
    """The address in this text, of a board to listen to. Raises AddressError, also for a table without a sensor."""
    if text.strip().partition(":")[0] != NO_SENSOR:  # where a board is to be named, none is not offered
        schemes = {scheme: kind for scheme, kind in schemes.items() if scheme != NO_SENSOR}
    address = parse(text, schemes)
    if address.scheme == NO_SENSOR:
        raise AddressError(
            say("address.no_sensor", "a table without a sensor sends nothing: name a board, as oche scan shows it")
        )
    return address


def _check_target(text: str, scheme: str, target: str, query: str) -> None:
    """Refuses the slashes and blanks of other people's addresses; a path may begin with as many as it likes."""
    bare = target.strip().strip("/")
    right = f"{scheme}:{bare}{'?' if query else ''}{query}"
    if target.startswith("//") and "/" not in bare:
        raise AddressError(
            say("address.slashes", "write {given} without the slashes, as in {name}", given=repr(text), name=right)
        )
    if target != target.strip():
        right = f"{scheme}:{target.strip()}{'?' if query else ''}{query}"
        raise AddressError(
            say("address.blanks", "write {given} without the blanks, as in {name}", given=repr(text), name=right)
        )


def _list_examples(schemes: Mapping[str, Scheme]) -> str:
    return " or ".join(kind.example for kind in schemes.values())
