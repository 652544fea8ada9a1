"""The seasons of a league: their files, what is entered in them, and how they stand.

A season stands as its records and its inputs say: nothing that is counted from them is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import psycopg
from psycopg import Cursor

from daemon import files
from daemon.admin.tournaments.tournament_file import Head, write_file
from daemon.collect.by_hand import find_results
from daemon.collect.config import read_league_config
from daemon.collect.database import connect, explain
from daemon.collect.postgres_source import Database
from daemon.collect.season_results import find_played, list_tournaments
from daemon.errors import UserError
from engine.league.check import check_input, check_season, find_side, is_same_schedule
from engine.league.match_day import make_match_day
from engine.league.schedule import SeasonFixture, list_fixtures
from engine.league.table import make_season_view
from engine.tournament.journal import TournamentJournal
from protocol.commands import IllegalInput
from protocol.season import Postpone, SeasonInput, SeasonLine, SeasonSpec, SeasonSummary, SeasonView
from protocol.sentence import get_reason
from protocol.source import SourceError
from protocol.spelling import suggest_nearest

T = TypeVar("T")

_LIST = "select spec from oche.season order by id"
_READ = "select spec from oche.season where id = %s"
_LOCK = "select spec from oche.season where id = %s for update"
_ADD = "insert into oche.season (id, spec) values (%s, %s) on conflict (id) do nothing"
_CHANGE = "update oche.season set spec = %s, changed_at = now() where id = %s"
_DROP = "delete from oche.season where id = %s"
_DROP_RESULTS = "delete from oche.tournament_results where tournament = any(%s)"
_LIST_INPUTS = """
    select number, at, input from oche.season_input where season = %s and not is_taken_back order by number
"""
_ADD_INPUT = """
    insert into oche.season_input (season, number, input)
    select %(season)s, coalesce(max(number), 0) + 1, %(input)s from oche.season_input where season = %(season)s
    returning number
"""
_TAKE_BACK = """
    update oche.season_input set is_taken_back = true where season = %s and number = %s and not is_taken_back
"""
_HAS_RESULTS = """
    select exists (select from oche.season_input where season = %(season)s)
        or exists (select from oche.match where tournament = any(%(tournaments)s))
        or exists (select from oche.tournament_results where tournament = any(%(tournaments)s) and results <> '[]')
"""


def ask_seasons(config: Path, ask: Callable[[Database], T]) -> T:
    """Returns what this finds or does in the database of the league with this configuration. Raises UserError."""
    try:
        with connect(read_league_config(config).database) as db:
            return ask(db)
    except psycopg.errors.UndefinedTable:
        raise UserError("the database lacks the tables of seasons: run oche collect init") from None
    except psycopg.Error as error:
        raise UserError(explain(error)) from None


def read_season_file(path: Path) -> SeasonSpec:
    """Returns the season in a file: JSON if its name ends in `.json`, else TOML. Raises UserError (status 2)."""
    source = files.read_source(path)
    try:
        is_json = path.suffix == ".json"
        spec = msgspec.json.decode(source.text, type=SeasonSpec) if is_json else source.read(SeasonSpec)
        _check_dates(spec)
        check_season(spec)
    except SourceError as error:
        raise UserError(error.said, 2) from None
    except (ValueError, RecursionError) as error:  # IllegalInput too, and what is no JSON
        raise UserError(f"{path}: {get_reason(error)}", 2) from None
    return spec


def _check_dates(spec: SeasonSpec) -> None:
    for text in (spec.begins, spec.ends, *spec.days):
        check_date(text)


def check_date(text: str) -> None:
    """Raises IllegalInput for a day that no calendar has."""
    try:
        is_near = 1970 <= date.fromisoformat(text).year < 9000  # so that there is a day after it, in any time zone
    except ValueError:
        is_near = False
    if not is_near:
        raise IllegalInput(f"{text} is no day: write one such as 2026-10-01")


def add_season(db: Database, spec: SeasonSpec) -> bool:
    """Adds a season, or changes the one of this id; returns whether it is new. Raises UserError.

    Once there are results, its sides stay as they are, and their order: its fixtures follow from them.
    """
    text = msgspec.json.encode(spec).decode()
    with db.transaction():
        if db.execute(_ADD, [spec.id, text]).rowcount:
            return True
        known = _decode(db.execute(_LOCK, [spec.id]))
        about = {"season": spec.id, "tournaments": list_tournaments(known)}
        has_results = db.execute(_HAS_RESULTS, about).fetchone() == (True,)
        if has_results and not is_same_schedule(known, spec):
            raise UserError(
                f"the season {spec.id} has results: its divisions, the names and order of its sides, twice and the "
                "number of slots cannot be changed any more; who leaves is entered with oche collect season withdraw",
                2,
            )
        db.execute(_CHANGE, [text, spec.id])
        return False


def drop_season(db: Database, season: str) -> None:
    """Deletes a season and what was entered in it, at its match days too; the matches stay. Raises UserError.

    Results of match days have no names: of the next season of this id they would be results of whoever is in it.
    """
    tournaments = list_tournaments(find_season(db, season))
    with db.transaction():
        db.execute(_DROP, [season])
        db.execute(_DROP_RESULTS, [tournaments])


def list_seasons(db: Database) -> list[SeasonSummary]:
    """Returns all seasons by their ids."""
    specs = (msgspec.json.decode(text, type=SeasonSpec) for (text,) in db.execute(_LIST).fetchall())
    return [SeasonSummary(each.id, each.name, each.begins, each.ends) for each in specs]


def find_spec(db: Database, season: str) -> SeasonSpec | None:
    """Returns the season of this id, None where there is none."""
    row = db.execute(_READ, [season]).fetchone()
    return None if row is None else msgspec.json.decode(row[0], type=SeasonSpec)


def find_season(db: Database, season: str) -> SeasonSpec:
    """Returns the season of this id. Raises UserError."""
    spec = find_spec(db, season)
    if spec is None:
        known = [each.id for each in list_seasons(db)]
        other = suggest_nearest(season, known, "; oche collect season list shows them")
        raise UserError(f"there is no season {season!r}{other}", 2)
    return spec


def _decode(found: Cursor[Any]) -> SeasonSpec:  # Any: rows
    row = found.fetchone()
    assert row is not None, "under its lock"
    return msgspec.json.decode(row[0], type=SeasonSpec)


def read_season(db: Database, season: str) -> SeasonView:
    """Returns how a season stands. Raises UserError."""
    spec = find_season(db, season)
    rows = db.execute(_LIST_INPUTS, [season]).fetchall()
    lines = [
        SeasonLine(number, at.isoformat(timespec="seconds"), msgspec.json.decode(text, type=SeasonInput))
        for number, at, text in rows
    ]
    return make_season_view(spec, lines, find_played(db, spec), find_results(db, list_tournaments(spec)))


def enter(db: Database, season: str, given: SeasonInput) -> int:
    """Enters this in a season; returns its number. Raises UserError."""
    with db.transaction():
        find_season(db, season)
        spec = _decode(db.execute(_LOCK, [season]))
        try:
            check_input(spec, given)
            if isinstance(given, Postpone):
                check_date(given.to)
        except IllegalInput as error:
            raise UserError(get_reason(error), 2) from None
        text = msgspec.json.encode(given).decode()
        row = db.execute(_ADD_INPUT, {"season": season, "input": text}).fetchone()
        assert row is not None, "it returns the row"
        return int(row[0])


def take_back(db: Database, season: str, number: int) -> None:
    """Takes back the input of this number. Raises UserError."""
    find_season(db, season)
    with db.transaction():
        if not db.execute(_TAKE_BACK, [season, number]).rowcount:
            raise UserError(
                f"nothing with the number {number} was entered: oche collect season show {season} lists them", 2
            )


def write_match_day(
    spec: SeasonSpec, day: int, *, division: str | None = None, home: str | None = None
) -> tuple[str, bytes]:
    """Returns the tournament of a match day, its id and its file, which any daemon goes on from. Raises UserError.

    With `home` it is the fixture of that day in which this side is at home; otherwise all of a division, which only a
    season with several has to name. The same day is the same file each time.
    """
    try:
        fixtures = _choose(spec, day, division, home)
        tournament, made, inputs = make_match_day(spec, fixtures)
        made_s = _find_moment(spec, day)
        journal = TournamentJournal(made)
        lines = [journal.apply(made_s, "organiser", each) for each in inputs]
    except IllegalInput as error:
        raise UserError(get_reason(error), 2) from None
    return tournament, write_file(Head(1, tournament, made_s, made), lines)


def _choose(spec: SeasonSpec, day: int, division: str | None, home: str | None) -> list[SeasonFixture]:
    found = [each for each in list_fixtures(spec) if each.day == day]
    if not found:
        raise IllegalInput(f"this season has no match day {day}")
    if home is not None:
        number, side = find_side(spec, home)
        mine = [each for each in found if each.division == number]
        chosen = [each for each in mine if spec.divisions[number - 1].sides[each.home - 1] == side]
        if not chosen:
            raise IllegalInput(f"{side.name} is not at home on match day {day}")
        return chosen
    names = [each.name for each in spec.divisions]
    if division is None and len(names) > 1:
        raise IllegalInput(f"name the division, or the side that is at home: {', '.join(names)}")
    if division is not None and division not in names:
        raise IllegalInput(f"this season has no division {division}: it has {', '.join(names)}")
    number = 1 if division is None else names.index(division) + 1
    return [each for each in found if each.division == number] or _refuse_day(day, names[number - 1])


def _refuse_day(day: int, division: str) -> list[SeasonFixture]:
    raise IllegalInput(f"{division} has no match day {day}")


def _find_moment(spec: SeasonSpec, day: int) -> int:
    """When the file of a match day says that it was made: on its date, so that it is the same each time."""
    on = date.fromisoformat(spec.days[day - 1] if spec.days else spec.begins)
    return int(datetime(on.year, on.month, on.day, tzinfo=UTC).timestamp())
