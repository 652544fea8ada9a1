"""Work that is not left half done, however often its caller is cancelled."""

from __future__ import annotations

import asyncio

import pytest

from drivers.cancellation import finish_before_cancel


class Work:
    """Something to do that waits until it `may` go on; `done` says how far it came."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.may = asyncio.Event()

    async def do(self) -> str:
        try:
            await self.may.wait()
        except asyncio.CancelledError:
            self.done.append("broken off")
            raise
        self.done.append("brought")
        return "a thing"

    async def fail(self) -> str:
        await self.may.wait()
        raise OSError

    async def undo(self, thing: str) -> None:
        await asyncio.sleep(0.001)
        self.done.append(f"gave back {thing}")


async def cancelled(task: asyncio.Task[str], work: Work, times: int = 3) -> None:
    """Cancels it again and again, first in mid work and then while it cleans up; it ends so."""
    for turn in range(times):
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.sleep(0)
        if turn == times // 2:
            work.may.set()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_undisturbed_it_is_just_done() -> None:
    work = Work()
    work.may.set()
    assert await finish_before_cancel(work.do(), give_back=work.undo) == "a thing"
    assert work.done == ["brought"]
    with pytest.raises(OSError):  # noqa: PT011  whatever it raises
        await finish_before_cancel(work.fail(), give_back=work.undo)


async def test_a_result_for_a_cancelled_caller_is_given_back() -> None:
    for times in range(1, 7):
        work = Work()
        await cancelled(asyncio.create_task(finish_before_cancel(work.do(), give_back=work.undo)), work, times)
        assert work.done == ["brought", "gave back a thing"]


async def test_failed_work_of_a_cancelled_caller_gives_nothing_back() -> None:
    work = Work()
    await cancelled(asyncio.create_task(finish_before_cancel(work.fail(), give_back=work.undo)), work)
    assert work.done == []


async def test_what_is_broken_off_brings_nothing_back() -> None:
    work = Work()
    await cancelled(asyncio.create_task(finish_before_cancel(work.do(), pass_cancel=True, give_back=work.undo)), work)
    assert work.done == ["broken off"]
