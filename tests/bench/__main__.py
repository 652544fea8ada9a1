"""`make bench`: what the daemon costs, measured against the least that could do something like it, in one run.

It prints Markdown, a section after the other. With --write each section goes between its marks in a page, too; sections
that were not measured stay there as they are.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from types import FrameType
from typing import NamedTuple

from tests.bench import (
    cameras,
    dart_to_display,
    folding,
    growth,
    history,
    idle,
    instructions,
    neighbour,
    paint,
    scenes,
    strangers,
    tables,
)
from tests.bench.processes import BenchError, broker
from tests.bench.report import table


class Bench(NamedTuple):
    """Where a section measures: an empty folder on a disk, and a broker's port, 0 where it needs none.

    `is_quick`: so little that it takes seconds and the numbers say nothing.
    """

    folder: Path
    port: int
    is_quick: bool


def _display(bench: Bench) -> Iterator[str]:
    blocks, block = (1, 20) if bench.is_quick else (12, 25)
    yield f"From the last byte of a hit on the wire until a subscriber has its state; {blocks * block} hits each."
    yield table(dart_to_display.measure(bench.folder, bench.port, blocks, block), *dart_to_display.NOTES)


def _cameras(bench: Bench) -> Iterator[str]:
    darts, runs = (20, 1) if bench.is_quick else (300, 7)
    yield f"A table with cameras beside one with a board at tcp:; {darts} darts each, median of {runs} starts."
    rows, adds = cameras.measure(bench.folder, bench.port, darts, runs)
    yield table(rows, *cameras.NOTES, *adds)


def _screen(bench: Bench) -> Iterator[str]:
    blocks, block, few = (1, 20, 3) if bench.is_quick else (10, 25, 9)
    yield f"From the last byte of a hit on the wire until Chromium has painted it; {blocks * block} hits each."
    rows, visit = paint.measure(bench.folder, bench.port, blocks, block, few)
    yield table(rows, *paint.NOTES, visit)


def _scenes(bench: Bench) -> Iterator[str]:
    runs, most = (1, 1) if bench.is_quick else (3, None)
    yield f"While a great moment is shown on a wall: what keeps a slow processor from drawing; {runs} times each."
    rows, drawn = scenes.measure(bench.folder, bench.port, runs, most)
    yield table(rows, *scenes.NOTES, *drawn)


def _engine(bench: Bench) -> Iterator[str]:
    matches, passes = (2, 1) if bench.is_quick else (20, 7)
    yield f"The inputs of {matches} whole matches a game between two amateurs; median of {passes}."
    yield table(folding.measure(matches, passes), *folding.NOTES)


def _instructions(bench: Bench) -> Iterator[str]:
    games = ["X01"] if bench.is_quick else list(folding.GAMES)
    yield "The same counted in instructions instead of time, so that other work on the machine makes no difference."
    yield table(instructions.measure(bench.folder, 1, games), *instructions.NOTES)


def _neighbour(bench: Bench) -> Iterator[str]:
    matches, passes = (2, 1) if bench.is_quick else (20, 15)
    yield f"The inputs of {matches} whole matches between two amateurs, beside another engine; median of {passes}."
    yield table(neighbour.measure(bench.folder, matches, passes), *neighbour.NOTES)


def _growth(bench: Bench) -> Iterator[str]:
    sizes, resumed, runs = ((100, 200), (50, 10), 1) if bench.is_quick else (growth.SIZES, (10_000, 2_000), 5)
    yield f"One match of up to {sizes[-1]:,} inputs; median of {runs}."
    yield table(growth.measure(bench.folder, bench.port, sizes, resumed, runs), *growth.NOTES)


def _history(bench: Bench) -> Iterator[str]:
    matches, runs = (10, 1) if bench.is_quick else (1000, 3)
    yield f"{matches:,} matches of 501; median of {runs}."
    yield table(history.measure(bench.folder, matches, runs), *history.NOTES)


def _idle(bench: Bench) -> Iterator[str]:
    runs, idle_s = (1, 0.5) if bench.is_quick else (7, 60.0)
    yield f"The daemon with a board and a broker while no match is played; median of {runs}."
    yield table(idle.measure(bench.folder, bench.port, runs, idle_s), *idle.NOTES)


def _tables(bench: Bench) -> Iterator[str]:
    sizes = tables.SIZES[1:2] if bench.is_quick else tables.SIZES
    seconds = 4.0 if bench.is_quick else 60.0
    yield f"Tables in one daemon, each with a board and two players, for {seconds:.0f} seconds; no dart is lost."
    yield table(tables.measure(bench.folder, sizes, seconds), *tables.NOTES)


def _league(bench: Bench) -> Iterator[str]:
    from tests.bench import league_pages  # psycopg needs the libpq of PostgreSQL

    played, counts = (20, (20, 200)) if bench.is_quick else (1000, (1000, 100_000, 1_000_000))
    yield f"A league: {played:,} matches that were played, and copies of them up to {counts[-1]:,}."
    yield from league_pages.measure(bench.folder, played, counts)


def _strangers(bench: Bench) -> Iterator[str]:
    crowds, seconds = (strangers.CROWDS[:1], 4.0) if bench.is_quick else (strangers.CROWDS, 30.0)
    yield f"Beside clients without a token that ask as fast as they can, for {seconds:.0f} seconds; no dart is lost."
    rows, aim = strangers.measure(bench.folder, crowds, seconds)
    yield aim
    yield table(rows, *strangers.NOTES)


class Section(NamedTuple):
    """`measure` yields the text piece after piece; `needs` are the Debian packages it does not go without."""

    measure: Callable[[Bench], Iterator[str]]
    needs: frozenset[str] = frozenset()


SECTIONS = {
    "display": Section(_display, frozenset({"mosquitto"})),
    "screen": Section(_screen, frozenset({"mosquitto", "chromium-headless-shell"})),
    "cameras": Section(_cameras, frozenset({"mosquitto"})),
    "scenes": Section(_scenes, frozenset({"mosquitto", "chromium-headless-shell"})),
    "engine": Section(_engine),
    "instructions": Section(_instructions, frozenset({"valgrind"})),
    "neighbour": Section(_neighbour, frozenset({"nodejs"})),
    "growth": Section(_growth, frozenset({"mosquitto"})),
    "history": Section(_history),
    "idle": Section(_idle, frozenset({"mosquitto"})),
    "tables": Section(_tables, frozenset({"mosquitto"})),
    "strangers": Section(_strangers, frozenset({"mosquitto"})),
    "league": Section(_league, frozenset({"postgresql"})),
}


def main() -> int:
    """Prints one section after the other; gives the exit status."""
    parser = argparse.ArgumentParser(prog="make bench", description="What the daemon costs, beside named baselines.")
    parser.add_argument("sections", nargs="*", help=f"all, unless some are named: {', '.join(SECTIONS)}")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put it into this page, too, as docs/figures.md")
    parser.add_argument(
        "--quick", action="store_true", help="a few seconds each, to see that it runs: the numbers say nothing"
    )
    given = parser.parse_args()
    for name in given.sections:
        if name not in SECTIONS:
            print(f"make bench: there is no section {name}; there are {', '.join(SECTIONS)}.", file=sys.stderr)
            return 2
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _leave)
    print("A ratio of 2: oche takes twice the time or memory of its baseline, or does half as much a second.")
    print("Ratios carry over to other machines; the numbers beside them do not.")
    for name in given.sections or SECTIONS:
        lacking = SECTIONS[name].needs & set(os.environ.get("OCHE_WITHOUT", "").split(","))
        print(f"\n## {name}\n", flush=True)
        if lacking:
            print(f"Not measured: it needs the Debian package {' and '.join(sorted(lacking))}.")
            continue
        try:
            text = _measure(SECTIONS[name], given.quick)
            if given.write is not None:
                _write(given.write, name, text)
        except BenchError as error:
            print(f"make bench: {error}", file=sys.stderr)
            return 1
    return 0


def _measure(section: Section, is_quick: bool) -> str:
    """Prints the text of a section as it comes, and returns it."""
    text = ""
    with ExitStack() as stack:
        # /var/tmp, because a /tmp in memory would make commits free
        within = os.environ.get("TMPDIR", "/var/tmp")
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="oche-bench-", dir=within)))
        port = stack.enter_context(broker(folder)) if "mosquitto" in section.needs else 0
        for piece in section.measure(Bench(folder, port, is_quick)):
            print(f"{piece}\n", flush=True)
            text += f"{piece}\n\n"
    return text


def _write(file: Path, name: str, text: str) -> None:
    """Puts this between the marks of the section."""
    page = file.read_text(encoding="utf-8")
    begin, end = f"<!-- {name}, written by make bench -->\n\n", f"\n\n<!-- end of {name} -->"
    before, _, rest = page.partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        raise BenchError(f"{file} has lost a mark of {name}: put it back.")
    file.write_text(before + begin + text.strip() + end + after, encoding="utf-8")


def _leave(number: int, frame: FrameType | None) -> None:
    """Once is enough: what was begun is ended in peace."""
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, signal.SIG_IGN)
    sys.exit(128 + number)


if __name__ == "__main__":
    sys.exit(main())
