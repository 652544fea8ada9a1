"""The known players: the people of the latest matches, and all who are in the book of players."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from daemon.admin.history.player_figures import list_recent_players, list_recorded_names
from daemon.admin.players.book import Colour, PlayerBook, PlayerProfile
from daemon.admin.players.colours import choose_colour
from daemon.admin.requests import (
    BookChange,
    ChangePlayer,
    MergePlayers,
    RenamePlayer,
    SetPicture,
    SetRecordedName,
    SplitPlayer,
)
from engine.scatter import Scatter
from protocol.player_names import name_key


class KnownPlayer(PlayerProfile, frozen=True, omit_defaults=True, kw_only=True):
    """A player who has thrown here, or was added; `last` is when (ISO 8601, UTC). What was not said is left out.

    `names` are those in the records, where the player has several; `picture` is the ID of the small picture, `face`
    that of the large one, and `recorded_name` that of the recording of the name. `given_colour`: the player has chosen
    no colour, and `colour` is one that oche has given.
    """

    name: str
    colour: Colour
    given_colour: bool = False
    last: str
    names: tuple[str, ...] = ()
    picture: str | None = None
    face: str | None = None
    recorded_name: str | None = None


class MeasuredPlayer(Struct, frozen=True):
    """A player of whom boards have measured enough darts to say how they `scatter`."""

    name: str
    scatter: Scatter


def list_known_players(folder: Path) -> list[KnownPlayer]:
    """Those who threw here lately, the latest first, and all in the book. Reads the disk; raises UserError."""
    book = PlayerBook(folder)
    recent = {name_key(each.name): each for each in list_recent_players(folder, book.read_names())}
    known = {name_key(each.name): each for each in book.list_players()}
    found = []
    for key in dict.fromkeys((*recent, *known)):
        if (player := known.get(key)) is None:
            name = recent[key].name
            colour = choose_colour(name)
            found.append(KnownPlayer(name=name, last=recent[key].last, colour=colour, given_colour=True))
            continue
        profile = {name: getattr(player.profile, name) for name in PlayerProfile.__struct_fields__}
        profile["given_colour"] = player.profile.colour is None
        if player.profile.colour is None:
            profile["colour"] = choose_colour(player.name)
        found.append(
            KnownPlayer(
                name=player.name,
                last=recent[key].last if key in recent else player.added,
                names=player.names if len(player.names) > 1 else (),
                picture=player.picture,
                face=player.face,
                recorded_name=player.recorded_name,
                **profile,
            )
        )
    return sorted(found, key=lambda player: player.last, reverse=True)


def change_player(folder: Path, request: BookChange) -> None:
    """Changes the book of players as it is asked for. Reads and writes the disk; raises UserError."""
    book = PlayerBook(folder)
    match request:
        case ChangePlayer():
            book.change(request)
        case SetPicture(name, size, content):
            (book.set_face if size == "large" else book.set_picture)(name, content)
        case SetRecordedName(name, content):
            book.set_recorded_name(name, content)
        case RenamePlayer(name, to):
            book.rename(name, to, list_recorded_names(folder))
        case MergePlayers(name, to):
            book.merge(name, to)
        case SplitPlayer(name):
            book.split(name)
