"""The names of players: which spellings are one name, names given twice, and how bots of the same name are numbered."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import count

MAX_NAME = 40
"""Characters of a name that are kept."""
Aliases = Mapping[str, str]
"""What players are called now, by the keys (see name_key) of all names that each of them has."""
NO_ALIASES: Aliases = {}


def shorten_name(name: str) -> str:
    """The name without control characters, as long as names may be; "" when nothing is left."""
    return "".join(c for c in name if c.isprintable()).strip()[:MAX_NAME].strip()


def list_cut_names(names: Iterable[str]) -> tuple[str, ...]:
    """What is kept of those names that are longer than names may be."""
    return tuple(shorten_name(name) for name in names if len("".join(filter(str.isprintable, name)).strip()) > MAX_NAME)


def name_key(name: str) -> str:
    """The name without what tells two spellings of it apart: blanks, capitals, composed characters."""
    return " ".join(unicodedata.normalize("NFC", name).casefold().split())


def player_key(name: str, aliases: Aliases = NO_ALIASES) -> str:
    """The key of the player of this name, the same for all names that this player has."""
    key = name_key(name)
    shown = aliases.get(key)
    return key if shown is None else name_key(shown)


def find_twice(names: Sequence[str], is_bot: Sequence[bool], aliases: Aliases = NO_ALIASES) -> tuple[int, int] | None:
    """The places of the first two of these names that are one person's, bots aside; None where each is another's."""
    seen: dict[str, int] = {}
    for place, (name, bot) in enumerate(zip(names, is_bot, strict=True)):
        if not bot and (first := seen.setdefault(player_key(name, aliases), place)) != place:
            return first, place
    return None


def number_bots(names: Sequence[str], is_bot: Sequence[bool]) -> tuple[str, ...]:
    """The names, of which a bot's that a person or another bot before it has ends with a number, from 2 on."""
    used = {name_key(name) for name in names}
    mine = {name_key(name) for name, bot in zip(names, is_bot, strict=True) if not bot}
    found = []
    for name, bot in zip(names, is_bot, strict=True):
        numbered = name
        if bot and name_key(name) in mine:
            numbered = next(each for each in map(partial(_add_number, name), count(2)) if name_key(each) not in used)
            used.add(name_key(numbered))
        mine.add(name_key(numbered))
        found.append(numbered)
    return tuple(found)


def _add_number(name: str, number: int) -> str:
    """The name with the number behind it, as long as a name may be."""
    return f"{name[: MAX_NAME - len(str(number)) - 1].rstrip()} {number}"
