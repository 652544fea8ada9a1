"""The daemon without any configuration: a board, the page, and the lines that keep it so.

The board is the one that is plugged in, where exactly one is there and says by itself what it is; else a simulated one.
Nothing is opened to find out (that restarts most boards), and Bluetooth is not listened to: it would take seconds and a
permission. What was played is kept where the state of every program is, so that it is there the next time.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from daemon.config.reader import DEFAULT_FILE, CheckedConfig, check
from daemon.config.schemes import SIMULATED
from daemon.config.sections import Bridge, Config, Mqtt, TableConfig, Web
from daemon.free_port import find_free_port
from protocol.codebook import list_profiles, shipped
from protocol.source import Source, SourceError

if TYPE_CHECKING:
    from drivers.scan import Found


class FoundConfig(NamedTuple):
    """What a daemon without a configuration runs with. `possible_boards` do not say that they are boards."""

    checked: CheckedConfig
    possible_boards: tuple[Found, ...]

    @property
    def lines(self) -> str:
        """The same configuration as TOML, but with the usual ports where they are taken just now."""
        config = self.checked.config
        usual = replace(config.mqtt, port=Mqtt().port)
        return _format(replace(config, mqtt=usual, web=replace(config.web, port=Web().port)))

    @property
    def lines_as_it_runs(self) -> str:
        """The same with the ports that are used now: a page that is changed stays where it is."""
        return _format(self.checked.config)

    @property
    def taken_ports(self) -> list[int]:
        """The usual ports that are taken by other programs, so that others are used."""
        used = ((self.checked.config.web.port, Web().port), (self.checked.config.mqtt.port, Mqtt().port))
        return [usual for port, usual in used if port != usual]

    def with_broker(self, mqtt: Mqtt) -> FoundConfig:
        """Returns the same with this broker."""
        return self._replace(checked=replace(self.checked, config=replace(self.checked.config, mqtt=mqtt)))


def is_unconfigured(named: Path | None) -> bool:
    """Returns whether no configuration is `named`, and there is none at the usual place."""
    try:
        return named is None and not DEFAULT_FILE.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:  # it is there, and cannot be read
        return False


def find_state_folder() -> Path:
    """Returns the folder of the journals: systemd's StateDirectory, else the user's folder for such data."""
    given = os.environ.get("STATE_DIRECTORY", "").partition(":")[0]
    if given:
        return Path(given)
    home = Path(os.environ.get("XDG_STATE_HOME", ""))
    return (home if home.is_absolute() else Path.home() / ".local" / "state") / "oche"


async def find_config(folder: Path) -> FoundConfig:
    """Returns a configuration with the board that is found, and its state in this folder. No broker is chosen yet."""
    from drivers.scan import scan_ports  # noqa: PLC0415  only needed without a configuration

    profiles = [shipped(name).profile for name in list_profiles()]
    found = [each for each in (await scan_ports(profiles)).found if each.fits]
    configs = [
        (each, _make_config(each.address, each.fits[0].profile, folder)) for each in found if each.sure == "sure"
    ]
    usable = [(each, checked) for each, checked in configs if checked is not None]
    if len(usable) == 1:
        ((board, plugged),) = usable
        return FoundConfig(plugged, tuple(each for each in found if each != board))
    simulated = _make_config(SIMULATED, "", folder)
    assert simulated is not None
    return FoundConfig(simulated, tuple(found))


def describe(found: FoundConfig, page: str | None, broker: str) -> str:
    """Returns what is printed while it runs: what was found, and last the lines to keep."""
    board = found.checked.config.table[0].board
    about = ", a simulated one: tap it on the page" if board == SIMULATED else ""
    possible_boards = "".join(
        f"\n            perhaps also {each.address}, {each.what}: oche scan" for each in found.possible_boards
    )
    taken = "".join(
        f"Port {port} is taken by another program; the lines below still use it.\n" for port in found.taken_ports
    )
    return (
        f"There is no {DEFAULT_FILE}, so oche uses what it finds.\n\n"
        f"Scoreboard  {page}\n"
        f"MQTT        {broker}\n"
        f"Board       {board}{about}{possible_boards}\n"
        f"Kept in     {found.checked.config.bridge.state_dir}\n\n"
        f"To make this permanent, save these lines in a file, then run oche run --config FILE:\n{taken}\n"
        f"{found.lines}"
    )


def _make_config(board: str, profile: str, folder: Path) -> CheckedConfig | None:
    """Returns a configuration with this board; None if the default match cannot be played on it."""
    config = Config(
        table=[TableConfig(board=board, profile=profile)],
        bridge=Bridge(state_dir=str(folder)),
        web=Web(port=find_free_port(Web().port)),
    )
    try:
        return check(config, Source("", "oche run"))
    except SourceError:
        return None


def _format(config: Config) -> str:
    sections = (
        _format_section("[bridge]", config.bridge, Bridge()),
        _format_section("[mqtt]", config.mqtt, Mqtt()),
        _format_section("[web]", config.web, Web()),
        _format_section("[[table]]", config.table[0], TableConfig(board="")),
    )
    return "\n".join(filter(None, sections))


def _format_section(header: str, part: Struct, usual: Struct) -> str:
    """Returns a section with the keys that have not their default; "" if all have."""
    import tomli_w  # noqa: PLC0415  needed without a configuration only

    mine, others = msgspec.to_builtins(part), msgspec.to_builtins(usual)
    keys = {key: value for key, value in mine.items() if value != others[key]}
    return f"{header}\n{tomli_w.dumps(keys)}" if keys else ""
