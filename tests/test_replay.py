"""`oche replay` from outside, as other software uses it: a process, its lines, its status, its one sentence.

The many ways in which a record can be wrong are gone through in the process of the tests: each would wait for a start.
"""

from __future__ import annotations

import io
import json
import os
import select
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from daemon.cli import main

ROOT = Path(__file__).resolve().parent.parent
TRANSCRIPTS = ROOT / "tests" / "engine" / "transcripts"
REPLAY = (sys.executable, "-m", "daemon.cli", "replay")
Replay = Callable[..., subprocess.CompletedProcess[str]]
NO_KEY = "the line has none of the keys throw, total, next, choose, undo, redo, amend, retire, concede, stop"
HEADER = '{"oche": 1, "game": "x01", "players": ["Ann", "Bo"], "seed": "oche"}'
BURMA = '{"oche": 1, "game": "burma_road", "players": ["Ann", "Bo"]}'


def replay(*arguments: str, given: str | bytes = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """What the command makes of this on its standard input."""
    raw = subprocess.run(
        (*REPLAY, *arguments),
        input=given.encode() if isinstance(given, str) else given,
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        check=False,
    )
    done = subprocess.CompletedProcess(raw.args, raw.returncode, raw.stdout.decode(), raw.stderr.decode())
    assert "Traceback" not in done.stderr
    return done


@pytest.fixture
def replay_here(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Replay:
    """The same without a process of its own."""

    def replay_it(*arguments: str, given: str | bytes = "") -> subprocess.CompletedProcess[str]:
        raw = given.encode() if isinstance(given, str) else given
        monkeypatch.setattr(sys, "argv", ["oche", "replay", *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
        status: object = 0
        try:
            main()
        except SystemExit as ended:
            status = ended.code
        assert isinstance(status, int)
        output, errors = capfdbinary.readouterr()
        return subprocess.CompletedProcess((), status, output.decode(), errors.decode())

    return replay_it


def answers(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:  # Any: JSON
    return [json.loads(line) for line in done.stdout.splitlines()]


def record(*lines: str) -> str:
    return "".join(f"{line}\n" for line in lines)


def test_there_is_one_answer_a_line_and_the_header_has_the_first(replay_here: Replay) -> None:
    done = replay_here("-", "--json", given=record(HEADER, '{"throw": "T20"}', '{"throw": "S5", "note": "ignored"}'))
    first, second, third = answers(done)
    assert (done.returncode, done.stderr) == (0, "")
    assert list(first) == ["line", "accepted", "reason", "state"]
    assert (first["line"], first["accepted"], first["reason"]) == (1, True, None)
    assert first["state"] == {
        "v": 1,
        "match": None,
        "game": "x01",
        "title": "501",
        "line": 1,
        "phase": "throwing",
        "round": 1,
        "leg": 1,
        "set": 1,
        "turn": {
            "side": 0,
            "seat": 0,
            "player": "Ann",
            "visit": 1,
            "darts_left": 3,
            "darts": [],
            "bust": False,
            "points": 0,
        },
        "last": None,
        "sides": [_side("Ann", 501), _side("Bo", 501)],
        "targets": ["T20"],
        "hint": [],
        "prompts": [],
        "board": {},
        "winners": [],
        "format": {"legs": 1, "sets": 1},
        "task": {
            "key": "x01.down_double",
            "values": {"left": 501},
            "text": "Get 501 to 0 on a double",
        },
        "variant": None,
        "totals": {},
    }
    assert second["state"]["sides"][0]["score"] == 441
    assert (third["line"], third["state"]["line"], third["state"]["turn"]["darts_left"]) == (3, 3, 1)


def test_beds_may_be_written_as_other_programs_do_and_ids_are_shown(replay_here: Replay) -> None:
    written = {"25": "SB", "S25": "SB", "D25": "DB", "IB": "DB", "OB": "SB", "BULL": "DB", "treble 20": "T20"}
    lines = [f'{{"throw": "{text}"}}' for text in written]
    for place in (6, 3):
        lines.insert(place, '{"next": true}')
    lines += ['{"throw": 25}', '{"amend": 2, "throw": "double 16"}']
    done = replay_here("-", "--json", given=record(HEADER, *lines))
    assert done.returncode == 0, done.stdout
    states = [each["state"] for each in answers(done)]
    thrown = [state["turn"]["darts"] for state in states]
    assert [darts[-1]["segment"] for darts in thrown if darts][:3] == ["SB", "SB", "DB"]
    assert [dart["segment"] for dart in thrown[-1]] == ["T20", "SB"]
    assert [side["score"] for side in states[-1]["sides"]] == [501 - 32 - 25 - 50 - 60 - 25, 501 - 50 - 25 - 50]


def _side(name: str, score: int) -> dict[str, Any]:  # Any: JSON
    detail = {"average": 0.0, "first_nine": 0.0, "darts": 0, "checkouts": [0, 0]}
    side = {"name": name, "players": [name], "score": score, "legs": 0, "sets": 0, "out": False}
    return {**side, "detail": detail, "visits": []}


def test_an_answer_comes_before_the_next_line_is_read() -> None:
    plain = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with subprocess.Popen(
        (*REPLAY, "-", "--json"), cwd=ROOT, env=plain, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for number, line in enumerate((HEADER, '{"throw": "T20"}', '{"throw": "T21"}', '{"undo": true}'), 1):
            process.stdin.write(f"{line}\n".encode())
            process.stdin.flush()
            if not select.select([process.stdout], [], [], 60)[0]:
                process.kill()
                pytest.fail(f"no answer to line {number}")
            answer = json.loads(process.stdout.readline())
            assert (answer["line"], answer["accepted"]) == (number, number != 3)
        process.stdin.close()
        assert process.stdout.read() == b""
        assert process.wait() == 1


def test_blank_lines_are_counted_and_skipped(replay_here: Replay) -> None:
    given = record("", "  ", HEADER, "", '{"throw": "T20"}', "\t", '{"amend": 5, "throw": "S20"}') + "\r\n"
    done = replay_here("-", "--json", given=given)
    assert [answer["line"] for answer in answers(done)] == [3, 5, 7]
    state = answers(done)[-1]["state"]
    assert (state["line"], state["turn"]["darts"]) == (7, [{"line": 5, "segment": "S20", "points": 20}])
    assert done.returncode == 0
    refused = replay_here("-", "--json", given=record("", HEADER, '{"amend": 2, "throw": "S20"}'))
    assert answers(refused)[-1]["reason"] == "line 2 is the header"


def test_lines_may_end_as_on_windows_and_the_last_not(replay_here: Replay) -> None:
    done = replay_here("-", "--json", given=HEADER + '\r\n{"throw": "T20"}\r\n{"throw": "T20"}')
    assert answers(done)[-1]["state"]["sides"][0]["score"] == 381


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"throw": "T21"}', "the standard layout has no segment 'T21'; did you mean T2?"),
        ('{"throw": "tripel 20"}', "the standard layout has no segment 'tripel 20'; did you mean T20?"),
        ('{"throw": null}', "throw must be a segment such as T20"),
        ('{"throw": "20"}', "the standard layout has no segment '20'; did you mean S20?"),
        ('{"throw": 20}', "throw must be a segment such as T20"),
        ('{"throw": true}', "throw must be a segment such as T20"),
        ('{"next": false}', "next must be true"),
        ('{"undo": 1}', "undo must be true"),
        ('{"undo": true}', "there is nothing to undo"),
        ('{"redo": true}', "there is nothing to redo"),
        ('{"choose": "pair"}', "no question is open"),
        ('{"choose": 5}', "choose must be one of the prompt's options"),
        ('{"amend": 1, "throw": "T20"}', "line 1 is the header"),
        ('{"amend": 2, "throw": "T20"}', "line 2 is not a throw or an answer of this match"),
        ('{"amend": "2", "throw": "T20"}', "amend must be the number of a line"),
        ('{"amend": 1}', "an amend needs what the line really was: a throw (null for no dart), a total or a choose"),
        ('{"retire": 2}', "there is no side 2; the sides are 0 to 1"),
        ('{"retire": true}', "retire must be the number of a side, from 0"),
        ('{"throw": "T20", "next": true}', "one input per line, not throw and next"),
    ],
)
def test_a_line_that_is_not_legal_is_refused_with_a_reason(
    line: str, reason: str, refusals: list[Any]
) -> None:  # Any: JSON
    before, refused = next((one, other) for given, one, other in refusals if given == line)
    assert (refused["accepted"], refused["reason"]) == (False, reason)
    assert refused["state"] == before["state"]


@pytest.fixture(scope="module")
def refusals(request: pytest.FixtureRequest) -> list[Any]:  # Any: JSON
    """All the lines above in one record: each with the answer before it and its own."""
    marks = test_a_line_that_is_not_legal_is_refused_with_a_reason.pytestmark
    lines = [line for line, _ in marks[0].args[1]]
    done = replay("-", "--json", given=record(HEADER, *lines))
    assert done.returncode == 1
    told = answers(done)
    assert len(told) == len(lines) + 1
    return list(zip(lines, told, told[1:], strict=False))


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("T20", "this is not JSON ("),
        ('{"throw": "T20"', "this is not JSON ("),
        ('{"throw": "T20"} {"next": true}', "this is not JSON ("),
        (b'{"throw": "\xff"}', "this is not JSON ("),
        (b'{"throw": "T20", "\xff": 1}', "this is not JSON ("),
        ("[" * 100_000, "this is not JSON ("),
        ('{"throw": ' * 100_000 + "1" + "}" * 100_000, "this is not JSON ("),  # Python 3.13 reads 5000 of them
        ('["throw", "T20"]', 'this is not an object such as {"throw": "T20"}'),
        ("null", 'this is not an object such as {"throw": "T20"}'),
        ('"T20"', 'this is not an object such as {"throw": "T20"}'),
        ("{}", NO_KEY),
        (
            '{"thrwo": "T20"}',
            f"{NO_KEY}; it has 'thrwo'",
        ),
        (
            json.dumps({"a": 1, "b" * 99: 1, "c": 1, "d": 1}),
            f"{NO_KEY}; it has 'a', '{'b' * 20}', 'c'",
        ),
        (
            HEADER,
            f"{NO_KEY}; it has 'oche', 'game', 'players'",
        ),
    ],
)
def test_an_unreadable_line_ends_with_a_sentence_that_names_it(
    replay_here: Replay, line: str | bytes, sentence: str
) -> None:
    raw = line if isinstance(line, bytes) else line.encode()
    done = replay_here(
        "-", "--json", given=record(HEADER, '{"throw": "T20"}', "").encode() + raw + b'\n{"throw": "T20"}\n'
    )
    assert done.returncode == 2
    assert [answer["line"] for answer in answers(done)] == [1, 2], "what was right before it is printed"
    assert done.stderr.startswith(f"oche: standard input, line 4: {sentence}")
    assert done.stderr.count("\n") == 1


def x01(**more: Any) -> str:  # Any: JSON
    return json.dumps({"oche": 1, "game": "x01", "players": ["Ann", "Bo"], **more})


@pytest.mark.parametrize(("more", "chance"), [({}, 86), ({"dartboard": "soft_15.5"}, 86), ({"dartboard": "steel"}, 58)])
def test_a_record_is_replayed_on_the_dartboard_of_its_header(
    replay_here: Replay, more: dict[str, str], chance: int
) -> None:
    visits = '{"total": 61}', '{"next": true}', '{"total": 0}', '{"next": true}'
    done = replay_here("-", "--json", given=record(x01(options={"start": 101}, **more), *visits))
    (route, *_) = answers(done)[-1]["state"]["routes"]
    assert (route["darts"], route["chance"]) == (["D20"], pytest.approx(chance, abs=1))


@pytest.mark.parametrize(
    ("header", "sentence"),
    [
        ('{"throw": "T20"}', "the first line of a match record must be its header, and this is an input"),
        ("[]", 'this is not an object such as {"throw": "T20"}'),
        ('{"game": "x01", "players": ["Ann"]}', "header: the key 'oche' is missing"),
        ('{"oche": 1, "players": ["Ann"]}', "header: the key 'game' is missing"),
        ('{"oche": 1, "game": "x01"}', "header: the key 'players' is missing"),
        (x01(oche=2), "this is a record of version 2; this program reads version 1"),
        (x01(game="x0l"), "there is no game 'x0l'; did you mean 'x01'?"),
        (x01(game="burma"), "there is no game 'burma'; did you mean 'burma_road'?"),
        (x01(player=["Ann"]), "unknown header key 'player'; did you mean 'players'?"),
        (x01(team=[[0], [1]]), "unknown header key 'team'; did you mean 'teams'?"),
        (x01(options={"strat": 301}), "x01 has no option 'strat'; did you mean 'start'?"),
        (x01(options={"start": 100}), "option start of x01 is 100: this must be a whole number >= 101"),
        (x01(options={"start": 1502}), "option start of x01 is 1502: this must be a whole number <= 1501"),
        (x01(options={"start": "501"}), 'option start of x01 is "501": this must be a whole number'),
        (x01(options={"rounds": 0}), "option rounds of x01 is 0: this must be a whole number >= 1"),
        (x01(options=[]), "header: options must be a table of keys"),
        (x01(format={"leg": 3}), "unknown key of the header's format 'leg'; did you mean 'legs'?"),
        (x01(format={"legs": 0}), "header: format.legs must be a whole number >= 1"),
        (x01(format={"legs": "3"}), "header: format.legs must be a whole number"),
        (x01(players=[]), "a match needs 1 to 64 players"),
        (x01(players=["Ann", "\u0007 "]), "player 2 needs a name with at least one visible character"),
        (x01(players=["Ann", 2]), "header: players.1 must be a text"),
        (x01(players=["A"] * 17), "x01 is for 1 to 16 sides, not for 17"),
        (x01(teams=[[0]]), "teams must name each of the players 0 to 1 exactly once, and no team may be empty"),
        (x01(teams=[[0, 1], [1]]), "teams must name each of the players 0 to 1 exactly once, and no team may be empty"),
        (
            x01(teams=[[0], [1], []]),
            "teams must name each of the players 0 to 1 exactly once, and no team may be empty",
        ),
        (x01(team_names=["Nomads"]), "team_names has 1 names for 2 teams"),
        (x01(seed=5), "header: seed must be a text or null"),
        (
            x01(dartboard="steal"),
            "header: dartboard must be one of soft_15.5, soft_13.2, steel; did you mean 'steel'?",
        ),
        (
            '{"oche": 1, "game": "yatzy_dart", "players": ["Ann"], "dartboard": "steel"}',
            "dartboard is only for the standard layout, and this is the yatzy layout: leave out dartboard",
        ),
        (x01(rules=9), "this record follows rules 9 of x01; this program knows 1"),
        ('{"oche": 1, "game": "burma_road", "players": ["Ann"]}', "burma_road is for 2 to 16 sides, not for 1"),
    ],
)
def test_a_header_that_cannot_be_played_says_what_is_wrong(replay_here: Replay, header: str, sentence: str) -> None:
    done = replay_here("-", "--json", given=record(header, '{"throw": "T20"}'))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"oche: standard input, line 1: {sentence}\n"


def test_a_wrong_choice_names_the_nearest_one(replay_here: Replay) -> None:
    done = replay_here("-", given=record(x01(options={"out": "dubble"})))
    assert done.returncode == 2
    assert done.stderr.startswith(
        'oche: standard input, line 1: option out of x01 is "dubble": this must be one of straight'
    )
    assert done.stderr.endswith("did you mean 'double'?\n")


def test_nothing_at_all_is_no_record(replay_here: Replay) -> None:
    for nothing in ("", "\n \n"):
        done = replay_here("-", "--json", given=nothing)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == "oche: standard input is empty: the first line of a match record is its header\n"


def test_a_file_that_is_not_there(replay_here: Replay, tmp_path: Path) -> None:
    missing = tmp_path / "none.jsonl"
    done = replay_here(str(missing))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"oche: cannot read {missing}: no such file or directory\n"
    done = replay_here(str(tmp_path))
    assert (done.returncode, done.stderr) == (2, f"oche: cannot read {tmp_path}: is a directory\n")


def test_wrong_arguments(replay_here: Replay) -> None:
    for arguments in ((), ("a", "b"), ("-", "--jsn")):
        done = replay_here(*arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("oche: ")
        assert done.stderr.count("\n") == 1


def test_a_file_is_named_in_its_errors(replay_here: Replay, tmp_path: Path) -> None:
    file = tmp_path / "match.jsonl"
    file.write_text(record(HEADER, "T20"), encoding="utf-8")
    assert replay_here(str(file)).stderr.startswith(f"oche: {file}, line 2: this is not JSON")


def test_the_final_scoreboard(replay_here: Replay) -> None:
    done = replay_here(str(TRANSCRIPTS / "x01/legs.jsonl"))
    assert done.stdout == (
        "101, set 1, leg 3, round 1\n"
        "  Ann    100  legs 1, average 61.20\n"
        "* Bo       0  legs 2, sets 1, average 151.50\n"
        "Bo won.\n"
    )
    assert done.stderr == "oche: line 4 was refused: all darts of this visit are thrown: pull them, then press next\n"
    assert done.returncode == 1


@pytest.mark.parametrize(
    ("lines", "standing"),
    [
        ((), "Ann to throw, 3 darts left."),
        (('{"throw": "T20"}', '{"throw": "S5"}'), "Ann to throw, threw T20 5, 1 dart left."),
        (('{"throw": "T20"}', '{"next": true}', '{"undo": true}'), "Ann to throw, threw T20, 2 darts left."),
        (('{"throw": "T1"}',) * 3, "Ann threw T1 T1 T1; pull the darts, then next."),
        (('{"stop": true}',), "No winner."),
    ],
)
def test_the_scoreboard_says_how_things_stand(replay_here: Replay, lines: tuple[str, ...], standing: str) -> None:
    done = replay_here("-", given=record(BURMA, *lines))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == "Burma Road, round 1"
    assert done.stdout.splitlines()[-1] == standing


def test_a_scoreboard_shows_what_came_before_an_unreadable_line(replay_here: Replay) -> None:
    done = replay_here("-", given=record(HEADER, '{"throw": "T20"}', '{"throw": "x"}', "?"))
    assert done.returncode == 2
    assert done.stdout.splitlines()[1] == "> Ann    441  average 180.00"
    first, second = done.stderr.splitlines()
    assert first == "oche: line 3 was refused: the standard layout has no segment 'x'"
    assert second.startswith("oche: standard input, line 4: this is not JSON")


@pytest.mark.slow
def test_names_of_every_tongue_arrive_whole_whatever_the_terminal_says() -> None:
    given = record(json.dumps({"oche": 1, "game": "x01", "players": ["Zoë\u0007", "李" * 99]}, ensure_ascii=False))
    for encoding in ("utf-8", "ascii", "latin-1"):
        done = replay("-", "--json", given=given, PYTHONIOENCODING=encoding)
        assert [side["name"] for side in answers(done)[0]["state"]["sides"]] == ["Zoë", "李" * 40]
        assert "Zoë" in replay("-", given=given, PYTHONIOENCODING=encoding).stdout


def test_a_reader_that_leaves_is_no_error_of_ours() -> None:
    with subprocess.Popen(
        (*REPLAY, "-", "--json"), cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        process.stdin.write(record(HEADER, *['{"throw": "T20"}'] * 3).encode())
        process.stdin.close()
        assert b"Traceback" not in process.stderr.read()
        assert process.wait() == 1


def test_the_same_record_gives_the_same_bytes() -> None:
    given = (TRANSCRIPTS / "burma_road/sudden_death_leaders.jsonl").read_bytes()
    assert replay("-", "--json", given=given).stdout == replay("-", "--json", "--reveal", given=given).stdout


def test_a_header_without_a_seed_can_be_replayed(replay_here: Replay) -> None:
    assert replay_here("-", "--json", given=record(BURMA)).returncode == 0
