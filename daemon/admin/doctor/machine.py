"""Whether this machine can run oche: `python3 daemon/admin/doctor/machine.py` in a checkout, before any installation.

The Makefile, setup.py and `oche doctor` use it too. It needs the standard library only, in the syntax of old Pythons.
The width of this Python's pointers counts: a 32-bit Raspberry Pi OS has a 64-bit kernel, so `uname -m` says aarch64.
"""

from __future__ import annotations

import platform
import struct
import sys

OLDEST_PYTHON = (3, 11)
"""The Python of Debian 12."""

POINTER_BITS = struct.calcsize("P") * 8


def explain_unsupported(machine: str, pointer_bits: int, python: tuple[int, int]) -> str | None:
    """Why oche cannot run on such a machine (`uname -m`) and Python version, and what to do; None when it can."""
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


def check_this_machine() -> str | None:
    """Why oche cannot run on this machine and its Python, and what to do; None when it can."""
    return explain_unsupported(platform.machine(), POINTER_BITS, sys.version_info[:2])


if __name__ == "__main__":
    sys.exit(check_this_machine())
