"""Sentences in the languages beside English."""

from __future__ import annotations

import inspect
import json
import re
from typing import get_args

import pytest

from daemon.admin.doctor.checks import Check, command, then
from daemon.config.sections import Language
from daemon.languages import FOLDER, LANGUAGES, translate
from daemon.mqtt.outbox import Outbox
from daemon.snapshot import take_snapshot
from daemon.table.effects import Update
from daemon.table.scoresheet import explain_stray
from engine.games import GAMES
from protocol.commands import Throw
from protocol.messages import explain_failure
from protocol.sentence import Sentence, say
from tests.engine.records import Record, header
from tests.english_words import list_speaking_files, read_sentences

KEY = re.compile(r'(?:say|refuse)\(\s*"([a-z0-9_]+)\.([a-z0-9_]+)"')
PLACE = re.compile(r"{{(\w+)}}")
OF_PROGRAMS = {
    "details",
    "element",
    "examples",
    "game",
    "hint",
    "layout",
    "open",
    "order",
    "prompt",
    "question",
    "value",
    "what",
}
"""What a refusal says to programs, by ids or in English only: another language may leave it out."""


def test_a_sentence_is_said_in_german_with_the_names_of_targets() -> None:
    aim = say("task.targets", "Hit {targets}", targets=("20", "S19", "DB"))
    assert aim.text == "Hit 20, 19, the inner bull"
    assert translate(aim, "de") == "Triff 20, 19, das innere Bull"
    assert translate(aim, "en") == aim.text


def test_a_remedy_of_the_doctor_is_said_in_german_with_the_same_commands() -> None:
    lines = "sudo rfkill unblock bluetooth", "sudo bluetoothctl power on"
    text = say("doctor.radio_blocked", "{name} is blocked by software", name="hci0")
    check = Check("bluetooth", "problem", text, then(*map(command, lines)))
    assert str(check) == f"problem  bluetooth   hci0 is blocked by software: {lines[0]}, then {lines[1]}"
    assert isinstance(check.remedy, Sentence)
    assert translate(check.remedy, "de") == f"{lines[0]}, dann {lines[1]}"
    assert check.commands == lines


def test_a_sentence_without_a_translation_is_said_in_english() -> None:
    assert translate(say("mine.own", "Throw, {name}", name="bull"), "de") == "Throw, bull"


@pytest.mark.slow
def test_every_sentence_is_said_in_every_language_with_its_values() -> None:
    english = read_sentences()
    code = "".join(file.read_text(encoding="utf-8") for file in list_speaking_files())
    assert not [key for key in KEY.findall(code) if key[1] not in english.get(key[0], {})], "write the text in the call"
    for language in (language for language in LANGUAGES if language != "en"):
        names_of_files = (f"{language}.json", f"setup_{language}.json")
        files = [json.loads((FOLDER / name).read_text(encoding="utf-8")) for name in names_of_files]
        told = files[0] | files[1]
        assert not files[0].keys() & files[1].keys()
        assert told.keys() == english.keys(), f"they are in daemon/languages, in {' and '.join(names_of_files)}"
        for group, names in english.items():
            assert not names.keys() - told[group].keys(), f"{group}: they are not in daemon/languages/*{language}.json"
            assert group == "label" or not told[group].keys() - names.keys(), f"{group}: no one says them any more"
            for name, text in names.items():
                mine, theirs = set(PLACE.findall(told[group][name])), set(PLACE.findall(text))
                assert mine <= theirs <= mine | OF_PROGRAMS, (language, group, name)


def test_a_refusal_is_said_in_german_with_the_sentence_in_it() -> None:
    record = Record(header("x01"))
    record.play("T20 T20 T20")
    match = record.match
    refused = match.apply(match.line + 1, Throw("T19")).said
    assert isinstance(refused, Sentence)
    stray = explain_stray("O5", refused)
    assert str(stray) == "5 did not count: all darts of this visit are thrown: pull them, then press next"
    assert (
        translate(stray, "de")
        == "5 hat nicht gezählt: Alle Darts dieser Aufnahme sind geworfen: zieh sie, dann Nächster"
    )
    failure = explain_failure("illegal", stray)
    assert (failure.key, failure.message) == ("refused.stray", str(stray))
    assert failure.values == {"bed": "O5", "why": {"text": str(refused), "key": "refused.thrown", "values": {}}}


@pytest.mark.parametrize(
    ("darts", "why"),
    [
        ("T20 S10", "Bust: 70 of 69"),
        ("T18 S14", "Bust: 1 left, and no dart finishes that"),
        ("T18 S15", "Bust: the last dart was not a double"),
    ],
)
def test_a_bust_says_why(darts: str, why: str) -> None:
    state = Record(header("x01", options={"start": 101})).play(f"S20 S12 MISS / MISS MISS MISS / {darts}")
    assert state["task"]["text"] == why


@pytest.mark.long
def test_every_question_of_a_shipped_game_has_a_sentence_of_its_own() -> None:
    kinds = {
        f"{name}_{kind}"
        for name, game in GAMES.items()
        for part in type(game).__mro__
        if part.__module__.startswith("engine.games.")
        for kind in re.findall(r'prompt_id\("(\w+)"', inspect.getsource(part))
    }
    assert {"x01_split", "tactics_use", "wild_mouse_use", "golf_stop"} < kinds
    assert read_sentences()["prompt"].keys() == kinds, "say it as prompt.<game>_<kind>"


def test_mqtt_says_the_task_in_the_configured_language() -> None:
    assert {*get_args(Language)} == {*LANGUAGES}
    outbox = Outbox("oche", "de")
    outbox.put_update(Update("main", state=take_snapshot(Record(header("killer")).match)))
    sent = {message.topic: message.payload.decode() for message in iter(outbox.take, None)}
    assert sent["oche/table/main/attr/task"] == "Triff mit der anderen Hand eine freie Zahl: sie gehört dann dir"


NOUNS = {
    "en": "bytes characters darts days decoys goals heads hits holes innings journals lives marks members numbers "
    "pixels players points rounds seconds sides steps tables times visits wickets",
    "de": "Aufnahmen Darts Felder Innings Journale Köpfe Löcher Marken Minuten Punkte Runden Schritte Seiten Sekunden "
    "Spielern Tage Tagen Tische Tore Treffern Wickets Zahlen",
    "nl": "apparaten banen beurten bytes dagen doelpunten getallen holes innings koppen levens lokgetallen marks "
    "minuten partijenbestanden pijlen pixels punten rondes seconden slagen spelers teams tekens treffers wickets",
    "fr": "buts camps caractères coups doubles drapeaux fichiers fléchettes hexagones innings joueurs jours leurres "
    "marques numéros octets pixels points relances runs secondes tables têtes touches tours trous vies volées "
    "wickets étapes",
    "es": "aciertos archivos bandos bytes cabezas caracteres carreras casillas dardos dobles días goles golpes "
    "hexágonos hoyos innings jugadores legs líneas marcas mesas números pasos píxeles puntos repeticiones "
    "rondas segundos señuelos tiradas veces vidas wickets",
}
NEVER_ONE = {
    *(
        "checkout_drills.next",
        "checkout_drills.next_later",
        "checkout_drills.on",
        "checkout_drills.only",
        "checkout_drills.point",
        "x01.refuse_numbers",
        "variant.hole_darts",
    ),
    *("cricket.drawn", "cricket.close_open", "cricket.begin_give", "cricket.begin_marks", "cricket.close_marks"),
    *("scram.stop", "scram.score", "tactics.open", "golf.again", "golf.worst", "yatzy_dart.made"),
    *("scram.stop_marks", "tic_tac_toe.claim", "dards.multiplied", "hammer_cricket.hit", "hammer_cricket.more"),
    *("refused.many_devices", "refused.from_sides", "refused.some_sides", "refused.from_members"),
    *("refused.some_members", "players.large", "players.pixels", "players.full", "players.long_recording"),
    *("doctor.certificate_ok", "doctor.journals_ok", "doctor.journals_slow", "doctor.config_ok", "doctor.lost"),
    *("refused.cut", "doctor.restarted", "learn.dead", "learn.no_bed", "broker.packet_limit", "token.least"),
    *("ear.darts", "ear.points", "ear.unthrown", "art.gif", "art.still", "art.animation", "art.large"),
    *("tournament.roster", "tournament.sides_drawn", "tournament.tables"),
}
"""Sentences with a number before a plural that is never 1 there: for 1 there is another sentence, or it is no case."""


@pytest.mark.parametrize("language", NOUNS)
def test_no_sentence_has_one_before_a_plural(language: str) -> None:
    several = re.compile(rf"{{{{\w+}}}} ({'|'.join(NOUNS[language].split())})\b")
    files = [json.loads((FOLDER / f"{kind}{language}.json").read_text(encoding="utf-8")) for kind in ("", "setup_")]
    found = {
        f"{group}.{name}"
        for file in files
        for group in file
        for name in file[group]
        if several.search(file[group][name])
    }
    singular = {name for name in found if name.startswith("variant.")}  # engine/phrases.py has those for 1 beside them
    assert found - singular <= NEVER_ONE


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_asks_for_the_token_of_a_board_names_its_field(language: str) -> None:
    said = json.loads((FOLDER / f"setup_{language}.json").read_text(encoding="utf-8"))["link"]
    page = (FOLDER.parent / "web" / "page" / "words" / f"settings_{language}.js").read_text(encoding="utf-8")
    (field,) = re.findall(r'\btoken: "([^"]+)"', page)
    assert not [name for name in ("web_no_token", "web_no_entry", "scolia_token") if field not in said[name]]


def test_no_line_of_french_ends_before_its_mark() -> None:
    """Blanks before these marks do not break."""
    files = [*FOLDER.rglob("*fr.json"), *(FOLDER.parent / "web" / "page").rglob("*_fr.js")]
    assert len(files) > 9
    texts = [text for file in files for text in re.findall(r'"((?:[^"\\\n]|\\.)*)"', file.read_text(encoding="utf-8"))]
    assert "Scènes" in texts
    assert not [text for text in texts if re.search(" [:;?!»]|« ", text)]
