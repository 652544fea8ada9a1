"""The report that is sent with a bug: a zip of texts that a person can read first. No secret is in it.

Secrets are left out by leaving out the files that have them, and the comments of the configuration. Of the match that
was begun last neither the seed nor an answer is in it: they would tell hands, and dice that are still to be rolled; so
they would where it is over, since taking back a dart has it go on.
"""

from __future__ import annotations

import asyncio
import io
import os
import platform
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, ParamSpec
from zipfile import ZIP_DEFLATED, ZipFile

import msgspec

from daemon import files
from daemon.admin.doctor.examine import examine
from daemon.admin.requests import Change
from daemon.admin.settings.toml_edit import change_text
from daemon.admin.updates import hide_secrets
from daemon.config.reader import DEFAULT_FILE, CheckedConfig, read_config
from daemon.config.sections import TableConfig
from daemon.config.unconfigured import find_config, find_state_folder, is_unconfigured
from daemon.errors import UserError
from daemon.journal.errors import StoreError
from daemon.journal.stored import StoredJournal
from daemon.plugins import loader
from daemon.plugins.profiles import is_file_name
from daemon.release import read_version
from protocol.codebook import Codebook, read_shipped
from protocol.commands import strip_line

_ABOUT = """\
A report of oche. Read it before you send it: all files are plain text, and you can remove any of them.

machine.txt            the version of oche, and the computer
doctor.txt             the output of oche doctor
oche.toml              the configuration, without comments, seeds, the user name for the broker, and of web hooks
                       with nothing but the names
profile/TABLE.toml     the profile of each board
traffic/TABLE.jsonl    the latest bytes of each board, as oche capture records them: board = "replay:FILE" plays them
                       (left_out: so many bytes of a board that sends photographs)
match/TABLE.jsonl      the current match: its header without its seed, and each input with its time, with a "?" for each
                       answer, which may be a secret of one player

Passwords, tokens and keys are not in it. Names of players, tables and of your network are.
"""
P = ParamSpec("P")


class Report(NamedTuple):
    """The zip, and what to tell of it."""

    packed: bytes
    remark: str


_SECRET = {"mqtt": ("username",), "table": ("seed",)}
_ANSWERS = ("choose",)


async def make_report(named: Path | None, find_traffic: Callable[[CheckedConfig | None], Mapping[str, str]]) -> Report:
    """Returns the report of the daemon that this file configures; None: the usual file.

    `find_traffic` returns the recordings of the boards, by table, and may wait. Its errors stand in the report.
    """
    file = None if is_unconfigured(named) else named or DEFAULT_FILE
    loader.load((file or DEFAULT_FILE).parent)
    checked = await _read_config(file)
    remark, traffic = "", dict[str, str]()
    try:
        traffic |= await asyncio.to_thread(find_traffic, checked)
    except (OSError, UserError) as error:
        remark = f"the report has no bytes from the boards, because the daemon did not provide them: {error}"
    checks = [str(check) async for check in examine(named)]
    return Report(pack_report(file, checked, [*checks, *filter(None, [remark])], traffic), remark)


async def _read_config(file: Path | None) -> CheckedConfig | None:
    """Returns the configuration; None when the configuration is not right, which the doctor tells."""
    try:
        return (await find_config(find_state_folder())).checked if file is None else read_config(file)
    except UserError:
        return None


def pack_report(
    file: Path | None, checked: CheckedConfig | None, checks: Iterable[str], traffic: Mapping[str, str]
) -> bytes:
    """Returns the zip. `file` is the configuration; None: there is none. `traffic` are the recordings by table.

    What cannot be read has its reason in its place.
    """
    out = io.BytesIO()
    with ZipFile(out, "w", ZIP_DEFLATED) as packed:
        for name, text in _list_texts(file, checked, checks, traffic):
            packed.writestr(name, text)
    return out.getvalue()


def _list_texts(
    file: Path | None, checked: CheckedConfig | None, checks: Iterable[str], traffic: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    yield "README.txt", _ABOUT
    yield "machine.txt", describe_machine()
    yield "doctor.txt", _leave_out_username("".join(f"{check}\n" for check in checks), checked)
    yield "oche.toml", _explain(write_public_configuration, file, checked)
    if checked is not None:
        for table, book in zip(checked.config.table, checked.codebooks, strict=True):
            yield f"profile/{table.name}.toml", _explain(_read_profile, file, table, book)
            journal = StoredJournal(Path(checked.config.bridge.state_dir) / f"{table.name}.sqlite3")
            yield f"match/{table.name}.jsonl", _explain(write_match, journal)
    for name, text in traffic.items():
        yield f"traffic/{name}.jsonl", text


def _leave_out_username(text: str, checked: CheckedConfig | None) -> str:
    """Returns what the doctor says with "…" for the user name at the broker, unless that is the program's own."""
    name = checked.config.mqtt.username if checked is not None else None
    return re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "…", text) if name and name != "oche" else text


def _explain(read: Callable[P, str], *args: P.args, **more: P.kwargs) -> str:
    """Returns what it reads, or the reason why that is impossible."""
    try:
        return read(*args, **more)
    except (UserError, StoreError, OSError, ValueError) as error:
        return f"# It could not be read: {error}\n"


def describe_machine() -> str:
    """Returns what this is: of oche, Python, the system and the computer, not of its owner."""
    system = {}
    with suppress(OSError):
        system = platform.freedesktop_os_release()
    model = ""
    with suppress(OSError):
        model = Path("/proc/device-tree/model").read_text(encoding="utf-8", errors="replace").strip("\0\n")
    facts = {
        "oche": read_version(),
        "Python": platform.python_version(),
        "system": system.get("PRETTY_NAME", platform.system()),
        "kernel": platform.release(),
        "machine": f"{platform.machine()}, {os.cpu_count()} processors" + (f", {model}" if model else ""),
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    return "".join(f"{name:<8} {value}\n" for name, value in facts.items())


def write_public_configuration(file: Path | None, checked: CheckedConfig | None) -> str:
    """Returns the configuration as it is written, without comments and secrets; only one that the reader has accepted.

    Any other may have a secret under a wrong key. Raises UserError and ValueError.
    """
    if checked is None:
        return "# It is not valid, so it is not in the report: see doctor.txt.\n"
    if file is None:
        return "# There is none: oche uses what it finds.\n"
    written = tomllib.loads(files.read_source(file).text)
    changes = []
    for kind, value in written.items():
        for number, section in enumerate(value if isinstance(value, list) else [value]):
            kept = {key: each for key, each in section.items() if key not in _SECRET.get(kind, ())}
            if "update_url" in kept:
                kept["update_url"] = hide_secrets(kept["update_url"])
            if "webhook" in kept:  # whose addresses, headers and texts are often secrets
                kept["webhook"] = [{"name": webhook["name"]} for webhook in kept["webhook"]]
            changes.append(Change((kind, number) if isinstance(value, list) else (kind,), kept))
    return change_text("", changes)


def _read_profile(file: Path | None, table: TableConfig, book: Codebook) -> str:
    if file is not None and is_file_name(table.profile):
        return files.read_source(file.parent / table.profile).text
    return read_shipped(book.profile.id).text


def write_match(journal: StoredJournal) -> str:
    """Returns the match that was begun last, a JSON line for its header and for each input; "" where there is none.

    It has neither seed nor answers. Raises StoreError.
    """
    if not journal.path.exists() or not (heads := journal.heads()):
        return ""
    match = journal.match(heads[-1])
    header = {key: value for key, value in match.header.items() if key != "seed"}
    rows: list[dict[str, object]] = [{"match": match.id, "at": heads[-1].begun_at, "header": header}]
    for line in match.lines:
        given = {key: "?" if key in _ANSWERS else value for key, value in strip_line(line.input).items()}
        rows.append({"line": line.number, "at": line.at, "source": line.source, "input": given})
    return "".join(f"{msgspec.json.encode(row).decode()}\n" for row in rows)
