"""When a light shows what: scenes of moments, who is to throw, the light as it was found; on a clock set by hand."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from daemon.config.lights import Light, Scene, collect_scenes
from daemon.outlets.light_plan import ASLEEP_S, LightPlan
from daemon.table.effects import Update
from protocol.moments import find_moment
from tests.daemon.desk import Desk

OWN = (Scene("short", seconds=2), Scene("until pulled", seconds=0))
SCENES = collect_scenes(OWN)
MOMENTS = {
    "180": "gold",
    "bust": "red",
    "bullseye": "short",
    "leg_won": "rainbow",
    "ton": "blue",
    "140_plus": "blue",
    "three_in_the_black": "flash",
}


class Watched:
    """A desk, and what a light at it should show."""

    def __init__(self, moments: dict[str, str] = MOMENTS, table: dict[str, Any] | None = None, **light: object) -> None:
        self.desk = Desk(**(table or {}))
        about = {"name": "ring", "url": "http://x", **light}
        self.plan = LightPlan(msgspec.convert(about, Light), SCENES)
        self._moments = moments
        self._told = 0
        self._tell(is_first=True)

    def _tell(self, *, is_first: bool = False) -> None:
        """As the dispatcher does: each update, and then the moments in it."""
        effects, self._told = self.desk.followed[self._told :], len(self.desk.followed)
        events = tuple(event for each in effects for event in each.events)
        has_news = is_first or any(each.lines for each in effects)
        self.plan.follow(Update("main", self.desk.state if has_news else None, events), self.desk.now)
        for event in events:
            moment = find_moment(event)
            name = event.event_type if moment is None else moment.name
            if name in self._moments:
                scene = SCENES[self._moments[name]]
                self.plan.begin(scene, event.event_type, "main", self.desk.now)

    def throw(self, *segments: str) -> str | None:
        """Throws these, half a second apart; returns what is shown then."""
        for segment in segments:
            self.desk.hear(segment, after_s=0.5)
            self._tell()
        return self.shown

    def give(self, **words: Any) -> str | None:  # Any: JSON
        self.desk.give(**words)
        self._tell()
        return self.shown

    def wait(self, seconds: float) -> str | None:
        self.desk.hear(after_s=seconds)
        return self.shown

    @property
    def shown(self) -> str | None:
        scene = self.plan.find_wanted(self.desk.now)
        return None if scene is None else scene.name


def test_a_scene_is_shown_for_its_seconds_and_then_the_light_is_as_found() -> None:
    light = Watched()
    assert light.throw("T20", "T20") is None
    assert light.throw("T20") == "gold"
    assert light.plan.find_deadline(light.desk.now) == light.desk.now + 4
    assert light.wait(3.9) == "gold"
    assert light.wait(0.1) is None


def test_a_scene_goes_on_when_the_darts_are_pulled_unless_it_ends_then() -> None:
    light = Watched()
    light.throw("T20", "T20", "T20")
    assert light.give(next=True) == "gold"
    light = Watched({"180": "until pulled"})
    assert light.throw("T20", "T20", "T20") == "until pulled"
    assert light.wait(500) == "until pulled"
    assert light.give(next=True) is None


def test_a_scene_of_a_visit_that_is_closed_in_one_step_ends_before_the_next_one() -> None:
    light = Watched({"visit": "until pulled"})
    light.throw("T20")
    assert light.give(next=True) == "until pulled"
    assert light.throw("S1", "S1") == "until pulled"
    assert light.wait(3.9) == "until pulled"
    assert light.wait(0.1) is None
    light = Watched({"turn_changed": "until pulled"})
    light.throw("T20")
    assert light.give(next=True) == "until pulled"
    assert light.wait(500) == "until pulled", "it belongs to the visit that has begun"


def test_the_greater_moment_is_shown_until_the_next_visit_and_of_equals_the_later() -> None:
    light = Watched()
    assert light.throw("DB") == "short"
    assert light.throw("DB", "S1") == "blue", "a ton comes after its darts"
    light = Watched()
    assert light.throw("DB", "DB", "DB") == "flash", "an award is more than the points of the visit"
    light.give(next=True)
    assert light.throw("DB") == "short"


@pytest.mark.parametrize("words", [{"undo": True}, {"amend": 4, "throw": "T1"}])
def test_what_is_taken_back_is_no_longer_shown(words: dict[str, Any]) -> None:
    light = Watched()
    assert light.throw("T20", "T20", "T20") == "gold"
    assert light.give(**words) is None


def test_idle_scenes_follow_the_players_once_somebody_has_thrown() -> None:
    light = Watched(idle={"Ann": "green", "*": "blue", "3": "red"}, table={"players": ("Ann", "Bo", "Cid")})
    assert light.wait(0) is None
    assert light.throw("T20") == "green"
    assert light.throw("T20", "T20") == "gold"
    assert light.give(next=True) == "gold"
    assert light.wait(4) == "blue"
    light.throw("S1", "S1", "S1")
    assert light.give(next=True) == "red"
    assert light.give(stop=True) is None


def test_a_light_is_put_back_when_everybody_has_gone() -> None:
    light = Watched({"180": "until pulled"}, idle={"*": "green"})
    light.throw("T20")
    assert light.wait(ASLEEP_S - 1) == "green"
    assert light.wait(1) is None
    assert light.throw("T20", "T20") == "until pulled"
    assert light.wait(ASLEEP_S) is None


def test_a_start_of_the_daemon_lights_nothing_until_somebody_plays() -> None:
    light = Watched(idle={"*": "green"})
    assert light.throw("T20") == "green"
    later = LightPlan(Light("ring", "http://x", idle={"*": "green"}), SCENES)
    later.follow(Update("main", light.desk.state), light.desk.now)
    assert later.find_wanted(light.desk.now) is None


def test_where_a_camera_looks_on_nothing_changes_between_the_first_dart_and_the_last() -> None:
    light = Watched(idle={"Ann": "green", "Bo": "blue"}, during_visit=False, moments={"bullseye": "short"})
    light.throw("S1", "S1", "S1")
    assert light.give(next=True) == "blue"
    assert light.throw("DB") == "blue"
    assert light.throw("S1") == "blue"
    light.wait(60)
    assert light.throw("S1") == "short", "it has waited for the last dart"
    assert light.wait(2) == "blue"
    light.give(next=True)
    assert light.throw("S1", "S1", "DB") == "short"
    assert light.give(next=True) == "blue", "it ends when the darts are pulled"
    assert light.give(undo=True) == "green"


def test_where_a_camera_looks_on_a_visit_that_is_cut_short_shows_nothing_to_the_next_player() -> None:
    light = Watched(during_visit=False, moments={"bullseye": "short", "ton": "red"})
    assert light.throw("DB", "DB") is None
    assert light.give(next=True) is None
    assert light.throw("S1", "S1", "S1") is None


@pytest.mark.parametrize(
    ("about", "waits"),
    [({}, True), ({"table": ("bar", "back")}, True), ({"table": "back"}, False), ({"during_visit": True}, False)],
)
def test_a_light_waits_by_itself_where_the_board_is_a_camera(about: dict[str, Any], waits: bool) -> None:
    desk = Desk()
    plan = LightPlan(msgspec.convert({"name": "ring", "url": "http://x", **about}, Light), SCENES, ["bar"])
    desk.hear("DB")
    plan.follow(Update("back", desk.state), desk.now)
    plan.begin(SCENES["gold"], "dart", "back", desk.now)
    assert (plan.find_wanted(desk.now) is None) == waits


def test_a_light_of_another_table_is_not_concerned() -> None:
    plan = LightPlan(Light("ring", "http://x", table=("bar", "back")), SCENES)
    assert [plan.concerns(table) for table in ("bar", "back", "main")] == [True, True, False]
    plan = LightPlan(Light("ring", "http://x"), SCENES)
    assert plan.concerns("main")
