"""The tables of docs/commands.md, made from the command line itself."""

from __future__ import annotations

from collections.abc import Iterator

import click

from daemon.cli import COMMANDS, oche

BEGIN, END = "<!-- commands, written by make docs -->\n\n", "\n\n<!-- end of commands -->"
PLACES = {
    "Play": {
        "play": "playing.md#the-demo",
        "games": "playing.md#the-games",
        "replay": "playing.md#a-match-as-a-file",
    },
    "Set up": {
        "run": "install.md#without-a-package",
        "scan": "scan.md",
        "config check": "configuration.md",
        "lights try": "outlets.md#lights",
        "lights import": "outlets.md#from-darts-wled",
        "token": "wall-and-phones.md",
    },
    "Boards": {
        "boards list": "boards.md",
        "boards show": "boards.md",
        "boards learn": "boards.md#a-board-that-is-not-in-the-list",
        "boards check": "profiles.md#from-a-board-to-a-game",
        "boards decode": "profiles.md#from-a-board-to-a-game",
        "boards udev": "profiles.md#the-first-bytes-of-a-usb-or-bluetooth-board",
        "capture": "captures.md",
    },
    "Matches and players": {
        "stats": "statistics.md#how-well-you-throw",
        "history list": "statistics.md#the-matches",
        "history show": "statistics.md#the-matches",
        "history export": "statistics.md#the-matches",
        "history delete": "statistics.md#the-matches",
        "history fetch": "league.md#is-it-there",
        "players list": "statistics.md#the-players",
        "players rename": "statistics.md#the-players",
        "players merge": "statistics.md#the-players",
        "players split": "statistics.md#the-players",
        "players forget": "statistics.md#forget-a-player",
    },
    "A league": {
        "collect": "league.md#the-collector",
        "collect init": "league.md#the-database",
        "collect status": "league.md#what-it-has-taken",
        "collect bridges": "league.md#the-daemons",
        "collect place": "league.md#the-daemons",
        "collect accept": "league.md#the-daemons",
        "collect again": "league.md#the-database",
        "collect fold": "league.md#the-figures",
        "collect people": "league.md#the-people",
        "collect join": "league.md#the-people",
        "collect split": "league.md#the-people",
        "collect rename": "league.md#the-people",
        "league": "league.md#the-pages-of-a-league",
        "league token add": "league.md#tokens",
        "league token list": "league.md#tokens",
        "league token remove": "league.md#tokens",
        "collect season add": "league.md#the-file",
        "collect season list": "league.md#what-no-board-says",
        "collect season show": "league.md#what-no-board-says",
        "collect season day": "league.md#a-match-day",
        "collect season result": "league.md#what-no-board-says",
        "collect season forfeit": "league.md#what-no-board-says",
        "collect season postpone": "league.md#what-no-board-says",
        "collect season deduct": "league.md#what-no-board-says",
        "collect season withdraw": "league.md#what-no-board-says",
        "collect season undo": "league.md#what-no-board-says",
        "collect season remove": "league.md#what-no-board-says",
    },
    "Maintain": {
        "doctor": "doctor.md",
        "report": "doctor.md#a-report-for-others",
        "backup": "install.md#backup",
        "restore": "moving.md",
        "help": "#help",
    },
}
"""Where each command is explained, below the headings of the page."""


def list_commands() -> Iterator[tuple[str, click.Command]]:
    """Yields each command that can be typed, with its name: of a group its members, and itself if it runs."""
    context = click.Context(oche)
    for name in COMMANDS:
        command = oche.get_command(context, name)
        assert command is not None
        yield from _list_below(name, command, context)


def _list_below(name: str, command: click.Command, context: click.Context) -> Iterator[tuple[str, click.Command]]:
    if not isinstance(command, click.Group):
        yield name, command
        return
    if command.invoke_without_command:
        yield name, command
    for member in command.list_commands(context):
        found = command.get_command(context, member)
        assert found is not None
        yield from _list_below(f"{name} {member}", found, context)


def with_commands(page: str) -> str:
    """The page with the tables as they are now. Raises KeyError for a place of a command that there is not."""
    before, _, rest = page.partition(BEGIN)
    _, found, after = rest.partition(END)
    assert found, "docs/commands.md has lost a mark of the commands"
    commands = dict(list_commands())
    tables = []
    for title, places in PLACES.items():
        rows = (_make_row(name, commands.pop(name), place) for name, place in places.items())
        tables.append("\n".join((f"## {title}\n", "| command | what it does | more |", "|---|---|---|", *rows)))
    assert not commands, f"give each of these a place in {__file__}: {', '.join(commands)}"
    return before + BEGIN + "\n\n".join(tables) + END + after


def _make_row(name: str, command: click.Command, place: str) -> str:
    """What is typed, without options, the first sentence of its help, and the page that says more."""
    arguments = [] if isinstance(command, click.Group) else command.collect_usage_pieces(click.Context(command))[1:]
    typed = " ".join(("oche", name, *arguments)).replace("|", r"\|")
    page = place.partition("#")[0] or "below"
    return f"| `{typed}` | {command.get_short_help_str(1000)} | [{page}]({place}) |"
