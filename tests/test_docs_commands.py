"""What the pages tell people to type is typed here, or the page says in its source why it is not: see tests/pages.py.

The commands of a page are typed one after the other in a folder of their own, beside a daemon with a broker and a few
matches. They stand as the page has them, but for what a test may not touch: `oche` gets the configuration of that
daemon where none is named, `sudo` gives no rights, and the files that curl and mosquitto's clients read name its ports.
"""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import shutil
import signal
import stat
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import click
import pytest

from daemon.assemble import run_daemon
from daemon.cli import COMMANDS, oche
from daemon.config.reader import read_config
from protocol.codebook import read_shipped
from tests.daemon.evenings import Evening
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import PATIENCE_S, configure
from tests.pages import PAGES, ROOT, Block, blocks
from tests.sweep import sweep
from tests.test_docs_game import source_of

BLOCKS = [block for page in PAGES for block in blocks(page)]
ELSEWHERE = {"docs/mqtt.md"}
"""tests/daemon/test_contract_on_the_wire.py types these, and compares the answers."""
WRITTEN = {command for block in BLOCKS for command in block.commands if re.match(r"(sudo )?(oche|make) ", command)}
SPOKEN = {
    found for page in PAGES for found in re.findall(r"`((?:sudo )?(?:oche|make) [^`\n]+)`", page.read_text("utf-8"))
}
TYPED = sorted({block.page for block in BLOCKS if block.why_not is None} - ELSEWHERE)

ENDLESS = re.compile(
    r"mosquitto_sub (?!.*-C)|curl -N |make play |oche (play|run)\b(?!.*--speed)|python3 -m http\.server"
)
"""These are ended once they have printed something."""
NAMES = {"oche broker"}
"""Not a command: a part of the flow for Node-RED."""
EITHER = ("oche doctor",)
"""These may find that something is wrong with this machine."""
WEB = {"docs/wall-and-phones.md": 'host = "0.0.0.0"'}
"""Where the page is served; else for this machine alone, and without a token."""
YES = {"sudo oche history delete --player Ann": "y\n"}
"""What is answered."""

OCHE = """#!{python}
import sys
import click
sys.path.insert(0, {root!r})
from daemon.cli import main, oche
command, names = oche, []
context = click.Context(oche)
for name in sys.argv[1:]:
    if not isinstance(command, click.Group):
        break
    command = command.get_command(context, name)
if not {{"--config", "-h", "--help"}} & set(sys.argv) and any("--config" in each.opts for each in command.params):
    sys.argv += ["--config", {config!r}]
main()
"""


def test_every_block_says_what_it_is() -> None:
    for block in BLOCKS:
        assert block.commands, f"{block}: there is nothing to type in this block"
        assert block.why_not is None or len(block.why_not.split()) > 2, f"{block}: say why"


def test_every_command_and_its_options_exist() -> None:
    """Those that are not run, and those in the middle of a sentence, too."""
    for text in (SPOKEN | WRITTEN) - NAMES:
        check_command(text)


def test_every_command_that_oche_itself_names_exists() -> None:
    """In sentences, in their translations, and as what the page's requests are called by when they fail."""
    files = [*(ROOT / "daemon").rglob("*.py"), *(ROOT / "daemon/languages").glob("*.json")]
    texts = "\n".join(file.read_text(encoding="utf-8") for file in files)
    named = {*re.findall(r"(?:`|\S  |sudo )oche ([a-z]+)", texts)}
    asked = {*re.findall(r"worker\.(?:carry_out|write)\([\w.]+(?:\([^()]*\))?, \"(\w+)\"", texts)}
    assert {"doctor", "backup"} <= named & asked
    assert (named | asked) - {*COMMANDS} == set()


def check_command(text: str) -> None:
    """Raises AssertionError with a command or an option that there is not."""
    words = [word for word in shlex.split(text, comments=True) if word != "sudo"]
    if words[0] == "make":
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        assert all("=" in word or re.search(rf"^{word}:", makefile, re.MULTILINE) for word in words[1:]), text
        return
    command: click.Command = oche
    context = click.Context(oche)
    for word in words[1:]:
        if isinstance(command, click.Group) and not word.startswith("-"):
            found = command.get_command(context, word)
            assert found is not None, text
            command = found
        elif word.startswith("-") and word != "-":
            assert any(word in option.opts for option in command.params) or word in ("--help", "--version"), text


@pytest.fixture
async def folder(page: str, tmp_path: Path, broker: Mosquitto, request: pytest.FixtureRequest) -> AsyncIterator[Path]:
    """Where the commands of a page are typed, with the files that the pages speak of, beside a daemon that runs."""
    if "curl " in (ROOT / page).read_text(encoding="utf-8"):
        request.getfixturevalue("curl_path")
    with Evening(tmp_path / "state") as evening:
        for day in range(3):
            evening.throw(day, players=["Ann", "Bo"], options={"start": 501}, day=day)
        evening.play("T20", day=3, players=["Ann", "Bo"])
    here = tmp_path / "here"
    shutil.copytree(ROOT / "docs" / "plugins", here, ignore=shutil.ignore_patterns("__pycache__", "build"))
    (here / "daemon").symlink_to(ROOT / "daemon")
    (here / "my_game.py").write_text(source_of(), encoding="utf-8")
    (here / "mine.toml").write_text(read_shipped("opendarts").text, encoding="utf-8")
    (here / "match.jsonl").write_text(
        '{"oche": 1, "game": "x01", "players": ["Ann", "Bo"], "seed": "1"}\n{"throw": "T20"}\n', encoding="utf-8"
    )
    (here / "first-evening.jsonl").write_text(
        '{"oche_capture": 1, "address": "serial:x", "started": "2026-01-01T00:00:00Z", "version": "1"}\n'
        f'{{"ms": 0, "link": "up"}}\n{{"ms": 900, "in": "{b"OpenDarts".hex()}0d0a"}}\n',
        encoding="utf-8",
    )
    config = configure(tmp_path, broker.port, board="sim:opendarts", profile="opendarts", web=WEB.get(page, ""))
    (tmp_path / "bin").mkdir()
    program(tmp_path / "bin" / "oche", OCHE.format(python=sys.executable, root=str(ROOT), config=str(config)))
    program(tmp_path / "bin" / "sudo", '#!/bin/sh\nexec "$@"\n')
    venv = Path(sys.prefix)
    make = f'exec {shutil.which("make")} -s -C {ROOT} VENV={venv} -o {venv}/.play "$@"'
    program(tmp_path / "bin" / "make", f'#!/bin/sh\n[ "$1" = play ] || exit 2\n{make}\n')
    for client in ("mosquitto_pub", "mosquitto_sub", "mosquitto_rr"):
        (tmp_path / client).write_text(f"-p {broker.port}\n", encoding="utf-8")
    async with run_daemon(read_config(config)) as running:
        port = urlsplit(running.page).port
        (tmp_path / ".curlrc").write_text(f'fail\nconnect-to = "127.0.0.1:8180:127.0.0.1:{port}"\n', encoding="utf-8")
        yield here


def program(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


@pytest.mark.parametrize("page", sweep(TYPED, "README.md".__eq__))
async def test_what_a_page_tells_to_type_works(folder: Path, mosquitto_clients_path: Path, page: str) -> None:
    above = folder.parent
    env = {
        **os.environ,
        "PATH": f"{above}/bin:{sys.prefix}/bin:{mosquitto_clients_path}:{os.environ['PATH']}",
        "HOME": str(above),
        "CURL_HOME": str(above),
        "XDG_CONFIG_HOME": str(above),
        "PYTHONPATH": f"{above}/site:{ROOT}",
        "PIP_TARGET": f"{above}/site",
        "PIP_NO_INDEX": "1",
        "PIP_NO_DEPS": "1",
        "PIP_NO_BUILD_ISOLATION": "0",  # pip reads it as the option's value: without isolation
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }
    for block in BLOCKS:
        if block.page == page and block.why_not is None:
            for command in block.commands:
                await type_in(command, block, folder, env)


async def type_in(command: str, block: Block, folder: Path, env: dict[str, str]) -> None:
    """Types this and waits for its end, or ends it once it has printed something. It may not fail."""
    bare = command.partition("  #")[0].strip()
    shell = await asyncio.create_subprocess_exec(
        "bash",
        "-uc",
        command,
        cwd=folder,
        env=env,
        start_new_session=True,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert shell.stdout is not None
    try:
        async with asyncio.timeout(PATIENCE_S):
            first = b""
            if ENDLESS.search(bare):
                first = await shell.stdout.readline()
                assert first, f"{block}: {command} ended with {(await shell.communicate())[1].decode()}"
                with suppress(ProcessLookupError):  # it has come to an end by itself
                    os.killpg(shell.pid, signal.SIGINT)
            said, errors = await shell.communicate(YES.get(bare, "").encode())
    finally:
        if shell.returncode is None:
            os.killpg(shell.pid, signal.SIGKILL)
            await shell.wait()
    output = (first + said + errors).decode()
    allowed = {0, *({1} if bare.removeprefix("sudo ") in EITHER else ()), *({130, -2} if first else ())}
    assert shell.returncode in allowed, f"{block}: {command}\n{output}"
    assert "Traceback" not in output, f"{block}: {command}\n{output}"
