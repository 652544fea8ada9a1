"""What the Debian package is made of, held to the project; tests/package installs it."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from daemon.admin.doctor.machine import explain_unsupported
from daemon.cli import COMMANDS
from daemon.collect.config import Database, read_league_config
from daemon.config.reader import read_config
from protocol.extras import PACKAGED

ROOT = Path(__file__).resolve().parent.parent
DEBIAN = ROOT / "debian"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = {name: each for name, each in PROJECT["optional-dependencies"].items() if name not in ("dev", "rig")}
IN_OCHE = EXTRAS.pop("league")
del EXTRAS["broker"]  # mosquitto, which the package recommends, is there instead


def test_every_extra_for_users_is_a_package_that_the_program_looks_into() -> None:
    assert {file.stem for file in (DEBIAN / "extras").glob("*.txt")} == EXTRAS.keys()
    control, scripts = "\n".join(_lines("control")), "\n".join(_lines("libraries.sh"))
    launcher = "\n".join(_lines("bin/oche"))
    for extra in EXTRAS:
        about = control.partition(f"\nPackage: oche-{extra}\nBuild-Profiles: <pkg.oche.{extra}>\n")[2].partition(
            "\n\n"
        )[0]
        assert "\nDepends: oche (= ${binary:Version}), " in about, extra
        assert f"oche-{extra}" in control.partition("Suggests:")[2].partition("\n")[0]
        assert f"\npin debian/extras/{extra}.txt " in scripts
        assert f'"/usr/lib/oche-{extra}"' in launcher
    assert PACKAGED == "/usr/lib/oche/"
    assert '"/usr/lib/oche"' in launcher


@pytest.mark.parametrize(
    ("file", "wanted"),
    [("libraries.txt", PROJECT["dependencies"] + IN_OCHE)]
    + [(f"extras/{extra}.txt", wanted) for extra, wanted in EXTRAS.items()],
)
def test_every_library_is_carried_in_a_version_that_fits(file: str, wanted: list[str]) -> None:
    carried = _versions(file)
    for requirement in map(Requirement, wanted):
        version = carried.get(_plain(requirement.name))
        assert version, f"debian/{file} lacks {requirement.name}: run make libraries"
        assert version in requirement.specifier, f"{requirement} does not allow {version}: run make libraries"
    assert file == "libraries.txt" or not carried.keys() & _versions("libraries.txt").keys(), "oche has it already"


@pytest.mark.parametrize("file", ["libraries.txt", "release/tools.txt", *(f"extras/{extra}.txt" for extra in EXTRAS)])
def test_every_library_is_pinned_with_the_sums_of_its_wheels(file: str) -> None:
    for pin, sums in _pins(file).items():
        assert sums, f"{pin} has no sum: run make libraries"
        assert all(re.fullmatch("--hash=sha256:[0-9a-f]{64}", each) for each in sums), pin


@pytest.mark.parametrize(
    ("unit", "command"), [("oche", ["run"]), ("oche-collect", ["collect"]), ("oche-league", ["league"])]
)
def test_the_unit_starts_the_program_that_is_installed(unit: str, command: list[str]) -> None:
    text = (ROOT / "systemd" / f"{unit}.service").read_text(encoding="utf-8")
    (started,) = re.findall(r"^ExecStart=(.+)$", text, re.MULTILINE)
    assert started.split() == ["/usr/bin/oche", *command]
    assert set(command) <= COMMANDS.keys()
    assert "debian/bin/oche usr/bin" in _lines("oche.install")
    launcher = DEBIAN / "bin" / "oche"
    assert launcher.stat().st_mode & 0o111 == 0o111
    assert launcher.read_text(encoding="utf-8").startswith("#!/usr/bin/python3 -IS\n")


def test_what_it_installs_is_there() -> None:
    for line in (*_lines("oche.install"), *_lines("oche.docs"), *_lines("oche.manpages")):
        assert (ROOT / line.split()[0]).exists(), line


def test_no_update_asks_about_a_file_that_the_page_changes() -> None:
    """All files that are installed below /etc are conffiles."""
    assert not [line for line in _lines("oche.install") if line.split()[1].startswith("etc")]
    unit = (ROOT / "systemd" / "oche.service").read_text(encoding="utf-8")
    assert re.findall(r"^ReadWritePaths=(.+)$", unit, re.MULTILINE) == ["-/etc/oche/oche.toml"]
    script = "\n".join(_lines("oche.postinst"))
    assert re.findall(r"chown (.+)$", script, re.MULTILINE) == ["oche:oche /etc/oche/oche.toml"]
    assert [f"/{folder}" for folder in reversed(_lines("oche.dirs"))] == re.findall(
        r"/etc/oche/(?:games|boards)", script
    )


def test_the_programs_of_a_league_rest_until_they_are_wanted() -> None:
    installed = {line.split()[0] for line in _lines("oche.install")}
    units = {f"oche-{name}.service" for name in ("collect", "league")}
    assert {f"systemd/{name}" for name in units} <= installed
    (resting,) = re.findall(r"dh_installsystemd -p oche --no-enable --no-start (.+)", "\n".join(_lines("rules")))
    assert set(resting.split()) == units


def test_the_configuration_of_a_league_it_brings_is_right() -> None:
    config = read_league_config(DEBIAN / "etc" / "league.toml")
    assert (config.database, config.mqtt.host) == (Database(), "127.0.0.1")


def test_the_configuration_it_brings_is_right() -> None:
    setup = read_config(DEBIAN / "etc" / "oche.toml")
    assert [table.board for table in setup.config.table] == ["sim:granboard"]
    assert setup.config.web.host == "127.0.0.1"
    (table,) = tomllib.loads((DEBIAN / "etc" / "oche.toml").read_text(encoding="utf-8"))["table"]
    assert "board" not in table, "the page leads to one at the first visit"


@pytest.mark.parametrize(
    ("machine", "pointer_bits", "python", "said"),
    [
        ("x86_64", 64, (3, 11), None),
        ("aarch64", 64, (3, 13), None),
        ("aarch64", 32, (3, 11), "although the kernel is a 64-bit one: install the 64-bit Raspberry Pi OS"),
        ("armv7l", 32, (3, 11), "this is a 32-bit one: install the 64-bit Raspberry Pi OS"),
        ("armv6l", 32, (3, 9), "a 32-bit one: install the 64-bit Raspberry Pi OS"),
        ("x86_64", 32, (3, 11), "although the kernel is a 64-bit one: install a 64-bit Debian"),
        ("i686", 32, (3, 11), "this is a 32-bit one: install a 64-bit Debian"),
        ("aarch64", 64, (3, 9), "oche needs Python 3.11 or newer, and this is 3.9"),
    ],
)
def test_a_machine_that_cannot_run_oche_is_told_why(
    machine: str, pointer_bits: int, python: tuple[int, int], said: str | None
) -> None:
    sentence = explain_unsupported(machine, pointer_bits, python)
    assert sentence is None if said is None else said in str(sentence)


def _pins(file: str) -> dict[str, list[str]]:
    """What is pinned in a file of requirements, as NAME==VERSION, with its sums."""
    lines = [line for line in _lines(file) if not line.startswith("#")]
    entries = [entry.split() for entry in "\n".join(lines).replace("\\\n", "").splitlines()]
    return {pin: sums for pin, *sums in entries}


def _versions(file: str) -> dict[str, str]:
    return {_plain(name): version for name, version in (pin.split("==") for pin in _pins(file))}


def _lines(file: str) -> list[str]:
    return (DEBIAN / file).read_text(encoding="utf-8").splitlines()


def _plain(name: str) -> str:
    """Names of projects are the same for pip however they are punctuated."""
    return re.sub(r"[-_.]+", "-", name).lower()
