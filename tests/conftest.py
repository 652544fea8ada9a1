"""What every test may ask for.

A test that needs a program of the system fails, naming its package, when the program is missing: a skipped test must
not pass for a passed one. OCHE_WITHOUT names the packages that are known to be missing, as `make test` finds them out;
the tests that need them are skipped, and counted at the end of the run.
"""

import asyncio
import functools
import gc
import inspect
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable, Generator
from contextlib import suppress
from pathlib import Path
from random import SystemRandom
from zlib import crc32

import pytest
from hypothesis import HealthCheck, Phase, settings

from protocol.codebook import shipped
from simulator.pty_board import PtyBoard
from tests.daemon.mosquitto import Mosquitto

pytest_plugins = ["tests.flaky"]

# What a shell starts in the background ignores SIGINT, and so would all that the tests start and end by it.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Deadlines and the speed of generation depend on the machine, not on the code under test.
# An explanation traces what it calls. On Python 3.11 that never ends in a process in which a thread was broken off
# (daemon/plugins/rule_guard.py): it stays at the beginning of a function for as long as an exception is on its way.
PHASES = [phase for phase in Phase if phase is not Phase.explain]
# In `.ci/run` the same examples are tried each time: what is found by chance stops no change that has not made it.
settings.register_profile(
    "short",
    max_examples=25,
    deadline=None,
    phases=PHASES,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize="OCHE_CI" in os.environ,
)
settings.load_profile("short")
settings.register_profile("long", settings.get_profile("short"), max_examples=100)


UNTRIED = "untried"
"""The name of the property of a test (`record_property`) that says what it could not try on this machine."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """What can be chosen on the command line."""
    parser.addoption("--seed", type=int, default=501, help="of the dice in tests/faults and tests/crash")
    parser.addoption("--kills", type=int, default=300, help="the number of them in the long test of tests/crash")
    parser.addoption("--stops", type=int, default=300, help="the number of them in the long test of tests/crash")
    parser.addoption("--points", type=int, default=20, help="of each operation in the long test of tests/crash; 0: all")
    parser.addoption("--load-s", type=float, default=30, help="for how long tests/load throws, in seconds")
    parser.addoption("--league-s", type=float, default=180, help="for how long tests/faults/league plays, in seconds")
    parser.addoption("--fifth", type=int, choices=range(5), help="only the tests that belong to this fifth of all")


def pytest_itemcollected(item: pytest.Item) -> None:
    """Where a process that hangs is ended, coroutines have a little less time: they fail, and their process goes on."""
    is_ended = item.config.getini("faulthandler_exit_on_timeout")
    if not is_ended or not isinstance(item, pytest.Function) or not inspect.iscoroutinefunction(test := item.obj):
        return
    most_s = 0.8 * float(item.config.getini("faulthandler_timeout"))  # a text in pytest 9.0

    @functools.wraps(test)
    async def limited(**given: object) -> None:
        async with asyncio.timeout(most_s):
            await test(**given)

    item.obj = limited


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out what belongs to another fifth. A test belongs to the same one always."""
    fifth = config.getoption("--fifth")
    if fifth is None:
        return
    others = [item for item in items if crc32(item.nodeid.encode()) % 5 != fifth]
    items[:] = [item for item in items if crc32(item.nodeid.encode()) % 5 == fifth]
    config.hook.pytest_deselected(items=others)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None]:
    """What a test has left open is charged to that test, not to the one that runs when the collector finds it.

    What outlives the test is frozen, so that the next collection looks at new objects alone: it takes no millisecond.
    What several tests have shared is found after the last of all: that one is no better by itself (tests/flaky.py).
    """
    find_unraisable = item.config.pluginmanager.getplugin("unraisableexception").pytest_runtest_teardown
    try:
        yield
    finally:
        if isinstance(item, pytest.Function):
            item.funcargs.clear()
        gc.collect()
        gc.freeze()
        find_unraisable(item)
    if nextitem is None:
        gc.unfreeze()
        gc.collect()
        try:
            find_unraisable(item)
        except BaseException:
            item.user_properties.append(("shared", True))
            raise


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Why tests were skipped, and what others could not try: each reason once, and of how many tests."""
    reasons = Counter(str(report.longrepr[2]) for report in terminalreporter.stats.get("skipped", []))
    for report in terminalreporter.stats.get("passed", []):
        reasons.update(str(what) for name, what in report.user_properties if name == UNTRIED and report.when == "call")
    if reasons:
        terminalreporter.section("not run")
    for reason, count in sorted(reasons.items()):
        tests = "1 test" if count == 1 else f"{count} tests"
        terminalreporter.write_line(f"{reason.removeprefix('Skipped: ')}: {tests}")


def skip_without(packages: str) -> None:
    """Skips the test when OCHE_WITHOUT names the first of these Debian packages, which are separated by blanks."""
    if packages.split(maxsplit=1)[0] in os.environ.get("OCHE_WITHOUT", "").split(","):
        noun = "packages" if " " in packages else "package"
        pytest.skip(f"needs the Debian {noun} {packages}")


@pytest.fixture(scope="session")
def unused_tcp_port_factory() -> Callable[[], int]:
    """Free ports below those that the kernel gives to clients (32768 and more), each once.

    Of the others, one may belong to a client before the server under test has it: a client that tries again and again
    to reach a port without a server is at last given that very port, and is connected to itself.
    """
    ports = iter(SystemRandom().sample(range(10_000, 32_000), 20_000))

    def find() -> int:
        for port in ports:
            with suppress(OSError), socket.create_server(("", port)):
                return port
        raise AssertionError("no port is free")

    return find


@pytest.fixture
def unused_tcp_port(unused_tcp_port_factory: Callable[[], int]) -> int:
    """One of these ports."""
    return unused_tcp_port_factory()


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """Of the dice. Printed with what fails."""
    seed: int = request.config.getoption("--seed")
    sys.stdout.write(f"--seed {seed}\n")
    return seed


def find_program(package: str, program: str | None = None) -> Path:
    """The program of a Debian package, mostly of its name. Debian keeps daemons where only root's PATH leads."""
    skip_without(package)
    found = shutil.which(program or package, path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin")
    if found is None:
        pytest.fail(f"This test needs {package}: install the Debian package {package}.", pytrace=False)
    return Path(found)


def make_path_fixture(package: str, program: str | None = None) -> object:
    """A fixture that gives `find_program` of the same arguments."""

    @pytest.fixture(scope="session")
    def path() -> Path:
        return find_program(package, program)

    return path


mosquitto_path = make_path_fixture("mosquitto")
postgresql_path = make_path_fixture("postgresql", "pg_ctlcluster")
strace_path = make_path_fixture("strace")
gcc_path = make_path_fixture("gcc")
valgrind_path = make_path_fixture("valgrind")
openssl_path = make_path_fixture("openssl")
firefox_path = make_path_fixture("firefox-esr")
webkit_path = make_path_fixture("webkit2gtk-driver", "WebKitWebDriver")
xvfb_path = make_path_fixture("xvfb", "Xvfb")
curl_path = make_path_fixture("curl")
dbus_path = make_path_fixture("dbus-daemon")
node_path = make_path_fixture("nodejs", "node")


@pytest.fixture(scope="session")
def fault_library(gcc_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What is preloaded so that calls fail: tests/disk/faults.c, compiled."""
    library = tmp_path_factory.mktemp("faults") / "faults.so"
    source = Path(__file__).parent / "disk" / "faults.c"
    subprocess.run([gcc_path, "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
    return library


@pytest.fixture(scope="session")
def chromium_path() -> Path:
    """The browser's program: Chromium without a window, which takes a third less than the one with windows."""
    skip_without("chromium-headless-shell chromium-common libatomic1")
    return find_program("chromium-headless-shell")


@pytest.fixture(scope="session")
def systemd_path() -> Path:
    """The folder of the programs that judge a unit: systemd-analyze, systemd-sysusers."""
    return find_program("systemd", "systemd-analyze").parent


@pytest.fixture(scope="session")
def mosquitto_clients_path() -> Path:
    """The folder of the programs that people type: mosquitto_pub, mosquitto_sub, mosquitto_rr."""
    return find_program("mosquitto-clients", "mosquitto_rr").parent


@pytest.fixture(scope="session")
def node_modules(node_path: Path) -> Path:
    """What `make long` has installed in tests/node."""
    folder = Path(__file__).parent / "node" / "node_modules"
    if not (folder / ".installed").exists():
        pytest.fail("This test needs what is in tests/node/package.json: run make long.", pytrace=False)
    return folder


@pytest.fixture
def nats_path() -> Path:
    """The server. `make long` installs it: Debian's own are older than docs/venue.md asks for."""
    root = Path(__file__).resolve().parents[1]
    program = root / "build" / "nats" / "bin" / "nats-server"
    if not program.exists():
        pytest.fail(f"There is no {program.relative_to(root)}: make build/nats/.installed", pytrace=False)
    return program


@pytest.fixture
async def broker(mosquitto_path: Path, tmp_path: Path, unused_tcp_port: int) -> AsyncIterator[Mosquitto]:
    async with Mosquitto(mosquitto_path, tmp_path / "mosquitto", unused_tcp_port) as broker:
        yield broker


@pytest.fixture
async def board(tmp_path: Path) -> AsyncIterator[PtyBoard]:
    async with PtyBoard(shipped("opendarts"), tmp_path / "board") as board:
        yield board
