"""What players take home: the picture of a match as in its record, the story of an evening, and codes for phones."""

from __future__ import annotations

import re
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import pytest_asyncio
from msgspec.structs import replace
from playwright.async_api import Browser, Page, expect

from daemon.assemble import run_daemon
from daemon.config.reader import CheckedConfig
from daemon.web.auth import Auth
from daemon.web.hour_codes import LASTS_S, HourCodes, Seen
from daemon.web.seats import read_key
from daemon.web.token import PageToken, make_token
from tests.daemon.evenings import Evening
from tests.daemon.process import eventually
from tests.page.playing import play, setup
from tests.png import make_png

JSON = dict[str, Any]  # Any: JSON
LEGS = "T20 S1 D20 / S20 S20 S20 / T20 S1 MISS / S1 S1 S1 / D20"
LONG = "Maximiliane-Charlotte von und zu Hohenbe"
HOSTILE = '<img src=x onerror="alert(1)">\u202egnp.exe'
SIX = ["Ann", "Bo", "Cy", LONG, "Ed", "Flo"]
_READ_CANVAS = """async () => {
  const canvas = document.querySelector("#taken canvas");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const colours = new Set();
  for (let at = 0; at < data.length; at += 4 * 97) colours.add(data[at] << 16 | data[at + 1] << 8 | data[at + 2]);
  return { size: [canvas.width, canvas.height], colours: colours.size, texts: canvas.ariaLabel.split(". ") };
}"""


class Place(NamedTuple):
    """A page that needs a token, and the ids of its matches by what they are."""

    url: str
    token: str
    player: str
    """The token of those who play."""
    folder: Path
    matches: dict[str, str]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def place(
    tmp_path_factory: pytest.TempPathFactory, unused_tcp_port_factory: Callable[[], int]
) -> AsyncIterator[Place]:
    folder = tmp_path_factory.mktemp("evening")
    with Evening(folder) as evening:
        matches = {
            "duel": evening.play(LEGS, options={"start": 101}, format={"legs": 2}),
            "hostile": evening.play("T20 S1 D20", options={"start": 101}, players=[HOSTILE, LONG]),
            "many": evening.throw(2, game="cricket", players=SIX),
            "team": evening.throw(
                5, game="x01", players=["Ann", "Bo", "Cy", "Dee"], teams=[[0, 1], [2, 3]], options={"start": 301}
            ),
            "alone": evening.play("SB MISS MISS", game="eagles_eye", players=["Gil"], options={"rounds": 1}),
            "better": evening.play("DB SB SB", game="eagles_eye", players=["Gil"], options={"rounds": 1}),
            "three": evening.play(
                "S20 S20 S20 / T20 T20 T20 / S1 S1 S1",
                game="count_up",
                players=["Kim", "Maximilian Oberhuber", "Lee"],
                options={"rounds": 1},
                day=-30,
            ),
            "stopped": evening.play("T20 T20 T20 / S1", {"stop": True}),
        }
    player = make_token(folder)
    async with run_daemon(name_place(setup(folder, unused_tcp_port_factory(), host="0.0.0.0"))) as running:
        # Of those who only look on any number may enter at once.
        token = Auth((), PageToken("0.0.0.0", None, folder), read_key(folder)).spectator_token
        yield Place((running.page or "").replace("0.0.0.0", "127.0.0.1"), token, player, folder, matches)


def name_place(checked: CheckedConfig) -> CheckedConfig:
    web = replace(checked.config.web, venue="The Crooked Flight")
    return replace(checked, config=replace(checked.config, web=web))


async def draw(page: Page, place: Place, kind: str, query: str = "") -> JSON:
    """The picture of a match, once it is drawn."""
    await page.goto(f"{place.url}take_home?match={place.matches[kind]}{query}#token={place.token}")
    await expect(page.locator("#taken canvas")).to_be_attached()  # nothing is said either before it begins
    await expect(page.get_by_test_id("said")).to_be_empty()
    found: JSON = await page.evaluate(_READ_CANVAS)
    return found


async def read(page: Page, path: str) -> JSON:
    found: JSON = await page.evaluate("async (path) => (await fetch(path)).json()", f"api/{path}")
    return found


async def test_the_picture_says_what_the_record_says(page: Page, place: Place) -> None:
    drawn = await draw(page, place, "duel")
    report = await read(page, f"match/{place.matches['duel']}")
    assert (drawn["size"], drawn["colours"] > 200) == ([1080, 1350], True)
    sides = report["sides"]
    average = [f"{side['figures']['average']:.2f}" for side in sides]
    for text in (
        "The Crooked Flight",
        "101",
        "October 3, 2026",
        "Ann wins",
        *(side["name"] for side in sides),
        *average,
    ):
        assert text in drawn["texts"], text
    assert f"{sides[0]['legs']}\u2009:\u2009{sides[1]['legs']}" in drawn["texts"]
    assert "D20 = 40" in drawn["texts"]
    assert report["last"]["darts"] == ["D20"]
    assert "101 · Ann" in drawn["texts"]
    await page.get_by_test_id("wide").click()
    await expect(page.locator("canvas")).to_have_js_property("width", 1920)
    await page.wait_for_function("document.querySelector('canvas').ariaLabel")
    wide = await page.evaluate(_READ_CANVAS)
    assert (wide["size"], sorted(wide["texts"])) == ([1920, 1080], sorted(drawn["texts"]))
    async with page.expect_download() as downloaded:
        await page.get_by_test_id("save").click()
    saved = await downloaded.value
    assert saved.suggested_filename == "oche_2026-10-03_101_Ann_Bo.jpg"
    assert (await saved.path()).read_bytes()[:3] == b"\xff\xd8\xff"

    await page.goto(f"{place.url}take_home?match={place.matches['three']}")
    await expect(page.get_by_test_id("said")).to_be_empty()
    assert "180 · Maximilian Oberhuber" in (await page.evaluate(_READ_CANVAS))["texts"]  # of many, written whole


async def test_the_day_in_the_name_of_the_file_is_that_of_the_picture(browser: Browser, place: Place) -> None:
    page = await (await browser.new_context(timezone_id="Pacific/Auckland")).new_page()
    assert "October 4, 2026" in (await draw(page, place, "duel"))["texts"]  # which began at 20:00 UTC
    async with page.expect_download() as downloaded:
        await page.get_by_test_id("save").click()
    assert (await downloaded.value).suggested_filename == "oche_2026-10-04_101_Ann_Bo.jpg"


async def test_a_chosen_colour_stays_though_it_is_that_of_another_place(page: Page, place: Place) -> None:
    await draw(page, place, "three")
    found = await page.evaluate(
        """async (match) => {
          const { describeCard } = await import("./static/take_home/card_texts.js");
          const { texts } = await import("./static/take_home/card.js");
          const report = await (await fetch(`api/match/${match}`)).json();
          const players = [{ name: "Kim", colour: 2, given_colour: true }, { name: "Lee", colour: 0 }];
          return describeCard(report, players, texts).sides.map(({ colour }) => colour);
        }""",
        place.matches["three"],
    )
    assert found == [1, 2, 0]


async def test_the_face_is_the_large_picture_of_the_player(page: Page, place: Place) -> None:
    await draw(page, place, "many")
    for size, colour in (("small", (10, 200, 10)), ("large", (200, 10, 10))):
        picture = make_png(40, 40, 2, bytes(colour) * 1600)
        by = {"Authorization": f"Bearer {place.player}"}
        path = f"api/players/picture?name=Flo&size={size}"
        sent = await page.request.post(f"{place.url}{path}", data=picture, headers=by)
        assert sent.ok, await sent.text()
    await draw(page, place, "many")
    counted = await page.evaluate(
        """() => {
          const canvas = document.querySelector("#taken canvas");
          const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          const counts = { red: 0, green: 0 };
          for (let at = 0; at < data.length; at += 4) {
            if (data[at] > 190 && data[at + 1] < 20 && data[at + 2] < 20) counts.red += 1;
            if (data[at] < 20 && data[at + 1] > 190 && data[at + 2] < 20) counts.green += 1;
          }
          return counts;
        }"""
    )
    assert counted["red"] > 2000
    assert counted["green"] == 0


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("many", ["Cricket", *SIX[:3]]),
        ("team", ["Ann & Bo", "Cy & Dee"]),
        ("alone", ["Practice", "Gil", "25", "Best so far: 100"]),
        ("better", ["Practice", "Gil", "100", "A new best"]),
        ("stopped", ["Match stopped", "321\u2009:\u2009500"]),
    ],
)
async def test_every_kind_of_match_has_its_picture(page: Page, place: Place, kind: str, said: list[str]) -> None:
    drawn = await draw(page, place, kind)
    assert [text for text in said if text not in drawn["texts"]] == []
    assert any("Last visit" in text for text in drawn["texts"]) == (kind != "stopped")


async def test_names_of_strangers_and_long_words_do_no_harm(page: Page, place: Place) -> None:
    page.on("dialog", lambda _: pytest.fail("a name has run as a script"))
    drawn = await draw(page, place, "hostile", "&lang=fr")
    assert await page.locator("img[src=x]").count() == 0
    assert '<img src=x onerror="' in " ".join(drawn["texts"])
    assert any(text.endswith("…") for text in drawn["texts"])
    assert "\u202e" not in "".join(drawn["texts"])
    assert "Dernière volée" in " ".join(drawn["texts"])
    async with page.expect_download() as downloaded:
        await page.get_by_test_id("save").click()
    assert re.fullmatch(r"[\w-]+\.jpg", (await downloaded.value).suggested_filename)


async def test_a_phone_sees_the_match_by_its_code_alone(browser: Browser, page: Page, place: Place) -> None:
    await draw(page, place, "duel")
    code = await read(page, f"code?match={place.matches['duel']}&base={place.url}")
    assert code["url"].startswith("http://")
    phone = await browser.new_page(viewport={"width": 390, "height": 844})
    await phone.goto(f"{place.url}take_home#{code['url'].partition('#')[2]}")
    await expect(phone.get_by_test_id("said")).to_be_empty()
    assert "Ann wins" in (await phone.evaluate(_READ_CANVAS))["texts"]
    assert await phone.evaluate("document.documentElement.scrollWidth") <= 390
    await expect(phone.get_by_test_id("whole-match")).to_have_count(0)
    assert await phone.evaluate("async () => (await fetch('api/players')).status") == 401


async def test_practice_says_the_best_to_a_phone_with_a_code(browser: Browser, place: Place) -> None:
    auth = Auth((), PageToken("0.0.0.0", None, place.folder), read_key(place.folder))
    code, _ = HourCodes(auth.sign).make(Seen(place.matches["alone"]))
    phone = await browser.new_page(viewport={"width": 390, "height": 844})
    await phone.goto(f"{place.url}take_home#code={code}")
    await expect(phone.get_by_test_id("card")).to_have_attribute("aria-label", re.compile("Best so far: 100"))


async def test_a_code_that_has_ended_says_so_and_a_device_of_the_house_goes_on(browser: Browser, place: Place) -> None:
    auth = Auth((), PageToken("0.0.0.0", None, place.folder), read_key(place.folder))
    code, _ = HourCodes(auth.sign, lambda: time.time() - LASTS_S - 1).make(Seen(place.matches["duel"]))
    phone = await browser.new_page(viewport={"width": 390, "height": 844}, locale="de-DE")
    await phone.goto(f"{place.url}take_home#code={code}")
    ended = "Dieser Code galt eine Stunde: scanne einen neuen auf dem Bildschirm an der Wand"
    await expect(phone.get_by_test_id("said")).to_have_text(ended)
    await phone.goto(f"{place.url}history#token={place.token}")
    await expect(phone.get_by_test_id("players")).to_be_visible()
    await phone.goto("about:blank")
    await phone.goto(f"{place.url}take_home#code={code}")
    await expect(phone.get_by_test_id("card")).to_be_visible()


async def test_the_evening_is_a_story_to_print_and_to_keep(browser: Browser, place: Place) -> None:
    context = await browser.new_context(viewport={"width": 1280, "height": 800}, timezone_id="Europe/Berlin")
    page = await context.new_page()
    await page.goto(f"{place.url}story#token={place.token}")  # the latest evening
    await expect(page.get_by_test_id("title")).to_have_text("The Crooked Flight · Saturday, October 3, 2026")
    matches = page.locator(".matches li")
    await expect(matches).to_have_count(7)
    await expect(matches.first).to_contain_text("Best visit: 101 · Ann")
    await expect(matches.first.locator(".won")).to_have_text("Ann 2")
    await expect(page.get_by_test_id("records")).to_contain_text("Best result · Eagle's Eye")
    await expect(page.get_by_test_id("firsts")).to_contain_text("Ann: first match, first win")
    await expect(page.get_by_test_id("hour-code")).to_have_count(1)
    await page.emulate_media(media="print")
    await expect(page.get_by_test_id("pictures")).to_be_hidden()
    await expect(page.get_by_test_id("hour-code")).to_be_hidden()
    shown = await page.evaluate(
        "['body', '.matches a', '.people b'].map((each) => getComputedStyle(document.querySelector(each)).color)"
    )
    assert set(shown) == {"rgb(0, 0, 0)"}
    assert await page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    printed = await page.pdf(prefer_css_page_size=True)
    assert 1 <= len(re.findall(rb"/Type /Page\b", printed)) <= 3
    assert b"/MediaBox [0 0 594" in printed or b"/MediaBox [0 0 595" in printed
    await page.emulate_media(media="screen")
    names: list[str] = []
    page.on("download", lambda download: names.append(download.suggested_filename))
    await page.get_by_test_id("pictures").click()
    await expect(page.get_by_test_id("pictures")).to_be_enabled()
    await eventually(lambda: len(names) == 2 + 7)
    assert names[:2] == ["oche_2026-10-03.jpg", "oche_2026-10-03_Wide.jpg"]


async def test_a_week_is_a_story_as_an_evening_is(browser: Browser, place: Place) -> None:
    context = await browser.new_context(viewport={"width": 1280, "height": 800}, timezone_id="Europe/Berlin")
    page = await context.new_page()
    await page.goto(f"{place.url}story?week=2026-W41#token={place.token}")
    await expect(page.get_by_test_id("said")).to_have_text("No match was finished that week.")
    await page.get_by_test_id("earlier").click()
    await expect(page.get_by_test_id("title")).to_have_text("The Crooked Flight · September 28 – October 4, 2026")
    assert page.url.endswith("story?week=2026-W40")
    await expect(page.locator(".matches li")).to_have_count(7)
    await expect(page.locator(".matches time").first).to_have_text(re.compile("Sat 10:00"))
    link = await page.get_by_test_id("hour-code").get_by_role("link").get_attribute("href")
    assert link is not None
    phone = await browser.new_page()
    await phone.goto(f"{place.url}story#{link.partition('#')[2]}")
    await expect(phone.locator(".matches li")).to_have_count(7)
    async with page.expect_download() as downloaded:
        await page.get_by_test_id("pictures").click()
    assert (await downloaded.value).suggested_filename == "oche_2026-W40.jpg"
    await page.goto(f"{place.url}story?day=2026-10-03")
    await page.get_by_test_id("week").click()
    await expect(page.get_by_test_id("title")).to_contain_text("September 28 – October 4, 2026")
    weeks = await page.evaluate(
        """async () => {
          const { findWeek, readWeek, writeWeek } = await import("./static/take_home/evening.js");
          const days = ["2026-12-31", "2027-01-03", "2027-01-04", "2024-12-30", "2026-03-29", "2026-10-25"];
          return days.map((day) => {
            const text = writeWeek(findWeek(new Date(`${day}T12:00`)).since);
            return [text, readWeek(text).since.getTime() === findWeek(new Date(`${day}T23:59`)).since.getTime()];
          });
        }"""
    )
    texts = ["2026-W53", "2026-W53", "2027-W01", "2025-W01", "2026-W13", "2026-W43"]
    assert weeks == [[text, True] for text in texts]


async def test_a_day_without_a_match_leads_to_the_one_before(page: Page, place: Place) -> None:
    await page.goto(f"{place.url}story?day=2026-10-20#token={place.token}")
    await expect(page.get_by_test_id("said")).to_have_text("No match was finished that evening.")
    await page.get_by_test_id("earlier").click()
    await expect(page.locator(".matches li")).to_have_count(7)
    await page.goto(f"{place.url}story?day=yesterday")
    await expect(page.get_by_test_id("said")).to_have_text(
        "The address needs a day, such as ?day=2026-11-29, or a week, such as ?week=2026-W48."
    )


async def test_a_phone_sees_the_evening_by_its_code(browser: Browser, page: Page, place: Place) -> None:
    await page.goto(f"{place.url}story?day=2026-10-03#token={place.token}")
    link = await page.get_by_test_id("hour-code").get_by_role("link").get_attribute("href")
    assert link is not None
    phone = await browser.new_page(viewport={"width": 390, "height": 844})
    await phone.goto(f"{place.url}story#{link.partition('#')[2]}")
    await expect(phone.locator(".matches li")).to_have_count(7)
    assert await phone.evaluate("document.documentElement.scrollWidth") <= 390
    await expect(phone.get_by_test_id("earlier")).to_have_count(0)
    await phone.get_by_test_id("match-0").get_by_role("link").click()
    await expect(phone.get_by_test_id("card")).to_be_visible()
    assert "Ann wins" in (await phone.evaluate(_READ_CANVAS))["texts"]


async def test_the_result_on_a_wall_has_a_code_and_on_a_phone_a_link(
    browser: Browser, tmp_path: Path, unused_tcp_port: int
) -> None:
    token = make_token(tmp_path)
    async with run_daemon(setup(tmp_path, unused_tcp_port, host="0.0.0.0", options={"start": 101})) as running:
        url = (running.page or "").replace("0.0.0.0", "127.0.0.1")
        wall = await browser.new_page(viewport={"width": 1920, "height": 1080})
        await wall.goto(f"{url}#token={token}")
        await expect(wall.get_by_test_id("score-0")).to_have_text("101")
        await play(running, "T20 S1 D20")
        code = wall.get_by_test_id("hour-code")
        await expect(code).to_be_visible()
        match = running.tables["main"].state().match
        assert f"take_home#code=m{match}." in (await code.get_by_role("link").get_attribute("href") or "")
        phone = await browser.new_page(viewport={"width": 390, "height": 844})
        await phone.goto(f"{url}#token={token}")
        await phone.get_by_test_id("take-home").click()
        await expect(phone.get_by_test_id("card")).to_be_visible()
        await play(running, "undo")
        await expect(code).to_be_hidden()
