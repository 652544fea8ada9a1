"""What is plugged in, heard over Bluetooth, answers or is announced on the network, and which boards it may be.

Three words say how sure a match is; it is never guessed upwards: `sure`, the device says what only this board
says; `likely`, its ids, its name, its first frame or what it announces match; `possible`, it is a serial port of the
kind that people build boards with, or a host that answers on the port of a board, and only what it sends could tell
more. A kind of link that cannot be searched is a sentence, not the end.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec
import tomli_w
from serial.tools import list_ports

from drivers.address import Address
from drivers.ble_adverts import Advert, matches
from drivers.network_scan import AnsweringHost, find_answers, find_port
from drivers.probe import identify_board
from drivers.proxies import get_proxies, look_at_proxies
from drivers.tcp_line import HostPort
from drivers.transport import LinkError, make_printable
from drivers.usb_devices import LIBUSB_MISSING, UsbDevice, is_libusb_installed, list_usb_devices
from protocol.profile import Profile, Usb
from protocol.sentence import Sentence, advise, get_reason, say, write_sentence

if TYPE_CHECKING:
    from drivers.web_scan import FoundBoard, State

Sureness = Literal["sure", "likely", "possible"]

_ORDER: tuple[Sureness, ...] = ("sure", "likely", "possible")

_CHIPS = {
    0x0403: "FTDI",
    0x067B: "Prolific PL2303",
    0x10C4: "CP210x",
    0x16C0: "Teensy",
    0x1A86: "CH340",
    0x1B4F: "SparkFun",
    0x2341: "Arduino",
    0x239A: "Adafruit",
    0x2A03: "Arduino",
    0x2E8A: "Raspberry Pi Pico",
    0x303A: "Espressif ESP32",
}
"""Who made the controller, or the chip that gives it its USB port, by vendor id."""


TOKEN_FILE = "/etc/oche/board-token"
"""Where the lines of a board with a token say that it is."""

_PLUGS = {"serial": "a serial port of this machine", "usb": "a USB device"}
"""What one is that says nothing of itself, by the kind of its address."""


class Port(NamedTuple):
    """A serial port: the path to use, the kernel's name for it today, and what its USB device says, if it is one."""

    path: str
    device: str
    vid: int | None = None
    pid: int | None = None
    product: str | None = None
    manufacturer: str | None = None


class ProfileFit(NamedTuple):
    """A profile that fits, by its name in the configuration: the id of a shipped one, or the file."""

    profile: str
    sure: Sureness


class Found(NamedTuple):
    """One thing that was found: where it is, what it says it is ("" if nothing), what fits it, the surest first.

    `state` is whether a camera sees darts, where it tells; `wants_token`: it lets nobody in without its token.
    """

    address: str
    what: str
    fits: tuple[ProfileFit, ...] = ()
    state: State | None = None
    wants_token: bool = False

    @property
    def sure(self) -> Sureness | None:
        """How sure the best fit is."""
        return self.fits[0].sure if self.fits else None

    def lines(self, **more: str) -> str:
        """What to paste into the configuration, with `more` keys; "" for what fits nothing."""
        if not self.fits:
            return ""
        best, *others = [fit.profile for fit in self.fits]
        or_else = f"  # or {', '.join(others)}" if others else ""
        if self.wants_token:
            more = {"board_token_file": TOKEN_FILE, **more}
        added = "".join(f"\n{_format_line(key, text)}" for key, text in more.items())
        or_any = "  # or ble:auto, when it is the only one around" if self.address.startswith("ble:") else ""
        return (
            f"[[table]]\n{_format_line('board', self.address)}{or_any}\n{_format_line('profile', best)}{or_else}{added}"
        )


def match_ports(ports: Iterable[Port], profiles: Sequence[Profile]) -> list[Found]:
    """Serial ports. A port of USB may be any board that speaks over serial."""
    speaking = [profile.id for profile in profiles if profile.link == "serial"]
    found = []
    for port in ports:
        chip = _CHIPS.get(port.vid) if port.vid is not None else None
        says = " ".join(filter(None, (port.manufacturer, port.product)))
        label = f"{port.vid:04x}:{port.pid:04x}" if port.vid is not None and port.pid is not None else ""
        device = port.device if port.device != port.path else ""
        what = ", ".join(filter(None, (device, says, chip, label)))
        found.append(
            Found(f"serial:{port.path}", what, _make_fits(speaking if port.vid is not None else [], "possible"))
        )
    return found


def with_sure_profile(port: Found, profile_id: str) -> Found:
    """The port, known for sure to be a board of this profile."""
    return port._replace(fits=_make_fits([profile_id], "sure"))


def match_usb(devices: Sequence[UsbDevice], profiles: Sequence[Profile]) -> list[Found]:
    """USB devices that match a profile; all others are left out."""
    found = []
    for device in devices:
        fitting = [ProfileFit(each.id, sure) for each in profiles if each.usb and (sure := _compare(device, each.usb))]
        if fitting:
            what = " ".join(filter(None, (device.manufacturer, device.product)))
            fitting.sort(key=lambda fit: _ORDER.index(fit.sure))
            found.append(Found(_make_usb_address(device, devices), what, tuple(fitting)))
    return found


def match_adverts(adverts: Iterable[Advert], profiles: Sequence[Profile]) -> list[Found]:
    """Bluetooth devices, the loudest first. A name without its service is likely only: some leave it out."""
    found = []
    for advert in sorted(adverts, key=lambda each: -each.rssi):
        fitting = [profile.id for profile in profiles if matches(profile, advert.name, advert.services)]
        what = f"{advert.name}, {advert.rssi} dBm" if advert.name else ""
        found.append(Found(f"ble:{advert.address}", what, _make_fits(fitting, "sure" if advert.services else "likely")))
    return found


def match_answers(answers: Iterable[AnsweringHost], profiles: Sequence[Profile]) -> list[Found]:
    """Hosts that answer on the port of a profile; one that has sent a frame of it is likely its board."""
    found = []
    for host, port, profile_id in answers:
        at_port = [profile.id for profile in profiles if find_port(profile) == port]
        fits = _make_fits(at_port, "possible") if profile_id is None else _make_fits([profile_id], "likely")
        found.append(Found(f"tcp:{HostPort(host, port)}", f"answers on port {port}", fits))
    return found


def match_web_boards(boards: Iterable[FoundBoard], profiles: Sequence[Profile]) -> list[Found]:
    """Boards of HTTP, such as cameras: `sure`, where the answer fits one profile alone."""
    known = {profile.id: profile for profile in profiles}
    found = []
    for board in boards:
        best = known[board.profiles[0]]
        assert best.web is not None  # they are looked for by that
        brand = best.brands[0] if best.brands else best.id
        what = " ".join(filter(None, (brand, board.version, board.label and f"({board.label})")))
        fits = _make_fits(board.profiles, "sure" if board.is_proven and len(board.profiles) == 1 else "likely")
        place = HostPort(board.host, board.port)  # the port in any case: a host may have boards of several profiles
        found.append(Found(f"web:{place}", what, fits, board.state, best.web.wants_token))
    return found


def sort_by_sureness(found: Iterable[Found]) -> list[Found]:
    """The surest first; within one degree the order stays."""
    return sorted(found, key=lambda each: _ORDER.index(each.sure) if each.sure else len(_ORDER))


def _make_fits(ids: Iterable[str], sure: Sureness) -> tuple[ProfileFit, ...]:
    return tuple(ProfileFit(each, sure) for each in ids)


def _compare(device: UsbDevice, usb: Usb) -> Sureness | None:
    """`likely` for equal ids, which other things may have; `sure` with a product text; None: no match."""
    if device.label not in (each.lower() for each in usb.ids):
        return None
    if usb.product is None:
        return "likely"
    return "sure" if (device.product or "").startswith(usb.product) else None


def _make_usb_address(device: UsbDevice, devices: Sequence[UsbDevice]) -> str:
    """Its address: the ids, and for several devices with the same ids the serial number, or the port it is in."""
    twins = [each for each in devices if (each.vid, each.pid) == (device.vid, device.pid)]
    if len(twins) == 1:
        options = {}
    elif device.serial and [each.serial for each in twins].count(device.serial) == 1:
        options = {"serial": device.serial}
    else:
        options = {"bus": device.bus}
    return str(Address("usb", device.label, options))


def _format_line(key: str, text: str) -> str:
    return tomli_w.dumps({key: text}).rstrip("\n")


BY_ID, BY_PATH = Path("/dev/serial/by-id"), Path("/dev/serial/by-path")


def list_serial_ports() -> list[Port]:
    """All serial ports, those of USB first, then by name. Looks at files only: nothing is opened."""
    by_id, by_path = find_links(BY_ID), find_links(BY_PATH)
    try:
        infos = list_ports.comports()
    except (OSError, TypeError, ValueError):  # one was pulled out while it was looked at
        infos = list_ports.comports()
    makes = [(info.vid, info.pid, info.serial_number) for info in infos]
    ports = []
    for info, make in zip(infos, makes, strict=True):
        names = [by_path, by_id] if makes.count(make) > 1 else [by_id, by_path]
        path = next((each[info.device] for each in names if info.device in each), info.device)
        product, manufacturer = (make_printable(text or "") or None for text in (info.product, info.manufacturer))
        ports.append(Port(path, info.device, info.vid, info.pid, product, manufacturer))
    return sorted(ports, key=lambda port: (port.vid is None, port.device))


def find_links(folder: Path) -> Mapping[str, str]:
    """The link in this folder to each device; the first by name where there are several."""
    try:
        return {str(link.resolve()): str(link) for link in sorted(folder.iterdir(), reverse=True)}
    except OSError:  # without a USB port there is no such folder
        return {}


class Scan(NamedTuple):
    """What was found, boards first, and in `notes` a sentence for each kind of link that could not be searched."""

    found: list[Found]
    notes: list[str | Sentence]


class Heard(NamedTuple):
    """The devices that were heard on Bluetooth, and in `notes` why one radio or all of them could not listen."""

    adverts: list[Advert]
    notes: list[str | Sentence]


async def scan_all(
    profiles: Sequence[Profile],
    seconds: float,
    hosts: Sequence[str],
    *,
    probe: bool = False,
    heard: Heard | None = None,
) -> Scan:
    """Listens to Bluetooth for so many seconds, lists USB and serial ports, and connects to `hosts` of the network.

    `probe` opens and asks the ports, and asks the hosts. With `heard` Bluetooth was listened to already.
    """
    parts = (
        scan_ports(profiles, probe=probe),
        _scan_bluetooth(profiles, seconds, heard),
        _scan_network(profiles, hosts, probe),
        _scan_web(profiles, hosts),
    )
    return _join(await asyncio.gather(*parts))


async def scan_ports(profiles: Sequence[Profile], *, probe: bool = False) -> Scan:
    """Lists USB and serial ports alone. Without `probe` nothing is opened, and it takes milliseconds."""
    return _join(await asyncio.gather(_scan_usb(profiles), _scan_serial(profiles, probe)))


def _join(parts: Sequence[Scan]) -> Scan:
    found = [each for part in parts for each in part.found]
    return Scan(sort_by_sureness(found), [note for part in parts for note in part.notes])


async def _scan_usb(profiles: Sequence[Profile]) -> Scan:
    found = match_usb(await asyncio.to_thread(list_usb_devices), profiles)
    return Scan(found, [LIBUSB_MISSING] if found and not is_libusb_installed() else [])


async def _scan_serial(profiles: Sequence[Profile], probe: bool) -> Scan:
    ports = await asyncio.to_thread(list_serial_ports)
    found = match_ports(ports, profiles)
    if not probe:
        return Scan(found, [])
    # A port that is no USB device belongs to the machine itself: a console, its own Bluetooth chip.
    asked = [_identify(each, port, profiles) for each, port in zip(found, ports, strict=True) if port.vid is not None]
    parts = await asyncio.gather(*asked)
    known = [each for part in parts for each in part.found]
    return Scan(known + found[len(known) :], [note for part in parts for note in part.notes])


async def _identify(found: Found, port: Port, profiles: Sequence[Profile]) -> Scan:
    try:
        profile_id = await identify_board(port.path, profiles)
    except LinkError as error:
        return Scan([found], [f"{port.device} could not be asked: {error}"])
    return Scan([found if profile_id is None else with_sure_profile(found, profile_id)], [])


async def _scan_network(profiles: Sequence[Profile], hosts: Sequence[str], probe: bool) -> Scan:
    return Scan(match_answers(await find_answers(profiles, hosts, ask=probe), profiles), [])


async def _scan_web(profiles: Sequence[Profile], hosts: Sequence[str]) -> Scan:
    from drivers.web_scan import find_web_boards  # noqa: PLC0415  what looks at ports alone needs no HTTP

    return Scan(match_web_boards(await find_web_boards(profiles, hosts), profiles), [])


async def _scan_bluetooth(profiles: Sequence[Profile], seconds: float, heard: Heard | None) -> Scan:
    heard = heard or await listen(seconds)
    return Scan(match_adverts(heard.adverts, profiles), heard.notes)


async def listen(seconds: float) -> Heard:
    """Listens to Bluetooth for so many seconds, through the proxies that are set as well."""
    try:
        from drivers.bluetooth import listen_for_adverts  # noqa: PLC0415  what else there is can be found without it
    except ImportError:
        said = advise(say("link.no_bleak", "Bluetooth boards need the library bleak"), "pip install bleak")
        return Heard([], [said])
    adverts, notes = [], list[str | Sentence]()
    try:
        adverts = await listen_for_adverts(seconds)
    except LinkError as error:
        notes.append(get_reason(error))
    if get_proxies():
        troubles = [state.trouble for state in await look_at_proxies(0) if state.trouble is not None]
        notes += [said for said in troubles if said not in notes]
    return Heard(adverts, notes)


def _name(found: Found) -> str:
    """What it says it is, else what it is plugged into; "" for a Bluetooth device that says nothing."""
    return found.what or _PLUGS.get(found.address.partition(":")[0], "")


def format_toml(scan: Scan, games: Mapping[str, str], simulated: str, more: str = "") -> str:
    """The output for people: a configuration with comments.

    `games`: see `_format_lines`; `simulated`: for where none is; `more`: other sections, which follow the boards.
    """
    boards = [each for each in scan.found if each.fits]
    tables = []
    for number, each in enumerate(boards, 1):
        text = f"{_format_lines(each, games, number)}\n"
        if number > 1 and each.sure != "sure":
            text = f"# To use it, remove the # before these lines:\n{indent(text, '# ')}"
        remarks = (_say_certainty(each), *_say_state(each), *_say_token(each))
        tables.append("".join(f"# {line}\n" for line in (_name(each), *remarks)) + text)
    others = [each for each in scan.found if not each.fits]
    named = [f"#   {each.address}  {_name(each)}" for each in others if _name(each)]
    silent = len(others) - len(named)
    if silent:
        named.append(f"#   and {silent} Bluetooth {'device' if silent == 1 else 'devices'} without a name")
    if not tables:
        nothing = "# No board was found: plug it in, or switch it on, press a button of it and try again."
        tables = [f'{nothing}\n# Until then a simulated one:\n[[table]]\nboard = "{simulated}"\n']
    return "\n".join([*tables, *([more] if more else []), *(["# No profile fits:", *named] if named else [])]).rstrip()


def _format_lines(found: Found, games: Mapping[str, str], number: int = 1) -> str:
    """The lines of a table: with a name unless it is the first, and with a game unless the usual one fits its layout.

    `games` are the games by profile; "" stands for the usual one.
    """
    more = {"name": f"board{number}"} if number > 1 else {}
    game = games.get(found.fits[0].profile, "") if found.fits else ""
    return found.lines(**more, **({"game": game} if game else {}))


def _say_certainty(found: Found) -> str:
    is_host = found.address.startswith("tcp:")
    is_web = found.address.startswith("web:")
    match found.sure:
        case "sure":
            return f"This is certainly {found.fits[0].profile}."
        case "likely" if is_host:
            return f"It sends the same messages as {found.fits[0].profile}."
        case "likely" if is_web:
            return f"It is announced or answers as {found.fits[0].profile} does."
        case "likely":
            return f"Its name or number fits {found.fits[0].profile}."
    if is_host:
        return f"It may be {found.fits[0].profile} or another program; oche scan --probe finds out."
    return "Some boards have such a port; oche scan --probe may find out what it is, or ask the builder of the board."


def _say_state(found: Found) -> list[str]:
    match found.state:
        case "running":
            return ["It is running: it sees darts."]
        case "stopped":
            return ["It does not see darts now: start it there, or on the page of oche."]
        case "silent":
            return ["It does not answer now: start its program, or look for its new address."]
    return []


def _say_token(found: Found) -> list[str]:
    return [f"It asks for its token: write that into the file {TOKEN_FILE}."] if found.wants_token else []


def format_json(scan: Scan, games: Mapping[str, str]) -> str:
    """The output for programs: `found`, each with `address`, `what`, `fits` and `config`; and `notes`, in English.

    Cameras have their `state` and `wants_token` too. `notes_said` has what other languages make the notes of.
    """
    found = []
    for each in scan.found:
        fits = [{"profile": fit.profile, "sure": fit.sure} for fit in each.fits]
        told = {"address": each.address, "what": each.what, "fits": fits, "config": _format_lines(each, games)}
        of_camera = {"state": each.state, "wants_token": each.wants_token} if each.address.startswith("web:") else {}
        found.append({**told, **of_camera})
    notes = {"notes": [str(note) for note in scan.notes], "notes_said": [write_sentence(note) for note in scan.notes]}
    return msgspec.json.encode({"found": found, **notes}).decode()
