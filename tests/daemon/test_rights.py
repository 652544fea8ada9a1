"""Commands of somebody who may not look into the state folder: what to do, in one sentence."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.daemon.checkup import as_another_user
from tests.daemon.process import Saying, configure


@pytest.mark.parametrize(
    "command",
    [
        *("token", "token --new", "token --setup", "token --list", "token --revoke 0123abcd"),
        *("stats", "history list", "history export", "players list", "players rename Ann Bo"),
    ],
)
def test_without_a_right_to_the_state_root_is_asked_for(oche: Saying, command: str) -> None:
    with TemporaryDirectory(dir="/tmp") as home:  # others may come here, unlike to tmp_path
        Path(home).chmod(0o755)
        config = configure(Path(home), 1883)
        for each in ("token", "stats", "history list", "players list"):
            assert oche(*each.split(), "--config", config).status == 0
        state = Path(home) / "state"
        state.chmod(0)
        with as_another_user():
            said = oche(*command.split(), "--config", config)
        state.chmod(0o700)
    assert (said.status, said.output) == (1, "")
    assert said.errors == f"oche: cannot look into {state}: permission denied; run this as root (sudo)\n"
