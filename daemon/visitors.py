"""Whom the page is for: it is served under a name of ours only, and takes commands from itself only.

Another site can have its own name point at us, and is then the same origin: so the name has to be known. A request that
says nothing of where it comes from is from a program: every browser of the last years tells with what it writes.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from ipaddress import ip_address

from aiohttp import web

_LOCAL = (".local", ".lan", ".internal", ".home.arpa", ".localhost")
"""Endings that are reserved for networks at home."""
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[\w.-]*)(:\d{0,5})?", re.ASCII | re.IGNORECASE)
_OURS = (None, "same-origin", "none")


def check_visitor(request: web.Request, names: Collection[str]) -> None:
    """Raises HTTPForbidden. `names`: what else we are called, in lower case."""
    host = request.headers.get("Host", "")
    try:
        check_host(host, names)
    except ValueError as error:
        raise web.HTTPForbidden(text=str(error)) from None
    site = request.headers.get("Sec-Fetch-Site")
    if request.method in ("GET", "HEAD"):
        is_link = request.headers.get("Sec-Fetch-Mode") == "navigate"
        if site not in _OURS and not is_link and request.path.startswith("/api/"):
            raise web.HTTPForbidden(text="what the page shows is for the page itself only")
        return
    origins = request.headers.getall("Origin", [])
    if site not in _OURS or any(origin not in (f"http://{host}", f"https://{host}") for origin in origins):
        raise web.HTTPForbidden(text="commands are taken from the page itself only")


def check_host(host: str, names: Collection[str]) -> str:
    """The name or address in a `host` or `host:port` that the page is served under. Raises ValueError."""
    name = host.rpartition(":")[0] if re.search(r":\d*$", host) else host
    if not _HOST.fullmatch(host) or not (_is_local(name) or name.lower() in names):
        raise ValueError(f"the page is not served as {name!r}: add that name to web.names, if it is ours")
    return name


def _is_local(name: str) -> bool:
    """An address, or a name that nobody on the internet can own."""
    try:
        ip_address(name.strip("[]"))
    except ValueError:
        return "." not in name or name.lower().endswith(_LOCAL)
    return True
