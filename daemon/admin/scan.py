"""What a look for boards looks for: the profiles that are known, and the game that fits each."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from msgspec.structs import replace

from daemon.config.sections import TableConfig
from daemon.errors import UserError
from daemon.plugins.profiles import find_codebook
from engine.games import GAMES, is_shipped
from protocol.codebook import list_profiles, shipped
from protocol.profile import Profile

SECONDS = 6.0
"""How long Bluetooth is listened to."""
_USUAL = "opendarts"
"""The profile that a configuration without one means; named first where any profile may fit."""


def list_wanted_profiles(files: Iterable[str]) -> list[Profile]:
    """Returns the profiles of these files and all known ones; ids are as in a configuration. Raises UserError."""
    for file in files:
        if not file.endswith(".toml"):
            raise UserError(f"--profile {file}: name a file ending in .toml; shipped profiles are looked for anyway", 2)
    own = [replace(find_codebook(file).profile, id=str(Path(file).resolve())) for file in files]
    names = sorted(list_profiles(), key=lambda name: name != _USUAL)
    return [*own, *(shipped(name).profile for name in names)]


def find_games(profiles: Iterable[Profile]) -> dict[str, str]:
    """Returns the first shipped game for the layout of each profile, by its id; "" for the usual one."""
    return {profile.id: _find_game(profile) for profile in profiles}


def _find_game(profile: Profile) -> str:
    layout, usual = profile.layout, GAMES[TableConfig(board="").game]
    fitting = (name for name, game in GAMES.items() if is_shipped(name) and layout in game.layouts)
    return "" if layout in usual.layouts else next(fitting, "")
