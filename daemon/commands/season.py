"""`oche collect season`: the seasons of a league."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

import click

from daemon.commands.shared import Subcommands, check_output, force_option

if TYPE_CHECKING:
    from daemon.collect.postgres_source import Database
    from protocol.season import DivisionView, FixtureView, SeasonInput, SeasonLine, SeasonRow

T = TypeVar("T")


@click.group("season", cls=Subcommands)
def season() -> None:
    """Keep the seasons of the league: fixtures, match days, and tables that follow from the matches."""


def _ask(ctx: click.Context, ask: Callable[[Database], T]) -> T:
    """Returns what this finds or does in the database. Raises UserError."""
    from daemon.collect.seasons import ask_seasons

    return ask_seasons(ctx.obj, ask)


def _enter(ctx: click.Context, name: str, given: SeasonInput) -> None:
    from daemon.collect.seasons import enter

    number = _ask(ctx, lambda db: enter(db, name, given))
    click.echo(f"entered as {number}; oche collect season undo {name} {number} takes it back")


@season.command("add")
@click.argument("file", type=click.Path(path_type=Path))
@click.pass_context
def add(ctx: click.Context, file: Path) -> None:
    """Add the season in FILE (TOML, or JSON if the name says so), or change the season that has its id."""
    from daemon.collect.seasons import add_season, read_season_file

    spec = read_season_file(file)
    is_new = _ask(ctx, lambda db: add_season(db, spec))
    click.echo(f"{'added' if is_new else 'changed'}: {spec.id}")


@season.command("list")
@click.pass_context
def list_all(ctx: click.Context) -> None:
    """List the seasons, one per line: id, first and last day, name."""
    from daemon.collect.seasons import list_seasons

    for each in _ask(ctx, list_seasons):
        click.echo(f"{each.id}  {each.begins}  {each.ends}  {each.name}")


@season.command("show")
@click.argument("name")
@click.pass_context
def show(ctx: click.Context, name: str) -> None:
    """Show the tables and the fixtures of the season NAME, and what was entered in it by hand."""
    from daemon.collect.seasons import read_season

    found = _ask(ctx, lambda db: read_season(db, name))
    click.echo(f"{found.name}, {found.begins} to {found.ends}")
    for division in found.divisions:
        click.echo("")
        for line in _write_division(division):
            click.echo(line)
    if found.lines:
        click.echo("\nentered by hand:")
        for each in found.lines:
            click.echo(_write_line(each))


def _write_division(division: DivisionView) -> Iterator[str]:
    width = max(len(division.name), *(len(row.side) for row in division.rows))
    yield f"    {division.name:{width}}  played  won  drawn  lost     legs  points"
    for row in division.rows:
        yield _write_row(row, width)
    day = 0
    for fixture in division.fixtures:
        if fixture.day != day:
            day = fixture.day
            rests = division.rests[day - 1]
            yield f"match day {day}" + ("" if rests is None else f", {rests} rests")
        yield _write_fixture(fixture)


def _write_row(row: SeasonRow, width: int) -> str:
    legs = f"{row.legs[0]}-{row.legs[1]}"
    more = [*([row.mark] if row.mark else []), *(["withdrawn"] if row.withdrawn else [])]
    more += [f"{row.deducted} deducted"] if row.deducted else []
    figures = f"{row.played:6}  {row.won:3}  {row.drawn:5}  {row.lost:4}  {legs:>7}  {row.points:6}"
    return f"{row.place:3} {row.side:{width}}  {figures}  {', '.join(more)}".rstrip()


def _write_fixture(fixture: FixtureView) -> str:
    score = "-" if fixture.score is None else f"{fixture.score[0]}-{fixture.score[1]}"
    said: list[str] = [] if fixture.status in ("open", "played") else [fixture.status]
    said += ["by hand"] if fixture.by_hand else []
    said += [f"other people than on the rosters: {', '.join(fixture.unclear)}"] if fixture.unclear else []
    date = f"{fixture.date or '-'}{' postponed' if fixture.postponed else ''}"
    more = f" ({'; '.join(said)})" if said else ""
    return f"  {fixture.id}  {date}  {fixture.home} – {fixture.away}  {score}{more}"


def _write_line(line: SeasonLine) -> str:
    given = line.input
    fields = [(name, getattr(given, name)) for name in given.__struct_fields__]
    said = ", ".join(f"{name} {value}" for name, value in fields if value not in (None, ""))
    return f"  {line.number}  {line.at}  {given.__struct_config__.tag}: {said}"


@season.command("remove")
@click.argument("name")
@click.pass_context
def remove(ctx: click.Context, name: str) -> None:
    """Delete the season NAME and what was entered in it and at its match days; the matches stay."""
    from daemon.collect.seasons import drop_season

    _ask(ctx, lambda db: drop_season(db, name))


@season.command("day")
@click.argument("name")
@click.argument("day", type=click.IntRange(1))
@click.option("--home", help="Only the match in which this side is at home.")
@click.option("--division", help="The division, where the season has several.")
@click.option("--output", required=True, type=click.Path(path_type=Path), help="The file to write.")
@force_option
@click.pass_context
def day(
    ctx: click.Context, name: str, day: int, home: str | None, division: str | None, output: Path, *, force: bool
) -> None:
    """Write the match day DAY of the season NAME as a tournament that a daemon goes on from."""
    from daemon.collect.seasons import find_season, write_match_day
    from daemon.files import explain_errors, open_output

    spec = _ask(ctx, lambda db: find_season(db, name))
    tournament, content = write_match_day(spec, day, division=division, home=home)
    check_output(output, force=force)
    with explain_errors(f"cannot write {output}", "; name another --output"), open_output(output) as file:
        file.write(content)
    click.echo(f"{output}: the tournament {tournament}")


@season.command("result")
@click.argument("name")
@click.argument("fixture")
@click.argument("home", type=click.IntRange(0))
@click.argument("away", type=click.IntRange(0))
@click.option("--slot", type=click.IntRange(1), help="Only this part of a team match, counted from 1.")
@click.pass_context
def result(ctx: click.Context, name: str, fixture: str, home: int, away: int, slot: int | None) -> None:
    """Enter a result: the legs of HOME and AWAY, or the points of a team match. It counts before any record."""
    from protocol.season import EnterResult

    _enter(ctx, name, EnterResult(fixture, (home, away), slot))


@season.command("forfeit")
@click.argument("name")
@click.argument("fixture")
@click.argument("by", type=click.Choice(("home", "away", "both")))
@click.pass_context
def forfeit(ctx: click.Context, name: str, fixture: str, by: Literal["home", "away", "both"]) -> None:
    """Enter that the match FIXTURE is given away BY the home side, the other one, or both."""
    from protocol.season import Forfeit

    _enter(ctx, name, Forfeit(fixture, by))


@season.command("postpone")
@click.argument("name")
@click.argument("fixture")
@click.argument("date")
@click.pass_context
def postpone(ctx: click.Context, name: str, fixture: str, date: str) -> None:
    """Enter that the match FIXTURE is played on DATE, such as 2026-10-01."""
    from protocol.season import Postpone

    _enter(ctx, name, Postpone(fixture, date))


@season.command("deduct")
@click.argument("name")
@click.argument("side")
@click.argument("points", type=int)
@click.option("--reason", default="", help="Why.")
@click.pass_context
def deduct(ctx: click.Context, name: str, side: str, points: int, reason: str) -> None:
    """Take POINTS from SIDE; a negative number, after --, gives them."""
    from protocol.season import Deduct

    _enter(ctx, name, Deduct(side, points, reason))


@season.command("withdraw")
@click.argument("name")
@click.argument("side")
@click.pass_context
def withdraw(ctx: click.Context, name: str, side: str) -> None:
    """Enter that SIDE plays no more in the season NAME."""
    from protocol.season import Withdraw

    _enter(ctx, name, Withdraw(side))


@season.command("undo")
@click.argument("name")
@click.argument("number", type=click.IntRange(1))
@click.pass_context
def undo(ctx: click.Context, name: str, number: int) -> None:
    """Take back what was entered as NUMBER."""
    from daemon.collect.seasons import take_back

    _ask(ctx, lambda db: take_back(db, name, number))
