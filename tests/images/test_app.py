"""The app for Home Assistant: what the supervisor reads of it, and its start beside a small supervisor."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from daemon.config.reader import read_config
from daemon.web.token import LEAST, PageToken
from tests.sweep import sweep

ROOT = Path(__file__).resolve().parents[2]
APP = ROOT / "debian" / "release" / "home_assistant"
CONFIG = yaml.safe_load((APP / "config.yaml").read_text(encoding="utf-8"))
LANGUAGES = ("en", "de", "nl", "fr", "es")
BROKER = {
    "host": "core-mosquitto",
    "port": 1883,
    "ssl": False,
    "username": "addons",
    "password": "secret",
    "protocol": "3.1.1",
}
# As far as the app has them: https://developers.home-assistant.io/docs/apps/configuration
KINDS = {
    **dict.fromkeys(
        ("name", "version", "slug", "description", "startup", "boot", "panel_icon", "panel_title", "watchdog"), str
    ),
    **dict.fromkeys(
        ("init", "uart", "usb", "udev", "host_dbus", "apparmor", "ingress", "ingress_stream", "panel_admin"), bool
    ),
    **dict.fromkeys(("arch", "services", "map"), list),
    **dict.fromkeys(("ports", "options", "schema"), dict),
    **dict.fromkeys(("ingress_port", "timeout"), int),
}
ELEMENT = re.compile(r"(str|bool|int|float|password(\(\d+,\))?|match\(.+\)|list\([^)]+\))\??")


def test_its_configuration_is_what_the_supervisor_takes() -> None:
    assert {key: type(value) for key, value in CONFIG.items()} == {key: KINDS[key] for key in CONFIG}
    assert {"name", "version", "slug", "description", "arch"} <= set(CONFIG)
    assert set(CONFIG["arch"]) == {"amd64", "aarch64"}
    assert CONFIG["startup"] in ("initialize", "system", "services", "application", "once")
    assert re.fullmatch(r"(https?|tcp)://\[HOST\]:(\[PORT:\d+\]|\d+).*", CONFIG["watchdog"])
    assert all(re.fullmatch("(mqtt|mysql):(provide|want|need)", service) for service in CONFIG["services"])


def test_every_option_has_a_kind_and_a_default_where_it_is_needed() -> None:
    for name, kind in CONFIG["schema"].items():
        assert ELEMENT.fullmatch(kind[0] if isinstance(kind, list) else kind), name
    needed = {name for name, kind in CONFIG["schema"].items() if not str(kind).endswith("?")}
    assert set(CONFIG["options"]) == needed
    assert CONFIG["schema"]["token"] == f"password({LEAST},)?"


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_names_every_option_and_port(language: str) -> None:
    words = yaml.safe_load((APP / "translations" / f"{language}.yaml").read_text(encoding="utf-8"))
    assert set(words["configuration"]) == set(CONFIG["schema"])
    assert all(set(option) == {"name", "description"} for option in words["configuration"].values())
    assert set(words["network"]) == set(CONFIG["ports"])


@pytest.mark.long
def test_its_profile_can_be_read_by_apparmor(unpack: Callable[[str], Path]) -> None:
    apparmor = unpack("apparmor")
    profile = APP / "apparmor.txt"
    named = re.findall(r"^profile (\S+)", profile.read_text(encoding="utf-8"), re.MULTILINE)
    assert named == [CONFIG["slug"]]
    parser = next(apparmor.rglob("apparmor_parser"))
    subprocess.run((parser, "--base", apparmor / "etc" / "apparmor.d", "-QK", profile), check=True)


class Start(NamedTuple):
    """What the start of the app came to: its output, the arguments and the environment of oche."""

    said: str
    words: list[str]
    environment: dict[str, str]


@contextmanager
def supervisor(status: int, answer: object) -> Iterator[str]:
    """Serves the one address of the supervisor that the app asks, to who shows the token."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            is_right = (self.path, self.headers["Authorization"]) == ("/services/mqtt", "Bearer of the test")
            self.send_response(status if is_right else 401)
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode())

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    with HTTPServer(("127.0.0.1", 0), Page) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The root of the app, with its options as they ship and a program that notes how oche is started."""
    for name in ("data", "config", "bin"):
        (tmp_path / name).mkdir()
    (tmp_path / "data" / "options.json").write_text(json.dumps(CONFIG["options"]), encoding="utf-8")
    program = tmp_path / "bin" / "oche"
    program.write_text(
        f"#!{sys.executable}\nimport json, os, sys\n"
        f"print(json.dumps([sys.argv[1:], dict(os.environ)]), file=open({str(tmp_path / 'started')!r}, 'w'))\n",
        encoding="utf-8",
    )
    program.chmod(0o755)
    return tmp_path


def start(folder: Path, address: str) -> Start:
    environment = {
        "PATH": str(folder / "bin"),
        "PYTHONPATH": str(ROOT),
        "OCHE_APP_FOLDER": str(folder),
        "OCHE_APP_SUPERVISOR": address,
        "SUPERVISOR_TOKEN": "of the test",
    }
    done = subprocess.run(
        (sys.executable, APP / "start.py"), env=environment, stdout=subprocess.PIPE, text=True, check=True
    )
    return Start(done.stdout, *json.loads((folder / "started").read_text(encoding="utf-8")))


def test_the_broker_and_its_login_come_from_the_supervisor(folder: Path) -> None:
    with supervisor(200, {"result": "ok", "data": BROKER}) as address:
        started = start(folder, address)
    assert started.words[:2] == ["run", "--config"]
    config = read_config(Path(started.words[2])).config
    assert (config.mqtt.host, config.mqtt.port, config.mqtt.username) == ("core-mosquitto", 1883, "addons")
    assert (config.web.host, config.web.port, config.web.proxies) == (
        "0.0.0.0",
        CONFIG["ingress_port"],
        ("172.30.32.2",),
    )
    assert (config.table[0].board, config.table[0].players) == ("sim:granboard", ("Ann", "Bo"))
    assert Path(config.bridge.state_dir) == folder / "data" / "matches"
    assert started.environment["OCHE_MQTT_PASSWORD"] == "secret"
    assert "SUPERVISOR_TOKEN" not in started.environment
    assert not [
        file for file in folder.rglob("*") if file.is_file() and "secret" in file.read_text() and file.name != "started"
    ]


@pytest.mark.parametrize("answer", [(400, {"result": "error"}), (200, {"result": "ok", "data": {}})])
def test_without_a_broker_there_is_the_page_and_a_sentence(folder: Path, answer: tuple[int, Any]) -> None:
    with supervisor(*answer) as address:
        started = start(folder, address)
    assert not read_config(Path(started.words[2])).config.mqtt.on
    assert "start this app again" in started.said


def test_the_token_of_guests_is_a_file_that_root_alone_reads(folder: Path) -> None:
    options = {**CONFIG["options"], "token": "the treble twenty bed", "scan": True}
    (folder / "data" / "options.json").write_text(json.dumps(options), encoding="utf-8")
    with supervisor(200, {"result": "ok", "data": BROKER}) as address:
        started = start(folder, address)
    file = Path(str(read_config(Path(started.words[2])).config.web.token_file))
    assert (file.read_text(encoding="utf-8"), file.stat().st_mode & 0o777) == ("the treble twenty bed", 0o600)


@pytest.mark.slow
def test_the_token_of_the_setup_counts_as_long_as_it_is_an_option(folder: Path) -> None:
    setup = "setup-only for me"
    form = CONFIG["schema"]["setup_token"].removeprefix("match(").removesuffix(")?")
    assert [bool(re.fullmatch(form, token)) for token in (setup, "setup-".ljust(LEAST - 1, "x"), "x" * LEAST)] == [
        1,
        0,
        0,
    ]
    roles = []
    for options in ({"setup_token": setup}, {}):
        (folder / "data" / "options.json").write_text(json.dumps({**CONFIG["options"], **options}), encoding="utf-8")
        with supervisor(200, {"result": "ok", "data": BROKER}) as address:
            config = read_config(Path(start(folder, address).words[2])).config
        token = PageToken(config.web.host, config.web.token_file, Path(config.bridge.state_dir))
        roles.append(token.find_role(setup))
        assert token.trouble == ""
    assert roles == ["setup", None]


@pytest.mark.slow
def test_what_settings_have_changed_stays_until_the_options_change(folder: Path) -> None:
    with supervisor(200, {"result": "ok", "data": BROKER}) as address:
        file = Path(start(folder, address).words[2])
        changed = file.read_text(encoding="utf-8").replace("sim:granboard", "none")
        file.write_text(changed, encoding="utf-8")
        start(folder, address)
    assert file.read_text(encoding="utf-8") == changed
    with supervisor(400, {"result": "error"}) as address:
        start(folder, address)
    assert file.read_text(encoding="utf-8") == changed
    options = {**CONFIG["options"], "players": ["Cy"]}
    (folder / "data" / "options.json").write_text(json.dumps(options), encoding="utf-8")
    with supervisor(200, {"result": "ok", "data": BROKER}) as address:
        start(folder, address)
    table = read_config(file).config.table[0]
    assert (table.board, table.players) == ("sim:granboard", ("Cy",))


def test_a_file_of_ones_own_counts_and_what_it_lacks_is_said(folder: Path) -> None:
    own = folder / "config" / "oche.toml"
    own.write_text('[[table]]\nboard = "none"\n', encoding="utf-8")
    with supervisor(200, {"result": "ok", "data": BROKER}) as address:
        started = start(folder, address)
        assert started.words[2] == str(own)
        lines = started.said.partition("these lines in it:\n")[2]
        assert 'host = "core-mosquitto"' in lines
        own.write_text(own.read_text(encoding="utf-8") + lines, encoding="utf-8")
        assert start(folder, address).said == ""
    assert read_config(own).config.mqtt.username == "addons"


@pytest.mark.parametrize("wrong", sweep(['web = "x"', "mqtt = 1", "web = ["], "mqtt = 1".__eq__))
def test_a_wrong_file_of_ones_own_is_left_to_oche_to_explain(folder: Path, wrong: str) -> None:
    own = folder / "config" / "oche.toml"
    own.write_text(f"{wrong}\n", encoding="utf-8")
    with supervisor(200, {"result": "ok", "data": BROKER}) as address:
        started = start(folder, address)
    assert (started.said, started.words[2]) == ("", str(own))
