"""Brokers of our own: mosquitto as a child of the daemon, and the embedded one for a first evening."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

import aiomqtt
import pytest

from daemon.assemble import run_daemon
from daemon.config.reader import read_config
from daemon.errors import PortTaken, UserError
from daemon.mqtt import local_broker as module
from daemon.mqtt.local_broker import check_local_broker, run_embedded_broker, run_local_broker
from simulator.pty_board import PtyBoard
from tests.daemon.display import Display
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import PATIENCE_S, Process, broken_mosquitto, configure, eventually, throw
from tests.daemon.relay import serving
from tests.daemon.test_seats import HANDS


@pytest.fixture
async def child(
    mosquitto_path: Path, tmp_path: Path, unused_tcp_port: int, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[str]:
    monkeypatch.setenv("OCHE_MQTT_PASSWORD", "secret")
    async with run_local_broker(unused_tcp_port) as broker:
        yield broker


def without_broker(folder: Path, port: int, more: str = "") -> Path:
    """A configuration that names none."""
    file = configure(folder, port, mqtt=more)
    file.write_text(file.read_text().replace('host = "127.0.0.1"\n', ""), encoding="utf-8")
    return file


def children(pid: int, program: str) -> list[int]:
    """The processes that this one has begun, of this name."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            name, _, rest = (folder / "stat").read_text().rpartition(") ")
        except OSError:
            continue
        if name.endswith(f"({program}") and int(rest.split()[1]) == pid and not rest.startswith("Z"):
            found.append(int(folder.name))
    return found


def look_at(pid: int) -> tuple[int, bytes]:
    """The user and the environment of a process."""
    folder = Path(f"/proc/{pid}")
    return folder.stat().st_uid, (folder / "environ").read_bytes()


def is_gone(pid: int) -> bool:
    """Whether there is no such process."""
    return not Path(f"/proc/{pid}").exists()


async def ask(program: Path, port: int, version: str) -> tuple[int | None, str]:
    """The status of mosquitto_rr, and what it says; it waits a minute for the broker."""
    asking = await asyncio.create_subprocess_exec(
        program,
        *("-p", str(port), "-V", version, "-t", "question", "-e", "answer", "-m", "text", "-W", "60"),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await asking.communicate()
    return asking.returncode, output.decode()


async def answer(client: aiomqtt.Client) -> None:
    async for message in client.messages:
        await client.publish("answer", b"to " + bytes(message.payload))


async def test_mosquitto_is_taken_where_it_is(mosquitto_clients_path: Path, child: str, unused_tcp_port: int) -> None:
    assert child == "mosquitto"
    with pytest.raises(PortTaken):
        check_local_broker(unused_tcp_port)
    async with aiomqtt.Client("127.0.0.1", unused_tcp_port, protocol=aiomqtt.ProtocolVersion.V5) as client:
        await client.subscribe("question")
        answering = asyncio.create_task(answer(client))
        assert await ask(mosquitto_clients_path / "mosquitto_rr", unused_tcp_port, "5") == (0, "to text\n")
        answering.cancel()
        await asyncio.wait([answering])
    mine = children(os.getpid(), "mosquitto")
    assert len(mine) == 1
    user, environment = look_at(mine[0])
    assert user != 0, "not as root, even when the test is"
    assert b"secret" not in environment


async def test_the_embedded_one_refuses_mqtt_5_at_once(mosquitto_clients_path: Path, unused_tcp_port: int) -> None:
    """mosquitto_rr would wait for a minute."""
    async with run_embedded_broker(unused_tcp_port):
        status, said = await ask(mosquitto_clients_path / "mosquitto_rr", unused_tcp_port, "5")
        assert status == 132  # 0x84, the reason code
        assert said.startswith("Connection error: Unsupported Protocol Version")
        with pytest.raises(aiomqtt.MqttCodeError, match="Unsupported protocol version"):
            async with aiomqtt.Client("127.0.0.1", unused_tcp_port, protocol=aiomqtt.ProtocolVersion.V5):
                pass
        async with aiomqtt.Client("127.0.0.1", unused_tcp_port, protocol=aiomqtt.ProtocolVersion.V311) as client:
            await client.subscribe("question")
            answering = asyncio.create_task(answer(client))
            status, said = await ask(mosquitto_clients_path / "mosquitto_rr", unused_tcp_port, "311")
            assert (status, said) == (0, "to text\n")
            answering.cancel()
            await asyncio.wait([answering])


@pytest.mark.parametrize("chunk", [1, 3])
async def test_the_embedded_one_reads_a_greeting_in_pieces(unused_tcp_port: int, chunk: int) -> None:
    """In MQTT 3.1.1, with a packet length of two bytes."""
    name = b"n" * 200
    body = b"\x00\x04MQTT\x04\x02\x00\x3c" + len(name).to_bytes(2, "big") + name
    packet = b"\x10" + bytes([len(body) % 128 | 128, len(body) // 128]) + body
    async with run_embedded_broker(unused_tcp_port):
        reader, writer = await asyncio.open_connection("127.0.0.1", unused_tcp_port)
        for begin in range(0, len(packet), chunk):
            writer.write(packet[begin : begin + chunk])
            await asyncio.sleep(0)
        assert await reader.readexactly(4) == b"\x20\x02\x00\x00"
        writer.close()
        await writer.wait_closed()


async def test_a_child_that_dies_is_started_again(
    tmp_path: Path, mosquitto_path: Path, board: PtyBoard, unused_tcp_port: int
) -> None:
    async with run_daemon(read_config(without_broker(tmp_path, unused_tcp_port))) as running:
        await eventually(lambda: running.mqtt.status.sentence == "connected")
        (first,) = children(os.getpid(), "mosquitto")
        os.kill(first, signal.SIGKILL)
        await eventually(lambda: running.mqtt.status.sentence != "connected")
        await eventually(lambda: running.mqtt.status.sentence == "connected")
        assert children(os.getpid(), "mosquitto") != [first]
        async with Display(unused_tcp_port) as display:
            await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
            await board.wait_until_open()
            throw(board, "T20")
            await display.until_line(2)
    assert not children(os.getpid(), "mosquitto")


@pytest.mark.slow
async def test_a_kill_leaves_no_child(tmp_path: Path, mosquitto_path: Path, unused_tcp_port: int) -> None:
    file = without_broker(tmp_path, unused_tcp_port)
    for _ in range(2):  # the port is free again
        async with Process("run", "--config", file) as daemon:
            await daemon.said("broker: connected")
            (child,) = children(daemon.process.pid, "mosquitto")
            await daemon.kill()
            await eventually(partial(is_gone, child))


@pytest.mark.slow
async def test_a_stop_is_said_on_it_before_it_ends(
    tmp_path: Path, mosquitto_path: Path, board: PtyBoard, unused_tcp_port: int
) -> None:
    """Ctrl-C reaches all that run in a terminal, the broker must outlive it."""
    async with Process("run", "--config", without_broker(tmp_path, unused_tcp_port)) as daemon:
        await daemon.said("broker: connected")
        async with Display(unused_tcp_port) as display:
            await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
            (child,) = children(daemon.process.pid, "mosquitto")
            assert os.getpgid(child) != os.getpgid(daemon.process.pid)
            assert await daemon.stop(signal.SIGINT) == 0
            await display.until(lambda: display.now["oche/bridge/oche/state"] == "offline")
        assert is_gone(child)
    assert not [word for word in ("WARNING", "ERROR", "Traceback") if word in daemon.errors], daemon.errors


async def test_of_two_that_want_a_port_at_once_one_is_told(
    tmp_path: Path, mosquitto_path: Path, unused_tcp_port: int
) -> None:
    async with AsyncExitStack() as stack:
        both = (stack.enter_async_context(run_local_broker(unused_tcp_port)) for _ in range(2))
        ended = await asyncio.gather(*both, return_exceptions=True)
        assert [type(outcome) for outcome in ended].count(PortTaken) == 1, ended
    assert f"port {unused_tcp_port} is in use" in str(ended)


@pytest.mark.parametrize("broken", ["#!/bin/sh\necho 'out of order' >&2; exit 3", "no program", "#!/bin/cat"])
async def test_one_that_does_not_start_is_replaced(
    tmp_path: Path,
    unused_tcp_port: int,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    broken: str,
) -> None:
    first_on_path(tmp_path, monkeypatch, broken)
    async with run_local_broker(unused_tcp_port) as broker:
        assert broker == "amqtt"
    assert "mosquitto does not start: " in caplog.text, caplog.text
    assert "oche uses the embedded broker instead" in caplog.text
    monkeypatch.setattr("daemon.mqtt.local_broker.find_spec", lambda name: None)
    with pytest.raises(UserError, match=r"^mosquitto does not start: "):
        async with run_local_broker(unused_tcp_port):
            pass


def first_on_path(folder: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """A program called mosquitto."""
    program = folder / "bin" / "mosquitto"
    program.parent.mkdir()
    program.write_text(f"{text}\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")


def test_where_there_is_neither(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, unused_tcp_port: int) -> None:
    monkeypatch.setattr(module, "_PATH", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    check_local_broker(unused_tcp_port)  # the embedded one is installed
    monkeypatch.setattr("daemon.mqtt.local_broker.find_spec", lambda name: None)
    with pytest.raises(UserError, match=r"apt install mosquitto.*pip install '\.\[broker\]'"):
        check_local_broker(unused_tcp_port)


async def test_no_hand_is_said_on_it(
    tmp_path: Path, mosquitto_path: Path, unused_tcp_port_factory: Callable[[], int]
) -> None:
    """Not even where a login is configured: it lets every client in."""
    port = unused_tcp_port_factory()
    (tmp_path / "password").write_text("bridge", encoding="utf-8")
    (tmp_path / "password").chmod(0o600)
    login = f'username = "oche"\npassword_file = "{tmp_path}/password"'
    file = without_broker(tmp_path, port, login)
    file.write_text(file.read_text() + HANDS, encoding="utf-8")
    async with run_daemon(read_config(file)) as running, Display(port) as display:
        await eventually(lambda: running.mqtt.status.sentence == "connected")
        assert running.tables["main"].committed.hands
        await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
        assert not [topic for topic in display.now if "/seat/" in topic]


@pytest.mark.slow
async def test_it_serves_displays_and_stops_without_a_sound(
    tmp_path: Path, board: PtyBoard, unused_tcp_port: int
) -> None:
    file = configure(tmp_path, unused_tcp_port)
    file.write_text(file.read_text().replace('host = "127.0.0.1"\n', ""), encoding="utf-8")
    async with Process("run", "--config", file, env=broken_mosquitto(tmp_path)) as daemon:
        await daemon.runs()
        half_open = (await asyncio.open_connection("127.0.0.1", unused_tcp_port))[1]
        half_open.write(b"\x10")  # the first byte of a greeting
        async with Display(unused_tcp_port, version=4) as early:
            await early.until(lambda: early.now.get("oche/bridge/oche/state") == "online")
            await board.wait_until_open()
            throw(board, "T20")
            await early.until(lambda: [event["segment"] for event in early.events("dart")] == ["T20"])
            async with Display(unused_tcp_port, version=4) as late:
                assert (await late.until_line(2))["sides"][0]["score"] == 441
            await early.say("oche/table/main/cmd/throw", "DB")
            await early.until_line(3)
            assert await daemon.stop() == 0, daemon.errors
        half_open.close()
    words = ("Traceback", "ERROR", "never retrieved", "was destroyed")
    assert not [word for word in words if word in daemon.errors], daemon.errors
    assert "for everyday use install mosquitto" in daemon.errors
    assert "MQTT 5" in daemon.errors, "it was tried first"


async def test_a_client_is_told_what_it_asked_for_and_nothing_else(unused_tcp_port: int) -> None:
    async with run_embedded_broker(unused_tcp_port), Display(unused_tcp_port, version=4) as everything:
        for name in ("state", "attr/score"):
            await everything.say(f"oche/table/main/{name}", "1", retain=True)
        async with aiomqtt.Client("127.0.0.1", unused_tcp_port) as narrow:
            await narrow.subscribe("oche/table/main/attr/#", qos=1)
            await everything.say("oche/table/main/attr/end", "1")
            told = [str((await anext(aiter(narrow.messages))).topic) for _ in range(2)]
    assert told == ["oche/table/main/attr/score", "oche/table/main/attr/end"]


async def test_of_two_embedded_brokers_on_a_port_one_is_told(unused_tcp_port: int) -> None:
    async with AsyncExitStack() as stack:
        both = (stack.enter_async_context(run_embedded_broker(unused_tcp_port)) for _ in range(2))
        ended = await asyncio.gather(*both, return_exceptions=True)
        assert [type(outcome) for outcome in ended].count(PortTaken) == 1, ended
    assert f"port {unused_tcp_port} is in use" in str(ended)


@pytest.mark.long
async def test_a_broker_that_knows_no_mqtt_5_is_spoken_to_in_3(
    tmp_path: Path, broker: Mosquitto, board: PtyBoard
) -> None:
    """It answers a greeting in version 5 as mosquitto did before it learned that, and hangs up."""
    greetings: list[int] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        greeting = await reader.readexactly(9)  # type, length (one byte here), "MQTT" with its length, version
        greetings.append(greeting[8])
        if greeting[8] == 5:
            writer.write(b"\x20\x02\x00\x01")
        else:
            there, back = await asyncio.open_connection("127.0.0.1", broker.port)
            back.write(greeting)
            await asyncio.wait(
                [asyncio.create_task(pump(reader, back)), asyncio.create_task(pump(there, writer))],
                return_when=asyncio.ALL_COMPLETED,
            )
        writer.close()

    async with serving(answer) as port, Display(broker.port) as display:
        async with run_daemon(read_config(configure(tmp_path, port))) as running:
            await eventually(lambda: running.mqtt.status.sentence == "connected")
            await board.wait_until_open()
            throw(board, "T20")
            await display.until_line(2)
            await display.say("oche/table/main/cmd/throw", "DB")
            await display.until_line(3)
            await broker.kill()
            await eventually(lambda: running.mqtt.status.sentence != "connected")
        await eventually(lambda: greetings[:2] == [5, 4])


async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(4096):
        writer.write(data)
    writer.close()


async def test_the_embedded_one_hangs_up_on_a_packet_of_256_mb(unused_tcp_port: int) -> None:
    async with run_embedded_broker(unused_tcp_port):
        reader, writer = await asyncio.open_connection("127.0.0.1", unused_tcp_port)
        writer.write(b"\x10\x0d\x00\x04MQTT\x04\x02\x00\x00\x00\x01a")
        assert await reader.readexactly(4) == b"\x20\x02\x00\x00"
        writer.write(b"\x30\xff\xff\xff\x7f\x00\x01a")
        async with asyncio.timeout(PATIENCE_S):
            assert await reader.read() == b""
        writer.close()
        async with aiomqtt.Client("127.0.0.1", unused_tcp_port, protocol=aiomqtt.ProtocolVersion.V311) as client:
            await client.publish("a", b"short", qos=1)
