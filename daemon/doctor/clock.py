"""`oche doctor` on the clock: a Pi has none of its own, and matches are dated by it."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Iterator

from daemon.doctor.checks import Check
from daemon.doctor.host import Host

_FIRST_YEAR, _LAST_YEAR = 2025, 2100
_UNSYNCHRONISED = 5
"""TIME_ERROR of adjtimex(2)."""
_TIMEX_BYTES = 512
"""More than struct timex is anywhere; all zero, it asks and changes nothing."""
_REMEDY = "sudo timedatectl set-ntp true, and let this machine reach a time server (timedatectl says which)"


def check_clock(host: Host) -> Iterator[Check]:
    """As the kernel and systemd's own time client have it."""
    yield of_time(
        time.gmtime().tm_year, is_right=_kernel_knows() or host.at("/run/systemd/timesync/synchronized").exists()
    )


def of_time(year: int, *, is_right: bool) -> Check:
    """`is_right`: a time server was heard."""
    if not _FIRST_YEAR <= year <= _LAST_YEAR:
        return Check("clock", "problem", f"the clock says that this is the year {year}", _REMEDY)
    if not is_right:
        text = "no time server was heard, so matches may be dated wrongly and certificates seem not to be valid"
        return Check("clock", "warning", text, _REMEDY)
    return Check("clock", "ok", "a time server was heard")


def _kernel_knows() -> bool:
    libc = ctypes.CDLL(None)
    asked = ctypes.create_string_buffer(_TIMEX_BYTES)
    found = int(libc.adjtimex(asked)) if hasattr(libc, "adjtimex") else -1
    return found not in (-1, _UNSYNCHRONISED)
