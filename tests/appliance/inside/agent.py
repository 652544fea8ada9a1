"""The tests' hand in the guest: runs what comes over the first serial line, and says what became of it.

A line in is a JSON object, `{"id": 1, "run": "a shell's line", "input": ""}`, and so is a line out,
`{"id": 1, "status": 0, "output": "…"}`. It runs alone in there, on that Debian's Python.
"""

from __future__ import annotations

import json
import os
import subprocess
import threading
import tty
from typing import Any

LINE = "/dev/ttyS0"


def main() -> None:
    """For ever."""
    line = os.open(LINE, os.O_RDWR | os.O_NOCTTY)
    tty.setraw(line)
    one_at_a_time = threading.Lock()

    def say(word: object) -> None:
        data = json.dumps(word).encode() + b"\n"
        with one_at_a_time:
            while data:
                data = data[os.write(line, data) :]

    def run(order: dict[str, Any]) -> None:  # Any: JSON
        done = subprocess.run(
            ["/bin/sh", "-c", order["run"]],
            input=order.get("input", "").encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        say({"id": order["id"], "status": done.returncode, "output": done.stdout.decode(errors="replace")})

    say({"id": 0, "status": 0, "output": "here"})
    for text in os.fdopen(os.dup(line), "rb", buffering=0):
        threading.Thread(target=run, args=(json.loads(text),), daemon=True).start()


if __name__ == "__main__":
    main()
