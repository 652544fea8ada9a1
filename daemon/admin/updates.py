"""Whether there is a newer version of oche: the file `latest.json` of a release, looked at twice a day.

Only an owner who has configured its address has it looked at. The answer is published for Home Assistant; nothing is
downloaded beside it, and nothing is installed. This module is loaded there alone.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from http.client import HTTPException, HTTPMessage
from random import Random
from typing import IO, Annotated, cast
from urllib import request
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta, Struct

from daemon.errors import UserError
from daemon.part import Part
from daemon.release import read_version
from protocol.messages import UpdateInfo

log = logging.getLogger("oche.update")

FIRST_S = 60.0
"""The first look is at a random moment within this time after the start: oche may be started again and again."""
EACH_S = 12 * 3600.0
AGAIN_S = 3600.0
"""The next look after one that has failed."""
PATIENCE_S = 30.0
"""For the whole answer."""
CONNECTION_S = 10.0
"""For the connection, and for each part of the answer."""
MOST_BYTES = 100_000
_SUMMARY_CHARACTERS = 255
"""Home Assistant shows no more."""


class LatestRelease(Struct, frozen=True):
    """The file: the latest version, its notes in Markdown, and the address where they can be read."""

    version: Annotated[str, Meta(pattern=r"\A[0-9][0-9A-Za-z.+-]{0,39}\Z")]
    notes: str = ""
    url: Annotated[str, Meta(pattern=r"\Ahttps?://[!-~]{1,1000}\Z")] | None = None


class UpdateCheck(Part):
    """Looks at this address. A Part. `publish` takes what is known after each look that has an answer."""

    def __init__(self, url: str, publish: Callable[[UpdateInfo], None]) -> None:
        self._url = url
        self._publish = publish
        self._request: threading.Thread | None = None

    async def run(self) -> None:
        """Looks until cancelled. What fails is logged when it is another failure than the one before."""
        said = ""
        wait_s = Random().uniform(0, FIRST_S)
        while True:
            await asyncio.sleep(wait_s)
            try:
                self._publish(describe(await self._load()))
                said, wait_s = "", EACH_S
            except UserError as error:
                wait_s = AGAIN_S
                if str(error) != said:
                    said = str(error)
                    log.warning("%s", said)

    async def _load(self) -> LatestRelease:
        """Raises UserError with what is wrong."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                data = await self._request_in_thread()
        except TimeoutError:
            raise UserError(f"{_name(self._url)} did not answer within {PATIENCE_S:.0f} s") from None
        try:
            return msgspec.json.decode(data, type=LatestRelease)
        except (msgspec.DecodeError, RecursionError):
            raise UserError(f"{_name(self._url)} is not the latest.json of a release of oche: name that file") from None

    async def _request_in_thread(self) -> bytes:
        """Requests it in a thread of its own, which nothing waits for: not the end of oche, and no other thread.

        A server that answers byte by byte keeps its thread; there is never a second one.
        """
        if self._request is not None and self._request.is_alive():
            raise TimeoutError
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[bytes] = loop.create_future()

        def settle(result: bytes | UserError) -> None:
            if answer.done():
                return
            if isinstance(result, bytes):
                answer.set_result(result)
            else:
                answer.set_exception(result)

        def load() -> None:
            result = _request(self._url)
            if not loop.is_closed():
                loop.call_soon_threadsafe(settle, result)

        self._request = threading.Thread(target=load, name="update check", daemon=True)
        self._request.start()
        return await answer


def hide_secrets(url: str) -> str:
    """Returns the address without what may be a secret: a login, and what comes after the path."""
    address = urlsplit(url)
    return address._replace(netloc=address.netloc.rpartition("@")[2], query="", fragment="").geturl()


def _name(url: str) -> str:
    return f"{hide_secrets(url)} (bridge.update_url)"


def describe(latest: LatestRelease) -> UpdateInfo:
    """Returns what is published: the version that runs, and this one."""
    printable = "".join(each for each in latest.notes if each.isprintable() or each == "\n").strip()
    summary = printable
    if len(printable) > _SUMMARY_CHARACTERS:
        summary = f"{printable[: _SUMMARY_CHARACTERS - 1].rsplit(maxsplit=1)[0]}…"
    info = UpdateInfo(read_version(), latest_version=latest.version)
    more = {"release_summary": summary, "release_url": latest.url}
    return msgspec.structs.replace(info, **{key: value for key, value in more.items() if value})


class _WebAlone(request.HTTPRedirectHandler):
    """Follows redirections to web servers alone, and none from https to http."""

    def redirect_request(
        self, req: request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> request.Request | None:
        """Raises OSError for any other."""
        if urlsplit(newurl).scheme not in ("https", urlsplit(req.full_url).scheme):
            raise OSError(f"it redirects to {hide_secrets(newurl)}")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _request(url: str) -> bytes | UserError:
    """Returns what is at this address, or why that is not to be had."""
    asked = request.Request(url, headers={"User-Agent": f"oche/{read_version()}", "Accept": "application/json"})
    try:
        with request.build_opener(_WebAlone).open(asked, timeout=CONNECTION_S) as answer:
            data = cast("bytes", answer.read(MOST_BYTES + 1))
    except (OSError, HTTPException, ValueError) as error:
        said = " ".join(str(error).split()) or type(error).__name__
        return UserError(f"{_name(url)} cannot be loaded: {said}")
    if len(data) > MOST_BYTES:
        return UserError(f"{_name(url)} is too long for the latest.json of a release of oche")
    return data
