"""Where others find the page: the address that `oche token` shows, and the one in the code of a seat.

No phone gets anywhere with the address of a wall on this machine itself, and what a web server in front has made of
the address only the page knows. So the page says where it is, and is believed as far as the name is one of ours.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Sequence
from typing import NamedTuple

from daemon.access import is_any, is_loopback
from daemon.connection import authority
from daemon.visitors import check_host

_MOST = 200
_BASE = re.compile(r"https?://([^/:@][^/@]*)/([\w.~!$&'()*+,;=:@%/-]*/)?", re.ASCII)


class Whereabouts(NamedTuple):
    """Where the page is served, and the `names` it has besides, as in [web] of the configuration."""

    host: str
    port: int
    names: Sequence[str]

    @property
    def authority(self) -> str:
        """Where others find it, as far as this machine knows."""
        name = self.names[0] if self.names else _own_address() if is_any(self.host) else self.host
        return authority(name, self.port)

    def for_phones(self, base: str) -> str:
        """The address for a phone beside the display that has found the page at `base`. Raises ValueError."""
        found = _BASE.fullmatch(base) if len(base) <= _MOST else None
        if found is None:
            about = f"http://192.168.1.20:8180/, {_MOST} characters at most, with nothing after the last slash"
            raise ValueError(f"base is the address where the page was found, such as {about}")
        name = check_host(found[1], self.names).strip("[]").lower()
        is_near = is_loopback(name) or is_any(name) or name.endswith(".localhost")
        return f"http://{self.authority}/" if is_near and not is_loopback(self.host) else base


def _own_address() -> str:
    """The address of this machine in its network, else its name. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address that is nobody's: asks the routes only
        except OSError:
            return socket.gethostname()
        return str(probe.getsockname()[0])
