"""Forgetting a player: nothing beside the journals names them afterwards, and every match keeps its darts."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import time
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import aiohttp
import pytest

from daemon.admin.backup.names import name_draft
from daemon.admin.history.forget import delete_matches, find_keys, forget_player, write_neutral_names
from daemon.admin.history.history import History
from daemon.admin.players.book import PlayerBook
from daemon.admin.settings.settings_history import SettingsHistory
from daemon.admin.settings.staged_backup import StagedBackup
from daemon.admin.temporary import make_work_folder
from daemon.assemble import RunningDaemon, run_daemon
from daemon.commands import history, players
from daemon.config.reader import read_config
from daemon.errors import UserError
from daemon.journal.current import MatchCopy
from daemon.journal.errors import StoreError
from daemon.journal.journal_file import JournalFile, finish_erasure, note_erasure, rewrite_headers
from daemon.journal.lines import Begin, Line, Planned
from daemon.journal.mending import settle_drafts
from daemon.journal.stored import StoredJournal
from daemon.journal.writer import JournalWriter
from daemon.service.lock import lock_folder
from protocol.player_names import name_key
from tests.commanding import give
from tests.daemon.broken_off import Calls, fail, run_killed_everywhere
from tests.daemon.evenings import Evening
from tests.daemon.process import Said, Saying, configure
from tests.daemon.test_durability import table_in
from tests.daemon.test_players import PNG
from tests.daemon.test_sounds import WAV
from tests.daemon.test_statistics import ask

JSON = dict[str, Any]  # Any: JSON
FINISH = "T20 S1 D20"


@pytest.fixture
async def running(tmp_path: Path, unused_tcp_port: int) -> AsyncIterator[RunningDaemon]:
    """Zoë and Bo have played twice, once as a team and with another spelling, and Zoë in a table that is gone."""
    with Evening(tmp_path / "state") as evening:
        evening.play(FINISH, players=["Zoë", "Bo"], options={"start": 101})
        evening.play(
            FINISH,
            day=1,
            players=["Bo", "ZOË", "Cy"],
            teams=[[0, 1], [2]],
            team_names=["Zoë's", "Rest"],
            options={"start": 101},
        )
    with Evening(tmp_path / "state", "garage") as evening:
        evening.play(FINISH, day=2, players=["Zoë", "Bo"], options={"start": 101})
    async with run_daemon(read_config(configure(tmp_path, unused_tcp_port))) as running:
        yield running


@pytest.fixture
async def web(running: RunningDaemon) -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(running.page) as web:
        yield web


async def post(web: aiohttp.ClientSession, path: str, body: JSON, status: int = 200) -> JSON:
    async with web.post(path, json=body) as answer:
        assert answer.status == status, await answer.text()
        found: JSON = await answer.json()
        return found


def unpack(record: bytes) -> bytes:
    """The match, and its result behind it if that is there."""
    match = zlib.decompressobj()
    found = match.decompress(record)
    return found + (zlib.decompress(match.unused_data) if match.unused_data else b"")


def find_in_files(folder: Path, name: str) -> list[str]:
    """The files that have the name, as it is, escaped, or in a compressed record.

    They are copied by another process: one that closes a file of a database loses its own locks on it, and the next
    process that closes the database takes it for the last, and removes what is mapped here.
    """
    with TemporaryDirectory() as copied:
        subprocess.run(("cp", "-r", f"{folder}/.", copied), check=True)
        return _find_in_copies(Path(copied), name)


def _find_in_copies(folder: Path, name: str) -> list[str]:
    forms = [name.encode(), json.dumps(name).strip('"').encode(), name.upper().encode()]
    found = [path.name for path in folder.iterdir() if any(form in path.read_bytes() for form in forms)]
    for path in folder.glob("*.sqlite3"):
        with closing(sqlite3.connect(path)) as db:
            packed = b"".join(unpack(record) for (record,) in db.execute("select record from record"))
            found += [f"{path.name}: record"] if any(form in packed for form in forms) else []
    return found


@pytest.mark.slow
async def test_nothing_names_a_forgotten_player(
    web: aiohttp.ClientSession, running: RunningDaemon, tmp_path: Path
) -> None:
    table, state = running.tables["main"], tmp_path / "state"
    await post(web, "/api/players", {"name": "Zoë", "nickname": "Zoë the Great", "doubles": [16]})
    assert (await web.post("/api/players/picture?name=Zo%C3%AB", data=PNG)).status == 200
    recorded = WAV + "Zoë".encode() * 2_000
    assert (await web.post("/api/players/recorded_name?name=Zo%C3%AB", data=recorded)).status == 200
    for _ in range(2):
        await give(table, {"start": {"game": "101", "players": ["Zoë", "Bo"], "seed": "a"}}, "page")
        for dart in FINISH.split():
            await give(table, {"throw": dart}, "page")
    assert len((await ask(web, "/api/stats"))["players"]) == 3
    assert {"main.sqlite3", "main.sqlite3-copy", "statistics.cache", "players.db", "main.sqlite3: record"} <= set(
        find_in_files(state, "Zoë")
    )
    (state / "main.sqlite3.damaged-2026-01-01").write_bytes(b"")

    told = await post(web, "/api/players/forget", {"name": "zoë"})
    assert (told["matches"], told["configured"]) == (5, False)
    assert find_in_files(state, "Zoë"), "it was only asked"
    told = await post(web, "/api/players/forget", {"name": "zoë", "sure": True})
    assert told["matches"] == 5
    assert [Path(path).name for path in told["left"]] == ["main.sqlite3.damaged-2026-01-01"]
    assert find_in_files(state, "Zoë") == []
    assert table.state().sides[0].name == "Forgotten player 1"
    assert table.trouble is None
    assert {each["name"] for each in (await ask(web, "/api/stats"))["players"]} == {"Bo", "Cy"}
    assert "Zo" not in json.dumps(await ask(web, "/api/players"))
    matches = (await ask(web, "/api/matches"))["matches"]
    assert len(matches) == 5
    assert "Forgotten player 2" in matches[3]["players"]
    found = await ask(web, "/api/match/" + matches[3]["match"])
    assert [side["name"] for side in found["sides"]] == ["Bo & Forgotten player 2", "Rest"]

    for _ in range(2):
        await give(table, {"undo": True}, "page")
    assert table.state().phase == "throwing", "the match goes on by undo, and is written on"
    await give(table, {"throw": "D20"}, "page")
    assert table.trouble is None
    assert running.tables["main"].recovery.remark is None


@pytest.mark.slow
async def test_a_player_at_the_oche_is_not_forgotten(web: aiohttp.ClientSession, running: RunningDaemon) -> None:
    table = running.tables["main"]
    await give(table, {"start": {"game": "101", "players": ["Zoë", "Bo"], "seed": "a"}}, "page")
    for body in ({"name": "Zoë"}, {"name": "Zoë", "sure": True}):
        refused = await post(web, "/api/players/forget", body, 409)
        assert refused["error"]["key"] == "refused.still_playing"
    assert table.state().sides[0].name == "Zoë"
    await give(table, {"stop": True}, "page")
    assert (await post(web, "/api/players/forget", {"name": "Zoë", "sure": True}))["matches"] == 4


def test_without_a_daemon_the_copy_of_the_last_match_is_rewritten_too(tmp_path: Path) -> None:
    with Evening(tmp_path) as evening:
        evening.play("T20", players=["Zoë", "Zo"])
    PlayerBook(tmp_path).set_picture("Zoë", PNG)
    PlayerBook(tmp_path).rename("Zoë", "Zora", [])
    assert forget_player(tmp_path, find_keys(tmp_path, "zora"), tables=["main"]).matches == 0
    assert forget_player(tmp_path, find_keys(tmp_path, "zora")).matches == 1
    with closing(sqlite3.connect(tmp_path / "main.sqlite3")) as db:
        ((header,),) = db.execute("select header from match").fetchall()
    assert json.loads(header)["players"] == ["Forgotten player 1", "Zo"]


def test_former_configurations_with_the_name_are_told(tmp_path: Path) -> None:
    history = SettingsHistory(tmp_path)
    texts = ('[[player]]\nname = "ZO\\u00cb"', '[[table]]\nplayers = ["Zoë II"]', '[table.doubles]\n"Zoë" = [16]')
    first, _, last = names = [f"{number:06}-{number:020}.toml" for number in (1, 2, 3)]
    for name, text in zip(names, texts, strict=True):
        history.keep(name, text)
    told = forget_player(tmp_path, find_keys(tmp_path, "Zoë"), is_dry_run=True).left
    assert told == tuple(str(tmp_path / "settings" / name) for name in (first, last))


def test_all_that_may_have_the_name_is_told(tmp_path: Path) -> None:
    """Also what a backup that was cut off has left; no journal of a table that is called like it."""
    staged = StagedBackup.choose_folder(tmp_path)
    with make_work_folder(tmp_path) as work:
        for folder in (staged.folder, staged.aside):
            folder.mkdir()
        others = [tmp_path / name for name in (name_draft("main.sqlite3"), "main.sqlite3.damaged-2026-01-01")]
        for path in (*others, tmp_path / "other"):
            path.write_bytes(b"")
        JournalFile(tmp_path / "restore-2.sqlite3").close()
        settle_drafts(tmp_path)  # which are others: a backup that was cut off may be put back with these
        left = {*map(str, (staged.folder, staged.aside, work, *others))}
        assert {*forget_player(tmp_path, find_keys(tmp_path, "Zoë")).left} == left


def test_the_command_asks_and_leaves_a_match_at_hand_alone(tmp_path: Path, oche: Saying) -> None:
    config = configure(tmp_path, 1)
    with Evening(tmp_path / "state") as evening:
        evening.play(FINISH, players=["Zoë", "Bo"], options={"start": 101})
        evening.play("T20", day=1, players=["Zoe", "Bo"])

    def say(*arguments: str, typed: str = "") -> Said:
        return oche("players", *arguments, "--config", config, typed=typed)

    assert "there is no player 'Zo'; did you mean" in say("rename", "Zo", "Zora").errors
    assert say("merge", "Zoe", "Zoë", typed="n\n").status == 130
    assert say("merge", "Zoe", "Zoë", "--yes").status == 0
    assert say("rename", "zoe", "Zora", "--yes").status == 0
    assert say("list").output.splitlines()[1].split() == ["Zora", "2026-10-04", "Zoe,", "Zoë"]
    assert "there already is a player Bo" in say("rename", "Zora", "Bo", "--yes").errors
    with lock_folder(tmp_path / "state"):
        said = say("forget", "Zora", "--yes")
        assert (said.status, "Zora is in the match at the table main: start another" in said.errors) == (1, True)
    said = say("forget", "Zora", typed="y\n")
    assert said.status == 0
    assert "Forget Zora, in 2 matches, for good?" in said.errors
    assert find_in_files(tmp_path / "state", "Zo") == []
    assert [json.loads(line)["name"] for line in say("list", "--json").output.splitlines()] == ["Bo"]


def test_the_command_leaves_who_is_planned_for_the_next_match_alone_while_oche_runs(
    tmp_path: Path, oche: Saying
) -> None:
    config = configure(tmp_path, 1)
    with Evening(tmp_path / "state") as evening:
        evening.play(FINISH, players=["Zoe", "Bo"], options={"start": 101})
        match = evening.play("T20", day=1, players=["Cy", "Bo"])
    with closing(JournalFile(tmp_path / "state" / "main.sqlite3")) as journal:
        journal.write([Planned(match, {"oche": 1, "game": "x01", "players": ["Zoe"]})])
    with lock_folder(tmp_path / "state"):
        said = oche("players", "forget", "Zoe", "--yes", "--config", config)
        assert "Zoe is planned for the next match at the table main: start another" in said.errors
    assert oche("players", "forget", "Zoe", "--yes", "--config", config).status == 0
    assert find_in_files(tmp_path / "state", "Zoe") == []


def forget(folder: Path) -> None:
    """As the command does it."""
    players.command.main(["forget", "Zoë", "--yes", "--config", str(configure(folder, 1))], standalone_mode=False)


def delete(folder: Path) -> None:
    wanted = (folder / "wanted").read_text().split()
    history.command.main(["delete", *wanted, "--yes", "--config", str(configure(folder, 1))], standalone_mode=False)


def make_evenings(folder: Path) -> None:
    """Two tables, a match of each in `wanted`, and all that is kept beside them; Zoë is not in the book."""
    folder.mkdir(exist_ok=True)
    with Evening(folder / "state") as evening:
        match = evening.play(FINISH, players=["Zoë", "Bo"], options={"start": 101})
        evening.play("T20", day=1, players=["Bo", "Zoë"])
    with Evening(folder / "state", "garage") as evening:
        other = evening.play(FINISH, day=2, players=["Cy", "Zoë"], options={"start": 101})
    for table, kept in (("main", match), ("garage", other)):
        journal = StoredJournal(folder / "state" / f"{table}.sqlite3")
        (head,) = journal.heads(kept)
        MatchCopy(journal.path).replace(journal.match(head))
    History(folder / "state", {}, "1").write_figures("garage", other)
    (folder / "wanted").write_text(f"{match} {other}")


def check_forgotten(folder: Path) -> None:
    assert find_in_files(folder / "state", "Zoë") == []
    assert [player.name for player in PlayerBook(folder / "state").list_players()] == []


def check_deleted(folder: Path) -> None:
    for match in (folder / "wanted").read_text().split():
        assert find_in_files(folder / "state", match) == []


def repeat(work: Callable[[Path], None], folder: Path) -> None:
    """What was cut off, or had just been done to its end."""
    try:
        work(folder)
    except UserError as error:
        assert "there is no " in str(error)  # noqa: PT017  it was done


ERASING = [(forget, check_forgotten), (delete, check_deleted)]


@pytest.mark.parametrize(("work", "check"), ERASING)
@pytest.mark.long
def test_what_is_killed_at_any_call_can_be_repeated(
    tmp_path: Path, work: Callable[[Path], None], check: Callable[[Path], None]
) -> None:
    make_evenings(tmp_path / "made")
    for folder in run_killed_everywhere(__name__, work.__name__, tmp_path / "made", tmp_path):
        repeat(work, folder)
        check(folder)


@pytest.mark.parametrize(("work", "check"), ERASING)
@pytest.mark.long
def test_nothing_is_said_to_be_erased_that_is_not(
    tmp_path: Path, work: Callable[[Path], None], check: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    make_evenings(tmp_path / "made")
    number, is_over, refused = 0, False, 0
    while not is_over:
        number += 1
        folder = Path(shutil.copytree(tmp_path / "made", tmp_path / f"{number}"))
        calls = Calls(number, fail)
        try:
            with monkeypatch.context() as patch:
                calls.patch(patch.setattr)
                work(folder)
        except (UserError, OSError):
            refused += 1
            repeat(work, folder)
        check(folder)
        is_over = calls.count < number
    assert number > refused > 0


@contextmanager
def reading(journal: Path) -> Iterator[None]:
    """As a backup does: nothing leaves the log meanwhile."""
    with closing(sqlite3.connect(journal, check_same_thread=False)) as db:
        db.execute("begin")
        db.execute("select count(*) from match").fetchone()
        yield


@pytest.mark.parametrize(("work", "check"), ERASING)
@pytest.mark.long
def test_a_reader_that_keeps_the_log_is_told_of(
    tmp_path: Path, work: Callable[[Path], None], check: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """After all that it does not hold up was erased."""
    make_evenings(tmp_path)
    monkeypatch.setattr("daemon.journal.journal_file._PATIENCE_S", 0.1)
    garage = tmp_path / "state" / "garage.sqlite3"
    with closing(JournalFile(garage)), reading(garage):
        with pytest.raises(UserError, match=r"another program has the journal .*: close that program, and do this"):
            work(tmp_path)
        found = find_in_files(tmp_path / "state", "Zoë" if work is forget else (tmp_path / "wanted").read_text()[:16])
        assert {*found} <= {"garage.sqlite3", "garage.sqlite3-wal", "players.db"}
        with pytest.raises(UserError, match="another program has the journal"):
            work(tmp_path)
    repeat(work, tmp_path)
    check(tmp_path)


def test_darts_are_kept_while_the_log_is_held_by_a_reader(tmp_path: Path) -> None:
    make_evenings(tmp_path)
    state = tmp_path / "state"
    with closing(JournalFile(state / "main.sqlite3")) as journal:
        match = journal.latest()
        assert match is not None
        with ThreadPoolExecutor(1) as pool, reading(state / "main.sqlite3"):
            forgetting = pool.submit(forget_player, state, {name_key("Zoë")})
            while "Zoë" in str(StoredJournal(state / "main.sqlite3").all_headers()):
                time.sleep(0.01)
            for number in range(3, 6):
                journal.write([Line(match.id, number, {"throw": "T20"}, "board", "then")])
            assert not forgetting.done(), "it still waits for the reader"
    assert forgetting.result().matches == 3


def test_who_ends_an_erasure_does_not_end_a_later_one(tmp_path: Path) -> None:
    """One empties the log; before it notes that, another does both, and the table erases more, which a reader keeps."""
    path = tmp_path / "main.sqlite3"

    def erase_more() -> None:
        rewrite_headers(path, {}, without_plan=False)
        programs.enter_context(reading(path))
        table.rewrite_header("first", {"oche": 1, "players": ["Bo"]})

    later = [erase_more]

    class Connection(sqlite3.Connection):
        def execute(self, statement: str, *given: Any) -> sqlite3.Cursor:  # Any: as SQLite has them
            found = super().execute(statement, *given)
            if statement == "pragma wal_checkpoint(truncate)" and later:
                later.pop()()
            return found

    with closing(JournalFile(path)) as table, ExitStack() as programs:
        table.write([Begin("first", {"oche": 1, "players": ["Zoë"]})])
        with closing(sqlite3.connect(path, isolation_level=None, factory=Connection)) as db:
            db.execute("begin immediate")
            note_erasure(db)
            db.execute("commit")
            with suppress(StoreError):
                finish_erasure(db, path, patience_s=0)
        assert not later
        assert find_in_files(tmp_path, "Zoë")
        programs.close()
        rewrite_headers(path, {}, without_plan=False)
        assert find_in_files(tmp_path, "Zoë") == []


async def test_a_journal_without_the_player_is_let_alone(tmp_path: Path) -> None:
    """Also by who reads it, and its table does not open it anew."""
    make_evenings(tmp_path)
    state = tmp_path / "state"
    writer = JournalWriter("other", state / "other.sqlite3")
    await writer.open()
    await writer.write([Begin("first", {"oche": 1, "players": ["Bo"]}), Line("first", 2, {"throw": "T20"}, "board")])
    before = (state / "other.sqlite3-wal").stat()
    with reading(state / "other.sqlite3"):
        assert forget_player(state, {name_key("Zoë")}).matches == 3
        delete_matches(state, (tmp_path / "wanted").read_text().split())
    after = (state / "other.sqlite3-wal").stat()
    assert (after.st_ino, after.st_size, after.st_mtime_ns) == (before.st_ino, before.st_size, before.st_mtime_ns)
    await writer.close()


async def test_forgetting_at_a_table_does_not_stop_it_while_another_program_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.journal.journal_file._PATIENCE_S", 0.1)
    path = tmp_path / "main.sqlite3"
    async with table_in(tmp_path) as table:
        await give(table, {"start": {"game": "101", "players": ["Zoë", "Bo"], "seed": "a"}}, "page")
        with reading(path):
            for dart in FINISH.split():
                await give(table, {"throw": dart}, "page")
            await table.rewrite_header(partial(write_neutral_names, keys={name_key("Zoë")}))
            assert table.trouble is None
            await give(table, {"start": {"game": "101", "players": ["Bo", "Cy"]}}, "page")
            with pytest.raises(StoreError, match="another program has the journal"):
                forget_player(tmp_path, {name_key("Zoë")}, tables=["main"])
        forget_player(tmp_path, {name_key("Zoë")}, tables=["main"])
        assert find_in_files(tmp_path, "Zoë") == []
        await give(table, {"throw": "T20"}, "page")
        assert table.recovery.remark is None


@pytest.mark.parametrize("is_first_read", [False, True])
def test_who_reads_the_statistics_meanwhile_brings_no_name_back(tmp_path: Path, is_first_read: bool) -> None:
    """Neither what it had in memory, nor what it adds."""
    make_evenings(tmp_path)
    state = tmp_path / "state"
    if is_first_read:
        (state / "statistics.cache").unlink()
    else:
        assert len([*History(state, {}, "1").all_matches()]) == 3
    reading = History(state, {}, "1").all_matches()
    next(reading)
    forget_player(state, {name_key("Zoë")})
    delete_matches(state, (tmp_path / "wanted").read_text().split()[:1])
    assert [*reading]
    assert "Zoë" not in (state / "statistics.cache").read_text("utf-8")
    assert len([*History(state, {}, "1").all_matches()]) == 2


def test_all_that_is_not_deleted_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("daemon.journal.journal_file._PATIENCE_S", 0.1)
    make_evenings(tmp_path)
    cache = tmp_path / "state" / "statistics.cache"
    cache.unlink()
    (cache / "in the way").mkdir(parents=True)  # it can be neither written nor deleted
    with (
        reading(tmp_path / "state" / "main.sqlite3"),
        pytest.raises(UserError, match=rf"another program has the journal .*; cannot erase what is in {cache}"),
    ):
        delete(tmp_path)


async def test_the_page_says_what_it_could_not_erase_and_does_it_when_asked_again(
    web: aiohttp.ClientSession, running: RunningDaemon, tmp_path: Path
) -> None:
    cache = tmp_path / "state" / "statistics.cache"
    cache.unlink(missing_ok=True)
    (cache / "in the way").mkdir(parents=True)  # it can be neither written nor deleted
    refused = await post(web, "/api/players/forget", {"name": "Zoë", "sure": True}, 503)
    assert f"cannot erase what is in {cache}: is a directory; check the disk" in json.dumps(refused)
    assert "Zo" in json.dumps(await ask(web, "/api/players")), "it can be asked again"
    shutil.rmtree(cache)
    await post(web, "/api/players/forget", {"name": "Zoë", "sure": True})
    assert find_in_files(tmp_path / "state", "Zoë") == []
    assert "Zo" not in json.dumps(await ask(web, "/api/players"))
