"""Games and boards of third parties: added to those that ship; what is broken is left out and told.

A game comes as a Python package with an entry point in `oche.games`, or as a file (or package) in `games` beside the
configuration file; a board as a package with an entry point in `oche.boards`, or as a TOML file in `boards` there.
How they are found and tried: daemon/offers.py. What breaks later is the business of daemon/rules.py. A plug-in runs as
oche itself does, and is trusted as much.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from os.path import realpath
from pathlib import Path

from daemon.errors import UserError
from daemon.offers import Broken, Offer, beside, games_in_file, installed
from engine import games
from protocol import added
from protocol.codebook import load as load_profile
from protocol.codebook import shipped, shipped_names

__all__ = ["Broken", "add_file", "forget", "load"]

_WRITTEN_ID = re.compile(
    r"""^\s*id\s*(?::[^=\n]*)?=\s*["']([\w-]+)["']|Preset\(\s*(?:id\s*=\s*)?["'](\w+)["']""", re.MULTILINE
)


_loaded: tuple[Path, tuple[Broken, ...]] | None = None
_found: tuple[Offer | Broken, ...] = ()


def load(folder: Path) -> tuple[Broken, ...]:
    """Adds the plug-ins that are installed and those in this folder to what ships; never raises.

    Returns what is broken. Called again for the same folder it does nothing; for another one, that one's count.
    """
    global _loaded, _found  # noqa: PLW0603  the registries it fills are as global
    folder = folder.absolute()
    if _loaded is None or _loaded[0] != folder:
        forget()
        _found = (*installed(), *beside(folder))
        _loaded = folder, tuple(_add(_found))
    return _loaded[1]


def forget() -> None:
    """Back to what ships."""
    global _loaded, _found  # noqa: PLW0603  as above
    _loaded = None
    _found = ()
    games.forget_added()
    added.SOURCES.clear()
    added.WITHHELD.clear()
    shipped.cache_clear()


def add_file(file: Path) -> list[str]:
    """Adds the games in this file to what is known; their ids. Raises UserError for the first that is broken.

    It takes the place of the same file, or one of the same name, that is known already.
    """
    found = list(games_in_file(file))
    others = [each for each in _found if not _is_replaced(each.where, file)]
    forget()
    for broken in _add([*others, *found]):
        if broken.where == str(file):
            raise UserError(broken.reason, 1)
    return [offer.game.id for offer in found if isinstance(offer, Offer) and offer.game is not None]


def _is_replaced(where: str, file: Path) -> bool:
    return Path(where).name == file.absolute().name or realpath(where) == realpath(file)


def _add(found: Iterable[Offer | Broken]) -> Iterator[Broken]:
    """Adds what is whole and names are free for; tells the rest, and what anybody hears who asks for it."""
    owners: dict[str, str] = {}
    for each in found:
        broken = each if isinstance(each, Broken) else _added(each, owners)
        if broken is not None:
            yield broken
            for name in {broken.name, *_ids_in(Path(broken.where))}:
                games.withhold(name, str(broken))
                added.WITHHELD.setdefault(name.replace("_", "-"), str(broken))


def _added(offer: Offer, owners: dict[str, str]) -> Broken | None:
    if offer.game is not None:
        names = [offer.game.id, *(preset.id for preset in offer.presets)]
        taken = next((name for name in names if name in owners), None)
        if taken is not None:
            reason = f"the id {taken!r} is also that of {owners[taken]}: rename one of them"
            return Broken(names[0], offer.where, reason)
        try:
            games.add(offer.game, offer.presets)
        except ValueError as error:
            return Broken(names[0], offer.where, str(error))
    else:
        assert offer.board is not None
        book = load_profile(offer.board)
        names = [book.profile.id]
        if names[0] in shipped_names():
            reason = f"the id {names[0]!r} is of a profile that ships: choose another"
            return Broken(names[0], offer.where, str(offer.board.error(reason, "id")))
        if names[0] in added.SOURCES:
            reason = f"the id {names[0]!r} is also that of {owners[names[0]]}: rename one of them"
            return Broken(names[0], offer.where, str(offer.board.error(reason, "id")))
        added.SOURCES[names[0]] = offer.board
    owners.update(dict.fromkeys(names, offer.where))
    return None


def _ids_in(file: Path) -> set[str]:
    """The ids that a broken file would have brought, as far as can be seen: whoever asks for one is told what is up."""
    try:
        text = (file / "__init__.py" if file.is_dir() else file).read_text(encoding="utf-8", errors="replace")
    except (OSError, RuntimeError, ValueError):
        return set()
    known = {*games.GAMES, *games.PRESETS}
    return {found[1] or found[2] for found in _WRITTEN_ID.finditer(text)} - known
