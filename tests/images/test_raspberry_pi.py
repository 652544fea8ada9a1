"""The files for a Raspberry Pi's first start: what cloud-init takes, and what the files in them are for oche."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from daemon.config.reader import read_config
from daemon.web.token import PageToken

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


@pytest.fixture
def system(tmp_path: Path) -> Path:
    """The root of a Raspberry Pi at its first start: what user-data writes, and commands that note their call."""
    for folder in ("boot/firmware", "etc/NetworkManager/system-connections", "home/darts/.ssh", "bin"):
        (tmp_path / folder).mkdir(parents=True)
    for path, content in WRITTEN.items():
        file = tmp_path / path[1:]
        file.parent.mkdir(parents=True, exist_ok=True)
        here = re.sub(r"(?<![\w!/.])/(?=(etc|boot|home|var|usr/local)/)", f"{tmp_path}/", content)
        file.write_text(here, encoding="utf-8")
    (tmp_path / "var/lib").mkdir(parents=True)
    with (tmp_path / "etc/oche/oche.toml").open("a", encoding="utf-8") as configuration:
        configuration.write(f'\n[bridge]\nstate_dir = "{tmp_path}/var/lib/oche"\n')
    oche = f'{sys.executable} -c "from daemon.launch import main; main()" "$@" --config {tmp_path}/etc/oche/oche.toml'
    commands = {
        **dict.fromkeys(("agetty", "dpkg", "nmcli", "raspi-config", "rfkill", "systemctl"), ""),
        "apt-get": f"test ! -e {tmp_path}/offline",
        "oche": oche,
    }
    for name, does in commands.items():
        command = tmp_path / "bin" / name
        command.write_text(f'#!/bin/sh\necho {name} "$@" >>{tmp_path}/called\n{does}\n', encoding="utf-8")
        command.chmod(0o755)
    return tmp_path


def start(system: Path) -> tuple[int, list[str]]:
    """Returns the exit status of the first start and the words on the screen."""
    environment = {"PATH": f"{system}/bin:/usr/bin:/bin"}
    script = system / "usr/local/sbin/oche-first-start"
    status = subprocess.run(("sh", script), cwd=FILES.parents[2], env=environment, check=False).returncode
    return status, (system / "etc/issue.d/oche.issue").read_text(encoding="utf-8").split()


def test_the_first_start_is_tried_again_until_it_has_come_to_its_end(system: Path) -> None:
    done = system / "var/lib/oche-first-start.done"
    (system / "offline").touch()
    (system / "boot/firmware/oche-access-point.txt").write_text("de\r\n", encoding="utf-8")
    status, first = start(system)
    assert (status, done.exists()) == (1, False)
    page = (system / "etc/oche/web-token").read_text(encoding="utf-8")
    assert f"http://\\4:8180/#token={page}" in first
    called = (system / "called").read_text(encoding="utf-8").splitlines()
    assert called.index("agetty --reload") < called.index("apt-get update")
    assert {"raspi-config nonint do_wifi_country DE", "rfkill unblock wifi"} <= set(called)
    assert "systemctl enable --now ssh" not in called

    (system / "offline").unlink()
    (system / "home/darts/.ssh/authorized_keys").write_text("ssh-ed25519 AAAA", encoding="utf-8")
    status, second = start(system)
    assert (status, done.exists()) == (0, True)
    same = first.index("http://10.42.0.1:8180") + 1  # the tokens and the password of the Wi-Fi stay
    assert second[:same] == first[:same]
    token = PageToken("0.0.0.0", f"{system}/etc/oche/web-token", system / "var/lib/oche")
    shown = [word.partition("#token=")[2] for word in second if "#token=" in word]
    assert [token.find_role(each) for each in shown] == ["play", "setup"]
    assert "systemctl enable --now ssh" in (system / "called").read_text(encoding="utf-8").splitlines()
    secret = ("etc/issue.d/oche.issue", "etc/oche/web-token", "etc/NetworkManager/system-connections/oche.nmconnection")
    assert [(system / name).stat().st_mode & 0o777 for name in secret] == [0o600] * 3


@pytest.mark.parametrize("name", ["oche-first-start.service", "oche-kiosk.service"])
def test_what_it_starts_is_a_service(systemd_path: Path, tmp_path: Path, name: str) -> None:
    unit = tmp_path / name
    unit.write_text(WRITTEN[f"/etc/systemd/system/{name}"], encoding="utf-8")
    done = subprocess.run(
        (systemd_path / "systemd-analyze", "verify", unit), stderr=subprocess.PIPE, text=True, check=False
    )
    said = [line for line in done.stderr.splitlines() if name in line]
    assert not [line for line in said if "is not executable" not in line]  # what it runs is not on this machine
