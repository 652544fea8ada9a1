"""The configuration of a league's programs, `oche collect` and `oche league`: one TOML file, `league.toml`.

What follows a field describes that key. Files that are named without a folder lie beside the configuration.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Annotated, TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from msgspec import Meta, Struct
from msgspec.structs import replace

from daemon import files
from daemon.config.checking import check_login, located, name_files
from daemon.config.sections import Mqtt
from daemon.errors import UserError
from protocol.source import Source, SourceError
from protocol.topics import check_base

DEFAULT_FILE = Path("/etc/oche/league.toml")
T = TypeVar("T", bound=Struct)


class Database(Struct, frozen=True, forbid_unknown_fields=True):
    """PostgreSQL, which keeps the records: one login writes, another one reads."""

    url: Annotated[str, Meta(min_length=1)] = "postgresql:///oche"
    """Where the database is, as PostgreSQL's programs take it: `postgresql://host:5432/oche`, or `host=… dbname=…`.
    Without a host it is on this machine."""
    user: str = "oche_collect"
    """The login that writes. The schema and its tables belong to it."""
    password_file: str | None = None
    """A file that contains only the password of `user`, where the database asks for one. The systemd credential
    `database-password` counts before it."""
    reader: str = "oche_league"
    """The login that reads."""
    reader_password_file: str | None = None
    """The same for `reader`; the credential is `database-reader-password`."""


class Collect(Struct, frozen=True, forbid_unknown_fields=True):
    """What `oche collect` takes."""

    bases: tuple[str, ...] = ()
    """The beginnings of the topics of the daemons, which may have `+` for any name: `["oche", "venues/+/oche"]`. By
    default it is `mqtt.base`."""
    share: bool = False
    """Whether several collectors divide the records among themselves. It needs a broker that speaks MQTT 5; otherwise
    each of them takes everything, which only costs work."""


class Pages(Struct, frozen=True, forbid_unknown_fields=True):
    """The pages that `oche league` serves."""

    host: Annotated[str, Meta(min_length=1)] = "127.0.0.1"
    """The address to serve them at. A web server in front, on the same machine, makes it `https`."""
    port: Annotated[int, Meta(ge=0, le=65535)] = 8190
    """Their port. 0 takes any free one."""
    names: tuple[str, ...] = ()
    """The host names under which browsers open them, such as `["league.example.org"]`."""
    public: bool = False
    """`true` shows the pages to everyone who has the address. Otherwise they ask for a token."""


class LeagueSection(Struct, frozen=True, forbid_unknown_fields=True):
    """The league itself."""

    name: Annotated[str, Meta(max_length=60)] = ""
    """What it is called on its pages."""
    time_zone: str = "UTC"
    """Where its days begin and end, such as `"Europe/Berlin"`."""


class LeagueConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file."""

    database: Database = Database()
    mqtt: Mqtt = Mqtt()
    collect: Collect = Collect()
    web: Pages = Pages()
    league: LeagueSection = LeagueSection()

    @property
    def bases(self) -> tuple[str, ...]:
        """The beginnings of the topics of the daemons."""
        return self.collect.bases or (self.mqtt.base,)


def read_league_config(path: Path) -> LeagueConfig:
    """Returns the configuration in this file. Raises UserError (status 2), with its line, for what is wrong in it."""
    text = files.read_source(path, "; name the configuration of the league with --config FILE")
    try:
        config = text.read(LeagueConfig)
        _check(config, text)
    except SourceError as error:
        raise UserError(error.said, 2) from None
    folder = path.parent.absolute()
    return replace(config, database=name_files(config.database, folder), mqtt=name_files(config.mqtt, folder))


def set_time_zone(league: LeagueSection) -> None:
    """Has this program mean the days and months of the league, wherever its machine is."""
    os.environ["TZ"] = league.time_zone
    time.tzset()


def _check(config: LeagueConfig, text: Source) -> None:
    for base in config.bases:
        with located(text, *(("collect", "bases") if config.collect.bases else ("mqtt", "base"))):
            check_base("/".join("any" if level == "+" else level for level in base.split("/")))
    try:
        ZoneInfo(config.league.time_zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        said = f"there is no time zone {config.league.time_zone!r}: write one such as Europe/Berlin"
        raise text.error(said, "league", "time_zone") from None
    with located(text, "mqtt", "host"):
        config.mqtt.brokers()
    check_login(config.mqtt, text)
