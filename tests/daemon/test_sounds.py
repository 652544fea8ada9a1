"""Sound packs: in the layout that people have, uploaded as a zip that may be hostile, and served to the page."""

from __future__ import annotations

import asyncio
import io
import os
import shutil
import stat
import struct
import tempfile
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import aiohttp
import pytest

from daemon.admin.process import WorkerProcess
from daemon.admin.requests import ListSounds
from daemon.admin.sounds import unpack
from daemon.admin.sounds.sounds import Sounds
from daemon.admin.sounds.unpack import add_pack, remove_pack
from daemon.admin.temporary import remove_unfinished
from daemon.errors import UserError
from daemon.sound_packs import (
    MOST_FILE_BYTES,
    MOST_FILES,
    SOUNDS,
    find_key,
    find_kind,
    find_packs,
    read_index,
    read_sound,
)
from protocol.sentence import Sentence
from tests.daemon.test_settings import post, serve, write_file

WAV = b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x40\x1f\0\0\1\0\x08\0data\0\0\0\0"
MP3, OGG = b"\xff\xfb\x90\x00" + bytes(100), b"OggS" + bytes(30)


def make_zip(members: Mapping[str, bytes], method: int = ZIP_DEFLATED) -> bytes:
    """Returns a zip of these files."""
    out = io.BytesIO()
    with ZipFile(out, "w", method) as zipped:
        for name, content in members.items():
            zipped.writestr(name, content)
    return out.getvalue()


def add(folder: Path, content: bytes, name: str = "mine.zip") -> unpack.Unpacked:
    """Adds a pack to the state in this folder."""
    file = folder / "upload"
    file.write_bytes(content)
    state = folder / "state"
    state.mkdir(exist_ok=True)
    return add_pack(file, name, state)


def list_files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def refuse(folder: Path, content: bytes) -> str:
    """Returns the key of the sentence with which this zip is refused; nothing stays of it."""
    with pytest.raises(UserError) as refused:
        add(folder, content)
    assert list_files(folder / "state") == []
    assert isinstance(refused.value.said, Sentence)
    return refused.value.said.key


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("180.mp3", "180"),
        ("180+2.mp3", "180"),
        ("180+loud.wav", "180"),
        ("Ann.MP3", "ann"),
        ("c_40.ogg", "c_40"),
        ("Ju\u0308rgen.mp3", "j\xfcrgen"),
    ],
)
def test_the_key_of_a_file_is_its_name_up_to_the_plus(name: str, key: str) -> None:
    assert find_key(name) == key


def test_a_sound_is_known_by_how_it_begins() -> None:
    kinds = [find_kind(each) for each in (WAV, MP3, OGG, b"ID3\4", b"<html>", b"RIFF1234AVI ", b"", b"\xff")]
    assert kinds == ["audio/wav", "audio/mpeg", "audio/ogg", "audio/mpeg", None, None, None, None]


def test_a_pack_is_called_as_its_folder_and_has_its_sounds_alone(tmp_path: Path) -> None:
    members = {
        "en-US-Joey-Male-v3/": b"",
        "en-US-Joey-Male-v3/180.mp3": MP3,
        "en-US-Joey-Male-v3/180+2.WAV": WAV,
        "en-US-Joey-Male-v3/Jürgen.ogg": OGG,
        "en-US-Joey-Male-v3/readme.txt": b"by Joey",
        "en-US-Joey-Male-v3/+1.mp3": MP3,
        "en-US-Joey-Male-v3/page.mp3": b"<html>",
        "en-US-Joey-Male-v3/long.wav": WAV + bytes(MOST_FILE_BYTES),
        "__MACOSX/en-US-Joey-Male-v3/._180.mp3": b"Mac",
        "en-US-Joey-Male-v3/.DS_Store": b"Mac",
    }
    added = add(tmp_path, make_zip(members), "download.zip")
    assert (added.pack, added.files, added.left_out) == ("en-us-joey-male", 3, 4)
    assert {each.rpartition("/")[2] for each in added.left_out_names} == {
        "readme.txt",
        "+1.mp3",
        "page.mp3",
        "long.wav",
    }
    state = tmp_path / "state"
    pack = find_packs(state)["en-us-joey-male"]
    assert (pack.version, list_files(state)) == (
        3,
        [f"{SOUNDS}/en-us-joey-male-v3/{name}" for name in ("180+2.wav", "180.mp3", "jürgen.ogg")],
    )
    assert read_index(pack).keys == {"180": ("180+2.wav", "180.mp3"), "jürgen": ("jürgen.ogg",)}
    assert read_sound(pack, "180.mp3") == ("audio/mpeg", MP3)


@pytest.mark.parametrize(
    ("file", "pack"),
    [
        ("Joey.ZIP", "joey"),
        ("joey-v3 (1).zip", "joey"),
        ("joey(12).zip", "joey"),
        (unicodedata.normalize("NFD", "Jörg.zip"), "jörg"),
    ],
)
def test_a_zip_may_be_named_as_computers_name_it(tmp_path: Path, file: str, pack: str) -> None:
    assert add(tmp_path, make_zip({"180.mp3": MP3}), file).pack == pack
    assert [*find_packs(tmp_path / "state")] == [pack]


def test_a_folder_that_a_mac_has_named_is_found_by_its_name(tmp_path: Path) -> None:
    folder = unicodedata.normalize("NFD", "Jörg")
    assert add(tmp_path, make_zip({f"{folder}/180.mp3": MP3})).pack == "jörg"
    (tmp_path / "state" / SOUNDS / unicodedata.normalize("NFD", "Käthe")).mkdir()
    assert {*find_packs(tmp_path / "state")} == {"jörg", "käthe"}


def test_of_two_versions_the_higher_one_is_used_and_ones_own_before_an_installed_one(tmp_path: Path) -> None:
    state, installed = tmp_path / "state", tmp_path / "installed"
    for folder in (state / "sounds/joey-v9", state / "sounds/joey-v10", installed / "joey-v11", installed / "box"):
        folder.mkdir(parents=True)
        (folder / "180.wav").write_bytes(WAV)
    found = find_packs(state, installed)
    assert {name: (pack.version, pack.is_installed) for name, pack in found.items()} == {
        "joey": (10, False),
        "box": (0, True),
    }
    assert remove_pack("joey", state)
    assert not remove_pack("box", state)
    assert list_files(state) == []
    assert find_packs(state, installed)["joey"].is_installed
    assert find_packs(tmp_path / "none", tmp_path / "none") == {}


def test_a_second_upload_takes_the_place_of_the_first(tmp_path: Path) -> None:
    add(tmp_path, make_zip({"180.mp3": MP3, "0.mp3": MP3}))
    tag = read_index(find_packs(tmp_path / "state")["mine"]).tag
    add(tmp_path, make_zip({"180.ogg": OGG}))
    assert list_files(tmp_path / "state") == [f"{SOUNDS}/mine/180.ogg"]
    assert read_index(find_packs(tmp_path / "state")["mine"]).tag != tag
    with pytest.raises(UserError):
        add(tmp_path, make_zip({"180.ogg": OGG, "../evil.ogg": OGG}))
    assert list_files(tmp_path / "state") == [f"{SOUNDS}/mine/180.ogg"], "whole, or not at all"


@pytest.mark.parametrize("copied", ["Joey-v3", unicodedata.normalize("NFD", "jürgen")])
def test_an_upload_takes_the_place_of_a_folder_that_was_copied_by_hand(tmp_path: Path, copied: str) -> None:
    (folder := tmp_path / "state" / SOUNDS / copied).mkdir(parents=True)
    (folder / "0.mp3").write_bytes(MP3)
    added = add(tmp_path, make_zip({"180.ogg": OGG}), f"{copied}.zip")
    assert read_index(find_packs(tmp_path / "state")[added.pack]).keys == {"180": ("180.ogg",)}
    assert len([*folder.parent.iterdir()]) == 1


@pytest.mark.parametrize("cut", ["replace", "rmtree"])
def test_a_pack_survives_the_end_of_the_daemon_while_it_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cut: str
) -> None:
    """A child is killed as the new folder gets its name, or as the first file of the former one goes."""
    add(tmp_path, make_zip({"180.mp3": MP3}))
    child = os.fork()
    if not child:
        monkeypatch.setattr(Path if cut == "replace" else shutil, cut, lambda *_, **__: os._exit(0))
        add(tmp_path, make_zip({"180.ogg": OGG}))
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0, "it was cut off"
    remove_unfinished(tmp_path / "state")
    kept = "180.mp3" if cut == "replace" else "180.ogg"
    assert list_files(tmp_path / "state") == [f"{SOUNDS}/mine/{kept}"]


def test_the_packs_can_be_on_another_disk(tmp_path: Path) -> None:
    elsewhere = Path(tempfile.mkdtemp(dir="/dev/shm"))
    try:
        assert elsewhere.stat().st_dev != tmp_path.stat().st_dev, "this tries nothing"
        (tmp_path / "state").mkdir()
        (tmp_path / "state" / SOUNDS).symlink_to(elsewhere)
        add(tmp_path, make_zip({"180.mp3": MP3}))
        add(tmp_path, make_zip({"180.ogg": OGG}))
        assert list_files(elsewhere) == ["mine/180.ogg"]
        assert remove_pack("mine", tmp_path / "state")
        assert [*elsewhere.iterdir()] == []
    finally:
        shutil.rmtree(elsewhere)


def test_it_is_said_that_a_higher_version_stays_in_use(tmp_path: Path) -> None:
    content = make_zip({"180.mp3": MP3})
    told = [add(tmp_path, content, f"{name}.zip").used_version for name in ("joey-v3", "joey-v2", "joey", "joey-v4")]
    assert told == [None, 3, 3, None]


def make_link() -> bytes:
    out = io.BytesIO()
    with ZipFile(out, "w") as zipped:
        link = ZipInfo("180.mp3")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        zipped.writestr(link, "/etc/shadow")
    return out.getvalue()


def make_encrypted() -> bytes:
    content = bytearray(make_zip({"180.mp3": MP3}, ZIP_STORED))
    content[6] |= 1
    content[content.rindex(b"PK\1\2") + 8] |= 1
    return bytes(content)


def make_liar() -> bytes:
    """A file that says that it has few bytes."""
    content = bytearray(make_zip({"180.wav": WAV + bytes(MOST_FILE_BYTES * 3)}))
    struct.pack_into("<L", content, content.rindex(b"PK\1\2") + 24, len(WAV))
    return bytes(content)


def make_far() -> bytes:
    """A file that says that it begins where no file has a byte."""
    content = bytearray(make_zip({"180.mp3": MP3}, ZIP_STORED))
    at, end = content.rindex(b"PK\1\2"), content.rindex(b"PK\5\6")
    extra = struct.pack("<HHQ", 1, 8, (1 << 63) - 1)
    struct.pack_into("<H", content, at + 30, len(extra))
    struct.pack_into("<L", content, at + 42, 0xFFFFFFFF)
    struct.pack_into("<L", content, end + 12, end - at + len(extra))
    return bytes(content[:end] + extra + content[end:])


HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "out": (lambda: make_zip({"../../180.mp3": MP3}), "zip.path"),
    "absolute": (lambda: make_zip({"/etc/cron.d/180.mp3": MP3}), "zip.path"),
    "drive": (lambda: make_zip({"C:180.mp3": MP3}), "zip.path"),
    "link": (make_link, "zip.link"),
    "password": (make_encrypted, "zip.encrypted"),
    "method": (lambda: make_zip({"180.mp3": MP3}, ZIP_BZIP2), "zip.method"),
    "many": (lambda: make_zip({f"{n}.mp3": MP3 for n in range(MOST_FILES + 1)}, ZIP_STORED), "sounds.many"),
    "list": (lambda: make_zip({f"{n}{'x' * 190}.txt": b"" for n in range(9000)}, ZIP_STORED), "zip.damaged"),
    "several": (lambda: make_zip({"ann/180.mp3": MP3, "bo/180.mp3": MP3}), "sounds.folders"),
    "cut": (lambda: make_zip({"180.mp3": MP3})[:-30], "zip.damaged"),
    "flipped": (
        lambda: make_zip({"180.mp3": MP3}, ZIP_STORED).replace(b"\xff\xfb\x90", b"\xff\xfb\x91"),
        "zip.damaged",
    ),
    "no_zip": (lambda: MP3, "zip.damaged"),
    "nothing": (lambda: b"", "zip.damaged"),
    "empty": (lambda: make_zip({"readme.txt": b"soon"}), "sounds.empty"),
    "folder name": (lambda: make_zip({"a%b/180.mp3": MP3}), "zip.folder_name"),
    "far": (make_far, "zip.damaged"),
    "liar": (make_liar, "zip.damaged"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_zip_is_refused_and_leaves_nothing(tmp_path: Path, kind: str) -> None:
    make, key = HOSTILE[kind]
    assert refuse(tmp_path, make()) == key


def test_what_comes_out_is_counted_whatever_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bomb: each file is left out for its length, and all of them together would take hours."""
    monkeypatch.setattr(unpack, "MOST_BYTES", 3 * MOST_FILE_BYTES)
    bomb = make_zip({f"{n}.wav": WAV + bytes(2 * MOST_FILE_BYTES) for n in range(5)})
    assert refuse(tmp_path, bomb) == "zip.large"


def test_only_sounds_of_the_pack_are_read(tmp_path: Path) -> None:
    add(tmp_path, make_zip({"180.mp3": MP3}))
    state = tmp_path / "state"
    pack = find_packs(state)["mine"]
    (state / "secret.mp3").write_bytes(MP3)
    (pack.folder / "link.mp3").symlink_to(state / "secret.mp3")
    (pack.folder / "page.mp3").write_bytes(b"<html>")
    (pack.folder / "long.mp3").write_bytes(MP3 + bytes(MOST_FILE_BYTES))
    (state / SOUNDS / "linked").symlink_to(state)
    for name in ("../../secret.mp3", "page.mp3", "long.mp3", "none.mp3", ".mp3", "180", "", "\0.mp3"):
        assert read_sound(pack, name) is None, name
    with pytest.raises(OSError, match="symbolic links"):
        read_sound(pack, "link.mp3")
    assert {*read_index(pack).keys} == {"180", "page", "long"}, "a link is none"
    assert {*find_packs(state)} == {"mine"}


@contextmanager
def unreadable(folder: Path, monkeypatch: pytest.MonkeyPatch, *packs: str) -> Iterator[Path]:
    """Yields the path of this state folder, while nobody may read these packs in it: not even root, who runs tests."""
    monkeypatch.chdir(folder)  # the whole path is closed to others
    folder.chmod(0o755)
    for pack in packs:
        (folder / SOUNDS / pack).chmod(0)
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        yield Path()
    finally:
        os.seteuid(user)
        for pack in packs:
            (folder / SOUNDS / pack).chmod(0o755)


async def test_a_pack_that_cannot_be_read_is_named_beside_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("joey", "zoe"):
        (tmp_path / SOUNDS / name).mkdir(parents=True)
        (tmp_path / SOUNDS / name / "180.mp3").write_bytes(MP3)
    with unreadable(tmp_path, monkeypatch, "joey") as state:
        sounds = Sounds(state, WorkerProcess(state, {}), state / "none")
        found = cast("dict[str, Any]", await sounds.ask(ListSounds()))  # Any: JSON
    assert [each.pack for each in found["packs"]] == ["zoe"]
    (broken,) = found["unreadable"]
    assert (broken["pack"], broken["why"]["text"]) == ("joey", "the sound pack joey cannot be read: permission denied")


def test_an_upload_takes_the_place_of_a_link_and_leaves_what_it_leads_to(tmp_path: Path) -> None:
    (kept := tmp_path / "kept").mkdir()
    (kept / "0.mp3").write_bytes(MP3)
    (packs := tmp_path / "state" / SOUNDS).mkdir(parents=True)
    (packs / "mine").symlink_to(kept)
    add(tmp_path, make_zip({"180.ogg": OGG}))
    assert [path.name for path in packs.iterdir()] == ["mine"]
    assert list_files(tmp_path / "state") == [f"{SOUNDS}/mine/180.ogg"]
    assert [path.name for path in kept.iterdir()] == ["0.mp3"]


async def send(client: aiohttp.ClientSession, content: bytes, name: str) -> tuple[int, dict[str, object]]:
    async with client.post("/api/sounds", params={"name": name}, data=content) as answer:
        return answer.status, await answer.json()


@pytest.mark.slow
async def test_a_pack_is_uploaded_served_and_removed(tmp_path: Path, unused_tcp_port: int) -> None:
    async with serve(write_file(tmp_path, unused_tcp_port)) as client:
        assert await (await client.get("/api/sounds")).json() == {"v": 1, "packs": []}
        status, told = await send(client, make_zip({"180.mp3": MP3, "notes.txt": b""}), "Uncle Bob.zip")
        assert (status, told) == (
            200,
            {
                "v": 1,
                "pack": "uncle bob",
                "files": 1,
                "left_out": 1,
                "left_out_names": ["notes.txt"],
                "used_version": None,
            },
        )
        status, told = await send(client, make_zip({"../180.mp3": MP3}), "evil.zip")
        assert (status, told["error"]["key"]) == (400, "zip.path")  # type: ignore[index]
        listed = (await (await client.get("/api/sounds")).json())["packs"]
        assert listed == [{"pack": "uncle bob", "version": 0, "files": 1, "bytes": len(MP3), "installed": False}]
        async with client.get("/api/sounds/uncle%20bob") as answer:
            index = await answer.json()
        assert (index["pack"], index["keys"]) == ("uncle bob", {"180": ["180.mp3"]})
        async with client.get("/sounds/uncle%20bob/180.mp3", params={"tag": index["tag"]}) as answer:
            assert (await answer.read(), answer.headers["Content-Type"]) == (MP3, "audio/mpeg")
            assert "immutable" in answer.headers["Cache-Control"]
            tag = answer.headers["ETag"]
        recording = tmp_path / "state" / SOUNDS / "uncle bob" / "180.mp3"
        await asyncio.to_thread(recording.write_bytes, MP3 + b"by hand")
        async with client.get("/sounds/uncle%20bob/180.mp3", params={"tag": index["tag"]}) as answer:
            assert (await answer.read(), answer.headers["Cache-Control"]) == (MP3 + b"by hand", "no-cache")
        async with client.get("/api/sounds/uncle%20bob") as answer:
            assert (await answer.json())["tag"] != index["tag"]
        await asyncio.to_thread(recording.write_bytes, MP3)
        async with client.get("/sounds/uncle%20bob/180.mp3", headers={"If-None-Match": tag}) as answer:
            assert (answer.status, answer.headers["Cache-Control"]) == (304, "no-cache")
        others = ("sounds/none/180.mp3", "sounds/uncle%20bob/181.mp3", "sounds/uncle%20bob/..%2F..%2Flock")
        for path in ("api/sounds/none", *others):
            async with client.get(f"/{path}") as answer:
                assert answer.status == 404, path
        assert (await post(client, "/api/sounds/remove", {"pack": "uncle bob"}))[0] == 200
        assert (await post(client, "/api/sounds/remove", {"pack": "uncle bob"}))[0] == 404
        assert await asyncio.to_thread(list_files, tmp_path / "state" / SOUNDS) == []
