"""The least there could be between a board and a display: what the daemon's own work is weighed against.

Reads lines from a serial port and publishes each as it is. With a file as the fourth argument it commits each line to
a SQLite database there first, with the pragmas of the daemon's journal; with `thread` as the fifth it does so in a
thread, so that its event loop never waits for the disk, as no daemon with several boards may.
Arguments: device, broker's port, topic, file, `thread`.
"""

from __future__ import annotations

import asyncio
import sqlite3
import sys
from concurrent.futures import ThreadPoolExecutor

import aiomqtt
import serial

Journal = sqlite3.Connection


async def main(device: str, port: int, topic: str, journal: Journal | None, disk: ThreadPoolExecutor | None) -> None:
    """Passes on until it is ended. `disk`: the thread that commits; without it the event loop does."""
    line = serial.Serial(device, 115200, timeout=0)
    arrived: asyncio.Queue[bytes] = asyncio.Queue()
    asyncio.get_running_loop().add_reader(line, lambda: arrived.put_nowait(line.read(4096)))
    rest = b""
    async with aiomqtt.Client("127.0.0.1", port) as client:
        print("ready", flush=True)
        while True:
            *messages, rest = (rest + await arrived.get()).split(b"\n")
            for message in messages:
                if disk is not None and journal is not None:
                    await asyncio.get_running_loop().run_in_executor(disk, commit, journal, message)
                elif journal is not None:
                    commit(journal, message)
                await client.publish(topic, message, qos=1, retain=True)


def commit(journal: Journal, message: bytes) -> None:
    """Returns when the line is on the disk."""
    journal.execute("insert into line (text) values (?)", (message,))


def open_journal(file: str) -> Journal:
    """A database in which every statement is a commit that waits for the disk."""
    journal = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    journal.execute("pragma journal_mode = wal")
    journal.execute("pragma synchronous = full")
    journal.execute("create table line (number integer primary key, text)")
    return journal


if __name__ == "__main__":
    device, port, topic, *file = sys.argv[1:]
    disk = ThreadPoolExecutor(1) if file[1:] == ["thread"] else None
    asyncio.run(main(device, int(port), topic, open_journal(file[0]) if file else None, disk))
