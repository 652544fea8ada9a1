"""Whom the page is for: it is served under a name of ours only, and takes commands from itself only.

Another site can have its own name point at us, and is then the same origin: so the name has to be known.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from ipaddress import ip_address

from aiohttp import web

_LOCAL = (".local", ".lan", ".internal", ".home.arpa", ".localhost")
"""Endings that are reserved for networks at home."""


def check_visitor(request: web.Request, names: Collection[str]) -> None:
    """Raises HTTPForbidden. `names`: what else we are called, in lower case."""
    host = request.headers.get("Host", "")
    name = host.rpartition(":")[0] if re.search(r":\d*$", host) else host
    if not (_is_local(name) or name.lower() in names):
        raise web.HTTPForbidden(text=f"the page is not served as {name!r}: add that name to web.names, if it is ours")
    if request.method in ("GET", "HEAD"):
        return
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    if site not in (None, "same-origin", "none") or (origin is not None and origin.rpartition("//")[2] != host):
        raise web.HTTPForbidden(text="commands are taken from the page itself only")


def _is_local(name: str) -> bool:
    """An address, or a name that nobody on the internet can own."""
    try:
        ip_address(name.strip("[]"))
    except ValueError:
        return "." not in name or name.lower().endswith(_LOCAL)
    return True
