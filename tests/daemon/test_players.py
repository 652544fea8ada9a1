"""The book of players: names over the records, which no renaming changes, and what a player has said."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from daemon.admin.history.history import History
from daemon.admin.history.journal_source import JournalSource
from daemon.admin.history.listing import Listing, MatchFilter
from daemon.admin.history.match_cache import FILE
from daemon.admin.history.match_report import MatchReader
from daemon.admin.history.player_figures import (
    Selection,
    collect_appearances,
    list_recent_players,
    list_recorded_names,
    rank_players,
)
from daemon.admin.players.book import FILE as PLAYERS
from daemon.admin.players.book import PlayerBook
from daemon.admin.players.player_files import SMALL
from daemon.admin.requests import MOST_RECORDED_NAME_BYTES, ChangePlayer
from daemon.errors import UserError
from tests.daemon.backups import list_names, make_backup, play_evening
from tests.daemon.evenings import Evening
from tests.daemon.process import Saying
from tests.daemon.test_picture_size import make_png
from tests.daemon.test_sounds import MP3, OGG, WAV

PNG = make_png(96, 96)


@pytest.fixture
def book(tmp_path: Path) -> PlayerBook:
    return PlayerBook(tmp_path)


def change(book: PlayerBook, **wanted: object) -> None:
    book.change(msgspec.convert(wanted, ChangePlayer))


def test_a_match_between_two_names_counts_until_they_are_merged(tmp_path: Path, book: PlayerBook) -> None:
    with Evening(tmp_path) as evening:
        evening.play("T20 S1 D20", players=["Ann", "Annie"], options={"start": 101})
    history = History(tmp_path, {}, "1")

    def count() -> list[str]:
        return sorted(collect_appearances(history.counted_matches(), Selection(), history.names))

    assert count() == ["ann", "annie"]
    book.merge("Annie", "Ann")
    assert count() == []
    book.split("Annie")
    assert count() == ["ann", "annie"]


def test_a_renamed_and_a_merged_player_keep_their_history(tmp_path: Path, book: PlayerBook) -> None:
    with Evening(tmp_path) as evening:
        first = evening.play("T20 S1 D20", options={"start": 101})
        evening.play("T20 S1 D20", day=1, players=["ANNA", "Bo"], options={"start": 101})
        evening.play("T20 S1 D20", day=2, players=["Ann", "Bot"], bots=[None, 40], options={"start": 101})
    history = History(tmp_path, {}, "1")

    def rank() -> list[tuple[str, int, int]]:
        found = collect_appearances(history.counted_matches(), Selection(), history.names)
        return [(each.name, each.matches, each.won) for each in rank_players(found)]

    assert rank() == [("Ann", 2, 2), ("Bo", 2, 0), ("ANNA", 1, 1)]
    cached = (tmp_path / FILE).read_bytes()
    book.merge("ANNA", "Ann")
    book.rename("ann", "Annie", list_recorded_names(tmp_path))
    book.rename("bot", "Robert", [])
    assert rank() == [("Annie", 3, 3), ("Bo", 2, 0)]
    assert (tmp_path / FILE).read_bytes() == cached, "no match was played again for it"
    listing = Listing(history, history.all_matches())
    for name in ("Ann", "Anna", "annie"):
        assert len(listing.filter(MatchFilter(player=name))) == 3
    assert listing.entries[2].players == ("Annie", "Bot"), "a bot is no player of that name"
    assert {throw.player for throw in history.list_throws({first: frozenset({"Annie"})})} == {"Annie"}
    reader = MatchReader(JournalSource(history))
    report = reader.describe(first)
    assert report is not None
    assert report.sides[0].name == "Annie"
    assert json.loads((reader.read_record(first) or ("", b""))[1].splitlines()[0])["players"] == ["Ann", "Bo"]
    recent = list_recent_players(tmp_path, book.read_names())
    assert [each.name for each in recent] == ["Annie", "Bo"]
    book.split("Anna")
    assert rank() == [("Annie", 2, 2), ("Bo", 2, 0), ("ANNA", 1, 1)]


def test_a_name_is_not_taken_from_another_player(tmp_path: Path, book: PlayerBook) -> None:
    with Evening(tmp_path) as evening:
        evening.play("T20")
    known = list_recorded_names(tmp_path)
    with pytest.raises(UserError, match="there already is a player Bo: merge the two"):
        book.rename("Ann", "Bo", known)
    change(book, name="Cy", nickname="The Comet")
    with pytest.raises(UserError, match="there already is a player cy"):
        book.rename("Ann", "cy", known)
    book.rename("Ann", "ANN", known)
    assert book.read_names().get("ann") == "ANN"
    for name in ("bot:45", "Forgotten player 2", " \t"):
        with pytest.raises(UserError):
            change(book, name=name)
        with pytest.raises(UserError):
            book.rename("Ann", name, known)


@pytest.mark.parametrize(
    "unseen", [" \t", "\u200b\u200d", "\u202e\u2066", "\ufeff", "\u3164", "\u2800 \uffa0", "\u034f\ufe0f", "\U0001d159"]
)
def test_nobody_is_called_what_cannot_be_seen(book: PlayerBook, unseen: str) -> None:
    for how in ({"name": unseen}, {"name": "Ann", "nickname": unseen}):
        with pytest.raises(UserError, match="a name needs at least one visible character"):
            change(book, **how)
    with pytest.raises(UserError, match="a name needs at least one visible character"):
        book.rename("Ann", unseen, [])
    assert book.list_players() == []
    change(book, name="Ann", nickname=f"{unseen}A{unseen}ce")
    assert "A" in book.list_players()[0].profile.nickname


def test_who_was_called_so_in_a_match_can_be_called_something_else(book: PlayerBook) -> None:
    book.rename("\u3164", "Ann", ["\u3164"])
    assert book.read_names().get("\u3164") == "Ann"


def test_a_change_that_a_power_cut_interrupted_is_taken_back_when_the_book_is_read(
    tmp_path: Path, book: PlayerBook
) -> None:
    change(book, name="Ann", nickname="Ace")
    code = """
import os, sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("pragma cache_size = 1")
db.execute("begin immediate")
db.execute("update player set profile = '{}', picture = zeroblob(1000000)")
os._exit(0)
"""
    subprocess.run([sys.executable, "-c", code, str(tmp_path / PLAYERS)], check=True)
    assert (tmp_path / f"{PLAYERS}-journal").exists()
    assert [each.profile.nickname for each in book.list_players()] == ["Ace"]


def test_a_profile_is_changed_field_by_field(tmp_path: Path, book: PlayerBook) -> None:
    change(book, name="Ann", nickname="Ace", doubles=[16, 8], counts=False)
    change(book, name="ann", colour=3, hand="left")
    (ann,) = book.list_players()
    assert msgspec.to_builtins(ann.profile) == {
        "nickname": "Ace",
        "colour": 3,
        "doubles": (16, 8),
        "hand": "left",
        "counts": False,
    }
    with pytest.raises(UserError, match="doubles are 1 to 20, and 25"):
        change(book, name="Ann", doubles=[21])
    with Evening(tmp_path) as evening:
        evening.play("T20 S1 D20", options={"start": 101})
    history = History(tmp_path, {}, "1")
    matches = [*history.counted_matches()]
    assert [*collect_appearances(matches, Selection(), history.names)] == ["bo"]


def test_a_picture_is_one_and_small(book: PlayerBook) -> None:
    book.set_picture("Ann", PNG)
    (ann,) = book.list_players()
    assert book.read_picture(ann.picture or "") == ("image/png", PNG)
    for content in (b"<svg onload=alert(1)>", b"RIFF1234WAVE", b"\xff\xd8\xff" + bytes(SMALL.most_bytes)):
        with pytest.raises(UserError, match="a picture"):
            book.set_picture("Ann", content)
    book.merge("Ann", "Bo")
    assert [(each.name, each.picture) for each in book.list_players()] == [("Bo", ann.picture)]
    book.remove("ann")
    assert book.list_players() == []
    assert book.read_picture(ann.picture or "") is None


def _list_pictures(book: PlayerBook) -> list[tuple[str, bytes | None, bytes | None]]:
    """Returns the name, the small and the large picture of each player."""
    shown = (
        (each.name, book.read_picture(each.picture or ""), book.read_picture(each.face or ""))
        for each in book.list_players()
    )
    return [(name, small and small[1], large and large[1]) for name, small, large in shown]


def test_a_large_picture_stays_with_its_player(tmp_path: Path, book: PlayerBook) -> None:
    of_ann, of_bo = PNG + b"Ann, large", PNG + b"Bo, large"
    for name, large in (("Ann", of_ann), ("Bo", of_bo)):
        book.set_picture(name, PNG + name.encode())
        book.set_face(name, large)
    book.rename("Ann", "Zoe", [])
    assert _list_pictures(book) == [("Bo", PNG + b"Bo", of_bo), ("Zoe", PNG + b"Ann", of_ann)]
    book.merge("Zoe", "Cy")
    assert _list_pictures(book) == [("Bo", PNG + b"Bo", of_bo), ("Cy", PNG + b"Ann", of_ann)], "Cy had none"
    book.set_picture("Bo", PNG + b"Bo")
    book.merge("Cy", "Bo")
    assert _list_pictures(book) == [("Bo", PNG + b"Bo", None)], "a large picture of another face is not taken"
    assert b"Ann, large" not in (tmp_path / PLAYERS).read_bytes()
    book.set_face("Bo", of_bo)
    book.set_face("Bo", b"")
    assert _list_pictures(book) == [("Bo", PNG + b"Bo", None)]
    book.set_face("Bo", of_bo)
    book.remove("Bo")
    assert b"large" not in (tmp_path / PLAYERS).read_bytes()


def test_an_older_oche_that_changes_a_picture_leaves_no_other_face(tmp_path: Path, book: PlayerBook) -> None:
    for name in ("Ann", "Bo"):
        book.set_picture(name, PNG)
        book.set_face(name, PNG + b"large")
    with closing(sqlite3.connect(tmp_path / PLAYERS)) as db, db:
        db.execute("update player set picture = ? where name = 'Ann'", (PNG + b"another",))
        db.execute("update player set picture = null where name = 'Bo'")
    assert _list_pictures(book) == [("Ann", PNG + b"another", None), ("Bo", None, None)]
    change(book, name="Cy")
    assert b"large" not in (tmp_path / PLAYERS).read_bytes()


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (MP3, "audio/mpeg"),
        (WAV, "audio/wav"),
        (OGG, "audio/ogg"),
        (b"\x1aE\xdf\xa3\x9fB\x86\x81\x01", "audio/webm"),
        (b"\0\0\0\x1cftypM4A ", "audio/mp4"),
    ],
)
def test_a_recorded_name_is_one_of_these(book: PlayerBook, content: bytes, kind: str) -> None:
    book.set_recorded_name("Ann", content)
    (ann,) = book.list_players()
    assert book.read_recorded_name(ann.recorded_name or "") == (kind, content)
    assert book.read_recorded_name("none") is None


def test_a_recorded_name_is_a_sound_and_small(book: PlayerBook) -> None:
    book.set_recorded_name("Ann", WAV.ljust(MOST_RECORDED_NAME_BYTES, b"\0"))
    with pytest.raises(UserError, match="at most 200000 bytes"):
        book.set_recorded_name("Ann", WAV.ljust(MOST_RECORDED_NAME_BYTES + 1, b"\0"))
    with pytest.raises(UserError, match="this is not a recording"):
        book.set_recorded_name("Ann", PNG)
    book.set_recorded_name("Ann", b"")
    assert [each.recorded_name for each in book.list_players()] == [None]


def test_a_recorded_name_stays_with_its_player(tmp_path: Path, book: PlayerBook) -> None:
    book.set_recorded_name("Ann", WAV + b"as Ann says it")
    book.set_recorded_name("Bo", WAV + b"as Bo says it")
    ann, bo = (each.recorded_name or "" for each in book.list_players())
    book.rename("Ann", "Zoe", [])
    assert [(each.name, each.recorded_name) for each in book.list_players()] == [("Bo", bo), ("Zoe", ann)]
    book.merge("Bo", "Zoe")
    assert [(each.name, each.recorded_name) for each in book.list_players()] == [("Zoe", ann)], "it had one"
    book.merge("Zoe", "Cy")
    assert [(each.name, each.recorded_name) for each in book.list_players()] == [("Cy", ann)], "it had none"
    book.split("Zoe")
    assert [(each.name, each.recorded_name) for each in book.list_players()] == [("Cy", ann), ("Zoe", None)]
    book.remove("Cy")
    assert book.read_recorded_name(ann) is None
    assert b"says it" not in (tmp_path / PLAYERS).read_bytes()


def test_a_book_of_an_older_oche_has_no_recorded_names_yet(tmp_path: Path, book: PlayerBook) -> None:
    change(book, name="Ann")
    change(book, name="Bo")
    with closing(sqlite3.connect(tmp_path / PLAYERS)) as db:
        db.execute("drop table recorded_name")
        db.execute("drop table face")
    assert [each.recorded_name for each in book.list_players()] == [None, None]
    assert book.read_recorded_name("none") is None
    book.set_recorded_name("Ann", WAV)
    with closing(sqlite3.connect(tmp_path / PLAYERS, isolation_level=None)) as db:
        db.execute("delete from player where name = 'Ann'")  # as one that does not know the table forgets a player
        db.execute("delete from name where name = 'Ann'")
    change(book, name="Bo", nickname="Bee")
    change(book, name="Cy")
    assert [each.recorded_name for each in book.list_players()] == [None, None]


def test_a_backup_has_the_players(tmp_path: Path, oche: Saying) -> None:
    config = play_evening(tmp_path)
    change(PlayerBook(config.parent / "state"), name="Ann", nickname="Ace")
    PlayerBook(config.parent / "state").set_recorded_name("Ann", WAV)
    PlayerBook(config.parent / "state").set_picture("Ann", PNG)
    PlayerBook(config.parent / "state").set_face("Ann", PNG + b"large")
    (config.parent / "state" / "players.db-journal").touch()
    backup = make_backup(oche, config)
    assert "state/players.db" in list_names(backup)
    assert "state/players.db-journal" not in list_names(backup)
    (config.parent / "state" / "players.db").unlink()
    assert oche("restore", backup, "--config", config).status == 0
    (ann,) = (book := PlayerBook(config.parent / "state")).list_players()
    assert ann.profile.nickname == "Ace"
    assert book.read_recorded_name(ann.recorded_name or "") == ("audio/wav", WAV)
    assert _list_pictures(book) == [("Ann", PNG, PNG + b"large")]
