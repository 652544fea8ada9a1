"""The PostgreSQL of a test: a real server in a folder of its own, reached by a Unix socket, never the system's."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Self

import psycopg
from psycopg import sql

from daemon.collect.migrations import migrate
from tests.daemon.process import PATIENCE_S

ADMIN = "postgres"
"""The login that may do everything."""
WRITER, READER = "oche_collect", "oche_league"
"""The logins of a league: one owns its tables, the other reads them."""
_END_OTHERS = """
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
"""
_RESTART = """
    select setval(c.oid::regclass, 1, false) from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'oche' and c.relkind = 'S'
"""


class Postgres:
    """`with Postgres(find_postgres()) as postgres` runs it; `kill`, `stop` and `start` as often as wanted.

    Every login is let in without a password. `is_safe`: what was committed outlives a power failure, as in use.
    `settings` are further ones, as in `("max_connections=20",)`.
    """

    def __init__(self, programs: Path, *, is_safe: bool = False, settings: Sequence[str] = ()) -> None:
        self._programs = programs
        self._settings = (
            *(() if is_safe else ("fsync=off", "synchronous_commit=off", "full_page_writes=off")),
            *settings,
        )
        self.folder = Path(tempfile.mkdtemp(prefix="oche-pg-"))  # the path of a socket has 107 bytes at most
        self._process: subprocess.Popen[bytes] | None = None
        self._numbers = count(1)
        self._template: str | None = None
        """A league that nobody uses."""
        self._emptied: str | None = None

    def __enter__(self) -> Self:
        try:
            self._initialize()
            self.start()
            self._make_logins()
        except BaseException:
            self.remove()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()

    def _initialize(self) -> None:
        if os.getuid() == 0:  # initdb and postgres refuse root
            shutil.chown(self.folder, "nobody", "nogroup")
        self.folder.chmod(0o755)
        made = self._run(
            "initdb", "--pgdata", f"{self.folder}/data", "--username", ADMIN, "--auth", "trust", "--encoding", "UTF8",
            "--locale", "C", "--no-sync", "--no-instructions",
        )  # fmt: skip
        output, _ = made.communicate()
        assert made.returncode == 0, output.decode()

    def _run(self, program: str, *arguments: str) -> subprocess.Popen[bytes]:
        """Begins it as a user who is not root, and so that it ends with this process."""
        other = ("--reuid=nobody", "--regid=nogroup", "--clear-groups") if os.getuid() == 0 else ()
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(
                ("setpriv", *other, "--pdeathsig=INT", self._programs / program, *arguments),
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE if program == "initdb" else log,
                stderr=subprocess.STDOUT,
            )

    def start(self) -> None:
        """Runs until it answers."""
        settings = (f"unix_socket_directories={self.folder}", "listen_addresses=", *self._settings)
        options = [word for setting in settings for word in ("-c", setting)]
        self._process = self._run("postgres", "-D", f"{self.folder}/data", *options)
        until_s = time.monotonic() + PATIENCE_S
        while True:
            with suppress(psycopg.OperationalError):
                psycopg.connect(self.url(ADMIN)).close()
                return
            assert self._process.poll() is None, self.log
            assert time.monotonic() < until_s, self.log
            time.sleep(0.02)

    def _make_logins(self) -> None:
        with psycopg.connect(self.url(ADMIN), autocommit=True) as connection:
            for user in (WRITER, READER):
                connection.execute(sql.SQL("create role {} login").format(sql.Identifier(user)))

    @property
    def log(self) -> str:
        """What it has written so far."""
        return (self.folder / "log").read_text(encoding="utf-8")

    def stop(self) -> None:
        """Ends it as a restart of the service does: its clients are cut off, nothing is recovered afterwards."""
        self._end(signal.SIGINT)

    def kill(self) -> None:
        """Ends it and what it has started, as a crash does: the next start has to recover."""
        self._end(signal.SIGQUIT)

    def _end(self, number: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait()
            self._process = None

    def remove(self) -> None:
        """Ends it for good."""
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def url(self, database: str, user: str = ADMIN) -> str:
        """How a client names this database."""
        return f"postgresql:///{database}?host={self.folder}&user={user}"

    def create_database(self, template: str = "template0", owner: str = ADMIN) -> str:
        """Returns the name of a new database, a copy of `template`, which nobody must use meanwhile."""
        name = f"test_{next(self._numbers)}"
        made = sql.SQL("create database {} template {} owner {}")
        with psycopg.connect(self.url(ADMIN), autocommit=True) as connection:
            connection.execute(made.format(*map(sql.Identifier, (name, template, owner))))
        return name

    def create_league(self) -> str:
        """Returns the name of a new database with the tables of a league, and nothing in them."""
        if self._template is None:
            template = self.create_database(owner=WRITER)
            with psycopg.connect(self.url(template, WRITER)) as db:
                migrate(db, READER)
            self._template = template
        return self.create_database(self._template, WRITER)

    def empty_league(self) -> str:
        """Returns the name of a database with the tables of a league and nothing in them, which the last test had, too.

        It takes a fifth of the time of a new one. A test that changes the tables makes one of its own.
        """
        if self._emptied is None:
            self._emptied = self.create_league()
        with psycopg.connect(self.url(self._emptied)) as connection:
            connection.execute(_END_OTHERS)
            found = connection.execute("select tablename from pg_tables where schemaname = 'oche'")
            tables = [sql.Identifier("oche", name) for (name,) in found if name != "migration"]
            connection.execute("set local session_replication_role = replica")  # in any order
            for table in tables:  # of few rows that takes a sixth of the time of truncate
                connection.execute(sql.SQL("delete from {}").format(table))
            connection.execute(_RESTART)
        return self._emptied
