"""What `oche doctor` looks at, part by part. A part looks at one thing, as far as it gets, and changes nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

from daemon.config import Setup
from daemon.doctor.broker import check_broker
from daemon.doctor.checkup import Check
from daemon.doctor.credentials import check_credentials

Part = Callable[[Setup], AsyncIterator[Check]]

PARTS: tuple[Part, ...] = (check_credentials, check_broker)


async def examine(setup: Setup) -> AsyncIterator[Check]:
    """All checks, each as soon as it is done."""
    for part in PARTS:
        async for check in part(setup):
            yield check
