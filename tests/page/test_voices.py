"""Voices on the page: packs are added and removed in the settings, and Chromium plays them at the right moment."""

from __future__ import annotations

import io
import wave
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType

import pytest
from msgspec.structs import replace
from playwright.async_api import Browser, Page, Route, expect

from daemon.admin.players.book import PlayerBook
from daemon.assemble import RunningDaemon, run_daemon
from daemon.config.outlets import Outlets, Range, Rule, Then
from daemon.sound_packs import SOUNDS
from protocol.commands import Throw
from tests.commanding import give
from tests.daemon.test_sounds import MP3, make_zip
from tests.page.playing import play, setup


async def test_a_pack_is_added_and_removed(page: Page, address: str, tmp_path: Path) -> None:
    (good := tmp_path / "Joey-v3.zip").write_bytes(make_zip({"180.mp3": MP3, "readme.txt": b""}))
    (bad := tmp_path / "bad.zip").write_bytes(make_zip({"../180.mp3": MP3}))
    await page.goto(f"{address}settings?lang=en#all")
    await page.get_by_test_id("voices").locator("summary").click()
    packs, said = page.get_by_test_id("voices-list"), page.get_by_test_id("voices-said")
    await expect(packs).to_have_text("There are none yet.")
    await page.get_by_test_id("voices-add-file").set_input_files(bad)
    await expect(said).to_contain_text(
        "the zip with the pack is not safe: its file ../180.mp3 leads out of the folder", ignore_case=True
    )
    await page.route("**/api/sounds?*", lambda route: route.abort())
    await page.get_by_test_id("voices-add-file").set_input_files(good)
    await expect(said).to_have_text("The file did not arrive: try again.")
    await page.unroute_all()
    await page.get_by_test_id("voices-add-file").set_input_files(good)
    await expect(said).to_have_text("joey was added. Sounds: 1. Left out, because not a sound or too long: 1")
    await expect(page.get_by_test_id("voices-add")).to_be_focused()
    await expect(packs).to_contain_text("joey sounds: 1, 0.0 MB")
    remove = page.get_by_test_id("voices-remove-joey")
    await remove.click()
    await expect(remove).to_have_text("Really remove joey?")
    asked = 0

    async def count(route: Route) -> None:
        nonlocal asked
        asked += 1
        await (route.abort() if asked == 1 else route.continue_())

    await page.route("**/api/sounds/remove", count)
    for said_then in ("did not answer", "joey was removed."):  # a finger that presses twice asks once
        await expect(remove).to_be_enabled()
        await remove.evaluate("(button) => { button.click(); button.click(); }")
        await expect(said).to_contain_text(said_then)
    await expect(packs).to_have_text("There are none yet.")
    assert asked == 2


CALLS = {
    "180": 0.200,
    "177": 0.210,
    "60": 0.220,
    "0": 0.230,
    "busted": 0.240,
    "you_require": 0.250,
    "c_121": 0.260,
    "ann": 0.270,
    "gameshot": 0.280,
    "matchshot": 0.290,
    "t20": 0.160,
    "ambient_180": 3.0,
    "gameon": 0.310,
}
"""What is in the pack of these tests: a sound of its own length for each key."""
RECORDED = {"Ann's own": 0.330, "180's own": 0.340}
"""What players have recorded, in the same way."""
RATE = 8000
RECORDER = """
  window.played = []; window.said = []; window.asked = window.decoded = 0;
  window.AudioContext = class extends AudioContext { constructor() { super(); window.audio = this; } };
  SpeechSynthesis.prototype.speak = (spoken) => {
    if (!spoken.text) { window.primed = window.event?.type; return; }
    window.said.push(spoken.text);
    window.endSpeech = (how) => spoken[how](new Event(how));
    if (!window.isSlow) queueMicrotask(() => window.endSpeech("onend"));
  };
  const { fetch } = window;
  window.fetch = (what, ...how) => {
    if (`${what}`.includes(".wav")) window.asked += 1;
    return fetch(what, ...how);
  };
  const { decodeAudioData } = AudioContext.prototype;
  AudioContext.prototype.decodeAudioData = async function (bytes) {
    const buffer = await decodeAudioData.call(this, bytes);
    window.decoded += 1;
    return buffer;
  };
  const start = AudioBufferSourceNode.prototype.start;
  AudioBufferSourceNode.prototype.start = function (when) {
    const { currentTime } = this.context, from = Math.max(when, currentTime);
    const entry = { seconds: this.buffer.duration, from, until: from + this.buffer.duration, at: performance.now() };
    window.played.push(entry);
    this.addEventListener("ended", () => { entry.until = Math.min(entry.until, this.context.currentTime); });
    const { stop } = this;
    this.stop = () => { entry.until = Math.min(entry.until, this.context.currentTime); stop.call(this); };
    return start.call(this, when);
  };
"""
"""Notes each recording that Chromium starts: when, and until when it sounds; counts those that are fetched."""


def make_sound(seconds: float) -> bytes:
    """Returns a wav of silence of this length."""
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(bytes(2 * round(seconds * RATE)))
    return out.getvalue()


def write_pack(folder: Path, name: str, keys: Mapping[str, float] = MappingProxyType(CALLS)) -> None:
    """Puts a pack into the state that is in this folder."""
    (pack := folder / SOUNDS / name).mkdir(parents=True)
    for key, seconds in keys.items():
        (pack / f"{key}.wav").write_bytes(make_sound(seconds))


async def listen(page: Page, running: RunningDaemon, query: str = "", score: str = "301") -> None:
    """Opens the wall with the voice on, which is touched once."""
    await page.add_init_script(RECORDER)
    await page.goto(f"{running.page}?speech=1&lang=en{query}")
    await expect(page.get_by_test_id("score-0")).to_have_text(score)
    await expect(page.locator("#board .marks")).to_be_attached()
    await page.get_by_test_id("title").click()
    await page.wait_for_function("() => window.audio?.state === 'running'")


async def check_awake(page: Page, event: str) -> None:
    """Checks that the page may be heard without another touch, and that speech was primed in this one, as for iOS."""
    await page.wait_for_function("() => window.audio?.state === 'running'")
    assert await page.evaluate("primed") == event


async def stop_time(page: Page) -> None:
    """From now on time is what the test says, but for what sounds: that takes as long as it does."""
    await page.clock.pause_at(await page.evaluate("Date.now()") / 1000 + 1)


async def fetch_all(page: Page, count: int) -> None:
    """Lets the stopped time go on until so many recordings are asked for, and waits until they are there.

    A call does without those that are not there in time, and where a test says what time it is that may be none.
    """
    while await page.evaluate("asked") < count:
        await page.clock.run_for(10)
    await page.wait_for_function(f"() => decoded === {count}")


async def hear(page: Page, *keys: str) -> None:
    """Waits until exactly these were played."""
    await page.wait_for_function(f"() => played.length >= {len(keys)}")
    assert await list_played(page) == [*keys]


async def hear_all(page: Page, *keys: str) -> None:
    """Waits until exactly these were played, in whichever order."""
    await page.wait_for_function(f"() => played.length >= {len(keys)}")
    assert sorted(await list_played(page)) == sorted(keys)


async def list_played(page: Page) -> list[str]:
    """Returns the keys of what was played so far."""
    played = await page.evaluate("played.map((each) => each.seconds)")
    known = CALLS | RECORDED
    return [min(known, key=lambda key: abs(known[key] - seconds)) for seconds in played]


async def check_none_overlap(page: Page) -> None:
    spans = await page.evaluate("played.map(({ from, until }) => [from, until])")
    assert all(until <= following + 0.005 for (_, until), (following, _) in pairwise(spans)), spans


async def test_a_pack_calls_a_leg(page: Page, running: RunningDaemon, tmp_path: Path) -> None:
    write_pack(tmp_path, "joey-v3")
    await listen(page, running)
    heard: list[str] = []
    required = ["ann", "you_require", "c_121"]
    for inputs, calls in (
        ("T20 T20 T20", ["180", "ambient_180"]),
        ("/ MISS MISS MISS", ["0"]),
        ("/", required),
        ("T20 T20", ["busted"]),
        ("/ MISS MISS MISS", ["0"]),
        ("/", required),
        ("T20 T11 D14", ["matchshot", "ann"]),
    ):
        await play(running, inputs)
        await hear(page, *(heard := [*heard, *calls]))
    await check_none_overlap(page)


def record_names(folder: Path) -> None:
    """Ann has recorded her name, and so has somebody who is called as a number is."""
    for key, seconds in RECORDED.items():
        PlayerBook(folder).set_recorded_name(key.partition("'")[0], make_sound(seconds))


async def wait_for_names(page: Page) -> None:
    """Waits until the page knows the recorded names."""
    find = """performance.getEntriesByType("resource").find(({ name }) => name.endsWith("/recorded_names.js"))"""
    await page.wait_for_function(f"() => {find}")
    await page.evaluate(f"async () => {{ window.names = await import({find}.name); }}")
    await page.wait_for_function("() => names.findRecordedName('ann')")


async def test_a_recorded_name_goes_before_that_of_a_pack(page: Page, running: RunningDaemon, tmp_path: Path) -> None:
    write_pack(tmp_path, "joey")
    record_names(tmp_path)
    await listen(page, running)
    await wait_for_names(page)
    await play(running, "T20 T20 T20")
    await hear(page, *(heard := ["180", "ambient_180"]))
    await play(running, "/ T20 T20 T20")
    await hear(page, *(heard := [*heard, "180", "ambient_180"]))
    await play(running, "/")
    await hear(page, *(heard := [*heard, "Ann's own", "you_require", "c_121"]))
    await play(running, "T20 T11 D14")
    await hear(page, *heard, "matchshot", "Ann's own")
    await check_none_overlap(page)


async def test_the_browsers_voice_leaves_a_recorded_name_to_its_player(
    page: Page, running: RunningDaemon, tmp_path: Path
) -> None:
    record_names(tmp_path)
    await page.add_init_script("window.endSpeech = () => {};")
    await listen(page, running)
    await wait_for_names(page)
    await play(running, "T20 T20 T20 / MISS MISS MISS")
    await page.wait_for_function("() => said.includes('No score')")
    await page.evaluate("isSlow = true; said.length = 0")
    await play(running, "/")
    await page.wait_for_function("() => said.length")
    await hear(page, "Ann's own")
    assert await page.evaluate("said") == ["requires 121"]
    await page.evaluate("isSlow = false; endSpeech('onend'); said.length = 0")
    await play(running, "T20 T11 D14")
    await hear(page, "Ann's own", "Ann's own")
    assert await page.evaluate("said") == ["Game shot, and the match,"]


async def test_the_points_of_a_visit_are_not_taken_for_a_name(page: Page, tmp_path: Path, unused_tcp_port: int) -> None:
    record_names(tmp_path)
    async with run_daemon(setup(tmp_path, unused_tcp_port, players=("180", "Bo"))) as running:
        await listen(page, running)
        await wait_for_names(page)
        await play(running, "T20 T20 T20")
        await page.wait_for_function("() => said.length || played.length")
        assert (await page.evaluate("said"), await list_played(page)) == (["180"], [])


async def test_a_recorded_name_that_cannot_be_played_leaves_the_name_to_others(
    page: Page, running: RunningDaemon, tmp_path: Path
) -> None:
    """To the pack, and without one to the browser's voice."""
    write_pack(tmp_path, "joey")
    record_names(tmp_path)
    await listen(page, running)
    await wait_for_names(page)
    await play(running, "T20 T20 T20")
    await hear(page, *(heard := ["180", "ambient_180"]))
    await play(running, "/ MISS MISS MISS")
    await hear(page, *(heard := [*heard, "0"]))
    PlayerBook(tmp_path).set_recorded_name("Ann", make_sound(0.5))  # in place of the one that the page knows
    await play(running, "/")
    await hear(page, *(heard := [*heard, "ann", "you_require", "c_121"]))
    await page.route("**/api/players/recorded_name/*", lambda route: route.fulfill(body=b"ID3 no sound"))
    await play(running, "T20 T11 D14")
    await hear(page, *(heard := [*heard, "matchshot", "ann"]))
    await page.goto(f"{running.page}?speech=1&lang=en&pack=-")
    await page.get_by_test_id("title").click()
    await wait_for_names(page)
    await page.evaluate("import('./static/wall/voice.js').then((voice) => voice.sayName('Ann', 'Ann, the Ace'))")
    await page.wait_for_function("() => said.includes('Ann, the Ace')")
    assert await list_played(page) == []


async def test_a_recording_that_never_comes_holds_nothing_up_for_ever(
    page: Page, running: RunningDaemon, tmp_path: Path
) -> None:
    write_pack(tmp_path, "joey", {key: CALLS[key] for key in ("180", "0", "busted")})
    await listen(page, running)
    await page.evaluate("limit = AbortSignal.timeout; AbortSignal.timeout = () => limit.call(AbortSignal, 100)")
    await page.route("**/180.wav*", lambda route: None)  # it is never answered
    await play(running, "T20 T20 T20")
    await page.wait_for_function("() => said.includes('180')")
    await page.evaluate("AbortSignal.timeout = limit")
    await play(running, "/ MISS MISS MISS")
    await hear(page, "0")


async def test_a_call_waits_once_however_many_recordings_do_not_come(
    page: Page, running: RunningDaemon, tmp_path: Path
) -> None:
    write_pack(tmp_path, "joey", {"180": CALLS["180"]})
    await page.clock.install()
    await listen(page, running)
    await page.evaluate("AbortSignal.timeout = () => new AbortController().signal")
    await page.route("**/180.wav*", lambda route: None)  # it is never answered
    await stop_time(page)
    await play(running, "T20 T20 T20")
    await expect(page.get_by_test_id("score-0")).to_have_text("121")
    await page.clock.run_for(1_000)  # by then it is due
    assert await page.evaluate("said") == []
    await page.clock.run_for(3_000)
    await page.wait_for_function("() => said.includes('180')")


LEVELS = """
  const { connect } = AudioNode.prototype;
  AudioNode.prototype.connect = function (to, ...more) { this.into = to; return connect.call(this, to, ...more); };
  window.nodes = [];
  for (const kind of [AudioBufferSourceNode, OscillatorNode]) {
    const { start } = kind.prototype;
    kind.prototype.start = function (...when) { window.nodes.push(this); return start.apply(this, when); };
  }
  window.measure = ({ into }) => (into ? (into.gain?.value ?? 1) * measure(into) : 1);
"""
"""Tells how loud each source is made on its way."""


@pytest.mark.parametrize("is_told", [True, False])
async def test_noises_and_tones_are_quieter_while_a_call_is_spoken(
    page: Page, running: RunningDaemon, tmp_path: Path, *, is_told: bool
) -> None:
    """Also where the browser never tells that it has spoken."""
    write_pack(tmp_path, "joey", {"ambient_180": CALLS["ambient_180"]})
    await page.clock.install()
    await page.add_init_script(LEVELS)
    await listen(page, running, "&sound=1")
    await play(running, "T20 T20 T20 /")
    await page.wait_for_function("() => played.length")
    await page.evaluate("isSlow = true; nodes.length = 0")
    await play(running, "T20 T20 T20 /")
    await page.wait_for_function("() => said.at(-1) === '180'")
    await page.evaluate("endSpeech('onend')")
    await page.wait_for_function("() => said.at(-1) === 'Ann requires 121'")
    noise = "nodes.find(({ buffer }) => buffer)"
    await page.wait_for_function(f"() => {noise} && Math.abs(measure({noise}) - 0.2) < 0.005")
    assert await page.evaluate(f"nodes.find(({{ type }}) => type).into.into === {noise}.into.into"), "tones, too"
    await stop_time(page)
    if is_told:
        await page.evaluate("endSpeech('onend')")
    else:
        await page.clock.run_for(20_000)
    await page.wait_for_function(f"() => Math.abs(measure({noise}) - 0.6) < 0.005")


async def test_a_visit_that_is_corrected_is_called_once_and_as_it_is_then(
    page: Page, running: RunningDaemon, tmp_path: Path
) -> None:
    write_pack(tmp_path, "joey")
    await page.clock.install()
    await listen(page, running)
    await stop_time(page)
    score = page.get_by_test_id("score-0")
    await play(running, "T20 T20 T20")
    await expect(score).to_have_text("121")
    await page.clock.run_for(500)  # of which the facts of a dart wait a few for each other
    await play(running, "3=T19")
    await expect(score).to_have_text("124")
    await page.clock.run_for(50)
    assert await list_played(page) == [], "it is too early"
    await page.clock.run_for(100)
    await hear(page, "177")
    await play(running, "3=T20")
    await expect(score).to_have_text("121")
    await page.clock.run_for(3_000)
    assert await list_played(page) == ["177"], "what was called is not called again"
    await play(running, "undo undo undo")  # both corrections, and the dart
    await expect(score).to_have_text("181")
    await play(running, "T20")
    await expect(score).to_have_text("121")
    await page.clock.run_for(500)
    await play(running, "undo")
    await expect(score).to_have_text("181")
    await page.clock.run_for(3_000)
    assert await list_played(page) == ["177"], "what was taken back is not called"


async def test_the_first_dart_of_the_next_visit_drops_what_has_not_begun(
    page: Page, running: RunningDaemon, tmp_path: Path
) -> None:
    write_pack(tmp_path, "joey")
    await page.clock.install()
    await listen(page, running)
    await stop_time(page)
    await play(running, "T20 T20 T20 /")
    await expect(page.get_by_test_id("player")).to_have_text("Bo")
    await page.clock.run_for(500)
    await play(running, "T20")
    await expect(page.get_by_test_id("score-1")).to_have_text("241")
    await page.clock.run_for(3_000)
    assert (await list_played(page), await page.evaluate("said")) == ([], [])


async def test_each_dart_is_called_where_that_is_asked_for(page: Page, running: RunningDaemon, tmp_path: Path) -> None:
    write_pack(tmp_path, "joey")
    await listen(page, running, "&darts=1")
    for count in (1, 2):
        await play(running, "T20")
        await hear(page, *["t20"] * count)
    await play(running, "T20")
    await hear(page, "t20", "t20", "180", "ambient_180")


async def test_a_visit_of_darts_that_the_board_could_not_read_is_no_score_of_nothing(
    page: Page, running: RunningDaemon, tmp_path: Path
) -> None:
    write_pack(tmp_path, "joey", {"0": CALLS["0"]})
    await listen(page, running)
    for _ in range(3):
        await running.tables["main"].command(Throw("MISS", unread=True), "page")
    await play(running, "/ MISS")  # what belongs to another line is called no later than with the next one
    await expect(page.get_by_test_id("dart-0")).to_contain_text("Miss")
    assert await page.evaluate("asked") == 0, "nothing is called"
    await play(running, "MISS MISS")
    await hear(page, "0")


async def test_another_pack_is_chosen_and_what_it_lacks_the_browser_says(
    page: Page, running: RunningDaemon, tmp_path: Path
) -> None:
    write_pack(tmp_path, "joey")
    write_pack(tmp_path, "poor", {"0": CALLS["0"]})
    await listen(page, running, "&pack=poor")
    await play(running, "T20 T20 T20")
    await page.wait_for_function("() => said.length === 1")
    await play(running, "/ MISS MISS MISS")
    await hear(page, "0")
    assert (await page.evaluate("said"))[0] == "180"
    await page.goto(f"{running.page}?speech=1&lang=en&pack=-")
    await page.get_by_test_id("title").click()
    await play(running, "/ T20 S1")
    await play(running, "/")
    await page.wait_for_function("() => said.includes('61')")
    assert await list_played(page) == []


@pytest.mark.parametrize("how", ["onend", "onerror"])
async def test_a_recording_waits_until_the_browser_has_spoken(
    page: Page, running: RunningDaemon, tmp_path: Path, how: str
) -> None:
    write_pack(tmp_path, "poor", {"you_require": CALLS["you_require"], "c_121": CALLS["c_121"], "ann": CALLS["ann"]})
    await page.clock.install()
    await listen(page, running)
    await stop_time(page)
    await page.evaluate("isSlow = true")
    await play(running, "T20 T20 T20 / MISS MISS MISS /")
    await expect(page.get_by_test_id("player")).to_have_text("Ann")
    await fetch_all(page, 3)
    await page.clock.run_for(800)
    await page.wait_for_function("() => said.length === 1")
    await page.clock.run_for(5_000)  # a slow voice, far longer than its text would take
    assert await list_played(page) == []
    await page.evaluate("how => endSpeech(how)", how)
    await hear(page, "ann", "you_require", "c_121")


async def test_a_browser_that_never_says_that_it_has_spoken_holds_nothing_up_for_ever(
    page: Page, running: RunningDaemon, tmp_path: Path
) -> None:
    write_pack(tmp_path, "poor", {"you_require": CALLS["you_require"], "c_121": CALLS["c_121"], "ann": CALLS["ann"]})
    await page.clock.install()
    await listen(page, running)
    await stop_time(page)
    await page.evaluate("SpeechSynthesis.prototype.cancel = () => { isCancelled = true; }; isSlow = true")
    await play(running, "T20 T20 T20 / MISS MISS MISS /")
    await expect(page.get_by_test_id("player")).to_have_text("Ann")
    await fetch_all(page, 3)
    await page.clock.run_for(800)
    await page.wait_for_function("() => said.length === 1")
    await page.evaluate("isCancelled = false")
    await page.clock.run_for(20_000)
    await hear(page, "ann", "you_require", "c_121")
    assert await page.evaluate("isCancelled"), "it would speak over them"


async def test_a_shared_pack_takes_the_place_of_any_others_key(
    page: Page, running: RunningDaemon, tmp_path: Path
) -> None:
    write_pack(tmp_path, "joey", {"180": CALLS["0"], "busted": CALLS["busted"]})
    write_pack(tmp_path, "shared", {"180": CALLS["180"]})
    await listen(page, running)
    await play(running, "T20 T20 T20")
    await hear(page, "180")


async def test_a_wall_offers_the_voice_by_one_tap_in_its_first_match(
    page: Page, running: RunningDaemon, tmp_path: Path
) -> None:
    write_pack(tmp_path, "joey")
    await page.add_init_script(RECORDER)
    await page.goto(f"{running.page}?lang=en")
    await page.get_by_test_id("offer-voice").click()
    await expect(page.get_by_test_id("offer-voice")).to_have_count(0)
    await check_awake(page, "click")
    await play(running, "T20 T20 T20")
    await hear(page, "180", "ambient_180")
    await page.reload()
    await expect(page.get_by_test_id("score-0")).to_have_text("121")
    assert await page.evaluate("localStorage.getItem('oche.speech')") == "1"


async def test_the_switch_in_the_menu_lets_the_page_be_heard_at_once(page: Page, running: RunningDaemon) -> None:
    await page.add_init_script(RECORDER)
    await page.goto(f"{running.page}?lang=en&speech=0")
    await page.get_by_test_id("menu").click()
    await page.get_by_test_id("menu-speech").check()
    await check_awake(page, "change")


async def test_what_nobody_wanted_in_the_first_match_is_not_offered_again(
    page: Page, running: RunningDaemon, tmp_path: Path
) -> None:
    write_pack(tmp_path, "joey")
    await page.goto(f"{running.page}?lang=en")
    await expect(page.get_by_test_id("offer-voice")).to_be_visible()
    await give(running.tables["main"], {"start": None}, "page")
    await expect(page.get_by_test_id("offer-voice")).to_have_count(0)
    assert await page.evaluate("localStorage.getItem('oche.speech')") == "0"


async def test_the_menu_offers_the_packs(page: Page, running: RunningDaemon, tmp_path: Path) -> None:
    write_pack(tmp_path, "joey")
    write_pack(tmp_path, "poor", {"180": CALLS["0"]})
    await listen(page, running)
    await page.get_by_test_id("menu").click()
    await page.get_by_test_id("menu-pack").select_option("poor")
    await page.get_by_test_id("menu-close").click()
    async with page.expect_response("**/sounds/poor/180.wav*"):
        await play(running, "T20 T20 T20")
    await hear(page, "0")


async def test_an_installed_voice_is_used_in_its_language_after_ones_own(
    page: Page, running: RunningDaemon, tmp_path: Path
) -> None:
    write_pack(tmp_path, "joey", {"0": CALLS["0"]})
    write_pack(tmp_path, "box-en", {"0": CALLS["177"], "180": CALLS["180"]})

    async def tell_installed(route: Route) -> None:
        answer = await route.fetch()
        packs = (await answer.json())["packs"]
        await route.fulfill(json={"packs": [{**each, "installed": each["pack"] == "box-en"} for each in packs]})

    await page.route("**/api/sounds", tell_installed)
    await listen(page, running)
    await play(running, "T20 T20 T20")
    await hear(page, "180")
    await play(running, "/ MISS MISS MISS")
    await hear(page, "180", "0")
    await page.goto(f"{running.page}?speech=1&lang=de")
    await page.get_by_test_id("title").click()
    await play(running, "/ T20 S1 /")
    await page.wait_for_function("() => said.includes('61')")
    assert await list_played(page) == []


async def test_a_rule_plays_a_sound_after_the_call_on_screens_that_speak(
    page: Page, tmp_path: Path, unused_tcp_port: int
) -> None:
    write_pack(tmp_path, "joey", {key: CALLS[key] for key in ("180", "0", "busted")})
    prepared = setup(tmp_path, unused_tcp_port)
    rule = Rule(on="visit", points=Range(min=100), then=Then(sound="busted"))
    unknown = Rule(on="visit", then=Then(sound="none"))
    config = replace(prepared.config, outlets=Outlets(rule=(rule, unknown)))
    async with run_daemon(replace(prepared, config=config)) as running:
        await listen(page, running)
        await play(running, "T20 T20 T20")
        await hear(page, "180", "busted")
        await play(running, "/ MISS MISS MISS")
        await hear(page, "180", "busted", "0")
        await check_none_overlap(page)


async def test_no_noise_takes_the_place_of_another(page: Page, tmp_path: Path, unused_tcp_port: int) -> None:
    write_pack(tmp_path, "joey", {key: CALLS[key] for key in ("180", "ambient_180", "60", "busted")})
    prepared = setup(tmp_path, unused_tcp_port)
    rules = tuple(Rule(on="visit", then=Then(sound=sound)) for sound in ("60", "busted"))
    async with run_daemon(replace(prepared, config=replace(prepared.config, outlets=Outlets(rule=rules)))) as running:
        await listen(page, running)
        await play(running, "T20 T20 T20")
        await hear_all(page, "180", "ambient_180", "60", "busted")


async def test_a_noise_is_heard_although_the_next_call_follows_at_once(
    page: Page, running: RunningDaemon, tmp_path: Path
) -> None:
    write_pack(tmp_path, "joey")
    await listen(page, running)
    await play(running, "T20 T20 T20 /")
    await hear(page, "180", "ambient_180")
    await play(running, "T20 T20 T20 /")
    await hear_all(page, *["180", "ambient_180"] * 2, "ann", "you_require", "c_121")


async def test_what_a_visit_gained_without_points_is_not_jeered_at(
    page: Page, tmp_path: Path, unused_tcp_port: int
) -> None:
    write_pack(tmp_path, "joey", {"ambient_noscore": CALLS["busted"], "oche_closed": CALLS["180"]})
    prepared = setup(tmp_path, unused_tcp_port, game="cricket", options={})
    rule = Rule(on="visit", then=Then(sound="oche_closed"))
    async with run_daemon(replace(prepared, config=replace(prepared.config, outlets=Outlets(rule=(rule,))))) as running:
        await listen(page, running, score="0")
        await play(running, "T20 T19 T18")
        await hear(page, "180", "180")  # the call, and at last what the rule names
        await play(running, "/ MISS MISS MISS")
        await hear_all(page, *["180"] * 3, "busted")


@pytest.mark.parametrize("greatest", ["oche_white_horse", "oche_unknown"])
async def test_the_greatest_of_what_a_pack_has_is_called(
    page: Page, tmp_path: Path, unused_tcp_port: int, greatest: str
) -> None:
    write_pack(tmp_path, "joey", {greatest: CALLS["180"], "oche_closed": CALLS["busted"]})
    async with run_daemon(setup(tmp_path, unused_tcp_port, game="cricket", options={})) as running:
        await listen(page, running, score="0")
        await play(running, "T20 T19 T18")  # three are closed, and that is a white horse
        await hear(page, "180" if greatest == "oche_white_horse" else "busted")


async def test_in_quiet_hours_nothing_is_heard(
    browser: Browser, page: Page, running: RunningDaemon, tmp_path: Path
) -> None:
    write_pack(tmp_path, "joey")
    loud = await browser.new_page()
    await page.clock.install()
    hour = await page.evaluate("new Date().getHours()")
    await listen(loud, running, f"&sound=1&quiet={(hour + 2) % 24}-{(hour + 23) % 24}")
    await listen(page, running, f"&sound=1&quiet={hour}-{(hour + 2) % 24}")
    await stop_time(page)
    await play(running, "T20 T20 T20")
    await hear(loud, "180", "ambient_180")
    await expect(page.get_by_test_id("score-0")).to_have_text("121")
    await page.clock.run_for(2_000)
    assert await list_played(page) == []
