"""Words to the service manager: a datagram to the socket that it names. Without one nothing happens.

By hand, because it is a dozen lines: sdnotify has had no release since 2017, and python-systemd has to be compiled
against libsystemd on the machine. What can be said is on the page sd_notify(3) of systemd.
"""

from __future__ import annotations

import os
import socket
from contextlib import suppress

_SOCKET, _WATCHDOG, _WATCHED = "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"


def notify(**words: str | int) -> bool:
    """Says for example `READY=1` or `STATUS=…`; a word is one line. Waits for nobody and never raises.

    False when the manager is too busy to be told now: say it again later. Who has gone need not be told.
    """
    address = os.environ.get(_SOCKET, "")
    if not address.startswith(("/", "@")):
        return True
    message = "\n".join(f"{key}={_line(value)}" for key, value in words.items())
    if address.startswith("@"):
        address = "\0" + address[1:]  # an abstract socket
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as wire:
            wire.setblocking(False)
            wire.sendto(message.encode(), address)
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True


def watchdog_s() -> float | None:
    """How long the manager waits for a sign of life before it starts us again (seconds); None: it does not look."""
    with suppress(ValueError):
        usec = int(os.environ.get(_WATCHDOG, "0"))
        if usec > 0 and int(os.environ.get(_WATCHED, os.getpid())) == os.getpid():
            return usec / 1e6
    return None


def _line(value: str | int) -> str:
    return "".join(each if each.isprintable() else " " for each in str(value))
