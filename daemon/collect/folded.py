"""What a record of the league comes to: played again, without a database."""

from __future__ import annotations

import zlib
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from daemon.admin.history.played_matches import PlayedMatch, count_match, list_uncounted
from daemon.admin.players.names import is_neutral_name, make_neutral_name
from daemon.journal.lines import Line, StoredMatch
from engine.games import GAMES, PRESETS
from protocol.layouts import find_layout, list_layouts
from protocol.match_spec import MatchSpec
from protocol.player_names import name_key

State = Literal["folded", "waiting", "unreadable"]


class Seat(NamedTuple):
    """A seat of a match. `key` is that of the name; `is_person` is False for bots and forgotten players.

    `part` is the place of the player's part in the match, None without one.
    """

    key: str
    is_person: bool
    is_bot: bool
    part: int | None


class Folded(NamedTuple):
    """What became of a record. `played` is None where the match does not count; else `seats` are those of it.

    `game` is that of the header, and `continues` the id of the match that this one goes on with. `ref` is what the
    match was asked for as, `team_names` are those of its sides, "" for one without; None: it has none.
    """

    state: State
    game: str = ""
    reason: str | None = None
    continues: str | None = None
    played: PlayedMatch | None = None
    seats: tuple[Seat, ...] = ()
    ref: str | None = None
    team_names: list[str] | None = None


def fold_record(match: str, table: str, layout: str, begun_at: datetime, record: bytes) -> Folded:
    """Returns what this record, as it is in the database, comes to. Takes as long as playing the match again."""
    try:
        stored = read_stored(match, begun_at, record)
    except ValueError as error:
        return Folded("unreadable", reason=f"the record of the match {match} cannot be read: {error}")
    game, continues = (_read_text(stored.header, name) for name in ("game", "continues"))
    if continues == match:
        continues = None
    if (obstacle := _find_obstacle(stored.header, layout)) is not None:
        return Folded("waiting", game or "", obstacle, continues)
    played = count_match(stored, table, find_layout(layout))
    if played.problem is not None:
        return Folded("unreadable", game or "", played.problem, continues)
    if not played.parts or played.game in list_uncounted():
        return Folded("folded", game or "", None, continues)
    ref, teams = _read_text(stored.header, "ref"), stored.header.get("team_names")
    return Folded("folded", game or "", None, continues, played, _list_seats(played), ref, teams)


def _read_text(header: dict[str, Any], name: str) -> str | None:  # Any: JSON
    found = header.get(name)
    return found if isinstance(found, str) else None


def read_stored(match: str, begun_at: datetime, record: bytes) -> StoredMatch:
    """Returns the match in a record as the database has it. Raises ValueError."""
    try:
        header, *inputs = zlib.decompress(record).splitlines()
        decode = msgspec.json.Decoder(dict[str, Any]).decode  # Any: JSON
        lines = [Line(match, number, decode(line), "league") for number, line in enumerate(inputs, 2)]
        return StoredMatch(match, decode(header), lines, write_moment(begun_at))
    except (zlib.error, RecursionError) as error:
        raise ValueError(str(error)) from None


def write_moment(moment: datetime) -> str:
    """Returns the moment as journals have it (ISO 8601, UTC)."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")


def _find_obstacle(header: dict[str, Any], layout: str) -> str | None:  # Any: JSON
    """Returns why another version of this program may be able to read a record with this header, and not this one."""
    game, rules = header.get("game"), header.get("rules")
    if not isinstance(game, str):
        return None  # no version can
    known = GAMES.get(PRESETS[game].game if game in PRESETS else game)
    if known is None:
        return f"the game {game} is not installed here"
    if isinstance(rules, int) and rules > known.rules:
        return f"it was played by rules {rules} of {game}, and here are rules {known.rules}: update oche here"
    if header.get("oche") != 1 or not {*header} <= {"oche", *MatchSpec.__struct_fields__}:
        return "it was written by a newer oche: update oche here"
    if layout not in list_layouts():
        return f"the layout {layout} is not known here"
    return None


def _list_seats(played: PlayedMatch) -> tuple[Seat, ...]:
    bots = played.bots or (None,) * len(played.players)
    left = [*enumerate(part.player for part in played.parts)]
    seats = []
    for name, bot in zip(played.players, bots, strict=True):
        part = left.pop(0)[0] if left and left[0][1] == name else None  # parts are in the order of the seats
        is_person = bot is None and not is_neutral_name(name)
        seats.append(Seat(name_key(name), is_person, bot is not None, part))
    return tuple(seats)


def encode_body(folded: Folded) -> bytes:
    """Returns the match without the names of its people, to be decoded with `decode_body`."""
    played, seats = folded.played, folded.seats
    assert played is not None, "a match that counts"
    number_of = {seat.part: str(number) for number, seat in enumerate(seats)}
    parts = (replace(part, player=number_of.get(place, str(place))) for place, part in enumerate(played.parts))
    players = ("" if seat.is_person else name for seat, name in zip(seats, played.players, strict=True))
    return msgspec.json.encode(replace(played, id="", table="", at="", players=tuple(players), parts=tuple(parts)))


def decode_body(body: bytes, match: str, table: str, begun_at: datetime, names: tuple[str | None, ...]) -> PlayedMatch:
    """Returns the match with these present names of its people by their seats; None: a bot, or nobody any more."""
    played = _decoder.decode(body)
    players = tuple(
        name or known or make_neutral_name(seat)
        for seat, (name, known) in enumerate(zip(names, played.players, strict=True))
    )
    return replace(
        played,
        id=match,
        table=table,
        at=write_moment(begun_at),
        players=players,
        parts=tuple(replace(part, player=players[int(part.player)]) for part in played.parts),
    )


_decoder = msgspec.json.Decoder(PlayedMatch)
