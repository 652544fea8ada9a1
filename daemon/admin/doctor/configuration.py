"""`oche doctor` on the configuration: the file, the plug-ins beside it, and the page as it is configured.

A configuration that cannot be used does not end the examination: the rest is still looked at.
"""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from shlex import quote
from typing import NamedTuple

from msgspec.structs import replace

from daemon import files
from daemon.admin.doctor.checks import AS_ROOT, Check, command
from daemon.admin.doctor.service import Account
from daemon.admin.doctor.system import System, list_processes
from daemon.admin.players.book import PlayerBook
from daemon.config.credentials import CREDENTIAL as PASSWORD
from daemon.config.reader import DEFAULT_FILE, CheckedConfig, read_config, write_command, write_split
from daemon.config.sections import BrokerAddress, Config, Web
from daemon.errors import UserError
from daemon.http.addresses import is_loopback
from daemon.plugins import loader
from daemon.table.matches import find_merged
from daemon.web.token import CREDENTIAL as TOKEN
from daemon.web.token import PageToken, locate_token_hash
from protocol.sentence import Sentence, say, split_advice
from protocol.source import SourceError


class ConfigFile(NamedTuple):
    """A configuration file that was read.

    `checked` is None when it cannot be used; `complaint` then says why, and `config` has the sections as written
    or, where they cannot be read, the defaults.
    """

    config: Config
    checked: CheckedConfig | None
    complaint: str | Sentence = ""


def read_configuration(file: Path) -> ConfigFile:
    """Reads the configuration in this file, whatever is wrong with it."""
    try:
        checked = read_config(file)
    except UserError as error:
        try:
            return ConfigFile(files.read_source(file).read(Config), None, error.said)
        except (UserError, SourceError):
            return ConfigFile(Config(table=[]), None, error.said)
    return ConfigFile(checked.config, checked)


def with_credentials(config_file: ConfigFile, secrets: Mapping[str, Path]) -> ConfigFile:
    """The same as the service has it, to which systemd gives these credentials, files by name."""
    config = config_file.config
    password, token = secrets.get(PASSWORD), secrets.get(TOKEN)
    if password is not None and config.mqtt.username is not None:
        config = replace(config, mqtt=replace(config.mqtt, password_file=str(password)))
    if token is not None:
        config = replace(config, web=replace(config.web, token_file=str(token)))
    return ConfigFile(
        config, config_file.checked and replace(config_file.checked, config=config), config_file.complaint
    )


def check_configuration(file: Path | None, config_file: ConfigFile, account: Account | None) -> Iterator[Check]:
    """Whether the file is there, right, and readable for the account. `file` is None where oche runs without one."""
    if file is None:
        text = say(
            "doctor.unconfigured",
            "there is no {path}: oche run uses what it finds, and prints the lines that make it permanent",
            path=str(DEFAULT_FILE),
        )
        yield Check("config", "ok", text)
        return
    path = str(file)
    if not os.path.lexists(file):
        remedy = say(
            "doctor.write_config",
            "write one with the output of oche scan: oche scan | sudo tee {path}; or name yours with --config FILE",
            path=quote(path),
        )
        yield Check("config", "problem", say("doctor.no_config", "there is no {path}", path=path), remedy)
        return
    if account is not None and not (account.may_reach(file) and account.may(file, os.R_OK)):
        remedy = say(
            "doctor.open_config",
            "sudo chown {name} {path} and sudo chmod u+r {path}; {name} must be able to enter its folders as well",
            name=account.name,
            path=quote(path),
        )
        text = say("doctor.may_not_read", "{name} may not read {path}", name=account.name, path=path)
        yield Check("config", "problem", text, remedy)
    elif config_file.complaint:
        edit = say("doctor.edit_config", "sudo nano {path}, then oche config check {path}", path=quote(path))
        yield Check("config", "problem", config_file.complaint, edit if os.access(file, os.R_OK) else AS_ROOT)
    elif merged := check_merged(file, config_file.config):
        yield from merged
    elif len(config_file.config.table) == 1:
        yield Check("config", "ok", say("doctor.config_one", "{path} is valid, and has 1 table", path=path))
    else:
        number = len(config_file.config.table)
        text = say("doctor.config_ok", "{path} is valid, and has {number} tables", path=path, number=number)
        yield Check("config", "ok", text)


def check_merged(file: Path, config: Config) -> list[Check]:
    """A check for each table for which two names of one player are configured; none where the book cannot be read."""
    checks = []
    with suppress(UserError):
        aliases = PlayerBook(Path(config.bridge.state_dir)).read_names().shown
        for table in config.table:
            if (merged := find_merged(table, aliases)) is not None:
                one, other = merged
                text = say(
                    "doctor.merged",
                    'players of the table {table} has "{name}" and "{given}", who were merged into one player',
                    table=table.name,
                    name=one,
                    given=other,
                )
                split = command(write_split(other, file))
                remedy = say("doctor.split", "write another name in {path}, or {run}", path=str(file), run=split)
                checks.append(Check("config", "warning", text, remedy))
    return checks


def check_plugins(file: Path, checked: CheckedConfig | None) -> Iterator[Check]:
    """The plug-ins beside this file that are broken, and the tables that play another game because of it."""
    remedy = say("doctor.mend_plugin", "fix it, or remove it; then sudo systemctl restart oche")
    for each in loader.load(file.parent):
        yield Check("plug-ins", "problem", each.refusal, remedy)
    for remark in checked.remarks if checked is not None else ():
        remedy = say("doctor.other_game", "fix the plug-in, or give the table another game")
        yield Check("plug-ins", "warning", remark, remedy)


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
        yield Check("page", "ok", say("doctor.page_off", "it is switched off (web.on)"))
        return
    free = int(system.read("/proc/sys/net/ipv4/ip_unprivileged_port_start") or 1024)
    if 0 < web.port < free and account is not None and account.uid != 0:
        said = "doctor.root_port", "{name} may not listen on port {port}: only root may"
        remedy = say("doctor.higher_port", "set web.port to one above {port}", port=free - 1)
        yield Check("page", "problem", say(*said, name=account.name, port=web.port), remedy)
    elif web.port and is_running is False:
        yield from _check_page_port(web, system)
    if is_loopback(web.host):
        remedy = say(
            "doctor.open_page",
            'for phones and tablets write host = "0.0.0.0" below [web] in {file}, then {given}',
            file=str(file) if file else say("doctor.made_file", "a file with the lines that oche run prints"),
            given=_format_token_command(file),
        )
        yield Check("page", "ok", say("doctor.page_local", "only this machine can reach it"), remedy)
    else:
        yield _check_token(web, folder)


def _format_token_command(file: Path | None) -> str:
    """The command that makes a token for the daemon of this configuration."""
    if file is None:
        return "oche token --config FILE"
    return write_command("token", file)


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
            others = list_processes(programs) if programs else say("doctor.a_program", "another program")
            names_it = say("doctor.names_it", "sudo ss -ltnp names it")
            close = f"sudo kill {programs[0].pid}" if programs else names_it
            remedy = say("doctor.other_port", "close it ({close}), or set another web.port", close=close)
            text = say("doctor.port_taken", "{held} already listens at {where}", held=others, where=str(where))
            yield Check("page", "problem", text, remedy)
        elif error.errno not in (errno.EACCES, errno.EPERM):
            text = say("doctor.other_host", "{name} is not an address of this machine", name=web.host)
            remedy = say(
                "doctor.own_host", 'set web.host to one of its addresses (ip address shows them), or to "0.0.0.0"'
            )
            yield Check("page", "problem", text, remedy)


def _check_token(web: Web, folder: Path) -> Check:
    file = Path(web.token_file) if web.token_file else locate_token_hash(folder)
    is_closed = folder.exists() and not os.access(folder, os.X_OK)
    if is_closed or (os.path.lexists(file) and not os.access(file, os.R_OK)):
        text = say(
            "doctor.token_unseen",
            "the network can reach it; run the doctor as root (sudo) to see whether it has a token",
        )
        return Check("page", "ok", text)
    trouble = PageToken(web.host, web.token_file, folder).trouble
    if trouble:
        what, remedy = split_advice(trouble)
        return Check("page", "problem", say("doctor.no_token", "the network can reach it, but {why}", why=what), remedy)
    return Check("page", "ok", say("doctor.page_ok", "the network can reach it, and it has a token"))
