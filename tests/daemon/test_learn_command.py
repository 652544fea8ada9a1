"""`oche boards learn` as a program and as a person meet it: a process, a real pty, and a person who presses."""

from __future__ import annotations

import asyncio
import json
import sys
import tomllib
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from daemon.admin.learning.blank_profile import make_blank_profile
from daemon.admin.learning.press_file import PressFile, continue_learning
from daemon.admin.learning.terminal_learning import Prompter, TerminalLearning
from daemon.admin.requests import BoardDescription
from daemon.errors import UserError
from daemon.plugins.profiles import find_codebook
from drivers.session import Session
from protocol.codebook import Codebook, expand, make_blank_codebook
from protocol.framing import Framing
from protocol.learning.dialogue import Ask, Dialogue
from protocol.learning.finding import Finding
from protocol.learning.survey import Answer
from protocol.mat import Wiring, load_mat
from protocol.profile import Hits, Profile
from protocol.standard import standard
from simulator.contacts import SOUND, Faults
from simulator.memory_board import MemoryBoard
from simulator.pty_board import PtyBoard
from tests.daemon.process import PATIENCE_S, ROOT, STRICT, Saying, run
from tests.simulator.hurry import hurry

TEXT = Profile(id="secret", name="secret", hits=Hits(frame="{row},{col}"))


def secret(name: str, turn: int, *, mirror: bool = False, transpose: bool = False, base: Profile = TEXT) -> Codebook:
    """A board with this mat and its lines in an unknown order."""
    rng = Random(name)
    grid = load_mat(name).grid
    rows, cols = (rng.sample(range(count), count) for count in (len(grid), len(grid[0])))
    wiring = Wiring(turn=turn, mirror=mirror, transpose=transpose, rows=rows, cols=cols)
    return expand(replace(base, hits=replace(base.hits, mat=name, wiring=wiring)))


BYTES = replace(TEXT, notation="hex", framing=Framing(kind="fixed", size=1), hits=Hits(frame="{16*row+col}"))


class Learn:
    """The command, running."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        self._input, self._output = process.stdin, process.stdout
        self.heard: list[str] = []

    async def line(self) -> str:
        """The next line it prints."""
        async with asyncio.timeout(PATIENCE_S):
            line = (await self._output.readline()).decode()
        assert line, f"it ended: {self.heard}"
        self.heard.append(line.rstrip("\n"))
        return self.heard[-1]

    async def asked(self, end: str = "no end") -> str:
        """The next segment a person is asked to press; anything when this comes before."""
        while ": press " not in (line := await self.line()) and end not in line:
            pass
        return line.partition(": press ")[2].removeprefix("once more ").partition(",")[0]

    def type(self, text: str) -> None:
        """Types as a user does."""
        self._input.write(text.encode())

    async def ended(self) -> int:
        """Its exit status, and all it had to say is heard."""
        async with asyncio.timeout(PATIENCE_S):
            self.heard += (await self._output.read()).decode().splitlines()
            return await self._process.wait()


@asynccontextmanager
async def learning(board: PtyBoard, output: Path, *more: str, frame: str | None = "row,col") -> AsyncIterator[Learn]:
    """The command for a board on this port; without a `frame` the presses show it."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, *STRICT, "-m", "daemon.cli", "boards", "learn"),
        *("--board", board.address, *(["--frame", frame] if frame else []), "--output", str(output), *more),
        cwd=ROOT,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        yield Learn(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


def frames(book: Codebook) -> dict[str, bytes]:
    """What the board says for each segment."""
    return {meaning.segment.id: frame for meaning, frame in book.frames.items() if meaning.segment}


async def press_all(
    book: Codebook, output: Path, *more: str, frame: str = "row,col", slip: int = -1, faults: Faults = SOUND
) -> None:
    """Presses whatever the program asks for; at the press of number `slip` the bed beside."""
    async with (
        PtyBoard(book, faults=faults) as board,
        learning(board, output, "--json", *more, frame=frame) as learn,
    ):
        presses = 0
        while "press" in (said := json.loads(await learn.line())):
            assert said["press"] in frames(book), "only what this board has"
            asked = standard()[said["press"]]
            beside = next(s for s in sorted(asked.near) if s[0] == said["press"][0]) if presses == slip else ""
            assert board.hit(standard()[beside] if beside else asked), said
            presses += 1
        assert await learn.ended() == 0
    profile = find_codebook(str(output)).profile
    assert said == {"done": str(output), "presses": presses, "mat": profile.hits.mat}
    assert len(learn.heard) == presses + 1, "nothing else was said"
    assert frames(find_codebook(str(output))) == frames(book)
    assert not output.with_name(f"{output.name}.presses").exists()


@pytest.mark.long
async def test_a_program_learns_boards_over_real_ports(tmp_path: Path) -> None:
    await asyncio.gather(
        press_all(secret("gran_12x7", 3, mirror=True), tmp_path / "a.toml"),
        press_all(secret("oem_8x8", 11, transpose=True), tmp_path / "b.toml", faults=Faults(bounce_ms=(3, 30))),
        press_all(secret("loewen_4x16", 6), tmp_path / "c.toml", slip=5),
        press_all(secret("standard_7x10", 13), tmp_path / "e.toml"),
        press_all(secret("gran_12x7", 9, base=BYTES), tmp_path / "d.toml", "--size", "1", frame="{16*row+col}"),
    )
    assert find_codebook(str(tmp_path / "d.toml")).profile.hits.mat == "gran_12x7"
    checked = await run("boards", "check", tmp_path / "a.toml")
    assert "82 segments, all decoded correctly" in checked.output


@pytest.mark.long
async def test_a_person_errs_undoes_stops_and_goes_on(tmp_path: Path) -> None:
    book, output = secret("oem_8x8", 2), tmp_path / 'my "own".toml'
    async with PtyBoard(book) as board:
        async with learning(board, output) as learn:
            first = await learn.asked()
            board.write_raw(b"hello\r\n")
            assert "Received 'hello', which is not a hit" in await learn.line()
            board.hit(standard()["T1"])
            await learn.asked()
            learn.type("u\n")
            assert await learn.asked() == first, "The last press was taken back"
            board.hit(standard()[first])
            second = await learn.asked()
            board.hit(standard()[second])
            third = await learn.asked()
            await board.unplug()
            assert "plug it in again" in await learn.line()
            board.plug()
            assert await learn.asked() == third
            learn.type("q\n")
            assert await learn.ended() == 0
            assert "The same command continues from there" in learn.heard[-1]
        assert not output.exists()
        async with learning(board, output) as learn:
            assert (
                f"Continuing with 2 presses from {output}.presses. To start over add --restart." in await learn.line()
            )
            asked = await learn.asked()
            assert asked == third
            while "This is the mat" not in "".join(learn.heard):
                board.hit(standard()[asked])
                asked = await learn.asked("This is the mat")
            assert await learn.ended() == 0
        said = "\n".join(learn.heard)
        assert "This is the mat oem_8x8, turned by 2 numbers." in said
        lines = tomllib.loads(said[said.index("[[table]]") :])
        assert lines == {"table": [{"board": board.address, "profile": str(output)}]}
    assert frames(find_codebook(str(output))) == frames(book)


async def test_presses_that_cannot_be_kept_end_it_with_one_sentence(tmp_path: Path) -> None:
    presses = PressFile(tmp_path / "mine.toml", "{row},{col}")
    presses.write([("D20", (1, 1))])
    (tmp_path / "mine.toml.presses.new").mkdir()
    async with PtyBoard(secret("oem_8x8", 0)) as board, learning(board, tmp_path / "mine.toml", "--json") as program:
        assert await program.line() == f"Continuing with 1 press from {presses.file}. To start over add --restart."
        await program.line()
        board.write_raw(b"1,2\r\n")
        assert await program.ended() == 1
    assert program.heard[2:] == [f"oche: cannot write {tmp_path}/mine.toml.presses: is a directory"]


@pytest.mark.parametrize(
    "lines",
    [
        b"\0\0\n",
        b'{"frame":"{row},{col}"}\n{"press":"X7","contact":[1,2]}\n',
        b'{"frame":"x"}\n{"press":"D20","contact":[1,2]}\n',
        b'{"frame":"{row},{col}"}\n{"press":"D20","contact":[999,2]}\n',
        b'{"frame":"{row},{col}"}\n{"press":"D20","contact":"T20"}\n',
        b'{"frame":null}\n{"press":"D20","contact":[1,2]}\n',
    ],
)
def test_presses_that_cannot_be_used_are_renamed_and_it_starts_over(tmp_path: Path, lines: bytes) -> None:
    base, presses = make_blank_profile(BoardDescription("serial:x", "mine")), PressFile(tmp_path / "mine.toml", None)
    presses.file.write_bytes(lines)
    older = presses.file.with_name("mine.toml.presses.old")
    older.write_text("older", encoding="utf-8")
    dialogue, said = continue_learning(presses, lambda kept: Dialogue(base, kept, frame=presses.frame, by_name=True))
    renamed = presses.file.with_name("mine.toml.presses.old1")
    told = f"The presses in {presses.file} cannot be used. They are now in {renamed}, and learning starts over."
    assert (dialogue.answers, str(said)) == ([], told)
    assert renamed.read_bytes() == lines
    assert older.read_text(encoding="utf-8") == "older"


@pytest.mark.parametrize("torn", [b'{"press": "D1', b'{"press": "T\xc3', b"\0\0\0", b"7", b""], ids=repr)
def test_a_torn_last_line_is_left_out_and_a_broken_one_refused(tmp_path: Path, torn: bytes) -> None:
    answers: list[Answer] = [("D20", (1, 2)), ("D7", None), ("T3", "x")]
    presses = PressFile(tmp_path / "mine.toml", "{row},{col}")
    presses.write(answers)
    whole = presses.file.read_bytes()
    for content, read in ((whole + torn, answers), (whole[:-3], answers[:-1]), (torn, [])):
        presses.file.write_bytes(content)
        assert presses.read() == read
    for damaged in (whole.replace(b'"D7"', b'"D7'), b"\n" + whole):
        presses.file.write_bytes(damaged)
        with pytest.raises(UserError, match="is damaged: delete it"):
            presses.read()


class Robot(Prompter):
    """Presses what it is asked for, half a second later, if its board has a segment of that name that is not `dead`."""

    def __init__(self, board: MemoryBoard, dead: str) -> None:
        super().__init__(is_json=True)
        self._board = board
        self._known = {segment.id for segment in board.codebook.segments} - {dead}
        self.asked: list[str] = []

    def ask(self, ask: Ask) -> None:
        super().ask(ask)
        self.asked.append(ask.press)
        if ask.press in self._known:
            asyncio.get_running_loop().call_later(0.5, self._board.hit, standard()[ask.press])


async def robot_learns(
    book: Codebook,
    output: Path,
    dead: str = "",
    said: Iterable[bytes] = (),
    *,
    is_unplugged: bool = False,
    faults: Faults = SOUND,
) -> tuple[Robot, Finding]:
    """A program presses, a board says such things besides; all by the clock of the loop."""
    dialogue = Dialogue(TEXT, by_name=True)
    loop, tasks = asyncio.get_running_loop(), list[asyncio.Task[None]]()
    async with MemoryBoard(book, faults=faults) as board:
        robot = Robot(board, dead)
        learning = TerminalLearning(dialogue, PressFile(output, "{row},{col}"), robot)
        for count, line in enumerate(said, 1):
            loop.call_later(4 * count, board.write_raw, line)
        if is_unplugged:
            loop.call_later(10, lambda: tasks.append(asyncio.create_task(board.unplug())))
            loop.call_later(300, board.plug)
        schemes = {"sim": board.scheme}
        assert await learning.run(Session("b", board.address, make_blank_codebook(TEXT), schemes=schemes))
    return robot, dialogue.finding


def test_a_program_idle_for_a_minute_is_asked_for_another_press(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    robot, finding = hurry(robot_learns(secret("oem_8x8", 4), tmp_path / "o", "D20", is_unplugged=True))
    assert finding.mat == "oem_8x8"
    assert robot.asked.count("D20") == 2, "again when the board is there again"
    told = capsys.readouterr().err.splitlines()
    assert told[-1] == "No contact came for D20 in 60 seconds: oche takes this bed for broken."
    assert sum("No contact came" in line for line in told) == 1, "while there is no board nothing is dead"


def test_a_contact_that_is_held_does_not_count_for_the_next_press(tmp_path: Path) -> None:
    held = Faults(bounce_ms=(450,))  # the next press is asked for after 200 ms and made after 700
    robot, _ = hurry(robot_learns(secret("oem_8x8", 4), tmp_path / "o", faults=held))
    assert len(robot.asked) == len(set(robot.asked)), "no press is asked for again"


def test_a_program_whose_board_has_no_halves_is_waited_for_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    segments = [*(f"{ring}{n}" for ring in "DST" for n in range(1, 21)), "SB", "DB"]
    Random(5).shuffle(segments)
    names: dict[str, str | list[str]] = {s: f"{place // 8},{place % 8}" for place, s in enumerate(segments)}
    robot, finding = hurry(robot_learns(expand(replace(TEXT, hits=Hits(names=names))), tmp_path / "o"))
    assert len(finding.contacts) == 62
    assert robot.asked[-1] == "I20"
    assert capsys.readouterr().err == "No contact came for I20 in 15 seconds, so this board has no such bed.\n"


def test_frames_that_do_not_fit_are_told_once_each_and_end_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [b"07,03\r\n", *(b"%d;7\r\n" % (count // 2) for count in range(30))]
    nothing = expand(replace(TEXT, hits=Hits(names={"T7": "1,2"})))
    with pytest.raises(UserError, match="nothing came for 3 presses: check the cable, and what is set for a hit"):
        hurry(robot_learns(nothing, tmp_path / "o", said=lines))
    told = capsys.readouterr().err.splitlines()
    heard = [line for line in told if line.startswith("Received")]
    assert heard[0] == (
        "Received '07,03', which is not a hit: check what is set for a hit and for the end of a message."
    )
    assert len(heard) == len(set(heard)) == 5
    assert PressFile(tmp_path / "o", "{row},{col}").read() == [], "nothing of it is kept"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--output", "{there}", "--frame", "row,col"], "already exists: name another file, or add --force"),
        (["--frame", "line"], "must contain {row} and {col}, as in {row},{col} or R{row}C{col}; or write *"),
    ],
    ids=["a file that is there", "a frame that says nothing"],
)
def test_learning_that_cannot_work_ends_with_one_sentence(
    tmp_path: Path, oche: Saying, arguments: list[str], sentence: str
) -> None:
    there = tmp_path / "there.toml"
    there.write_text("mine", encoding="utf-8")
    ended = oche("boards", "learn", "--board", "serial:/dev/null", *(a.format(there=there) for a in arguments))
    assert sentence in ended.errors
    assert (ended.status, ended.errors.count("\n")) == (2, 1)
    assert there.read_text(encoding="utf-8") == "mine"


@pytest.mark.slow
def test_a_list_of_contacts_makes_the_profile_without_a_board(tmp_path: Path, oche: Saying) -> None:
    book, listed, output = secret("gran_12x7", 9, mirror=True), tmp_path / "contacts.txt", tmp_path / "mine.toml"
    listed.write_text("\n".join(f"{s} {frame.decode()}" for s, frame in frames(book).items()), encoding="utf-8")
    command = ("boards", "learn", "--board", "serial:/dev/null/no", "--contacts", listed, "--output", output)
    ended = oche(*command, "--json")
    assert (ended.status, ended.errors) == (0, "")
    assert json.loads(ended.output) == {"done": str(output), "presses": 82, "mat": "gran_12x7"}
    assert frames(find_codebook(str(output))) == frames(book)
    told = oche(*command, "--force")
    assert "This is the mat gran_12x7, mirrored, turned by 9 numbers." in told.output
    listed.write_text("T20 3,7\nT21 4,7\n", encoding="utf-8")
    sentence = "line 2: the standard layout has no segment 'T21'; did you mean T2?"
    assert oche(*command, "--force") == (2, "", f"oche: {listed}: {sentence}\n")
