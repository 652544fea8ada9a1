"""What happens to a daemon: it is killed, its clock jumps, its disk is full, and an old backup is put back."""

from __future__ import annotations

import asyncio
from random import Random

from tests.daemon.process import eventually
from tests.disk.conftest import Faults
from tests.faults.league.accidents import Target
from tests.faults.league.place import Place

_HOUR_S = 3600
_JUMPS_S = (-20 * 365 * 24 * _HOUR_S, -48 * _HOUR_S, -_HOUR_S, -5, 5, _HOUR_S, 48 * _HOUR_S, 400 * 24 * _HOUR_S)


class PlaceTarget(Target):
    """A daemon. Its disk is filled where it has one of its own."""

    def __init__(self, place: Place, clock: Faults) -> None:
        super().__init__("daemon")
        self.kinds = ("killed", "clock jumped", "restored", *(("disk full",) if place.disk else ()))
        self._place = place
        self._clock = clock

    async def hit(self, kind: str, rng: Random) -> None:
        if kind == "killed":
            await self._place.kill()
            await asyncio.sleep(rng.uniform(0, 2))
            await self._place.start()
        elif kind == "clock jumped":
            self._clock.begin("clock", str(rng.choice(_JUMPS_S)))
            await asyncio.sleep(rng.uniform(0, 5))
            self._clock.end("clock")
        elif kind == "restored":
            await self._restore(rng)
        else:
            assert self._place.disk is not None
            await asyncio.to_thread(self._place.disk.fill)
            await asyncio.sleep(rng.uniform(0, 5))
            self._place.disk.make_room()

    async def _restore(self, rng: Random) -> None:
        """Goes on from a backup; some are put back a second time."""
        if self._place.backup is None:
            self._place.is_backup_wanted = True
            await eventually(lambda: self._place.backup is not None)
            await asyncio.sleep(rng.uniform(0, 20))
        await self._place.kill()
        await self._place.put_back()
        if rng.random() < 0.5:
            self._place.backup = None
        await self._place.start()
        await self._place.forget_again()
