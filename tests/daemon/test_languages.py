"""Sentences in the languages beside English."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args

import pytest

from daemon.config.sections import Language
from daemon.languages import FOLDER, LANGUAGES, translate
from daemon.mqtt.outbox import Outbox
from daemon.snapshot import take_snapshot
from daemon.table.effects import Update
from protocol.sentence import say
from tests.engine.records import Record, header
from tests.english_words import read_sentences

ENGINE = Path(__file__).parents[2] / "engine"
KEY = re.compile(r'say\(\s*"([a-z0-9_]+)\.([a-z0-9_]+)"')
PLACE = re.compile(r"{{(\w+)}}")


def test_a_sentence_is_said_in_german_with_the_names_of_targets() -> None:
    aim = say("task.targets", "Hit {targets}", targets=("20", "S19", "DB"))
    assert aim.text == "Hit 20, 19, the inner bull"
    assert translate(aim, "de") == "Triff 20, 19, das innere Bull"
    assert translate(aim, "en") == aim.text


def test_a_sentence_without_a_translation_is_said_in_english() -> None:
    assert translate(say("mine.own", "Throw, {name}", name="bull"), "de") == "Throw, bull"


def test_every_sentence_of_the_games_is_said_in_german_with_its_values() -> None:
    german = json.loads((FOLDER / "de.json").read_text(encoding="utf-8"))
    english = read_sentences()
    code = "".join(file.read_text(encoding="utf-8") for file in sorted(ENGINE.rglob("*.py")))
    assert not [key for key in KEY.findall(code) if key[1] not in english.get(key[0], {})], "write the text in the call"
    assert german.keys() == english.keys()
    for group, names in english.items():
        assert names.keys() <= german[group].keys() if group == "label" else names.keys() == german[group].keys(), group
        for name, text in names.items():
            assert set(PLACE.findall(text)) == set(PLACE.findall(german[group][name])), (group, name)


@pytest.mark.parametrize(
    ("darts", "why"),
    [
        ("T20 S10", "Bust: 70 of 69"),
        ("T18 S14", "Bust: left 1, and no dart finishes that"),
        ("T18 S15", "Bust: the last dart was no double"),
    ],
)
def test_a_bust_says_why(darts: str, why: str) -> None:
    state = Record(header("x01", options={"start": 101})).play(f"S20 S12 MISS / MISS MISS MISS / {darts}")
    assert state["task"]["text"] == why


def test_mqtt_says_the_task_in_the_configured_language() -> None:
    assert {*get_args(Language)} == {*LANGUAGES}
    outbox = Outbox("oche", "de")
    outbox.put_update(Update("main", state=take_snapshot(Record(header("killer")).match)))
    sent = {message.topic: message.payload.decode() for message in iter(outbox.take, None)}
    assert sent["oche/table/main/attr/task"] == "Triff mit der anderen Hand eine freie Zahl: sie gehört dann dir"
