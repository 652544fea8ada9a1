"""A check: one thing that `oche doctor` looked at, and what it found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from msgspec import Struct

from protocol.sentence import Sentence, say, split_advice, write_sentence

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
    "network",
    "camera",
    "proxy",
    "bluetooth",
    "adverts",
    "service",
    "page",
    "loudspeaker",
    "league",
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
    "retained",
    "bridge",
    "topics",
    "discovery",
    "tournaments",
    "two places",
    "duplicates",
    "table",
]
"""What is looked at, in the order of the checks; docs/doctor.md has a part on each."""
Verdict = Literal["ok", "warning", "problem"]
Repair = Literal["revert", "table", "mqtt", "home_assistant", "web", "league", "bridge"]
"""What the settings of the page can do about a finding: take back the last change, or show a section of the form."""
_REPAIRS: dict[Name, Repair] = {
    "config": "revert",
    **dict.fromkeys(("serial", "usb", "network", "camera", "bluetooth", "adverts", "duplicates"), "table"),
    **dict.fromkeys(("broker", "password", "name", "port", "login"), "mqtt"),
    "discovery": "home_assistant",
    "page": "web",
    "league": "league",
    "bridge": "bridge",
}
_COMMAND = "command"


class Check(Struct, frozen=True):
    """`name` is what was looked at, `text` what was found, `remedy` what to do about it ("" where nothing is).

    Each is a plain text if it exists in English only.
    """

    name: Name
    verdict: Verdict
    text: str | Sentence
    remedy: str | Sentence = ""

    @property
    def commands(self) -> tuple[str, ...]:
        """The lines of the remedy that are to be typed as they are."""
        return tuple(_find_commands(self.remedy))

    @property
    def repair(self) -> Repair | None:
        """What the settings of the page can do about it; None: nothing."""
        if self.name == "config" and self.verdict == "warning":  # it can be used, so nothing is to be taken back
            return "table"
        return _REPAIRS.get(self.name) if self.remedy else None

    @classmethod
    def from_sentence(cls, name: Name, verdict: Verdict, said: str | Sentence) -> Check:
        """A check of a sentence "what: remedy"."""
        return cls(name, verdict, *split_advice(said))

    def write(self) -> dict[str, Any]:  # Any: JSON
        """The check for programs: `text` and `remedy` in English, with what other languages make theirs of."""
        written = {"name": self.name, "verdict": self.verdict, **write_sentence(self.text), "remedy": str(self.remedy)}
        said = {"remedy_said": write_sentence(self.remedy)} if self.remedy else {}
        return {**written, **said, "commands": self.commands, "repair": self.repair}

    def __str__(self) -> str:
        remedy = f": {self.remedy}" if self.remedy else ""
        return f"{self.verdict:<8} {self.name:<11} {self.text}{remedy}"


def command(line: str) -> Sentence:
    """Returns a line that is to be typed as it is, in every language: a remedy, or a value of one."""
    return Sentence(_COMMAND, "{given}", {"given": line})


def then(first: Sentence, *others: Sentence) -> Sentence:
    """Returns the remedy to do one after the other."""
    for each in others:
        first = say("doctor.then", "{first}, then {next}", first=first, next=each)
    return first


def _find_commands(said: object) -> Iterator[str]:
    if not isinstance(said, Sentence):
        return
    if said.key == _COMMAND:
        yield said.text
    else:
        for value in said.values.values():
            yield from _find_commands(value)


RESTART = command("sudo systemctl restart oche")
AS_ROOT = say("doctor.as_root", "run oche doctor as root (sudo)")
