"""The section `[outlets]` of the configuration: what voices, lights and web hooks do at which moment.

A rule is a table, and there is no text to parse: `on` names moments, each further key is a condition, and all
conditions must hold. Whoever wants one or the other writes two rules.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from daemon.config.lights import Light, Scene
from daemon.config.names import Name, Names

MOST_RULES = 200
PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")
"""A value in the template of a web hook, by its name."""


class Range(Struct, frozen=True, forbid_unknown_fields=True):
    """Numbers from `min` to `max`, both included; what is left out has no bound."""

    min: int | None = None
    """The smallest number."""
    max: int | None = None
    """The greatest number."""


class Webhook(Struct, frozen=True, forbid_unknown_fields=True):
    """A web address that rules can tell what has happened. Repeat the section for each."""

    name: Name
    """Its name in rules."""
    url: Annotated[str, Meta(pattern="^https?://[!-~]+$", max_length=2000)]
    """Its address. Redirections are not followed."""
    json: dict[str, Any] = {}  # Any: JSON
    """What is sent, as JSON. A text that is one placeholder, such as `"{points}"`, becomes that value; see
    docs/outlets.md#web-hooks. Without it the whole event is sent."""
    headers: dict[str, str] = {}
    """Further headers of the request."""
    secret_file: str | None = None
    """A file that contains only a secret, with which each request is signed."""


class Then(Struct, frozen=True, forbid_unknown_fields=True):
    """What a rule does: at least one of these."""

    webhook: str | None = None
    """The `name` of an `[[outlets.webhook]]` to send."""
    light: Names | None = None
    """The scene to show: `green`, `red`, `gold`, `blue`, `rainbow`, `flash`, or the `name` of an `[[outlets.scene]]`.
    Of several, one is drawn."""
    lights: Names | None = None
    """The `name` of each `[[outlets.light]]` that shows the scene. Default: all."""
    sound: Annotated[str, Meta(min_length=1, max_length=60)] | None = None
    """The key of a sound, such as `crowd`, in the packs of the screens that speak and of the loudspeaker: see
    docs/voices.md."""


class Rule(Struct, frozen=True, forbid_unknown_fields=True):
    """At these moments, and if all conditions hold, this is done. Repeat the section for each rule, up to 200."""

    on: Names
    """Moments or types of events, one or several: see docs/outlets.md#moments-and-rules."""
    then: Then
    """What to do."""
    points: int | Range | None = None
    """The points of the dart or of the visit: a number, or a range."""
    score: int | Range | None = None
    """The score of the side afterwards: a number, or a range."""
    bed: Names | None = None
    """Where the dart landed: segments such as `T20`, or groups such as `triple` and `20`. For `dart` and `hit`."""
    darts: tuple[str, ...] | None = None
    """The segments of the visit, in any order, as in `["S1", "S20", "S5"]`. For `visit` and what is one."""
    player: Names | None = None
    """Names of players."""
    table: Names | None = None
    """Names of tables."""
    game: Names | None = None
    """Games by their names in `oche games`."""


class Feed(Struct, frozen=True, forbid_unknown_fields=True):
    """What happens at a table, for clients that were written for darts-caller: see docs/outlets.md#the-feed."""

    port: Annotated[int, Meta(ge=1, le=65_535)] | None = None
    """The port of the feed; these clients look for it at 8079. Without it there is no feed."""
    host: str = "127.0.0.1"
    """Who can read it: `127.0.0.1` this machine only, `0.0.0.0` everyone in this network. It has no password."""
    table: str | None = None
    """The name of its table; without it the first one."""


class Loudspeaker(Struct, frozen=True, forbid_unknown_fields=True):
    """Calls and noises on the sound output of this machine: see docs/voices.md#the-loudspeaker-of-the-machine."""

    on: bool = False
    """Whether oche calls the match on this machine."""
    table: str | None = None
    """The name of the table that is called; without it the first one."""
    pack: str | None = None
    """The name of the sound pack; without it the first one of your own in the alphabet, else the voice in the box."""
    darts: bool = False
    """Whether each dart is called, too."""
    quiet_hours: str | None = None
    """No sound from one hour to another, as in `22-7`."""
    player: Literal["mpv", "mpg123", "aplay"] | None = None
    """The program that plays the sounds. Without it the first of these that is installed and can play the file: `mpv`
    (all files), `mpg123` (mp3), `aplay` (wav)."""


class Outlets(Struct, frozen=True, forbid_unknown_fields=True):
    """What speakers, voices, lights and web hooks do. Without this section nothing of them runs."""

    rule: Annotated[tuple[Rule, ...], Meta(max_length=MOST_RULES)] = ()
    """What is done at which moment."""
    webhook: tuple[Webhook, ...] = ()
    """Addresses that can be told."""
    light: tuple[Light, ...] = ()
    """Lights that can show something."""
    scene: tuple[Scene, ...] = ()
    """What they can show, beside the scenes that always exist."""
    feed: Feed = Feed()
    """The feed for clients of darts-caller."""
    loudspeaker: Loudspeaker = Loudspeaker()
    """The loudspeaker of this machine."""
    spoken: Literal["off", "calls", "ear"] = "off"
    """What is published on `attr/spoken` of each table, for a speaker to say: nothing; `calls`, what a caller calls; or
    `ear`, all that it takes to play without seeing. See docs/play-by-ear.md."""
    spoken_detail: Literal["full", "brief"] = "full"
    """How much `ear` says: `brief` leaves out what has not changed since the last dart."""
    spoken_pace: Annotated[int, Meta(ge=5, le=60)] = 15
    """How many letters the speaker says in a second; what follows is published when it has said so many."""
