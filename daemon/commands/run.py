"""`oche run`: the daemon, until SIGTERM or Ctrl-C."""

from __future__ import annotations

import asyncio
import faulthandler
import logging
import os
import signal
from functools import partial
from pathlib import Path

import click

from daemon import logs, plugins
from daemon.config import DEFAULT_FILE, Setup, read_config
from daemon.notify import notify


@click.command()
@click.option("--config", "file", type=click.Path(path_type=Path), default=DEFAULT_FILE, show_default=True)
def command(file: Path) -> None:
    """Run the daemon: boards in, games played, state out over MQTT and onto the page."""
    setup = read_config(file)
    logs.set_up()
    os.umask(0o077)  # the journals have the seeds and the hands of the matches that are on
    for broken in plugins.load(file.parent):
        logging.getLogger("oche").error("%s", broken)
    for remark in setup.remarks:
        logging.getLogger("oche").error("%s", remark)
    faulthandler.enable()  # when the watchdog bites, every thread says where it is
    asyncio.run(_run(setup))


async def _run(setup: Setup) -> None:
    from daemon.service import running  # a mistake in the configuration is told without waiting for the libraries
    from daemon.simulated import tapped

    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with running(setup) as house:
        for name, board in house.boards.items():
            house.web.taps[name] = partial(tapped, table=house.tables[name], board=board)
        logging.getLogger("oche").info("running; tables: %s; page: %s", ", ".join(house.tables), house.page or "off")
        await stop.wait()
        notify(STOPPING=1, STATUS="the last is written down")
