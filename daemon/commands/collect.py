"""`oche collect`: the memory of a league. It keeps the records of many daemons in PostgreSQL."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from daemon.collect.libraries import check_libraries
from daemon.commands.league_shared import ask_database, get_league_config, run_until_stopped, with_league_config
from daemon.commands.season import season
from daemon.commands.shared import Subcommands

if TYPE_CHECKING:
    from daemon.collect.config import LeagueConfig
    from daemon.collect.database import AsyncDatabase


@click.group(cls=Subcommands, invoke_without_command=True)
@with_league_config
@click.pass_context
def command(ctx: click.Context, config: Path) -> None:
    """Collect the matches of a league's daemons in PostgreSQL, until SIGTERM or Ctrl-C.

    As many as you like may run at a time, for the same database.
    """
    check_libraries()
    ctx.obj = config
    if ctx.invoked_subcommand is None:
        from daemon.service import logs

        found = get_league_config(ctx)
        logs.set_up(identifier="oche-collect")
        run_until_stopped(_run(found, config.absolute()))


async def _run(found: LeagueConfig, file: Path) -> None:
    from daemon.collect.collector import Collector
    from daemon.collect.folding_process import keep_folding

    folding = asyncio.create_task(keep_folding(file))
    try:
        await Collector(found).run()
    finally:
        folding.cancel()
        with suppress(asyncio.CancelledError):
            await folding


@command.command("init")
@click.pass_context
def init(ctx: click.Context) -> None:
    """Create the tables of the league, or bring them up to date after an update of oche."""
    from daemon.collect.database import connect
    from daemon.collect.migrations import migrate

    database = get_league_config(ctx).database
    with connect(database) as db:
        applied = migrate(db, database.reader)
    click.echo(f"applied {', '.join(applied)}" if applied else "the tables are up to date")


@command.command("status")
@click.pass_context
def status(ctx: click.Context) -> None:
    """Show how many matches were taken, what waits, what cannot be read, and which daemons are silent."""
    from daemon.collect.status import read_status

    found = ask_database(ctx, read_status)
    click.echo(f"matches: {sum(found.matches.values())}")
    for state, count in sorted(found.matches.items()):
        click.echo(f"  {state}: {count}")
    for reason, count in found.waiting:
        click.echo(f"waits: {reason} ({count})")
    for each in found.conflicts:
        click.echo(
            f"contradicts: {each.bridge} {each.table} {each.match} ({each.editions + 1} records, the newest counts)"
        )
    for bridge, reason, times in found.unreadable:
        click.echo(f"unreadable: {bridge}: {reason} ({times})")
    for bridge, seen_at in found.silent:
        click.echo(f"not heard since {seen_at.astimezone():%Y-%m-%d}: {bridge}")


@command.command("bridges")
@click.pass_context
def bridges(ctx: click.Context) -> None:
    """List the daemons, one per line: topic, place, matches, when it was last heard, and its id."""
    from daemon.collect.bridges import list_bridges

    for each in ask_database(ctx, list_bridges):
        seen = each.seen_at.astimezone().strftime("%Y-%m-%d %H:%M")
        click.echo(f"{each.topic}  {each.place or '-'}  {each.matches} matches  {seen}  {each.bridge_id.hex}")
        for claim in each.claims:
            click.echo(
                f"  {claim} has the same id, and is not taken. A copied folder: delete bridge.uuid in the copy. "
                f"A new name: oche collect accept {each.bridge_id.hex} {claim}"
            )


@command.command("place")
@click.argument("bridge")
@click.argument("place")
@click.pass_context
def place(ctx: click.Context, bridge: str, place: str) -> None:
    """Say at which PLACE the daemon BRIDGE is, such as the name of the pub."""
    from daemon.collect.bridges import set_place

    ask_database(ctx, lambda db: set_place(db, bridge, place))


@command.command("accept")
@click.argument("bridge")
@click.argument("topic")
@click.pass_context
def accept(ctx: click.Context, bridge: str, topic: str) -> None:
    """Accept that BRIDGE was renamed or moved, and comes from TOPIC now; oche collect bridges shows both."""
    from daemon.collect.bridges import accept_claim

    ask_database(ctx, lambda db: accept_claim(db, bridge, topic))


@command.command("again")
@click.argument("bridge", required=False)
@click.pass_context
def again(ctx: click.Context, bridge: str | None) -> None:
    """Ask all daemons, or BRIDGE, to send their matches again: after a restore of the database from a backup."""
    from daemon.collect.asking import ask_again
    from daemon.collect.bridges import Bridge, find_bridge, list_bridges

    async def find(db: AsyncDatabase) -> list[Bridge]:
        wanted = None if bridge is None else (await find_bridge(db, bridge))[0]
        return [each for each in await list_bridges(db) if wanted in (None, each.bridge_id)]

    asyncio.run(ask_again(get_league_config(ctx), ask_database(ctx, find)))


@command.command("people")
@click.pass_context
def people(ctx: click.Context) -> None:
    """List the people with their names at each place, and those who may be one person."""
    from daemon.collect.members import list_members, propose_joins

    async def ask(db: AsyncDatabase) -> tuple[list[str], list[str]]:
        members = [
            f"{each.shown}: {', '.join(f'{name} ({where})' for name, where in each.names)}"
            for each in await list_members(db)
        ]
        return members, [f"one person? {one} and {other}" for one, other in await propose_joins(db)]

    for lines in ask_database(ctx, ask):
        for line in lines:
            click.echo(line)


@command.command("join")
@click.argument("name")
@click.argument("other")
@click.pass_context
def join(ctx: click.Context, name: str, other: str) -> None:
    """Make one person of the two who are shown as NAME and OTHER; the person is shown as NAME."""
    from daemon.collect.members import join_persons

    ask_database(ctx, lambda db: join_persons(db, name, other))


@command.command("split")
@click.argument("name")
@click.argument("bridge")
@click.pass_context
def split(ctx: click.Context, name: str, bridge: str) -> None:
    """Make a separate person of whoever is NAME at the daemon BRIDGE."""
    from daemon.collect.members import split_person

    names = ask_database(ctx, lambda db: split_person(db, name, bridge))
    click.echo(f"a person of their own: {', '.join(names)}")


@command.command("rename")
@click.argument("name")
@click.argument("to")
@click.pass_context
def rename(ctx: click.Context, name: str, to: str) -> None:
    """Show the person NAME as TO, whatever the daemons call them."""
    from daemon.collect.members import rename_member

    click.echo(ask_database(ctx, lambda db: rename_member(db, name, to)))


@command.command("fold")
@click.option("--again", is_flag=True, help="Make the figures of all matches again.")
@click.pass_context
def fold(ctx: click.Context, *, again: bool) -> None:
    """Make figures of the matches that have none yet, which the collectors do by themselves."""
    from daemon.collect.folding_process import fold_now

    click.echo(f"folded: {fold_now(ctx.obj, again=again)}")


command.add_command(season)
