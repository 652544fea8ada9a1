"""A check: one thing that `oche doctor` looked at, and what it found."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

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
    "adverts",
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
    "anonymous",
    "commands",
    "memory",
    "bridge",
    "topics",
    "discovery",
    "tables",
    "table",
]
"""What is looked at, in the order of the checks; docs/doctor.md has a part on each."""
Verdict = Literal["ok", "warning", "problem"]


class Check(Struct, frozen=True):
    """`name` is what was looked at, `text` what was found, `remedy` what to do about it ("" where nothing is)."""

    name: Name
    verdict: Verdict
    text: str
    remedy: str = ""

    @classmethod
    def from_sentence(cls, name: Name, verdict: Verdict, sentence: str) -> Check:
        """A check of a sentence "what: remedy"."""
        text, _, remedy = sentence.partition(": ")
        return cls(name, verdict, text, remedy)

    def __str__(self) -> str:
        remedy = f": {self.remedy}" if self.remedy else ""
        return f"{self.verdict:<8} {self.name:<11} {self.text}{remedy}"
