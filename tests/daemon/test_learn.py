"""`oche boards learn` as a program and as a person meet it: a process, a real pty, and somebody who presses."""

from __future__ import annotations

import asyncio
import json
import sys
import tomllib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random

import pytest

from daemon.profiles import named
from protocol.codebook import Codebook, expand
from protocol.mat import Wiring, mat
from protocol.profile import Hits, Profile
from protocol.standard import standard
from simulator.firmware import SOUND, Faults
from simulator.pty_board import PtyBoard
from tests.daemon.house import ROOT, STRICT, run
from tests.daemon.patience import PATIENCE_S


def secret(name: str, turn: int, *, mirror: bool = False, transpose: bool = False) -> Codebook:
    """A board with this mat and its lines in an order nobody knows."""
    rng = Random(name)
    grid = mat(name).grid
    rows, cols = (rng.sample(range(count), count) for count in (len(grid), len(grid[0])))
    wiring = Wiring(turn=turn, mirror=mirror, transpose=transpose, rows=rows, cols=cols)
    return expand(Profile(id="secret", name="secret", hits=Hits(frame="{row},{col}", mat=name, wiring=wiring)))


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
        """Somebody types."""
        self._input.write(text.encode())

    async def ended(self) -> int:
        """Its exit status, and all it had to say is heard."""
        async with asyncio.timeout(PATIENCE_S):
            self.heard += (await self._output.read()).decode().splitlines()
            return await self._process.wait()


@asynccontextmanager
async def learning(board: PtyBoard, output: Path, *more: str) -> AsyncIterator[Learn]:
    """The command for a board on this port."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, *STRICT, "-m", "daemon.cli", "boards", "learn"),
        *("--board", board.address, "--frame", "row,col", "--output", str(output), *more),
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


async def press_all(book: Codebook, output: Path, *, slip: int = -1, faults: Faults = SOUND) -> None:
    """Presses whatever the program asks for; at the press of number `slip` the bed beside."""
    async with PtyBoard(book, faults=faults) as board, learning(board, output, "--json") as learn:
        presses = 0
        while "press" in (said := json.loads(await learn.line())):
            asked = standard()[said["press"]]
            beside = next(s for s in sorted(asked.near) if s[0] == said["press"][0]) if presses == slip else ""
            assert board.hit(standard()[beside] if beside else asked), said
            presses += 1
        assert await learn.ended() == 0
    profile = named(str(output)).profile
    assert said == {"done": str(output), "presses": presses, "mat": profile.hits.mat}
    assert len(learn.heard) == presses + 1, "nothing else was said"
    assert frames(named(str(output))) == frames(book)
    assert not output.with_name(f"{output.name}.presses").exists()


async def test_a_program_learns_boards_over_real_ports(tmp_path: Path) -> None:
    await asyncio.gather(
        press_all(secret("gran_12x7", 3, mirror=True), tmp_path / "a.toml"),
        press_all(secret("oem_8x8", 11, transpose=True), tmp_path / "b.toml", faults=Faults(bounce_ms=(3, 30))),
        press_all(secret("loewen_4x16", 6), tmp_path / "c.toml", slip=5),
    )
    checked = await run("boards", "check", tmp_path / "a.toml")
    assert "82 segments, every one comes back" in checked.output


async def test_a_person_errs_undoes_stops_and_goes_on(tmp_path: Path) -> None:
    book, output = secret("oem_8x8", 2), tmp_path / 'my "own".toml'
    async with PtyBoard(book) as board:
        async with learning(board, output) as learn:
            first = await learn.asked()
            board.write_raw(b"hello\r\n")
            assert "Heard 'hello', which is no contact" in await learn.line()
            board.hit(standard()["T1"])
            await learn.asked()
            learn.type("u\n")
            assert await learn.asked() == first, "the last press is taken back"
            board.hit(standard()[first])
            second = await learn.asked()
            board.hit(standard()[first])  # still held
            board.hit(standard()[second])
            third = await learn.asked()
            await board.unplug()
            assert "plug it in again" in await learn.line()
            board.plug()
            assert await learn.asked() == third
            learn.type("q\n")
            assert await learn.ended() == 0
            assert "the same command goes on from there" in learn.heard[-1]
        assert not output.exists()
        async with learning(board, output) as learn:
            assert "Going on after 2 presses" in await learn.line()
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
    assert frames(named(str(output))) == frames(book)


async def test_presses_that_cannot_be_kept_end_it_with_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "mine.toml.presses.new").mkdir()
    async with PtyBoard(secret("oem_8x8", 0)) as board, learning(board, tmp_path / "mine.toml", "--json") as program:
        await program.line()
        board.write_raw(b"1,1\r\n")
        assert await program.ended() == 1
    assert program.heard[1:] == [f"oche: cannot write {tmp_path}/mine.toml.presses: is a directory"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--output", "{there}", "--frame", "row,col"], "is there already: name another --output, or add --force"),
        (["--frame", "line"], "must hold row and col"),
        ([], "say what the board sends for a hit"),
    ],
    ids=["a file that is there", "a frame that says nothing", "no frame"],
)
async def test_what_cannot_work_is_one_sentence(tmp_path: Path, arguments: list[str], sentence: str) -> None:
    there = tmp_path / "there.toml"
    there.write_text("mine", encoding="utf-8")
    ended = await run("boards", "learn", "--board", "serial:/dev/null", *(a.format(there=there) for a in arguments))
    assert sentence in ended.errors
    assert ended.errors.count("\n") == 1
    assert ended.process.returncode == 2
    assert there.read_text(encoding="utf-8") == "mine"
