"""The programs of a league under their units, set up as docs/venue.md says, with the guest's own PostgreSQL."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress

import pytest

from tests.appliance.guest import Guest
from tests.appliance.play import leave, play
from tests.appliance.setup import CONFIG, PASSWORD, config
from tests.figures import Figure
from tests.rig.machine import Dead

pytestmark = pytest.mark.appliance

UNITS = "oche-collect oche-league"
LEAGUE = "/etc/oche/league.toml"
SECRET = "/etc/oche/league-password"
CREATE = "createdb --owner=oche_collect --encoding=UTF8 --template=template0 oche"
COLLECT = "runuser -u oche_collect -- oche collect"
ASK = """
from urllib.request import Request, urlopen
token = open("/run/rig/token").read().strip()
request = Request("http://127.0.0.1:8190/api/league", headers={"Authorization": f"Bearer {token}"})
print(urlopen(request).read().decode())
"""


@pytest.fixture
def league(guest: Guest) -> Iterator[Guest]:
    """The guest with the configuration of a league and an empty database: `oche collect init` was not typed."""
    guest.said("systemctl start postgresql")
    guest.until("runuser -u postgres -- psql -c 'select 1'")
    for command in ("createuser oche_collect", "createuser oche_league", CREATE):
        guest.said(f"runuser -u postgres -- {command}")
    guest.said(f"mosquitto_passwd -b /etc/mosquitto/passwords collector {PASSWORD}; systemctl reload mosquitto")
    guest.said(f"install -m 600 -o oche_collect /dev/null {SECRET}; cp /usr/share/oche/league.toml {LEAGUE}")
    guest.said(f"cat >{SECRET}", PASSWORD)
    guest.said(f"sed -i 's/^# \\(username\\|password_file\\)/\\1/' {LEAGUE}")
    yield guest
    with suppress(Dead):
        guest.said(f"systemctl disable --now {UNITS} 2>/dev/null; systemctl reset-failed; systemctl start postgresql")
        guest.until("runuser -u postgres -- dropdb --force --if-exists oche")
        guest.said("runuser -u postgres -- dropuser oche_collect; runuser -u postgres -- dropuser oche_league")


def shown(guest: Guest, unit: str, *names: str) -> list[str]:
    """What the service manager knows of the unit by these names."""
    lines = guest.said(f"systemctl show {unit} {' '.join(f'-p {name}' for name in names)}").splitlines()
    values = dict(line.split("=", 1) for line in lines)
    return [values[name] for name in names]


def said(guest: Guest, unit: str) -> list[str]:
    """What the programs of this unit have said since it was last started."""
    (this_start,) = shown(guest, unit, "InvocationID")
    return guest.said(f"journalctl -b -t {unit} -o cat _SYSTEMD_INVOCATION_ID={this_start}").splitlines()


def wait_for_words(guest: Guest, unit: str, words: str, times: int = 1) -> None:
    """Waits until the unit has said this so often since it was last started."""
    (this_start,) = shown(guest, unit, "InvocationID")
    lines = f"journalctl -b -t {unit} -o cat _SYSTEMD_INVOCATION_ID={this_start}"
    guest.until(f"test $({lines} | grep -c '{words}') -ge {times}")


def test_it_collects_what_is_played_comes_back_and_stops(league: Guest, figure: Figure) -> None:
    league.said(f"{COLLECT} init")
    league.said(f"systemctl enable --now {UNITS}")
    short = config("serial", "\n[league]\non = true\n").replace("1501", "101").replace("double", "straight")
    league.said("systemctl stop oche; rm -rf /var/lib/oche/*")  # there is a match of the package's configuration
    league.write(CONFIG, short)
    league.said("systemctl start oche")
    play(league, "serial", "T20", "T7", "O20")
    leave(league)
    league.until(f"{COLLECT} status | grep -x '  folded: 1'")
    league.write("/run/rig/token", league.said("runuser -u oche_collect -- oche league token add wall --viewer"))
    league.write("/run/rig/ask.py", ASK)
    assert json.loads(league.said("python3 /run/rig/ask.py"))["games"] == ["101"]
    for unit, user in (("oche-collect", "oche_collect"), ("oche-league", "oche_league")):
        assert shown(league, unit, "User", "NRestarts", "SubState") == [user, "0", "running"]
        assert league.said(f"stat -c %U /proc/$(systemctl show {unit} -P MainPID)") == user
        league.said(f"systemctl kill --signal KILL --kill-whom main {unit}")
        league.until(f"systemctl show {unit} -p NRestarts | grep -qx NRestarts=1 && systemctl is-active {unit}")
    league.until("python3 /run/rig/ask.py")
    league.said(f"systemctl stop {UNITS}")
    for unit in UNITS.split():
        assert shown(league, unit, "Result", "ExecMainStatus", "ActiveState") == ["success", "0", "inactive"]


def test_without_a_database_both_run_say_so_once_and_go_on_when_it_is_there(league: Guest, figure: Figure) -> None:
    league.said(f"{COLLECT} init")
    league.said("systemctl stop postgresql")
    league.said(f"systemctl start {UNITS}")
    units = {"oche-collect": 2, "oche-league": 1}  # by the processes of each: the folding is one of its own
    for unit, processes in units.items():
        wait_for_words(league, unit, "the database cannot be", processes)
    league.said("systemctl start postgresql")
    wait_for_words(league, "oche-collect", "the database is there again")
    for unit, processes in units.items():
        lines = said(league, unit)
        assert sum("the database cannot be" in line for line in lines) == processes, lines
        assert shown(league, unit, "NRestarts", "SubState") == ["0", "running"]
        figure(f"{unit} without a database", lines)


def test_without_tables_the_collector_is_started_again_until_they_are_there(league: Guest, figure: Figure) -> None:
    league.said("systemctl start oche-collect")
    league.until("systemctl show oche-collect -P NRestarts | grep -qx 2")
    lines = league.said("journalctl -b -t oche-collect -o cat | grep 'oche collect init' | sort -u").splitlines()
    figure("without tables", lines)
    league.said(f"{COLLECT} init")
    league.until("systemctl show oche-collect -P SubState | grep -qx running")


def test_a_broken_configuration_is_said_once(league: Guest, figure: Figure) -> None:
    league.said(f"sed -i 's/^time_zone.*/time_zoom = 1/' {LEAGUE}")
    league.said(f"systemctl start {UNITS}")
    for unit in UNITS.split():
        league.until(f"systemctl show {unit} -P ActiveState | grep -qx failed")
    league.said("sleep 6")  # longer than the units wait before they start a service again
    for unit in UNITS.split():
        assert shown(league, unit, "NRestarts", "ActiveState", "ExecMainStatus") == ["0", "failed", "2"]
        (line,) = said(league, unit)
        assert "time_zoom" in line
        figure(f"{unit}, broken configuration", line)
