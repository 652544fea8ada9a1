"""What the matches of a fixture come to: from the records of its tournament, and from what was entered by hand."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from engine.league.schedule import SeasonFixture
from engine.tournament.fixtures import Outcome
from protocol.player_names import name_key, shorten_name
from protocol.season import EnterResult, FixtureStatus, Forfeit, SeasonSide, SeasonSpec

Pair = tuple[int, int]


class PlayedSide(Struct, frozen=True):
    """A side of a record: what it was called, the keys of all names of its people, and what it came to."""

    title: str
    people: frozenset[str]
    won: bool
    legs: int = 0
    sets: int = 0
    points: int = 0
    darts: int = 0


class PlayedFor(Struct, frozen=True):
    """A record that was played for a match of a tournament: its id, when it began, and its sides.

    Of several for one match that of the latest attempt counts, then the one begun last, in whatever order they came.
    """

    tournament: str
    match: str
    attempt: int
    begun: str
    record: str
    sides: tuple[PlayedSide, ...]


class GivenResult(Struct, frozen=True):
    """What the organiser of a tournament has entered as the result of a match.

    `sides` are the numbers by which the tournament knows who plays, and `winner` is one of them, None for a draw. With
    `void` it has no result, and what was played for it in attempts up to this one does not count.
    """

    tournament: str
    match: str
    sides: Pair
    winner: int | None
    legs: Pair
    sets: Pair = (0, 0)
    walkover: bool = False
    void: int = 0


class FixtureResult(Struct, frozen=True):
    """What has become of a fixture. `outcome` has its home side first; `score` is also there while it is played.

    `given_away` is who gave it away at the match itself, by the place in the division.
    """

    fixture: SeasonFixture
    status: FixtureStatus
    outcome: Outcome | None = None
    score: Pair | None = None
    by_hand: bool = False
    unclear: tuple[str, ...] = ()
    given_away: int | None = None


class Records:
    """The records of a season, and what was entered at its match days, by the matches that they are of."""

    def __init__(self, found: Iterable[PlayedFor], given: Iterable[GivenResult] = ()) -> None:
        self._given = {(each.tournament, each.match): each for each in given}
        self._latest: dict[tuple[str, str], PlayedFor] = {}
        for each in found:
            key = each.tournament, each.match
            if key in self._given and each.attempt <= self._given[key].void:
                continue
            if key not in self._latest or _order(self._latest[key]) < _order(each):
                self._latest[key] = each

    def find(self, fixture: SeasonFixture, part: str = "") -> PlayedFor | None:
        """The record that counts for a fixture, or for this part (`/1`) of it."""
        keys = (
            (fixture.tournament, f"{fixture.match}{part}"),
            (fixture.day_tournament, f"{fixture.day_match}{part}"),
        )
        found = [self._latest[key] for key in keys if key in self._latest]
        return max(found, key=lambda each: (each.begun, *_order(each)), default=None)

    def find_given(self, fixture: SeasonFixture, part: str = "") -> Outcome | None:
        """What was entered at the match day of a fixture, or for this part of it; None: nothing, or of other sides."""
        for tournament, match, entrants in (
            (fixture.tournament, fixture.match, fixture.entrants),
            (fixture.day_tournament, fixture.day_match, fixture.day_entrants),
        ):
            given = self._given.get((tournament, f"{match}{part}"))
            if given is not None and not given.void and {*given.sides} == {*entrants}:
                return _read_given(fixture, given, is_turned=given.sides != entrants)
        return None


def _read_given(fixture: SeasonFixture, given: GivenResult, *, is_turned: bool) -> Outcome:
    """The outcome of a fixture, its home side first."""
    legs, sets = (each[::-1] if is_turned else each for each in (given.legs, given.sets))
    home, away = given.sides[::-1] if is_turned else given.sides
    winner = {home: fixture.home, away: fixture.away}.get(given.winner or 0)
    return Outcome((fixture.home, fixture.away), winner, legs, sets=sets, walkover=given.walkover)


def _order(played: PlayedFor) -> tuple[int, str, str]:
    return played.attempt, played.begun, played.record


def judge_fixture(
    spec: SeasonSpec,
    fixture: SeasonFixture,
    records: Records,
    by_hand: Mapping[tuple[str, int | None], EnterResult],
    forfeit: Forfeit | None,
) -> FixtureResult:
    """What has become of it.

    What was entered in the season counts before what was entered at the match day, and that before records; a forfeit
    counts before all. Slots that were entered in the season count before a whole result of the match day once each slot
    has a result.
    """
    if forfeit is not None:
        return give_away(spec, fixture, forfeit.by == "home", both=forfeit.by == "both")
    whole = by_hand.get((fixture.id, None))
    if whole is not None:
        return FixtureResult(fixture, "played", _enter(fixture, whole.legs), whole.legs, by_hand=True)
    division = spec.divisions[fixture.division - 1]
    sides = division.sides[fixture.home - 1], division.sides[fixture.away - 1]
    if (given := records.find_given(fixture)) is not None:
        is_corrected = any((fixture.id, number) in by_hand for number in range(1, len(spec.slots) + 1))
        slots = _add_up(spec, fixture, sides, records, by_hand) if is_corrected else None
        return slots if slots is not None and slots.status == "played" else _judge_given(spec, fixture, given)
    if not spec.slots:
        played = records.find(fixture)
        if played is None:
            return FixtureResult(fixture, "open")
        outcome = _read(fixture, sides, played)
        if outcome is None:
            return FixtureResult(fixture, "open", unclear=(played.record,))
        return FixtureResult(fixture, "played", outcome, outcome.sets if any(outcome.sets) else outcome.legs)
    return _add_up(spec, fixture, sides, records, by_hand)


def _judge_given(spec: SeasonSpec, fixture: SeasonFixture, given: Outcome) -> FixtureResult:
    if given.walkover and given.winner is not None:
        loser = fixture.home if given.winner == fixture.away else fixture.away
        return replace(give_away(spec, fixture, loser == fixture.home), by_hand=True, given_away=loser)
    return FixtureResult(fixture, "played", given, given.sets if any(given.sets) else given.legs, by_hand=True)


def give_away(spec: SeasonSpec, fixture: SeasonFixture, by_home: bool, *, both: bool = False) -> FixtureResult:
    """A fixture that one side, or both, gave away."""
    if both:
        return FixtureResult(fixture, "annulled")
    legs = (0, spec.points.forfeit_legs) if by_home else (spec.points.forfeit_legs, 0)
    winner = fixture.away if by_home else fixture.home
    outcome = Outcome((fixture.home, fixture.away), winner, legs, walkover=True)
    return FixtureResult(fixture, "forfeit", outcome, legs)


def _add_up(
    spec: SeasonSpec,
    fixture: SeasonFixture,
    sides: tuple[SeasonSide, SeasonSide],
    records: Records,
    by_hand: Mapping[tuple[str, int | None], EnterResult],
) -> FixtureResult:
    """A team match: the points of its slots, one for all of them in each that is won."""
    score, points, darts = [0, 0], [0, 0], [0, 0]
    known, was_entered = 0, False
    unclear: list[str] = []
    for number, slot in enumerate(spec.slots, 1):
        entered = by_hand.get((fixture.id, number))
        played = records.find(fixture, f"/{number}")
        outcome = None if played is None else _read(fixture, sides, played)
        given = records.find_given(fixture, f"/{number}")
        if entered is not None:
            outcome = _enter(fixture, entered.legs)
        elif given is not None:
            outcome = given
        if outcome is None:
            unclear += [] if played is None else [played.record]
            continue
        known += 1
        was_entered = was_entered or entered is not None or given is not None
        for at, side in enumerate(outcome.sides):
            score[at] += slot.points * (outcome.winner == side)
            points[at] += outcome.points[at]
            darts[at] += outcome.darts[at]
    total = score[0], score[1]
    if known < len(spec.slots):
        status: FixtureStatus = "playing" if known else "open"
        return FixtureResult(fixture, status, None, total if known else None, was_entered, tuple(unclear))
    whole = _enter(fixture, total, (points[0], points[1]), (darts[0], darts[1]))
    return FixtureResult(fixture, "played", whole, total, was_entered)


def _enter(fixture: SeasonFixture, legs: Pair, points: Pair = (0, 0), darts: Pair = (0, 0)) -> Outcome:
    """The outcome with these legs: who has more has won."""
    home, away = legs
    winner = None if home == away else fixture.home if home > away else fixture.away
    return Outcome((fixture.home, fixture.away), winner, legs, points, darts)


def _read(fixture: SeasonFixture, sides: tuple[SeasonSide, SeasonSide], played: PlayedFor) -> Outcome | None:
    """What a record says; None where it does not say which of its sides is which."""
    order = _find_order(sides, played.sides)
    if order is None:
        return None
    home, away = order
    winner = None if home.won == away.won else fixture.home if home.won else fixture.away
    return Outcome(
        (fixture.home, fixture.away),
        winner,
        (home.legs, away.legs),
        (home.points, away.points),
        (home.darts, away.darts),
        (home.sets, away.sets),
    )


def _find_order(
    sides: tuple[SeasonSide, SeasonSide], played: Sequence[PlayedSide]
) -> tuple[PlayedSide, PlayedSide] | None:
    """The sides of a record, home first: by the names of the teams or of their people, as far as one side is known."""
    if len(played) != 2:
        return None
    one, other = played
    is_so = _is_of(sides[0], one) or _is_of(sides[1], other)
    is_turned = _is_of(sides[0], other) or _is_of(sides[1], one)
    if is_so == is_turned:
        return None
    return (one, other) if is_so else (other, one)


def _is_of(side: SeasonSide, played: PlayedSide) -> bool:
    return name_key(played.title) == name_key(shorten_name(side.name)) or not _keys(side.roster).isdisjoint(
        played.people
    )


def _keys(names: Collection[str]) -> frozenset[str]:
    return frozenset(name_key(shorten_name(name)) for name in names)
