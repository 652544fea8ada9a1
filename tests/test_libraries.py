"""The libraries that oche imports: each is declared, and those whose private names it uses are bounded.

A private name may be another one in the next version, and no changelog says so: so no minor version is allowed that
this test has not run with. Raise a bound with `make libraries`, when it passes.
"""

from __future__ import annotations

import ast
import asyncio
import sys
import tomllib
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import packages_distributions, requires, version
from pathlib import Path
from typing import Any

import aiomqtt
import amqtt.broker
import pytest
import socketio
from engineio.async_socket import AsyncSocket
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version
from paho.mqtt.client import Client as PahoClient
from paho.mqtt.enums import CallbackAPIVersion
from uvicorn import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("protocol", "engine", "drivers", "simulator", "daemon")
FOR_TESTS = ROOT / "simulator" / "kernel"


def read_requirements() -> dict[str, Requirement]:
    """What an installation has, with or without the extras for its users, by name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    for_users = (each for name in ("broker", "feed", "league", "photo", "proxy") for each in extras[name])
    found = map(Requirement, (*project["dependencies"], *for_users))
    return {canonicalize_name(each.name): each for each in found}


def list_imports(file: Path) -> Iterator[str]:
    """Yields the top of each module that it imports, wherever in it."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (each.name.partition(".")[0] for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module.partition(".")[0]


@pytest.mark.slow
def test_every_library_that_is_imported_is_declared() -> None:
    owners, declared = packages_distributions(), read_requirements()
    files = [file for room in ROOMS for file in (ROOT / room).rglob("*.py") if FOR_TESTS not in file.parents]
    found = {name: file for file in files for name in list_imports(file)}
    others = found.keys() - sys.stdlib_module_names - set(ROOMS)
    assert len(others) > 8
    strange = {
        name: str(found[name])
        for name in others
        if not any(canonicalize_name(owner) in declared for owner in owners.get(name, ()))
    }
    assert strange == {}, "add it to the dependencies in pyproject.toml"


@pytest.mark.parametrize("name", ["aiomqtt", "amqtt", "bleak-esphome", "paho-mqtt", "pyusb", "uvicorn"])
def test_no_version_is_allowed_whose_private_names_were_not_looked_at(name: str) -> None:
    wanted, installed = read_requirements()[name].specifier, Version(version(name))
    assert installed in wanted
    assert f"{installed.major}.{installed.minor + 1}" not in wanted, "a minor version that this test has not run with"
    assert any(each.operator == ">=" for each in wanted)


def test_paho_is_allowed_wherever_aiomqtt_takes_it() -> None:
    """Else pip finds no version for both."""
    wanted = next(each for each in map(Requirement, requires("aiomqtt") or ()) if each.name == "paho-mqtt")
    ours = read_requirements()["paho-mqtt"].specifier
    assert Version(version("paho-mqtt")) in wanted.specifier & ours


def test_the_private_names_of_paho_are_there() -> None:
    """As daemon/mqtt/client.py and daemon/mqtt/packet_limit.py use them."""
    client: Any = PahoClient(CallbackAPIVersion.VERSION2)
    assert callable(client._sock_recv)
    assert callable(client._sock_close)
    for name in ("_handle_pubackcomp", "_packet_read", "_loop_rc_handle"):
        assert callable(getattr(client, name))
    assert client._mid_generate() == 1
    client._packet_queue(0, b"", 0, 0)
    assert list(client._out_packet) == [
        {"command": 0, "mid": 0, "qos": 0, "pos": 0, "to_process": 0, "packet": b"", "info": None}
    ]
    assert client._in_packet == {
        "command": 0,
        "have_remaining": 0,
        "remaining_count": [],
        "remaining_mult": 1,
        "remaining_length": 0,
        "packet": bytearray(b""),
        "to_process": 0,
        "pos": 0,
    }, "a packet that is thrown away ends so"


async def test_the_private_names_of_aiomqtt_are_there() -> None:
    """Methods that daemon/mqtt/client.py overrides, and what it reads."""
    client: Any = aiomqtt.Client("127.0.0.1")
    assert isinstance(client._client, PahoClient)
    assert not client._connected.done()
    assert not client._disconnected.done()
    assert client._loop.is_running()
    assert client.timeout > 0
    for name in ("connect", "message", "disconnect", "socket_register_write"):
        assert getattr(client._client, f"on_{name}") == getattr(client, f"_on_{name}")
    assert callable(client._misc_loop)


def test_the_private_names_of_amqtt_and_pyusb_are_there() -> None:
    """As daemon/mqtt/local_broker.py overrides them, and drivers/usb_board.py sets it."""
    broker: Any = amqtt.broker.Broker
    for name in ("stream_connected", "_client_connected", "_publish_retained_messages_for_subscription"):
        assert callable(getattr(broker, name))
    assert hasattr(import_module("usb.backend.libusb1"), "_lib_object")


def test_what_the_feed_uses_of_its_libraries_is_there() -> None:
    """As daemon/outlets/feed.py does: none of it is in their documentation."""
    state = ServerState()
    connection = H11Protocol(Config(lambda *_: None, log_config=None), state, {}, asyncio.new_event_loop())
    connection.loop.close()
    assert connection.connections is state.connections == set()
    cycle: object = connection.cycle
    assert cycle is None
    session = AsyncSocket(socketio.AsyncServer(async_mode="asgi").eio, "id")
    assert session.queue.qsize() == 0
    assert not session.closed
