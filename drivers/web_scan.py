"""Which boards of HTTP, such as cameras, there are on the local networks, what they are and whether they see darts.

They are looked for in two ways: by what they announce, and on the ports of profiles at the hosts that this machine
knows, itself among them. What is there is asked with the GET that a profile names as its probe, and nothing else is
sent. A board that is reached over the internet is never looked for, and no address outside the local networks is asked.
"""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from drivers.address import Address
from drivers.announced import find_announced
from drivers.mdns import Announced
from drivers.tcp_line import HostPort
from drivers.transport import LinkError
from drivers.web_peer import Deadlines, Peer
from drivers.web_request import Answer, request
from protocol.json_depth import check_depth
from protocol.profile import Probe, Profile, Web

HERE = "127.0.0.1"
_DEADLINES = Deadlines(connect_s=1.5, answer_s=3.0)
_AT_ONCE = 24
_VERSION = re.compile(r"v?(\d[\w.+-]{0,30})\s*", re.ASCII)
_OK = 200


State = Literal["running", "stopped", "silent"]
"""Whether a board sees darts, where its answer tells that; `silent`: it has not answered."""


class Probed(NamedTuple):
    """What a host has answered, and the profiles that this proves."""

    profiles: tuple[str, ...] = ()
    version: str = ""
    state: State | None = None


class FoundBoard(NamedTuple):
    """A board that was found. `profiles` are those that fit; its answer has proven them, or else it is announced so.

    `label` is what it calls itself.
    """

    host: str
    port: int
    profiles: tuple[str, ...]
    label: str = ""
    version: str = ""
    state: State | None = None
    is_proven: bool = True


async def find_web_boards(profiles: Iterable[Profile], hosts: Sequence[str]) -> list[FoundBoard]:
    """Returns the boards of these profiles that are announced, or that answer at these hosts or on this machine."""
    near = {profile.id: profile for profile in profiles if _is_near(profile)}
    if not near:
        return []
    services = dict.fromkeys(web.service for profile in near.values() if (web := profile.web) and web.service)
    announcing = asyncio.create_task(find_announced([*services]), name="looking for what is announced")
    try:
        ports = dict.fromkeys(web.port for profile in near.values() if (web := profile.web) and web.probe)
        places = [HostPort(host, port) for host in dict.fromkeys((HERE, *hosts)) for port in ports]
        probed = await _probe_all(places, near)
        announced = {HostPort(_name_host(each.host), each.port): each for each in await announcing}
    finally:
        announcing.cancel()
    probed |= await _probe_all([place for place in announced if place not in probed], near, announced)
    boards = [_describe(place, found, announced.get(place), near) for place, found in probed.items()]
    return [board for board in boards if board is not None]


async def probe_board(peer: Peer, probes: Iterable[Probe]) -> list[tuple[Probe, Probed]] | LinkError:
    """Returns the probes that this board passes, with what it has answered; or why there is no answer."""
    passed, answers = list[tuple[Probe, Probed]](), dict[str, Answer | LinkError]()
    for probe in probes:
        if probe.path not in answers:
            answers[probe.path] = await request(peer, "GET", probe.path)
        answer = answers[probe.path]
        if isinstance(answer, LinkError):
            return answer
        value = _read_key(answer, probe.key)
        if value == probe.value if probe.value is not None else isinstance(value, bool):
            version = await _ask_version(peer, probe.version)
            state: State | None = None if not isinstance(value, bool) else "running" if value else "stopped"
            passed.append((probe, Probed((), version, state)))
    return passed


async def _ask_version(peer: Peer, path: str | None) -> str:
    answer = await request(peer, "GET", path) if path is not None else None
    if not isinstance(answer, Answer) or answer.status != _OK or answer.body is None:
        return ""
    found = _VERSION.fullmatch(answer.body.decode("utf-8", "replace"))
    return found[1] if found else ""


def _read_key(answer: Answer, key: str) -> Any:  # Any: JSON
    """Returns what stands there in the answer, a JSON object; None where there is none."""
    if answer.status != _OK or answer.body is None:
        return None
    try:
        check_depth(answer.body)
        value = msgspec.json.decode(answer.body)
    except (ValueError, RecursionError):
        return None
    for name in key.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _is_near(profile: Profile) -> bool:
    return profile.link == "web" and profile.web is not None and not (profile.web.is_cloud or profile.web.tls)


async def _probe_all(
    places: Sequence[HostPort], near: dict[str, Profile], announced: dict[HostPort, Announced] | None = None
) -> dict[HostPort, Probed]:
    """Returns what each place has answered that takes a connection, and each that is announced in any case."""
    free = asyncio.Semaphore(_AT_ONCE)

    async def probe(place: HostPort) -> Probed | None:
        service = announced[place].service if announced else None
        asked: dict[str, Web] = {
            profile.id: profile.web
            for profile in near.values()
            if profile.web and (profile.web.port == place.port if service is None else profile.web.service == service)
        }
        probes = [web.probe for web in asked.values() if web.probe is not None]
        async with free:
            some = near[next(iter(asked))]
            passed = await probe_board(Peer(Address("web", str(place), {}), some, _DEADLINES), probes)
        if isinstance(passed, LinkError):
            return None if service is None else Probed(state="silent")
        best = next((found for _, found in passed), Probed())
        proofs = [each for each, _ in passed]
        return best._replace(profiles=tuple(name for name, web in asked.items() if web.probe in proofs))

    found = await asyncio.gather(*map(probe, places))
    return {place: each for place, each in zip(places, found, strict=True) if each is not None}


def _describe(
    place: HostPort, probed: Probed, announced: Announced | None, near: dict[str, Profile]
) -> FoundBoard | None:
    """Returns the board at this place; None where another program has the port."""
    host, port = place.host, place.port
    assert port is not None  # it was named by a profile, or announced
    if announced is None:
        return FoundBoard(host, port, probed.profiles, "", probed.version, probed.state) if probed.profiles else None
    webs = {name: each.web for name, each in near.items() if each.web and each.web.service == announced.service}
    asks_token = announced.texts.get("auth") == "token"
    fits = tuple(name for name, web in webs.items() if web.wants_token == asks_token) or tuple(webs)
    version = probed.version or announced.texts.get("version", "")
    is_proven = not set(fits).isdisjoint(probed.profiles)
    return FoundBoard(host, port, fits, announced.label, version, probed.state, is_proven)


def _name_host(host: str) -> str:
    """Returns how this host is named: by the address that stays, where it is this machine."""
    try:
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM) as line:
            line.bind(socket.getaddrinfo(host, 0, type=socket.SOCK_DGRAM, flags=socket.AI_NUMERICHOST)[0][4])
    except OSError:
        return host
    return HERE
