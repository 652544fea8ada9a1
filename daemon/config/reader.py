"""The configuration: one TOML file, every key of it checked before anything starts.

What is not written has a default that works: a file with one `[[table]]` and its `board` is a complete one. A board is
described by a profile; a table may replace its mat, its times or its layout. Whether the board can be reached and read
at its address is checked here too, before anything is plugged in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from shlex import quote
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from daemon import files
from daemon.config.check_outlets import Known, find_mistake
from daemon.config.checking import check_login, located, name_files
from daemon.config.names import check_address, is_near
from daemon.config.outlets import Outlets
from daemon.config.schemes import SCHEMES
from daemon.config.sections import Config, ProxyConfig, TableConfig, check_doubles
from daemon.errors import to_user_error
from daemon.plugins import loader, profiles
from daemon.plugins.rule_guard import Overrun, RuleGuard, end_limit
from daemon.rules import Guard, RulesFailed
from drivers.address import Address
from drivers.proxies import PROXY_PORT
from drivers.schemes import parse
from engine.games import GAMES, Routines, collect_routines, expand_preset, game, is_shipped, is_withheld
from engine.match import Match
from engine.options import read_options
from protocol.codebook import Codebook, check_packets, expand, load, shipped
from protocol.events import NO_SENSOR
from protocol.layouts import load as load_layout
from protocol.layouts import with_dartboard
from protocol.match_spec import Unreadable, check_players
from protocol.profile import Profile, Timing
from protocol.segment import Layout
from protocol.sentence import Sentence, get_reason, say
from protocol.source import Source, SourceError
from protocol.spelling import say_decode_error, say_unknown_key
from protocol.standard import merged
from protocol.topics import check_base, check_name, check_prefix

DEFAULT_FILE = Path("/etc/oche/oche.toml")
_KEY = re.compile("[A-Za-z0-9+/]{43}=$")
"""How the key of a proxy ends; the name of its file does not."""


def write_command(words: str, file: Path | None) -> str:
    """Returns `oche` with these words as it is typed for the daemon of this configuration; None: the one without.

    The usual file is that of the service.
    """
    if file is None:
        return f"oche {words}"
    return f"sudo oche {words}" if file == DEFAULT_FILE else f"oche {words} --config {quote(str(file.absolute()))}"


def write_split(name: str, file: Path | None) -> str:
    """Returns the command that makes this name a player of its own again; `file` as for write_command."""
    return write_command(f"players split {quote(name)}", file)


class CheckedConfig(Struct, frozen=True):
    """A configuration that was checked, with the codebook of each table's board.

    `routines` are those that ship and its own. `guard` is the one that its games were checked in: it knows what has
    failed, so the daemon goes on with it.
    `remarks` say which tables begin with another game than configured, because theirs is broken. `file` is None where
    it was not read from one.
    """

    config: Config
    codebooks: tuple[Codebook, ...]
    routines: Routines
    guard: Guard
    remarks: tuple[Sentence, ...] = ()
    file: Path | None = None


class _TableSource(Struct, frozen=True):
    """The `[[table]]` of this number (from 0) in the file; the plug-in files that it names lie beside that."""

    source: Source
    number: int

    def error(self, reason: str | Sentence, *keys: str) -> SourceError:
        """Returns the error for this key of the table."""
        return self.source.error(reason, "table", self.number, *keys)

    def read(self, name: str) -> Source:
        """Returns the text of the file of this name. Raises UserError."""
        return files.read_source(Path(self.source.file).parent / name)


def read_config(path: Path) -> CheckedConfig:
    """Returns the configuration in this file, and loads the plug-ins beside it.

    Raises UserError (status 2) with file, line and what would be right.
    """
    loader.load(path.parent)
    text = files.read_source(path, say("file.name_it", "; name the configuration with --config FILE"))
    with to_user_error(SourceError, status=2):
        return replace(check_text(text), file=path)


def check_text(text: Source, running: Guard | None = None) -> CheckedConfig:
    """Returns the configuration in the text of a file, and changes nothing, as `check`. Raises SourceError."""
    return check(_with_absolute_paths(text.read(Config), Path(text.file).parent.absolute()), text, running)


def _with_absolute_paths(config: Config, folder: Path) -> Config:
    """Returns it with the files that it names relative to this folder."""
    webhooks = tuple(name_files(each, folder) for each in config.outlets.webhook)
    return replace(
        config,
        mqtt=name_files(config.mqtt, folder),
        web=name_files(config.web, folder),
        outlets=replace(config.outlets, webhook=webhooks) if webhooks else config.outlets,
        league=name_files(config.league, folder),
        table=tuple(name_files(each, folder) for each in config.table),
        proxy=tuple(name_files(each, folder) for each in config.proxy),
    )


def check(config: Config, source: Source, running: Guard | None = None) -> CheckedConfig:
    """Checks what types cannot say: names, addresses, games, options, profiles. Raises SourceError.

    A daemon that runs gives its guard, `running`: a game that it has withdrawn is not asked again. What fails here is
    held against no game that is played: the guard is a new one.
    """
    guard = RuleGuard(running)
    with located(source, "mqtt", "base"):
        check_base(config.mqtt.base)
    with located(source, "mqtt", "discovery_prefix"):
        check_prefix(config.mqtt.discovery_prefix)
    with located(source, "mqtt", "host"):
        config.mqtt.brokers()
    with located(source, "web", "proxies"):
        config.web.check_proxies()
    with located(source, "bridge", "name"):
        check_name(config.bridge.name, "bridge")
    with located(source, "bridge", "update_url"):
        config.bridge.check_update_url()
    with located(source, "bridge", "week_at"):
        config.bridge.find_week_time()
    if config.league.url and (said := check_address(config.league.url)) is not None:
        raise source.error(said, "league", "url")
    if config.league.token_file and urlsplit(config.league.url).scheme == "http" and not is_near(config.league.url):
        said = say("settings.league_plain", "others on the way can read the token of the league: write https://")
        raise source.error(said, "league", "url")
    tables = [_TableSource(source, index) for index in range(len(config.table))]
    for table, at in zip(config.table, tables, strict=True):
        with located(at, "name"):
            check_name(table.name, "table")
    check_login(config.mqtt, source)
    if not config.table:
        raise source.error(
            say("settings.no_table", "the configuration needs at least one [[table]] with a board"), "table"
        )
    with located(source, "routine"):
        routines = collect_routines(routine.routine() for routine in config.routine)
    names: set[str] = set()
    boards: list[object] = []
    codebooks, playable, remarks = [], [], []
    for table, at in zip(config.table, tables, strict=True):
        if table.name in names:
            said = say(
                "settings.same_name", "two tables are called {given}: give each its own name", given=repr(table.name)
            )
            raise at.error(said, "name")
        names.add(table.name)
        codebooks.append(_codebook(table, at))
        board = _identity(table.board, codebooks[-1].profile)
        if board is not None and board in boards:
            said = say(
                "settings.same_board", "two tables have the board {given}: give each its own board", given=table.board
            )
            raise at.error(said, "board")
        boards.append(board)
        try:
            _check_game(table, codebooks[-1], routines, at, guard)
            playable.append(table)
        except _GameBroken as error:  # of a plug-in: only this table plays another game
            playable.append(_with_another_game(table, codebooks[-1], at, guard))
            said = say(
                "settings.other_game",
                "the table {name} starts with {given}: {why}",
                name=table.name,
                given=playable[-1].game,
                why=str(error),
            )
            remarks.append(said)
    _check_proxies(config.proxy, source)
    _check_outlets(config, codebooks, source)
    playing = _with_doubles(replace(config, table=playable), source)
    return CheckedConfig(playing, tuple(codebooks), routines, guard, tuple(remarks))


def _check_proxies(proxies: Iterable[ProxyConfig], source: Source) -> None:
    """Raises SourceError for a host that is none, for one that is named twice, and for a key in the place of its file.

    What is in the file is read when the proxy is connected to.
    """
    found = set()
    for index, proxy in enumerate(proxies):
        try:
            address = proxy.find_address(PROXY_PORT)
        except ValueError as error:
            raise source.error(get_reason(error), "proxy", index, "host") from None
        place = address.host.lower(), address.port
        if place in found:
            said = say("settings.same_proxy", "the proxy {given} is there twice: remove one of them", given=proxy.host)
            raise source.error(said, "proxy", index, "host")
        found.add(place)
        if proxy.key_file and _KEY.search(proxy.key_file):
            said = say(
                "settings.bare_key",
                "key_file is not the key itself: write the key into a file, and the name of that file here",
            )
            raise source.error(said, "proxy", index, "key_file")


def _check_outlets(config: Config, codebooks: Iterable[Codebook], source: Source) -> None:
    """Raises SourceError for what is named in `[outlets]` and is not there."""
    if config.outlets == Outlets():
        return
    beds = {bed for book in codebooks for each in book.layout for bed in (each.id, merged(each.id), *each.groups)}
    known = Known([table.name for table in config.table], tuple(GAMES), beds, config.mqtt.on)
    if (mistake := find_mistake(config.outlets, known)) is not None:
        raise source.error(mistake[1], "outlets", *mistake[0])


def _with_doubles(config: Config, source: Source) -> Config:
    """Returns it with the favourite doubles of all players at every table. Raises SourceError."""
    for index, player in enumerate(config.player):
        if (said := check_doubles(player.doubles)) is not None:
            raise source.error(said, "player", index, "doubles")
    known = {player.name: player.doubles for player in config.player if player.doubles}
    tables = [replace(table, doubles={**known, **table.doubles}) for table in config.table]
    return replace(config, table=tables) if known else config


class _GameBroken(Exception):
    """The game of a table is a plug-in that is broken; the text says how."""


def _with_another_game(table: TableConfig, board: Codebook, at: _TableSource, guard: Guard) -> TableConfig:
    """Returns the table with the first game that its players can play on its layout. Raises SourceError."""
    for name, found in GAMES.items():
        if is_shipped(name) and board.layout.name in found.layouts:
            other = replace(table, game=name, options={})
            with suppress(SourceError, _GameBroken):
                _check_game(other, board, {}, at, guard)
                return other
    said = say("settings.no_game_for", "no game on the {name} layout takes this many players", name=board.layout.name)
    raise at.error(said, "players")


def _check_game(table: TableConfig, board: Codebook, routines: Routines, at: _TableSource, guard: Guard) -> None:
    """Raises SourceError, and _GameBroken where only the author of a plug-in can mend it."""
    layout = board.layout
    with located(at, "players"):
        check_players(first := table.first_header())
    try:
        header = expand_preset(first, routines)
    except Unreadable as error:
        if is_withheld(table.game):
            raise _GameBroken(str(error)) from None
        raise at.error(get_reason(error), "game") from None
    chosen = game(header.game)
    with located(at, "options"):
        read_options(chosen, header.options)
    if layout.name not in chosen.layouts:
        said = say(
            "settings.other_layout",
            "{given} needs the {possible} layout; the profile {name} has the {layout} layout",
            given=chosen.id,
            possible=" or ".join(chosen.layouts),
            name=board.profile.id,
            layout=layout.name,
        )
        raise at.error(said, "game")
    try:
        with guard.call(chosen):
            Match(replace(header, dartboard=layout.dartboard), chosen, "", layout=layout)
    except RulesFailed as error:
        raise _GameBroken(str(error)) from None
    except Overrun as error:
        end_limit()
        raise _GameBroken(str(error)) from None
    except Unreadable as error:
        raise at.error(get_reason(error), "teams" if table.teams else "players") from None


def _codebook(table: TableConfig, at: _TableSource) -> Codebook:
    """Returns the codebook of the table's board: its profile, with what the table replaces. Raises SourceError."""
    with located(at, "board"):
        address = parse(table.board, SCHEMES)
        name = profiles.choose_profile(table.profile, address)
    with located(at, "profile"):
        book = load(at.read(name)) if profiles.is_file_name(name) else shipped(name)
    if address.scheme == NO_SENSOR:
        if table.takeout == "hits":
            said = say("settings.takeout", "takeout by hits needs a board with a sensor: write timer or button")
            raise at.error(said, "takeout")
        plain = shipped(f"plain-{book.layout.name.replace('_', '-')}").profile
        dartboard = book.profile.dartboard or ("steel" if book.layout.name == "standard" else None)
        # of the profile it has the face alone
        book = expand(replace(plain, buttons={}, dartboard=dartboard), layout=with_dartboard(book.layout, dartboard))
    else:
        _check_link(address, table.profile, book.profile, at)
        _check_paths(address, table, book.profile, at)
    layout = book.layout if table.face is None else _read_layout(table.face, book, at)
    if table.dartboard is not None:
        with located(at, "dartboard"):
            layout = with_dartboard(layout, table.dartboard)
    if layout is book.layout and not (table.mat or table.wiring or table.timing):
        return book
    profile = replace(_with_wiring(table, book.profile, at), timing=_replace_timing(table, book.profile, at))
    try:
        return expand(profile, layout=layout)
    except SourceError as error:
        raise at.error(error.reason, "mat" if table.mat else "wiring") from None


def _identity(board: str, profile: Profile) -> object:
    """Returns what is equal for two addresses of one board; None for boards that are not shared."""
    address = parse(board, SCHEMES)
    if address.scheme in ("sim", "replay", NO_SENSOR):
        return None
    target = address.target if address.scheme == "serial" else address.target.lower()
    told_apart = tuple(address.options.get(option) for option in ("serial", "bus", "adapter"))
    return address.scheme, target, told_apart, profile.id if target == "auto" else None


def _check_link(address: Address, name: str, profile: Profile, at: _TableSource) -> None:
    """Checks that a board of this profile can be reached and read at this address. Raises SourceError.

    `name` is the profile's in the table ("": none). A Bluetooth or USB board can only be found by its description,
    and one with HTTP only read by its paths; lines and bytes come over any link, but a serial line has no packets.
    """
    scheme = address.scheme
    described = {"ble": profile.ble, "usb": profile.usb, "web": profile.web}
    is_other = scheme in ("serial", "tcp", "ble", "usb") and profile.web is not None
    if is_other or (scheme in described and described[scheme] is None):
        said = say(
            "settings.other_link",
            "the profile {name} does not describe a board on {given}: run oche scan to find the one that fits",
            name=profile.id,
            given=scheme,
        )
        raise at.error(said, "profile")
    if scheme == "sim" and name and address.target.lower().replace("_", "-") != profile.id and address.target != name:
        said = say(
            "settings.other_simulated",
            "{given} does not simulate a {name} board: leave out the profile, or write sim:{name}",
            given=str(address),
            name=profile.id,
        )
        raise at.error(said, "profile")
    if scheme == "tcp" and profile.tcp is None:
        from drivers.tcp_line import parse_host_port  # noqa: PLC0415  it loads asyncio, which other boards do not need

        if parse_host_port(address).port is None:
            said = say(
                "settings.no_tcp_port",
                "neither the address {given} nor the profile {name} has a port: add it, as in {given}:11080",
                given=str(address),
                name=profile.id,
            )
            raise at.error(said, "board")
    with located(at, "profile"):
        check_packets(profile, scheme)


def _check_paths(address: Address, table: TableConfig, profile: Profile, at: _TableSource) -> None:
    """Checks that a board with HTTP and WebSocket has the token and the options that it asks for."""
    if address.scheme != "web" or profile.web is None:
        return
    from drivers.transport import Refused  # noqa: PLC0415  only where it is needed
    from drivers.web_paths import check_names  # noqa: PLC0415  as above

    try:
        check_names(address, profile.web, has_token=table.board_token_file is not None)
    except Refused as error:
        raise at.error(error.said, "board") from None


def _with_wiring(table: TableConfig, profile: Profile, at: _TableSource) -> Profile:
    if table.mat is None and table.wiring is None:
        return profile
    hits = profile.hits
    if table.mat is not None and hits.mat is None:
        raise at.error(say("settings.no_mat_there", "the profile {name} has no mat to replace", name=profile.id), "mat")
    return replace(profile, hits=replace(hits, mat=table.mat or hits.mat, wiring=table.wiring or hits.wiring))


def _replace_timing(table: TableConfig, profile: Profile, at: _TableSource) -> Timing:
    known: dict[str, int] = msgspec.to_builtins(profile.timing)
    for key, value in table.timing.items():
        if key not in known:
            raise at.error(say_unknown_key(key, list(known)), "timing", key)
        try:
            msgspec.convert({key: value}, Timing)
        except msgspec.ValidationError as error:
            reason, _ = say_decode_error(error, Timing)
            said = say("value.at", "{given}: {why}", given=f"timing.{key} = {value}", why=reason)
            raise at.error(said, "timing", key) from None
    return msgspec.convert({**known, **table.timing}, Timing)


def _read_layout(name: str, book: Codebook, at: _TableSource) -> Layout:
    """Returns the layout in the file of this name, which must be of the board's kind. Raises SourceError."""
    with located(at, "face"):
        layout = load_layout(at.read(name))
    if layout.name != book.layout.name:
        said = say(
            "settings.other_face",
            "{given} is for the {possible} layout; the profile {name} has the {layout} layout",
            given=name,
            possible=layout.name,
            name=book.profile.id,
            layout=book.layout.name,
        )
        raise at.error(said, "face")
    return layout
