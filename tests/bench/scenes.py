"""What the scenes of a wall ask of a slow processor: the longest task of the page, late frames, layers.

Beside it the same wall that shows the moment as a label, in the same browser. The scenes are shown by
the page from facts like those that the daemon tells.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

from tests.bench.paint import THROTTLE, Scoreboard, start_browser
from tests.bench.processes import BenchError
from tests.bench.report import Row, cost

LONG_MS = 50
_SHOWN_MS = 1_800
SCENE, LABEL = "scenes", "labels"
NOTES = (
    f"the processor {THROTTLE} times as slow, 1920x1080; in the {_SHOWN_MS / 1000} seconds from the moment on",
    "longest task: what kept the page from drawing, in time of its processor, by Chromium's own trace",
    "between two frames counts what paints and joins the layers, too: here a processor, which others share",
)
_HELD = """
  const later = setTimeout;  // a scene does not go by itself, and the stage is there at once
  const wait = (ms) => ms === 2000 ? 0 : ms >= 1200 && ms <= 12000 ? 1e8 : ms;
  window.setTimeout = (act, ms, ...given) => later(act, wait(ms), ...given);
"""
_WATCH = """() => {
  window.frames_ms = [];
  let last = performance.now();
  const tick = (at) => { frames_ms.push(at - last); last = at; watching = requestAnimationFrame(tick); };
  let watching = requestAnimationFrame((at) => { last = at; tick(at); });
  window.stopWatching = () => { cancelAnimationFrame(watching); return frames_ms; };
}"""
_SHOW = """async (fact) => {
  const { showMoment } = await import("./joined/index/wall/moments.js");
  showMoment(fact);
}"""
_AWARDS = ("180", "big_fish", "nine_darter", "shanghai", "white_horse", "three_in_a_bed", "three_in_the_black")
_FACTS: dict[str, dict[str, object]] = {
    "walk_on": {"event_type": "match_started"},
    **{award: {"event_type": "award", "award": award, "great": True} for award in _AWARDS},
    "first_leg": {"event_type": "badge", "badge": "first_leg", "tier": 1},
    "badge": {"event_type": "badge", "badge": "maximums", "tier": 3},
    "match_dart_missed": {"event_type": "match_dart_missed", "missed": 2},
    "comeback": {"event_type": "comeback", "from": 180, "of": "points"},
    "leg_won": {"event_type": "leg_won"},
    "match_won": {"event_type": "match_won", "winners": [0]},
}


class Drawn(NamedTuple):
    """What one moment came to: the longest task of the page, how many frames came later than 50 ms, and the layers."""

    longest_ms: float
    long_frames: int
    layers: int


def measure(folder: Path, port: int, most: int | None = None) -> tuple[list[Row], list[str]]:
    """The rows, and what more was counted; of so many scenes at most."""
    found: dict[str, dict[str, Drawn]] = {}
    with ExitStack() as stack:
        scoreboard = Scoreboard(stack, folder, port)
        browser = start_browser(stack.enter_context(sync_playwright()))
        stack.callback(browser.close)
        for name, query in ((SCENE, ""), (LABEL, "?scenes=off")):
            found[name] = dict(_show_all(browser, scoreboard.url + query, most))
    ours, labels = found[SCENE], found[LABEL]
    rows = [
        cost(f"{what}, longest task", drawn.longest_ms, labels[what].longest_ms, "ms", "a label")
        for what, drawn in ours.items()
    ]
    counted = [
        f"{name}: {sum(each.long_frames for each in all_.values())} times more than {LONG_MS} ms between two frames, "
        f"at most {max(each.layers for each in all_.values())} layers"
        for name, all_ in found.items()
    ]
    return rows, counted


def _show_all(browser: Browser, url: str, most: int | None) -> Iterator[tuple[str, Drawn]]:
    for line, (what, fact) in enumerate([*_FACTS.items()][:most]):
        with closing(browser.new_context(viewport={"width": 1920, "height": 1080})) as context:
            page = context.new_page()
            page.add_init_script(_HELD)
            page.goto(url)
            page.wait_for_selector("#board [data-segment]", state="attached")
            page.wait_for_selector("#stage", state="attached")
            page.wait_for_timeout(500)
            network = context.new_cdp_session(page)
            network.send("Emulation.setCPUThrottlingRate", {"rate": THROTTLE})
            about = {"match": "made up", "line": line + 1, "side": 0, "player": "Ann", **fact}
            yield what, _show(browser, page, network, about)


def _show(browser: Browser, page: Page, network: CDPSession, fact: dict[str, object]) -> Drawn:
    layers: list[int] = [0]
    network.on("LayerTree.layerTreeDidChange", lambda told: layers.append(len(told.get("layers", ()))))
    network.send("LayerTree.enable")
    page.evaluate(_WATCH)
    browser.start_tracing(page=page, categories=["toplevel", "devtools.timeline"])
    page.evaluate(_SHOW, fact)
    page.wait_for_timeout(_SHOWN_MS)
    is_shown = page.evaluate("document.querySelector('#stage .scene, #moment:not([hidden]) b') !== null")
    if not is_shown and fact["event_type"] != "match_started":
        raise BenchError(f"nothing is shown of {fact}.")
    frames: list[float] = page.evaluate("stopWatching()")
    events = json.loads(browser.stop_tracing())["traceEvents"]
    threads = {
        (each["pid"], each["tid"])
        for each in events
        if each["name"] == "thread_name" and each["args"]["name"] == "CrRendererMain"
    }
    tasks = [
        each["tdur"]
        for each in events
        if each["name"].endswith("RunTask") and "tdur" in each and (each["pid"], each["tid"]) in threads
    ]
    return Drawn(max(tasks) / 1000, sum(each > LONG_MS for each in frames), max(layers))
