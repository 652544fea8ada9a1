"""`oche report`: what a bug report needs, in one file."""

from __future__ import annotations

import asyncio
import logging
import sys
from contextlib import closing
from http.client import HTTPConnection, HTTPException
from pathlib import Path

import click

from daemon import files
from daemon.commands.shared import check_output, config_option, force_option, open_input
from daemon.config.reader import DEFAULT_FILE, Setup, read_config
from daemon.config.sections import Web
from daemon.config.unconfigured import find_setup, find_state_folder, is_unconfigured
from daemon.errors import UserError
from daemon.plugins import loader

_PATIENCE_S = 10.0
_MOST_BYTES = 64 << 20
"""Of the traffic of all boards."""
_OTHER = "another program answers in its place"


@click.command()
@click.argument("output", metavar="FILE", type=click.Path(path_type=Path, allow_dash=True))
@config_option(default=None)
@force_option
@click.option("--traffic", hidden=True, help="Take the traffic from this file, as the daemon gives it.")
def command(output: Path, config: Path | None, force: bool, traffic: str | None) -> None:
    """Write what a bug report needs into FILE (.zip); - is standard output.

    It has plain texts: what oche doctor says, the configuration, the latest bytes of each board, the match at hand, the
    machine. Read them before you send it. No password, token or key is in it. Run it as root (sudo), as the doctor, and
    while oche runs: only the daemon has the bytes of the boards.
    """
    if str(output) != "-":
        check_output(output, force=force)
    logging.getLogger("oche").addHandler(logging.NullHandler())  # what is wrong is said in the report
    packed, remark = asyncio.run(_make(config, traffic))
    with files.explain_errors(f"cannot write {output}", None):
        if str(output) == "-":
            sys.stdout.buffer.write(packed)
            sys.stdout.buffer.flush()
        else:
            files.replace_file(files.follow_link(output), packed, mode=0o600)
    if str(output) != "-":
        print(f"{output} has {len(packed) / 1000:.0f} kB: look through it, and send it.", file=sys.stderr)
    if remark:
        print(f"oche: {remark}", file=sys.stderr)


async def _make(config: Path | None, given: str | None) -> tuple[bytes, str]:
    """Returns the report, and what to tell of it."""
    from daemon.admin.doctor.examine import examine
    from daemon.admin.report import pack_report

    file = None if is_unconfigured(config) else config or DEFAULT_FILE
    loader.load((file or DEFAULT_FILE).parent)
    setup = await _read_setup(file)
    remark, traffic = "", dict[str, str]()
    try:
        if given is not None:
            with open_input(given) as source:
                traffic = _read_traffic(source.read(_MOST_BYTES))
        elif setup is not None:
            traffic = await asyncio.to_thread(_ask_daemon, setup.config.web)
    except (OSError, UserError) as error:
        remark = f"the bytes of the boards are not in it, for the daemon does not tell them: {error}"
    checks = [str(check) async for check in examine(config)]
    return pack_report(file, setup, [*checks, *filter(None, [remark])], traffic), remark


async def _read_setup(file: Path | None) -> Setup | None:
    """Returns the setup; None when the configuration is not right, which the doctor tells."""
    try:
        return (await find_setup(find_state_folder())).setup if file is None else read_config(file)
    except UserError:
        return None


def _ask_daemon(web: Web) -> dict[str, str]:
    """Returns the traffic that the daemon keeps. Raises OSError and UserError."""
    if not (web.on and web.port):
        raise UserError("its page has no fixed port")
    try:
        with closing(HTTPConnection(web.host, web.port, timeout=_PATIENCE_S)) as page:
            page.request("GET", "/api/care/traffic")
            answer = page.getresponse()
            told = answer.read(_MOST_BYTES)
    except HTTPException:
        raise UserError(_OTHER) from None
    if answer.status != 200:
        raise UserError(f"it answers {answer.status}")
    return _read_traffic(told)


def _read_traffic(told: bytes) -> dict[str, str]:
    import msgspec

    try:
        traffic = msgspec.json.decode(told, type=dict[str, str])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise UserError(_OTHER) from None
    if any("/" in name for name in traffic):  # the names become those of files
        raise UserError(_OTHER)
    return traffic
