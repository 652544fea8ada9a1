"""The Home Assistant of these tests, and an evening with it for each of their files."""

from __future__ import annotations

import os
import subprocess
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import pytest_asyncio

from tests.home_assistant.evening import Evening, open_evening

_INSTALL = Path(__file__).parent / "install.sh"


@pytest.fixture(scope="session")
def home_assistant_root() -> Path:
    """From the cache, or from OCHE_HOME_ASSISTANT; it is installed when there is none yet."""
    install = subprocess.run([_INSTALL], capture_output=True, text=True, check=False)
    if install.returncode:
        pytest.fail(install.stderr, pytrace=False)
    if os.geteuid() != 0:
        pytest.fail("Home Assistant is run here in a chroot: make test-ha needs root.", pytrace=False)
    return Path(install.stdout.strip())


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def evening(
    home_assistant_root: Path,
    mosquitto_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    unused_tcp_port_factory: Callable[[], int],
) -> AsyncIterator[Evening]:
    """An evening that the tests of a file share, since Home Assistant takes its time to start."""
    folder = tmp_path_factory.mktemp("evening")
    async with open_evening(home_assistant_root, mosquitto_path, folder, unused_tcp_port_factory) as found:
        yield found
