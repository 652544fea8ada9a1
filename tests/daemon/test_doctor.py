"""`oche doctor`: it knows what it says, hinders no program, and leaves no trace."""

from __future__ import annotations

import asyncio
import fcntl
import json
import re
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from daemon.admin.doctor.broker import check_running
from daemon.assemble import run_daemon
from daemon.config.reader import CheckedConfig, read_config
from daemon.errors import UserError
from daemon.service.lock import is_daemon_running, lock_folder
from tests.daemon.checkup import as_another_user
from tests.daemon.display import Display, find_retained
from tests.daemon.mosquitto import SHIPPED, Mosquitto
from tests.daemon.process import Process, configure, eventually, run
from tests.daemon.relay import PUBLISH, between, serving
from tests.sweep import sweep

RULES = (SHIPPED / "acl").read_text(encoding="utf-8")
README = (SHIPPED / "README.md").read_text(encoding="utf-8")
LOGIN = 'username = "oche"'
USERS = {"oche": "bridge"}


async def told(setup: CheckedConfig) -> dict[str, str]:
    """What the doctor says, verdict and text, by what it looked at."""
    return {check.name: " ".join(str(check).split()) async for check in check_running(setup)}


def verdicts(checks: dict[str, str]) -> set[str]:
    return {line.split()[0] for line in checks.values()}


# Is there a daemon?


async def test_the_doctor_does_not_guess_what_it_may_not_read(tmp_path: Path, unused_tcp_port: int) -> None:
    setup = read_config(configure(tmp_path, unused_tcp_port))
    state = tmp_path / "state"
    assert is_daemon_running(state) is False
    assert not state.exists()
    with lock_folder(state):
        assert is_daemon_running(state) is True
        (state / "lock").unlink()
        assert is_daemon_running(state) is True
    with (state / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # as oche 0.1.0 does
        assert is_daemon_running(state) is True
        with pytest.raises(UserError, match="another oche daemon"), lock_folder(state):
            pass
    assert is_daemon_running(state) is False
    state.chmod(0)
    with as_another_user():
        assert is_daemon_running(state) is None
        checks = await told(setup)
    state.chmod(0o700)
    sentence = f"cannot look into {state}, so the doctor does not know whether it runs: run oche doctor as root (sudo)"
    assert checks["daemon"] == f"warning daemon {sentence}"


@asynccontextmanager
async def page_that_says(answer: str) -> AsyncIterator[int]:
    async def say(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(f"HTTP/1.1 200 OK\r\nContent-Length: {len(answer)}\r\n\r\n{answer}".encode())
        await writer.drain()
        writer.close()

    async with serving(say) as port:
        yield port


def with_page(file: Path, port: int, host: str = "127.0.0.1") -> CheckedConfig:
    text = file.read_text(encoding="utf-8").replace("[web]\nport = 0\n", f'[web]\nport = {port}\nhost = "{host}"\n')
    file.write_text(text, encoding="utf-8")
    return read_config(file)


@pytest.mark.parametrize("answer", ["[]", "no", '{"text": 1}', '{"text": "\\n"}', "[" * 5000, '{"nothing": ""}'])
async def test_another_program_on_the_port_of_the_page(tmp_path: Path, unused_tcp_port: int, answer: str) -> None:
    async with page_that_says(answer) as port:
        setup = with_page(configure(tmp_path, unused_tcp_port), port)
        with lock_folder(tmp_path / "state"):
            checks = await told(setup)
    assert checks["daemon"].startswith("ok daemon it is running; see its log")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "::1"])
async def test_the_doctor_asks_the_page_at_its_configured_address(
    tmp_path: Path, broker: Mosquitto, unused_tcp_port_factory: Callable[[], int], host: str
) -> None:
    setup = with_page(configure(tmp_path, broker.port), unused_tcp_port_factory(), host)
    async with run_daemon(setup) as running:
        await eventually(lambda: running.mqtt.status.sentence == "connected")
        assert (await told(setup))["daemon"] == "ok daemon it is running, and its connection to the broker is fine"


# The password


async def test_a_password_that_only_the_service_has(
    tmp_path: Path, mosquitto_path: Path, unused_tcp_port_factory: Callable[[], int]
) -> None:
    """The daemon that runs is asked: a shell has no credential, and a login without one says nothing of it."""
    port, page = unused_tcp_port_factory(), unused_tcp_port_factory()
    (tmp_path / "password").write_text("bridge", encoding="utf-8")
    for_service = with_page(configure(tmp_path, port, mqtt=f'{LOGIN}\npassword_file = "{tmp_path}/password"'), page)
    for_shell = with_page(configure(tmp_path, port, mqtt=LOGIN), page)
    broker = Mosquitto(mosquitto_path, tmp_path / "mosquitto", port, users=USERS, shipped="oche.conf")
    async with broker:
        async with run_daemon(for_service) as running:
            await eventually(lambda: running.mqtt.status.sentence == "connected")
            checks = await told(for_shell)
            assert list(checks) == ["daemon", "password", "port"]
            assert verdicts(checks) == {"ok", "warning"}
            warning, _, remedy = checks["password"].partition("oche doctor with the service's password: ")
            assert warning.startswith("warning password this shell does not know the password of oche")
            assert remedy.startswith("sudo systemd-run --pipe ")
            assert f"\n    {remedy}\n" in README
            broker.heed(RULES.replace("topic readwrite oche/table/main/#\n", ""))

            def is_denied() -> bool:
                running.mqtt.outbox.resend()
                return running.mqtt.status.sentence != "connected"

            await eventually(is_denied)
            line = (await told(for_shell))["daemon"]
            assert line.startswith("problem daemon it reports: connected, but the broker does not let oche use oche")
        checks = await told(for_shell)
        assert checks["password"].startswith("warning password this shell does not know the password of oche")
        assert checks["login"].endswith(f"the broker 127.0.0.1:{port} refused oche without a password: see password")


async def test_a_password_file_that_is_the_daemons_alone(tmp_path: Path, unused_tcp_port: int) -> None:
    """Beside a daemon that may read it this is no problem; the daemon says so if it may not."""
    setup = read_config(configure(tmp_path, unused_tcp_port, mqtt=f'{LOGIN}\npassword_file = "{tmp_path}/none"'))
    sentence = f"cannot read the broker's password from {tmp_path}/none: no such file or directory: write the broker's"
    assert (await told(setup))["password"].startswith(f"problem password {sentence}")
    assert "as root" not in (await told(setup))["password"]
    with lock_folder(tmp_path / "state"):
        assert (await told(setup))["password"].startswith(f"warning password {sentence}")


# The broker of our own


async def test_a_broker_of_our_own_that_is_not_installed(
    tmp_path: Path, unused_tcp_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = configure(tmp_path, unused_tcp_port)
    file.write_text(file.read_text().replace('host = "127.0.0.1"\n', ""), encoding="utf-8")
    setup = read_config(file)
    monkeypatch.setitem(sys.modules, "amqtt", None)
    monkeypatch.setattr("daemon.mqtt.local_broker._PATH", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError) as caught:
        async with run_daemon(setup):
            pass
    assert (await told(setup))["broker"] == f"problem broker {caught.value}"
    assert "apt install mosquitto" in str(caught.value)
    assert "pip install '.[broker]'" in str(caught.value)


# It changes nothing


async def test_the_doctor_changes_no_message_at_the_broker(
    tmp_path: Path, mosquitto_path: Path, unused_tcp_port: int
) -> None:
    """On a broker that has nothing, and on one that has all; what is there is said once more at most, never kept."""
    setup = read_config(configure(tmp_path, unused_tcp_port))
    broker = Mosquitto(mosquitto_path, tmp_path / "mosquitto", unused_tcp_port, more=["log_type all"])
    async with broker, Display(broker.port) as display:
        assert verdicts(await told(setup)) == {"ok", "warning"}
        await display.say("oche/table/main/cmd/echo", "1")
        await display.until(lambda: display.messages[-1].text == "1")
        seen = {message.topic for message in display.messages}
        assert {topic for topic in seen if "echo" not in topic} == {"homeassistant/device/oche__doctor/config"}
        async with run_daemon(setup) as running:
            await eventually(lambda: running.mqtt.status.sentence == "connected")
            await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
        await display.until(lambda: display.now["oche/bridge/oche/state"] == "offline")
        kept, before = await find_retained(Display(broker.port)), dict(display.now)
        display.messages.clear()
        assert verdicts(await told(setup)) == {"ok", "warning"}
        await display.say("oche/table/main/cmd/echo", "2")
        await display.until(lambda: display.messages[-1].text == "2")
        again = [
            message for message in display.messages if "echo" not in message.topic and "_doctor" not in message.topic
        ]
        assert "oche/table/main/state" in {message.topic for message in again}
        assert [message for message in again if message.text != before.get(message.topic)] == []
        assert await find_retained(Display(broker.port)) == kept
        log = (tmp_path / "mosquitto" / "mosquitto.log").read_text()
        kept_by = re.findall(r"Received PUBLISH from oche-oche_doctor \(d0, q1, r1, \w+, '([^']+)'", log)
        assert set(kept_by) == {"oche/bridge/oche/echo"}, kept_by


async def test_no_daemon_starts_while_the_doctor_uses_the_broker(tmp_path: Path, broker: Mosquitto) -> None:
    """Else it could say again, after the daemon, what it has read before."""
    file = configure(tmp_path, broker.port)
    setup = read_config(file)
    with lock_folder(tmp_path / "state"):
        pass  # one has run here
    names = []
    async for check in check_running(setup):
        names.append(check.name)
        if check.name == "login":
            daemon = await run("run", "--config", file)
            assert daemon.process.returncode == 1
            wanted = f"oche: oche doctor is using {tmp_path}/state: start oche again in a few seconds\n"
            assert daemon.errors.endswith(wanted)
            assert is_daemon_running(tmp_path / "state") is False, "two doctors get along"
    assert "topics" in names
    async with run_daemon(setup) as running:
        await eventually(lambda: running.mqtt.status.sentence == "connected")
        assert "topics" not in await told(setup)


@pytest.mark.long
@pytest.mark.parametrize("number", sweep([signal.SIGINT, signal.SIGKILL], lambda number: number == signal.SIGINT))
async def test_a_doctor_that_is_interrupted_leaves_nothing(
    tmp_path: Path, broker: Mosquitto, number: signal.Signals
) -> None:
    """Its test of the broker's memory is the one thing that is retained: here the broker hesitates in it."""
    echo = "oche/bridge/oche/echo"
    is_over = asyncio.Event()

    async def hesitate(kind: int, packet: bytes) -> bytes:
        if kind == PUBLISH and packet[0] & 1:
            await is_over.wait()
        return packet

    async with between(broker.port, hesitate) as port, Display(broker.port) as display:
        async with Process("doctor", "--config", configure(tmp_path, port)) as doctor:
            await display.until(lambda: "is it kept?" in [m.text for m in display.messages])
            assert echo in await find_retained(Display(broker.port))
            doctor.signal(number)
            assert await doctor.ended() != 0
            is_over.set()
        await display.until(lambda: display.now[echo] == "")
        assert not await find_retained(Display(broker.port))


async def test_a_broker_that_forgets(tmp_path: Path, broker: Mosquitto, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("daemon.mqtt.probe.ECHO_S", 0.2)

    async def forget(kind: int, packet: bytes) -> bytes:
        return b"" if kind == PUBLISH and packet[0] & 1 else packet

    async with between(broker.port, forget) as port:
        checks = await told(read_config(configure(tmp_path, port)))
    assert checks["retained"].startswith(
        "problem retained the broker does not keep retained messages: displays that connect"
    )


async def test_the_doctor_disconnects_no_bridge_with_a_name_like_its_own(tmp_path: Path, broker: Mosquitto) -> None:
    """A bridge may be called as it likes."""
    setup = read_config(configure(tmp_path, broker.port))
    (tmp_path / "other").mkdir()
    other = read_config(configure(tmp_path / "other", broker.port, bridge='name = "oche-doctor"'))
    async with run_daemon(other) as running:
        await eventually(lambda: running.mqtt.status.sentence == "connected")
        await told(setup)
        assert running.mqtt.status.sentence == "connected"
        assert running.mqtt.reconnects == 0


# What the broker knows of others


MAY_READ = """topic readwrite oche/table/main/+/+
topic readwrite oche/table/main/next
topic read oche/table/main/state
"""
DENIALS = {
    "may be read": (MAY_READ, "problem topics the broker does not let oche use oche/table/main/state: add to its ACL"),
    "may not be read": (
        "topic deny oche/table/main/state\ntopic readwrite oche/table/main/#\n",
        "warning topics oche/table/main/state does not arrive while the rest does, as if it were denied: add",
    ),
}


@pytest.mark.parametrize("denial", DENIALS)
async def test_a_topic_that_is_denied_is_found_without_a_daemon(
    tmp_path: Path, mosquitto_path: Path, unused_tcp_port: int, denial: str
) -> None:
    (tmp_path / "password").write_text("bridge", encoding="utf-8")
    setup = read_config(configure(tmp_path, unused_tcp_port, mqtt=f'{LOGIN}\npassword_file = "{tmp_path}/password"'))
    rules, sentence = DENIALS[denial]
    broker = Mosquitto(mosquitto_path, tmp_path / "mosquitto", unused_tcp_port, users=USERS, shipped="oche.conf")
    async with broker:
        assert (await told(setup))["topics"].startswith(
            "ok topics the broker accepts everything that can be tested without others noticing; the running daemon"
        )
        async with run_daemon(setup) as running:
            await eventually(lambda: running.mqtt.status.sentence == "connected")
        assert (await told(setup))[
            "topics"
        ] == "ok topics the broker accepts what oche publishes about the bridge and tables"
        broker.heed(RULES.replace("topic readwrite oche/table/main/#\n", rules))

        async def is_found() -> bool:
            line = (await told(setup))["topics"]
            return line.startswith(sentence) and line.endswith("for user oche: topic readwrite oche/table/main/#")

        await eventually(is_found)


async def test_two_bridges_with_one_table(tmp_path: Path, broker: Mosquitto) -> None:
    setup = read_config(configure(tmp_path, broker.port))
    async with Display(broker.port) as display:
        info = {"version": "1", "contract": 1, "tables": ["garage"], "games": {}}
        line = (await told(setup))["duplicates"]
        assert line == "ok duplicates no other oche on this broker has a table with the same name"
        await display.say("oche/bridge/old/info", json.dumps(info | {"tables": ["main"]}), retain=True)
        await display.say("oche/bridge/old/state", "offline", retain=True)
        await display.say("oche/bridge/garage/info", json.dumps(info), retain=True)
        await display.say("oche/bridge/zo\u0308/info", json.dumps(info | {"tables": ["main"]}), retain=True)
        await display.say("oche/bridge/yes/info", "[]", retain=True)
        line = (await told(setup))["duplicates"]
        assert line.startswith(
            "warning duplicates the table main also belongs to another oche, the bridge old, which is offline: give"
        )
        assert line.endswith("if old no longer exists: mosquitto_pub -r -n -t oche/bridge/old/info")
        await display.say("oche/bridge/old/state", "online", retain=True)
        line = (await told(setup))["duplicates"]
        also = "the table main also belongs to another oche, the bridge old"
        assert line == f"warning duplicates {also}: give each table its own name"


async def test_another_oche_of_our_name_is_not_talked_over(tmp_path: Path, broker: Mosquitto) -> None:
    setup = read_config(configure(tmp_path, broker.port))
    async with Display(broker.port) as display:
        await display.say("oche/bridge/oche/state", "online", retain=True)
        checks = await told(setup)
        assert checks["bridge"].startswith(
            "warning bridge another oche is online as oche: give one of the two another name below [bridge]"
        )
        assert "topics" not in checks


async def test_another_oche_of_our_name_while_ours_runs(tmp_path: Path, broker: Mosquitto) -> None:
    """The two drive each other off the broker again and again."""
    setup = read_config(configure(tmp_path, broker.port))
    async with Display(broker.port) as display:
        with lock_folder(tmp_path / "state"):
            assert "bridge" not in await told(setup)
            health = {"uptime_s": 7200, "broker_reconnects": 9, "tables": {}}
            await display.say("oche/bridge/oche/health", json.dumps(health), retain=True)
            assert "bridge" not in await told(setup)
            await display.say("oche/bridge/oche/health", json.dumps(health | {"uptime_s": 90}), retain=True)
            sentence = "oche lost the broker 9 times in 90 seconds, as happens when two have the same name: give one"
            assert (await told(setup))["bridge"].startswith(f"warning bridge {sentence} of the two another name")


# What it looks like


async def test_the_lines_stand_below_each_other(tmp_path: Path, broker: Mosquitto) -> None:
    file = configure(tmp_path, broker.port, board="sim:opendarts", profile="opendarts")
    doctor = await run("doctor", "--config", file)
    *lines, total = doctor.output.splitlines()
    assert doctor.process.returncode == ("problem" in total)
    names = "machine config state disk page daemon port login anonymous commands retained bridge topics discovery"
    names += " duplicates"
    said = [line.split()[1] for line in lines]
    assert [name for name in said if name in names.split()] == names.split()
    assert set(said) - set(names.split()) <= {"power", "clock", "groups", "journal", "service"}, "of this machine"
    assert all(line[:21].rstrip() == f"{line.split()[0]:<9}{line.split()[1]}" and line[21] != " " for line in lines), (
        lines
    )
    assert re.fullmatch(r"(\d+ problems?, )?\d+ warnings?", total), "no login is needed here"
