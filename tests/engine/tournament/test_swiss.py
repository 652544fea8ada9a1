"""The pairs of Swiss rounds: written examples, the laws of whole tournaments, and a program for chess beside them."""

from __future__ import annotations

from itertools import combinations
from math import ceil, log2
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.tournament.rotation import list_rounds
from engine.tournament.swiss import pair_round
from protocol.tournament import EMPTY, Entrant
from tests.sweep import many


class Event:
    """A Swiss tournament that is played: points, who has met, and who has rested."""

    def __init__(self, count: int) -> None:
        self.points = dict.fromkeys(range(1, count + 1), 0)
        self.met: dict[frozenset[Entrant], int] = {}
        self.byes: dict[Entrant, int] = {}

    def pair(self) -> tuple[tuple[tuple[Entrant, Entrant], ...], Entrant]:
        order = sorted(self.points, key=lambda entrant: (-self.points[entrant], entrant))
        return pair_round(order, self.points, self.met, self.byes)

    def play(self, pairs: tuple[tuple[Entrant, Entrant], ...], rests: Entrant, random: Random | None = None) -> None:
        for pair in pairs:
            met = frozenset(pair)
            self.met[met] = self.met.get(met, 0) + 1
            self.points[random.choice(pair) if random else min(pair)] += 2
        if rests != EMPTY:
            self.byes[rests] = self.byes.get(rests, 0) + 1
            self.points[rests] += 2

    def differ(self, pairs: tuple[tuple[Entrant, Entrant], ...]) -> int:
        return sum(abs(self.points[one] - self.points[other]) for one, other in pairs)


@pytest.mark.parametrize(
    ("count", "rounds"),
    [
        (8, "1-5 2-6 3-7 4-8 | 1-3 2-4 5-7 6-8 | 1-2 3-5 4-6 7-8"),
        (6, "1-4 2-5 3-6 | 1-2 3-4 5-6 | 1-3 2-6 4-5"),
    ],
)
def test_the_lower_number_always_wins(count: int, rounds: str) -> None:
    event, written = Event(count), []
    for _ in rounds.split("|"):
        pairs, rests = event.pair()
        written.append(" ".join("{}-{}".format(*sorted(pair)) for pair in pairs))
        event.play(pairs, rests)
    assert " | ".join(written) == rounds


@given(st.integers(2, 40), st.randoms(use_true_random=False))
def test_nobody_meets_twice_and_everyone_rests_once_at_most(count: int, random: Random) -> None:
    event = Event(count)
    for _ in range(ceil(log2(count))):
        pairs, rests = event.pair()
        sides = [side for pair in pairs for side in pair] + [rests] * (rests != EMPTY)
        assert sorted(sides) == list(range(1, count + 1))
        event.play(pairs, rests, random)
    assert set(event.met.values()) == {1}
    assert set(event.byes.values()) <= {1}


def count_rematches(event: Event, sides: tuple[Entrant, ...]) -> int:
    """The fewest times that two meet again if all of these play, by trying."""
    if not sides:
        return 0
    one, *rest = sides
    return min(
        event.met.get(frozenset((one, other)), 0)
        + count_rematches(event, tuple(each for each in rest if each != other))
        for other in rest
    )


@given(st.integers(2, 8), st.randoms(use_true_random=False))
def test_when_all_must_meet_again_as_few_do_as_can(count: int, random: Random) -> None:
    """As long as two have met once at most."""
    event = Event(count)
    for _ in range(count + 2):
        pairs, rests = event.pair()
        again = [event.met.get(frozenset(pair), 0) for pair in pairs]
        if max(event.met.values(), default=0) > 1:
            break
        assert max(event.byes.values(), default=0) - min(event.byes.get(side, 0) for side in event.points) <= 1
        if rests == EMPTY:
            assert sum(again) == count_rematches(event, tuple(event.points))
        else:
            resting = [s for s in event.points if event.byes.get(s, 0) == event.byes.get(rests, 0)]
            fewest = min(count_rematches(event, tuple(s for s in event.points if s != one)) for one in resting)
            assert sum(again) == fewest
        event.play(pairs, rests, random)


def test_the_lowest_who_has_not_rested_rests() -> None:
    order = [5, 3, 4, 2, 1]
    assert pair_round(order, dict.fromkeys(order, 0), {}, {}) == (((5, 4), (3, 2)), 1)
    assert pair_round(order, dict.fromkeys(order, 0), {}, {1: 1, 2: 1})[1] == 4


def test_who_leaves_is_not_paired_and_their_matches_matter_to_nobody() -> None:
    pairs, rests = pair_round([2, 3], {2: 0, 3: 0, 4: 2}, {frozenset((2, 4)): 1}, {4: 1})
    assert (pairs, rests) == (((2, 3),), EMPTY)


def test_two_last_ones_who_have_met_are_given_partners_from_above() -> None:
    """7 and 8 have met; so the lowest of the group above go down to them, no more."""
    points = {1: 4, 2: 4, 3: 2, 4: 2, 5: 2, 6: 2, 7: 0, 8: 0}
    pairs, _ = pair_round(list(points), points, {frozenset((7, 8)): 1}, {})
    assert pairs == ((1, 2), (3, 4), (5, 7), (6, 8))


def test_many_rounds_of_few_are_paired_at_once() -> None:
    """22 rounds of 24: at the end hardly anyone may meet, which a search by trying would not see the end of."""
    event, random = Event(24), Random(0)
    for _ in range(22):
        event.play(*event.pair(), random)
    assert sum(event.met.values()) == 22 * 12
    assert sum(count - 1 for count in event.met.values()) <= 2


def test_256_are_paired_at_once() -> None:
    event, random = Event(256), Random(0)
    for _ in range(8):
        event.play(*event.pair(), random)
    assert len(event.met) == 8 * 128


class TestCaissify:
    """Beside caissify-pairings, which pairs for chess with colours: it may differ, but is not better in what counts."""

    @pytest.fixture(autouse=True)
    def _has_it(self) -> None:
        pytest.importorskip("caissify_pairings")

    @pytest.mark.parametrize("count", [*range(3, 21), 40])
    def test_the_tables_of_berger_are_the_same(self, count: int) -> None:
        from caissify_pairings import generate_pairings

        players = [describe(number) for number in range(1, count + 1)]
        for number, pairs in enumerate(list_rounds(count), 1):
            found = generate_pairings(
                system="round_robin", players=players, previous_pairings=set(), round_number=number, total_rounds=count
            )
            assert {(each["white_id"], each["black_id"] or 0) for each in found} == {
                pair if pair[0] else pair[::-1] for pair in pairs
            }

    @pytest.mark.slow
    def test_pairs_differ_by_no_more_points_and_the_bye_goes_as_low(self) -> None:
        from caissify_pairings import generate_pairings

        ours = theirs = 0
        for seed in range(many(8, 25)):
            random = Random(seed)
            event, rounds = Event(random.randint(6, 24)), 5
            colours: dict[Entrant, list[str]] = {side: [] for side in event.points}
            floats: dict[Entrant, list[str]] = {side: [] for side in event.points}
            for number in range(1, min(rounds, len(event.points) // 2) + 1):
                found = generate_pairings(
                    system="dutch",
                    players=[
                        describe(
                            side,
                            score=event.points[side] / 2,
                            color_hist=colours[side],
                            float_history=floats[side],
                            bye_count=event.byes.get(side, 0),
                        )
                        for side in event.points
                    ],
                    previous_pairings={tuple(sorted(pair)) for pair in event.met},
                    round_number=number,
                    total_rounds=rounds,
                )
                pairs, rests = event.pair()
                ours += event.differ(pairs)
                theirs += event.differ(
                    tuple((each["white_id"], each["black_id"]) for each in found if each["black_id"])
                )
                resting = [each["white_id"] for each in found if not each["black_id"]]
                if resting:
                    assert event.points[rests] <= event.points[resting[0]]
                    colours[rests].append("none")
                    floats[rests].append("down")
                for pair in pairs:
                    for at, side in enumerate(sorted(pair, key=lambda side: colours[side].count("white"))):
                        (other,) = (each for each in pair if each != side)
                        colours[side].append(("white", "black")[at])
                        higher = event.points[side] - event.points[other]
                        floats[side].append("down" if higher > 0 else "up" if higher < 0 else "none")
                event.play(pairs, rests, random)
        assert ours <= theirs


def describe(number: int, **known: object) -> dict[str, object]:
    """A player as that program wants it."""
    return {
        "id": number,
        "name": str(number),
        "score": 0.0,
        "rating": 3000 - number,
        "starting_number": number,
        "color_hist": [],
        "float_history": [],
        "bye_count": 0,
        **known,
    }


def test_all_pairs_of_a_full_swiss_are_those_of_a_round_robin() -> None:
    event = Event(4)
    for _ in range(3):
        event.play(*event.pair())
    assert set(event.met) == {frozenset(pair) for pair in combinations(range(1, 5), 2)}
