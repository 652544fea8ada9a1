"""The badges that players earn, as one table: what each is for, how it is measured, and what its tiers need.

A badge is measured over all matches that a player has played, oldest first. Nothing is stored: who has which badge
follows from the matches, so a correction, another name or an erasure of matches changes the badges too. Nothing here
asks which game it was, only what its tally and its head tell.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import NamedTuple

from msgspec import Struct

from engine.played import PlayerPart
from engine.tally import name_hits

TIERS = ("bronze", "silver", "gold")
"""What the tiers 1 to 3 are called in English."""
_FEWEST_DARTS = 30
"""A match of fewer darts has no average to be proud of."""
_FEWEST_FINISHES = 3
_SHUTOUT_LEGS = 3
_DAYS_A_YEAR = 365
_DAYS_A_WEEK = 7
_DOUBLES_HIT = tuple(map(name_hits, (*(f"D{number}" for number in range(1, 21)), "DB")))
"""The keys in `counts` of a tally."""
_TRIPLES = tuple(f"T{number}" for number in range(1, 21))


class Appearance(NamedTuple):
    """A player's part in a match that is over, and what of the match a badge may depend on.

    `day` is the number of the local day on which it began (1 is a Monday). `company` are the other people in it, by
    what they are known by. `has_beaten`: the player won and another did not; `had_rivals`: somebody could have.
    `bot_beaten` is the highest level of the bots among those who did not win when the player did, 0 if there is none.
    `tile` is the place of its tile in the lobby.
    """

    match: str
    at: str
    day: int
    game: str
    variant: str
    group: str | None
    tile: int | None
    company: frozenset[str]
    had_rivals: bool
    has_beaten: bool
    bot_beaten: int
    part: PlayerPart


Measure = Callable[[], Callable[[Appearance], int]]
"""Begins to measure: returns what takes the matches of a player one by one, and returns the figure after each."""
Value = Callable[[Appearance], int]
"""A figure of one match."""


def _sum(value: Value) -> Measure:
    """The sum of the figure over all matches."""

    def begin() -> Value:
        total = 0

        def follow(match: Appearance) -> int:
            nonlocal total
            total += value(match)
            return total

        return follow

    return begin


def _highest(value: Value) -> Measure:
    """The highest figure of a match."""

    def begin() -> Value:
        most = 0

        def follow(match: Appearance) -> int:
            nonlocal most
            most = max(most, value(match))
            return most

        return follow

    return begin


def _different(values: Callable[[Appearance], Iterable[Hashable]]) -> Measure:
    """How many different things there are in all matches."""

    def begin() -> Value:
        found = set[Hashable]()

        def follow(match: Appearance) -> int:
            found.update(values(match))
            return len(found)

        return follow

    return begin


def _most_in_a_day() -> Value:
    """The most matches of one day."""
    matches, day, most = 0, 0, 0

    def follow(match: Appearance) -> int:
        nonlocal matches, day, most
        matches = matches + 1 if match.day == day else 1
        day, most = match.day, max(most, matches)
        return most

    return follow


def _weeks_in_a_row() -> Value:
    """The most weeks, Monday to Sunday, that follow each other and all have a match."""
    weeks, last, most = 0, 0, 0

    def follow(match: Appearance) -> int:
        nonlocal weeks, last, most
        week = (match.day - 1) // _DAYS_A_WEEK
        if week != last:
            weeks = weeks + 1 if week == last + 1 else 1
        last, most = week, max(most, weeks)
        return most

    return follow


def _years() -> Value:
    """The years between the first match and the latest."""
    first: int | None = None

    def follow(match: Appearance) -> int:
        nonlocal first
        first = match.day if first is None else first
        return (match.day - first) // _DAYS_A_YEAR

    return follow


def _wins_in_a_row() -> Value:
    """The most matches against others that were won one after the other; one that was stopped changes nothing."""
    wins, most = 0, 0

    def follow(match: Appearance) -> int:
        nonlocal wins, most
        if match.had_rivals and match.part.won is not None:
            wins = wins + 1 if match.has_beaten else 0
        most = max(most, wins)
        return most

    return follow


def _personal_bests() -> Value:
    """How often a result was better than all before it in its variant; not the first."""
    bests: dict[str, int] = {}
    count = 0

    def follow(match: Appearance) -> int:
        nonlocal count
        result, before = match.part.result, bests.get(match.variant)
        if result is not None and match.part.better is not None:
            if before is None:
                bests[match.variant] = result
            elif result > before if match.part.better == "high" else result < before:
                bests[match.variant] = result
                count += 1
        return count

    return follow


def _count(*names: str) -> Value:
    return lambda match: sum(match.part.tally.counts.get(name, 0) for name in names)


def _award(*names: str) -> Value:
    return _count(*(f"award:{name}" for name in names))


def _is_over(match: Appearance) -> int:
    return int(match.part.won is not None)


def _legs_won(match: Appearance) -> int:
    """The legs won against others: alone one wins every leg."""
    return match.part.tally.counts.get("legs_won", 0) if match.had_rivals else 0


def _average(match: Appearance) -> int:
    """The average, without its fraction, where the points of visits are scores."""
    tally = match.part.tally
    return int(tally.average) if tally.darts >= _FEWEST_DARTS and "visit" in tally.highs else 0


def _checkout_rate(match: Appearance) -> int:
    """How many per cent of the darts at a finish hit, without a fraction."""
    counts = match.part.tally.counts
    finished, thrown = counts.get("finished", 0), counts.get("at_finish", 0)
    return 100 * finished // thrown if finished >= _FEWEST_FINISHES else 0


def _is_shutout(match: Appearance) -> int:
    legs = match.part.tally.counts.get("legs", 0)
    return int(match.has_beaten and _SHUTOUT_LEGS <= legs == match.part.tally.counts.get("legs_won", 0))


def _people(match: Appearance) -> int:
    return len(match.company) + 1


def _awards(match: Appearance) -> Iterable[str]:
    return (name for name in match.part.tally.counts if name.startswith("award:"))


def _of(value: object) -> tuple[object, ...]:
    return () if value is None else (value,)


class Badge(NamedTuple):
    """A badge: what it is called in English and what it is for, how it is measured, and what its tiers need.

    The first of the `thresholds` gives the tier `first_tier` (1 bronze, 2 silver, 3 gold), each next one the next tier.
    """

    id: str
    name: str
    about: str
    measure: Measure
    thresholds: tuple[int, ...]
    first_tier: int = 1

    def find_tier(self, count: int) -> int:
        """The tier that the figure `count` gives; 0: none yet."""
        reached = sum(count >= threshold for threshold in self.thresholds)
        return self.first_tier + reached - 1 if reached else 0

    def find_next(self, count: int) -> int | None:
        """What the tier above that of the figure `count` needs; None: it is the highest."""
        return next((threshold for threshold in self.thresholds if count < threshold), None)


_TABLE = (
    Badge("first_match", "First match", "Play a match to its end.", _highest(_is_over), (1,)),
    Badge(
        "first_leg", "First leg", "Win a leg against others.", _highest(lambda match: min(1, _legs_won(match))), (1,)
    ),
    Badge("matches", "Matches", "Play matches to their end.", _sum(_is_over), (10, 100, 1_000)),
    Badge("wins", "Wins", "Win matches against others.", _sum(lambda match: match.has_beaten), (5, 50, 500)),
    Badge("wins_in_a_row", "Winning streak", "Win matches against others in a row.", _wins_in_a_row, (3, 5, 10)),
    Badge("legs", "Legs", "Win legs against others.", _sum(_legs_won), (10, 100, 1_000)),
    Badge(
        "shutouts", "Whitewash", "Win a match of three legs or more without losing one.", _sum(_is_shutout), (1, 10, 50)
    ),
    Badge("comebacks", "Comeback", "Win after you were far behind.", _sum(_count("comebacks")), (1, 10, 50)),
    Badge("bot_beaten", "Bots", "Beat a bot of that level.", _highest(lambda match: match.bot_beaten), (40, 60, 80)),
    Badge("darts", "Darts", "Throw darts.", _sum(lambda match: match.part.tally.darts), (1_000, 10_000, 100_000)),
    Badge("tons", "Tons", "Score 100 or more in a visit.", _sum(_count("100+", "140+", "180")), (10, 100, 1_000)),
    Badge("maximums", "180s", "Score 180 in a visit.", _sum(_count("180")), (1, 25, 180)),
    Badge(
        "average",
        "Average",
        "Average that many points in a match of 30 darts or more.",
        _highest(_average),
        (40, 60, 80),
    ),
    Badge(
        "nine_darter", "Perfect leg", "Win a leg in the fewest darts possible.", _sum(_award("nine_darter")), (1,), 3
    ),
    Badge("finishes", "Finishes", "Throw the dart that finishes a leg.", _sum(_count("finished")), (10, 100, 1_000)),
    Badge(
        "high_finish",
        "High finish",
        "Finish that many points in one visit.",
        _highest(lambda match: match.part.tally.highs.get("finish", 0)),
        (80, 120, 150),
    ),
    Badge(
        "big_fish",
        "Big fish",
        "Finish 170 points in one visit.",
        _sum(lambda match: match.part.tally.highs.get("finish") == 170),
        (1,),
        3,
    ),
    Badge(
        "checkout_rate",
        "Checkout rate",
        "Hit that many per cent of your darts at a finish, in a match in which you finish three legs or more.",
        _highest(_checkout_rate),
        (25, 40, 60),
    ),
    Badge(
        "doubles",
        "Every double",
        "Hit different doubles that you aimed at.",
        _different(lambda match: (key for key in _DOUBLES_HIT if key in match.part.tally.counts)),
        (7, 14, 21),
    ),
    Badge(
        "triples",
        "Every triple",
        "Hit different triples.",
        _different(lambda match: (bed for bed in _TRIPLES if bed in match.part.tally.hits)),
        (5, 10, 20),
    ),
    Badge(
        "bullseyes",
        "Bullseyes",
        "Hit the bullseye.",
        _sum(lambda match: match.part.tally.hits.get("DB", 0)),
        (10, 100, 1_000),
    ),
    Badge(
        "hat_tricks",
        "Hat trick",
        "Hit the bull with all three darts.",
        _sum(_award("hat_trick", "three_in_the_black")),
        (1, 10, 50),
    ),
    Badge(
        "three_in_the_black",
        "Three in the black",
        "Hit the bullseye with all three darts.",
        _sum(_award("three_in_the_black")),
        (1, 3, 10),
    ),
    Badge(
        "three_in_a_bed",
        "Three in a bed",
        "Hit the same triple with all three darts.",
        _sum(_award("three_in_a_bed", "180")),
        (1, 10, 50),
    ),
    Badge(
        "white_horse",
        "White horse",
        "Hit triples of three different numbers in a visit at Cricket.",
        _sum(_award("white_horse")),
        (1, 5, 25),
    ),
    Badge(
        "many_marks",
        "Seven marks",
        "Throw seven marks or more in a visit.",
        _sum(_count("7m", "8m", "9m")),
        (1, 10, 50),
    ),
    Badge(
        "shanghai",
        "Shanghai",
        "Hit the single, the double and the triple of a number in a visit.",
        _sum(_award("shanghai")),
        (1, 10, 50),
    ),
    Badge("awards", "Collection", "Receive different awards.", _different(_awards), (3, 6, 10)),
    Badge(
        "personal_bests", "Personal bests", "Beat your best result in a practice game.", _personal_bests, (1, 10, 50)
    ),
    Badge("games", "Games", "Play different games.", _different(lambda match: (match.game,)), (5, 15, 30)),
    Badge(
        "kinds", "All kinds", "Play games of different kinds.", _different(lambda match: _of(match.group)), (3, 5, 7)
    ),
    Badge(
        "favourites",
        "Favourites",
        "Play the games that have a large button in the lobby.",
        _different(lambda match: _of(match.tile)),
        (2, 4, 6),
    ),
    Badge("days", "Days", "Play on different days.", _different(lambda match: (match.day,)), (7, 50, 200)),
    Badge("weeks_in_a_row", "Weeks in a row", "Play in weeks that follow each other.", _weeks_in_a_row, (4, 12, 52)),
    Badge("matches_a_day", "Long day", "Play many matches on one day.", _most_in_a_day, (5, 10, 20)),
    Badge("years", "Years", "Play a match years after your first.", _years, (1, 3, 5)),
    Badge("company", "Company", "Play with different people.", _different(lambda match: match.company), (3, 10, 25)),
    Badge("full_house", "Full house", "Play a match with many people.", _highest(_people), (4, 8, 12)),
)
BADGES = {badge.id: badge for badge in _TABLE}
"""Every badge by its id, in the order in which they are listed."""


class BadgeProgress(Struct, frozen=True):
    """How far a player is with a badge: its tier (0: none yet), the figure, and what the next tier needs.

    `match` is the one that gave the present tier, and `at` when it began; None where there is no tier yet, as `next` is
    where the tier is the highest.
    """

    id: str
    tier: int
    count: int
    next: int | None
    at: str | None = None
    match: str | None = None


def collect_badges(appearances: Iterable[Appearance]) -> tuple[BadgeProgress, ...]:
    """How far the player of these matches, oldest first, is with each badge, in the order of BADGES."""
    following = [(badge, badge.measure()) for badge in _TABLE]
    counts = [0] * len(_TABLE)
    nexts = [badge.find_next(0) for badge in _TABLE]
    reached: list[Appearance | None] = [None] * len(_TABLE)
    for match in appearances:
        for place, (badge, follow) in enumerate(following):
            counts[place] = count = follow(match)
            needed = nexts[place]
            if needed is not None and count >= needed:
                nexts[place], reached[place] = badge.find_next(count), match
    return tuple(
        BadgeProgress(badge.id, badge.find_tier(count), count, needed, by and by.at, by and by.match)
        for badge, count, needed, by in zip(_TABLE, counts, nexts, reached, strict=True)
    )
