"""The files for a Raspberry Pi's first start: what cloud-init takes, and what the files in them are for oche."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from daemon.config.reader import read_config

FILES = Path(__file__).resolve().parents[2] / "debian" / "release" / "raspberry_pi"
USER_DATA = (FILES / "user-data").read_text(encoding="utf-8")
WRITTEN = {file["path"]: file["content"] for file in yaml.safe_load(USER_DATA)["write_files"]}


@pytest.mark.long
def test_cloud_init_takes_it(unpack: Callable[[str], Path]) -> None:
    [schema] = unpack("cloud-init").rglob("schema-cloud-config-v1.json")
    assert USER_DATA.startswith("#cloud-config\n")
    jsonschema.Draft4Validator(json.loads(schema.read_text(encoding="utf-8"))).validate(yaml.safe_load(USER_DATA))


def test_the_network_is_the_cable_and_the_wifi_that_is_filled_in() -> None:
    text = (FILES / "network-config").read_text(encoding="utf-8")
    as_shipped = yaml.safe_load(text)
    assert set(as_shipped) == {"version", "ethernets"}
    filled_in: dict[str, Any] = yaml.safe_load(
        re.sub(r"^# ( *[a-z\"])", r"\1", text.partition("\n")[2], flags=re.MULTILINE)
    )
    assert list(filled_in["wifis"]["wlan0"]["access-points"]) == ["the name of your Wi-Fi"]
    assert yaml.safe_load((FILES / "meta-data").read_text(encoding="utf-8"))["instance-id"]


def test_the_page_is_open_to_the_network_by_a_configuration_that_is_right(tmp_path: Path) -> None:
    file = tmp_path / "oche.toml"
    file.write_text(WRITTEN["/etc/oche/oche.toml"], encoding="utf-8")
    assert read_config(file).config.web.host == "0.0.0.0"


def test_what_runs_at_the_first_start_is_a_script() -> None:
    script = WRITTEN["/usr/local/sbin/oche-first-start"]
    subprocess.run(("sh", "-n"), input=script, text=True, check=True)
    switches = set(re.findall(r"oche-[a-z-]+\.txt", script))
    assert switches == set(re.findall(r"oche-[a-z-]+\.txt", (FILES / "README.txt").read_text(encoding="utf-8")))
    assert all(path in WRITTEN for path in re.findall(r"/usr/local/share/\S+", script))


def test_the_screen_shows_the_page_as_a_service(systemd_path: Path, tmp_path: Path) -> None:
    unit = tmp_path / "oche-kiosk.service"
    unit.write_text(WRITTEN["/etc/systemd/system/oche-kiosk.service"], encoding="utf-8")
    done = subprocess.run(
        (systemd_path / "systemd-analyze", "verify", unit), stderr=subprocess.PIPE, text=True, check=False
    )
    assert "oche-kiosk.service:" not in done.stderr
