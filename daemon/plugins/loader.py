"""Loading of third-party games and boards: found, imported, tried, and added to those that ship.

A game comes as a Python package with an entry point in `oche.games`, or as a file (or package) in `games` beside the
configuration file; a board as a package with an entry point in `oche.boards`, or as a TOML file in `boards` there.
Each game is tried before it can be chosen, and what is broken is left out and reported. What fails later:
daemon/plugins/rule_guard.py. A plug-in runs as oche itself does, and is trusted as much.
"""

from __future__ import annotations

import importlib.util
import logging
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache, partial
from importlib import resources
from importlib.metadata import EntryPoint, entry_points
from os.path import realpath
from pathlib import Path
from types import ModuleType
from typing import NamedTuple, TypeVar

import msgspec
from msgspec import Struct

from daemon import files
from daemon.errors import UserError
from daemon.plugins.broken import BrokenPlugin, say_taken
from daemon.plugins.rule_guard import Limit, Overrun, describe_failure, locate_error
from daemon.plugins.trial_process import try_in_child
from daemon.rules import AnyGame, Guard
from daemon.snapshot import make_states
from engine import games
from engine.game import Game, Preset
from engine.game_check import InvalidGame, check_game, check_preset, check_preset_options
from engine.match import Match
from engine.trial import trial
from protocol import codebook
from protocol.codebook import list_shipped, shipped
from protocol.codebook import load as load_profile
from protocol.sentence import Sentence, get_reason, say
from protocol.source import Source

T = TypeVar("T")
log = logging.getLogger("oche.plugins")
LIMIT_S = 4.0
"""Processor time for the import of one plug-in, and for the trial of one game."""
_PAYLOAD_BYTES = 4096
"""The size of a state for two players that small displays can take."""
_WRITTEN_ID = re.compile(
    r"""^\s*id\s*(?::[^=\n]*)?=\s*["']([\w-]+)["']|Preset\(\s*(?:id\s*=\s*)?["'](\w+)["']""", re.MULTILINE
)
Sources = tuple[Path | None, tuple[Path, ...]]
"""The folder that was loaded, and the files that were added afterwards."""
_loaded: tuple[Path, tuple[BrokenPlugin, ...]] | None = None
_sources: Sources = (None, ())
_found: tuple[Plugin | BrokenPlugin, ...] = ()


class Plugin(Struct, frozen=True):
    """A game that passed its trial, with its presets, or the text of a board."""

    where: str
    game: AnyGame | None = None
    presets: tuple[Preset, ...] = ()
    board: Source | None = None


@cache
def _find_installed() -> tuple[Plugin | BrokenPlugin, ...]:
    """The plug-ins of installed Python packages, which stay the same while a process runs."""
    found: list[Plugin | BrokenPlugin] = []
    installed = entry_points()
    for point in sorted(installed.select(group="oche.games"), key=lambda point: point.name):
        found += _find_games(point.name, _describe_entry_point(point), _find_package_name(point), point.load)
    for point in sorted(installed.select(group="oche.boards"), key=lambda point: point.name):
        where = _describe_entry_point(point)
        work = partial(_load_boards, point, where)
        broken = _try_in_child(point.name, where, _find_package_name(point), work)
        found += work() if broken is None else [broken]
    return tuple(found)


def _load_boards(point: EntryPoint, where: str) -> list[Plugin | BrokenPlugin]:
    sources = _attempt(point.name, where, partial(_read_sources, point), _find_package_name(point))
    if isinstance(sources, BrokenPlugin):
        return [sources]
    return [_load_board(source.file.rpartition(", ")[2].removesuffix(".toml"), source) for source in sources]


def _find_beside(folder: Path) -> Iterator[Plugin | BrokenPlugin]:
    """Yields the plug-ins in this folder, which has the configuration."""
    for kind, ending in (("games", ".py"), ("boards", ".toml")):
        try:
            files_there = sorted((folder / kind).iterdir())
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            why = files.say_reason(error)
            said = say("plugin.unread", "cannot read {name}: {why}", name=str(folder / kind), why=why)
            yield BrokenPlugin(kind, str(folder / kind), said)
            continue
        for file in files_there:
            if file.name.startswith((".", "_")):
                continue
            if ending == ".toml" and file.suffix == ending:
                yield _load_board_file(file)
            elif ending == ".py" and (file.suffix == ending or is_package(file)):
                yield from _find_games_in_file(file)


def is_package(file: Path) -> bool:
    """Returns whether this is a folder that Python can import."""
    try:
        return (file / "__init__.py").is_file()
    except OSError:
        return False


def _load_board_file(file: Path) -> Plugin | BrokenPlugin:
    try:
        return _load_board(file.stem, files.read_source(file))
    except (UserError, OSError, RuntimeError) as error:
        return BrokenPlugin(file.stem, str(file), get_reason(error))


def _load_board(name: str, source: Source) -> Plugin | BrokenPlugin:
    try:
        with Limit(LIMIT_S):
            book = load_profile(source)
        codebook.check_packets(book.profile, book.profile.link)
        written = book.profile.id
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", written):
            said = say("plugin.id", "the id {given} may only contain a to z, 0 to 9 and dashes", given=repr(written))
            raise source.error(said, "id")
    except ValueError as error:
        return BrokenPlugin(name, source.file, get_reason(error))
    except Overrun as error:
        return BrokenPlugin(name, source.file, str(error))
    return Plugin(source.file, board=source)


def _find_games_in_file(file: Path) -> list[Plugin | BrokenPlugin]:
    """The games in this file, or in this folder with an `__init__.py`."""
    return _find_games(file.stem, str(file), _make_module_name(file), lambda: _import_file(file))


def _make_module_name(file: Path) -> str:
    return f"oche_plugin_{file.stem}"


def _import_file(file: Path) -> ModuleType:
    is_package = file.is_dir()
    path = file / "__init__.py" if is_package else file
    files.read_bytes(path)  # the error of an import says less, and a device has no end
    name = _make_module_name(file)
    for known in [known for known in sys.modules if known == name or known.startswith(f"{name}.")]:
        del sys.modules[known]
    folders = [str(file)] if is_package else None
    spec = importlib.util.spec_from_file_location(name, path, submodule_search_locations=folders)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    writes, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        spec.loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = writes
    return module


def _read_sources(point: EntryPoint) -> list[Source]:
    """The TOML files of a package of boards. Raises InvalidGame when there is none."""
    texts = [file for file in resources.files(point.load()).iterdir() if file.name.endswith(".toml")]
    if not texts:
        raise InvalidGame("there is no TOML file in this package")
    return [Source(file.read_text(encoding="utf-8"), f"{_describe_entry_point(point)}, {file.name}") for file in texts]


def _find_games(name: str, where: str, module: str, find: Callable[[], object]) -> list[Plugin | BrokenPlugin]:
    """The games of a module, or of an object like one, each after its trial and with its presets."""
    work = partial(_try_games, name, where, module, find)
    broken = _try_in_child(name, where, module, work)
    return work() if broken is None else [broken]


def _try_games(name: str, where: str, module: str, find: Callable[[], object]) -> list[Plugin | BrokenPlugin]:
    listed = _attempt(name, where, lambda: _list_games(find()), module)
    if isinstance(listed, BrokenPlugin):
        return [listed]
    found: list[Plugin | BrokenPlugin] = []
    for game, presets in listed:
        broken = _attempt(game.id, where, partial(_try_game, game, presets), game)
        found.append(broken if broken is not None else Plugin(where, game, presets))
    return found


def _list_games(module: object) -> list[tuple[AnyGame, tuple[Preset, ...]]]:
    given = getattr(module, "GAMES", None)
    if not isinstance(given, list | tuple):
        raise InvalidGame("it has no GAMES: list an instance of each game, as in GAMES = [Nearest()]")
    if not given:
        raise InvalidGame("its GAMES is empty: list an instance of each game, as in GAMES = [Nearest()]")
    games = [check_game(each) for each in given]
    presets = [check_preset(each, [game.id for game in games]) for each in getattr(module, "PRESETS", ())]
    return [(game, tuple(preset for preset in presets if preset.game == game.id)) for game in games]


def _try_game(game: AnyGame, presets: tuple[Preset, ...]) -> None:
    trial(game, _check_state)
    for preset in presets:
        check_preset_options(preset, game)


def _attempt(name: str, where: str, work: Callable[[], T], by: AnyGame | str | None = None) -> T | BrokenPlugin:
    """What `work` returns; a BrokenPlugin when it raises anything or takes too long.

    `by` is the game whose rules are called, or the module that is imported.
    """
    try:
        with Limit(LIMIT_S):
            return work()
    except KeyboardInterrupt:  # of a person: what a plug-in raises has been met in its trial
        raise
    except BaseException as error:  # noqa: BLE001  the loader of plug-ins may, and it reports it
        return _explain(name, where, error, by)


def _try_in_child(
    name: str, where: str, module: str, work: Callable[[], list[Plugin | BrokenPlugin]]
) -> BrokenPlugin | None:
    """Does this work in a child process first; returns a BrokenPlugin if it must not be done in this one."""

    def find_endless() -> str | None:
        reasons = [str(each.said) for each in work() if isinstance(each, BrokenPlugin)]
        return next((reason for reason in reasons if reason.endswith(str(Overrun()))), None)

    reason = try_in_child(find_endless, lambda error: str(_explain(name, where, error, module).said))
    return None if reason is None else BrokenPlugin(name, where, reason)


def _check_state(match: Match) -> None:
    """Raises InvalidGame for a state that is too large for small displays, and whatever a rule raises."""
    if match.game.sides[-1] * match.game.team_size[-1] > 2:  # then a state says it, where more than two play
        match.find_next()
    public, hands = make_states(match)
    size = max(len(msgspec.json.encode(state)) for state in (public, *hands))
    if size > _PAYLOAD_BYTES:
        raise InvalidGame(f"{match.game.id} shows {size} bytes for two players; the limit is {_PAYLOAD_BYTES}")


def _explain(name: str, where: str, error: BaseException, by: AnyGame | str | None) -> BrokenPlugin:
    log.debug("the plug-in %s", name, exc_info=error)
    if isinstance(error, InvalidGame) and error.method is None:
        return BrokenPlugin(name, where, " ".join(str(error).split()))
    if isinstance(error, OSError) and error.filename is not None:
        return BrokenPlugin(name, where, f"cannot read {error.filename}: {files.explain(error)}")
    if isinstance(by, Game):
        return BrokenPlugin(name, where, describe_failure(by, error))
    return BrokenPlugin(name, where, locate_error(error, [by] if by else [], where))


def _find_package_name(point: EntryPoint) -> str:
    return point.module.partition(".")[0]


def _describe_entry_point(point: EntryPoint) -> str:
    return f"the entry point {point.name} of the package {point.dist.name if point.dist else '?'}"


def load(folder: Path) -> tuple[BrokenPlugin, ...]:
    """Adds the installed plug-ins and those in this folder to what ships; returns the broken ones. Never raises.

    Called again for the same folder it does nothing; for another folder it starts again from what ships.
    """
    global _loaded, _found, _sources  # noqa: PLW0603  the registries it fills are as global
    folder = folder.absolute()
    if _loaded is None or _loaded[0] != folder:
        forget()
        _found = (*_find_installed(), *_find_beside(folder))
        _loaded, _sources = (folder, tuple(_add_all(_found))), (folder, ())
    return _loaded[1]


class PluginStatus(NamedTuple):
    """A plug-in, and why it is not used; `said` is "" where it is."""

    name: str
    where: str
    said: str | Sentence = ""


def list_statuses(guard: Guard) -> list[PluginStatus]:
    """Returns what became of each plug-in that `load` has found, with the games that this guard has withdrawn."""
    used = []
    for each in _found:
        game = each.game if isinstance(each, Plugin) else None
        if game is not None and games.GAMES.get(game.id) is game:
            used.append(PluginStatus(game.id, each.where, guard.find_withdrawal_reason(game) or ""))
    used += [PluginStatus(name, source.file) for name, source in codebook.ADDED.items()]
    broken = _loaded[1] if _loaded is not None else ()
    return [*used, *(PluginStatus(*each) for each in broken)]


def forget() -> None:
    """Removes all plug-ins that were added."""
    global _loaded, _found, _sources
    _loaded, _found, _sources = None, (), (None, ())
    games.forget_added()
    codebook.ADDED.clear()
    codebook.WITHHELD.clear()
    shipped.cache_clear()


def add_file(file: Path) -> list[str]:
    """Adds the games in this file and returns their ids. Raises UserError for the first that is broken.

    The file replaces itself, or one of the same name, where that was added before.
    """
    global _sources  # noqa: PLW0603  as above
    folder, added = _sources
    found = _find_games_in_file(file)
    others = [each for each in _found if not _is_replaced(each.where, file)]
    forget()
    for broken in _add_all([*others, *found]):
        if broken.where == str(file):
            raise UserError(str(broken.said) if str(file) in str(broken.said) else f"{file}: {broken.said}")
    _sources = folder, (*added, file.absolute())
    return [plugin.game.id for plugin in found if isinstance(plugin, Plugin) and plugin.game is not None]


def list_sources() -> Sources:
    """What the plug-ins of this process were loaded from."""
    return _sources


def load_again(sources: Sources) -> None:
    """Loads in a new process what another one has loaded; passes over what is broken by now."""
    folder, added = sources
    if folder is not None:
        load(folder)
    for file in added:
        with suppress(UserError):
            add_file(file)


def _is_replaced(where: str, file: Path) -> bool:
    return Path(where).name == file.absolute().name or realpath(where) == realpath(file)


def _add_all(found: Iterable[Plugin | BrokenPlugin]) -> Iterator[BrokenPlugin]:
    """Adds these plug-ins; yields those that are broken, or whose names are taken, and withholds their names."""
    owners: dict[str, str] = {}
    for each in found:
        broken = each if isinstance(each, BrokenPlugin) else _add_plugin(each, owners)
        if broken is not None:
            yield broken
            for name in {broken.name, *_find_ids(Path(broken.where))}:
                games.withhold(name, str(broken))
                if (board := name.replace("_", "-")) not in list_shipped():  # a copy of it that is wrong yet
                    codebook.WITHHELD.setdefault(board, broken.refusal)


def _add_plugin(plugin: Plugin, owners: dict[str, str]) -> BrokenPlugin | None:
    if plugin.game is not None:
        names = [plugin.game.id, *(preset.id for preset in plugin.presets)]
        taken = next((name for name in names if name in owners), None)
        if taken is not None:
            return BrokenPlugin(names[0], plugin.where, say_taken(taken, owners))
        try:
            games.add(plugin.game, plugin.presets)
        except ValueError as error:
            return BrokenPlugin(names[0], plugin.where, str(error))
    else:
        assert plugin.board is not None
        book = load_profile(plugin.board)
        names = [book.profile.id]
        if names[0] in (*list_shipped(), *codebook.ADDED):
            said = say(
                "plugin.shipped",
                "the id {given} belongs to a shipped profile: choose another",
                given=repr(names[0]),
            )
            if names[0] in codebook.ADDED:
                said = say_taken(names[0], owners)
            return BrokenPlugin(names[0], plugin.where, get_reason(plugin.board.error(said, "id")))
        codebook.ADDED[names[0]] = plugin.board
    owners.update(dict.fromkeys(names, plugin.where))
    return None


def _find_ids(file: Path) -> set[str]:
    """The ids that a broken file seems to define, so that the reason can be given where one is asked for."""
    try:
        text = files.read_bytes(file / "__init__.py" if file.is_dir() else file).decode(errors="replace")
    except (OSError, RuntimeError, ValueError):
        return set()
    known = {*games.GAMES, *games.PRESETS}
    return {found[1] or found[2] for found in _WRITTEN_ID.finditer(text)} - known
