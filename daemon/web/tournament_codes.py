"""What lets a client into one tournament: the token of its organiser, which a link carries, and the code to sign up.

Nothing is stored: both are made from the id of the tournament, which is signed. With another token of the page all of
them end. Whether a tournament is over, who asks has to look.
"""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64decode
from collections.abc import Callable

Sign = Callable[[str], str]
_LETTERS = "23456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Those that nobody takes for another one, on a wall or said aloud."""
_CODE_LETTERS = 8
"""There are 650 thousand million codes, of which a client tries one a second."""


def make_organiser_token(sign: Sign, tournament: str) -> str:
    """Returns the token of who organises it. `sign` is as in Auth."""
    return sign(f"organise {tournament}")


def make_sign_up_code(sign: Sign, tournament: str) -> str:
    """Returns the code with which people sign up for it."""
    signed, found = int.from_bytes(urlsafe_b64decode(sign(f"sign up {tournament}") + "==")), ""
    for _ in range(_CODE_LETTERS):
        signed, letter = divmod(signed, len(_LETTERS))
        found += _LETTERS[letter]
    return found


def is_organiser_token(sign: Sign, tournament: str, token: str) -> bool:
    """Returns whether it is that of who organises this tournament."""
    return hmac.compare_digest(token.encode(), make_organiser_token(sign, tournament).encode())


def is_sign_up_code(sign: Sign, tournament: str, code: str) -> bool:
    """Returns whether it is that of this tournament; capitals, blanks and hyphens do not matter."""
    typed = "".join(code.upper().replace("-", "").split())
    return hmac.compare_digest(typed.encode(), make_sign_up_code(sign, tournament).encode())
