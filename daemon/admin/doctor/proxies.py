"""The checks of the proxies that reach boards on Bluetooth: the file of the key, and what each proxy says of itself.

They are connected to as the daemon does it. A proxy serves one program at a time, so one that a running daemon uses
only says that it is in use: that it answers, takes the key and makes connections is known by then.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from daemon.admin.doctor.checks import Check
from daemon.admin.doctor.service import Account, check_secret
from daemon.config.sections import ProxyConfig
from drivers.proxies import ProxyState, look_at_proxies
from protocol.sentence import Sentence, say, split_advice

_PATIENCE_S = 6.0
"""To connect, and to find out that a proxy is in use, which it does not say."""
_IN_USE = ("link.proxy_taken", "link.proxy_full")


async def check_proxies(
    proxies: Sequence[ProxyConfig], account: Account | None, *, is_running: bool | None
) -> list[Check]:
    """Returns what is found of each of these proxies, which are set. `is_running`: a daemon has them; None: perhaps.

    One whose key cannot be read is not judged by how it answers.
    """
    checks = []
    for proxy, state in zip(proxies, await look_at_proxies(_PATIENCE_S), strict=True):
        key = await asyncio.to_thread(_check_key, proxy, account)
        checks += [key] if key is not None else []
        if key is None or key.verdict != "problem":
            checks.append(_check_state(state, is_running=is_running))
    return checks


def _check_key(proxy: ProxyConfig, account: Account | None) -> Check | None:
    what = say("secret.proxy", "the key of the proxy")
    return check_secret("proxy", Path(proxy.key_file), what, account) if proxy.key_file else None


def _check_state(state: ProxyState, *, is_running: bool | None) -> Check:
    name = str(state.proxy)
    if state.name and state.name not in name:  # its address does not say which one it is
        name = f"{name} ({state.name})"
    if state.trouble is None:
        said = "doctor.proxy_ok", "the Bluetooth proxy {name} answers (free connections: {count} of {most})"
        text = say(*said, name=name, count=state.free, most=state.slots)
        return Check("proxy", "ok", text)
    what, remedy = split_advice(state.trouble)
    if is_running is not False and isinstance(what, Sentence) and what.key in _IN_USE:
        text = say("doctor.proxy_used", "the Bluetooth proxy {name} answers, and is in use while oche runs", name=name)
        return Check("proxy", "ok", text)
    return Check("proxy", "problem", what, remedy)
