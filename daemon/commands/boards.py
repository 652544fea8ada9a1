"""`oche boards`: lists, shows, checks and uses board profiles."""

from __future__ import annotations

import json
from pathlib import Path

import click

from daemon.commands.learn import command as learn
from daemon.commands.shared import Subcommands, open_input, with_plugins
from daemon.errors import UserError, to_user_error
from daemon.files import read_lines, read_source
from daemon.plugins.profiles import find_codebook
from protocol.codebook import (
    Codebook,
    check_packets,
    find_misspelled_buttons,
    list_profiles,
    load,
    read_shipped,
    shipped,
)
from protocol.endpoint import Host, check_round_trip
from protocol.events import encode_event
from protocol.source import SourceError


@click.group(cls=Subcommands)
def command() -> None:
    """Work with board profiles: list, show, check, decode, learn, udev."""


command.add_command(learn)


@command.command("list")
@with_plugins
def list_() -> None:
    """List all known profiles, one per line."""
    width = max(map(len, list_profiles()))
    for name in list_profiles():
        book = shipped(name)
        click.echo(f"{name:<{width}}  {book.profile.link:<6}  {len(book.segments):>3} segments  {book.profile.name}")


@command.command()
@click.argument("name")
@with_plugins
def show(name: str) -> None:
    """Print a profile, so that you can copy it and change it into your own."""
    with to_user_error(ValueError, status=2):
        click.echo(read_shipped(name).text, nl=False)


@command.command()
@click.argument("file", type=click.Path(path_type=Path))
def check(file: Path) -> None:
    """Check the profile in FILE with every segment, and name each mistake with its line."""
    text = read_source(file)
    try:
        book = load(text)
        check_packets(book.profile, book.profile.link)
    except SourceError as error:
        raise UserError(str(error)) from None
    except ValueError as error:
        raise UserError(str(text.error(str(error), "framing", "kind"))) from None
    if book.profile.web is not None:
        click.echo(f"{file}: all keys fit; the dialogue {book.profile.dialogue} reads what the board says.")
        return
    missing = [segment.id for segment in book.layout.areas if book.reported(segment) is None]
    try:
        check_round_trip(book)
    except ValueError as error:
        raise UserError(f"{file}: {error}") from None
    click.echo(f"{file}: {len(book.segments)} segments, all decoded correctly.")
    for sentence in find_misspelled_buttons(book.profile, text):
        click.echo(sentence)
    if missing and book.profile.hits.mat:
        click.echo(
            f"The mat {book.profile.hits.mat} has no contact for {', '.join(missing)}: darts there are not seen."
        )
    elif missing:
        raise UserError(f"{file}: no frame for {', '.join(missing)}: add them, or darts there are not seen")


@command.command()
@click.argument("profile")
@click.argument("file", type=click.Path(allow_dash=True))
@with_plugins
def decode(profile: str, file: str) -> None:
    """Decode bytes into events. FILE has one chunk of hex per line; out comes one JSON event per line, before debounce.

    Hex may be written as in logs: 33 2E 34, 33-2e-34, 33:2e:34, 0x33 0x2e 0x34.

    FILE may also be a recording by `oche capture`. For a board with HTTP and WebSocket a chunk is one packet of JSON.
    """
    from drivers.capture import CaptureError, read_chunks

    book = find_codebook(profile)
    host = _open_host(book)
    with to_user_error(CaptureError, status=2), open_input(file) as source:
        lines = (line.decode(errors="replace") for line in read_lines(source, file))
        for chunk in read_chunks(lines, file):
            if chunk.is_first:
                host = _open_host(book)
            for event in host.feed(chunk.data, chunk.time_ns):
                if encoded := encode_event(event):
                    click.echo(json.dumps(encoded))


@command.command()
@click.argument("profile")
def udev(profile: str) -> None:
    """Print the udev rules that let users and the service access the boards of PROFILE (an id or a TOML file)."""
    from drivers.udev import RULES_FILE, make_rules

    found = find_codebook(profile).profile
    if found.link != "usb":
        raise UserError(f"{found.id} needs no rule: it is not a USB board, its link is {found.link}")
    click.echo(f"# For {RULES_FILE}; then: sudo udevadm control --reload && sudo udevadm trigger")
    click.echo(make_rules([found]), nl=False)


def _open_host(book: Codebook) -> Host:
    host = Host(book)
    host.on_open(0)
    return host
