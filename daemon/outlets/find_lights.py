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


class FoundLight(Struct, frozen=True):
    """A controller with WLED: its address, and a name for it, made of its own."""

    name: str
    url: str


class _Info(Struct):
    brand: str
    name: str = ""


async def find_lights(hosts: Sequence[str]) -> list[FoundLight]:
    """Returns those of these hosts (with a port, if need be) that are one; no two have the same name."""
    infos = await asyncio.gather(*map(_ask, hosts))
    found, names = list[FoundLight](), set[str]()
    for host, info in zip(hosts, infos, strict=True):
        if info is None:
            continue
        base = re.sub("[^a-z0-9]+", "-", info.name.casefold()).strip("-")[:_LETTERS] or "light"
        name = next(each for each in (base, *(f"{base}-{n}" for n in range(2, len(hosts) + 2))) if each not in names)
        names.add(name)
        found.append(FoundLight(name, f"http://{host}"))
    return found


def format_lights(found: Sequence[FoundLight]) -> str:
    """Returns a section `[[outlets.light]]` of a configuration for each of these."""
    sections = (tomli_w.dumps(msgspec.to_builtins(each)) for each in found)
    return "\n".join(f"# A controller with WLED.\n[[outlets.light]]\n{section}" for section in sections)


async def _ask(host: str) -> _Info | None:
    """Returns what this host says that it is; None if it is no controller with WLED."""
    try:
        reply = await send_request("GET", f"http://{host}/json/info", timeout_s=_TIMEOUT_S, most_bytes=_MOST_BYTES)
        info = msgspec.json.decode(reply.body, type=_Info)
    except (RequestError, ValueError):
        return None
    return info if info.brand == "WLED" else None
