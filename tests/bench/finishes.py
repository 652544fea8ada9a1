"""`python -m tests.bench.finishes --write` makes engine/finish_tables.py: what is worked out once about finishes.

Every table follows from the layout and the scatter alone, so the same bytes come out wherever it runs.
"""

from __future__ import annotations

import argparse
import zlib
from base64 import b64encode
from collections.abc import Iterable, Iterator
from itertools import chain, product
from pathlib import Path
from typing import get_args

from engine.checkouts import AimState, count_darts
from engine.finishing import (
    AIMS,
    FAR,
    HIGHEST,
    Bull,
    Finisher,
    Out,
    beds,
    judge_all,
    least,
    unpack_landings,
)
from engine.skill import Skill
from engine.visits import Landings
from protocol.standard import DARTBOARDS, standard
from tests.bench.visits import count_visits

SCATTERS = (5.0, 8.0, 12.0, 18.0, 27.0, 45.0)
WHOLE = 8192
"""Shares of the scatter: with few, beds that are alike seem to differ."""
VISIT = 2048
"""Parts of a visit: as fine as two bytes allow for the worst player on the narrowest face."""
_EQUAL = 0.06
"""Aims that cost less than so many darts more count as equal: of these the one that players know is taken."""
_LIKED = (40, 32, 24, 36, 16, 20)
"""What players like to be left with."""
_HEAD = '''"""What engine/finishing.py knows of each scatter: written by `python -m tests.bench.finishes --write`.

Scatters are in mm. Each text is base64 of deflated bytes. Of a dartboard and a scatter: for each aim the number of beds
that are hit, and of each its place and its share of WHOLE. Of a rule too, for every number from 0 on: the chance to
finish with two darts in 65,535ths; the place of the best aim; the visits that it still takes, in parts of VISIT; and
for one and two darts, how many aims bring it to that, and their places.
"""

# ruff: noqa: E501
'''
_FILE = Path("engine/finish_tables.py")


def pack(values: Iterable[int]) -> str:
    """Bytes, smaller and as text."""
    return b64encode(zlib.compress(bytes(values), 9)).decode()


def pack_landings(skill: Skill) -> str:
    """For each aim the number of beds, and for each bed its place in AIMS (behind them: a miss) and its share."""

    def values() -> Iterator[int]:
        for aim in AIMS:
            found: dict[int, int] = {}
            for segment, share in skill.chances(aim):
                bed = f"S{segment.id[1:]}" if segment.id[0] in "IO" else segment.id
                index = AIMS.index(bed) if bed in AIMS else len(AIMS)
                found[index] = found.get(index, 0) + round(share * WHOLE)
            yield len(found)
            for index, count in found.items():
                yield from (index, *divmod(count, 256))

    return pack(values())


def pack_rule(skill: Skill, landings: Landings, out: Out, bull: Bull) -> str:
    """What the head of the module says of a rule."""
    lowest = least(out)
    visits = count_visits(landings, out)
    start = Finisher(landings, (0.0,) * (HIGHEST + 1), b"", visits, out, bull)

    def chance(remaining: int) -> int:
        return round(65535 * start.best(remaining, 2))

    def aim_at(remaining: int) -> int:
        if remaining < lowest:
            return 0
        darts = count_darts(AimState(remaining, remaining, 1, out, bull), skill)
        equal = [bed for bed in darts if darts[bed] <= min(darts.values()) + _EQUAL]
        leaves = {remaining - bed.points: bed.id for bed in beds(bull) if bed.id in equal}
        usual = [bed for bed in ("T20", *(leaves.get(left, "") for left in _LIKED)) if bed in equal]
        return AIMS.index(usual[0] if usual else min(equal, key=lambda bed: darts[bed]))

    numbers = range(HIGHEST + 1)
    chances = chain.from_iterable(divmod(chance(remaining), 256) for remaining in numbers)
    needed = chain.from_iterable(divmod(round(VISIT * visits.needed[remaining]), 256) for remaining in numbers)
    best = (visits.aims.get((darts, remaining), ()) for darts in (1, 2) for remaining in numbers)
    places = (place for aims in best for place in (len(aims), *map(AIMS.index, aims)))
    return pack([*chances, *(aim_at(remaining) for remaining in range(FAR + 1)), *needed, *places])


def write() -> Iterator[str]:
    """The lines of the module."""
    faces = {name: standard(radii) for name, radii in DARTBOARDS.items()}
    yield from _HEAD.splitlines()
    yield f"SCATTERS = {SCATTERS}"
    yield f"WHOLE = {WHOLE}"
    yield f"VISIT = {VISIT}"
    skills = {(face, scatter): Skill(layout, scatter, WHOLE) for face, layout in faces.items() for scatter in SCATTERS}
    yield 'TEXT = """\\'
    for (face, scatter), skill in skills.items():
        landings = pack_landings(skill)
        yield f"{face} {scatter}: {landings}"
        unpacked = unpack_landings(landings, WHOLE)
        for out, bull in product(get_args(Out), get_args(Bull)):
            text = pack_rule(skill, judge_all(unpacked, out, bull), out, bull)
            yield f"{face} {scatter} {out} {bull}: {text}"
    yield '"""'
    yield 'TABLES = dict(line.split(": ") for line in TEXT.splitlines())'


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--write", action="store_true")
    if arguments.parse_args().write:
        _FILE.write_text("\n".join(write()) + "\n", encoding="ascii")
