"""Boards of every mat and every numbering, learned over a real pty by a program, by a person and by the page."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from itertools import product
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from daemon.plugins.profiles import find_codebook
from protocol.codebook import Codebook, expand
from protocol.mat import Wiring, list_mats, load_mat
from protocol.profile import Hits, Profile
from protocol.standard import merged, standard
from simulator.pty_board import PtyBoard
from tests.daemon.process import eventually
from tests.daemon.test_learn_command import frames, learning
from tests.daemon.test_learning import look, order
from tests.daemon.test_settings import serve, write_file
from tests.sweep import sweep

GAP = "both with a gap"
NUMBERINGS: dict[str, Callable[[int], tuple[int, int]]] = {
    "from 0": lambda line: (line, line),
    "from 1": lambda line: (line + 1, line + 1),
    "rows with a gap": lambda line: (line + (line > 2), line),
    "columns with a gap": lambda line: (line, line + (line > 1) + (line > 4)),
    GAP: lambda line: (line + 2 + (line > 6), line + 12 + 2 * (line > 7)),
    "one running number": lambda line: (line, line),
}


def number(name: str, numbering: str) -> Codebook:
    """A board with this mat, its lines in some order and with these numbers."""
    rng, grid = Random(name), load_mat(name).grid
    rows = rng.sample([NUMBERINGS[numbering](line)[0] for line in range(len(grid))], len(grid))
    cols = rng.sample([NUMBERINGS[numbering](line)[1] for line in range(len(grid[0]))], len(grid[0]))
    frame = f"{{{len(grid[0])}*row+col}}" if numbering == "one running number" else "{row},{col}"
    hits = Hits(frame=frame, mat=name, wiring=Wiring(turn=rng.randrange(20), rows=rows, cols=cols))
    return expand(Profile(id="secret", name="secret", hits=hits))


def find_bed(book: Codebook, asked: str) -> str | None:
    """The bed that one presses who is asked for this: for S20 the outer single where there are two."""
    known = frames(book)
    return next((bed for bed in (asked, merged(asked), f"O{asked[1:]}") if bed in known), None)


async def program_learns(name: str, numbering: str, output: Path) -> None:
    """A program presses all that is asked for, and lets the time pass for what its board has not."""
    book = number(name, numbering)
    async with PtyBoard(book) as board, learning(board, output, "--json", frame=book.profile.hits.frame) as learn:
        said: dict[str, object] = {}
        while "done" not in said:
            if not (line := await learn.line()).startswith("{"):
                assert "so this board has no such bed" in line
                continue
            said = json.loads(line)
            asked = str(said.get("press", ""))
            bed = find_bed(book, asked) if asked[:1] == "S" or asked in frames(book) else None
            assert bed is None or board.hit(standard()[bed])
        assert await learn.ended() == 0
    assert said["mat"] == name
    assert frames(find_codebook(str(output))) == frames(book)


async def person_learns(name: str, numbering: str, output: Path) -> None:
    """A person presses all that is asked for."""
    book = number(name, numbering)
    async with PtyBoard(book) as board, learning(board, output, frame=book.profile.hits.frame) as learn:
        while asked := await learn.asked("This is the mat"):
            bed = find_bed(book, asked)
            assert bed is not None
            board.hit(standard()[bed])
        assert await learn.ended() == 0
    assert frames(find_codebook(str(output))) == frames(book)


CASES = sweep(list(product(list_mats(), NUMBERINGS)), lambda case: case == ("philharlow_8x11", GAP))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "numbering"), CASES)
async def test_a_board_of_any_numbering_is_learned_by_a_program_and_a_person(
    tmp_path: Path, name: str, numbering: str
) -> None:
    await asyncio.gather(
        program_learns(name, numbering, tmp_path / "program.toml"),
        person_learns(name, numbering, tmp_path / "person.toml"),
    )


@pytest.mark.slow
@pytest.mark.parametrize(("name", "numbering"), CASES)
async def test_a_board_of_any_numbering_is_learned_by_the_page(
    tmp_path: Path, unused_tcp_port: int, name: str, numbering: str
) -> None:
    book = number(name, numbering)
    async with PtyBoard(book) as board, serve(write_file(tmp_path, unused_tcp_port)) as client:
        wanted = {"board": board.address, "name": "mine", "frame": book.profile.hits.frame}
        assert (await order(client, "start", wanted))[0] == 200
        asked = ""
        heard = 0

        async def is_asked() -> bool:
            nonlocal asked
            told = await look(client)
            is_new = told["online"] and len(told["heard"]) == heard
            asked = told["press"]["place"] if is_new and told["press"] else ""
            return bool(is_new)

        await eventually(is_asked)
        while asked:
            bed = find_bed(book, asked)
            assert bed is not None
            board.hit(standard()[bed])
            heard += 1
            await eventually(is_asked)
        assert (await order(client, "save"))[0] == 200
    assert frames(find_codebook(str(tmp_path / "state" / "profile.mine.toml"))) == frames(book)


CODES = [b"0x43", b"0x54", b"0x07", b"0x1A", b"0x2F"]


@pytest.mark.long
async def test_a_person_goes_on_with_a_board_that_prints_hex(tmp_path: Path) -> None:
    blank = expand(Profile(id="blank", name="blank", hits=Hits(names={"T20": "none"})))
    async with PtyBoard(blank) as board, learning(board, tmp_path / "mine.toml", frame=None) as learn:
        asked = [await learn.asked()]
        for code in CODES:
            board.write_raw(code + b"\r\n")
            asked.append(await learn.asked())
        assert asked[0] == "D20"
        assert len(set(asked)) == len(asked), "each press was taken"
        assert not any("no contact" in line for line in learn.heard)


@pytest.mark.long
async def test_a_board_that_prints_hex_and_releases_is_learned_by_a_program(tmp_path: Path) -> None:
    hexes = replace(number("gran_12x7", "from 0").profile, name="hex")
    book = expand(replace(hexes, hits=replace(hexes.hits, frame="P0x{16*row+col:02X}")))
    output = tmp_path / "mine.toml"
    async with PtyBoard(book) as board, learning(board, output, "--json", frame=None) as learn:
        before = b""
        while "press" in (said := json.loads(await learn.line())):
            bed = find_bed(book, said["press"])
            assert bed is not None
            if before:
                board.write_raw(before.replace(b"P", b"R") + b"\r\n")
            before = frames(book)[bed]
            board.write_raw(before + b"\r\n")
        assert await learn.ended() == 0
    learned = find_codebook(str(output))
    assert said["mat"] == "gran_12x7"
    assert frames(learned) == frames(book)
    assert learned.profile.ignore == ["R*"]
