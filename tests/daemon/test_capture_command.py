"""`oche capture` as a process, and its recordings as a board: what was played then is played again."""

from __future__ import annotations

import json
import re
import signal
from contextlib import AsyncExitStack
from pathlib import Path

import click
import pytest

from daemon import cli
from daemon.assemble import run_daemon
from daemon.board.link import BoardLink
from daemon.config.reader import read_config
from daemon.errors import UserError
from daemon.snapshot import take_snapshot
from drivers.capture import CaptureError
from drivers.replay import check_recording
from protocol.messages import State
from simulator.pty_board import PtyBoard
from tests.daemon.display import JSON, find_part
from tests.daemon.process import Process, Saying, configure, eventually, journal, run, segment, small_disk, throw
from tests.drivers.web_ends import WebBoard

VISITS = (("T20", "T20", "I5"), ("DB", "MISS", "D20"), ("T19", "O3", "SB"))


async def play(board: PtyBoard) -> None:
    """Three visits, with the cable pulled in the middle of the second."""
    for number, visit in enumerate(VISITS):
        for dart in visit:
            assert board.miss() if dart == "MISS" else board.hit(segment(dart))
            if (number, dart) == (1, "MISS"):
                await board.unplug()
                board.plug()
                await board.wait_until_open()
        assert board.press("next")


@pytest.mark.slow
async def test_a_recording_plays_the_same_match(tmp_path: Path, board: PtyBoard) -> None:
    recording, first, second = (tmp_path / name for name in ("evening.jsonl", "first", "second"))
    for folder in (first, second):
        folder.mkdir()

    async def match(folder: Path, address: str, *, is_thrown: bool) -> tuple[State, list[JSON]]:
        async with run_daemon(read_config(configure(folder, board=address))) as running:
            if is_thrown:
                await board.wait_until_open()
                await play(board)
            table = running.tables["main"]
            await eventually(lambda: table.match.line - 1 == sum(len(visit) + 1 for visit in VISITS))
            return take_snapshot(table.match), journal(folder)

    original = await match(first, board.address, is_thrown=True)
    async with Process("capture", board.address, recording, "--profile", "opendarts") as capture:
        await board.wait_until_open()
        await play(board)
        await capture.until(lambda: capture.output.count("button next") == len(VISITS))
        assert await capture.stop() == 0
    assert "no link: the cable" in capture.output
    assert await match(second, f"replay:{recording}?speed=0", is_thrown=False) == original
    assert [line["throw"] for line in original[1] if "throw" in line] == [dart for visit in VISITS for dart in visit]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
async def test_a_recording_is_complete_however_the_capture_ends(
    tmp_path: Path, board: PtyBoard, number: signal.Signals
) -> None:
    file = tmp_path / "x.jsonl"
    async with Process("capture", board.address, file) as capture:
        await capture.said("connected to")
        throw(board, "T20", "DB")
        await capture.until(lambda: "33 2c 30" in capture.output or "30 2c 31 30" in capture.output)
        status = await capture.stop(number)
    check_recording(file)
    last = json.loads(file.read_text(encoding="utf-8").splitlines()[-1])
    if number == signal.SIGKILL:
        assert "in" in last
    else:
        assert (status, capture.errors, last["link"]) == (0, "", "closed")
        assert f"{file}: " in capture.output.splitlines()[-1]
        assert "in 1 connection." in capture.output
    async with Process("capture", f"replay:{file}?speed=0", "/dev/null", "--profile", "opendarts") as replay:
        assert await replay.ended() == 0, "a recording comes to an end"
    assert re.findall(r"^ +[\d.]+  (T20|DB) ", replay.output, re.MULTILINE) == ["T20", "DB"]


async def test_without_a_profile_the_bytes_are_shown(tmp_path: Path, board: PtyBoard) -> None:
    async with Process("capture", board.address, tmp_path / "x.jsonl") as capture:
        await capture.said("4f 70 65 6e 44 61 72 74 73 0d 0a")
    header = json.loads((tmp_path / "x.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert sorted(header) == ["address", "oche_capture", "started", "version"]


@pytest.mark.slow
async def test_a_board_with_a_token_is_recorded_without_it(tmp_path: Path) -> None:
    (token := tmp_path / "token").write_text("s3cret\n", encoding="utf-8")
    file = tmp_path / "x.jsonl"
    async with WebBoard(path="/scores").serve() as web:
        options = "--profile", "opendartboard-apaiko", "--token-file", token
        async with Process("capture", str(web.address), file, *options) as capture:
            socket = await web.sockets.get()
            await socket.send_json({"score": "T20", "timestamp": 1})
            await capture.said("T20")
            assert await capture.stop() == 0
    assert web.queries == ["/scores?token=s3cret"]
    assert "s3cret" not in file.read_text(encoding="utf-8") + capture.output + capture.errors
    async with Process("capture", f"replay:{file}?speed=0", "/dev/null", "--profile", "opendartboard-apaiko") as replay:
        assert await replay.ended() == 0
    assert replay.output.splitlines()[1].endswith("  T20")


def test_a_capture_ends_after_its_seconds_and_reports_an_unreached_board(tmp_path: Path, oche: Saying) -> None:
    ended = oche("capture", f"serial:{tmp_path}/board", tmp_path / "x.jsonl", "--seconds", "0.3")
    assert ended.status == 1
    assert ended.errors == (
        f"oche: the board could not be reached: there is no serial port {tmp_path}/board: "
        "plug the board in, or correct the address\n"
    )


async def test_a_full_disk_is_one_sentence_and_leaves_whole_lines(tmp_path: Path, board: PtyBoard) -> None:
    file = tmp_path / "x.jsonl"
    async with AsyncExitStack() as stack:
        with small_disk(1024):
            capture = await stack.enter_async_context(Process("capture", board.address, file))
        await board.wait_until_open()
        for _ in range(200):
            board.write_raw(b"as much as fits into one kilobyte\r\n")
        assert await capture.ended() == 1
    assert capture.errors == (
        f"oche: cannot write to {file}: file too large; "
        "what was recorded before is complete; free some space, and record into another file\n"
    )
    assert check_recording(file).address == board.address


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("/dev/ttyUSB0", "x"), "the address '/dev/ttyUSB0' must begin with the kind of link; did you mean serial:"),
        (("usb:auto", "x"), "a usb: address does not tell what to open on the board: add --profile NAME"),
        (("web:box", "x"), "a web: address does not tell what to open on the board: add --profile NAME"),
        (("serial:x", "x", "--profile", "opendart"), "no board profile 'opendart'; did you mean 'opendarts'?"),
        (("serial:x", "x", "--profile", "mine.toml"), "cannot read mine.toml: no such file or directory"),
        (("replay:x?speed=fast", "x"), "speed=fast in replay:x?speed=fast must be a number"),
        (("serial:x", "pyproject.toml"), "pyproject.toml already exists: name another file, or add --force"),
        (("serial:x", "/no/such/folder/x"), "cannot write /no/such/folder/x: no such file or directory; name another"),
        (("serial:x", "x", "--seconds", "0"), "0.0 is not in the range x>0"),
    ],
)
def test_a_capture_that_cannot_be_written_ends_with_one_sentence(arguments: tuple[str, ...], sentence: str) -> None:
    with pytest.raises((UserError, click.UsageError)) as caught:
        cli.oche.main(["capture", *arguments], standalone_mode=False)
    told = str(caught.value)
    assert sentence in told
    assert "\n" not in told
    assert getattr(caught.value, "status", 2) == 2


async def test_force_writes_over_a_file(tmp_path: Path, board: PtyBoard) -> None:
    file = tmp_path / "x.jsonl"
    file.write_text("old", encoding="utf-8")
    ended = await run("capture", board.address, file, "--force", "--seconds", "0.5")
    assert ended.process.returncode == 0
    check_recording(file)


@pytest.mark.parametrize("same", ["evening.jsonl", "./evening.jsonl", "link.jsonl"])
def test_a_recording_is_not_recorded_over_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, same: str) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "evening.jsonl"
    file.write_text("the only copy", encoding="utf-8")
    (tmp_path / "link.jsonl").symlink_to(file)
    with pytest.raises(UserError) as caught:
        cli.oche.main(["capture", f"replay:{file}?speed=0", same, "--force", "--seconds", "0.3"], standalone_mode=False)
    sentence = "is the recording to be played: name another file"
    assert (str(caught.value), caught.value.status) == (f"{Path(same)} {sentence}", 2)
    assert file.read_text(encoding="utf-8") == "the only copy"


@pytest.mark.parametrize("content", [None, "no recording"])
def test_a_recording_that_cannot_be_played_is_not_waited_for(tmp_path: Path, oche: Saying, content: str | None) -> None:
    (there := tmp_path / "evening.jsonl").write_text(content or "", encoding="utf-8")
    if content is None:
        there.unlink()
    told = oche("capture", f"replay:{there}", tmp_path / "copy.jsonl")
    assert (told.status, told.errors.count("\n")) == (2, 1)
    assert str(there) in told.errors
    assert not (tmp_path / "copy.jsonl").exists()


async def test_a_disk_that_is_full_at_the_first_line_is_named(tmp_path: Path, board: PtyBoard) -> None:
    """Of a table whose board is connected: the disk has room for what the file begins with, and no more."""
    async with run_daemon(read_config(configure(tmp_path))) as running:
        link = find_part(running, BoardLink)
        await board.wait_until_open()
        await eventually(lambda: link.table.board.online)
        header = tmp_path / "header.jsonl"
        (await link.begin_capture(header, 600)).stop()
        room = len(header.read_bytes().splitlines(keepends=True)[0])
        file = tmp_path / "full.jsonl"
        with small_disk(room + 1), pytest.raises(CaptureError, match=f"cannot write to {file}: file too large"):
            await link.begin_capture(file, 600)
        throw(board, "T20")
        await eventually(lambda: link.table.match.line == 2)
        assert len(file.read_bytes()) == room, "nothing is recorded"
        (await link.begin_capture(tmp_path / "next.jsonl", 600)).stop()
