"""An evening as a story: its matches in order, who was there, first times, records and badges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Literal, get_args

from msgspec import Struct
from msgspec.structs import replace

from daemon.admin.history.earned import measure_badges
from daemon.admin.history.listing import ListedMatch, list_match
from daemon.admin.history.played_matches import PlayedMatch
from daemon.admin.history.player_figures import (
    Appearance,
    PlayerSummary,
    Selection,
    collect_appearances,
    group_by_variant,
    list_results,
    rank_players,
)
from daemon.admin.players.names import PlayerNames
from engine.tally import Figure, Tally

MOST_MATCHES = 200
"""In one story: a league night at a dozen boards."""
_MOST_LINES = 40
"""First times, records, and badges."""
_HIGH_FINISH = _HIGH_VISIT = 100

FirstKind = Literal["match", "win", "180", "high_finish"]
RecordKind = Literal["visit", "finish", "180", "leg", "result"]


class BestVisit(Struct, frozen=True):
    """The highest visit of a match, where visits are scores."""

    player: str
    points: int


class EveningMatch(Struct, frozen=True):
    """A match of the evening; `best_visit` is None in games whose visits are no scores."""

    result: ListedMatch
    best_visit: BestVisit | None


class FirstTime(Struct, frozen=True):
    """What a player did in this match for the first time ever."""

    kind: FirstKind
    player: str
    match: str


class EveningRecord(Struct, frozen=True):
    """The best of the evening, the best that its player has ever done (`is_personal`), or both.

    `label` is the game that a `leg` (its darts) or a `result` is of, "" of all others.
    """

    kind: RecordKind
    player: str
    match: str
    value: int
    label: str
    of_evening: bool
    is_personal: bool


class EveningBadge(Struct, frozen=True):
    """A badge that a player earned in this match, in this tier."""

    badge: str
    tier: int
    player: str
    match: str


class Evening(Struct, frozen=True):
    """What happened between two moments. `more`: there were more matches, and these are the latest.

    The badges of the highest tiers come first. `earlier` and `later` are when the next matches before and after the
    evening began, None where there are none.
    """

    matches: tuple[EveningMatch, ...]
    more: bool
    players: tuple[PlayerSummary, ...]
    firsts: tuple[FirstTime, ...]
    records: tuple[EveningRecord, ...]
    badges: tuple[EveningBadge, ...]
    earlier: str | None
    later: str | None


def tell_evening(matches: Iterable[PlayedMatch], since: datetime, before: datetime, names: PlayerNames) -> Evening:
    """Returns the story of the matches that began between these moments; bots have no first times and no records."""
    listed = sorted((match for match in matches if match.is_over and match.problem is None), key=lambda match: match.at)
    moments = [datetime.fromisoformat(match.at) for match in listed]
    first, end = (sum(moment < bound for moment in moments) for bound in (since, before))
    tonight = {match.id: place for place, match in enumerate(listed[first:end])}
    by_player = collect_appearances(listed[:end], Selection(), names)
    split = [_split(appearances, tonight) for appearances in by_player.values()]
    played = [(earlier, late) for earlier, late in split if late]
    firsts = [each for earlier, late in played for each in _find_firsts(earlier, late)]
    badges = [each for earlier, late in played for each in _find_badges(earlier, late)]
    told = listed[first:end][-MOST_MATCHES:]
    return Evening(
        matches=tuple(EveningMatch(list_match(match), _find_best_visit(match)) for match in told),
        more=len(told) < len(tonight),
        players=tuple(rank_players({late[0].part.player: late for _, late in played})),
        firsts=tuple(sorted(firsts, key=lambda each: tonight[each.match])[:_MOST_LINES]),
        records=tuple(_find_records(played)[:_MOST_LINES]),
        badges=tuple(sorted(badges, key=lambda each: -each.tier)[:_MOST_LINES]),
        earlier=listed[first - 1].at if first else None,
        later=listed[end].at if end < len(listed) else None,
    )


def _split(appearances: list[Appearance], tonight: Mapping[str, int]) -> tuple[list[Appearance], list[Appearance]]:
    """Returns those before the evening, and those in it."""
    start = next((place for place, each in enumerate(appearances) if each.match.id in tonight), len(appearances))
    return appearances[:start], appearances[start:]


def _find_best_visit(match: PlayedMatch) -> BestVisit | None:
    found = [(part.tally.highs.get("visit", 0), part.player) for part in match.parts]
    points, player = max(found, key=lambda each: each[0], default=(0, ""))
    return BestVisit(player, points) if points > 0 else None


def _find_firsts(earlier: Sequence[Appearance], late: Sequence[Appearance]) -> Iterator[FirstTime]:
    """Yields what a player did for the first time; of a first match that it was one, and the great moments in it."""
    kinds: tuple[FirstKind, ...] = ("match", "win", "180", "high_finish")
    for kind in kinds:
        if not any(_has(kind, each) for each in earlier):
            found = next((each for each in late if _has(kind, each)), None)
            if found is not None:
                yield FirstTime(kind, found.part.player, found.match.id)


def _has(kind: FirstKind, appearance: Appearance) -> bool:
    match, part = appearance
    if kind == "match":
        return True
    if kind == "win":
        return bool(part.won) and len(match.players) > 1
    if kind == "180":
        return part.tally.counts.get("180", 0) > 0
    return part.tally.highs.get("finish", 0) >= _HIGH_FINISH


def _find_badges(earlier: Sequence[Appearance], late: Sequence[Appearance]) -> Iterator[EveningBadge]:
    """Yields the badges that a player earned in the evening, each in its highest tier."""
    if late[0].part.is_bot:
        return
    tonight = {each.match.id for each in late}
    for badge in measure_badges([*earlier, *late]):
        if badge.tier and badge.match in tonight:
            yield EveningBadge(badge.id, badge.tier, late[0].part.player, badge.match)


def _find_records(played: Sequence[tuple[list[Appearance], list[Appearance]]]) -> list[EveningRecord]:
    """Returns the records of the evening, then those that are a player's alone."""
    found: list[EveningRecord] = []
    leaders: dict[_Key, EveningRecord] = {}
    for earlier, late in played:
        before = _list_bests(earlier)
        for key, mine in _list_bests(late).items():
            is_personal = _is_worth_telling(mine) and key in before and _beats(mine, before[key])
            found.append(record := replace(mine, is_personal=is_personal))
            if key not in leaders or _beats(record, leaders[key]):
                leaders[key] = record
        found += _find_best_results(earlier, late)
    of_evening = [replace(record, of_evening=True) for record in leaders.values()]
    return sorted(of_evening, key=_place) + [
        each for each in found if each.is_personal and each not in leaders.values()
    ]


_Key = tuple[RecordKind, str]
"""The kind of a record, and the game that it is of."""


def _list_bests(appearances: Iterable[Appearance]) -> dict[_Key, EveningRecord]:
    """Returns the best of each kind that a player reached in these matches; of equal ones the first."""
    found: dict[_Key, EveningRecord] = {}
    hundred_and_eighties = 0
    for match, part in appearances:
        tally = part.tally
        hundred_and_eighties += tally.counts.get("180", 0)
        reached: list[tuple[RecordKind, str, int | None]] = [
            ("visit", "", tally.highs.get("visit")),
            ("finish", "", tally.highs.get("finish")),
            ("180", "", hundred_and_eighties if tally.counts.get("180") else None),
            ("leg", match.label, tally.lows.get("leg") if _has_legs_to_compare(tally, match.figure) else None),
        ]
        for kind, label, value in reached:
            if value:
                record = EveningRecord(kind, part.player, match.id, value, label, of_evening=False, is_personal=False)
                if (kind, label) not in found or _beats(record, found[kind, label]):
                    found[kind, label] = record
    return found


def _has_legs_to_compare(tally: Tally, figure: Figure) -> bool:
    """Returns whether a leg takes as many darts as its players need; in other games each has the same number."""
    return figure == "mpr" or "finished" in tally.counts


def _beats(record: EveningRecord, other: EveningRecord) -> bool:
    return record.value < other.value if record.kind == "leg" else record.value > other.value


def _is_worth_telling(record: EveningRecord) -> bool:
    """Returns whether people tell of it as their best ever: not of 180s in an evening, nor of a visit below 100."""
    return record.kind != "180" and (record.kind != "visit" or record.value >= _HIGH_VISIT)


def _find_best_results(earlier: Sequence[Appearance], late: Sequence[Appearance]) -> Iterator[EveningRecord]:
    """Yields the latest best result of the player in each practice game of the evening."""
    tonight = {each.match.id for each in late}
    for appearances in group_by_variant([*earlier, *late]):
        _, _, results = list_results(appearances)
        best = next((each for each in reversed(results) if each.is_best and each.match in tonight), None)
        if best is not None:
            match, part = appearances[-1]
            yield EveningRecord(
                "result", part.player, best.match, best.value, match.label, of_evening=False, is_personal=True
            )


def _place(record: EveningRecord) -> tuple[int, str]:
    return get_args(RecordKind).index(record.kind), record.label
