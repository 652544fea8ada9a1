"""Rules, and what they do, in the form of all settings: nobody types TOML."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from daemon.admin import lights as page_lights
from tests.daemon.process import eventually
from tests.daemon.test_settings import overwrite, serve, write_file, written
from tests.daemon.wled import Wled, serve_wled
from tests.page.playing import run
from tests.page.test_settings import save

BEFORE = """
[[outlets.rule]]  # the great one
on = ["180", "checkout"]
then = { webhook = "phone" }

# For the neighbours.
[[outlets.rule]]
on = "visit"
points = { min = 100 }
[outlets.rule.then]
webhook = "phone"

[[outlets.webhook]]
name = "phone"
url = "https://phone.example/"
headers = { Authorization = "Bearer a:b" }
secret_file = "secret"
"""


async def open_outlets(page: Page, address: str, language: str = "en") -> None:
    await page.goto(f"{address}settings?lang={language}#all")
    await page.get_by_test_id("section-outlets").locator("summary").first.click()


async def open_cards(page: Page, *names: str) -> None:
    for name in names:
        await page.get_by_test_id(f"card-outlets.{name}").locator("summary").first.click()


async def test_a_rule_and_its_web_hook_are_made_at_once(tmp_path: Path, unused_tcp_port: int, page: Page) -> None:
    file = write_file(tmp_path, unused_tcp_port)
    before = written(file)
    async with run(file) as address:
        await open_outlets(page, address)
        await page.get_by_test_id("add-outlets.rule").click()
        await expect(page.get_by_test_id("set-outlets.rule.0.on")).to_be_focused()
        await page.get_by_test_id("add-outlets.webhook").click()
        await page.get_by_test_id("set-outlets.webhook.0.name").fill("phone")
        await page.get_by_test_id("set-outlets.webhook.0.url").fill("https://phone.example/")
        await page.get_by_test_id("set-outlets.webhook.0.headers").fill("Authorization: Bearer a:b\n")
        await page.get_by_test_id("set-outlets.rule.0.on").select_option(label="a visit ends")
        await page.get_by_label("or …").select_option("bust")
        await page.get_by_test_id("set-outlets.rule.0.points.exactly").fill("26")
        await page.get_by_test_id("set-outlets.rule.0.then.webhook").select_option("phone")
        await save(page)
        outlets = tomllib.loads(written(file))["outlets"]
        assert outlets["rule"] == [{"on": ["visit", "bust"], "points": 26, "then": {"webhook": "phone"}}]
        headers = {"Authorization": "Bearer a:b"}
        assert outlets["webhook"] == [{"name": "phone", "url": "https://phone.example/", "headers": headers}]
        await open_cards(page, "rule.0", "webhook.0")
        for kind in ("rule", "webhook"):
            await page.get_by_test_id(f"remove-outlets.{kind}.0").click()
        await expect(page.get_by_test_id("changes")).to_contain_text("Rule: a visit ends, bust: removed")
        await save(page)
        assert written(file).strip() == before.strip()


async def test_a_change_of_a_rule_leaves_the_rest_of_the_file(tmp_path: Path, unused_tcp_port: int, page: Page) -> None:
    file = write_file(tmp_path, unused_tcp_port)
    (tmp_path / "secret").write_text("s3cret\n")
    overwrite(file, before := written(file) + BEFORE)
    async with run(file) as address:
        await open_outlets(page, address)
        await open_cards(page, "rule.0", "rule.1", "webhook.0")
        await page.get_by_test_id("save").click()
        await expect(page.get_by_test_id("problem")).to_have_text("Nothing was changed.")
        await expect(page.get_by_test_id("set-outlets.webhook.0.secret_file")).to_have_count(0)
        points = page.get_by_test_id("set-outlets.rule.1.points")
        await page.get_by_test_id("set-outlets.rule.1.points.max").fill("140")
        await page.get_by_test_id("set-outlets.webhook.0.name").fill("ntfy")
        for rule in (0, 1):
            await page.get_by_test_id(f"set-outlets.rule.{rule}.then.webhook").select_option("ntfy")
        await page.get_by_test_id("section-outlets").locator(".more > summary").nth(1).click()
        await page.get_by_test_id("set-outlets.rule.1.game").select_option("x01")
        await page.get_by_test_id("set-outlets.rule.1.table").select_option("main")
        await save(page)
        after = before.replace('"phone"', '"ntfy"').replace("{ min = 100 }", "{ min = 100, max = 140 }")
        added = 'table = "main"\ngame = "x01"\n'
        assert written(file) == after.replace("[outlets.rule.then]", f"{added}[outlets.rule.then]")

        await open_cards(page, "rule.1")
        await page.get_by_test_id("set-outlets.rule.1.points.exactly").fill("100")
        await page.get_by_test_id("save").click()
        await expect(page.get_by_test_id("error-outlets.rule.1.points")).to_contain_text("an exact number or a range")
        await expect(points).to_be_focused()


async def test_what_is_wrong_with_a_rule_is_said_at_its_field(tmp_path: Path, unused_tcp_port: int, page: Page) -> None:
    file = write_file(tmp_path, unused_tcp_port)
    overwrite(file, before := written(file) + BEFORE.replace('secret_file = "secret"\n', ""))
    async with run(file) as address:
        await open_outlets(page, address, "de")
        await open_cards(page, "webhook.0")
        await page.get_by_test_id("set-outlets.webhook.0.name").fill("ntfy")
        await page.get_by_test_id("save").click()
        field = page.get_by_test_id("set-outlets.rule.0.then.webhook")
        await expect(page.get_by_test_id("error-outlets.rule.0.then.webhook")).to_contain_text("'phone'")
        await expect(field).to_be_focused()
        await field.select_option("")
        await page.get_by_test_id("save").click()
        await expect(page.get_by_test_id("error-outlets.rule.0.then")).to_have_text("Muss ausgefüllt sein.")
        await expect(page.get_by_test_id("set-outlets.rule.0.then")).to_be_focused()
        await page.get_by_test_id("set-outlets.webhook.0.headers").fill("Bearer")
        await page.get_by_test_id("save").click()
        await expect(page.get_by_test_id("error-outlets.webhook.0.headers")).to_contain_text("Name: Wert")
        await page.get_by_test_id("remove-outlets.rule.0").click()
        await page.get_by_test_id("set-outlets.webhook.0.headers").clear()
        await page.get_by_test_id("save").click()
        await expect(page.get_by_test_id("error-outlets.rule.1.then.webhook")).to_contain_text("'phone'")
    assert written(file) == before


async def test_a_light_and_a_scene_are_chosen_by_name(tmp_path: Path, unused_tcp_port: int, page: Page) -> None:
    file = write_file(tmp_path, unused_tcp_port)
    async with run(file) as address:
        await open_outlets(page, address)
        for kind in ("rule", "light", "scene"):
            await page.get_by_test_id(f"add-outlets.{kind}").click()
        light, scene, then = (f"set-outlets.{each}" for each in ("light.0", "scene.0", "rule.0.then"))
        await page.get_by_test_id(f"{light}.name").fill("strip")
        await page.get_by_test_id(f"{light}.url").fill("http://127.0.0.1:9")
        await page.get_by_test_id(f"{light}.idle").fill("Ann: blue\n*: police")
        await page.get_by_test_id(f"{scene}.name").fill("police")
        await page.get_by_test_id(f"{scene}.effect").fill("Blink")
        await page.get_by_test_id(f"{scene}.palette").fill("7")
        await page.get_by_test_id("set-outlets.rule.0.on").select_option("match_won")
        await page.get_by_test_id(f"{then}.light").select_option("rainbow")
        await page.get_by_test_id(then).get_by_label("or …").first.select_option("police")
        await page.get_by_test_id(f"{then}.lights").select_option("strip")
        await save(page)
    outlets = tomllib.loads(written(file))["outlets"]
    assert outlets["rule"] == [{"on": "match_won", "then": {"light": ["rainbow", "police"], "lights": "strip"}}]
    assert outlets["scene"] == [{"name": "police", "effect": "Blink", "palette": 7}]
    assert outlets["light"][0]["idle"] == {"Ann": "blue", "*": "police"}


async def test_what_is_written_unusually_is_no_change(tmp_path: Path, unused_tcp_port: int, page: Page) -> None:
    """A name with a colon, and a moment that is named twice: neither stands in the way of another change."""
    light = '[[outlets.light]]\nname = "strip"\nurl = "http://127.0.0.1:9"\n'
    idle = 'idle = { "Ann: the 1st" = "blue", "*" = "red" }\n'
    rule = '[[outlets.rule]]\non = ["visit", "visit"]\nthen = { light = "rainbow" }\n'
    file = write_file(tmp_path, unused_tcp_port)
    overwrite(file, before := f"{written(file)}\n{light}{idle}\n{rule}")
    async with run(file) as address:
        await open_outlets(page, address)
        await open_cards(page, "rule.0", "light.0")
        await page.get_by_test_id("save").click()
        await expect(page.get_by_test_id("problem")).to_have_text("Nothing was changed.")
        field = page.get_by_test_id("set-outlets.light.0.idle")
        await expect(field).to_have_value('"Ann: the 1st": blue\n*: red')
        await field.fill('"Ann: the 1st": green\n*: red')
        await save(page)
    assert written(file) == before.replace("blue", "green")


async def test_many_rules_are_folded_and_have_no_fields_until_they_are_opened(
    tmp_path: Path, unused_tcp_port: int, page: Page
) -> None:
    file = write_file(tmp_path, unused_tcp_port)
    rule = '\n[[outlets.rule]]\non = "visit"\npoints = {{ min = {} }}\nthen = {{ light = "strobe" }}\n'
    scene = '\n[[outlets.scene]]\nname = "strobe"\n[[outlets.light]]\nname = "strip"\nurl = "http://127.0.0.1:9"\n'
    overwrite(file, before := written(file) + scene + "".join(rule.format(number) for number in range(100)))
    async with run(file) as address:
        await open_outlets(page, address)
        card, fields = page.get_by_test_id("card-outlets.rule.99"), page.locator(".card .field")
        await expect(card).to_have_text("Rule: a visit ends Points: At least: 99 · What is done: Scene: strobe")
        await expect(fields).to_have_count(0)
        await open_cards(page, "rule.99")
        light = page.get_by_test_id("set-outlets.rule.99.then.light")
        await expect(light).to_have_value("strobe")
        await expect(page.locator(".card:not([open]) .field")).to_have_count(0)
        await light.select_option("rainbow")
        await open_cards(page, "scene.0")
        await page.get_by_test_id("set-outlets.scene.0.name").fill("storm")
        await page.get_by_test_id("save").click()
        await expect(page.get_by_test_id("error-outlets.rule.0.then.light")).to_contain_text("'strobe'")
        await expect(page.get_by_test_id("set-outlets.rule.0.then.light")).to_be_focused()
        await page.get_by_test_id("set-outlets.scene.0.name").fill("strobe")
        await save(page)
    head, _, last = before.rpartition("strobe")
    assert written(file) == f"{head}rainbow{last}"


async def test_a_light_is_found_and_tried_as_it_is_typed(
    tmp_path: Path, unused_tcp_port: int, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_file(tmp_path, unused_tcp_port)
    said = page.get_by_test_id("light-said-0")
    async with serve_wled(Wled()) as wled, serve(file):
        look = wled.look
        monkeypatch.setattr(page_lights, "list_known_hosts", lambda: [f"127.0.0.1:{wled.port}"])
        monkeypatch.setattr(page_lights, "_SHOWN_S", 0.001)
        await open_outlets(page, f"http://127.0.0.1:{unused_tcp_port}/")
        await page.get_by_test_id("add-outlets.light").click()
        await page.get_by_test_id("find-light-0").click()
        await page.get_by_test_id("use-light").click()
        name, url = (page.get_by_test_id(f"set-outlets.light.0.{key}") for key in ("name", "url"))
        await expect(name).to_have_value("ring-at-the-board")
        await expect(url).to_have_value(wled.url)
        await page.get_by_test_id("set-outlets.light.0.brightness").fill("300")
        test = page.get_by_test_id("try-light-0")
        await test.click()
        await expect(page.get_by_test_id("error-outlets.light.0.brightness")).to_contain_text("255")
        await page.get_by_test_id("set-outlets.light.0.brightness").fill("20")
        await page.get_by_test_id("add-outlets.webhook").click()
        await page.get_by_test_id("set-outlets.webhook.0.headers").fill("what cannot be read")
        await test.click()
        await expect(said).to_contain_text("shows again what it showed before")
        assert {body["bri"] for body in wled.requests if body} == {20, 90}
        assert wled.look == look
        await page.get_by_test_id("add-outlets.light").click()
        await page.get_by_test_id("find-light-1").click()
        await page.get_by_test_id("use-light").click()
        await expect(page.get_by_test_id("set-outlets.light.1.name")).to_have_value("ring-at-the-board-2")
        await page.get_by_test_id("remove-outlets.light.1").click()

        monkeypatch.setattr(page_lights, "_SHOWN_S", 3600)
        await test.click()
        await eventually(lambda: wled.state["bri"] == 20)
        await test.click()
        await expect(said).to_contain_text("shows again what it showed before")
        assert wled.look == look
        wled.is_away = True
        await test.click()
        await expect(said).to_contain_text("cannot be tried: it answered with status 503")
    assert "outlets" not in tomllib.loads(written(file))
