"""Starts oche as an app of Home Assistant's supervisor.

The options of the app become a configuration of one table; a file oche.toml in the app's folder counts instead. Where
the broker is, and the login to it, the supervisor says; the password goes through the environment and is written
nowhere. What was played is in /data, which is in Home Assistant's backups, and so is the configuration that the
options have become: what is changed in it under Settings stays until the options come to another one.
"""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

sys.path.insert(0, "/usr/lib/oche")  # the libraries of oche
sys.path.insert(0, "/usr/lib/oche/oche/app")  # its own modules
import tomli_w

from daemon.web.token import hash_token, locate_setup_hash

Section = dict[str, Any]  # Any: JSON, as the supervisor and TOML have it

FOLDER = Path(os.environ.get("OCHE_APP_FOLDER", "/"))
OPTIONS, DATA, OWN = FOLDER / "data/options.json", FOLDER / "data", FOLDER / "config/oche.toml"
MATCHES = DATA / "matches"
NO_BROKER: Section = {"on": False}
SUPERVISOR = os.environ.get("OCHE_APP_SUPERVISOR", "http://supervisor")
INGRESS = "172.30.32.2"
"""The supervisor's address, from which all requests come that it has let in."""
ANSWER_S = 30.0
AGAIN = "start this app again. Until then there is the page alone."


def say(sentence: str) -> None:
    """Writes a sentence into the log of the app."""
    print(sentence, flush=True)


def ask_for_broker() -> tuple[Section, str]:
    """Returns the section [mqtt] for the broker that the supervisor knows, and its password; both empty without one."""
    token = os.environ.get("SUPERVISOR_TOKEN", "")
    request = Request(f"{SUPERVISOR}/services/mqtt", headers={"Authorization": f"Bearer {token}"})
    try:
        with urlopen(request, timeout=ANSWER_S) as answer:
            found = json.load(answer)["data"]
        section = {"host": found["host"], "port": int(found["port"]), "tls": bool(found.get("ssl", False))}
    except HTTPError as error:
        error.close()
        say(f"There is no broker: install the Mosquitto broker app, and {AGAIN}")
        return {}, ""
    except (URLError, OSError, ValueError, KeyError, TypeError) as error:
        say(f"The supervisor does not say where the broker is ({error}): {AGAIN}")
        return {}, ""
    if found.get("username"):
        section["username"] = found["username"]
    return section, found.get("password") or ""


def make_configuration(options: Section, mqtt: Section) -> Section:
    """Returns the configuration for the options of the app and this [mqtt]."""
    return {
        "bridge": {"state_dir": str(MATCHES), "language": options.get("language", "en")},
        "mqtt": mqtt or NO_BROKER,
        "web": {"host": "0.0.0.0", "port": 8180, "proxies": [INGRESS]},
        "table": [{key: options[key] for key in ("board", "profile", "players") if options.get(key)}],
    }


def keep_token(token: str) -> Path:
    """Writes the token of the page into a file that root alone reads, and returns it."""
    file = DATA / "web-token"
    file.touch(mode=0o600)
    file.write_text(token, encoding="utf-8")
    return file


def keep_setup_token(token: str) -> None:
    """Stores the hash of the token of the setup where oche has it; with "" there is none any more."""
    file = locate_setup_hash(MATCHES)
    file.unlink(missing_ok=True)
    if token:
        MATCHES.mkdir(exist_ok=True)
        file.touch(mode=0o600)
        file.write_text(f"{hash_token(token.strip()).hex()}\n", encoding="ascii")


def keep_configuration(configuration: Section) -> Path:
    """Returns the file of the configuration, rewritten where the options or the broker are not those of its making.

    Where no broker was found, the previous one stays.
    """
    file, made_of = DATA / "oche.toml", DATA / "oche-of-options.toml"
    before: Section = {}
    with suppress(OSError, ValueError):  # the first start, or the power failed while it was written
        before = tomllib.loads(made_of.read_text(encoding="utf-8"))
    if configuration["mqtt"] == NO_BROKER:
        configuration = {**configuration, "mqtt": before.get("mqtt", NO_BROKER)}
    if configuration != before or not file.exists():
        for each in (file, made_of):
            each.write_text(tomli_w.dumps(configuration), encoding="utf-8")
    return file


def advise(mqtt: Section) -> None:
    """Says what the owner's file lacks to work in Home Assistant."""
    try:
        own = tomllib.loads(OWN.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return  # oche itself says what is wrong
    wanted = make_configuration({}, mqtt)
    del wanted["table"], wanted["bridge"]["language"]
    if not all(isinstance(own.get(name, {}), dict) for name in wanted):
        return  # so it does here
    lacking = {name: section for name, section in wanted.items() if not section.items() <= own.get(name, {}).items()}
    if lacking:
        lines = tomli_w.dumps(lacking)
        say(f"{OWN.name} in the folder of the app counts. As an app oche needs these lines in it:\n{lines}")


def main() -> None:
    """Writes the configuration and becomes oche."""
    options = json.loads(OPTIONS.read_text(encoding="utf-8"))
    mqtt, password = ask_for_broker()
    if OWN.exists():
        file = OWN
        advise(mqtt)
    else:
        configuration = make_configuration(options, mqtt)
        # Without one the page would take no token, that of the setup neither.
        configuration["web"]["token_file"] = str(keep_token(options.get("token") or secrets.token_hex()))
        file = keep_configuration(configuration)
    keep_setup_token(options.get("setup_token") or "")
    if options.get("scan"):
        subprocess.run(("oche", "scan"), check=False)
    if password:
        os.environ["OCHE_MQTT_PASSWORD"] = password
    os.environ.pop("SUPERVISOR_TOKEN", None)
    sys.stdout.flush()
    os.execvp("oche", ("oche", "run", "--config", str(file)))


if __name__ == "__main__":
    main()
