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
from daemon.commands.shared import check_output, config_option, force_option
from daemon.config.reader import CheckedConfig
from daemon.errors import UserError

_PATIENCE_S = 10.0
_MOST_BYTES = 64 << 20
"""Of the traffic of all boards."""
_OTHER = "another program answers in its place"


@click.command()
@click.argument("output", metavar="FILE", type=click.Path(path_type=Path, allow_dash=True))
@config_option(default=None)
@force_option
def command(output: Path, config: Path | None, force: bool) -> None:
    """Write everything a bug report needs into FILE (.zip); - is standard output.

    The file contains plain texts: the doctor's findings, the configuration, the latest bytes from each board, the
    current match, facts about the machine. It contains no password, token or key; read it before you send it. Run this
    as root (sudo) while oche runs: only the daemon has the bytes from the boards.
    """
    if str(output) != "-":
        check_output(output, force=force)
    logging.getLogger("oche").addHandler(logging.NullHandler())  # what is wrong is said in the report
    from daemon.admin.report import make_report

    packed, remark = asyncio.run(make_report(config, _ask_daemon))
    with files.explain_errors(f"cannot write {output}", None):
        if str(output) == "-":
            sys.stdout.buffer.write(packed)
            sys.stdout.buffer.flush()
        else:
            files.replace_file(files.follow_link(output), packed, mode=0o600)
    if str(output) != "-":
        print(f"Wrote {output}, {len(packed) / 1000:.0f} kB. Read it through before you send it.", file=sys.stderr)
    if remark:
        print(f"oche: {remark}", file=sys.stderr)


def _ask_daemon(checked: CheckedConfig | None) -> dict[str, str]:
    """Returns the traffic that the daemon keeps. Raises OSError and UserError."""
    if checked is None:
        return {}
    web = checked.config.web
    if not (web.on and web.port):
        raise UserError("its page has no fixed port")
    try:
        with closing(HTTPConnection(web.host, web.port, timeout=_PATIENCE_S)) as page:
            page.request("GET", "/api/care/traffic")
            answer = page.getresponse()
            body = answer.read(_MOST_BYTES)
    except HTTPException:
        raise UserError(_OTHER) from None
    if answer.status != 200:
        raise UserError(f"it answers {answer.status}")
    return _read_traffic(body)


def _read_traffic(body: bytes) -> dict[str, str]:
    import msgspec

    try:
        traffic = msgspec.json.decode(body, type=dict[str, str])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise UserError(_OTHER) from None
    if any("/" in name for name in traffic):  # the names become those of files
        raise UserError(_OTHER)
    return traffic
