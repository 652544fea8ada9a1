"""The settings on the page: a real daemon, changed by a real browser."""

from __future__ import annotations

import re
import tomllib
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from daemon.web.token import make_setup_token, make_token
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.test_settings import overwrite, write_file, written
from tests.daemon.test_settings_home_assistant import write_file_with_broker
from tests.page.playing import run
from tests.page.test_axe import LOOKS, VIEWS, Findings

BOARDS = Path(__file__).parents[2] / "protocol" / "boards"


@pytest_asyncio.fixture(loop_scope="session")
async def settings(page: Page, address: str) -> AsyncIterator[Page]:
    """The settings page, opened from the menu."""
    await page.goto(address)
    await page.get_by_test_id("menu").click()
    await page.get_by_test_id("settings").click()
    await page.get_by_test_id("all-settings").click()
    await expect(page.get_by_test_id("section-table")).to_be_visible()
    yield page


async def save(page: Page, said: str = "The new settings are in use.") -> None:
    await page.get_by_test_id("save").click()
    await expect(page.get_by_test_id("said")).to_contain_text(said)


async def test_a_table_is_changed_added_and_removed(settings: Page, file: Path) -> None:
    before = written(file)
    await settings.get_by_test_id("set-table.0.title").fill('The "Oak" <b>')
    await settings.get_by_test_id("set-table.0.takeout").select_option("timer")
    await settings.get_by_test_id("add-table").click()
    await settings.get_by_test_id("set-table.1.board").fill("none")
    await settings.get_by_test_id("set-table.1.name").fill("cellar")
    await settings.get_by_test_id("set-table.1.dartboard").select_option(label="Soft tip, 13.2 inch")
    await settings.get_by_test_id("set-table.1.players").fill("Cy, the elder\nDi\n")
    await save(settings)
    first, second = tomllib.loads(written(file))["table"]
    assert (first["title"], first["takeout"]) == ('The "Oak" <b>', "timer")
    kept = {"board": "none", "name": "cellar", "dartboard": "soft_13.2", "players": ["Cy, the elder", "Di"]}
    assert second == kept
    await expect(settings.get_by_test_id("set-table.1.name")).to_have_value("cellar")

    await settings.get_by_test_id("set-table.0.takeout").select_option("")
    await settings.get_by_test_id("remove-table.1").click()
    await save(settings)
    await settings.get_by_test_id("set-table.0.title").fill("")
    await save(settings)
    assert written(file).strip() == before.strip()

    for _ in range(2):
        await settings.get_by_test_id("revert").click()
        await expect(settings.get_by_test_id("said")).to_contain_text("was taken back")
        await expect(settings.get_by_test_id("revert")).to_be_enabled()
    assert len(tomllib.loads(written(file))["table"]) == 2


async def test_a_proxy_is_added_without_the_file_of_its_key(settings: Page, file: Path) -> None:
    await settings.get_by_test_id("section-proxy").locator("summary").click()
    await settings.get_by_test_id("add-proxy").click()
    host = settings.get_by_test_id("set-proxy.0.host")
    await host.fill("http://cellar")
    await settings.get_by_test_id("save").click()
    await expect(settings.get_by_test_id("error-proxy.0.host")).to_contain_text("is not a proxy's address")
    await host.fill("proxy-cellar.local")
    await expect(settings.get_by_test_id("set-proxy.0.key_file")).to_have_count(0)
    await save(settings)
    assert tomllib.loads(written(file))["proxy"] == [{"host": "proxy-cellar.local"}]
    await expect(settings.get_by_test_id("section-proxy")).to_contain_text("Bluetooth proxy proxy-cellar.local")


async def test_what_is_wrong_is_said_beside_its_field(settings: Page, file: Path) -> None:
    before = written(file)
    for field, value, said in (
        ("table.0.game", "chess", "chess"),
        ("table.0.doubles", "{Ann", "This is not JSON"),
        ("table.0.wiring.turn", "20", "this must be a whole number <= 19"),
        ("table.0.wiring.rows", "0, one", "Write numbers separated by commas"),
        ("table.0.timing.stuck_ms", "0", "timing.stuck_ms = 0"),
        ("mqtt.port", "99999", "this must be a whole number <= 65535"),
        ("mqtt.port", "88e", "This is not a number"),
    ):
        section = settings.get_by_test_id(f"section-{field.split('.')[0]}")
        if await section.get_attribute("open") is None:
            await section.locator("summary").first.click()
        if field.startswith(("table.0.doubles", "table.0.wiring", "table.0.timing")):
            await section.locator(".more > summary").click()
        await settings.get_by_test_id(f"set-{field}").clear()
        await settings.get_by_test_id(f"set-{field}").press_sequentially(value)
        await settings.get_by_test_id("save").click()
        await expect(settings.get_by_test_id(f"error-{field}")).to_contain_text(said)
        await expect(settings.get_by_test_id(f"set-{field}")).to_be_focused()
        await expect(settings.get_by_test_id("problem")).to_have_text(
            "A field needs attention; see the note beside it."
        )
        await settings.reload()
    assert written(file) == before


async def test_the_options_are_those_of_the_game(tmp_path: Path, unused_tcp_port: int, page: Page) -> None:
    """What is left at its default is not written, and the options of one game are not those of another."""
    second = '[[table]]\nboard = "none"\nname = "cellar"\noptions = { out = "straight" }'
    file = write_file(tmp_path, unused_tcp_port, table=f'options = {{ start = 301, out = "double" }}\n{second}')
    async with run(file) as address:
        await page.goto(f"{address}settings#all")
        options, other = (page.get_by_test_id(f"set-table.{table}.game-options") for table in (0, 1))
        start = options.get_by_label("Start score")
        await expect(start).to_have_value("301")
        await expect(options.get_by_role("group", name="Out").get_by_label("Double")).to_be_checked()
        await expect(other.get_by_role("group", name="Out").get_by_label("Straight")).to_be_checked()
        await page.get_by_test_id("save").click()
        await expect(page.get_by_test_id("problem")).to_have_text("Nothing was changed.")
        await start.fill("")
        await page.get_by_test_id("save").click()
        await expect(page.get_by_test_id("error-table.0.game-options")).to_contain_text("start")
        await expect(options).to_be_focused()
        await start.fill("501")
        await options.locator("summary").click()
        await options.get_by_label("Rounds", exact=True).press_sequentially("1e")
        await page.get_by_test_id("save").click()
        await expect(page.get_by_test_id("error-table.0.game-options")).to_contain_text("rounds")
        await options.get_by_label("Rounds", exact=True).clear()
        await options.get_by_role("group", name="In", exact=True).get_by_label("Double").check()
        await save(page)
        first, second = tomllib.loads(written(file))["table"]
        assert (first["options"], second["options"]) == ({"in": "double"}, {"out": "straight"})

        await page.get_by_test_id("set-table.0.game").fill("count_up")
        await page.get_by_test_id("set-table.1.game").fill("<img>")
        await expect(options.get_by_label("Target score")).to_be_visible()
        await page.get_by_test_id("set-table.1.game").press("Tab")
        await expect(page.get_by_test_id("set-table.1.options")).to_have_value("")
        await page.get_by_test_id("set-table.1.game").fill("cricket")
        await page.get_by_test_id("set-table.1.game").press("Tab")
        await other.get_by_label("Scoring").select_option(label="Cut throat")
        await save(page)
        first, second = tomllib.loads(written(file))["table"]
        assert (first["game"], "options" in first) == ("count_up", False)
        assert (second["game"], second["options"]) == ("cricket", {"scoring": "cut_throat"})


async def test_times_and_wiring_have_a_field_each(settings: Page, file: Path) -> None:
    before = written(file)
    more = settings.get_by_test_id("section-table").locator(".more > summary")
    await more.click()
    await settings.get_by_test_id("set-table.0.timing.repeat_ms").fill("250")
    await settings.get_by_test_id("set-table.0.wiring.turn").fill("3")
    await settings.get_by_test_id("set-table.0.wiring.mirror").select_option("true")
    await save(settings)
    (table,) = tomllib.loads(written(file))["table"]
    assert table["timing"] == {"repeat_ms": 250}
    assert table["wiring"] == {"turn": 3, "mirror": True}
    await more.click()
    for value in ("timing.repeat_ms", "wiring.turn"):
        await settings.get_by_test_id(f"set-table.0.{value}").fill("")
    await settings.get_by_test_id("set-table.0.wiring.mirror").select_option("")
    await save(settings)
    assert written(file).strip() == before.strip()


async def test_what_is_wrong_is_said_in_german(settings: Page) -> None:
    await settings.goto(settings.url.replace("#", "?lang=de#"))
    for field, value, said in (
        ("table.0.game", "chess", "Das Spiel 'chess' gibt es nicht"),
        ("table.0.profile", "granbord", "Ein Profil 'granbord' gibt es nicht; meinst du 'granboard'?"),
        ("mqtt.port", "99999", "mqtt.port = 99999: Hier gehört eine ganze Zahl <= 65535 hin"),
        ("mqtt.host", "mqtt://broker", "'mqtt://broker' ist keine Adresse eines Brokers"),
    ):
        section = settings.get_by_test_id(f"section-{field.split('.')[0]}")
        if await section.get_attribute("open") is None:
            await section.locator("summary").first.click()
        await settings.get_by_test_id(f"set-{field}").fill(value)
        await settings.get_by_test_id("save").click()
        await expect(settings.get_by_test_id(f"error-{field}")).to_contain_text(said)
        await settings.reload()


async def test_a_password_that_is_needed_is_asked_for_beside_its_field(settings: Page, file: Path) -> None:
    await settings.get_by_test_id("section-mqtt").locator("summary").first.click()
    await settings.get_by_test_id("set-mqtt.username").fill("oche")
    await settings.get_by_test_id("set-mqtt.password").fill("s3cret")
    await save(settings)
    await settings.get_by_test_id("set-mqtt.username").fill("other")
    await settings.get_by_test_id("save").click()
    await expect(settings.get_by_test_id("error-mqtt.password")).to_contain_text("enter the password again")
    await expect(settings.get_by_test_id("set-mqtt.password")).to_be_focused()
    await settings.get_by_test_id("set-mqtt.password").fill("another")
    await save(settings)
    assert tomllib.loads(written(file))["mqtt"]["username"] == "other"


async def test_a_broker_is_tried_before_it_is_saved(settings: Page, file: Path, unused_tcp_port: int) -> None:
    before = written(file)
    await settings.get_by_test_id("section-mqtt").locator("summary").first.click()
    await settings.get_by_test_id("set-mqtt.host").fill("<img src=x>")
    await settings.get_by_test_id("test-broker").click()
    await expect(settings.get_by_test_id("error-mqtt.host")).to_contain_text("is not a broker's address")
    await settings.get_by_test_id("set-mqtt.host").fill("127.0.0.1:1")
    await settings.get_by_test_id("set-mqtt.port").press_sequentially("e")
    await settings.get_by_test_id("test-broker").click()
    await expect(settings.get_by_test_id("error-mqtt.port")).to_contain_text("This is not a number")
    await settings.get_by_test_id("set-mqtt.port").clear()
    await settings.get_by_test_id("test-broker").click()
    said = settings.get_by_test_id("broker-said")
    await expect(said).to_have_text("oche cannot use this broker like this:")
    checks = settings.get_by_test_id("broker-checks")
    await expect(checks.locator(".problem")).to_contain_text("no broker answers at 127.0.0.1:1")
    assert written(file) == before


async def test_another_address_of_the_page_is_shown_with_the_token_for_it(settings: Page) -> None:
    await settings.get_by_test_id("section-web").locator("summary").first.click()
    host = settings.get_by_test_id("set-web.host")
    await host.evaluate("(select) => select.append(new Option('192.0.2.1', '192.0.2.1'))")
    await host.select_option("192.0.2.1")
    await save(settings, "The page has a new address:")
    link = settings.get_by_test_id("said").locator("a")
    await expect(link).to_have_text(re.compile(r"^http://192\.0\.2\.1:\d+/settings$"))
    await expect(link).to_have_attribute("href", re.compile(r"/settings#token=setup-"))


async def test_it_is_used_with_the_keyboard_alone(settings: Page, file: Path) -> None:
    await settings.get_by_test_id("section-bridge").locator("summary").focus()
    await settings.keyboard.press("Enter")
    for _ in range(2):
        await settings.keyboard.press("Tab")
    await expect(settings.get_by_test_id("set-bridge.language")).to_be_focused()
    await settings.keyboard.press("d")
    await settings.keyboard.press("Enter")
    await settings.get_by_test_id("save").focus()
    await settings.keyboard.press("Enter")
    await expect(settings.get_by_test_id("said")).to_contain_text("The new settings are in use.")
    await expect(settings.get_by_test_id("save")).to_be_focused()
    assert tomllib.loads(written(file))["bridge"]["language"] == "de"


async def test_the_page_is_opened_to_others_and_shows_the_tokens_once(settings: Page, file: Path) -> None:
    await settings.get_by_test_id("section-web").locator("summary").first.click()
    await settings.get_by_test_id("set-web.host").select_option("0.0.0.0")
    await save(settings)
    await expect(settings.get_by_test_id("made-play").locator("svg")).to_be_visible()
    await expect(settings.get_by_test_id("made-setup").locator("code")).to_contain_text("setup-")
    await settings.route("**/settings/token", lambda route: route.abort())
    await settings.get_by_test_id("token-play").click()
    await expect(settings.get_by_test_id("problem")).to_contain_text("did not answer")
    await settings.unroute("**/settings/token")
    await settings.get_by_test_id("token-play").click()
    await expect(settings.get_by_test_id("made-setup")).to_have_count(0)
    await settings.reload()
    await expect(settings.get_by_test_id("section-table")).to_be_visible()
    await expect(settings.get_by_test_id("tokens")).to_be_hidden()
    assert tomllib.loads(written(file))["web"]["host"] == "0.0.0.0"


async def test_who_plays_has_no_settings_and_the_token_of_the_setup_opens_them(
    tmp_path: Path, unused_tcp_port_factory: Callable[[], int], page: Page, browser: Browser
) -> None:
    file = write_file(tmp_path, unused_tcp_port_factory(), web='host = "0.0.0.0"\n')
    token, setup = make_token(tmp_path / "state"), make_setup_token(tmp_path / "state")
    async with run(file) as address:
        await page.goto(f"{address}#token={token}")
        await page.get_by_test_id("menu").click()
        await expect(page.get_by_test_id("history")).to_be_visible()
        await expect(page.get_by_test_id("settings")).to_have_count(0)
        await page.goto(f"{address}settings")
        await expect(page.get_by_test_id("state")).to_contain_text("this device cannot change settings")
        await expect(page.get_by_test_id("form")).to_be_hidden()
        await page.get_by_test_id("enter").click()
        await page.get_by_test_id("token").fill(setup)
        await page.get_by_test_id("token").press("Enter")
        await expect(page.get_by_test_id("door-board")).to_be_visible()
        another = await browser.new_page()
        await another.goto(f"{address}#token={token}")
        await another.get_by_test_id("menu").wait_for()
        await another.goto(f"{address}settings#token={setup}")
        await expect(another.get_by_test_id("door-board")).to_be_visible()
        await page.goto(address)
        await page.get_by_test_id("menu").click()
        await expect(page.get_by_test_id("settings")).to_be_visible()


@pytest.mark.long
@pytest.mark.parametrize("look", LOOKS)
async def test_it_is_accessible(examined: Page, address: str, look: str) -> None:
    """As it opens, and with all unfolded, a mistake and what the doctor says."""
    findings, page = Findings(), examined
    for view, size in VIEWS.items():
        await page.set_viewport_size(size)
        await page.goto("about:blank")  # the same address would not be loaded again
        await page.goto(f"{address}settings?{look}#all")
        await expect(page.get_by_test_id("section-table")).to_be_visible()
        await findings.audit(page, view)
        await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
        await page.get_by_test_id("care-doctor").click()
        await expect(page.get_by_test_id("checks").locator("li").first).to_be_visible()
        await page.get_by_test_id("set-table.0.game").fill("chess")
        await page.get_by_test_id("save").click()
        await expect(page.get_by_test_id("error-table.0.game")).to_contain_text("chess")
        for kind in ("rule", "webhook"):
            await page.get_by_test_id(f"add-outlets.{kind}").dispatch_event("click")
        await findings.audit(page, f"{view}, all unfolded")
    assert not findings.all, "\n".join(findings.all)


async def test_nothing_is_wider_than_the_screen(settings: Page) -> None:
    for kind in ("rule", "webhook"):
        await settings.get_by_test_id(f"add-outlets.{kind}").dispatch_event("click")
    await settings.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    for width, height in ((390, 844), (800, 480), (1280, 720)):
        await settings.set_viewport_size({"width": width, "height": height})
        assert await settings.evaluate("document.documentElement.scrollWidth") <= width


async def test_the_entities_in_home_assistant_are_listed(
    tmp_path: Path, mosquitto_path: Path, unused_tcp_port_factory: Callable[[], int], page: Page
) -> None:
    page_port, port = unused_tcp_port_factory(), unused_tcp_port_factory()
    file = write_file_with_broker(tmp_path, page_port, port, table='title = "<img src=x onerror=alert(1)>"')
    async with Mosquitto(mosquitto_path, tmp_path / "broker", port), run(file) as address:
        for lang, said in (("en", "No client of the broker reads"), ("de", "Kein Client des Brokers liest")):
            await page.goto(f"{address}settings?lang={lang}#all")
            await page.get_by_test_id("section-home_assistant").locator("summary").first.click()
            entities = page.get_by_test_id("entities")
            await expect(entities).not_to_have_attribute("open", "")
            await entities.locator("summary").click()
            await expect(entities.get_by_test_id("home-assistant-said")).to_contain_text(said)
            await expect(entities.get_by_role("heading")).to_have_text("<img src=x onerror=alert(1)>")
            await expect(entities.get_by_role("listitem").filter(has_text="Checkout hint")).to_be_visible()


async def test_a_plugin_that_is_not_used_says_why(file: Path, page: Page) -> None:
    for folder, name, text in (
        ("games", "broken.py", "1 / 0\n"),
        ("games", "<img src=x onerror=alert(1)>.py", "GAMES = []\n"),
        (
            "boards",
            "mine.toml",
            (BOARDS / "opendarts.toml").read_text(encoding="utf-8").replace('"opendarts"', '"mine"'),
        ),
        ("boards", "odd.toml", (BOARDS / "opendarts.toml").read_text(encoding="utf-8") + "\n[usb]\nids = []\n"),
    ):
        (file.parent / folder).mkdir(exist_ok=True)
        overwrite(file.parent / folder / name, text)
    async with run(file) as address:
        await page.goto(f"{address}settings#all")
        await page.get_by_test_id("plugins").locator("summary").click()
        items = page.get_by_test_id("plugins-list").locator("li")
        await expect(items).to_have_count(4)
        await expect(items.filter(has_text="mine: in use")).to_contain_text("mine.toml")
        await expect(items.filter(has_text="broken: not used")).to_contain_text("ZeroDivisionError")
        await expect(items.filter(has_text="<img src=x onerror=alert(1)>: not used")).to_contain_text("GAMES is empty")
        await expect(items.filter(has_text="odd: not used")).to_contain_text("usb.ids must list at least one")
        await page.goto(f"{address}settings?lang=de#all")
        await page.get_by_test_id("plugins").locator("summary").click()
        odd = items.filter(has_text="odd: wird nicht benutzt").locator("[lang=de]")
        await expect(odd).to_contain_text("usb.ids braucht mindestens eine Kennung")
