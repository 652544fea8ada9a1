"""The configuration: one TOML file, every key of it checked before anything starts.

What is not written has a default that works: a file with one `[[table]]` and its `board` is a complete one.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from daemon import files, plugins, rules
from daemon.equipment import codebook, identity
from daemon.errors import UserError
from daemon.mqtt import credentials
from daemon.sections import Config, TableConfig
from engine.games import GAMES, game, is_shipped, is_withheld, spelled_out
from engine.match import Match
from engine.options import read_options
from engine.record import Header, Unreadable, with_bots
from protocol.codebook import Codebook
from protocol.source import Source, SourceError
from protocol.topics import TopicError, check_base, check_name, check_prefix

T = TypeVar("T", bound=Struct)

DEFAULT_FILE = Path("/etc/oche/oche.toml")


class Setup(Struct, frozen=True):
    """A configuration that was checked, with the codebook of each table's board.

    `remarks` say which tables begin with another game than they should, because theirs is broken.
    """

    config: Config
    codebooks: tuple[Codebook, ...]
    remarks: tuple[str, ...] = ()


def read_config(path: Path) -> Setup:
    """The configuration in this file; raises UserError (status 2) with file, line and what would be right.

    The plug-ins beside it count from now on.
    """
    plugins.load(path.parent)
    text = files.source(path, "; name the configuration with --config FILE")
    try:
        return check(_placed(text.read(Config), path.parent.absolute()), text)
    except SourceError as error:
        raise UserError(str(error), 2) from None


def _placed(config: Config, folder: Path) -> Config:
    """With the files that it names found from this folder, whoever looks for them and from where."""

    def of(section: T) -> T:
        named = {key: getattr(section, key) for key in section.__struct_fields__ if key.endswith("_file")}
        return replace(section, **{key: str(folder / name) for key, name in named.items() if name})

    return replace(config, mqtt=of(config.mqtt), web=of(config.web))


def check(config: Config, source: Source) -> Setup:
    """What types cannot say: names, games, options, profiles. Raises SourceError."""
    _check_topics(config, source)
    try:
        credentials.check(config.mqtt)
    except credentials.Unusable as error:
        raise source.error(str(error), "mqtt", error.key) from None
    if not config.table:
        raise source.error("at least one [[table]] with a board is needed", "table")
    names = [table.name for table in config.table]
    boards: list[object] = []
    codebooks, tables, remarks = [], [], []
    for index, table in enumerate(config.table):
        if table.name in names[:index]:
            raise source.error(f"two tables are called {table.name!r}: give each its own name", "table", index, "name")
        codebooks.append(codebook(table, index, source))
        board = identity(table.board, codebooks[-1].profile)
        if board is not None and board in boards:
            raise source.error(f"two tables have the board {table.board}: each needs its own", "table", index, "board")
        boards.append(board)
        try:
            _check_game(table, codebooks[-1], index, source)
            tables.append(table)
        except _GameBroken as error:  # of a plug-in: the table plays something else, the others what they should
            tables.append(_with_another_game(table, codebooks[-1], index, source))
            remarks.append(f"the table {table.name} begins with {tables[-1].game}: {error}")
    whole = replace(config, table=tables)
    return Setup(_with_doubles(whole, source), tuple(codebooks), tuple(remarks))


def first_header(table: TableConfig) -> Header:
    """The header of the match a table opens with when its journal has none. Raises Unreadable."""
    header = Header(
        oche=1,
        game=table.game,
        players=list(table.players),
        options=table.options,
        teams=table.teams,
        seed=table.seed,
    )
    return with_bots(header)


def _check_topics(config: Config, source: Source) -> None:
    try:
        check_base(config.mqtt.base)
    except TopicError as error:
        raise source.error(str(error), "mqtt", "base") from None
    try:
        check_prefix(config.mqtt.discovery_prefix)
    except TopicError as error:
        raise source.error(str(error), "mqtt", "discovery_prefix") from None
    try:
        config.mqtt.brokers()
    except ValueError as error:
        raise source.error(str(error), "mqtt", "host") from None
    try:
        check_name(config.bridge.name, "bridge")
    except TopicError as error:
        raise source.error(str(error), "bridge", "name") from None
    for index, table in enumerate(config.table):
        try:
            check_name(table.name, "table")
        except TopicError as error:
            raise source.error(str(error), "table", index, "name") from None


def _with_doubles(config: Config, source: Source) -> Config:
    """With everybody's favourite doubles at every table. Raises SourceError."""
    for index, player in enumerate(config.player):
        if any(20 < number < 25 for number in player.doubles):
            raise source.error("doubles are 1 to 20, and 25 for the bull", "player", index, "doubles")
    known = {player.name: player.doubles for player in config.player if player.doubles}
    tables = [replace(table, doubles={**known, **table.doubles}) for table in config.table]
    return replace(config, table=tables) if known else config


class _GameBroken(Exception):
    """The game of a table is a plug-in that is broken; the text says how."""


def _with_another_game(table: TableConfig, board: Codebook, index: int, source: Source) -> TableConfig:
    """The table with the first game that its people can play on its face. Raises SourceError when there is none."""
    for name, found in GAMES.items():
        if is_shipped(name) and board.layout.name in found.layouts:
            other = replace(table, game=name, options={})
            with suppress(SourceError, _GameBroken):
                _check_game(other, board, index, source)
                return other
    raise source.error(f"no game for so many on the {board.layout.name} face", "table", index, "players")


def _check_game(table: TableConfig, board: Codebook, index: int, source: Source) -> None:
    """Raises SourceError, and _GameBroken where nobody but the author of a plug-in can do something."""
    face = board.layout
    try:
        first = first_header(table)
    except Unreadable as error:
        raise source.error(str(error), "table", index, "players") from None
    try:
        header = spelled_out(first)
    except Unreadable as error:
        if is_withheld(table.game):
            raise _GameBroken(str(error)) from None
        raise source.error(str(error), "table", index, "game") from None
    chosen = game(header.game)
    try:
        read_options(chosen, header.options)
    except Unreadable as error:
        raise source.error(str(error), "table", index, "options") from None
    if face.name not in chosen.layouts:
        wanted = " or ".join(chosen.layouts)
        message = f"{chosen.id} is played on the {wanted} face; the profile {board.profile.id} has the {face.name} face"
        raise source.error(message, "table", index, "game")
    try:
        with rules.asking(chosen):
            Match(header, chosen, "", face=face)
    except rules.RulesFailed as error:
        raise _GameBroken(str(error)) from None
    except Unreadable as error:
        raise source.error(str(error), "table", index, "teams" if table.teams else "players") from None
