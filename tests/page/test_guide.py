"""The guide of the first visit: from the package's configuration and an empty state folder to a finished leg.

The taps are counted and held to what docs/figures.md tells; the seconds are printed (pytest --capture no).
"""

from __future__ import annotations

import time
import tomllib
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Page, Route, expect

from daemon.web.token import make_setup_token, make_token
from protocol.codebook import shipped
from protocol.standard import standard
from simulator.pty_board import PtyBoard
from simulator.web_board import WebBoard
from tests.daemon.process import Process, eventually, journal, segment, throw
from tests.daemon.test_settings import overwrite, written
from tests.drivers.ble import frame, granboard
from tests.drivers.bluetoothd import Bluetoothd
from tests.drivers.system_bus import system_bus
from tests.page.playing import PATIENCE_MS, enter_total, finish_leg, reach, run
from tests.page.test_axe import LOOKS, VIEWS, Findings
from tests.page.test_learn import SECRET, Finger
from tests.pages import ROOT

FRESH = (ROOT / "debian" / "etc" / "oche.toml").read_text(encoding="utf-8")
OVER = "body[data-phase=over]"
FIGURES = (ROOT / "docs" / "figures.md").read_text(encoding="utf-8")


@pytest.fixture
def file(tmp_path: Path, unused_tcp_port: int) -> Path:
    return write_fresh(tmp_path, unused_tcp_port)


def write_fresh(folder: Path, port: int) -> Path:
    """Returns the file that the package brings, with folder and port of the test and without a broker."""
    text = FRESH.replace("port = 8180", f"port = {port}").replace("[mqtt]", "[mqtt]\non = false")
    (file := folder / "oche.toml").write_text(f'{text}\n[bridge]\nstate_dir = "{folder}/state"\n', encoding="utf-8")
    return file


class Visitor:
    """Taps, and counts the taps and the time."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.taps = 0
        self._began = time.monotonic()

    async def tap(self, name: str) -> None:
        """Taps what has this name, once it is there."""
        self.taps += 1
        await self.page.get_by_test_id(name).first.click(timeout=PATIENCE_MS)

    async def start(self) -> None:
        """Begins what the lobby proposes."""
        await expect(self.page.get_by_test_id("lobby")).to_be_visible()
        self.taps += 1
        await self.page.locator("#lobby .go").click()
        await expect(self.page.get_by_test_id("lobby")).to_be_hidden()

    def tell(self, what: str, presses: int = 0) -> None:
        """Prints what it took, and holds it to the row of docs/figures.md that begins with this."""
        print(f"\n{what}: {self.taps} taps, {presses} presses, {time.monotonic() - self._began:.0f} s")  # noqa: T201
        (row,) = [line for line in FIGURES.splitlines() if line.startswith(f"| {what}")]
        assert row.replace("–", "0").split(" | ")[1:3] == [str(self.taps), str(presses)]


NOTHING_FOUND = {"v": 1, "notes_said": [], "found": []}
"""What the daemon answers where it has found no board."""


def make_found(address: str, sure: str, profile: str = "opendarts") -> dict[str, Any]:  # Any: JSON
    """What the daemon answers when it has found a board there, as if the kernel said so; all that follows is real."""
    fits = [] if sure == "unknown" else [{"profile": profile, "sure": sure}]
    return {
        "v": 1,
        "notes_said": [],
        "found": [{"address": address, "what": "ttyUSB0, CH340", "fits": fits, "table": None}],
    }


async def find(page: Page, address: str, sure: str, profile: str = "opendarts") -> None:
    """Has the machine find a board there."""

    async def tell(route: Route) -> None:
        await route.fulfill(json=make_found(address, sure, profile))

    await page.route("**/api/boards/scan", tell)


async def test_a_known_board(page: Page, address: str, file: Path, tmp_path: Path, board: PtyBoard) -> None:
    before = written(file)
    await find(page, board.address, "likely")
    visitor = Visitor(page)
    await page.goto(address)
    await visitor.tap("card-electronic")
    await visitor.tap("found-try")
    await board.wait_until_open()
    await expect(page.get_by_test_id("try-said")).to_contain_text("Press any segment")
    throw(board, "T20")
    await expect(page.get_by_test_id("try-said")).to_contain_text("T20")
    await expect(page.locator("[data-testid=try-face] .hits path")).to_be_attached()
    await visitor.tap("try-use")
    await visitor.start()
    await board.wait_until_open()
    throw(board, "T19")
    await eventually(lambda: {"throw": "T19"} in journal(tmp_path))
    visitor.tell("a known board", 2)
    settings = tomllib.loads(written(file))
    assert settings["table"][0]["board"] == board.address
    assert settings["table"][0]["profile"] == "opendarts"
    assert [line for line in before.splitlines() if line.startswith("#")] == [
        line for line in written(file).splitlines() if line.startswith("#")
    ]
    await page.goto(address)
    await expect(page.get_by_test_id("score-0")).to_be_visible()
    await expect(page).to_have_url(address)
    await finish_leg(lambda bed: board.hit(standard()[bed]), visitor.tap, tmp_path)
    await expect(page.locator(OVER)).to_be_visible()


async def test_a_bluetooth_board(
    file: Path, tmp_path: Path, page: Page, dbus_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = granboard()
    async with system_bus(dbus_path, tmp_path) as bus, Bluetoothd(bus, board) as bluez:
        monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", bus)
        async with run(file) as address:
            visitor = Visitor(page)
            await page.goto(address)
            await visitor.tap("card-electronic")
            await visitor.tap("found-try")
            await expect(page.get_by_test_id("try-said")).to_contain_text("Press any segment")
            assert bluez.say(board, frame(segment("T20")))
            await expect(page.get_by_test_id("try-said")).to_contain_text("T20")
            await visitor.tap("try-use")
            await visitor.start()
            await eventually(lambda: bluez.say(board, frame(segment("T19"))))
            await eventually(lambda: {"throw": "T19"} in journal(tmp_path))
            visitor.tell("a known board", 2)
            table = tomllib.loads(written(file))["table"][0]
            assert (table["board"], table["profile"]) == (f"ble:{board.address}", "granboard")
            await finish_leg(lambda bed: bluez.say(board, frame(segment(bed))), visitor.tap, tmp_path)
            await expect(page.locator(OVER)).to_be_visible()


@pytest.mark.parametrize("kind", ["opendarts-cameras", "autodarts"])
async def test_cameras(page: Page, address: str, file: Path, tmp_path: Path, kind: str) -> None:
    """They are set up in as many taps as a soft-tip board."""
    async with WebBoard(shipped(kind)) as board:
        await find(page, board.address, "sure", kind)
        visitor = Visitor(page)
        await page.goto(address)
        await visitor.tap("card-electronic")
        await visitor.tap("found-try")
        await expect(page.get_by_test_id("try-said")).to_contain_text("Throw a dart")
        await eventually(lambda: board.is_heard)
        assert board.hit(standard()["T20"])
        await expect(page.get_by_test_id("try-said")).to_contain_text("T20")
        assert board.pull_darts()
        await visitor.tap("try-use")
        await visitor.start()
        await eventually(lambda: board.is_heard)
        assert board.hit(standard()["T19"])
        await eventually(lambda: [line.get("throw") for line in journal(tmp_path)][-1:] == ["T19"])
        visitor.tell("a known board", 2)
        table = tomllib.loads(written(file))["table"][0]
        assert (table["board"], table["profile"]) == (board.address, kind)
        assert board.pull_darts()
        await eventually(lambda: "next" in journal(tmp_path)[-1])


async def test_no_board(page: Page, address: str, file: Path, tmp_path: Path) -> None:
    visitor = Visitor(page)
    await page.goto(f"{address}?lang=de")
    await expect(page.get_by_test_id("step-title")).to_have_text("Wie spielst du?")
    await visitor.tap("card-typed")
    await visitor.start()
    await visitor.tap("pad-total-60")
    await expect(page.get_by_test_id("score-0")).to_have_text("441")
    assert {"total": 60} in journal(tmp_path)
    visitor.tell("no board")
    settings = tomllib.loads(written(file))
    assert (settings["table"][0]["board"], settings["bridge"]["language"]) == ("none", "de")
    for side, total, left in ((1, "60", 441), (0, "180", 261), (1, "60", 381), (0, "120", 141), (1, "60", 321)):
        await enter_total(visitor.tap, total)
        await expect(page.get_by_test_id(f"score-{side}")).to_have_text(str(left))
    await enter_total(visitor.tap, "141")
    await expect(page.locator(OVER)).to_be_visible()


async def test_just_shown(page: Page, address: str, file: Path, tmp_path: Path) -> None:
    visitor = Visitor(page)
    await page.goto(address)
    await visitor.tap("card-shown")
    await visitor.start()
    visitor.taps += 1
    await page.locator("#board [data-segment=T20]").first.click()
    await eventually(lambda: {"throw": "T20"} in journal(tmp_path))
    visitor.tell("just shown")
    assert tomllib.loads(written(file))["table"][0]["board"] == "sim:granboard"


async def test_a_board_by_its_name(
    file: Path, tmp_path: Path, page: Page, dbus_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It sleeps while boards are looked for, so that it is in no list."""
    board = granboard()
    async with system_bus(dbus_path, tmp_path) as bus, Bluetoothd(bus, board) as bluez:
        monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", bus)
        async with run(file) as address:
            await page.route("**/api/boards/scan", lambda route: route.fulfill(json=NOTHING_FOUND))
            visitor = Visitor(page)
            await page.goto(address)
            await visitor.tap("card-electronic")
            await visitor.tap("known-granboard")
            await expect(page.get_by_test_id("known-about")).to_contain_text("It uses Bluetooth")
            await expect(page.get_by_test_id("try-said")).to_contain_text("Press any segment")
            assert bluez.say(board, frame(segment("T20")))
            await expect(page.get_by_test_id("try-said")).to_contain_text("T20")
            await visitor.tap("try-use")
            await visitor.start()
            await eventually(lambda: bluez.say(board, frame(segment("T19"))))
            await eventually(lambda: {"throw": "T19"} in journal(tmp_path))
            visitor.tell("a board by its name", 2)
            table = tomllib.loads(written(file))["table"][0]
            assert (table["board"], table["profile"]) == ("ble:auto", "granboard")


async def test_boards_are_searched_as_their_name_is_typed(page: Page, address: str) -> None:
    await page.route("**/api/boards/scan", lambda route: route.fulfill(json=NOTHING_FOUND))
    await page.goto(f"{address}guide?step=board")
    name, known = page.get_by_test_id("guide-name"), page.get_by_test_id("known").locator("button")
    await expect(known.first).to_have_text("GRANBOARD")
    names = await known.all_inner_texts()
    assert len(names) == len(set(names)), "two of one maker are told apart"
    for typed, profile in (("gran board", "granboard"), ("canaveral", "sdb-bt"), ("Löwen pik", "pikado")):
        await name.fill(typed)
        await expect(page.get_by_test_id(f"known-{profile}")).to_be_visible()
    await expect(known).to_have_count(1)
    await known.click()
    await expect(page.get_by_test_id("known-about")).to_contain_text("Plug it in")
    await expect(page.get_by_test_id("guide-profile")).to_have_value("pikado")
    await expect(page.get_by_test_id("guide-address")).to_be_focused()
    await name.fill("nonesuch")
    await expect(known).to_have_count(0)
    await expect(page.get_by_test_id("known-about")).to_contain_text("No board of that name")
    await name.fill("")
    await expect(known.first).to_have_text("GRANBOARD")


async def test_the_browser_goes_back_to_the_cards_and_another_language_stays(page: Page, address: str) -> None:
    await page.goto(address)
    await page.get_by_test_id("guide-de").click()
    await expect(page.get_by_test_id("step-title")).to_have_text("Wie spielst du?")
    await page.get_by_test_id("card-electronic").click()
    await expect(page.get_by_test_id("step-title")).to_have_text("Welches Board ist es?")
    await page.reload()
    await expect(page.get_by_test_id("step-title")).to_have_text("Welches Board ist es?")
    await page.go_back()
    await expect(page.get_by_test_id("step-title")).to_have_text("Wie spielst du?")
    await expect(page.get_by_test_id("guide-de")).to_have_attribute("aria-pressed", "true")


async def test_a_backup_is_put_back_at_the_first_visit(page: Page, address: str, file: Path, tmp_path: Path) -> None:
    former = tmp_path / "former.toml"
    overwrite(former, written(file).replace("[[table]]", '[[table]]\nboard = "none"\ntitle = "The Oak"'))
    async with Process("backup", backup := tmp_path / "backup.tar.gz", "--config", former) as process:
        assert await process.ended() == 0
    await page.goto(address)
    await page.get_by_test_id("guide-backup").click()
    await page.get_by_test_id("restore-file").set_input_files(file)
    await expect(page.get_by_test_id("restore-said")).to_contain_text("this is not an oche backup")
    await page.get_by_test_id("restore-file").set_input_files(backup)
    await page.get_by_test_id("restore-go").click()
    await expect(page.get_by_test_id("score-0")).to_be_visible()
    assert tomllib.loads(written(file))["table"][0]["title"] == "The Oak"


async def test_a_board_that_lights_the_wrong_bed_is_learned(file: Path, tmp_path: Path, page: Page) -> None:
    """Its profile was sure, so that its line in the list has no button to learn it."""
    async with PtyBoard(SECRET, tmp_path / "port") as board, run(file) as address:
        await find(page, board.address, "sure")
        await page.goto(f"{address}guide?lang=de&step=board")
        await page.get_by_test_id("found-try").click()
        await board.wait_until_open()
        await expect(page.get_by_test_id("try-said")).to_contain_text("Drück")
        await expect(page.get_by_test_id("found-learn")).to_have_count(0)
        board.hit(SECRET.layout["T20"])
        await page.get_by_role("button", name="Falsch: anlernen").click()
        await expect(page.get_by_test_id("learn-board")).to_have_value(board.address)
        await page.get_by_test_id("learn-start").click()
        await expect(page.get_by_test_id("learn-press")).to_contain_text("Drücke D20")


async def test_an_unknown_matrix(file: Path, tmp_path: Path, page: Page) -> None:
    async with PtyBoard(SECRET, tmp_path / "port") as board, run(file) as address:
        await find(page, board.address, "unknown")
        visitor, finger = Visitor(page), Finger(page, board)
        await page.goto(address)
        await visitor.tap("card-electronic")
        await visitor.tap("found-try")
        await board.wait_until_open()
        await visitor.tap("found-learn")
        await expect(page.get_by_test_id("learn-board")).to_have_value(board.address)
        await visitor.tap("learn-start")
        await board.wait_until_open()
        await finger.press_all()
        for bed in ("T20", "D3", "DB"):
            await finger.press(bed)
        await visitor.tap("learn-save")
        await visitor.tap("learn-use-0")
        await visitor.start()
        await board.wait_until_open()
        assert board.hit(SECRET.layout["T19"])
        await eventually(lambda: {"throw": "T19"} in journal(tmp_path))
        visitor.tell("an unknown matrix", finger.presses + 1)
        await finish_leg(lambda bed: board.hit(SECRET.layout[bed]), visitor.tap, tmp_path)
        await expect(page.locator(OVER)).to_be_visible()


async def test_it_is_left_and_opened_again_and_leads_no_guest(
    file: Path, tmp_path: Path, page: Page, browser: Browser
) -> None:
    overwrite(file, written(file).replace('host = "127.0.0.1"\nport = ', 'host = "0.0.0.0"\nport = '))
    token, setup = make_token(tmp_path / "state"), make_setup_token(tmp_path / "state")
    async with run(file) as address:
        await page.goto(f"{address}#token={token}")
        await expect(page.get_by_test_id("score-0")).to_be_visible()
        await page.goto(f"{address}guide")
        await expect(page.get_by_test_id("state")).to_contain_text("this device cannot change settings")
        await page.get_by_test_id("enter").click()
        await page.get_by_test_id("token").press("Escape")
        await expect(page.get_by_test_id("later")).to_have_text("Scoreboard")
        owner = await browser.new_page()
        await owner.goto(f"{address}#token={setup}")
        await owner.get_by_test_id("card-electronic").click()
        await expect(owner.get_by_test_id("step-title")).to_have_text("Which board is it?")
        await owner.get_by_test_id("later").click()
        await expect(owner.get_by_test_id("score-0")).to_be_visible()
        for name in ("menu", "settings", "guide", "card-electronic"):
            await owner.get_by_test_id(name).click()
        await expect(owner.get_by_test_id("step-title")).to_have_text("Which board is it?")


async def test_a_file_that_was_broken_by_hand_is_told(page: Page, address: str, file: Path) -> None:
    overwrite(file, "nonsense")
    await page.goto(f"{address}guide?lang=de")
    await expect(page.get_by_test_id("state")).to_contain_text("ist kein TOML")


async def test_a_refused_board_is_told_and_another_is_taken_by_the_keyboard_alone(
    page: Page, address: str, file: Path
) -> None:
    await page.goto(address)
    await expect(page.get_by_test_id("step-title")).to_be_focused()
    await page.keyboard.press("Tab")
    await expect(page.get_by_test_id("card-electronic")).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(page.get_by_test_id("step-title")).to_be_focused()
    await page.get_by_test_id("guide-other").locator("summary").focus()
    await page.keyboard.press("Enter")
    await page.keyboard.press("Tab")
    await expect(page.get_by_test_id("guide-address")).to_be_focused()
    await page.keyboard.type('nonsense:"<b>')
    await page.keyboard.press("Enter")
    await expect(page.get_by_test_id("try-said")).to_contain_text("nonsense")
    await page.get_by_test_id("try-use").focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_test_id("problem")).to_contain_text("nonsense")
    await expect(page.get_by_test_id("try-use")).to_be_focused()
    await page.get_by_test_id("guide-cards").focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_test_id("step-title")).to_be_focused()
    await page.get_by_test_id("card-shown").focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_test_id("lobby")).to_be_visible()
    await expect(page).to_have_url(address)
    assert tomllib.loads(written(file))["table"][0]["board"] == "sim:granboard"


@pytest.mark.parametrize(
    ("card", "typed", "line"), [("shown", "t20", {"throw": "T20"}), ("typed", "60", {"total": 60})]
)
async def test_a_keyboard_alone_leads_to_the_first_dart(
    page: Page, address: str, tmp_path: Path, card: str, typed: str, line: dict[str, str | int]
) -> None:
    keys, lobby = page.keyboard, page.get_by_test_id("lobby")
    await page.goto(address)
    await expect(page.get_by_test_id("step-title")).to_be_focused()
    await reach(page, page.get_by_test_id(f"card-{card}"))
    await keys.press("Space")
    await expect(lobby.get_by_label("Name", exact=True)).to_be_focused()
    await keys.press("Escape")
    await expect(lobby).to_be_hidden()
    await reach(page, page.get_by_test_id("menu"), "Shift+Tab")
    await keys.press("Enter")
    await reach(page, page.get_by_test_id("menu-new"))
    await keys.press("Enter")
    await expect(lobby.get_by_label("Name", exact=True)).to_be_focused()
    await keys.type("Ann, Bo")
    await keys.press("Enter")
    await expect(lobby.locator("li b")).to_have_text(["Ann", "Bo"])
    await reach(page, lobby.locator(".go"))
    await keys.press("Enter")
    await expect(lobby).to_be_hidden()
    await expect(page.get_by_test_id("player")).to_have_text("Ann")
    assert await page.evaluate("document.activeElement !== document.body")
    if card == "shown":
        await reach(page, page.locator("#tap-id"), "Shift+Tab")
    await keys.type(typed)
    await keys.press("Enter")
    await eventually(lambda: line in journal(tmp_path))


@pytest.mark.long
@pytest.mark.parametrize("look", LOOKS)
async def test_it_is_accessible_and_fits(examined: Page, address: str, board: PtyBoard, look: str) -> None:
    findings, page = Findings(), examined
    await find(page, board.address, "possible")
    for view, size in VIEWS.items():
        await page.set_viewport_size(size)
        await page.goto(f"{address}guide?{look}")
        await expect(page.get_by_test_id("card-shown")).to_be_visible()
        await findings.audit(page, f"{view}, cards")
        assert await page.evaluate("document.documentElement.scrollWidth") <= size["width"]
        await page.get_by_test_id("guide-backup").click()
        await expect(page.get_by_test_id("care-restore")).to_be_visible()
        await findings.audit(page, f"{view}, backup")
        await page.goto(f"{address}guide?{look}&step=board")
        await page.get_by_test_id("guide-other").locator("summary").click()
        await page.get_by_test_id("found-try").click()
        await expect(page.get_by_test_id("try-use")).to_be_visible()
        await findings.audit(page, f"{view}, boards")
        assert await page.evaluate("document.documentElement.scrollWidth") <= size["width"]
        await page.get_by_test_id("found-learn").click()
        await expect(page.get_by_test_id("learn-start")).to_be_visible()
        await findings.audit(page, f"{view}, learning")
    assert not findings.all, "\n".join(findings.all)
