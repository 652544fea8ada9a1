"""The names and addresses of the page: where other machines find it, and under which names it is served.

A display on the daemon's own machine knows the page by an address that is of no use to a phone, and what a proxy has
made of the address only the page in the browser knows. So the page tells its address, which is used if its name
is one of ours: another site could let its name point at this machine, and would then be of the same origin.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Collection, Sequence
from ipaddress import ip_address

from msgspec import Struct

from daemon.http.addresses import format_host_port, is_any, is_loopback

_LOCAL = (".local", ".lan", ".internal", ".home.arpa", ".localhost")
"""Endings that are reserved for networks at home."""
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[\w.-]*)(:\d{0,5})?", re.ASCII | re.IGNORECASE)
_MOST = 200
_BASE = re.compile(r"https?://([^/:@][^/@]*)/([\w.~!$&'()*+,;=:@%/-]*/)?", re.ASCII)


class PublicUrl(Struct, frozen=True):
    """The host and port where the page is served, and its further `names`, as in [web] of the configuration."""

    host: str
    port: int
    names: Sequence[str]

    @property
    def authority(self) -> str:
        """Host and port for other machines, as far as this machine knows."""
        name = self.names[0] if self.names else _find_own_address() if is_any(self.host) else self.host
        return format_host_port(name, self.port)

    def with_token(self, token: str) -> str:
        """Returns the address that opens the page there, and enters this token."""
        return f"http://{self.authority}/#token={token}"

    def for_phones(self, base: str) -> str:
        """Returns the address for a phone beside the display that has the page at `base`. Raises ValueError."""
        found = _BASE.fullmatch(base) if len(base) <= _MOST else None
        if found is None:
            about = f"http://192.168.1.20:8180/, {_MOST} characters at most, with nothing after the last slash"
            raise ValueError(f"base is the address where the page was found, such as {about}")
        name = check_host(found[1], self.names).strip("[]").lower()
        is_near = is_loopback(name) or is_any(name) or name.endswith(".localhost")
        return f"http://{self.authority}/" if is_near and not is_loopback(self.host) else base


def _find_own_address() -> str:
    """Returns the address of this machine in its network, else its name. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address for documentation: only the routing table is asked
        except OSError:
            return socket.gethostname()
        return str(probe.getsockname()[0])


def check_host(host: str, names: Collection[str]) -> str:
    """Returns the name or address in a `host` or `host:port`. Raises ValueError if the page is not served under it.

    `names` are further names of the page, in lower case.
    """
    name = host.rpartition(":")[0] if re.search(r":\d*$", host) else host
    if not _HOST.fullmatch(host) or not (_is_local(name) or name.lower() in names):
        raise ValueError(f"the page is not served as {name!r}: add that name to web.names, if this machine has it")
    return name


def _is_local(name: str) -> bool:
    """Returns whether it is an address, or a name that cannot be registered on the internet."""
    try:
        ip_address(name.strip("[]"))
    except ValueError:
        return "." not in name or name.lower().endswith(_LOCAL)
    return True
