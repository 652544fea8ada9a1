"""How long a tournament will take: the matches that are left are played out a few times, in a fraction of a second.

A leg takes as long as those of these very players have taken in this tournament, as far as they have played; before
that, as those of all have, or as is usual. Results and what differs between legs are drawn by a hash, so the same
tournament has the same forecast. The range has how much the runs differ, and how little is known of the pace.
"""

from __future__ import annotations

from bisect import insort
from collections import Counter
from collections.abc import Mapping, Sequence
from heapq import heappop, heappush
from math import comb, sqrt
from statistics import fmean, median, pvariance

from msgspec import Struct

from engine.luck import Luck
from engine.tournament.dispatch import order_next
from engine.tournament.draws import propose_draw
from engine.tournament.fixtures import OF_TABLE, AgainIfBeaten, Drawn, LoserOf, PlaceOf, Source, WinnerOf
from engine.tournament.match_header import find_format
from engine.tournament.rulings import apply
from engine.tournament.state import DECIDED, Tournament
from protocol.commands import IllegalInput
from protocol.match_spec import Format
from protocol.player_names import name_key
from protocol.tournament import EMPTY, UNKNOWN, Entrant, Forecast, Line

USUAL_S = 300.0
"""A leg of 501 between two, in seconds."""
USUAL_WALK_S = 90.0
"""From the call of a match to its first dart, in seconds."""
_WEIGHT = 3.0
"""So many legs at the mean of all are counted with those of each person."""
_RUNS, _MOST_PLAYED = 12, 2400
"""How often the rest is played out; never more matches than that in all."""
_LOOK = 48
"""So many matches are looked at to find one whose sides are free."""
_SPREAD = 1.28
"""Standard deviations, to both sides, within which four of five cases lie."""
_UNSURE = 0.35
"""How far off the pace may be, as a part of it, before any leg is played (a standard deviation)."""


class Outlook(Struct, frozen=True):
    """When the tournament is expected to end (None: that is up to the people), and each match to begin (Unix time)."""

    forecast: Forecast | None
    due_s: Mapping[str, int]


class Pace(Struct, frozen=True):
    """What is known of how fast is played. `of` has the seconds for a leg by the key of a person's name.

    `legs_part` is how many legs matches had, as a part of what equal players would play; `measured` so many legs.
    """

    leg_s: float
    walk_s: float
    of: Mapping[str, float]
    legs_part: float
    measured: int

    def find_leg_s(self, people: Sequence[str]) -> float:
        """The seconds that a leg between these takes."""
        return fmean([self.of.get(name_key(name), self.leg_s) for name in people]) if people else self.leg_s


def foresee(tournament: Tournament, now_s: int, pace: Mapping[str, float] | None = None) -> Outlook:
    """When the tournament and its matches are expected; before the draw, as if it were made now.

    `pace` is known from elsewhere: the seconds for a leg by the key of a person's name.
    """
    nothing = Outlook(None, {})
    tables = sum(not each.paused for each in tournament.tables)
    if not tables or tournament.phase == "over":
        return nothing
    is_drawn = bool(tournament.drawn)
    imagined = tournament if is_drawn else _imagine(tournament)
    if imagined is None:
        return nothing
    rest = _Rest(imagined, now_s, measure(tournament, pace or {}), tables)
    runs = max(1, min(_RUNS, _MOST_PLAYED // max(1, len(rest.open))))
    central = _Run(rest, None)
    begun_s = central.begun_s.items() if is_drawn else ()
    due_s = {each: round(at_s) for name, at_s in begun_s for each in (name, *tournament.list_parts(name))}
    if tournament.spec.kind in ("ladder", "open"):
        return Outlook(None, due_s)
    ends = [_Run(rest, Luck(tournament.spec.seed, run)).end_s for run in range(1, runs)] or [central.end_s]
    left_s = fmean(ends) - now_s
    own = pvariance(ends) if len(ends) > 2 else (0.4 * rest.match_s) ** 2 * max(1, len(rest.open) / tables)
    unsure = _UNSURE / sqrt(1 + rest.pace.measured / 4)
    wide = _SPREAD * sqrt(own + (unsure * left_s) ** 2)
    end_s = now_s + round(left_s)
    found = Forecast(end_s, max(now_s, round(end_s - wide)), round(end_s + wide))
    return Outlook(found, due_s)


def measure(tournament: Tournament, known: Mapping[str, float]) -> Pace:
    """The pace so far. `known` is that of people from elsewhere, in seconds for a leg."""
    walks = [
        play.begun_s - play.called_s
        for play in tournament.plays.values()
        if play.begun_s is not None
        and play.called_s is not None
        and play.begun_s != play.ended_s
        and play.begun_s >= play.called_s  # else the clock was set back
    ]
    walk_s = median([*walks, USUAL_WALK_S]) if walks else USUAL_WALK_S
    timed = list(_list_timed(tournament, walk_s))
    usual_s = USUAL_S * _read_start(tournament) / 501
    if known:
        usual_s = fmean(known.values())
    if not timed:
        return Pace(usual_s, walk_s, dict(known), 1.0, 0)
    most = 3 * median(seconds / legs for _, seconds, legs, _ in timed)
    timed = [(people, min(seconds, most * legs), legs, usual) for people, seconds, legs, usual in timed]
    total_s, total = sum(seconds for _, seconds, _, _ in timed), sum(legs for _, _, legs, _ in timed)
    mean_s = (total_s + usual_s) / (total + 1)
    sums: dict[str, tuple[float, float]] = {}
    for people, seconds, legs, _ in timed:
        for person in people:
            before_s, before = sums.get(person, (_WEIGHT * known.get(person, mean_s), _WEIGHT))
            sums[person] = before_s + seconds, before + legs
    of = {person: seconds / legs for person, (seconds, legs) in sums.items()}
    expected = sum(usual for *_, usual in timed)
    return Pace(mean_s, walk_s, {**known, **of}, (total + 8) / (expected + 8), total)


def _read_start(tournament: Tournament) -> int:
    start = tournament.spec.options.get("start", 501)
    return start if isinstance(start, int) else 501


def _list_timed(tournament: Tournament, walk_s: float) -> list[tuple[list[str], float, int, float]]:
    """Of each match that was timed: the keys of its people, its seconds, its legs, and those of equal players."""
    timed = []
    for match, play in tournament.plays.items():
        outcome = tournament.outcomes.get(match)
        if outcome is None or outcome.walkover or play.ended_s is None or not sum(outcome.legs):
            continue
        begun_s: float | None = play.begun_s
        if begun_s == play.ended_s:  # a result on paper
            begun_s = None if play.called_s is None else play.called_s + walk_s
        if begun_s is not None and begun_s < play.ended_s:
            people = [name_key(name) for side in tournament.find_people(match) for name in side]
            expected = expect_legs(find_format(tournament, match))
            timed.append((people, play.ended_s - begun_s, sum(outcome.legs), expected))
    return timed


def expect_legs(format: Format) -> float:
    """How many legs two equal players play on average."""
    if format.play == "all":
        return format.legs * format.sets
    return _expect(format.legs) * _expect(format.sets)


def _expect(wins: int) -> float:
    """How often two equal players meet until one has won so often."""
    return sum(games * comb(games - 1, wins - 1) * 0.5 ** (games - 1) for games in range(wins, 2 * wins))


def _imagine(tournament: Tournament) -> Tournament | None:
    """The tournament with its next draws made."""
    for _ in range(2):  # sides first, where they are drawn
        draw = propose_draw(tournament, "")
        if draw is None:
            return None
        try:
            tournament = apply(tournament, Line(tournament.line + 1, 0, "organiser", draw))
        except IllegalInput:
            return None
        if tournament.drawn:
            return tournament
    return None


class _Rest:
    """What is left of a tournament, to be played out."""

    def __init__(self, tournament: Tournament, now_s: int, pace: Pace, tables: int) -> None:
        self.pace, self.now_s, self.tables, self.tournament = pace, now_s, tables, tournament
        depths = tournament.fixtures.depths
        self.open = [each for each in tournament.fixtures if tournament.resolved[each.id].how not in DECIDED]
        self.rank = {each.id: (-depths[each.id], place) for place, each in enumerate(self.open)}
        calls = (tournament.find_fixture(each) for each in order_next(tournament, now_s))
        self.next = {each: at for at, each in enumerate(dict.fromkeys(fixture.id for fixture in calls if fixture))}
        """The places in the order of calls of those that are ready."""
        self.formats = {each.id: find_format(tournament, each.id) for each in self.open}
        self.leg_s = {each: pace.find_leg_s(tournament.entrants[each].people) for each in tournament.drawn}
        self.parts = {
            each.id: max(1, sum(tournament.find_outcome(part) is None for part in tournament.list_parts(each.id)))
            for each in self.open
        }
        self.legs = {name: expect_legs(format) * pace.legs_part for name, format in self.formats.items()}
        usual_legs = fmean(self.legs.values()) if self.legs else expect_legs(tournament.spec.format) * pace.legs_part
        self.match_s = pace.walk_s + pace.leg_s * usual_legs
        usable = {each.name for each in tournament.tables if not each.paused}
        self.active: dict[str, tuple[float, bool]] = {}
        """Of each match at a table: since when it is called or played, as if it were called then; whether others follow
        there."""
        for match, play in tournament.plays.items():
            fixture = tournament.find_fixture(match)
            if play.active and fixture is not None and fixture.id in self.rank and play.called_s is not None:
                since_s = play.called_s if play.begun_s is None else play.begun_s - pace.walk_s
                self.active[fixture.id] = min(since_s, float(now_s)), play.table in usable
        swiss = tournament.spec.kind == "swiss"
        self.rounds = tournament.round_count - tournament.rounds if swiss else 0
        self.pairs = sum(not tournament.entrants[each].left for each in tournament.drawn) // 2


class _Run:
    """The rest played out once, with this luck; without, every match lasts as long as is expected.

    `end_s` is when all is over, `begun_s` when each match begins.
    """

    def __init__(self, rest: _Rest, luck: Luck | None) -> None:
        self._rest, self._luck = rest, luck
        tournament = rest.tournament
        self._fixtures = tournament.fixtures
        self._sides = {name: found.sides for name, found in tournament.resolved.items() if UNKNOWN not in found.sides}
        decided = [each for each in tournament.resolved.items() if each[1].how in DECIDED]
        self._winners = {name: found.winner for name, found in decided}
        self._losers = {name: found.loser for name, found in decided}
        self._places: dict[int, Sequence[Entrant]] = {}
        self._open = Counter(each.group for each in rest.open if each.stage in OF_TABLE)
        self._ready: list[tuple[tuple[int, int, int], str]] = []
        self._ended = 0
        self._known = {name for name, _ in decided if name in self._sides}
        self._busy_s: dict[Entrant, float] = {}
        self.begun_s: dict[str, float] = {}
        self._playing: list[tuple[float, str, bool]] = []
        for name, (since_s, frees) in rest.active.items():
            if UNKNOWN not in self._sides.get(name, (UNKNOWN,)):
                self._known.add(name)
                self._begin(name, since_s, frees)
        for fixture in rest.open:
            self._look_at(fixture.id)
        self.end_s = self._play_rounds(self._play())

    def _play(self) -> float:
        """Plays all matches that are drawn; returns when the last one ends."""
        now_s = float(self._rest.now_s)
        free = max(0, self._rest.tables - sum(frees for *_, frees in self._playing))
        while True:
            while free and (name := self._take_ready(now_s)) is not None:
                self._begin(name, now_s, True)
                free -= 1
            if self._playing:
                now_s, name, frees = heappop(self._playing)
                free += frees
                self._end(name)
            elif self._ready and free:
                sides = (self._sides[name] for _, name in self._ready[:_LOOK])  # all of them rest still: time goes on
                now_s = min(max(self._busy_s.get(one, 0), self._busy_s.get(other, 0)) for one, other in sides)
            else:
                return now_s

    def _play_rounds(self, now_s: float) -> float:
        """Plays the rounds that are not drawn yet, each after all matches of the one before."""
        for number in range(self._rest.rounds):
            free = [now_s] * self._rest.tables
            for pair in range(self._rest.pairs):
                part = (
                    1.0 if self._luck is None else 0.5 + self._luck.number("round", 1000 * number + pair, 1001) / 1000
                )
                heappush(free, heappop(free) + self._rest.match_s * part)
            now_s = max(free)
        return now_s

    def _take_ready(self, now_s: float) -> str | None:
        """The first match whose sides are free, which is not ready any more."""
        for at, (_, name) in enumerate(self._ready[:_LOOK]):
            one, other = self._sides[name]
            if self._busy_s.get(one, 0) <= now_s and self._busy_s.get(other, 0) <= now_s:
                del self._ready[at]
                return name
        return None

    def _begin(self, name: str, now_s: float, frees: bool) -> None:
        """Begins a match at a table, which its end `frees` for others."""
        rest, sides = self._rest, self._sides[name]
        legs, leg_s = rest.legs[name], (rest.leg_s[sides[0]] + rest.leg_s[sides[1]]) / 2
        number = 0
        if self._luck is not None:
            number = self._luck.number("match", rest.rank[name][1], 2**128)
            legs = _draw_legs(rest.formats[name], number >> 32) * rest.pace.legs_part
            leg_s *= 0.7 + (number >> 1) % 601 / 1000
        lasts_s = rest.parts[name] * (rest.pace.walk_s + legs * leg_s)
        ends_s = max(now_s + lasts_s, rest.now_s + 0.15 * lasts_s)
        self._winners[name], self._losers[name] = (sides[number & 1], sides[1 - (number & 1)])
        self.begun_s[name] = now_s + rest.pace.walk_s
        self._busy_s.update(dict.fromkeys(sides, ends_s + rest.tournament.spec.rest_s))
        heappush(self._playing, (ends_s, name, frees))

    def _end(self, name: str) -> None:
        """Has those play on who waited for this match."""
        self._ended += 1
        fixture = self._fixtures.by_id[name]
        for each in self._fixtures.dependents.get(name, ()):
            self._look_at(each)
        group = fixture.group
        if group is not None:
            self._open[group] -= 1
            if not self._open[group]:
                entrants = self._rest.tournament.groups[group]
                self._places[group] = (
                    entrants if self._luck is None else self._luck.shuffled(f"group {group}", entrants)
                )
                for each in self._fixtures.of_places.get(group, ()):
                    self._look_at(each)

    def _look_at(self, name: str) -> None:
        """Makes a match ready if its sides are known; where one of them is empty, the other goes through."""
        if name in self._known:
            return
        sides = self._sides.get(name)
        if sides is None:
            one, other = (self._find(source) for source in self._fixtures.by_id[name].sides)
            sides = one, other
        if UNKNOWN in sides:
            return
        self._known.add(name)
        self._sides[name] = sides
        if EMPTY in sides:
            self._winners[name], self._losers[name] = max(sides), EMPTY
            self._end(name)
        else:
            depth, place = self._rest.rank[name]
            waits = self._rest.next.get(name, len(self._rest.next) + self._ended)  # who waits longest is called first
            insort(self._ready, ((depth, waits, place), name))

    def _find(self, source: Source) -> Entrant:
        match source:
            case Drawn(entrant):
                return entrant
            case WinnerOf(name):
                return self._winners.get(name, UNKNOWN)
            case LoserOf(name):
                return self._losers.get(name, UNKNOWN)
            case PlaceOf(group, place):
                entrants = self._places.get(group)
                return UNKNOWN if entrants is None else entrants[place - 1] if place <= len(entrants) else EMPTY
            case AgainIfBeaten(name, side):
                winner = self._winners.get(name, UNKNOWN)
                if winner == UNKNOWN:
                    return UNKNOWN
                return self._sides[name][side] if winner == self._sides[name][1] else EMPTY


def _draw_legs(format: Format, number: int) -> int:
    """How many legs two equal players play, by the bits of this number."""
    if format.play == "all":
        return format.legs * format.sets
    legs = 0
    sets = [0, 0]
    while max(sets) < format.sets:
        won = [0, 0]
        while max(won) < format.legs:
            won[number >> legs % 96 & 1] += 1
            legs += 1
        sets[won[1] > won[0]] += 1
    return legs
