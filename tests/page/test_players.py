"""The players in a real browser: what they say of themselves is kept and shown, and names are changed by who may."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio
from playwright.async_api import Browser, FilePayload, Page, expect

from daemon.admin.players.book import MOST_PICTURE_BYTES, PlayerBook
from daemon.assemble import RunningDaemon, run_daemon
from daemon.web.token import make_setup_token, make_token
from tests.commanding import give
from tests.daemon.evenings import Evening
from tests.page.playing import setup
from tests.png import make_png

MARKUP = "<b onclick=x>Cy</b>"


@pytest_asyncio.fixture(loop_scope="session")
async def after(tmp_path: Path, unused_tcp_port: int) -> AsyncIterator[RunningDaemon]:
    """Ann, who was written Anna once, has played with two others; the page asks for tokens."""
    with Evening(tmp_path) as evening:
        evening.play("T20 S1 D20", players=["Ann", MARKUP], options={"start": 101})
        evening.play("T20 S1 D20", day=1, players=["Anna", "Di"], options={"start": 101})
    async with run_daemon(setup(tmp_path, unused_tcp_port, host="0.0.0.0")) as running:
        yield running


NOISE = bytes((x * 73 * y + x * x) % 251 for y in range(700) for x in range(3 * 900))
"""The pixels of a picture that is large however it is packed."""


def address(running: RunningDaemon, token: str, path: str = "") -> str:
    return f"{(running.page or '').replace('0.0.0.0', '127.0.0.1')}{path}#token={token}"


async def open_profiles(page: Page, running: RunningDaemon, token: str) -> None:
    await page.goto(address(running, token))
    await expect(page.get_by_test_id("title")).to_have_text("101")
    await page.goto(address(running, token, "history?players=1"))
    await expect(page.locator("#profiles summary b").first).to_be_visible()


async def test_a_player_says_more(browser: Browser, after: RunningDaemon, tmp_path: Path) -> None:
    page = await browser.new_page(viewport={"width": 390, "height": 844})
    await open_profiles(page, after, make_token(tmp_path))
    await page.locator("#profiles summary", has_text="Di").click()
    assert await page.get_by_test_id("forget").count() == 0, "this token changes no names"
    await page.get_by_test_id("picture").set_input_files(
        FilePayload(name="me.png", mimeType="image/png", buffer=make_png(900, 700, 2, NOISE))
    )
    await expect(page.locator("#profiles img.avatar").first).to_have_js_property("naturalWidth", 128)
    (di,) = PlayerBook(tmp_path).list_players()
    _, content = PlayerBook(tmp_path).read_picture(di.picture or "") or ("", b"")
    assert content[:3] == b"\xff\xd8\xff"
    assert len(content) <= MOST_PICTURE_BYTES

    await page.get_by_test_id("nickname").fill("<i>Dynamite</i>")
    await page.get_by_test_id("favourite-doubles").fill("16, sixteen")
    await page.get_by_test_id("save-profile").click()
    await expect(page.get_by_test_id("profile-problem")).to_contain_text("such as 16, 8")
    await page.get_by_test_id("favourite-doubles").fill("16, 22")
    await page.get_by_test_id("save-profile").click()
    await expect(page.get_by_test_id("profile-problem")).to_contain_text("25 for the bull")
    await page.get_by_test_id("favourite-doubles").fill("16, 8")
    await page.get_by_test_id("colour-4").check()
    await page.get_by_test_id("hand").select_option("left")
    await page.get_by_test_id("counts").uncheck()
    await page.get_by_test_id("save-profile").click()
    await expect(page.locator("#profiles summary span", has_text="<i>Dynamite</i>")).to_be_visible()
    (di,) = PlayerBook(tmp_path).list_players()
    assert (di.profile.nickname, di.profile.doubles, di.profile.colour) == ("<i>Dynamite</i>", (16, 8), 4)
    assert (di.profile.hand, di.profile.counts) == ("left", False)


async def test_the_card_of_a_player_leads_to_the_profile(
    browser: Browser, after: RunningDaemon, tmp_path: Path
) -> None:
    page = await browser.new_page()
    await open_profiles(page, after, make_token(tmp_path))
    await page.goto(address(after, "", "history?player=Ann&game=x01"))
    await page.get_by_test_id("edit-profile").click()
    await expect(page.locator("#profiles details[open] summary b")).to_have_text("Ann")
    await page.get_by_test_id("nickname").fill("Ace")
    await page.get_by_test_id("save-profile").click()
    await expect(page.get_by_test_id("said")).to_have_text("Saved.")


async def test_names_are_changed_after_a_question(browser: Browser, after: RunningDaemon, tmp_path: Path) -> None:
    page = await browser.new_page(viewport={"width": 1024, "height": 768})
    make_token(tmp_path)
    await open_profiles(page, after, make_setup_token(tmp_path))
    summary = page.locator("#profiles summary b")
    await summary.get_by_text("Anna", exact=True).click()
    await page.get_by_test_id("merge-into").select_option("Ann")
    await page.get_by_test_id("merge").click()
    await expect(page.get_by_test_id("sure")).to_contain_text("Are Anna and Ann the same person?")
    assert PlayerBook(tmp_path).list_players() == [], "it was only asked"
    await page.get_by_test_id("yes").click()
    await expect(page.locator("#profiles details[open] summary b")).to_have_text("Ann")
    await page.get_by_test_id("rename-to").fill("Di")
    await page.get_by_test_id("rename").click()
    await page.get_by_test_id("yes").click()
    await expect(page.get_by_test_id("names-problem")).to_contain_text("there already is a player Di")
    await page.get_by_test_id("rename-to").fill("Annie")
    await page.get_by_test_id("rename").click()
    await page.get_by_test_id("yes").click()
    await expect(page.locator("#profiles details[open] summary b")).to_have_text("Annie")
    await summary.get_by_text(MARKUP).click()
    await page.locator("details[open]").get_by_test_id("forget").click()
    await expect(page.get_by_test_id("sure").filter(has_text="Forget")).to_contain_text("In 1 match")
    await page.get_by_test_id("yes").click()
    await expect(page.get_by_test_id("said")).to_contain_text("Older backups contain the name")
    await expect(summary).to_have_text(["Annie", "Di"])
    await page.goto(address(after, "", "history"))
    await expect(page.get_by_test_id("player-0")).to_have_text("Annie")


async def test_the_wall_and_the_lobby_show_pictures(page: Page, after: RunningDaemon, tmp_path: Path) -> None:
    token = make_token(tmp_path)
    picture = (Path(__file__).parents[2] / "docs/pictures/duel.png").read_bytes()
    await open_profiles(page, after, token)
    await page.locator("#profiles summary", has_text="Di").click()
    await page.get_by_test_id("picture").set_input_files(
        FilePayload(name="me.png", mimeType="image/png", buffer=picture)
    )
    await expect(page.locator("#profiles img.avatar").first).to_be_visible()
    await page.goto(address(after, token))
    await give(after.tables["main"], {"start": {"game": "501", "players": ["di", "Bo", "Cy"]}}, "page")
    await expect(page.locator("#sides .badge.pictured")).to_have_count(1)
    assert "players/picture/" in await page.locator("#sides .badge").first.evaluate(
        "badge => badge.style.backgroundImage"
    )
    await give(after.tables["main"], {"start": {"game": "501", "players": ["Bo", "di"]}}, "page")
    await expect(page.locator("#sides .badge").nth(1)).to_have_class("badge pictured")
    await expect(page.locator("#sides .badge").first).to_have_class("badge")
    await page.get_by_test_id("menu").click()
    await page.get_by_test_id("menu-new").click()
    await expect(page.locator("#lobby .chips .avatar")).to_have_count(1)
    await page.locator("#lobby .chips button", has_text="Di").click()
    await expect(page.locator("#lobby .chips button", has_text="Di")).to_have_attribute("aria-pressed", "true")


async def test_all_languages_say_all(page: Page, running: RunningDaemon) -> None:
    await page.goto(running.page or "")
    english, *others = await page.evaluate("""async () => {
      const shape = (value) => typeof value !== "object" ? typeof value
        : Object.entries(value).map(([key, each]) => [key, shape(each)]).sort();
      const codes = ["en", "de", "nl", "fr"];
      const found = await Promise.all(codes.map((code) => import(`./static/words/players_${code}.js`)));
      return found.map(({ players }) => shape(players));
    }""")
    assert others == [english] * 3
