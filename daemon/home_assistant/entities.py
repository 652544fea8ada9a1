"""What Home Assistant shows of a table, as data: each entity, and the configuration it is announced with.

Home Assistant refuses a whole device for one key that it does not know at the root or in the device, so only keys of
its release 2024.11 stand there; what is newer stands inside a component, where unknown keys are passed over. Topics
come from the registry in `protocol.topics`; templates are Jinja, and say "" for what is no news to the entity.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from protocol.topics import topic

Platform = Literal[
    "binary_sensor", "button", "device_automation", "event", "number", "select", "sensor", "switch", "text"
]
Component = dict[str, Any]  # Any: JSON

EXPIRY_S = 5
"""A press that cannot be delivered for so long is not obeyed later."""
LONGEST = 255
"""Characters in the state of an entity."""


class Entity(Struct, frozen=True, kw_only=True):
    """One entity. `about` is for the documentation.

    `state` is the kind of topic it reads and `value` the template that picks its state, `attributes` one for a JSON
    object of more. `command` is the command it sends and `send` the template of its body. What is `always` there does
    not go when the board does. `more` is what only its platform has.
    """

    key: str
    platform: Platform
    name: str
    about: str
    state: str | None = None
    value: str | None = None
    attributes: str | None = None
    command: str | None = None
    send: str | None = None
    category: Literal["config", "diagnostic"] | None = None
    always: bool = False
    faces: tuple[str, ...] | None = None
    """The faces that have it; None is all."""
    more: Component = {}


class Place(Struct, frozen=True):
    """Where a table is: the first part of every topic, the bridge's name, the table's, and the bridge's own id."""

    base: str
    bridge: str
    table: str
    uuid: str

    @property
    def id(self) -> str:
        """The device, for ever: it depends on no host name and no port."""
        return f"oche_{self.uuid}_{self.table}"

    def topic(self, kind: str, **names: str) -> str:
        """The topic of this kind here."""
        return topic(kind, self.base, bridge=self.bridge, table=self.table, **names)

    def availability(self, *, always: bool = False) -> Component:
        """What has to be online: the bridge, and for most the board too."""
        kinds = ("bridge_state",) if always else ("bridge_state", "board_state")
        return {"availability": [{"topic": self.topic(kind)} for kind in kinds], "availability_mode": "all"}


def component(entity: Entity, place: Place) -> Component:
    """The entity's part of the announcement, with its platform."""
    found: Component = {
        "platform": entity.platform,
        "unique_id": f"{place.id}_{entity.key}",
        "name": entity.name,
        **entity.more,
    }
    if entity.state is not None:
        read = place.topic(entity.state)
        found["topic" if entity.platform == "device_automation" else "state_topic"] = read
        if entity.attributes is not None:
            found |= {"json_attributes_topic": read, "json_attributes_template": entity.attributes}
    if entity.value is not None:
        found["value_template"] = entity.value
    if entity.command is not None:
        found |= {"command_topic": place.topic("cmd", command=entity.command), "qos": 1}
        found["message_expiry_interval"] = EXPIRY_S
        if entity.send is not None:
            found["command_template"] = entity.send
    if entity.category is not None:
        found["entity_category"] = entity.category
    if entity.platform == "device_automation":
        del found["name"]
    else:
        found["default_entity_id"] = f"{entity.platform}.oche_{place.table.replace('-', '_')}_{entity.key}"
    return found | (place.availability(always=True) if entity.always else {})


def sensor(key: str, name: str, value: str, about: str, **more: Any) -> Entity:  # Any: the fields of an Entity
    """A sensor on the state of the table, unless another topic is named."""
    return Entity(key=key, platform="sensor", name=name, about=about, value=value, **{"state": "state", **more})


def button(key: str, name: str, about: str, press: str = "PRESS", icon: str = "") -> Entity:
    """A button for the command of that name."""
    return Entity(
        key=key, platform="button", name=name, about=about, command=key, more={"payload_press": press, "icon": icon}
    )


def trigger(
    key: str, action: str, subject: str, value: str, about: str, faces: tuple[str, ...] | None = None
) -> Entity:
    """A device trigger, which goes off when the template of an event gives the key."""
    return Entity(
        key=f"trigger_{key}",
        platform="device_automation",
        name=f"{subject} {action}",
        about=about,
        state="event",
        value=value,
        faces=faces,
        more={"automation_type": "trigger", "type": action, "subtype": subject, "payload": key},
    )


def when(event_type: str, field: str | None = None) -> str:
    """A template for an event: a field of it, or its type, and nothing of any other type."""
    picked = f"value_json.{field or 'event_type'}"
    return f"{{{{ {picked} if value_json.event_type == '{event_type}' else '' }}}}"
