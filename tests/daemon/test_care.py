"""Care over HTTP and `oche report`: a real daemon makes the report, the backup and the new start; guests get none."""

from __future__ import annotations

import asyncio
import io
import json
import os
import shutil
import socket
import sqlite3
import tarfile
import threading
import tomllib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from zipfile import ZipFile

import aiohttp
import pytest

from daemon.admin.art.packs import MOST_BYTES
from daemon.admin.players.book import PlayerBook
from daemon.admin.requests import ChangePlayer
from daemon.admin.temporary import ART
from daemon.sound_packs import SOUNDS
from daemon.web.token import make_setup_token, make_token
from drivers.replay import check_recording
from protocol.camera import MAGIC, THROW, throw_image, wrap
from simulator.pty_board import PtyBoard
from tests.daemon.process import Saying, eventually, journal, throw
from tests.daemon.process import run as run_oche
from tests.daemon.test_players import PNG
from tests.daemon.test_plugins import NEAREST
from tests.daemon.test_settings import overwrite, post, read, run, serve, started_anew, write_file, written
from tests.daemon.test_sounds import MP3
from tests.manners.guest import ANYWHERE

JSON = Any  # JSON
DARDS = 'game = "dards"\noptions = { mode = "dealt" }\nseed = "hunter2-seed"'


@pytest.fixture
def file(tmp_path: Path, unused_tcp_port: int) -> Path:
    return write_file(tmp_path, unused_tcp_port)


async def fetch(client: aiohttp.ClientSession, path: str) -> bytes:
    """Returns the body of what must be there."""
    async with client.post(path) as answer:
        body = await answer.read()
        assert answer.status == 200, body
        return body


def unzip(data: bytes) -> dict[str, str]:
    """Returns the texts of a report."""
    with ZipFile(io.BytesIO(data)) as packed:
        return {name: packed.read(name).decode() for name in packed.namelist()}


@pytest.mark.slow
async def test_a_report_has_what_a_bug_report_needs(file: Path, tmp_path: Path, board: PtyBoard) -> None:
    overwrite(file, written(file).replace("sim:opendarts", board.address))
    async with serve(file) as client:
        await board.wait_until_open()
        throw(board, "T20", "T19")
        await eventually(lambda: len(journal(tmp_path)) == 2)
        report = unzip(await fetch(client, "/api/care/report"))
        assert report.keys() == {
            *("README.txt", "machine.txt", "doctor.txt", "oche.toml"),
            *("profile/main.toml", "match/main.jsonl", "traffic/main.jsonl"),
        }
        assert "ok       daemon      it is running" in report["doctor.txt"]
        assert 'id = "opendarts"' in report["profile/main.toml"]
        header, *lines = map(json.loads, report["match/main.jsonl"].splitlines())
        assert header["header"]["players"] == ["Ann", "Bo"]
        assert [line["input"] for line in lines] == [{"throw": "T20"}, {"throw": "T19"}]

        recording = tmp_path / "main.jsonl"
        overwrite(recording, report["traffic/main.jsonl"])
        assert check_recording(recording).profile == "opendarts"
        decoded = await run_oche("boards", "decode", "opendarts", recording)
        hits = [json.loads(line) for line in decoded.output.splitlines()]
        assert hits == [{"hit": "T20"}, {"hit": "T19"}]

        typed = tmp_path / "typed.zip"
        command = await run_oche("report", typed, "--config", file)
        assert (command.process.returncode, command.errors.count("\n")) == (0, 1), command.errors
        assert typed.stat().st_mode & 0o777 == 0o600
        again = unzip(typed.read_bytes())
        changing = ("machine.txt", "doctor.txt")
        assert {name: text for name, text in again.items() if name not in changing} == {
            name: text for name, text in report.items() if name not in changing
        }


@pytest.mark.slow
async def test_no_secret_is_in_a_report(tmp_path: Path, unused_tcp_port: int) -> None:
    """None that is written in a file, and none of the match at hand, also where it is over: undo has it go on."""
    file = write_file(tmp_path, unused_tcp_port, web=ANYWHERE, table=DARDS)
    overwrite(tmp_path / "password", "hunter2-password\n")
    mqtt = f'on = false\nusername = "hunter2-user"\npassword_file = "{tmp_path}/password"'
    update = '[bridge]\nupdate_url = "https://darts.example/latest.json?key=hunter2#hunter2"'
    text = "# hunter2-comment\n" + written(file).replace("on = false", mqtt).replace("[bridge]", update)
    webhook = 'url = "https://darts.example/hunter2"\njson = { chat_id = "hunter2" }\nheaders = { X-Key = "hunter2" }'
    rule = 'on = "180"\nthen = { webhook = "phone" }'
    overwrite(file, f'{text}\n[[outlets.webhook]]\nname = "phone"\n{webhook}\n[[outlets.rule]]\n{rule}\n')
    page, setup = make_token(tmp_path / "state"), make_setup_token(tmp_path / "state")
    book = PlayerBook(tmp_path / "state")
    book.change(ChangePlayer(name="Ann", nickname="hunter2-nickname"))
    book.set_picture("Ann", PNG)
    book.set_face("Ann", PNG + b"hunter2")
    async with serve(file, Authorization=f"Bearer {setup}") as client:
        async with client.get("/api/table/main/seats") as seats:
            address = (await seats.json())[0]["url"].partition("seat=")[2]
        async with client.get(f"/api/seat/{address}/events") as events:
            state = await anext(line async for line in events.content if b'"hand"' in line)
        card = json.loads(state.partition(b"data: ")[2])["board"]["hand"][0]
        status, answer = await post(client, f"/api/seat/{address}/choose", {"choose": card})
        assert status == 200, answer
        body = await fetch(client, "/api/care/report")
        report = unzip(body)
        everything = "".join([*report, *report.values()])
        assert not [each for each in ("hunter2", page, setup, "hunter2-seed") if each in everything]
        assert 'game = "dards"' in report["oche.toml"]
        assert 'update_url = "https://darts.example/latest.json"' in report["oche.toml"]
        outlets = tomllib.loads(report["oche.toml"])["outlets"]
        assert outlets == {"webhook": [{"name": "phone"}], "rule": [{"on": "180", "then": {"webhook": "phone"}}]}
        lines = [json.loads(line) for line in report["match/main.jsonl"].splitlines()]
        assert "seed" not in lines[0]["header"]
        assert [line["input"]["choose"] for line in lines[1:] if "choose" in line["input"]] == ["?"]
        assert (await post(client, "/api/table/main/stop", {}))[0] == 200
        lines = [
            json.loads(line) for line in unzip(await fetch(client, "/api/care/report"))["match/main.jsonl"].splitlines()
        ]
        assert "seed" not in lines[0]["header"]
        assert [line["input"]["choose"] for line in lines[1:] if "choose" in line["input"]] == ["?"]
        assert "hunter2" not in str(lines)
        typed = await run_oche("report", tmp_path / "typed.zip", "--config", file)
        assert typed.process.returncode == 0
        assert "traffic/main.jsonl" in unzip((tmp_path / "typed.zip").read_bytes()), (
            "no token is needed on this machine"
        )


def test_what_the_doctor_says_of_the_broker_has_no_user_name(
    tmp_path: Path, unused_tcp_port: int, oche: Saying
) -> None:
    file = write_file(tmp_path, unused_tcp_port)
    text = written(file).replace("port = 1883", f"port = {unused_tcp_port}")
    overwrite(file, text.replace("on = false", 'username = "hunter2-user"'))
    assert oche("report", tmp_path / "report.zip", "--config", file).status == 0
    report = unzip((tmp_path / "report.zip").read_bytes())
    assert "this shell does not know the password of …" in report["doctor.txt"]
    assert "hunter2" not in "".join([*report, *report.values()])


@pytest.mark.slow
async def test_no_photograph_of_a_board_is_in_a_report(tmp_path: Path, unused_tcp_port: int) -> None:
    """Its length is, and the recording can still be read."""
    photograph = b"\xff\xd8" + b"a person" * 100 + b"\xff\xd9"
    frames = wrap((MAGIC + THROW).ljust(25, b"\0")).removesuffix(throw_image()) + photograph
    line = {"ms": 0, "in": frames.hex()}
    header = {"oche_capture": 1, "address": "usb:1", "started": "2026-01-31T19:30:00Z", "version": "1"}
    overwrite(
        tmp_path / "board.jsonl", "".join(f"{json.dumps(each)}\n" for each in (header, {"ms": 0, "link": "up"}, line))
    )
    file = write_file(tmp_path, unused_tcp_port)
    board = f"replay:{tmp_path}/board.jsonl?speed=0"
    overwrite(file, written(file).replace("sim:opendarts", board).replace('"opendarts"', '"darts-connect"'))
    async with serve(file) as client:

        async def tell_traffic() -> str:
            return unzip(await fetch(client, "/api/care/report"))["traffic/main.jsonl"]

        async def is_read() -> bool:
            return "left_out" in await tell_traffic()

        await eventually(is_read)
        lines = [json.loads(each) for each in (await tell_traffic()).splitlines()[1:]]
        assert sum(each.get("left_out", 0) for each in lines) == len(frames)
        assert not [each for each in lines if "in" in each]
        overwrite(tmp_path / "main.jsonl", await tell_traffic())
        assert check_recording(tmp_path / "main.jsonl").profile == "darts-connect"


async def test_no_other_site_has_one_made_by_a_link(file: Path) -> None:
    elsewhere = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Origin": "http://evil.example"}
    async with serve(file) as client:
        for name in ("report", "doctor", "backup", "restart"):
            async with client.get(f"/api/care/{name}", headers=elsewhere) as answer:
                assert answer.status == 405, name
            async with client.post(f"/api/care/{name}", data="{}", headers=elsewhere) as answer:
                assert answer.status == 403, name


@pytest.mark.slow
async def test_the_doctor_is_asked_with_what_to_type(file: Path) -> None:
    async with serve(file) as client:
        checks = {each["name"]: each for each in json.loads(await fetch(client, "/api/care/doctor"))["checks"]}
        assert checks["daemon"]["verdict"] == "ok"
        assert checks["page"]["text"].startswith("only this machine can reach it")
        assert (checks["page"]["commands"], checks["page"]["repair"]) == ([], "web")
        assert checks["disk"]["repair"] is None


@pytest.mark.slow
async def test_a_backup_has_everything(file: Path, tmp_path: Path, oche: Saying) -> None:
    """And nothing is left of it, nor of those that were cut off before."""
    for left in (".oche-backup-1", "backups/.oche-backup-2"):
        (tmp_path / "state" / left).mkdir(parents=True)
    (tmp_path / "state/backups/all.tar.gz.new").touch()
    async with serve(file) as client:
        assert (await post(client, "/api/table/main/throw", {"throw": "T20"}))[0] == 200
        backup = tmp_path / "backup.tar.gz"
        backup.write_bytes(await fetch(client, "/api/care/backup"))
    with tarfile.open(backup) as tar:
        assert {"manifest.json", "config/oche.toml", "state/main.sqlite3"} <= {*tar.getnames()}
    assert not [*(tmp_path / "state").glob(".*"), *(tmp_path / "state/backups").iterdir()]
    overwrite(file, "")
    restored = oche("restore", backup, "--config", file, "--state-dir", tmp_path / "state")
    assert restored.status == 0, restored.errors
    assert "# ours" in written(file)


@pytest.mark.parametrize("count", [1, pytest.param(20, marks=pytest.mark.long)])
async def test_a_backup_says_what_is_not_in_it(file: Path, tmp_path: Path, count: int) -> None:
    """As much of it as a web server in front lets pass."""
    for number in range(count):
        (art := tmp_path / "state" / ART / f"large-{number}").mkdir(parents=True)
        (art / "180.mp3").write_bytes(MP3 + bytes(MOST_BYTES))
    async with serve(file) as client, client.post("/api/care/backup") as answer:
        assert answer.status == 200
        remarks = json.loads(unquote(answer.headers["Oche-Remarks"]))
    said = f"the art {tmp_path / 'state' / ART / 'large-0'} is not in it, because art has at most 100 files and 2 MB"
    assert (remarks[0]["key"], remarks[0]["text"]) == ("remark.no_art", said)
    if count > 1:
        assert remarks[-1]["text"].startswith(f"more remarks: {count + 1 - len(remarks)}. To see them, run")


async def test_the_command_tells_all_that_a_backup_with_sounds_has_not(
    file: Path, tmp_path: Path, oche: Saying
) -> None:
    for number in range(20):
        (pack := tmp_path / "state" / SOUNDS / f"no:{number}").mkdir(parents=True)
        (pack / "180.mp3").write_bytes(MP3)
    async with serve(file) as client, client.post("/api/care/backup", json={"sounds": True}) as answer:
        *_, more = json.loads(unquote(answer.headers["Oche-Remarks"]))
    (_, command, _) = more["text"].split("  ")
    given = [tmp_path / "all.tar.gz" if each == "FILE" else each for each in command.split()[1:]]
    assert oche(*given, "--config", file).errors.count("is not in it") == 20


@pytest.mark.long
async def test_no_backup_fills_the_disk(file: Path, tmp_path: Path) -> None:
    """It would be as large as what is there, at most: here a file with a hole of the size of the disk."""
    async with serve(file) as client:
        with (tmp_path / "state" / "large").open("wb") as large:
            large.truncate(shutil.disk_usage(tmp_path).total)  # not what is free: that may grow meanwhile
        status, answer = await post(client, "/api/care/backup", {})
        assert (status, answer["error"]["code"]) == (503, "unavailable")
        assert "too little room to make a backup" in answer["error"]["message"]


@pytest.mark.long
async def test_nothing_else_is_made_until_a_backup_is_sent(file: Path, unused_tcp_port: int, tmp_path: Path) -> None:
    async with serve(file) as client:
        (tmp_path / "state" / "old.sqlite3.damaged-1").write_bytes(
            os.urandom(48 << 20)
        )  # more than lies between the two
        with socket.create_connection(("127.0.0.1", unused_tcp_port)) as slow:
            slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
            slow.sendall(b"POST /api/care/backup HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
            assert await asyncio.to_thread(slow.recv, 15) == b"HTTP/1.1 200 OK"
            assert (await post(client, "/api/care/doctor", {}))[0] == 503
            with socket.create_connection(("127.0.0.1", unused_tcp_port)) as early:  # its body is not waited for
                early.sendall(b"POST /api/care/restore HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n")
                assert await asyncio.to_thread(early.recv, 12) == b"HTTP/1.1 503"

        async def is_made() -> bool:
            return (await post(client, "/api/care/doctor", {}))[0] == 200

        await eventually(is_made)


@pytest.mark.long
async def test_a_backup_whose_client_has_gone_is_given_up(file: Path, unused_tcp_port: int, tmp_path: Path) -> None:
    """It waits for a database that is locked as long as the test wants it."""
    state = tmp_path / "state"
    async with serve(file) as client:
        with closing(sqlite3.connect(state / "old.sqlite3", isolation_level=None)) as db:
            db.execute("create table old (it)")
            db.execute("pragma locking_mode = exclusive")
            db.execute("begin exclusive")
            with socket.create_connection(("127.0.0.1", unused_tcp_port)) as gone:
                gone.sendall(b"POST /api/care/backup HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
                await eventually(lambda: any(state.glob(".oche-backup-*/main.sqlite3")))
                assert (await post(client, "/api/care/doctor", {}))[0] == 503

            async def is_free() -> bool:
                return (await post(client, "/api/care/doctor", {}))[0] == 200

            await eventually(is_free)
            await eventually(lambda: not any(state.glob(".*")))


@pytest.mark.slow
async def test_oche_is_started_anew_unless_it_could_not_start(file: Path) -> None:
    async with serve(file) as client:
        assert (await post(client, "/api/table/main/throw", {"throw": "T20"}))[0] == 200
        before = await read(client)
        right = written(file)
        overwrite(file, right.replace("T", "t").replace("[web]", "[wob]"))
        status, answer = await post(client, "/api/care/restart", {})
        assert (status, answer["error"]["code"]) == (409, "illegal")
        assert "wob" in answer["error"]["message"]
        overwrite(file, f'{right}\n[[player]]\nname = "Cy"\n')
        assert (await post(client, "/api/care/restart", {}))[0] == 200
        found = await started_anew(client, before["run"])
        assert found["effective"]["player"][0]["name"] == "Cy"
        async with client.get("/api/table/main/state") as state:
            assert (await state.json())["sides"][0]["score"] == 441


@pytest.mark.slow
@pytest.mark.parametrize("is_mended", [True, pytest.param(False, marks=pytest.mark.long)])
async def test_a_start_anew_readmits_a_game_and_reads_one_that_was_mended(
    file: Path, unused_tcp_port: int, tmp_path: Path, is_mended: bool
) -> None:
    games, cause = file.parent / "games", tmp_path / "cause"
    games.mkdir()
    broken = f"import os\n\n{NEAREST}".replace("is_bust = thrown", f"is_bust = os.stat({str(cause)!r}) and thrown")
    (games / "nearest.py").write_text(broken, encoding="utf-8")
    cause.touch()
    async with run(file, unused_tcp_port) as (daemon, client):

        async def throw(dart: str) -> str:
            return str((await post(client, "/api/table/main/throw", {"throw": dart}))[1].get("error"))

        pid, before = daemon.process.pid, await read(client)
        assert (await post(client, "/api/table/main/start", {"game": "nearest", "players": ["Ann", "Bo"]}))[0] == 200
        cause.unlink()
        for _ in range(3):
            assert "FileNotFoundError" in await throw("T20")
        assert "withdrawn until oche restarts" in await throw("T20")
        if is_mended:
            (games / "nearest.py").write_text(NEAREST, encoding="utf-8")
        else:
            cause.touch()
        assert (await post(client, "/api/care/restart", {}))[0] == 200
        await started_anew(client, before["run"])
        assert await throw("T20") == "None"
        assert daemon.process.pid == pid, "systemd sees no end"


def test_a_report_is_made_with_a_broken_configuration_and_without_a_daemon(file: Path, oche: Saying) -> None:
    right, out = written(file), file.with_name("report.zip")
    made = oche("report", out, "--config", file)
    assert (made.status, made.output) == (0, "")
    assert "the report has no bytes from the boards" in made.errors
    assert "the report has no bytes from the boards" in unzip(out.read_bytes())["doctor.txt"]
    assert oche("report", out, "--config", file).errors.startswith(f"oche: {out} already exists")
    overwrite(file, f'password = "hunter2"\n{right}')
    assert oche("report", out, "--config", file, "--force").status == 0
    report = unzip(out.read_bytes())
    assert "problem  config" in report["doctor.txt"]
    assert report["oche.toml"].startswith("# It is not valid")
    assert "hunter2" not in "".join(report.values())


ANSWERS = {
    "no page": b"SSH-2.0-OpenSSH\r\n",
    "no JSON": b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc",
    "a path": b'HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n{"../up": ""}',
    "a refusal": b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
}


@pytest.fixture(params=ANSWERS)
def other(request: pytest.FixtureRequest) -> Iterator[int]:
    """The port of another program, which answers all with this."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    link, _ = server.accept()
                except OSError:
                    return
                with link:
                    link.recv(1000)
                    link.sendall(ANSWERS[request.param])

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)


def test_another_program_in_the_place_of_the_page_costs_the_bytes_alone(
    tmp_path: Path, oche: Saying, other: int
) -> None:
    file, out = write_file(tmp_path, other), tmp_path / "report.zip"
    made = oche("report", out, "--config", file)
    assert made.status == 0
    assert made.errors.splitlines()[-1].startswith("oche: the report has no bytes from the boards")
    assert "traffic/main.jsonl" not in unzip(out.read_bytes())
