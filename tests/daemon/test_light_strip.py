"""A light is put back as it was found, whatever happens meanwhile: other scenes, a kill, somebody who changes it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.config.lights import SCENES, Light, Scene, collect_scenes
from daemon.outlets.strip import LightError, Strip
from tests.daemon.wled import Json, Wled, make_segment, make_state, serve_wled
from tests.sweep import many

PRESETS = {
    1: make_state(bri=41, seg=[make_segment(0, 0, (1, 2, 3), fx=5, n="whole", stop=20, len=20)]),
    2: make_state(bri=42, seg=[make_segment(n, 10 * n, (n, 9, 9), fx=7) for n in range(3)]),
    3: make_state(on=False, bri=43),
}
OWN = (
    Scene("party", ("#010203", "#040506"), effect="colorloop", palette="party", speed=255),
    Scene("stored", preset=1),
    Scene("other", preset=2),
)
KNOWN = collect_scenes(OWN)


def open_strip(wled: Wled, folder: Path, **more: object) -> Strip:
    about = {"name": "ring", "url": f"{wled.url}/", "brightness": 175, **more}
    return Strip(msgspec.convert(about, Light), folder / "light.ring.json")


def list_files(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


async def test_a_scene_is_shown_and_the_light_is_put_back(tmp_path: Path) -> None:
    async with serve_wled(Wled()) as wled:
        before, strip = wled.look, open_strip(wled, tmp_path)
        await strip.show(KNOWN["party"])
        assert (wled.state["on"], wled.state["bri"]) == (True, 175)
        for segment in wled.state["seg"]:
            assert (segment["fx"], segment["pal"], segment["sx"]) == (8, 3, 255)
            assert segment["col"] == [[1, 2, 3], [4, 5, 6], [0, 0, 0]]
        assert [body for body in wled.requests if body and "psave" in body] == []
        await strip.show(None)
        assert wled.look == before
        assert list_files(tmp_path) == []


@pytest.mark.parametrize("scene", [*KNOWN])
@pytest.mark.parametrize(
    "found",
    [
        make_state(),
        make_state(on=False),
        {**PRESETS[2], "ps": 2},
        make_state(seg=[make_segment(0, 0, (), col=[[9, 9, 9, 7], [0, 0, 0, 0], [0, 0, 0, 0]])]),
    ],
)
async def test_any_scene_on_any_state_leaves_nothing_behind(tmp_path: Path, scene: str, found: Json) -> None:
    async with serve_wled(Wled(found, PRESETS)) as wled:
        wled.is_rgbw = len(found["seg"][0]["col"][0]) == 4
        before, strip = wled.look, open_strip(wled, tmp_path)
        await strip.show(KNOWN[scene])
        assert scene == "other" or wled.look != before
        await strip.show(KNOWN["flash"])
        await strip.show(None)
        assert wled.look == before


async def test_only_the_segments_of_the_light_are_changed(tmp_path: Path) -> None:
    async with serve_wled(Wled()) as wled:
        before, strip = wled.look, open_strip(wled, tmp_path, segments=(1, 5), brightness=None)
        await strip.show(KNOWN["red"])
        assert (wled.state["seg"][0], wled.state["bri"]) == (before["seg"][0], 90)
        assert wled.state["seg"][1]["col"][0] == [255, 0, 0]


async def test_nothing_is_sent_before_what_was_found_is_on_the_disk(tmp_path: Path) -> None:
    async with serve_wled(Wled()) as wled:
        strip, kept = open_strip(wled, tmp_path), list[bool]()
        wled.before = lambda number: kept.append((tmp_path / "light.ring.json").exists())
        await strip.show(KNOWN["red"])
        assert kept == [False, True]
    (tmp_path / "light.ring.json.new").mkdir()  # the next write fails
    async with serve_wled(Wled()) as wled:
        before, strip = wled.look, open_strip(wled, tmp_path)
        with pytest.raises(LightError):
            await strip.show(KNOWN["red"])
        assert wled.look == before


@pytest.mark.parametrize(
    ("more", "scene", "why"),
    [
        ({"segments": (7, 8)}, "red", "it has none of the segments 7, 8"),
        ({}, "missing", "it has no effect 'sparkle'"),
    ],
)
async def test_what_cannot_be_shown_is_said(tmp_path: Path, more: Json, scene: str, why: str) -> None:
    scenes = {**KNOWN, "missing": Scene("missing", effect="sparkle")}
    async with serve_wled(Wled()) as wled:
        before, strip = wled.look, open_strip(wled, tmp_path, **more)
        with pytest.raises(LightError, match=f"^{why}$"):
            await strip.show(scenes[scene])
        assert wled.look == before


async def test_another_web_server_is_no_light(tmp_path: Path) -> None:
    async with serve_wled(Wled({"seg": "none"})) as wled:
        with pytest.raises(LightError, match="it does not answer as WLED does"):
            await open_strip(wled, tmp_path).show(KNOWN["red"])
        wled.is_away = True
        with pytest.raises(LightError, match="it answered with status 503"):
            await open_strip(wled, tmp_path).show(KNOWN["red"])


async def test_a_controller_at_an_address_of_before_is_put_back_at_the_start(tmp_path: Path) -> None:
    async with serve_wled(Wled()) as first, serve_wled(Wled()) as second:
        before = first.look
        await open_strip(first, tmp_path).show(KNOWN["red"])
        moved = open_strip(second, tmp_path)
        await moved.read_record()
        assert (first.look, second.requests, moved.is_changed) == (before, [], False)
        assert list_files(tmp_path) == []


async def test_a_record_of_a_controller_that_is_away_or_a_damaged_one_is_not_used(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with serve_wled(Wled()) as first, serve_wled(Wled()) as second:
        before = second.look
        await open_strip(first, tmp_path).show(KNOWN["red"])
        first.is_away = True
        moved = open_strip(second, tmp_path)
        await moved.read_record()
        assert not moved.is_changed
        assert f"cannot be put back at its former address {first.url}/json: it answered with status 503" in caplog.text
        await moved.show(KNOWN["red"])
        await moved.show(None)
        assert second.look == before
        (tmp_path / "light.ring.json").write_bytes(b"{}")
        await moved.read_record()
        assert not moved.is_changed


CHANGES: dict[str, Json] = {
    "dim": {"bri": 11},
    "bright": {"bri": 250},
    "off": {"on": False},
    "slow": {"transition": 30},
    "reading": {"seg": [{"id": 0, "fx": 6, "sx": 1, "ix": 2, "pal": 1, "col": [[77, 70, 60], [1, 1, 1], [2, 2, 2]]}]},
    "preset": {"ps": 3},
    "shorter": {"seg": [{"id": 1, "stop": 17, "len": 7}]},
    "more": {"seg": [{"id": 3, "start": 40, "stop": 50}]},
    "fewer": {"seg": [{"id": 1, "stop": 0}]},
}
"""What people do at WLED's own page, with values that no scene has."""
WITH_PEOPLE = st.lists(
    st.sampled_from(["red", "flash", "party", None, *(f"person {name}" for name in CHANGES)]), max_size=9
)
WITH_PRESETS = st.lists(st.sampled_from(["red", "stored", "other", None]), max_size=9)
"""Of what people change while a preset of ours is on, nobody knows what was the preset's: all of it stays."""


async def act(strip: Strip, step: str | None) -> None:
    await strip.show(None if step is None else KNOWN[step])


async def killed_at(request: int, wled: Wled, work: Awaitable[None], *, is_answered: bool) -> bool:
    """Does this work, and ends it when it sends this request: before or after that is carried out."""
    task = asyncio.ensure_future(work)
    first = len(wled.requests)

    def end(number: int) -> None:
        if number == first + request:
            task.cancel()

    wled.before, wled.after = ((lambda _: None), end) if is_answered else (end, lambda _: None)
    with suppress(asyncio.CancelledError):
        await task
    wled.before = wled.after = lambda _: None
    return task.cancelled()


async def live(found: Json, steps: list[str | None], kill: int, *, is_answered: bool) -> tuple[Json, Json]:
    """Returns what the controller shows at the end, and what it would without us. Every step is killed once."""
    with TemporaryDirectory() as folder:
        alone = Wled(found, PRESETS)
        async with serve_wled(Wled(alone.look, PRESETS)) as wled:
            strip = open_strip(wled, Path(folder))
            for step in [*steps, None]:
                if step is not None and step.startswith("person "):
                    body = CHANGES[step.removeprefix("person ")]
                    wled.set(body)
                    alone.set(body)
                elif await killed_at(kill, wled, act(strip, step), is_answered=is_answered):
                    strip = open_strip(wled, Path(folder))
                    await strip.read_record()
            await strip.show(None)
            assert list_files(Path(folder)) == []
        return wled.look, alone.look


@given(
    found=st.sampled_from([make_state(), make_state(on=False), {**PRESETS[2], "ps": 2}]),
    steps=WITH_PEOPLE | WITH_PRESETS,
    kill=st.integers(0, 3),
    is_answered=st.booleans(),
)
@settings(max_examples=many(120, 2000), deadline=None)
@pytest.mark.long
def test_moments_people_and_kills_in_any_order_leave_the_light_as_people_want_it(
    found: Json, steps: list[str | None], kill: int, is_answered: bool
) -> None:
    shown, wanted = asyncio.run(live(found, steps, kill, is_answered=is_answered))
    assert shown == wanted


def test_the_six_scenes_flash_no_faster_than_is_safe() -> None:
    blink = next(scene for scene in SCENES if scene.effect == 1)
    assert (255 - blink.speed) * 20 >= 1000 / 3, "the milliseconds of a cycle of Blink"


@pytest.mark.parametrize("scene", [Scene("odd", effect=250), Scene("late", effect=6)])
async def test_what_the_controller_makes_of_a_scene_is_ours_too(tmp_path: Path, scene: Scene) -> None:
    async with serve_wled(Wled()) as wled:
        wled.sets_by_effect = {6: {"c1": 1, "o1": True}}
        before, strip = wled.look, open_strip(wled, tmp_path)
        await strip.show(scene)
        await strip.show(None)
        assert wled.look == before
