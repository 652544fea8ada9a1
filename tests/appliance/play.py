"""Play in the guest, looked at from outside: a player throws there, and says what was thrown and shown."""

from __future__ import annotations

import json
import sys
from typing import Any, NamedTuple

from tests.appliance.guest import SHOWN_LINE, Guest
from tests.rig.machine import Dead

JSON = dict[str, Any]  # Any: JSON

_READ_JOURNAL = """
import json, sqlite3
db = sqlite3.connect("file:/var/lib/oche/main.sqlite3?mode=ro", uri=True)
number, header = db.execute("select number, header from match order by number desc limit 1").fetchone()
rows = db.execute("select line, input from entry where match = ? order by line", (number,)).fetchall()
assert [line for line, _ in rows] == list(range(2, len(rows) + 2)), "a line is missing"
print(json.dumps([json.loads(header), *(json.loads(text) for _, text in rows)]))
"""


class Evening(NamedTuple):
    """What was thrown, as lines of a journal, and the states that were shown."""

    thrown: list[JSON]
    shown: list[JSON]


def throw(guest: Guest, kind: str, *actions: str) -> None:
    """Starts a player who plugs in a board of this kind and throws; see player.py. Comes back before that."""
    player = guest.host(f"{sys.executable} -m tests.appliance.player {kind} {' '.join(actions)}")
    guest.shown.clear()
    guest.start("player", f"stty -F {SHOWN_LINE} raw -echo; exec >{SHOWN_LINE}; {player}")


def play(guest: Guest, kind: str, *actions: str) -> Evening:
    """A player throws these, and all of it is shown. The board stays plugged in until `leave`."""
    throw(guest, kind, *actions)
    count = len(actions)
    try:
        guest.until_shown(lambda lines: len((seen := read(lines)).thrown) == count and _is_shown(seen, count))
    except Dead as dead:
        raise Dead(f"{dead}\n{guest.sh('journalctl --no-pager -n 60').output}") from None
    return read(guest.shown)


def leave(guest: Guest) -> None:
    """The player takes the board away."""
    guest.said("systemctl stop player")


def read(lines: list[str]) -> Evening:
    """What came out of the line."""
    said = [json.loads(line) for line in list(lines)]
    actions = [each["thrown"] for each in said if "thrown" in each]
    thrown = [{"next": True} if action == "next" else {"throw": action} for action in actions]
    return Evening(thrown, [each["shown"] for each in said if "shown" in each])


def shown_line(lines: list[str]) -> int:
    """The latest line of the match that was shown; 0 for none."""
    return max((state["line"] for state in read(lines).shown), default=0)


def journal(guest: Guest) -> list[JSON]:
    """The header and the lines of the match begun last, read from the disk by code of the tests alone."""
    guest.write("/run/rig/journal.py", _READ_JOURNAL)
    lines: list[JSON] = json.loads(guest.until("python3 /run/rig/journal.py"))
    return lines


def _is_shown(seen: Evening, count: int) -> bool:
    return bool(seen.shown) and seen.shown[-1]["line"] >= seen.shown[0]["line"] + count
