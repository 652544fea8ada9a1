"""`oche doctor` on boards with HTTP: what answers, whether it sees darts, and the file of its token."""

from __future__ import annotations

import os
from pathlib import Path

from msgspec.structs import replace

from daemon.admin.doctor.boards import TableBoard, find_boards
from daemon.admin.doctor.cameras import check_cameras
from daemon.admin.doctor.examine import examine
from daemon.admin.doctor.service import Account
from daemon.admin.doctor.system import System
from daemon.config.reader import read_config
from drivers.address import Address
from protocol.codebook import shipped
from tests.daemon.checkup import ROOT_USER, SERVICE, lines
from tests.daemon.process import configure
from tests.drivers.test_web_scan import AUTODARTS, serving


async def look(folder: Path, port: int) -> list[str]:
    checked = read_config(configure(folder, board=f"web:127.0.0.1:{port}", profile="autodarts"))
    return lines(await check_cameras(find_boards(checked, "web"), ROOT_USER))


async def test_a_camera_is_asked_what_it_is_and_whether_it_sees_darts(tmp_path: Path, unused_tcp_port: int) -> None:
    said = {"/api/state": AUTODARTS, "/api/version": "1.0.7"}
    async with serving(said) as program:
        what = f"web:127.0.0.1:{program.port}, the board of table main (autodarts 1.0.7),"
        assert await look(tmp_path, program.port) == [f"ok camera {what} answers, and sees darts"]
        assert program.asked == ["GET /api/state", "GET /api/version"]
        said["/api/state"] = {**AUTODARTS, "running": False}
        (line,) = await look(tmp_path, program.port)
        assert line == f"warning camera {what} does not see darts now: start it there, or on the scoreboard"
        del said["/api/state"]
        (line,) = await look(tmp_path, program.port)
        assert line.startswith(f"problem camera what answers at web:127.0.0.1:{program.port} is not autodarts: correct")
    (line,) = await look(tmp_path, unused_tcp_port)
    assert line.startswith(f"problem camera 127.0.0.1:{unused_tcp_port}")


async def test_it_is_among_the_checks_with_one_and_not_without(tmp_path: Path, unused_tcp_port: int) -> None:
    for board, profile, count in ((f"web:127.0.0.1:{unused_tcp_port}", "autodarts", 1), ("none", "", 0)):
        file = configure(tmp_path, 1, board=board, profile=profile)
        found = [check.name async for check in examine(file, System(tmp_path))]
        assert found.count("camera") == count


async def test_a_board_over_the_internet_is_told_and_not_asked() -> None:
    profile = shipped("autodarts").profile
    assert profile.web is not None
    async with serving({}) as program:
        far = replace(profile, web=replace(profile.web, is_cloud=True))
        board = TableBoard("main", Address("web", f"127.0.0.1:{program.port}", {}), far)
        (line,) = lines(await check_cameras([board], ROOT_USER))
        assert program.asked == []
    assert line == (
        "ok camera the board of table main works over its maker's servers: "
        f"for it alone oche goes online, to 127.0.0.1:{program.port}"
    )


async def test_the_file_of_a_token_is_there_full_and_for_the_daemon_alone(tmp_path: Path, unused_tcp_port: int) -> None:
    file = tmp_path / "token"
    address = Address("web", f"127.0.0.1:{unused_tcp_port}", {})
    board = TableBoard("main", address, shipped("autodarts").profile, str(file))

    async def of_token(account: Account = ROOT_USER) -> str:
        line, _ = lines(await check_cameras([board], account))
        return line

    assert (await of_token()).startswith(f"problem camera cannot read the token of the board from {file}: ")
    file.write_text("\n")
    assert "the file is empty" in await of_token()
    file.write_text("a secret of the board\n")
    file.chmod(0o644)
    assert await of_token() == f"warning camera every user of this machine can read {file}: sudo chmod o= {file}"
    file.chmod(0o640)
    line = await of_token()
    assert line == f"ok camera the token of the board of table main is in {file}"
    if os.geteuid() == 0:
        line = await of_token(SERVICE)
        assert line.startswith(
            f"problem camera oche has no permission to use {file}: give it the file: sudo chown oche"
        )
