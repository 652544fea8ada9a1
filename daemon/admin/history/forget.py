"""Forgetting a player, and deleting matches.

The matches of a forgotten player keep their darts, and have a neutral name in the place of the player's.
Only here are journals rewritten. What is no journal that is read, a backup or one that was set aside, keeps the
name, and so does a former configuration: the caller gets the list of those that are beside the journals.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from daemon.admin.clips.clip_files import list_filmed, remove_clips_of
from daemon.admin.history.match_cache import FILE, erase_players
from daemon.admin.players.book import PlayerBook
from daemon.admin.players.names import make_neutral_name
from daemon.admin.settings.settings_history import SettingsHistory
from daemon.admin.temporary import LEAGUE_SINCE, TOURNAMENTS
from daemon.errors import UserError
from daemon.files import explain_errors
from daemon.journal.current import MatchCopy
from daemon.journal.errors import StoreError
from daemon.journal.journal_file import erase_matches, rewrite_headers
from daemon.journal.mending import check_settled
from daemon.journal.stored import StoredJournal, find_copies, find_journals
from protocol.player_names import name_key

_NO_TITLE = "routine"


class Forgotten(Struct, frozen=True):
    """In how many matches a player was; `left` are the files that may still have the name, a path or sentence each."""

    matches: int
    left: tuple[str, ...]


def find_keys(folder: Path, name: str) -> frozenset[str]:
    """The keys of all names of the player of this name. Raises UserError."""
    return frozenset(map(name_key, _find_names(folder, name)))


def _find_names(folder: Path, name: str) -> tuple[str, ...]:
    player = PlayerBook(folder).find(name)
    return (name,) if player is None else (name, player.name, *player.names)


def tell_league_to_forget(folder: Path, name: str) -> bool:
    """Notes that the league is to forget the player of this name; False where this daemon never had a league.

    It is to be done before the player is forgotten here, who has no other names then. Raises UserError.
    """
    if not (folder / LEAGUE_SINCE).exists():
        return False
    from daemon.league.store import LeagueStore  # noqa: PLC0415  only where there is a league

    LeagueStore(folder).add_forgetting(_find_names(folder, name))
    return True


def has_player(header: dict[str, Any], keys: Collection[str]) -> bool:  # Any: JSON
    """Whether a person with a name of these keys is in the match of this header."""
    return write_neutral_names(header, keys) != header


def forget_player(
    folder: Path, keys: Collection[str], *, is_dry_run: bool = False, tables: Collection[str] = ()
) -> Forgotten:
    """Rewrites the headers of all matches with this player, and deletes plans; not of the latest of each of `tables`.

    The daemon has that one in memory, and rewrites it itself, without its plan. In tournaments the names are
    overwritten, and the daemon has to read those again. The clips of these matches are deleted,
    and those of matches that no journal has, as where an older backup was put back, or that cannot be read: nobody
    knows who is in them. A dry run only counts. Raises StoreError when it cannot be done to the end, after all else is
    done, and UserError: it can be repeated.
    """
    if not is_dry_run:
        check_settled(folder)
    rewritten: set[str] = set()
    left: list[str] = []
    failures: list[str] = []
    unknown: set[str] = set()
    with collect_error(failures):
        unknown = set() if is_dry_run else list_filmed(folder)  # first: the match of a clip is in its journal before it
    for journal in find_journals(folder):
        try:
            headers, plan = journal.all_headers(), journal.plan()
        except StoreError as error:
            left.append(str(error))
            continue
        unknown -= {match for match, _ in headers.values()}
        if journal.table in tables and headers:
            del headers[max(headers)]
            plan = None
        found = {number: each for number, each in headers.items() if has_player(each[1], keys)}
        of_player = {match for match, _ in found.values()}
        rewritten |= of_player
        if not is_dry_run:
            with collect_error(failures):
                remove_clips_of(folder, of_player)  # first: afterwards no match is known as the player's
            with collect_error(failures):
                rewrite_headers(
                    journal.path,
                    {number: write_neutral_names(header, keys) for number, (_, header) in found.items()},
                    without_plan=plan is not None and has_player(plan, keys),
                )
            with collect_error(failures):
                _rewrite_copy(journal, keys)
    if not is_dry_run:
        with collect_error(failures):
            remove_clips_of(folder, unknown)
        with collect_error(failures):
            erase_players(folder / FILE, keys)
        with collect_error(failures):
            _erase_in_tournaments(folder, keys)
    if failures:
        raise StoreError("; ".join(failures))
    former = (file for file in SettingsHistory(folder).list_kept() if _may_name(file, keys))
    return Forgotten(len(rewritten), (*left, *map(str, (*find_copies(folder), *former))))


def delete_matches(folder: Path, matches: Collection[str]) -> None:
    """Deletes the matches of these ids from every journal, also from copies.

    Raises StoreError when it cannot be done to the end, after all else is done: it can be repeated.
    """
    check_settled(folder)
    failures: list[str] = []
    with collect_error(failures):
        remove_clips_of(folder, matches)
    for journal in find_journals(folder):
        try:
            numbers = [head.number for head in journal.heads() if head.id in matches]
        except StoreError:
            continue  # the reading has told that this one cannot be read
        with collect_error(failures):
            copy = MatchCopy(journal.path)
            if (copied := copy.read()) is not None and copied.id in matches:
                # Else the match would be taken for one that the journal has lost.
                with explain_errors(f"cannot write {copy.path}", "; check the disk, and try again"):
                    copy.rewrite(None)
            erase_matches(journal.path, numbers)
    if failures:
        raise StoreError("; ".join(failures))


def _erase_in_tournaments(folder: Path, keys: Collection[str]) -> None:
    """Raises StoreError."""
    if (path := folder / TOURNAMENTS).exists():
        from daemon.tournament.store import erase_names  # noqa: PLC0415  only where there are some

        erase_names(path, keys, make_neutral_name)


@contextmanager
def collect_error(found: list[str]) -> Iterator[None]:
    """Adds the error that ends the block, if one does: what is to be erased elsewhere is not to wait for this."""
    try:
        yield
    except (StoreError, UserError) as error:
        found.append(str(error))


def _may_name(file: Path, keys: Collection[str]) -> bool:
    """Whether a configuration has a name of these keys, or cannot be read."""
    try:
        found = tomllib.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return True
    return any(name_key(text) in keys for text in _list_texts(found))


def _list_texts(value: object) -> Iterator[str]:
    """Yields all texts in a value of a TOML file, those of keys too."""
    match value:
        case str():
            yield value
        case list():
            for each in value:
                yield from _list_texts(each)
        case dict():
            yield from value
            yield from _list_texts([*value.values()])


def _rewrite_copy(journal: StoredJournal, keys: Collection[str]) -> None:
    """Takes the names out of the copy of the current match. Raises UserError."""
    copy = MatchCopy(journal.path)
    copied = copy.read()
    if copied is None or (copied.is_whole and copied.match and not has_player(copied.match.header, keys)):
        return
    header = copied.match and write_neutral_names(copied.match.header, keys)
    with explain_errors(f"cannot write {copy.path}", "; check the disk, and try again"):
        copy.rewrite(copied.match and copied.match._replace(header=header or {}))


def write_neutral_names(header: dict[str, Any], keys: Collection[str]) -> dict[str, Any]:  # Any: JSON
    """The header with neutral names for the people of these keys; teams and routines called after them lose theirs."""
    players, bots = header.get("players"), header.get("bots") or ()
    if not isinstance(players, list):
        return header
    changed = dict(header)
    ghosts = [*(header.get("ghosts") or ())]
    is_ghost = [isinstance(ghost, dict) and name_key(str(ghost.get("player"))) in keys for ghost in ghosts]
    like = [*(header.get("like") or ())]
    is_like = [isinstance(model, dict) and name_key(str(model.get("player"))) in keys for model in like]
    changed["players"] = [
        make_neutral_name(seat)
        if (seat < len(ghosts) and is_ghost[seat])
        or (seat < len(like) and is_like[seat])
        or (isinstance(name, str) and name_key(name) in keys and not (seat < len(bots) and bots[seat] is not None))
        else name
        for seat, name in enumerate(players)
    ]
    for seat, ghost in enumerate(ghosts):
        if is_ghost[seat]:
            changed["ghosts"] = ghosts
            ghosts[seat] = {**ghost, "player": make_neutral_name(seat)}
    for seat, model in enumerate(like):
        if is_like[seat]:
            changed["like"] = like
            like[seat] = {**model, "player": ""}
    return changed if changed["players"] == players else hide_titles(changed, keys)


def hide_titles(header: dict[str, Any], keys: Collection[str]) -> dict[str, Any]:  # Any: JSON
    """The header without names of teams, or of what is trained, that have one of these keys in them."""

    def is_free(text: object) -> bool:
        return not any(key and key in name_key(str(text)) for key in keys)

    changed = dict(header)
    if isinstance(teams := header.get("team_names"), list):
        changed["team_names"] = [team if is_free(team) else "" for team in teams]
    routine = header.get("routine")
    if isinstance(routine, dict) and not is_free(msgspec.json.encode(routine).decode()):
        changed["routine"] = without_titles(routine)
    return changed


def without_titles(routine: dict[str, Any]) -> dict[str, Any]:  # Any: JSON
    """What is trained, with the same word for all that people have called it."""
    exercises = routine.get("exercises") or []
    untitled = [{**each, "title": _NO_TITLE} if isinstance(each, dict) else each for each in exercises]
    return {**routine, "name": _NO_TITLE, "title": _NO_TITLE, "exercises": untitled}
