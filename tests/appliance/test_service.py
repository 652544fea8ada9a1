"""oche as a service under its hardened unit: it plays on every kind of board, and whatever ends it, it comes back."""

from __future__ import annotations

import json
import sys

import pytest

from tests.appliance.guest import Guest
from tests.appliance.play import JSON, journal, leave, play
from tests.appliance.setup import BOARDS, CONFIG, PASSWORD, config
from tests.figures import Figure

pytestmark = pytest.mark.appliance


def start(guest: Guest, kind: str = "serial") -> None:
    """With a table on this kind of board; comes back when the service is ready, as systemd sees it."""
    guest.write(CONFIG, config(kind))
    guest.said("systemctl restart oche")


def shown(guest: Guest, *names: str) -> list[str]:
    """What the service manager knows of the service by these names."""
    lines = guest.said(f"systemctl show oche {' '.join(f'-p {name}' for name in names)}").splitlines()
    values = dict(line.split("=", 1) for line in lines)
    return [values[name] for name in names]


def restarted(guest: Guest) -> None:
    """Waits until it was started again, for the first time, and is ready."""
    guest.until("systemctl show oche -p NRestarts | grep -qx NRestarts=1 && systemctl is-active oche")


def throws(*actions: str) -> list[JSON]:
    return [{"next": True} if action == "next" else {"throw": action} for action in actions]


@pytest.mark.parametrize("kind", BOARDS)
def test_it_plays(guest: Guest, figure: Figure, kind: str) -> None:
    actions = ("T20", "T19", "T18", "next", "T17") if kind != "usb" else ("S20", "S19", "S18", "next", "S17")
    start(guest, kind)
    begin, ready = shown(guest, "ExecMainStartTimestampMonotonic", "ActiveEnterTimestampMonotonic")
    figure(f"ready, with a {kind} board", f"{(int(ready) - int(begin)) / 1e6:.1f} s after the start")
    play(guest, kind, *actions)
    assert "main online; broker 127.0.0.1" in guest.until("systemctl show oche -p StatusText | grep online")
    assert shown(guest, "User", "NRestarts", "SubState") == ["oche", "0", "running"]
    state = json.loads(guest.said("mosquitto_sub -C 1 -W 10 -t oche/table/main/state"))
    assert [dart["segment"] for dart in state["last"]["darts"]] == list(actions[:3])
    if kind == "usb":
        node = guest.said(
            "d=$(dirname $(grep -l 2341 /sys/bus/usb/devices/*/idVendor)); "
            "stat -c '%G %a' $(printf /dev/bus/usb/%03d/%03d $(cat $d/busnum) $(cat $d/devnum))"
        )
        assert node == "plugdev 660", "udev's rule was not applied"
    if kind == "serial":
        assert guest.said("stat -c %G /dev/ttyUSB0") == "dialout"
    leave(guest)
    assert journal(guest)[1:] == throws(*actions)


def test_killed_it_comes_back_to_the_match(guest: Guest) -> None:
    start(guest)
    play(guest, "serial", "T20", "T19")
    leave(guest)
    guest.said("systemctl kill --signal KILL --kill-whom main oche")
    restarted(guest)
    evening = play(guest, "serial", "T18", "next")
    assert evening.shown[0]["turn"]["darts_left"] == 1
    leave(guest)
    assert journal(guest)[1:] == throws("T20", "T19", "T18", "next")


def test_stopped_in_its_tracks_it_is_started_again(guest: Guest, figure: Figure) -> None:
    start(guest)
    play(guest, "serial", "T20", "T19")
    leave(guest)
    guest.said("systemctl kill --signal STOP --kill-whom main oche")
    restarted(guest)
    said = guest.said("journalctl -b -u oche -o short-monotonic | grep -m 1 'Watchdog timeout'")
    figure("watchdog", said.split("systemd")[-1])
    play(guest, "serial", "T18", "next")
    leave(guest)
    assert journal(guest)[1:] == throws("T20", "T19", "T18", "next")


def test_a_broken_configuration_is_said_once(guest: Guest, figure: Figure) -> None:
    guest.write(CONFIG, config("serial").replace("players", "plaiers"))
    assert guest.sh("systemctl restart oche").status != 0
    guest.said("sleep 5")  # longer than the unit waits before it starts a service again
    assert shown(guest, "NRestarts", "ActiveState", "ExecMainStatus") == ["0", "failed", "2"]
    (this_start,) = shown(guest, "InvocationID")
    said = guest.said(f"journalctl -b -t oche -o cat _SYSTEMD_INVOCATION_ID={this_start}").splitlines()
    assert len(said) == 1
    assert "plaiers" in said[0]
    assert "players" in said[0]
    assert said[0] in guest.sh("systemctl status oche --full --no-pager").output
    figure("broken configuration", said[0])


def test_the_brokers_password_is_nowhere_to_be_seen(guest: Guest) -> None:
    start(guest)
    play(guest, "serial", "T20")
    (main,) = shown(guest, "MainPID")
    assert guest.said("cat /run/credentials/oche.service/mqtt-password") == PASSWORD
    assert guest.said("runuser -u oche -- cat /etc/oche/mqtt-password || echo refused").endswith("refused")
    places = f"/proc/[0-9]*/cmdline /proc/{main}/environ"
    leave(guest)
    said = guest.sh(f"cat {places} 2>/dev/null | tr '\\0' '\\n'").output
    assert "CREDENTIALS_DIRECTORY=" in said
    assert PASSWORD not in said
    for command, what_is_there in (
        ("journalctl --no-pager -o verbose", "broker: connected"),
        ("mosquitto_sub -t '#' -W 3 -v", "oche/bridge/oche/info"),
        ("systemctl show oche", "User=oche"),
        ("cat /var/lib/oche/*", "SQLite"),
    ):
        output = guest.sh(command).output
        assert what_is_there in output, command
        assert PASSWORD not in output, command


def test_what_is_set_up_on_the_page_is_written_under_the_unit(guest: Guest, figure: Figure) -> None:
    guest.write(CONFIG, config("serial", "\n[web]\nport = 8180\n"))
    guest.said("systemctl restart oche")
    found = json.loads(guest.said(guest.host(f"{sys.executable} -m tests.appliance.setting_up")).splitlines()[-1])
    assert (found["thrown"], found["title"], found["notice"]) == (60, "The Oak", None)
    assert {name: found["players"].get(name) for name in ("Annie", "Cy")} == {"Annie": "Ace", "Cy": "Cyclone"}
    assert found["report"] > 1000
    figure("doctor, from the page", {check["name"]: check["verdict"] for check in found["checks"]})
    problems = [check["key"] for check in found["checks"] if check["verdict"] == "problem"]
    assert problems == ["doctor.port_gone"], "the board is not plugged in"
    assert guest.said(f"stat -c %U {CONFIG}") == "oche"
    assert shown(guest, "NRestarts", "SubState") == ["0", "running"], "it starts anew within its process"


def test_an_event_is_a_line_with_fields(guest: Guest) -> None:
    start(guest)
    play(guest, "serial", "T20")
    leave(guest)
    lines = guest.said("journalctl -b -t oche -o json").splitlines()
    events = [json.loads(line) for line in lines]
    assert not any("\n" in event["MESSAGE"] for event in events)
    told = next(event for event in events if "connected to serial:/dev/ttyUSB0" in event["MESSAGE"])
    assert told["OCHE_TABLE"] == "main"
    assert told["PRIORITY"] == "6"
    assert told["_SYSTEMD_UNIT"] == "oche.service"


def test_the_clock_jumps_by_years(guest: Guest) -> None:
    start(guest)
    play(guest, "serial", "T20", "T19")
    guest.said("date --set '+4 years'")
    leave(guest)
    play(guest, "serial", "T18", "next", "T17")
    guest.said("date --set '-7 years'")
    leave(guest)
    play(guest, "serial", "T16")
    guest.said("systemctl restart oche")
    leave(guest)
    play(guest, "serial", "T15", "next")
    leave(guest)
    assert journal(guest)[1:] == throws("T20", "T19", "T18", "next", "T17", "T16", "T15", "next")
    assert shown(guest, "NRestarts") == ["0"]
    guest.said("date --set '+3 years'")
