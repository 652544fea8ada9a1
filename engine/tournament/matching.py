"""Whether all of some entrants can be paired with each other, where not everyone may meet everyone.

Mostly that is clear from a bound of Dirac. Where it is not, pairs are made and improved along paths that change hands,
as Edmonds does: an odd circle of entrants counts as one (its `base`), since each of them could be the one left over.
So it takes little time even when few may meet. Sets of entrants are the bits of an int.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence


class Graph:
    """Who may meet whom: `allowed` has those whom each may meet, and whom may be met is so from both sides."""

    def __init__(self, allowed: Sequence[int]) -> None:
        self.allowed = allowed
        self._left: dict[int, int] = {}

    def can_pair(self, some: int) -> bool:
        """Whether all of these can be paired."""
        return not self.count_left(some)

    def count_left(self, some: int) -> int:
        """How many of these are left over at least."""
        if some not in self._left:
            count = some.bit_count()
            fewest = min(((self.allowed[at] & some).bit_count() for at in list_bits(some)), default=0)
            enough = 2 * fewest >= count  # Dirac: then there is a circle through all of them
            self._left[some] = count % 2 if enough else _Pairing(self.allowed, some).count_left()
        return self._left[some]


class _Pairing:
    """Pairs among `some`: as many as can be, once `count_left` has made them."""

    def __init__(self, allowed: Sequence[int], some: int) -> None:
        self._allowed = allowed
        self._some = some
        self._partner: dict[int, int] = {}
        self._from: dict[int, int] = {}
        """Of those that are a step away from who may be left over: from whom the path comes."""
        self._base: dict[int, int] = {}

    def count_left(self) -> int:
        """Makes the pairs; returns how many have none."""
        free = self._some
        for one in sorted(list_bits(free), key=lambda at: (self._allowed[at] & self._some).bit_count()):
            if free >> one & 1 and (others := self._allowed[one] & free):
                other = (others & -others).bit_length() - 1
                self._join(one, other)
                free &= ~(1 << one | 1 << other)
        return sum(not self._give_partner(one) for one in list_bits(free) if one not in self._partner)

    def _join(self, one: int, other: int) -> None:
        self._partner[one], self._partner[other] = other, one

    def _give_partner(self, root: int) -> bool:
        """Changes the pairs of a path so that this one has a partner too; False where there is no such path."""
        end = self._find_end(root)
        if end is None:
            return False
        at: int | None = end
        while at is not None:
            before = self._from[at]
            onward = self._partner.get(before)
            self._join(at, before)
            at = onward
        return True

    def _find_end(self, root: int) -> int | None:
        """Who has no partner and can be reached from here by a path of which every second step is a pair."""
        self._from.clear()
        self._base = {at: at for at in list_bits(self._some)}
        reached, queue = {root}, [root]
        for one in queue:
            for other in list_bits(self._allowed[one] & self._some):
                partner = self._partner.get(other)
                if self._base[one] == self._base[other] or partner == one:
                    continue
                if other == root or (partner is not None and partner in self._from):
                    for at in self._close_circle(root, one, other):
                        if at not in reached:
                            reached.add(at)
                            queue.append(at)
                elif other not in self._from:
                    self._from[other] = one
                    if partner is None:
                        return other
                    reached.add(partner)
                    queue.append(partner)
        return None

    def _close_circle(self, root: int, one: int, other: int) -> list[int]:
        """Makes one of the odd circle that these two close; returns all that count as it now."""
        base = self._find_base(root, one, other)
        within: set[int] = set()
        for start, child in ((one, other), (other, one)):
            at, towards = start, child
            while self._base[at] != base:
                partner = self._partner[at]
                within |= {self._base[at], self._base[partner]}
                self._from[at] = towards
                at, towards = self._from[partner], partner
        circle = [at for at, of in self._base.items() if of in within]
        self._base.update(dict.fromkeys(circle, base))
        return circle

    def _find_base(self, root: int, one: int, other: int) -> int:
        """Where the paths from these two to the root meet."""
        passed, at = set(), self._base[one]
        while True:
            passed.add(at)
            if at == self._base[root] or at not in self._partner:
                break
            at = self._base[self._from[self._partner[at]]]
        at = self._base[other]
        while at not in passed:
            at = self._base[self._from[self._partner[at]]]
        return at


def list_bits(some: int) -> Iterator[int]:
    """The members of a set, the lowest first."""
    while some:
        low = some & -some
        yield low.bit_length() - 1
        some ^= low
