"""The history as a command reads it: from the configuration, with a bar on the terminal, out to whoever reads."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

import click

from daemon.cli import version
from daemon.config import read_config
from daemon.stats.history import History, Played

_PATIENCE_S = 1.0
"""A reading that takes longer is shown."""


def history_of(file: Path) -> History:
    """The history of the daemon that this file configures. Raises UserError."""
    setup = read_config(file)
    faces = {table.name: book.layout for table, book in zip(setup.config.table, setup.codebooks, strict=True)}
    return History(Path(setup.config.bridge.state_dir), faces, version())


def patiently(
    history: History,
    after_s: float = _PATIENCE_S,
    read: Callable[[History], Iterator[Played]] = History.played,
) -> Iterator[Played]:
    """What was played, with a bar on the terminal once that takes longer: the first time everything is played again."""
    begun_s = time.monotonic()
    with ExitStack() as shown:
        bar = None
        for match in read(history):
            done, of = history.progress
            if bar is not None:
                bar.update(done - bar.pos)
            elif time.monotonic() - begun_s >= after_s:
                bar = shown.enter_context(click.progressbar(length=of, label="Reading matches", file=sys.stderr))
            yield match
        if bar is not None and bar.length is not None:
            bar.update(bar.length - bar.pos)


def print_bytes(pieces: Iterable[bytes]) -> None:
    """As bytes: names are UTF-8, whatever the terminal claims to be."""
    try:
        for piece in pieces:
            sys.stdout.buffer.write(piece)
        sys.stdout.buffer.flush()
    except BrokenPipeError:  # as in `oche stats --throws --csv | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
