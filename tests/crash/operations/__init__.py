"""Every operation of oche that writes, for the sweep: what there is before it, how it is done, and what it comes to."""

from __future__ import annotations

from tests.crash.operations import backups, boards, bridge, matches, players, settings
from tests.crash.operations.operation import Operation

OPERATIONS: dict[str, Operation] = {
    each.name: each for module in (matches, settings, players, backups, boards, bridge) for each in module.OPERATIONS
}
"""By their names."""
