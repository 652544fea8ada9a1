"""The codes by which a phone joins a table: as its remote, or to look on. Those of hands are in seats.py."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal
from urllib.parse import urlencode, urlsplit

from msgspec import Struct

from daemon.web.public_url import is_loopback
from daemon.web.qr_code import QrCode, draw_qr_code

_VIEWS: Mapping[Literal["remote", "spectator"], Mapping[str, str]] = {
    "remote": {"view": "remote"},
    "spectator": {"kiosk": "1"},  # shows all, and has nothing to press
}


class JoinCode(Struct, frozen=True):
    """An address of the page for a phone, and its code."""

    view: Literal["remote", "spectator"]
    url: str
    qr: QrCode


class JoinCodes(Struct, frozen=True):
    """The codes of a table. `local`: they work on this machine only. `asks`: the page asks a phone for its token."""

    local: bool
    asks: bool
    codes: tuple[JoinCode, ...]


def make_join_codes(base: str, table: str | None, token: str, *, needs_token: bool) -> JoinCodes:
    """Returns the codes of a table, None: the only one, where the page is at `base`; `token` "" is in no link."""
    codes = []
    for view, choice in _VIEWS.items():
        query = {**({} if table is None else {"table": table}), **choice}
        url = f"{base}?{urlencode(query)}" + (f"#token={token}" if token else "")
        codes.append(JoinCode(view, url, draw_qr_code(url)))
    return JoinCodes(is_of_this_machine(base), needs_token and not token, tuple(codes))


def is_of_this_machine(url: str) -> bool:
    """Returns whether no other machine reaches this address."""
    host = urlsplit(url).hostname or ""
    return is_loopback(host) or host.endswith(".localhost")
