"""Opens the page in the browser of a person who sits at this machine."""

from __future__ import annotations

import os
import subprocess
import sys

_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY")


def open_browser(url: str) -> None:
    """Opens this address; does nothing without a terminal, a display or the desktop's `xdg-open`. Never waits."""
    if not sys.stdout.isatty() or not any(os.environ.get(name) for name in _DISPLAYS):
        return
    quiet = subprocess.DEVNULL  # browsers write about themselves on their terminal
    try:  # in a session of its own, so that Ctrl-C does not end the browser
        subprocess.Popen(["xdg-open", url], stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True)
    except OSError:
        return
