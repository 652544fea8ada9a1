"""Players as people write them: a bot as one word, such as bot:45 or bot:Ann:2.5:Marvin, and teams with a plus."""

from __future__ import annotations

import re
from typing import NamedTuple

from protocol.player_names import shorten_name

_SHORT = re.compile(r"\s*bot:(.*)", re.IGNORECASE | re.DOTALL)
_NUMBER = re.compile(r"\s*([0-9]*\.?[0-9]*)\s*")


class BotWord(NamedTuple):
    """What the word for a bot says.

    `skill` is its level, or the name of the player whom it throws like (`is_model`): that has a letter in it. `tempo`
    are its seconds for a dart. What is not in the word is "" or None.
    """

    skill: str
    tempo: float | None
    name: str

    @property
    def is_model(self) -> bool:
        """Whether the bot throws like a player."""
        return any(map(str.isalpha, self.skill))


def read_bot_word(player: str) -> BotWord | None:
    """What this word says; None: it is the name of a person."""
    short = _SHORT.match(player)
    if short is None:
        return None
    skill, _, name = short[1].partition(":")
    seconds, _, after = name.partition(":")
    if not _NUMBER.fullmatch(seconds):
        return BotWord(skill.strip(), None, name.strip())
    return BotWord(skill.strip(), float(seconds) if any(map(str.isdigit, seconds)) else None, after.strip())


def write_bot_word(word: BotWord) -> str:
    """The word that says this."""
    skill, tempo, name = word
    start = f"bot:{skill}" if tempo is None else f"bot:{skill}:{tempo:g}"
    if name in ("", name_bot(skill)):
        return start
    is_clear = tempo is not None or not _NUMBER.fullmatch(name.partition(":")[0])
    return f"{start}:{name}" if is_clear else f"{start}::{name}"


def name_bot(skill: str | int) -> str:
    """What a bot is called that has no name of its own."""
    return shorten_name(f"Bot {skill}")


def spell_bot_name(player: str) -> str:
    """The name in a short form such as bot:45:2.5:Marvin, "" where there is none; of others the name itself."""
    word = read_bot_word(player)
    return player if word is None else word.name


def find_model(player: str) -> str:
    """The player whom a bot written so throws like; "" where that is nobody."""
    word = read_bot_word(player)
    return word.skill if word is not None and word.is_model else ""


def can_be_model(name: str) -> bool:
    """Whether bot:NAME is a bot that throws like this player: a number would be a level, and a colon ends the name."""
    return any(map(str.isalpha, name)) and ":" not in name and shorten_name(name) == name


def parse_players(players: str) -> tuple[tuple[str, ...], list[list[int]] | None]:
    """The players and their teams (None: all play alone): "Ann+Cy,Bo+Di" are two teams of two."""
    sides = [[name.strip() for name in side.split("+") if name.strip()] for side in players.split(",")]
    names = [name for side in sides for name in side]
    seats = iter(range(len(names)))
    teams = [[next(seats) for _ in side] for side in sides if side]
    return tuple(names), teams if any(len(team) > 1 for team in teams) else None
