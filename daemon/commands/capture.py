"""`oche capture`: records the raw traffic of a board, across reconnections, and prints it; with a profile, in words.

The daemon's own session listens, so the file has what the daemon would have received. Without a profile the session has
a codebook without any code, and every chunk is printed as it came.
"""

from __future__ import annotations

import asyncio
import signal
import time
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from daemon.commands.shared import config_option, with_proxies
from daemon.errors import UserError, to_user_error
from daemon.files import explain_errors

if TYPE_CHECKING:
    from drivers.address import Address
    from drivers.capture import Recording
    from protocol.codebook import Codebook
    from protocol.events import BoardItem


@click.command()
@click.argument("address")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--profile", default=None, help="The board's profile: an id (see oche boards list) or a TOML file.")
@click.option(
    "--seconds", type=click.FloatRange(min=0, min_open=True), default=None, help="Stop after this many seconds."
)
@click.option(
    "--token-file",
    default=None,
    help="A file that contains only the token of the board, for boards that ask for one. No recording has the token.",
)
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@config_option("The configuration, whose proxies reach boards on Bluetooth.")
def command(
    address: str,
    file: Path,
    profile: str | None,
    seconds: float | None,
    token_file: str | None,
    force: bool,
    config: Path,
) -> None:
    """Record everything a board sends into FILE, until you press Ctrl-C or the played recording ends.

    ADDRESS is written as in the configuration, and names a real board or a recording. Without a profile a serial board
    is opened at 9600 baud; to change that write serial:/dev/ttyUSB0?baud=115200.

    To play the recording, set board = "replay:FILE".
    """
    from daemon.plugins.profiles import find_codebook
    from daemon.release import read_version
    from drivers.address import AddressError
    from drivers.capture import CaptureError, Recording
    from drivers.schemes import parse_board
    from protocol.codebook import make_raw_codebook

    with to_user_error(AddressError, status=2):
        where = parse_board(address)
    if profile is None and where.scheme in ("ble", "usb", "web"):
        what = f"a {where.scheme}: address does not tell what to open on the board"
        raise UserError(f"{what}: add --profile NAME (oche boards list shows the names)", 2)
    if where.scheme == "replay":
        _check_recording(Path(where.target), file)
    book = find_codebook(profile) if profile is not None else make_raw_codebook()
    known = book.profile.id if profile is not None else None
    with explain_errors(f"cannot write {file}", "; name another file", 2), to_user_error(CaptureError):
        try:
            recording = Recording(file, where, version=read_version(), profile=known, overwrite=force)
        except FileExistsError:
            raise UserError(f"{file} already exists: name another file, or add --force to overwrite it", 2) from None
    with recording, to_user_error(CaptureError):
        failure = asyncio.run(_record(where, book, recording, seconds, token_file, config))
    click.echo(f"{file}: {recording.counts}.")
    if failure is not None:
        raise UserError(f"the board could not be reached: {failure}")


def _check_recording(played: Path, output: Path) -> None:
    """Raises UserError when the recording cannot be played, which would be waited for without end, or is the output."""
    from drivers.replay import check_recording
    from drivers.transport import Refused

    if played.exists() and output.exists() and output.samefile(played):
        raise UserError(f"{output} is the recording to be played: name another file", 2)
    with to_user_error(Refused, status=2):
        check_recording(played)


async def _record(
    address: Address, book: Codebook, recording: Recording, seconds: float | None, token_file: str | None, config: Path
) -> str | None:
    """Records until a signal comes or the seconds are over; returns why the board was never reached, or None."""
    from daemon.config.schemes import with_token
    from drivers.capture import record_links
    from drivers.replay import open_replay
    from drivers.schemes import SCHEMES
    from drivers.session import Session
    from protocol.events import LinkDown

    loop = asyncio.get_running_loop()
    start_ns = time.monotonic_ns()
    ending = SCHEMES["replay"]._replace(open=lambda address, _: open_replay(address, is_endless=False))
    schemes = with_token({**SCHEMES, "replay": ending}, token_file)  # for a table it would wait at its end
    session = Session("board", str(address), book, schemes=record_links(schemes, recording))
    proxies = with_proxies(config) if address.scheme == "ble" else nullcontext()
    with suppress(TimeoutError):
        async with proxies, asyncio.timeout(seconds) as patience, session:

            def stop() -> None:
                if not patience.expired():
                    patience.reschedule(loop.time())

            for number in (signal.SIGTERM, signal.SIGINT):
                loop.add_signal_handler(number, stop)
            async for item in session:
                words = _describe(item, is_read=recording.profile is not None)
                click.echo(f"{(item.time_ns - start_ns) / 1e9:9.3f}  {words}")
    return session.status.reason if isinstance(session.status, LinkDown) and not recording.connections else None


def _describe(item: BoardItem, *, is_read: bool) -> str:
    """What happened, and its bytes; the bytes alone unless `is_read`, which needs a profile."""
    from protocol.events import LinkDown, LinkUp, describe_event

    match item:
        case LinkUp(address=address):
            return f"connected to {address}"
        case LinkDown(reason=reason):
            return f"no link: {reason}"
    raw = item.raw.hex(" ")
    return f"{describe_event(item):<16}{raw}".rstrip() if is_read else raw
