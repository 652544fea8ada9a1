"""The devices that have entered the token: each has a cookie of its own, drawn at random, and can be revoked alone.

A device is a file, with the hash of its cookie: so the daemon can add some while `oche token --revoke` removes others.
Its time is when the device was here last, 0 until it asks for something: to enter alone is not to be here.

Where there are many, the one that was here longest ago leaves, and first those that have never come back; but no guest
puts out the owner, or who was here today.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
import time
from collections.abc import Callable, Container, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from daemon import files
from daemon.errors import UserError

MOST_DEVICES = 200
_HERE_S = 24 * 3600.0
"""Who was here within this time leaves for none that only plays."""
_NOTED_S = 3600.0
"""How often it is noted that a device is here."""
_ID = re.compile("[0-9a-f]{8}")
_COOKIE = re.compile("[0-9a-f]{72}")


class Device(msgspec.Struct, frozen=True):
    """`token_fingerprint` is of the token that it entered, `agent` its User-Agent. `is_secure`: it came over TLS."""

    cookie_hash: str
    token_fingerprint: str = msgspec.field(name="of")
    is_secure: bool
    since: str
    agent: str


class DevicesFull(Exception):
    """There is no place for another device."""


class Devices:
    """The devices of the page with this state folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "web.devices"
        self._seen = self.list()
        self._unsaved: dict[str, Device] = {}
        """Those that the disk did not take: they are out after a restart."""
        self._noted: dict[str, float] = {}
        """When it was noted that a device is here, by the monotonic clock."""

    def add(self, token_fingerprint: str, *, is_secure: bool, agent: str, setup: str | None = None) -> str:
        """Returns the cookie of a new device; `setup` is the fingerprint of that token. Raises DevicesFull."""
        leaving = self._choose_leaving(token_fingerprint, setup)
        number, secret = secrets.token_hex(4), secrets.token_hex(32)
        shown = "".join(c for c in agent if c.isprintable())[:100]
        now = datetime.now(UTC).isoformat(timespec="seconds")
        device = Device(_hash(secret), token_fingerprint, is_secure, now, shown)
        try:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            files.replace_file(self._folder / number, msgspec.json.encode(device), mode=0o600)
        except OSError:
            self._unsaved[number] = device
            return number + secret
        self._seen.add(number)
        with suppress(OSError):
            os.utime(self._folder / number, (0, 0))
        with suppress(OSError):  # the next one removes them
            for old in leaving:
                (self._folder / old).unlink(missing_ok=True)
        return number + secret

    def find(self, cookie: str, fingerprints: Container[str | None]) -> Device | None:
        """Returns the device with this cookie, if it entered a token with one of these fingerprints."""
        if not _COOKIE.fullmatch(cookie):
            return None
        device = self._unsaved.get(cookie[:8]) or self.read(cookie[:8])
        if (
            device is None
            or device.token_fingerprint not in fingerprints
            or not hmac.compare_digest(device.cookie_hash, _hash(cookie[8:]))
        ):
            return None
        return device

    def is_due(self, number: str) -> bool:
        """Returns whether the device of this id is to be noted as here, once an hour; the next answer is no."""
        now = time.monotonic()
        is_due = now - self._noted.get(number, -_NOTED_S) >= _NOTED_S
        if is_due:
            self._noted[number] = now
        return is_due

    def note(self, number: str) -> None:
        """Notes that the device of this id is here."""
        with suppress(OSError):
            os.utime(self._folder / number)

    def list(self) -> set[str]:
        """Returns the ids of all."""
        try:
            return {name for name in os.listdir(self._folder) if _ID.fullmatch(name)}  # noqa: PTH208
        except OSError:
            return set()

    def have_gone(self) -> bool:
        """Returns whether any was removed since this was asked last."""
        before, self._seen = self._seen, self.list()
        return not before <= self._seen

    def read(self, number: str) -> Device | None:
        """Returns the device of this id; None: there is none that can be read."""
        try:
            return msgspec.json.decode((self._folder / number).read_bytes(), type=Device)
        except (OSError, msgspec.DecodeError):
            return None

    def revoke(self, number: str) -> None:
        """Removes a device: it is out within a second. Raises UserError."""
        if number not in self.list():
            raise UserError(f"there is no device {number}: oche token --list shows all devices")
        with files.explain_errors(f"cannot remove {self._folder / number}", None):
            files.remove_file(self._folder / number)

    def clear(self, is_out: Callable[[Device], bool]) -> None:
        """Removes those of which this is true, and what cannot be read. Raises OSError."""
        for number in self.list():
            if (device := self.read(number)) is None or is_out(device):
                (self._folder / number).unlink(missing_ok=True)

    def _choose_leaving(self, token_fingerprint: str, setup: str | None) -> Sequence[str]:
        """Returns the devices that leave for one with this token. Raises DevicesFull."""
        kept = self.list()
        if len(kept) < MOST_DEVICES:
            return []
        ranked = sorted(self._rank(each, setup) for each in kept)
        leaving = ranked[: len(kept) + 1 - MOST_DEVICES]
        here = time.time() - _HERE_S
        if token_fingerprint != setup and any(is_of_setup or at > here for is_of_setup, at, *_ in leaving):
            raise DevicesFull
        return [each for *_, each in leaving]

    def _rank(self, number: str, setup: str | None) -> tuple[bool, float, str, str]:
        """Returns whether it is of the setup, when it was here last, when it entered, and its id."""
        device = self.read(number)
        is_of_setup, since = (device.token_fingerprint == setup, device.since) if device else (False, "")
        return is_of_setup, self._last_here(number), since, number

    def _last_here(self, number: str) -> float:
        with suppress(OSError):
            return (self._folder / number).stat().st_mtime
        return 0.0


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
