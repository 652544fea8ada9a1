"""`oche doctor` on the serial ports that boards are configured on: there, ours to use, and free?

Nothing is opened: opening a port restarts most of the controllers that boards are built with.
"""

from __future__ import annotations

import grp
import os
import stat
from collections.abc import Collection, Iterator
from pathlib import Path

from daemon.doctor.boards import Board
from daemon.doctor.checks import Check
from daemon.doctor.host import Host, Program
from daemon.doctor.whose import Who

USUAL_GROUP = "dialout"


def check_serial_ports(
    boards: Collection[Board], who: Who | None, ours: Collection[Program], host: Host
) -> Iterator[Check]:
    """`ours` are the daemons that have the state folder: a port that is theirs is in good hands."""
    for board in boards:
        path = Path(board.address.target)
        yield from _console(path, host)
        yield _port(path, board.table, who, ours, host)


def group_of(path: Path) -> str:
    """The group that may use this port; Debian's usual one where the port does not say."""
    try:
        found = path.stat()
        return grp.getgrgid(found.st_gid).gr_name if found.st_gid and found.st_mode & stat.S_IWGRP else USUAL_GROUP
    except (OSError, KeyError):
        return USUAL_GROUP


def _port(path: Path, table: str, who: Who | None, ours: Collection[Program], host: Host) -> Check:
    if not path.exists():
        text = f"the serial port of table {table}, {path}, is not there"
        return Check("serial", "problem", text, "plug the board in; oche scan names the ports that are there")
    if not path.is_char_device():
        return Check("serial", "problem", f"{path} is no serial port", "oche scan names those that are there")
    if who is not None and not who.may(path, os.R_OK | os.W_OK):
        return _denied(path, who)
    holders = host.holders(path)
    others = holders.besides(ours)
    if others:
        text = f"{path}, the port of table {table}, is held by {' and '.join(map(str, others))}"
        return Check("serial", "problem", text, _let_go(others[0], path))
    if holders.programs:
        return Check("serial", "ok", f"the daemon has {path}, the port of table {table}")
    if not holders.all_seen:
        text = f"{path} is there; whether another program holds it only root sees"
        return Check("serial", "ok", text)
    return Check("serial", "ok", f"{path}, the port of table {table}, is there and free")


def _denied(path: Path, who: Who) -> Check:
    group = group_of(path)
    text = f"{who.name} has no permission to use {path}"
    if path.stat().st_mode & stat.S_IWGRP and path.stat().st_gid:
        return Check("serial", "problem", text, who.remedy(group))
    rule = f'KERNEL=="{path.resolve().name}", GROUP="{group}", MODE="0660"'
    remedy = (
        f"a rule in /etc/udev/rules.d takes it away: remove that, or add the line {rule}; then sudo udevadm trigger"
    )
    return Check("serial", "problem", text, remedy)


def _let_go(program: Program, path: Path) -> str:
    match program.name:
        case "agetty":
            return f"sudo systemctl mask --now serial-getty@{path.resolve().name}.service"
        case "ModemManager":
            return "sudo systemctl disable --now ModemManager"
    return f"close it: sudo kill {program.pid}"


def _console(path: Path, host: Host) -> Iterator[Check]:
    """Does the kernel write its messages there, and wait for a login?"""
    name = path.resolve().name
    if name in host.text("/sys/class/tty/console/active").split():
        if host.at("/usr/bin/raspi-config").exists():
            remedy = "sudo raspi-config nonint do_serial_cons 1, then sudo reboot"
        else:
            remedy = f"remove console={name} from the kernel's command line (see /proc/cmdline), then sudo reboot"
        text = f"{path} is the console of this machine: its messages go to the board, and a login waits there"
        yield Check("serial", "problem", text, remedy)
