"""Asks the pages of a league (`oche league`), with the token of this daemon."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path

from daemon.config.credentials import read_secret
from daemon.config.sections import League
from daemon.http.client import Reply, RequestError, send_request
from protocol.sentence import say


class NoAnswer(Exception):
    """The league does not answer whatever is asked; the text says why, as the end of a sentence."""


class PagesClient:
    """The pages of this league."""

    def __init__(self, league: League) -> None:
        self._url = league.url.rstrip("/")
        self._token_file = league.token_file

    async def get(self, target: str, *, accept: str, timeout_s: float, most_bytes: int) -> Reply:
        """Returns the answer for this path and query; of a body at most so many bytes.

        Raises NoAnswer where none comes or the token is not taken, and UserError where that cannot be read.
        """
        headers = {"Accept": accept, **await asyncio.to_thread(self._make_login)}
        url = f"{self._url}{target}"
        try:
            reply = await send_request("GET", url, headers=headers, timeout_s=timeout_s, most_bytes=most_bytes)
        except RequestError as error:
            raise NoAnswer(str(error)) from None
        if reply.status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
            raise NoAnswer("it does not take the token in league.token_file")
        return reply

    def _make_login(self) -> Mapping[str, str]:
        """Returns the header with the token, which is read again each time. Raises UserError."""
        if self._token_file is None:
            return {}
        token = read_secret(Path(self._token_file), say("secret.league", "the token of the league"))
        return {"Authorization": f"Bearer {token}"}
