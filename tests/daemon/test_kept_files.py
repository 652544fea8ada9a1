"""An id and a key that must stay the same: made when there is none, and never in place of one that cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.assemble import run_daemon
from daemon.config.reader import read_config
from daemon.errors import UserError
from tests.daemon.process import configure
from tests.sweep import sweep

FILES = ["bridge.uuid", "seats.key"]


async def start(folder: Path, port: int) -> None:
    """A daemon whose broker is not there; it starts and stops."""
    async with run_daemon(read_config(configure(folder, port))):
        pass


@pytest.fixture
async def state(tmp_path: Path, unused_tcp_port: int) -> Path:
    """The state folder of a daemon that has run."""
    await start(tmp_path, unused_tcp_port)
    return tmp_path / "state"


@pytest.mark.parametrize("name", FILES)
async def test_it_is_made_once_for_our_eyes_only(state: Path, unused_tcp_port: int, name: str) -> None:
    file = state / name
    before = file.read_bytes()
    await start(state.parent, unused_tcp_port)
    assert file.read_bytes() == before
    assert file.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("damage", sweep([b"", b"\xff\x00", b"6ff"], lambda damage: damage == b"6ff"))
async def test_a_damaged_one_is_not_replaced(state: Path, unused_tcp_port: int, name: str, damage: bytes) -> None:
    (state / name).write_bytes(damage)
    with pytest.raises(
        UserError, match=rf"{name} is damaged: restore a copy of it, or delete it and start over \(.+\)$"
    ):
        await start(state.parent, unused_tcp_port)
    assert (state / name).read_bytes() == damage
    (state / name).unlink()
    await start(state.parent, unused_tcp_port)
    assert len((state / name).read_bytes()) > 32


@pytest.mark.parametrize("name", FILES)
async def test_where_it_cannot_be_written_none_is_begun(tmp_path: Path, unused_tcp_port: int, name: str) -> None:
    (tmp_path / "state" / f"{name}.new").mkdir(parents=True)
    with pytest.raises(UserError, match=rf"^cannot write .*/state/{name}: is a directory; configure another folder"):
        await start(tmp_path, unused_tcp_port)
    assert not (tmp_path / "state" / name).exists()
