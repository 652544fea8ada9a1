"""The faces that ship, by name. A profile names one of them; a game says which ones it can be played on."""

from __future__ import annotations

from collections.abc import Callable

from protocol.segment import Layout
from protocol.spelling import nearest
from protocol.standard import standard

_FACES: dict[str, Callable[[], Layout]] = {"standard": standard}


def names() -> tuple[str, ...]:
    """The names of all faces."""
    return tuple(_FACES)


def layout(name: str) -> Layout:
    """The face of that name; raises ValueError with the nearest spelling."""
    try:
        return _FACES[name]()
    except KeyError:
        raise ValueError(f"there is no board face {name!r}{nearest(name, names())}") from None
