"""Backups and putting them back, reports, and other things that are cared for."""

from __future__ import annotations

import shutil
import socket
import tarfile
from zipfile import is_zipfile

from daemon.admin.backup.staging import stage
from daemon.admin.settings.staged_backup import StagedBackup
from tests.crash.operations.operation import JSON, Operation, Outcome, command, do_before, need, post, wait_for_start
from tests.crash.world import Gone, World, read_matches


def list_archives(world: World) -> dict[str, JSON]:
    """The backups and reports that are there, and whether they can be read."""
    found = []
    for path in sorted(world.home.rglob("*.tar.gz")):
        try:
            with tarfile.open(path) as packed:
                found.append("state/main.sqlite3" in packed.getnames())
        except (tarfile.TarError, OSError, EOFError):
            found.append(False)
    return {"backups": found}


def _list_reports(world: World) -> dict[str, JSON]:
    return {"reports": [is_zipfile(path) for path in sorted(world.home.rglob("*.zip"))]}


def _list_set_aside(world: World) -> dict[str, JSON]:
    """The matches in what restores have set aside."""
    found = [*world.home.rglob("before-restore*/**/main.sqlite3"), *world.state.glob("main.sqlite3.*Z")]
    return {"set aside": [read_matches(path) for path in sorted(found)], **list_archives(world)}


def _make_backup(world: World) -> None:
    """A backup of a home with a dart more, and another title; it is staged as the page has it done."""
    here = world.beside / "before"
    shutil.copytree(world.home, here)
    world.file.write_text(world.file.read_text("utf-8").replace("The house", "The former house"), encoding="utf-8")
    do_before(command("throw", {"throw": "S5"}))(world)
    backup = world.beside / "backup.tar.gz"
    assert world.command("backup", str(backup), "--force"), world.said
    world.restore(here)
    shutil.rmtree(here)
    staged = world.state / STAGED
    with backup.open("rb") as source:
        stage(source, world.file, StagedBackup(staged))
    shutil.rmtree(world.beside / STAGED, ignore_errors=True)
    staged.rename(world.beside / STAGED)


STAGED = "restore-20261126T120000Z-012345"


def _put_back(world: World) -> Outcome:
    """Of the staged backup, which a start would have removed."""
    if not (world.state / STAGED).exists():
        is_on = world.counter.pause()
        shutil.copytree(world.beside / STAGED, world.state / STAGED)
        world.counter.go_on(is_on)
    try:
        version = world.get("/api/settings")["version"]
    except Gone:
        return None
    return world.post("/api/settings/restore", {"version": version, "restore": STAGED, "parts": ["config", "state"]})


def _send(world: World) -> Outcome:
    return world.post("/api/care/restore", (world.beside / "backup.tar.gz").read_bytes())


def _back_up(world: World) -> Outcome:
    return world.command("backup", str(world.home / "all.tar.gz"), "--force")


def _report(world: World) -> Outcome:
    return world.command("report", str(world.home / "report.zip"), "--force")


def _take_port(world: World) -> None:
    """A backup with which oche cannot start: the port of its page is another program's."""
    _make_backup(world)
    taken = socket.create_server(("127.0.0.1", 0))
    world.stack.callback(taken.close)
    file = world.beside / STAGED / "oche.toml"
    text = file.read_text("utf-8").replace("port = 0", f"port = {taken.getsockname()[1]}")
    file.write_text(text, encoding="utf-8")


def _export(world: World) -> Outcome:
    return world.command("history", "export", "--output", str(world.home / "records"), "--force", "--player", "Ann")


def _list_records(world: World) -> dict[str, JSON]:
    """Whether all that were wanted are there, and whether one is torn."""
    texts = [path.read_bytes() for path in (world.home / "records").glob("*.jsonl")]
    whole = [text for text in texts if text.endswith(b"\n") and b'"players"' in text]
    return {"records": len(whole) == 3, "torn": len(whole) < len(texts)}


OPERATIONS = (
    Operation("a backup that is put back in vain", _put_back, _take_port, more=_list_set_aside, settle=wait_for_start),
    Operation("records are exported", _export, runs="command", more=_list_records, may_be_half=True),
    Operation("a backup", _back_up, runs="command", more=list_archives),
    Operation("a backup in the place of another", _back_up, lambda w: need(_back_up(w)), "command", list_archives),
    Operation("a backup on the page", post("/api/care/backup", None)),
    Operation("a backup is sent to the page", _send, _make_backup),
    Operation(
        "a backup is put back on the page",
        _put_back,
        _make_backup,
        more=_list_set_aside,
        settle=wait_for_start,
    ),
    Operation(
        "a backup is put back",
        lambda world: world.command("restore", str(world.beside / "backup.tar.gz")),
        _make_backup,
        "command",
        _list_set_aside,
    ),
    Operation(
        "a report", lambda w: w.command("report", str(w.home / "r.zip"), "--force"), runs="command", more=_list_reports
    ),
    Operation("a report on the page", post("/api/care/report", None)),
    Operation("the doctor on the page", post("/api/care/doctor", None)),
    Operation("the news are dismissed", post("/api/care/news", None)),
    Operation("oche starts anew", post("/api/care/restart", None), settle=wait_for_start),
)
