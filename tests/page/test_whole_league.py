"""The statistics of a league in a browser: on the page of a daemon, and on the pages of the league itself."""

from __future__ import annotations

import asyncio
import itertools
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from msgspec.structs import replace
from playwright.async_api import Page, expect

from daemon.assemble import run_daemon
from daemon.collect.seasons import add_season, enter, read_season
from daemon.config.sections import League
from protocol.season import Deduct, EnterResult, Postpone
from tests.daemon.evenings import Evening
from tests.engine.league.seasons import make_season
from tests.league.conftest import league_database, postgres
from tests.league.pages import CROWN, configure_league, fill_league, make_token, serve_league
from tests.league.postgres import Postgres
from tests.league.sending import connect
from tests.page.playing import setup
from tests.page.test_axe import LOOKS, VIEWS, Findings

__all__ = ["league_database", "postgres"]


async def list_names(page: Page, *names: str) -> None:
    """Waits until these players are listed, and no others."""
    await expect(page.locator("#players tbody th a")).to_have_text([*names])


async def test_this_board_and_the_whole_league(
    page: Page, tmp_path: Path, unused_tcp_port: int, postgres: Postgres, league_database: str
) -> None:
    await asyncio.to_thread(fill_league, tmp_path, postgres, league_database)
    config = configure_league(tmp_path, postgres, league_database)
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    (tmp_path / "token").write_text(await make_token(config, "north"), encoding="utf-8")
    with Evening(tmp_path / "own") as evening:
        for day in range(2):
            evening.throw(day, day=day, players=["Fay", "Gil"])
    async with AsyncExitStack() as league, AsyncExitStack() as stack:
        address = await league.enter_async_context(serve_league(config))
        checked = setup(tmp_path / "own", unused_tcp_port)
        asks = League(on=True, url=address, token_file=str(tmp_path / "token"))
        running = await stack.enter_async_context(
            run_daemon(replace(checked, config=replace(checked.config, league=asks)))
        )
        await page.goto(f"{running.page}history")
        await list_names(page, "Fay", "Gil")
        await page.get_by_test_id("whole-league").click()
        await list_names(page, "Ann", "Bo", "Cy", "Di")
        await expect(page.get_by_test_id("league-name")).to_have_text("County")
        await page.get_by_test_id("league-place").select_option(CROWN)
        await page.get_by_test_id("league-show").click()
        await list_names(page, "Cy", "Di")
        await page.get_by_test_id("player-0").click()
        await expect(page.get_by_test_id("card")).to_contain_text("501 · 1 match")
        await expect(page.get_by_test_id("edit-profile")).to_have_count(0)
        await page.get_by_test_id("list").click()
        await page.locator("#matches a").click()
        await expect(page.get_by_test_id("step-on")).to_be_visible()
        await expect(page.get_by_test_id("ghost")).to_have_count(0)
        await page.get_by_test_id("rivalry").click()
        await expect(page.get_by_test_id("rival-0").locator("option")).to_have_text(["–", "Cy", "Di"])
        await page.get_by_test_id("all").click()
        await list_names(page, "Cy", "Di")
        await league.aclose()
        await page.reload()
        await expect(page.get_by_test_id("league-said")).to_contain_text("This is what it said on")
        await list_names(page, "Cy", "Di")
        await page.get_by_test_id("league-game").select_option("501")
        await page.get_by_test_id("league-show").click()
        await expect(page.get_by_test_id("league-said")).to_contain_text(
            "these are the matches of this board alone", ignore_case=True
        )
        await list_names(page, "Fay", "Gil")
        await page.get_by_test_id("this-board").click()
        await list_names(page, "Fay", "Gil")
        await expect(page.get_by_test_id("league-said")).to_be_hidden()
    assert not problems


async def test_a_season_is_shown_on_a_daemon_and_on_the_pages_of_the_league(
    page: Page, tmp_path: Path, unused_tcp_port: int, postgres: Postgres, league_database: str
) -> None:
    await asyncio.to_thread(fill_league, tmp_path, postgres, league_database)
    spec = make_season("Ann", "Bo", "Cy", days=tuple(f"2026-10-0{day}" for day in range(1, 7)), promoted=1)
    with connect(postgres, league_database) as db:
        add_season(db, spec)
        first, second, *_ = (each.id for each in read_season(db, spec.id).divisions[0].fixtures)
        for given in (EnterResult(first, (3, 1)), Postpone(second, "2026-11-02"), Deduct("Cy", 2)):
            enter(db, spec.id, given)
    config = configure_league(tmp_path, postgres, league_database, public=True)
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    async with serve_league(config) as address:
        checked = setup(tmp_path / "own", unused_tcp_port)
        asks = League(on=True, url=address)
        async with run_daemon(replace(checked, config=replace(checked.config, league=asks))) as running:
            for start in (f"{running.page}history?league=1", f"{address}history"):
                await page.goto(start)
                await page.get_by_test_id("season-autumn").click()
                await expect(page.locator("#title")).to_have_text("Autumn")
                rows = page.get_by_test_id("division").locator("table").first.locator("tbody tr")
                await expect(rows).to_have_count(3)
                await expect(rows.first).to_contain_text("1. Bo")
                await expect(rows.first).to_contain_text("goes up")
                await expect(rows.last).to_contain_text("2 deducted")
                await expect(page.locator("#season")).to_contain_text("Match day 1 · Oct 1, 2026 · Ann rests")
                await expect(page.locator("#season")).to_contain_text("postponed: Nov 2, 2026")
                await page.get_by_test_id("season-statistics").click()
                await list_names(page, "Ann", "Bo", "Cy", "Di")
                await expect(page.get_by_test_id("league-season")).to_have_value("autumn")
    assert not problems


async def test_the_pages_of_a_league_ask_for_a_token(
    page: Page, tmp_path: Path, postgres: Postgres, league_database: str
) -> None:
    await asyncio.to_thread(fill_league, tmp_path, postgres, league_database)
    config = configure_league(tmp_path, postgres, league_database)
    token = await make_token(config, "club", is_viewer=True)
    async with serve_league(config) as address:
        await page.goto(address)
        await page.get_by_test_id("token").fill(token)
        await page.get_by_test_id("token-ok").click()
        await list_names(page, "Ann", "Bo", "Cy", "Di")
        for gone in ("back", "who", "evening"):
            await expect(page.locator(f"#{gone}")).to_have_count(0)
        await page.get_by_test_id("league-place").select_option(CROWN)
        await page.get_by_test_id("league-show").click()
        await list_names(page, "Cy", "Di")
        await page.get_by_test_id("rivalry").click()
        await expect(page.get_by_test_id("rival-0").locator("option")).to_have_text(["–", "Cy", "Di"])
        await page.get_by_test_id("list").click()
        await page.locator("#matches a").click()
        await expect(page.get_by_test_id("step-on")).to_be_visible()


@pytest.mark.long
async def test_the_pages_of_a_league_are_accessible(
    examined: Page, tmp_path: Path, postgres: Postgres, league_database: str
) -> None:
    await asyncio.to_thread(fill_league, tmp_path, postgres, league_database)
    findings = Findings()
    async with serve_league(configure_league(tmp_path, postgres, league_database, public=True)) as address:
        for look, (view, size) in itertools.product(LOOKS, VIEWS.items()):
            await examined.set_viewport_size(size)
            await examined.goto(f"{address}history?{look}")
            await expect(examined.get_by_test_id("league-show")).to_be_visible()
            await findings.audit(examined, f"{view}, {look}")
    assert not findings.all, "\n".join(findings.all)
