"""Starts oche wherever it is installed; the console script `oche` points here.

The rooms import each other by their plain names, in a checkout as in a wheel. The wheel keeps them in a private folder
(oche/app), because names such as `daemon` in site-packages would collide with other projects. So that folder goes
first on sys.path before anything of ours is imported; in a checkout it is the checkout itself.
"""

import gc
import sys
from pathlib import Path


def main() -> None:
    """Runs the command line; does not return."""
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    gc.disable()  # until the command is loaded: what is imported stays
    try:
        from daemon.cli import main as oche  # noqa: PLC0415  found only now

        oche()
    except KeyboardInterrupt:
        sys.stderr.write("oche: stopped\n")
        sys.exit(130)  # as shells have it
