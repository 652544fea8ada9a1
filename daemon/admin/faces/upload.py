"""A file that is sent to the page (a backup, a sound pack, art): received with limits, and given to its request.

A backup is put back by another request, for the daemon restarts with it.

A refusal that is known before is sent before anything is read. The connection then reads the rest, and forgets it.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO

import h11

from daemon import files
from daemon.admin.admin import Admin
from daemon.admin.answers import BUSY, Refused
from daemon.admin.backup.archive import MOST_BYTES_IN_ALL
from daemon.admin.requests import AddArt, AddSounds, Request, StageBackup
from daemon.admin.temporary import make_work_folder
from daemon.files import RESERVE_BYTES
from daemon.http.messages import HttpRequest, HttpResponse, respond_error, respond_json
from daemon.remedies import suggest_in_daemon
from daemon.sound_packs import MOST_BYTES
from protocol.sentence import say

_MOST_BYTES: Mapping[type[Request], int] = {
    StageBackup: MOST_BYTES_IN_ALL,
    AddSounds: MOST_BYTES,
    AddArt: 4_000_000,
}
"""As many as a backup has at most: the sounds in it are not packed any closer. A zip with art may have more than is
kept."""
_PIECE_S = 20.0
"""For the next piece to come."""
_BUFFER_BYTES = 1 << 18


class Upload:
    """What receives files, one at a time, into this folder."""

    def __init__(self, admin: Admin, folder: Path) -> None:
        self._admin = admin
        self._folder = folder
        self._is_receiving = False

    async def receive(self, kind: type[Request], request: HttpRequest) -> HttpResponse:
        """Answers with what has become of the file. Raises as Admin.ask does."""
        if self._is_receiving:
            said = say("care.receiving", "another file is being sent: try again in a moment")
            raise Refused("busy", said, 10)
        if self._admin.is_busy:
            raise Refused("busy", BUSY, 10)
        self._is_receiving = True
        try:
            async with _make_place(self._folder) as place:  # /tmp may be in memory
                refused = await _write(request, place, self._folder, _MOST_BYTES[kind])
                if refused:
                    return refused
                return respond_json(await self._admin.ask(_make(kind, place, request.query.get("name", ""))))
        except OSError as error:
            said = say(
                "file.unkept",
                "this file cannot be stored, and nothing was changed: {why}{remedy}",
                why=files.say_reason(error),
                remedy=suggest_in_daemon(error),
            )
            return respond_error(503, "unavailable", said)
        finally:
            self._is_receiving = False


def _make(kind: type[Request], file: Path, name: str) -> Request:
    if kind is AddSounds:
        return AddSounds(file, name)
    return AddArt(file, name) if kind is AddArt else StageBackup(file)


@asynccontextmanager
async def _make_place(folder: Path) -> AsyncIterator[Path]:
    """Yields where the file can be. It is gone when the block ends: beside the event loop, for that takes a while."""
    work = make_work_folder(folder)
    made = await asyncio.to_thread(work.__enter__)
    try:
        yield made / "file"
    finally:
        await asyncio.shield(asyncio.to_thread(work.__exit__, None, None, None))


async def _write(request: HttpRequest, place: Path, folder: Path, most: int) -> HttpResponse | None:
    """Writes the body to this place. Returns the refusal of one that is too large, or does not come in full.

    Raises OSError.
    """
    with await asyncio.to_thread(place.open, "wb") as file:
        return await _receive(request, file, folder, most)


async def _receive(request: HttpRequest, file: IO[bytes], folder: Path, most: int) -> HttpResponse | None:
    room = shutil.disk_usage(folder).free - RESERVE_BYTES
    if refused := _check_size(int(request.header("content-length") or 0), most, room):
        return refused
    size, buffer = 0, bytearray()
    try:
        async for piece in _receive_pieces(request):
            size += len(piece)
            if refused := _check_size(size, most, room):
                return refused
            buffer += piece
            if len(buffer) >= _BUFFER_BYTES:
                await asyncio.to_thread(file.write, bytes(buffer))
                buffer.clear()
    except TimeoutError:
        said = say("care.half", "the rest of the file did not arrive, and nothing was changed: send it again")
        return respond_error(408, "invalid", said)
    except h11.RemoteProtocolError:
        return respond_error(400, "invalid", "the body of the request is incomplete or malformed")
    await asyncio.to_thread(file.write, buffer)
    return None


async def _receive_pieces(request: HttpRequest) -> AsyncIterator[bytes]:
    """Yields the body. Raises TimeoutError when the next piece takes too long."""
    pieces = request.connection.receive_pieces()
    while True:
        try:
            async with asyncio.timeout(_PIECE_S):
                piece = await anext(pieces)
        except StopAsyncIteration:
            return
        yield piece


def _check_size(size: int, most: int, room: int) -> HttpResponse | None:
    if size > most:
        said = say("care.too_large", "this file is too large: at most {most} MB", most=most // 1_000_000)
        return respond_error(413, "invalid", said)
    if size > room:
        said = say(
            "care.no_room_here", "the disk has too little room for this file: free some space, and send it again"
        )
        return respond_error(503, "unavailable", said)
    return None
