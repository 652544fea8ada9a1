"""What is installed for systemd, judged by systemd's own programs."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from daemon.cli import oche
from daemon.collect.config import Database
from daemon.config.credentials import find_secret
from daemon.errors import UserError
from drivers.udev import RULES_FILE, make_rule
from protocol.codebook import read_shipped

SYSTEMD = Path(__file__).parents[1] / "systemd"
UNIT = SYSTEMD / "oche.service"
EXPOSURE = 15
"""In tenths: 10.0 is a service that may do anything, 0.0 one that may do nothing."""


@pytest.fixture
def unit(tmp_path: Path) -> Path:
    """The unit, with a program that is on every machine."""
    return copy_unit(UNIT, tmp_path)


def copy_unit(unit: Path, folder: Path) -> Path:
    """A copy of it that starts a program of every machine."""
    file = folder / unit.name
    text = unit.read_text(encoding="utf-8")
    assert "ExecStart=/usr/bin/oche " in text
    file.write_text(text.replace("/usr/bin/oche", "/bin/true"), encoding="utf-8")
    return file


@pytest.mark.parametrize("name", ["collect", "league"])
def test_the_units_of_a_league_are_understood_and_hardened(systemd_path: Path, tmp_path: Path, name: str) -> None:
    unit = copy_unit(SYSTEMD / f"oche-{name}.service", tmp_path)
    test_the_unit_is_understood(systemd_path, unit)
    test_the_unit_is_hardened(systemd_path, unit)
    users = (SYSTEMD / "sysusers.d" / "oche-league.conf").read_text(encoding="utf-8")
    (user,) = re.findall(r"^User=(.+)$", unit.read_text(encoding="utf-8"), re.MULTILINE)
    assert user in re.findall(r"^u (\S+)", users, re.MULTILINE)
    assert user in (Database().user, Database().reader), "PostgreSQL lets it in by this name"


def test_the_unit_is_understood(systemd_path: Path, unit: Path) -> None:
    told = _told(systemd_path / "systemd-analyze", "verify", "--man=no", "--recursive-errors=no", unit)
    assert (told.returncode, told.stdout, told.stderr) == (0, "", "")


def test_the_unit_is_hardened(systemd_path: Path, unit: Path) -> None:
    told = _told(systemd_path / "systemd-analyze", "security", "--offline=true", f"--threshold={EXPOSURE}", unit)
    assert told.returncode == 0, told.stdout


def test_with_the_sound_output_it_is_understood_and_hardened(systemd_path: Path, unit: Path) -> None:
    (folder := unit.with_name("oche.service.d")).mkdir()
    shutil.copy(SYSTEMD / "loudspeaker.conf", folder)
    test_the_unit_is_understood(systemd_path, unit)
    test_the_unit_is_hardened(systemd_path, unit)


def test_the_unit_bounds_what_is_taken_and_grants_256_tables() -> None:
    """Each table has a thread and at most eight files; the rest is for the pages, the broker, and what is read."""
    granted = dict(
        re.findall(r"^(MemoryMax|TasksMax|LimitNOFILE)=(\d+%?)$", UNIT.read_text(encoding="utf-8"), re.MULTILINE)
    )
    assert 50 <= int(granted["MemoryMax"].removesuffix("%")) <= 75
    assert granted["MemoryMax"].endswith("%")
    assert 256 + 128 <= int(granted["TasksMax"]) <= 1024
    assert 256 * 8 + 1024 <= int(granted["LimitNOFILE"]) <= 16_384


def test_the_user_is_made_with_the_groups_of_the_boards(systemd_path: Path, tmp_path: Path) -> None:
    """On a system that has none of them."""
    (tmp_path / "etc").mkdir()
    told = _told(systemd_path / "systemd-sysusers", f"--root={tmp_path}", "-", given=_sysusers())
    assert told.returncode == 0, told.stderr
    groups = {line.split(":")[0]: line.split(":")[3] for line in _lines(tmp_path / "etc/group")}
    assert {name: groups[name] for name in ("dialout", "plugdev", "bluetooth")} == dict.fromkeys(
        ("dialout", "plugdev", "bluetooth"), "oche"
    )
    assert [line.split(":")[5:] for line in _lines(tmp_path / "etc/passwd") if line.startswith("oche:")] == [
        ["/var/lib/oche", "/usr/sbin/nologin"]
    ]


def _told(*command: str | Path, given: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, input=given, capture_output=True, text=True, check=False)


def _sysusers() -> str:
    return (SYSTEMD / "sysusers.d" / "oche.conf").read_text(encoding="utf-8")


def _lines(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").splitlines()


def test_a_secret_that_is_not_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the unit puts in its place, so that a missing file does not keep the service down."""
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))
    loaded = re.findall(r"^LoadCredential=(.+):/etc/oche/\1$", UNIT.read_text(encoding="utf-8"), re.MULTILINE)
    left_out = re.findall(r"^SetCredential=(.+):(.*)$", UNIT.read_text(encoding="utf-8"), re.MULTILINE)
    assert loaded == ["mqtt-password", "web-token"] == [name for name, _ in left_out]
    for name, text in left_out:
        (tmp_path / name).write_text(text.encode().decode("unicode_escape"), encoding="ascii")
        assert find_secret(name, None) is None
        assert find_secret(name, "/etc/another") == Path("/etc/another")
        (tmp_path / name).write_text("secret\n", encoding="ascii")
        assert find_secret(name, "/etc/another") == tmp_path / name


def test_a_rule_for_a_profile_of_your_own_is_printed(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    text = read_shipped("pydarts-leonardo").text.replace('id = "pydarts-leonardo"', 'id = "own"')
    own.write_text(re.sub(r"^ids = .*$", 'ids = ["1234:abcd"]', text, flags=re.MULTILINE), encoding="utf-8")
    told = CliRunner().invoke(oche, ["boards", "udev", str(own)])
    assert told.exit_code == 0
    assert told.output.splitlines()[-1] == make_rule(0x1234, 0xABCD)
    assert RULES_FILE in told.output
    with pytest.raises(UserError, match="granboard needs no rule: it is not a USB board, its link is ble"):
        CliRunner().invoke(oche, ["boards", "udev", "granboard"], catch_exceptions=False)
