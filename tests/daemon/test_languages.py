"""Sentences in the languages beside English."""

from __future__ import annotations

from daemon.languages import translate
from protocol.sentence import say


def test_a_sentence_is_said_in_german_with_the_names_of_targets() -> None:
    aim = say("task.targets", "Throw at {targets}", targets=("20", "S19", "DB"))
    assert aim.text == "Throw at 20, 19, the inner bull"
    assert translate(aim, "de") == "Wirf auf 20, 19, das innere Bull"
    assert translate(aim, "en") == aim.text


def test_a_sentence_without_a_translation_is_said_in_english() -> None:
    assert translate(say("mine.own", "Throw, {name}", name="bull"), "de") == "Throw, bull"
