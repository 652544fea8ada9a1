"""What stands on the page is so: it heals by itself after a restart, into whatever the table plays then."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace
from playwright.async_api import Page, Route, expect

from daemon.assemble import RunningDaemon, run_daemon
from daemon.web import page_files, server
from tests.commanding import give
from tests.page.playing import find_path, play, setup


@pytest.mark.long
async def test_after_a_restart_it_shows_another_match_on_another_layout(
    tmp_path: Path, page: Page, unused_tcp_port_factory: Callable[[], int]
) -> None:
    closed, port = unused_tcp_port_factory(), unused_tcp_port_factory()
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    async with run_daemon(setup(tmp_path / "a", closed, port)) as running:
        await page.goto(running.page or "")
        await play(running, "T20")
        await expect(page.get_by_test_id("score-0")).to_have_text("241")
    await expect(page.locator("#link-warning")).to_contain_text("Connection lost")
    other = setup(tmp_path / "b", closed, port, game="cricket", options={}, players=("Cy", "Dee"), name="other")
    async with run_daemon(other) as running:
        await page.evaluate("dispatchEvent(new Event('online'))")  # the network is back: no need to wait
        await expect(page.get_by_test_id("player")).to_have_text("Cy")
        await expect(page.locator("#link-warning")).to_be_hidden()
        await expect(page.locator("#panel table")).to_be_visible()
        await expect(page.get_by_test_id("name-0")).to_have_text("Cy")


async def test_a_bust_survives_a_reload_and_goes_with_its_correction(
    tmp_path: Path, page: Page, unused_tcp_port: int
) -> None:
    async with run_daemon(setup(tmp_path, unused_tcp_port, options={"start": 101})) as running:
        await page.goto(running.page or "")
        await expect(page.locator("#board .area").first).to_be_visible()
        worth = page.locator("#visit-points")
        await play(running, "S20 T20 T20")
        await expect(worth).to_have_text("Bust")
        await expect(page.get_by_test_id("task")).to_have_text("Bust: 140 of 101")
        await expect(page.locator(".slot.nothing")).to_have_text([re.compile("–")] * 3)
        await play(running, "3=S1")
        await expect(worth).to_have_text("= 81")
        await play(running, "undo")
        await expect(worth).to_have_text("Bust")
        await play(running, "undo redo")
        await expect(worth).to_have_text("Bust")
        await page.reload()
        await expect(worth).to_have_text("Bust")
        await play(running, "/")
        await expect(page.locator("#last")).to_contain_text("Bust")


async def test_a_correction_does_not_reach_the_next_match(tmp_path: Path, page: Page, unused_tcp_port: int) -> None:
    async with run_daemon(setup(tmp_path, unused_tcp_port)) as running:
        await page.goto(running.page or "")
        await expect(page.locator("#board .area").first).to_be_visible()
        await play(running, "T20")
        await expect(page.get_by_test_id("dart-0")).to_contain_text("T20")
        await page.get_by_test_id("dart-0").click()
        await page.route("**/layout", lambda route: route.abort())
        await give(running.tables["main"], {"start": None}, "page")
        await expect(page.locator("#correction")).to_be_hidden()


@pytest.mark.long
async def test_a_correction_outlives_a_restart(
    tmp_path: Path, page: Page, unused_tcp_port_factory: Callable[[], int]
) -> None:
    prepared = setup(tmp_path, unused_tcp_port_factory(), unused_tcp_port_factory())
    async with run_daemon(prepared) as running:
        await page.goto(running.page or "")
        await expect(page.locator("#board .area").first).to_be_visible()
        await play(running, "T20")
        await expect(page.get_by_test_id("dart-0")).to_contain_text("T20")
        await page.get_by_test_id("dart-0").click()
        await expect(page.locator("#correction")).to_be_visible()
        await page.keyboard.type("S5")
    await expect(page.get_by_test_id("link")).to_have_attribute("data-state", "lost")
    async with run_daemon(prepared):
        async with page.expect_response("**/layout"):
            pass
        await expect(page.get_by_test_id("link")).to_have_attribute("data-state", "live")
        await page.keyboard.press("Enter")
        await expect(page.get_by_test_id("dart-0")).to_contain_text("5")


@pytest.mark.long
async def test_a_table_that_was_missing_is_shown_when_it_is_back(
    tmp_path: Path, page: Page, unused_tcp_port_factory: Callable[[], int]
) -> None:
    closed, port = unused_tcp_port_factory(), unused_tcp_port_factory()
    one = setup(tmp_path, closed, port)
    (table,) = one.config.table
    config = replace(one.config, table=[table, replace(table, name="back", players=("Cy", "Dee"))])
    two = replace(one, config=config, codebooks=one.codebooks * 2)
    async with run_daemon(one) as running:
        await page.goto(f"{running.page}?table=back")
        await expect(page.get_by_test_id("player")).to_have_text("Ann")
    await expect(page.get_by_test_id("link")).to_have_attribute("data-state", "lost")
    async with run_daemon(two):
        await expect(page.get_by_test_id("player")).to_have_text("Cy")


@pytest.mark.long
@pytest.mark.parametrize("name", ["app.all.js", "words/words_en.js", "lobby/lobby.js", "index.css"])
async def test_a_part_that_did_not_come_is_asked_for_again(
    tmp_path: Path, page: Page, unused_tcp_port: int, name: str
) -> None:
    """A browser takes a module that failed once for lost: the page would be dead until it is loaded anew."""
    asked = 0

    async def fail_once(route: Route) -> None:
        nonlocal asked
        asked += 1
        await (route.abort() if asked == 1 else route.continue_())

    await page.route(f"**/joined/index/{name}", fail_once)
    async with run_daemon(setup(tmp_path, unused_tcp_port)) as running:
        await page.goto(running.page or "")
        if name == "lobby/lobby.js":
            await expect(page.get_by_test_id("score-0")).to_have_text("301")
            await page.keyboard.press("g")
            await expect(page.get_by_test_id("toast")).to_contain_text("did not answer")
            async with page.expect_event("load"):
                pass
            await expect(page.get_by_test_id("score-0")).to_have_text("301")
            await page.keyboard.press("g")
            await expect(page.get_by_test_id("lobby")).to_be_visible()
        if name == "index.css":
            await page.wait_for_event("load")
        await expect(page.get_by_test_id("score-0")).to_have_text("301")


SHEETS = """async (sheet) => {
  const { loadSheet } = await import("./joined/index/parts.js");
  const load = () => Promise.resolve(loadSheet(sheet)).catch(() => {});
  const isThere = () => Boolean(document.querySelector(`link[href="${sheet}"]`)?.sheet);
  const first = load();
  await load();
  const wasThere = isThere();
  await first;
  return [wasThere, (await load(), isThere())];
}"""
"""Whether a sheet is there once the second who asks for it goes on, while it is on its way; and the third, later."""


async def test_each_who_asks_for_a_style_sheet_waits_until_it_is_there(page: Page, running: RunningDaemon) -> None:
    await page.goto(running.page or "")
    assert await page.evaluate(SHEETS, "static/wall/idle.css") == [True, True]
    await page.route("**/replay.css", lambda route: route.abort(), times=1)
    assert await page.evaluate(SHEETS, "static/wall/replay.css") == [False, True]


@pytest.mark.parametrize("name", page_files.PAGES)
async def test_a_page_of_which_nothing_came_but_its_document_is_loaded_anew(
    tmp_path: Path, page: Page, unused_tcp_port: int, name: str
) -> None:
    """What looks after the parts is within the document. The words, asked for later, do not come at first either."""
    asked: set[str] = set()

    async def fail_once(route: Route) -> None:
        is_first = route.request.url not in asked
        asked.add(route.request.url)
        await (route.abort() if is_first else route.continue_())

    await page.route("**/joined/**", fail_once)
    async with run_daemon(setup(tmp_path, unused_tcp_port)) as running:
        await page.goto(f"{running.page}{find_path(name)}")
        assert len(asked) == 3
        await expect(page.locator("[data-testid=title]")).to_be_attached()  # it is named once all has come
        await expect(page.locator("body")).to_have_css("margin", "0px")


async def test_what_others_put_into_the_document_does_not_load_it_anew(page: Page, running: RunningDaemon) -> None:
    """The policy of the page keeps out what an extension or a proxy names there: it never comes."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))

    async def put_in(route: Route) -> None:
        answer = await route.fetch()
        foreign = '<script src="{0}.js"></script><link rel="stylesheet" href="{0}.css"></head>'
        put = "".join(map(foreign.format, ("http://127.0.0.1:9/static/in", "/cdn-cgi/in")))
        await route.fulfill(response=answer, body=(await answer.text()).replace("</head>", put))

    await page.route(running.page or "", put_in)
    await page.clock.install()
    await page.goto(running.page or "")
    await expect(page.get_by_test_id("score-0")).to_have_text("301")
    await page.clock.fast_forward(60_000)
    await page.evaluate("fetch('static/favicon.svg')")
    assert any("cdn-cgi" in each for each in asked)
    assert asked.count(running.page or "") == 1


async def test_without_the_script_in_the_document_a_part_that_did_not_come_is_said(
    page: Page, running: RunningDaemon
) -> None:
    """A proxy may have a policy of its own."""

    async def keep_out(route: Route) -> None:
        answer = await route.fetch()
        headers = answer.headers | {"content-security-policy": "default-src 'self'"}
        await route.fulfill(response=answer, headers=headers)

    await page.route(running.page or "", keep_out)
    await page.route("**/lobby/lobby.js", lambda route: route.abort())
    await page.goto(running.page or "")
    await expect(page.get_by_test_id("score-0")).to_have_text("301")
    await page.keyboard.press("g")
    await expect(page.get_by_test_id("toast")).to_contain_text("did not answer")


@pytest.mark.parametrize(
    ("held_ms", "waits"), [(2_000, [1, 2, 4, 8, 16, 32, 60, 60]), (61_000, [1] * 8)], ids=["never", "for a while"]
)
async def test_the_page_is_loaded_anew_ever_later_where_that_does_not_help(
    page: Page, running: RunningDaemon, held_ms: int, waits: list[int]
) -> None:
    asked: list[int] = []

    def tell(wait: int) -> None:
        asked.append(wait)

    await page.expose_function("tell", tell)
    await page.add_init_script(
        f"performance.now = () => {held_ms}; const wait = setTimeout;"
        "globalThis.setTimeout = (then, ms) => { tell(ms / 1000); wait(then, 10); };"
    )
    await page.route("**/joined/**/*.js", lambda route: route.fulfill(status=404))
    await page.goto(running.page or "")
    while len(asked) < len(waits):
        await page.wait_for_event("load")
    assert asked[: len(waits)] == waits


@pytest.mark.long
async def test_after_an_update_it_loads_itself_anew(
    tmp_path: Path, page: Page, unused_tcp_port_factory: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    closed, port = unused_tcp_port_factory(), unused_tcp_port_factory()
    async with run_daemon(setup(tmp_path, closed, port)) as running:
        await page.goto(running.page or "")
        await expect(page.get_by_test_id("score-0")).to_have_text("301")
    shutil.copytree(page_files.FOLDER, tmp_path / "page")
    with (tmp_path / "page" / "app.js").open("a") as updated:
        updated.write("document.body.dataset.updated = 'yes';\n")
    monkeypatch.setattr(server, "PageFiles", partial(page_files.PageFiles, tmp_path / "page"))
    async with run_daemon(setup(tmp_path, closed, port)):
        await expect(page.locator("body[data-updated=yes]")).to_be_attached()
        await expect(page.get_by_test_id("score-0")).to_have_text("301")
