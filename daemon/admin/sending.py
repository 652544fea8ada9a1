"""What the page is told of what is sent to the league, and from which day on that is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from daemon import files
from daemon.admin.answers import Answer, Json, Refused
from daemon.admin.process import FetchMatches, WorkerProcess
from daemon.admin.requests import ChooseSince, FetchKnownMore, ReadSending, SendingRequest
from daemon.config.sections import League
from daemon.errors import UserError
from daemon.league.since import Since, find_moment, find_since, write_since
from daemon.league.store import LeagueStore
from daemon.remedies import suggest_in_daemon
from protocol.sentence import say

_MOST_NAMED = 20
"""Matches that were not taken, or not fetched, are named up to so many."""
_PATIENCE_S = 600.0


class Sending:
    """Requests about it. `league` is the section of the configuration; `tell` is called when more is to be sent."""

    def __init__(self, folder: Path, league: League, worker: WorkerProcess, tell: Callable[[], None]) -> None:
        self._folder = folder
        self._league = league
        self._worker = worker
        self._tell = tell

    async def ask(self, request: SendingRequest) -> Answer | Json:
        """Returns the answer. Raises Refused."""
        try:
            match request:
                case ReadSending():
                    return await asyncio.to_thread(self._describe)
                case ChooseSince(day):
                    await asyncio.to_thread(self._choose, day)
                    self._tell()
                    return Answer()
                case FetchKnownMore():
                    return await self._fetch()
        except UserError as error:
            raise Refused("unavailable", error.said) from None

    def _describe(self) -> Json:
        if not self._league.on:
            return {"v": 1, "on": False}
        since = find_since(self._folder, self._league.since)
        memory = LeagueStore(self._folder).read()
        taken = [each for each in memory.taken.values() if each.by == "league"]
        refused = [each for each in taken if each.answer == "not_taken"]
        status = memory.status
        found: dict[str, Any] = {  # Any: JSON
            "v": 1,
            "on": True,
            "since": since.day,
            "asks": not since.is_chosen,
            "waiting": status.waiting,
            "kept": sum(each.answer == "kept" for each in taken),
            "known_more": sum(each.answer == "known_more" for each in taken),
            "answered_at": status.answered_at or None,
            "not_taken": [
                {"table": each.table, "match": each.match, "reason": each.reason} for each in refused[:_MOST_NAMED]
            ],
            "forgetting": len(memory.forgettings),
        }
        forgotten = {"at": status.forgotten_at, "matches": status.matches, "left": status.left}
        return {**found, "forgotten": forgotten if status.forgotten_at else None}

    async def _fetch(self) -> Json:
        """Raises Refused, UserError and OSError."""
        if not self._league.on:
            raise Refused("illegal", say("league.off", "this oche belongs to no league: set league.on to true first"))
        with files.explain_errors("matches cannot be fetched from the league", suggest_in_daemon):
            answer = await self._worker.carry_out(FetchMatches(self._league), "history fetch", _PATIENCE_S)
        self._tell()
        failed = answer["failed"][:_MOST_NAMED]
        return {"v": 1, **answer, "failed": failed, "more": len(answer["failed"]) - len(failed)}

    def _choose(self, day: str) -> None:
        """Raises Refused and UserError."""
        if not self._league.on or self._league.since:
            said = say("settings.since_fixed", "the configuration says from when on matches are sent: change it there")
            raise Refused("illegal", said)
        try:
            find_moment(day)
        except ValueError:
            raise Refused("invalid", say("settings.no_day", "{day} is no day", day=day)) from None
        with files.explain_errors(f"cannot write the day into {self._folder}", suggest_in_daemon):
            write_since(self._folder, Since(day, is_chosen=True))
