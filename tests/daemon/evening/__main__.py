"""Plays the evening, says what is different from the recording, and writes that anew.

    python -m tests.daemon.evening

It is needed where an address, a request or a field is added; what is said to be different must be meant.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.daemon.evening.recording import find_differences, read_recording, write_recording
from tests.daemon.evening.script import play_evening


def main() -> None:
    """Exits with a sentence where mosquitto is missing."""
    mosquitto = shutil.which("mosquitto", path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin")
    if mosquitto is None:
        sys.exit("mosquitto is needed: install the Debian package mosquitto")
    lines: list[Any] = []  # Any: JSON
    with socket.create_server(("", 0)) as one, socket.create_server(("", 0)) as two:
        ports = one.getsockname()[1], two.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(play_evening(Path(folder), Path(mosquitto), ports, lines))
    for difference in find_differences(read_recording(), lines):
        print(difference)  # noqa: T201  a command for people
    write_recording(lines)


if __name__ == "__main__":
    main()
