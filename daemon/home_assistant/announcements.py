"""What is announced to Home Assistant: the whole device in one message, or a message for each of its entities.

What was announced is remembered from one run to the next, so that what is not wanted any more can be taken back.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from msgspec import Struct

from daemon import files
from daemon.home_assistant.entities import Component, Entity, Place, component
from daemon.mqtt.memory import Announced, Platforms
from daemon.sections import Web


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


class Spot(NamedTuple):
    """A topic: its kind, and the names in it."""

    kind: str
    names: dict[str, str]


def single_spot(prefix: str, table: str, key: str, platform: str) -> Spot:
    """Where a single entity is announced."""
    return Spot("discovery_component", {"discovery": prefix, "table": table, "entity": key, "platform": platform})


def spots(announced: Announced) -> Iterator[Spot]:
    """Where all of it stands."""
    for table, entities in announced.tables.items():
        if announced.form == "device":
            yield Spot("discovery", {"discovery": announced.prefix, "table": table})
        else:
            yield from (single_spot(announced.prefix, table, key, platform) for key, platform in entities.items())


def bridge_id(folder: Path) -> str:
    """The id of this bridge, which is kept where the journals are: by it Home Assistant knows the tables again.

    Raises UserError.
    """
    loss = "Home Assistant then takes the tables for new ones"
    return files.kept(folder / "bridge.uuid", lambda: str(uuid.uuid4()), lambda text: uuid.UUID(text).hex, loss)
