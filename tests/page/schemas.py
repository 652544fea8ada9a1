"""Prints a JSON Schema of what the daemon tells the page: scripts/check.sh makes types of it for the page's scripts."""

from __future__ import annotations

import json
import sys
from typing import Any

import msgspec

from daemon.admin.art.packs import ArtSummary
from daemon.admin.clips.clip_files import Clip
from daemon.admin.history.evening import Evening
from daemon.admin.history.habits import Habits
from daemon.admin.history.handicap import Handicap
from daemon.admin.history.head_to_head import HeadToHead
from daemon.admin.history.known_players import KnownPlayer, MeasuredPlayer
from daemon.admin.history.league import League
from daemon.admin.history.listing import ListedMatch
from daemon.admin.history.match_report import MatchReport
from daemon.admin.history.player_figures import PlayerReport, PlayerSummary
from daemon.admin.history.ratings import Ratings
from daemon.outlets.speech_queue import SpeechItem
from daemon.web.catalogue import GameSheet, GameSummary
from daemon.web.joining import JoinCodes
from daemon.web.taps import TappedDart
from protocol.contract import make_schemas
from protocol.tournament import FoundTable, Input, TournamentSummary, TournamentView

JSON = dict[str, Any]  # Any: JSON
_AS_ON_MQTT = ("state", "next", "event")
_OVER_HTTP_ALONE = (
    ArtSummary,
    Clip,
    Evening,
    GameSheet,
    GameSummary,
    Habits,
    Handicap,
    HeadToHead,
    JoinCodes,
    League,
    ListedMatch,
    MatchReport,
    PlayerReport,
    PlayerSummary,
    Ratings,
    FoundTable,
    KnownPlayer,
    MeasuredPlayer,
    SpeechItem,
    TappedDart,
)


def page_schema() -> JSON:
    """One schema, whose definitions are all the types by their names."""
    _, definitions = msgspec.json.schema_components(_OVER_HTTP_ALONE, ref_template="#/$defs/{name}")
    for name in _AS_ON_MQTT:
        definitions |= make_schemas()[name]["$defs"]
    definitions |= _describe_tournaments()
    for event in definitions["Event"]["oneOf"]:
        del event["title"]  # "dart" would be a second type named Dart
    _simplify(definitions)
    return {"$defs": definitions, "title": "Any", "anyOf": [{"$ref": f"#/$defs/{name}"} for name in definitions]}


def _describe_tournaments() -> JSON:
    """The types of tournaments, all called so: a match has a Result too, and a record has lines."""
    _, definitions = msgspec.json.schema_components((TournamentView, TournamentSummary, Input), ref_template="{name}")
    names = {name: f"Tournament{name.removeprefix('Tournament')}" for name in definitions}

    def rename(schema: Any) -> Any:  # Any: JSON
        if isinstance(schema, list):
            return [rename(each) for each in schema]
        if not isinstance(schema, dict):
            return schema
        renamed = {key: rename(each) for key, each in schema.items()}
        if "$ref" in schema:
            renamed["$ref"] = f"#/$defs/{names[schema['$ref']]}"
        if isinstance(title := schema.get("title"), str) and title in names:
            renamed["title"] = names[title]
        renamed.pop("discriminator", None)
        return renamed

    return {names[name]: rename(each) for name, each in definitions.items()}


def _simplify(schema: Any) -> None:  # Any: JSON
    """Says what the converter does not know in older words: tuples, and objects of which nothing is said."""
    if isinstance(schema, list):
        for each in schema:
            _simplify(each)
    if isinstance(schema, dict):
        if "prefixItems" in schema:
            schema["items"] = schema.pop("prefixItems")
        if schema.get("type") == "object" and "properties" not in schema:
            schema.setdefault("additionalProperties", True)
        for each in schema.values():
            _simplify(each)


if __name__ == "__main__":
    json.dump(page_schema(), sys.stdout)
