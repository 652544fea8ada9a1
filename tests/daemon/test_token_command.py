"""`oche token` for somebody who may not look into the state folder: what to do, in one sentence."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.daemon.checkup import as_another_user
from tests.daemon.process import Saying, configure


@pytest.mark.parametrize("options", [(), ("--new",), ("--setup",), ("--list",), ("--revoke", "0123abcd")])
def test_without_a_right_to_the_state_root_is_asked_for(oche: Saying, options: tuple[str, ...]) -> None:
    with TemporaryDirectory(dir="/tmp") as home:  # others may come here, unlike to tmp_path
        Path(home).chmod(0o755)
        config = configure(Path(home), 1883)
        assert oche("token", "--config", config).status == 0
        state = Path(home) / "state"
        state.chmod(0)
        with as_another_user():
            said = oche("token", "--config", config, *options)
        state.chmod(0o700)
    assert (said.status, said.output) == (1, "")
    assert said.errors == f"oche: cannot look into {state}: permission denied; run this as root (sudo)\n"
