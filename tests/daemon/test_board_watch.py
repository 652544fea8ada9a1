"""What became of a board's events, for a page that looks: those that count, and why the others do not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from daemon.assemble import run_daemon
from daemon.board import link
from daemon.board.link import BoardLink
from daemon.config.reader import read_config
from protocol.commands import Next
from protocol.events import Garbage
from tests.daemon.desk import PULL_S, Desk, refused
from tests.daemon.display import find_part
from tests.daemon.process import configure, eventually


def tell(desk: Desk) -> list[tuple[Any, str]]:  # Any: JSON
    """Returns what each event was, and its fate; for a refused one the key of the sentence."""
    assert desk.scorer.watch is not None
    desk.scorer.watch.note_committed()
    told = desk.scorer.watch.encode(lambda time_ns: time_ns)
    return [(next(iter(each["event"].values())), each.get("why", {}).get("key", each["fate"])) for each in told]


def test_each_event_of_the_board_has_its_fate() -> None:
    desk = Desk()
    desk.scorer.watch_board()
    desk.hear("T20", after_s=1.0)
    desk.hear("T20", after_s=0.01)
    desk.hear("miss", after_s=0.01)
    desk.hear("T19", "miss", after_s=1.0)
    desk.hear("D3", after_s=1.0)
    desk.hear("D3", after_s=1.0)
    desk.hear(Garbage(raw=b"\x01", time_ns=round(desk.now * 1e9)))
    desk.hear("miss", after_s=1.0)
    desk.hear("next", after_s=1.0)
    desk.hear("next", after_s=0.9)
    assert tell(desk) == [
        *(("T20", "counted"), ("T20", "repeat"), (True, "sensor")),
        *(("T19", "counted"), (True, "sensor"), ("D3", "counted")),
        *(("D3", "refused.thrown"), ("01", "unknown"), (True, "refused.idle")),
        *(("next", "counted"), ("next", "refused.idle")),
    ]


def test_a_dart_that_could_not_be_written_did_not_count() -> None:
    desk = Desk(takeout="hits")
    desk.scorer.watch_board()
    desk.throw("T20")
    refused(desk, "T19", after_s=1.0)
    assert tell(desk) == [("T20", "counted"), ("T19", "unwritten")]
    desk.obey(Next())
    refused(desk, "T18", after_s=PULL_S)
    assert tell(desk)[-1] == ("T18", "unwritten")


async def test_nothing_is_kept_while_no_page_looks(
    tmp_path: Path, unused_tcp_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "WATCH_S", 0.0)
    async with run_daemon(read_config(configure(tmp_path, unused_tcp_port))) as running:
        scorer = running.tables["main"].scorer

        def is_watched() -> bool:
            return scorer.watch is not None

        assert not is_watched()
        assert find_part(running, BoardLink).watch() == []
        assert is_watched()
        await eventually(lambda: not is_watched())
