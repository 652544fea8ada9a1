"""One thing that `oche doctor` looked at, and what it found."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from daemon.mqtt.words import Complaint


class Check(Struct, frozen=True):
    """`name` says what was looked at, `text` what is so, `remedy` what to do where it should not be so."""

    name: str
    verdict: Literal["ok", "warning", "problem"]
    text: str
    remedy: str = ""

    def __str__(self) -> str:
        remedy = f": {self.remedy}" if self.remedy else ""
        return f"{self.verdict:<8} {self.name:<11} {self.text}{remedy}"


def problem(name: str, complaint: Complaint) -> Check:
    """What is complained of does not work."""
    return Check(name, "problem", *complaint)
