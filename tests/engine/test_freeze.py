"""In Freeze the sentence says who throws, and who may not go out."""

from __future__ import annotations

import pytest

from tests.engine.records import Record, header

VISITS = "T20 T20 T20 / "


@pytest.mark.parametrize(
    ("start", "darts", "text"),
    [
        (301, "", "Ann throws, 301 left; all may go out"),
        (301, VISITS, "Bo throws, 301 left; all may go out"),
        (301, f"MISS MISS MISS / {VISITS * 3}", "Ann throws, 301 left. May not go out yet: Cy"),
        (
            301,
            f"{VISITS * 2} MISS MISS MISS / {VISITS}",
            "Ann throws and may not go out: Cy has more left than both opponents",
        ),
        (101, "S20 S20 S20 / S20 S20 S20 / MISS MISS MISS / MISS MISS MISS /", "Ann throws and may go out: 9, D16"),
    ],
)
def test_it_says_who_throws_and_who_may_not_go_out(start: int, darts: str, text: str) -> None:
    options = {"start": start, "freeze": "lose"}
    record = Record(header("x01", options=options, players=["Ann", "Bo", "Cy", "Di"], teams=[[0, 2], [1, 3]]))
    state = record.play(darts) if darts else record.state
    assert state["task"]["text"] == text
