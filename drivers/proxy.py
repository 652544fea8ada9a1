"""An ESPHome Bluetooth proxy as it is configured, and the sentences for what can be wrong with one."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from drivers.transport import make_printable
from protocol.sentence import Sentence, advise, say

PROXY_PORT = 6053

_AWAIT = say("link.await_proxy", "check its power and its network; oche keeps trying")


class Proxy(NamedTuple):
    """A proxy on the network. `key_file` contains its encryption key (32 bytes in base64); None: it has none."""

    host: str
    port: int = PROXY_PORT
    key_file: Path | None = None

    def __str__(self) -> str:
        return self.host if self.port == PROXY_PORT else f"{self.host}:{self.port}"


class Trouble(Exception):
    """A proxy cannot be used; `said` is why, and what to do."""

    def __init__(self, said: Sentence) -> None:
        super().__init__(str(said))
        self.said = said


def say_silence(proxy: Proxy) -> Sentence:
    """What to say of a proxy that does not answer."""
    what = say("link.proxy_silent", "the Bluetooth proxy {name} does not answer", name=str(proxy))
    return advise(what, say("link.check_proxy", "check its power, its network, and the host in the configuration"))


def say_unknown(proxy: Proxy) -> Sentence:
    """What to say of a host that nobody knows."""
    what = say("link.proxy_unknown", "no Bluetooth proxy {name} is found in this network", name=str(proxy))
    return advise(what, say("link.find_proxy", "check its power, or write its IP address as the host"))


def say_gone(proxy: Proxy) -> Sentence:
    """What to say of a proxy that was there."""
    what = say("link.proxy_gone", "the connection to the Bluetooth proxy {name} ended", name=str(proxy))
    return advise(what, _AWAIT)


def say_failure(proxy: Proxy, error: Exception) -> Sentence:
    """What to say of an error that nobody expected."""
    details = make_printable(f"{type(error).__name__}: {error}")
    failed = "link.proxy_failed", "the Bluetooth proxy {name} cannot be used ({details})"
    return advise(say(*failed, name=str(proxy), details=details), _AWAIT)


def say_full(proxy: Proxy, slots: int) -> Sentence:
    """What to say of a proxy that has so many connections, and none that is free."""
    full = "link.proxy_full", "all connections of the Bluetooth proxy {name} are in use ({count})"
    return advise(say(*full, name=str(proxy), count=slots), say("link.free_proxy", "free one, or add a proxy"))


def say_taken(proxy: Proxy) -> Sentence:
    """What to say of a proxy that has another client."""
    what = say("link.proxy_taken", "another program uses the Bluetooth proxy {name}", name=str(proxy))
    remedy = say(
        "link.own_proxy",
        "remove it from that program (Home Assistant, perhaps), or get oche a proxy of its own",
    )
    return advise(what, remedy)
