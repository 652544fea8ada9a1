"""How each board's program behaves on its wire: when it speaks, how often it repeats itself, in what pieces.

The format of a frame is the profile's; all else that makes a GRANBOARD a GRANBOARD is here, as data, with the numbers
people have observed. A board that is not in the table does nothing odd.
"""

from __future__ import annotations

from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from protocol.codebook import Codebook, expand
from protocol.profile import Profile

T = TypeVar("T", bound=Struct)

_TIMES = (
    "wake_ms", "again_ms", "key_again_ms", "long_ms", "gather_ms", "deaf_ms", "sleep_ms", "patience_ms",
)  # fmt: skip
_UNSTEADY_MS = 40
"""A busy machine may be late by this; a board's repetition must still be recognised at any speed."""


class Habits(Struct, frozen=True):
    """The ways of a board's program; the default has none. Times in ms, 0: not at all.

    `wake_ms`: opening its port resets it, and it neither greets nor notices anything for so long. `boot`: what its boot
    loader says meanwhile. `greeting`: what it says first, as bytes on the wire, where that is not in its profile.
    `keeps_greeting`: the greeting goes out together with the first frame. `again_ms`: the frame of a hit goes out
    again, byte for byte, so long after it, once for each number. `key_again_ms`: the same for buttons. `long_ms`: a
    button counts as held long from then on. `gather_ms`: frames within so long leave in one packet. `cuts`: so large a
    part of the packets leaves in two pieces. `tells_misses`: its miss sensor is switched on. `waits_for_release`: it
    says a hit when the contact opens, and waits for that however long it takes. `instead`: bytes of a frame that its
    version says otherwise, by their place. `picture`: so many bytes of photograph come with each hit. `deaf_ms`: a
    subscription sooner than this after connecting has no effect. `sleep_ms`: it falls asleep when nothing has touched
    it for so long, hangs up and is not to be found until a dart or a key wakes it. `patience_ms`: it hangs up when a
    packet lies unread for so long. `charge`: its battery in percent, None when it does not tell. `weak_percent`: below
    this charge it loses every other dart. `baud`: the speed its line really has, None when it understands any.
    """

    wake_ms: int = 0
    boot: bytes = b""
    greeting: bytes = b""
    keeps_greeting: bool = False
    again_ms: tuple[int, ...] = ()
    key_again_ms: tuple[int, ...] = ()
    long_ms: int = 0
    gather_ms: int = 0
    cuts: float = 0.0
    tells_misses: bool = True
    waits_for_release: bool = False
    instead: tuple[tuple[int, int], ...] = ()
    picture: int = 0
    deaf_ms: int = 0
    sleep_ms: int = 0
    patience_ms: int = 0
    charge: int | None = None
    weak_percent: int = 0
    baud: int | None = None

    @property
    def calm_ms(self) -> int:
        """The longest time, in ms, between a dart and the last frame about it."""
        return max(self.again_ms, default=0) + self.gather_ms


PLAIN = Habits()
"""A board that does nothing odd."""

_ARDUINO = Habits(wake_ms=1500)
_PYDARTS = replace(_ARDUINO, waits_for_release=True)
_GRANBOARD = Habits(greeting=b"GB8;102", keeps_greeting=True, again_ms=(30,), gather_ms=8, cuts=0.1)

HABITS = {
    "granboard": _GRANBOARD,
    "unicorn": Habits(again_ms=(350, 900), sleep_ms=900_000, charge=80, weak_percent=40),
    "sdb-bt": Habits(again_ms=(5,), key_again_ms=(5,), long_ms=1000),
    "dartslive-home": Habits(patience_ms=3000),
    "smartness": Habits(deaf_ms=4000),
    "darts-connect": Habits(key_again_ms=(20,), cuts=1.0, picture=20_000),
    "opendarts": replace(_ARDUINO, cuts=0.2),
    "opendarts-hybrid49": _ARDUINO,
    "darts-number": _ARDUINO,
    "dartplus": _ARDUINO,
    "fynn": _ARDUINO,
    "maddarts": _ARDUINO,
    "raspuinodart": _ARDUINO,
    "pydarts-4x16": _PYDARTS,
    "pydarts-7x12": _PYDARTS,
    "pydarts-8x10": _PYDARTS,
    "pydarts-8x8": _PYDARTS,
    "pydarts-8x9": _PYDARTS,
    "granboard-bridge": Habits(wake_ms=500),
    "pidart": Habits(key_again_ms=(15,)),
}
"""By profile id."""

MODELS = {
    "granboard 3s": replace(_GRANBOARD, tells_misses=False),
    "dartslive-home a1": replace(HABITS["dartslive-home"], instead=((0, 0xA1), (4, 0x00))),
}
"""Models and versions that differ from the one above."""


def find_habits(profile: Profile) -> Habits:
    """The habits of a board of this profile."""
    known = HABITS.get(profile.id, PLAIN)
    return replace(known, baud=profile.serial.baud) if profile.link == "serial" else known


def speed_up(habits: Habits, speed: float) -> Habits:
    """The same habits, `speed` times as fast."""
    return replace(habits, **{name: _quicker(getattr(habits, name), max(1.0, speed)) for name in _TIMES})


def _quicker(times_ms: int | tuple[int, ...], speed: float) -> int | tuple[int, ...]:
    if isinstance(times_ms, tuple):
        return tuple(round(time_ms / speed) for time_ms in times_ms)
    return round(times_ms / speed)


def speed_up_codebook(book: Codebook, speed: float) -> Codebook:
    """The board's codebook with its times divided by the speed."""
    profile = book.profile
    timing = _divide_times(profile.timing, speed)
    steady_ms = min(profile.timing.repeat_ms, max(timing.repeat_ms, _UNSTEADY_MS))
    quicker = replace(profile, timing=replace(timing, repeat_ms=steady_ms))
    if profile.ble is not None:
        quicker = replace(quicker, ble=_divide_times(profile.ble, speed))
    return expand(quicker)


def _divide_times(part: T, speed: float) -> T:
    """This part of a profile with its milliseconds divided, to 1 at least."""
    times = {name: getattr(part, name) for name in part.__struct_fields__ if name.endswith("_ms")}
    return replace(part, **{name: max(1, round(ms / max(1.0, speed))) for name, ms in times.items() if ms})
