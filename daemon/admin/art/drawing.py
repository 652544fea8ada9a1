"""An SVG of art: read once, to refuse what runs, what never ends, and what grows when it is drawn.

A browser runs no script in a picture, and oche serves it so that it runs none by itself either. This keeps it out of
the folder, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from xml.parsers import expat

from daemon.errors import escape_controls

_MOST_ELEMENTS = 5_000
_DEEPEST = 60
_MOST_COSTLY = 20
_COSTLY = frozenset({"pattern", "mask", "filter", "clippath", "marker"})
"""What is drawn for others; of these few can be nested."""
_REFUSED = frozenset(
    {"script", "foreignobject", "iframe", "object", "embed", "image", "use", "audio", "video", "handler"}
)
_MOVES = frozenset({"animate", "animatetransform", "animatemotion", "set", "animatecolor"})


class _Found(Exception):
    pass


def find_fault(content: bytes) -> tuple[int, str] | None:
    """Returns the line and the name of what is not allowed in this SVG ("": it is not SVG); None: it can be used."""
    parser = expat.ParserCreate()
    drawing = _Drawing()
    parser.StartElementHandler = drawing.begin
    parser.EndElementHandler = drawing.end
    parser.CharacterDataHandler = drawing.read_text
    parser.StartDoctypeDeclHandler = drawing.refuse_doctype
    parser.ProcessingInstructionHandler = drawing.refuse_instruction
    try:
        parser.Parse(content, True)
    except _Found as found:
        return parser.CurrentLineNumber, escape_controls(str(found)[:60])
    except (expat.ExpatError, ValueError, LookupError):
        return parser.ErrorLineNumber, ""
    return None if drawing.count else (1, "")


class _Drawing:
    """What was read so far."""

    def __init__(self) -> None:
        self.count = 0
        self._depth = 0
        self._costly = 0
        self._style: list[str] | None = None
        """What stands in a style so far; comments and CDATA cut it into pieces."""

    def begin(self, name: str, attributes: Mapping[str, str]) -> None:
        """Raises _Found for what is not allowed."""
        kind = name.rpartition(":")[2].lower()
        self.count += 1
        self._depth += 1
        self._costly += kind in _COSTLY
        if self.count == 1 and kind != "svg":
            raise _Found(name)
        if kind in _REFUSED | _MOVES or self._style is not None:
            raise _Found(f"<{name}>")
        if self.count > _MOST_ELEMENTS or self._depth > _DEEPEST or self._costly > _MOST_COSTLY:
            raise _Found(f"<{name}> ({self.count})")
        self._style = [] if kind == "style" else None
        for key, value in attributes.items():
            attribute = key.rpartition(":")[2].lower()
            is_elsewhere = attribute in ("href", "src") and not value.strip().startswith("#")
            if attribute.startswith("on") or is_elsewhere or (attribute == "style" and _is_costly(value)):
                raise _Found(f"{key}={value}")

    def end(self, _: str) -> None:
        """Raises _Found for a style that moves, or loads something."""
        self._depth -= 1
        if self._style is not None and _is_costly("".join(self._style)):
            raise _Found("<style>")
        self._style = None

    def read_text(self, text: str) -> None:
        if self._style is not None:
            self._style.append(text)

    def refuse_doctype(self, *_: object) -> None:
        """Raises _Found: entities are declared there."""
        raise _Found("<!DOCTYPE")

    def refuse_instruction(self, target: str, _: str) -> None:
        """Raises _Found: a style sheet is named there."""
        raise _Found(f"<?{target}")


def _is_costly(style: str) -> bool:
    style = style.lower()
    return any(each in style for each in ("@", "\\", "animation", "transition", "/*"))
