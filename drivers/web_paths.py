"""The names in braces in the paths of a `web:` board: its token, and the options of its address.

The token is put in here, at the last moment: neither an address nor a packet, a recording or a sentence has it.
"""

from __future__ import annotations

import re
from urllib.parse import quote

from drivers.address import Address, AddressError
from drivers.transport import Refused
from protocol.profile import Web
from protocol.sentence import say

_NAME = re.compile(r"\{(\w+)\}")
_TOKEN = "token"
_KEPT = "/?&=%:,;@+$!*'()~[]"
"""What a path may have beside letters and digits; `%` because what was in braces is encoded."""


class WebPaths:
    """Fills the paths of one address."""

    def __init__(self, address: Address, web: Web, token: str | None) -> None:
        """Raises AddressError or Refused where the path of the socket has a name without a value."""
        check_names(address, web, has_token=token is not None)
        self._values = {**address.options, **({} if token is None else {_TOKEN: token})}

    def fill(self, path: str) -> str:
        """Returns the path as it is sent. It may hold the token."""
        filled = _NAME.sub(lambda found: quote(self._values.get(found[1], found[0]), safe=""), path)
        return quote(filled, safe=_KEPT)


def check_names(address: Address, web: Web, *, has_token: bool) -> None:
    """Raises AddressError for an option that is missing, Refused where the board has a token and the table has none."""
    for name in _NAME.findall(web.socket):
        if name == _TOKEN and not has_token:
            said = say(
                "link.web_no_token",
                'the board at {name} has a token: enter "Token of the board" on the page, or name a board_token_file',
                name=address.target,
            )
            raise Refused(said)
        if name != _TOKEN and not address.options.get(name):
            right = f"{address}{'&' if address.options else '?'}{name}=…"
            raise AddressError(
                say(
                    "address.web_option",
                    "{given} lacks the {name} of the board: write {right}",
                    given=str(address),
                    name=name,
                    right=right,
                )
            )
