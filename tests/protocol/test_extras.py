"""What is said of an extra that is missing, by the way that oche was installed."""

import pytest

from protocol.extras import suggest_extra


@pytest.mark.parametrize(
    ("asked_by", "said"),
    [
        (
            "/usr/lib/oche/oche/app/daemon/outlets/make.py",
            "install the package oche-feed (docs/install.md#extras); a c",
        ),
        ("/home/ann/.local/pipx/venvs/oche/lib/python3.11/site-packages/oche/app/drivers/radio.py", "the extra [feed]"),
        ("/home/ann/oche/daemon/outlets/make.py", "in oche's checkout, pip install '.[feed]'"),
    ],
)
def test_what_installs_it_is_named_for_each_way(asked_by: str, said: str) -> None:
    assert said in str(suggest_extra("feed", asked_by))
