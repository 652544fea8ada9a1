"""From the package of 0.1.0 to this one in the middle of a leg, and back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.release.conftest import BROKER, SERVICE, STATE, BuildOld, Enter, Fresh

pytestmark = pytest.mark.release

INSTALL = "DEBIAN_FRONTEND=noninteractive apt-get install -qq --yes --allow-downgrades"
BEFORE = f"{STATE} && {BROKER}"
LATER = """
import sqlite3
with sqlite3.connect("/var/lib/oche/main.sqlite3") as journal:
    journal.execute("alter table entry add column later text")  # the number alone would be damage
    journal.execute("pragma user_version = 99")
"""
REFUSAL = "was written by a newer oche; update this one"
SUMS = "sha256sum /var/lib/oche/main.sqlite3*"


@pytest.fixture(scope="session")
def old(build_old: BuildOld) -> Path:
    """The package of 0.1.0."""
    return build_old("amd64", "12")


@pytest.fixture(scope="session")
def new(dist: Path) -> Path:
    """The package of HEAD."""
    (package,) = dist.glob("*+deb12_amd64.deb")
    return package


def put(fresh: Fresh, old: Path, new: Path) -> None:
    """Both packages, the old one installed."""
    fresh.machine.put(old, "old.deb")
    fresh.machine.put(new, "new.deb")
    fresh.said(f"{INSTALL} /old.deb")


def test_a_leg_goes_on_after_the_update_and_after_the_way_back(old: Path, new: Path, debian: Enter) -> None:
    with debian("12") as fresh:
        put(fresh, old, new)
        assert score(fresh, "start", "T20") == 41
        fresh.said(f"{INSTALL} /new.deb")
        assert score(fresh, "S1") == 40
        fresh.said(f"{INSTALL} /old.deb")
        assert score(fresh, "D20") == 0


def test_a_journal_of_a_newer_oche_is_refused_and_not_touched(old: Path, new: Path, debian: Enter) -> None:
    with debian("12") as fresh:
        put(fresh, old, new)
        assert score(fresh, "start", "T20") == 41
        fresh.said(f"python3 -c '{LATER}'")
        before = fresh.said(SUMS)
        for package in ("/new.deb", "/old.deb"):
            fresh.said(f"{INSTALL} {package}")
            fresh.said(
                f"{BEFORE} && {{ {SERVICE} >log 2>&1 & }} && "
                f"for i in $(seq 300); do ! grep '{REFUSAL}' log || exit 0; sleep 1; done; cat log; exit 1",
                network=False,
            )
            assert fresh.said(SUMS) == before


def score(fresh: Fresh, *actions: str) -> int:
    """Ann's, after these."""
    return int(fresh.plays(SERVICE, *actions, before=BEFORE).state["sides"][0]["score"])
