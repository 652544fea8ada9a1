"""Boards behind Bluetooth proxies, over real sockets: the driver as the daemon uses it, the proxy in software.

There is no local Bluetooth: D-Bus is where nothing answers.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random

import pytest
from aioesphomeapi.client import APIClient
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.bluetooth import Patience, listen_for_adverts
from drivers.proxies import Proxy, close_proxies, look_at_proxies, set_proxies
from drivers.session import Session
from drivers.transport import Refused, Transport, Unavailable
from protocol.codebook import shipped
from protocol.events import Hit, LinkDown, LinkUp
from simulator.habits import find_habits, speed_up_codebook
from tests.drivers.ble import GRAN, LONG, SHORT, opened, session
from tests.drivers.listening import PATIENCE_S, SOON, hits, take_until
from tests.drivers.test_esphome_proxy import KEY, MAC, OTHER_KEY
from tests.esphome_board import ProxiedBoard
from tests.esphome_frames import PlainFrames
from tests.esphome_link import CANCELLED, NOT_ESTABLISHED, pb
from tests.esphome_proxy import EsphomeProxy, run_proxy

OTHER = "C2:A4:CF:00:00:02"


@pytest.fixture(autouse=True)
async def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", f"unix:path={tmp_path}/none")
    monkeypatch.setattr("drivers.proxies._BACKOFF", SOON)
    yield
    set_proxies(())
    await close_proxies()


async def use(*proxies: EsphomeProxy, key_file: Path | None = None) -> None:
    """Sets them, and waits until each has answered."""
    set_proxies([Proxy("127.0.0.1", proxy.port, key_file if proxy.key else None) for proxy in proxies])
    assert not [state.trouble for state in await look_at_proxies(PATIENCE_S) if state.trouble]


@pytest.fixture(scope="module")
def key_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file with the key of the proxies that have one."""
    return write_key(tmp_path_factory.mktemp("keys"))


def write_key(folder: Path, key: str = KEY) -> Path:
    file = folder / "key"
    file.write_text(f"{key}\n", encoding="ascii")
    return file


async def thrown(board: ProxiedBoard, line: Session, *ids: str) -> None:
    """Darts, each of which is a hit, once."""
    for segment_id in ids:
        assert board.hit(board.codebook.layout[segment_id])
        assert hits(await take_until(line, Hit)) == [board.codebook.layout[segment_id]]


@pytest.mark.parametrize(
    ("profile", "key"), [("granboard", None), ("dartslive-home", None), ("sdb-bt", KEY), ("unicorn", KEY)]
)
async def test_a_dart_behind_a_proxy_is_a_hit(key_file: Path, profile: str, key: str | None) -> None:
    async with run_proxy(key=key) as proxy:
        book = shipped(profile)
        board = proxy.place(profile, MAC, habits=find_habits(book.profile))
        proxy.is_scanning_actively = False  # as many are set, and it hears no names then
        await use(proxy, key_file=key_file)
        async with session(book=profile, patience=LONG) as line:
            await take_until(line, LinkUp)
            assert board.hit(book.layout["T20"])
            assert hits(await take_until(line, Hit)) == [book.layout["T20"]]
            assert (await look_at_proxies(0))[0].free == 2
        await proxy.until_unused()
    assert not board.is_connected
    assert not proxy.is_scanning_actively, "it listens as it did before"


async def test_what_a_proxy_cannot_do_is_said_with_what_to_do(
    tmp_path: Path, key_file: Path, unused_tcp_port: int
) -> None:
    async with run_proxy(key=KEY) as locked, run_proxy() as plain, run_proxy(active=False) as passive:
        port = locked.port
        for proxy, words in (
            (Proxy("127.0.0.1", port, write_key(tmp_path, OTHER_KEY)), ("wrong", "copy the key")),
            (Proxy("127.0.0.1", port, write_key(tmp_path, "short")), ("wrong", "copy the key")),
            (Proxy("127.0.0.1", port, tmp_path / "absent"), ("cannot read", "absent")),
            (Proxy("127.0.0.1", port), ("wants its encryption key", "key_file")),
            (Proxy("127.0.0.1", plain.port, key_file), ("has no encryption key", "remove key_file")),
            (Proxy("127.0.0.1", passive.port), ("does not connect", "active: true")),
            (Proxy("127.0.0.1", unused_tcp_port), ("does not answer", "power")),
            (Proxy("a" * 64), ("no Bluetooth proxy", "IP address")),
        ):
            set_proxies([proxy])
            (state,) = await look_at_proxies(PATIENCE_S)
            for word in (*words, str(proxy)):
                assert word in str(state.trouble)
            with pytest.raises(Unavailable) as caught:
                await opened(GRAN.profile, patience=SHORT)
            assert str(state.trouble) in str(caught.value)
            assert "\n" not in str(caught.value)


async def test_a_proxy_that_another_program_uses_is_named() -> None:
    """It tells nobody that it refuses: it is known by its silence."""
    async with run_proxy() as proxy:
        proxy.place("granboard", MAC)
        proxy.is_held = True
        set_proxies([Proxy("127.0.0.1", proxy.port)])
        (state,) = await look_at_proxies(PATIENCE_S)
        assert "another program uses the Bluetooth proxy" in str(state.trouble)


async def test_a_proxy_without_a_free_connection_is_named_until_one_is_free() -> None:
    async with run_proxy(slots=1) as proxy:
        first, second = proxy.place("granboard", MAC), proxy.place("granboard", OTHER)
        await use(proxy)
        line = await opened(GRAN.profile, MAC)
        with pytest.raises(Unavailable, match=r"all connections of the Bluetooth proxy .* are in use"):
            await opened(GRAN.profile, OTHER, SHORT)
        assert (first.is_connected, second.is_connected) == (True, False)
        await line.aclose()
        await (await opened(GRAN.profile, OTHER)).aclose()


async def test_a_board_that_does_not_answer_is_tried_again() -> None:
    async with run_proxy() as proxy:
        board = proxy.place("granboard", MAC)
        await use(proxy)
        board.failures = [NOT_ESTABLISHED, CANCELLED, None]
        for _ in range(3):
            with pytest.raises(Unavailable, match="the connection failed"):
                await opened(GRAN.profile, patience=Patience(PATIENCE_S, 0.6))
            assert not proxy.links
        await (await opened(GRAN.profile)).aclose()


async def test_a_board_whose_services_never_come_is_given_up_for_the_next() -> None:
    """Nobody else can connect until then: a radio does one thing at a time."""
    async with run_proxy() as proxy:
        proxy.place("granboard", MAC)
        await use(proxy)

        def pass_over(name: str) -> None:
            proxy.is_silent = name == "BluetoothGATTGetServicesRequest"
            asyncio.get_running_loop().call_soon(setattr, proxy, "is_silent", False)

        proxy.on_asked = pass_over
        async with asyncio.timeout(25):  # the library itself waits longer
            with pytest.raises(Unavailable, match="the connection failed"):
                await opened(GRAN.profile, patience=Patience(PATIENCE_S, 0.5))
            await proxy.until_unused()


async def test_a_proxy_that_restarts_costs_the_darts_of_that_time_and_no_other() -> None:
    async with run_proxy() as proxy:
        board = proxy.place("granboard", MAC)
        await use(proxy)
        async with session(patience=LONG) as line:
            await take_until(line, LinkUp)
            await thrown(board, line, "T20", "D1")
            await proxy.unplug()
            down = (await take_until(line, LinkDown))[-1]
            assert isinstance(down, LinkDown)
            assert "the connection to the Bluetooth proxy" in str(down.reason)
            assert not board.hit(GRAN.layout["T19"])
            await proxy.plug()
            assert not hits(await take_until(line, LinkUp))
            await thrown(board, line, "D5")


async def test_a_proxy_that_was_left_asking_boards_for_their_names_is_set_back() -> None:
    """An oche that was killed while it looked for a board leaves it so."""
    async with run_proxy() as proxy:
        proxy.place("granboard", MAC)
        proxy.is_scanning_actively = False
        proxy.set_mode(is_active=True)
        await use(proxy)
        await (await opened(GRAN.profile)).aclose()
        assert not proxy.is_scanning_actively


async def test_a_proxy_that_falls_silent_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """As when its Wi-Fi is gone: nothing tells that the connection is no more."""
    monkeypatch.setattr("drivers.proxy_link._KEEPALIVE_S", 0.2)
    async with run_proxy() as proxy:
        proxy.place("granboard", MAC)
        await use(proxy)
        async with session(patience=LONG) as line:
            await take_until(line, LinkUp)
            proxy.is_silent = True
            await take_until(line, LinkDown)
            await proxy.reboot()
            await take_until(line, LinkUp)


async def test_what_is_no_proxy_is_named_and_fills_nothing(caplog: pytest.LogCaptureFixture) -> None:
    wrap = PlainFrames(lambda _: None).wrap
    hello = wrap(2, pb.HelloResponse(api_version_major=1, name="liar").SerializeToString())
    lies = [
        b"",
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        b"\0" + b"\xff" * 10,
        b"\0\xff\xff\x03\x02" + bytes(100_000),
        hello + wrap(10, b"\xff" * 20),
        hello + wrap(10, b"\x12\x03\x1b[2"),
        hello * 20_000,
    ]

    async def lie(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(lies[ports.index(writer.get_extra_info("sockname")[1])])
        await reader.read()
        writer.close()

    async with AsyncExitStack() as stack:
        servers = [await asyncio.start_server(lie, "127.0.0.1", 0) for _ in lies]
        ports = [server.sockets[0].getsockname()[1] for server in servers]
        for server in servers:
            await stack.enter_async_context(server)
        set_proxies([Proxy("127.0.0.1", port) for port in ports])
        for state in await look_at_proxies(0.5):
            assert str(state.proxy) in str(state.trouble)
            assert str(state.trouble).isprintable()
        await close_proxies()
    assert not caplog.records


@pytest.mark.parametrize("key", [None, KEY])
async def test_a_proxy_that_sends_garbage_is_said_in_one_sentence_and_tried_again(
    key_file: Path, key: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    async with run_proxy(key=key) as proxy:
        proxy.place("granboard", MAC)
        proxy.is_garbled = True
        greeted = asyncio.Event()
        proxy.on_asked = lambda _: greeted.set()
        set_proxies([Proxy("127.0.0.1", proxy.port, key_file if key else None)])
        for _ in range(3):
            (state,) = await look_at_proxies(PATIENCE_S)
            assert f"{state.proxy} is no Bluetooth proxy" in str(state.trouble)
            assert "correct the host" in str(state.trouble)
            greeted.clear()
            async with asyncio.timeout(PATIENCE_S):
                await greeted.wait()
        proxy.is_garbled = False
        async with session(patience=LONG) as line:
            await take_until(line, LinkUp)
            proxy.is_garbled = True
            proxy.tell_free()
            await take_until(line, LinkDown)
            proxy.is_garbled = False
            await take_until(line, LinkUp)
    assert not caplog.records
    for error in (None, KeyError("flags")):
        asyncio.get_running_loop().call_exception_handler({"message": "something else", "exception": error})
    assert [record.message for record in caplog.records] == ["something else"] * 2


@pytest.mark.parametrize("room", [0, 50, 90])
async def test_a_proxy_that_hangs_up_while_it_is_greeted_is_still_one(key_file: Path, room: int) -> None:
    """As one that restarts does: before its name, in the middle of the keys, and behind them."""
    async with run_proxy(key=KEY) as proxy:
        proxy.room = room
        set_proxies([Proxy("127.0.0.1", proxy.port, key_file)])
        (state,) = await look_at_proxies(PATIENCE_S)
        assert "does not answer" in str(state.trouble)


async def test_a_proxy_whose_library_fails_is_said_and_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(_: APIClient) -> None:
        raise KeyError("flags\n")

    async with run_proxy() as proxy:
        proxy.place("granboard", MAC)
        set_proxies([Proxy("127.0.0.1", proxy.port)])
        with monkeypatch.context() as patched:
            patched.setattr(APIClient, "device_info", fail)
            (state,) = await look_at_proxies(PATIENCE_S)
        assert "cannot be used (KeyError: 'flags" in str(state.trouble)
        assert str(state.trouble).isprintable()
        async with session(patience=LONG) as line:
            await take_until(line, LinkUp)


async def test_a_flood_of_devices_with_odd_names_costs_no_dart() -> None:
    async with run_proxy() as proxy:
        board = proxy.place("granboard", MAC)
        await use(proxy)
        random = Random(3)
        adverts = [
            pb.BluetoothLERawAdvertisement(address=number, rssi=-30, data=b"\x02\x01\x06" + random.randbytes(28))
            for number in range(500)
        ]
        adverts.append(pb.BluetoothLERawAdvertisement(address=1 << 60, rssi=127, data=b"\x08\x09GRAN\x1b[2"))

        async def flood() -> None:
            while True:
                proxy.tell(pb.BluetoothLERawAdvertisementsResponse(advertisements=adverts))
                await asyncio.sleep(0.005)

        flooding = asyncio.create_task(flood())
        heard = await listen_for_adverts(0.3)
        assert len(heard) > 400
        assert all(advert.name.isprintable() for advert in heard)
        async with session(MAC, patience=LONG) as line:
            await take_until(line, LinkUp)
            await thrown(board, line, "T20", "D1")
        flooding.cancel()
        await asyncio.wait([flooding])


async def test_the_proxy_that_hears_a_board_best_has_it_and_the_other_when_it_is_gone() -> None:
    async with run_proxy(name="far") as far, run_proxy(name="near") as near:
        board = far.place("granboard", MAC, rssi=-85)
        near.hear(board, rssi=-45)
        await use(far, near)
        async with session(patience=LONG) as line:
            await take_until(line, LinkUp)
            assert (len(far.links), len(near.links)) == (0, 1)
            await thrown(board, line, "T20")
            await near.unplug()
            await take_until(line, LinkUp)
            await thrown(board, line, "T19")
            assert len(far.links) == 1


async def test_two_tables_have_a_board_each_by_one_proxy() -> None:
    async with run_proxy() as proxy, AsyncExitStack() as stack:
        boards = [proxy.place("granboard", MAC), proxy.place("granboard", OTHER)]
        await use(proxy)
        lines = [await stack.enter_async_context(session(target, patience=LONG)) for target in (OTHER, MAC)]
        for line in lines:
            await take_until(line, LinkUp)
        await thrown(boards[0], lines[1], "T20", "D5")
        await thrown(boards[1], lines[0], "T19")
        boards[0].drop()
        await take_until(lines[1], LinkUp)
        await thrown(boards[0], lines[1], "D1")
        await thrown(boards[1], lines[0], "D2")


async def test_a_board_that_a_table_has_is_given_to_no_other() -> None:
    async with run_proxy() as proxy:
        proxy.place("granboard", MAC)
        await use(proxy)
        line = await opened(GRAN.profile, MAC)
        with pytest.raises(Unavailable, match="cannot be heard"):
            await opened(GRAN.profile, "auto", SHORT)
        with pytest.raises(Refused, match="another table"):
            await opened(GRAN.profile, MAC, SHORT)
        await line.aclose()


@pytest.mark.parametrize("later_s", [0, 0.005])
async def test_giving_up_at_any_step_leaves_no_connection_at_the_proxy(later_s: float) -> None:
    """At each message that the proxy gets, and when it has answered it."""
    book = speed_up_codebook(shipped("unicorn"), 1000)
    asked: list[str] = []
    async with run_proxy() as proxy:
        proxy.hear(board := ProxiedBoard(book, MAC))
        await use(proxy)
        for steps in range(1, 100):
            opening = asyncio.create_task(opened(book.profile))

            def give_up(name: str, most: int = steps, opening: asyncio.Task[Transport] = opening) -> None:
                asked.append(name)
                if len(asked) == most:
                    asyncio.get_running_loop().call_later(later_s, opening.cancel)

            proxy.on_asked = give_up
            await asyncio.wait([opening])
            if not opening.cancelled():
                await opening.result().aclose()
            async with asyncio.timeout(PATIENCE_S):
                await proxy.until_unused()
            assert not board.is_connected, asked
            if len(asked) < steps:
                break
            asked.clear()
    assert "BluetoothGATTWriteDescriptorRequest" in asked


FATES = ("arrives", "frame cut", "connection cut", "link lost", "out of reach", "restart")
"""What happens to a dart on its way."""


@pytest.mark.slow
@settings(max_examples=10)
@given(st.lists(st.sampled_from(FATES), min_size=1, max_size=6), st.integers(0, 15), st.booleans())
def test_every_dart_comes_once_unless_something_broke_while_it_flew(
    key_file: Path, fates: list[str], room: int, is_locked: bool
) -> None:
    asyncio.run(_throw(fates, room, KEY if is_locked else None, key_file))


async def _throw(fates: list[str], room: int, key: str | None, key_file: Path) -> None:
    segments = [GRAN.layout[f"T{number}"] for number in range(1, len(fates) + 1)]
    async with run_proxy(key=key) as proxy, session(patience=LONG) as line:
        board = proxy.place("granboard", MAC)
        proxy.cuts = Random(room)
        await use(proxy, key_file=key_file)
        received: list[object] = []
        await take_until(line, LinkUp)
        for fate, segment in zip(fates, segments, strict=True):
            proxy.room = room if fate == "frame cut" else None
            assert board.hit(segment)
            match fate:
                case "connection cut":
                    proxy.clients[0].reset()
                case "link lost":
                    board.drop()
                case "out of reach":
                    proxy.take_away(board)
                    proxy.hear(board)
                case "restart":
                    await proxy.reboot()
            received += await take_until(line, Hit if fate == "arrives" else LinkUp)
        set_proxies(())
    assert not board.is_connected
    came = hits(received)
    assert came == [segment for segment in segments if segment in came], "in order, and each once"
    assert not [s for s, fate in zip(segments, fates, strict=True) if fate == "arrives" and s not in came]
