"""A board as data: one TOML file says how to find it, how its bytes are cut, what each frame means, its timing.

This is the shape of that file, and the check of how a board is found: a mistake there would show only with a real
board. What the frames mean is worked out in codebook.py.
"""

from __future__ import annotations

import re
from typing import Annotated, Literal

from msgspec import Meta, Struct

from protocol.framing import Framing
from protocol.mat import Wiring
from protocol.segment import Dartboard
from protocol.sentence import say
from protocol.source import Source
from protocol.standard import NUMBERS

Notation = Literal["text", "hex"]
"""How frames are written in the file."""

Dialogue = Literal[
    "plain",
    "granboard",
    "sdb-bt",
    "unicorn",
    "darts-connect",
    "pikado",
    "opendarts-cameras",
    "autodarts",
    "opendartboard",
    "scolia",
]
"""The dialogues of boards; `plain`: each frame has a meaning by itself. See protocol.dialogues."""
WEB_DIALOGUES: frozenset[Dialogue] = frozenset(("opendarts-cameras", "autodarts", "opendartboard", "scolia"))
"""Those that speak HTTP and WebSocket, and nothing else."""


MOST_MS = 60_000
"""A minute: whatever a profile waits for longer than that is a slip of the keyboard."""


class Serial(Struct, frozen=True, forbid_unknown_fields=True):
    """The line of a serial board, always 8N1. `banner` is the text it sends when opened, by which it can be found."""

    baud: Annotated[int, Meta(ge=1)] = 9600
    banner: str | None = None


class Ble(Struct, frozen=True, forbid_unknown_fields=True):
    """A Bluetooth LE board. UUIDs are written in full, or as the four digits of a registered one.

    A board is recognised by its `service` and by a name that begins with one of `names` (case aside): several kinds of
    board share a service. `notify` is the characteristic that sends, `write` the one that receives. `enable` (hex) is
    written before subscribing, `disable` before disconnecting. `settle_ms`: what it needs between connecting and
    subscribing. `release_ms`: how long after disconnecting it cannot be found.
    """

    names: list[str]
    service: str
    notify: str
    write: str | None = None
    with_response: bool = False
    enable: str = ""
    disable: str = ""
    settle_ms: Annotated[int, Meta(ge=0, le=MOST_MS)] = 0
    release_ms: Annotated[int, Meta(ge=0, le=MOST_MS)] = 0


class Usb(Struct, frozen=True, forbid_unknown_fields=True):
    """A USB board that sends interrupt reports: `ids` as "vendor:product", four hex digits each.

    `product` is the beginning of its product text, for ids that other things share. `endpoint` is the address of the
    endpoint it sends on; None: the first interrupt endpoint of the interface that sends.
    """

    ids: list[str]
    product: str | None = None
    interface: Annotated[int, Meta(ge=0, le=255)] = 0
    endpoint: Annotated[int, Meta(ge=0x81, le=0x8F)] | None = None


class Tcp(Struct, frozen=True, forbid_unknown_fields=True):
    """A board that accepts connections on the network, at this port."""

    port: Annotated[int, Meta(ge=1, le=65535)]


class Probe(Struct, frozen=True, forbid_unknown_fields=True):
    """How a board of HTTP is told from any other program at its port: by the answer to a GET of `path`.

    The answer is a JSON object that has `key`; dots lead into objects in it. There stands `value`; or without one true
    or false, which also says whether the board sees darts. `version`: a path whose answer is the version, as text.
    """

    path: Annotated[str, Meta(pattern="^/")]
    key: str
    value: str | None = None
    version: Annotated[str, Meta(pattern="^/")] | None = None


class Web(Struct, frozen=True, forbid_unknown_fields=True):
    """A board that speaks HTTP and WebSocket: a dialogue asks for these paths, and knows nothing of the connection.

    `socket` is the path of the WebSocket that is kept open. `paths` gives the dialogue the others by its own names of
    them. In a path `{token}` stands for the token of the table, and any other name in braces for an option of the
    address or a value of the dialogue; the last two are encoded. `poll_ms`: how often a dialogue asks beside a silent
    socket; `quiet_poll_ms`: beside one that speaks. `tls`: encrypted, with a certificate that the system trusts.
    `types` are the messages of the socket that are handed on, by their key `type`; without any, all are. What else
    comes may hold a secret and is not kept anywhere. `is_cloud`: the board is reached over the internet.
    """

    port: Annotated[int, Meta(ge=1, le=65535)]
    socket: str
    paths: dict[str, str] = {}
    poll_ms: Annotated[int, Meta(ge=100, le=MOST_MS)] = 2000
    quiet_poll_ms: Annotated[int, Meta(ge=100, le=MOST_MS)] = 10_000
    types: tuple[str, ...] = ()
    tls: bool = False
    is_cloud: bool = False
    service: str | None = None
    """The service that it announces by mDNS, such as `_autodarts-board._tcp`."""
    probe: Probe | None = None

    @property
    def wants_token(self) -> bool:
        """Whether it lets in those with its token only."""
        return any("{token}" in path for path in (self.socket, *self.paths.values()))


class Hits(Struct, frozen=True, forbid_unknown_fields=True):
    """What a hit looks like, in one of three ways.

    `frame` with `{id}`, for boards that people build: the segment under its own name. `frame` and a mat: with `{row}`
    and `{col}` (line numbers, from 0), or with `{key}`, a character per contact: `keys` holds a text a row line. Or
    `names`: a template per kind of segment (keys `T D S O I`, and whole segment ids such as `DB` or `T20`), the first
    of several being the one a board sends. There `{n}` is the number, `{nn}` two digits of it, `{ones}` and `{tens}`
    its digits, and `{place}` its place (from 0) in `order`; default: clockwise from the top. All of these can be added
    up: `{n+20}`, `{16*row+col+1}`. In text a form of the digits may follow: `{row:02}`, `{16*row+col:02X}`.

    `mask`, in hex, keeps the bits of a frame that mean something (of all frames, buttons too); with a `*` at its end
    frames may be longer. `button_at`: the number the rim button is beside when the table holds as it is written; see
    Wiring. `ignore_case` goes for every frame.
    """

    frame: str | None = None
    mat: str | None = None
    keys: list[str] = []
    wiring: Wiring = Wiring()
    names: dict[str, str | list[str]] = {}
    order: tuple[int, ...] = NUMBERS
    mask: str = ""
    button_at: Annotated[int, Meta(ge=1, le=20)] | None = None
    ignore_case: bool = False


class Handshake(Struct, frozen=True, forbid_unknown_fields=True):
    """What a board is asked once it is connected: `send` a frame, and `expect` one within `within_ms`."""

    send: str
    expect: str
    within_ms: Annotated[int, Meta(ge=1, le=MOST_MS)] = 1000


class Timing(Struct, frozen=True, forbid_unknown_fields=True):
    """Numbers of the debounce filter, in milliseconds; see protocol.debounce. 0 switches a rule off."""

    repeat_ms: Annotated[int, Meta(ge=0, le=MOST_MS)] = 100
    """The same contact or key again within this time counts as the same dart or press."""
    contact_ms: Annotated[int, Meta(ge=0, le=MOST_MS)] = 20
    """All contacts that one dart closes, it closes within this time."""
    miss_ms: Annotated[int, Meta(ge=0, le=MOST_MS)] = 0
    """A sensor of misses that fires on hits, too, does so within this time of the hit. A miss is held back as long."""
    stuck_ms: Annotated[int, Meta(ge=1, le=MOST_MS)] = 2000
    """A contact that has gone on for this long is called stuck."""


class Profile(Struct, frozen=True, forbid_unknown_fields=True):
    """A kind of board. `id` is lower case letters, digits and dashes.

    Frames are written as `notation` says: as text, or in hex (spaces between bytes are free, a placeholder such as
    `{n}` is one byte). `buttons` gives each key of the board a name (`next`, `undo`, or any word) and the frame or
    frames that report it; `miss` and `stuck` (a contact will not open) likewise. Frames in `ignore` mean nothing and
    are no garbage: greetings, debug output; a trailing `*` stands for any rest. `handshake` is for boards that are
    asked something first; boards with a longer dialogue name it in `dialogue`; see protocol.dialogues. `dartboard` is
    for boards with the standard layout that are no soft tip of 15.5 inches.
    """

    id: str
    name: str
    hits: Hits
    layout: str = "standard"
    dartboard: Dartboard | None = None
    brands: list[str] = []
    link: Literal["serial", "usb", "ble", "tcp", "web"] = "serial"
    serial: Serial = Serial()
    usb: Usb | None = None
    ble: Ble | None = None
    tcp: Tcp | None = None
    web: Web | None = None
    framing: Framing = Framing()
    notation: Notation = "text"
    dialogue: Dialogue = "plain"
    handshake: Handshake | None = None
    buttons: dict[str, str | list[str]] = {}
    miss: str | list[str] = []
    stuck: str | list[str] = []
    ignore: list[str] = []
    timing: Timing = Timing()
    confidence: str = "unknown"
    sources: list[str] = []
    notes: str = ""


_UUID = re.compile(r"[0-9a-f]{4}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE | re.ASCII)
_ID = re.compile(r"[0-9a-f]{4}:[0-9a-f]{4}", re.IGNORECASE | re.ASCII)


def check_link(profile: Profile, source: Source) -> None:
    """Raises SourceError if no board can be found or reached with these values."""
    if profile.link in ("usb", "ble", "tcp", "web") and getattr(profile, profile.link) is None:
        said = say(
            "profile.no_link",
            "link = {given} needs a table [{name}] that says how to find the board",
            given=repr(profile.link),
            name=profile.link,
        )
        raise source.error(said, "link")
    if (profile.web is not None) != (profile.dialogue in WEB_DIALOGUES):
        said = say(
            "profile.web_dialogue",
            "the dialogue {name} does not fit: a board with a table [web] needs one of {examples}, and no other board "
            "can have one of these",
            name=profile.dialogue,
            examples=", ".join(sorted(WEB_DIALOGUES)),
        )
        raise source.error(said, "dialogue")
    if profile.web is not None:
        _check_web_framing(profile.framing, source)
    if profile.ble is not None:
        _check_ble(profile.ble, source)
    if profile.usb is not None:
        _check_usb(profile.usb, source)


def _check_web_framing(framing: Framing, source: Source) -> None:
    from protocol.web_frames import MOST_PACKET_BYTES  # noqa: PLC0415  a table without cameras does not load it

    if framing.kind != "datagram" or framing.limit < MOST_PACKET_BYTES:
        said = say(
            "profile.web_framing",
            'a board with a table [web] needs framing.kind = "datagram" and framing.limit = {least} or more',
            least=MOST_PACKET_BYTES,
        )
        raise source.error(said, "framing")


def _check_ble(ble: Ble, source: Source) -> None:
    if not ble.names or not all(name.strip() for name in ble.names):
        said = say("profile.ble_names", "ble.names must list how the board's name begins; no entry may be empty")
        raise source.error(said, "ble", "names")
    for key, uuid in (("service", ble.service), ("notify", ble.notify), ("write", ble.write)):
        if uuid is not None and not _UUID.fullmatch(uuid):
            said = say(
                "profile.no_uuid",
                "ble.{name} {given} is not a UUID: write four hex digits, as in fff0, or all 36 characters",
                name=key,
                given=repr(uuid),
            )
            raise source.error(said, "ble", key)
    for key, text in (("enable", ble.enable), ("disable", ble.disable)):
        try:
            bytes.fromhex(text)
        except ValueError:
            said = say(
                "profile.ble_hex",
                "ble.{name} {given} is not hex: write each byte as two digits, as in 54 32 0d",
                name=key,
                given=repr(text),
            )
            raise source.error(said, "ble", key) from None
        if text and ble.write is None:
            said = say(
                "profile.no_write",
                "ble.{name} is written to the board: name the characteristic for that in ble.write",
                name=key,
            )
            raise source.error(said, "ble", key)


def _check_usb(usb: Usb, source: Source) -> None:
    if not usb.ids:
        said = say("profile.no_ids", "usb.ids must list at least one vendor:product, as in 2341:8036")
        raise source.error(said, "usb", "ids")
    for text in usb.ids:
        if not _ID.fullmatch(text):
            said = say(
                "profile.no_id",
                "usb.ids {given} is not a vendor:product: write four hex digits twice, as in 2341:8036",
                given=repr(text),
            )
            raise source.error(said, "usb", "ids")
    if usb.product is not None and not usb.product.strip():
        said = say("profile.no_product", "usb.product is empty, which fits every device: leave it out")
        raise source.error(said, "usb", "product")
