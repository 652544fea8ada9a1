"""What the programs for displays have in common: how they reach the broker, and how long they trust it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.daemon.display import JSON, Display
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.test_broker_tls import make_certificates
from tests.displays.example import DISPLAYS, documented, example, say

STATE: JSON = {
    "phase": "throwing",
    "turn": {"side": 1, "player": "Bo", "darts": [], "darts_left": 3},
    "sides": [{"name": "Ann", "score": 301}, {"name": "Bo", "score": 181}],
    "winners": [],
}
PROGRAMS = pytest.mark.parametrize(
    ("program", "topic", "gone"),
    [("wled/wled.py", "wled/darts/api", '{"on": false}'), ("awtrix/awtrix.py", "awtrix_a1b2c3/custom/darts", "")],
)


@PROGRAMS
async def test_it_reaches_a_broker_with_tls(
    tmp_path: Path,
    mosquitto_path: Path,
    openssl_path: Path,
    unused_tcp_port_factory: Callable[[], int],
    program: str,
    topic: str,
    gone: str,
) -> None:
    plain, encrypted = unused_tcp_port_factory(), unused_tcp_port_factory()
    make_certificates(tmp_path, "localhost")
    files = [f"{key} {tmp_path / name}" for key, name in (("certfile", "server.crt"), ("keyfile", "server.key"))]
    more = [f"listener {encrypted} 127.0.0.1", *files]
    where = ("--broker", "localhost", "--port", str(encrypted), "--ca-file", str(tmp_path / "ca.crt"))
    async with (
        Mosquitto(mosquitto_path, tmp_path / "mosquitto", plain, more=more),
        Display(plain) as display,
        example(program, *documented(program, plain), *where, log=tmp_path / "log"),
    ):
        await say(display, STATE)
        await display.until(lambda: bool(sent(display, topic)))
        assert sent(display, topic)[0] != gone


@pytest.mark.parametrize("program", ["wled/wled.py", "awtrix/awtrix.py"])
def test_a_wrong_file_of_authorities_is_named(tmp_path: Path, program: str) -> None:
    (tmp_path / "ca.crt").write_text("no certificate")
    for file in (tmp_path / "none.crt", tmp_path / "ca.crt"):
        command = [sys.executable, str(DISPLAYS / program), *documented(program, 1), "--ca-file", str(file)]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        assert ended.returncode == 1
        assert ended.stderr.startswith(f"--ca-file {file} has no certificate that can be read: ")
        assert ended.stderr.count("\n") == 1


@PROGRAMS
async def test_online_holds_until_the_time_that_the_daemon_told(
    tmp_path: Path, broker: Mosquitto, program: str, topic: str, gone: str
) -> None:
    """A broker of MQTT 3.1.1 has kept `online` and the last health report through a power cut."""
    async with Display(broker.port) as display:
        await display.say("oche/bridge/oche/health", health(-1), retain=True)
        await say(display, STATE)
        async with example(program, *documented(program, broker.port), log=tmp_path / "log"):
            await display.until(lambda: sent(display, topic)[-1:] == [gone])
            await display.say("oche/bridge/oche/health", health(1), retain=True)
            await display.until(lambda: sent(display, topic)[-1] != gone)
            await display.say("oche/bridge/oche/health", health(-1), retain=True)
            await display.until(lambda: sent(display, topic)[-1] == gone)
            await display.say("oche/bridge/oche/health", "{}", retain=True)  # of a broker of MQTT 5
            await display.until(lambda: sent(display, topic)[-1] != gone)


def health(hours: int) -> str:
    """A report that is good until then."""
    return json.dumps({"good_until": (datetime.now(UTC) + timedelta(hours=hours)).isoformat(timespec="seconds")})


def sent(display: Display, topic: str) -> list[str]:
    """What the device was sent there, in order."""
    return [message.text for message in display.messages if message.topic == topic]
