"""What several commands share: options, the configuration they open, how they print, and a taken port.

Where there is no configuration, `oche run` goes without one and keeps its state in the user's folder. The commands that
read or write that state find it by `open_config`.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

import click

from daemon.config.reader import DEFAULT_FILE, CheckedConfig, read_config
from daemon.config.unconfigured import find_state_folder, is_unconfigured
from daemon.errors import PortTaken, UserError, to_user_error
from daemon.files import explain_errors, open_file, read_source
from daemon.plugins import loader

if TYPE_CHECKING:
    from daemon.admin.history.history import History
    from daemon.admin.history.played_matches import PlayedMatch
    from daemon.config.sections import ProxyConfig

T = TypeVar("T")

_PATIENCE_S = 1.0
"""A reading that takes longer is shown."""
_ATTEMPTS = 10
"""How often a port is chosen."""


class Subcommands(click.Group):
    """Commands below a command, each with its whole first sentence in the help."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the list of the commands."""
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, each.get_short_help_str(limit=1000)) for name, each in sorted(self.commands.items())]
            )


def config_option(
    help_text: str | None = None, default: Path | None = DEFAULT_FILE, **more: Any
) -> Callable[[Any], Any]:  # Any: as click decorates
    """The option --config. `default` is None for a command that also goes without a configuration."""
    path, shown = click.Path(path_type=Path), True if default else str(DEFAULT_FILE)
    return click.option("--config", type=path, default=default, show_default=shown, help=help_text, **more)


def _load_plugins(ctx: click.Context, _: click.Parameter, file: Path) -> Path:
    for broken in loader.load(file.parent):
        click.echo(f"oche: {broken}", err=True)
    return file


_plugins_option = partial(
    config_option, "The configuration; your games and boards lie beside it.", is_eager=True, callback=_load_plugins
)
with_plugins = _plugins_option(expose_value=False)
"""Loads the plug-ins beside the configuration before the command begins, and names the broken ones on stderr."""
with_config = _plugins_option()
"""The same for a command that also reads the configuration where there is one."""


def open_config(file: Path) -> CheckedConfig | None:
    """The configuration in this file. Raises UserError.

    None when it is the default file, which does not exist, and `oche run` has kept its state without a configuration.
    """
    if file != DEFAULT_FILE or not is_unconfigured(None):
        return read_config(file)
    if not find_state_folder().exists():
        kept = f"there is no {file}, and oche run has saved nothing in {find_state_folder()}"
        raise UserError(f"{kept}: play with oche run first, or name the configuration with --config FILE", 2)
    return None


def with_proxies(file: Path) -> AbstractAsyncContextManager[None]:
    """Has boards on Bluetooth reached through the proxies of this configuration, too, while the block lasts.

    Says on stderr why they are not. Without the file there are none.
    """
    from daemon.board.proxies import use_proxies

    proxies: Sequence[ProxyConfig] = ()
    try:
        proxies = _find_free_proxies(file)
    except UserError as error:
        click.echo(f"oche: the proxies are not used: {error}", err=True)
    return use_proxies(proxies)


def _find_free_proxies(file: Path) -> Sequence[ProxyConfig]:
    """Returns the proxies of this configuration. Raises UserError, also where a daemon may have them."""
    from daemon.service.lock import is_daemon_running

    if not (os.path.lexists(file) and "proxy" in read_source(file).text):  # what else is wrong there is not asked
        return ()
    config = read_config(file).config
    if config.proxy and is_daemon_running(Path(config.bridge.state_dir)) is not False:
        used = "oche may be running, and each of them serves one program at a time"
        raise UserError(f"{used}: use its page (Settings, Find boards), or stop it")
    return config.proxy


def open_history(file: Path) -> History:
    """The history of the daemon that this file configures, or that ran without a configuration. Raises UserError."""
    from daemon.admin.history.history import History
    from daemon.config.sections import TableConfig
    from daemon.release import read_version
    from protocol.standard import standard

    checked = open_config(file)
    if checked is None:
        return History(find_state_folder(), {TableConfig(board="").name: standard()}, read_version())
    layouts = {table.name: book.layout for table, book in zip(checked.config.table, checked.codebooks, strict=True)}
    folder = Path(checked.config.bridge.state_dir)
    check_right(folder)
    return History(folder, layouts, read_version())


def check_right(folder: Path) -> None:
    """Raises UserError where who typed the command may not look into the state folder. It need not be there."""
    with explain_errors(f"cannot look into {folder}", None), suppress(FileNotFoundError), os.scandir(folder):
        pass


def settle_journals(folder: Path) -> None:
    """Completes the mending of journals that a kill has broken off; a daemon that runs does so itself."""
    from daemon.journal.errors import StoreError
    from daemon.journal.mending import settle_drafts
    from daemon.service.lock import prevent_start

    with prevent_start(folder) as is_running, to_user_error(StoreError):
        if is_running is False:
            settle_drafts(folder)


def shows_progress() -> bool:
    """Whether a person looks on, at a terminal, and has not said `oche -q`."""
    context = click.get_current_context(silent=True)
    return sys.stderr.isatty() and not (context and context.find_root().params.get("quiet"))


def read_history(
    history: History, read: Callable[[], Iterator[PlayedMatch]], *, is_quiet: bool, after_s: float = _PATIENCE_S
) -> Iterator[PlayedMatch]:
    """Yields what `read` does, with a progress bar on a terminal once that takes longer; then prints the problems.

    The first reading replays every match.
    """
    begun_s = time.monotonic()
    is_watched = not is_quiet and shows_progress()
    with ExitStack() as shown:
        bar = None
        for match in read():
            done, of = history.progress
            if bar is not None:
                bar.update(done - bar.pos)
            elif is_watched and time.monotonic() - begun_s >= after_s:
                bar = shown.enter_context(click.progressbar(length=of, label="Reading matches", file=sys.stderr))
            yield match
        if bar is not None and bar.length is not None:
            bar.update(bar.length - bar.pos)
    for problem in dict.fromkeys(history.problems):
        print(f"oche: {problem}", file=sys.stderr)


def print_bytes(pieces: Iterable[bytes]) -> None:
    """Prints UTF-8, whatever encoding the terminal has; stops quietly when the reader has closed the pipe."""
    try:
        for piece in pieces:
            sys.stdout.buffer.write(piece)
        sys.stdout.buffer.flush()
    except BrokenPipeError:  # as in `oche stats --throws --csv | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def print_qr_code(text: str) -> None:
    """Prints the QR code of this text, on a terminal only."""
    if sys.stdout.isatty():
        import segno

        segno.make(text, error="m", micro=False).terminal(compact=True)


def open_input(name: str) -> BinaryIO:
    """Opens the file of this name to be read; "-" is standard input. Raises UserError."""
    if name == "-":
        return sys.stdin.buffer
    with explain_errors(f"cannot read {name}", status=2):
        return open_file(Path(name))


force_option = click.option("--force", is_flag=True, help="Overwrite an existing file.")


def check_output(file: Path, *, force: bool) -> None:
    """Raises UserError for a file that is there already, unless it may be written over; for a device in any case."""
    if os.path.lexists(file) and not file.is_file():
        raise UserError(f"{file} already exists and is not a file: name another one", 2)
    if file.is_file() and not force:
        raise UserError(f"{file} already exists: name another file, or add --force to overwrite it", 2)


def check_form(as_json: bool, as_csv: bool) -> None:
    """Raises UserError when both forms of output are asked for."""
    if as_json and as_csv:
        raise UserError("--json and --csv exclude each other: choose one", 2)


async def retry_taken_port(start: Callable[[], Awaitable[T]]) -> T:
    """What `start` returns, which chooses free ports; called again when another program takes one meanwhile.

    Raises PortTaken after the last attempt.
    """
    for _ in range(_ATTEMPTS - 1):
        with suppress(PortTaken):
            return await start()
    return await start()
