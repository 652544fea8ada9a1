"""Nonsense of every kind, over the page and over MQTT: it is refused or dropped, and the match goes on as it was."""

from __future__ import annotations

import asyncio
import json
import sys
from functools import partial
from random import Random

import aiomqtt
import pytest

from tests.daemon.display import Display
from tests.daemon.mosquitto import Mosquitto
from tests.manners.guest import GROWTH_KB, Victim, check_answer
from tests.manners.nonsense import HTTP, RIGHT, nothing_right

A_FEW, A_THOUSAND = 25, pytest.param(1000, marks=pytest.mark.long)
WAYS = ("table/main/cmd/{}", "table/main/request/{}", "table/main/seat/0/cmd/choose", "table/kitchen/cmd/{}")


@pytest.mark.slow
@pytest.mark.parametrize("count", [A_FEW, A_THOUSAND])
async def test_nonsense_changes_nothing(victim: Victim, broker: Mosquitto, count: int) -> None:
    await over_the_page(victim, count)
    await over_mqtt(victim, broker, count)
    await victim.plays()
    victim.said_nothing_bad()


async def over_the_page(victim: Victim, count: int) -> None:
    """So many of each kind, a few at the same time."""
    before = await victim.state(), await victim.state("tap")
    dice = Random(501)
    silent = memory_kb = 0
    for kind in HTTP.values():
        for _ in range(count // A_FEW):
            together = [kind(dice) for _ in range(A_FEW)]
            for nonsense, answer in zip(together, await asyncio.gather(*map(victim.send, together)), strict=True):
                check_answer(nonsense.data, answer)
                silent += nonsense.is_whole and not answer
        memory_kb = memory_kb or victim.memory_kb
    assert (await victim.state(), await victim.state("tap")) == before
    assert silent < count / 10, "most of what can be answered is answered"
    assert victim.memory_kb < memory_kb + GROWTH_KB
    if count > A_FEW:
        tell(f"{count} of each of {len(HTTP)} kinds: {memory_kb} kB after the first, {victim.memory_kb} kB at the end")


async def over_mqtt(victim: Victim, broker: Mosquitto, count: int) -> None:
    """So many bodies for each command, on all the topics that take one."""
    async with Display(broker.port) as display, aiomqtt.Client("127.0.0.1", broker.port) as guest:
        before = await display.until_line(1)
        dice = Random(501)
        start_kb = victim.memory_kb
        for command in RIGHT:
            for n in range(count):
                topic = f"oche/{dice.choice(WAYS).format(command)}"
                await guest.publish(topic, nothing_right(dice, command), qos=1, retain=not n % 50)
            asked = f"{command}-{count}"
            await guest.publish(
                "oche/table/main/request/throw", json.dumps({"throw": "T99", "transaction": asked}), qos=1
            )
            await display.until(partial(is_answered, display, asked))
        assert display.state()["line"] == before["line"]
        assert display.state()["sides"] == before["sides"]
        assert victim.memory_kb < start_kb + GROWTH_KB
        if count > A_FEW:
            tell(f"{count} bodies for each of {len(RIGHT)} commands: {start_kb} kB, then {victim.memory_kb} kB")


def tell(figures: str) -> None:
    """Shown by `--capture no`."""
    sys.stdout.write(f"\n{figures}\n")


def is_answered(display: Display, transaction: str) -> bool:
    """MQTT keeps the order: all that was sent before is done as well."""
    return transaction in display.now.get("oche/table/main/response/throw", "")
