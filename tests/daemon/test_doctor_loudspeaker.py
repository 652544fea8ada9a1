"""`oche doctor` on the loudspeaker of the machine. The programs are scripts, and the sound outputs are plain files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from daemon.admin.doctor.examine import examine
from daemon.admin.doctor.loudspeaker import check_loudspeaker
from daemon.admin.doctor.service import Account, parse_unit
from daemon.admin.doctor.system import System
from daemon.config.outlets import Loudspeaker
from daemon.sound_packs import SOUNDS
from tests.daemon.checkup import NOBODY, ROOT_USER, SERVICE, lines, write
from tests.daemon.process import ROOT, configure
from tests.daemon.test_loudspeaker import write_pack
from tests.daemon.test_sounds import unreadable

DENIED = "DevicePolicy=closed\nDeviceAllow=char-ttyUSB rw\n"
ALLOWED = f"{DENIED}DeviceAllow=char-alsa rw\n"


class Machine:
    """A machine with a sound output and these programs."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, *programs: str) -> None:
        self.folder = folder
        for name in programs:
            write(folder, f"bin/{name}", "#!/bin/sh\n").chmod(0o755)
        monkeypatch.setenv("PATH", str(folder / "bin"))
        self.output = write(folder, "dev/snd/pcmC0D0p", "")

    def says(self, unit: str = "", account: Account | None = ROOT_USER, **config: Any) -> list[str]:
        speaker, system = Loudspeaker(on=True, **config), System(self.folder)
        installed = self.folder / "installed"
        return lines(check_loudspeaker(speaker, self.folder, "en", parse_unit(unit), account, system, installed))


def test_a_machine_that_can_play_its_sounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_pack(tmp_path / SOUNDS, "joey", ["180"])
    machine = Machine(tmp_path, monkeypatch, "aplay")
    assert machine.says() == machine.says(ALLOWED) == ["ok loudspeaker oche can play sounds on this machine"]


def test_a_pack_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("joey", "zoe"):
        write_pack(tmp_path / SOUNDS, name, ["180"])
    machine = Machine(tmp_path, monkeypatch, "aplay")
    with unreadable(tmp_path, monkeypatch, "joey") as machine.folder:
        assert machine.says()[0] == (
            "problem loudspeaker the sound pack joey cannot be read: permission denied: "
            "let the user that oche runs as read its folder, or remove the folder"
        )


def test_what_a_machine_lacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(tmp_path, monkeypatch)
    machine.output.unlink()
    no_pack, no_output = machine.says()
    assert no_pack.startswith("problem loudspeaker the loudspeaker has no sound pack: add one in the settings")
    assert no_output.startswith("problem loudspeaker this machine has no sound output: plug in a USB sound card")
    pack = write_pack(tmp_path / SOUNDS, "joey", ["180"], ending="mp3")
    machine.output.touch()
    said = "problem loudspeaker no program plays its {} files: {}sudo apt install {}"
    assert machine.says() == [said.format("mp3", "", "mpg123")]
    (pack / "26.wav").touch()
    assert machine.says() == [said.format("mp3, wav", "", "mpv")]
    assert machine.says(player="aplay") == ["problem loudspeaker aplay is not installed: sudo apt install alsa-utils"]
    machine = Machine(tmp_path, monkeypatch, "mpg123", "aplay")
    assert machine.says()[0].startswith("ok")
    other = "remove outlets.loudspeaker.player, then "
    assert machine.says(player="aplay") == [said.format("mp3", other, "mpg123")]
    assert machine.says(pack="bob")[0].startswith("problem loudspeaker the loudspeaker has no sound pack")


def test_a_service_is_let_use_the_sound_output_by_the_file_that_is_brought_along(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_pack(tmp_path / SOUNDS, "joey", ["180"])
    machine = Machine(tmp_path, monkeypatch, "aplay")
    (said,) = machine.says(DENIED, SERVICE)
    assert said == (
        "problem loudspeaker the service may not use the sound output: sudo install -D -m 644"
        " -t /etc/systemd/system/oche.service.d /usr/share/oche/loudspeaker.conf, then sudo systemctl daemon-reload,"
        " then sudo systemctl restart oche"
    )
    assert "systemd/loudspeaker.conf usr/share/oche\n" in (ROOT / "debian/oche.install").read_text(encoding="utf-8")
    machine.output.chmod(0o600)
    for account, unit in ((SERVICE, ALLOWED), (NOBODY, "")):
        (said,) = machine.says(unit, account)
        assert said.startswith(f"problem loudspeaker {account.name} has no permission to use the sound output: sudo")
        assert f"usermod -aG audio {account.name}" in said
    assert machine.says(DENIED, None)[0].startswith("ok"), "without its user the service does not start at all"


@pytest.mark.parametrize("is_on", [True, False])
async def test_it_is_looked_at_where_the_loudspeaker_is_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_on: bool
) -> None:
    Machine(tmp_path, monkeypatch)
    config = configure(tmp_path, more=f"[outlets.loudspeaker]\non = {str(is_on).lower()}\n")
    names = [check.name async for check in examine(config, System(tmp_path))]
    assert ("loudspeaker" in names) == is_on
