"""The players in a real browser: what they say of themselves is kept and shown, and names are changed by who may."""

from __future__ import annotations

import base64
import io
import re
import wave
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, FilePayload, Page, expect

from daemon.admin.players.book import PlayerBook
from daemon.admin.players.picture_size import read_size
from daemon.admin.players.player_files import LARGE, SMALL
from daemon.admin.requests import ChangePlayer
from daemon.assemble import RunningDaemon, run_daemon
from daemon.web.token import make_setup_token, make_token
from tests.commanding import give
from tests.daemon.evenings import Evening
from tests.page.playing import setup
from tests.page.test_stillness import MOST_SHIFT
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


def make_noise() -> bytes:
    """A picture that is large however it is packed. Not made where this file is only read, as by each worker."""
    return make_png(900, 700, 2, bytes((x * 73 * y + x * x) % 251 for y in range(700) for x in range(3 * 900)))


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
        FilePayload(name="me.png", mimeType="image/png", buffer=make_noise())
    )
    await expect(page.locator("#profiles img.avatar").first).to_have_js_property("naturalWidth", 128)
    (di,) = PlayerBook(tmp_path).list_players()
    _, content = PlayerBook(tmp_path).read_picture(di.picture or "") or ("", b"")
    assert content[:3] == b"\xff\xd8\xff"
    assert len(content) <= SMALL.most_bytes

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


MICROPHONE = """
  navigator.mediaDevices.getUserMedia = async () => {
    window.microphone = new AudioContext();
    const [voice, into] = [new OscillatorNode(microphone), new MediaStreamAudioDestinationNode(microphone)];
    voice.connect(into);
    voice.start();
    return into.stream;
  };
"""
"""One in which a tone is heard."""


def make_tone(silent_s: float, heard_s: float, louder_s: float = 0) -> bytes:
    """Returns a wav of two channels: silence, a tone, silence again, and then a louder tone."""
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(8000)
        silence = bytes(4 * round(silent_s * 8000))
        file.writeframes(silence + b"\0\x10\0\x10\0\xf0\0\xf0" * round(heard_s * 4000) + silence)
        file.writeframes(b"\0\x40\0\x40\0\xc0\0\xc0" * round(louder_s * 4000))
    return out.getvalue()


def read_recorded_name(folder: Path) -> float | None:
    """Returns how long the only recorded name is, in seconds; None: there is none."""
    book = PlayerBook(folder)
    for player in book.list_players():
        if player.recorded_name:
            kind, content = book.read_recorded_name(player.recorded_name) or ("", b"")
            assert kind == "audio/wav"
            with wave.open(io.BytesIO(content)) as file:
                assert (file.getnchannels(), file.getsampwidth()) == (1, 2)
                samples = memoryview(file.readframes(file.getnframes())).cast("h")
                assert 28_000 < max(samples) < 32_000, "it is as loud as others"
                return float(file.getnframes() / file.getframerate())
    return None


async def test_a_player_chooses_a_recording_of_the_name(browser: Browser, after: RunningDaemon, tmp_path: Path) -> None:
    page = await browser.new_page(viewport={"width": 390, "height": 844})
    await page.add_init_script("Object.defineProperty(navigator, 'mediaDevices', { value: undefined });")  # as for http
    await open_profiles(page, after, make_token(tmp_path))
    await page.locator("#profiles summary", has_text="Di").click()
    file, said = page.get_by_test_id("name-file"), page.get_by_test_id("name-said")
    await expect(page.get_by_test_id("record-name")).to_have_count(0)
    await expect(page.get_by_test_id("hear-name")).to_be_hidden()
    for wrong in (b"ID3 no sound", make_tone(0.2, 0)):
        await file.set_input_files(FilePayload(name="di.mp3", mimeType="audio/mpeg", buffer=wrong))
        await expect(said).to_contain_text("cannot play this recording")
        await expect(page.get_by_test_id("keep-name")).to_be_hidden()
    await file.set_input_files(FilePayload(name="di.wav", mimeType="audio/wav", buffer=make_tone(0.5, 0.25)))
    await expect(said).to_have_text("Listen to it, then keep it.")
    assert read_recorded_name(tmp_path) is None, "it is not kept yet"
    await page.get_by_test_id("keep-name").click()
    await expect(page.get_by_test_id("said")).to_have_text("Saved.")
    assert read_recorded_name(tmp_path) == pytest.approx(0.35, abs=0.02), "the silence around it is cut off"
    await page.get_by_test_id("name-file").set_input_files(
        FilePayload(name="di.wav", mimeType="audio/wav", buffer=make_tone(0.1, 4, 0.5))
    )
    await page.get_by_test_id("keep-name").click()
    await expect(page.get_by_test_id("keep-name")).to_be_hidden()
    assert read_recorded_name(tmp_path) == pytest.approx(3, abs=0.02)
    async with page.expect_response("**/api/players/recorded_name/*"):
        await page.get_by_test_id("hear-name").click()
    await page.get_by_test_id("remove-name").click()
    await expect(page.get_by_test_id("remove-name")).to_be_hidden()
    assert read_recorded_name(tmp_path) is None


async def test_a_player_records_the_name(browser: Browser, after: RunningDaemon, tmp_path: Path) -> None:
    page = await browser.new_page(viewport={"width": 390, "height": 844})
    await page.add_init_script(MICROPHONE)
    await page.clock.install()
    await open_profiles(page, after, make_token(tmp_path))
    await page.locator("#profiles summary", has_text="Di").click()
    await page.get_by_test_id("record-name").click()
    said = page.get_by_test_id("name-said")
    await expect(said).to_have_text("Say the name: this device records for 3 seconds.")
    await page.wait_for_function("() => microphone.currentTime > 0.5")
    await page.clock.run_for(3_000)
    await expect(said).to_have_text("Listen to it, then keep it.")
    await expect(page.get_by_test_id("record-name")).to_have_text("Record again")
    await page.get_by_test_id("keep-name").click()
    await expect(page.get_by_test_id("remove-name")).to_be_visible()
    assert 0.1 < (read_recorded_name(tmp_path) or 0) <= 3
    await page.evaluate(
        "() => { navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('', 'NotAllowedError')); }"
    )
    await page.get_by_test_id("record-name").click()
    await expect(said).to_contain_text("may not use the microphone")


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


async def test_no_two_in_the_lobby_have_the_same_colour(page: Page, tmp_path: Path, unused_tcp_port: int) -> None:
    """Though oche gives all three the same one by their names; who has chosen it keeps it."""
    with Evening(tmp_path) as evening:
        evening.play("T20 S1 D20", players=["Bo", "Cy", "Lee"], options={"start": 101})
    avatars = page.locator("#lobby li .avatar")
    async with run_daemon(setup(tmp_path, unused_tcp_port)) as running:
        for colours in ([5, 6, 7], [6, 5, 7]):
            await page.goto(running.page or "")
            await page.get_by_test_id("other").click()
            await expect(page.locator("#lobby li b")).to_have_text(["Cy", "Lee", "Bo"])
            await expect(avatars).to_have_class([f"avatar side-{colour}" for colour in colours])
            PlayerBook(tmp_path).change(ChangePlayer("Lee", colour=5))


HALVES = """async () => {
  const canvas = Object.assign(document.createElement("canvas"), { width: 1200, height: 900 });
  const drawing = canvas.getContext("2d");
  for (const [colour, left] of [["#f00", 0], ["#00f", 600]]) {
    drawing.fillStyle = colour;
    drawing.fillRect(left, 0, 600, 900);
  }
  return canvas.toDataURL("image/jpeg").split(",")[1];
}"""
"""A JPEG whose left half is red, and the right one blue."""
ON_ITS_SIDE = b"\xff\xe1\0\x22Exif\0\0MM\0*\0\0\0\x08\0\1\1\x12\0\3\0\0\0\1\0\6\0\0\0\0\0\0"
"""What a phone that is held upright writes at the beginning of a JPEG: what is left there belongs to the top."""
READ_COLOURS = """async (address) => {
  const picture = await createImageBitmap(await (await fetch(address)).blob());
  const drawing = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
  drawing.drawImage(picture, 0, 0);
  const read = (part) => [...drawing.getImageData(picture.width / 2, picture.height * part, 1, 1).data].slice(0, 3);
  return [read(0.1), read(0.9)].map((colour) => ["red", "green", "blue"][colour.indexOf(Math.max(...colour))]);
}"""


async def test_a_phone_takes_a_picture_in_three_taps(browser: Browser, after: RunningDaemon, tmp_path: Path) -> None:
    """The third is that of the camera."""
    page = await browser.new_page(viewport={"width": 360, "height": 640}, has_touch=True, is_mobile=True)
    await open_profiles(page, after, make_token(tmp_path))
    photo = base64.b64decode(await page.evaluate(HALVES))
    await page.locator("#profiles summary", has_text="Di").tap()
    async with page.expect_file_chooser() as choosing:
        await page.get_by_role("button", name="Take a picture").tap()
    camera = await choosing.value
    assert await camera.element.get_attribute("capture") == "user"
    taken = photo[:2] + ON_ITS_SIDE + photo[2:]
    await camera.set_files(FilePayload(name="me.jpg", mimeType="image/jpeg", buffer=taken))
    await expect(page.locator("#profiles .portrait img.face")).to_have_js_property("naturalWidth", 480)
    assert await page.locator("#profiles .portrait .face").evaluate("face => face.clientWidth") >= 200
    assert await page.evaluate("document.documentElement.scrollWidth") == 360
    book = PlayerBook(tmp_path)
    (di,) = book.list_players()
    for picture, limits, width in ((di.picture, SMALL, 128), (di.face, LARGE, 480)):
        kind, content = book.read_picture(picture or "") or ("", b"")
        assert kind == "image/jpeg"
        assert len(content) <= limits.most_bytes
        assert read_size(content) == (width, width)
        assert b"Exif" not in content
    assert await page.evaluate(READ_COLOURS, f"api/players/picture/{di.face}") == ["red", "blue"]

    async with page.expect_file_chooser() as choosing:
        await page.get_by_role("button", name="Choose a file").tap()
    files = await choosing.value
    assert await files.element.get_attribute("capture") is None
    await files.set_files(FilePayload(name="me.jpg", mimeType="image/jpeg", buffer=b"\xff\xd8\xff no picture"))
    await expect(page.get_by_test_id("profile-problem")).to_contain_text("cannot read this file as a picture")
    assert book.list_players() == [di]
    await files.set_files(FilePayload(name="me.png", mimeType="image/png", buffer=make_noise()))
    await expect(page.locator("#profiles .portrait img.face")).not_to_have_attribute("src", re.compile(di.face or ""))
    (noisy,) = book.list_players()
    assert len((book.read_picture(noisy.face or "") or ("", b""))[1]) in range(20_000, LARGE.most_bytes + 1)
    await page.goto(address(after, "", "history?player=Di"))
    assert await page.locator("#card img.face").evaluate("face => face.clientWidth") >= 200
    assert await page.evaluate("document.documentElement.scrollWidth") == 360
    await page.goto(address(after, "", "history?players=1&player=Di"))
    await page.get_by_test_id("remove-picture").tap()
    await expect(page.locator("#profiles .portrait img")).to_have_count(0)
    assert [(each.picture, each.face) for each in book.list_players()] == [(None, None)]


PLACES = """() => Object.fromEntries(["#sides .points", "#darts", "#task", "#board"].map((each) => {
  const { x, y, width, height } = document.querySelector(each).getBoundingClientRect();
  return [each, [x, y, width, height, getComputedStyle(document.querySelector(each)).fontSize]];
}))"""
WATCH = """globalThis.moved = [];
globalThis.shifts = new PerformanceObserver((list) => moved.push(...list.getEntries()));
shifts.observe({ type: "layout-shift" });"""
MOVED = """new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(
  [...moved, ...shifts.takeRecords()].map(({ value, sources }) => ({
    value, moved: sources.map(({ node }) => (node?.id || node?.className) ?? node?.parentElement?.className),
  }))
))))"""


async def test_the_wall_shows_who_throws(browser: Browser, after: RunningDaemon, tmp_path: Path) -> None:
    """Large, beside the board; what one plays by keeps its place and its size."""
    table, book, token = after.tables["main"], PlayerBook(tmp_path), make_token(tmp_path)
    for name in ("Ann", "Di"):
        book.set_picture(name, make_png(8, 8, 2, bytes(192)))
        book.change(ChangePlayer(name=name, colour=5))
    await give(table, {"start": {"game": "501", "players": ["Ann", "Bo"]}}, "page")
    wall = await browser.new_page(viewport={"width": 1920, "height": 1080})
    await wall.goto(address(after, token))
    await expect(wall.locator("#sides .badge.pictured")).to_have_count(1)
    before, thrower = await wall.evaluate(PLACES), wall.get_by_test_id("thrower")
    await expect(thrower).to_have_count(0)

    book.set_face("Ann", make_png(480, 480, 2, bytes(3 * 480 * 480)))
    await give(table, {"start": {"game": "501", "players": ["Ann", "Bo"]}}, "page")
    await expect(thrower.locator("img.face")).to_be_visible()

    async def find_size() -> tuple[float, float]:
        box = await thrower.locator(".face:not([hidden])").bounding_box()
        assert box is not None
        return box["width"], box["height"]

    size = await find_size()
    assert min(size) >= 200
    assert await wall.evaluate(PLACES) == before
    await wall.evaluate(WATCH)
    for dart in ("T20", "S5", "MISS"):
        await give(table, {"throw": dart}, "page")
    await give(table, {"next": True}, "page")
    await expect(thrower.locator("span.face")).to_have_text("B")
    await expect(thrower.locator("img.face")).to_be_hidden()
    assert await find_size() == size
    found = await wall.evaluate(MOVED)
    assert sum(each["value"] for each in found) < MOST_SHIFT, found

    await wall.set_viewport_size({"width": 800, "height": 480})
    await expect(thrower).to_be_hidden()
    await wall.set_viewport_size({"width": 1920, "height": 1080})
    await expect(thrower).to_be_visible()
    await give(table, {"start": {"game": "501", "players": ["Bo", "Cy"]}}, "page")
    await expect(thrower).to_be_hidden()
    await expect(wall.locator("#board")).to_have_attribute("preserveAspectRatio", "xMidYMid")
    await expect(wall.locator("#sides .badge").first).to_have_class("badge")  # no colour that was given
    await give(table, {"start": {"game": "501", "players": ["Ann", "Bo"]}}, "page")
    await expect(wall.locator("#sides .badge").first).to_have_class("badge pictured side-5")
    await give(table, {"start": {"game": "501", "players": ["Ann", "Di"]}}, "page")
    await expect(wall.locator("#sides .badge").first).to_have_class("badge pictured")  # both have chosen it


async def test_all_languages_say_all(page: Page, running: RunningDaemon) -> None:
    await page.goto(running.page or "")
    english, *others = await page.evaluate("""async () => {
      const shape = (value) => typeof value !== "object" ? typeof value
        : Object.entries(value).map(([key, each]) => [key, shape(each)]).sort();
      const codes = ["en", "de", "nl", "fr", "es"];
      const found = await Promise.all(codes.map((code) => import(`./static/words/players_${code}.js`)));
      return found.map(({ players }) => shape(players));
    }""")
    assert others == [english] * 4
