"""Can this machine run oche at all? Asked before anything is installed, so it needs the standard library only.

    python3 daemon/doctor/machine.py

answers in a bare checkout; the Makefile and setup.py ask it too, and `oche doctor` asks it first. It is written for
old Pythons to read, because they are to be told that they are old.

What counts is how wide a pointer of this Python is. A Raspberry Pi with the 32-bit system has a 64-bit kernel all the
same, and `uname -m` then says aarch64: true, and no help.
"""

from __future__ import annotations

import platform
import struct
import sys

OLDEST_PYTHON = (3, 11)
"""That of Debian 12."""

POINTER_BITS = struct.calcsize("P") * 8


def complaint(machine: str, pointer_bits: int, python: tuple[int, int]) -> str | None:
    """Why oche cannot run there and what to do; None when it can.

    `machine` is what the kernel says (`uname -m`), `python` the version.
    """
    if pointer_bits < 64:
        wanted = "the 64-bit Raspberry Pi OS" if machine.startswith(("arm", "aarch64")) else "a 64-bit Debian"
        although = ", although the kernel is a 64-bit one" if machine in {"aarch64", "x86_64"} else ""
        return (
            f"oche needs a 64-bit system, and this is a {pointer_bits}-bit one{although}: install {wanted} "
            f"(the libraries that oche needs are not made for {pointer_bits} bits)"
        )
    if python < OLDEST_PYTHON:
        found, oldest = (".".join(map(str, version)) for version in (python, OLDEST_PYTHON))
        return (
            f"oche needs Python {oldest} or newer, and this is {found}: install Debian 12 or newer, "
            f"or name a newer Python, as in make PYTHON=python{oldest}"
        )
    return None


def here() -> str | None:
    """The complaint about this machine and this Python."""
    return complaint(platform.machine(), POINTER_BITS, sys.version_info[:2])


if __name__ == "__main__":
    sys.exit(here())
