"""The container image: podman loads it and runs it without rights, and a client of the broker sees a leg on it."""

from __future__ import annotations

import asyncio
import hashlib
import json
import platform
import tarfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import PATIENCE_S
from tests.images.conftest import Podman, build

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[2]
HEALTH = ("/usr/bin/python3", "-IS", "/usr/lib/oche/health.py")
CONFIGURATION = """
[[table]]
board = "sim:granboard"
game = "x01"
options = {{ start = 101, out = "straight" }}
players = ["Ann", "Bo"]

[mqtt]
host = "127.0.0.1"
port = {broker}

[web]
port = {page}
"""


@pytest.fixture(scope="module", params=["amd64", "arm64"])
def image(request: pytest.FixtureRequest) -> Path:
    return build(request.param)


def read_blobs(image: Path) -> dict[str, bytes]:
    with tarfile.open(image) as archive:
        return {member.name: file.read() for member in archive if (file := archive.extractfile(member))}


def test_its_parts_are_named_by_their_sums(image: Path) -> None:
    blobs = read_blobs(image)
    [named] = json.loads(blobs["index.json"])["manifests"]
    manifest = json.loads(blobs[f"blobs/{named['digest'].replace(':', '/')}"])
    for part in (named, manifest["config"], *manifest["layers"]):
        found = blobs[f"blobs/{part['digest'].replace(':', '/')}"]
        assert (part["digest"], part["size"]) == (f"sha256:{hashlib.sha256(found).hexdigest()}", len(found))
    config = json.loads(blobs[f"blobs/{manifest['config']['digest'].replace(':', '/')}"])
    assert config["architecture"] == named["platform"]["architecture"]
    assert config["config"]["User"] == "oche"


def test_there_is_no_shell_in_it_and_every_licence_is(image: Path, tmp_path: Path) -> None:
    members = read_layer(image, tmp_path)
    programs = [Path(member.name).name for member in members if member.name.startswith("./usr/bin/")]
    assert sorted(programs) == ["oche", "python3", "python3.13"]
    assert not [member.name for member in members if member.mode & 0o6000 or member.isdev()]
    packages = {Path(member.name).name for member in members if "/dpkg/status.d/" in member.name}
    licences = {member.name.split("/")[-2] for member in members if member.name.endswith("/copyright")}
    assert {"oche", "python3.13", "libc6", "libusb-1.0-0"} <= packages
    assert {"oche", "python3.13", "libc6", "libusb-1.0-0"} <= licences
    assert "./etc/oche/oche.toml" in {member.name for member in members}
    compiled = {member.name for member in members if member.name.endswith(".pyc")}
    assert any("/oche/app/daemon/" in name for name in compiled)


def read_layer(image: Path, folder: Path) -> list[tarfile.TarInfo]:
    layer = folder / "layer.tar.gz"
    layer.write_bytes(max(read_blobs(image).values(), key=len))
    with tarfile.open(layer) as archive:
        return archive.getmembers()


async def test_it_plays_without_rights_on_a_root_that_nothing_can_write_to(
    podman: Podman,
    tmp_path: Path,
    mosquitto_path: Path,
    mosquitto_clients_path: Path,
    unused_tcp_port_factory: Callable[[], int],
) -> None:
    broker, page = unused_tcp_port_factory(), unused_tcp_port_factory()
    configuration = tmp_path / "oche.toml"
    configuration.write_text(CONFIGURATION.format(broker=broker, page=page), encoding="utf-8")
    configuration.chmod(0o644)
    podman("load", "--input", build({"x86_64": "amd64", "aarch64": "arm64"}[platform.machine()]))
    async with Mosquitto(mosquitto_path, tmp_path / "broker", broker):
        listen = (mosquitto_clients_path / "mosquitto_sub", "-p", str(broker), "-W", str(PATIENCE_S), "-t")
        podman(
            *("run", "--detach", "--name=oche", "--network=host", "--read-only", "--cap-drop=all"),
            *("--security-opt=no-new-privileges", "--volume=oche:/var/lib/oche"),
            *("--ulimit=nofile=1024:1024", "--ulimit=nproc=1024:1024"),  # above those of this machine it may not go
            *(f"--volume={configuration}:/etc/oche/oche.toml:ro", podman("images", "--quiet").strip()),
        )
        assert await _hear("online", *listen, "oche/table/main/board/state")
        podman("exec", "oche", *HEALTH)
        for segment in ("T20", "S1", "D20"):
            await asyncio.to_thread(_throw, page, segment)
        state = json.loads(await _hear('"over"', *listen, "oche/table/main/state"))
        assert (state["winners"], state["sides"][0]["score"]) == ([0], 0)
        podman("stop", "oche")
        assert "Traceback" not in podman("logs", "oche")


async def _hear(wanted: str, *command: str | Path) -> str:
    """Returns the first line of this command's output that has the wanted text; "" where it ends without."""
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    try:
        async for line in process.stdout:
            if wanted in line.decode():
                return line.decode()
        return ""
    finally:
        with suppress(ProcessLookupError):
            process.terminate()
        await process.wait()


def _throw(page: int, segment: str) -> None:
    body = json.dumps({"segment": segment}).encode()
    request = Request(f"http://127.0.0.1:{page}/api/table/main/tap", body, {"Content-Type": "application/json"})
    with urlopen(request) as answer:
        answer.read()
