"""Names in the configuration: of what the configuration itself has, one or several; and addresses in the web."""

from __future__ import annotations

import re
from ipaddress import ip_address
from typing import Annotated
from urllib.parse import urlsplit

from msgspec import Meta

from protocol.sentence import Sentence, say

Name = Annotated[str, Meta(min_length=1, max_length=40, pattern="^[a-z0-9_-]+$")]
Names = str | tuple[str, ...]
"""One name, or several of which one must fit."""


_NEAR = (".localhost", ".local", ".lan", ".home", ".internal", ".home.arpa", ".fritz.box")
"""How names end that only the own network knows."""


def list_names(names: Names) -> tuple[str, ...]:
    """Returns these names as several."""
    return (names,) if isinstance(names, str) else names


def is_web_address(text: str) -> bool:
    """Whether this is an http or https address with a host, and with a port from 1 to 65535 if it has one."""
    try:
        address = urlsplit(text)
        is_web = address.scheme in ("http", "https") and bool(address.hostname) and address.port != 0
    except ValueError:  # a port that is none, half an IPv6 address
        return False
    return is_web and re.fullmatch("[!-~]+", text) is not None


def is_near(address: str) -> bool:
    """Whether a web address is of this machine or of the own network, as far as the address alone tells."""
    host = (urlsplit(address).hostname or "").rstrip(".")
    try:
        found = ip_address(host.partition("%")[0])
    except ValueError:
        return "." not in host or host.endswith(_NEAR)
    return found.is_private or found.is_link_local


def check_address(text: str) -> Sentence | None:
    """Returns why requests should not go to this address; None: they can."""
    if "@" in re.split("[/?#]", text.partition("://")[2])[0]:  # said first: the other sentence repeats the address
        return say("settings.address_login", "others can see an address with a password: write it without the login")
    if not is_web_address(text):
        return say(
            "settings.address",
            "{given} is not a web address: write one such as http://192.168.1.20",
            given=repr(text),
        )
    return None
