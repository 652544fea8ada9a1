"""`oche doctor` on the league: does it answer, and does it take what is sent? It is not asked: that is remembered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from daemon.admin.doctor.checks import Check
from daemon.config.sections import Config
from daemon.errors import UserError
from daemon.league.store import LeagueStore
from protocol.sentence import Sentence, say

_PATIENCE = timedelta(hours=1)
"""A league that says nothing for so long, while matches wait for it, is not there."""
_FIND = say(
    "doctor.league_find",
    "check that oche collect runs at the league, and that it is connected to the same broker as this oche",
)


def check_league(config: Config, now: datetime | None = None) -> Iterator[Check]:
    """What is known of a league that is switched on."""
    if not config.mqtt.on:
        text = say("doctor.league_no_broker", "matches cannot reach the league without a broker")
        yield Check(
            "league", "problem", text, say("doctor.league_broker", "set mqtt.on to true, or league.on to false")
        )
        return
    try:
        memory = LeagueStore(Path(config.bridge.state_dir)).read()
    except UserError as error:
        yield Check.from_sentence("league", "problem", error.said)
        return
    taken, status = [each for each in memory.taken.values() if each.by == "league"], memory.status
    found = False
    for reason, count in Counter(each.reason for each in taken if each.answer == "not_taken").items():
        found = True
        text = say(
            "doctor.league_refuses", "the league does not take some matches ({count}): {why}", count=count, why=reason
        )
        ask = say("doctor.league_ask", "ask those who run the league, then restart oche: it offers them again")
        yield Check("league", "problem", text, ask)
    if more := sum(each.answer == "known_more" for each in taken):
        found = True
        text = say(
            "doctor.league_more",
            "the league knows more of some matches ({count}) than this machine, as after an old backup was put back",
            count=more,
        )
        yield Check("league", "warning", text, say("doctor.league_fetch", "run: oche history fetch"))
    if status.waiting or memory.forgettings or not status.answered_at:
        at = _read_moment(status.answered_at)
        if at is None or (now or datetime.now(UTC)) - at > _PATIENCE:
            found = True
            yield Check("league", "warning", _say_silent(status.waiting, len(memory.forgettings), at), _FIND)
    if not found:
        kept, day = sum(each.answer == "kept" for each in taken), _say_day(_read_moment(status.answered_at))
        text = say(
            "doctor.league_ok", "the league answered last on {at}; matches that it has: {count}", count=kept, at=day
        )
        yield Check("league", "ok", text)


def _say_silent(waiting: int, forgettings: int, at: datetime | None) -> Sentence:
    if at is None:
        return say(
            "doctor.league_silent",
            "the league has not answered yet; matches that wait for it: {count}",
            count=waiting,
        )
    return say(
        "doctor.league_waits",
        "the league answered last on {at}; matches that wait for it: {count}, players it has to forget: {number}",
        count=waiting,
        number=forgettings,
        at=_say_day(at),
    )


def _read_moment(text: str) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _say_day(at: datetime | None) -> str:
    return "" if at is None else f"{at.astimezone():%Y-%m-%d %H:%M}"
