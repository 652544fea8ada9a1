"""A plug-in that is not used, and the sentence for it where it is listed or asked for, and by `oche doctor`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from protocol.sentence import Sentence, say


class BrokenPlugin(NamedTuple):
    """A plug-in that is not used: its name, the file or entry point that it came from, and why, in one sentence."""

    name: str
    where: str
    said: str | Sentence

    @property
    def refusal(self) -> Sentence:
        """Says that it is not used, and why: where it came from is named once."""
        why, rest = self.said, str(self.said).removeprefix(f"{self.where}: ")
        if rest != str(self.said):
            detail = why.values.get("why", rest) if isinstance(why, Sentence) else rest
            why = say("plugin.at", "{name}, {why}", name=self.where, why=detail)
        elif not rest.startswith(f"{self.where}, "):
            why = say("value.in_file", "{name}: {why}", name=self.where, why=why)
        return say("plugin.unused", "the plug-in {name} is not used ({why})", name=self.name, why=why)

    def __str__(self) -> str:
        return str(self.refusal)


def say_taken(taken: str, owners: Mapping[str, str]) -> Sentence:
    """Returns that an id has an owner already; the `owners` are the files and entry points of ids."""
    said = "plugin.taken", "the id {given} is already used by {name}: rename one of them"
    return say(*said, given=repr(taken), name=owners[taken])
