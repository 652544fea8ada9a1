"""What WLED is sent and what it answers: its JSON interface, as far as lights need it. Pure.

A *state* is what `GET /json/state` returns; a *body* is any part of one, which `POST` there makes of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from daemon.config.lights import Light, Scene

Json = dict[str, Any]  # Any: JSON

NO_ECHO = {"nn": True}
"""Neighbours that are in sync are not told: each light is sent its own, and keeps what it is to go back to."""
_WHITE = "#ffffff"
_OF_STATE = ("on", "bri", "transition", "mainseg")
"""What is put back of a state, beside its segments."""
_LOOK = ("fx", "sx", "ix", "pal", "col", "on", "frz", "c1", "c2", "c3", "o1", "o2", "o3")
"""What a scene sets of a segment, and what a new effect sets by itself: put back together, or not at all."""


class _Segment(Struct):
    id: int
    col: list[list[int]]


class _State(Struct):
    on: bool
    bri: int
    seg: list[_Segment]


def is_state(answer: object) -> bool:
    """Whether this answer is a state, as far as it is read here."""
    try:
        msgspec.convert(answer, _State)
    except msgspec.ValidationError:
        return False
    return True


def make_body(scene: Scene, light: Light, state: Json, effect: int, palette: int) -> Json:
    """Returns what shows this scene on those segments of the light that the controller has. It may have none."""
    if scene.preset is not None:
        return {"ps": scene.preset, "udpn": NO_ECHO}
    colours = [[*bytes.fromhex(colour[1:])] for colour in scene.colours or (_WHITE,)]
    colours += [[0, 0, 0]] * (3 - len(colours))
    look = {"fx": effect, "sx": scene.speed, "ix": scene.intensity, "pal": palette, "col": colours}
    bright: Json = {} if light.brightness is None else {"bri": light.brightness}
    numbers = [segment["id"] for segment in state["seg"] if not light.segments or segment["id"] in light.segments]
    segments = [{"id": number, "on": True, "frz": False, **look} for number in numbers]
    return {"on": True, **bright, "seg": segments, "tt": 0, "udpn": NO_ECHO}


def predict(body: Json, state: Json) -> Json:
    """Returns the state that this body makes of another; of a preset only the controller knows."""
    asked = {segment["id"]: segment for segment in body.get("seg", ())}
    segments = [
        {**segment, **asked.get(segment["id"], {})}
        for segment in state["seg"]
        if asked.get(segment["id"], {}).get("stop") != 0
    ]
    there = {segment["id"] for segment in segments}
    added = [segment for number, segment in asked.items() if number not in there and segment.get("stop") != 0]
    return {**state, **{key: body[key] for key in _OF_STATE if key in body}, "seg": [*segments, *added]}


def keep_changes(found: Json, seen: Sequence[Json], state: Json) -> Json:
    """Returns the state that was found, with what somebody has changed since.

    That is what the present state has otherwise than each of those that we have `seen` or expect.
    """
    kept = {**state, **{key: found[key] for key in found if key not in ("seg", "ps", "pl")}}
    kept |= {key: state[key] for key in state if key != "seg" and all(state[key] != each.get(key) for each in seen)}
    before, known = _by_id(found), [_by_id(each) for each in seen]
    segments = []
    for number, segment in _by_id(state).items():
        ours = [each[number] for each in known if number in each]
        if not ours:
            segments.append(segment)  # somebody has added it
        elif number in before:
            segments.append(_keep_segment(before[number], ours, segment))
    deleted = {number for number in before if number in known[-1] and number not in _by_id(state)}
    segments += [each for number, each in before.items() if number not in _by_id(state) and number not in deleted]
    kept["seg"] = sorted(segments, key=lambda segment: int(segment["id"]))
    same = is_alike(kept, found)
    return kept | {key: (found if same else state)[key] for key in ("ps", "pl") if key in found and key in state}


def _keep_segment(before: Json, ours: Sequence[Json], now: Json) -> Json:
    is_look_ours = any(_read_look(each) == _read_look(now) for each in ours)
    own = {key for key in now if key not in _LOOK and any(now[key] == each.get(key) for each in ours)}
    own |= {*_LOOK} if is_look_ours else set()
    theirs = {key: value for key, value in now.items() if key not in own}
    return {**theirs, **{key: before[key] for key in before if key in own or key not in now}}


def make_way_back(found: Json, state: Json) -> Json:
    """Returns what makes the state that was found of the present one; nothing where both are equal."""
    now, before = _by_id(state), _by_id(found)
    segments: list[Json] = []
    for number, segment in before.items():
        there = now.get(number, {})
        if changed := [key for key in segment if key not in there or segment[key] != there[key]]:
            keys = {*changed, *(_LOOK if not {*_LOOK}.isdisjoint(changed) else ())}
            segments.append({"id": number, **{key: segment[key] for key in segment if key in keys}})
        if "n" in there and "n" not in segment:  # a name that a preset has brought
            segments.append({"id": number, "n": ""})
    segments += [{"id": number, "stop": 0} for number in now if number not in before]
    whole: Json = {key: found[key] for key in _OF_STATE if key in found and found[key] != state.get(key)}
    return whole | ({"seg": segments} if segments else {})


def find_preset(found: Json) -> int | None:
    """Returns the playlist or preset that was on in this state; None: there was none."""
    for key in ("pl", "ps"):
        if isinstance(number := found.get(key), int) and number > 0:
            return number
    return None


def shows_preset(number: int | None, state: Json) -> bool:
    """Whether this preset or playlist is on; None is none."""
    return number is not None and number in (state.get("ps"), state.get("pl"))


def is_alike(one: Json, other: Json) -> bool:
    """Whether two states look the same, whatever preset they are called."""
    return [one.get(key) for key in _OF_STATE] == [other.get(key) for key in _OF_STATE] and (
        {number: _read_segment(each) for number, each in _by_id(one).items()}
        == {number: _read_segment(each) for number, each in _by_id(other).items()}
    )


def _by_id(state: Json) -> Mapping[int, Json]:
    return {segment["id"]: segment for segment in state["seg"]}


def _read_segment(segment: Json) -> Json:
    return {**segment, "col": _cut(segment["col"])}


def _read_look(segment: Json) -> Json:
    """What is compared of how a segment looks."""
    return {key: _cut(segment[key]) if key == "col" else segment[key] for key in _LOOK if key in segment}


def _cut(colours: Iterable[Sequence[int]]) -> list[list[int]]:
    """Without white, which a strip with white lights adds to what it was sent."""
    return [[*colour[:3]] for colour in colours]
