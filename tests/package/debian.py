"""A Debian in a folder: what is typed there, and what is on its disk."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

# Processes, mounts and a loopback of its own: the ports of the configuration as it ships are free there, and nothing
# is left when the command has ended.
_ENTER = """
ip link set lo up
mount -t proc proc "$1/proc"
mount --bind /dev "$1/dev"
exec chroot "$1" /bin/sh -c "$2"
"""
_CHANGES_BY_ITSELF = ("proc", "dev", "run", "tmp", "root", "var/cache", "var/log", "var/lib/apt", "var/lib/dpkg")
_ACCOUNTS = ("etc/passwd", "etc/group", "etc/shadow", "etc/gshadow")


class Debian:
    """The Debian in this folder."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def path(self, place: str) -> Path:
        """Where this place is on this machine."""
        return self.root / place.lstrip("/")

    def typed(self, command: str) -> subprocess.CompletedProcess[str]:
        """This line in a shell of root's, ended: its output with its errors, and its status."""
        alone = ("unshare", "--mount", "--pid", "--net", "--fork", "--kill-child")
        return subprocess.run(
            (*alone, "sh", "-ec", _ENTER, "sh", str(self.root), command),
            env={"HOME": "/root", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )

    def said(self, command: str) -> str:
        """What a line says that must work."""
        done = self.typed(command)
        if done.returncode:
            pytest.fail(f"{command}\n{done.stdout}", pytrace=False)
        return done.stdout

    def disk(self) -> dict[str, str]:
        """Every file by its path, as kind, mode, owner and size; accounts by file and line."""
        skipped = " -o ".join(f"-path ./{place}" for place in _CHANGES_BY_ITSELF)
        found = self.said(f"cd /; find . \\( {skipped} \\) -prune -o -printf '%p\\t%y %m %u %s\\n'")
        files = dict(line.split("\t") for line in found.splitlines())
        for file in _ACCOUNTS:
            files |= {f"{file}: {line}": "" for line in self.path(file).read_text().splitlines()}
            # Its size and that of its backup follow from the lines.
            files.pop(f"./{file}", None)
            files.pop(f"./{file}-", None)
        return {path: about.rsplit(" ", 1)[0] if about.startswith("d") else about for path, about in files.items()}
