"""How one comes in where a token is needed: what the machine's owner types, and what a guest sends."""

from __future__ import annotations

from pathlib import Path

import aiohttp
from click.testing import CliRunner, Result

from daemon.commands.token import command
from daemon.service import House
from tests.daemon.patience import PATIENCE_S

ANYWHERE = 'host = "0.0.0.0"\n'
"""Everybody reaches it, so that even who comes over the loopback is a stranger."""


def oche_token(file: Path, *options: str) -> Result:
    """What `oche token` says."""
    return CliRunner().invoke(command, ["--config", str(file), *options])


def guest(house: House, **headers: str) -> aiohttp.ClientSession:
    """Somebody new, who keeps cookies; aiohttp does so for an address only if it is told."""
    jar = aiohttp.CookieJar(unsafe=True)
    timeout = aiohttp.ClientTimeout(total=PATIENCE_S)
    return aiohttp.ClientSession(house.page, headers=headers, cookie_jar=jar, timeout=timeout)
