"""What simulated cameras say, held against the published shapes of their makers' programs."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from protocol.codebook import shipped
from protocol.segment import Layout
from simulator.cameras.autodarts import SECRET, AutodartsCamera
from simulator.cameras.camera import Asked, Camera, Json, Quirks, read_target
from simulator.cameras.opendartboard import ApaikoCamera, OpendartboardCamera
from simulator.cameras.opendarts import OpendartsCamera
from simulator.cameras.scolia import ScoliaCamera
from simulator.thrower import Thrower

STEEL = shipped("autodarts").layout
T20, D16, S1, BULL, SURROUND = (-32, 1012), (1003, -1349), (401, 1380), (20, 10), (1900, 300)
MAKERS = [OpendartsCamera, AutodartsCamera, OpendartboardCamera, ApaikoCamera, ScoliaCamera]


def made(maker: type[Camera], quirks: Quirks | None = None, layout: Layout = STEEL) -> Any:
    """A camera at the first second of a day."""
    camera = maker(layout, quirks or Quirks(), Random(1))
    camera.now_s = 1_795_000_000.5
    return camera


def said(camera: Camera) -> list[Json]:
    """What it says now, where it is a state without its time."""
    return [{key: value for key, value in message.items() if key != "at"} for message in camera.outgoing()]


def asked(camera: Camera, request: str, body: Any = None) -> tuple[int, Any]:
    """The status and the body of the answer to a request."""
    method, target = request.split()
    answer = camera.answer(read_target(method, target, body))
    return answer.status, answer.value if answer.text is None else answer.text


@pytest.mark.parametrize("maker", MAKERS)
def test_three_darts_are_seen_and_a_fourth_is_not(maker: type[Camera]) -> None:
    camera = made(maker)
    assert [camera.land(T20), camera.land(D16), camera.land(S1)] == [True] * 3
    camera.outgoing()
    assert not camera.land(BULL)
    assert (len(camera.darts), camera.outgoing()) == (3, [])


@pytest.mark.parametrize("maker", MAKERS)
def test_nobody_throws_into_a_takeout_and_after_it_the_board_is_empty(maker: type[Camera]) -> None:
    camera = made(maker)
    camera.land(T20)
    camera.begin_takeout()
    assert not camera.land(D16)
    camera.end_takeout()
    assert camera.darts == []
    assert camera.land(D16)


@pytest.mark.parametrize("maker", MAKERS)
def test_each_message_comes_as_often_as_it_is_told_to(maker: type[Camera]) -> None:
    once, twice = made(maker), made(maker, Quirks(repeats=1))
    for camera in (once, twice):
        camera.land(T20)
    assert twice.outgoing() == [message for message in once.outgoing() for _ in range(2)]


# opendarts


def test_opendarts_tells_a_dart_twice_and_its_point_once() -> None:
    camera = made(OpendartsCamera, Quirks(is_text=True))
    camera.land(T20)
    detected, state = said(camera)
    assert (
        detected.items()
        >= {
            "type": "THROW_DETECTED",
            "visit_id": "visit_1795000000500",
            "visit_index": 0,
            "sector": "20",
            "ring": "treble",
            "ok": True,
            "board_xy_mm": [-3.2, 101.2],
        }.items()
    )
    assert state == {
        "type": "state",
        "event": "throw_detected",
        "running": True,
        "status": "throw",
        "visit": "visit_1795000000500",
        "n_darts": 1,
        "darts": [
            {
                "label": "T20",
                "sector": 20,
                "ring": "treble",
                "value": 60,
                "captured_at_utc": "2026-11-18T11:06:40.500000+00:00",
            }
        ],
    }


def test_opendarts_keeps_the_visits_that_are_over_and_leaves_out_empty_ones() -> None:
    camera = made(OpendartsCamera)
    for number in range(14):
        camera.now_s += 10
        for _ in range(1 + number % 3):
            camera.land(T20)
        camera.begin_takeout()
        camera.end_takeout()
        camera.begin_takeout()
        camera.end_takeout()
    camera.land(BULL)
    status, recent = asked(camera, "GET /api/live/recent?limit=12")
    assert (status, recent["count"], recent["buffer_max"]) == (200, 12, 12)
    assert [visit["n_darts"] for visit in recent["visits"]] == [1 + number % 3 for number in range(2, 14)]
    assert recent["visits"][-1]["total"] == 120
    assert len({visit["visit"] for visit in recent["visits"]} | {camera.visit}) == 13
    camera.restart()
    assert asked(camera, "GET /api/live/recent?limit=3")[1]["visits"] == []
    assert asked(camera, "GET /api/live/recent?limit=13")[0] == 400


def test_opendarts_takes_a_correction_and_says_what_is_wrong_with_one() -> None:
    camera = made(OpendartsCamera)
    camera.land_unread(T20)
    assert said(camera)[1]["darts"][0]["label"] == "failed to score"
    path = f"POST /api/visits/{camera.visit}/throws"
    assert asked(camera, f"{path}/1/correct", {"ring": "bull"})[0] == 404
    assert asked(camera, "POST /api/visits/visit_1/throws/0/correct", {"ring": "bull"})[0] == 404
    for wrong in (
        {},
        {"ring": "miss"},
        {"ring": "treble"},
        {"ring": "treble", "sector": 20},
        {"ring": "treble", "sector": "21"},
    ):
        assert asked(camera, f"{path}/0/correct", wrong)[0] == 400, wrong
    assert camera.outgoing() == []
    for body, label in (
        ({"ring": "treble", "sector": "19"}, "T19"),
        ({"ring": "single_inner", "sector": "5"}, "S5"),
        ({"ring": "outside"}, "MISS"),
        ({"ring": "outer_bull"}, "25"),
    ):
        assert asked(camera, f"{path}/0/correct", body)[0] == 200
        (state,) = said(camera)
        assert (state["event"], state["darts"][0]["label"], state["darts"][0]["corrected"]) == (
            "throw_corrected",
            label,
            True,
        )


def test_opendarts_is_started_and_reset() -> None:
    camera = made(OpendartsCamera)
    camera.restart()
    assert (camera.greet()[0]["status"], camera.land(T20)) == ("stopped", False)
    assert asked(camera, "POST /api/start") == (200, {"running": True, "status": "throw"})
    assert [state["event"] for state in said(camera)] == ["connecting", "started"]
    camera.land(T20)
    camera.outgoing()
    asked(camera, "POST /api/reset")
    (state,) = said(camera)
    assert (state["event"], state["visit"], state["n_darts"], state["darts"]) == ("manual_reset", None, 0, [])


# Autodarts


def test_autodarts_writes_a_dart_as_in_the_recording() -> None:
    camera = made(AutodartsCamera)
    camera.is_connected = True
    assert asked(camera, "GET /api/state")[1].keys() == {"connected", "event", "numThrows", "running", "status"}
    camera.land((325, 980))
    assert said(camera) == [
        {
            "type": "state",
            "data": {
                "connected": True,
                "event": "Throw detected",
                "numThrows": 1,
                "running": True,
                "status": "Throw",
                "throws": [
                    {
                        "coords": {"x": 0.1912, "y": 0.5765},
                        "segment": {"bed": "Triple", "multiplier": 3, "name": "T1", "number": 1},
                    }
                ],
            },
        }
    ]


@pytest.mark.parametrize(
    ("point", "segment"),
    [
        ((0, 0), ("Bull", 25, "Double", 2)),
        ((120, 0), ("25", 25, "Single", 1)),
        ((-139, 1343), ("S20", 20, "SingleOuter", 1)),
        ((300, 0), ("S6", 6, "SingleInner", 1)),
        ((1666, -697), ("M10", 10, "Outside", 0)),
    ],
)
def test_autodarts_names_each_bed(point: tuple[int, int], segment: tuple[str, int, str, int]) -> None:
    camera = made(AutodartsCamera)
    camera.land(point)
    (throw,) = said(camera)[0]["data"]["throws"]
    assert throw["segment"] == dict(zip(("name", "number", "bed", "multiplier"), segment, strict=True))
    camera.bounce()
    assert said(camera)[0]["data"]["throws"][1] == {
        "segment": {"name": "Miss", "number": 0, "bed": "Outside", "multiplier": 0},
        "bouncer": True,
    }


def test_autodarts_has_the_status_takeout_with_the_third_dart_and_sticks_after_it() -> None:
    camera = made(AutodartsCamera, Quirks(sticks=True))
    for point in (T20, D16, S1):
        camera.land(point)
    assert [(state["data"]["event"], state["data"]["status"]) for state in said(camera)] == [
        ("Throw detected", "Throw"),
        ("Throw detected", "Throw"),
        ("Throw detected", "Takeout"),
    ]
    camera.begin_takeout()
    camera.pull_one()
    camera.end_takeout()
    assert [(s["data"]["event"], s["data"]["status"], s["data"]["numThrows"]) for s in said(camera)] == [
        ("Takeout started", "Takeout in progress", 3),
        ("Takeout started", "Takeout in progress", 2),
        ("Takeout finished", "Throw", 0),
        ("Takeout started", "Takeout in progress", 0),
    ]
    assert not camera.land(T20)
    assert asked(camera, "POST /api/reset")[0] == 200
    assert camera.land(T20)


def test_autodarts_counts_a_dart_before_it_lists_it_and_moves_those_that_stand() -> None:
    camera = made(AutodartsCamera, Quirks(is_torn=True, is_late=True, jitter_mm=2.0))
    camera.land(T20)
    camera.land(D16)
    states = [state["data"] for state in said(camera)]
    assert [(s["numThrows"], len(s["throws"]), s["event"]) for s in states] == [
        (1, 0, "Started"),
        (1, 1, "Started"),
        (1, 0, "Throw detected"),
        (1, 1, "Throw detected"),
        (2, 1, "Throw detected"),
        (2, 2, "Throw detected"),
        (2, 1, "Throw detected"),
        (2, 2, "Throw detected"),
    ]
    places = {(s["throws"][0]["coords"]["x"], s["throws"][0]["coords"]["y"]) for s in states if s["throws"]}
    assert len(places) > 3
    assert all(abs(x + 32 / 1700) < 0.012 and abs(y - 1012 / 1700) < 0.012 for x, y in places)


def test_autodarts_tells_its_generations_apart() -> None:
    for version, said_so, system, ping, start in (
        ("0.22.0", "0.22.0", 404, 200, "/api/detection/start"),
        ("1.0.7", "1.0.7", 404, 200, "/api/start"),
        ("2.0.2", "v2.0.2\n", 200, 404, "/api/start"),
    ):
        camera = AutodartsCamera(STEEL, version=version)
        assert asked(camera, "GET /api/version") == (200, said_so)
        assert (asked(camera, "GET /api/system")[0], asked(camera, "GET /api/ping")[0]) == (system, ping)
        camera.fall_asleep()
        assert not camera.land(T20)
        other = {"/api/start": "/api/detection/start", "/api/detection/start": "/api/start"}[start]
        assert asked(camera, f"PUT {other}")[0] == 404
        assert asked(camera, f"PUT {start}")[0] == 200
        assert camera.land(T20)
    second = AutodartsCamera(STEEL, version="2.0.2")
    second.land(T20)
    assert "throws" not in asked(second, "GET /api/system")[1]["state"]
    assert SECRET in str(asked(second, "GET /api/config"))


# OpenDartboard


def test_opendartboard_says_a_dart_again_when_another_is_pulled() -> None:
    camera = made(OpendartboardCamera)
    for point in (T20, S1, SURROUND):
        camera.land(point)
    camera.begin_takeout()
    camera.pull_one()
    camera.end_takeout()
    messages = said(camera)
    assert [message["score"] for message in messages] == ["T20", "S1", "MISS", "S1", "END"]
    assert messages[0].keys() == {"score", "position", "confidence", "camera", "processing_time", "timestamp"}
    assert [(m["position"], m["camera"]) for m in (messages[2], messages[4])] == [({"x": -1, "y": -1}, -1)] * 2
    camera.begin_takeout()
    camera.end_takeout()
    assert said(camera) == []


def test_apaiko_adds_the_place_behind_a_token() -> None:
    camera = made(ApaikoCamera)
    assert camera.refuses(Asked("GET", "/scores", {})) == 401
    assert camera.refuses(Asked("GET", "/scores", {"token": camera.token})) is None
    camera.land((-56, -1207))
    camera.land(SURROUND)
    dart, miss = said(camera)
    assert (dart["score"], dart["segment"], dart["ring"]) == ("S3", 3, "single")
    assert dart["board"] == {"radius": 0.7108, "angle": 182.66}
    empty = ("segment", "ring", "board", "uncertainty", "boundary", "boundary_kind", "alternative")
    assert {key: miss[key] for key in empty} == dict.fromkeys(empty)


def test_apaiko_names_a_second_candidate_beside_a_wire() -> None:
    camera = made(ApaikoCamera)
    camera.land((0, 1068))
    assert said(camera)[0]["alternative"] not in ("T20", None)


# Scolia


def test_scolia_speaks_as_in_its_document() -> None:
    camera = made(ScoliaCamera)
    hello = camera.greet()[0]
    assert (hello["type"], hello["payload"]) == (
        "HELLO_CLIENT",
        {"boardStatus": "Ready", "boardPhase": "Throw", "errorType": None},
    )
    camera.land(S1)
    camera.bounce()
    camera.begin_takeout()
    camera.break_off_takeout()
    dart, fallen, began, ended = said(camera)
    assert dart["payload"].items() >= {"sector": "S1", "coordinates": [40, 138], "bounceout": False}.items()
    assert fallen["payload"].items() >= {"sector": "None", "coordinates": [176, -88], "bounceout": True}.items()
    assert (began["type"], began["payload"]["time"]) == ("TAKEOUT_STARTED", "2026-11-18T11:06:40.500Z")
    assert ended["payload"]["falseTakeout"] is True
    assert len({message["id"] for message in (hello, dart, fallen, began, ended)}) == 5


@pytest.mark.parametrize(
    ("query", "refusal"),
    [
        ({"serialNumber": "SIMULATED-1", "accessToken": "simulated-token"}, None),
        ({"serialNumber": "another", "accessToken": "simulated-token"}, 4100),
        ({"serialNumber": "SIMULATED-1", "accessToken": "wrong"}, 4102),
        ({}, 4100),
    ],
)
def test_scolia_closes_with_a_code(query: dict[str, str], refusal: int | None) -> None:
    assert made(ScoliaCamera).refuses(Asked("GET", "/api/v1/social", query)) == refusal


def test_scolia_is_told_of_corrections_and_counts_on() -> None:
    camera = made(ScoliaCamera)
    for _ in range(3):
        camera.land(T20)
    assert not camera.land(T20)

    def answer(kind: str, payload: Any = None) -> tuple[str, Any]:
        (message,) = camera.hear({"type": kind, "id": "1", "payload": payload})
        assert message["payload"].get("replyTo") == "1"
        return message["type"], message["payload"].get("error")

    assert answer("DELETE_THROW", {"throwIndex": 1}) == ("ACKNOWLEDGED", None)
    assert camera.land(T20)
    assert answer("THROW_CORRECTED", {"throwIndex": 2}) == ("ACKNOWLEDGED", None)
    assert camera.corrected == [2]
    assert answer("THROW_CORRECTED", {"throwIndex": 3}) == ("REFUSED", "InvalidPayload")
    assert answer("GET_SBC_STATUS") == ("SBC_STATUS", None)
    assert answer("CONFIGURE_SBC", {"enableMessageForwardToScolia": False}) == ("ACKNOWLEDGED", None)
    assert camera.forwards is False
    camera.stop()
    assert answer("RESET_PHASE") == ("REFUSED", "InvalidState")


@pytest.mark.parametrize("maker", MAKERS)
def test_what_is_thrown_with_scatter_is_told_as_the_bed_in_which_it_is(maker: type[Camera]) -> None:
    thrower = Thrower(40.0, Random(3), STEEL)
    camera = made(maker)
    for _ in range(300):
        landing = thrower.throw("20")
        is_seen = camera.land((landing.x, landing.y))
        assert [dart.segment for dart in camera.darts] == [landing.segment] * is_seen
        assert bool(said(camera)) == is_seen
        camera.begin_takeout()
        camera.end_takeout()
        said(camera)
