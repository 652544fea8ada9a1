"""Which radio a board is reached through: the one that hears it best, of the proxies and the adapter, and can connect.

The other ends are tests/esphome_proxy.py and tests/drivers/bluetoothd.py.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, aclosing
from pathlib import Path
from subprocess import run

import pytest
from bluetooth_data_tools import mac_to_int

from drivers.bluetooth import listen_for_adverts
from drivers.proxies import Proxy, close_proxies, look_at_proxies, set_proxies
from drivers.radio import Radio
from drivers.transport import Lost
from tests.drivers.ble import GRAN, granboard, opened, trouble
from tests.drivers.bluetoothd import Bluetoothd
from tests.drivers.listening import PATIENCE_S
from tests.esphome_link import NOT_ESTABLISHED
from tests.esphome_proxy import EsphomeProxy, run_proxy

ADDRESS = granboard(1).address


@pytest.fixture
async def proxies() -> AsyncIterator[list[EsphomeProxy]]:
    """Two, one near the board and one far from it."""
    async with AsyncExitStack() as stack:
        near, far = [
            await stack.enter_async_context(run_proxy(name=name, slots=1)) for name in ("proxy-cellar", "proxy-attic")
        ]
        near.is_scanning_actively = far.is_scanning_actively = False  # the board tells its name only when asked
        set_proxies([Proxy("127.0.0.1", proxy.port) for proxy in (far, near)])
        far.hear(near.place("granboard", ADDRESS, rssi=-50), rssi=-80)
        await look_at_proxies(PATIENCE_S)
        yield [near, far]
        await close_proxies()


@pytest.fixture(autouse=True)
def none_in_the_end() -> Iterator[None]:
    yield
    set_proxies([])


@pytest.fixture
def no_bus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", f"unix:path={tmp_path / 'none'}")


async def test_a_machine_without_bluetooth_takes_the_proxy_that_hears_best_and_can_connect(
    no_bus: None, proxies: list[EsphomeProxy]
) -> None:
    near, far = proxies
    async with aclosing(await opened(GRAN.profile)) as board:
        assert (board.signal_dbm, len(near.links), len(far.links)) == (-50, 1, 0)
        assert not near.is_scanning_actively, "boards are asked only while one is looked for"
        assert str(await trouble(target=ADDRESS)).startswith(f"another table or program uses the board {ADDRESS}")
    near.place("granboard", "C2:A4:CF:00:00:99")
    async with aclosing(await opened(GRAN.profile, "C2:A4:CF:00:00:99")):  # its only connection
        async with aclosing(await opened(GRAN.profile, ADDRESS)) as board:
            assert board.signal_dbm == -80
        heard = {advert.address: advert.rssi for advert in await listen_for_adverts(0.3)}
        assert heard == {ADDRESS: -50}, "it still listens"
    assert not near.links
    assert not far.links


async def test_a_proxy_that_cannot_connect_is_passed_over(no_bus: None, proxies: list[EsphomeProxy]) -> None:
    near, far = proxies
    board = near.find(mac_to_int(ADDRESS))
    assert board is not None
    board.failures = [NOT_ESTABLISHED] * 2
    for _ in range(2):
        assert str(await trouble()).startswith("the granboard board was heard, but the connection failed")
    async with aclosing(await opened(GRAN.profile)):
        assert far.links


async def test_beside_an_adapter_a_proxy_is_taken_where_it_hears_better_and_never_by_a_table_of_the_adapter(
    bus: str, proxies: list[EsphomeProxy]
) -> None:
    near, far = proxies
    other = granboard(2)
    far.place("granboard", other.address, rssi=-80)
    async with Bluetoothd(bus, other):
        async with aclosing(await opened(GRAN.profile, ADDRESS)):
            assert near.links, "the adapter does not hear it"
        async with aclosing(await opened(GRAN.profile, other.address)):
            assert other.journal == ["connect", "listen"]
        assert str(await trouble(target=f"{ADDRESS}?adapter=hci0")).startswith(f"the board {ADDRESS} cannot be heard")


async def test_a_board_that_two_radios_hear_at_once_goes_to_one_seeker(
    no_bus: None, proxies: list[EsphomeProxy]
) -> None:
    held: set[str] = set()
    found, is_found = [], asyncio.Event()

    async def seek(radio: Radio) -> None:
        async with radio.found(lambda advert: advert.address == ADDRESS, PATIENCE_S) as heard:
            found.append(heard)
            is_found.set()
            await asyncio.Event().wait()

    seeking = [asyncio.create_task(seek(Radio(None, held))) for _ in range(2)]
    await is_found.wait()
    await asyncio.sleep(0.3)  # the other one heard it at the same moment
    for task in seeking:
        task.cancel()
    await asyncio.wait(seeking)
    assert len(found) == 1


async def test_a_proxy_that_is_no_longer_configured_is_left(no_bus: None, proxies: list[EsphomeProxy]) -> None:
    near, far = proxies
    board = await opened(GRAN.profile)
    set_proxies([Proxy("127.0.0.1", far.port)])
    with pytest.raises(Lost, match=r"the connection to the Bluetooth proxy \S+ ended"):
        await board.receive()
    await board.aclose()
    await near.until_unused()
    assert [state.name for state in await look_at_proxies(PATIENCE_S)] == [far.name]


LOOK = """
import asyncio, sys, drivers.bluetooth
from drivers.proxies import Proxy, close_proxies, look_at_proxies, set_proxies

async def look():
    set_proxies([Proxy("localhost", 1)])
    (state,) = await look_at_proxies(60)
    assert "does not answer" in str(state.trouble), state
    await close_proxies()

assert not [name for name in sys.modules if "esphome" in name], "without a proxy nothing of it is loaded"
asyncio.run(look())
assert "zeroconf" not in sys.modules, "the network is asked for a name in .local alone"
"""


def test_only_what_is_needed_is_loaded() -> None:
    run([sys.executable, "-c", LOOK], check=True)


async def test_without_the_library_it_says_what_to_install(no_bus: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "drivers.proxy_link", None)  # it cannot be imported
    set_proxies([Proxy("127.0.0.1")])
    said = "Bluetooth proxies need the library bleak-esphome: in oche's checkout, pip install '.[proxy]'"
    assert [str(state.trouble) for state in await look_at_proxies(PATIENCE_S)] == [said]
    assert str(await trouble()) == said
    await close_proxies()
