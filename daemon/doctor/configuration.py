"""`oche doctor` on the configuration and the plug-ins beside it. A broken one ends nothing: the rest is looked at."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from daemon import files, plugins
from daemon.access import CREDENTIAL as TOKEN
from daemon.config import Setup, read_config
from daemon.doctor.checks import Check
from daemon.doctor.whose import Who
from daemon.errors import UserError
from daemon.mqtt.credentials import CREDENTIAL as PASSWORD
from daemon.sections import Config
from protocol.source import SourceError


class Written(NamedTuple):
    """What is in the file. `setup` is None where it cannot be used; `config` is then its sections, as far as they go.

    `complaint` says what is wrong with it.
    """

    config: Config
    setup: Setup | None
    complaint: str = ""


def read(file: Path) -> Written:
    """Reads it; what it does not say is as usual."""
    try:
        setup = read_config(file)
    except UserError as error:
        try:
            return Written(files.source(file).read(Config), None, str(error))
        except (UserError, SourceError):
            return Written(Config(table=[]), None, str(error))
    return Written(setup.config, setup)


def with_credentials(written: Written, secrets: Mapping[str, Path]) -> Written:
    """As the service has it, to which systemd gives these files."""
    config = written.config
    password, token = secrets.get(PASSWORD), secrets.get(TOKEN)
    if password is not None and config.mqtt.username is not None:
        config = replace(config, mqtt=replace(config.mqtt, password_file=str(password)))
    if token is not None:
        config = replace(config, web=replace(config.web, token_file=str(token)))
    return Written(config, written.setup and replace(written.setup, config=config), written.complaint)


def check_configuration(file: Path, written: Written, who: Who | None) -> Iterator[Check]:
    """Is it there, right, and for the daemon to read?"""
    is_there = os.path.lexists(file)
    if not is_there:
        remedy = f"write one with what oche scan prints: oche scan | sudo tee {file}; or name yours with --config FILE"
        yield Check("config", "problem", f"there is no {file}", remedy)
        return
    if who is not None and not (who.may_reach(file) and who.may(file, os.R_OK)):
        remedy = f"sudo chown {who.name} {file} and sudo chmod u+r {file}; its folders must be open to it as well"
        yield Check("config", "problem", f"{who.name} may not read {file}", remedy)
    elif written.complaint:
        remedy = (
            f"sudo nano {file}, then oche config check {file}"
            if os.access(file, os.R_OK)
            else "run oche doctor as root (sudo)"
        )
        yield Check("config", "problem", written.complaint, remedy)
    else:
        number = len(written.config.table)
        yield Check("config", "ok", f"{file} is right, and has {number} {'table' if number == 1 else 'tables'}")


def check_plugins(file: Path, setup: Setup | None) -> Iterator[Check]:
    """Those that are broken, and the tables that play something else for it."""
    broken = plugins.load(file.parent)
    for each in broken:
        remedy = "mend it, or take it away; then sudo systemctl restart oche"
        yield Check("plug-ins", "problem", str(each), remedy)
    for remark in setup.remarks if setup is not None else ():
        yield Check("plug-ins", "warning", remark, "mend the plug-in, or give the table another game")
