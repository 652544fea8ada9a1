"""Laws of the hosts of cameras, against what simulated cameras say: each dart at most once, whatever happens.

The cameras were written from what is published of their makers' programs, and know nothing of the hosts.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.languages import translate
from protocol.dialogues.detection import say_not_started
from protocol.events import Amended, Cleared, Correct, Found, Hit, Mend, Readiness, TakeoutSeen, Unread
from protocol.segment import Point, Segment
from protocol.standard import merged
from protocol.web_frames import Received
from simulator.cameras.camera import Quirks
from simulator.cameras.opendarts import OpendartsCamera
from tests.protocol.hearing import WEB
from tests.simulator.web_conversation import WebConversation
from tests.sweep import many

EVERY = pytest.mark.parametrize("name", WEB)
BRIEFLY = settings(max_examples=many(25, 400), deadline=None)
POINTS = st.tuples(st.integers(-1700, 1700), st.integers(-1700, 1700)).filter(lambda point: math.hypot(*point) < 2240)
T20, D1, O5, LEFT = (-32, 1012), (540, 1570), (-420, 1290), (-1300, 0)
QUIRKS = st.builds(
    Quirks,
    repeats=st.integers(0, 2),
    jitter_mm=st.floats(0.0, 1.0),
    is_text=st.booleans(),
    leaves_out=st.booleans(),
    keeps_darts=st.booleans(),
    is_late=st.booleans(),
    is_torn=st.booleans(),
    chatter=st.booleans(),
    odd_bulls=st.booleans(),
    names_misses=st.booleans(),
)
SINGLES_ARE_MERGED = {"opendartboard"}
"""Boards that do not tell the inner single from the outer one, and give no points."""
TELL_AGAIN = {"opendartboard", "opendartboard-apaiko"}
"""Boards that tell a dart again when another one is pulled alone."""

LOOK_ALIKE = {"autodarts"}
"""Boards that only show which darts are in them: a visit that was missed can look like a correction of the last one."""


def told(name: str, segment: Segment) -> str:
    """What a host should hear for a dart in this segment."""
    return merged(segment.id) if name in SINGLES_ARE_MERGED else segment.id


def is_near(found: Point | None, point: Point) -> bool:
    """Whether a point is that of a dart there, if there is one: boards round, and a dart seems to move."""
    return found is None or math.dist(found, point) < 35


@EVERY
@BRIEFLY
@given(quirks=QUIRKS, data=st.data())
def test_while_the_link_stands_every_dart_is_heard_once_and_as_it_is(name: str, quirks: Quirks, data: Any) -> None:
    talk = WebConversation(name, quirks)
    talk.connect()
    talk.wait(2500)
    thrown: list[tuple[str, Point]] = []
    visits = 0
    for step in data.draw(st.lists(st.sampled_from(["dart"] * 6 + ["pull", "walk by", "false", "one"]), max_size=25)):
        camera = talk.camera
        match step:
            case "dart":
                point = data.draw(POINTS)
                if camera.land(point):
                    thrown.append((told(name, talk.book.layout.landed(*point)), point))
            case "pull":
                visits += bool(camera.darts)
                camera.begin_takeout()
                camera.end_takeout()
            case "walk by" if not camera.darts:
                camera.begin_takeout()
                camera.end_takeout()
            case "false" if camera.darts:
                camera.begin_takeout()
                camera.break_off_takeout()
            case "one" if len(camera.darts) > 1 and name not in TELL_AGAIN:
                visits += 1
                camera.begin_takeout()
                camera.pull_one()
                talk.pump()
                camera.end_takeout()
        talk.pump()
        talk.wait(data.draw(st.sampled_from([1, 40, 1500])))
    hits = talk.hits
    assert [hit.segment.id if isinstance(hit, Hit) else None for hit in hits] == [segment for segment, _ in thrown]
    assert all(is_near(hit.point, point) for hit, (_, point) in zip(hits, thrown, strict=True))
    assert len({hit.key for hit in hits}) == len(hits)
    assert all(0 < len(hit.key) <= 64 and hit.key.isprintable() for hit in hits)
    ended = [event for event in talk.events if isinstance(event, TakeoutSeen) and event.step == "finished"]
    assert len(ended) >= visits
    assert not any(isinstance(event, Amended | Cleared) for event in talk.events)


@EVERY
@BRIEFLY
@given(quirks=QUIRKS, data=st.data())
def test_wherever_the_link_is_cut_no_dart_is_heard_twice(name: str, quirks: Quirks, data: Any) -> None:
    talk = WebConversation(name, quirks)
    talk.connect()
    thrown: Counter[str] = Counter()
    for step in data.draw(st.lists(st.sampled_from(["dart"] * 5 + ["pull", "cut", "cut", "again"]), max_size=25)):
        camera = talk.camera
        match step:
            case "dart":
                point = data.draw(POINTS)
                if camera.land(point):
                    thrown[told(name, talk.book.layout.landed(*point))] += 1
            case "pull":
                camera.begin_takeout()
                camera.end_takeout()
            case "cut":
                talk.cut(data.draw(st.integers(0, 5)))
            case "again":
                talk.connect()
        if step != "dart" or data.draw(st.booleans()):
            talk.pump()
        talk.wait(data.draw(st.sampled_from([1, 40, 3000])))
    hits = talk.hits
    assert len({hit.key for hit in hits}) == len(hits)
    assert Counter(hit.segment.id for hit in hits if isinstance(hit, Hit)) <= thrown
    assert sum(isinstance(hit, Unread) for hit in hits) == 0


@EVERY
@BRIEFLY
@given(quirks=QUIRKS, data=st.data())
def test_whatever_messages_are_lost_no_dart_is_heard_twice_nor_as_another(name: str, quirks: Quirks, data: Any) -> None:
    """The link stands meanwhile, and requests are answered."""
    talk = WebConversation(name, quirks)
    talk.connect()
    talk.wait(2500)
    thrown: Counter[str] = Counter()
    for step in data.draw(st.lists(st.sampled_from(["dart"] * 5 + ["pull"]), max_size=25)):
        camera = talk.camera
        if step == "dart":
            point = data.draw(POINTS)
            if camera.land(point):
                thrown[told(name, talk.book.layout.landed(*point))] += 1
        else:
            camera.begin_takeout()
            camera.end_takeout()
        if data.draw(st.booleans()):
            camera.outgoing()
        talk.pump()
        talk.wait(data.draw(st.sampled_from([40, 1500, 12_000])))
    assert len({hit.key for hit in talk.hits}) == len(talk.hits)
    assert Counter(hit.segment.id for hit in talk.hits if isinstance(hit, Hit)) <= thrown
    if name not in LOOK_ALIKE:
        assert not any(isinstance(event, Amended) for event in talk.events)


@pytest.mark.parametrize("name", ["opendarts-cameras"])
@BRIEFLY
@given(quirks=QUIRKS, data=st.data())
def test_a_board_that_names_its_darts_loses_none_of_them(name: str, quirks: Quirks, data: Any) -> None:
    """What was thrown while the link was cut is found, with the name that it would have had."""
    talk = WebConversation(name, quirks)
    talk.connect()
    thrown = 0
    for step in data.draw(st.lists(st.sampled_from(["dart"] * 5 + ["pull", "cut", "connect"]), max_size=20)):
        match step:
            case "dart":
                thrown += talk.camera.land(data.draw(POINTS))
            case "pull":
                talk.camera.begin_takeout()
                talk.camera.end_takeout()
            case "cut":
                talk.cut(data.draw(st.integers(0, 5)))
            case "connect":
                talk.connect()
        talk.pump()
        talk.wait(1500)
    talk.connect()
    talk.wait(3000)
    found = [dart for event in talk.events if isinstance(event, Found) for dart in event.darts]
    assert len({dart.key for dart in [*talk.hits, *found]}) == thrown


@EVERY
def test_darts_that_are_in_the_board_when_the_host_comes_are_no_new_ones(name: str) -> None:
    talk = WebConversation(name, Quirks())
    talk.camera.land(T20)
    talk.camera.land(D1)
    talk.connect()
    talk.wait(3000)
    assert talk.hits == []
    found = [event for event in talk.events if isinstance(event, Found) and not event.is_over]
    if found:  # some boards do not tell what they have seen
        assert [dart.segment.id for dart in found[-1].darts if isinstance(dart, Hit)] == ["T20", "D1"]
    talk.camera.land(O5)
    talk.pump()
    talk.wait(1000)
    assert [hit.segment.id for hit in talk.hits if isinstance(hit, Hit)] == [told(name, talk.book.layout["O5"])]


@pytest.mark.parametrize("name", ["opendarts-cameras", "autodarts"])
def test_what_the_board_corrects_is_the_same_dart(name: str) -> None:
    talk = WebConversation(name, Quirks(repeats=1))
    talk.connect()
    talk.wait(3000)
    for point in (T20, D1):
        talk.camera.land(point)
        talk.pump()
    talk.camera.correct(0, talk.book.layout["T5"])
    talk.pump()
    talk.wait(2000)
    (amended,) = [event for event in talk.events if isinstance(event, Amended)]
    assert (amended.key, amended.segment.id) == (talk.hits[0].key, "T5")
    assert len(talk.hits) == 2


def test_autodarts_ends_a_visit_whose_takeout_was_not_heard_of() -> None:
    talk = WebConversation("autodarts", Quirks())
    talk.connect()
    camera = talk.camera
    for point in (T20, D1, D1):
        camera.land(point)
        talk.pump()
    camera.begin_takeout()
    talk.pump()
    camera.pull_one()
    talk.pump()
    camera.end_takeout()
    camera.outgoing()  # lost
    for point in (O5, T20):
        camera.land(point)
        talk.pump()
    told_of = [event for event in talk.events if isinstance(event, Hit | TakeoutSeen | Amended)]
    assert [event.segment.id if isinstance(event, Hit) else event for event in told_of[:3]] == ["T20", "D1", "D1"]
    assert [getattr(event, "step", None) for event in told_of[3:]] == ["started", "finished", None, None]
    assert [hit.segment.id for hit in told_of if isinstance(hit, Hit)][3:] == ["O5", "T20"]


@pytest.mark.parametrize("count", [2, 3])
def test_darts_elsewhere_are_those_of_the_next_visit_where_a_takeout_was_missed(count: int) -> None:
    talk = WebConversation("autodarts", Quirks())
    talk.connect()
    talk.wait(2500)
    for point in (T20, D1, O5)[:count]:
        talk.camera.land(point)
        talk.pump()
        talk.wait(1000)
    talk.camera.begin_takeout()
    talk.camera.end_takeout()
    talk.camera.land(LEFT)
    talk.camera.outgoing()
    talk.wait(12_000)
    heard = [e.segment.id if isinstance(e, Hit) else e.step for e in talk.events if isinstance(e, Hit | TakeoutSeen)]
    assert heard == [*["T20", "D1", "O5"][:count], "finished", "O11"]
    assert not any(isinstance(event, Amended) for event in talk.events)


def test_a_dart_that_is_not_read_is_told_and_then_amended() -> None:
    talk = WebConversation("opendarts-cameras", Quirks())
    talk.connect()
    talk.camera.land_unread(T20)
    talk.pump()
    (unread,) = talk.hits
    assert isinstance(unread, Unread)
    assert unread.point in (None, T20)
    talk.camera.correct(0, talk.book.layout["T20"])
    talk.pump()
    assert [(e.key, e.segment.id) for e in talk.events if isinstance(e, Amended)] == [(unread.key, "T20")]


def test_a_persons_correction_is_made_at_the_board_and_comes_back_as_no_dart() -> None:
    talk = WebConversation("opendarts-cameras", Quirks())
    talk.connect()
    for point in (T20, D1):
        talk.camera.land(point)
        talk.pump()
    for segment in ("T5", "I5", "SB", "DB", "MISS"):
        talk.send(Correct(talk.hits[1].key, talk.book.layout[segment]))
        assert [dart.segment.id for dart in talk.camera.darts if dart.segment] == ["T20", segment]
    assert len(talk.hits) == 2
    talk.camera.begin_takeout()
    talk.camera.end_takeout()
    talk.pump()
    talk.send(Correct(talk.hits[1].key, talk.book.layout["D5"]))
    assert isinstance(talk.camera, OpendartsCamera)
    assert [dart.segment.id for dart in talk.camera.recent[-1].darts if dart.segment] == ["T20", "D5"]


@EVERY
def test_a_takeout_that_never_ends_is_freed(name: str) -> None:
    talk = WebConversation(name, Quirks(sticks=True))
    talk.connect()
    talk.wait(3000)
    for _ in range(4):
        for point in (T20, D1, O5):
            talk.camera.land(point)
            talk.pump()
            talk.wait(1000)
        talk.camera.begin_takeout()
        talk.camera.end_takeout()
        talk.pump()
        talk.wait(30_000)
    assert len(talk.hits) == 12


@pytest.mark.parametrize("name", ["opendarts-cameras", "autodarts"])
def test_a_board_that_sees_no_darts_says_so_and_is_started(name: str) -> None:
    talk = WebConversation(name, Quirks())
    talk.connect()
    talk.wait(3000)
    talk.camera.stop()
    talk.pump()
    talk.wait(60_000)
    stopped = [event for event in talk.events if isinstance(event, Readiness)][-1]
    assert stopped.said is not None
    assert stopped.remedy == "start"
    talk.send(Mend("start"))
    talk.wait(3000)
    assert [event for event in talk.events if isinstance(event, Readiness)][-1].said is None
    assert talk.camera.is_running


def test_a_board_that_is_reset_by_hand_is_no_takeout() -> None:
    for name in ("opendarts-cameras", "autodarts"):
        talk = WebConversation(name, Quirks())
        talk.connect()
        talk.wait(3000)
        talk.camera.land(T20)
        talk.pump()
        talk.camera.forget()
        talk.pump()
        talk.wait(3000)
        assert [type(e) for e in talk.events if isinstance(e, Cleared | TakeoutSeen)] == [Cleared], name


@pytest.mark.parametrize(
    ("received", "why"), [(Received("x", status=500), "Status 500"), (Received("x", failed="refused"), "keine Antwort")]
)
def test_why_a_board_did_not_start_is_said_in_the_language_of_the_rest(received: Received, why: str) -> None:
    said = translate(say_not_started(received), "de")
    assert said == f"Das Board hat die Erkennung nicht gestartet ({why}): starte sie auf seiner eigenen Seite"
