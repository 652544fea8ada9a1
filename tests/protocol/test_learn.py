"""Learning a board by presses: every known mat however it is built, people who err, and unknown boards.

What must come out is the map of the very board that was pressed, cell by cell. By which turn of which mat it is
described does not matter: some mats are their own image in another turn.
"""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from protocol.codebook import list_shipped, load, shipped
from protocol.framing import Framing
from protocol.learning import survey
from protocol.learning.candidates import Cell
from protocol.learning.finding import Finding, describe_finding, format_profile, make_profile
from protocol.learning.learner import Learner
from protocol.mat import Wiring, list_mats, load_mat, locate_segments
from protocol.profile import Hits, Profile
from protocol.source import Source
from protocol.standard import NUMBERS
from tests.protocol.wired import Board, ByName, any_wiring, assert_reads, frames_of, learn, pressed, shuffled
from tests.sweep import sweep

BASE = Profile(id="mine", name="mine", hits=Hits(frame="{row},{col}"))
MATS = pytest.mark.parametrize("name", list_mats())
GRAN = shuffled("gran_12x7", 3, True, True, Random(3))
STANDARD = "standard_7x10"
DOZEN = 20


def is_found(learner: Learner, board: Board) -> bool:
    """Is this the board, and does the wiring that was found say so?"""
    finding = learner.finding
    if finding is None or finding.mat is None or finding.contacts != board:
        return False
    return locate_segments(load_mat(finding.mat), finding.wiring) == board


def found(learner: Learner) -> Finding:
    assert learner.finding is not None
    return learner.finding


def neighbour(board: Board, segment: str) -> Cell:
    """What closes when a person presses the bed beside."""
    if not segment[1:].isdigit():
        return board["T20"]
    place = NUMBERS.index(int(segment[1:]))
    return pressed(board, f"{segment[0]}{NUMBERS[(place + 1) % 20]}")


@pytest.mark.parametrize("name", ["oem_8x8", "licorice_9x10", "standard_7x10"])
def test_a_known_mat_is_recognised_however_it_is_built(name: str) -> None:
    board = any_wiring(name, Random(name))
    learner = learn(board)
    assert is_found(learner, board)
    assert len(learner.answers) <= DOZEN


@pytest.mark.long
@pytest.mark.parametrize(("mirror", "transpose"), list(product((False, True), repeat=2)))
@MATS
def test_every_turn_of_every_mat_is_recognised(name: str, mirror: bool, transpose: bool) -> None:
    rng = Random(name)
    for turn in range(20):
        board = shuffled(name, turn, mirror, transpose, rng)
        learner = learn(board)
        assert is_found(learner, board), turn
        assert len(learner.answers) <= DOZEN, turn


def test_a_mirror_image_is_told_from_the_mat_itself() -> None:
    finding = found(learn(GRAN))
    assert (finding.mat, finding.wiring.turn, finding.wiring.mirror, finding.wiring.transpose) == (
        "gran_12x7",
        3,
        True,
        True,
    )
    assert describe_finding(finding) == (
        "This is the mat gran_12x7, mirrored, turned by 3 numbers, with rows and columns swapped."
    )


@pytest.mark.parametrize("at", [0, 4, 9, 13])
def test_a_press_on_the_wrong_segment_is_found_and_asked_for_again(at: int) -> None:
    learner = learn(GRAN, lambda segment, number: neighbour(GRAN, segment) if number == at else None)
    assert is_found(learner, GRAN)
    segments = [segment for segment, _ in learner.answers]
    assert segments.count(segments[at]) > 1, "it was asked for again"


@pytest.mark.parametrize("at", [2, 8])
def test_a_line_read_wrongly_is_found(at: int) -> None:
    def misread(segment: str, number: int) -> Cell | None:
        row, col = pressed(GRAN, segment)
        return (row, col + 30) if number == at else None

    assert is_found(learn(GRAN, misread), GRAN)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["neighbour", "row", "column", "any"])
@MATS
def test_any_single_slip_of_any_kind(name: str, kind: str) -> None:
    rng = Random(name)
    board = any_wiring(name, rng)
    beyond = [1 + max(cell[axis] for cell in board.values()) for axis in (0, 1)]
    halves = {f"S{n}": board[f"O{n}"] for n in NUMBERS if f"O{n}" in board}
    at = 0

    def slip(segment: str, number: int) -> Cell | None:
        if number != at:
            return None
        row, col = pressed({**halves, **board}, segment)
        match kind:
            case "neighbour":
                return neighbour(board, segment)
            case "row":
                return beyond[0], col
            case "column":
                return row, beyond[1]
        return rng.choice([cell for cell in board.values() if cell != (row, col)])

    for at in range(18):
        learner = learn({**halves, **board}, slip)
        assert found(learner).contacts == board, (at, learner.answers)


def test_learning_copes_with_wrong_presses() -> None:
    rng = Random(5)
    slips = {2, 6, 11}
    halves = {f"S{n}": GRAN[f"O{n}"] for n in NUMBERS}
    board = {**halves, **GRAN}
    learner = learn(board, lambda segment, number: rng.choice(list(GRAN.values())) if number in slips else None)
    assert is_found(learner, GRAN)


def test_an_undone_press_is_asked_for_again_and_forgotten() -> None:
    learner = Learner()
    assert not learner.undo()
    asked = []
    for _ in range(6):
        assert learner.press is not None
        asked.append(learner.press)
        learner.hear(pressed(GRAN, learner.press))
    after = learner.press
    assert learner.press is not None
    learner.hear((40, 40))
    assert learner.undo()
    assert learner.press == after
    for segment in reversed(asked):
        assert learner.undo()
        assert learner.press == segment
    assert not learner.undo()


def test_another_learner_goes_on_where_one_stopped() -> None:
    whole = learn(GRAN)
    for count in (1, 5, len(whole.answers) - 1):
        again = Learner(whole.answers[:count])
        assert again.press == whole.answers[count][0]
    assert Learner(whole.answers).finding == whole.finding


def test_a_bull_that_is_wired_otherwise_is_found_where_it_is() -> None:
    free = next((row, col) for row in range(7) for col in range(12) if (row, col) not in GRAN.values())
    board = {**GRAN, "DB": free}
    learner = learn(board)
    finding = found(learner)
    assert (finding.mat, finding.odd, finding.contacts) == ("gran_12x7", ("DB",), board)
    assert [segment for segment, _ in learner.answers].count("DB") == 2, "it is confirmed"
    assert_reads(format_profile(make_profile(BASE, finding, 1)), frames_of(board))


def any_table(rings: str, rng: Random) -> Board:
    """A board on no mat at all."""
    segments = [*(f"{ring}{n}" for ring in rings for n in NUMBERS), "SB", "DB"]
    places = [(row, col) for row in range(10) for col in range(10)]
    return dict(zip(segments, rng.sample(places, len(segments)), strict=True))


@pytest.mark.parametrize("rings", sweep(["DOTI", "DST"], lambda rings: rings == "DST"))
def test_a_board_on_no_known_mat_is_asked_for_every_segment(rings: str) -> None:
    board = any_table(rings, Random(rings))
    # Before it is clear that singles are not split, a person asked for "S20" presses one half of it.
    halves = {f"S{n}": board[f"O{n}"] for n in NUMBERS} if "O" in rings else {}
    learner = learn({**halves, **board})
    finding = found(learner)
    assert (finding.mat, finding.contacts, finding.missing) == (None, board, ())
    assert len(learner.answers) <= len(board) + 20
    assert_reads(format_profile(make_profile(BASE, finding, 1)), frames_of(board))


@pytest.mark.parametrize(
    "name",
    sweep(
        ["arachnid_8x8", "loewen_4x16", "oem_8x8", "pydartswifi_10x7", "standard_7x10"],
        lambda name: name in {"loewen_4x16", "standard_7x10"},
    ),
)
def test_a_program_is_not_asked_for_halves_its_board_has_not(name: str) -> None:
    program = ByName(any_wiring(name, Random(name)))
    program.learn()
    assert is_found(program.learner, program.board)
    assert program.asked_in("IO") == []
    assert len(program.asked) <= DOZEN


@pytest.mark.parametrize(
    ("name", "half"),
    sweep(
        [
            *(("licorice_9x10", half) for half in ("O", "I", "OI", "")),
            *(("ed900_7x12", "O"), ("gran_12x7", "I"), ("philharlow_8x11", "OI"), ("philharlow_8x11", "")),
        ],
        lambda case: case[0] in {"ed900_7x12", "gran_12x7"} or case == ("licorice_9x10", ""),
    ),
)
def test_a_program_with_split_singles_is_understood(name: str, half: str) -> None:
    program = ByName(any_wiring(name, Random(8)), half)
    program.learn()
    assert is_found(program.learner, program.board)
    assert len(program.asked) <= DOZEN
    assert len(program.nothing) <= 1, "one S it does not know, if any"


def test_a_gap_in_the_lines_is_asked_about_once() -> None:
    board = {segment: (row + 3 * (row > 4), col) for segment, (row, col) in any_wiring(STANDARD, Random(1)).items()}
    program = ByName(board)
    program.learn()
    assert is_found(program.learner, board)
    assert program.nothing == program.in_doubt == program.asked_in("IO")
    assert len(program.nothing) == 1


def test_lines_that_begin_later_than_the_others_are_a_gap() -> None:
    inner_first = Wiring(rows=[0, 2, 3, 4, 5, 6, 7, 8, 1])
    program = ByName(locate_segments(load_mat("licorice_9x10"), inner_first), "O")
    program.learn()
    assert is_found(program.learner, program.board)


def test_a_program_on_no_known_mat_is_asked_for_half_singles_last() -> None:
    program = ByName(any_table("DST", Random(4)))
    finding = program.learn()
    assert (finding.mat, finding.contacts, finding.missing) == (None, program.board, ())
    assert program.nothing == program.in_doubt == program.asked_in("IO") == program.asked[-1:]


@pytest.mark.parametrize("half", sweep(["O", "I", "OI", ""], lambda half: half == "O"))
def test_a_program_with_split_singles_on_no_known_mat(half: str) -> None:
    program = ByName(any_table("DOTI", Random(4)), half)
    finding = program.learn()
    assert (finding.mat, finding.contacts, finding.missing) == (None, program.board, ())
    assert len(program.nothing) <= (not half), "the first S is enough to see that it knows none"


def test_a_dead_segment_of_a_program_is_left_out() -> None:
    board = any_table("DST", Random(6))
    program = ByName({segment: cell for segment, cell in board.items() if segment not in ("T3", "S4", "DB")})
    finding = program.learn()
    assert finding.contacts == program.board
    assert set(finding.missing) == {"T3", "S4", "DB"}


def survey_of(board: Board, slips: dict[int, Cell] | None = None) -> list[survey.Answer]:
    answers: list[survey.Answer] = []
    while (press := survey.find_next_press(answers)) is not None:
        assert len(answers) < 120
        answers.append((press, (slips or {}).get(len(answers), pressed(board, press))))
    return answers


def test_a_survey_goes_around_the_board_number_by_number() -> None:
    split = [segment for segment, _ in survey_of(any_table("DOTI", Random(1)))]
    assert split[:12] == ["I20", "O20", "I1", "O1", "D20", "T20", "D1", "T1", "D18", "O18", "T18", "I18"]
    assert split[-6:] == ["D5", "O5", "T5", "I5", "SB", "DB"]
    assert len(split) == 82
    joined = [segment for segment, _ in survey_of(any_table("DST", Random(1)))]
    assert joined[:10] == ["I20", "O20", "I1", "O1", "D20", "T20", "D1", "T1", "D18", "S18"]
    assert len(joined) == 62 + 2


def test_a_survey_notices_a_contact_that_comes_twice() -> None:
    board = any_table("DOTI", Random(1))
    answers = survey_of(board, {20: board["D20"], 40: board["O6"]})
    assert survey.map_contacts(answers) == board
    assert len(answers) > 82


def test_frames_without_a_pattern_are_learned_one_by_one() -> None:
    board = {segment: f"<{number}>\x01" for number, segment in enumerate(any_table("DOTI", Random(1)))}
    learner = Learner(is_matrix=False)
    assert learner.is_unknown
    while learner.press is not None:
        learner.hear(board[learner.press])
    assert found(learner).contacts == board
    base = Profile(id="mine", name="mine", hits=Hits(frame="*"), framing=Framing(end="@"))
    profile = make_profile(base, found(learner), 82)
    assert (profile.notation, profile.hits.names["T20"]) == ("hex", board["T20"].encode().hex())
    assert len(load(Source(format_profile(profile), "mine.toml")).segments) == 82


def test_a_segment_without_a_contact_is_left_out() -> None:
    board = any_table("DST", Random(2))
    learner = Learner(is_matrix=False)
    while learner.press is not None:
        learner.hear(None if learner.press == "T3" else str(pressed(board, learner.press)))
    assert found(learner).missing == ("T3",)
    assert describe_finding(found(learner)).endswith("No contact was found for T3.")


@pytest.mark.parametrize("name", list_shipped())
def test_a_profile_that_is_written_is_read_as_it_was(name: str) -> None:
    profile = shipped(name).profile
    assert Source(format_profile(profile), name).read(Profile) == profile
