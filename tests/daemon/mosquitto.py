"""The broker of a test: a real mosquitto with its own port, configuration and memory."""

from __future__ import annotations

import asyncio
import re
import shutil
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from tests.daemon.process import PATIENCE_S, eventually

SHIPPED = Path(__file__).parents[2] / "systemd" / "mosquitto"


class Mosquitto:
    """`async with Mosquitto(…)` runs it; `kill` and `start` as often as wanted. It forgets everything unless told.

    `shipped` is a configuration of systemd/mosquitto, used as it is but for port and folder; `acl` replaces its ACL.
    `more`: further lines of its configuration, at the end.
    """

    def __init__(
        self,
        program: Path,
        folder: Path,
        port: int,
        *,
        users: Mapping[str, str] | None = None,
        remembers: bool = False,
        shipped: str | None = None,
        acl: str | None = None,
        more: Sequence[str] = (),
    ) -> None:
        self.port = port
        self._more = more
        self._program = program
        self._folder = folder
        self._users = users
        self._remembers = remembers
        self._shipped = shipped
        self._acl = acl
        self._process: asyncio.subprocess.Process | None = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.kill()

    async def start(self) -> None:
        """Runs until it answers."""
        self._folder.mkdir(exist_ok=True)
        lines = self._lines() if self._shipped is None else self._shipped_lines(self._shipped)
        if self._users is not None:
            passwords = self._folder / "passwords"
            passwords.write_text("".join(f"{name}:{word}\n" for name, word in self._users.items()), encoding="utf-8")
            hasher = await asyncio.create_subprocess_exec(_hasher(), "-U", passwords)
            assert await hasher.wait() == 0
        config = self._folder / "mosquitto.conf"
        config.write_text("\n".join([*lines, "user root", *self._more]), encoding="utf-8")  # only root heeds `user`
        log = (self._folder / "mosquitto.log").open("ab")
        with log:
            self._process = await asyncio.create_subprocess_exec(self._program, "-c", config, stdout=log, stderr=log)
        await eventually(self._answers)

    def _lines(self) -> list[str]:
        lines = [
            f"listener {self.port} 127.0.0.1",
            f"allow_anonymous {str(self._users is None).lower()}",
            f"persistence {str(self._remembers).lower()}",
            f"persistence_location {self._folder}/",
            "autosave_on_changes true",
            "autosave_interval 1",
            "set_tcp_nodelay true",  # else what follows an event waits for the display's kernel, for 40 ms
        ]
        if self._users is not None:
            lines.append(f"password_file {self._folder}/passwords")
        if self._acl is not None:
            (self._folder / "acl").write_text(self._acl, encoding="utf-8")
            lines.append(f"acl_file {self._folder}/acl")
        return lines

    def _shipped_lines(self, name: str) -> list[str]:
        """With the names of bridge and table as `configure` has them, which are those of the shipped file."""
        text = (SHIPPED / name).read_text(encoding="utf-8").replace("/etc/mosquitto/oche", str(self._folder))
        text = re.sub(r"^listener \d+$", f"listener {self.port} 127.0.0.1", text, flags=re.MULTILINE)
        acl = (SHIPPED / "acl").read_text(encoding="utf-8") if self._acl is None else self._acl
        (self._folder / "acl").write_text(acl, encoding="utf-8")
        return [text, f"persistence_location {self._folder}/"]

    async def kill(self) -> None:
        """Ends it without a farewell."""
        if self._process is not None:
            self._process.kill()
            await self._process.wait()
            self._process = None

    @property
    def runs(self) -> bool:
        """It was started and not killed since."""
        return self._process is not None

    def hang(self) -> None:
        """Lets it answer nothing any more."""
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Lets it answer again."""
        self._signal(signal.SIGCONT)

    def heed(self, acl: str) -> None:
        """Gives it another ACL, as an owner does who edits the file and reloads."""
        (self._folder / "acl").write_text(acl, encoding="utf-8")
        self._signal(signal.SIGHUP)

    def _signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    async def _answers(self) -> bool:
        assert self._process is not None
        assert self._process.returncode is None, (self._folder / "mosquitto.log").read_text()
        try:
            async with asyncio.timeout(PATIENCE_S):
                _, writer = await asyncio.open_connection("127.0.0.1", self.port)
        except OSError:
            return False
        writer.close()
        await writer.wait_closed()
        return True


def _hasher() -> str:
    found = shutil.which("mosquitto_passwd")
    assert found is not None
    return found
