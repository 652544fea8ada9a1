"""`oche backup` and `oche restore`: everything into one file and out of it again, on this machine or the next."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tarfile
import unicodedata
from contextlib import closing
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from daemon.admin import temporary
from daemon.admin.backup.collect import list_members
from daemon.admin.errands import carry_out
from daemon.admin.news import mark_seen
from daemon.admin.process import Given
from daemon.admin.requests import MakeBackup
from daemon.admin.restored import NOTED, list_restored, note_folders
from daemon.admin.sounds.unpack import add_restored
from daemon.admin.temporary import ART, make_work_folder, remove_work_folders
from daemon.assemble import run_daemon
from daemon.config import credentials
from daemon.config.outlets import Outlets, Webhook
from daemon.config.reader import read_config
from daemon.config.sections import Bridge, Config, ProxyConfig, TableConfig
from daemon.errors import UserError
from daemon.files import RESERVE_BYTES
from daemon.plugins import loader
from daemon.service.lock import lock_folder
from daemon.sound_packs import SOUNDS, find_packs, read_sound
from tests.commanding import give
from tests.daemon.backups import everything, list_matches, list_names, make_backup, play_evening
from tests.daemon.checkup import as_another_user
from tests.daemon.evenings import Evening
from tests.daemon.process import Said, Saying, small_disk
from tests.daemon.test_sounds import MP3, WAV, make_zip


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return play_evening(tmp_path)


def restore(oche: Saying, backup: Path, config: Path) -> Said:
    """Where nothing is left that says where the state goes."""
    return oche("restore", backup, "--config", config, "--state-dir", config.parent / "state")


def add_all(state: Path) -> None:
    """As the daemon does after a restore."""
    for zipped in list_restored(state, SOUNDS):
        add_restored(zipped, state)
    note_folders(state)
    assert not [*state.glob("sounds.*")]


async def test_a_backup_is_complete_while_the_daemon_runs(oche: Saying, config: Path) -> None:
    async with run_daemon(read_config(config)) as running:
        await give(running.tables["main"], {"start": {"game": "x01", "players": ["Ann", "Bo"]}}, "page")
        await give(running.tables["main"], {"throw": "T7"}, "page")
        backup = make_backup(oche, config)
        assert backup.stat().st_mode & 0o777 == 0o600
        assert list_names(backup) >= {
            *("manifest.json", "config/oche.toml", "config/quick.toml", "config/secret", "config/boards/mine.toml"),
            *("state/main.sqlite3", "state/back.sqlite3"),
        }
        assert not {name for name in list_names(backup) if "unrelated" in name or "lock" in name or "-wal" in name}
        said = oche("restore", backup, "--config", config)
        assert said.status == 1
        assert said.errors.startswith(f"oche: another oche daemon uses {config.parent}/state: stop it")
    before = list_matches(oche, config)
    for path in [*(config.parent / "state").iterdir(), *(config.with_name(n) for n in ("oche.toml", "secret"))]:
        path.unlink()
    mask = os.umask(0o077)
    try:
        assert restore(oche, backup, config).status == 0
    finally:
        os.umask(mask)
    assert list_matches(oche, config) == before
    assert config.with_name("secret").stat().st_mode & 0o777 == 0o640
    async with run_daemon(read_config(config)) as running:
        assert [dart.segment for dart in running.tables["main"].state().turn.darts] == ["T7"]


def test_a_restore_sets_the_existing_files_aside(oche: Saying, config: Path) -> None:
    backup = make_backup(oche, config)
    config.write_text(config.read_text() + "# changed since\n")
    with Evening(config.parent / "state") as evening:
        evening.play("T5")
    said = oche("restore", backup, "--config", config)
    assert said.status == 0
    assert said.errors.startswith(
        f"2 files are back in {config.parent}/state and 4 in {config.parent}, as they were on "
    )
    assert "# changed since" not in config.read_text()
    (aside,) = config.parent.glob("oche.toml.before-restore-*")
    assert "# changed since" in aside.read_text()
    (folder,) = (config.parent / "state").glob("before-restore-*")
    assert (folder / "main.sqlite3").exists()
    assert len(list_matches(oche, config).splitlines()) == 2
    assert not list(config.parent.glob("secret.*")), "what is the same stays"


def test_through_a_pipe(oche: Saying, config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mark_seen(config.parent / "state")
    status, backup, errors = oche.raw("backup", "-", "--config", config)
    assert (status, errors) == (0, "")
    (tmp_path / "piped.tar.gz").write_bytes(backup)
    assert {"state/main.sqlite3", "state/web.seen"} <= list_names(tmp_path / "piped.tar.gz")


def test_a_backup_names_files_outside_the_configuration_folder(oche: Saying, config: Path) -> None:
    (config.parents[1] / "elsewhere").write_text("hunter2")
    config.write_text(config.read_text().replace("'secret'", "'../elsewhere'"))
    said = oche("backup", config.parent / "all.tar.gz", "--config", config)
    assert said.errors.splitlines()[1:] == [
        f"oche: {config.parent}/../elsewhere is not in the backup, because it is not below {config.parent}"
    ]


@pytest.mark.parametrize("name", ["oche.toml", "secret", "games/one.py", "state/main.sqlite3"])
@pytest.mark.parametrize("kind", ["symbolic", "hard"])
def test_a_backup_has_the_file_that_a_link_leads_to(oche: Saying, config: Path, name: str, kind: str) -> None:
    path, other = config.parent / name, config.parents[1] / "other"
    (config.parent / "games").mkdir()
    (config.parent / "games/one.py").write_text("GAMES = []")
    if kind == "symbolic":
        path.rename(other)
        path.symlink_to(other)
    else:
        other.hardlink_to(path)
    before = list_matches(oche, config)
    backup = make_backup(oche, config)
    with tarfile.open(backup) as tar:
        assert all(member.isreg() for member in tar)
    text = path.read_bytes()
    shutil.rmtree(config.parent)
    assert restore(oche, backup, config).status == 0
    assert not path.is_symlink()
    assert path.suffix == ".sqlite3" or path.read_bytes() == text
    assert list_matches(oche, config) == before


def test_a_journal_that_cannot_be_copied_is_not_taken_without_its_log(oche: Saying, config: Path) -> None:
    """A raw copy of the main file would lack the match that is in the log alone."""
    journal, backup = config.parent / "state/back.sqlite3", config.parents[1] / "all.tar.gz"
    with closing(sqlite3.connect(journal)) as db:
        db.execute("pragma journal_mode = wal")
        db.execute("pragma wal_autocheckpoint = 0")
        db.execute("insert into match select 99, 'in the log', header, begun_at from match where number = 1")
        db.commit()
        with small_disk(8 << 10):
            said = oche("backup", backup, "--config", config)
        assert said.status == 1
        assert said.errors.startswith(f"oche: cannot copy {journal} into {backup.parent}: ")
        assert not backup.exists()
        assert oche("backup", backup, "--config", config).status == 0
    assert not [path for path in backup.parent.iterdir() if path.name not in ("all.tar.gz", "home")]
    copy = backup.with_name("copy.sqlite3")
    with tarfile.open(backup) as tar:
        kept = tar.extractfile("state/back.sqlite3")
        assert kept is not None
        copy.write_bytes(kept.read())
    with closing(sqlite3.connect(copy)) as db:
        assert ("in the log",) in db.execute("select id from match").fetchall()


def test_the_next_backup_removes_what_one_that_was_cut_off_has_left(oche: Saying, config: Path, tmp_path: Path) -> None:
    """And not the copies of another one that is at work in the same folder."""
    (left := tmp_path / ".oche-backup-left").mkdir()
    (left / "main.sqlite3").touch()
    with make_work_folder(tmp_path) as other:
        assert not left.exists()
        left.mkdir()
        make_backup(oche, config)
        assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["all.tar.gz", "home", other.name])


def test_a_folder_that_is_being_made_is_not_taken_for_one_that_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Swept(TemporaryDirectory[str]):
        """One that is removed directly after it was made, the first time."""

        is_first = True

        def __enter__(self) -> str:
            name = super().__enter__()
            if Swept.is_first:
                Swept.is_first = False
                remove_work_folders(tmp_path)
                assert [*tmp_path.iterdir()] == []
            return name

    monkeypatch.setattr(temporary, "TemporaryDirectory", Swept)
    with make_work_folder(tmp_path) as work:
        remove_work_folders(tmp_path)
        assert [*tmp_path.iterdir()] == [work]
    assert [*tmp_path.iterdir()] == []


def test_a_backup_has_a_damaged_journal_unchanged(oche: Saying, config: Path) -> None:
    journal, backup = config.parent / "state/main.sqlite3", config.parents[1] / "all.tar.gz"
    journal.write_bytes(b"no database at all" * 99)
    journal.with_name("main.sqlite3-wal").write_bytes(b"its log")
    said = oche("backup", backup, "--config", config)
    assert said.status == 0
    assert said.errors.splitlines()[1:] == [f"oche: {journal} is damaged: the backup has it unchanged"]
    shutil.rmtree(config.parent / "state")
    assert oche("restore", backup, "--config", config).status == 0
    assert journal.read_bytes() == b"no database at all" * 99
    assert journal.with_name("main.sqlite3-wal").read_bytes() == b"its log"


def test_a_full_disk_changes_nothing(oche: Saying, config: Path) -> None:
    backup = make_backup(oche, config)
    config.write_text(config.read_text() + "# changed since\n")
    shutil.rmtree(config.parent / "boards")
    before = everything(config.parent)
    with small_disk(8 << 10):
        said = oche("restore", backup, "--config", config)
    assert (said.status, said.errors) == (
        1,
        f"oche: cannot write {config.parent}/state/back.sqlite3: file too large; nothing was changed\n",
    )
    assert before == everything(config.parent)
    assert sorted(path.name for path in config.parent.iterdir() if path.is_dir()) == ["state"]
    assert not [path for path in (config.parent / "state").iterdir() if path.is_dir()]


def test_whatever_lies_in_the_way_is_set_aside(oche: Saying, config: Path) -> None:
    backup = make_backup(oche, config)
    journal, secret = config.parent / "state/main.sqlite3", config.with_name("secret")
    for path in (journal, secret):
        path.unlink()
    journal.mkdir()
    secret.symlink_to("nowhere")
    assert oche("restore", backup, "--config", config).status == 0
    assert len(list_matches(oche, config).splitlines()) == 2
    assert secret.read_text() == "hunter2"
    assert not secret.is_symlink()
    assert [path.is_dir() for path in journal.parent.glob("before-restore-*/main.sqlite3")] == [True]
    assert [path.is_symlink() for path in config.parent.glob("secret.before-restore-*")] == [True]


def test_what_fails_in_between_is_taken_back(oche: Saying, config: Path) -> None:
    """A name so long that nothing can be set aside under it."""
    long = config.parent / "boards" / ("x" * 250)
    long.touch()
    backup = make_backup(oche, config)
    long.write_text("changed since")
    before = everything(config.parent)
    said = oche("restore", backup, "--config", config)
    assert (said.status, said.errors) == (1, f"oche: cannot write {long}: file name too long; nothing was changed\n")
    assert everything(config.parent) == before
    assert not [*config.parent.rglob("*restore*")]


def test_a_layout_and_secrets_are_in_it_under_any_file_name(config: Path, tmp_path: Path) -> None:
    for name in ("sheet", "signing", "proxy"):
        (config.parent / name).touch()
    tables = [TableConfig(board="sim:granboard", face="sheet")]
    outlets = Outlets(webhook=(Webhook("phone", "http://x/", secret_file="signing"),))
    proxies = (ProxyConfig("proxy-cellar.local", key_file="proxy"),)
    whole = Config(tables, Bridge(state_dir=str(tmp_path / "none")), outlets=outlets, proxy=proxies)
    members, _ = list_members(config, config, whole, tmp_path)
    assert {"config/sheet", "config/signing", "config/proxy"} <= {member.name for member in members}


def test_secrets_and_packages_are_in_it(oche: Saying, config: Path) -> None:
    kept = {
        *("mqtt-password", "web-token", "games/nice/__init__.py", "games/nice/words.json", "games/nice/deep/a.txt"),
        *("games/linked/__init__.py", "games/notes.txt", "boards/mine.toml", "boards/mine.png"),
    }
    (config.parents[1] / "linked").mkdir()
    (config.parents[1] / "linked/__init__.py").write_text("GAMES = []")
    (config.parent / "games/nice/deep").mkdir(parents=True)
    (config.parent / "games/nice/__pycache__").mkdir()
    (config.parent / "games/nice/__pycache__/x.pyc").write_text("made anew")
    (config.parent / "games/linked").symlink_to(config.parents[1] / "linked")
    for name in (*kept, "boards/mine.toml.before-restore-20261122T000000Z", "games/nice/deep/a.txt.new"):
        (config.parent / name).touch()
    there = {
        name.removeprefix("config/") for name in list_names(make_backup(oche, config)) if name.startswith("config/")
    }
    assert there == kept | {"oche.toml", "quick.toml", "secret"}


def test_tokens_and_learned_boards_move_to_another_computer_and_devices_do_not(oche: Saying, config: Path) -> None:
    """As docs/moving.md says."""
    state = config.parent / "state"
    for name in ("bridge.uuid", "web.token", "web.setup", "players.db", "profile.garage.toml"):
        (state / name).touch()
    (state / "web.devices").mkdir()
    (state / "web.devices/0123abcd").touch()
    there = list_names(make_backup(oche, config))
    assert there >= {f"state/{name}" for name in ("bridge.uuid", "web.token", "web.setup", "profile.garage.toml")}
    assert not [name for name in there if "devices" in name]


def test_a_name_that_no_backup_can_hold_is_told(oche: Saying, config: Path) -> None:
    odd = Path(os.fsdecode(bytes(config.parent / "boards") + b"/odd-\xff.txt"))
    odd.touch()
    said = oche("backup", config.parents[1] / "all.tar.gz", "--config", config)
    assert (said.status, len(said.errors.splitlines())) == (0, 2)
    assert said.errors.endswith("is not in it, because its name is not UTF-8\n")


@pytest.mark.parametrize("is_link", [True, False])
def test_a_backup_is_private_whatever_lies_in_its_way(oche: Saying, config: Path, is_link: bool) -> None:
    draft, victim = config.parents[1] / "all.tar.gz.new", config.parents[1] / "victim"
    victim.write_text("")
    victim.chmod(0o666)
    if is_link:
        draft.symlink_to(victim)
    else:
        victim.rename(draft)
    assert make_backup(oche, config).stat().st_mode & 0o777 == 0o600
    assert not draft.exists()
    assert not is_link or victim.read_text() == ""


@pytest.mark.parametrize("name", ["secret", "keys/../secret", "{folder}/secret"])
def test_a_file_is_where_the_configuration_is(
    oche: Saying, config: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (config.parent / "keys").mkdir()
    config.write_text(config.read_text().replace("'secret'", f"'{name.format(folder=config.parent)}'"))
    monkeypatch.chdir(config.parents[1])
    assert credentials.read_password(read_config(Path("home/oche.toml")).config.mqtt) == "hunter2"
    backup = make_backup(oche, config)
    assert "config/secret" in list_names(backup)
    shutil.rmtree(config.parent)
    assert restore(oche, backup, config).status == 0
    assert config.with_name("secret").read_text() == "hunter2"


def test_a_backup_refuses_a_file_too_large_to_restore(oche: Saying, config: Path) -> None:
    huge = config.parent / "boards/huge"
    huge.touch()
    os.truncate(huge, (1 << 30) + 1)
    said = oche("backup", config.parents[1] / "all.tar.gz", "--config", config)
    assert (said.status, said.errors) == (
        1,
        f"oche: {huge} is larger than 1 GiB, the limit of a backup: move it elsewhere\n",
    )


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root: only root gives files to others")
def test_files_restored_by_root_belong_to_the_daemon(
    oche: Saying, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also the folder and the lock, which are in no backup; no name is given away, where it could lead elsewhere."""
    nobody, state = 65534, config.parent / "state"
    for path in (state, *state.iterdir()):
        os.chown(path, nobody, nobody)
    backup = make_backup(oche, config)
    shutil.rmtree(state)
    monkeypatch.delattr(os, "chown")
    assert oche("restore", backup, "--config", config).status == 0
    assert {(path.stat().st_uid, path.stat().st_gid) for path in (state, *state.iterdir())} == {(nobody, nobody)}
    assert (state / "lock").exists()
    assert config.stat().st_uid == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root: only root makes what keeps others out")
def test_a_lock_made_by_root_does_not_keep_the_daemon_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lock").touch(0o644)
    (tmp_path / "lock").chmod(0o644)
    monkeypatch.chdir(tmp_path)
    tmp_path.chmod(0o755)
    os.seteuid(65534)  # who cannot come here by the whole path
    try:
        with lock_folder(Path()):
            pass
    finally:
        os.seteuid(0)


def test_sound_packs_are_in_it_when_they_are_asked_for(oche: Saying, config: Path) -> None:
    state = config.parent / "state"
    for name in ("Joey-v3", "mine"):
        (state / SOUNDS / name).mkdir(parents=True)
        (state / SOUNDS / name / "180+2.mp3").write_bytes(MP3)
    assert not {name for name in list_names(make_backup(oche, config)) if "sounds" in name}
    backup = config.parents[1] / "loud.tar.gz"
    assert oche("backup", "--sounds", backup, "--config", config).status == 0
    assert list_names(backup) >= {"state/sounds.1.zip", "state/sounds.2.zip"}
    (state / SOUNDS / "mine/180+2.mp3").write_bytes(b"worse")
    shutil.rmtree(state / SOUNDS / "Joey-v3")
    assert restore(oche, backup, config).status == 0
    add_all(state)
    found = find_packs(state)
    assert (found["joey"].version, read_sound(found["joey"], "180+2.mp3")) == (3, ("audio/mpeg", MP3))
    assert read_sound(found["mine"], "180+2.mp3") == ("audio/mpeg", MP3)


def test_any_folder_that_was_copied_by_hand_comes_back_or_is_named(oche: Saying, config: Path) -> None:
    sounds = config.parent / "state" / SOUNDS
    names = ["my.pack", "Joey (2)", "x" * 70, unicodedata.normalize("NFD", "jürgen"), "joey", "Joey"]
    for name in (*names, "a:b", "x" * 201, os.fsdecode(b"J\xfcrgen")):
        (sounds / name).mkdir(parents=True)
        (sounds / name / "180.mp3").write_bytes(MP3)
    backup = config.parents[1] / "loud.tar.gz"
    said = oche("backup", "--sounds", backup, "--config", config)
    assert said.status == 0
    left_out = [line for line in said.errors.splitlines() if "is not in it, because its folder has a name" in line]
    assert [line for line in left_out if "/a:b " in line or f"/{'x' * 201} " in line or "/J?rgen " in line] == left_out
    assert len(left_out) == 3
    shutil.rmtree(sounds)
    assert restore(oche, backup, config).status == 0
    add_all(sounds.parent)
    assert sorted(path.name for path in sounds.iterdir()) == sorted(names)


@pytest.mark.parametrize("kind", [SOUNDS, ART])
@pytest.mark.parametrize("what", ["{}/broken/180.mp3", "{}/broken", "{}"], ids=["file", "folder", "all"])
def test_what_cannot_be_read_of_packs_and_art_is_left_out_and_named(kind: str, what: str) -> None:
    with TemporaryDirectory() as name:  # whose whole path is open to the user who may not read one place
        home, place = Path(name), Path(name, kind)
        for each in ("broken", "mine"):
            (place / each).mkdir(parents=True)
            (place / each / "180.mp3").write_bytes(MP3)
        (file := home / "config" / "oche.toml").parent.mkdir()
        file.write_text(f'bridge.state_dir = "{home}"\n[[table]]\nboard = "sim:opendarts"')
        home.chmod(0o777)
        given, out = Given(home, file, {}, loader.list_sources()), BytesIO()
        carry_out(MakeBackup(sounds=True), given, BytesIO())  # loads the code, which only root may be able to read
        (broken := home / what.format(kind)).chmod(0)
        with as_another_user():
            told = carry_out(MakeBackup(sounds=True), given, out)
        broken.chmod(0o755)
    out.seek(0)
    with tarfile.open(fileobj=out) as packed:
        names = [each for each in packed.getnames() if each.startswith("state/")]
    assert names == ([] if what == "{}" else [f"state/{kind}.2.zip"])
    said, whole = {SOUNDS: "the sound pack", ART: "the art"}[kind], place if what == "{}" else place / "broken"
    why = f"{broken} cannot be read: permission denied"
    assert isinstance(told, dict)
    assert [each["text"] for each in told["remarks"]] == [f"{said} {whole} is not in it, because {why}"]


def test_a_restored_pack_that_can_never_be_added_goes(tmp_path: Path) -> None:
    for number, content in enumerate((b"no zip", make_zip({".joey/180.mp3": MP3}), make_zip({"180.mp3": MP3})), 1):
        (zipped := tmp_path / f"sounds.{number}.zip").write_bytes(content)
        with pytest.raises(UserError):
            add_restored(zipped, tmp_path)
        assert not zipped.exists()
    assert not [*(tmp_path / SOUNDS).iterdir()]


@pytest.mark.parametrize("name", ["light.ring.json", "sounds.noted.json", "art.noted.json"])
def test_what_is_noted_for_a_while_is_no_file_of_a_stranger(oche: Saying, config: Path, name: str) -> None:
    (config.parent / "state" / name).write_text("{}", encoding="ascii")
    said = oche("backup", config.parents[1] / "all.tar.gz", "--config", config)
    assert said.status == 0
    assert "is not in it" not in said.errors


def test_a_restored_pack_waits_for_room_and_is_in_no_backup(
    oche: Saying, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (zipped := config.parent / "state/sounds.1.zip").write_bytes(make_zip({"joey/180.mp3": MP3}))
    usage = shutil.disk_usage(config)
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "disk_usage", lambda folder: usage._replace(free=RESERVE_BYTES + 1))
        with pytest.raises(UserError):
            add_restored(zipped, zipped.parent)
    assert not {name for name in list_names(make_backup(oche, config)) if "sounds" in name}
    add_all(zipped.parent)
    assert find_packs(zipped.parent)["joey"]


@pytest.mark.parametrize("time", [1, 4_000_000_000])
@pytest.mark.parametrize("folder", ["Joey", "joey"])
def test_a_pack_that_was_changed_since_the_restore_stays_whatever_the_clock_says(
    tmp_path: Path, folder: str, time: int
) -> None:
    (zipped := tmp_path / "sounds.1.zip").write_bytes(make_zip({"Joey/180.mp3": MP3}))
    (odd := tmp_path / SOUNDS / os.fsdecode(b"J\xfcrgen")).mkdir(parents=True)  # whose name is not UTF-8
    note_folders(tmp_path)
    odd.rmdir()
    (tmp_path / SOUNDS / folder).mkdir()
    os.utime(tmp_path / SOUNDS / folder, (time, time))
    note_folders(tmp_path)
    said = "the sound pack Joey of the backup was not added: its folder has changed since the restore"
    assert add_restored(zipped, tmp_path) == said
    assert [*(tmp_path / SOUNDS).rglob("*")] == [tmp_path / SOUNDS / folder]


def test_a_restored_pack_replaces_the_one_that_was_there_whatever_the_clock_says(oche: Saying, config: Path) -> None:
    state = config.parent / "state"
    (pack := state / SOUNDS / "Joey").mkdir(parents=True)
    for name in ("180.mp3", "notes.mp3"):
        (pack / name).write_bytes(MP3)
    backup = config.parents[1] / "loud.tar.gz"
    assert oche("backup", "--sounds", backup, "--config", config).status == 0
    (pack / "180.mp3").write_bytes(WAV)
    os.utime(pack, (4_000_000_000, 4_000_000_000))
    assert restore(oche, backup, config).status == 0
    assert (state / NOTED.format(SOUNDS)).exists()
    add_all(state)
    assert (pack / "180.mp3").read_bytes() == MP3


def test_what_becomes_of_a_restored_pack_is_said_with_its_name(tmp_path: Path) -> None:
    (zipped := tmp_path / "sounds.1.zip").write_bytes(make_zip({"Joey/180.mp3": MP3, "Joey/readme.txt": b""}))
    assert add_restored(zipped, tmp_path) == (
        "the sound pack Joey of the backup was added (sounds: 1); "
        "left out, because not a sound or too long: Joey/readme.txt"
    )
    zipped.write_bytes(make_zip({"Joey/180.mp3": MP3, "Zoe/180.mp3": MP3}))
    with pytest.raises(UserError, match=r"^sounds\.1\.zip: this zip contains several packs"):
        add_restored(zipped, tmp_path)
