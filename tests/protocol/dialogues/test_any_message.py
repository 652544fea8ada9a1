"""Whatever a board says, its dialogue neither raises nor keeps more and more."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.codebook import shipped
from protocol.endpoint import Host
from protocol.events import Amended, BoardCommand, Correct, Hit, Mend, Unread
from tests.sweep import many

JSON = dict[str, Any]  # Any: JSON
EXAMPLES = many(60, 1500)
BOARDS = ("opendarts-cameras", "autodarts")
RECENT = "GET /api/live/recent?limit=12"
STATE = "GET /api/state"
KEYS = (
    *("type", "event", "running", "status", "visit", "n_darts", "darts", "visit_id", "visit_index", "sector", "ring"),
    *("ok", "board_xy_mm", "label", "value", "visits", "reason", "data", "numThrows", "throws", "segment", "coords"),
    *("x", "y", "number", "bed", "multiplier", "bouncer", "connected", "isHand"),
)
WORDS = (
    *("state", "THROW_DETECTED", "stats", "motion_state", "throw", "takeout", "stopped", "visit_1", "visit_complete"),
    *("manual_reset", "takeout_started", "treble", "bull", "miss", "Throw", "Takeout in progress", "Manual reset"),
    *("Triple", "Outside", "InnerBull", "T20", "20", "nan", "inf", "1e400", "\ud7ff\x1b[2J", ""),
)
NUMBERS = st.sampled_from([0, 1, 2, 3, 20, 25, 50, -1, 0.5, 1e308, 10**30, 2**63])
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6),
    max_leaves=25,
)
SOURCES = {
    "opendarts-cameras": ("/api/live", RECENT, "POST /api/start", "POST /api/reset", "elsewhere"),
    "autodarts": ("/api/events", STATE, "GET /api/version", "PUT /api/start", "POST /api/reset", "elsewhere"),
}
COMMANDS: st.SearchStrategy[BoardCommand] = st.sampled_from(
    [Mend("start"), Mend("reset"), Correct("visit_1/0", shipped("autodarts").layout["T20"])]
)


@pytest.mark.slow
@pytest.mark.parametrize("board", BOARDS)
@settings(max_examples=EXAMPLES, deadline=None)
@given(data=st.data())
def test_nothing_that_comes_raises_or_piles_up(board: str, data: st.DataObject) -> None:
    host, now = Host(shipped(board)), 0
    host.on_open(now)
    for _ in range(data.draw(st.integers(1, 12))):
        now += data.draw(st.sampled_from([0, 1, 10**6, 10**9, 3 * 10**9, 10**11]))
        source = data.draw(st.sampled_from(SOURCES[board]))
        match data.draw(st.integers(0, 5)):
            case 0:
                packet = data.draw(st.binary(max_size=40))
            case 1:
                socket = data.draw(st.sampled_from(["open", "closed"]))
                packet = json.dumps({"from": source, "socket": socket}).encode()
            case 2:
                status = data.draw(st.sampled_from([None, 200, 404]))
                packet = json.dumps({"from": source, "text": "2.0.2", "status": status, "failed": "no"}).encode()
            case _:
                packet = json.dumps({"from": source, "status": 200, "json": data.draw(VALUES)}).encode()
        cut = data.draw(st.integers(0, 9)) == 0
        for event in host.feed(packet[: len(packet) // 2] if cut else packet, now) + host.tick(now):
            assert len(event.raw) <= 64
            if isinstance(event, Hit | Unread | Amended):
                assert len(event.key) <= 64
        host.send(data.draw(COMMANDS))
        assert len(host.packets()) <= 4
