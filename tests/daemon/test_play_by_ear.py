"""Games played to the end by somebody who only listens, and what is said of darts, corrections and questions."""

from __future__ import annotations

import re
from itertools import product
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from daemon.languages import LANGUAGES
from daemon.outlets.calls import Calls
from daemon.outlets.ear_questions import find_question
from daemon.outlets.play_by_ear import Mode, list_aims, tell, tell_standing, write_item
from daemon.outlets.where_it_went import compare
from daemon.snapshot import take_snapshot
from engine.games import GAMES
from engine.match import make_events
from protocol.commands import Amend, Choose, Input, Next, Throw, Undo
from protocol.layouts import find_layout
from protocol.messages import State
from protocol.standard import STEEL, standard
from simulator.thrower import Thrower
from tests.engine.records import Record, header
from tests.engine.test_complete import least
from tests.sweep import sweep

MOST = 3000
MODES: tuple[Mode, Mode] = ("full", "brief")
"""In which somebody who only listens plays each game: in one of them with every change, in turn."""
AIMLESS: frozenset[str] = frozenset(
    (
        "all_fives.so_far",
        "all_fives.third",
        "challenge.first",
        "challenge.free",
        "challenge.name",
        "count_up.most",
        "english_cricket.bat",
        "english_cricket.run",
        "gotcha.catch",
        "gotcha.go",
        "ground_round.none",
        "halving.bed",
        "halving.bed_only",
        "halving.capital",
        "halving.colours",
        "halving.exact",
        "halving.lost",
        "halving.side",
        "knockout.beat",
        "knockout.beyond",
        "knockout.first",
        "knockout.more",
        "knockout.safe",
        "low_ball.low",
        "nine_dart_century.left",
        "sudden_death.beat",
        "sudden_death.first",
        "wild_mouse.bed",
    )
)
"""Tasks for which any bed is right: score high, or anything at all."""
_RINGS = {"triple": "T", "double": "D", "single": "S", "inner single": "I", "outer single": "O"}
_COLOURS = {"red": "i", "green": "m", "grey": "o"}
_NAME = re.compile(
    r"(?P<ring>triple|double|(?:inner |outer )?single) (?P<number>\d+)|(?P<inner>inner bull)|(?P<outer>outer bull)"
    r"|(?P<bull>the bull)|(?P<star>the star)|any (?P<group>double|triple|single)"
    r"|(?P<areas>\d(?: \d)*) (?P<colour>red|green|grey)"
    r"|(?P<row>[A-E]) (?P<place>\d)(?P<is_red> red)?|(?P<plain>\d+)",
    re.IGNORECASE,
)


class Heard:
    """A match of which only sentences come out, in English, and into which go darts and the numbers of answers."""

    def __init__(self, name: str, seed: str = "oche", mode: Mode = "full", legs: int = 1, **options: Any) -> None:
        players = ("Ann", "Bo", "Cy", "Di")[: least(name)]
        self.record = Record(header(name, players, options=options, seed=seed, format={"legs": legs}))
        self.mode, self.layout = mode, find_layout(self.record.game.layouts[0])
        self.states = [self._look()]
        self.utterances = tell(None, self.state, (), self.layout, mode, self._side())

    @property
    def state(self) -> State:
        return self.states[-1]

    @property
    def texts(self) -> list[str]:
        return [text for each in self.utterances if (text := write_item(each, "en").text)]

    @property
    def kinds(self) -> list[str]:
        return [each.kind for each in self.utterances]

    def do(self, given: Input) -> None:
        """An input that must be accepted; what is said of it takes the place of what was said before."""
        match = self.record.match
        before, visit = self.state, match.position.visit
        outcome = match.apply(match.line + 1, given)
        assert outcome.accepted, outcome.reason
        self.states.append(self._look())
        self.events = make_events(outcome.facts, visit, match, "m")
        self.utterances = tell(before, self.state, self.events, self.layout, self.mode, self._side())

    def _look(self) -> State:
        """What the seat at the oche sees; everybody here listens to their own page."""
        match = self.record.match
        seats = range(len(match.seating.players)) if match.game.has_secrets(match.options) else ()
        seat = match.position.visit.seat
        return take_snapshot(match, "m", seat=seat if seat in seats else None)

    def _side(self) -> int:
        return self.record.match.position.visit.side


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "The board's button means Sixes."),
        ("de", "Die Taste am Board heißt Sechser."),
        ("nl", "De knop op het bord kiest Zessen."),
        ("fr", "Le bouton de la cible répond\xa0: Les 6."),
        ("es", "El botón de la diana elige Seises."),
    ],
)
def test_only_a_button_of_the_board_gives_the_usual_answer(language: str, said: str) -> None:
    heard = Heard("yatzy_dart")
    for dart in ("56i", "56i", "56i"):
        heard.do(Throw(dart))
    state, layout = heard.state, heard.layout
    with_button = [tell(None, state, (), layout, has_button=True)[0], tell_standing(state, layout, has_button=True)]
    without = [tell(None, state, (), layout)[0], tell_standing(state, layout)]
    assert all(said in write_item(each, language).text for each in with_button)
    assert not [each for each in without if each.parts and "usual" in str(each.parts)]


@pytest.mark.parametrize(
    ("name", "darts", "visit", "standing"),
    [
        (
            "cricket",
            "T20 S19 S19",
            ["Marks: 5. Ann: 0. Closed by Ann: 20. Marks of Ann: 2 in 19."],
            "Closed by Ann: 20.",
        ),
        ("nine_lives", "S1 S2 MISS", ["Ann: steps 2, lives 3."], "Ann: steps 2, lives 3. Bo: steps 0, lives 3."),
        ("killer", "S5", ["Ann: lives 3, number 5."], "Ann: lives 3, number 5."),
        ("random_checkout", "S1 S1 S1", ["Ann: 42, not checked out."], "Ann: 42, not checked out."),
        (
            "tic_tac_toe",
            "S16 S16 S4",
            ["Marks of Ann: 2 in 16, 1 in 4."],
            "Squares, 3 in a row: 16, 4, 17, 20, the bull",
        ),
        ("tic_tac_toe", "T16 S16 S4", ["Ann: numbers 1."], "Ann has 16."),
        ("english_cricket", "S1 S1 S1 / DB", ["Bo: runs 0, bowls, wickets taken 2"], "wickets taken 2"),
    ],
)
def test_what_counts_beside_the_score_is_told(name: str, darts: str, visit: list[str], standing: str) -> None:
    heard, said = Heard(name), list[str]()
    for dart in darts.split():
        heard.do(Next() if dart == "/" else Throw(dart))
        said += heard.texts
    standing_text = write_item(tell_standing(heard.state, heard.layout), "en").text
    assert standing in standing_text
    while heard.state.phase == "throwing":
        heard.do(Throw("MISS"))
        said += heard.texts
    for each in visit:
        assert each in " ".join(said)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("de", "Marken: 5. Ann: 0. Geschlossen von Ann: 20. Marken von Ann: 2 auf 19. Zieh deine Darts."),
        ("nl", "Marks: 5. Ann: 0. Dichtgegooid door Ann: 20. Marks van Ann: 2 op 19. Haal je pijlen eruit."),
        (
            "fr",
            (
                "Marques\xa0: 5. Ann\xa0: 0. Fermé par Ann\xa0: 20. Marques pour Ann\xa0: 2 sur 19. "
                "Retirez vos fléchettes."
            ),
        ),
        ("es", "Marcas: 5. Ann: 0. Cerrado por Ann: 20. Marcas de Ann: 2 en 19. Retira tus dardos."),
    ],
)
def test_marks_are_told_in_every_language(language: str, said: str) -> None:
    heard = Heard("cricket")
    for dart in ("T20", "S19", "S19"):
        heard.do(Throw(dart))
    assert said in [write_item(each, language).text for each in heard.utterances]


class Listener:
    """Somebody who throws what they are told to aim at, and answers by the numbers that were read out."""

    def __init__(self, heard: Heard, sigma_mm: float = 12) -> None:
        self.heard = heard
        self._heard: list[str] = []
        self._told: tuple[str, ...] = ()
        """The targets of which `_heard` was told: it goes for no others, and for no other visit."""
        self._thrower = Thrower(sigma_mm, Random("ear"), heard.layout)

    def play(self) -> list[str]:
        """Plays to the end; returns all that was said."""
        said = []
        for _ in range(MOST):
            spoken = list(zip(self.heard.kinds, self.heard.texts, strict=True))
            said += [text for _, text in spoken]
            question = next((text for kind, text in spoken if kind == "question" and "Or go on." not in text), None)
            turn = next((text for kind, text in spoken if kind == "turn"), None)
            if any("wins the match" in text or "match is" in text for _, text in spoken):
                return said
            if turn is not None:
                self.heard.do(Throw(self._thrower.throw(self._find_aim(turn)).segment.id))
            elif question is not None:
                self._answer(question)
            else:
                assert any(kind == "visit" for kind, _ in spoken), f"nothing says what to do: {spoken}"
                self._told = ()
                self.heard.do(Next())
        raise AssertionError(f"the match is not over after {MOST} inputs: {said[-8:]}")

    def _answer(self, question: str) -> None:
        offers = re.findall(r"(\d+): ([^:]+?)(?:, (-?\d+))?\.(?= |$)", question)
        assert offers, question
        best = max(offers, key=lambda offer: int(offer[2] or 0))
        prompt = find_question(self.heard.state)
        assert prompt is not None
        assert prompt.options is not None
        self.heard.do(Choose(prompt.options[int(best[0]) - 1], prompt.id))

    def _find_aim(self, turn: str) -> str:
        """What is heard now, or for the same targets a dart ago; any bed where none is wanted."""
        aims = list_aims(self.heard.state)
        if heard := self._hear_aims(turn):
            self._heard, self._told = heard, aims
            return heard[0]
        if aims:
            assert aims == self._told, f"nothing says to aim at {aims[:3]}: {turn}"
            self._heard = [*self._heard[1:], self._heard[0]]  # as one does who does not know which were hit
            return self._heard[0]
        task = self.heard.state.task
        assert task is not None
        assert task.key in AIMLESS, f"no target is known, and the task is {task.key}: {turn}"
        return "T20" if self.heard.layout.name == "standard" else self.heard.layout.segments[0].id

    def _hear_aims(self, turn: str) -> list[str]:
        """The aim, or the targets, or what the task says to hit; empty if no bed is named."""
        told = re.search(r"(?:Aim at|Targets:) (.*)", turn) or re.search(
            r"(?:hit|throw|(?<!as )close|score on|throw at|take|stay in|on a double:|out \d+ on|at each:)(?= )(.*)",
            turn,
            re.IGNORECASE,
        )
        told = told or re.search(r"(?:^|\. )([^.]*) (?:leaves|makes)", turn)
        heard = list[str]()
        found = _NAME.search(told[1]) if told else None
        while told and found and int(found["plain"] or 0) <= 20:
            heard.append(self._find_id(found))
            found = _NAME.match(told[1], found.end() + 2) if told[1].startswith(", ", found.end()) else None
        return heard

    def _find_id(self, found: re.Match[str]) -> str:
        if ring := found["ring"]:
            return f"{_RINGS[ring.lower()]}{found['number']}"
        if found["inner"] or found["outer"]:
            return "DB" if found["inner"] else "SB"
        if found["areas"]:
            return f"{found['areas'].replace(' ', '')}{_COLOURS[found['colour']]}"
        if found["row"]:
            row = "ABCDE".index(found["row"]) - 2
            return f"{int(found['place']) - 1 - min(2, 2 + row)},{row}{'!' if found['is_red'] else ''}"
        if found["star"]:
            return "STAR"
        return found["group"] or found["plain"] or "bull"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "mode"), sweep(product(GAMES, MODES), lambda case: case[1] == MODES[list(GAMES).index(case[0]) % 2])
)
def test_whoever_only_listens_plays_every_game_to_its_end(name: str, mode: Mode) -> None:
    heard = Heard(name, mode=mode)
    said = Listener(heard).play()
    assert heard.record.match.position.over
    assert not [text for text in said if re.search(r"\b[TD]\d+\b|[{}_]", text)], "ids are for programs"


@pytest.mark.parametrize(
    ("name", "options"), [("dards", {"mode": "dealt"}), ("golf", {"scoring": "maker"}), ("snooker", {"nominate": True})]
)
def test_what_is_asked_by_options_is_answered_by_ear(name: str, options: dict[str, Any]) -> None:
    heard = Heard(name, **options)
    Listener(heard).play()
    assert heard.record.match.position.over


def test_each_dart_is_told_against_its_aim_and_then_what_is_left() -> None:
    heard = Heard("x01", start=301)
    assert heard.texts == ["Ann: 301. 3 darts. Get 301 to 0 on a double. Aim at triple 20."]
    heard.do(Throw("S5"))
    assert heard.texts == ["Single 5, to the left.", "2 darts. Get 296 to 0 on a double. Aim at triple 20."]
    assert [each.drops for each in heard.utterances] == [True, False], "the first dart drops what has not begun"
    heard.do(Throw("T20"))
    assert heard.texts[0] == "Triple 20, on target."
    assert [each.drops for each in heard.utterances] == [False, False]
    heard.do(Throw("S20"))
    assert heard.texts == [
        "Single 20, the number is right, triple 20 was the aim.",
        "85 points. Ann: 216. Pull your darts.",
    ]
    assert heard.kinds == ["dart", "visit"]
    heard.do(Next())
    assert heard.texts == ["Bo: 301. 3 darts. Get 301 to 0 on a double. Aim at triple 20."]


def test_in_few_words_only_what_is_new_is_said() -> None:
    heard = Heard("x01", mode="brief", start=301)
    heard.do(Throw("S5"))
    assert heard.texts == ["Single 5, to the left.", "Aim at triple 20. Score 296."]


def test_a_correction_is_told_once_if_the_dart_waits_and_as_one_if_not() -> None:
    heard = Heard("x01", start=301)
    for dart in ("T20", "T20", "S20"):
        heard.do(Throw(dart))
    called = [write_item(each, "en") for each in heard.utterances]
    heard.do(Amend(4, Throw("T20")))
    corrected = [write_item(each, "en") for each in heard.utterances if each.parts]
    assert [item.about for item in corrected] == [item.about for item in called]
    assert [item.text for item in corrected] == ["Triple 20.", "180 points. Ann: 121. Pull your darts."]
    assert [item.correction for item in corrected] == [f"Corrected. {item.text}" for item in corrected]
    heard.do(Next())
    heard.do(Amend(4, Throw("S1")))
    assert [write_item(each, "en").correction for each in heard.utterances[:2]] == [
        "Corrected. Single 1.",
        "Corrected. Ann: 180.",
    ]


def test_what_is_taken_back_is_told_and_what_is_to_be_done_again() -> None:
    heard = Heard("x01", start=301)
    heard.do(Throw("T20"))
    heard.do(Undo())
    assert heard.texts == ["Taken back: triple 20.", "3 darts. Get 301 to 0 on a double. Aim at triple 20."]
    assert heard.utterances[0].drops


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Taken back. Ann has thrown triple 20, single 5, miss. 65 points. Ann: 236. Pull your darts."),
        (
            "de",
            "Zurückgenommen. Ann hat geworfen: Triple 20, Single 5, daneben. 65 Punkte. Ann: 236. Zieh deine Darts.",
        ),
        (
            "nl",
            "Ongedaan gemaakt. Ann heeft gegooid: triple 20, single 5, mis. 65 punten. Ann: 236. Haal je pijlen eruit.",
        ),
        (
            "fr",
            "Annulé. Ann a lancé triple 20, simple 5, manqué. 65 points. Ann\xa0: 236. Retirez vos fléchettes.",
        ),
        ("es", "Deshecho. Ann ha lanzado triple 20, simple 5, fuera. 65 puntos. Ann: 236. Retira tus dardos."),
    ],
)
def test_after_undo_of_a_next_the_visit_is_told_and_what_to_do(language: str, said: str) -> None:
    heard = Heard("x01", start=301)
    for given in (Throw("T20"), Throw("S5"), Throw("MISS"), Next(), Undo()):
        heard.do(given)
    assert [write_item(each, language).text for each in heard.utterances] == [said]


def test_a_caller_calls_visits_and_who_requires_what() -> None:
    heard = Heard("x01", mode="calls", start=101)
    said = list(heard.texts)
    for dart in ("T20", "S1", "MISS"):
        heard.do(Throw(dart))
        said += heard.texts
    for _ in range(2):
        heard.do(Next())
        said += heard.texts
    assert said == ["61 points. Ann: 40.", "Bo, you require 101.", "No score. Bo: 101.", "Ann, you require 40."]


@pytest.mark.parametrize(
    ("language", "missed", "comeback"),
    [
        ("en", "Match dart missed.", "Comeback, Bo!"),
        ("de", "Matchdart vergeben.", "Comeback von Bo!"),
        ("nl", "Matchdart gemist.", "Comeback van Bo!"),
        ("fr", "Fléchette de match manquée.", "Quelle remontée, Bo\u202f!"),
        ("es", "Dardo de partida fallado.", "¡Remontada de Bo!"),
    ],
)
def test_a_match_dart_that_was_missed_and_a_comeback_are_told(language: str, missed: str, comeback: str) -> None:
    heard = Heard("x01", legs=2, start=101)

    def throw(darts: str) -> list[str]:
        for dart in darts.split():
            heard.do(Next() if dart == "/" else Throw(dart))
        return [write_item(each, language).text for each in heard.utterances]

    assert missed not in throw("T17 S10 MISS / / D20")
    assert missed in throw("/ MISS / T17 S10 MISS")
    assert comeback in throw("/ T20 S1 D20")


def test_a_perfect_leg_that_is_shorter_is_not_called_by_nine_darts() -> None:
    heard = Heard("x01", mode="calls", start=301)
    for dart in "T20 T20 T20 / / T20 T19 D2".split():
        heard.do(Next() if dart == "/" else Throw(dart))
    assert "A perfect leg!" in heard.texts
    assert not any("nine" in text for text in heard.texts)


@pytest.mark.parametrize(
    ("layout", "aims", "hit", "said"),
    [
        ("standard", ("T20",), "T20", "on target"),
        ("standard", ("20",), "D20", "on target"),
        ("standard", ("I20",), "S20", "on target"),
        ("standard", ("S20",), "O20", "on target"),
        ("standard", ("double",), "D7", "on target"),
        ("standard", ("T20",), "I20", "the number is right, triple 20 was the aim"),
        ("standard", ("T20",), "T1", "to the right"),
        ("standard", ("T20",), "O5", "to the left"),
        ("standard", ("T3",), "S17", "to the right"),
        ("standard", ("T3",), "DB", "too high"),
        ("standard", ("T20",), "DB", "too low"),
        ("standard", ("T6",), "D13", "high and to the right"),
        ("standard", ("20", "3"), "S17", "to the right, the nearest target was 3"),
        ("standard", ("double",), "S7", None),
        ("standard", ("T20",), "MISS", None),
        ("standard", (), "T20", None),
        ("ground_round", ("0,0",), "1,0", "to the right"),
        ("yatzy", ("56m",), "FOUL", None),
    ],
)
def test_a_dart_is_told_against_the_nearest_aim(layout: str, aims: tuple[str, ...], hit: str, said: str | None) -> None:
    found = compare(find_layout(layout), aims, hit)
    assert (found and found.text) == said


@pytest.mark.parametrize(
    ("aims", "hit", "point", "said"),
    [
        (("T20",), "S5", (-334, 974), "a finger to the left"),
        (("T20",), "S5", (-180, 1005), "a hair to the left"),
        (("T20",), "T1", (230, 1000), "half a finger to the right"),
        (("T20",), "O20", (0, 1085), "a hair outside the wire"),
        (("T20",), "I20", (20, 780), "a finger inside the wire"),
        (("T20",), "DB", (0, 40), "a hand inside the wire"),
        (("T20",), "S3", (0, -800), "far too low"),
        (("D20",), "MISS", (40, 1800), "half a finger outside the wire"),
        (("DB",), "SB", (0, 120), "half a finger too high"),
        (("bull",), "S11", (-460, 0), "two fingers to the left"),
        (("20",), "S5", (-330, 974), "a finger to the left"),
        (("T20",), "T20", (0, 1030), "on target"),
        (("20", "3"), "S17", (200, -800), "to the right, the nearest target was 3"),
        (("T20",), "T5", (-150, 1010), "a hair to the left"),  # by its point in the triple 20
        (("T20",), "T1", (155, 1018), "a hair to the right"),
        (("T20",), "O20", (0, 1065), "a hair outside the wire"),
        (("DB",), "SB", (0, 55), "a hair too high"),
        (("D20",), "MISS", (0, 1690), "a hair outside the wire"),
        (("double",), "S7", (-500, -900), None),
        ((), "S7", (-500, -900), None),
    ],
)
def test_a_point_tells_how_far_a_dart_is_from_its_only_aim(
    aims: tuple[str, ...], hit: str, point: tuple[int, int], said: str | None
) -> None:
    found = compare(standard(STEEL), aims, hit, point)
    assert (found and found.text) == said


@pytest.mark.parametrize(
    ("language", "mode", "said"),
    [
        ("en", "full", ["Single 5, a finger to the left.", "The board could not read it."]),
        ("en", "brief", ["Single 5, to the left.", "The board could not read it."]),
        ("de", "full", ["Single 5, einen Finger links davon.", "Das Board hat ihn nicht erkannt."]),
        ("nl", "full", ["Single 5, een vinger links ervan.", "Het bord heeft hem niet herkend."]),
        ("fr", "full", ["Simple 5, à gauche, d’un doigt.", "La cible ne l’a pas lue."]),
        ("es", "full", ["Simple 5, a la izquierda por un dedo.", "La diana no lo ha leído."]),
    ],
)
def test_what_a_sensor_saw_of_a_dart_is_told_with_all_details(language: str, mode: Mode, said: list[str]) -> None:
    heard = Heard("x01")
    for segment, more in (("S5", {"point": (-375, 1115)}), ("MISS", {"unread": True})):
        before = heard.state
        heard.do(Throw(segment))
        [*others, dart] = heard.state.turn.darts
        turn = replace(heard.state.turn, darts=(*others, replace(dart, **more)))
        state = replace(heard.state, turn=turn)
        texts = [write_item(each, language).text for each in tell(before, state, heard.events, heard.layout, mode)]
        assert texts[0] == said.pop(0)


def test_a_dart_that_was_not_read_is_no_miss_in_what_was_thrown_and_is_not_called() -> None:
    heard = Heard("x01")
    heard.do(Throw("MISS"))
    state = heard.state
    (dart,) = state.turn.darts
    unread = replace(state, turn=replace(state.turn, darts=(replace(dart, unread=True),)))
    assert "Ann has thrown miss." in write_item(tell_standing(state, heard.layout), "en").text
    standing = write_item(tell_standing(unread, heard.layout), "en").text
    assert "Ann has thrown one that the board could not read." in standing
    assert [call.kind for call in Calls(darts=True).make(heard.events, state)] == ["dart"]
    assert not [*Calls(darts=True).make(heard.events, unread)]


def test_a_visit_of_darts_that_were_not_read_is_not_called_a_score_of_nothing() -> None:
    heard, calls = Heard("x01"), Calls(darts=True)
    for _ in range(3):
        heard.do(Throw("MISS", unread=True))
    assert "Not every dart was read. Ann: 501. Pull your darts." in heard.texts
    assert not [*calls.make(heard.events, heard.state)]
    assert [call.ways for call in calls.correct(heard.state)] == [()]
    heard = Heard("x01")
    for _ in range(3):
        heard.do(Throw("MISS"))
    assert next(call.kind for call in calls.make(heard.events, heard.state)) == "visit"


def test_where_one_stands_is_told_whole_in_every_phase() -> None:
    heard = Heard("yatzy_dart")
    assert write_item(tell_standing(heard.state, heard.layout), "en").text == (
        "Yatzy-Dart. Round 1. Ann: 0. Bo: 0. Ann throws: 3 darts. Hit 5 6 red: best for Sixes."
    )
    for _ in range(3):
        heard.do(Throw("56i"))
    standing = write_item(tell_standing(heard.state, heard.layout), "en").text
    assert "Ann has thrown 5 6 red, 5 6 red, 5 6 red. Ann. Which row takes this visit? 1: Ones, 0. 2: Twos" in standing
    heard.do(Choose("sixes"))
    assert write_item(tell_standing(heard.state, heard.layout), "en").text.endswith("Pull your darts.")


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "en"])
def test_nothing_is_said_in_english_in_another_language(language: str) -> None:
    heard = Heard("yatzy_dart")
    texts = [write_item(each, language).text for each in heard.utterances]
    for given in (Throw("56i"), Throw("1m"), Throw("FOUL"), Choose("chance"), Next(), Undo()):
        heard.do(given)
        texts += [write_item(each, language).text for each in heard.utterances]
    assert not re.findall(r"\b(darts left|red|green|row|thrown|Hit|aim|Aim|target|throws|miss)\b", " ".join(texts))


def test_what_only_a_seat_may_see_is_told_to_it_alone() -> None:
    heard = Heard("blind_killer")
    assert "Yours is 3." in heard.texts[0]
    public = take_snapshot(heard.record.match, "m")
    assert "Yours" not in write_item(tell(None, public, (), heard.layout)[0], "en").text
