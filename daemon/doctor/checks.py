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
Repair = Literal["revert", "table", "mqtt", "home_assistant", "web", "bridge"]
"""What the settings of the page can do about a finding: take back the last change, or show a section of the form."""
_REPAIRS: dict[Name, Repair] = {
    "config": "revert",
    **dict.fromkeys(("serial", "usb", "bluetooth", "adverts", "tables"), "table"),
    **dict.fromkeys(("broker", "password", "name", "port", "login"), "mqtt"),
    "discovery": "home_assistant",
    "page": "web",
    "bridge": "bridge",
}
Remedy = tuple[str, tuple[str, ...]]
"""What to do, as one text, and the lines in it that are to be typed as they are."""


class Check(Struct, frozen=True):
    """`name` is what was looked at, `text` what was found, `remedy` what to do about it ("" where nothing is).

    `commands` are the lines of the remedy that are to be typed as they are.
    """

    name: Name
    verdict: Verdict
    text: str
    remedy: str = ""
    commands: tuple[str, ...] = ()

    @property
    def repair(self) -> Repair | None:
        """What the settings of the page can do about it; None: nothing."""
        return _REPAIRS.get(self.name) if self.remedy else None

    @classmethod
    def from_sentence(cls, name: Name, verdict: Verdict, sentence: str) -> Check:
        """A check of a sentence "what: remedy"."""
        text, _, remedy = sentence.partition(": ")
        return cls(name, verdict, text, remedy)

    def __str__(self) -> str:
        remedy = f": {self.remedy}" if self.remedy else ""
        return f"{self.verdict:<8} {self.name:<11} {self.text}{remedy}"


class Command(str):
    """A line of a remedy that is to be typed as it is."""

    __slots__ = ()


RESTART = Command("sudo systemctl restart oche")


def write_remedy(*parts: str) -> Remedy:
    """Returns the remedy of these parts, for a Check; those that are a Command can be copied."""
    return "".join(parts), tuple(str(part) for part in parts if isinstance(part, Command))
