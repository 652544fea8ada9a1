"""What every test may ask for.

A test that needs a program of the system fails, naming its package, when the program is missing: a skipped test must
not pass for a passed one. Who knows that it is missing says so in OCHE_WITHOUT, as `make test` does after telling.
"""

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Deadlines and the speed of generation depend on the machine, not on the code under test.
settings.register_profile("house", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("house")
settings.register_profile("long", settings.get_profile("house"))


@pytest.fixture(scope="session")
def mosquitto_path() -> Path:
    """The broker's program."""
    return _program("mosquitto")


@pytest.fixture(scope="session")
def chromium_path() -> Path:
    """The browser's program."""
    return _program("chromium")


@pytest.fixture(scope="session")
def dbus_path() -> Path:
    """The program that is a D-Bus."""
    return _program("dbus-daemon")


def _program(package: str) -> Path:
    """The program of the Debian package of that name. Debian keeps daemons where only root's PATH leads."""
    if package in os.environ.get("OCHE_WITHOUT", "").split(","):
        pytest.skip(f"OCHE_WITHOUT leaves out what needs the Debian package {package}")
    found = shutil.which(package, path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin")
    if found is None:
        pytest.fail(f"This test needs {package}: install the Debian package {package}.", pytrace=False)
    return Path(found)
