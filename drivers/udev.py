"""Who may use a USB board: the rule that gives it to people, and the file the rule belongs in.

A board's node belongs to root until udev is told otherwise; being in a group alone opens nothing. The rule names the
group of hot-plugged devices (for services) and tags the node for whoever sits at the machine. Its file must come
before 73-seat-late.rules, which hands tagged nodes out.
"""

from __future__ import annotations

RULES_FILE = "/etc/udev/rules.d/70-oche.rules"
GROUP = "plugdev"


def rule(vid: int, pid: int) -> str:
    """The line for the boards with this vendor and product id."""
    return (
        f'SUBSYSTEM=="usb", ENV{{DEVTYPE}}=="usb_device", ATTR{{idVendor}}=="{vid:04x}", '
        f'ATTR{{idProduct}}=="{pid:04x}", MODE="0660", GROUP="{GROUP}", TAG+="uaccess"'
    )
