"""Whether a season can be played, and whether an input makes sense in it."""

from __future__ import annotations

from collections.abc import Iterable

from engine.league.match_day import make_spec
from engine.league.schedule import SeasonFixture, count_days, list_fixtures
from engine.tournament.specs import check_spec
from protocol.commands import IllegalInput
from protocol.player_names import name_key, shorten_name
from protocol.season import (
    Deduct,
    Division,
    EnterResult,
    Forfeit,
    Postpone,
    SeasonInput,
    SeasonSide,
    SeasonSpec,
    Withdraw,
)


def check_season(spec: SeasonSpec) -> None:
    """Raises IllegalInput if something in it contradicts something else, or cannot be played."""
    if not shorten_name(spec.name):
        raise IllegalInput("the season needs a name")
    if spec.ends < spec.begins:
        raise IllegalInput(f"the season ends on {spec.ends}, before it begins on {spec.begins}")
    check_spec(make_spec(spec, spec.name))
    _check_once("division", (each.name for each in spec.divisions))
    _check_once("side", (side.name for each in spec.divisions for side in each.sides))
    _check_once("person", (name for each in spec.divisions for side in each.sides for name in side.roster))
    for division in spec.divisions:
        _check_division(spec, division)
    _check_days(spec)


def _check_once(what: str, names: Iterable[str]) -> None:
    seen: dict[str, str] = {}
    for name in names:
        key = name_key(shorten_name(name))
        if not key:
            raise IllegalInput(f"every {what} needs a name")
        if key in seen:
            raise IllegalInput(f"the {what} {name} is there twice")
        seen[key] = name


def _check_division(spec: SeasonSpec, division: Division) -> None:
    if division.promoted + division.relegated > len(division.sides):
        raise IllegalInput(f"{division.name} has fewer sides than go up and down")
    needed = 1 + max((at for slot in spec.slots for at in (*slot.home, *slot.away)), default=spec.side - 1)
    for side in division.sides:
        if spec.slots and len(side.people) < needed:
            raise IllegalInput(f"{side.name} has {len(side.people)} people, and the slots need {needed}")
        if not spec.slots and len(side.roster) != spec.side:
            raise IllegalInput(f"{side.name} has {len(side.roster)} people, and a side of this season has {spec.side}")


def _check_days(spec: SeasonSpec) -> None:
    needed = max(count_days(each, twice=spec.twice) for each in spec.divisions)
    if spec.days and len(spec.days) < needed:
        raise IllegalInput(f"the season has {needed} match days, and days has {len(spec.days)} dates: add the others")
    if list(spec.days) != sorted(set(spec.days)):
        raise IllegalInput("the dates in days must follow each other, each of them once")
    if spec.days and not spec.begins <= spec.days[0] <= spec.days[-1] <= spec.ends:
        raise IllegalInput(f"the match days must be from {spec.begins} to {spec.ends}")


def check_input(spec: SeasonSpec, given: SeasonInput) -> None:
    """Raises IllegalInput for what this season does not have."""
    match given:
        case EnterResult(slot=slot):
            find_fixture(spec, given.fixture)
            _check_result(spec, given)
            if slot is not None and slot > len(spec.slots):
                raise IllegalInput(f"a match of this season has {len(spec.slots)} slots")
        case Forfeit() | Postpone():
            find_fixture(spec, given.fixture)
        case Deduct() | Withdraw():
            find_side(spec, given.side)


def _check_result(spec: SeasonSpec, given: EnterResult) -> None:
    if not spec.slots:
        return
    parts = spec.slots if given.slot is None else spec.slots[given.slot - 1 : given.slot]
    worth = sum(slot.points for slot in parts)
    if given.slot is None and sum(given.legs) > worth:
        raise IllegalInput(f"a match of this season is worth {worth} points in all")


def find_fixture(spec: SeasonSpec, fixture: str) -> SeasonFixture:
    """The fixture of this id. Raises IllegalInput."""
    found = next((each for each in list_fixtures(spec) if each.id == fixture), None)
    if found is None:
        raise IllegalInput(f"this season has no fixture {fixture}: it is DIVISION-DAY-NUMBER, such as 1-3-2")
    return found


def find_side(spec: SeasonSpec, name: str) -> tuple[int, SeasonSide]:
    """The number of the division (from 1) and the side of this name. Raises IllegalInput."""
    key = name_key(shorten_name(name))
    for number, division in enumerate(spec.divisions, 1):
        for side in division.sides:
            if name_key(shorten_name(side.name)) == key:
                return number, side
    raise IllegalInput(f"no side of this season is called {name}")


def is_same_schedule(one: SeasonSpec, other: SeasonSpec) -> bool:
    """Whether the fixtures of two seasons mean the same, so that the results of one are those of the other."""
    return _describe(one) == _describe(other)


def _describe(spec: SeasonSpec) -> tuple[object, ...]:
    names = tuple(tuple(name_key(shorten_name(side.name)) for side in each.sides) for each in spec.divisions)
    return spec.id, spec.twice, len(spec.slots), names
