"""A daemon, and a player who is there by MQTT only; run where oche is installed, with what Debian has.

    player.py DAEMON ACTION...

DAEMON is the command line that runs it. An action is `start`, which begins a leg of 101, or a segment that is thrown.
Each is asked for on `request` and has to be answered with `ok`. Prints one line of JSON: the `seconds` from the start
of the daemon to the first state that a client sees, and the `state` that is retained at the end.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

TABLE = "oche/table/main"
LEG = {"game": "x01", "options": {"start": 101, "out": "double"}, "players": ["Ann", "Bo"]}
PATIENCE_S = 180


def main(command: str, *actions: str) -> int:
    """Returns the exit status; what the daemon said is shown where it did not work."""
    log = Path("player.log")
    started = time.monotonic()
    with log.open("wb") as output:
        daemon = subprocess.Popen(shlex.split(command), stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    try:
        wait_for_state(daemon)
        seconds = time.monotonic() - started
        lines = [ask(action) for action in actions]
        # The state before the last answer may be retained for a moment.
        while (state := wait_for_state(daemon))["line"] < lines[-1]:
            time.sleep(0.1)
        print(json.dumps({"seconds": round(seconds, 1), "state": state}))
    except (AssertionError, subprocess.SubprocessError) as error:
        print(error, log.read_text(encoding="utf-8", errors="replace"), sep="\n", file=sys.stderr)
        return 1
    finally:
        daemon.terminate()
        daemon.wait(PATIENCE_S)
    return 0


def wait_for_state(daemon: subprocess.Popen[bytes]) -> dict[str, Any]:  # Any: JSON
    """The state that a client is shown."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        assert daemon.poll() is None, f"the daemon ended with status {daemon.returncode}"
        # The broker may not be there yet: then it ends at once.
        shown = run("mosquitto_sub", "-V", "311", "-t", f"{TABLE}/state", "-C", "1", "-W", "5")
        if shown.returncode == 0:
            return dict(json.loads(shown.stdout))
        time.sleep(0.1)
    raise AssertionError("no state was shown")


def ask(action: str) -> int:
    """Asks for it, and returns the line it has in the match; fails where the answer is not `ok`."""
    name, body = ("start", LEG) if action == "start" else ("throw", {"throw": action})
    message = json.dumps({"transaction": action, **body})
    answered = run(
        *("mosquitto_rr", "-V", "311", "-W", str(PATIENCE_S), "-m", message),
        *("-t", f"{TABLE}/request/{name}", "-e", f"{TABLE}/response/{name}"),
    )
    assert answered.returncode == 0, f"{action} was not answered: {answered.stderr}"
    answer = json.loads(answered.stdout)
    assert answer["status"] == "ok", f"{action} was refused: {answered.stdout}"
    return int(answer["data"].get("line", 1))


def run(*command: str) -> subprocess.CompletedProcess[str]:
    """One of the programs of mosquitto-clients, ended."""
    return subprocess.run(command, capture_output=True, text=True, check=False)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
