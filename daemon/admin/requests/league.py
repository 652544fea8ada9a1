"""Requests about what is sent to a league."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from msgspec import Meta

from daemon.admin.answers import Answer
from daemon.admin.requests.asked import Asked, Request


class ReadSending(Request, frozen=True):
    """How it stands with the league: what it has not taken yet, and from which day on matches are sent."""


class ChooseSince(Request, frozen=True):
    """Sends the matches from this day on."""

    day: Annotated[str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}$")]


class FetchKnownMore(Request, frozen=True):
    """Fetches from the league the inputs that matches lack here, as after an old backup was put back."""


SendingRequest = ReadSending | ChooseSince | FetchKnownMore
LEAGUE: Mapping[type[Request], Asked] = {
    ReadSending: Asked("setup", "GET /api/league/sending"),
    ChooseSince: Asked("setup", "POST /api/league/since", changes=True, answer=Answer),
    FetchKnownMore: Asked("setup", "POST /api/league/fetch", command="history fetch", changes=True, alone=True),
}
