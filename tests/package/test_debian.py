"""The package on a fresh Debian 12: it installs, plays, is updated, and is gone but for what was played."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.package.conftest import Debian

pytestmark = pytest.mark.appliance

INSTALL = "apt-get install --yes --no-install-recommends /root/oche.deb"
ROOT = Path(__file__).resolve().parent.parent.parent
# What the unit does: the state folder is oche's, and so is the process.
DAEMON = "install -d -o oche -g oche -m 750 /var/lib/oche; setpriv --reuid oche --regid oche --init-groups oche run"
# A dart at the bull, as a finger on the page throws it, as soon as the board is there; what the displays show then.
PLAY = """
mosquitto -p 1883 >/root/mosquitto.log 2>&1 &
{ DAEMON; } >/root/oche.log 2>&1 &
until mosquitto_sub -t oche/table/main/board/state -C 1 2>/dev/null | grep -q online; do sleep 0.2; done
python3 -c '
from urllib.request import Request, urlopen
tap = "http://127.0.0.1:8180/api/table/main/tap"
urlopen(Request(tap, b"{\\"segment\\": \\"DB\\"}", {"Content-Type": "application/json"})).read()'
until mosquitto_sub -t oche/table/main/state -C 1 | grep DB; do sleep 0.2; done
"""


def test_a_fresh_installation_plays(installed: Debian) -> None:
    installed.path("/root/play.sh").write_text(PLAY.replace("DAEMON", DAEMON))
    shown = installed.typed("timeout 120 sh -e /root/play.sh")
    log = installed.path("/root/oche.log").read_text()
    assert shown.returncode == 0, shown.stdout + log
    assert json.loads(shown.stdout)["turn"]["player"] == "Home"
    assert "ERROR" not in log
    assert "Traceback" not in log


def test_the_commands_work(installed: Debian) -> None:
    assert installed.said("oche --version").split()[:2] == ["oche,", "version"]
    assert "is valid" in installed.said("oche config check")
    assert "x01" in installed.said("oche games")
    assert "granboard" in installed.said("oche boards list")
    assert installed.said("oche help run").startswith("Usage: oche run")
    typed = ". /usr/share/bash-completion/completions/oche; COMP_WORDS=(oche repl) COMP_CWORD=1; _oche_completion oche"
    assert installed.said(f"bash -c '{typed}; echo ${{COMPREPLY[@]}}'").strip() == "replay"


def test_the_user_is_in_the_groups_that_open_the_boards(installed: Debian) -> None:
    assert {"oche", "dialout", "plugdev", "bluetooth"} == set(installed.said("id -nG oche").split())


def test_nothing_is_compiled_anew_at_every_start(installed: Debian) -> None:
    """The daemon may not write there."""
    modules = installed.said("find /usr/lib/oche -name '*.py' | wc -l")
    assert installed.said("find /usr/lib/oche -name '*.pyc' | wc -l") == modules


def test_plug_ins_are_found_in_usr_local_and_displace_nothing(installed: Debian) -> None:
    without = installed.said("oche games")
    theirs = installed.path("/usr/local/lib/oche")
    source = installed.path("/root/game")  # a copy, so that a build leaves nothing in the checkout
    shutil.copytree(ROOT / "docs" / "plugins" / "game", source)
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", str(theirs))
    built = subprocess.run(
        (*pip, "--no-deps", "--no-index", "--no-build-isolation", str(source)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    (theirs / "click.py").write_text("raise ImportError('this is not the click that oche needs')\n")
    assert "smuggler" not in without
    assert "smuggler" in installed.said("oche games")


def test_the_service_owns_its_configuration_and_nothing_beside_it(installed: Debian) -> None:
    owners = "stat -c '%U' /etc/oche/oche.toml /etc/oche /etc/oche/games /etc/oche/boards"
    assert installed.said(owners).split() == ["oche", "root", "root", "root"]
    assert "/etc" not in installed.said("dpkg-query --show --showformat '${Conffiles}' oche")


def test_it_leaves_nothing_but_what_was_played(fresh: Debian) -> None:
    before = fresh.disk()
    fresh.said(INSTALL)
    config = fresh.path("/etc/oche/oche.toml")
    owners = config.read_text().replace('"Home"', '"Ann"')
    config.write_text(owners)
    fresh.said(f"{INSTALL} --reinstall")
    fresh.said("apt-get remove --yes oche")
    assert config.read_text() == owners, "neither an update nor a removal touches what the owner wrote"

    fresh.said("apt-get purge --yes oche")
    after = fresh.disk()
    assert {path for path in {*before, *after} if before.get(path) != after.get(path)} == set()

    fresh.said(INSTALL)
    fresh.said("install -d -o oche -g oche -m 750 /var/lib/oche; touch /var/lib/oche/main.sqlite")
    fresh.said("apt-get purge --yes oche")
    left = {path for path in set(fresh.disk()) - set(before) if path.startswith("./")}
    assert left == {"./var/lib/oche", "./var/lib/oche/main.sqlite"}
    assert "oche oche" in fresh.said("stat -c '%U %G' /var/lib/oche"), "it stays with its owner"
