"""`oche doctor` on the configuration: the file, the plug-ins beside it, and the page as it is configured.

A configuration that cannot be used does not end the examination: the rest is still looked at.
"""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from daemon import files
from daemon.config.credentials import CREDENTIAL as PASSWORD
from daemon.config.reader import DEFAULT_FILE, Setup, read_config
from daemon.config.sections import BrokerAddress, Config, Web
from daemon.doctor.checks import Check
from daemon.doctor.service import Account
from daemon.doctor.system import System
from daemon.errors import UserError
from daemon.plugins import loader
from daemon.web.public_url import is_loopback
from daemon.web.token import CREDENTIAL as TOKEN
from daemon.web.token import PageToken, locate_token_hash
from protocol.source import SourceError


class ConfigFile(NamedTuple):
    """A configuration file that was read.

    `setup` is None when it cannot be used; `complaint` then says why, and `config` has the sections as they are written
    or, where they cannot be read, the defaults.
    """

    config: Config
    setup: Setup | None
    complaint: str = ""


def read_configuration(file: Path) -> ConfigFile:
    """Reads the configuration in this file, whatever is wrong with it."""
    try:
        setup = read_config(file)
    except UserError as error:
        try:
            return ConfigFile(files.read_source(file).read(Config), None, str(error))
        except (UserError, SourceError):
            return ConfigFile(Config(table=[]), None, str(error))
    return ConfigFile(setup.config, setup)


def with_credentials(config_file: ConfigFile, secrets: Mapping[str, Path]) -> ConfigFile:
    """The same as the service has it, to which systemd gives these credentials, files by name."""
    config = config_file.config
    password, token = secrets.get(PASSWORD), secrets.get(TOKEN)
    if password is not None and config.mqtt.username is not None:
        config = replace(config, mqtt=replace(config.mqtt, password_file=str(password)))
    if token is not None:
        config = replace(config, web=replace(config.web, token_file=str(token)))
    return ConfigFile(config, config_file.setup and replace(config_file.setup, config=config), config_file.complaint)


def check_configuration(file: Path | None, config_file: ConfigFile, account: Account | None) -> Iterator[Check]:
    """Whether the file is there, right, and readable for the account. `file` is None where oche runs without one."""
    if file is None:
        text = f"there is no {DEFAULT_FILE}, so oche run takes what it finds, and prints the lines that keep it so"
        yield Check("config", "ok", text)
        return
    if not os.path.lexists(file):
        remedy = f"write one with what oche scan prints: oche scan | sudo tee {file}; or name yours with --config FILE"
        yield Check("config", "problem", f"there is no {file}", remedy)
        return
    if account is not None and not (account.may_reach(file) and account.may(file, os.R_OK)):
        remedy = f"sudo chown {account.name} {file} and sudo chmod u+r {file}; its folders must be open to it as well"
        yield Check("config", "problem", f"{account.name} may not read {file}", remedy)
    elif config_file.complaint:
        edit = f"sudo nano {file}, then oche config check {file}"
        remedy = edit if os.access(file, os.R_OK) else "run oche doctor as root (sudo)"
        yield Check("config", "problem", config_file.complaint, remedy)
    else:
        number = len(config_file.config.table)
        yield Check("config", "ok", f"{file} is right, and has {number} {'table' if number == 1 else 'tables'}")


def check_plugins(file: Path, setup: Setup | None) -> Iterator[Check]:
    """The plug-ins beside this file that are broken, and the tables that play another game because of it."""
    remedy = "mend it, or take it away; then sudo systemctl restart oche"
    for each in loader.load(file.parent):
        yield Check("plug-ins", "problem", str(each), remedy)
    for remark in setup.remarks if setup is not None else ():
        yield Check("plug-ins", "warning", remark, "mend the plug-in, or give the table another game")


def check_page(
    web: Web,
    folder: Path,
    account: Account | None,
    system: System,
    file: Path | None = DEFAULT_FILE,
    *,
    is_running: bool | None,
) -> Iterator[Check]:
    """Whether the account can serve the page as the file says, and whether others can reach it without a token.

    `file` is None where oche runs without one. `is_running`: a daemon has the port; None: that is not known.
    """
    if not web.on:
        yield Check("page", "ok", "it is switched off (web.on)")
        return
    free = int(system.read("/proc/sys/net/ipv4/ip_unprivileged_port_start") or 1024)
    if 0 < web.port < free and account is not None and account.uid != 0:
        text = f"{account.name} may not listen at port {web.port}: only root may"
        yield Check("page", "problem", text, f"set web.port to one above {free - 1}")
    elif web.port and is_running is False:
        yield from _check_page_port(web, system)
    if is_loopback(web.host):
        place = file or "a file with the lines that oche run prints"
        remedy = (
            f'for phones and tablets write host = "0.0.0.0" below [web] in {place}, then {_format_token_command(file)}'
        )
        yield Check("page", "ok", "it is for this machine only", remedy)
    else:
        yield _check_token(web, folder)


def _format_token_command(file: Path | None) -> str:
    """The command that makes a token for the daemon of this configuration."""
    if file is None:
        return "oche token --config FILE"
    return "sudo oche token" if file == DEFAULT_FILE else f"oche token --config {file}"


def _check_page_port(web: Web, system: System) -> Iterator[Check]:
    """Whether the port is free: it is bound for a moment, without listening."""
    where = BrokerAddress(web.host, web.port)
    try:
        for family, kind, protocol, _, address in socket.getaddrinfo(
            web.host, web.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        ):
            with socket.socket(family, kind, protocol) as place:
                place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                if family == socket.AF_INET6:
                    place.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                place.bind(address)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            programs = system.listeners(web.port).processes
            others = " and ".join(map(str, programs)) or "another program"
            close = f"sudo kill {programs[0].pid}" if programs else "sudo ss -ltnp names it"
            remedy = f"close it ({close}), or set another web.port"
            yield Check("page", "problem", f"{others} listens at {where} already", remedy)
        elif error.errno not in (errno.EACCES, errno.EPERM):
            text = f"{web.host} is no address of this machine"
            remedy = 'set web.host to one that it has (ip address names them), or to "0.0.0.0"'
            yield Check("page", "problem", text, remedy)


def _check_token(web: Web, folder: Path) -> Check:
    file = Path(web.token_file) if web.token_file else locate_token_hash(folder)
    is_closed = folder.exists() and not os.access(folder, os.X_OK)
    if is_closed or (os.path.lexists(file) and not os.access(file, os.R_OK)):
        return Check("page", "ok", "the network reaches it; whether it has a token only root sees")
    trouble = PageToken(web.host, web.token_file, folder).trouble
    if trouble:
        return Check.from_sentence("page", "problem", f"the network reaches it, but {trouble}")
    return Check("page", "ok", "the network reaches it, and it has a token")
