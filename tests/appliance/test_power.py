"""The power is cut in the middle of play, again and again: nothing shown is lost, nothing doubled, the match goes on.

What was shown stands outside the guest, on the serial line, before the power goes. So does what was thrown, and the
journal must be exactly that, but for what was on its way.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from tests.appliance.guest import Guest
from tests.appliance.play import JSON, Evening, journal, read, shown_line, throw
from tests.figures import Figure
from tests.rig.machine import ROOT

pytestmark = pytest.mark.appliance

CUTS = int(os.environ.get("OCHE_CUTS", "20"))
GUESTS = 2
"""The cuts are dealt out among so many."""
PLAY_S = 6
"""The power goes at a moment in so many seconds after the first dart was shown."""


@pytest.mark.parametrize("number", range(GUESTS))
def test_nothing_that_was_shown_is_lost(
    kernel: Path, appliance: Path, tmp_path: Path, figure: Figure, number: int
) -> None:
    cuts = len(range(number, CUTS, GUESTS))
    rng = Random(f"cuts {number}")
    kept: list[JSON] = []
    darts = on_their_way = 0
    boots_s = []
    with Guest(kernel, appliance, tmp_path) as guest:
        for _ in range(cuts):
            go_on(guest, rng)
            guest.cut()
            evening = read(guest.shown)
            guest.switch_on()
            boots_s.append(guest.boot_s)
            lines = journal(guest)
            judge(lines, kept, evening)
            on_their_way += len(kept) + len(evening.thrown) - len(lines[1:])
            darts += len(evening.thrown)
            kept = lines[1:]
        throw(guest, "serial", "--forever", "1")
        guest.until_shown(lambda shown: shown_line(shown) > len(kept) + 6)
        assert read(guest.shown).shown[0]["line"] == len(kept) + 1, "the match goes on where it was"
    figure(
        f"power cuts, guest {number}",
        f"{cuts} cuts in {darts} darts and buttons; lost: {on_their_way} that were on their way, none that was shown; "
        f"back after {max(boots_s):.1f} s at most; boots that hung and were tried again: {guest.hung_boots}",
    )


def test_a_journal_that_is_not_synchronous_is_seen_to_lose(kernel: Path, appliance: Path, tmp_path: Path) -> None:
    rng = Random("loss")
    with Guest(kernel, appliance, tmp_path) as guest:
        store = guest.said("find /usr/lib/oche -path '*/daemon/journal/journal_file.py'")
        guest.said(f"""sed -i "s/'full' if/'off' if/" {store} && grep -q "'off' if" {store}""")
        guest.said("systemctl restart oche; sync")
        go_on(guest, rng)
        guest.cut()
        evening = read(guest.shown)
        guest.switch_on()
        lines = journal(guest)
        with pytest.raises(AssertionError, match="was shown and is lost"):
            judge(lines, [], evening)


def go_on(guest: Guest, rng: Random) -> None:
    """A player throws until some moment."""
    throw(guest, "serial", "--forever", str(rng.randrange(1 << 30)))
    guest.until_shown(lambda shown: any('"thrown"' in line for line in shown))
    time.sleep(rng.uniform(0, PLAY_S))


def judge(lines: list[JSON], kept: list[JSON], evening: Evening) -> None:
    """Is this journal what was kept before and what was thrown since, and is all there that was shown?"""
    inputs = lines[1:]
    assert inputs == (kept + evening.thrown)[: len(inputs)], "in order, none doubled, none left out"
    last = max(state["line"] for state in evening.shown)
    assert len(lines) >= last, f"line {last} was shown and is lost: the journal ends with line {len(lines)}"
    states = replayed(lines)
    for shown in evening.shown:
        display = {key: value for key, value in shown.items() if key not in ("session", "seq", "match")}
        replay = {key: value for key, value in states[shown["line"] - 1].items() if key != "match"}
        assert display == replay, f"line {shown['line']} was shown otherwise"


def replayed(lines: list[JSON]) -> list[JSON]:
    """The state after each line, by `oche replay`."""
    text = "\n".join(json.dumps(line) for line in lines)
    command = (sys.executable, "-m", "daemon.cli", "replay", "-", "--json")
    done = subprocess.run(command, cwd=ROOT, input=text, capture_output=True, text=True, check=True)
    return [json.loads(line)["state"] for line in done.stdout.splitlines()]
