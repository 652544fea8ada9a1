"""The voice in the box: what it says, and that the programs which speak make recordings of it."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

from daemon.sound_packs import find_kind
from protocol.moments import MOMENTS
from tests.conftest import skip_without

ROOT = Path(__file__).parents[1]
CALLS = (ROOT / "daemon/web/page/wall/call_keys.js").read_text(encoding="utf-8").partition("const AMBIENT")[0]
VOICE: dict[str, Any] = runpy.run_path(str(ROOT / "debian/release/voice.py"))
FILLED = {"points": "60", "left": "40", "bed": "20", "leg": "2", "set": "1", "number": "1", "award": "hat_trick"}


@pytest.mark.parametrize("language", ["en", "de", "fr", "es"])
def test_it_says_all_that_the_page_calls(language: str) -> None:
    """But the names, and noises."""
    texts = VOICE["list_texts"](language)
    assert {str(number) for number in range(181)} <= texts.keys()
    ways = [
        way
        for ways in re.findall(r'^  \w+: \[(".+")\],$', CALLS, re.MULTILINE)
        for way in re.findall(r'"([^"]+)"', ways)
    ]
    steps = {step.lstrip("?") for way in ways for step in way.split(" ")} - {"+{name}|{name}"}
    assert len(steps) > 20
    for step in steps:
        keys = [re.sub(r"{(\w+)}", lambda place: FILLED.get(place[1], "none"), key) for key in step.split("|")]
        is_noise = any(key.startswith(("effect_", "yr_", "s20")) for key in keys)  # for which there is another way
        assert is_noise or any(key in texts for key in keys), step


def test_each_award_that_it_says_is_one() -> None:
    german, french, spanish = (VOICE[language].keys() for language in ("GERMAN", "FRENCH", "SPANISH"))
    assert VOICE["ENGLISH"].keys() == german == french == spanish
    awards = {moment.name for moment in MOMENTS.values() if moment.fact == "award"}
    assert {key.removeprefix("oche_") for key in VOICE["ENGLISH"] if key.startswith("oche_")} <= awards


@pytest.mark.parametrize(
    ("number", "text"),
    [(7, "seven"), (20, "twenty"), (57, "fifty seven"), (100, "one hundred"), (180, "one hundred and eighty")],
)
def test_it_says_numbers_as_callers_do(number: int, text: str) -> None:
    assert VOICE["list_texts"]("en")[str(number)] == text


@pytest.mark.long
def test_the_programs_make_a_recording_of_it(tmp_path: Path) -> None:
    skip_without("flite espeak-ng sox lame")
    VOICE["make_packs"](tmp_path, {"en": {"180": "one hundred and eighty"}, "de": {"180": "180"}})
    VOICE["make_packs"](tmp_path / "again", {"en": {"180": "one hundred and eighty"}})
    spoken = {path.relative_to(tmp_path).as_posix(): path.read_bytes() for path in tmp_path.rglob("*.mp3")}
    assert {name: find_kind(content) for name, content in spoken.items()} == dict.fromkeys(spoken, "audio/mpeg")
    assert all(1_000 < len(content) < 10_000 for content in spoken.values())
    assert spoken["oche-en/180.mp3"] == spoken["again/oche-en/180.mp3"], "the same text gives the same bytes"
