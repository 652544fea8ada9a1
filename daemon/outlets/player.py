"""Plays a recording on the sound output of this machine: one child process of a program that people have.

Which program is decided by how a file begins, not by its name: aplay would play the bytes of any other file as noise.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from daemon import files
from daemon.sound_packs import find_kind

LONGEST_S = 15.0
"""A program that takes longer for one recording is killed."""
_END_S = 2.0
"""The longest that is waited for the end of a program that was killed."""
_HEAD_BYTES = 16
_KINDS = {"audio/mpeg": "mp3", "audio/wav": "wav", "audio/ogg": "ogg"}


class _Program(NamedTuple):
    """How a program is called before the name of the file, and the files that it can play."""

    options: tuple[str, ...]
    kinds: Collection[str]


PLAYERS = {
    "mpv": _Program(("--no-config", "--no-terminal", "--no-video", "--load-scripts=no", "--"), _KINDS.values()),
    "mpg123": _Program(("-q", "--"), ("mp3",)),
    "aplay": _Program(("-q", "--"), ("wav",)),
}
"""In the order in which they are tried. All of them return a status that is not 0 where they could not play."""


def list_players(wanted: str | None = None) -> list[str]:
    """Returns the programs that are installed, in their order; of these only the `wanted` one, if one is named."""
    return [name for name in PLAYERS if wanted in (None, name) and shutil.which(name) is not None]


def find_player(kind: str, wanted: str | None = None) -> str | None:
    """Returns the program that plays files of this kind ("mp3", "wav", "ogg"); None: none that is installed does."""
    return next((name for name in list_players(wanted) if kind in PLAYERS[name].kinds), None)


async def play_file(file: Path, wanted: str | None = None) -> str | None:
    """Plays this recording to its end; returns why it could not be heard, None if it could.

    When cancelled, the program is killed.
    """
    try:
        kind = await asyncio.to_thread(_read_kind, file)
    except OSError as error:
        return f"{file.name} cannot be read: {files.explain(error)}"
    name = None if kind is None else await asyncio.to_thread(find_player, kind, wanted)
    if kind is None:
        return f"{file.name} is no sound: remove it from its pack"
    if name is None:
        return f"no program that plays {kind} files is installed: sudo oche doctor says which"
    try:
        process = await asyncio.create_subprocess_exec(
            *(name, *PLAYERS[name].options, str(file)),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        return f"{name} cannot be started: {files.explain(error)}"
    try:
        async with asyncio.timeout(LONGEST_S):
            status = await process.wait()
    except TimeoutError:
        return f"{name} was stopped after {LONGEST_S:g} seconds: {file.name} is too long, or the sound output hangs"
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            with suppress(TimeoutError):  # one that hangs in the kernel ends when its sound output is pulled out
                async with asyncio.timeout(_END_S):
                    await process.wait()
    return f"{name} could not play {file.name} (status {status}): sudo oche doctor says more" if status else None


def _read_kind(file: Path) -> str | None:
    with file.open("rb") as opened:
        return _KINDS.get(find_kind(opened.read(_HEAD_BYTES)) or "")
