"""`oche doctor` on the daemon itself: does it run, and is there a way to the broker?

A daemon that runs is asked, and left in peace: it knows what the broker denies.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import msgspec

from daemon.config import Setup
from daemon.doctor.broker import check_broker
from daemon.doctor.checks import Check, problem
from daemon.lock import is_locked
from daemon.mqtt.address import BrokerAddress
from daemon.mqtt.words import Complaint
from daemon.sections import Web


async def check_running(setup: Setup) -> AsyncIterator[Check]:
    """Each check as soon as it is done."""
    config = setup.config
    folder = Path(config.bridge.state_dir)
    is_running = is_locked(folder)
    said = await _ask_page(config.web) if is_running is not False else None
    yield _daemon(folder, is_running, said)
    async for check in check_broker(setup, is_running=is_running if said is None else True):
        yield check


def _daemon(folder: Path, is_running: bool | None, said: str | None) -> Check:
    """`said`: by its page, of the broker."""
    if said:
        what, _, remedy = said.partition(": ")
        return problem("daemon", Complaint(f"it says: {what}", remedy))
    if said == "":
        return Check("daemon", "ok", "it is running, and has no trouble with the broker")
    if is_running is None:
        text = f"cannot look into {folder}, so whether it runs is not known"
        return Check("daemon", "warning", text, "run oche doctor as root (sudo)")
    if is_running:
        return Check("daemon", "ok", "it is running; its log says whether the broker takes everything that it says")
    return Check("daemon", "ok", "it is not running")


class _Standing(msgspec.Struct):
    """What the page tells of the broker: a sentence, "" when all is well."""

    text: str


async def _ask_page(web: Web) -> str | None:
    """What the daemon says of the broker. None: it has no page, or something else has its port."""
    if not (web.on and web.port):
        return None
    where = BrokerAddress(web.host, web.port)
    try:
        async with (
            aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(5)) as page,
            page.get(f"http://{where}/api/broker") as answer,
        ):
            text = msgspec.json.decode(await answer.read(), type=_Standing).text
    except (aiohttp.ClientError, TimeoutError, msgspec.DecodeError, RecursionError):
        return None
    return text if text.isprintable() else None
