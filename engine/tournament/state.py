"""A tournament as it is after a line of its journal: who has entered, the draw, the outcomes and the calls to tables.

Everything else (sides, status, tables, ladder) is found from these, so a correction changes one outcome and nothing
has to be taken apart. rulings.py says what a line changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import ceil, log2

from msgspec import Struct
from msgspec.structs import replace

from engine.tournament.fixtures import (
    OF_TABLE,
    WAITING,
    Fixture,
    Fixtures,
    Outcome,
    Resolved,
    resolve,
)
from engine.tournament.standings import make_rows
from protocol.commands import IllegalInput, refuse
from protocol.player_names import name_key
from protocol.tournament import (
    EMPTY,
    UNKNOWN,
    Entrant,
    OldAttempt,
    Phase,
    Row,
    Standings,
    Status,
    TableUse,
    TournamentSpec,
)

DECIDED = frozenset(("played", "walkover", "bye", "annulled"))


class Entered(Struct, frozen=True):
    """A side, or a person who has entered alone.

    `members` are those drawn into this side. `left_on` is the line on which it left. `annulled`: it left a table before
    half of its matches were played, so all of them are struck.
    """

    id: Entrant
    people: tuple[str, ...]
    given_name: str = ""
    seed: int | None = None
    average: float | None = None
    darts: int = 0
    paid: bool = False
    confirmed: bool = True
    left: bool = False
    left_on: int = 0
    annulled: bool = False
    members: tuple[Entrant, ...] = ()
    rating: float | None = None

    @property
    def name(self) -> str:
        """The team's name, or those of the people."""
        return self.given_name or " & ".join(self.people)


class Play(Struct, frozen=True):
    """What is known of a match at tables. `active`: it is called or playing at `table`.

    `attempt` is the number of its latest call. Times are in Unix seconds: of that call, its first dart, its end; where
    `called_s` is None, what a table says of it counts nowhere. `moved`: it had begun at another table, and goes on
    here. `first` is who throws first, from the first call on.
    `people` played between these `sides`: their names at the call, under which the table knows them.
    """

    attempt: int = 0
    table: str | None = None
    writer: Entrant = EMPTY
    active: bool = False
    called_s: int | None = None
    begun_s: int | None = None
    ended_s: int | None = None
    moved: bool = False
    first: Entrant = EMPTY
    record: str = ""
    sides: tuple[Entrant, Entrant] = (UNKNOWN, UNKNOWN)
    people: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())

    @property
    def is_thrown(self) -> bool:
        """Whether it is played at its table, and a dart of it was thrown there or where it was before."""
        return self.active and (self.moved or self.begun_s is not None)


NO_PLAY: Play = Play()


class Tournament(Struct, frozen=True):
    """All that is known after the line of that number.

    * `sides`: the sides are drawn, where they had to be. `drawn`: the entrants who take part, in the order of the draw.
    * `groups`: the draw of the groups. `rounds`: how many rounds of a Swiss tournament are drawn.
    * `outcomes` and `sums` are by match: what was said, and what the parts of a team match come to.
    * `calls`: how many lines have called a match or called it back, those that were undone too, so that no attempt is
      given twice.
    * `disputes`: what a table said of a match after others had begun on the earlier result. None: it plays on.
    * `outdated`: how attempts have ended that count nowhere, by match, attempt and table.
    """

    spec: TournamentSpec
    line: int = 1
    entrants: Mapping[Entrant, Entered] = {}
    sides: bool = False
    drawn: tuple[Entrant, ...] = ()
    groups: tuple[tuple[Entrant, ...], ...] = ()
    rounds: int = 0
    fixtures: Fixtures = Fixtures()
    outcomes: Mapping[str, Outcome] = {}
    sums: Mapping[str, Outcome] = {}
    resolved: Mapping[str, Resolved] = {}
    plays: Mapping[str, Play] = {}
    calls: Mapping[str, int] = {}
    disputes: Mapping[str, Outcome | None] = {}
    outdated: Mapping[tuple[str, int, str], OldAttempt] = {}
    tables: tuple[TableUse, ...] = ()
    auto: bool = True
    ended: bool = False

    @property
    def phase(self) -> Phase:
        """Whether entrants sign up, matches are played, or all is over."""
        if self.ended:
            return "over"
        if not self.drawn:
            return "sign_up"
        return "over" if self.is_complete else "playing"

    @property
    def is_complete(self) -> bool:
        """Whether nothing is left to play. A ladder and an open evening go on until they are ended."""
        kind = self.spec.kind
        if kind in ("ladder", "open") or not self.drawn or (kind == "swiss" and self.rounds < self.round_count):
            return False
        return not self.disputes and all(each.how in DECIDED for each in self.resolved.values())

    @property
    def round_count(self) -> int:
        """How many rounds a Swiss tournament has."""
        return self.spec.rounds or max(1, ceil(log2(max(2, len(self.drawn)))))

    def play(self, match: str) -> Play:
        """What is known of the match at tables."""
        return self.plays.get(match, NO_PLAY)

    def list_entered(self) -> list[Entered]:
        """The sides (or people, before their sides are drawn) who are confirmed and have not left."""
        mates = {other for each in self.entrants.values() for other in each.members[1:]}
        return [each for each in self.entrants.values() if each.confirmed and not each.left and each.id not in mates]

    def list_matches(self) -> Iterator[str]:
        """The id of each match that is called to a table: matches, or the parts of team matches."""
        return iter(self.fixtures.parts or self.fixtures.by_id)

    def find_fixture(self, match: str) -> Fixture | None:
        """The match of this id, or the team match that it is a part of; None where there is none."""
        part = self.fixtures.parts.get(match)
        return self.fixtures.by_id.get(match if part is None else part[0])

    def find_sides(self, match: str) -> tuple[Entrant, Entrant]:
        """The sides of a match or of a part of one; UNKNOWN where they are not known, EMPTY for nobody."""
        fixture = self.find_fixture(match)
        return (UNKNOWN, UNKNOWN) if fixture is None else self.resolved.get(fixture.id, WAITING).sides

    def find_outcome(self, match: str) -> Outcome | None:
        """How the match ended between its sides as they are; a draw too where a leg has still to decide."""
        outcome = self.outcomes.get(match) or self.sums.get(match)
        return outcome if outcome is not None and outcome.sides == self.find_sides(match) else None

    def find_people(self, match: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Who plays on each side; () for a side that is not known."""
        rosters = [self.entrants[side].people if side > 0 else () for side in self.find_sides(match)]
        part = self.fixtures.parts.get(match)
        if part is not None and all(rosters):
            slot = self.spec.slots[part[1]]
            return tuple(rosters[0][at] for at in slot.home), tuple(rosters[1][at] for at in slot.away)
        return rosters[0], rosters[1]

    def find_called(self, match: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Who plays on each side by the names that its table was told, which may have changed since."""
        play = self.play(match)
        return play.people if play.sides == self.find_sides(match) else self.find_people(match)

    def name_match(self, match: str) -> str:
        """What people call the match: by its sides, or by its id where they are not known."""
        sides = self.find_sides(match)
        return " – ".join(self.entrants[side].name for side in sides) if min(sides) > 0 else match

    def find_status(self, match: str) -> Status:
        """What a match or a part of one waits for, or how it came to its end."""
        if match in self.disputes:
            return "disputed"
        fixture = self.find_fixture(match)
        how = WAITING.how if fixture is None else self.resolved[fixture.id].how
        if fixture is not None and match != fixture.id:
            outcome = self.find_outcome(match)
            if outcome is not None:
                return "walkover" if outcome.walkover else "played"
            how = how if how != "played" else "ready" if self.play(match).active else "annulled"
        if how != "ready":
            return how
        play = self.play(match)
        if play.active:
            return "called" if play.begun_s is None else "playing"
        return "playing" if self.spec.slots and self.has_begun(match) else "ready"

    def has_begun(self, match: str) -> bool:
        """Whether a dart of the match as it is was thrown."""
        if match in self.disputes:
            return True
        if match in self.fixtures.by_id and any(self.has_begun(part) for part in self.list_parts(match)):
            return True
        play, outcome = self.play(match), self.find_outcome(match)
        if outcome is not None and not outcome.walkover:
            return True
        return play.is_thrown

    def list_parts(self, fixture: str) -> list[str]:
        """The parts of a team match."""
        return [f"{fixture}/{slot + 1}" for slot in range(len(self.spec.slots))]

    def find_busy(self) -> dict[str, str]:
        """By the key of each name of a person who is called or plays: that match."""
        return {
            name_key(name): match
            for match, play in self.plays.items()
            if play.active
            for people in self.find_people(match)
            for name in people
        }

    def find_ladder(self) -> tuple[Entrant, ...]:
        """The ladder from the top: the winner of a challenge takes the place of the challenged."""
        if self.spec.kind != "ladder":
            return ()
        order = list(self.drawn)
        for fixture in self.fixtures:
            result = self.resolved[fixture.id]
            challenger, challenged = result.sides
            if result.winner == challenger and order.index(challenged) < order.index(challenger):
                order.remove(challenger)
                order.insert(order.index(challenged), challenger)
        return tuple(each for each in order if not self.entrants[each].left)

    def make_standings(self) -> tuple[Standings, ...]:
        """The tables: of each group, or of all."""
        if self.spec.kind == "groups":
            return tuple(Standings(group, make_group_rows(self, group, self.resolved)) for group in self._list_groups())
        if self.spec.kind in ("round_robin", "swiss", "open") and self.drawn:
            return (Standings(None, make_group_rows(self, None, self.resolved)),)
        return ()

    def _list_groups(self) -> range:
        return range(len(self.groups))


def make_group_rows(tournament: Tournament, group: int | None, resolved: Mapping[str, Resolved]) -> tuple[Row, ...]:
    """The table of a group, or of all, of the matches as far as they are resolved."""
    spec, byes, outcomes = tournament.spec, [], []
    for fixture in tournament.fixtures:
        if fixture.stage not in OF_TABLE or fixture.group != group:
            continue
        result = resolved.get(fixture.id, WAITING)
        if result.how == "bye" and result.winner > 0:
            byes.append(result.winner)
        elif result.how in ("played", "walkover"):
            outcomes.append(_count(tournament, fixture, result))
    entrants = tournament.drawn if group is None else tournament.groups[group]
    seed = f"{spec.seed}/{'' if group is None else group}"
    return make_rows(entrants, outcomes, spec.points, spec.tie_breaks, byes=byes, seed=seed)


def _count(tournament: Tournament, fixture: Fixture, result: Resolved) -> Outcome:
    outcome = tournament.outcomes.get(fixture.id) or tournament.sums.get(fixture.id)
    if outcome is not None and outcome.sides == result.sides:
        return outcome
    return Outcome(result.sides, result.winner, walkover=True)


def follow(tournament: Tournament, changed: Iterable[str] | None = None) -> Tournament:
    """The tournament with its matches resolved again: all, or the `changed` ones and what depends on them.

    A call of a match whose sides have changed, or that is not to be played any more, is taken back.
    """
    rows: dict[int, tuple[Row, ...]] = {}

    def find_place(found: Mapping[str, Resolved], group: int, place: int) -> Entrant:
        if place > len(tournament.groups[group]):
            return EMPTY
        if group not in rows:
            mine = [each.id for each in tournament.fixtures if each.group == group]
            over = all(found[name].how in DECIDED for name in mine)
            rows[group] = make_group_rows(tournament, group, found) if over else ()
        return rows[group][place - 1].entrant if rows[group] else UNKNOWN

    fixtures = tournament.fixtures
    said: Mapping[str, Outcome] = tournament.outcomes
    if tournament.sums:
        said = {**tournament.sums, **tournament.outcomes}
    left = {each.id: each.left_on for each in tournament.entrants.values() if each.left}
    annulled = frozenset(each.id for each in tournament.entrants.values() if each.annulled)
    if changed is None:
        resolved = resolve(fixtures, said, left, annulled, find_place)
    else:
        names = set(changed)
        for name in tuple(names):
            group = fixtures.by_id[name].group
            names.update(fixtures.of_places.get(group, ()) if group is not None else ())
        resolved = resolve(fixtures, said, left, annulled, find_place, tournament.resolved, names)
    return replace(tournament, resolved=resolved, plays=_call_back(tournament, resolved))


def _call_back(tournament: Tournament, resolved: Mapping[str, Resolved]) -> Mapping[str, Play]:
    """The calls without those of matches that are not played any more as they were."""
    plays = dict(tournament.plays)
    for match, play in tournament.plays.items():
        if not play.active or match in tournament.disputes:
            continue
        fixture = tournament.find_fixture(match)
        after = None if fixture is None else resolved.get(fixture.id)
        # A part that has begun is played to its end though the team match is decided.
        going_on = (
            ("ready", "played") if match in tournament.fixtures.parts and tournament.has_begun(match) else ("ready",)
        )
        if after is None or after.how not in going_on or after.sides != tournament.find_sides(match):
            plays[match] = forget_play(play)
    return plays


def find_changed(before: Tournament, after: Tournament) -> str | None:
    """The first match that has begun and would have other sides; None: there is none."""
    for name, result in before.resolved.items():
        now = after.resolved.get(name)
        if now is not result and (now is None or now.sides != result.sides) and before.has_begun(name):
            return name
    return None


def forget_play(play: Play) -> Play:
    """A match that is not played any more as it was: what its table still says counts nowhere."""
    return Play(play.attempt, first=play.first)


def refuse_begun(tournament: Tournament, match: str) -> IllegalInput:
    """The refusal of what would change the sides of a match that has begun."""
    return refuse(
        "tournament.has_begun",
        "{given} has begun: take that match back first",
        given=tournament.name_match(match),
    )
