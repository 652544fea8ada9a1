"""Art on the page: both sets that come with oche on walls and a phone, one's own files at a moment, the settings."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Literal

import pytest
from playwright.async_api import Browser, Page, ViewportSize, expect

from daemon.admin.art.unpack import set_event_file
from daemon.assemble import RunningDaemon
from tests.daemon.test_art import CSS, SVG, add, make_gif
from tests.daemon.test_sounds import MP3, make_zip
from tests.page.playing import Playing, look_at, play
from tests.page.test_axe import AUDIT
from tests.page.test_voices import RECORDER, make_sound

Motion = Literal["no-preference", "reduce"]
SHIPPED = ("chalk", "neon")
NINE = "T20 T20 T20 / / T20 T20 T20 / / T20 T19 D12"
WALL, TABLET = ViewportSize(width=1920, height=1080), ViewportSize(width=800, height=480)
PHONE = ViewportSize(width=360, height=640)
CONTRASTS = """() => {
  const pen = new OffscreenCanvas(1, 1).getContext("2d");
  const read = (element, name) => {
    pen.fillStyle = getComputedStyle(element).getPropertyValue(name);
    pen.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...pen.getImageData(0, 0, 1, 1).data].map((each) => each / 255)
      .map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  const root = document.documentElement, found = [];
  const check = (what, element, names, grounds) => {
    for (const [name, ground] of names.flatMap((each) => grounds.map((other) => [each, other]))) {
      const ratio = contrast(read(element, name), read(root, ground));
      if (ratio < 4.5) found.push(`${what}${name} on ${ground}: ${ratio.toFixed(2)}`);
    }
  };
  check("", root, ["--text", "--soft", "--bad", "--gold"], ["--ground", "--panel", "--raised"]);
  check("", root, ["--on-gold"], ["--gold"]);
  check("", root, ["--number"], ["--surround"]);
  for (let side = 0; side < 8; side++) {
    const element = document.createElement("i");
    element.className = `side-${side}`;
    document.body.append(element);
    check(`side ${side}: `, element, ["--side"], ["--ground", "--panel"]);
    element.remove();
  }
  return found;
}"""
"""The colours that texts have, on those that are behind them: axe-core does not see through pictures."""


async def wear(page: Page, address: str, art: str, query: str = "") -> None:
    """Opens the scoreboard with this art."""
    await page.goto(f"{address}?art={art}&lang=en{query}")
    await expect(page.locator("html")).to_have_attribute("data-art", art)
    await expect(page.locator("#board [data-segment]").first).to_be_attached()


@pytest.mark.long
@pytest.mark.parametrize("art", SHIPPED)
async def test_what_comes_with_oche_is_read_at_every_size_in_both_themes(
    browser: Browser, match: Playing, art: str, axe_path: Path
) -> None:
    page = await browser.new_page(reduced_motion="reduce")
    await page.add_init_script(path=axe_path)
    problems: list[str] = []
    page.on("console", lambda said: problems.append(said.text) if said.type == "error" else None)
    await match.start("501", ["Ann", "Maximiliane"])
    await match.throw("T20 T20 T20 / T19 S19 S3 / T20")
    for theme, size in itertools.product(("dark", "light"), (WALL, TABLET, PHONE)):
        await page.set_viewport_size(size)
        await wear(page, match.url, art, f"&theme={theme}")
        where = f"{theme}, {size['width']}"
        seen = await look_at(page, match.state, is_wall=size != PHONE)
        found = await page.evaluate(CONTRASTS) + await page.evaluate(AUDIT)
        problems += [f"{where}: {each}" for each in (*seen, *found)]
    assert not problems, "\n".join(problems)


async def test_a_look_is_chosen_in_the_menu_and_put_off_again(page: Page, running: RunningDaemon) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    await page.goto(f"{running.page}?lang=en")
    await expect(page.get_by_test_id("score-0")).to_have_text("301")
    assert not [url for url in asked if "/art" in url], "a first visit is not asked to wait for it"
    plain = await page.evaluate("getComputedStyle(document.body).backgroundColor")
    await page.get_by_test_id("menu").click()
    choice = page.get_by_test_id("menu-art")
    await expect(choice.locator("option")).to_have_text(["Plain", "Chalk", "Neon"])
    await choice.select_option("neon")
    await expect(page.locator("html")).to_have_attribute("data-art", "neon")
    ground = "getComputedStyle(document.documentElement).getPropertyValue('--ground').trim()"
    assert await page.evaluate(ground) == "#07060f"
    await choice.select_option("")
    await expect(page.locator("html")).not_to_have_attribute("data-art", "neon")
    assert await page.evaluate("getComputedStyle(document.body).backgroundColor") == plain
    await page.goto(f"{running.page}?lang=en&art=none")
    await expect(page.get_by_test_id("score-0")).to_have_text("301")
    await expect(page.locator("html")).not_to_have_attribute("data-art", "none")


@pytest.mark.parametrize("art", SHIPPED)
async def test_what_is_small_in_a_scene_is_drawn_solid(page: Page, match: Playing, art: str) -> None:
    """A crown is over a face, and nine darts are thin: faint as the large drawings neither would be seen."""
    await wear(page, match.url, art)
    await expect(page.get_by_test_id("stage")).to_be_attached()
    for game, darts, small in (("101", "T20 / / S1 D20", ".crown"), ("501", NINE, ".nth")):
        await match.start(game, ["Ann", "Bo"])
        await match.throw(darts)
        await expect(page.locator(f"#stage {small}").first).to_have_css("fill-opacity", "1")


async def test_a_sound_of_ones_own_is_played_in_place_of_the_tones(
    page: Page, running: RunningDaemon, tmp_path: Path
) -> None:
    set_event_file("180", ".wav", make_sound(0.4), tmp_path)
    await page.add_init_script(
        RECORDER + "window.tones = 0; const begin = OscillatorNode.prototype.start;"
        "OscillatorNode.prototype.start = function (...when) { window.tones++; return begin.apply(this, when); };"
    )
    await wear(page, running.page or "", "neon", "&sound=1")
    await page.get_by_test_id("title").click()
    await page.wait_for_function("() => window.audio?.state === 'running'")
    await play(running, "T20 T20")
    await page.wait_for_function("() => window.tones === 2")  # one for each dart
    await play(running, "T20")
    await page.wait_for_function("() => window.played.length === 1")
    assert await page.evaluate("Math.round(played[0].seconds * 10)") == 4
    assert await page.evaluate("tones") == 2
    await play(running, "/ T20 T20 T20")
    await page.wait_for_function("() => window.played.length === 2")


@pytest.mark.parametrize(("motion", "is_shown"), [("no-preference", True), ("reduce", False)])
async def test_a_picture_takes_the_place_of_the_flights_until_the_next_dart(
    browser: Browser, running: RunningDaemon, tmp_path: Path, motion: Motion, is_shown: bool
) -> None:
    set_event_file("180", ".gif", make_gif(), tmp_path)
    page = await browser.new_page(viewport=WALL, reduced_motion=motion)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    await wear(page, running.page or "", "chalk")
    await expect(page.get_by_test_id("stage")).to_be_attached()
    await play(running, "T20 T20 T20")
    scene, picture = page.locator(".scene[data-scene='180']"), page.get_by_test_id("art-picture")
    await expect(scene).to_be_visible()
    for size in (WALL, ViewportSize(width=1280, height=720)):  # where the scene is made anew
        await page.set_viewport_size(size)
        await expect(picture).to_have_count(int(is_shown))
        await expect(scene.locator(".flight")).to_have_count(3)
        if is_shown:
            await page.wait_for_function("() => document.querySelector('.art-picture').naturalWidth === 4")
            await expect(scene.locator(".flight").first).to_be_hidden()
    assert any("180.gif" in url for url in asked) is is_shown
    await play(running, "/ T20")
    await expect(picture).to_have_count(0)


async def test_a_drawing_runs_no_script_when_it_is_opened_by_itself(
    page: Page, running: RunningDaemon, tmp_path: Path
) -> None:
    set_event_file("bust", ".svg", SVG, tmp_path)
    await page.goto(f"{running.page}art/own/bust.svg")
    ran = await page.evaluate(
        """() => {
          const script = document.createElementNS("http://www.w3.org/2000/svg", "script");
          script.textContent = "window.ran = true";
          document.documentElement.append(script);
          return window.ran === true;
        }"""
    )
    assert not ran
    assert await page.evaluate("origin") == "null", "it is not of this page's origin"


async def test_art_is_added_chosen_and_removed_in_the_settings(page: Page, address: str, tmp_path: Path) -> None:
    (good := tmp_path / "Pub.zip").write_bytes(
        make_zip({"art.css": CSS, "board.svg": SVG, "about.txt": b"The Red Lion", "readme.md": b""})
    )
    (bad := tmp_path / "bad.zip").write_bytes(make_zip({"art.css": b".side { color: red }\n@import 'x';"}))
    (gif := tmp_path / "hop.gif").write_bytes(make_gif())
    (sound := tmp_path / "hop.mp3").write_bytes(MP3)
    await page.goto(f"{address}settings?lang=en#all")
    await page.get_by_test_id("art").locator("summary").click()
    said, found = page.get_by_test_id("art-said"), page.get_by_test_id("art-list")
    await expect(found.locator("li")).to_have_count(3)
    await page.get_by_test_id("art-add-file").set_input_files(bad)
    await expect(said).to_contain_text("art.css, line 2: @import is not allowed here", ignore_case=True)
    await page.get_by_test_id("art-add-file").set_input_files(good)
    await expect(said).to_have_text("pub was added. Files: 3. Left out, because they are no part of art: 1")
    await expect(page.get_by_test_id("art-add")).to_be_focused()
    await expect(found).to_contain_text("The Red Lion files: 3, 1 kB")
    picture, tone = page.get_by_test_id("art-picture"), page.get_by_test_id("art-sound")
    for moment, is_seen, is_heard in (("bust", False, True), ("walk_on", True, False), ("leg_won", True, True)):
        await page.get_by_test_id("art-event").select_option(moment)
        await expect(picture).to_be_visible(visible=is_seen)
        await expect(tone).to_be_visible(visible=is_heard)
    await page.get_by_test_id("art-picture-file").set_input_files(gif)
    await expect(said).to_have_text("Stored.")
    await page.get_by_test_id("art-sound-file").set_input_files(sound)
    events = page.get_by_test_id("art-events")
    await expect(events.locator("li")).to_have_count(2)
    await page.get_by_test_id("art-picture-file").set_input_files(sound)
    await expect(said).to_contain_text("choose a picture (gif, svg, png, jpg or webp)", ignore_case=True)
    for left, each in ((1, "leg_won-sound"), (0, "leg_won-picture"), (0, "pub")):
        for _ in range(2):
            await page.get_by_test_id(f"art-remove-{each}").click()
        await expect(events.locator("li")).to_have_count(left)
    await expect(found).to_contain_text("You have not added any yet.")


async def test_ones_own_art_is_worn_and_wins_over_sheets_that_come_later(
    page: Page, running: RunningDaemon, tmp_path: Path
) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "state").symlink_to(tmp_path)
    add(tmp_path / "work", {"art.css": CSS + b"#menu-dialog { border-color: #010203 }", "board.svg": SVG})
    await wear(page, running.page or "", "mine")
    await page.get_by_test_id("menu").click()
    await expect(page.get_by_test_id("menu-dialog")).to_have_css("border-top-color", "rgb(1, 2, 3)")
