"""What of the history a request wants, out of its texts. Raises Refused for what is written wrongly."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

from daemon.admin import requests
from daemon.admin.answers import Refused
from daemon.admin.history.league import read_month
from daemon.admin.history.listing import MatchFilter
from daemon.admin.history.player_figures import Selection, start_of_day

_DAY = len("2026-11-30")


def read_selection(wanted: requests.ListFigures | requests.ReadFigures) -> Selection:
    """Returns the matches whose figures are wanted."""
    return Selection(wanted.game, read_moment(wanted.since, "since"), wanted.table, wanted.bots == "1")


def read_pair(wanted: requests.ReadHeadToHead | requests.ReadHandicap) -> tuple[str, str]:
    """Returns the names of the two players who are compared."""
    if not wanted.name or not wanted.other:
        raise Refused("unknown", "name the two players, as in ?name=Ann&other=Bo")
    return wanted.name, wanted.other


def read_compared(wanted: requests.ReadHeadToHead) -> tuple[tuple[str, str], Selection]:
    """Returns the names of the two players who are compared, and over which matches."""
    return read_pair(wanted), Selection(wanted.game, read_moment(wanted.since, "since"), wanted.table)


def read_league_month(wanted: requests.ReadLeague) -> str | None:
    """Returns the month whose league is wanted, as in 2026-11; None: this month."""
    try:
        return read_month(wanted.month) if wanted.month else None
    except ValueError:
        raise Refused("invalid", "month must be a month such as 2026-11") from None


def read_filter(wanted: requests.ListMatches) -> MatchFilter:
    """Returns the matches that are wanted, of any game."""
    since, before = read_moment(wanted.since, "since"), read_moment(wanted.before, "before")
    return MatchFilter(wanted.player, wanted.table, since, before)


def read_evening(wanted: requests.ReadEvening) -> tuple[datetime, datetime]:
    """Returns when the evening begins and ends."""
    since, before = read_moment(wanted.since, "since"), read_moment(wanted.before, "before")
    if since is None or before is None or not timedelta() < before - since <= requests.LONGEST_STORY:
        raise Refused("invalid", "since and before must be moments, the first one earlier, and a week apart at most")
    return since, before


def read_week(wanted: requests.ReadWeek) -> tuple[datetime, datetime]:
    """Returns when the week begins and ends: Monday to Monday, or seven days until a moment."""
    if not wanted.week:
        before = read_moment(wanted.before, "before") or datetime.now().astimezone()
        try:
            return go_back(before), before
        except (OverflowError, ValueError):  # the first days of the calendar
            raise Refused("invalid", "before must be a day such as 2026-11-30") from None
    try:
        if not re.fullmatch(r"\d{4}-W\d\d", wanted.week, re.ASCII):
            raise ValueError
        monday = date.fromisoformat(wanted.week)
        return start_of_day(monday), start_of_day(monday + timedelta(7))
    except (ValueError, OverflowError):
        raise Refused("invalid", "week must be a week such as 2026-W48") from None


def go_back(moment: datetime) -> datetime:
    """Returns when the local clocks showed the same seven days before."""
    return (moment.astimezone().replace(tzinfo=None) - timedelta(7)).astimezone()


def read_first(wanted: requests.ReadSteps) -> int:
    """Returns the number of the first step that is wanted."""
    return _read_number(wanted.first, "first must be the number of a step, counted from 0")


def read_piece(wanted: requests.ListFigures | requests.ReadRatings) -> slice:
    """Returns which players of a list are wanted."""
    first = _read_number(wanted.first, "first must be a place in the list, counted from 0")
    if wanted.most is None:
        return slice(first, None)
    return slice(first, first + _read_number(wanted.most, "most must be a number of players"))


def read_leg(wanted: requests.ReadGhost) -> int | None:
    """Returns the number of the leg that is wanted; None: the best one."""
    if wanted.leg is None:
        return None
    return _read_number(wanted.leg, "leg must be the number of a leg of the match, counted from 0")


def _read_number(given: str, why: str) -> int:
    if not re.fullmatch("[0-9]{1,9}", given):
        raise Refused("invalid", why)
    return int(given)


def read_moment(given: str | None, name: str) -> datetime | None:
    """The day that is written, or the moment, as answers have it."""
    try:
        if not given:
            return None
        return start_of_day(date.fromisoformat(given)) if len(given) <= _DAY else _parse_moment(given)
    except ValueError:
        raise Refused("invalid", f"{name} must be a day such as 2026-11-30") from None


def _parse_moment(given: str) -> datetime:
    moment = datetime.fromisoformat(given)
    if moment.tzinfo is None:
        raise ValueError(given)
    return moment
