"""The sections `[[outlets.light]]` and `[[outlets.scene]]` of the configuration, and the scenes that always exist."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Annotated
from urllib.parse import urlsplit

from msgspec import Meta, Struct

from daemon.config.names import Name, Names, check_address, is_web_address
from protocol.sentence import Sentence, say
from protocol.spelling import say_nearest

_Byte = Annotated[int, Meta(ge=0, le=255)]
_Colour = Annotated[str, Meta(pattern="^#[0-9a-fA-F]{6}$")]
OVER_MQTT = "mqtt:"
"""The beginning of the address of a light that is reached over the broker; its device topic in WLED follows."""
TRIED = "light.TRIED*.json"
"""The files, in the state folder, of lights that were tried on the settings page. No light has such a name."""
EVERYONE = "*"
"""Stands in `idle` for each player who has no scene there."""


class Scene(Struct, frozen=True, forbid_unknown_fields=True):
    """Something a light can show, beside `green`, `red`, `gold`, `blue`, `rainbow` and `flash`, which always exist.

    Repeat the section for each.
    """

    name: Name
    """Its name in rules. A scene with the name of one that always exists replaces that one."""
    colours: Annotated[tuple[_Colour, ...], Meta(max_length=3)] = ()
    """Up to three colours of the effect, such as `"#ff8000"`."""
    effect: _Byte | str = 0
    """The number of an effect of WLED, or its name there; 0 is one plain colour."""
    speed: _Byte = 128
    """How fast the effect runs, from 0 to 255."""
    intensity: _Byte = 128
    """The intensity of the effect, from 0 to 255."""
    palette: _Byte | str = 0
    """The number of a palette of WLED, or its name there; 0 is the effect's own."""
    preset: Annotated[int, Meta(ge=1, le=250)] | None = None
    """The number of a preset or playlist that is stored in WLED. It is shown in place of all of the above."""
    seconds: Annotated[float, Meta(ge=0, le=600)] = 5.0
    """How long it is shown; 0 is until the darts are pulled."""


class Light(Struct, frozen=True, forbid_unknown_fields=True):
    """A controller with WLED. Repeat the section for each."""

    name: Name
    """Its name in rules."""
    url: Annotated[str, Meta(pattern="^(https?://[!-~]+|mqtt:[^#+]+)$", max_length=2000)]
    """Its address, as in the browser; or `mqtt:` and its device topic in WLED, which allows presets and plain colours
    only."""
    put_back: Annotated[int, Meta(ge=1, le=250)] | None = None
    """Over MQTT, and only there: the number of the preset to show when a scene ends."""
    segments: tuple[Annotated[int, Meta(ge=0, le=255)], ...] = ()
    """The numbers of its segments that scenes are shown on. Default: all."""
    brightness: Annotated[int, Meta(ge=1, le=255)] | None = None
    """Its brightness while a scene is shown, from 1 to 255. Presets have their own. Default: as it is."""
    idle: dict[str, str] = {}
    """Scenes by player: what is shown while this player is to throw, and no rule shows anything. The key is a player's
    name in any case, the place of a side (`"1"` is the first), or `"*"` for everyone else."""
    during_visit: bool | None = None
    """`false` lets the light change only after the last dart of a visit, until the darts are pulled: a change before
    that can look like a takeout to a board with a camera. Default: `false` where such a board is at one of its tables,
    otherwise `true`."""
    table: Names | None = None
    """The tables that it belongs to. Default: all."""


def _plain(name: str, colour: str) -> Scene:
    return Scene(name, (colour,), seconds=4)


SCENES = (
    _plain("green", "#00ff00"),
    _plain("red", "#ff0000"),
    _plain("gold", "#ffb000"),
    _plain("blue", "#0000ff"),
    Scene("rainbow", effect=9, speed=200, seconds=8),
    # Blink, about twice a second: more than three flashes a second can harm.
    Scene("flash", ("#ffffff", "#000000"), effect=1, speed=230, seconds=3),
)
"""The scenes that always exist. The numbers are those of the effects Rainbow and Blink in every WLED."""


def collect_scenes(own: Sequence[Scene]) -> dict[str, Scene]:
    """Returns the scenes by name: those that always exist, and these."""
    return {scene.name: scene for scene in (*SCENES, *own)}


def find_mistake(lights: Sequence[Light], scenes: Sequence[Scene]) -> tuple[tuple[str | int, ...], Sentence] | None:
    """Returns the path in `[outlets]` of the first key of these that cannot be meant, and why; None: there is none."""
    for section, named in (("light", [light.name for light in lights]), ("scene", [scene.name for scene in scenes])):
        for number, name in enumerate(named):
            if name in named[:number]:
                return (section, number, "name"), say(
                    "settings.same_outlet", "there are two of the name {given}: rename one", given=repr(name)
                )
    known, places = collect_scenes(scenes), [find_place(light.url) for light in lights]
    for number, light in enumerate(lights):
        if places[number] in places[:number]:
            return ("light", number, "url"), say(
                "settings.same_light",
                "two lights have this address: write one section for each controller, with all segments",
            )
        if (found := _find_mistake_of_light(light, known)) is not None:
            return ("light", number, found[0]), found[1]
    return None


def find_place(url: str) -> tuple[str | None, int, str] | str:
    """Returns what two addresses of the same controller have in common: host, port and path; over MQTT the topic.

    The name of a host and its number are different places.
    """
    if url.startswith(OVER_MQTT) or not is_web_address(url):
        return url.rstrip("/")
    address = urlsplit(url)
    return address.hostname, address.port or (443 if address.scheme == "https" else 80), address.path.rstrip("/")


def _find_mistake_of_light(light: Light, scenes: Collection[str]) -> tuple[str, Sentence] | None:
    is_over_mqtt = light.url.startswith(OVER_MQTT)
    if not is_over_mqtt and (said := check_address(light.url)) is not None:
        return "url", said
    if (light.put_back is None) == is_over_mqtt:
        return "put_back" if light.put_back is not None else "url", say(
            "settings.put_back",
            "put_back belongs to lights over MQTT, which need it: the preset to show when a scene ends",
        )
    for scene in light.idle.values():
        if scene not in scenes:
            return "idle", say_no_scene(scene, scenes)
    return None


def say_no_scene(name: str, known: Iterable[str]) -> Sentence:
    """Returns that there is no scene of this name."""
    return say(
        "settings.no_scene",
        "there is no scene {given}{meant}",
        given=repr(name),
        meant=say_nearest(name, list(known)),
    )
