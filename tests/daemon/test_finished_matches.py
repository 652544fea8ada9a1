"""The finished matches on the web: the list, one side by side and dart by dart, its record, and what is held back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import msgspec
import pytest

from daemon.assemble import RunningDaemon, run_daemon
from daemon.config.reader import read_config
from daemon.table.scoresheet import SeatSender
from protocol.messages import State
from tests.commanding import give
from tests.daemon.evenings import Evening
from tests.daemon.process import Saying, configure
from tests.daemon.test_statistics import ask

JSON = dict[str, Any]  # Any: JSON
LEGS = "D20 / S20 S20 S20 / T20 S1 MISS / S1 S1 S1 / D20"


class Played:
    """The matches of an evening by their ids."""

    legs = cricket = stopped = ""


@pytest.fixture
def played(tmp_path: Path) -> Played:
    found = Played()
    with Evening(tmp_path / "state") as evening:
        corrected: list[JSON | str] = [
            "T20 S1",
            {"amend": 3, "throw": "S20"},
            {"amend": 3, "throw": "S1"},
            "D5",
            {"undo": True},
        ]
        found.legs = evening.play(*corrected, LEGS, options={"start": 101}, format={"legs": 2})
        found.cricket = evening.throw(2, day=1, game="cricket", players=["Ann", "Cy"])
        found.stopped = evening.play("T20 T20 T20 / S1", {"stop": True}, day=2)
    return found


@pytest.fixture
async def running(tmp_path: Path, unused_tcp_port: int, played: Played) -> AsyncIterator[RunningDaemon]:
    async with run_daemon(read_config(configure(tmp_path, unused_tcp_port))) as running:
        yield running


async def refusal(web: aiohttp.ClientSession, path: str) -> tuple[int, str]:
    async with web.get(path) as answer:
        return answer.status, await answer.text()


@pytest.mark.slow
async def test_the_list_has_the_latest_first_and_can_be_chosen_from(
    web: aiohttp.ClientSession, played: Played, running: RunningDaemon
) -> None:
    found = await ask(web, "/api/matches")
    assert [each["match"] for each in found["matches"]] == [played.stopped, played.cricket, played.legs]
    assert (found["v"], found["more"]) == (1, False)
    assert found["matches"][2] == {
        "match": played.legs,
        "at": "2026-10-03T20:00:00.000+00:00",
        "table": "main",
        "game": "x01",
        "title": "101",
        "standing": "over",
        "players": ["Ann", "Bo"],
        "winners": ["Ann"],
        "darts": found["matches"][2]["darts"],
        "sides": [{"players": ["Ann"], "score": 2, "won": True}, {"players": ["Bo"], "score": 0, "won": False}],
        "score_of": "legs",
        "problem": None,
    }
    assert [each["score_of"] for each in found["matches"]] == ["score", "score", "legs"]
    assert [side["players"] for side in found["matches"][1]["sides"]] == [
        [name] for name in found["matches"][1]["players"]
    ]
    for query, wanted in (
        ({"player": "CY"}, [played.cricket]),
        ({"game": "x01"}, [played.stopped, played.legs]),
        ({"since": "2026-10-04"}, [played.stopped, played.cricket]),
        ({"before": found["matches"][1]["at"]}, [played.legs]),
        ({"table": "other"}, []),
    ):
        chosen = await ask(web, "/api/matches", **query)
        assert [each["match"] for each in chosen["matches"]] == wanted, query


@pytest.mark.slow
async def test_a_match_side_by_side_and_leg_by_leg(web: aiohttp.ClientSession, played: Played) -> None:
    found = await ask(web, f"/api/match/{played.legs}")
    assert (found["title"], found["layout"], found["figure"], found["was_stopped"]) == (
        "101",
        "standard",
        "average",
        False,
    )
    ann, bo = found["sides"]
    assert (ann["name"], ann["won"], ann["legs"], bo["name"], bo["won"], bo["legs"]) == ("Ann", True, 2, "Bo", False, 0)
    assert (ann["figures"]["first_nine"], ann["figures"]["checkouts"], bo["figures"]["high_visit"]) == (
        86.57,
        [2, 3],
        60,
    )
    one = {"set": 1, "leg": 1, "first": 0, "winners": [0], "darts": [3, 0], "values": [101.0, None], "checkout": 101}
    two = {"set": 1, "leg": 2, "first": 1, "winners": [0], "darts": [4, 6], "values": [75.75, 31.5], "checkout": 40}
    assert found["legs"] == [one, two]
    assert found["last"] == {"side": 0, "player": "Ann", "points": 40, "darts": ["D20"]}
    curve = [(1, 1, 0, 101), (2, 2, 1, -60), (2, 3, 0, 1), (2, 4, 1, -2), (2, 5, 0, 38)]
    assert [(each["leg"], each["visit"], each["side"], each["lead"]) for each in found["curve"]] == curve
    assert (found["turning"], found["match_darts_missed"]) == (0, [1, 0])
    best = [(each["player"], each["points"], each["darts"], each["leg"]) for each in found["best_visits"]]
    assert best == [
        ("Ann", 101, ["T20", "S1", "D20"], 1),
        ("Ann", 61, ["T20", "S1", "MISS"], 2),
        ("Bo", 60, ["S20"] * 3, 2),
    ]


async def test_in_cricket_it_is_marks(web: aiohttp.ClientSession, played: Played) -> None:
    found = await ask(web, f"/api/match/{played.cricket}")
    assert found["figure"] == "mpr"
    (leg,) = found["legs"]
    assert leg["values"] == [side["figures"]["mpr"] for side in found["sides"]]


async def test_dart_by_dart_it_is_as_the_wall_was_and_as_corrected(web: aiohttp.ClientSession, played: Played) -> None:
    of = (await ask(web, f"/api/match/{played.legs}"))["steps"]
    found = await ask(web, f"/api/match/{played.legs}/steps")
    states = [msgspec.convert(step, State) for step in found["steps"]]
    assert len(states) == of
    assert [state.sides[0].score for state in states[:4]] == [101, 41, 40, 0]
    assert [dart.segment for dart in states[3].turn.darts] == ["T20", "S1", "D20"]
    assert (states[-1].phase, states[-1].winners) == ("over", (0,))
    later = await ask(web, f"/api/match/{played.legs}/steps", first="3")
    assert later["steps"] == found["steps"][3:]
    assert (await ask(web, f"/api/match/{played.legs}/steps", first="999"))["steps"] == []


async def test_a_long_match_comes_in_pieces(web: aiohttp.ClientSession, played: Played) -> None:
    of = (await ask(web, f"/api/match/{played.cricket}"))["steps"]
    steps: list[JSON] = []
    while len(steps) < of:
        found = (await ask(web, f"/api/match/{played.cricket}/steps", first=str(len(steps))))["steps"]
        assert 0 < len(found) <= 60
        steps += found
    assert len(steps) == of > 60
    assert steps[-1]["phase"] == "over"


async def test_its_record_is_the_one_of_the_command_line(
    web: aiohttp.ClientSession, played: Played, tmp_path: Path, oche: Saying
) -> None:
    async with web.get(f"/api/match/{played.legs}/record") as answer:
        assert answer.headers["Content-Disposition"] == f'attachment; filename="2026-10-03_x01_{played.legs}.jsonl"'
        record = await answer.read()
    code, said, _ = oche("history", "export", played.legs, "--config", str(tmp_path / "oche.toml"))
    assert (code, said.encode()) == (0, record)


async def test_what_may_go_on_keeps_its_darts_until_another_match_begins(
    web: aiohttp.ClientSession, played: Played, running: RunningDaemon
) -> None:
    table = running.tables["main"]
    await give(table, {"start": {"game": "dards", "players": ["Dee", "Eve", "Flo"]}}, "page")
    match = table.state().match or ""
    (card, *_) = table.match.position.prompts[0].options or ()
    await give(table, {"choose": card}, SeatSender(0))
    for path in ("", "/steps", "/record"):
        assert await refusal(web, f"/api/match/{match}{path}") == (404, "there is no finished match with this id")
    await give(table, {"throw": "DB"}, "page")
    await give(table, {"stop": True}, "page")
    found = await ask(web, f"/api/match/{match}")
    assert (found["was_stopped"], found["steps"]) == (True, 0)
    sentence = "an undo can still continue this match: you can see its darts once another match has begun"
    for path in ("/steps", "/record"):
        assert await refusal(web, f"/api/match/{match}{path}") == (409, sentence)
    await give(table, {"start": {"game": "x01", "players": ["Ann"]}}, "page")
    assert (await ask(web, f"/api/match/{match}"))["steps"] > 2
    steps = (await ask(web, f"/api/match/{match}/steps"))["steps"]
    secret = [prompt for step in steps for prompt in step["prompts"] if prompt["secret"]]
    assert secret
    assert all(prompt["options"] is None for prompt in secret)
    assert (await refusal(web, f"/api/match/{match}/record"))[0] == 200


async def test_what_is_not_there(web: aiohttp.ClientSession, played: Played) -> None:
    for path, status in (
        ("/api/match/nothing", 404),
        (f"/api/match/{played.legs}/steps?first=-1", 400),
        ("/api/matches?before=tomorrow", 400),
        ("/api/matches?before=2026-10-03T20:00:00", 400),
        (f"/api/match/{played.legs}/nothing", 404),
    ):
        assert (await refusal(web, path))[0] == status, path
