"""The art that there is: listed, read, added and removed while the daemon runs."""

from __future__ import annotations

import asyncio
import hashlib
import re
from functools import partial
from pathlib import Path
from typing import cast

from daemon import files
from daemon.admin import requests
from daemon.admin.answers import Answer, Json, Refused, Sound
from daemon.admin.art.packs import Art, find_art, find_ending, read_art, summarize
from daemon.admin.art.unpack import remove_art, set_event_file
from daemon.admin.process import AddRestoredArt, WorkerProcess
from daemon.admin.restored import add_each
from daemon.admin.temporary import ART
from daemon.admin.turn import finish_in_turn
from daemon.errors import UserError
from protocol.sentence import Sentence, say

_PATIENCE_S = 120.0
_EVENT = re.compile(r"[a-z0-9_]{1,40}")


class ArtShelf:
    """What is asked for; `folder` is that of the state. A zip is read beside the daemon."""

    def __init__(self, folder: Path, worker: WorkerProcess) -> None:
        self._folder = folder
        self._worker = worker
        self._turn = asyncio.Lock()
        """Held while art changes."""

    async def ask(self, request: requests.ArtRequest) -> Answer | Json | Sound:
        """Returns the answer. Raises Refused, UserError and OSError."""
        match request:
            case requests.AddArt():
                async with self._turn:
                    return cast("Json", await self._worker.carry_out(request, None, _PATIENCE_S))
            case requests.RemoveArt(art):
                await self._remove(art)
                return Answer()
            case requests.SetEventFile(event, kind, content):
                await self._set_event_file(event, kind, content)
                return Answer()
        try:
            return await asyncio.to_thread(self._read, request)
        except OSError as error:
            raise Refused("unavailable", f"the art cannot be read: {files.explain(error)}") from None

    async def add_restored(self) -> None:
        """Adds the art that a backup had, one after the other; logs what becomes of each."""
        await add_each(self._folder, ART, self._add_restored)

    async def _add_restored(self, zipped: Path) -> str:
        async with self._turn:
            told: Json = await self._worker.carry_out(AddRestoredArt(zipped), None, _PATIENCE_S)
        return str(told["done"])

    def _read(self, request: requests.ListArt | requests.ReadArt) -> Json | Sound:
        found = find_art(self._folder)
        match request:
            case requests.ListArt():
                return {"v": 1, "art": [summarize(each) for each in found.values()]}
            case requests.ReadArt(name, file, tag):
                art = _find(found, name)
                try:
                    read = read_art(art, file)
                except UserError as error:
                    raise Refused("invalid", error.said) from None
                if read is None:
                    raise Refused("unknown", "there is no such file")
                is_present = tag != "" and summarize(art).tag == tag  # after it was read: it may just be replaced
                return Sound(hashlib.sha256(read[1]).hexdigest()[:20], *read, is_present)

    async def _set_event_file(self, event: str, kind: str, content: bytes) -> None:
        if _EVENT.fullmatch(event) is None or kind not in ("picture", "sound"):
            raise Refused("invalid", say("art.event", "there is no such event: choose one from the list"))
        ending = find_ending(content, kind) if content else {"picture": ".gif", "sound": ".mp3"}[kind]
        if ending is None:
            said = say("art.neither", "choose a picture (gif, svg, png, jpg or webp) or a sound (mp3, wav or ogg)")
            raise Refused("invalid", said)
        work = partial(asyncio.to_thread, set_event_file, event, ending, content, self._folder)
        try:
            await finish_in_turn(self._turn, work)
        except UserError as error:
            raise Refused("invalid", error.said) from None
        except OSError as error:
            raise Refused("unavailable", _describe_failure(error)) from None

    async def _remove(self, name: str) -> None:
        try:
            is_removed = await finish_in_turn(self._turn, partial(asyncio.to_thread, remove_art, name, self._folder))
        except OSError as error:
            raise Refused("unavailable", _describe_failure(error)) from None
        if not is_removed:
            raise Refused("unknown", say("art.none", "there is no such art of your own: load the page again"))


def _describe_failure(error: OSError) -> Sentence:
    return say("art.stays", "this art cannot be changed: {why}", why=files.say_reason(error))


def _find(found: dict[str, Art], name: str) -> Art:
    if name not in found:
        raise Refused("unknown", "there is no such art")
    return found[name]
