"""What the scenes of a wall ask of a slow processor: the longest task of the page, what its time goes to, and layers.

Beside it the same wall that shows the moment as a label, in the same browser. The scenes are shown by the page from
facts like those that the daemon tells, over a visit of three darts, and those of a match that is over after its end.
"""

from __future__ import annotations

import itertools
import json
import statistics
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Browser, Page, sync_playwright

from tests.bench.paint import THROTTLE, Scoreboard, start_browser
from tests.bench.processes import BenchError
from tests.bench.report import Row, cost
from tests.bench.trace import CATEGORIES, JOINING, KINDS, RASTER, Event, Task, read_tasks, sum_ms

LONG_MS = 50
_SHOWN_MS = 1_800
SCENE, LABEL = "scenes", "labels"
_AFTER = "next visit"
NOTES = (
    f"1920x1080, in the {_SHOWN_MS / 1000} seconds from the moment on; longest task: of the median run",
    f"{THROTTLE} times the time that a processor gave to it, to which other programs add little; by its trace",
    "a task keeps the page from drawing and from the next dart; style to other: what all tasks of a moment spend, mean",
    "raster, joining: other threads, in a Chromium without a graphics card; on a Pi that card does it",
)
_HELD = """
  const later = setTimeout;  // a scene does not go by itself, and the stage is there at once
  const wait = (ms) => ms === 2000 ? 0 : ms >= 1200 && ms <= 12000 ? 1e8 : ms;
  window.setTimeout = (act, ms, ...given) => later(act, wait(ms), ...given);
"""
_SHOW = """async (fact) => {
  const { showMoment } = await import("./joined/index/wall/moments.js");
  showMoment(fact);
}"""
_AWARDS = ("180", "big_fish", "nine_darter", "shanghai", "white_horse", "three_in_a_bed", "three_in_the_black")
_AMID: dict[str, dict[str, object]] = {
    **{award: {"event_type": "award", "award": award, "great": True} for award in _AWARDS},
    "match_dart_missed": {"event_type": "match_dart_missed", "missed": 2},
    "comeback": {"event_type": "comeback", "from": 180, "of": "points"},
    "leg_won": {"event_type": "leg_won"},
    "walk_on": {"event_type": "match_started"},
}
_OVER: dict[str, dict[str, object]] = {
    "match_won": {"event_type": "match_won", "winners": [0]},
    "first_leg": {"event_type": "badge", "badge": "first_leg", "tier": 1},
    "badge": {"event_type": "badge", "badge": "maximums", "tier": 3},
}
_MATCHES = ((_AMID, "501", ("T20", "T20", "T20")), (_OVER, "101", ("T20", "S1", "D20")))
"""Moments, and over what they are shown: the game, and what is thrown in it."""
_NEXT = "180"
"""After which the next visit is timed, too."""


class Drawn(NamedTuple):
    """What one moment came to: the tasks of the page, and what was painted and joined beside them."""

    tasks: list[Task]
    raster_ms: float
    joining_ms: float

    @property
    def longest(self) -> Task:
        """Of its tasks."""
        return max(self.tasks, key=lambda task: task.ms)


def measure(folder: Path, port: int, runs: int, most: int | None = None) -> tuple[list[Row], list[str]]:
    """The rows, and what more was counted: so many runs of each moment, and of so many moments of a match at most."""
    found: dict[str, dict[str, list[Drawn]]] = {SCENE: {}, LABEL: {}}
    layers: dict[str, list[int]] = {SCENE: [], LABEL: []}
    with ExitStack() as stack:
        scoreboard = Scoreboard(stack, folder, port)
        browser = start_browser(stack.enter_context(sync_playwright()))
        stack.callback(browser.close)
        for facts, game, darts in _MATCHES:
            scoreboard.command("start", {"game": game, "players": ["Ann", "Bo"]})
            for dart in darts:
                scoreboard.command("throw", {"throw": dart})
            for what, name in itertools.product([*facts][:most], (SCENE, LABEL)):
                wall = _Wall(browser, scoreboard, name, facts[what])
                layers[name].append(wall.count_layers())
                found[name][what] = [wall.time_moment() for _ in range(runs)]
                if what == _NEXT:
                    found[name][_AFTER] = [wall.time_next() for _ in range(runs)]
    counted = [f"{name}: at most {max(each)} layers" for name, each in layers.items()]
    return [*_list_rows(found[SCENE], found[LABEL])], [*_tell_long(found[SCENE]), *counted]


class _Wall:
    """Shows one moment, each time on a page that has shown none."""

    def __init__(self, browser: Browser, scoreboard: Scoreboard, name: str, fact: dict[str, object]) -> None:
        self._browser = browser
        self._scoreboard = scoreboard
        self._url = scoreboard.url + ("?scenes=off" if name == LABEL else "")
        self._shown = "#stage .scene" if name == SCENE else "#moment b" if fact["event_type"] != "match_started" else ""
        self._fact = {"match": "made up", "line": 1, "side": 0, "player": "Ann", **fact}

    def time_moment(self) -> Drawn:
        """What it takes to show it."""
        with self._open() as page:
            drawn = self._trace(page, lambda: self._show(page))
            self._check(page)
            return drawn

    def time_next(self) -> Drawn:
        """What the next visit takes while it is shown; that is undone."""
        with self._open() as page:
            self._show(page)
            page.wait_for_timeout(_SHOWN_MS)
            self._check(page)
            drawn = self._trace(page, lambda: self._scoreboard.command("next"))
            if page.is_visible(self._shown):
                raise BenchError(f"the next visit does not end {self._fact}.")
        self._scoreboard.command("undo")
        return drawn

    def count_layers(self) -> int:
        """Of which the page consists at most meanwhile; to be told of them costs the page time, so it is not timed."""
        counts = [0]
        with self._open() as page:
            layers = page.context.new_cdp_session(page)
            layers.on("LayerTree.layerTreeDidChange", lambda told: counts.append(len(told.get("layers", ()))))
            layers.send("LayerTree.enable")
            self._show(page)
            page.wait_for_timeout(_SHOWN_MS)
        return max(counts)

    @contextmanager
    def _open(self) -> Iterator[Page]:
        with closing(self._browser.new_context(viewport={"width": 1920, "height": 1080})) as context:
            page = context.new_page()
            page.add_init_script(_HELD)
            page.goto(self._url)
            page.wait_for_selector("#board [data-segment]", state="attached")
            page.wait_for_selector("#stage", state="attached")
            page.wait_for_timeout(500)
            yield page

    def _show(self, page: Page) -> None:
        page.evaluate(_SHOW, self._fact)

    def _check(self, page: Page) -> None:
        if self._shown and not page.is_visible(self._shown):
            raise BenchError(f"nothing is shown of {self._fact}.")

    def _trace(self, page: Page, act: Callable[[], None]) -> Drawn:
        self._browser.start_tracing(page=page, categories=CATEGORIES)
        act()
        page.wait_for_timeout(_SHOWN_MS)
        events: list[Event] = json.loads(self._browser.stop_tracing())["traceEvents"]
        return Drawn(read_tasks(events), sum_ms(events, *RASTER), sum_ms(events, *JOINING))


def _list_rows(scenes: dict[str, list[Drawn]], labels: dict[str, list[Drawn]]) -> Iterator[Row]:
    def against(what: str, ours_ms: float, label_ms: float) -> Row:
        return cost(what, THROTTLE * ours_ms, THROTTLE * label_ms, "ms", "a label")

    for what, runs in scenes.items():
        yield against(f"{what}, longest task", _take_usual(runs).ms, _take_usual(labels[what]).ms)
    for kind, ours_ms in _average(scenes).items():
        yield against(f"{kind}, all tasks", ours_ms, _average(labels)[kind])


def _take_usual(runs: list[Drawn]) -> Task:
    """The longest task of that run where it is neither long nor short."""
    return sorted((run.longest for run in runs), key=lambda task: task.ms)[len(runs) // 2]


def _average(found: dict[str, list[Drawn]]) -> dict[str, float]:
    """What a moment takes of each kind of work, in all."""
    moments = [run for what, runs in found.items() if what != _AFTER for run in runs]
    kinds = {kind: statistics.mean(sum(task.kinds[kind] for task in run.tasks) for run in moments) for kind in KINDS}
    raster_ms, joining_ms = (statistics.mean(each) for each in zip(*(run[1:] for run in moments), strict=True))
    return {**kinds, "raster": raster_ms, "joining": joining_ms}


def _tell_long(scenes: dict[str, list[Drawn]]) -> Iterator[str]:
    """What the time of each task goes to that is too long; or that there is none."""
    usual = {what: _take_usual(runs) for what, runs in scenes.items()}
    long = {what: task for what, task in usual.items() if THROTTLE * task.ms > LONG_MS}
    for what, task in long.items():
        yield f"{what}, above {LONG_MS} ms: " + ", ".join(f"{kind} {THROTTLE * task.kinds[kind]:.0f}" for kind in KINDS)
    if not long:
        longest_ms = THROTTLE * max(run.longest.ms for runs in scenes.values() for run in runs)
        yield f"scenes: no longest task above {LONG_MS} ms; of all runs the longest {longest_ms:.0f} ms"
