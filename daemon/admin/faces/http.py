"""The page's way to ask: a route for each request that has an address, its answer, and how it is refused.

What takes work is a POST, since another site may have a browser GET what it likes by a link.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, get_args
from urllib.parse import quote

import msgspec

from daemon import files
from daemon.admin import requests
from daemon.admin.admin import Admin
from daemon.admin.answers import File, Picture, Refused, SetupGrant, Sound, StillReading
from daemon.admin.requests import ASKED, Request
from daemon.errors import UserError
from daemon.http.messages import (
    EarlyResponse,
    HttpRequest,
    HttpResponse,
    HttpRoute,
    answer_text,
    pack_json,
    read_body,
    respond_error,
    respond_json,
)
from daemon.remedies import suggest_in_daemon
from daemon.web.auth import Auth
from protocol.sentence import get_reason, say, write_sentence
from protocol.source import SourceError

if TYPE_CHECKING:
    from daemon.admin.faces.upload import Upload

_PIECE_BYTES = 1 << 16
_RANGE = re.compile(r"bytes=(\d{0,12})-(\d{0,12})", re.ASCII)
"""One part of a file, as a browser asks for it."""
_MOST_REMARKS_BYTES = 2_000
_STATUS = {"invalid": 400, "unknown": 404, "unavailable": 503}
"""By the code of a refusal; else 409, and 503 where it says when to try again."""
_IN_PLAIN_TEXT = get_args(requests.FiguresRequest)
"""What is refused by a sentence alone."""
_LOOKED_UP = (
    requests.ReadPicture,
    requests.ReadRecordedName,
    requests.ReadSounds,
    requests.ReadSound,
    requests.ReadArt,
    requests.ReadClip,
)
"""What does not exist is refused so, too."""
_SHORT = (requests.ReadTryout, requests.ReadLearning)
"""What is read all the time, and is not worth packing."""
_TO_THE_END = get_args(requests.LearnRequest)
"""What goes on where the client goes away: half of it would be of no use. Of all else, changes that have begun do."""


class PageRoutes:
    """The routes of all requests that the page has; `folder` is that of the state.

    `auth` lets the client in that gets the right of the setup by what it has asked for.
    """

    def __init__(self, admin: Admin, auth: Auth, folder: Path) -> None:
        self._admin = admin
        self._auth = auth
        self._folder = folder
        self._upload: Upload | None = None

    def make(self) -> list[HttpRoute]:
        """Returns them."""
        found = []
        for kind, asked in ASKED.items():
            method, _, path = asked.page.partition(" ")
            if path:
                if asked.role == "organise" or asked.role == "code":
                    continue
                respond = partial(self.respond, kind)
                takes_file = asked.body == "file"
                found.append(HttpRoute(method, path, respond, asked.role, takes_file, asked.most_bytes))
        return found

    async def respond(self, kind: type[Request], request: HttpRequest) -> HttpResponse:
        """Answers a request that is allowed."""
        if kind in _TO_THE_END:
            return await self._ask(kind, request)
        with end_with_client(request):
            return await self._ask(kind, request)

    async def ask(self, wanted: Request, request: HttpRequest) -> Any:  # Any: the answer, by the request
        """Returns the answer, for what encodes it itself. Raises EarlyResponse with the refusal."""
        with end_with_client(request):
            try:
                return await self._admin.ask(wanted)
            except (Refused, SourceError, UserError) as error:
                raise EarlyResponse(refuse_request(type(wanted), error)) from None

    async def _ask(self, kind: type[Request], request: HttpRequest) -> HttpResponse:
        try:
            await self._admin.check(kind)  # before what it asks for is read
            if ASKED[kind].body == "file":
                return await self._receive(kind, request)
            try:
                wanted = read_request(kind, request)
            except ValueError as error:
                raise Refused("invalid", get_reason(error)) from None
            answer = await self._admin.ask(wanted)
        except (Refused, SourceError, UserError) as error:
            return refuse_request(kind, error)
        except OSError as error:
            if not ASKED[kind].alone:
                raise
            return refuse_request(kind, error)
        response = await encode_answer(kind, request, answer, self._admin.release)
        if isinstance(answer, SetupGrant):
            await self._auth.admit_setup(request, response, answer.port)
        return response

    async def _receive(self, kind: type[Request], request: HttpRequest) -> HttpResponse:
        from daemon.admin.faces.upload import Upload  # noqa: PLC0415  hardly ever needed

        self._upload = self._upload or Upload(self._admin, self._folder)
        return await self._upload.receive(kind, request)


@contextmanager
def end_with_client(request: HttpRequest) -> Iterator[None]:
    """Ends what is done in the block once the client has gone: nobody waits for it any more, and others may."""
    task = asyncio.current_task()
    assert task is not None
    request.connection.on_end = task.cancel
    try:
        yield
    finally:
        request.connection.on_end = None


def read_request(kind: type[Request], request: HttpRequest) -> Request:
    """Returns the request that has come. Raises ValueError."""
    names, body = kind.__struct_fields__, ASKED[kind].body
    if names and request.method == "POST" and body == "json":
        return read_body(request.body or b"{}", kind)
    given: dict[str, Any] = {**request.query, **request.params}
    if body == "json":
        return kind(**{name: given[name] for name in names if name in given})
    return msgspec.convert({name: given[name] for name in names if name in given} | {body: request.body}, kind)


async def encode_answer(
    kind: type[Request], request: HttpRequest, answer: Any, release: Callable[[IO[bytes]], None]
) -> HttpResponse:
    """Returns the response that has this answer; `release` is called with the content of a file, once it was sent."""
    match answer:
        case File():
            response = _send_file(answer, release)
        case Picture(id, media_type, content):
            response = HttpResponse(content, media_type)
            styles = " style-src 'unsafe-inline';" if media_type == "image/svg+xml" else ""
            policy = f"default-src 'none';{styles} sandbox"
            response.headers |= {"ETag": f'"{id}"', "Content-Security-Policy": policy}
            if f'"{id}"' in request.header("if-none-match"):
                response.status = 304
            elif media_type.startswith("video/"):
                _cut(response, content, request)
            if isinstance(answer, Sound) and answer.may_keep:
                response.headers["Cache-Control"] = "private, max-age=31536000, immutable"
        case StillReading():
            response = respond_json(answer, 202)
        case SetupGrant(granted):
            response = respond_json(granted)
        case _ if request.method == "POST" or kind in _SHORT:
            response = respond_json(answer)
        case _:
            response = (await pack_json(answer)).respond(request)
    return response


def _send_file(answer: File, release: Callable[[IO[bytes]], None]) -> HttpResponse:
    body = answer.content if isinstance(answer.content, bytes) else _FileStream(answer.content, release)
    response = HttpResponse(body, answer.media_type)
    response.headers["Content-Disposition"] = f'attachment; filename="{answer.name}"'
    if answer.secret:
        response.headers["Cache-Control"] = "no-store"
    if answer.remarks:
        response.headers["Oche-Remarks"] = _write_remarks(answer.remarks)
    return response


def _write_remarks(remarks: Sequence[Mapping[str, Any]]) -> str:  # Any: as write_sentence has it
    """Returns the sentences as JSON, percent-encoded, for a header: no more than web servers in front let pass."""
    kept, size = list[Mapping[str, Any]](), 0
    for each in remarks:
        size += len(quote(msgspec.json.encode(each)))
        if size > _MOST_REMARKS_BYTES:
            said = say(
                "remark.more",
                "more remarks: {more}. To see them, run  oche backup FILE --sounds  on the machine",
                more=len(remarks) - len(kept),
            )
            kept.append(write_sentence(said))
            break
        kept.append(each)
    return quote(msgspec.json.encode(kept))


def _cut(response: HttpResponse, content: bytes, request: HttpRequest) -> None:
    """Has the response carry that part of a film that is asked for: Safari plays none that comes only as a whole."""
    response.headers["Accept-Ranges"] = "bytes"
    wanted = _RANGE.fullmatch(request.header("range"))
    is_same = request.header("if-range") in ("", response.headers["ETag"])
    if wanted is None or not any(wanted.groups()) or not is_same or request.method != "GET":
        return
    size, (first, last) = len(content), wanted.groups()
    begin = int(first) if first else max(size - int(last), 0)
    end = min(int(last), size - 1) if first and last else size - 1
    if first and last and int(last) < begin:
        return  # it is no range: the whole is sent
    if begin >= size:
        response.status, response.body = 416, b""
        response.headers["Content-Range"] = f"bytes */{size}"
        return
    response.status, response.body = 206, content[begin : end + 1]
    response.headers["Content-Range"] = f"bytes {begin}-{end}/{size}"


def refuse_request(kind: type[Request], error: Exception) -> HttpResponse:
    """Returns the refusal of a request, or raises it as an EarlyResponse."""
    match error:
        case Refused(code=code, said=said, wait_s=wait_s):
            status = _STATUS.get(code, 503 if wait_s else 409)
            if kind in _IN_PLAIN_TEXT or (code == "unknown" and kind in _LOOKED_UP):
                raise answer_text(status, str(said))
            return respond_error(status, code, said, wait_s)
        case SourceError():
            return respond_error(400, "invalid", error.reason, path=error.path)
        case OSError():
            why, remedy = files.say_reason(error), suggest_in_daemon(error)
            said = say("file.unmade", "this cannot be made: {why}{remedy}", why=why, remedy=remedy)
            return respond_error(503, "unavailable", said)
    if kind is requests.Restart:
        return respond_error(409, "illegal", get_reason(error))
    return respond_error(503, "unavailable", get_reason(error))


class _FileStream:
    """A BodyStream of a file from its beginning, which is given to `release` at its end."""

    def __init__(self, file: IO[bytes], release: Callable[[IO[bytes]], None]) -> None:
        self._file = file
        self._release = release

    async def next(self) -> bytes | None:
        """Returns the next piece; None at the end."""
        return await asyncio.to_thread(self._file.read, _PIECE_BYTES) or None

    def end(self) -> None:
        """The client has gone: the file is released by `close`."""

    def close(self) -> None:
        """Releases the file."""
        self._release(self._file)
