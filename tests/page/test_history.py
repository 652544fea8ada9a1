"""The statistics in a real browser: journals of real matches, and what people read of them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Page, Route, expect

from daemon.admin.history import statistics
from daemon.assemble import run_daemon
from engine.badges import BADGES
from tests.daemon.evenings import Evening, copy_matches
from tests.page.playing import setup
from tests.sweep import sweep

MARKUP = "<b onclick=x>Cy</b>"
KILL_BULL = "DB DB DB / DB"
VISITS = ["60+", "100+", "140+", "170+", "180"]


@asynccontextmanager
async def after_an_evening(folder: Path, port: int) -> AsyncIterator[str]:
    """The address of a daemon at whose table people played, and stopped one match."""
    with Evening(folder) as evening:
        for seed in range(4):
            evening.throw(seed, 20, day=seed * 20, players=["Ann", MARKUP])
        evening.throw(4, 20, day=90, game="burma_road", players=["Ann", "Bo"])
        evening.play("T20 MISS MISS /", {"stop": True}, day=1, players=["Cy"], options={"start": 170})
        evening.play("T20 T20 MISS /", {"stop": True}, day=2, players=["Cy"], game="checkout_170")
        evening.play("D1 D1 MISS /", {"stop": True}, day=3, players=["Cy"], game="bobs_27")
        for day, misses in ((10, 3), (50, 0), (51, 1)):  # the fewest darts are the best
            evening.play("MISS MISS MISS / " * misses + KILL_BULL, day=day, players=["Cy"], game="kill_bull")
        evening.play("T20 T20 T20 / S1 S1 S1 /", {"stop": True}, day=91, players=["Ann", "=Bo"])
    with Evening(folder, "camera") as evening:
        for seed in range(2):
            evening.throw(seed, 20, day=-seed, off=(0, 0), players=["Ann"], options={"start": 1001})
        evening.play("T20 T20 T20 /", {"stop": True}, day=-9, players=["Ann"], options={"start": 1001})
    async with run_daemon(setup(folder, port)) as running:
        yield running.page or ""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def address(
    tmp_path_factory: pytest.TempPathFactory, unused_tcp_port_factory: Callable[[], int]
) -> AsyncIterator[str]:
    """One for all who only look."""
    async with after_an_evening(tmp_path_factory.mktemp("evening"), unused_tcp_port_factory()) as address:
        yield address


async def test_from_the_scoreboard_to_a_player_and_back(page: Page, address: str) -> None:
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    await page.goto(address)
    await page.get_by_test_id("menu").click()
    await page.get_by_test_id("history").click()
    await expect(page.get_by_test_id("player-0")).to_have_text("Ann")
    await expect(page.locator("#players tbody tr")).to_have_count(5)
    await page.get_by_test_id("player-0").click()
    await expect(page.get_by_test_id("title")).to_have_text("Ann")
    await expect(page.get_by_test_id("card")).to_contain_text("501 · 5 matches")
    await expect(page.get_by_test_id("card")).to_contain_text("1 stopped")
    await expect(page.get_by_test_id("3-dart average")).to_be_visible()
    await expect(page.locator("#line circle")).to_have_count(4)  # what was stopped is not on it
    await expect(page.locator("#line polyline")).to_have_count(1)
    assert "over 4 matches" in (await page.locator("#line").get_attribute("aria-label") or "")
    labels = await page.locator("#figures dt").all_text_contents()
    visits = [label for label in labels if label in VISITS]
    assert len(visits) > 1
    assert visits == sorted(visits, key=VISITS.index)
    await page.get_by_role("link", name="Burma Road").click()
    await expect(page.get_by_test_id("card")).to_contain_text("Burma Road · 1 match,")
    await page.get_by_test_id("back").click()
    await expect(page.get_by_test_id("score-0")).to_have_text("321")
    assert not problems


async def test_the_card_has_the_badges_and_what_the_next_ones_need(page: Page, address: str) -> None:
    await page.goto(f"{address}history?player=Cy&game=kill_bull")
    badges = page.locator("#badges")
    await expect(
        badges.locator(".earned [data-testid=badge-personal_bests]").get_by_role("img", name="bronze")
    ).to_be_visible()
    await expect(badges.get_by_test_id("badge-personal_bests")).to_contain_text(
        "Beat your best result in a practice game."
    )
    await expect(badges.get_by_test_id("badge-bullseyes").get_by_role("progressbar")).to_have_attribute("value", "12")
    await expect(badges.get_by_test_id("badge-white_horse")).to_be_hidden()
    await badges.locator("summary").click()
    await expect(badges.get_by_test_id("badge-white_horse")).to_be_visible()
    await expect(badges.locator("li")).to_have_count(len(BADGES))
    await badges.get_by_test_id("badge-personal_bests").get_by_role("link").click()
    await expect(page.get_by_test_id("title")).to_contain_text("Kill Bull")


async def test_where_the_darts_landed_is_drawn_and_told_where_a_board_has_measured_it(page: Page, address: str) -> None:
    for language, told in (
        ("en", r"Darts at T20: .+, spread \d+ mm \(from \d+ darts\)"),
        ("de", "Darts auf T20: .+ mm"),
    ):
        await page.goto(f"{address}history?player=Ann&game=1001&lang={language}")
        points = page.get_by_test_id("points")
        await expect(points.get_by_text(re.compile(told))).to_be_visible()
        await expect(points.get_by_text(re.compile("Two darts of a visit|Zwei Darts einer Aufnahme"))).to_be_visible()
        assert await page.locator("svg.landed .marks rect").count() > 20
    await expect(page.locator("#map .area").first).to_be_visible()  # the stopped match has no points
    await page.goto(f"{address}history?player=Cy&game=bobs_27")
    await expect(page.locator("#map .area").first).to_be_visible()
    await expect(page.get_by_test_id("points")).to_have_count(0)


@pytest.mark.long
async def test_games_of_one_name_are_told_apart(page: Page, address: str) -> None:
    await page.goto(f"{address}history?player=Cy")
    for game, average in (("170 · x01 (start 170)", "60.00"), ("170", "120.00")):
        await page.get_by_role("link", name=game, exact=True).click()
        await expect(page.locator("#card .person span").last).to_have_text(f"{game} · 1 match, 0 won, 1 stopped")
        await expect(page.get_by_test_id("3-dart average")).to_have_text(average)
        await expect(page.locator("#games [aria-current]")).to_have_text(game)
    await page.get_by_role("link", name="Bob's 27").click()
    await expect(page.get_by_test_id("Doubles")).to_have_text("D1: 2 of 3")


@pytest.mark.long
async def test_who_hears_the_page_is_told_what_each_number_is(page: Page, address: str) -> None:
    for path, names in (
        ("history", ["All players"]),
        ("history?player=Ann", ["Average by match", "Where the darts landed"]),
    ):
        await page.goto(f"{address}{path}")
        for name in names:
            table = page.get_by_role("table", name=name)
            await expect(table.get_by_role("row")).not_to_have_count(0)
            rows, cells = await table.locator("tbody tr").count(), table.locator("tbody tr:first-child > *")
            await expect(table.get_by_role("rowheader")).to_have_count(rows)
            heads = await table.get_by_role("columnheader").all_text_contents()
            assert len(heads) == await cells.count()
            assert all(heads)
    await expect(page.get_by_role("img", name="triple 20")).to_have_text("T20")
    assert await page.locator("[aria-label]:is(span, p, div):not([role])").count() == 0


@pytest.mark.long
async def test_while_the_matches_are_read_it_says_so(
    page: Page, tmp_path: Path, unused_tcp_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(statistics, "_PATIENCE_S", 0.02)
    async with after_an_evening(tmp_path, unused_tcp_port) as address:
        copy_matches(tmp_path / "main.sqlite3", 4000)
        await page.goto(f"{address}history")
        await expect(page.get_by_test_id("said")).to_contain_text("Reading matches: ")
        await expect(page.get_by_test_id("player-0")).to_have_text("Ann")
        await expect(page.get_by_test_id("said")).to_have_text("")


async def test_it_says_that_it_reads_the_matches_and_that_nobody_answers(page: Page, address: str) -> None:
    asked, said = asyncio.Event(), page.get_by_test_id("said")

    async def fail(route: Route) -> None:
        await asked.wait()
        await route.abort()

    await page.route("**/api/stats?*", fail)
    await page.goto(f"{address}history?lang=de")
    await expect(said).to_have_text("Die Matches werden gelesen …")
    asked.set()
    await expect(said).to_contain_text("oche antwortet nicht.")
    await page.unroute("**/api/stats?*")
    await expect(page.get_by_test_id("player-0")).to_have_text("Ann")
    await expect(said).to_have_text("")


async def test_the_doubles_are_coloured_by_how_often_they_were_hit(page: Page, address: str) -> None:
    await page.goto(f"{address}history?player=Cy&game=bobs_27")
    rated = page.locator("#doubles .rated")
    await expect(rated).to_have_count(1)
    await expect(rated).to_have_attribute("data-segment", "D1")
    await expect(rated.locator("title")).to_have_text("D1: 2 of 3")
    await page.goto(f"{address}history?player=%3DBo")
    await expect(page.get_by_test_id("only-bed")).to_be_visible()
    await expect(page.get_by_test_id("doubles")).to_be_hidden()


async def test_the_results_of_an_exercise_are_plotted_with_the_better_ones_above(page: Page, address: str) -> None:
    table = page.get_by_role("table", name="Ergebnisse")
    for language, title, best in (
        ("en", "Results: lower is better", "best"),
        ("de", "Ergebnisse: niedriger ist besser", "bestes"),
    ):
        await page.set_viewport_size({"width": 390, "height": 844})
        await page.goto(f"{address}history?player=Cy&game=kill_bull&lang={language}")
        rows = page.get_by_role("table", name=title).locator("tbody tr")
        await expect(rows).to_have_count(3)
        await expect(rows.nth(1).locator("td").nth(1)).to_have_text(best)
        dots = page.locator("#results circle")
        heights = [float(await dots.nth(place).get_attribute("cy") or "nan") for place in range(3)]
        assert heights[1] < heights[2] < heights[0]
        await expect(page.locator("#results circle.best")).to_have_count(1)
        await expect(page.get_by_test_id("trend")).to_be_hidden()  # one line is enough
        assert await page.evaluate("document.documentElement.scrollWidth") <= 390
    await expect(page.get_by_role("img", name="Ergebnisse: 3. Das erste")).to_be_visible()
    await table.get_by_role("link").nth(1).click()
    await expect(page.get_by_test_id("title")).to_contain_text("Kill Bull")


@pytest.mark.long
async def test_the_beds_are_hot_on_the_board_and_numbers_beside_it(page: Page, address: str) -> None:
    await page.goto(f"{address}history?player=Cy&game=kill_bull")
    await expect(page.locator("#beds tbody tr")).to_have_count(2)
    await expect(page.locator("#beds tbody tr").first.get_by_role("img")).to_have_text("Bull")
    await expect(page.locator("#beds tbody tr").first).to_contain_text("%")
    await page.goto(f"{address}history?player=%3DBo")
    await expect(page.get_by_test_id("only-bed")).to_have_text("All landed in single 1: 3 darts.")
    await expect(page.locator("#beds")).to_be_hidden()
    for bed in ("I1", "O1"):
        area = page.locator(f"#map [data-segment={bed}]")
        await expect(area).to_have_css("--heat", "1")
    await expect(page.locator("#map [data-segment=T20]")).to_have_css("--heat", "")


@pytest.mark.long
async def test_who_has_not_played_is_told(page: Page, address: str) -> None:
    await page.goto(f"{address}history?player=Nobody")
    await expect(page.get_by_test_id("said")).to_have_text("This player has not finished a match yet.")
    await expect(page.get_by_test_id("empty")).to_contain_text("play a match to its end")


async def test_a_player_is_a_card_that_explains_its_figures(page: Page, address: str) -> None:
    await page.goto(f"{address}history?player=Ann")
    card = page.get_by_test_id("card")
    await expect(card.locator(".avatar")).to_have_text("A")
    await expect(card.locator(".main dt")).to_have_text("3-dart average")
    for label in ("Best leg", "High finish", "Matches won"):
        await expect(card.get_by_text(label, exact=True)).to_be_visible()
    for label, about in (
        ("PPD", "points per dart"),
        ("Up to 80 %", "80 % of the leg"),
        ("Level, 1 to 18", "18 is best"),
    ):
        figure = page.locator("#figures div", has=page.get_by_test_id(label))
        await expect(figure.locator(".about")).to_contain_text(about)
    await expect(page.locator("#figures").get_by_text("Best leg", exact=True)).to_have_count(0)  # once is enough
    await expect(page.get_by_test_id("doubles")).to_be_visible()
    await expect(page.get_by_test_id("way")).to_have_count(0)  # four matches show no trend
    await page.goto(f"{address}history?player=Cy&game=kill_bull")
    await expect(card.locator(".main dd").first).to_have_text("4")
    await expect(card.locator(".main")).to_contain_text("Best result")


async def test_a_tap_on_a_heading_orders_the_players(page: Page, address: str) -> None:
    await page.goto(f"{address}history")
    names = page.locator("#players tbody a")
    await expect(names).to_have_count(5)
    darts = [int(text) for text in await page.locator("#players tbody td:nth-child(5)").all_text_contents()]
    assert darts != sorted(darts)
    heading = page.get_by_role("columnheader", name="Darts")
    for order, wanted in (("descending", sorted(darts, reverse=True)), ("ascending", sorted(darts))):
        await heading.get_by_role("button").press("Enter")
        await expect(heading).to_have_attribute("aria-sort", order)
        assert [
            int(text) for text in await page.locator("#players tbody td:nth-child(5)").all_text_contents()
        ] == wanted
    await page.get_by_role("button", name="Player").click()
    await expect(page.locator("[aria-sort]")).to_have_count(1)
    assert await names.all_text_contents() == [MARKUP, "=Bo", "Ann", "Bo", "Cy"]


async def test_before_the_first_match_it_says_what_will_be_there_and_leads_to_it(
    page: Page, tmp_path: Path, unused_tcp_port: int
) -> None:
    async with run_daemon(setup(tmp_path, unused_tcp_port)) as running:
        for path in ("history", "history?matches=1"):
            await page.goto(f"{running.page}{path}")
            await expect(page.get_by_test_id("said")).to_have_text("No match has been finished yet.")
            await expect(page.get_by_test_id("empty")).to_contain_text("your average, and whether it rises")
        await page.get_by_test_id("play-first").click()
        await expect(page.locator("#lobby")).to_be_visible()
        await page.goto(f"{running.page}history?lang=de")
        await expect(page.get_by_test_id("play-first")).to_have_text("Das erste Match spielen")


@pytest.mark.parametrize(
    ("width", "height"), sweep([(390, 844), (800, 480), (1920, 1080)], lambda size: size[0] == 390)
)
async def test_it_fits_in_width(page: Page, address: str, width: int, height: int) -> None:
    await page.set_viewport_size({"width": width, "height": height})
    for path in ("history", "history?player=Ann"):
        await page.goto(f"{address}{path}")
        await expect(page.locator("#players tbody tr, #beds tbody tr").first).to_be_visible()
        assert await page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("name", ["W" * 24, "W" * 40])
async def test_the_longest_names_fit_on_a_phone(page: Page, tmp_path: Path, unused_tcp_port: int, name: str) -> None:
    await page.set_viewport_size({"width": 360, "height": 640})
    with Evening(tmp_path) as evening:
        match = evening.play("T20 S1 D20", players=[name, "M" * 40], options={"start": 101})
    async with run_daemon(setup(tmp_path, unused_tcp_port)) as running:
        for query, shown in (
            ("", "players"),
            (f"player={name}", "card"),
            ("matches=1", "matches"),
            (f"match={match}", "match"),
            ("rivals=1", "rivals"),
            ("players=1", "profiles"),
        ):
            await page.goto(f"{running.page}history?{query}")
            await expect(page.locator(f"#{shown}")).to_contain_text(name[:24])
            assert await page.evaluate("document.documentElement.scrollWidth") == 360, query


async def test_of_totals_there_are_figures_and_no_beds(page: Page, tmp_path: Path, unused_tcp_port: int) -> None:
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    with Evening(tmp_path) as evening:
        evening.play({"total": 180}, {"next": True}, {"total": 121}, players=["Ann"], options={"start": 301})
    async with run_daemon(setup(tmp_path, unused_tcp_port)) as running:
        await page.goto(f"{running.page}history")  # whose only player is shown at once
        await expect(page.get_by_test_id("3-dart average")).to_have_text("150.50")
        await expect(page.locator("#trend")).to_be_hidden()
        await expect(page.locator("#heat")).to_be_hidden()
        await page.goto(f"{running.page}history?matches=1")
        await expect(page.locator("#matches table")).to_have_count(0)
        await page.get_by_test_id("match-0").click()
        await page.get_by_test_id("step").press("End")
        await expect(page.get_by_test_id("now")).to_contain_text("Ann: Total = 121")
    assert not problems
