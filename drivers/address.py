"""Where a board is, as one line of configuration: `serial:/dev/ttyUSB0?baud=115200`.

Here are the values; which kinds of link there are, and how a text is read, is in drivers/schemes.py.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple
from urllib.parse import quote

from msgspec import Struct

from drivers.transport import Refused, Transport
from protocol.profile import Profile
from protocol.sentence import say


class AddressError(Refused, ValueError):
    """An address that can never work; `said` is what is wrong with it and what would be right."""


class Address(Struct, frozen=True):
    """`target` is what stands between the scheme and the options, in the scheme's own terms."""

    scheme: str
    target: str
    options: Mapping[str, str]

    def __str__(self) -> str:
        options = "&".join(f"{key}={quote(value, safe='')}" for key, value in self.options.items())
        return f"{self.scheme}{':' if self.target else ''}{self.target}{'?' if options else ''}{options}"

    def number(self, option: str, default: int, most: int | None = None) -> int:
        """The option as a whole number above 0, `default` where it is left out; raises AddressError.

        Also for one above `most`, which no line can have.
        """
        text = self.options.get(option)
        if text is None:
            return default
        if not (text.isascii() and text.isdigit() and int(text) > 0):
            given = f"{option}={text}"
            raise AddressError(
                say("address.number", "{given} in {name} must be a whole number above 0", given=given, name=str(self))
            )
        if most is not None and int(text) > most:
            given = f"{option}={text}"
            raise AddressError(
                say(
                    "address.number_most",
                    "{given} in {name} must be {most} at most",
                    given=given,
                    name=str(self),
                    most=most,
                )
            )
        return int(text)


def _accept_anything(_: Address) -> None:
    """Accepts every address: for links where only opening tells whether it is right."""


class Scheme(NamedTuple):
    """A kind of link: how it is opened, which options its addresses may carry, and an address as an example.

    `open` gets the address and the profile (for what the address leaves open) and raises a LinkError. `check` raises
    AddressError for an address that can never work; it runs when a configuration is read.
    """

    open: Callable[[Address, Profile], Awaitable[Transport]]
    options: tuple[str, ...]
    example: str
    check: Callable[[Address], None] = _accept_anything
