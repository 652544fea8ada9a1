"""What is said of players, forgetting them, and deleting matches."""

from __future__ import annotations

from collections.abc import Callable

from tests.crash.operations.operation import JSON, Operation, Outcome, do_before, post
from tests.crash.world import World, shorten
from tests.daemon.test_players import PNG
from tests.daemon.test_sounds import WAV


def _profile(world: World) -> None:
    do_before(post("/api/players", {"name": "Ann", "nickname": "Ace", "colour": 2}))(world)


def _merged(world: World) -> None:
    do_before(post("/api/players/merge", {"name": "Anna", "to": "Ann"}))(world)


def _with_statistics(world: World) -> None:
    """The name is in the cache of the statistics, too."""
    do_before(post("/api/players", {"name": "Cyprian", "nickname": "Ace"}))(world)
    _read_statistics(world)


def _read_statistics(world: World) -> None:
    assert world.command("stats"), world.said


def _search(name: str) -> Callable[[World], dict[str, JSON]]:
    """Which files have the name, which is longer than what chance writes into a packed record."""

    def search(world: World) -> dict[str, JSON]:
        found = [
            path for path in sorted(world.home.rglob("*")) if path.is_file() and name.encode() in path.read_bytes()
        ]
        return {"name": [shorten(str(path.relative_to(world.home))) for path in found]}

    return search


def _delete_first(world: World) -> Outcome:
    return world.command("history", "delete", "--player", "Cyprian", "--yes")


OPERATIONS = (
    Operation("a profile", post("/api/players", {"name": "Ann", "nickname": "Ace"})),
    Operation("a picture", post("/api/players/picture?name=Ann", PNG)),
    Operation("a recorded name", post("/api/players/recorded_name?name=Ann", WAV)),
    Operation("a player is renamed", post("/api/players/rename", {"name": "Ann", "to": "Annie"}), _profile),
    Operation("two players are merged", post("/api/players/merge", {"name": "Anna", "to": "Ann"}), _profile),
    Operation("a player is split", post("/api/players/split", {"name": "Anna"}), _merged),
    Operation(
        "a player is forgotten on the page",
        post("/api/players/forget", {"name": "Cyprian", "sure": True}),
        _with_statistics,
        more=_search("Cyprian"),
        may_be_half=True,
    ),
    Operation(
        "a player is forgotten",
        lambda world: world.command("players", "forget", "Cyprian", "--yes"),
        _with_statistics,
        "command",
        _search("Cyprian"),
        may_be_half=True,
    ),
    Operation("matches are deleted", _delete_first, _read_statistics, "command", _search("Cyprian"), may_be_half=True),
    Operation("the statistics", lambda world: world.command("stats"), runs="command"),
)
