"""Requests about the configuration, and the lights in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from daemon.admin.answers import Checks, SetupGrant
from daemon.admin.requests.asked import Asked, Request


class Change(Struct, frozen=True, forbid_unknown_fields=True):
    """A change of the configuration: sets the value at this path, such as `["table", 0, "takeout"]`; None: the default.

    The number after the last element of a list adds an element; an element without a value is removed.
    """

    path: tuple[str | int, ...]
    value: Any = None  # Any: TOML


class OptionChange(Struct, frozen=True):
    """Sets the value at this path of the configuration; None: the default. See POST /api/settings in web.md."""

    path: Annotated[tuple[str | int, ...], Meta(min_length=1)]
    value: Any = None  # Any: TOML


class ReadSettings(Request, frozen=True):
    """The configuration as in its file and as in use, the form for it, and whether it can be changed."""


class ReadHomeAssistant(Request, frozen=True):
    """What is announced to Home Assistant."""


class _AtVersion(Request, frozen=True):
    version: str
    """The version of the configuration that the client has seen; if it has changed since, the request is refused."""


class _SettingsChanges(_AtVersion, frozen=True):
    changes: tuple[Change, ...] = ()
    password: str | None = None
    """The password for the broker; None: unchanged."""


class ChangeSettings(_SettingsChanges, frozen=True):
    """Changes the configuration, and restarts with it."""


class ChangeOptions(Request, frozen=True):
    """Changes the configuration; without `changes` it only answers with the version.

    With a `version`, the request is refused if the configuration has another version by now.
    """

    changes: tuple[OptionChange, ...] = ()
    version: str | UnsetType | None = UNSET


class RevertSettings(_AtVersion, frozen=True):
    """Takes back the last change of the configuration."""


class RestoreBackup(_AtVersion, frozen=True):
    """Restores parts of the backup that was uploaded and checked under the name `restore`."""

    restore: str
    parts: Annotated[tuple[Literal["config", "state"], ...], Meta(min_length=1)]


class TryBroker(_SettingsChanges, frozen=True):
    """Runs the doctor's check of the broker with these changes; nothing is written."""


class MakeToken(Request, frozen=True):
    """Makes a new token for the page or for the setup; the old one is no longer valid."""

    role: Literal["play", "setup"]


class FindLights(Request, frozen=True):
    """Looks for lights among the hosts of the network that this machine knows."""


class TryLight(_AtVersion, frozen=True):
    """Shows each scene on the light with this number in the configuration, with these changes, and puts the light back.

    Nothing is written. The changes are those of `[[outlets.light]]` and `[[outlets.scene]]` only. With `scene` only
    that one is shown. One light is tried at a time, for a minute at most; the answer names the scenes that were shown.
    """

    light: Annotated[int, Meta(ge=0)]
    changes: tuple[Change, ...] = ()
    scene: str | None = None


class StopLight(Request, frozen=True):
    """Ends the trial of a light, which answers once the light is back."""


SettingsRequest = ReadSettings | ChangeSettings | ChangeOptions | RevertSettings | RestoreBackup | TryBroker | MakeToken

LightRequest = FindLights | TryLight | StopLight
SETTINGS: Mapping[type[Request], Asked] = {
    ReadSettings: Asked("setup", "GET /api/settings"),
    ReadHomeAssistant: Asked("setup", "GET /api/settings/home_assistant", answer=Struct),
    ChangeSettings: Asked("setup", "POST /api/settings", changes=True, answer=dict | SetupGrant),
    ChangeOptions: Asked("setup", mqtt="options", changes=True),
    RevertSettings: Asked("setup", "POST /api/settings/revert", changes=True, answer=dict | SetupGrant),
    RestoreBackup: Asked(
        "setup", "POST /api/settings/restore", command="restore", changes=True, answer=dict | SetupGrant
    ),
    TryBroker: Asked("setup", "POST /api/settings/broker", answer=Checks),
    MakeToken: Asked("setup", "POST /api/settings/token", command="token", changes=True, answer=dict | SetupGrant),
    FindLights: Asked("setup", "POST /api/lights/scan", command="scan"),
    TryLight: Asked("setup", "POST /api/lights/try", command="lights try"),
    StopLight: Asked("setup", "POST /api/lights/stop"),
}
