"""`oche boards`: the profiles, as they ship and as people write them."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from daemon.errors import UserError
from protocol.codebook import Codebook, load, shipped, shipped_names, shipped_source
from protocol.endpoint import Board, Host
from protocol.events import Battery, Button, Event, Garbage, Hit, Miss
from protocol.source import Source, SourceError


@click.group()
def command() -> None:
    """The board profiles."""


@command.command("list")
def list_() -> None:
    """Every profile that ships, a line each."""
    width = max(map(len, shipped_names()))
    for name in shipped_names():
        book = shipped(name)
        click.echo(f"{name:<{width}}  {len(book.segments):>3} segments  {book.profile.name}")


@command.command()
@click.argument("name")
def show(name: str) -> None:
    """The profile as it is written: copy it to begin one of your own."""
    try:
        click.echo(shipped_source(name).text, nl=False)
    except ValueError as error:
        raise UserError(str(error), 2) from None


@command.command()
@click.argument("file", type=click.Path(path_type=Path))
def check(file: Path) -> None:
    """Round-trip every segment of the profile in FILE, and name each mistake with its line."""
    book = _read(str(file))
    missing = _missing(book)
    for segment in book.segments:
        board, host = Board(book), Host(book)
        board.send(Hit(segment=segment))
        heard = host.feed(board.outgoing(), 0)
        if [event.segment for event in heard if isinstance(event, Hit)] != [segment]:
            raise UserError(f"{file}: {segment.id} does not come back as it was sent: {heard}")
    click.echo(f"{file}: {len(book.segments)} segments, every one comes back as it was sent.")
    if missing:
        raise UserError(f"{file}: no frame for {', '.join(missing)}; add them, or darts there are not seen")


@command.command()
@click.argument("profile")
@click.argument("file", type=click.Path(allow_dash=True))
def decode(profile: str, file: str) -> None:
    """Bytes to events. FILE has one chunk a line in hex; out comes one event a line as JSON, before debounce."""
    host = Host(_read(profile))
    try:
        stream = click.open_file(file, encoding="utf-8", errors="replace")
    except OSError as error:
        raise UserError(f"cannot read {file}: {(error.strerror or str(error)).lower()}", 2) from None
    with stream as lines:
        for number, line in enumerate(lines, 1):
            try:
                data = bytes.fromhex(line)
            except ValueError:
                raise UserError(
                    f"{file}, line {number}: this is not hex; write each chunk as 54 32 30 0d 0a", 2
                ) from None
            for event in host.feed(data, 0):
                said = _spoken(event)
                if said:
                    click.echo(said)
                    sys.stdout.flush()


def _read(name: str) -> Codebook:
    """A shipped profile by its id, or one in a file."""
    try:
        if not name.endswith(".toml"):
            return shipped(name)
        return load(Source(Path(name).read_text(encoding="utf-8"), name))
    except OSError as error:
        raise UserError(f"cannot read {name}: {(error.strerror or str(error)).lower()}", 2) from None
    except SourceError as error:
        raise UserError(str(error)) from None
    except ValueError as error:
        raise UserError(str(error), 2) from None


def _missing(book: Codebook) -> list[str]:
    """Areas of the face no frame stands for, its merged single included."""
    return [segment.id for segment in book.layout.areas if book.reported(segment) is None]


def _spoken(event: Event) -> str | None:
    match event:
        case Hit(segment=segment):
            return f'{{"hit": "{segment.id}"}}'
        case Button(name=name):
            return f'{{"button": "{name}"}}'
        case Miss():
            return '{"miss": true}'
        case Battery(percent=percent):
            return f'{{"battery": {percent}}}'
        case Garbage(raw=raw):
            return f'{{"garbage": "{raw.hex()}"}}'
    return None
