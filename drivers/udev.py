"""Who may use a USB board: the rules that give it to people, and the file that further rules belong in.

A board's node belongs to root until a udev rule changes that; being in a group alone opens nothing. A rule names the
group of hot-plugged devices (for services) and tags the node for the user at the machine; and ModemManager, which
would talk to every serial port that a board has beside its reports, is kept off. The rules of the profiles that ship
are in systemd/udev/70-oche.rules, written by `make docs`.

Both files come before 73-seat-late.rules, which hands tagged nodes out. They differ in name, because a file in /etc
hides one of the same name that is installed.
"""

from __future__ import annotations

from collections.abc import Iterable

from protocol.profile import Profile

RULES_FILE = "/etc/udev/rules.d/70-oche-local.rules"
GROUP = "plugdev"

_MEANS_SOMETHING = set('"*?[]|\\')


def make_rule(vid: int, pid: int, product: str | None = None) -> str:
    """The line for the boards with this vendor and product id, whose product text begins so."""
    named = f'ATTR{{product}}=="{_make_pattern(product)}*", ' if product else ""
    return (
        f'SUBSYSTEM=="usb", ENV{{DEVTYPE}}=="usb_device", ATTR{{idVendor}}=="{vid:04x}", '
        f'ATTR{{idProduct}}=="{pid:04x}", {named}MODE="0660", GROUP="{GROUP}", TAG+="uaccess", '
        'ENV{ID_MM_DEVICE_IGNORE}="1"'
    )


def make_rules(profiles: Iterable[Profile]) -> str:
    """The lines for the boards of these profiles; none for those on another link than USB."""
    lines = []
    for profile in profiles:
        if profile.link == "usb" and profile.usb is not None:
            lines.append(f"# {profile.id}: {profile.name}")
            for text in profile.usb.ids:
                vid, pid = (int(part, 16) for part in text.split(":"))
                lines.append(make_rule(vid, pid, profile.usb.product))
    return "".join(f"{line}\n" for line in lines)


def _make_pattern(text: str) -> str:
    """The text as udev compares it; `?` is any character, where the right one would mean something."""
    return "".join("?" if each in _MEANS_SOMETHING or not each.isprintable() else each for each in text)
