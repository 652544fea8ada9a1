"""The lobby in a real browser: a match is put together by finger and by keyboard, and what begins is what was shown."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import aiohttp
import msgspec
import pytest
import pytest_asyncio
from playwright.async_api import Locator, Page, Request, Route, expect

from daemon.assemble import RunningDaemon, run_daemon
from daemon.table.table import Table
from protocol.codebook import shipped
from protocol.match_spec import Format
from simulator.pty_board import PtyBoard
from tests.commanding import give
from tests.page.playing import reach, setup

TWICE = '"Ann" and "ann" are the same player: remove one of them, or enter another name'
MARKUP = "<img src=x onerror=alert(1)>"

_HAS_SEEN = """async ([match, plan]) => {
    const { store } = await import(new URL("joined/index/store.js", document.baseURI).href);
    return store.state?.match === match && JSON.stringify(store.plan) === JSON.stringify(plan);
}"""


class Lobby:
    """A page with the lobby open, at a table where Ann and Bo play 501."""

    def __init__(self, page: Page, running: RunningDaemon) -> None:
        self.page = page
        self.running = running
        self.dialog = page.get_by_test_id("lobby")
        self.start = self.dialog.get_by_role("button", name=re.compile("^(Start|Stop .* and start)$"))
        self.said = self.dialog.get_by_role("alert")
        form = "section:last-of-type > div"
        self.options = self.dialog.locator(f"{form} > :not(details), {form} > details > :not(summary)")
        self.names = self.dialog.locator("li b")

    @property
    def table(self) -> Table:
        return self.running.tables["main"]

    async def open(self) -> None:
        seen = [self.table.state().match, msgspec.to_builtins(self.table.everything.plan)]
        await self.page.wait_for_function(_HAS_SEEN, arg=seen)
        await self.page.locator("#other").evaluate("button => button.click()")  # as the menu does while a match is on
        await expect(self.dialog).to_be_visible()
        await expect(self.start).to_be_enabled()

    def button(self, name: str) -> Locator:
        return self.dialog.get_by_role("button", name=name, exact=True)

    def field(self, name: str) -> Locator:
        return self.dialog.get_by_label(name, exact=True)

    async def choose(self, title: str, name: str) -> None:
        await self.dialog.get_by_label("Search").fill(title)
        await self.dialog.locator(f"label:has([value={name}])").click()
        await expect(self.start).to_be_enabled()

    def sides(self) -> list[tuple[str, ...]]:
        return [side.players for side in self.table.state().sides]

    def players(self) -> list[str]:
        return [name for side in self.sides() for name in side]


@pytest_asyncio.fixture(loop_scope="session")
async def lobby(tmp_path: Path, page: Page, unused_tcp_port: int) -> AsyncIterator[Lobby]:
    board = PtyBoard(shipped("opendarts"), tmp_path / "board")
    async with board, run_daemon(setup(tmp_path, unused_tcp_port, options={})) as running:
        await page.goto(running.page or "")
        await expect(page.locator("#board .area").first).to_be_visible()
        yield Lobby(page, running)


async def test_a_match_is_put_together_by_clicks(lobby: Lobby) -> None:
    for names in (["Cy", "Dee"], ["Ann", "Bo"]):
        await give(lobby.table, {"start": {"game": "x01", "players": names}}, "page")
        await give(lobby.table, {"next": True}, "page")
    await lobby.open()
    await expect(lobby.names).to_have_text(["Ann", "Bo"])
    await expect(lobby.start).to_have_text("Stop 501 and start")
    await expect(lobby.field("Throw for the bull")).to_have_accessible_description(re.compile("first in this match"))

    await lobby.button("Dee").click()
    await lobby.field("Name").fill(MARKUP)
    await lobby.button("Add").click()
    await lobby.button("Add a bot").click()
    await lobby.field("Level of the bot, 20 to 110").fill("45")
    await lobby.field("Seconds the bot takes per dart").fill("0.5")
    await lobby.field("Name of the bot").fill("Marvin")
    await lobby.button("Remove Bo").click()
    await lobby.button("Move Dee up").click()
    await expect(lobby.names).to_have_text(["Dee", "Ann", MARKUP, "Bot"])
    await lobby.field("Name").fill("ann")
    await lobby.button("Add").click()
    await expect(lobby.said).to_have_text(TWICE)
    await lobby.field("Name").fill("")

    await lobby.choose("cricket", "cricket")
    await expect(lobby.dialog.get_by_text("Seven rows: 20, 19")).to_be_attached()
    await lobby.dialog.get_by_text("More options").click()
    await lobby.dialog.get_by_role("radio", name="It is closed", exact=True).check()
    await lobby.field("Largest lead").fill("150")
    await lobby.field("Legs to win").fill("3")
    await lobby.field("Play all legs; a tie is a draw").check()
    await lobby.dialog.get_by_role("combobox", name="Throws first in the next leg").select_option("same")
    await lobby.start.click()
    await expect(lobby.dialog).to_be_hidden()
    await expect(lobby.page.locator("#title")).to_have_text("Cricket")
    assert lobby.players() == ["Dee", "Ann", MARKUP, "Marvin"]
    header = lobby.table.match.header
    assert (header.bots, header.tempos) == ((None, None, None, 45), (None, None, None, 0.5))
    plan = lobby.table.everything.plan
    assert plan is not None
    assert plan.format == Format(3, 1, first="same", play="all")
    assert (plan.options["lock"], plan.options["spread"], plan.options["rounds"]) == ("closed", 150, None)

    await lobby.open()  # the same again costs nothing
    await expect(lobby.names).to_have_text(["Dee", "Ann", MARKUP, "Bot"])
    await expect(lobby.field("Largest lead")).to_have_value("150")
    await expect(lobby.field("Play all legs; a tie is a draw")).to_be_checked()
    await expect(lobby.dialog.get_by_role("combobox", name="Throws first in the next leg")).to_have_value("same")

    await lobby.field("Two clear legs").check()
    await lobby.start.click()
    await expect(lobby.said).to_contain_text("with play all no extra legs are played for a lead")


async def test_a_match_is_put_together_by_keyboard_alone(lobby: Lobby) -> None:
    press, write = lobby.page.keyboard.press, lobby.page.keyboard.type

    tab_to = partial(reach, lobby.page)
    await give(lobby.table, {"stop": True}, "page")
    await tab_to(lobby.page.locator("#other"))
    await press("Enter")
    await expect(lobby.start).to_be_enabled()
    await tab_to(lobby.button("Move Bo up"))
    await press("Enter")
    await expect(lobby.button("Move Bo up")).to_be_focused()
    await expect(lobby.names).to_have_text(["Bo", "Ann"])
    await tab_to(lobby.field("Name"))
    await write("Cy")
    await press("Enter")
    await expect(lobby.field("Name")).to_be_focused()
    await tab_to(lobby.field("Search"))
    await write("shanghai")
    await press("Tab")
    await press("Space")
    await expect(lobby.dialog.locator("[value=shanghai]")).to_be_checked()
    await expect(lobby.field("First number")).to_be_visible()
    await tab_to(lobby.dialog.get_by_role("radio", name="Wins", exact=True))
    await press("ArrowLeft")
    await tab_to(lobby.start)
    await press("Enter")
    await expect(lobby.dialog).to_be_hidden()
    await expect(lobby.page.locator("#next")).to_be_focused()
    assert lobby.players() == ["Bo", "Ann", "Cy"]
    assert lobby.table.state().game == "shanghai"
    plan = lobby.table.everything.plan
    assert plan is not None
    assert plan.options["shanghai"] == "off"


async def test_it_begins_with_the_plan_and_with_typed_players(lobby: Lobby) -> None:
    people = {"players": ["Ann", "Cy", "Bo", "Dee"], "teams": [[0, 1], [2, 3]], "team_names": ["Reds", ""]}
    wanted = {"game": "301", "options": {"starts": [301, 501], "out": "straight"}, **people}
    await give(lobby.table, {"start": wanted}, "page")
    await expect(lobby.page.locator("#title")).to_have_text("301")
    await lobby.open()
    await expect(lobby.dialog.locator("label:has(:checked) b").first).to_have_text("301")
    await expect(lobby.field("Name of side 1")).to_have_value("Reds")
    await lobby.button("Move Bo up").click()  # with the whole team
    await expect(lobby.field("Name of side 2")).to_have_value("Reds")
    await expect(lobby.field("Handicap")).to_have_value("501,301")
    await lobby.start.click()
    await expect(lobby.dialog).to_be_hidden()
    state = lobby.table.state()
    assert [(side.name, side.score) for side in state.sides] == [("Bo & Dee", 501), ("Reds", 301)]
    assert lobby.table.match.options.leave == "straight"

    await lobby.open()
    await lobby.field("Name").fill("ann")
    await lobby.start.click()
    await expect(lobby.said).to_have_text(TWICE)
    await expect(lobby.field("Name")).to_be_focused()
    await lobby.field("Name").fill("Eve")
    await lobby.field("Teams").uncheck()
    await lobby.start.click()
    await expect(lobby.said).to_contain_text("Reset because the players changed: Handicap.")
    await expect(lobby.field("Handicap")).to_have_value("")
    await expect(lobby.start).to_be_focused()
    await lobby.start.click()
    await expect(lobby.dialog).to_be_hidden()
    state = lobby.table.state()
    assert [(side.name, side.score) for side in state.sides] == [
        (name, 301) for name in ("Bo", "Dee", "Ann", "Cy", "Eve")
    ]
    await lobby.open()
    await lobby.choose("501", "x01")
    await expect(lobby.field("Start score")).to_have_value("501")


async def test_a_player_is_known_by_all_names_before_the_match_is_sent(lobby: Lobby) -> None:
    merge = {"name": "Annie", "to": "Ann"}
    async with (
        aiohttp.ClientSession(lobby.running.page) as web,
        web.post("/api/players/merge", json=merge) as answer,
    ):
        assert answer.status == 200
    sent: list[Request] = []
    lobby.page.on("request", lambda request: sent.append(request) if request.method == "POST" else None)
    await lobby.open()
    await lobby.field("Name").fill("ANNIE ")
    await lobby.start.click()
    await expect(lobby.said).to_have_text(TWICE.replace("ann", "ANNIE"))
    await lobby.field("Name").fill("Zo\u00eb, ZOE\u0308")
    await lobby.start.click()
    await expect(lobby.said).to_have_text(TWICE.replace("Ann", "Zo\u00eb").replace("ann", "ZOE\u0308"))
    assert sent == []


async def test_four_taps_lead_two_new_people_to_501(lobby: Lobby) -> None:
    """On a phone, from the wall of another match: the button, the other names, the game, the start."""
    await lobby.page.set_viewport_size({"width": 390, "height": 844})
    await give(lobby.table, {"start": {"game": "dards", "players": ["Cy", "Dee"]}}, "page")
    await give(lobby.table, {"stop": True}, "page")
    await lobby.page.locator("#other").click()
    await lobby.button("Clear players").click()
    await lobby.page.keyboard.type("Eve, Flo")
    await lobby.dialog.locator("label", has_text=re.compile("^501")).first.click()
    await lobby.start.click()
    await expect(lobby.dialog).to_be_hidden()
    assert (lobby.players(), lobby.table.state().title) == (["Eve", "Flo"], "501")


async def test_a_bot_takes_one_line_on_a_phone(lobby: Lobby) -> None:
    await lobby.page.set_viewport_size({"width": 390, "height": 844})
    await lobby.open()
    await lobby.button("Add a bot").click()
    await expect(lobby.names.last).to_have_text("Bot")
    lines = "name => { const all = new Range(); all.selectNodeContents(name); return all.getClientRects().length; }"
    assert await lobby.names.last.locator("button").evaluate(lines) == 1
    heights = await lobby.dialog.locator("ol li").evaluate_all("rows => rows.map(row => row.clientHeight)")
    assert len(heights) == 3
    assert len({*heights}) == 1


async def test_games_are_found_by_tiles_groups_favourites_and_titles(lobby: Lobby) -> None:
    titles = lobby.dialog.locator(".list b:visible")
    await lobby.open()
    await expect(titles).to_have_text(["501", "301", "Cricket", "Killer", "Round the Clock", "Shanghai"])
    await lobby.dialog.locator("summary", has_text="Down to zero").click()
    await expect(lobby.dialog.get_by_text("Gotcha 301", exact=True)).to_be_visible()
    await lobby.field("Search").fill("301")
    await expect(titles.nth(0)).to_have_text("301")
    soft = "301 straight out · fat bull · 10 rounds"
    offers = lobby.dialog.locator(".list .offer label:visible")
    await expect(offers.nth(1)).to_contain_text(soft)
    await lobby.button(f"{soft} is a favourite").click()
    await lobby.field("Search").fill("zzz")
    await lobby.start.click()
    await expect(lobby.said).to_have_text("No game has that name.")
    await expect(lobby.dialog).to_be_visible()
    await lobby.page.reload()
    await lobby.open()
    await expect(offers.last).to_contain_text(soft)


async def test_the_games_of_a_group_are_in_order_of_their_titles(lobby: Lobby) -> None:
    for language, group, titles in (  # Killer has a tile
        ("en", "Last one", "Big Little, Big-6, Blind Killer, Knockout, Nine Lives, Sudden Death, Three Dice"),
        ("de", "Der Letzte", "Big Little, Big-6, Blind Killer, Drei Würfel, Knockout, Neun Leben, Sudden Death"),
    ):
        await lobby.page.goto(f"{lobby.running.page}?lang={language}")
        await expect(lobby.page.locator("#board .area").first).to_be_visible()
        await lobby.page.locator("#other").evaluate("button => button.click()")
        of_group = lobby.dialog.locator(".list > details", has=lobby.page.locator("> summary", has_text=group))
        await expect(of_group.locator("> .offer b")).to_have_text(titles.split(", "))


async def test_a_game_without_a_group_that_is_known_stands_among_the_others(lobby: Lobby) -> None:
    async def change(route: Route) -> None:
        answer = await route.fetch()
        games = {each["name"]: each for each in await answer.json()}
        del games["prisoner"]["group"]
        games["snooker"]["group"] = "of_a_later_version"
        await route.fulfill(json=[*games.values()])

    await lobby.page.route("**/api/table/main/games?*", change)
    await lobby.open()
    folded = lobby.dialog.locator(".list > details")
    groups = ["Down to zero", "Cricket and similar", "Round by round", "First to the goal", "Last one standing"]
    groups += ["Cards and other boards", "Practice", "Routines: several exercises in a row", "More games"]
    await expect(folded.locator("> summary")).to_have_text(groups)
    await expect(folded.last.locator("> .offer b")).to_have_text(["Prisoner", "Snooker"])
    await expect(folded.nth(2).locator("> .offer b").first).to_have_text("51 by Fives")


async def test_only_what_a_dart_was_thrown_in_is_stopped_by_name(lobby: Lobby) -> None:
    await lobby.open()
    await expect(lobby.start).to_have_text("Start")
    await give(lobby.table, {"throw": "T20"}, "page")
    await expect(lobby.start).to_have_text("Stop 501 and start")


async def test_the_very_first_lobby_waits_for_names_and_plays_without_them_too(
    tmp_path: Path, page: Page, unused_tcp_port: int
) -> None:
    async with run_daemon(setup(tmp_path, unused_tcp_port, players=("Home", "Guest"), options={})) as running:
        await page.goto(running.page or "")
        lobby = Lobby(page, running)
        await lobby.open()
        await expect(lobby.names).to_have_count(0)
        await expect(lobby.field("Name")).to_be_focused()
        await lobby.start.click()
        await expect(lobby.dialog).to_be_hidden()
        assert lobby.players() == ["Home", "Guest"]
        await lobby.open()
        await page.keyboard.type("Ann, Bo")
        await lobby.start.click()
        await expect(lobby.dialog).to_be_hidden()
        assert lobby.players() == ["Ann", "Bo"]


async def test_teams_are_two_columns_and_a_tap_changes_sides(lobby: Lobby) -> None:
    await lobby.open()
    await expect(lobby.button("Ann: change sides")).to_have_count(0)
    for name in ("Cy", "Dee"):
        await lobby.field("Name").fill(name)
        await lobby.button("Add").click()
    await lobby.page.set_viewport_size({"width": 1280, "height": 720})
    await lobby.field("Teams").check()
    whole = "each => { each.value = each.placeholder; return each.scrollWidth <= each.clientWidth; }"
    assert await lobby.field("Name of side 1").evaluate(whole), "its example is cut"
    await lobby.field("Name of side 1").fill("")
    await lobby.button("Add a bot to side 2").click()
    await expect(lobby.button("Add a bot")).to_be_hidden()
    lefts = "rows => rows.map(row => row.offsetLeft)"
    ann, bo, cy, dee, bot = await lobby.dialog.locator("ol li").evaluate_all(lefts)
    assert (ann, bo) == (cy, dee)
    assert bo == bot > ann
    await lobby.button("Bo: change sides").click()
    await lobby.field("Name of side 2").fill("Reds")
    await lobby.button("Add a side").click()
    await lobby.button("Cy: change sides").click()
    await lobby.button("Cy: change sides").click()
    await lobby.start.click()
    await expect(lobby.dialog).to_be_hidden()
    assert lobby.sides() == [("Ann", "Bo"), ("Dee", "Bot 60"), ("Cy",)]
    assert [side.name for side in lobby.table.state().sides] == ["Ann & Bo", "Reds", "Cy"]


@pytest.mark.long
async def test_teams_and_the_bull(lobby: Lobby) -> None:
    await lobby.open()
    for name in ("Cy", "Dee"):
        await lobby.field("Name").fill(name)
        await lobby.button("Add").click()
    await lobby.field("Teams").check()
    await lobby.button("Cy: change sides").click()
    await lobby.button("Dee: change sides").click()
    await lobby.field("Name of side 2").fill("Reds")
    await lobby.field("Throw for the bull").check()
    await lobby.start.click()
    await expect(lobby.dialog).to_be_hidden()
    assert lobby.table.state().game == "bull_off"
    assert lobby.sides() == [("Ann", "Dee"), ("Bo", "Cy")]

    await give(lobby.table, {"throw": "MISS"}, "page")
    await give(lobby.table, {"next": True}, "page")
    await give(lobby.table, {"throw": "DB"}, "page")
    await lobby.page.locator("#again").click()
    await expect(lobby.page.locator("#title")).to_have_text("501")
    assert lobby.sides() == [("Bo", "Cy"), ("Ann", "Dee")]
    assert [side.name for side in lobby.table.state().sides] == ["Reds", "Ann & Dee"]


@pytest.mark.long
async def test_what_is_refused_is_told_and_nothing_is_lost(lobby: Lobby) -> None:
    await lobby.open()
    await lobby.field("Name").fill("Cy")
    await lobby.button("Add").click()
    await lobby.field("Start score").fill("9999")
    await lobby.start.click()
    await expect(lobby.said).to_contain_text("Start score: ")
    await expect(lobby.field("Start score")).to_be_focused()

    await lobby.field("Start score").fill("301")
    await lobby.dialog.get_by_text("More options").click()
    await lobby.field("Handicap").fill("301, nonsense")
    await lobby.start.click()
    await expect(lobby.said).to_contain_text("starts")
    await expect(lobby.start).to_be_focused()
    await expect(lobby.field("Start score")).to_have_value("301")

    await lobby.field("Handicap").fill("")
    await give(lobby.table, {"start": {"game": "cricket", "players": ["Eve"]}}, "page")
    await expect(lobby.said).to_contain_text("Cricket was started on another display")
    await expect(lobby.start).to_have_text("Start")  # no dart was thrown yet
    await give(lobby.table, {"throw": "S20"}, "page")
    await expect(lobby.start).to_have_text("Stop Cricket and start")
    await expect(lobby.names).to_have_text(["Ann", "Bo", "Cy"])
    await lobby.start.click()
    await expect(lobby.page.locator("#title")).to_have_text("301")
    assert lobby.players() == ["Ann", "Bo", "Cy"]


@pytest.mark.long
async def test_an_unreachable_game_is_said_and_another_can_be_chosen(lobby: Lobby) -> None:
    async def refuse(route: Route) -> None:
        await route.fulfill(status=503, json={"error": {"code": "unavailable", "message": "x01 is withdrawn"}})

    await lobby.page.route("**/api/players", refuse)
    await lobby.page.route("**/api/games/x01?*", refuse)
    await lobby.page.locator("#other").evaluate("button => button.click()")
    await expect(lobby.said).to_have_text("x01 is withdrawn")
    await expect(lobby.start).to_be_disabled()
    await lobby.choose("shanghai", "shanghai")
    await expect(lobby.said).to_have_text("")
    await lobby.page.unroute("**/api/games/x01?*")
    await lobby.choose("x01", "x01")
    await lobby.start.click()
    await expect(lobby.page.locator("#title")).to_have_text("501")


@pytest.mark.long
async def test_it_says_nothing_of_what_was_before_it_was_opened(lobby: Lobby) -> None:
    await lobby.open()
    await lobby.start.click()
    await expect(lobby.dialog).to_be_hidden()
    await give(lobby.table, {"throw": "T20"}, "page")
    await expect(lobby.page.get_by_test_id("dart-0")).to_contain_text("T20")
    await give(lobby.table, {"start": None}, "page")
    await expect(lobby.page.get_by_test_id("dart-0")).not_to_contain_text("T20")
    await lobby.open()
    await expect(lobby.said).to_have_text("")


@pytest.mark.long
async def test_nothing_is_cut_off(lobby: Lobby) -> None:
    await lobby.open()
    for name in ("Maximiliane von der Heide-Brunnenthal", "W" * 40):
        await lobby.field("Name").fill(name)
        await lobby.button("Add").click()
    await lobby.button("Add a bot").click()
    await lobby.field("Teams").check()
    await lobby.dialog.get_by_text("More options").click()
    beyond = """dialog => [...dialog.querySelectorAll("*")].filter((each) => {
      const box = each.getBoundingClientRect();
      const outer = each.parentElement.closest("section, dialog").getBoundingClientRect();
      return box.width && !each.closest("option") && (box.right > outer.right + 1 || box.left < outer.left - 1);
    }).map((each) => each.outerHTML.slice(0, 120))"""
    small = """dialog => [...dialog.querySelectorAll("button, select, summary, label:has(input)")]
      .filter((each) => each.offsetHeight && each.offsetHeight < 44).map((each) => each.outerHTML.slice(0, 120))"""
    for width, height in ((390, 844), (800, 480), (1920, 1080)):
        await lobby.page.set_viewport_size({"width": width, "height": height})
        assert await lobby.dialog.evaluate(beyond) == []
        assert await lobby.dialog.evaluate(small) == []
        await expect(lobby.start).to_be_in_viewport(ratio=1)


@pytest.mark.long
@pytest.mark.parametrize("is_preset", [False, True])
async def test_every_game_has_a_form_whose_defaults_begin(lobby: Lobby, is_preset: bool) -> None:
    sent: list[Any] = []  # Any: JSON

    def note(request: Request) -> None:
        if request.post_data:
            sent.append(request.post_data_json)

    lobby.page.on("request", note)
    no = lobby.page.get_by_test_id("hands-dialog").get_by_role("button", name="No")
    await lobby.page.add_locator_handler(no, lambda button: button.click())
    async with aiohttp.ClientSession() as reader:

        async def read(path: str) -> Any:  # Any: JSON
            async with reader.get(f"{lobby.running.page}api/{path}") as answer:
                return await answer.json()

        offers = [each for each in await read("table/main/games") if (each["name"] != each["game"]) == is_preset]
        assert len(offers) > 30
        seated = None
        for offer in offers:
            sheet = await read(f"games/{offer['name']}")
            teams = [[0, 2], [1, 3]] if offer["team_size"][1] > 1 else [[0], [1]]
            if teams != seated:
                people = {"players": ["Ann", "Bo", "Cy", "Dee"][: sum(map(len, teams))], "teams": teams}
                await give(lobby.table, {"start": {"game": "count_up", **people}}, "page")
                await expect(lobby.page.locator("#title")).to_have_text("Count-Up")
                seated = teams
            await lobby.open()
            await lobby.choose(offer["name"], f"'{offer['name']}'")
            rules = lobby.dialog.get_by_text("Rules", exact=True).locator("xpath=../p")
            await expect(rules.first).to_contain_text(sheet["rules"][:20])
            await expect(rules).to_have_count(sheet["rules"].count("\n\n") + 1)
            await expect(lobby.start).to_be_enabled()
            assert await lobby.options.count() == len(sheet["options"]["properties"]), offer["name"]
            await lobby.start.click()
            await expect(lobby.dialog).to_be_hidden()
            assert sent.pop()["options"] == {}, offer["name"]
            header = lobby.table.match.header
            assert (header.routine.name if header.routine else header.game) == offer["game"]
