"""`oche doctor` on the loudspeaker of the machine: its recordings, the program that plays them, the sound output."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from daemon.admin.doctor.checks import RESTART, Check, command, then
from daemon.admin.doctor.service import Account, Unit
from daemon.admin.doctor.system import System
from daemon.config.outlets import Loudspeaker
from daemon.errors import UserError
from daemon.outlets.loudspeaker import read_packs
from daemon.outlets.player import find_player, list_players
from daemon.sound_packs import INSTALLED
from protocol.sentence import say

_PACKAGES = {"mpv": "mpv", "mpg123": "mpg123", "aplay": "alsa-utils"}
"""Debian's, by the program in it."""
_SMALLEST = {"mp3": "mpg123", "wav": "alsa-utils"}
"""The package that is enough for files of these kinds alone."""
_GROUP = "audio"
"""Debian's group for sound outputs."""
_DROP_IN = "/usr/share/oche/loudspeaker.conf"
_ALLOW = then(
    command(f"sudo install -D -m 644 -t /etc/systemd/system/oche.service.d {_DROP_IN}"),
    command("sudo systemctl daemon-reload"),
    RESTART,
)


def check_loudspeaker(
    config: Loudspeaker,
    folder: Path,
    language: str,
    unit: Unit,
    account: Account | None,
    system: System,
    installed: Path = INSTALLED,
) -> Iterator[Check]:
    """Whether the loudspeaker has what to play, and what plays it, and may use the sound output. Raises OSError."""
    found = [*_check_recordings(config, folder, language, installed), *_check_output(unit, account, system)]
    yield from found or [Check("loudspeaker", "ok", say("doctor.speaker_ok", "oche can play sounds on this machine"))]


def _check_recordings(config: Loudspeaker, folder: Path, language: str, installed: Path) -> Iterator[Check]:
    wanted = config.player
    if wanted is not None and not list_players(wanted):
        text = say("doctor.no_player", "{name} is not installed", name=wanted)
        yield Check("loudspeaker", "problem", text, command(f"sudo apt install {_PACKAGES[wanted]}"))
        return
    try:
        packs, unreadable = read_packs(folder, installed, config.pack, language)
    except UserError:
        text = say("doctor.no_pack", "the loudspeaker has no sound pack")
        remedy = say(
            "doctor.add_pack",
            "add one in the settings, or install oche-voice; if outlets.loudspeaker.pack names another one, correct it",
        )
        yield Check("loudspeaker", "problem", text, remedy)
        return
    for name, why in sorted(unreadable.items()):
        text = say("doctor.pack_unreadable", "the sound pack {name} cannot be read: {why}", name=name, why=why)
        remedy = say("doctor.let_read_pack", "let the user that oche runs as read its folder, or remove the folder")
        yield Check("loudspeaker", "problem", text, remedy)
    kinds = {file.suffix.lower()[1:] for pack in packs for files in pack.values() for file in files}
    silent = ", ".join(sorted(kind for kind in kinds if find_player(kind, wanted) is None))
    if silent:
        text = say("doctor.no_program", "no program plays its {given} files", given=silent)
        install = command(f"sudo apt install {_SMALLEST.get(silent, 'mpv')}")
        other = say("doctor.any_player", "remove outlets.loudspeaker.player, then {run}", run=install)
        yield Check("loudspeaker", "problem", text, install if wanted is None else other)


def _check_output(unit: Unit, account: Account | None, system: System) -> Iterator[Check]:
    devices = sorted(system.at("/dev/snd").glob("pcmC*p"))
    if not devices:
        text = say("doctor.no_sound", "this machine has no sound output")
        remedy = say(
            "doctor.sound_card",
            "plug in a USB sound card; for the output of a Raspberry Pi write dtparam=audio=on into {path}",
            path="/boot/firmware/config.txt",
        )
        yield Check("loudspeaker", "problem", text, remedy)
    elif account is None:
        return
    elif account.is_service and "char-alsa" not in unit.get("DeviceAllow", ""):
        text = say("doctor.sound_closed", "the service may not use the sound output")
        yield Check("loudspeaker", "problem", text, _ALLOW)
    elif not any(account.may(device, os.R_OK | os.W_OK) for device in devices):
        said = "doctor.sound_denied", "{name} has no permission to use the sound output"
        remedy = account.remedy(_GROUP)
        yield Check("loudspeaker", "problem", say(*said, name=account.name), remedy)
