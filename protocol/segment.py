"""The vocabulary of a board: a segment is one area a dart can land in, a layout is all of them in their places.

Everything that knows a layout (rules, hosts, simulator, page) speaks in these values, so a new layout is one new
layout and nothing else. Geometry is kept as integer polygons in tenths of a millimetre: areas that share a border
share its very vertices, so they tile the layout exactly and "touching" can be read off the outlines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from protocol.sentence import Refusal, Sentence, say

Point = tuple[int, int]
Ring = tuple[Point, ...]
_Box = tuple[int, int, int, int]
_Edge = tuple[int, int, int, int]
"""Where an edge of an outline begins, below, and where it ends."""
Dartboard = Literal["soft_15.5", "soft_13.2", "steel"]
"""The dartboards with the standard layout: soft tip, with its size in inches, or steel tip."""
TOTAL = "TOTAL"
"""The id of what stands in a visit for darts whose points were entered together. No layout has it."""
_CELL = 160
"""The side of the squares by which areas are looked up, in tenths of a millimetre."""


NO_SPELLINGS: Mapping[str, str] = MappingProxyType({})
"""Where nothing but the ids is understood."""


def fold_spelling(text: str) -> str:
    """What a person writes for a segment, without capitals and blanks."""
    return "".join(text.casefold().split())


class UnknownSegment(Refusal):
    """No such segment on this layout; `said` names the nearest one."""


class UnfitLayout(Refusal):
    """This design makes no such layout: `said` is what must hold, `key` which one to change ("" if several)."""

    def __init__(self, said: Sentence, key: str = "") -> None:
        super().__init__(said)
        self.key = key


@dataclass(frozen=True, slots=True)
class Segment:
    """One area a dart can land in. Two segments are equal when id, value and multiplier are.

    `value` is the number on the board (25 for both bulls), `multiplier` 0 (scores nothing) to 3. `groups` are the
    labels that rules and displays use ("20", "double", "bull"). `near` holds the ids of the segments it touches along a
    border. `outline` is a list of rings in tenths of a millimetre (x right, y up, origin at the centre of the
    layout), filled by the even-odd rule; empty for a segment without an area of its own.
    """

    id: str
    value: int
    multiplier: int
    groups: frozenset[str] = field(default=frozenset(), compare=False, repr=False)
    near: frozenset[str] = field(default=frozenset(), compare=False, repr=False)
    outline: tuple[Ring, ...] = field(default=(), compare=False, repr=False)

    @property
    def points(self) -> int:
        """Face value of a dart here: 60 for T20."""
        return self.value * self.multiplier


def make_total(points: int) -> Segment:
    """Returns what stands for darts of so many points in all, whose beds are not known.

    Its value is 1: that of no bed to which a rule gives other points, as some do to the bull.
    """
    return Segment(TOTAL, 1, points)


_Part = tuple[Segment, bool, tuple[_Edge, ...]]
"""An area in a square; whether the edges that all points there have to their right are odd in number; its edges that
not all of them have there."""


class Layout:
    """A layout: a name, its segments in a fixed order, and the one that means "no score" (`miss`).

    `dartboard` says whose measures it has, where there are several of one name; None: there is only this one.
    """

    __slots__ = (
        "__weakref__",
        "_boxes",
        "_by_id",
        "_cells",
        "_spellings",
        "dartboard",
        "miss",
        "name",
        "radius",
        "segments",
    )

    def __init__(
        self,
        name: str,
        segments: Iterable[Segment],
        miss: str,
        spellings: Mapping[str, str] = NO_SPELLINGS,
        dartboard: Dartboard | None = None,
    ) -> None:
        """`spellings` has ids by what people write for them, as `fold_spelling` makes it."""
        self.name = name
        self.dartboard = dartboard
        self.segments = tuple(segments)
        self._by_id: dict[str, Segment] = {}
        for segment in self.segments:
            if segment.id in self._by_id:
                raise ValueError(f"segment {segment.id} is named twice on the layout {name}")
            self._by_id[segment.id] = segment
        self._spellings = dict(spellings)  # a layout is sent to other processes
        self.miss = self._by_id[miss]
        self._boxes = tuple((s, _box(s.outline)) for s in self.segments if s.outline)
        """The tightest box of each area, so that few areas are looked at in each square."""
        self.radius = max(max(abs(v) for v in box) for _, box in self._boxes) if self._boxes else 0
        """Half the side of the square around the layout, in tenths of a millimetre."""
        self._cells: dict[tuple[float, float], tuple[_Part, ...]] = {}
        """What areas have of a square of the layout; found when a point there is needed."""

    def __iter__(self) -> Iterator[Segment]:
        return iter(self.segments)

    def __len__(self) -> int:
        return len(self.segments)

    def __contains__(self, segment_id: object) -> bool:
        return segment_id in self._by_id

    def __getitem__(self, segment_id: str) -> Segment:
        """The segment of that id; raises UnknownSegment with the nearest spelling."""
        try:
            return self._by_id[segment_id]
        except KeyError:
            raise self._refuse(segment_id) from None

    def find(self, text: str) -> Segment:
        """The segment that a person means by this text: its id or another spelling; raises as `layout[id]` does."""
        found = self._by_id.get(text)
        if found is None and (spelled := self._spellings.get(fold_spelling(text))) is not None:
            found = self._by_id[spelled]
        if found is None:
            raise self._refuse(text)
        return found

    def _refuse(self, text: str) -> UnknownSegment:
        """The error that there is no such segment, with the nearest of all that is understood."""
        import difflib  # noqa: PLC0415  needed for mistakes only

        known = {fold_spelling(segment_id): segment_id for segment_id in self._by_id} | self._spellings
        written = fold_spelling(text)
        single = known.get(f"s{written}")
        close = [f"s{written}"] if single else difflib.get_close_matches(written, known, n=1, cutoff=0.5)
        if written.isdigit() and not single:
            close = []  # no bed is near a number that is none
        said = say("refused.no_bed", "the {layout} layout has no segment {given}", layout=self.name, given=repr(text))
        if not close:
            return UnknownSegment(said)
        return UnknownSegment(
            say(
                "refused.other_bed",
                "the {layout} layout has no segment {given}; did you mean {possible}?",
                **said.values,
                possible=known[close[0]],
            )
        )

    def __repr__(self) -> str:
        return f"<Layout {self.name}, {len(self.segments)} segments>"

    @property
    def areas(self) -> tuple[Segment, ...]:
        """The segments that are an area of the layout; together they tile it."""
        return tuple(segment for segment, _ in self._boxes)

    def group(self, label: str) -> tuple[Segment, ...]:
        """All segments that carry this label."""
        return tuple(s for s in self.segments if label in s.groups)

    def at(self, x: float, y: float) -> Segment:
        """The segment under a point (tenths of a millimetre from the centre); the miss outside the layout."""
        if not (abs(x) <= self.radius and abs(y) <= self.radius):
            return self.miss
        cell = x // _CELL, y // _CELL
        areas = self._cells.get(cell)
        if areas is None:
            areas = self._cells[cell] = tuple(self._around(*cell))
        for segment, is_passed, edges in areas:
            odd = is_passed
            for x1, y1, x2, y2 in edges:  # as in `inside`
                if y1 <= y < y2:
                    odd ^= (x - x1) * (y2 - y1) < (y - y1) * (x2 - x1)
            if odd:
                return segment
        return self.miss

    def _around(self, column: float, row: float) -> Iterator[_Part]:
        """What areas have of this square, in their order.

        Edges below, above or left of the square say nothing about its points. Of those that pass it on the right from
        its foot to its head, it counts only whether they are odd in number.
        """
        left, bottom = column * _CELL, row * _CELL
        right, top = left + _CELL, bottom + _CELL
        for segment, box in self._boxes:
            if box[0] > right or box[2] < left or box[1] > top or box[3] < bottom:
                continue
            is_passed, near = False, []
            for x1, y1, x2, y2 in _edges(segment.outline):
                if y1 > top or y2 < bottom or max(x1, x2) < left:
                    continue
                if min(x1, x2) > right and y1 <= bottom and y2 >= top:
                    is_passed = not is_passed
                else:
                    near.append((x1, y1, x2, y2))
            if is_passed or near:
                yield segment, is_passed, tuple(near)

    def landed(self, x: float, y: float) -> Segment:
        """What a dart with its point there has hit: the area under it, unless the layout has lines a dart can be on."""
        return self.at(x, y)


def _edges(outline: Iterable[Ring]) -> Iterator[_Edge]:
    """Those of an outline that are not level: a point is never beside the others."""
    for ring in outline:
        for (x1, y1), (x2, y2) in zip(ring, ring[1:] + ring[:1], strict=True):
            if y1 != y2:
                yield (x1, y1, x2, y2) if y1 < y2 else (x2, y2, x1, y1)


def inside(outline: Iterable[Ring], x: float, y: float) -> bool:
    """Even-odd test with half-open edges: a point on a shared border belongs to exactly one of two neighbours."""
    odd = False
    for ring in outline:
        previous = ring[-1]
        for vertex in ring:
            if (previous[1] > y) != (vertex[1] > y):
                (x1, y1), (x2, y2) = (previous, vertex) if vertex[1] > previous[1] else (vertex, previous)
                odd ^= (x - x1) * (y2 - y1) < (y - y1) * (x2 - x1)  # upwards always: neighbours round alike
            previous = vertex
    return odd


def touching(outlines: Mapping[str, tuple[Ring, ...]]) -> dict[str, frozenset[str]]:
    """Which areas share a border of some length, read off the edges that two outlines have in common."""
    owners: dict[tuple[Point, Point], list[str]] = {}
    for segment_id, outline in outlines.items():
        for ring in outline:
            for start, end in zip(ring, ring[1:] + ring[:1], strict=True):
                owners.setdefault((start, end) if start < end else (end, start), []).append(segment_id)
    near: dict[str, set[str]] = {segment_id: set() for segment_id in outlines}
    for sharing in set(map(tuple, owners.values())):  # two areas share many edges
        for segment_id in sharing:
            near[segment_id].update(sharing)
    return {segment_id: frozenset(ids - {segment_id}) for segment_id, ids in near.items()}


def _box(outline: tuple[Ring, ...]) -> _Box:
    xs = [x for ring in outline for x, _ in ring]
    ys = [y for ring in outline for _, y in ring]
    return (min(xs), min(ys), max(xs), max(ys)) if xs else (0, 0, 0, 0)
