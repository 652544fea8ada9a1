"""The configuration: one TOML file, every key of it checked before anything starts.

What is not written has a default that works: a file with one `[[table]]` and its `board` is a complete one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from daemon import files
from daemon.equipment import codebook, identity
from daemon.errors import UserError
from daemon.mqtt import credentials
from daemon.mqtt.address import BrokerAddress, broker_address
from engine.games import game, spelled_out
from engine.match import Match
from engine.options import read_options
from engine.record import Header, Unreadable, with_bots
from protocol.codebook import Codebook
from protocol.mat import Wiring
from protocol.source import Source, SourceError
from protocol.topics import TopicError, check_base, check_name, check_prefix

DEFAULT_FILE = Path("/etc/oche/oche.toml")


class Bridge(Struct, frozen=True, forbid_unknown_fields=True):
    """This daemon. `name` is part of its topics; `state_dir` is where the journals are."""

    name: str = "oche"
    state_dir: str = "/var/lib/oche"


class Mqtt(Struct, frozen=True, forbid_unknown_fields=True):
    """The broker. Without a `host` the daemon starts one of its own on the loopback.

    Several hosts are the nodes of one cluster: when the connection to one is lost, the next one is tried. Each may
    name its own port, `"broker.lan:1884"`.

    With `tls` the broker must prove who it is, to the system's authorities or to those in `ca_file`; `cert_file` and
    `key_file` prove who we are. `discovery` lets Home Assistant find the tables below `discovery_prefix`: as whole
    devices, as single components for programs that read only those (openHAB, Domoticz), or not at all.

    The password is read from the systemd credential `mqtt-password`, from `password_file`, or from the environment
    variable OCHE_MQTT_PASSWORD, in this order; it is never written in this file.
    """

    host: Annotated[str, Meta(min_length=1)] | Annotated[tuple[str, ...], Meta(min_length=1)] | None = None
    port: Annotated[int, Meta(ge=1, le=65535)] = 1883
    base: str = "oche"
    username: str | None = None
    password_file: str | None = None
    tls: bool = False
    ca_file: str | None = None
    cert_file: str | None = None
    key_file: str | None = None
    discovery: Literal["device", "components", "off"] = "device"
    discovery_prefix: str = "homeassistant"

    def brokers(self) -> tuple[BrokerAddress, ...]:
        """Where to connect to, in the order to try. Raises ValueError."""
        hosts = (self.host or "127.0.0.1",) if self.host is None or isinstance(self.host, str) else self.host
        return tuple(broker_address(host, self.port) for host in hosts)


class Web(Struct, frozen=True, forbid_unknown_fields=True):
    """The scoreboard page; port 0 is any. `names`: what it is called, where that is no address and no name at home."""

    host: Annotated[str, Meta(min_length=1)] = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65535)] = 8180
    on: bool = True
    names: tuple[str, ...] = ()


Doubles = tuple[Annotated[int, Meta(ge=1, le=25)], ...]
"""Numbers of doubles, the dearest first; 25 is the bull."""


class Player(Struct, frozen=True, forbid_unknown_fields=True):
    """Somebody who plays here, whatever the table: the doubles that hints go for when the name is in a match."""

    name: Annotated[str, Meta(min_length=1)]
    doubles: Doubles = ()


class TableConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """A board and the game on it. `mat`, `wiring` and single times of `timing` replace those of its profile.

    `profile` is an id or a file; left out, it is opendarts for a board on a serial line.
    `face` is a file with a Yatzy-Dart or Ground Round face of your own; see protocol/layouts.py.
    `takeout` opens the next visit by the `button` (of the board, a phone, MQTT), by a `timer` (`takeout_s` seconds
    after the visit's last dart) or by `hits` (the next hit after `takeout_s` quiet seconds). Default: the button where
    the profile has one, else the timer. `lamps` = false leaves the board's lamps alone. `seed` fixes the dice and cards
    of the first match, for a demonstration. A player called bot:45 is a bot that averages 45 in 501 double out, and
    takes `bot_s` seconds for a dart. `doubles` are favourites by the names of players, besides those of `[[player]]`.
    """

    board: str
    name: str = "main"
    title: str | None = None
    profile: str = ""
    mat: str | None = None
    wiring: Wiring | None = None
    timing: dict[str, int] = {}
    face: str | None = None
    game: str = "x01"
    options: dict[str, Any] = {}  # Any: checked by the game's own Struct
    players: tuple[str, ...] = ("Home", "Guest")
    teams: list[list[int]] | None = None
    seed: str | None = None
    takeout: Literal["button", "timer", "hits"] | None = None
    takeout_s: Annotated[float, Meta(ge=0.1, le=600)] = 5.0
    lamps: bool = True
    doubles: dict[str, Doubles] = {}
    bot_s: Annotated[float, Meta(ge=0.001, le=60)] = 1.2


class Config(Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file."""

    table: list[TableConfig]
    bridge: Bridge = Bridge()
    mqtt: Mqtt = Mqtt()
    web: Web = Web()
    player: tuple[Player, ...] = ()


class Setup(Struct, frozen=True):
    """A configuration that was checked, with the codebook of each table's board."""

    config: Config
    codebooks: tuple[Codebook, ...]


def read_config(path: Path) -> Setup:
    """The configuration in this file; raises UserError (status 2) with file, line and what would be right."""
    text = files.source(path, "; name the configuration with --config FILE")
    try:
        return check(text.read(Config), text)
    except SourceError as error:
        raise UserError(str(error), 2) from None


def check(config: Config, source: Source) -> Setup:
    """What types cannot say: names, games, options, profiles. Raises SourceError."""
    _check_topics(config, source)
    try:
        credentials.check(config.mqtt)
    except credentials.Unusable as error:
        raise source.error(str(error), "mqtt", error.key) from None
    if not config.table:
        raise source.error("at least one [[table]] with a board is needed", "table")
    names = [table.name for table in config.table]
    boards: list[object] = []
    codebooks = []
    for index, table in enumerate(config.table):
        if table.name in names[:index]:
            raise source.error(f"two tables are called {table.name!r}: give each its own name", "table", index, "name")
        codebooks.append(codebook(table, index, source))
        board = identity(table.board, codebooks[-1].profile)
        if board is not None and board in boards:
            raise source.error(f"two tables have the board {table.board}: each needs its own", "table", index, "board")
        boards.append(board)
        _check_game(table, codebooks[-1], index, source)
    return Setup(_with_doubles(config, source), tuple(codebooks))


def first_header(table: TableConfig) -> Header:
    """The header of the match a table opens with when its journal has none. Raises Unreadable."""
    header = Header(
        oche=1,
        game=table.game,
        players=list(table.players),
        options=table.options,
        teams=table.teams,
        seed=table.seed,
    )
    return with_bots(header)


def _check_topics(config: Config, source: Source) -> None:
    try:
        check_base(config.mqtt.base)
    except TopicError as error:
        raise source.error(str(error), "mqtt", "base") from None
    try:
        check_prefix(config.mqtt.discovery_prefix)
    except TopicError as error:
        raise source.error(str(error), "mqtt", "discovery_prefix") from None
    try:
        config.mqtt.brokers()
    except ValueError as error:
        raise source.error(str(error), "mqtt", "host") from None
    try:
        check_name(config.bridge.name, "bridge")
    except TopicError as error:
        raise source.error(str(error), "bridge", "name") from None
    for index, table in enumerate(config.table):
        try:
            check_name(table.name, "table")
        except TopicError as error:
            raise source.error(str(error), "table", index, "name") from None


def _with_doubles(config: Config, source: Source) -> Config:
    """With everybody's favourite doubles at every table. Raises SourceError."""
    for index, player in enumerate(config.player):
        if any(20 < number < 25 for number in player.doubles):
            raise source.error("doubles are 1 to 20, and 25 for the bull", "player", index, "doubles")
    known = {player.name: player.doubles for player in config.player if player.doubles}
    tables = [replace(table, doubles={**known, **table.doubles}) for table in config.table]
    return replace(config, table=tables) if known else config


def _check_game(table: TableConfig, board: Codebook, index: int, source: Source) -> None:
    face = board.layout
    try:
        first = first_header(table)
    except Unreadable as error:
        raise source.error(str(error), "table", index, "players") from None
    try:
        header = spelled_out(first)
    except Unreadable as error:
        raise source.error(str(error), "table", index, "game") from None
    chosen = game(header.game)
    try:
        read_options(chosen, header.options)
    except Unreadable as error:
        raise source.error(str(error), "table", index, "options") from None
    if face.name not in chosen.layouts:
        wanted = " or ".join(chosen.layouts)
        message = f"{chosen.id} is played on the {wanted} face; the profile {board.profile.id} has the {face.name} face"
        raise source.error(message, "table", index, "game")
    try:
        Match(header, chosen, "", face=face)
    except Unreadable as error:
        raise source.error(str(error), "table", index, "teams" if table.teams else "players") from None
