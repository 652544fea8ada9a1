"""`oche run`: the daemon, until SIGTERM or Ctrl-C."""

from __future__ import annotations

import asyncio
import faulthandler
import gc
import logging
import os
import resource
import signal
import sys
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from daemon.admin.backup.exchange import find_exchange
from daemon.admin.settings.staged_backup import list_staged
from daemon.admin.temporary import remove_unfinished
from daemon.commands.shared import config_option, retry_taken_port
from daemon.config.reader import DEFAULT_FILE, CheckedConfig
from daemon.config.sections import Mqtt
from daemon.config.unconfigured import FoundConfig, describe, find_config, find_state_folder, is_unconfigured
from daemon.errors import UserError
from daemon.free_port import find_free_port
from daemon.plugins import loader
from daemon.plugins.file_stamps import stamp_files
from daemon.service import logs
from daemon.service.systemd import Feeder, notify

if TYPE_CHECKING:
    from daemon.admin.settings.settings_file import SettingsFile
    from daemon.assemble import RunningDaemon


@click.command()
@config_option(default=None)
def command(config: Path | None) -> None:
    """Run the daemon: it reads the boards, scores the games, and sends the state over MQTT and to the page.

    Without a configuration it uses the board that is plugged in, or a simulated one, and prints the lines to keep.
    """
    gc.disable()  # until it runs: a start makes hardly any garbage
    from daemon.admin.settings.settings_file import SettingsFile

    settings = SettingsFile(config or DEFAULT_FILE)
    checked, interrupted = prepare(settings, config)
    logs.set_up()
    if interrupted:
        logging.getLogger("oche").warning("%s", interrupted)
    os.umask(0o077)  # the journals have the seeds and hands of matches that are being played
    most_files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most_files, most_files))  # a table has eight; 1,024 are mostly given
    for broken in loader.load((config or DEFAULT_FILE).parent):
        logging.getLogger("oche").error("%s", broken)
    for remark in checked.remarks if checked is not None else ():
        logging.getLogger("oche").error("%s", remark)
    faulthandler.enable()  # when the watchdog kills it, every thread's stack is logged
    asyncio.run(run(checked, settings))


def prepare(settings: SettingsFile, config: Path | None) -> tuple[CheckedConfig | None, str]:
    """Goes on with what was interrupted; returns what is configured, and the sentences to print. Raises UserError."""
    exchange, remark = find_exchange(settings.file), ""
    if exchange.phase is None:
        exchange.forget()
    else:
        from daemon.admin.backup.restore import finish_interrupted_restore

        remark = finish_interrupted_restore(settings.file)
    settings.complete_pending_change()
    try:
        _restore_staged(settings)
        return settings.load(is_needed=not is_unconfigured(config)), remark
    except UserError as error:
        if not undo_failed_change(settings, error):
            raise
        return settings.load(), remark


async def run(checked: CheckedConfig | None, settings: SettingsFile) -> None:
    """Runs until SIGTERM or SIGINT. `checked` is None where there is no configuration.

    When the file was changed on the page it restarts with it, in this process: the matches go on from their
    journals, as after any start, and the modules are loaded already. If it cannot, it goes on with the former file.
    Games that were withdrawn can be played again, and plug-ins whose files have changed are loaded again.
    """
    stop, is_ready, folder = asyncio.Event(), asyncio.Event(), settings.file.parent
    stamps = stamp_files(folder)
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, partial(_stop, stop, is_ready, asyncio.current_task()))
    while True:
        try:
            is_ready.clear()
            await _run_once(checked, settings, stop, is_ready)
            if stop.is_set():
                return
            if stamp_files(folder) != stamps:
                _start_process_anew()
            _restore_staged(settings)
            checked = settings.load()
        except asyncio.CancelledError:
            if not stop.is_set():
                raise
            logging.getLogger("oche").info("stopped before it was ready")
            return
        except Exception as error:
            if not undo_failed_change(settings, error):
                raise
            logging.getLogger("oche").error("%s", settings.notice, exc_info=not isinstance(error, UserError))
            checked = settings.load()
        gc.unfreeze()
        gc.collect()  # only now nothing has the former daemon any more, nor an error of it


def _stop(stop: asyncio.Event, is_ready: asyncio.Event, task: asyncio.Task[None] | None) -> None:
    """Ends the daemon: one that is not ready yet does not first become so."""
    if task is not None and not stop.is_set() and not is_ready.is_set():
        task.cancel()
    stop.set()


def _start_process_anew() -> NoReturn:
    """Runs the same command in the place of this one.

    A plug-in is tried in a child, and only a process of a single thread has one.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


def _restore_staged(settings: SettingsFile) -> None:
    """Puts the matches of a backup in the place of those that are there, if the daemon is to start with them.

    What was begun before, and is not wanted any more, is completed first.
    """
    wanted = settings.staged
    if wanted is not None or list_staged(settings.state):
        from daemon.admin.backup.staging import complete_staged, restore_staged

        complete_staged([each for each in list_staged(settings.state) if each != wanted])
        if wanted is not None:
            restore_staged(wanted)


def undo_failed_change(settings: SettingsFile, error: Exception) -> bool:
    """Brings back the former file and matches, if the daemon was to start with others, and returns whether."""
    if (staged := settings.staged) is not None:
        from daemon.admin.backup.staging import undo_restore

        undo_restore(staged)
    return settings.undo_failed_change(error)


async def _run_once(
    checked: CheckedConfig | None, settings: SettingsFile, stop: asyncio.Event, is_ready: asyncio.Event
) -> None:
    """Runs until `settings` or `stop` say so. Raises UserError when it cannot start."""
    gc.disable()  # until it runs, as in the first start
    from daemon.assemble import run_daemon  # a mistake in the configuration does not wait for libraries

    feeder = Feeder()
    async with AsyncExitStack() as stack:
        stack.callback(feeder.stop)
        feeder.start()
        found, broker = None, ""
        if checked is None:
            running, found, broker = await retry_taken_port(lambda: _start_unconfigured(stack, settings))
            checked = found.checked
        else:
            running = await stack.enter_async_context(run_daemon(checked, settings, takes_taps=True))
        is_ready.set()
        logs.set_level(checked.config.bridge.log_level)
        await asyncio.to_thread(remove_unfinished, Path(checked.config.bridge.state_dir))
        await settings.note_start(checked, found.lines_as_it_runs if found is not None else "")
        logging.getLogger("oche").info(
            "running; tables: %s; page: %s", ", ".join(running.tables), running.page or "off"
        )
        gc.freeze()  # what the start has made stays: no later collection goes through it
        gc.enable()
        feeder.stop()
        stack.callback(feeder.start)  # the end takes its time, too
        if found is not None:
            click.echo(describe(found, running.page, broker))
        ends = [asyncio.create_task(event.wait()) for event in (stop, settings.changed)]
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        for end in ends:
            end.cancel()
        notify(**({"STOPPING": 1} if stop.is_set() else {}), STATUS="saving and stopping")


async def _start_unconfigured(stack: AsyncExitStack, settings: SettingsFile) -> tuple[RunningDaemon, FoundConfig, str]:
    """Starts the daemon on the board and the broker that are found; returns it, what it plays on, and the broker."""
    from daemon.assemble import run_daemon
    from daemon.mqtt.probe import find_broker

    found = await find_config(find_state_folder())
    config = found.checked.config
    is_taken = find_free_port(config.mqtt.port) != config.mqtt.port  # perhaps by a broker
    wanted = Mqtt(host="127.0.0.1") if is_taken else None
    broker = await find_broker(wanted, config.bridge.name, [config.table[0].name])
    found = found.with_broker(broker.mqtt)
    return await stack.enter_async_context(run_daemon(found.checked, settings, takes_taps=True)), found, str(broker)
