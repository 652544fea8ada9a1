"""`oche capture`: a board's raw traffic into a file, reconnecting included; with a profile, in words beside it.

It is the daemon's own session that listens, so what is in the file is what the daemon would have been given. Without a
profile that session has a codebook in which nothing means anything: every chunk is shown as it came.
"""

from __future__ import annotations

import asyncio
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from daemon.errors import UserError

if TYPE_CHECKING:
    from drivers.capture import Recording
    from drivers.session import LinkDown, LinkUp
    from protocol.codebook import Codebook
    from protocol.events import Event


@click.command()
@click.argument("address")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--profile", default=None, help="What the board is: an id (see oche boards list) or a TOML file.")
@click.option("--seconds", type=click.FloatRange(min=0, min_open=True), default=None, help="Ends after so long.")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
def command(address: str, file: Path, profile: str | None, seconds: float | None, force: bool) -> None:
    """Record everything a board says into FILE, until Ctrl-C. ADDRESS is as in the configuration.

    Play it again with board = "replay:FILE".
    """
    from daemon.cli import version
    from daemon.profiles import named
    from drivers.address import AddressError, parse
    from drivers.capture import CaptureError, Recording

    try:
        where = parse(address)
    except AddressError as error:
        raise UserError(str(error), 2) from None
    if where.scheme == "replay" and file.is_file() and _is_same(file, Path(where.target)):
        raise UserError(f"{file} is the recording that is to be played: name another file", 2)
    if profile is None and where.scheme in ("ble", "usb"):
        raise UserError(
            f"a {where.scheme}: address does not tell what to open on the board: add --profile NAME "
            "(oche boards list shows the names)",
            2,
        )
    book = named(profile) if profile is not None else _wordless()
    known = book.profile.id if profile is not None else None
    try:
        recording = Recording(file, where, version=version(), profile=known, overwrite=force)
    except FileExistsError:
        raise UserError(f"{file} is there already: name another file, or add --force to write over it", 2) from None
    except OSError as error:
        raise UserError(
            f"cannot write {file}: {(error.strerror or str(error)).lower()}; name another file", 2
        ) from None
    except CaptureError as error:
        raise UserError(str(error)) from None
    with recording:
        try:
            reason = asyncio.run(_record(str(where), book, recording, seconds))
        except CaptureError as error:
            raise UserError(str(error)) from None
    click.echo(_count(file, recording))
    if reason is not None:
        raise UserError(f"the board was never reached: {reason}")


async def _record(address: str, book: Codebook, recording: Recording, seconds: float | None) -> str | None:
    """Listens until it is told to stop; why the board was never reached, if it was not."""
    from drivers.address import SCHEMES
    from drivers.capture import recorded
    from drivers.session import LinkDown, Session

    loop = asyncio.get_running_loop()
    start_ns = time.monotonic_ns()
    session = Session("board", address, book, schemes=recorded(SCHEMES, recording))
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds) as patience, session:

            def stop() -> None:
                if not patience.expired():
                    patience.reschedule(loop.time())

            for number in (signal.SIGTERM, signal.SIGINT):
                loop.add_signal_handler(number, stop)
            async for item in session:
                click.echo(
                    f"{(item.time_ns - start_ns) / 1e9:9.3f}  {_words(item, is_read=recording.profile is not None)}"
                )
    return session.status.reason if isinstance(session.status, LinkDown) and not recording.connections else None


def _words(item: Event | LinkUp | LinkDown, *, is_read: bool) -> str:
    """What happened, and the bytes it came in; these alone when nobody can read them."""
    from drivers.session import LinkDown, LinkUp

    match item:
        case LinkUp(address=address):
            return f"connected to {address}"
        case LinkDown(reason=reason):
            return f"no link: {reason}"
    raw = item.raw.hex(" ")
    return f"{_meaning(item):<16}{raw}".rstrip() if is_read else raw


def _meaning(event: Event) -> str:
    """The event in a word or two."""
    from protocol.events import Battery, Button, Echo, Hit, Miss, Status, Stuck

    match event:
        case Hit(segment=segment):
            return segment.id
        case Miss():
            return "miss"
        case Button(name=name):
            return f"button {name}"
        case Battery(percent=percent):
            return f"battery {percent} %"
        case Stuck(segment=segment):
            return f"stuck {segment.id if segment else ''}"
        case Echo():
            return "repeated"
        case Status(text=text):
            return f"says {text}"
    return "garbage"


def _count(file: Path, recording: Recording) -> str:
    """What is in the file."""
    links = "1 connection" if recording.connections == 1 else f"{recording.connections} connections"
    return f"{file}: {recording.chunks_in} chunks from the board, {recording.chunks_out} to it, in {links}."


def _is_same(one: Path, other: Path) -> bool:
    """Whether these two are one file, by whatever names."""
    try:
        return one.samefile(other)
    except OSError:
        return False


def _wordless() -> Codebook:
    """A codebook in which nothing means anything, and every chunk is a frame."""
    from protocol.codebook import wordless
    from protocol.framing import Framing
    from protocol.profile import Hits, Profile

    return wordless(Profile(id="raw", name="raw", hits=Hits(), framing=Framing(kind="datagram", limit=1 << 20)))
