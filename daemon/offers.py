"""What third parties offer: each game and each board found, imported and tried, or the reason why it is broken.

Everything is tried before anybody can choose it, so that a game that cannot even start never reaches a table.
"""

from __future__ import annotations

import importlib.util
import logging
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib import resources
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import NamedTuple, TypeVar

import msgspec

from daemon import files, profiles, rules
from daemon.errors import UserError
from daemon.overrun import limited
from engine.fitness import Unfit, check_game, check_preset, check_preset_options
from engine.game import Preset
from engine.match import Match
from engine.trial import trial
from protocol.codebook import load as load_profile
from protocol.source import Source

T = TypeVar("T")

log = logging.getLogger("oche.plugins")

LIMIT_S = 10.0
"""Processor time for the import of one plug-in, and for the trial of one game."""
_PAYLOAD_BYTES = 4096
"""Of a state for two players: what small displays can take."""


class Broken(NamedTuple):
    """A plug-in that is not used: its name, the file or the entry point it came from, and why, in one sentence."""

    name: str
    where: str
    reason: str

    def __str__(self) -> str:
        reason = self.reason.removeprefix(f"{self.where}: ").removeprefix(f"{self.where}, ")
        return f"the plug-in {self.name} is not used ({self.where}{', ' if reason != self.reason else ': '}{reason})"


class Offer(NamedTuple):
    """A game that passed its trial, with its presets, or the text of a board."""

    where: str
    game: rules.AnyGame | None = None
    presets: tuple[Preset, ...] = ()
    board: Source | None = None


@cache
def installed() -> tuple[Offer | Broken, ...]:
    """What Python packages bring; it stays the same while a process runs."""
    found: list[Offer | Broken] = []
    for point in sorted(entry_points(group="oche.games"), key=lambda point: point.name):
        found += _games_of(point.name, _where(point), point.load)
    for point in sorted(entry_points(group="oche.boards"), key=lambda point: point.name):
        sources = _tried(point.name, _where(point), partial(_sources, point))
        if isinstance(sources, Broken):
            found.append(sources)
        else:
            found += [_board(source.file.rpartition(", ")[2].removesuffix(".toml"), source) for source in sources]
    return tuple(found)


def beside(folder: Path) -> Iterator[Offer | Broken]:
    """What lies beside the configuration file."""
    for kind, ending in (("games", ".py"), ("boards", ".toml")):
        try:
            files_there = sorted((folder / kind).iterdir())
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            yield Broken(kind, str(folder / kind), f"cannot read {folder / kind}: {files.reason(error)}")
            continue
        for file in files_there:
            if file.name.startswith((".", "_")):
                continue
            if ending == ".toml" and file.suffix == ending:
                yield _board_file(file)
            elif ending == ".py" and (file.suffix == ending or _is_package(file)):
                yield from games_in_file(file)


def _is_package(file: Path) -> bool:
    try:
        return (file / "__init__.py").is_file()
    except OSError:
        return False


def _board_file(file: Path) -> Offer | Broken:
    try:
        return _board(file.stem, files.source(file))
    except (UserError, OSError, RuntimeError) as error:
        return Broken(file.stem, str(file), str(error))


def _board(name: str, source: Source) -> Offer | Broken:
    try:
        book = load_profile(source)
        profiles.check_packets(book.profile, book.profile.link)
        written = book.profile.id
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", written):
            raise source.error(f"the id {written!r} must be of a to z, 0 to 9 and dashes", "id")
    except ValueError as error:
        return Broken(name, source.file, str(error))
    return Offer(source.file, board=source)


def games_in_file(file: Path) -> Iterator[Offer | Broken]:
    """The games in this file, or in this folder with an `__init__.py`."""
    return iter(_games_of(file.stem, str(file), lambda: _module(file)))


def _module(file: Path) -> ModuleType:
    """This file as a module with a name of its own, which nothing else is called; a folder as a package."""
    is_package = file.is_dir()
    path = file / "__init__.py" if is_package else file
    path.read_bytes()  # an import says less well why it cannot be read
    name = f"oche_plugin_{file.stem}"
    for known in [known for known in sys.modules if known == name or known.startswith(f"{name}.")]:
        del sys.modules[known]
    spec = importlib.util.spec_from_file_location(
        name, path, submodule_search_locations=[str(file)] if is_package else None
    )
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


def _sources(point: EntryPoint) -> list[Source]:
    """The texts in a package of boards."""
    texts = [file for file in resources.files(point.load()).iterdir() if file.name.endswith(".toml")]
    if not texts:
        raise Unfit("there is no TOML file in that package")
    return [Source(file.read_text(encoding="utf-8"), f"{_where(point)}, {file.name}") for file in texts]


def _games_of(name: str, where: str, find: Callable[[], object]) -> list[Offer | Broken]:
    """What a module offers, or an object like one: each game after its trial, with the presets that are of it."""
    listed = _tried(name, where, lambda: _listed(find()))
    if isinstance(listed, Broken):
        return [listed]
    found: list[Offer | Broken] = []
    for game, presets in listed:
        broken = _tried(game.id, where, partial(_try, game, presets), rules.file_of(game))
        found.append(broken if broken is not None else Offer(where, game, presets))
    return found


def _listed(module: object) -> list[tuple[rules.AnyGame, tuple[Preset, ...]]]:
    """The games of a module, each with its presets. Raises Unfit."""
    given = getattr(module, "GAMES", None)
    if not isinstance(given, list | tuple):
        raise Unfit("it has no GAMES: list an instance of each game, as in GAMES = [Nearest()]")
    if not given:
        raise Unfit("its GAMES is empty: list an instance of each game, as in GAMES = [Nearest()]")
    games = [check_game(each) for each in given]
    presets = [check_preset(each, [game.id for game in games]) for each in getattr(module, "PRESETS", ())]
    return [(game, tuple(preset for preset in presets if preset.game == game.id)) for game in games]


def _try(game: rules.AnyGame, presets: tuple[Preset, ...]) -> None:
    trial(game, _check_state)
    for preset in presets:
        check_preset_options(preset, game)


def _tried(name: str, where: str, work: Callable[[], T], file: str | None = None) -> T | Broken:
    """What came of it, or how it is broken: whatever an import or a rule does there, it is that plug-in's failure."""
    try:
        with limited(LIMIT_S):
            return work()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  the loader of plug-ins may, and it tells
        return _broken(name, where, error, file)


def _check_state(match: Match) -> None:
    """Raises Unfit for what no small display could take, and whatever a rule raises."""
    size = max(len(msgspec.json.encode(state)) for state in rules.sound(match))
    if size > _PAYLOAD_BYTES:
        raise Unfit(f"{match.game.id} shows {size} bytes for two players, and {_PAYLOAD_BYTES} are the most")


def _broken(name: str, where: str, error: BaseException, file: str | None = None) -> Broken:
    log.debug("the plug-in %s", name, exc_info=error)
    if isinstance(error, Unfit):
        return Broken(name, where, " ".join(str(error).split()))
    if isinstance(error, OSError) and error.filename is not None:
        return Broken(name, where, f"cannot read {error.filename}: {files.reason(error)}")
    return Broken(name, where, rules.reason(error, file or where))


def _where(point: EntryPoint) -> str:
    return f"the entry point {point.name} of the package {point.dist.name if point.dist else '?'}"
