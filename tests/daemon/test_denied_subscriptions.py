"""A broker that hangs up on a subscription that it denies: what is said of it, and that the daemon goes on without."""

from __future__ import annotations

import json
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import aiohttp
import pytest

from daemon.admin.doctor.broker import check_running
from daemon.assemble import run_daemon
from daemon.config.reader import read_config
from daemon.config.sections import BrokerAddress, Mqtt
from daemon.mqtt.client import Login
from daemon.mqtt.probe import hangs_up_on
from tests.daemon.display import Display
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import configure, eventually
from tests.daemon.relay import between

DENIED = "oche/bridge/+/info"
Relay = AbstractAsyncContextManager[int]
NOT_AUTHORIZED = b"\xe0\x01\x87"
"""DISCONNECT of MQTT 5."""


def denying(port: int, denied: str, farewell: bytes, is_mended: list[bool] | None = None) -> Relay:
    """The port of a broker, that at `port`, which says this and hangs up on who subscribes to what it denies.

    It denies nothing any more once `is_mended` holds anything.
    """

    async def pass_on(_: int, packet: bytes) -> bytes:
        return packet

    return between(port, pass_on, farewell=farewell, takes=lambda data: bool(is_mended) or denied.encode() not in data)


@pytest.mark.slow
@pytest.mark.parametrize("farewell", [b"", NOT_AUTHORIZED])
async def test_the_daemon_goes_on_without_it_until_it_is_allowed(
    tmp_path: Path, broker: Mosquitto, farewell: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.mqtt.link._RETRY_S", 0.05)
    is_mended = list[bool]()
    async with (
        denying(broker.port, DENIED, farewell, is_mended) as port,
        run_daemon(read_config(configure(tmp_path, port))) as running,
        Display(broker.port) as display,
        aiohttp.ClientSession(running.page) as web,
    ):
        await eventually(lambda: running.mqtt.status.sentence == "connected")
        said = (
            f"connected, but the broker does not let oche use {DENIED}: add to its ACL, for everyone: "
            f"topic read {DENIED}"
        )

        async def is_said() -> bool:
            async with web.get("/api/tables/others") as answer:  # as the lobby asks, which has them looked for
                return answer.status == 200 and running.mqtt.status.sentence == said

        await eventually(is_said)
        reconnects = running.mqtt.reconnects
        await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
        for bed in ("T20", "T19"):
            assert (await display.ask("throw", {"throw": bed}))["status"] == "ok"
        assert (running.mqtt.reconnects, running.mqtt.status.sentence) == (reconnects, said)
        info = json.loads(display.now["oche/bridge/oche/info"])
        await display.say("oche/bridge/far/info", json.dumps(info | {"tables": ["elsewhere"]}), retain=True)
        await display.say("oche/bridge/far/state", "online", retain=True)
        is_mended.append(True)

        async def is_heard() -> bool:
            async with web.get("/api/tables/others") as answer:
                return "elsewhere" in await answer.text()

        await eventually(is_heard)
        assert (running.mqtt.reconnects, running.mqtt.status.sentence) == (reconnects, "connected")


async def test_a_broker_that_cannot_be_asked_allows_nothing(tmp_path: Path, broker: Mosquitto) -> None:
    address, login = BrokerAddress("127.0.0.1", broker.port), Login("oche")
    for given, hangs_up in ((Mqtt(), False), (Mqtt(tls=True, ca_file=str(tmp_path / "gone.pem")), True)):
        assert await hangs_up_on(DENIED, address, given, login, "5") == hangs_up


@pytest.mark.slow
async def test_the_doctor_names_it_and_looks_at_the_rest(tmp_path: Path, broker: Mosquitto) -> None:
    more = '\n[league]\nlend_to = ["south"]\n'
    for denied, line in ((DENIED, f"topic read {DENIED}"), ("oche/table/main/request/", "oche/table/main/#")):
        async with denying(broker.port, denied, NOT_AUTHORIZED) as port:
            file = configure(tmp_path, port)
            file.write_text(file.read_text(encoding="utf-8") + more, encoding="utf-8")
            found = [check async for check in check_running(read_config(file))]
        assert [check.verdict for check in found if check.name == "login"] == ["ok"]
        (said,) = [str(check) for check in found if check.verdict == "problem"]
        assert "the broker hung up when oche subscribed to" in said
        assert line in said
        assert (denied == DENIED) == any(check.name == "duplicates" for check in found)
