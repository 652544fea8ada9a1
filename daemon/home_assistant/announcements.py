"""What is announced to Home Assistant: the whole device in one message, or a message for each of its entities.

And what is remembered of it from one run to the next, so that what is not wanted any more can be taken back.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Collection, Iterable
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from daemon.config import Web
from daemon.home_assistant.entities import Component, Entity, Place, component

log = logging.getLogger("oche.discovery")

Form = Literal["device", "components", "off"]
Platforms = dict[str, str]
"""The platform of each entity by its key."""


class Device(Struct, frozen=True, omit_defaults=True):
    """The table, as Home Assistant lists it."""

    identifiers: tuple[str, ...]
    name: str
    manufacturer: str
    model: str
    sw_version: str
    configuration_url: str | None = None


class Origin(Struct, frozen=True):
    """Who announces it."""

    name: str
    sw_version: str


def whole(place: Place, device: Device, origin: Origin, entities: Iterable[Entity], former: Platforms) -> Component:
    """The device with all its entities. `former` ones are named by their platform alone, which removes them."""
    return {
        "device": device,
        "origin": origin,
        **place.availability(),
        "components": {
            **{key: {"platform": platform} for key, platform in former.items()},
            **{entity.key: component(entity, place) for entity in entities},
        },
    }


def single(place: Place, device: Device, origin: Origin, entity: Entity) -> Component:
    """One entity by itself."""
    found: Component = {"device": device, "origin": origin, **place.availability(), **component(entity, place)}
    del found["platform"]  # the topic has it
    return found


def page_for_others(web: Web, page: str | None) -> str | None:
    """Where other machines find the page; None when they cannot, or when nobody has said by which name."""
    address = urlsplit(page or "")
    if web.host in ("0.0.0.0", "::"):
        return f"http://{web.names[0]}:{address.port}/" if web.names and page else None
    host = address.hostname or "localhost"
    with suppress(ValueError):  # a name is no address
        return None if ip_address(host).is_loopback else page
    return None if host == "localhost" else page


class Announced(Struct):
    """What was announced below a prefix in one form: all entities that each table ever had."""

    prefix: str
    form: Form
    tables: dict[str, Platforms] = {}

    def without(self, tables: Collection[str]) -> Announced:
        """The rest of it."""
        return Announced(self.prefix, self.form, {k: v for k, v in self.tables.items() if k not in tables})

    def topics(self) -> list[Spot]:
        """Where it stands: kinds of topics with the names in them."""
        found = []
        for table, entities in self.tables.items():
            if self.form == "device":
                found.append(Spot("discovery", {"discovery": self.prefix, "table": table}))
            else:
                found += [single_spot(self.prefix, table, key, platform) for key, platform in entities.items()]
        return found


class Spot(NamedTuple):
    """A topic: its kind, and the names in it."""

    kind: str
    names: dict[str, str]


def single_spot(prefix: str, table: str, key: str, platform: str) -> Spot:
    """Where a single entity is announced."""
    return Spot("discovery_component", {"discovery": prefix, "table": table, "entity": key, "platform": platform})


class Memory:
    """What was announced and not taken back yet, and the id of this bridge: in the folder where the journals are."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "discovery.json"
        self.uuid = _kept_uuid(folder / "bridge.uuid")
        self.announced: list[Announced] = []
        """What the file says; `keep` changes it."""
        if self._file.exists():
            try:
                self.announced = msgspec.json.decode(self._file.read_bytes(), type=list[Announced])
            except (OSError, ValueError):
                log.warning("%s cannot be read: what it says was announced before is not taken back", self._file)

    def keep(self, *announced: Announced) -> None:
        """Remembers this; the disk is only touched when it is news."""
        known = [each for each in announced if each.tables]
        text = msgspec.json.encode(known)
        if text != msgspec.json.encode(self.announced):
            self.announced = msgspec.json.decode(text, type=list[Announced])
            try:
                _write(self._file, text)
            except OSError as error:
                log.error("cannot write %s: %s", self._file, (error.strerror or str(error)).lower())


def _kept_uuid(file: Path) -> str:
    """The id in this file, which is made when there is none."""
    try:
        return uuid.UUID(file.read_text("ascii").strip()).hex
    except (OSError, ValueError):
        made = uuid.uuid4()
        _write(file, f"{made}\n".encode())
        return made.hex


def _write(file: Path, content: bytes) -> None:
    """Whole or not at all, whatever happens meanwhile."""
    draft = file.with_name(f"{file.name}.new")
    draft.write_bytes(content)
    draft.replace(file)
