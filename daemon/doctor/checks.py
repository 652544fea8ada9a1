"""One thing that `oche doctor` looked at, and what it found."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from daemon.mqtt.words import Complaint

Name = Literal[
    "machine",
    "power",
    "clock",
    "config",
    "plug-ins",
    "groups",
    "state",
    "disk",
    "journal",
    "serial",
    "modem",
    "braille",
    "usb",
    "bluetooth",
    "air",
    "service",
    "page",
    "daemon",
    "broker",
    "password",
    "private key",
    "name",
    "port",
    "certificate",
    "login",
    "strangers",
    "commands",
    "memory",
    "bridge",
    "topics",
    "discovery",
    "tables",
    "table",
]
"""What is looked at, from the ground up; docs/doctor.md has a part on each."""


class Check(Struct, frozen=True):
    """`name` says what was looked at, `text` what is so, `remedy` what to do where it should not be so."""

    name: Name
    verdict: Literal["ok", "warning", "problem"]
    text: str
    remedy: str = ""

    def __str__(self) -> str:
        remedy = f": {self.remedy}" if self.remedy else ""
        return f"{self.verdict:<8} {self.name:<11} {self.text}{remedy}"


def problem(name: Name, complaint: Complaint) -> Check:
    """What is complained of does not work."""
    return Check(name, "problem", *complaint)
