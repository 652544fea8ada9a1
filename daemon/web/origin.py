"""Where a request comes from: this machine, a web server in front of the page, or another site.

A web server in front shows by its headers. One that is named in [web] has asked its clients for a login.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from ipaddress import IPv4Address, IPv6Address, ip_address

from daemon.http.addresses import is_loopback
from daemon.http.limits import is_this_machine
from daemon.http.messages import HttpRequest, answer_text
from daemon.web.public_url import check_host

_CLIENT_HEADERS = ("forwarded", "x-forwarded-for")
"""By these a web server in front says for whom it asks; a proxy in [web] has to."""
_INGRESS = "x-ingress-path"
_OF_PROXY = ("forwarded", "x-real-ip", "via", _INGRESS)
"""What only a web server in front sends, as all that begins with `x-forwarded-`."""
_PORT = re.compile(r":\d+$")
_SAME_SITE = ("", "same-origin", "none")


def is_proxied(request: HttpRequest, proxies: Collection[IPv4Address | IPv6Address]) -> bool:
    """Returns whether it comes through one of these, which asks clients for a login, and says for whom it asks."""
    peer = request.connection.peer
    is_from_proxy = bool(proxies) and peer is not None and _plain_address(peer) in proxies
    return is_from_proxy and any(request.header(name) for name in _CLIENT_HEADERS)


def is_over_tls(request: HttpRequest) -> bool:
    """Returns whether a proxy in front of the page speaks TLS to this client, as the browser or the proxy says."""
    said = request.header("x-forwarded-proto") or request.header("forwarded").lower().partition("proto=")[2].strip('"')
    return said.lower().startswith("https") or request.header("origin").startswith("https://")


def is_local(request: HttpRequest) -> bool:
    """Returns whether it comes from this machine, and not through a web server in front.

    One shows by its headers, and by HTTP/1.0, which nginx speaks to the page unless it is told otherwise.
    """
    is_passed_on = request.version == "1.0" or any(
        name.startswith("x-forwarded-") or name in _OF_PROXY for name in request.header_names
    )
    return is_this_machine(request.connection.peer, request.connection.ours) and not is_passed_on


def is_at_machine(request: HttpRequest) -> bool:
    """Returns whether a browser on this machine asks: one that comes through a web server in front has another name."""
    name = request.header("host").rpartition(":")[0] if _PORT.search(request.header("host")) else request.header("host")
    return is_local(request) and (name.endswith(".localhost") or is_loopback(name.strip("[]")))


def _plain_address(peer: str) -> IPv4Address | IPv6Address:
    """Returns the address of a client; an IPv4 address as such, also where the socket is one of IPv6."""
    found = ip_address(peer.partition("%")[0])
    return getattr(found, "ipv4_mapped", None) or found


def check_origin(request: HttpRequest, names: Collection[str], *, by_proxy: bool) -> None:
    """Raises EarlyResponse for an unknown host name, and for a command that another site sends.

    `names` are further names of the page. The name in an absolute address counts as the Host does. A proxy may say as
    X-Forwarded-Host by which name it was asked; that of Home Assistant passes on any name, for its users call it by
    names that oche is not told.
    A request that does not say where it comes from is a program's: every browser of the last years does.
    """
    hosts = [request.header("host")]
    if by_proxy:
        hosts += [host.strip() for value in request.all_of("x-forwarded-host") for host in value.split(",")]
    if not (by_proxy and request.header(_INGRESS)):
        try:
            for host in (*hosts, request.site):
                check_host(host, names)
        except ValueError as error:
            raise answer_text(403, str(error)) from None
    site = request.header("sec-fetch-site")
    if request.method in ("GET", "HEAD"):
        is_link = request.header("sec-fetch-mode") == "navigate"
        if site not in _SAME_SITE and not is_link and request.path.startswith("/api/"):
            raise answer_text(403, "only the page itself may read this")
        return
    origins = request.all_of("origin")
    own = [f"{scheme}://{host}" for host in hosts for scheme in ("http", "https")]
    if site not in _SAME_SITE or any(origin not in own for origin in origins):
        raise answer_text(403, "only the page itself may send commands")
