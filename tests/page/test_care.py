"""Care, on the settings page: reports, the doctor, backups, what is logged and what the boards say, a new start."""

from __future__ import annotations

import re
import tarfile
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio
from playwright.async_api import Page, expect

from daemon.admin.art.packs import MOST_BYTES
from daemon.admin.temporary import ART
from simulator.pty_board import PtyBoard
from tests.daemon.process import throw
from tests.daemon.test_settings import overwrite, written
from tests.page.playing import PATIENCE_MS, run
from tests.page.test_settings import save


@pytest_asyncio.fixture(loop_scope="session")
async def care(page: Page, address: str) -> AsyncIterator[Page]:
    """The settings page, with this part unfolded."""
    await open_care(page, address)
    yield page


async def open_care(page: Page, address: str, look: str = "") -> None:
    await page.goto(f"{address}settings{look}#all")
    await page.get_by_test_id("care").locator("summary").click()
    await expect(page.get_by_test_id("care-report")).to_be_visible()


async def test_it_saves_a_report_and_a_backup(care: Page, tmp_path: Path) -> None:
    (pack := tmp_path / "state/sounds/mine").mkdir(parents=True)
    (pack / "180.mp3").write_bytes(b"ID3")
    await care.get_by_test_id("care-backup-sounds").check()
    for what, ending in (("report", ".zip"), ("backup", ".tar.gz")):
        async with care.expect_download(timeout=PATIENCE_MS) as coming:
            await care.get_by_test_id(f"care-{what}").click()
        saved = await coming.value
        assert saved.suggested_filename.startswith(f"oche-{what}-")
        assert saved.suggested_filename.endswith(ending)
        await saved.save_as(file := tmp_path / "saved")
        if what == "backup":
            with tarfile.open(file) as tar:
                assert "state/sounds.1.zip" in tar.getnames()
        else:
            assert zipfile.is_zipfile(file)
        await expect(care.get_by_test_id("care-said")).to_contain_text(saved.suggested_filename)
        await expect(care.get_by_test_id(f"care-{what}")).to_be_focused()


async def test_it_says_what_a_backup_has_not(care: Page, tmp_path: Path) -> None:
    (art := tmp_path / "state" / ART / "large").mkdir(parents=True)
    (art / "180.mp3").write_bytes(b"ID3" + bytes(MOST_BYTES))
    async with care.expect_download(timeout=PATIENCE_MS):
        await care.get_by_test_id("care-backup").click()
    said = "large is not in it, because art has at most 100 files and 2 MB"
    await expect(care.get_by_test_id("care-said")).to_contain_text(said)


async def test_it_puts_a_backup_back(care: Page, file: Path, tmp_path: Path) -> None:
    async with care.expect_download(timeout=PATIENCE_MS) as download:
        await care.get_by_test_id("care-backup").click()
    await (await download.value).save_as(backup := tmp_path / "backup.tar.gz")
    text = written(file)
    await care.get_by_test_id("set-table.0.title").fill("The Oak")
    await save(care)
    said, choose = care.get_by_test_id("care-said"), care.get_by_test_id("restore-file")
    await choose.set_input_files(file)
    await expect(said).to_contain_text("this is not an oche backup")
    await choose.set_input_files(backup)
    await expect(care.get_by_test_id("restore-found")).to_contain_text("A backup from")
    assert "The Oak" in written(file), "it asks first"
    await care.get_by_test_id("restore-state").uncheck()
    await care.get_by_test_id("restore-go").click()
    await expect(said).to_have_text("The backup was restored.")
    assert written(file) == text
    await expect(care.get_by_test_id("set-table.0.title")).to_have_value("")


async def test_it_shows_the_log_and_what_a_board_says(file: Path, page: Page, board: PtyBoard) -> None:
    overwrite(file, written(file).replace("sim:opendarts", board.address))
    async with run(file) as address:
        await board.wait_until_open()
        await open_care(page, address)
        await page.get_by_test_id("care-log").locator("summary").click()
        line = page.get_by_test_id("lines-log").locator("li.info", has_text="running; tables: main")
        await expect(line).to_be_visible()
        await page.get_by_test_id("care-level").select_option("warning")
        await expect(line).to_be_hidden()
        await page.get_by_test_id("care-traffic").locator("summary").click()
        said = page.get_by_test_id("lines-traffic").locator(
            "li", has_text=re.compile(r"main: [\d.]+ s ← .+ {2}[0-9a-f]{4,}")
        )
        await expect(page.get_by_test_id("lines-traffic").locator("li").first).to_be_visible()
        before = await said.count()
        throw(board, "T20")
        await expect(said.nth(before)).to_be_visible()
        lines = page.get_by_test_id("lines-traffic")
        await expect(lines.locator("li.counted")).to_contain_text("T20: counted")
        throw(board, "D3", "T7", "D11")
        await expect(lines.locator("li.dropped")).to_contain_text("D11: does not count: all darts of this visit")


async def test_it_asks_the_doctor_and_starts_anew(care: Page, file: Path) -> None:
    await care.get_by_test_id("care-doctor").click()
    await expect(care.get_by_test_id("checks")).to_contain_text("it is running")
    await expect(care.get_by_test_id("checks").locator("li.ok").first).to_be_visible()
    right = written(file)
    overwrite(
        file, right.replace('players = ["Ann"', 'players = ["<img src=x>"').replace("[web]", '[web]\nnames = "<b>"')
    )
    await care.get_by_test_id("care-restart").click()
    await expect(care.get_by_test_id("care-said")).to_contain_text("could not start with the file")
    await care.get_by_test_id("care-doctor").click()
    await expect(care.get_by_test_id("checks").locator("li.problem").first).to_contain_text("config")
    overwrite(file, right)
    await care.get_by_test_id("care-restart").click()
    await expect(care.get_by_test_id("care-said")).to_have_text("oche has restarted.")


async def test_a_remedy_of_the_doctor_is_a_button_or_a_line_to_copy(file: Path, page: Page, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    overwrite(secret, "s3cret")
    secret.chmod(0o644)
    user = f'on = true\nusername = "oche"\npassword_file = "{secret}"'
    overwrite(file, written(file).replace("on = false", user).replace("port = 1883", "port = 1"))
    async with run(file) as address:
        await open_care(page, address)
        await page.get_by_test_id("care-doctor").click()
        checks = page.get_by_test_id("checks")
        remedy = checks.locator(".typed", has_text=f"sudo chmod o= {secret}")
        await remedy.get_by_test_id("copy").click(timeout=PATIENCE_MS)
        await expect(checks).to_contain_text(re.compile(r"Copied|Selected"))
        assert await page.evaluate("getSelection().toString()") in ("", f"sudo chmod o= {secret}")
        await expect(page.get_by_test_id("section-mqtt")).not_to_have_attribute("open", "")
        await page.get_by_test_id("repair-port").click()
        await expect(page.get_by_test_id("set-mqtt.host")).to_be_visible()
        await expect(checks.locator("li", has_text="disk:").locator("button")).to_have_count(0)


async def test_it_is_german_and_fits_a_phone(care: Page) -> None:
    await care.set_viewport_size({"width": 390, "height": 844})
    await open_care(care, care.url.removesuffix("settings#all"), "?lang=de")
    await expect(care.get_by_test_id("care")).to_contain_text("Bericht erstellen")
    await care.get_by_test_id("care-doctor").click()
    await expect(care.get_by_test_id("care-said")).to_have_text("Der Doctor hat alles geprüft.")
    page = care.get_by_test_id("checks").locator("li", has_text="Seite:")
    await expect(page).to_contain_text("ok Seite: ist nur auf diesem Rechner zu erreichen")
    await expect(page).to_contain_text('schreib host = "0.0.0.0" unter [web]')
    assert await care.evaluate("document.documentElement.scrollWidth") <= 390
