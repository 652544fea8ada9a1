"""Every operation of oche that writes, for the sweep: what there is before it, how it is done, and what it comes to."""

from __future__ import annotations

import shutil
import tarfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, NamedTuple
from zipfile import is_zipfile

from daemon.web.token import make_setup_token, make_token
from tests.crash.world import PATIENCE_S, Gone, World, read_matches, shorten
from tests.daemon.evenings import Evening
from tests.daemon.test_players import PNG

Outcome = bool | None
"""Whether it was done, and said so; False: it was refused. None: it was killed before it has said anything."""
JSON = Any  # JSON

CONFIGURATION = """# The house.
[bridge]
state_dir = "{state}"

[mqtt]
on = false

[web]
port = 0

[[table]]
board = "none"
players = ["Ann", "Bo"]
"""


class Operation(NamedTuple):
    """`act` does it; `prepare` makes what there is before, beside a home with some matches.

    `runs`: "daemon": a daemon does it, which runs already; "start": it is the start of one; "command": a command.
    """

    name: str
    act: Callable[[World], Outcome]
    prepare: Callable[[World], None] = lambda _: None
    runs: Literal["daemon", "start", "command"] = "daemon"
    more: Callable[[World], dict[str, JSON]] = lambda _: {}
    """What is to be looked at besides."""
    settle: Callable[[World], object] = lambda _: None
    """Waits for what goes on after the answer."""
    may_be_half: bool = False
    """It changes several files, and is completed by doing it again."""
    may_be_lost: bool = False
    """Where the disk refuses it, it is done without, and the log says so."""
    told: str = ""
    """What the log says of what is not as it should be, and is kept elsewhere."""


OPERATIONS: dict[str, Operation] = {}


def _add(*found: Operation) -> None:
    OPERATIONS.update((each.name, each) for each in found)


def make_home(world: World) -> None:
    """A configuration, three matches that are over, and one that is going on."""
    world.home.mkdir()
    world.file.write_text(CONFIGURATION.format(state=world.state), encoding="utf-8")
    with Evening(world.state) as evening:
        for day, players in enumerate((["Ann", "Bo"], ["Ann", "Cy"], ["Anna", "Bo"])):
            evening.play("T20 S1 D20", day=day, players=players, options={"start": 101})
        evening.play("T20 S1", day=3, options={"start": 301})


def _command(name: str, body: object) -> Callable[[World], Outcome]:
    return lambda world: world.post(f"/api/table/main/{name}", body)


def _post(path: str, body: object) -> Callable[[World], Outcome]:
    return lambda world: world.post(path, body)


def _do(act: Callable[[World], Outcome], *, restarts: bool = False) -> Callable[[World], None]:
    """What there is after this was done."""

    def prepare(world: World) -> None:
        world.start()
        assert act(world), world.said
        if restarts:
            _wait_for_start(world)
        world.stop()

    return prepare


def _wait_for_figures(world: World) -> None:
    """Until the statistics of the match that has ended are kept, if they are."""
    with suppress(Gone, TimeoutError):
        world.until((world.state / "statistics.cache").exists, 3)


_add(
    Operation("a dart", _command("throw", {"throw": "S5"})),
    Operation("next", _command("next", {}), _do(_command("throw", {"throw": "S1"}))),
    Operation("undo", _command("undo", {})),
    Operation("redo", _command("redo", {}), _do(_command("undo", {}))),
    Operation("amend", _command("amend", {"amend": 2, "throw": "S2"})),
    Operation("the end of a match", _command("stop", {}), settle=_wait_for_figures),
    Operation("the next match", _command("start", {}), _do(_command("stop", {}))),
    Operation("another match", _command("start", {"game": "cricket", "players": ["Ann", "Di"]})),
    Operation("the plan of the next match", _command("game", {"game": "x01", "options": {"start": 701}})),
)

# Starts


def _start(world: World) -> Outcome:
    return world.start()


def _remove_all(world: World) -> None:
    shutil.rmtree(world.state)


def _die(world: World) -> None:
    world.start()
    assert world.post("/api/table/main/throw", {"throw": "S5"})
    world.kill()


def _damage(world: World) -> None:
    """A page in the middle is noise."""
    journal = world.state / "main.sqlite3"
    content = bytearray(journal.read_bytes())
    content[8192:12288] = bytes(range(256)) * 16
    journal.write_bytes(content)


def _damage_after_start(world: World) -> None:
    _die(world)
    _damage(world)


def _list_settings(world: World) -> dict[str, JSON]:
    found = world.get("/api/settings")
    return {"notice": found["notice"], "can_revert": found["can_revert"]}


_add(
    Operation("the first start", _start, _remove_all, "start"),
    Operation("a start", _start, runs="start"),
    Operation("a start after a kill", _start, _die, "start"),
    Operation(
        "a damaged journal is set aside",
        _start,
        _damage_after_start,
        "start",
        told="stay in the file that was set aside, because the disk has no room",
    ),
)


def _after(change: Callable[[Path], object]) -> Callable[[World], Outcome]:
    """A dart after this was done to the journal under the daemon."""

    def act(world: World) -> Outcome:
        change(world.state / "main.sqlite3")
        end = time.monotonic() + PATIENCE_S
        while not (done := world.post("/api/table/main/throw", {"throw": "S5"})) and time.monotonic() < end:
            if done is None:
                return None
            time.sleep(0.05)  # it writes the journal anew, and plays on
        return done

    return act


def _replace(journal: Path) -> None:
    shutil.copy(journal, copy := journal.with_name("copy"))
    copy.rename(journal)


_add(
    Operation("a journal that was deleted", _after(lambda file: file.unlink(missing_ok=True))),
    Operation("a journal that was replaced", _after(_replace)),
)

# Settings


def _change(*changes: tuple[list[str | int], JSON], password: str | None = None) -> Callable[[World], Outcome]:
    def act(world: World) -> Outcome:
        try:
            version = world.get("/api/settings")["version"]
        except Gone:
            return None
        body = {"version": version, "changes": [{"path": path, "value": value} for path, value in changes]}
        return world.post("/api/settings", body if password is None else {**body, "password": password})

    return act


def _revert(world: World) -> Outcome:
    try:
        version = world.get("/api/settings")["version"]
    except Gone:
        return None
    return world.post("/api/settings/revert", {"version": version})


def _wait_for_start(world: World) -> None:
    """Until it runs anew, where it is to."""
    runs = world.runs()
    with suppress(Gone, TimeoutError):
        world.until(lambda: world.runs() > runs, 5)


_TITLE = _change((["table", 0, "title"], "The Oak"))
_PASSWORD = _change((["mqtt", "username"], "ann"), password="hunter2")


def _passwords(world: World) -> dict[str, JSON]:
    """What is kept as the broker's password, and whether the configuration names it."""
    found = [*world.state.glob("mqtt-password-*"), *world.state.glob("mqtt.password*")]
    text = world.file.read_text("utf-8")
    return {
        **_list_settings(world),
        "passwords": sorted((each.read_text("utf-8"), each.name in text) for each in found),
    }


_add(
    Operation("a change of the settings", _TITLE, more=_list_settings, settle=_wait_for_start),
    Operation("a change taken back", _revert, _do(_TITLE, restarts=True), more=_list_settings, settle=_wait_for_start),
    Operation("the broker's password", _PASSWORD, more=_passwords, settle=_wait_for_start),
)

# Tokens and devices


def _open_to_others(world: World) -> None:
    text = world.file.read_text("utf-8")
    world.file.write_text(text.replace("[web]\n", '[web]\nhost = "0.0.0.0"\n'), encoding="utf-8")
    (world.beside / "page").write_text(make_token(world.state), encoding="ascii")
    (world.beside / "setup").write_text(make_setup_token(world.state), encoding="ascii")
    for name in ("web.token", "web.setup"):
        shutil.copy(world.state / name, world.beside / name)


def _list_tokens(world: World) -> dict[str, JSON]:
    """Which token there is: none, the one from before, or another."""
    found = {}
    for path in (world.state / "web.token", world.state / "web.setup"):
        former = world.beside / path.name
        if path.is_file():
            found[path.name] = "former" if former.exists() and former.read_bytes() == path.read_bytes() else "another"
    return {"tokens": found}


def _list_devices(world: World) -> dict[str, JSON]:
    return {"devices": len([*(world.state / "web.devices").glob("?" * 8)])}


def _enter(world: World) -> Outcome:
    return world.post("/api/enter", {"token": (world.beside / "page").read_text("ascii")})


def _revoke(world: World) -> Outcome:
    number = next((each.name for each in (world.state / "web.devices").iterdir() if len(each.name) == 8), None)
    return True if number is None else world.command("token", "--revoke", number)


def _use_token(role: str) -> Callable[[World], None]:
    """The page is open to others, and we have this token of it."""

    def prepare(world: World) -> None:
        _open_to_others(world)
        world.headers["Authorization"] = f"Bearer {(world.beside / role).read_text('ascii')}"

    return prepare


def _use_device(world: World) -> None:
    _use_token("setup")(world)
    _do(_enter)(world)


def _open(world: World) -> Outcome:
    """The page is opened to others, which makes the tokens it needs."""
    return _change((["web", "host"], "0.0.0.0"))(world)


_add(
    Operation(
        "another token on the page",
        _post("/api/settings/token", {"role": "play"}),
        _use_token("setup"),
        more=_list_tokens,
    ),
    Operation(
        "another token of the setup",
        lambda world: world.command("token", "--setup"),
        _use_token("page"),
        "command",
        _list_tokens,
    ),
    Operation(
        "the first tokens",  # the first is shown before the second is made
        lambda world: world.command("token"),
        runs="command",
        more=_list_tokens,
        may_be_half=True,
    ),
    Operation("a device enters", _enter, _use_token("setup"), more=_list_devices, may_be_lost=True),
    Operation("a device is revoked", _revoke, _use_device, "command", _list_devices),
)

# Players and history


def _profile(world: World) -> None:
    _do(_post("/api/players", {"name": "Ann", "nickname": "Ace", "colour": 2}))(world)


def _merged(world: World) -> None:
    _do(_post("/api/players/merge", {"name": "Anna", "to": "Ann"}))(world)


def _with_statistics(world: World) -> None:
    """The name is in the cache of the statistics, too."""
    _do(_post("/api/players", {"name": "Cy", "nickname": "Ace"}))(world)
    _read_statistics(world)


def _read_statistics(world: World) -> None:
    assert world.command("stats"), world.said


def _search(name: str) -> Callable[[World], dict[str, JSON]]:
    """Which files have the name."""

    def search(world: World) -> dict[str, JSON]:
        found = [
            path for path in sorted(world.home.rglob("*")) if path.is_file() and name.encode() in path.read_bytes()
        ]
        return {"name": [shorten(str(path.relative_to(world.home))) for path in found]}

    return search


def _delete_first(world: World) -> Outcome:
    return world.command("history", "delete", "--player", "Cy", "--yes")


_add(
    Operation("a profile", _post("/api/players", {"name": "Ann", "nickname": "Ace"})),
    Operation("a picture", _post("/api/players/picture?name=Ann", PNG)),
    Operation("a player is renamed", _post("/api/players/rename", {"name": "Ann", "to": "Annie"}), _profile),
    Operation("two players are merged", _post("/api/players/merge", {"name": "Anna", "to": "Ann"}), _profile),
    Operation("a player is split", _post("/api/players/split", {"name": "Anna"}), _merged),
    Operation(
        "a player is forgotten on the page",
        _post("/api/players/forget", {"name": "Cy", "sure": True}),
        _with_statistics,
        more=_search("Cy"),
        may_be_half=True,
    ),
    Operation(
        "a player is forgotten",
        lambda world: world.command("players", "forget", "Cy", "--yes"),
        _with_statistics,
        "command",
        _search("Cy"),
        may_be_half=True,
    ),
    Operation("matches are deleted", _delete_first, _read_statistics, "command", _search("Cy"), may_be_half=True),
    Operation("the statistics", lambda world: world.command("stats"), runs="command"),
)

# Backups and reports


def _list_archives(world: World) -> dict[str, JSON]:
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
    return {"set aside": [read_matches(path) for path in sorted(found)], **_list_archives(world)}


def _make_backup(world: World) -> None:
    """A backup of a home with a dart more, and another title; it is staged as the page has it done."""
    here = world.beside / "before"
    shutil.copytree(world.home, here)
    world.file.write_text(world.file.read_text("utf-8").replace("The house", "The former house"), encoding="utf-8")
    _do(_command("throw", {"throw": "S5"}))(world)
    backup = world.beside / "backup.tar.gz"
    assert world.command("backup", str(backup), "--force"), world.said
    world.restore(here)
    shutil.rmtree(here)
    staged = world.state / STAGED
    assert world.command("restore", str(backup), "--stage", str(staged)), world.said
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


def _need(outcome: Outcome) -> None:
    assert outcome


_add(
    Operation(
        "a backup", lambda w: w.command("backup", str(w.home / "all.tar.gz")), runs="command", more=_list_archives
    ),
    Operation(
        "a backup in the place of another",
        lambda world: world.command("backup", str(world.home / "all.tar.gz"), "--force"),
        lambda world: _need(world.command("backup", str(world.home / "all.tar.gz"))),
        "command",
        _list_archives,
    ),
    Operation("a backup on the page", _post("/api/care/backup", None)),
    Operation("a backup is sent to the page", _send, _make_backup),
    Operation(
        "a backup is put back on the page", _put_back, _make_backup, more=_list_set_aside, settle=_wait_for_start
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
    Operation("a report on the page", _post("/api/care/report", None)),
    Operation("the doctor on the page", _post("/api/care/doctor", None)),
    Operation("the news are dismissed", _post("/api/care/news", None)),
    Operation("oche starts anew", _post("/api/care/restart", None), settle=_wait_for_start),
)
