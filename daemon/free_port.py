"""Ports of the loopback for what has no port in a configuration: the usual one, or another where that is taken."""

from __future__ import annotations

import socket

from daemon.errors import UserError


def is_free(port: int) -> bool:
    """Returns whether this port of 127.0.0.1 can be listened on."""
    return _bind(port) is not None


def find_free_port(usual: int) -> int:
    """Returns the usual port if it is free on 127.0.0.1, else any that is. Raises UserError."""
    found = _bind(usual) or _bind(0)
    if found is None:
        raise UserError("the loopback has no free port")
    return found


def _bind(port: int) -> int | None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return None
        return int(probe.getsockname()[1])
