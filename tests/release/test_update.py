"""From 0.1.0 to this version in the middle of a leg, and back, by each way to install them.

0.1.0 had neither a container image nor an app for Home Assistant: there this version goes on with what the package of
0.1.0 has written.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from tests.figures import Figure
from tests.release import test_ways
from tests.release.conftest import APT, BROKER, SERVICE, STATE, BuildOld, Enter, Shown

pytestmark = pytest.mark.release


class Version(NamedTuple):
    """The line that puts this version in the place of the other one, and the command line of the daemon."""

    install: str
    daemon: str


class Way(NamedTuple):
    """Both versions on one Debian; `prepare` is a line that root types once, `before` one that precedes each daemon."""

    release: str
    prepare: str
    old: Version
    new: Version
    before: str
    state: str = "/var/lib/oche"
    who: str = "root"


def make_way(release: str, package: str, install: str, program: str) -> Way:
    """The way of a wheel."""
    old, new = (
        Version(
            install.format(wheel=f"$(echo /{version}/*.whl)", again="--force"),
            f"/home/user/{program} run --config /oche.toml",
        )
        for version in ("old", "new")
    )
    prepare = f"cat >/oche.toml <<'END'\n{test_ways.CONFIG}\nEND\n{APT} --no-install-recommends {package}"
    return Way(release, prepare, old, new, "true", "/home/user/matches", "user")


INSTALL = "DEBIAN_FRONTEND=noninteractive apt-get install -qq --yes --allow-downgrades"
REMOVE = "apt-get remove -qq --yes oche"
OLD_PACKAGE = Version(f"{INSTALL} /old.deb && {STATE} && chown -R oche:oche /var/lib/oche", SERVICE)
# /run as after a start of the machine: what podman keeps there is about processes that have ended.
BEFORE = f"mount -t tmpfs tmpfs /run && {BROKER}"

PODMAN = f"{APT} --no-install-recommends podman runc"
RUN = "podman --runtime=runc run --rm --network=host --ulimit=host"
RUN_IMAGE = (
    f"{RUN} --read-only --cap-drop=all --security-opt=no-new-privileges --volume=/var/lib/oche:/var/lib/oche "
    "--volume=/etc/oche/oche.toml:/etc/oche/oche.toml:ro new"
)
# Home Assistant's supervisor builds the app in this way; what it says about the broker is a file here.
BUILD_APP = (
    "tar -x -f /app.tar && podman build --quiet --build-arg=BUILD_ARCH=amd64 --tag=new oche && "
    "mkdir -p /data /supervisor/services && echo '{}' >/data/options.json && "
    """echo '{"data": {"host": "127.0.0.1", "port": 1883}}' >/supervisor/services/mqtt"""
)
SUPERVISOR = (
    "{ python3 -m http.server --directory /supervisor 8000 >/dev/null 2>&1 & } && "
    "until (: </dev/tcp/127.0.0.1/8000) 2>/dev/null; do sleep 0.1; done"
)
RUN_APP = (
    f"{RUN} --env=OCHE_APP_SUPERVISOR=http://127.0.0.1:8000 "
    "--volume=/data:/data --volume=/var/lib/oche:/data/matches new"
)
WAYS = {
    "package": Way("12", "true", OLD_PACKAGE, Version(f"{INSTALL} /new.deb", SERVICE), BEFORE),
    **{name: make_way(*way) for name, way in test_ways.WAYS.items()},
    "container image": Way(
        "12",
        f"{PODMAN} && podman tag $(podman load --quiet --input /image.tar | cut -d ' ' -f 3) new",
        OLD_PACKAGE,
        Version(f"{REMOVE} && chown -R 8180:8180 /var/lib/oche", RUN_IMAGE),
        BEFORE,
    ),
    "app": Way("12", f"{PODMAN} && {BUILD_APP}", OLD_PACKAGE, Version(REMOVE, RUN_APP), f"{BEFORE} && {SUPERVISOR}"),
}

LATER = """
import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as journal:
    journal.execute("alter table entry add column later text")  # the number alone would be damage
    journal.execute("pragma user_version = 99")
"""
REFUSAL = "was written by a newer oche; update this one"


@pytest.fixture(scope="session")
def files(dist: Path, build_old: BuildOld, old_wheel: Path, wheel: Path) -> dict[str, Path]:
    """The two versions in all their forms, with the names they get on each Debian."""
    names = {"new.deb": "*+deb12_amd64.deb", "image.tar": "*-oci-amd64.tar", "app.tar": "*-home-assistant.tar"}
    return {
        "old.deb": build_old("amd64", "12"),
        f"old/{old_wheel.name}": old_wheel,
        f"new/{wheel.name}": wheel,
        **{name: next(dist.glob(pattern)) for name, pattern in names.items()},
    }


@pytest.mark.parametrize("name", WAYS)
def test_a_leg_goes_on_in_both_versions_until_a_newer_one_has_written_its_journal(
    name: str, files: dict[str, Path], debian: Enter, figure: Figure
) -> None:
    way = WAYS[name]
    with debian(way.release) as fresh:
        for place, file in files.items():
            fresh.machine.put(file, place)
        fresh.said(way.prepare)

        def play(version: Version, *actions: str) -> Shown:
            fresh.said(version.install, who=way.who)
            return fresh.plays(version.daemon, *actions, who=way.who, before=way.before)

        assert score(play(way.old, "start", "T20")) == 41
        updated = play(way.new, "S1")
        assert score(updated) == 40
        assert score(play(way.old, "D20")) == 0
        figure(f"by {name} after an update, seconds from the start to the first state", updated.seconds)

        journal = f"{way.state}/main.sqlite3"
        fresh.said(f"python3 -c '{LATER}' {journal}")
        before = fresh.said(f"sha256sum {journal}*")
        for version in (way.old, way.new):
            fresh.said(version.install, who=way.who)
            fresh.said(
                f"{way.before} && {{ {version.daemon} >log 2>&1 & }} && "
                f"for i in $(seq 300); do ! grep -q '{REFUSAL}' log || break; sleep 1; done; "
                f"kill $!; wait $!; grep '{REFUSAL}' log || {{ cat log; exit 1; }}",
                who=way.who,
                network=False,
            )
            assert fresh.said(f"sha256sum {journal}*") == before


def score(shown: Shown) -> int:
    """Ann's."""
    return int(shown.state["sides"][0]["score"])
