"""The four doors before the form of all settings, and what it says before it writes: a real daemon and browser."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from simulator.pty_board import PtyBoard
from tests.daemon.test_settings import overwrite, write_file, written
from tests.page.playing import run
from tests.page.test_axe import LOOKS, VIEWS, Findings
from tests.page.test_settings import save

DOORS = {"board": "Board", "players": "Players", "phones": "Phones and TV", "home": "Home Assistant"}
HELP = """() => [...document.querySelectorAll("#form :is(.help, .usual, option)")].filter((each) =>
  each.querySelector("code") || /`|sim:|(word|Wort) none|docs\\/|oche [a-z]+ (list|prints)|^(Default|Standard)\\b/
    .test(each.textContent))
  .map((each) => each.textContent)"""
"""What names a key or a command, or needs the documentation."""


async def test_four_doors_come_before_the_form(page: Page, address: str) -> None:
    await page.goto(f"{address}settings")
    for door, title in DOORS.items():
        await expect(page.get_by_test_id(f"door-{door}")).to_contain_text(title)
        await expect(page.get_by_test_id("section-table")).to_be_hidden()
        await page.get_by_test_id(f"door-{door}").click()
        await expect(page.get_by_test_id("title")).to_have_text(title)
        await expect(page.get_by_test_id("title")).to_be_focused()
        await expect(page.get_by_test_id("door").locator("svg").first).to_be_visible()
        await page.reload()
        await expect(page.get_by_test_id("title")).to_have_text(title)
        await page.get_by_test_id("up").click()
        await expect(page.get_by_test_id("title")).to_have_text("Settings")
    await page.get_by_test_id("all-settings").click()
    await expect(page.get_by_test_id("section-table")).to_be_visible()
    await page.go_back()
    await expect(page.get_by_test_id("door-home")).to_be_visible()
    await page.goto(f"{address}settings?lang=de#phones")
    await expect(page.get_by_test_id("title")).to_have_text("Handys und TV")
    await expect(page.get_by_test_id("todo")).to_contain_text("noch nicht öffnen")


async def test_a_door_has_the_settings_that_matter_and_a_mistake_elsewhere_is_led_to(page: Page, address: str) -> None:
    shown = {
        "board": ["table.0.board", "table.0.profile"],
        "phones": ["web.host"],
        "home": ["mqtt.host", "mqtt.username", "mqtt.on", "mqtt.password"],
        "players": [],
    }
    for door, fields in shown.items():
        await page.goto(f"{address}settings#{door}")
        await expect(page.get_by_test_id("title")).to_have_text(DOORS[door])
        visible = page.locator("#form [data-testid^=set-]:visible")
        names = [await each.get_attribute("data-testid") for each in await visible.all()]
        assert names == [f"set-{field}" for field in fields], door
    await page.goto(f"{address}settings#all")
    await page.get_by_test_id("set-table.0.game").fill("chess")
    await page.get_by_test_id("up").click()
    await page.get_by_test_id("door-phones").click()
    await page.get_by_test_id("save").click()
    await expect(page.get_by_test_id("error-table.0.game")).to_contain_text("chess")
    await expect(page.get_by_test_id("set-table.0.game")).to_be_focused()
    await expect(page.get_by_test_id("title")).to_have_text("All settings")


async def test_what_is_put_off_stays_so_on_this_device(page: Page, address: str) -> None:
    await page.goto(f"{address}settings#board")
    item = page.get_by_test_id("todo-board-simulated-main")
    await item.get_by_test_id("todo-later").click()
    await expect(page.get_by_test_id("todo")).to_have_count(0)
    await page.goto(f"{address}settings")
    await expect(page.get_by_test_id("door-board")).to_contain_text("Nothing left to do.")
    await page.reload()
    await page.get_by_test_id("door-board").click()
    await page.get_by_test_id("put-off").locator("summary").click()
    await item.get_by_test_id("todo-now").click()
    await expect(page.get_by_test_id("todo")).to_contain_text("still a simulated board")


async def test_the_door_of_the_board_says_whether_it_is_there(
    page: Page, tmp_path: Path, board: PtyBoard, unused_tcp_port: int
) -> None:
    file = write_file(tmp_path, unused_tcp_port)
    overwrite(file, written(file).replace("sim:opendarts", board.address))
    async with run(file) as address:
        await page.goto(f"{address}settings#board")
        await board.wait_until_open()
        await expect(page.get_by_test_id("works")).to_contain_text("The board is connected.")
        press = page.get_by_test_id("todo-board-press")
        await press.get_by_test_id("todo-done").click()
        await expect(page.get_by_test_id("works")).to_contain_text("The right segments light up.")
        await expect(press).to_have_count(0)
        await page.get_by_test_id("todo-again").click()
        await expect(press).to_be_visible()


async def test_a_board_that_is_away_is_something_to_do(page: Page, tmp_path: Path, unused_tcp_port: int) -> None:
    file = write_file(tmp_path, unused_tcp_port)
    overwrite(file, written(file).replace("sim:opendarts", "serial:/dev/none"))
    async with run(file) as address:
        await page.goto(f"{address}settings?lang=de#board")
        away = page.get_by_test_id("todo-board-away-main")
        await expect(away).to_contain_text("Das Board antwortet nicht. Schalte es ein")


async def test_players_and_their_profiles_are_one_place(page: Page, file: Path, address: str) -> None:
    await page.goto(f"{address}settings#players")
    await expect(page.get_by_test_id("todo-players-add")).to_be_visible()
    await page.get_by_test_id("new-player").fill("Ann")
    await page.get_by_test_id("add-player").click()
    await expect(page.get_by_test_id("works")).to_contain_text("oche knows 1 player.")
    await expect(page.get_by_test_id("todo-players-pictures")).to_contain_text("Without one: Ann.")
    assert await page.locator("#profiles .avatar").first.evaluate("e => getComputedStyle(e).borderRadius") == "50%"
    await page.get_by_test_id("favourite-doubles").fill("16")
    await page.get_by_test_id("save-profile").click()
    await expect(page.get_by_test_id("todo-players-doubles")).to_have_count(0)
    await page.goto(f"{address}settings#all")
    await page.reload()
    await expect(page.get_by_test_id("section-table")).to_be_visible()
    await expect(page.get_by_test_id("section-player")).to_have_count(0)
    assert "player" not in tomllib.loads(written(file))


async def test_players_of_the_file_are_changed_there(page: Page, tmp_path: Path, unused_tcp_port: int) -> None:
    file = write_file(tmp_path, unused_tcp_port)
    overwrite(file, written(file) + '\n[[player]]\nname = "Di"\ndoubles = [20]\n')
    async with run(file) as address:
        await page.goto(f"{address}settings#players")
        doubles = page.get_by_test_id("set-player.0.doubles")
        await doubles.fill("16, bull")
        await page.get_by_test_id("save").click()
        await expect(page.get_by_test_id("error-player.0.doubles")).to_contain_text("Write numbers separated by commas")
        await doubles.fill("16 8; 25")
        await save(page)
        assert tomllib.loads(written(file))["player"] == [{"name": "Di", "doubles": [16, 8, 25]}]
        await page.goto(f"{address}settings#all")
        await page.get_by_test_id("section-player").locator("summary").first.click()
        await page.get_by_test_id("remove-player.0").click()
        await expect(page.get_by_test_id("changes")).to_contain_text("Player Di: removed")
        await save(page)
        assert "player" not in tomllib.loads(written(file))


async def test_the_door_of_phones_lets_them_in(page: Page, tmp_path: Path, unused_tcp_port: int) -> None:
    file = write_file(tmp_path, unused_tcp_port, web='names = ["oche.lan"]\n')
    async with run(file) as address:
        await page.goto(f"{address}settings#phones")
        await expect(page.get_by_test_id("todo")).to_contain_text("cannot open the page yet")
        await expect(page.get_by_test_id("door-codes")).to_have_count(0)
        await page.get_by_test_id("set-web.host").select_option("0.0.0.0")
        await expect(page.get_by_test_id("changes")).to_contain_text(
            "Page, Who can reach it: this machine only (as usual) → everyone"
        )
        await save(page)
        await expect(page.get_by_test_id("made-play").locator("svg")).to_be_visible()
        await expect(page.get_by_test_id("works")).to_contain_text("in your network can open the page")
        await expect(page.get_by_test_id("todo-phones-wall")).to_contain_text("?kiosk=1 in the television's browser")
        await expect(page.get_by_test_id("door-codes").get_by_test_id("code-remote").locator("svg")).to_be_visible()
        assert tomllib.loads(written(file))["web"]["host"] == "0.0.0.0"


async def test_what_will_be_written_is_shown_before(page: Page, file: Path, address: str) -> None:
    before = written(file)
    await page.goto(f"{address}settings#all")
    changes, title = page.get_by_test_id("changes"), page.get_by_test_id("set-table.0.title")
    await expect(page.get_by_test_id("section-table")).to_be_visible()
    await expect(changes).to_be_hidden()
    await title.fill("<b>Oak</b>")
    await expect(changes).to_have_text("This will be written:Table main, Title: empty → <b>Oak</b>")
    await title.fill("")
    await expect(changes).to_be_hidden()
    await title.fill("Oak")
    await page.get_by_test_id("set-table.0.takeout").select_option("timer")
    await page.get_by_test_id("set-table.0.game-options").get_by_label("Start score").fill("301")
    await page.get_by_test_id("section-table").locator(".more > summary").click()
    await page.get_by_test_id("set-table.0.wiring.turn").fill("3")
    await page.get_by_test_id("section-mqtt").locator("summary").first.click()
    await page.get_by_test_id("set-mqtt.password").fill("s3cret")
    await page.get_by_test_id("section-routine").locator("summary").first.click()
    await page.get_by_test_id("add-routine").click()
    await expect(changes.locator("li")).to_have_text(
        [
            "Table main, Title: empty → Oak",
            "Table main, Wiring: Turned by: 0 (as usual) → 3",
            "Table main, Start score: 501 → 301",
            "Table main, What starts the next visit: Not chosen → the clock, after the last dart",
            "Broker, Password: a new one",
            "Routine: added",
        ]
    )
    assert written(file) == before
    await page.get_by_test_id("remove-routine.0").click()
    await expect(changes.locator("li")).to_have_count(5)
    await page.get_by_test_id("set-mqtt.password").fill("")  # that of nobody
    await expect(changes.locator("li")).to_have_count(4)
    await page.set_viewport_size({"width": 390, "height": 844})
    assert await page.evaluate("document.documentElement.scrollWidth") <= 390
    await save(page)
    await expect(changes).to_be_hidden()
    assert 'title = "Oak"' in written(file)


async def test_the_form_needs_no_documentation(page: Page, address: str) -> None:
    for lang in ("en", "de", "nl", "fr", "es"):
        await page.goto(f"{address}settings?lang={lang}#all")
        await expect(page.get_by_test_id("section-table")).to_be_visible()
        await page.get_by_test_id("section-routine").locator("summary").first.click()
        await page.get_by_test_id("add-routine").click()
        assert await page.evaluate(HELP) == [], lang


async def test_no_door_is_wider_than_a_phone(page: Page, address: str) -> None:
    await page.set_viewport_size({"width": 360, "height": 640})
    for lang in ("en", "de", "nl", "fr", "es"):
        for door in ("", *DOORS):
            await page.goto("about:blank")
            await page.goto(f"{address}settings?lang={lang}#{door}")
            await expect(page.locator("svg.drawing").first).to_be_visible()
            assert await page.evaluate("document.documentElement.scrollWidth") <= 360, door
            assert await page.evaluate(
                "document.querySelector('#title').scrollWidth <= document.querySelector('#title').clientWidth"
            ), door


@pytest.mark.long
@pytest.mark.parametrize("look", LOOKS)
async def test_the_doors_are_accessible(examined: Page, address: str, look: str) -> None:
    findings, page = Findings(), examined
    for view, size in VIEWS.items():
        await page.set_viewport_size(size)
        for door in ("", *DOORS):
            await page.goto("about:blank")
            await page.goto(f"{address}settings?{look}#{door}")
            await expect(page.locator("svg.drawing").first).to_be_visible()
            await findings.audit(page, f"{view}, {door or 'the front'}")
    assert not findings.all, "\n".join(findings.all)
