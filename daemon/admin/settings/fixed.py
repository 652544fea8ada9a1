"""What the page may not change of the configuration, although it is right: each with the reason.

A person with the setup token changes settings, but does not read the machine's files and secrets with that. So the
password of the broker goes to no other broker unless it is typed again, so does the token of a board, and that of the
league goes nowhere else. A page types a secret, and never names the file of one.
"""

from __future__ import annotations

import os
import tomllib
from typing import Any

from daemon.admin.requests import Change
from daemon.config.credentials import CREDENTIAL, VARIABLE, find_secret
from daemon.config.sections import Mqtt
from protocol.sentence import Sentence, say
from protocol.source import Source

Sections = list[dict[str, Any]]  # Any: TOML
_SECRET = say("settings.fixed_secret", "files with secrets can only be named there")
FIXED = {
    ("bridge", "state_dir"): say("settings.fixed_state", "your matches would stay in the old folder"),
    ("web", "on"): say("settings.fixed_page", "without the page there would be no way back here"),
    ("web", "token_file"): _SECRET,
    ("league", "token_file"): _SECRET,
    ("mqtt", "password_file"): _SECRET,
    ("mqtt", "cert_file"): _SECRET,
    ("mqtt", "key_file"): _SECRET,
}
"""What is changed in the file itself, by section and key, and why."""
FIXED_IN_WEBHOOK = "secret_file"
"""The same of an `[[outlets.webhook]]`."""
FIXED_IN_TABLE = "board_token_file"
"""And of a `[[table]]`."""
FIXED_IN_PROXY = "key_file"
"""And of a `[[proxy]]`. Its key is never sent, so a proxy may move to another address with it."""
_OF_BROKER = ("host", "port", "tls", "ca_file", "username")
"""Keys of `[mqtt]` that say who gets the password."""


def check_fixed(before: Source, after: Source, password: str | None) -> None:
    """Raises SourceError for what is not changed on the page. `password` is what was typed; None: nothing."""
    old, new = tomllib.loads(before.text), tomllib.loads(after.text)
    for (section, key), reason in FIXED.items():
        if _get(old, section).get(key) != _get(new, section).get(key):
            raise after.error(_say_fixed(f"{section}.{key}", reason), section, key)
    league, league_before = _get(new, "league"), _get(old, "league")
    if league.get("token_file") and league.get("url", "") not in ("", league_before.get("url")):
        why = say("settings.fixed_league", "the league's token would be sent to the new address")
        raise after.error(_say_fixed("league.url", why), "league", "url")
    _check_webhooks(
        _list_sections(_get(old, "outlets"), "webhook"), _list_sections(_get(new, "outlets"), "webhook"), after
    )
    _check_board_tokens(_list_sections(old, "table"), _list_sections(new, "table"), after)
    _check_proxy_keys(_list_sections(old, "proxy"), _list_sections(new, "proxy"), after)
    port = _get(new, "web").get("port")
    if port == 0 and _get(old, "web").get("port") != 0:
        said = say(
            "settings.fixed_port",
            "web.port can only be 0 in the file itself: otherwise the page would have a new address after each start",
        )
        raise after.error(said, "web", "port")
    mqtt, former = _get(new, "mqtt"), _get(old, "mqtt")
    is_given = find_secret(CREDENTIAL, None) is not None
    if password and is_given:
        said = say(
            "settings.fixed_password",
            "the service uses the password from its credential {name}: change it there",
            name=CREDENTIAL,
        )
        raise after.error(said, "mqtt", "password")
    if password == "" and former.get("password_file") and mqtt.get("username") and os.environ.get(VARIABLE):
        said = say(
            "settings.fixed_variable",
            "without a password here the service would send its own, from {name}, to this broker: "
            "enter a password, or remove the user as well",
            name=VARIABLE,
        )
        raise after.error(said, "mqtt", "password")
    usual = Mqtt()
    changed = [key for key in _OF_BROKER if former.get(key, (d := getattr(usual, key))) != mqtt.get(key, d)]
    if not changed or not mqtt.get("username"):
        return
    if is_given or (not former.get("password_file") and not password and os.environ.get(VARIABLE)):
        said = say(
            "settings.fixed_broker",
            "change mqtt.{name} in the file itself: the password comes from the service, and would be sent along",
            name=changed[0],
        )
        raise after.error(said, "mqtt", changed[0])
    if former.get("password_file") and password is None:
        said = say(
            "settings.password_again",
            "enter the password again: the saved one belongs to the previous broker and user",
        )
        raise after.error(said, "mqtt", "password")


def _check_webhooks(old: Sections, new: Sections, after: Source) -> None:
    """Raises SourceError where a web hook gets another secret. It may be called something else, go, and come new."""
    key = FIXED_IN_WEBHOOK
    for number, webhook in enumerate(new):
        former = [each.get(key) for each in old if each.get("name") == webhook.get("name")]
        if webhook.get(key) not in (former or [None, *(each.get(key) for each in old)]):
            raise after.error(_say_fixed(f"outlets.webhook.{key}", _SECRET), "outlets", "webhook", number, key)


def _check_board_tokens(old: Sections, new: Sections, after: Source) -> None:
    """Raises SourceError where a board would get another token, or a token go to another board of the network."""
    key = FIXED_IN_TABLE
    kept = {(each.get(key), each.get("board"), each.get("profile")) for each in old}
    for number, table in enumerate(new):
        file, board = table.get(key), table.get("board")
        if file is None or (file, board, table.get("profile")) in kept:
            continue
        if file not in {former for former, *_ in kept}:
            raise after.error(_say_fixed(f"table.{key}", _SECRET), "table", number, key)
        if str(board).strip().startswith("web:"):
            said = say(
                "settings.token_again",
                "enter the token of the board again, or remove it: the saved one belongs to the previous board",
            )
            raise after.error(said, "table", number, "board_token")


def _check_proxy_keys(old: Sections, new: Sections, after: Source) -> None:
    """Raises SourceError where a proxy would get a file that no proxy has had."""
    key = FIXED_IN_PROXY
    for number, proxy in enumerate(new):
        if proxy.get(key) not in (None, *(each.get(key) for each in old)):
            raise after.error(_say_fixed(f"proxy.{key}", _SECRET), "proxy", number, key)


def _say_fixed(name: str, reason: Sentence) -> Sentence:
    return say("settings.fixed", "change {name} in the file itself: {why}", name=name, why=reason)


def with_password(source: Source, file: str | None, password: str | None) -> Change | None:
    """Returns the change of `password_file` that a typed password needs, which is kept in this file.

    Without a user there is no password. None: nothing is changed.
    """
    mqtt = _get(tomllib.loads(source.text), "mqtt")
    if file is not None:
        return Change(("mqtt", "password_file"), file)
    is_superfluous = password == "" or not mqtt.get("username")
    return Change(("mqtt", "password_file")) if is_superfluous and "password_file" in mqtt else None


def _list_sections(values: dict[str, Any], key: str) -> Sections:  # Any: TOML
    found = values.get(key, [])
    return [each if isinstance(each, dict) else {} for each in found] if isinstance(found, list) else []


def _get(values: dict[str, Any], section: str) -> dict[str, Any]:  # Any: TOML
    found = values.get(section, {})
    return found if isinstance(found, dict) else {}
