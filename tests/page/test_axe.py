"""What axe-core (npm) finds that keeps a user out: nothing, on any screen, dark and light, in each language.

It finds no more than half of what there is to find, and nothing that a person would dispute.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, ViewportSize, expect

from tests.page.playing import Playing, playing

pytestmark = pytest.mark.long

LOOKS = [f"theme={theme}&lang={lang}" for theme, lang in itertools.product(("dark", "light"), ("en", "de"))]
VIEWS = {"wall": ViewportSize(width=1280, height=720), "remote": ViewportSize(width=390, height=844)}
AUDIT = """async () => {
  const values = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
  const { violations } = await axe.run(document, { runOnly: { type: "tag", values }, resultTypes: ["violations"] });
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) =>
    `${id}: ${target.join(" ")} – ${failureSummary.split("\\n").slice(1).join(" ").trim()}`));
}"""
FOUNDING = {
    "x01": 16,
    "burma_road": 26,
    "dards": 11,
    "d20_elimination": 18,
    "yatzy_dart": 25,
    "ground_round": 40,
}
"""Far enough into the match for something to be on its sheet."""


class Findings:
    """All that was found, by where."""

    def __init__(self) -> None:
        self.all: list[str] = []

    async def audit(self, page: Page, where: str) -> None:
        """Looks at what is on the page now."""
        found: list[Any] = await page.evaluate(AUDIT)
        self.all += [f"{where}: {each}" for each in found]


async def _open(page: Page, match: Playing, view: str, look: str) -> None:
    """The page in this view and look, with all of the match on it."""
    await page.set_viewport_size(VIEWS[view])
    await page.goto(f"{match.url}?view={view}&{look}")
    await expect(page.get_by_test_id("title")).not_to_have_text("oche")  # which it is until the match is there
    await expect(page.locator("#board [data-segment]").first).to_be_attached()


@pytest.mark.parametrize("game", FOUNDING)
async def test_a_game_is_accessible(examined: Page, match: Playing, game: str) -> None:
    """In the midst of it, and at the next question."""
    findings = Findings()
    await match.start(game, ["Ann", "Bo", "Cy"])
    await match.go_on(FOUNDING[game])
    for where in ("in a visit", "asked"):
        for look, view in itertools.product(LOOKS, VIEWS):
            await _open(examined, match, view, look)
            await findings.audit(examined, f"{game} {where}, {view}, {look}")
        for _ in range(40):
            if not match.state["prompts"]:
                await match.go_on(1)
    assert not findings.all, "\n".join(findings.all)


@pytest.mark.parametrize("look", LOOKS)
async def test_dialogs_and_further_screens_are_accessible(
    tmp_path: Path, examined: Page, broker_port: int, look: str
) -> None:
    """Dialogs, real dice, the end of a match, a seat, the statistics, the story, and a daemon that is gone."""
    findings, page = Findings(), examined
    async with playing(tmp_path, "x01", broker_port) as match:
        for view in VIEWS:
            await match.start("x01", ["Ann", "Bo"])
            await match.throw("T20 T19 S5 / D16")
            await _open(page, match, view, look)
            for button, dialog in (("dart-0", "#correction"), ("menu", "#menu-dialog")):
                await page.get_by_test_id(button).click()
                await expect(page.locator(dialog).first).to_be_visible()
                await findings.audit(page, f"{button}, {view}")
                await page.keyboard.press("Escape")
            await match.say({"stop": True})
            await expect(page.get_by_test_id("winner")).to_be_visible()
            await expect(page.get_by_test_id("summary")).to_be_visible()
            await findings.audit(page, f"result, {view}")
            await page.get_by_test_id("other").click()
            await expect(page.locator("#lobby input[type=radio]:checked").first).to_be_visible()
            search = page.locator("#lobby input[type=search]")  # what scrolls below the bar of a phone is no finding
            await search.evaluate("field => field.scrollIntoView({ block: 'center' })")
            await findings.audit(page, f"lobby, {view}")
            await match.start("d20_elimination", ["Ann", "Bo"], options={"dice": "manual"})
            await _open(page, match, view, look)
            await findings.audit(page, f"real dice, {view}")
            await match.start("dards", ["Ann", "Bo", "Cy"])
            seats = await (await page.request.get(f"{match.url}api/table/main/seats")).json()
            await page.goto(f"{seats[0]['url']}&{look}")
            await expect(page.locator("[data-testid^=hand-]").first).to_be_visible()
            await findings.audit(page, f"seat, {view}")
            for place in ("history", "history?player=Ann"):
                await page.goto(f"{match.url}{place}{'&' if '?' in place else '?'}{look}")
                await expect(page.locator("#players tbody tr, #beds tbody tr").first).to_be_visible()
                await findings.audit(page, f"{place}, {view}")
            await page.goto(f"{match.url}history?rivals=1&player=Ann&other=Bo&{look}")
            await expect(page.get_by_test_id("compared").locator("p").first).to_be_visible()
            await expect(page.get_by_test_id("league-month")).to_be_visible()
            await findings.audit(page, f"rivals, {view}")
            await page.goto(f"{match.url}history?matches=1&{look}")
            await expect(page.get_by_test_id("match-0")).to_be_visible()
            await findings.audit(page, f"matches, {view}")
            await page.goto(f"{match.url}history?players=1&{look}")
            await page.get_by_test_id("profile-0").click()
            await findings.audit(page, f"profiles, {view}")
            await page.goto(f"{match.url}history?matches=1&{look}")
            await page.locator("#matches a").last.click()
            await expect(page.get_by_test_id("now")).to_be_visible()
            await findings.audit(page, f"a match, {view}")
            await page.goto(f"{match.url}story?{look}")
            await expect(page.get_by_test_id("said")).to_be_empty()
            await findings.audit(page, f"story, {view}")
            await page.locator(".matches a").first.click()
            await expect(page.get_by_test_id("said")).to_be_empty()
            await findings.audit(page, f"picture of a match, {view}")
        await _open(page, match, "wall", look)
    await expect(page.locator("#link-warning")).to_be_visible()
    await findings.audit(page, "the daemon is gone")
    assert not findings.all, "\n".join(findings.all)


@pytest.mark.parametrize("view", ["announcer", "tables"])
@pytest.mark.parametrize("look", LOOKS)
async def test_a_page_for_a_stream_is_accessible(examined: Page, match: Playing, look: str, view: str) -> None:
    """With a way out, in a game with a sheet of its own, and at the end; on a desk and on a phone."""
    findings = Findings()
    for start, darts in (
        ({"game": "301"}, "T20 T20 T20 / S5 /"),
        ({"game": "cricket"}, "T20 T19 S5 / T18"),
        (
            {"game": "101"},
            "T20 S1 D20",
        ),
    ):
        await match.say({"start": {**start, "players": ["Ann", "Bo"]}})
        await match.throw(darts)
        for size in VIEWS.values():
            await examined.set_viewport_size(size)
            await examined.goto(f"{match.url}?view={view}&{look}")
            await expect(examined.locator("article").first).to_contain_text("Ann")
            await findings.audit(examined, f"{view}, {start}, {size}, {look}")
    assert not findings.all, "\n".join(findings.all)
