"""Folding: figures that depend on the records alone, and records that cannot be folded now, or at all."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from psycopg import Connection

from daemon.admin.history.source import Wanted
from daemon.collect import folding
from daemon.collect.folded import Folded, fold_record
from daemon.collect.folding import fold_all, fold_some, mark_all, mark_stale
from daemon.collect.folding_process import keep_folding
from daemon.commands.collect import command
from daemon.journal.lines import StoredMatch
from tests.daemon.evenings import Evening
from tests.daemon.process import eventually
from tests.league.postgres import Postgres
from tests.league.sending import connect, list_records, send
from tests.league.test_sources import open_league, play_evenings

_FIGURES = (
    "select table_name, match, begun_at, seats, body, digest::text from oche.played order by match",
    """
    select match, seat, name_id, name_key, begun_at, v.variant, v.title, is_counted, was_stopped, has_won, darts,
        points, marks, legs, legs_won, high_finish
    from oche.part p join oche.variant v on v.id = p.variant_id order by match, seat
    """,
    "select one, other, match from oche.meeting order by one, other, match",
    """
    select name_id, name_key, table_name, v.variant, month, parts, matches, stopped, won, darts, points, marks, legs,
        legs_won, high_finish, first_at, last_at
    from oche.rollup r join oche.variant v on v.id = r.variant_id order by name_id, name_key, v.variant, month
    """,
    "select match, fold_state, fold_reason, folded_by from oche.match order by match",
)


@pytest.fixture
def db(postgres: Postgres, league_database: str) -> Iterator[Connection[Any]]:
    with connect(postgres, league_database) as db:
        yield db


@pytest.fixture
def sent(db: Connection[Any], tmp_path: Path) -> list[tuple[str, StoredMatch]]:
    """Records of several games, which wait to be folded."""
    play_evenings(tmp_path)
    records = list_records(tmp_path)
    send(db, *records)
    return records


def list_figures(db: Connection[Any]) -> list[list[tuple[Any, ...]]]:
    return [db.execute(query).fetchall() for query in _FIGURES]


def list_states(db: Connection[Any]) -> list[tuple[str, str | None]]:
    return db.execute("select fold_state, fold_reason from oche.match order by begun_at").fetchall()


def change_header(db: Connection[Any], stored: StoredMatch, **changes: Any) -> None:
    """Has the league's record of this match begin with another header."""
    (record,) = db.execute("select record from oche.match where match = %s", [stored.id]).fetchone() or (b"",)
    header, _, inputs = zlib.decompress(record).partition(b"\n")
    changed = msgspec.json.encode(msgspec.json.decode(header, type=dict[str, Any]) | changes)
    db.execute(
        "update oche.match set record = %s, fold_state = 'new' where match = %s",
        [zlib.compress(changed + b"\n" + inputs), stored.id],
    )


def test_all_figures_can_be_made_again(db: Connection[Any], sent: list[tuple[str, StoredMatch]]) -> None:
    assert fold_all(db, "1") == len(sent)
    made = list_figures(db)
    assert all(made[:4])
    assert mark_all(db) == len(sent)
    assert fold_all(db, "1") == len(sent)
    assert list_figures(db) == made
    assert fold_all(db, "1") == 0


def test_another_program_folds_everything_again_and_the_figures_stay_meanwhile(
    db: Connection[Any], sent: list[tuple[str, StoredMatch]]
) -> None:
    fold_all(db, "1")
    assert mark_stale(db, "1") == 0
    assert mark_stale(db, "2") == len(sent)
    assert len(open_league(db).select(Wanted())) == len(sent)
    assert fold_all(db, "2") == len(sent)
    assert mark_stale(db, "2") == 0


def test_what_only_another_program_can_read_waits_for_it(
    db: Connection[Any], sent: list[tuple[str, StoredMatch]]
) -> None:
    fold_all(db, "1")
    newer: tuple[dict[str, Any], ...] = ({"game": "tiddlywinks"}, {"rules": 99}, {"colour": "red"}, {"oche": 2})
    for (_, stored), changes in zip(sent, newer, strict=False):
        change_header(db, stored, **changes)
    fold_all(db, "1")
    assert list_states(db)[:5] == [
        ("waiting", "the game tiddlywinks is not installed here"),
        ("waiting", "it was played by rules 99 of x01, and here are rules 1: update oche here"),
        ("waiting", "it was written by a newer oche: update oche here"),
        ("waiting", "it was written by a newer oche: update oche here"),
        ("folded", None),
    ]
    assert open_league(db).count_unread() == 4
    assert len(open_league(db).select(Wanted())) == len(sent) - 4, "what they came to before is nowhere"
    assert mark_stale(db, "1") == 0
    assert mark_stale(db, "2") == len(sent), "it is tried again"


def test_what_cannot_be_read_holds_nothing_up(db: Connection[Any], sent: list[tuple[str, StoredMatch]]) -> None:
    for (_, stored), record in zip(
        sent, (b"no zlib", zlib.compress(b"no JSON\n"), zlib.compress(b"{}\n")), strict=False
    ):
        db.execute("update oche.match set record = %s where match = %s", [record, stored.id])
    change_header(db, sent[3][1], continues="\0")
    fold_all(db, "1")
    found = list_states(db)
    assert [state for state, _ in found] == ["unreadable"] * 4 + ["folded"] * (len(sent) - 4)
    assert all(reason for state, reason in found if state == "unreadable")


def test_a_record_that_changes_while_it_is_folded_is_folded_again(
    db: Connection[Any], sent: list[tuple[str, StoredMatch]], monkeypatch: pytest.MonkeyPatch
) -> None:
    fold, (_, stored), seen = fold_record, sent[0], list[str]()

    def change(match: str, *given: Any) -> Folded:
        seen.append(match)
        if match == stored.id and seen.count(match) == 1:
            change_header(db, stored, players=["Eve", "Bo"])
        return fold(match, *given)

    monkeypatch.setattr(folding, "fold_record", change)
    fold_all(db, "1")
    assert seen.count(stored.id) == 2
    assert {state for state, _ in list_states(db)} == {"folded"}


def test_several_that_fold_share_the_work_and_come_to_the_same(
    db: Connection[Any], sent: list[tuple[str, StoredMatch]], postgres: Postgres, league_database: str
) -> None:
    fold_all(db, "1")
    alone = list_figures(db)
    mark_all(db)
    done: list[int] = []

    def fold() -> None:
        with connect(postgres, league_database) as mine:
            while count := fold_some(mine, "1", most=1):
                done.append(count)

    threads = [threading.Thread(target=fold) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # As one that has just begun may not be seen by the others yet, they may take its record as well.
    assert sum(done) >= len(sent)
    assert list_figures(db) == alone


def test_what_a_killed_folder_had_is_taken_up_by_another_at_once(
    db: Connection[Any],
    sent: list[tuple[str, StoredMatch]],
    postgres: Postgres,
    league_database: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def die(*_: object) -> Folded:
        raise SystemExit

    with connect(postgres, league_database) as other:
        with monkeypatch.context() as patched:
            patched.setattr(folding, "fold_record", die)
            with pytest.raises(SystemExit):
                fold_some(other, "1", most=3)
        assert fold_all(db, "1") == len(sent) - 3, "it is still there"
    pids = "select count(*) from pg_stat_activity where datname = current_database()"
    wait_for(lambda: db.execute(pids).fetchone() == (1,))
    assert fold_all(db, "1") == 3


def wait_for(is_so: Callable[[], bool]) -> None:
    while not is_so():
        time.sleep(0.01)


@pytest.mark.parametrize("is_late", [False, True])
def test_a_stopped_match_that_went_on_elsewhere_counts_no_more(
    db: Connection[Any], tmp_path: Path, *, is_late: bool
) -> None:
    with Evening(tmp_path) as evening, Evening(tmp_path, "kitchen") as kitchen:
        stopped = evening.play("T20", {"stop": True}, day=0)
        over = evening.play("T20 S1 D20", day=1, options={"start": 101})
        goes_on = kitchen.play("T20 T20 T20 / S1", {"stop": True}, day=2, continues=stopped)
        last = kitchen.play("T20 S1 D20", day=3, options={"start": 101}, continues=over)
    first, *others = sorted(list_records(tmp_path), key=lambda each: each[1].at)
    send(db, *(others if is_late else [first]))
    fold_all(db, "1")
    send(db, first, *others)
    fold_all(db, "1")

    def list_counted() -> list[str]:
        return [match.id for match in open_league(db).select(Wanted())]

    assert list_counted() == [over, goes_on, last], "one that was over counts, whatever another one says of it"
    change_header(db, others[1][1], continues=None)
    fold_all(db, "1")
    assert list_counted() == [stopped, over, goes_on, last]
    change_header(db, others[1][1], continues=stopped)
    fold_all(db, "1")
    assert list_counted() == [over, goes_on, last]


def test_folding_waits_for_nobody_who_writes_a_match_that_went_on(
    db: Connection[Any], tmp_path: Path, postgres: Postgres, league_database: str
) -> None:
    """Else the two could wait for each other: a player is forgotten in both matches, one after the other."""
    with Evening(tmp_path) as evening, Evening(tmp_path, "kitchen") as kitchen:
        stopped = evening.play("T20", {"stop": True}, day=0)
        other = evening.play("T20 S1 D20", day=1, options={"start": 101})
        goes_on = kitchen.play("T20 T20 T20 / S1", {"stop": True}, day=2, continues=stopped)
    first, *others = sorted(list_records(tmp_path), key=lambda each: each[1].at)
    send(db, first)
    fold_all(db, "1")
    send(db, *others)
    db.execute("set lock_timeout = '1s'")

    def list_counted() -> list[str]:
        return [match.id for match in open_league(db).select(Wanted())]

    touch = "update oche.match set changed_at = now() where match = %s"
    with connect(postgres, league_database) as forgetting, forgetting.transaction():
        forgetting.execute("set local lock_timeout = '1s'")
        forgetting.execute(touch, [stopped])
        assert fold_some(db, "1") == 2
        assert list_counted() == [stopped, other], "the one that goes on is folded later"
        forgetting.execute(touch, [goes_on])
    fold_all(db, "1")
    assert list_counted() == [other, goes_on]


def test_folding_rests_while_all_that_is_left_is_written_by_others(
    db: Connection[Any], tmp_path: Path, postgres: Postgres, league_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Evening(tmp_path) as evening, Evening(tmp_path, "kitchen") as kitchen:
        stopped = evening.play("T20", {"stop": True}, day=0)
        goes_on = kitchen.play("T20 T20 T20 / S1", {"stop": True}, day=1, continues=stopped)
    first, second = sorted(list_records(tmp_path), key=lambda each: each[1].at)
    send(db, first)
    fold_all(db, "1")
    send(db, second)
    with connect(postgres, league_database) as other:
        other.execute("begin")
        other.execute("update oche.match set changed_at = now() where match = %s", [stopped])
        monkeypatch.setattr(folding, "sleep", lambda _: other.execute("commit"))  # without it this goes on for ever
        fold_all(db, "1")
    assert [match.id for match in open_league(db).select(Wanted())] == [goes_on]


@pytest.mark.slow
async def test_a_process_folds_what_comes_and_is_started_again(
    db: Connection[Any], sent: list[tuple[str, StoredMatch]], postgres: Postgres, league_database: str, tmp_path: Path
) -> None:
    file = tmp_path / "league.toml"
    file.write_text(f'[database]\nurl = "postgresql:///{league_database}?host={postgres.folder}"\n', encoding="utf-8")
    task = asyncio.create_task(keep_folding(file))
    try:
        await eventually(lambda: {state for state, _ in list_states(db)} == {"folded"})
        (child,) = find_children()
        os.kill(child, signal.SIGKILL)
        mark_all(db)
        await eventually(lambda: {state for state, _ in list_states(db)} == {"folded"})
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
    assert find_children() == []
    assert len(sent) == len(open_league(db).select(Wanted()))


def find_children() -> list[int]:
    """The processes that fold for this one."""
    found = []
    for each in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            is_mine = f"PPid:\t{os.getpid()}\n" in (each / "status").read_text(encoding="utf-8")
            if is_mine and b"folding_process" in (each / "cmdline").read_bytes():
                found.append(int(each.name))
    return found


def test_the_command_makes_everything_again(
    db: Connection[Any],
    sent: list[tuple[str, StoredMatch]],
    postgres: Postgres,
    league_database: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TZ", "UTC")  # put back afterwards: the command sets it
    file = tmp_path / "league.toml"
    file.write_text(f'[database]\nurl = "postgresql:///{league_database}?host={postgres.folder}"\n', encoding="utf-8")
    for words in ((), ("--again",)):
        done = CliRunner().invoke(command, ("--config", str(file), "fold", *words), catch_exceptions=False)
        assert done.output == f"folded: {len(sent)}\n"
    assert {state for state, _ in list_states(db)} == {"folded"}
