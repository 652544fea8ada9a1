"""A fresh Debian to type commands in: a copy of the one that install.sh has made, gone afterwards.

What this machine needs to reach the package archives, the copy gets too: settings of pip, certificates, proxies and
names of hosts. What has been downloaded is kept in the cache for the next one.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple, Self

HERE = Path(__file__).resolve().parent
UIDS = {"root": 0, "user": 1000}
HOMES = {"root": "/root", "user": "/home/user"}
_PROXIES = {"http_proxy", "https_proxy", "no_proxy", "all_proxy"}
_CERTIFICATES = ("PIP_CERT", "PIP_CLIENT_CERT", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE")


class Ended(NamedTuple):
    """A command that has ended; `status` is 124 where it was stopped because it took too long."""

    status: int
    seconds: float


class Machine:
    """A copy of the Debian `release` for `who`; a context, which takes a few seconds to enter.

    Those for different users can be used at the same time.
    """

    def __init__(self, release: str, who: str) -> None:
        self._who = who
        self._name = f"{release}, {who}"
        self._made = make_debian(release)
        self._root = Path()

    def __enter__(self) -> Self:
        _sweep(self._made.parent)
        self._root = Path(tempfile.mkdtemp(prefix=f"run.{os.getpid()}.", dir=self._made.parent))
        subprocess.run(["cp", "-a", "--reflink=auto", f"{self._made}/.", self._root], check=True)
        self._root.chmod(0o755)
        _settle(self._root)
        return self

    def __exit__(self, *_: object) -> None:
        # Once more where a process that is being killed has just written something.
        if subprocess.run(["rm", "-rf", self._root], check=False).returncode:
            shutil.rmtree(self._root)

    def put(self, file: Path, name: str) -> None:
        """Copies a file to where every user can read it: `/NAME`."""
        (self._root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, self._root / name)

    def python(self) -> str:
        """The version of its Python."""
        command = ("chroot", self._root, "python3", "-c", "import platform; print(platform.python_version())")
        return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()

    def type(
        self,
        who: str,
        command: str,
        log: Path,
        *,
        folder: str = ".",
        limit_s: float | None = None,
        network: bool = True,
    ) -> Ended:
        """Runs the line in a shell of that user, in the folder below the home; `log` gets all that it prints.

        Without `network` it has a loopback of its own, on which every port is free.
        """
        # apt locks its folder, so each user has one; pip uses none that belongs to another user.
        caches = [self._cache(f"{self._made.name}-apt-{self._who}", 0), self._cache(f"pip-{who}", UIDS[who])]
        # It ends with this program, however that ends.
        alone = (
            "setpriv",
            "--pdeathsig",
            "KILL",
            "unshare",
            "--mount",
            "--pid",
            "--fork",
            "--kill-child",
            *(() if network else ("--net", "sh", "-ec", 'ip link set lo up; exec "$@"', "sh")),
            HERE / "enter.sh",
        )
        where = f"{HOMES[who]}/{folder}"
        started = time.monotonic()
        with log.open("w", encoding="utf-8") as output:
            try:
                status = subprocess.run(
                    (*alone, self._root, str(UIDS[who]), *caches, where, "/bin/bash", "-c", command),
                    env=_environment(who),
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    timeout=limit_s,
                    check=False,
                ).returncode
            except subprocess.TimeoutExpired:
                status = 124
        if status == 128 + signal.SIGINT:
            raise KeyboardInterrupt
        if "OCHE_CI" in os.environ:
            pass_on(self._root / _gate(who)[1:], Path(os.environ["OCHE_CI"]), self._name)
        return Ended(status, time.monotonic() - started)

    def _cache(self, name: str, uid: int) -> Path:
        """A folder that outlives the machine."""
        folder = self._made.parent / name
        folder.mkdir(exist_ok=True)
        os.chown(folder, uid, uid)
        return folder


def make_debian(release: str) -> Path:
    """The folder with that Debian, which is made first where there is none yet. Ends the program where it cannot be."""
    made = subprocess.run([HERE / "install.sh", release], stdout=subprocess.PIPE, text=True, check=False)
    if made.returncode:
        sys.exit(made.returncode)
    return Path(made.stdout.strip())


def pass_on(inner: Path, outer: Path, where: str) -> None:
    """Moves what tests/flaky.py has told in a machine to where it is told here, each headline with the machine."""
    for file in inner.glob("*"):
        lines = file.read_text(encoding="utf-8").splitlines()
        told = [f"{line} ({where})" if line and not line.startswith(" ") else line for line in lines]
        with (outer / file.name).open("a", encoding="utf-8") as output:
            output.write("".join(f"{line}\n" for line in told))
        file.unlink()


def _gate(who: str) -> str:
    """The folder that is there what OCHE_CI names here."""
    return f"{HOMES[who]}/gate"


def _sweep(folder: Path) -> None:
    """Removes copies whose program was killed before it could do so."""
    for left in folder.glob("run.*.*"):
        if not Path("/proc", left.name.split(".")[1]).exists():
            subprocess.run(["rm", "-rf", left], check=True)


def _settle(root: Path) -> None:
    """Gives it what this machine needs to reach the archives."""
    for name in ("resolv.conf", "hosts", "pip.conf"):
        if (file := Path("/etc", name)).exists():
            shutil.copyfile(file, root / "etc" / name)
    # The first for what Debian's ca-certificates makes when it is installed, the second until then.
    for folder in ("/usr/local/share/ca-certificates", "/etc/ssl/certs"):
        if Path(folder).is_dir():
            shutil.copytree(folder, root / folder[1:], dirs_exist_ok=True, ignore_dangling_symlinks=True)
    for file in {Path(os.environ[name]) for name in _CERTIFICATES if name in os.environ}:
        inside = root / str(file)[1:]
        if file.is_absolute() and file.is_file() and not inside.exists():
            inside.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, inside)


def _environment(who: str) -> dict[str, str]:
    """As after a login, and how to reach the archives."""
    handed = {
        name: value
        for name, value in os.environ.items()
        if name.startswith("PIP_") or name in (*_CERTIFICATES, "OCHE_UNTIL") or name.lower() in _PROXIES
    }
    if "OCHE_CI" in os.environ:
        handed["OCHE_CI"] = _gate(who)
    path = "/usr/local/bin:/usr/bin:/bin"
    if who == "root":
        path = f"/usr/local/sbin:/usr/sbin:/sbin:{path}"
    return {
        **handed,
        "PIP_CACHE_DIR": "/var/cache/pip",
        "HOME": HOMES[who],
        "USER": who,
        "LOGNAME": who,
        "SHELL": "/bin/bash",
        "PATH": path,
    }
