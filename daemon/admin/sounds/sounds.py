"""The sound packs: listed, read, added and removed while the daemon runs."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import cast

from daemon import files
from daemon.admin import requests
from daemon.admin.answers import Answer, Json, Refused, Sound
from daemon.admin.process import AddRestoredSounds, WorkerProcess
from daemon.admin.restored import add_each
from daemon.admin.sounds.unpack import remove_pack
from daemon.admin.turn import finish_in_turn
from daemon.sound_packs import (
    INSTALLED,
    SOUNDS,
    Pack,
    PackIndex,
    PackSummary,
    find_packs,
    read_index,
    read_sound,
    summarize,
)
from protocol.sentence import say, write_sentence

_PATIENCE_S = 600.0


class Sounds:
    """What is asked for; `folder` is that of the state. Unpacking is done beside the daemon."""

    def __init__(self, folder: Path, worker: WorkerProcess, installed: Path = INSTALLED) -> None:
        self._folder = folder
        self._worker = worker
        self._installed = installed
        self._turn = asyncio.Lock()
        """Held while packs change."""

    async def ask(self, request: requests.SoundRequest) -> Answer | Json | PackIndex | Sound:
        """Returns the answer. Raises Refused, UserError and OSError."""
        match request:
            case requests.AddSounds():
                async with self._turn:
                    return cast("Json", await self._worker.carry_out(request, None, _PATIENCE_S))
            case requests.RemoveSounds(pack):
                await self._remove(pack)
                return Answer()
        try:
            return await asyncio.to_thread(self._read, request)
        except OSError as error:
            raise Refused("unavailable", f"the sounds cannot be read: {files.explain(error)}") from None

    async def add_restored(self) -> None:
        """Adds the packs that a backup had, one after the other; logs what becomes of each."""
        await add_each(self._folder, SOUNDS, self._add_restored)

    async def _add_restored(self, zipped: Path) -> str:
        async with self._turn:
            told: Json = await self._worker.carry_out(AddRestoredSounds(zipped), None, _PATIENCE_S)
        return str(told["done"])

    def _read(
        self, request: requests.ListSounds | requests.ReadSounds | requests.ReadSound
    ) -> Json | PackIndex | Sound:
        packs = find_packs(self._folder, self._installed)
        match request:
            case requests.ListSounds():
                return _list_packs(packs[name] for name in sorted(packs))
            case requests.ReadSounds(name):
                return read_index(_find(packs, name))
            case requests.ReadSound(name, file, tag):
                pack = _find(packs, name)
                found = read_sound(pack, file)
                if found is None:
                    raise Refused("unknown", "there is no such sound")
                is_present = tag != "" and read_index(pack).tag == tag  # after it was read: it may just be replaced
                return Sound(hashlib.sha256(found[1]).hexdigest()[:20], *found, is_present)

    async def _remove(self, name: str) -> None:
        try:
            is_removed = await finish_in_turn(self._turn, partial(asyncio.to_thread, remove_pack, name, self._folder))
        except OSError as error:
            said = say("sounds.stays", "this pack cannot be removed: {why}", why=files.say_reason(error))
            raise Refused("unavailable", said) from None
        if not is_removed:
            raise Refused("unknown", say("sounds.none", "there is no such pack of your own: load the page again"))


def _list_packs(packs: Iterable[Pack]) -> Json:
    """Returns the packs, and those that cannot be read with the reason, if there are any."""
    found, unreadable = list[PackSummary](), list[Json]()
    for pack in packs:
        try:
            found.append(summarize(pack))
        except OSError as error:
            said = say(
                "sounds.unreadable",
                "the sound pack {name} cannot be read: {why}",
                name=pack.name,
                why=files.say_reason(error),
            )
            unreadable.append({"pack": pack.name, "installed": pack.is_installed, "why": write_sentence(said)})
    return {"v": 1, "packs": found, **({"unreadable": unreadable} if unreadable else {})}


def _find(packs: dict[str, Pack], name: str) -> Pack:
    if name not in packs:
        raise Refused("unknown", "there is no such sound pack")
    return packs[name]
