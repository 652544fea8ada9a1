"""`oche boards`: lists, shows, checks and uses board profiles."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import click
import msgspec

from daemon.commands.learn import command as learn
from daemon.commands.shared import with_plugins
from daemon.errors import UserError, to_user_error
from daemon.files import explain_errors, read_source
from daemon.plugins.profiles import check_packets, find_codebook, find_misspelled_buttons
from protocol.codebook import Codebook, list_profiles, load, read_shipped, shipped
from protocol.endpoint import Board, Host, connect
from protocol.events import Battery, BoardEvent, Button, Garbage, Hit, MissSensed
from protocol.source import SourceError


@click.group()
def command() -> None:
    """The board profiles."""


command.add_command(learn)


@command.command("list")
@with_plugins
def list_() -> None:
    """Every profile that is known, a line each."""
    width = max(map(len, list_profiles()))
    for name in list_profiles():
        book = shipped(name)
        click.echo(f"{name:<{width}}  {book.profile.link:<6}  {len(book.segments):>3} segments  {book.profile.name}")


@command.command()
@click.argument("name")
@with_plugins
def show(name: str) -> None:
    """The profile as it is written: copy it to begin one of your own."""
    with to_user_error(ValueError, status=2):
        click.echo(read_shipped(name).text, nl=False)


@command.command()
@click.argument("file", type=click.Path(path_type=Path))
def check(file: Path) -> None:
    """Round-trip every segment of the profile in FILE, and name each mistake with its line."""
    text = read_source(file)
    try:
        book = load(text)
        check_packets(book.profile, book.profile.link)
    except SourceError as error:
        raise UserError(str(error)) from None
    except ValueError as error:
        raise UserError(str(text.error(str(error), "framing", "kind"))) from None
    missing = [segment.id for segment in book.layout.areas if book.reported(segment) is None]
    board, host = Board(book), Host(book)
    connect(host, board, 0)
    for count, segment in enumerate(book.segments, 1):
        now = count * _SECOND
        board.send(Hit(segment=segment, time_ns=now))
        heard = [event for packet in board.packets() for event in host.feed(packet, now)]
        if [event.segment for event in heard if isinstance(event, Hit)] != [segment]:
            raise UserError(f"{file}: {segment.id} does not come back as it was sent: {heard}")
    click.echo(f"{file}: {len(book.segments)} segments, every one comes back as it was sent.")
    for sentence in find_misspelled_buttons(book.profile, text):
        click.echo(sentence)
    if missing and book.profile.hits.mat:
        click.echo(
            f"The mat {book.profile.hits.mat} has no contact for {', '.join(missing)}: darts there are not seen."
        )
    elif missing:
        raise UserError(f"{file}: no frame for {', '.join(missing)}; add them, or darts there are not seen")


@command.command()
@click.argument("profile")
@click.argument("file", type=click.Path(allow_dash=True))
@with_plugins
def decode(profile: str, file: str) -> None:
    """Bytes to events. FILE has one chunk a line in hex; out comes one event a line as JSON, before debounce.

    FILE may also be what `oche capture` recorded.
    """
    book = find_codebook(profile)
    with explain_errors(f"cannot read {file}", status=2):
        stream = click.open_file(file, encoding="utf-8", errors="replace")
    host = _open_host(book)
    with stream as lines:
        for chunk in _read_chunks(lines, file):
            if chunk.is_first:
                host = _open_host(book)
            for event in host.feed(chunk.data, chunk.time_ns):
                line = _encode_event(event)
                if line:
                    click.echo(line)


@command.command()
@click.argument("profile")
def udev(profile: str) -> None:
    """The udev rules that open the boards of PROFILE, an id or a TOML file, to people and to the service."""
    from drivers.udev import RULES_FILE, rules

    found = find_codebook(profile).profile
    if found.link != "usb":
        raise UserError(f"{found.id} needs no rule: it is no USB board, its link is {found.link}")
    click.echo(f"# For {RULES_FILE}; then, as root: udevadm control --reload && udevadm trigger")
    click.echo(rules([found]), nl=False)


_SECOND = 1_000_000_000
"""In ns. Chunks without a time count as this far apart, so that none is taken for a quick repetition."""


class _Chunk(NamedTuple):
    data: bytes
    time_ns: int
    is_first: bool = False
    """Whether it is the first of a connection."""


def _read_chunks(lines: Iterable[str], file: str) -> Iterator[_Chunk]:
    is_first = is_recording = False
    for number, line in enumerate(lines, 1):
        is_recording = is_recording or line.lstrip().startswith("{")
        try:
            if not is_recording:
                yield _Chunk(bytes.fromhex(line), number * _SECOND)
                continue
            entry = msgspec.json.decode(line, type=dict[str, object])
            is_first = is_first or entry.get("link") == "up"
            if isinstance(data := entry.get("in"), str):
                ms = entry.get("ms")
                yield _Chunk(bytes.fromhex(data), int(ms * 1e6) if isinstance(ms, int | float) else 0, is_first)
                is_first = False
        except ValueError:
            remedy = "this is not hex; write each chunk as 54 32 30 0d 0a"
            if is_recording:
                remedy = "this line of the recording is damaged: take it out, and the rest is decoded"
            raise UserError(f"{file}, line {number}: {remedy}", 2) from None


def _open_host(book: Codebook) -> Host:
    """A host at the start of a connection."""
    host = Host(book)
    host.on_open(0)
    return host


def _encode_event(event: BoardEvent) -> str | None:
    match event:
        case Hit(segment=segment):
            return json.dumps({"hit": segment.id})
        case Button(name=name):
            return json.dumps({"button": name})
        case MissSensed():
            return json.dumps({"miss": True})
        case Battery(percent=percent):
            return json.dumps({"battery": percent})
        case Garbage(raw=raw):
            return json.dumps({"garbage": raw.hex()})
    return None
