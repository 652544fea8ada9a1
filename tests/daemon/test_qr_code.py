"""Codes are drawn once, and one in a turn of the event loop: a display may choose any number of them."""

from __future__ import annotations

import asyncio

import pytest

from daemon.web.qr_code import QrCode, QrCodes


async def test_codes_are_drawn_once_and_one_in_a_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("daemon.web.qr_code._REST", 0.0)
    monkeypatch.setattr("daemon.web.qr_code._KEPT", 8)
    codes, turns = QrCodes(), 0

    async def draw(text: str) -> tuple[int, QrCode]:
        code = await codes.draw(text, "Ann")
        return turns, code

    async def count_turns() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    counting = asyncio.create_task(count_turns())
    texts = [f"http://192.168.1.20:8180/{number}/" for number in range(8)]
    drawn = await asyncio.gather(*(draw(text) for text in [*texts, *texts]))
    assert len({at for at, _ in drawn[:8]}) == 8
    assert all(first is again for (_, first), (_, again) in zip(drawn[:8], drawn[8:], strict=True))
    at, code = await draw(texts[3])
    assert (at, code is drawn[3][1]) == (turns, True)
    for number in range(8):
        await codes.draw(f"{number}", "Bo")
    assert await codes.draw(texts[3], "Ann") is not code, "those that were asked for last are kept"
    counting.cancel()
