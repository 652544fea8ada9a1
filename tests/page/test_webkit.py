"""A leg in a real WebKit, which every browser of an iPhone is: tapped and typed, and all of it shown."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from daemon.assemble import run_daemon
from tests.page.playing import setup
from tests.page.test_firefox import SIZES, play_leg
from tests.page.webkit import start_webkit

pytestmark = pytest.mark.long


@pytest.mark.parametrize("view", SIZES)
async def test_a_leg_is_played_in_webkit(
    tmp_path: Path, webkit_path: Path, xvfb_path: Path, unused_tcp_port_factory: Callable[[], int], view: str
) -> None:
    prepared = setup(tmp_path, unused_tcp_port_factory(), board="sim:opendarts", profile="opendarts", takeout="button")
    async with (
        run_daemon(prepared, takes_taps=True) as running,
        start_webkit(webkit_path, xvfb_path, unused_tcp_port_factory(), tmp_path / "webkit") as webkit,
    ):
        await play_leg(webkit, running, view)
