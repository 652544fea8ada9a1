"""`oche doctor` on the page: can it be served where it is configured, and who can reach it?"""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Iterator
from pathlib import Path

from daemon.access import Access, is_loopback, kept_in
from daemon.doctor.checks import Check
from daemon.doctor.host import Host
from daemon.doctor.whose import Who
from daemon.mqtt.address import BrokerAddress
from daemon.sections import Web


def check_page(web: Web, folder: Path, who: Who | None, host: Host, *, is_running: bool | None) -> Iterator[Check]:
    """`who` serves it. `is_running`: a daemon has the port. None: nobody knows."""
    if not web.on:
        yield Check("page", "ok", "it is switched off (web.on)")
        return
    free = int(host.text("/proc/sys/net/ipv4/ip_unprivileged_port_start") or 1024)
    if 0 < web.port < free and who is not None and who.uid != 0:
        text = f"{who.name} may not listen at port {web.port}: only root may"
        yield Check("page", "problem", text, f"set web.port to one above {free - 1}")
    elif web.port and is_running is False:
        yield from _port(web, host)
    if is_loopback(web.host):
        remedy = 'for phones and tablets set web.host = "0.0.0.0", then sudo oche token'
        yield Check("page", "ok", "it is for this machine only", remedy)
    else:
        yield _token(web, folder)


def _port(web: Web, host: Host) -> Iterator[Check]:
    """The port is taken for a moment and not listened at: nobody can come in."""
    where = BrokerAddress(web.host, web.port)
    try:
        for family, kind, protocol, _, address in socket.getaddrinfo(
            web.host, web.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        ):
            with socket.socket(family, kind, protocol) as place:
                place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                if family == socket.AF_INET6:
                    place.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                place.bind(address)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            programs = host.listeners(web.port).programs
            who = " and ".join(map(str, programs)) or "another program"
            close = f"sudo kill {programs[0].pid}" if programs else "sudo ss -ltnp names it"
            remedy = f"close it ({close}), or set another web.port"
            yield Check("page", "problem", f"{who} listens at {where} already", remedy)
        elif error.errno not in (errno.EACCES, errno.EPERM):
            text = f"{web.host} is no address of this machine"
            yield Check(
                "page", "problem", text, 'set web.host to one that it has (ip address names them), or to "0.0.0.0"'
            )


def _token(web: Web, folder: Path) -> Check:
    file = Path(web.token_file) if web.token_file else kept_in(folder)
    if not _may_look(folder) or (os.path.lexists(file) and not os.access(file, os.R_OK)):
        return Check("page", "ok", "the network reaches it; whether it has a token only root sees")
    trouble = Access(web.host, web.token_file, folder).trouble
    if trouble:
        what, _, remedy = trouble.partition(": ")
        return Check("page", "problem", f"the network reaches it, but {what}", remedy)
    return Check("page", "ok", "the network reaches it, and it has a token")


def _may_look(folder: Path) -> bool:
    return not folder.exists() or os.access(folder, os.X_OK)
