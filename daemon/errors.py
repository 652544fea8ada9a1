"""What a person is told when something does not work: one sentence that says what to do, and an exit status."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from protocol.sentence import Sentence, get_reason


def escape_controls(text: str) -> str:
    """Returns a text of anyone's, with the characters that would steer a terminal written as Python does."""
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)


class UserError(Exception):
    """`said` is the sentence. `status` is 1 when it did not work, 2 when what was given cannot be used."""

    def __init__(self, said: str | Sentence, status: int = 1) -> None:
        super().__init__(str(said))
        self.said = said
        self.status = status


class PortTaken(UserError):
    """Another program listens on a port we want; nothing has been started."""


@contextmanager
def to_user_error(*kinds: type[Exception], status: int = 1) -> Iterator[None]:
    """Raises UserError, with the same sentence, for an error of these kinds in the block."""
    try:
        yield
    except kinds as error:
        raise UserError(get_reason(error), status) from None
