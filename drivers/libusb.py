"""The system's USB library: looked for here, without the Python one, so that a look around needs neither."""

from __future__ import annotations

import ctypes

LIBRARY = "libusb-1.0.so.0"
MISSING = "USB boards need libusb: install the Debian package libusb-1.0-0"


def is_installed() -> bool:
    """Whether the library can be loaded."""
    try:
        ctypes.CDLL(LIBRARY)
    except OSError:
        return False
    return True
