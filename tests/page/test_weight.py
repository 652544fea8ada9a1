"""The page is small and whole: it asks for nothing from elsewhere, and for no file that it does not bring."""

from __future__ import annotations

import re
from pathlib import Path
from posixpath import dirname, join, normpath

from playwright.async_api import Browser, expect

from daemon.assemble import RunningDaemon

PAGE = Path(__file__).parents[2] / "daemon" / "web" / "page"
MOST_BYTES = 84_000
MOST_ANSWERS = 12
FILES = {file.relative_to(PAGE).as_posix(): file.read_text(encoding="utf-8") for file in PAGE.glob("**/*.*")}
SVG_NAMESPACE = "http://www.w3.org/2000/svg"


async def test_a_first_visit_is_light(browser: Browser, running: RunningDaemon) -> None:
    """All that comes over the wire, headers too, to a browser that knows nothing of the page, until all is loaded."""
    page = await browser.new_page(viewport={"width": 1920, "height": 1080})
    sent: dict[str, float] = {}
    network = await page.context.new_cdp_session(page)
    network.on("Network.loadingFinished", lambda done: sent.update({done["requestId"]: done["encodedDataLength"]}))
    await network.send("Network.enable")
    await page.goto(running.page or "")
    await expect(page.get_by_test_id("score-0")).to_have_text("301")
    await expect(page.locator("#board [data-segment]").first).to_be_attached()
    await page.wait_for_load_state("load")
    assert 5 < len(sent) <= MOST_ANSWERS
    assert sum(sent.values()) <= MOST_BYTES, f"{sum(sent.values()):,.0f} bytes in {len(sent)} answers"


def test_nothing_in_it_names_another_host() -> None:
    elsewhere = re.compile(r"""\b(?:https?|wss?):|["'(=]\s*//[\w.-]""")
    named = {name: elsewhere.findall(text.replace(SVG_NAMESPACE, "")) for name, text in FILES.items()}
    assert not {name: found for name, found in named.items() if found}


def test_every_file_is_there_and_none_is_left_over() -> None:
    """An import that fails is an empty screen; three pages beside the first have an address."""
    shown = re.compile(r"""static/([\w./]+)["']""")
    imported = re.compile(r"""(?:from|import|import\()\s*["'](\.[\w./]+)["']""")
    wanted = {"index.html", "history.html", "settings.html", "guide.html"}
    for name, text in FILES.items():
        wanted |= {*shown.findall(text), *(normpath(join(dirname(name), each)) for each in imported.findall(text))}
    languages = re.search(r"LANGUAGES = {(.*?)}", FILES["words/words.js"], re.DOTALL)
    assert languages is not None
    wanted |= {f"words/words_{code}.js" for code in re.findall(r"(\w+):", languages[1])}
    assert wanted == FILES.keys()
