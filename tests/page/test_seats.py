"""The codes of hands on a wall: each leads to where the wall found the page, and goes when a phone has used it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import aiohttp
import pytest
from aiohttp import web
from playwright.async_api import Browser, Page, Route, expect

from tests.page.playing import Playing, reach

OF_SEAT = "[data-testid^=hand-]"


@pytest.fixture
def game() -> str:
    """Has hands."""
    return "dards"


async def begin(match: Playing) -> None:
    await match.start("dards", ["Ann", "Bo"], options={"mode": "dealt"})


async def opened(browser: Browser, url: str) -> Page:
    """By a new guest."""
    page = await (await browser.new_context(viewport={"width": 800, "height": 480})).new_page()
    await page.goto(url)
    return page


async def link(wall: Page, seat: int) -> str:
    """Where this code leads."""
    return await wall.get_by_test_id(f"seat-{seat}").get_by_role("link").get_attribute("href") or ""


async def test_a_code_goes_with_its_first_phone_and_the_next_is_told(browser: Browser, match: Playing) -> None:
    await begin(match)
    wall = await opened(browser, match.url)
    ann, bo = await link(wall, 0), await link(wall, 1)
    first = await opened(browser, ann)
    await expect(first.locator(OF_SEAT)).not_to_have_count(0)
    await expect(wall.get_by_test_id("seat-0")).to_have_count(0)
    await expect(wall.get_by_test_id("seat-1")).to_be_visible()
    second = await opened(browser, ann)
    await expect(second.get_by_test_id("link-warning")).to_contain_text("the phone that opened the link first")
    await expect(second.locator(OF_SEAT)).to_have_count(0)
    await first.reload()
    await expect(first.locator(OF_SEAT)).not_to_have_count(0)
    await second.goto(bo)
    await expect(second.get_by_test_id("whose")).to_have_text("Bo")
    await expect(wall.get_by_test_id("seats")).to_be_hidden()
    await expect(wall.get_by_test_id("hands")).to_be_hidden()


@pytest.mark.long
async def test_a_phone_that_comes_while_the_codes_are_read_is_not_missed(browser: Browser, match: Playing) -> None:
    read, go = asyncio.Event(), asyncio.Event()

    async def hold_answer(route: Route) -> None:
        answer = await route.fetch()
        read.set()
        await go.wait()
        await route.fulfill(response=answer)

    await begin(match)
    wall = await (await browser.new_context(viewport={"width": 800, "height": 480})).new_page()
    await wall.route("**/seats?*", hold_answer, times=1)
    await wall.goto(match.url)
    async with asyncio.timeout(20):
        await read.wait()
    answer = await wall.request.get(f"{match.url}api/table/main/seats")
    phone = await opened(browser, (await answer.json())[0]["url"])
    await expect(phone.locator(OF_SEAT)).not_to_have_count(0)
    await expect(wall.get_by_test_id("seats")).to_be_hidden()
    go.set()
    await expect(wall.get_by_test_id("seat-1")).to_be_visible()
    await expect(wall.get_by_test_id("seat-0")).to_have_count(0)


async def test_codes_go_with_the_first_dart_while_they_are_read_anew(browser: Browser, match: Playing) -> None:
    async def never_answer(route: Route) -> None:
        """The page waits for this route until it is closed."""

    await begin(match)
    wall = await opened(browser, match.url)
    await expect(wall.get_by_test_id("seats")).to_be_visible()
    await wall.route("**/seats?*", never_answer)
    await match.go_on(4)
    await expect(wall.locator("#darts [data-segment]").first).to_be_visible()
    await expect(wall.get_by_test_id("seats")).to_be_hidden()


@pytest.mark.long
async def test_a_page_by_a_strange_name_says_why_it_has_no_codes(browser: Browser, match: Playing) -> None:
    async def rename(route: Route) -> None:
        await route.continue_(url=route.request.url.partition("base=")[0] + "base=https://darts.example.com/")

    await begin(match)
    wall = await (await browser.new_context(viewport={"width": 800, "height": 480})).new_page()
    await wall.route("**/seats?*", rename)
    await wall.goto(match.url)
    await expect(wall.get_by_test_id("toast")).to_contain_text("not served as 'darts.example.com'")
    await expect(wall.get_by_test_id("seats")).to_be_hidden()


async def open_lobby(page: Page, match: Playing) -> None:
    """Opens it with what is planned by now."""
    planned = (await (await page.request.get(f"{match.url}api/table/main/rules")).json())["title"]
    await expect(page.locator("#title")).to_have_text(planned)
    await page.locator("#other").evaluate("button => button.click()")
    await expect(page.get_by_test_id("lobby")).to_be_visible()  # the last one has a start, too, and is still there
    await expect(page.get_by_test_id("lobby").locator(".go")).to_be_enabled()


async def read_options(page: Page, match: Playing) -> dict[str, object]:
    """How the current match is played, as far as that depends on the hands."""
    sheet = await (await page.request.get(f"{match.url}api/table/main/rules")).json()
    return {name: sheet["chosen"][name] for name in ("mode", "wild")}


@pytest.mark.parametrize(
    ("language", "question", "answers", "need"),
    [
        ("en", "With hands on your phones?", ("No", "Yes"), "set “Who can reach it” to everyone in this network"),
        ("de", "Mit Handkarten auf euren Handys?", ("Nein", "Ja"), "bei „Wer sie erreicht“ alle in diesem Netz ein"),
    ],
)
async def test_a_start_that_could_have_hands_asks_and_with_yes_their_codes_are_shown(
    browser: Browser, match: Playing, language: str, question: str, answers: tuple[str, str], need: str
) -> None:
    """On a phone, by keyboard alone: no is what Enter says, and Escape leads back to the lobby."""
    await match.start("dards", ["Ann", "Bo"])
    page = await (await browser.new_context(viewport={"width": 390, "height": 844})).new_page()
    await page.goto(f"{match.url}?lang={language}")
    asked = page.get_by_role("dialog", name=question)
    no, yes = (asked.get_by_role("button", name=answer, exact=True) for answer in answers)
    lobby, before = page.get_by_test_id("lobby"), match.state["match"]
    start = lobby.locator(".go")
    await open_lobby(page, match)
    await start.press("Enter")
    await expect(no).to_be_focused()
    await expect(page.get_by_test_id("hands-local")).to_contain_text(need)
    await page.keyboard.press("Escape")
    await expect(asked).to_have_count(0)
    await expect(start).to_be_focused()
    assert match.state["match"] == before

    await start.press("Enter")
    await expect(no).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(lobby).to_be_hidden()
    assert match.state["match"] != before
    assert await read_options(page, match) == {"mode": "rapid", "wild": False}
    await expect(page.get_by_test_id("hands")).to_be_hidden()

    await open_lobby(page, match)  # these two are not asked again
    await start.press("Enter")
    await expect(lobby).to_be_hidden()
    await page.reload()
    await open_lobby(page, match)
    await start.press("Enter")
    await expect(no).to_be_focused()
    await reach(page, yes)
    await page.keyboard.press("Enter")
    await expect(page.get_by_test_id("seat-0")).to_be_visible()
    await expect(page.get_by_test_id("seat-1")).to_be_visible()
    await expect(page.get_by_test_id("seats-close")).to_be_focused()
    await expect(page.get_by_test_id("seats-close")).to_be_in_viewport(ratio=1)
    await page.set_viewport_size({"width": 360, "height": 640})
    close, foot = [await page.locator(each).bounding_box() for each in ("#seats-close", "footer")]
    assert close
    assert foot
    assert close["y"] + close["height"] <= foot["y"]
    await page.set_viewport_size({"width": 390, "height": 844})
    await expect(page.get_by_test_id("seats-text")).to_contain_text(need)
    assert await read_options(page, match) == {"mode": "dealt", "wild": True}
    await page.keyboard.press("Enter")
    await expect(page.get_by_test_id("seats")).to_be_hidden()
    await expect(page.get_by_test_id("hands")).to_be_focused()

    await open_lobby(page, match)  # what was chosen is planned again
    await start.press("Enter")
    await expect(lobby).to_be_hidden()
    assert await read_options(page, match) == {"mode": "dealt", "wild": True}
    await expect(page.get_by_test_id("seats")).to_be_hidden()


async def test_codes_that_were_asked_for_wait_for_the_throw_at_the_bull(browser: Browser, match: Playing) -> None:
    page = await (await browser.new_context(viewport={"width": 390, "height": 844})).new_page()
    await page.goto(match.url)
    await open_lobby(page, match)
    await page.get_by_label("Throw for the bull").check()
    await page.get_by_test_id("lobby").locator(".go").click()
    await page.get_by_role("button", name="Yes", exact=True).click()
    await expect(page.get_by_test_id("lobby")).to_be_hidden()
    await match.throw("DB / S20")
    await page.locator("#again").click()
    await expect(page.get_by_test_id("seat-0")).to_be_visible()
    await expect(page.get_by_test_id("seats-close")).to_be_focused()


@pytest.mark.parametrize(
    ("players", "options", "chosen"),
    [
        (["Ann", "Bo", "Cy"], {}, ""),
        (["Ann", "Bo"], {}, "Rapid"),
        (["Ann", "Bo"], {"cards": "manual"}, ""),
        (["bot:60:60", "bot:70:60"], {}, ""),
    ],
)
async def test_a_start_asks_nobody_who_has_hands_has_chosen_otherwise_or_has_no_phone(
    browser: Browser, match: Playing, players: list[str], options: dict[str, str], chosen: str
) -> None:
    """Rapid is what the last match of two was played as; the next one is it only where somebody chooses it.

    The bots take a minute for a dart, for one that lands while the lobby is filled in is faster than its start.
    """
    await match.start("dards", players, options=options)
    before = match.state["match"]
    page = await opened(browser, match.url)
    await open_lobby(page, match)
    if chosen:
        await page.get_by_test_id("lobby").get_by_role("radio", name=chosen, exact=True).check()
    await page.get_by_test_id("lobby").locator(".go").click()
    await expect(page.get_by_test_id("lobby")).to_be_hidden()
    assert match.state["match"] != before


@asynccontextmanager
async def in_front(url: str, port: int) -> AsyncIterator[str]:
    """A web server that has the page below a path of its own; gives its address."""

    async def pass_on(request: web.Request) -> web.StreamResponse:
        there = f"{url}{request.match_info['path']}"
        body, headers = await request.read(), {**request.headers, "X-Forwarded-For": "192.0.2.7"}
        async with client.request(request.method, there, params=request.query, data=body, headers=headers) as answer:
            response = web.StreamResponse(status=answer.status, headers=answer.headers)
            await response.prepare(request)
            async for chunk in answer.content.iter_any():
                await response.write(chunk)
        return response

    app = web.Application()
    app.router.add_route("*", "/my/darts/{path:.*}", pass_on)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    async with aiohttp.ClientSession(auto_decompress=False) as client:
        await web.TCPSite(runner, "127.0.0.1", port).start()
        try:
            yield f"http://localhost:{port}/my/darts/"
        finally:
            await runner.cleanup()


@pytest.mark.long
async def test_behind_a_web_server_that_adds_a_path_a_code_leads_there(
    browser: Browser, match: Playing, unused_tcp_port_factory: Callable[[], int]
) -> None:
    await begin(match)
    async with in_front(match.url, unused_tcp_port_factory()) as address:
        wall = await opened(browser, address)
        ann = await link(wall, 0)
        assert ann.startswith(f"{address}?seat=")
        phone = await opened(browser, ann)
        await expect(phone.get_by_test_id("whose")).to_have_text("Ann")
        await expect(wall.get_by_test_id("seat-0")).to_have_count(0)
        for page in (wall, phone):
            await page.close()
