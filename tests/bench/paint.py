"""How long until a dart is painted: from a hit's last byte on the wire to the frame that shows the new score?

Beside it a bare page of a few lines that follows the same events and sets one text. The two take turns in blocks, one
window at a time. A page stamps a change two animation frames after it: the first is painted by then. The browser's
clock and ours are one, for they are on one machine.
"""

from __future__ import annotations

import itertools
import json
import re
import shutil
import statistics
import time
import urllib.request
from collections import Counter
from contextlib import ExitStack, closing
from pathlib import Path
from random import Random

from playwright.sync_api import Browser, BrowserContext, Page, Playwright, Route, sync_playwright

from tests.bench.processes import PATIENCE_S, PAUSE_S, BenchError, Wire, daemon, daemon_config, shuffle_hits
from tests.bench.report import Row, cost, cost_percentiles

THROTTLE = 6
OCHE, BARE = "oche", "a bare page"
BARE_PATH = "bare.html"
DRAWN = {"frames drawn": "ProxyImpl::ScheduledActionDraw", "tiles rastered": "RasterTask"}
"""What is counted, and the events of Chromium's trace that it is counted by."""
NOTES = (
    "a bare page: ten lines with an EventSource, that set one text",
    "frames drawn, tiles rastered: in the second from a dart on, by Chromium's own trace",
    f"first paint: never opened before, processor {THROTTLE} times as slow; bare is the text of api/tables",
)
_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
_BARE_PAGE = """<!doctype html>
<title>bare</title>
<p id="sides">
<script>
  new EventSource("api/table/main/events").addEventListener("state", (event) => {
    const { sides } = JSON.parse(event.data);
    document.getElementById("sides").textContent = sides.map((side) => side.score).join(" ");
  });
</script>
"""
_STAMPS = """() => {
  let [count, waiting] = [0, null];
  const stamp = () => {
    const at = performance.timeOrigin + performance.now();
    count += 1;
    waiting?.(at);
    waiting = null;
    last = at;
  };
  let last = 0;
  let due = false;
  new MutationObserver(() => {
    if (due) return;
    due = true;
    requestAnimationFrame(() => requestAnimationFrame(() => { due = false; stamp(); }));
  }).observe(document.getElementById("sides"), { childList: true, characterData: true, subtree: true });
  let seen = 0;
  window.painted = () => new Promise((done) => {
    const once = (at) => { seen = count; done(at); };
    if (count > seen) once(last); else waiting = once;
  });
}"""


class Scoreboard:
    """The daemon with a board on a wire, and where its page is."""

    def __init__(self, stack: ExitStack, folder: Path, port: int) -> None:
        self.wire = stack.enter_context(Wire())
        config = daemon_config(folder, self.wire.address, port)
        config.write_text(f"{config.read_text(encoding='utf-8')}\noptions = {{ start = 1501 }}\n", encoding="utf-8")
        stack.enter_context(daemon(config))
        self.url = _address(folder / "oche.log")

    def command(self, name: str, body: dict[str, object] | None = None) -> None:
        """As a phone would."""
        request = urllib.request.Request(
            f"{self.url}api/table/main/{name}", json.dumps(body or {}).encode(), {"Content-Type": "application/json"}
        )
        urllib.request.urlopen(request, timeout=PATIENCE_S).close()

    @property
    def phase(self) -> str:
        """Of the match; `low` when one more visit might end it."""
        with closing(urllib.request.urlopen(f"{self.url}api/table/main/state", timeout=PATIENCE_S)) as answer:
            state = json.load(answer)
        return "low" if min(side["score"] for side in state["sides"]) < 200 else str(state["phase"])


def measure(folder: Path, port: int, blocks: int, block: int, few: int) -> tuple[list[Row], str]:
    """The rows, and what a first visit brings over the wire.

    So many blocks of so many hits; `few` is how many hits are traced, and how many first visits are timed.
    """
    times: dict[str, list[float]] = {OCHE: [], BARE: []}
    with ExitStack() as stack:
        scoreboard = Scoreboard(stack, folder, port)
        browser = start_browser(stack.enter_context(sync_playwright()))
        stack.callback(browser.close)
        order = itertools.cycle(shuffle_hits())
        for _ in range(blocks):
            for name, path in ((OCHE, ""), (BARE, BARE_PATH)):
                times[name] += _block(scoreboard, browser, path, list(itertools.islice(order, block)))
        rows = cost_percentiles("painted, ", times[OCHE], times[BARE], BARE)
        drawn = [_count(scoreboard, browser, path, list(itertools.islice(order, few))) for path in ("", BARE_PATH)]
        rows += [cost(what, ours, bare, "", BARE) for what, ours, bare in zip(DRAWN, *drawn, strict=True)]
        ours_ms, bare_ms = (
            statistics.median(_first(browser, scoreboard.url + path) for _ in range(few)) for path in ("", "api/tables")
        )
        return [*rows, cost("first paint", ours_ms, bare_ms, "ms", BARE)], _weight(browser, scoreboard.url)


def start_browser(playwright: Playwright) -> Browser:
    """Debian's Chromium without a window. Raises BenchError where there is none."""
    program = shutil.which("chromium-headless-shell")
    if program is None:
        raise BenchError("the browser is missing: install the Debian package chromium-headless-shell.")
    return playwright.chromium.launch(executable_path=program, args=_FLAGS)


def _block(scoreboard: Scoreboard, browser: Browser, path: str, frames: list[bytes]) -> list[float]:
    """A window, and the times of these hits until they are painted in it, in ms."""
    found = []
    random = Random(180)
    with closing(browser.new_context()) as context:
        page = _open(context, scoreboard.url, path)
        for frame in frames:
            _await_turn(scoreboard, page)
            page.wait_for_timeout(1000 * random.uniform(*PAUSE_S))
            at = time.time()
            scoreboard.wire.write(frame)
            found.append(page.evaluate("painted()") - 1000 * at)
    return found


def _count(scoreboard: Scoreboard, browser: Browser, path: str, frames: list[bytes]) -> list[float]:
    """The means of what each of these hits draws, in the second from then on; a trace for each."""
    found: Counter[str] = Counter()
    with closing(browser.new_context()) as context:
        page = _open(context, scoreboard.url, path)
        for frame in frames:
            _await_turn(scoreboard, page)
            page.wait_for_timeout(1000)
            browser.start_tracing(categories=["cc"])
            scoreboard.wire.write(frame)
            page.evaluate("painted()")
            page.wait_for_timeout(1000)
            found.update(event["name"] for event in json.loads(browser.stop_tracing())["traceEvents"])
    return [found[name] / len(frames) for name in DRAWN.values()]


def _await_turn(scoreboard: Scoreboard, page: Page) -> None:
    """Until a dart can be thrown."""
    while (phase := scoreboard.phase) != "throwing":
        scoreboard.command("start" if phase in {"low", "over"} else "next")
        page.wait_for_timeout(100)
        page.evaluate(_STAMPS)  # whatever that painted is of no interest


def _open(context: BrowserContext, url: str, path: str) -> Page:
    page = context.new_page()
    page.set_default_timeout(1000 * PATIENCE_S)
    if path:
        page.route(f"**/{path}", _bare)
    page.goto(url + path)
    page.wait_for_function("() => document.querySelector('#sides')?.textContent.trim()")
    page.evaluate(_STAMPS)
    return page


def _bare(route: Route) -> None:
    route.fulfill(body=_BARE_PAGE, content_type="text/html")


def _first(browser: Browser, url: str) -> float:
    """Until anything is painted of a page that this browser has never seen, in ms."""
    with closing(browser.new_context()) as context:
        page = context.new_page()
        context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": THROTTLE})
        page.goto(url, wait_until="commit")
        painted = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
        found: float = page.wait_for_function(painted).json_value()
        return found


def _weight(browser: Browser, url: str) -> str:
    """What a first visit transfers, headers and all, until the board is drawn."""
    sizes: list[float] = []
    with closing(browser.new_context()) as context:
        page = context.new_page()
        network = context.new_cdp_session(page)
        network.on("Network.loadingFinished", lambda finished: sizes.append(finished["encodedDataLength"]))
        network.send("Network.enable")
        page.goto(url)
        page.wait_for_selector("#board [data-segment]", state="attached")
        page.wait_for_timeout(500)
    return f"a first visit brings {sum(sizes) / 1000:,.1f} kB over the wire, in {len(sizes)} answers"


def _address(log: Path) -> str:
    give_up = time.monotonic() + PATIENCE_S
    while time.monotonic() < give_up:
        found = re.search(r"page: (\S+)", log.read_text(encoding="utf-8") if log.exists() else "")
        if found is not None:
            return found[1]
        time.sleep(0.05)
    raise BenchError("the daemon does not say where its page is.")
