"""The sections of the configuration: what can be written in the file, each with a default that works.

What types cannot say is checked in daemon/config.py, which also reads the file. A file that is named here without a
whole path (`password_file = "secret"`) lies in the folder of the configuration.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from daemon.mqtt.address import BrokerAddress, broker_address
from protocol.mat import Wiring


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
    """The scoreboard page; port 0 is any. `names`: what it is called, where that is no address and no name at home.

    Whoever comes to a `host` other than the loopback needs a token: the one that `oche token` has made, or one of your
    own in the systemd credential `web-token` or in `token_file`; it is never written in this file. See docs/page.md.
    """

    host: Annotated[str, Meta(min_length=1)] = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65535)] = 8180
    on: bool = True
    names: tuple[str, ...] = ()
    token_file: str | None = None


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
