"""`oche doctor` on the Raspberry Pi's power supply: a weak one makes USB boards drop out, and shows nowhere else."""

from __future__ import annotations

from collections.abc import Iterator

from daemon.doctor.checks import Check
from daemon.doctor.host import Host

_SINCE = 16
"""The same bits once more, this much higher: since the start."""
_LOW, _CAPPED, _SLOWED, _HOT = 1, 2, 4, 8
_FILE = "/sys/devices/platform/soc/soc:firmware/get_throttled"
_SUPPLY = "take the power supply made for this Pi and a short cable; give hungry USB devices a powered hub"


async def check_power(host: Host) -> Iterator[Check]:
    """Nothing on other machines."""
    if "Raspberry Pi" not in host.text("/sys/firmware/devicetree/base/model"):
        return iter(())
    said = host.text(_FILE) or await host.says("vcgencmd", "get_throttled")
    try:
        bits = int(said.rpartition("=")[2], 16)
    except ValueError:
        text = "what the Pi knows of its power supply cannot be read"
        return iter(
            [Check("power", "warning", text, "run oche doctor as root (sudo), or look for a flash on its screen")]
        )
    return of_bits(bits)


def of_bits(bits: int) -> Iterator[Check]:
    """What the firmware has counted: see get_throttled in the Raspberry Pi's documentation."""
    now, since = bits & 0xF, bits >> _SINCE & 0xF
    if now & _LOW:
        yield Check("power", "problem", "the Pi gets too little voltage at this moment", _SUPPLY)
    elif since & _LOW:
        yield Check("power", "warning", "the Pi got too little voltage at times since it was started", _SUPPLY)
    if (now | since) & _HOT or ((now | since) & (_CAPPED | _SLOWED) and not (now | since) & _LOW):
        text = "the Pi is too hot, and slowed down" if now & ~_LOW else "the Pi was too hot at times, and slowed down"
        yield Check("power", "warning", text, "give it air, a heat sink or a fan")
    if not now | since:
        yield Check("power", "ok", "the Pi has had enough voltage since it was started")
