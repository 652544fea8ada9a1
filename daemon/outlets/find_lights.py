"""Controllers with WLED among the hosts that this machine knows: each is asked, as a browser would, what it is."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

import msgspec
import tomli_w
from msgspec import Struct

from daemon.http.client import RequestError, send_request

_MOST_BYTES = 1 << 14
_LETTERS = 36
_TIMEOUT_S = 2.0


class _Info(Struct):
    brand: str
    name: str = ""


async def find_lights(hosts: Sequence[str]) -> str:
    """Returns a section `[[outlets.light]]` for each of these hosts (with a port, if need be) that is one."""
    found = await asyncio.gather(*map(_ask, hosts))
    sections, names = list[str](), set[str]()
    for host, info in zip(hosts, found, strict=True):
        if info is None:
            continue
        base = re.sub("[^a-z0-9]+", "-", info.name.casefold()).strip("-")[:_LETTERS] or "light"
        name = next(each for each in (base, *(f"{base}-{n}" for n in range(2, len(hosts) + 2))) if each not in names)
        names.add(name)
        lines = tomli_w.dumps({"name": name, "url": f"http://{host}"})
        sections.append(f"# A controller with WLED.\n[[outlets.light]]\n{lines}")
    return "\n".join(sections)


async def _ask(host: str) -> _Info | None:
    """Returns what this host says that it is; None if it is no controller with WLED."""
    try:
        reply = await send_request("GET", f"http://{host}/json/info", timeout_s=_TIMEOUT_S, most_bytes=_MOST_BYTES)
        info = msgspec.json.decode(reply.body, type=_Info)
    except (RequestError, ValueError):
        return None
    return info if info.brand == "WLED" else None
