"""Learning a board, recording one, and opening a hand of cards on a phone."""

from __future__ import annotations

import json
import os
import tty
from contextlib import suppress
from pathlib import Path

from daemon.admin.learning.blank_profile import make_blank_profile
from daemon.admin.learning.press_file import PressFile
from daemon.admin.requests import BoardDescription
from daemon.plugins.profiles import find_codebook
from drivers.replay import check_recording
from protocol.learning.dialogue import Dialogue
from tests.crash.operations.operation import JSON, Operation, Outcome
from tests.crash.world import Gone, World
from tests.daemon.test_learn_command import frames, secret

_BOARD = secret("standard_7x10", 3)
_SECOND_NS = 10**9


def _plug_in(world: World) -> None:
    """A board that says nothing by itself."""
    ours, theirs = os.openpty()
    tty.setraw(theirs)
    world.board = ours
    world.stack.callback(os.close, ours)
    world.stack.callback(os.close, theirs)
    (world.beside / "board").symlink_to(os.ttyname(theirs))


def _press(world: World) -> Outcome:
    """Learning begins, and the first segment is pressed."""
    described = {"board": f"serial:{world.beside}/board", "name": "mine", "frame": "row,col"}
    world.post("/api/learn/stop", {})
    if not world.post("/api/learn/start", described):
        return None if world.daemon is None else False
    try:
        world.until(lambda: world.get("/api/learn").get("online"))
        asked = world.get("/api/learn")["press"]["segment"]
        os.write(world.board, frames(_BOARD)[asked] + b"\n")
        world.until(lambda: world.get("/api/learn").get("heard") or world.get("/api/learn")["state"] == "idle")
        return bool(world.get("/api/learn").get("heard"))
    except Gone:
        return None


def _list_presses(world: World) -> dict[str, JSON]:
    """How many are kept, and the profiles that were written, whether they can be read."""
    told = world.get("/api/learn")
    presses = len(told["heard"]) if told["state"] != "idle" else (told["kept"] or {"presses": 0})["presses"]
    return {"presses": presses, "profiles": [_is_profile(path) for path in world.state.glob("profile.*.toml")]}


def _is_profile(path: Path) -> bool:
    with suppress(Exception):
        return frames(find_codebook(str(path))) == frames(_BOARD)
    return False


def _learn_all(output: Path) -> None:
    """All presses of a board beside this profile."""
    described = BoardDescription("serial:/dev/null/no", "mine", "row,col")
    dialogue, now_ns = Dialogue(make_blank_profile(described)), _SECOND_NS
    dialogue.connect(now_ns)
    while dialogue.press is not None:
        if (frame := frames(_BOARD).get(dialogue.press.press)) is None:
            dialogue.skip(now_ns)
        else:
            dialogue.hear(frame, now_ns)
        for _ in range(20):
            now_ns += _SECOND_NS
            dialogue.tick(now_ns)
    PressFile(output, "{row},{col}", described).write(dialogue.answers)


def _save(world: World) -> Outcome:
    world.post("/api/learn/stop", {})
    return world.post("/api/learn/resume", {}) and world.post("/api/learn/save", {})


def _undo(world: World) -> Outcome:
    world.post("/api/learn/stop", {})
    return world.post("/api/learn/resume", {}) and world.post("/api/learn/undo", {})


def _write_profile(world: World) -> Outcome:
    output = str(world.home / "mine.toml")
    more = ("--frame", "row,col", "--output", output, "--force")
    return world.command("boards", "learn", "--board", "serial:/dev/null/no", *more, is_bare=True)


def _prepare_profile(world: World) -> None:
    """A profile from before, and the presses for another."""
    (world.home / "mine.toml").write_text("# a board of our own\n", encoding="utf-8")
    _learn_all(world.home / "mine.toml")


def _look_at_profile(world: World) -> dict[str, JSON]:
    path = world.home / "mine.toml"
    is_former = path.exists() and path.read_text("utf-8") == "# a board of our own\n"
    presses = path.with_name("mine.toml.presses").exists()
    return {"profile": "former" if is_former else _is_profile(path), "presses": presses}


def _record(world: World) -> Outcome:
    recording = str(world.home / "recording.jsonl")
    return world.command("capture", f"replay:{world.beside}/board.jsonl?speed=0", recording, "--force", is_bare=True)


def _prepare_recording(world: World) -> None:
    header = {"oche_capture": 1, "address": "usb:1", "started": "2026-01-31T19:30:00Z", "version": "1"}
    lines = [header, {"ms": 0, "link": "up"}, *({"ms": number, "in": "310a"} for number in range(5))]
    (world.beside / "board.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")


def _is_recorded(world: World) -> dict[str, JSON]:
    """Whether it can be read, and has all."""
    with suppress(Exception):
        check_recording(world.home / "recording.jsonl")
        return {"recording": (world.home / "recording.jsonl").read_bytes().count(b'"in"') == 5}
    return {"recording": False}


def _deal(world: World) -> None:
    world.start()
    header = {"game": "dards", "options": {"mode": "dealt"}, "players": ["Ann", "Bo"]}
    assert world.post("/api/table/main/start", header), world.said
    (world.beside / "seat").write_text(world.get("/api/table/main/seats")[0]["url"].partition("seat=")[2])
    world.stop()


def _open_hand(world: World) -> Outcome:
    try:
        return world.ask("GET", f"/api/seat/{(world.beside / 'seat').read_text()}")[0] == 200
    except Gone:
        return None


def _count_seats(world: World) -> dict[str, JSON]:
    return {"free seats": len(world.get("/api/table/main/seats"))}


OPERATIONS = (
    Operation("a press of a board that is learned", _press, _plug_in, more=_list_presses),
    Operation("a press is taken back", _undo, lambda world: _learn_all(world.state / "profile"), more=_list_presses),
    Operation(
        "a profile is saved on the page",
        _save,
        lambda world: _learn_all(world.state / "profile"),
        more=_list_presses,
        may_be_half=True,
        told="cannot remove",  # the presses, which do no harm
    ),
    Operation("a profile is written", _write_profile, _prepare_profile, "command", _look_at_profile, may_be_half=True),
    Operation("a recording", _record, _prepare_recording, "command", _is_recorded, may_be_half=True),
    Operation("a hand is opened", _open_hand, _deal, more=_count_seats, may_be_lost=True),
)
