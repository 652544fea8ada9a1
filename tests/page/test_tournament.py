"""A tournament on the page: made in a few taps, led with one hand, signed up for on a phone, also without a link."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import pytest_asyncio
import segno
from msgspec.structs import replace
from playwright.async_api import Browser, FilePayload, Locator, Page, ViewportSize, expect

from daemon.assemble import RunningDaemon, run_daemon
from daemon.config.reader import CheckedConfig
from daemon.config.sections import TableConfig
from daemon.table.table import Table
from daemon.web.token import make_setup_token, make_token
from protocol.newton import encode
from tests.commanding import give
from tests.daemon.display import Display
from tests.daemon.evenings import Evening
from tests.daemon.process import eventually
from tests.daemon.test_tournament_files import play_on_tablet
from tests.page.firefox import start_firefox
from tests.page.playing import setup
from tests.page.test_axe import LOOKS, Findings
from tests.png import make_png

JSON = dict[str, Any]  # Any: JSON
EIGHT = ("Ann", "Bo", "Cy", "Dee", "Ed", "Flo", "Gil", "Hal")
PHONE = ViewportSize(width=360, height=640)
TABLET = ViewportSize(width=1024, height=768)
WHOLE = {"do": "set_tables", "tables": [{"name": "Paper 1", "paper": True}]}
_ROOM = """() => ({
  wide: document.documentElement.scrollWidth > innerWidth,
  small: [...document.querySelectorAll("button, summary, select, a, input:not([type=radio], [type=checkbox])")]
    .filter((each) => each.checkVisibility() && each.getBoundingClientRect().height < 43.5)
    .map((each) => each.outerHTML.slice(0, 120)),
})"""
_ASK = """async ([path, body]) => {
  const how = body && { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  return (await fetch(`api/${path}`, how)).json();
}"""

_GIVE_PICTURE = """([name, bytes]) => fetch(`api/players/picture?name=${name}&size=small`,
  { method: "POST", headers: { "Content-Type": "image/png" }, body: new Uint8Array(bytes) }).then(({ ok }) => ok)"""


class Place(NamedTuple):
    """A daemon with two tables, where eight players are known."""

    url: str
    running: RunningDaemon


@pytest_asyncio.fixture(loop_scope="session")
async def place(tmp_path: Path, broker_port: int) -> AsyncIterator[Place]:
    with Evening(tmp_path) as evening:
        for one, other in zip(EIGHT[::2], EIGHT[1::2], strict=True):
            evening.play("T20 S1 D20", options={"start": 101}, players=[one, other])
    async with run_daemon(add_table(setup(tmp_path, broker_port, options={"start": 101}))) as running:
        yield Place(running.page or "", running)


def add_table(checked: CheckedConfig) -> CheckedConfig:
    first = checked.config.table[0]
    second = TableConfig(board=f"{first.board}-2", players=first.players, name="second")
    config = replace(checked.config, table=[replace(first, name="main"), second])
    return replace(checked, config=config, codebooks=checked.codebooks * 2)


async def ask(page: Page, path: str, body: JSON | None = None) -> JSON:
    found: JSON = await page.evaluate(_ASK, [path, body])
    return found


async def make(page: Page, place: Place, *people: str, **spec: Any) -> str:
    """A tournament with these people and a paper table, made over HTTP; the page shows its organiser's view."""
    await page.goto(f"{place.url}tournament")
    about = {"name": "Cup", "kind": "knock_out", "format": {"legs": 2}, **spec}
    name: str = (await ask(page, "tournament", about))["id"]
    for each in ({"do": "enter", "people": [person]} for person in people):
        await ask(page, f"tournament/{name}/do", each)
    await ask(page, f"tournament/{name}/do", WHOLE)
    await page.goto(f"{place.url}tournament#/{name}/organise")
    return name


async def draw(page: Page, name: str) -> JSON:
    """Makes the draw that is proposed; returns the tournament then."""
    await ask(page, f"tournament/{name}/do", await ask(page, f"tournament/{name}/propose", {}))
    return await ask(page, f"tournament/{name}")


async def look(page: Page) -> None:
    found = await page.evaluate(_ROOM)
    assert found == {"wide": False, "small": []}


async def audit(findings: Findings, page: Page, where: str) -> None:
    """Looks at the end of the page: what scrolls below the bar there is no finding."""
    await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    await findings.audit(page, where)


async def wait_for_offer(table: Table) -> None:
    """Until the next start of the table begins a match of a tournament that it has not played."""
    await eventually(lambda: bool(table.committed.plan.ref) and table.state().ref != table.committed.plan.ref)


async def tap(*there: Locator) -> int:
    for each in there:
        await each.click()
    return len(there)


async def test_a_first_match_is_called_in_ten_taps_beside_the_names(browser: Browser, place: Place) -> None:
    page = await browser.new_page(viewport=PHONE)
    await page.goto(place.url)
    taps = await tap(page.get_by_test_id("menu"), page.get_by_test_id("tournaments"))
    await expect(page.get_by_test_id("making-said")).to_be_empty()
    await tap(*(page.get_by_test_id(f"known-{name}") for name in EIGHT))
    await look(page)
    taps += await tap(page.get_by_test_id("draw"))
    await expect(page.get_by_test_id("drawn-3-1")).to_be_visible()
    await look(page)
    taps += await tap(page.get_by_test_id("start"))
    await expect(page.locator("[data-testid=tables] .is-called")).to_have_count(2)
    assert taps <= 10
    await look(page)
    name = page.url.split("/")[-2]
    view = await ask(page, f"tournament/{name}")
    assert sorted(each["name"] for each in view["entrants"]) == sorted(EIGHT)
    assert [each["status"] for each in view["matches"]].count("called") == 2


async def test_two_who_are_tapped_change_places_in_the_draw(page: Page, place: Place) -> None:
    name = await make(page, place, *EIGHT[:4])
    await page.get_by_test_id("need-draw").click()
    first, last = page.get_by_test_id("drawn-0-0"), page.get_by_test_id("drawn-1-1")
    drawn = await first.text_content(), await last.text_content()
    await tap(first, last)
    await expect(first).to_have_text(drawn[1] or "")
    await expect(last).to_have_text(drawn[0] or "")
    await page.get_by_test_id("start").click()
    await expect(page.get_by_test_id("tables")).to_be_visible()
    view = await ask(page, f"tournament/{name}")
    names = {each["id"]: each["name"] for each in view["entrants"]}
    sides = [names[side] for match in view["matches"] if match["round"] == 1 for side in match["sides"] if side > 0]
    assert (sides[0], sides[3]) == (drawn[1], drawn[0])


async def test_who_is_seeded_by_hand_gets_a_number_before_the_draw(browser: Browser, place: Place) -> None:
    page = await browser.new_page(viewport=PHONE)
    name = await make(page, place, *EIGHT[:4], seeding="hand")
    entrants = [each["id"] for each in (await ask(page, f"tournament/{name}"))["entrants"]]
    for entrant, more in ((entrants[3], 0), (entrants[1], 0), (entrants[2], 1), (entrants[0], 0)):
        await page.get_by_test_id(f"entrant-{entrant}").click()
        for _ in range(more):
            await page.get_by_test_id("seed-more").click()
        await look(page)
        await page.get_by_test_id("save-seed").click()
        await expect(page.get_by_test_id("sheet")).to_have_count(0)
    await page.get_by_test_id(f"entrant-{entrants[0]}").click()
    for _ in range(3):
        await page.get_by_test_id("seed-less").click()
    await page.get_by_test_id("save-seed").click()
    await expect(page.get_by_test_id(f"entrant-{entrants[0]}")).to_have_text("Ann")
    await expect(page.get_by_test_id(f"entrant-{entrants[2]}")).to_contain_text("seed 4")
    view = await draw(page, name)
    assert [each["seed"] for each in view["entrants"]] == [None, 2, 4, 1]
    first = [set(each["sides"]) for each in view["matches"] if each["round"] == 1 and each["stage"] != "final"]
    assert first == [{entrants[3], entrants[0]}, {entrants[1], entrants[2]}]


async def test_who_is_seeded_by_average_is_seen_with_it_and_its_darts(page: Page, place: Place) -> None:
    name = await make(page, place, "Ann", "Zoe", seeding="rating")
    one, other = [each["id"] for each in (await ask(page, f"tournament/{name}"))["entrants"]]
    await expect(page.get_by_test_id(f"entrant-{one}")).to_contain_text("(3 darts)")
    await page.get_by_test_id(f"entrant-{one}").click()
    await expect(page.get_by_test_id("rated")).to_have_text("Average of the last 90 days: 101.00 (3 darts)")
    await page.get_by_test_id("sheet-close").click()
    await page.get_by_test_id(f"entrant-{other}").click()
    await expect(page.get_by_test_id("rated")).to_have_text("No average of the last 90 days")


async def test_a_result_is_entered_corrected_and_taken_back(browser: Browser, place: Place) -> None:
    page = await browser.new_page(viewport=PHONE)
    name = await make(page, place, *EIGHT[:4])
    await draw(page, name)
    await page.locator("[data-testid^=need-paper-]").click()
    await look(page)
    await tap(page.get_by_test_id("winner-0").locator(".."), page.get_by_test_id("score-1-more"))
    await expect(page.get_by_test_id("score-0-value")).to_have_text("2")
    await page.get_by_test_id("enter-result").click()
    await expect(page.get_by_test_id("sheet")).to_have_count(0)
    await expect(page.get_by_test_id("undo")).to_contain_text("2:1")
    await expect(page.get_by_test_id("tables")).to_contain_text("keeps the score")
    await page.get_by_test_id("results").locator("summary").click()
    await page.get_by_test_id("results").get_by_role("button").click()
    await page.get_by_test_id("score-1-less").click()
    await page.get_by_test_id("enter-result").click()
    await expect(page.get_by_test_id("results")).to_contain_text("2:0")
    await page.get_by_test_id("undo").click()
    await expect(page.get_by_test_id("results")).to_contain_text("2:1")
    await expect(page.get_by_test_id("redo")).to_contain_text("2:0")


async def test_of_those_that_are_over_the_latest_is_listed_and_the_others_are_folded_away(
    page: Page, place: Place
) -> None:
    for people in (EIGHT[:2], EIGHT[2:4], EIGHT[4:6]):
        name = await make(page, place, *people)
        await ask(page, f"tournament/{name}/do", {"do": "end"})
    await make(page, place)
    await page.goto(f"{place.url}tournament#/")
    await expect(page.get_by_test_id("draw")).to_be_visible()
    assert await page.locator(".tournaments a:visible").count() == 2
    await page.get_by_test_id("old-tournaments").locator("summary").click()
    assert await page.locator(".tournaments a:visible").count() == 4


async def test_two_who_enter_the_same_match_do_not_overwrite_each_other(
    browser: Browser, page: Page, place: Place
) -> None:
    name = await make(page, place, *EIGHT[:2])
    await draw(page, name)
    other = await browser.new_page(viewport=PHONE)
    await other.goto(f"{place.url}tournament#/{name}/organise")
    for winner, each in enumerate((page, other)):
        await each.locator("[data-testid^=need-paper-]").click()
        await each.get_by_test_id("sheet").locator(f"input[value='{winner}']").check()
    await page.get_by_test_id("enter-result").click()
    await expect(page.get_by_test_id("sheet")).to_have_count(0)
    await expect(other.get_by_test_id("summary")).to_contain_text("Winner")
    await other.get_by_test_id("enter-result").click()
    await expect(other.get_by_test_id("sheet-said")).to_contain_text("entered this match meanwhile")
    (match,) = (await ask(page, f"tournament/{name}"))["matches"]
    assert match["winner"] == match["sides"][0]


async def test_a_refusal_is_said_in_the_language_of_the_reader(page: Page, place: Place) -> None:
    name = await make(page, place, *EIGHT[:4])
    view = await draw(page, name)
    for match in view["matches"][:2]:
        one, other = match["sides"]
        result = {"do": "result", "match": match["id"], "sides": [one, other], "winner": one, "legs": [2, 0]}
        await ask(page, f"tournament/{name}/do", result)
    final = (await ask(page, f"tournament/{name}"))["matches"][-1]
    ended = {"do": "result", "match": final["id"], "sides": final["sides"], "winner": final["sides"][0], "legs": [2, 1]}
    await ask(page, f"tournament/{name}/do", ended)
    await page.goto(f"{place.url}tournament?lang=de#/{name}/organise")
    await page.get_by_test_id("results").locator("summary").click()
    await page.get_by_test_id(f"match-{view['matches'][0]['id']}").click()
    await page.get_by_test_id("winner-1").locator("..").click()
    for _ in range(2):
        await page.get_by_test_id("score-0-less").click()
    await page.get_by_test_id("enter-result").click()
    await expect(page.get_by_test_id("sheet-said")).to_have_text(re.compile("begonnen"))


async def test_what_is_tapped_without_a_connection_is_done_once_when_it_is_back(page: Page, place: Place) -> None:
    name = await make(page, place, *EIGHT[:4])
    await expect(page.get_by_test_id("table-Paper 1")).to_be_visible()
    done = asyncio.Event()

    async def lose(route: Any) -> None:  # Any: the answer is lost after the daemon has done it, and then all others
        if route.request.method == "POST" and not done.is_set():
            await route.fetch()
            done.set()
        await route.abort()

    await page.route("**/api/tournament/**", lose)
    await page.get_by_test_id("undo").click()
    await done.wait()
    await expect(page.get_by_test_id("said")).to_contain_text("kept and will be sent")
    await page.get_by_test_id("enter-name").fill("Zoe")
    await page.get_by_test_id("enter").click()
    await expect(page.get_by_test_id("said")).to_contain_text("2 taps are kept")
    await page.unroute("**/api/tournament/**")
    await expect(page.get_by_test_id("people")).to_contain_text("Zoe")
    await expect(page.get_by_test_id("said")).to_be_empty()
    view = await ask(page, f"tournament/{name}")
    assert [each["name"] for each in view["entrants"]] == [*EIGHT[:4], "Zoe"], "it was not taken back twice"
    assert view["tables"] == []


async def test_a_phone_signs_up_by_the_code_and_learns_when_it_plays(
    browser: Browser, page: Page, place: Place
) -> None:
    name = await make(page, place, *EIGHT[:3])
    await page.get_by_test_id("need-code").click()
    link = await page.get_by_test_id("sign-up-code").get_by_role("link").get_attribute("href") or ""
    await page.get_by_test_id("sheet-close").click()
    phone = await browser.new_page(viewport=PHONE)
    await phone.goto(f"{place.url}tournament#{link.partition('#')[2]}")
    await phone.get_by_test_id("name-0").fill("Zoe")
    await look(phone)
    await phone.get_by_test_id("sign-up-ok").click()
    await expect(phone.get_by_test_id("you-are-in")).to_contain_text("has yet to confirm you")
    assert link.rpartition("/")[2] not in phone.url, "the code is read off the screen"
    picture = FilePayload(name="me.png", mimeType="image/png", buffer=make_png(8, 8, 2, bytes(192)))
    await phone.get_by_test_id("picture").set_input_files(picture)  # this phone may also play here
    await expect(phone.get_by_test_id("entered").locator("img.avatar")).to_have_count(1)
    await expect(phone.get_by_test_id("picture")).to_have_count(0)
    await page.locator("[data-testid^=quick-confirm-]").click()
    await expect(phone.get_by_test_id("you-are-in")).to_have_text("Zoe, you are in: number 4")
    await draw(page, name)
    await expect(phone.get_by_test_id("your-next")).to_contain_text("Zoe")
    await phone.reload()
    await expect(phone.get_by_test_id("your-next")).to_contain_text("Zoe")
    await look(phone)


async def test_a_team_of_long_names_signs_up_and_does_not_widen_the_phone(
    browser: Browser, page: Page, place: Place
) -> None:
    slots = [{"home": [at], "away": [at]} for at in (0, 1)]
    name = await make(page, place, slots=slots)
    code = (await ask(page, f"tournament/{name}/links"))["sign_up"]["url"].rpartition("#")[2]
    phone = await browser.new_page(viewport=PHONE)
    await phone.goto(f"{place.url}tournament#{code}")
    for field, long in (("team-name", "W"), ("name-0", "M"), ("name-1", "Q")):
        await phone.get_by_test_id(field).fill(long * 40)
    await look(phone)
    await phone.get_by_test_id("sign-up-ok").click()
    await expect(phone.get_by_test_id("you-are-in")).to_contain_text("W" * 40)
    await look(phone)
    (entrant,) = (await ask(page, f"tournament/{name}"))["entrants"]
    assert (entrant["name"], entrant["people"]) == ("W" * 40, ["M" * 40, "Q" * 40])


async def test_known_players_are_seen_with_their_pictures_beside_their_names(page: Page, place: Place) -> None:
    name = await make(page, place, "ann", "Zoe")
    await page.evaluate(_GIVE_PICTURE, ["Ann", [*make_png(8, 8, 2, bytes(192))]])
    for view, people in (("organise", "people"), ("sign_up", "entered")):
        await page.goto(f"{place.url}tournament#/{name}/{view}")
        await page.reload()
        await expect(page.get_by_test_id(people).locator("img.avatar")).to_have_count(1)
        await expect(page.get_by_test_id(people)).to_contain_text("ann")


async def test_who_is_entered_late_takes_a_bye(page: Page, place: Place) -> None:
    name = await make(page, place, *EIGHT[:3])
    await draw(page, name)
    await page.get_by_test_id("enter-name").fill("Zoe")
    await page.get_by_test_id("enter").click()
    await page.locator("[data-testid^=need-late-]").click()
    await page.locator("[data-testid^=seat-]").click()
    await expect(page.locator("[data-testid^=need-late-]")).to_have_count(0)
    view = await ask(page, f"tournament/{name}")
    late = view["entrants"][-1]["id"]
    assert any(late in match["sides"] for match in view["matches"])


async def test_who_comes_late_where_no_place_is_free_is_drawn_with_all(page: Page, place: Place) -> None:
    name = await make(page, place, *EIGHT[:4])
    await draw(page, name)
    await page.get_by_test_id("enter-name").fill("Zoe")
    await page.get_by_test_id("enter").click()
    await page.locator("[data-testid^=need-late-]").click()
    await page.get_by_test_id("late-redraw").click()
    await expect(page.get_by_test_id("sheet-close")).to_have_count(0)
    await page.get_by_test_id("start").click()
    await expect(page.get_by_test_id("undo")).to_be_visible()
    await expect(page.locator("[data-testid^=need-late-]")).to_have_count(0)
    view = await ask(page, f"tournament/{name}")
    assert any(view["entrants"][-1]["id"] in match["sides"] for match in view["matches"])


async def test_a_match_is_moved_with_who_keeps_its_score_and_a_table_paused(browser: Browser, place: Place) -> None:
    page = await browser.new_page(viewport=PHONE)
    name = await make(page, place, *EIGHT[:6])
    await page.get_by_test_id("add-table").click()
    await look(page)
    await page.get_by_test_id("add-main").click()
    await expect(page.get_by_test_id("table-main")).to_be_visible()
    await page.get_by_test_id("table-main").click()
    await page.get_by_test_id("pause").click()
    await draw(page, name)
    score = page.get_by_test_id("tables").get_by_text("keeps the score")
    await expect(score).to_have_count(1)
    writer = (await score.text_content() or "").split()[0]
    await page.get_by_test_id("at-Paper 1").click()
    await page.get_by_test_id("call-main").click()
    await expect(page.get_by_test_id("table-main").get_by_text(f"{writer} keeps the score")).to_be_visible()
    match = next(each for each in (await ask(page, f"tournament/{name}"))["matches"] if each["table"] == "main")
    assert match["attempt"] == 2
    await expect(score).to_have_count(2)  # the next match has been called where this one was
    for chosen, count in (("nobody", 1), (writer, 2)):
        await page.get_by_test_id("at-main").click()
        choice = page.get_by_test_id("writer")
        assert set(await choice.locator("option").all_text_contents()) == {"nobody", writer}, "all others play or write"
        await look(page)
        await choice.select_option(chosen)
        await expect(score).to_have_count(count)
    await expect(page.get_by_test_id("undo")).to_contain_text("who keeps the score")


async def test_a_table_of_an_older_oche_is_added_as_paper(page: Page, place: Place, broker_port: int) -> None:
    await make(page, place, *EIGHT[:2])
    await page.get_by_test_id("add-table").click()
    await expect(page.get_by_test_id("no-others")).to_be_visible()
    async with Display(broker_port) as display:
        await display.say("oche/bridge/south/info", '{"contract": 1, "tables": ["old"]}')
        await display.say("oche/bridge/south/state", "online")
    await expect(page.get_by_test_id("add-old")).to_have_text("oldon south · older oche: results are entered by hand")
    await expect(page.get_by_test_id("no-others")).to_be_hidden()
    await look(page)
    await page.get_by_test_id("add-old").click()
    await page.get_by_test_id("table-old").click()
    await expect(page.get_by_test_id("sheet")).to_contain_text("free")


async def test_a_table_whose_board_is_away_says_so(page: Page, place: Place) -> None:
    name = await make(page, place, *EIGHT[:2])
    await ask(page, f"tournament/{name}/do", {"do": "set_tables", "tables": [{"name": "second"}]})
    second = page.get_by_test_id("table-second")
    await expect(second).to_have_class(re.compile("is-away"))
    await draw(page, name)
    await expect(second).to_contain_text("called · its board does not answer")
    await expect(page.get_by_test_id("need-board-second")).to_contain_text("or enter the darts by hand")


async def test_the_result_comes_from_the_table(page: Page, place: Place) -> None:
    name = await make(page, place, *EIGHT[:2], options={"start": 101}, format={"legs": 1})
    await ask(page, f"tournament/{name}/do", {"do": "set_tables", "tables": [{"name": "main"}]})
    await draw(page, name)
    await expect(page.get_by_test_id("table-main")).to_have_class(re.compile("is-called"))
    table = place.running.tables["main"]
    await give(table, {"start": True}, "page")
    for dart in ("T20", "S1", "D20"):
        await give(table, {"throw": dart}, "page")
    await expect(page.get_by_test_id("summary")).to_contain_text("Winner")


async def test_what_a_table_says_of_a_match_that_was_moved_is_shown(page: Page, place: Place) -> None:
    name = await make(page, place, *EIGHT[:2], options={"start": 101}, format={"legs": 1})
    await ask(page, f"tournament/{name}/do", {"do": "set_tables", "tables": [{"name": "main"}, {"name": "second"}]})
    await draw(page, name)
    await expect(page.get_by_test_id("table-main")).to_have_class(re.compile("is-called"))
    table = place.running.tables["main"]
    await give(table, {"start": True}, "page")
    await give(table, {"throw": "T20"}, "page")
    await expect(page.get_by_test_id("table-main")).to_have_class(re.compile("is-playing"))
    await page.get_by_test_id("at-main").click()
    await page.get_by_test_id("call-second").click()
    await expect(page.get_by_test_id("sheet")).to_have_count(0)
    for dart in ("S1", "D20"):
        await give(table, {"throw": dart}, "page")
    need = page.locator("[data-testid^=need-outdated-]")
    await expect(need).to_contain_text("after it was called elsewhere or back. That counts nowhere")
    await need.click()
    await expect(page.get_by_test_id("outdated")).to_have_text(await need.inner_text())


async def test_groups_are_not_drawn_before_each_can_have_two(page: Page, place: Place) -> None:
    name = await make(page, place, *EIGHT[:3], kind="groups")
    need = page.get_by_test_id("need-few")
    await expect(need).to_have_text("For the groups one more has to enter")
    await expect(page.get_by_test_id("need-draw")).to_have_count(0)
    await page.goto(f"{place.url}tournament#/{name}/draw")
    await expect(page.get_by_test_id("draw-said")).to_contain_text("the draw needs 2 groups, each of 2 to 32")
    await ask(page, f"tournament/{name}/do", {"do": "enter", "people": ["Dee"]})
    await page.goto(f"{place.url}tournament#/{name}/organise")
    await expect(need).to_have_count(0)
    await expect(page.get_by_test_id("need-draw")).to_be_visible()


async def test_whoever_has_not_the_right_is_told_so(browser: Browser, page: Page, place: Place) -> None:
    name = await make(page, place, *EIGHT[:2])
    await page.goto(f"{place.url}tournament#/nothere1")
    await expect(page.get_by_test_id("said")).to_have_text("There is no tournament with this link.")
    await page.route(f"**/api/tournament/{name}*", look_on)
    await page.goto(f"{place.url}tournament#/{name}/organise")
    await expect(page.get_by_test_id("not-organiser")).to_be_visible()
    await expect(page.get_by_test_id("people")).to_be_hidden()
    await page.unroute_all(behavior="ignoreErrors")


async def look_on(route: Any) -> None:  # Any: as a device with another right is answered
    answer = await route.fetch()
    await route.fulfill(response=answer, json={**await answer.json(), "role": "look"})


@pytest.mark.long
@pytest.mark.parametrize("size", [PHONE, TABLET], ids=["phone", "tablet"])
@pytest.mark.parametrize("look_as", LOOKS)
async def test_making_and_leading_one_is_accessible(
    examined: Page, place: Place, look_as: str, size: ViewportSize
) -> None:
    findings, page = Findings(), examined
    await page.set_viewport_size(size)
    name = await make(page, place, *EIGHT[:4])
    await page.goto(f"{place.url}tournament?{look_as}")
    await page.get_by_test_id("more").locator("summary").first.click()
    await audit(findings, page, "making")
    await page.goto(f"{place.url}tournament?{look_as}#/{name}/draw")
    await page.get_by_test_id("drawn-0-0").click()
    await audit(findings, page, "draw")
    await page.get_by_test_id("start").click()
    await expect(page.locator("[data-testid^=need-paper-]")).to_be_visible()
    await audit(findings, page, "organiser")
    for opens in ("[data-testid^=need-paper-]", "[data-testid^=entrant-]", "[data-testid^=table-]"):
        await page.locator(opens).first.click()
        await findings.audit(page, opens)
        await page.get_by_test_id("sheet-close").click()
    await page.goto(f"{place.url}tournament?{look_as}#/{name}/sign_up")
    await expect(page.get_by_test_id("entered")).to_contain_text("Ann")
    await audit(findings, page, "signing up")
    assert not findings.all, "\n".join(findings.all)


@pytest.mark.long
async def test_a_tournament_is_made_and_led_in_firefox(tmp_path: Path, firefox_path: Path, place: Place) -> None:
    async with start_firefox(firefox_path, tmp_path / "firefox") as firefox:
        await firefox.resize(360, 640)
        await firefox.goto(f"{place.url}tournament")
        for name in EIGHT[:4]:
            await firefox.click(f"known-{name}")
        await firefox.click("draw")
        await firefox.click("drawn-0-0")
        await firefox.click("start")
        await firefox.until("document.querySelectorAll('[data-testid=tables] .is-called').length", 2)
        await firefox.click("at-main")
        await firefox.run("document.querySelector('[data-testid=winner-0]').click()")
        await firefox.click("enter-result")
        await firefox.until("document.querySelector('[data-testid=undo]').textContent.includes('2:0')")
        assert not await firefox.run("document.documentElement.scrollWidth > innerWidth")
        assert not await firefox.problems()


async def put_together(page: Page, place: Place, kind: str, *players: str, side: str = "singles") -> str:
    """A tournament of this kind that is made on the page and drawn; its id."""
    await page.goto(f"{place.url}tournament")
    await page.get_by_test_id(f"kind-{kind}").check(force=True)
    await page.get_by_test_id(f"side-{side}").check(force=True)
    for each in players:
        await page.get_by_test_id("player").fill(each)
        await page.get_by_test_id("add").click()
    await page.get_by_test_id("draw").click()
    await page.get_by_test_id("start").click()
    if side == "drawn":  # the sides are drawn, and then their seats
        await expect(page.get_by_test_id("drawn-1-1")).to_be_visible()
        await page.get_by_test_id("start").click()
    await expect(page.get_by_test_id("tables")).to_be_visible()
    return page.url.split("/")[-2]


async def test_by_keyboard_alone_one_is_made_and_led_and_the_focus_is_never_lost(page: Page, place: Place) -> None:
    """Where what had the focus is gone, it goes on near, or to the title."""

    async def press(there: str, then: str, key: str = "Enter") -> None:
        button = page.get_by_test_id(there)
        await expect(button).to_be_enabled()  # which it is not while another one's answer is awaited
        await button.press(key)
        await expect(page.get_by_test_id(then)).to_be_focused()

    await page.goto(f"{place.url}tournament")
    for name in ("Yan", "Zoe"):
        await page.get_by_test_id("player").press_sequentially(name)
        await page.keyboard.press("Enter")
    await press("draw", "title")
    await press("redraw", "redraw")
    await press("start", "title")
    await press("table-second", "sheet-close")
    await press("pause", "table-second")
    await press("add-table", "sheet-close")
    await page.get_by_test_id("paper-name").fill("Paper")
    await press("add-paper", "add-table")
    opener = await page.locator("[data-testid^=at-]").get_attribute("data-testid") or ""
    await press(opener, "sheet-close")
    await press("score-0-more", "score-0-more")
    await press("score-0-less", "score-0-more")
    await page.get_by_test_id("winner-1").press("Space")
    await page.get_by_test_id("enter-result").press("Enter")
    await expect(page.get_by_test_id("summary")).to_contain_text("Winner: ")
    await expect(page.get_by_test_id("title")).to_be_focused()
    await press("undo", "undo")
    await expect(page.get_by_test_id(opener)).to_be_visible()
    await press("redo", "undo")
    await press("view-bracket", "title")
    await press("tab-winners", "tab-winners")
    row = page.locator("button.side-row").first
    await row.press("Enter")
    await expect(row).to_have_attribute("aria-pressed", "true")
    await expect(row).to_have_accessible_name(re.compile(r"^(Yan|Zoe) \d$"))
    await page.get_by_test_id("unfollow").press("Enter")
    await expect(row).to_be_focused()
    await press("mode", "mode")


@pytest.mark.parametrize("kind", ["double_knock_out", "round_robin", "groups", "swiss"])
async def test_every_kind_is_drawn_and_its_first_match_called(page: Page, place: Place, kind: str) -> None:
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    name = await put_together(page, place, kind, *EIGHT)
    await expect(page.locator("[data-testid=tables] .is-called")).to_have_count(2)
    view = await ask(page, f"tournament/{name}")
    assert (view["spec"]["kind"], problems) == (kind, [])


@pytest.mark.parametrize(
    ("kind", "taps", "formats"),
    [
        ("knock_out", {"legs-last-4": 3, "sets-final": 2}, {"last-4": (3, 1), "final": (2, 2)}),
        ("double_knock_out", {"legs-losers": 1, "legs-final": 4}, {"losers": (1, 1), "final": (4, 1)}),
        ("groups", {"legs-group": 1, "legs-last-8": 3}, {"group": (1, 1), "last-8": (3, 1)}),
        ("swiss", {}, {}),
    ],
)
async def test_rounds_may_be_longer_or_shorter_than_the_others(
    browser: Browser, place: Place, kind: str, taps: dict[str, int], formats: dict[str, tuple[int, int]]
) -> None:
    page = await browser.new_page(viewport=PHONE)
    await page.goto(f"{place.url}tournament")
    await page.get_by_test_id(f"kind-{kind}").check(force=True)
    await page.get_by_test_id("more").locator("summary").first.click()
    for each, kinds in {"group": ["groups"], "losers": ["double_knock_out"], "last-4": ["knock_out", "groups"]}.items():
        await expect(page.get_by_test_id(f"legs-{each}-more")).to_be_visible(visible=kind in kinds)
    for each, times in taps.items():
        for _ in range(times):
            await page.get_by_test_id(f"{each}-more").click()
    await look(page)
    await page.get_by_test_id("open-sign-up").click()
    await expect(page.get_by_test_id("tables")).to_be_visible()
    made = (await ask(page, f"tournament/{page.url.split('/')[-2]}"))["spec"]
    found = {each: (format["legs"], format["sets"]) for each, format in made.get("formats", {}).items()}
    assert found == formats


async def test_pairs_are_drawn_and_then_their_seats(page: Page, place: Place) -> None:
    name = await put_together(page, place, "knock_out", ", ".join(EIGHT), side="drawn")
    view = await ask(page, f"tournament/{name}")
    assert sorted(len(each["members"]) for each in view["entrants"]) == [0, 0, 0, 0, 2, 2, 2, 2]
    await expect(page.locator("[data-testid^=entrant-]")).to_have_count(4)


async def test_teams_meet_one_by_one_and_in_pairs(page: Page, place: Place) -> None:
    name = await put_together(page, place, "knock_out", "Home: Ann, Bo", "Away: Cy, Dee", side="teams")
    await expect(page.locator("[data-testid=tables] .is-called")).to_have_count(2)
    pairs = await page.locator("[data-testid=tables] .pair").all_text_contents()
    assert sorted(pairs) in (["Ann – Cy", "Bo – Dee"], ["Cy – Ann", "Dee – Bo"])
    assert len((await ask(page, f"tournament/{name}"))["matches"]) == 4


async def test_the_next_round_of_a_swiss_tournament_is_asked_for_when_one_is_over(page: Page, place: Place) -> None:
    name = await put_together(page, place, "swiss", *EIGHT[:4])
    await expect(page.get_by_test_id("need-draw")).to_have_count(0)
    for match in (await ask(page, f"tournament/{name}"))["matches"]:
        result = {"match": match["id"], "sides": match["sides"], "winner": match["sides"][0], "legs": [2, 0]}
        await ask(page, f"tournament/{name}/do", {"do": "result", **result})
    await page.get_by_test_id("need-draw").click()
    await page.get_by_test_id("start").click()
    await expect(page.locator("[data-testid=tables] .is-called")).to_have_count(2)
    assert (await ask(page, f"tournament/{name}"))["round"] == 2


async def test_a_ladder_is_climbed_and_an_open_evening_pairs_who_has_not_met(page: Page, place: Place) -> None:
    name = await put_together(page, place, "ladder", *EIGHT[:4])
    order = (await ask(page, f"tournament/{name}"))["ladder"]
    await page.get_by_test_id(f"pair-{order[3]}").click()
    await expect(page.locator("[data-testid^=against-]")).to_have_count(2)
    await page.get_by_test_id(f"against-{order[2]}").click()
    await expect(page.locator("[data-testid=tables] .is-called")).to_have_count(1)

    name = await put_together(page, place, "open", *EIGHT[4:])
    entrants = [each["id"] for each in (await ask(page, f"tournament/{name}"))["entrants"]]
    await page.get_by_test_id(f"pair-{entrants[0]}").click()
    await page.get_by_test_id(f"against-{entrants[1]}").click()
    await expect(page.locator("[data-testid=tables] .is-called")).to_have_count(1)
    match = (await ask(page, f"tournament/{name}"))["matches"][0]
    result = {"match": match["id"], "sides": match["sides"], "winner": entrants[0], "legs": [2, 0]}
    await ask(page, f"tournament/{name}/do", {"do": "result", **result})
    await expect(page.get_by_test_id("results")).to_be_visible()
    await page.get_by_test_id(f"pair-{entrants[0]}").click()
    await expect(page.locator("dialog details [data-testid^=against-]")).to_have_count(1)


async def test_a_tournament_is_saved_as_a_file_and_comes_back_from_it(page: Page, place: Place, tmp_path: Path) -> None:
    name = await make(page, place, *EIGHT[:4])
    await page.get_by_test_id("organise-more").locator("summary").click()
    for button, ending in (("save-results", "csv"), ("save-file", "jsonl")):
        async with page.expect_download() as downloaded:
            await page.get_by_test_id(button).click()
        file = await downloaded.value
        assert file.suggested_filename == f"Cup.{ending}"
        await file.save_as(tmp_path / f"cup.{ending}")
    await page.goto(f"{place.url}tournament")
    await page.locator(".restore summary").click()
    await page.get_by_test_id("restore").set_input_files(tmp_path / "cup.jsonl")
    await expect(page.get_by_test_id("title")).to_have_text("Cup")
    assert page.url.endswith(f"#/{name}")


async def test_a_tablet_with_newton_gives_its_result_as_text_or_as_a_photograph(
    page: Page, place: Place, tmp_path: Path
) -> None:
    name = await make(page, place, "Jürgen", "Zoë", options={"start": 101}, format={"legs": 1})
    await draw(page, name)
    await page.locator("[data-testid^=need-paper-]").click()
    await page.get_by_test_id("newton").locator("summary").click()
    result = encode(play_on_tablet(await page.get_by_test_id("newton-handed").input_value()))
    await page.get_by_test_id("newton-text").fill(result.replace("Zoë", "Zoe"))
    await page.get_by_test_id("newton-read").click()
    await expect(page.get_by_test_id("newton-said")).to_contain_text("arrived with a mistake")
    await page.get_by_test_id("newton-text").fill(result)
    await page.get_by_test_id("newton-text").press("Enter")  # as a hand scanner does after what it types
    await expect(page.get_by_test_id("newton-result")).to_have_text(re.compile("0:1"))

    segno.make(result, error="m", micro=False).save(str(tmp_path / "photo.png"), scale=4)
    await page.get_by_test_id("newton-text").fill("")
    await page.get_by_test_id("newton-found").evaluate("found => found.replaceChildren()")
    await page.get_by_test_id("newton-photo").set_input_files(tmp_path / "photo.png")
    await expect(page.get_by_test_id("newton-result")).to_have_text(re.compile("0:1"))
    assert (await ask(page, f"tournament/{name}"))["winner"] is None, "it is shown only"
    await page.get_by_test_id("newton-accept").click()
    await expect(page.get_by_test_id("summary")).to_contain_text("Winner")


async def test_each_link_lets_a_device_do_what_it_is_for(browser: Browser, tmp_path: Path, broker_port: int) -> None:
    """Where the page needs tokens: that of the players makes none; the organiser's link and the code need no token."""
    player, owner = make_token(tmp_path), make_setup_token(tmp_path)
    async with run_daemon(setup(tmp_path, broker_port, host="0.0.0.0")) as running:
        url = (running.page or "").replace("0.0.0.0", "127.0.0.1")
        page = await (await browser.new_context(viewport=PHONE)).new_page()
        await page.goto(f"{url}tournament#token={player}")
        await page.get_by_test_id("enter-setup").click()
        await page.get_by_test_id("token").fill(owner)
        await page.get_by_test_id("token-ok").click()
        for each in EIGHT[:4]:
            await page.get_by_test_id("player").fill(each)
            await page.get_by_test_id("add").click()
        await page.get_by_test_id("open-sign-up").click()
        await page.get_by_test_id("organise-more").locator("summary").click()
        links = [
            (await page.get_by_test_id(f"link-{each}").get_by_role("link").get_attribute("href") or "").partition("#")[
                2
            ]
            for each in ("organise", "sign-up")
        ]
        helper = await (await browser.new_context(viewport=PHONE)).new_page()
        await helper.goto(f"{url}tournament#{links[0]}")
        await helper.get_by_test_id("enter-name").fill("Zoe")
        await helper.get_by_test_id("enter").click()
        await expect(page.get_by_test_id("people")).to_contain_text("Zoe")
        phone = await (await browser.new_context(viewport=PHONE)).new_page()
        await phone.goto(f"{url}tournament#{links[1]}")
        await phone.get_by_test_id("name-0").fill("Yan")
        await phone.get_by_test_id("sign-up-ok").click()
        await expect(phone.get_by_test_id("you-are-in")).to_contain_text("Yan")
        await helper.locator("[data-testid^=quick-confirm-]").click()
        await expect(phone.get_by_test_id("you-are-in")).to_have_text("Yan, you are in: number 6")
        assert await phone.get_by_test_id("picture").count() == 0, "the code sets no picture of a player"
        assert await page.locator("dialog.token").count() + await phone.locator("dialog.token").count() == 0
        assert await helper.locator("dialog.token").count() == 0


async def test_a_result_that_a_table_takes_back_too_late_is_settled_by_the_organiser(page: Page, place: Place) -> None:
    name = await make(page, place, *EIGHT[:4], options={"start": 101}, format={"legs": 1})
    own = [{"name": each} for each in place.running.tables]
    await ask(page, f"tournament/{name}/do", {"do": "set_tables", "tables": own})
    await draw(page, name)
    for each, table in place.running.tables.items():
        await expect(page.get_by_test_id(f"table-{each}")).to_have_class(re.compile("is-called"))
        await wait_for_offer(table)
        await give(table, {"start": True}, "page")
        for dart in ("T20", "S1", "D20"):
            await give(table, {"throw": dart}, "page")
    await expect(page.get_by_test_id("table-main")).to_contain_text("called")
    main, second = place.running.tables.values()
    await wait_for_offer(main)
    await give(main, {"start": True}, "page")
    await give(main, {"throw": "T20"}, "page")
    await expect(page.get_by_test_id("table-main")).to_contain_text("playing")
    await give(second, {"undo": True}, "page")
    await page.locator("[data-testid^=need-disputed-]").click()
    await expect(page.locator("[data-testid^=take-back-]")).not_to_have_count(0)
    await page.get_by_test_id("settle").click()
    await expect(page.locator("[data-testid^=need-disputed-]")).to_have_count(0)
    assert "disputed" not in [each["status"] for each in (await ask(page, f"tournament/{name}"))["matches"]]
