"""Several brokers that are one: how they are written in the configuration, and how one finds the next."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from daemon.assemble import run_daemon
from daemon.config.reader import read_config
from daemon.config.sections import Mqtt
from daemon.errors import UserError
from tests.daemon.display import Display
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import configure, eventually


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("a", ["a:1883"]),
        ("a:1884", ["a:1884"]),
        (("a", "b.lan:1884", "10.0.0.1"), ["a:1883", "b.lan:1884", "10.0.0.1:1883"]),
        (("::1", "[fe80::1%eth0]:1884", "[::1]"), ["[::1]:1883", "[fe80::1%eth0]:1884", "[::1]:1883"]),
        (None, ["127.0.0.1:1883"]),
    ],
)
def test_hosts_with_and_without_ports(written: str | tuple[str, ...] | None, read: list[str]) -> None:
    assert [str(broker) for broker in Mqtt(host=written).brokers()] == read


@pytest.mark.parametrize(
    ("written", "complaint"),
    [
        ('"mqtt://a"', "'mqtt://a' is not a broker's address: write host, host:port or [IPv6]:port, without mqtt://"),
        ('["a", ""]', "'' is not a broker's address: write host, host:port or [IPv6]:port, without mqtt://"),
        ('["a", "b:70000"]', "'b:70000' has an invalid port: write one from 1 to 65535"),
        ('["a", "b:"]', "'b:' is not a broker's address: write host, host:port or [IPv6]:port, without mqtt://"),
        ("[]", "length >= 1"),
    ],
)
def test_what_is_no_address_is_named(tmp_path: Path, written: str, complaint: str) -> None:
    file = configure(tmp_path, 1883)
    file.write_text(file.read_text().replace('host = "127.0.0.1"', f"host = {written}", 1), encoding="utf-8")
    with pytest.raises(UserError) as refusal:
        read_config(file)
    assert complaint in str(refusal.value)
    assert "line 8" in str(refusal.value)


async def test_the_next_one_is_taken_when_one_dies(
    mosquitto_path: Path, tmp_path: Path, unused_tcp_port_factory: Callable[[], int]
) -> None:
    first, second = (Mosquitto(mosquitto_path, tmp_path / name, unused_tcp_port_factory()) for name in ("a", "b"))
    file = configure(tmp_path, 1883)
    both = [f"127.0.0.1:{broker.port}" for broker in (first, second)]
    file.write_text(file.read_text().replace('host = "127.0.0.1"', f"host = {both}", 1), encoding="utf-8")
    async with first, second, run_daemon(read_config(file)) as running:
        await eventually(lambda: running.mqtt.status.sentence == "connected")
        for dies, lives in ((first, second), (second, first)):
            await dies.kill()
            await is_online_at(lives)
            await dies.start()


async def is_online_at(broker: Mosquitto) -> None:
    """Waits until the daemon is there."""
    async with Display(broker.port) as display:
        await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
