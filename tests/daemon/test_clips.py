"""Clips of moments: what is taken for one, how many are kept, and who and what has them deleted."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from msgspec.structs import replace

from daemon.admin.answers import Refused
from daemon.admin.clips import clip_files, clips
from daemon.admin.clips.clip_files import FOLDER, find_ending, keep_clip, list_clips, read_clip, remove_clip
from daemon.admin.history.forget import delete_matches, forget_player, write_neutral_names
from daemon.admin.players.book import PlayerBook
from daemon.admin.requests import MOST_CLIP_BYTES, AddClip, ChangePlayer
from daemon.assemble import RunningDaemon, run_daemon
from daemon.errors import UserError
from tests.commanding import give
from tests.daemon.backups import list_names, make_backup, play_evening
from tests.daemon.evening.script import STILL
from tests.daemon.evenings import Evening
from tests.daemon.process import Saying
from tests.page.playing import setup

JSON = dict[str, Any]  # Any: JSON
WEBM = b"\x1aE\xdf\xa3\x9fB\x86\x81\x01B\xf7\x81\x01B\xf2\x81\x04B\xf3\x81\x08B\x82\x84webm" + bytes(200)
MP4 = b"\x00\x00\x00\x1cftypisom" + bytes(200)
JPEG = STILL + bytes(200)
ABOUT = ("a1", 7, "180")


@asynccontextmanager
async def filming(folder: Path, broker_port: int, clips: int = 10) -> AsyncIterator[RunningDaemon]:
    """A daemon that keeps so many clips, where Ann and Bo play."""
    checked = setup(folder, broker_port)
    config = replace(checked.config, web=replace(checked.config.web, clips=clips))
    async with run_daemon(replace(checked, config=config)) as running:
        yield running


@pytest.fixture
async def running(tmp_path: Path, unused_tcp_port: int) -> AsyncIterator[RunningDaemon]:
    async with filming(tmp_path, unused_tcp_port) as running:
        yield running


@pytest.fixture
async def web(running: RunningDaemon) -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(running.page) as web:
        yield web


async def send(
    web: aiohttp.ClientSession, match: str, content: bytes = WEBM, status: int = 200, line: int = 1, moment: str = "180"
) -> JSON:
    query = {"match": match, "line": str(line), "moment": moment}
    async with web.post("/api/clips", params=query, data=BytesIO(content)) as answer:
        assert answer.status == status, await answer.text()
        found: JSON = await answer.json(content_type=None) if "json" in answer.content_type else {}
        return found


async def list_all(web: aiohttp.ClientSession, match: str = "") -> list[str]:
    async with web.get("/api/clips", params={"match": match}) as answer:
        return [each["clip"] for each in (await answer.json())["clips"]]


async def post(web: aiohttp.ClientSession, path: str, body: JSON, status: int = 200) -> None:
    async with web.post(path, json=body) as answer:
        assert answer.status == status, await answer.text()


@pytest.mark.parametrize(("content", "ending"), [(WEBM, "webm"), (MP4, "mp4"), (JPEG, "jpg")])
def test_a_clip_is_what_its_bytes_are(content: bytes, ending: str) -> None:
    assert find_ending(content) == ending


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<html><script>alert(1)</script>",
        b"\x1aE\xdf\xa3<html>matroska or anything else",
        b"\xff\xd8\xff<svg onload=alert(1)>",
        JPEG.replace(b"\x01\x0e\x01\xe0", b"\x7f\xff\x7f\xff"),
        WEBM + bytes(MOST_CLIP_BYTES),
        JPEG + bytes(clip_files.MOST_STILL_BYTES),
    ],
)
def test_nothing_else_is_taken_for_one(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(UserError):
        keep_clip(tmp_path, ABOUT, content, 10)
    assert list_clips(tmp_path) == []


@pytest.mark.parametrize("about", [("../a", 7, "180"), ("a1", 0, "180"), ("a1", 7, "x/../y"), ("a1", 7, "x" * 41)])
def test_no_name_leads_out_of_the_folder(tmp_path: Path, about: tuple[str, int, str]) -> None:
    with pytest.raises(UserError):
        keep_clip(tmp_path, about, WEBM, 10)
    assert list_clips(tmp_path) == []


def test_the_oldest_go_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = []
    for number in range(1, 6):
        kept.append(keep_clip(tmp_path, ("a1", number, "180"), WEBM, 3).clip)
        os.utime(tmp_path / FOLDER / kept[-1], (number, number))  # clocks of disks are coarse
    assert [each.clip for each in list_clips(tmp_path)] == kept[2:]
    monkeypatch.setattr(clip_files, "MOST_BYTES_IN_ALL", 2 * len(WEBM))
    kept.append(keep_clip(tmp_path, ("a1", 6, "180"), WEBM, 3).clip)
    assert [each.clip for each in list_clips(tmp_path)] == kept[4:]
    assert sorted(path.name for path in (tmp_path / FOLDER).iterdir()) == sorted(kept[4:])


def test_what_was_put_there_by_hand_is_not_served(tmp_path: Path) -> None:
    clip = keep_clip(tmp_path, ABOUT, WEBM, 10).clip
    place = tmp_path / FOLDER
    assert read_clip(tmp_path, clip) == ("video/webm", WEBM)
    (place / clip).write_bytes(b"<html>")
    assert read_clip(tmp_path, clip) is None
    (tmp_path / "secret").write_bytes(WEBM)
    (place / clip).unlink()
    (place / clip).symlink_to(tmp_path / "secret")
    assert list_clips(tmp_path) == []
    with pytest.raises(OSError, match="symbolic"):
        read_clip(tmp_path, clip)
    assert remove_clip(tmp_path, clip)
    assert (tmp_path / "secret").exists()
    assert not remove_clip(tmp_path, "../secret")


async def test_a_clip_of_the_current_match_is_kept_told_and_served(
    running: RunningDaemon, web: aiohttp.ClientSession
) -> None:
    table = running.tables["main"]
    await give(table, {"throw": "T20"}, "page")
    async with web.get("/api/table/main/events") as events:
        kept = await send(web, table.match_id, line=2)
        async for line in events.content:
            if line == b"event: clip\n":
                break
        assert kept["clip"].encode() in await events.content.readline()
    assert (kept["match"], kept["line"], kept["moment"], kept["kind"]) == (table.match_id, 2, "180", "video")
    async with web.get(f"/api/clips/{kept['clip']}") as answer:
        assert await answer.read() == WEBM
        assert answer.headers["Content-Type"] == "video/webm"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert "sandbox" in answer.headers["Content-Security-Policy"]
    assert await list_all(web, table.match_id) == [kept["clip"]]
    assert await list_all(web, "another") == []
    await post(web, "/api/clips/remove", {"clip": kept["clip"]})
    await post(web, "/api/clips/remove", {"clip": kept["clip"]}, 404)
    assert await list_all(web) == []


async def test_what_belongs_to_no_match_is_refused_in_a_sentence(
    running: RunningDaemon, web: aiohttp.ClientSession
) -> None:
    match = running.tables["main"].match_id
    await send(web, "another", status=404)
    await send(web, match, line=99, status=400)
    await send(web, match, b"<html>", status=400)
    await send(web, match, WEBM + bytes(MOST_CLIP_BYTES), status=413)
    refused = await send(web, match, moment="no moment", status=400)
    assert refused["error"]["key"] == "clips.moment"
    assert await list_all(web) == []


async def test_off_unless_it_is_set(tmp_path: Path, unused_tcp_port: int) -> None:
    async with (
        filming(tmp_path, unused_tcp_port, clips=0) as running,
        aiohttp.ClientSession(running.page) as web,
    ):
        await send(web, running.tables["main"].match_id, status=404)
    assert not (tmp_path / FOLDER).exists()


async def test_who_said_no_is_not_filmed_under_any_name(
    tmp_path: Path, running: RunningDaemon, web: aiohttp.ClientSession
) -> None:
    match = running.tables["main"].match_id
    await send(web, match)
    await post(web, "/api/players", {"name": "Bo", "filmed": False})  # who was in no book
    assert await list_all(web) == [], "what was kept of this match is gone"
    await send(web, match, status=400)
    await post(web, "/api/players/rename", {"name": "Bo", "to": "Bob"})
    await send(web, match, status=400)
    await post(web, "/api/players/merge", {"name": "Bob", "to": "Cy"})
    assert (await send(web, match, status=400))["error"]["key"] == "clips.said_no"
    assert PlayerBook(tmp_path).list_unfilmed() == {"bo", "bob", "cy"}
    await post(web, "/api/players/split", {"name": "Bob"})
    assert PlayerBook(tmp_path).list_unfilmed() == {"bo", "bob", "cy"}, "also where the merge is undone"
    await post(web, "/api/players", {"name": "Cy", "filmed": True})
    await send(web, match)


async def test_what_was_kept_goes_with_a_merge_into_one_who_said_no(
    running: RunningDaemon, web: aiohttp.ClientSession
) -> None:
    match = running.tables["main"].match_id
    await post(web, "/api/players", {"name": "Cy", "filmed": False})
    await send(web, match)
    await post(web, "/api/players", {"name": "Bo", "hand": "left"})
    assert len(await list_all(web)) == 1, "Cy is not in this match"
    await post(web, "/api/players/merge", {"name": "Bo", "to": "Cy"})
    assert await list_all(web) == []


async def test_a_profile_of_someone_who_may_be_filmed_needs_no_clips(
    tmp_path: Path, running: RunningDaemon, web: aiohttp.ClientSession
) -> None:
    """Though their folder cannot be read, as where its disk is not there."""
    (tmp_path / FOLDER).write_bytes(b"")
    await post(web, "/api/players", {"name": "Bo", "colour": 3})
    await post(web, "/api/players/merge", {"name": "Bo", "to": "Cy"})
    await post(web, "/api/players", {"name": "Ann", "filmed": False}, status=503)


async def test_what_was_kept_goes_with_the_first_clip_after_a_merge_by_the_command(
    tmp_path: Path, running: RunningDaemon, web: aiohttp.ClientSession
) -> None:
    match = running.tables["main"].match_id
    PlayerBook(tmp_path).change(ChangePlayer("Cy", filmed=False))
    await send(web, match)
    PlayerBook(tmp_path).merge("Cy", "Bo")
    assert (await send(web, match, status=400))["error"]["key"] == "clips.said_no"
    assert await list_all(web) == []


async def test_who_says_no_while_a_clip_is_written_is_not_kept(
    tmp_path: Path, running: RunningDaemon, web: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = running.tables["main"].match_id

    def keep_later(folder: Path, about: tuple[str, int, str], content: bytes, most: int) -> clip_files.Clip:
        PlayerBook(tmp_path).change(ChangePlayer("Bo", filmed=False))
        return keep_clip(folder, about, content, most)

    monkeypatch.setattr(clips, "keep_clip", keep_later)
    assert (await send(web, match, status=400))["error"]["key"] == "clips.said_no"
    assert await list_all(web) == []


async def test_who_is_forgotten_while_a_clip_is_written_is_not_kept(
    running: RunningDaemon, web: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, loop = running.tables["main"], asyncio.get_running_loop()
    await give(table, {"stop": True}, "page")

    def keep_before(*given: Any) -> clip_files.Clip:  # Any: as it is there
        kept = keep_clip(*given)
        rewriting = table.rewrite_header(partial(write_neutral_names, keys=["bo"]))
        asyncio.run_coroutine_threadsafe(rewriting, loop).result()
        return kept

    monkeypatch.setattr(clips, "keep_clip", keep_before)
    assert (await send(web, table.match_id, status=404))["error"]["key"] == "clips.no_match"
    assert await list_all(web) == []


async def test_a_clip_that_is_kept_as_its_player_is_forgotten_goes(
    tmp_path: Path, running: RunningDaemon, web: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = running.tables["main"]
    await give(table, {"stop": True}, "page")
    rewrite_header = table.rewrite_header

    async def rewrite_later(*given: Any) -> None:  # Any: as it is there
        keep_clip(tmp_path, (table.match_id, 1, "180"), WEBM, 10)
        await rewrite_header(*given)

    monkeypatch.setattr(table, "rewrite_header", rewrite_later)
    await post(web, "/api/players/forget", {"name": "Bo", "sure": True})
    assert await list_all(web) == []


async def test_a_clip_that_waits_for_its_turn_is_of_the_people_of_its_match(
    tmp_path: Path, running: RunningDaemon
) -> None:
    """Though others play the next one by then, who may be filmed."""
    table, kept = running.tables["main"], clips.Clips(tmp_path, running.tables, 10, lambda *_: None)
    PlayerBook(tmp_path).change(ChangePlayer("Bo", filmed=False))
    async with kept._turn:  # noqa: SLF001  another clip is written
        adding = asyncio.create_task(kept.ask(AddClip(table.match_id, "1", "180", WEBM)))
        await asyncio.sleep(0)
        await give(table, {"start": {"game": "x01", "players": ["Ann", "Cy"]}}, "page")
    with pytest.raises(Refused, match=r"clips\.said_no"):
        await adding
    assert list_clips(tmp_path) == []


@pytest.mark.parametrize(
    ("wanted", "status", "part", "said"),
    [
        ({"Range": "bytes=0-1"}, 206, WEBM[:2], f"bytes 0-1/{len(WEBM)}"),
        ({"Range": "bytes=200-"}, 206, WEBM[200:], f"bytes 200-{len(WEBM) - 1}/{len(WEBM)}"),
        ({"Range": "bytes=-3"}, 206, WEBM[-3:], f"bytes {len(WEBM) - 3}-{len(WEBM) - 1}/{len(WEBM)}"),
        ({"Range": "bytes=5-99999"}, 206, WEBM[5:], f"bytes 5-{len(WEBM) - 1}/{len(WEBM)}"),
        ({"Range": "bytes=99999-"}, 416, b"", f"bytes */{len(WEBM)}"),
        ({"Range": "bytes=-"}, 200, WEBM, None),
        ({"Range": "bytes=9-1"}, 200, WEBM, None),
        ({"Range": "bytes=0-1,4-5"}, 200, WEBM, None),
        ({"Range": "bytes=0-1", "If-Range": '"another"'}, 200, WEBM, None),
    ],
)
async def test_a_part_of_a_film_is_sent_to_a_browser_that_asks_for_it(
    running: RunningDaemon,
    web: aiohttp.ClientSession,
    wanted: dict[str, str],
    status: int,
    part: bytes,
    said: str | None,
) -> None:
    kept = await send(web, running.tables["main"].match_id)
    async with web.get(f"/api/clips/{kept['clip']}", headers=wanted) as answer:
        assert (answer.status, await answer.read(), answer.headers.get("Content-Range")) == (status, part, said)
        assert answer.headers["Accept-Ranges"] == "bytes"


@pytest.mark.slow
async def test_a_forgotten_players_clips_go_with_the_names(
    tmp_path: Path, running: RunningDaemon, web: aiohttp.ClientSession
) -> None:
    table = running.tables["main"]
    former = table.match_id
    await send(web, former)
    await give(table, {"start": {"game": "301", "players": ["Ann", "Cy"]}}, "page")
    await send(web, table.match_id)
    await give(table, {"stop": True}, "page")
    await post(web, "/api/players/forget", {"name": "Cy"})
    assert len(await list_all(web)) == 2, "it was only asked"
    await post(web, "/api/players/forget", {"name": "Cy", "sure": True})
    assert await list_all(web, table.match_id) == []
    assert len(await list_all(web, former)) == 1
    await post(web, "/api/players/forget", {"name": "Bo", "sure": True})
    assert await list_all(web) == []


def test_deleting_a_match_or_forgetting_without_a_daemon_deletes_its_clips(tmp_path: Path) -> None:
    with Evening(tmp_path) as evening:
        matches = [evening.play("T20 S1 D20", players=["Ann", each], options={"start": 101}) for each in ("Bo", "Cy")]
    for match in matches:
        keep_clip(tmp_path, (match, 4, "match_won"), WEBM, 10)
    assert forget_player(tmp_path, ["bo"], is_dry_run=True).matches == 1
    assert len(list_clips(tmp_path)) == 2
    forget_player(tmp_path, ["bo"])
    assert [each.match for each in list_clips(tmp_path)] == [matches[1]]
    delete_matches(tmp_path, [matches[1]])
    assert list_clips(tmp_path) == []


def test_a_clip_whose_match_no_journal_has_goes_when_a_player_is_forgotten(tmp_path: Path) -> None:
    """As where an older backup was put back: the forgotten player may be in it."""
    with Evening(tmp_path) as evening:
        former = evening.play("T20 S1 D20", players=["Ann", "Bo"], options={"start": 101})
        latest = evening.play("T20 S1 D20", players=["Ann", "Di"], options={"start": 101})
    for match in ("lost", former, latest):
        keep_clip(tmp_path, (match, 4, "match_won"), WEBM, 10)
    forget_player(tmp_path, ["cy"], is_dry_run=True)
    assert len(list_clips(tmp_path)) == 3
    forget_player(tmp_path, ["cy"], tables=["main"])
    assert {each.match for each in list_clips(tmp_path)} == {former, latest}


def test_a_clip_whose_journal_cannot_be_read_goes_when_a_player_is_forgotten(tmp_path: Path) -> None:
    with Evening(tmp_path) as evening:
        match = evening.play("T20 S1 D20", players=["Ann", "Bo"], options={"start": 101})
    keep_clip(tmp_path, (match, 4, "match_won"), WEBM, 10)
    (tmp_path / "main.sqlite3").write_bytes(b"no journal")
    assert [each for each in forget_player(tmp_path, ["ann"]).left if "main.sqlite3" in each]
    assert list_clips(tmp_path) == []


def test_a_backup_has_no_clips_but_who_said_no(tmp_path: Path, oche: Saying) -> None:
    config = play_evening(tmp_path)
    state = config.parent / "state"
    keep_clip(state, ("a1", 4, "match_won"), WEBM, 10)
    PlayerBook(state).change(ChangePlayer("Bo", filmed=False))
    names = list_names(make_backup(oche, config))
    assert "state/players.db" in names
    assert not any(FOLDER in name for name in names)
