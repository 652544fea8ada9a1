"""Voices on the page: packs are added and removed in the settings."""

from __future__ import annotations

from pathlib import Path

from playwright.async_api import Page, expect

from tests.daemon.test_sounds import MP3, make_zip


async def test_a_pack_is_added_and_removed(page: Page, address: str, tmp_path: Path) -> None:
    (good := tmp_path / "Joey-v3.zip").write_bytes(make_zip({"180.mp3": MP3, "readme.txt": b""}))
    (bad := tmp_path / "bad.zip").write_bytes(make_zip({"../180.mp3": MP3}))
    await page.goto(f"{address}settings?lang=en#all")
    await page.get_by_test_id("voices").locator("summary").click()
    packs, said = page.get_by_test_id("voices-list"), page.get_by_test_id("voices-said")
    await expect(packs).to_have_text("There are none yet.")
    await page.get_by_test_id("voices-file").set_input_files(bad)
    await expect(said).to_contain_text(
        "this zip is not safe: its file ../180.mp3 leads out of the folder", ignore_case=True
    )
    await page.get_by_test_id("voices-file").set_input_files(good)
    await expect(said).to_have_text("joey was added. Sounds: 1. Left out, because not a sound or too long: 1")
    await expect(page.get_by_test_id("voices-add")).to_be_focused()
    await expect(packs).to_contain_text("joey sounds: 1, 0.0 MB")
    remove = page.get_by_test_id("voices-remove-joey")
    await remove.click()
    await expect(remove).to_have_text("Really remove joey?")
    await remove.click()
    await expect(said).to_have_text("joey was removed.")
    await expect(packs).to_have_text("There are none yet.")
