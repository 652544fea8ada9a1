"""What is published of the bridge itself: its version, its tables, and the games that can be asked for."""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import UNSET, UnsetType

from daemon.config.reader import CheckedConfig
from daemon.release import read_version
from engine.game import Preset
from engine.games import GAMES, PRESETS
from engine.options import make_schema
from protocol.messages import CONTRACT, BridgeInfo

_SHIPPED_GAMES = Path(__file__).parent.parent / "shipped_games.json"


def describe_bridge(checked: CheckedConfig, run_id: str, bridge_id: str | UnsetType = UNSET) -> BridgeInfo:
    """Returns what is published. What ships need not be loaded for it."""
    shipped = msgspec.json.decode(_SHIPPED_GAMES.read_bytes())
    games = {name: shipped["games"].get(name) or make_schema(GAMES[name].options_type) for name in GAMES}
    presets = {name: shipped["presets"].get(name) or _describe_preset(PRESETS[name]) for name in PRESETS}
    routines = {name: tuple(each.game for each in routine.exercises) for name, routine in checked.routines.items()}
    tables = tuple(table.name for table in checked.config.table)
    log_level = checked.config.bridge.log_level
    return BridgeInfo(read_version(), CONTRACT, tables, games, presets, routines, log_level, run_id, bridge_id)


def _describe_preset(preset: Preset) -> dict[str, object]:
    return {"game": preset.game, "options": preset.options}
