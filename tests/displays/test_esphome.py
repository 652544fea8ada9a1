"""The scoreboard for ESPHome: its topics are ours and hold a value, and ESPHome itself finds it and a proxy whole."""

from __future__ import annotations

import asyncio
import re
import shutil
from base64 import b64encode
from pathlib import Path

import pytest

from protocol.topics import TOPICS, parse
from simulator.pty_board import PtyBoard
from tests.daemon.display import Display
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import ROOT, Process, configure
from tests.displays.example import DISPLAYS

FILE = DISPLAYS / "esphome" / "darts.yaml"


def topics() -> list[str]:
    """Every topic in the file, its substitutions made."""
    text = FILE.read_text(encoding="utf-8")
    names = dict(re.findall(r"^  (bridge|table): (\S+)$", text, re.MULTILINE))
    found = [re.sub(r"\$\{(\w+)\}", lambda name: names[name[1]], topic) for topic in re.findall(r"topic: (\S+)", text)]
    assert len(found) == text.count("platform: mqtt_subscribe") == 6
    return found


def test_every_topic_is_one_of_ours_and_retained() -> None:
    for topic in topics():
        address = parse(topic)
        assert address is not None, topic
        assert TOPICS[address.kind].retain, topic


@pytest.mark.long
async def test_every_topic_holds_a_value(tmp_path: Path, broker: Mosquitto, board: PtyBoard) -> None:
    async with Process("run", "--config", configure(tmp_path, broker.port)) as daemon, Display(broker.port) as display:
        await daemon.runs()
        await board.wait_until_open()
        await display.until(lambda: display.now.get("oche/table/main/board/state") == "online")
        await display.until(lambda: all(display.now.get(topic) for topic in topics()))


@pytest.mark.long
@pytest.mark.parametrize("mistake", ["", "id(player)"])
async def test_esphome_finds_it_whole(tmp_path: Path, mistake: str) -> None:
    """As it is; a name in the drawing that is nowhere else is found, so this is no empty check."""
    file = tmp_path / "darts.yaml"
    shutil.copy(FILE, file)
    if mistake:
        file.write_text(file.read_text(encoding="utf-8").replace(mistake, "id(nobody)"), encoding="utf-8")
    secrets = sorted(set(re.findall(r"!secret (\w+)", FILE.read_text(encoding="utf-8"))))
    assert all(f"{secret}" in FILE.read_text(encoding="utf-8").partition("substitutions")[0] for secret in secrets)
    (tmp_path / "secrets.yaml").write_text("".join(f"{name}: long enough\n" for name in secrets), encoding="utf-8")
    said = await check(file)
    assert ("Configuration is valid!" in said) == (not mistake), said


@pytest.mark.long
async def test_esphome_takes_the_bluetooth_proxy_of_the_docs(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "boards.md").read_text(encoding="utf-8")
    (found,) = re.findall(r"^```yaml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    file = tmp_path / "proxy.yaml"
    file.write_text(found.replace('"the key"', b64encode(bytes(range(32))).decode()), encoding="utf-8")
    said = await check(file)
    assert "Configuration is valid!" in said, said


async def check(file: Path) -> str:
    """What ESPHome says of this file."""
    program = ROOT / "build" / "esphome" / "bin" / "esphome"
    assert program.exists(), "This test needs ESPHome: run make long, which installs it."
    esphome = await asyncio.create_subprocess_exec(
        program, "config", file, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    return (await esphome.communicate())[0].decode()
