"""The browser of a worker, started once; so all tests of the page run in the one loop that it lives in.

Those that open it are left to `make test-page`, but for one file: a browser takes more of a processor than all else.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, async_playwright, expect

from daemon.assemble import RunningDaemon, run_daemon
from protocol.codebook import shipped
from simulator.pty_board import PtyBoard
from tests.conftest import skip_without
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.test_settings import write_file
from tests.page.playing import PATIENCE_MS, Playing, playing, run, setup

HERE = Path(__file__).parent
SHORT_FORM = HERE / "test_leg.py"
"""What `make test` has of them."""
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts them there, and marks those of `make test-page`.

    Each test keeps its fixtures in the loop with `pytest_asyncio.fixture(loop_scope="session")`.
    """
    for item in items:
        if item.path.parent == HERE and pytest_asyncio.is_async_test(item):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)
            if "browser" in item.fixturenames and item.path != SHORT_FORM:
                item.add_marker(pytest.mark.page)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def _chromium(chromium_path: Path) -> AsyncIterator[Browser]:
    expect.set_options(timeout=PATIENCE_MS)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium_path, args=FLAGS)
        yield browser
        await browser.close()


@pytest_asyncio.fixture(loop_scope="session")
async def browser(_chromium: Browser) -> AsyncIterator[Browser]:
    """Without a window; each that a test opens belongs to a new guest, and is closed after it."""
    yield _chromium
    for context in _chromium.contexts:
        await context.close()


@pytest_asyncio.fixture(loop_scope="session")
async def page(browser: Browser) -> Page:
    """A window as large as a small tablet on a wall."""
    return await browser.new_page(viewport={"width": 800, "height": 480})


@pytest_asyncio.fixture(loop_scope="session")
async def running(tmp_path: Path, unused_tcp_port: int) -> AsyncIterator[RunningDaemon]:
    """A daemon where Ann and Bo play 301."""
    async with run_daemon(setup(tmp_path, unused_tcp_port)) as running:
        yield running


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def broker_port(
    mosquitto_path: Path, tmp_path_factory: pytest.TempPathFactory, unused_tcp_port_factory: Callable[[], int]
) -> AsyncIterator[int]:
    """Of a broker, so that the warning of one that does not answer takes no place."""
    async with Mosquitto(mosquitto_path, tmp_path_factory.mktemp("broker"), port := unused_tcp_port_factory()):
        yield port


@pytest.fixture
def game() -> str:
    """What is played at `match`: X01, unless a test or a file names another game."""
    return "x01"


@pytest_asyncio.fixture(loop_scope="session")
async def match(tmp_path: Path, game: str, broker_port: int) -> AsyncIterator[Playing]:
    """A table where a visit ends by the button. Stands behind the browser in a test, so that it ends first."""
    async with playing(tmp_path, game, broker_port) as match:
        yield match


@pytest_asyncio.fixture(loop_scope="session")
async def board(tmp_path: Path) -> AsyncIterator[PtyBoard]:
    async with PtyBoard(shipped("opendarts"), tmp_path / "board") as board:
        yield board


@pytest.fixture
def file(tmp_path: Path, unused_tcp_port: int) -> Path:
    """The configuration of a daemon that is set up on the page."""
    return write_file(tmp_path, unused_tcp_port)


@pytest_asyncio.fixture(loop_scope="session")
async def address(file: Path) -> AsyncIterator[str]:
    """The page of a daemon with that file, which is a process. Stands behind the browser, as `match` does."""
    async with run(file) as address:
        yield address


@pytest_asyncio.fixture(loop_scope="session")
async def shown(tmp_path: Path, board: PtyBoard, page: Page, unused_tcp_port: int) -> AsyncIterator[RunningDaemon]:
    """The daemon where Ann and Bo begin 501; the board is open, and the page shows them."""
    async with run_daemon(setup(tmp_path, unused_tcp_port, options={})) as running:
        await board.wait_until_open()
        await page.goto(running.page or "")
        await expect(page.get_by_test_id("score-0")).to_have_text("501")
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def examined(browser: Browser, axe_path: Path) -> Page:
    """A window that axe-core is in."""
    page = await (await browser.new_context(reduced_motion="reduce")).new_page()
    await page.add_init_script(path=axe_path)
    return page


@pytest.fixture(scope="session")
def axe_path() -> Path:
    """The script of axe-core, as `make long` installs it; it needs no Node.js to run."""
    skip_without("nodejs npm")
    found = Path(__file__).parents[1] / "node" / "node_modules" / "axe-core" / "axe.min.js"
    if not found.exists():
        pytest.fail("This test needs what is in tests/node/package.json: run make long.", pytrace=False)
    return found
