"""The codes by which a phone joins a table: as its remote, or to look on. Those of hands are in seats.py."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Literal
from urllib.parse import urlencode, urlsplit

from msgspec import Struct

from daemon.http.addresses import is_loopback
from daemon.web.qr_code import QrCode

View = Literal["remote", "spectator"]
_VIEWS: Mapping[View, Mapping[str, str]] = {
    "remote": {"view": "remote"},
    "spectator": {"kiosk": "1"},  # shows all, and has nothing to press
}


class JoinCode(Struct, frozen=True):
    """An address of the page for a phone, and its code."""

    view: View
    url: str
    qr: QrCode


class JoinCodes(Struct, frozen=True):
    """The codes of a table. `local`: they work on this machine only. `asks`: the page asks a remote for its token."""

    local: bool
    asks: bool
    codes: tuple[JoinCode, ...]


async def make_join_codes(
    base: str,
    table: str | None,
    tokens: Mapping[View, str],
    draw: Callable[[str], Awaitable[QrCode]],
    *,
    asks: bool,
) -> JoinCodes:
    """Returns the codes of a table, None: the only one, where the page is at `base`.

    There is one for each view that `tokens` names, with that token in its link; "" is in none.
    """
    codes = []
    for view, token in sorted(tokens.items()):
        choice = _VIEWS[view]
        query = {**({} if table is None else {"table": table}), **choice}
        url = f"{base}?{urlencode(query)}" + (f"#token={token}" if token else "")
        codes.append(JoinCode(view, url, await draw(url)))
    return JoinCodes(is_of_this_machine(base), asks, tuple(codes))


def is_of_this_machine(url: str) -> bool:
    """Returns whether no other machine reaches this address."""
    host = urlsplit(url).hostname or ""
    return is_loopback(host) or host.endswith(".localhost")
