"""Tokens of boards that were typed on the page: each is kept in a file of the state folder, which the daemon names.

The page gives a text, as the key `board_token` of a table, and never the name of a file: whoever may change the
settings does not read the machine's files with that.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from daemon.admin.requests import Change, OptionChange
from daemon.admin.settings.fixed import FIXED_IN_TABLE
from daemon.admin.settings.settings_history import BOARD_TOKENS
from protocol.sentence import say
from protocol.source import SourceError

KEY = "board_token"
_MOST = 512


class TypedTokens(NamedTuple):
    """Changes of the configuration, without the tokens that were typed in them.

    In `bare` those tables have no token: so they are checked, and nothing else gets a file that is already named. In
    `named` they have the `files`, each with its path and its token.
    """

    bare: list[Change]
    named: list[Change]
    files: list[tuple[str, str]]


def take_tokens(changes: Sequence[Change], state: Path) -> TypedTokens:
    """Takes the typed tokens out of these changes; an empty one takes away that of the table. Raises SourceError."""
    taken = TypedTokens([], [], [])
    for change in changes:
        match change.path, change.value:
            case ("table", int() as table, key), token if key == KEY:
                name = _keep(taken, token, change.path, state)
                taken.bare.append(Change(("table", table, FIXED_IN_TABLE)))
                taken.named.append(Change(("table", table, FIXED_IN_TABLE), name))
            case ("table", int()), dict() as values if KEY in values:
                name = _keep(taken, values[KEY], (*change.path, KEY), state)
                bare = {key: each for key, each in values.items() if key not in (KEY, FIXED_IN_TABLE)}
                taken.bare.append(Change(change.path, bare))
                taken.named.append(Change(change.path, bare if name is None else {**bare, FIXED_IN_TABLE: name}))
            case _:
                taken.bare.append(change)
                taken.named.append(change)
    return taken


def has_tokens(changes: Sequence[Change | OptionChange]) -> bool:
    """Whether a token is typed in these changes."""
    return any(KEY in each.path or (isinstance(each.value, dict) and KEY in each.value) for each in changes)


def _keep(taken: TypedTokens, token: Any, path: tuple[str | int, ...], state: Path) -> str | None:  # Any: JSON
    """Adds a file for the token, and returns its name; None where it is to be taken away. Raises SourceError."""
    text = token.strip() if isinstance(token, str) else "" if token is None else " "
    if not text:
        return None
    if len(text) > _MOST or not all("!" <= letter <= "~" for letter in text):
        said = say("settings.no_board_token", "a token is one word of letters, digits and signs: copy it whole")
        raise SourceError("the configuration", None, said, path)
    name = str(state / f"{BOARD_TOKENS}{secrets.token_hex(4)}")
    taken.files.append((name, text))
    return name
