"""The shape of the state as the contract words it: every key, its type, and what each phase implies.

Written from the contract and not from the code, so that a key that is renamed, dropped or added is noticed.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

DART = {"line": int, "segment": str, "points": int}
TURN = {"side": int, "seat": int, "player": str, "visit": int}
TURN |= {"darts_left": int, "darts": list, "bust": bool, "points": int}
LAST = {"side": int, "visit": int, "points": int, "darts": list, "bust": bool}
SIDE = {"name": str, "players": list, "score": int, "legs": int, "sets": int, "out": bool, "detail": dict}
PROMPT = {
    "id": str,
    "seat": int,
    "text": str,
    "options": (list, type(None)),
    "pattern": (str, type(None)),
    "values": (dict, type(None)),
    "default": (str, type(None)),
    "blocking": bool,
    "secret": bool,
    "kind": str,
    "options_are": (str, type(None)),
    "numbers": (dict, type(None)),
}
STATE = {
    "v": int,
    "match": (str, type(None)),
    "game": str,
    "title": str,
    "line": int,
    "phase": str,
    "round": int,
    "leg": int,
    "set": int,
    "turn": dict,
    "last": (dict, type(None)),
    "sides": list,
    "targets": list,
    "hint": list,
    "prompts": list,
    "board": dict,
    "winners": list,
    "format": dict,
    "task": (dict, type(None)),
    "variant": (dict, type(None)),
}
AT_TIMES = {"routes": list, "leave": dict, "advice": dict, "totals": dict, "ranks": list, "alone": int}
AT_TIMES |= {"next": dict, "leader": int}
LIMIT_BYTES = 4096 - len(b'"match":"9f2c41aa07d3","session":"5f0c11d2","seq":1000000,')
"""What a table adds to these states when it publishes them counts as well."""


def check(encoded: bytes, players: int = 2) -> None:
    """Fails when this is not a state of the contract."""
    state = msgspec.json.decode(encoded)
    _keys(state, STATE | {key: kind for key, kind in AT_TIMES.items() if key in state})
    _advice(state)
    _keys(state["turn"], TURN | ({"marks": int} if "marks" in state["turn"] else {}))
    for dart in state["turn"]["darts"]:
        _dart(dart)
    if state["last"] is not None:
        _keys(state["last"], LAST)
        for dart in state["last"]["darts"]:
            _dart(dart)
        assert state["last"]["visit"] == state["turn"]["visit"] - 1
    for side in state["sides"]:
        _keys(side, SIDE | ({"visits": list} if "visits" in side else {}))
        for visit in side.get("visits", ()):
            _keys(visit, {"points": int, "score": int} | ({"bust": bool} if "bust" in visit else {}))
    for prompt in state["prompts"]:
        _prompt(prompt, state)
    _phase(state)
    more = {key: kind for key, kind in {"clear_legs": int, "first": str, "play": str}.items() if key in state["format"]}
    _keys(state["format"], {"legs": int, "sets": int, **more})
    assert state["v"] == 1
    assert min(state["round"], state["leg"], state["set"], state["turn"]["visit"]) >= 1
    assert (state["task"] is None) == (state["phase"] == "over")
    assert state["task"] is None or 0 < len(state["task"]["text"]) <= 120
    if state["variant"] is not None:
        _keys(state["variant"], {"key": str, "values": dict, "text": str})
        assert 0 < len(state["variant"]["text"]) <= 60
    if "totals" in state:
        assert state["phase"] == "throwing"
        finish = ("finish", "darts", "at_finish") if "finish" in state["totals"] else ()
        _keys(state["totals"], dict.fromkeys((*finish, *({"bust"} & {*state["totals"]})), int))
    side = state["sides"][state["turn"]["side"]]
    assert state["turn"]["player"] in side["players"]
    assert all(0 <= winner < len(state["sides"]) for winner in state["winners"])
    assert players != 2 or len(encoded) <= LIMIT_BYTES


def _phase(state: dict[str, Any]) -> None:  # Any: JSON
    blocking = [prompt for prompt in state["prompts"] if prompt["blocking"]]
    left = state["turn"]["darts_left"]
    match state["phase"]:
        case "throwing":
            assert left > 0
            assert not blocking
        case "deciding":
            assert blocking
        case "takeout":
            assert left == 0
            assert not blocking
        case "over":
            assert left == 0
            assert not state["prompts"]
            assert not state["targets"]
            assert not state["hint"]
        case other:
            raise AssertionError(f"there is no phase {other!r}")
    assert state["phase"] == "over" or not state["winners"]
    if "alone" in state:
        others = [side for index, side in enumerate(state["sides"]) if index != state["alone"]]
        assert state["phase"] != "over"
        assert others
        assert all(side["out"] and side["players"] for side in others)
    assert len(state["hint"]) <= left


def _prompt(prompt: dict[str, Any], state: dict[str, Any]) -> None:  # Any: JSON
    _keys(prompt, PROMPT)
    kind, _, number = prompt["id"].partition("@")
    assert kind
    assert number.partition(".")[0] == str(state["turn"]["visit"])
    if prompt["secret"]:
        assert prompt["options"] is prompt["values"] is prompt["default"] is None
    elif prompt["options"] is None:
        assert prompt["pattern"]
    elif prompt["default"] is not None:
        assert prompt["default"] in prompt["options"]
    assert prompt["kind"] == ("choice" if prompt["pattern"] is None else "numbers" if prompt["numbers"] else "text")
    if prompt["numbers"]:
        _keys(prompt["numbers"], {"count": int, "low": int, "high": int})
    if prompt["options"]:
        _options(prompt["options"], prompt["options_are"], state["board"])


def _advice(state: dict[str, Any]) -> None:  # Any: JSON
    routes = state.get("routes", [])
    assert len(routes) <= 3
    for route in routes:
        _keys(route, {"darts": list, "chance": float, **({"favourite": bool} if "favourite" in route else {})})
    if state["title"] != "JDC Challenge":
        assert state["hint"] == (routes[0]["darts"] if routes else [])
    if "leave" in state:
        assert not routes
        _keys(state["leave"], {"darts": list, "left": int, "needs": int})
        assert len(state["leave"]["darts"]) == state["turn"]["darts_left"]
    if "advice" in state:
        assert state["phase"] == "throwing"
        _keys(state["advice"], {"segment": str, "purpose": str})


def _options(options: list[str], options_are: str | None, board: dict[str, Any]) -> None:  # Any: JSON
    match options_are:
        case "cards":
            assert all(re.fullmatch("(10|[2-9AJQK])[SHCD]", option) for option in options)
        case "rows":
            assert set(options) <= {*board["rows"]}
        case "segments":
            assert set(options) <= {*board["cells"]}
        case "moves":
            assert {end for option in options for end in option.split(">")} <= {*board["cells"]}
        case other:
            assert other is None
            assert not any(">" in option for option in options)


def _dart(dart: dict[str, Any]) -> None:  # Any: JSON
    _keys(dart, DART | ({"counts": bool} if "counts" in dart else {}))
    assert dart.get("counts") in (None, False)


def _keys(given: dict[str, Any], wanted: dict[str, Any]) -> None:  # Any: JSON
    assert list(given) == list(wanted)
    for key, kind in wanted.items():
        assert isinstance(given[key], kind), f"{key} is {given[key]!r}"
        assert not isinstance(given[key], bool) or kind is bool, f"{key} is {given[key]!r}"
