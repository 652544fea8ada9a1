"""What the threads of a page did, out of Chromium's trace, in the time that a processor gave each of them.

That time is the same however busy the machine is. It is not once Chromium slows the page itself (CDP's throttling): a
second thread then makes the page's own one spin, in that very time and by the clock, so that the same work comes out as
half as much or a quarter more. Who wants to know of a slow processor multiplies.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

CATEGORIES = ["toplevel", "devtools.timeline"]
OWN = "CrRendererMain"
"""The thread that runs a page's scripts, and says what is to be drawn."""
_KINDS = {
    "UpdateLayoutTree": "style",
    "Layout": "layout",
    "PrePaint": "paint",
    "Paint": "paint",
    "Layerize": "paint",
}
_SCRIPT = ("EvaluateScript", "FunctionCall", "v8.", "TimerFire", "FireAnimationFrame", "RunMicrotasks", "EventDispatch")
_OTHER = "other"
KINDS = ("style", "layout", "paint", "script", _OTHER)
"""What a task's time goes to; what is painted is only written down in it."""
RASTER = ("ThreadPoolForegroundWorker", "CompositorTileWorker1", "CompositorTileWorker2")
JOINING = ("Compositor", "VizCompositorThread", "CrGpuMain")
"""The threads that paint, and that move and join what is painted; where there is a graphics card it does most of it."""

Event = dict[str, Any]  # JSON


class Task(NamedTuple):
    """One task of a page: nothing else of the page goes on meanwhile. How long it took, and how much of it what did."""

    ms: float
    kinds: dict[str, float]


def read_tasks(events: list[Event]) -> list[Task]:
    """The tasks of a page's own thread."""
    found = [each for each in _pick(events, OWN) if each["ph"] == "X"]
    return [Task(task["tdur"] / 1000, _split(task, inside)) for task, inside in _group(found)]


def sum_ms(events: list[Event], *threads: str) -> float:
    """What the tasks of all threads of these names took."""
    return sum(float(each["tdur"]) for name in threads for each in _pick(events, name) if _is_task(each)) / 1000


def _pick(events: list[Event], name: str) -> list[Event]:
    """What threads of this name timed."""
    threads = {
        (each["pid"], each["tid"]) for each in events if each["name"] == "thread_name" and each["args"]["name"] == name
    }
    return [each for each in events if "tdur" in each and (each["pid"], each["tid"]) in threads]


def _is_task(event: Event) -> bool:
    return str(event["name"]) in {"ThreadControllerImpl::RunTask", "ThreadPool_RunTask"}


def _group(events: list[Event]) -> Iterator[tuple[Event, list[Event]]]:
    """The tasks of a thread, each with what happened in it, the outer before the inner."""
    task: Event | None = None
    inside: list[Event] = []
    for event in sorted(events, key=lambda each: (each["pid"], each["tid"], each["tts"], -each["tdur"])):
        if task is not None and _is_in(event, task):
            inside.append(event)
            continue
        if task is not None:
            yield task, inside
        task, inside = (event, []) if _is_task(event) else (None, [])
    if task is not None:
        yield task, inside


def _is_in(event: Event, outer: Event) -> bool:
    is_same = (event["pid"], event["tid"]) == (outer["pid"], outer["tid"])
    return bool(is_same and event["tts"] < outer["tts"] + outer["tdur"])


def _split(task: Event, inside: list[Event]) -> dict[str, float]:
    """How many ms each kind of work took, what is within it not counted twice."""
    found = dict.fromkeys(KINDS, 0.0)
    around = [task]
    found[_OTHER] += task["tdur"] / 1000
    for event in inside:
        while len(around) > 1 and not _is_in(event, around[-1]):
            around.pop()
        found[_find_kind(around[-1])] -= event["tdur"] / 1000
        found[_find_kind(event)] += event["tdur"] / 1000
        around.append(event)
    return found


def _find_kind(event: Event) -> str:
    name = str(event["name"])
    return "script" if name.startswith(_SCRIPT) else _KINDS.get(name, _OTHER)
