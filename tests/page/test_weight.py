"""The page is small and whole: it asks for nothing from elsewhere, and for no file that it does not bring."""

from __future__ import annotations

import re
from pathlib import Path
from posixpath import dirname, join, normpath

from playwright.async_api import Browser, expect

from daemon.assemble import RunningDaemon

PAGE = Path(__file__).parents[2] / "daemon" / "web" / "page"
MOST_BYTES = 95_000
MOST_TYPEFACE_BYTES = 25_000
"""Of the typeface, which comes beside all else, and at a first visit alone."""
MOST_ANSWERS = 12
MADE = {"typeface.woff", "typeface.txt"}
"""When oche is built: the typeface and its licence."""
FILES = {
    name: file.read_text(encoding="utf-8")
    for file in PAGE.glob("**/*.*")
    if (name := file.relative_to(PAGE).as_posix()) not in MADE
}
_IMPORT = re.compile(r"""(?:from|import|import\()\s*["'](\.[\w./]+)["'](?!\)\.[A-Z])""")  # not that of a type
IMPORTS = {
    name: {normpath(join(dirname(name), each)) for each in _IMPORT.findall(text)}
    for name, text in FILES.items()
    if name.endswith(".js")
}
"""What each script imports, at once or later."""
FOLDERS = {
    "": {"words"},
    "words": {""},
    "faces": {"", "words"},
    "wall": {"", "words", "faces", "tournament"},
    "lobby": {"", "words", "faces", "wall"},
    "stream": {"", "words", "faces", "wall"},
    "history": {"", "words", "wall"},
    "camera": {"", "words", "wall"},
    "admin": {"", "words", "wall", "history"},
    "take_home": {"", "words", "wall"},
    "tournament": {"", "words", "wall", "stream", "take_home"},
}
"""The folders out of which the scripts of a folder import; "" is the one beside the documents."""
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
    most = MOST_BYTES + MOST_TYPEFACE_BYTES
    assert sum(sent.values()) <= most, f"{sum(sent.values()):,.0f} bytes in {len(sent)} answers"


def test_nothing_in_it_names_another_host() -> None:
    elsewhere = re.compile(r"""\b(?:https?|wss?):|["'(=]\s*//[\w.-]""")
    named = {name: elsewhere.findall(text.replace(SVG_NAMESPACE, "")) for name, text in FILES.items()}
    assert not {name: found for name, found in named.items() if found}


def test_every_file_is_there_and_none_is_left_over() -> None:
    """An import that fails is an empty screen; eight pages beside the first have an address."""
    shown = re.compile(r"""static/([\w./]+)["']""")
    wanted = {
        "index.html",
        "history.html",
        "settings.html",
        "guide.html",
        "stream.html",
        "take_home.html",
        "story.html",
        "camera.html",
        "tournament.html",
    }
    for name, text in FILES.items():
        wanted |= {*shown.findall(text), *IMPORTS.get(name, ())}
    languages = re.search(r"LANGUAGES = {(.*?)}", FILES["words/words.js"], re.DOTALL)
    assert languages is not None
    codes = re.findall(r"(\w+):", languages[1])
    texts = {text for script in FILES.values() for text in re.findall(r'importTexts\("(\w+)"\)', script)}
    wanted |= {f"words/{text}_{code}.js" for text in texts for code in codes}
    assert wanted == FILES.keys() | {"typeface.woff"}


def test_one_script_knows_the_languages() -> None:
    """One more is its files of words, and a line there; English is what the daemon says by itself."""
    of_one = re.compile(r"""["'`]de["'`]|_(?:de|en)\.js["'`]""")
    assert [name for name, text in FILES.items() if of_one.search(text)] == []


def test_no_script_imports_itself_by_way_of_others() -> None:
    """Nor later, by `import()`: who reads one of a circle has to know them all."""
    left = dict(IMPORTS)
    while ends := [name for name, imported in left.items() if not imported & left.keys()]:
        for name in ends:
            del left[name]
    assert left == {}, "what is left is a circle, or leads into one"


def test_folders_import_out_of_those_that_they_may() -> None:
    """All but what begins the scoreboard, which puts them together."""
    found = {folder: set[str]() for folder in FOLDERS}
    for name, imported in IMPORTS.items():
        if name != "app.js":
            found[dirname(name)] |= {dirname(each) for each in imported} - {dirname(name)}
    assert found == FOLDERS
