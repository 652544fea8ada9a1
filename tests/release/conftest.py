"""What `make release` builds of HEAD, and fresh Debians to install it in."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.debian.machine import Machine
from tests.figures import figure, pytest_terminal_summary

__all__ = ["figure", "pytest_terminal_summary"]

ROOT = Path(__file__).resolve().parents[2]
LOGS = ROOT / "build" / "test-release"
KEY = "oche, the key of a test"
NAMES = {"12": "bookworm", "13": "trixie"}

OLD_COMMIT = "37fc4b1"
"""The last one of 2026-11-22, the date that CHANGELOG.md has for 0.1.0."""

# The services of packages are not started: there is no systemd, and their ports may be taken on this machine.
NO_SERVICES = "printf '#!/bin/sh\\nexit 101\\n' >/usr/sbin/policy-rc.d && chmod 755 /usr/sbin/policy-rc.d"
APT = "export DEBIAN_FRONTEND=noninteractive; apt-get update -qq && apt-get install -qq --yes"
BROKER = "mosquitto -d -p 1883 >/dev/null 2>&1"
# What the unit does: the state folder is oche's, and so is the process.
SERVICE = "setpriv --reuid oche --regid oche --init-groups oche run"
STATE = "install -d -o oche -g oche -m 750 /var/lib/oche"


class Shown(NamedTuple):
    """What a client saw: seconds until the first state, and the last one."""

    seconds: float
    state: dict[str, Any]  # Any: JSON


class Fresh:
    """A Debian as it comes, with the programs of an MQTT client."""

    def __init__(self, machine: Machine, name: str) -> None:
        self.machine = machine
        self._name = name
        self._count = 0

    def said(self, command: str, *, who: str = "root", network: bool = True) -> str:
        """What a line says that must work."""
        self._count += 1
        log = LOGS / f"{self._name}-{self._count:02}.log"
        status, _ = self.machine.type(who, command, log, limit_s=1800, network=network)
        printed = log.read_text(encoding="utf-8", errors="replace")
        if status:
            pytest.fail(f"{command}\n{printed}", pytrace=False)
        return printed

    def plays(self, daemon: str, *actions: str, who: str = "root", before: str = "true") -> Shown:
        """What is shown of these actions, without a network; see player.py. `before` is a line before the daemon."""
        player = f"python3 /player.py '{daemon}' {' '.join(actions)}"
        *_, last = self.said(f"{before} && {player}", who=who, network=False).splitlines()
        return Shown(**json.loads(last))


@pytest.fixture(scope="session", autouse=True)
def logs() -> None:
    """Where everything printed is kept."""
    LOGS.mkdir(parents=True, exist_ok=True)
    for log in LOGS.glob("*.log"):
        log.unlink()


Build = Callable[[str], Path]


@contextmanager
def new_key(home: Path, name: str) -> Iterator[None]:
    """A key in a new folder of gpg's, whose agent ends with this."""
    home.mkdir(mode=0o700)
    gpg = ("gpg", "--homedir", home, "--batch", "--quiet", "--passphrase", "")
    subprocess.run((*gpg, "--quick-generate-key", name, "ed25519", "sign", "never"), check=True, capture_output=True)
    yield
    subprocess.run(("gpgconf", "--homedir", home, "--kill", "all"), check=True)


@pytest.fixture(scope="session")
def signing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of gpg's with the key that signs."""
    home = tmp_path_factory.mktemp("signing") / "gpg"
    with new_key(home, KEY):
        yield home


@pytest.fixture(scope="session")
def build(signing: Path, tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Clones HEAD to a new folder and builds the release there; returns its `dist`."""

    def run(name: str) -> Path:
        folder = tmp_path_factory.mktemp(name) / "oche"
        subprocess.run(("git", "clone", "--quiet", ROOT, folder), check=True)
        log = LOGS / f"{name}.log"
        command = ("env", f"GNUPGHOME={signing}", "make", "release", f"KEY={KEY}")
        with log.open("wb") as output:
            done = subprocess.run(command, cwd=folder, stdout=output, stderr=subprocess.STDOUT, check=False)
        if done.returncode:
            pytest.fail(f"make release\n{log.read_text()}", pytrace=False)
        return folder / "dist"

    return run


@pytest.fixture(scope="session")
def dist(build: Build) -> Path:
    """The release that all tests but one install."""
    return build("release")


@pytest.fixture(scope="session")
def old_sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources of 0.1.0."""
    folder = tmp_path_factory.mktemp("old") / "oche"
    subprocess.run(("git", "clone", "--quiet", ROOT, folder), check=True)
    subprocess.run(("git", "-C", folder, "checkout", "--quiet", OLD_COMMIT), check=True)
    return folder


BuildOld = Callable[[str, str], Path]


@pytest.fixture(scope="session")
def build_old(old_sources: Path) -> BuildOld:
    """Builds the package of 0.1.0 for an architecture and a Debian."""

    def run(arch: str, debian: str) -> Path:
        log = LOGS / f"old-package-{arch}-{debian}.log"
        with log.open("wb") as output:
            built = subprocess.run(
                (old_sources / "debian" / "build.sh", sys.executable),
                env={**os.environ, "ARCH": arch, "DEBIAN": debian},
                stdout=subprocess.PIPE,
                stderr=output,
                text=True,
                check=False,
            )
        if built.returncode:
            pytest.fail(f"the package of {OLD_COMMIT} could not be built: {log}", pytrace=False)
        return old_sources / built.stdout.strip()

    return run


@pytest.fixture(scope="session")
def old_wheel(old_sources: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of 0.1.0."""
    folder = tmp_path_factory.mktemp("old-wheel")
    pip = (sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps")
    subprocess.run((*pip, "--wheel-dir", folder, old_sources), check=True)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="session")
def wheel(dist: Path) -> Path:
    """The wheel in it."""
    (wheel,) = dist.glob("*.whl")
    return wheel


@pytest.fixture(scope="session")
def repository(dist: Path) -> Iterator[str]:
    """The address of the apt repository, served as files."""
    handler = partial(SimpleHTTPRequestHandler, directory=str(dist / "apt"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


Enter = Callable[[str], AbstractContextManager[Fresh]]


@pytest.fixture
def debian(request: pytest.FixtureRequest) -> Enter:
    """Enters a fresh Debian 12 or 13, gone afterwards."""

    @contextmanager
    def enter(release: str) -> Iterator[Fresh]:
        with Machine(NAMES[release], "root") as machine:
            fresh = Fresh(machine, request.node.name.replace("/", "-"))
            machine.put(Path(__file__).with_name("player.py"), "player.py")
            fresh.said(f"{NO_SERVICES}; {APT} --no-install-recommends mosquitto-clients")
            yield fresh

    return enter
