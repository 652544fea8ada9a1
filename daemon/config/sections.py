"""The sections of the configuration: what can be written in the file, each with a default that works.

What types cannot say is checked in daemon/config/reader.py, which also reads the file. docs/configuration.md is made
from the docstrings here: what follows a field describes that key.
"""

from __future__ import annotations

import re
from ipaddress import ip_address
from typing import Annotated, Any, Literal, NamedTuple

from msgspec import Meta, Struct, convert

from daemon.config.names import is_web_address
from daemon.config.outlets import Outlets
from daemon.config.week_time import WeekTime, parse_week_time
from protocol.events import NO_SENSOR
from protocol.mat import Wiring
from protocol.match_spec import MatchSpec, with_bots
from protocol.messages import LogLevel
from protocol.routine import MOST_EXERCISES, Exercise, Routine
from protocol.segment import Dartboard
from protocol.sentence import Refusal, Sentence, say

_WRITTEN = re.compile(r"\[(?P<v6>[0-9A-Fa-f:.%\w]+)\](?::(?P<v6_port>\d+))?|(?P<host>[^:\[\]\s/]+)(?::(?P<port>\d+))?")
_BARE_V6 = re.compile(r"[0-9A-Fa-f]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f:.%\w]*")

Language = Literal["en", "de", "nl", "fr", "es"]
TakeoutMode = Literal["button", "timer", "hits", "sensor"]


class BrokerAddress(NamedTuple):
    """A host by name or number, and its TCP port."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse_broker_address(text: str, port: int) -> BrokerAddress:
    """Returns the address in `host`, `host:port`, an IPv6 address, or one in brackets before a port. Raises ValueError.

    `port` is that of an address that names none.
    """
    said = "settings.broker", "{given} is not a broker's address: write host, host:port or [IPv6]:port, without mqtt://"
    return _parse_address(text, port, say(*said, given=repr(text)))


def _parse_address(text: str, port: int, refusal: Sentence) -> BrokerAddress:
    if _BARE_V6.fullmatch(text):
        return BrokerAddress(text, port)
    found = _WRITTEN.fullmatch(text)
    if found is None:
        raise Refusal(refusal)
    number = int(found["v6_port"] or found["port"] or port)
    if not 1 <= number <= 65535:
        raise Refusal(say("settings.port", "{given} has an invalid port: write one from 1 to 65535", given=repr(text)))
    return BrokerAddress(found["v6"] or found["host"], number)


class Bridge(Struct, frozen=True, forbid_unknown_fields=True):
    """This daemon."""

    name: str = "oche"
    """Its name in topics (`oche/bridge/NAME/state`). Daemons that share a broker need different names."""
    state_dir: str = "/var/lib/oche"
    """The folder of the journals. The daemon must be allowed to write there."""
    language: Language = "en"
    """The language of sentences on MQTT and in Home Assistant. The page uses the language of each viewer."""
    log_level: LogLevel = "info"
    """The lowest level to log. The command line options `-v` and `-q` override it."""
    update_url: str | None = None
    """The address of the `latest.json` of a release, on your own web server or the publisher's. oche checks it twice a
    day, and Home Assistant shows a newer version. Without it oche checks nothing."""
    week_at: str = ""
    """When the event of the week is published over MQTT: the day in English and the local time, such as
    `"sunday 20:00"`. It contains names of players: see docs/take-home.md#the-week. `""` publishes none."""

    def find_week_time(self) -> WeekTime | None:
        """Returns when the event of the week is published; None: never. Raises ValueError."""
        return parse_week_time(self.week_at) if self.week_at else None

    def check_update_url(self) -> None:
        """Raises ValueError for an address that cannot be looked at."""
        if self.update_url is None:
            return
        if not is_web_address(self.update_url):
            raise Refusal(
                say(
                    "settings.update_url",
                    "{given} is not a web address: write one such as http://host/latest.json",
                    given=repr(self.update_url),
                )
            )
        if "@" in self.update_url:
            raise Refusal(
                say(
                    "settings.update_login",
                    "others can see an address with a password: serve latest.json without a login",
                )
            )


class Mqtt(Struct, frozen=True, forbid_unknown_fields=True):
    """The broker.

    The password is read from the systemd credential `mqtt-password`, from `password_file`, or from the environment
    variable `OCHE_MQTT_PASSWORD`, in this order; it is never written in this file.
    """

    host: Annotated[str, Meta(min_length=1)] | Annotated[tuple[str, ...], Meta(min_length=1)] | None = None
    """The broker's address, if necessary with a port (`"broker.lan:1884"`). Several addresses are the nodes of one
    cluster: when the connection to one is lost, oche tries the next. Without an address the daemon starts a broker for
    this machine only."""
    port: Annotated[int, Meta(ge=1, le=65535)] = 1883
    """The port of every address that has none."""
    base: str = "oche"
    """The beginning of every topic."""
    username: str | None = None
    """The user to log in as."""
    password_file: str | None = None
    """A file that contains only the password."""
    tls: bool = False
    """Whether to encrypt the connection and check the broker's certificate."""
    ca_file: str | None = None
    """Certificates (PEM) of the authorities to trust, in place of the system's. Needs `tls`."""
    cert_file: str | None = None
    """The certificate (PEM) that proves who the daemon is. Needs `tls`."""
    key_file: str | None = None
    """The private key (PEM, no passphrase) of `cert_file`, if that file does not contain it."""
    discovery: Literal["device", "components", "off"] = "device"
    """How Home Assistant finds the tables: as whole devices; as single components, for programs that read only those
    (openHAB, Domoticz); or not at all."""
    discovery_prefix: str = "homeassistant"
    """The beginning of the discovery topics."""
    response_topics: tuple[str, ...] | None = None
    """A request may name a ResponseTopic (MQTT 5) that begins with one of these; without this setting, any topic that
    oche does not use otherwise. oche's own `response` topics are always allowed; `[]` allows no others."""
    requests: bool = False
    """Whether the bridge accepts requests (`oche/bridge/NAME/request/…`): restart, options, backup, health_check,
    capture, identify. Clients that may publish there can do what the settings page can: see
    docs/mqtt.md#requests-to-the-bridge."""
    on: bool = True
    """`false` switches MQTT off."""

    def brokers(self) -> tuple[BrokerAddress, ...]:
        """Returns where to connect to, in the order to try. Raises ValueError."""
        hosts = (self.host or "127.0.0.1",) if self.host is None or isinstance(self.host, str) else self.host
        return tuple(parse_broker_address(host, self.port) for host in hosts)


class Web(Struct, frozen=True, forbid_unknown_fields=True):
    """The scoreboard page; see docs/page.md.

    With a `host` other than the loopback a client needs a token: the one that `oche token` has made, or one of your own
    in the systemd credential `web-token` or in `token_file`; it is never written in this file.
    """

    host: Annotated[str, Meta(min_length=1)] = "127.0.0.1"
    """The address to serve the page at. `"0.0.0.0"` (or `"::"`, with IPv6) is every address of this machine."""
    port: Annotated[int, Meta(ge=0, le=65535)] = 8180
    """Its port. 0 takes any free one."""
    on: bool = True
    """`false` switches the page off."""
    names: tuple[str, ...] = ()
    """Further host names under which browsers may open the page. Addresses, names without a dot, and names that end in
    `.local`, `.lan`, `.internal`, `.home.arpa` or `.localhost` always work."""
    token_file: str | None = None
    """A file that contains only the token, at least 16 characters."""
    proxies: tuple[str, ...] = ()
    """Addresses of web servers in front that require a login, such as Home Assistant's. A request from such an address
    with `X-Forwarded-For` or `Forwarded` plays without the token; if it also has `X-Ingress-Path`, as Home Assistant
    sends it, it may use any host name. Do not list the loopback address: every program here can send these headers."""
    venue: Annotated[str, Meta(max_length=60)] = ""
    """The name of the pub, club or room. It is on the pictures of matches and evenings that players take home."""

    clips: Annotated[int, Meta(ge=0, le=500)] = 0
    """How many clips of great moments are kept, at most 200 MB in all; the oldest are deleted. 0 keeps none. The page
    `/camera` of this machine's browser records them: see docs/camera.md."""

    def check_proxies(self) -> None:
        """Raises ValueError for a proxy that is no address, and for the loopback."""
        for proxy in self.proxies:
            try:
                address = ip_address(proxy)
            except ValueError:
                raise Refusal(
                    say("settings.proxy", "{given} is not an address: write one such as 192.168.1.9", given=repr(proxy))
                ) from None
            if (getattr(address, "ipv4_mapped", None) or address).is_loopback:
                raise Refusal(
                    say(
                        "settings.loopback",
                        "{given} is this machine itself: every program and user here would play without the "
                        "token. Leave it out, and enter the token once",
                        given=repr(proxy),
                    )
                )


class RoutineConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """Exercises played one after the other. Repeat the section for each routine."""

    name: Annotated[str, Meta(min_length=1, max_length=40, pattern="^[a-z0-9_]+$")]
    """The name that starts it, in small letters, as with a game: `cmd/game` and `oche play --game`."""
    exercises: Annotated[tuple[str, ...], Meta(min_length=1, max_length=MOST_EXERCISES)]
    """Names from `oche games`, in the order of play."""
    title: Annotated[str, Meta(min_length=1, max_length=40)] | None = None
    """The name that people read instead of `name`."""
    options: dict[str, dict[str, Any]] = {}  # Any: checked by the game's own Struct
    """Options of the exercises, by their names in `exercises`."""

    def routine(self) -> Routine:
        """Returns it as it is played. Raises ValueError for options of what is no exercise."""
        for name in self.options:
            if name not in self.exercises:
                raise Refusal(
                    say(
                        "settings.no_exercise",
                        "options names {given}, which is not one of the exercises",
                        given=repr(name),
                    )
                )
        title = self.title or self.name.replace("_", " ").capitalize()
        return Routine(self.name, title, tuple(Exercise(name, self.options.get(name, {})) for name in self.exercises))


Doubles = tuple[Annotated[int, Meta(ge=1, le=25)], ...]
"""Numbers of doubles, best first; 25 is the bull."""


def check_doubles(numbers: Doubles) -> Sentence | None:
    """Returns why one of these numbers is no double; None: all are."""
    if any(20 < number < 25 for number in numbers):
        return say("players.doubles", "favourite doubles are 1 to 20, and 25 for the bull")
    return None


class PlayerConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """A regular player. Repeat the section for each player."""

    name: Annotated[str, Meta(min_length=1)]
    """The name in matches."""
    doubles: Doubles = ()
    """Favourite doubles, best first; 25 is the bull. Checkout hints end on them at every table."""


class TableConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """A board and the game on it. Repeat the section for each board; at least one is needed."""

    board: str = "sim:granboard"
    """Its address, as `oche scan` prints it; `sim:granboard` is a simulated board, `replay:FILE` a recording.
    `none` is a table without a sensor, as for steel tip: people enter the darts on the page or over MQTT. While no
    table has a board, the page helps to find one."""
    name: str = "main"
    """Its name in topics (`oche/table/NAME/state`). All tables on one broker need different names,
    those of other daemons included."""
    title: str | None = None
    """The name that people read instead of `name`."""
    profile: str = ""
    """The profile of the board: an id from `oche boards list`, or a file of your own. Boards on Bluetooth and USB,
    and those with an address `web:…`, need one. Default: for a simulated board the profile in its address, otherwise
    `opendarts`. At a table without a sensor the page draws the board of this profile, by default of
    `plain-standard`."""
    board_token_file: str | None = None
    """A file that contains only the token of the board, for boards that ask for one."""
    mat: str | None = None
    """The mat, if it differs from the profile's."""
    wiring: Wiring | None = None
    """The wiring, if it differs from the profile's."""
    timing: dict[str, int] = {}
    """Times that replace those of the profile, by their names; see docs/profiles.md#timing."""
    dartboard: Dartboard | None = None
    """The dartboard on the wall: `steel` for steel tip, `soft_15.5` or `soft_13.2` for soft tip with its size in
    inches. Hints, chances, bots and the drawn board follow it from the next match on. Default: as in the profile; if
    that does not say, `steel` at a table without a sensor, otherwise `soft_15.5`."""
    face: str | None = None
    """A file with your own Yatzy-Dart or Ground Round layout."""
    game: str = "x01"
    """The game of the first match: a name from `oche games`."""
    options: dict[str, Any] = {}  # Any: checked by the game's own Struct
    """Its options; `oche games NAME` lists them."""
    players: tuple[str, ...] = ("Home", "Guest")
    """Its players. `bot:45` is a bot that averages 45 (20 to 110) in 501 double out against an equal opponent;
    `bot:45:2.5:Marvin` is one called Marvin that takes 2.5 seconds per dart. `bot:Ann` throws like Ann, of whom a board
    must have measured 60 darts."""
    teams: list[list[int]] | None = None
    """Its teams: the players of each, by their places in `players`, from 0. By default everyone plays alone."""
    seed: str | None = None
    """Fixes the dice and cards of the first match, for a demonstration."""
    takeout: TakeoutMode | None = None
    """What starts the next visit: the `button` (on the board, a phone, MQTT), a `timer` (`takeout_s` after the visit's
    last dart), `hits` (the next hit after `takeout_s` without one), or the `sensor` (the board has seen that the darts
    were pulled). Default: the sensor if the board has cameras, the button if the profile has one, otherwise the
    timer."""
    takeout_s: Annotated[float, Meta(ge=0.1, le=600)] = 5.0
    """Seconds, for `takeout` by timer or by hits."""
    lamps: bool = True
    """`false` leaves the board's lamps alone."""
    doubles: dict[str, Doubles] = {}
    """Favourite doubles at this table, by the names of players; they override those of `[[player]]`."""
    bot_s: Annotated[float, Meta(ge=0.001, le=60)] = 1.2
    """Seconds a bot takes per dart, unless the bot has its own speed."""

    @property
    def has_sensor(self) -> bool:
        """Whether a board sees its darts; else people enter them."""
        return self.board != NO_SENSOR

    def first_header(self) -> MatchSpec:
        """Returns the header of its first match. Raises Unreadable."""
        return with_bots(convert(self, MatchSpec, from_attributes=True)).with_clean_names()


class League(Struct, frozen=True, forbid_unknown_fields=True):
    """The league whose collectors keep the finished matches of this daemon."""

    on: bool = False
    """`true` sends finished matches to the league, over the broker. Otherwise nothing of a league is sent or shown."""
    since: Annotated[str, Meta(pattern=r"^(\d{4}-\d{2}-\d{2})?$")] = ""
    """The day from which on matches are sent, such as `"2026-09-01"`. By default the day on which oche first ran
    with a league; the page asks whether older matches are sent too."""
    url: str = ""
    """The address of the league's pages (`oche league`). With it the statistics page can show the whole league.
    With a token it is `https`, except within the own network."""
    token_file: str | None = None
    """A file that contains only the token that the league has given this daemon."""
    lend_to: tuple[str, ...] = ()
    """Names of tables of other daemons to which tables of this one are lent for a match in two places without asking on
    the page."""


class ProxyConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """An ESPHome Bluetooth proxy, which reaches boards on Bluetooth in another room. Repeat the section for each."""

    host: Annotated[str, Meta(min_length=1)]
    """Its name or address on the network, such as `proxy-cellar.local`; with a port if that is not 6053."""
    key_file: str | None = None
    """A file that contains only the encryption key of its `api:`. Leave it out for a proxy without one."""

    def find_address(self, port: int) -> BrokerAddress:
        """Returns where it is. Raises ValueError; `port` is that of a proxy whose host names none."""
        said = "settings.proxy_host", "{given} is not a proxy's address: write host, host:port or [IPv6]:port"
        return _parse_address(self.host, port, say(*said, given=repr(self.host)))


class Config(Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file."""

    table: list[TableConfig]
    bridge: Bridge = Bridge()
    mqtt: Mqtt = Mqtt()
    web: Web = Web()
    player: tuple[PlayerConfig, ...] = ()
    routine: tuple[RoutineConfig, ...] = ()
    outlets: Outlets = Outlets()
    league: League = League()
    proxy: tuple[ProxyConfig, ...] = ()
