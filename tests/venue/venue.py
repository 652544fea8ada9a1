"""A venue of two bridges, each with one table and a board on a pty, that throw at their boards and lose no dart."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from protocol.codebook import shipped
from simulator.pty_board import PtyBoard
from tests.daemon.process import Process, configure, eventually, journal, throw
from tests.venue.nats import client, password


def write_certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate that vouches for itself, and its key: their files."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "league")])
    now = datetime.now(UTC)
    built = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    certificate_file, key_file = folder / "league.crt", folder / "league.key"
    certificate_file.write_bytes(built.public_bytes(serialization.Encoding.PEM))
    kind, no_password = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    key_file.write_bytes(key.private_bytes(serialization.Encoding.PEM, kind, no_password))
    return certificate_file, key_file


JSON = dict[str, Any]  # Any: JSON
START = 1501


class Lane:
    """One bridge, its table of the same name, and its board."""

    def __init__(self, name: str, folder: Path, board: PtyBoard, daemon: Process) -> None:
        self.name = name
        self.daemon = daemon
        self.thrown: list[JSON] = []
        """What the journal should say."""
        self._folder = folder
        self._board = board

    async def play(self, darts: int, pause_s: float) -> None:
        """So many darts, the inner singles in turn; the button after each third."""
        await self._board.wait_until_open()
        for _ in range(darts):
            if all("throw" in line for line in self.thrown[-3:]) and len(self.thrown) >= 3:
                self._board.press("next")
                self.thrown.append({"next": True})
            dart = f"I{len(self.thrown) % 20 + 1}"
            throw(self._board, dart)
            self.thrown.append({"throw": dart})
            await asyncio.sleep(pause_s)

    async def ask_for_the_next(self, address: str) -> None:
        """A tablet on this node closes the visit."""
        async with client(address, "scorer") as tablet:
            await tablet.publish(f"oche/table/{self.name}/cmd/next", qos=1)
        self.thrown.append({"next": True})
        await self.all_kept()

    @property
    def line(self) -> int:
        """Of the match, after all that was thrown: the header is line 1."""
        return len(self.thrown) + 1

    async def all_kept(self) -> None:
        """Waits until the journal has all that was thrown, in order, and nothing else."""
        await eventually(lambda: len(journal(self._folder, self.name)) >= len(self.thrown))
        assert journal(self._folder, self.name) == self.thrown

    def folded(self) -> JSON:
        """What the journal comes to, by rules of 501 written apart from our code."""
        scores, side, darts = [START, START], 0, list[str]()
        for line in journal(self._folder, self.name):
            if "next" in line:
                side, darts = 1 - side, []
            else:
                scores[side] -= int(line["throw"][1:])
                darts.append(line["throw"])
        return {"line": self.line, "scores": scores, "side": side, "darts": darts}


def values(folded: JSON) -> dict[str, str]:
    """The plain values of that."""
    score, darts = folded["scores"][folded["side"]], folded["darts"]
    return {"score": str(score), "last_dart": darts[-1] if darts else "-", "darts_left": str(3 - len(darts))}


def told(state: JSON) -> JSON:
    """The same of a state."""
    return {
        "line": state["line"],
        "scores": [side["score"] for side in state["sides"]],
        "side": state["turn"]["side"],
        "darts": [dart["segment"] for dart in state["turn"]["darts"]],
    }


@asynccontextmanager
async def lane(name: str, within: Path, brokers: Sequence[str]) -> AsyncIterator[Lane]:
    """One that runs in a folder of its own, and finds its broker at these addresses in turn."""
    folder = within / name
    await asyncio.to_thread(folder.mkdir)
    file = configure(
        folder,
        1883,
        f"name = '{name}'\noptions = {{start = {START}, out = 'straight'}}",
        bridge=f'name = "{name}"',
        mqtt=f'username = "{name}"',
        web="on = false",
    )
    text = file.read_text(encoding="utf-8").replace('host = "127.0.0.1"', f"host = {list(brokers)}", 1)
    file.write_text(text, encoding="utf-8")
    async with AsyncExitStack() as stack:
        board = await stack.enter_async_context(PtyBoard(shipped("opendarts"), folder / "board"))
        env = {**os.environ, "OCHE_MQTT_PASSWORD": password(name)}
        daemon = await stack.enter_async_context(Process("run", "--config", file, env=env))
        await daemon.said("broker: connected")
        yield Lane(name, folder, board, daemon)
