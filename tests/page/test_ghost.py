"""A match against a recorded leg in a real browser: from the card or the match to the lobby, and played."""

from __future__ import annotations

from pathlib import Path

from playwright.async_api import Page, expect

from daemon.assemble import run_daemon
from tests.daemon.evenings import Evening
from tests.page.playing import setup

LEGS = "T20 S1 D20 / S20 S20 S20 / T20 S1 MISS / S1 S1 S1 / D20"


async def test_a_leg_is_played_against(page: Page, tmp_path: Path, unused_tcp_port: int) -> None:
    with Evening(tmp_path) as evening:
        match = evening.play(LEGS, players=["Kim", "Bo"], options={"start": 101}, format={"legs": 2})
        evening.throw(2, day=1, game="cricket", players=["Ann", "Cy"])
    async with run_daemon(setup(tmp_path, unused_tcp_port)) as running:
        table, lobby = running.tables["main"], page.get_by_test_id("lobby")
        await page.goto(f"{running.page}history?player=Kim")
        await page.get_by_test_id("ghost").click()
        await expect(lobby.locator("li b")).to_have_text(["Kim", "Bot"])
        await expect(lobby.get_by_label("Name of the bot")).to_have_value("Kim (3 darts)")
        await expect(page).to_have_url(running.page or "")

        await page.goto(f"{running.page}history?match={match}")
        await expect(page.get_by_test_id("ghost")).to_have_text(["1. 3 darts", "2. 4 darts", "2. 6 darts"])
        await page.get_by_test_id("ghost").nth(1).click()
        await lobby.get_by_label("Seconds the bot takes per dart").fill("0.1")
        await lobby.get_by_role("button", name="Remove Kim", exact=True).click()
        await lobby.get_by_label("Name", exact=True).fill("Dee")
        await lobby.get_by_role("button", name="Add", exact=True).click()
        await lobby.locator("button.go").click()
        await expect(lobby).to_be_hidden()
        await expect(page.get_by_role("log")).to_contain_text("Dee to throw")
        assert [side.name for side in table.state().sides] == ["Kim (4 darts)", "Dee"]
        await page.get_by_test_id("next").click()
        await expect(page.get_by_test_id("summary")).to_contain_text("Kim (4 darts)")

        await page.get_by_test_id("other").click()
        await expect(lobby.get_by_label("Name of the bot")).to_have_value("Kim (4 darts)")
        await lobby.locator("button.go").click()
        await expect(lobby).to_be_hidden()
        assert [ghost and ghost.player for ghost in table.match.header.ghosts or ()] == [None, "Kim"]

        await page.goto(f"{running.page}?lobby=1&ghost=gone&player=Kim")
        await expect(page.locator("#toast")).to_have_text("There is no finished match with this link.")


async def test_a_bot_throws_like_a_player(page: Page, tmp_path: Path, unused_tcp_port: int) -> None:
    """Offered are those of whom a board has measured enough darts: Bo has thrown too few."""
    with Evening(tmp_path) as evening:
        for seed in range(8):
            evening.throw(seed, 20.0, day=seed, off=(-60, 20), players=["Ann"])
        evening.throw(8, 20.0, day=8, stop_after=9, off=(0, 0), players=["Bo"])
    async with run_daemon(setup(tmp_path, unused_tcp_port)) as running:
        table, lobby = running.tables["main"], page.get_by_test_id("lobby")
        await page.set_viewport_size({"width": 390, "height": 844})
        await page.goto(f"{running.page}?lobby=1")
        await lobby.get_by_role("button", name="Add a bot", exact=True).click()
        plays, level = lobby.get_by_test_id("plays"), lobby.get_by_label("Level of the bot, 20 to 110")
        await expect(plays.locator("option")).to_have_text(["Throws by its level", "Throws like Ann"])
        await level.fill("7")
        await plays.select_option("Throws like Ann")
        await expect(level).to_be_hidden()
        await lobby.get_by_label("Seconds the bot takes per dart").fill("0.1")
        await lobby.get_by_role("button", name="Remove Bo", exact=True).click()
        await lobby.locator("button.go").click()
        await expect(lobby).to_be_hidden()
        assert [side.name for side in table.state().sides] == ["Bot Ann"]
        assert table.match.header.tempo_s(0) == 0.1
        assert (model := table.match.header.model(0)) is not None
        assert model.deviation_mm is not None
        await page.goto(f"{running.page}?lobby=1")
        await expect(plays).to_have_value("Ann")
        await expect(level).to_be_hidden()
