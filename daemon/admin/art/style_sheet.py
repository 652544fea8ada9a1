"""A style sheet of art, read by an allow-list: what is not known to do no harm is refused, with its line.

What is served is written anew from what was read. It holds only while a page shows art: every selector gets
`[data-art]` before it, which also has it win over the page's own rules of the same weight.
"""

from __future__ import annotations

import math
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any, cast

import tinycss2

from daemon.errors import UserError, escape_controls
from protocol.sentence import Sentence, say

MOST_CSS_BYTES = 100_000
"""Of all style sheets of one art."""
_MOST_RULES = 1_000
_MOST_SELECTOR = 500
_MOST_TOKENS = 200
"""In one value."""
_DEEPEST = 8
_MOST_NUMBER = 10_000
_MOST_BLUR_PX, _MOST_BLUR = 100, 10
"""Of a shadow or a filter; the second in units as large as a letter."""
_MOST_SECONDS = 10
_MOST_TURNS = 10
"""Of an animation: it comes to rest after 100 seconds."""
_MOST_CONTENT = 40

Node = Any  # of tinycss2, which has no types

_SIDES = ("top", "right", "bottom", "left", "block", "inline", "block-start", "block-end", "inline-start", "inline-end")
_CORNERS = ("top-left", "top-right", "bottom-left", "bottom-right")
_MOVING = frozenset({"transform", "opacity", "translate", "rotate", "scale"})
_PROPERTIES = frozenset(
    {
        *_MOVING,
        *("transform-origin", "color", "fill", "stroke", "fill-opacity", "stroke-opacity", "stroke-width"),
        *("stroke-dasharray", "stroke-linecap", "stroke-linejoin", "paint-order", "-webkit-text-stroke"),
        "background",
        *(f"background-{each}" for each in ("color", "image", "position", "size", "repeat", "origin", "clip")),
        *(
            f"border{side}{what}"
            for side in ("", *(f"-{side}" for side in _SIDES))
            for what in ("", "-color", "-style")
        ),
        *(f"border{side}-width" for side in ("", *(f"-{side}" for side in _SIDES))),
        "border-radius",
        *(f"border-{corner}-radius" for corner in _CORNERS),
        "border-image",
        *(f"border-image-{each}" for each in ("source", "slice", "width", "outset", "repeat")),
        *("box-shadow", "text-shadow", "filter", "letter-spacing", "text-transform"),
        *(f"text-decoration{each}" for each in ("", "-line", "-color", "-style", "-thickness")),
        *("font-family", "font-style", "font-weight", "font-stretch", "font-variant", "font-variant-numeric"),
        "animation",
        *(f"animation-{each}" for each in ("name", "duration", "delay", "iteration-count", "timing-function")),
        *("animation-direction", "animation-fill-mode", "transition", "content"),
    }
)
VARIABLES = frozenset(
    f"--{each}"
    for each in (
        *("ground", "panel", "raised", "line", "edge", "text", "soft", "gold", "on-gold", "bad", "ok", "side"),
        *("surround", "wire", "dark", "light", "red", "green", "number", "lit", "hit", "hatch"),
    )
)
"""The colours of the page that art may set."""
_FUNCTIONS = frozenset(
    {
        *("rgb", "rgba", "hsl", "hsla", "hwb", "lab", "lch", "oklab", "oklch", "color", "color-mix", "light-dark"),
        *("linear-gradient", "radial-gradient", "conic-gradient", "repeating-linear-gradient"),
        *("repeating-radial-gradient", "repeating-conic-gradient", "var"),
        *("cubic-bezier", "steps", "translate", "translatex", "translatey", "scale", "scalex", "scaley", "rotate"),
        *("skew", "skewx", "skewy", "matrix", "brightness", "contrast", "drop-shadow", "grayscale", "hue-rotate"),
        *("invert", "opacity", "saturate", "sepia"),
    }
)
_RECKONING = frozenset({"calc", "min", "max", "clamp"})
_BLURRED = ("-shadow", "filter")
"""How the names of properties end that blur."""
_PSEUDO_FUNCTIONS = frozenset({"is", "where", "not", "nth-child", "nth-last-child", "nth-of-type"})
_SELECTOR_MARKS = frozenset({".", ":", "::", ">", "+", "~", "*", ",", "=", "^=", "$=", "*=", "~="})
_MEDIA = frozenset(
    {
        *("all", "screen", "and", "or", "not", "only", "orientation", "portrait", "landscape", "light", "dark"),
        *("prefers-color-scheme", "prefers-reduced-motion", "reduce", "no-preference"),
        *(f"{edge}{what}" for edge in ("", "min-", "max-") for what in ("width", "height", "aspect-ratio")),
    }
)
_TEXTS = frozenset({"content", "font-family"})
"""The properties that may have strings."""
_SIGNS = frozenset({",", "/", "+", "-", "*"})
_PICTURE = re.compile(r"[a-z0-9][a-z0-9._-]*\.(svg|png|jpe?g|webp)")
_WITH_ART = re.compile(r"(?P<root>:root|html)?(?P<art>\[data-art\b)?")
_CONTROL = re.compile(r"[^\t\n\x20-\x7e\xa0-\U0010ffff]|[\u2028\u2029]")


class _Refused(Exception):
    def __init__(self, line: int, why: Sentence) -> None:
        super().__init__(line, why)
        self.line = line
        self.why = why


def check_sheets(sheets: Mapping[str, bytes], files: Container[str]) -> str:
    """Returns these style sheets, by their names, as the one that is served; `files` has the pictures of the folder.

    Raises UserError, which names the file, the line and the reason, for one that is not allowed.
    """
    _check_length(sum(map(len, sheets.values())))
    written = "\n".join(check_sheet(name, content, files) for name, content in sheets.items()) + "\n"
    _check_length(len(written.encode()))  # a backup brings it back as it is written
    if len(_parse(written)) > _MOST_RULES:
        raise UserError(say("art.rules", "there are more than {most} rules", most=_MOST_RULES), 2)
    return written


def _check_length(size: int) -> None:
    if size > MOST_CSS_BYTES:
        most, size = MOST_CSS_BYTES // 1_000, size // 1_000
        raise UserError(say("art.long", "the style sheets have {size} kB: at most {most} kB", size=size, most=most), 2)


def check_sheet(name: str, content: bytes, files: Container[str]) -> str:
    """Returns a style sheet as it is served. Raises as `check_sheets` does."""
    try:
        text = _decode(content)
        written = _write_rules(_parse(text), files)
        if written != _write_rules(_parse(written), files):  # what is served is what was read
            raise _Refused(1, _describe_damage())
    except _Refused as refused:
        said = say("art.sheet", "{file}, line {line}: {why}", file=name, line=refused.line, why=refused.why)
        raise UserError(said, 2) from None
    return written


def _parse(text: str) -> list[Node]:
    found: list[Node] = tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True)
    return found


def _decode(content: bytes) -> str:
    try:
        text = content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise _Refused(content.count(b"\n", 0, error.start) + 1, say("art.utf8", "this is not UTF-8 text")) from None
    if (found := text.find("\\")) >= 0:
        why = say("art.backslash", "a backslash is not allowed: write the character itself")
        raise _Refused(text.count("\n", 0, found) + 1, why)
    if (control := _CONTROL.search(text)) is not None:
        raise _Refused(text.count("\n", 0, control.start()) + 1, _describe_damage())
    return text


def _describe_damage() -> Sentence:
    return say("art.damaged", "this CSS is damaged: look for a missing bracket, colon or semicolon")


def _write_rules(rules: Sequence[Node], files: Container[str]) -> str:
    if len(rules) > _MOST_RULES:
        line = rules[_MOST_RULES].source_line
        raise _Refused(line, say("art.rules", "there are more than {most} rules", most=_MOST_RULES))
    return "\n".join(_write_rule(rule, files) for rule in rules)


def _write_rule(rule: Node, files: Container[str], *, is_within: bool = False) -> str:
    match rule.type:
        case "qualified-rule":
            return f"{_write_selectors(rule)} {{{_write_declarations(rule, files)}}}"
        case "at-rule" if rule.lower_at_keyword == "keyframes" and rule.content is not None:
            return _write_keyframes(rule, files)
        case "at-rule" if rule.lower_at_keyword == "media" and rule.content is not None and not is_within:
            inner = [each for each in _parse_rules(rule) if each.type != "comment"]
            if len(inner) > _MOST_RULES:
                raise _Refused(rule.source_line, say("art.rules", "there are more than {most} rules", most=_MOST_RULES))
            written = "\n".join(_write_rule(each, files, is_within=True) for each in inner)
            return f"@media {_write_query(rule)} {{\n{written}\n}}"
        case "at-rule":
            given = f"@{_show(rule.at_keyword)}"
            why = say("art.at_rule", "{given} is not allowed here: only @media and @keyframes are", given=given)
            raise _Refused(rule.source_line, why)
    raise _Refused(rule.source_line, _describe_damage())


def _parse_rules(rule: Node) -> list[Node]:
    found: list[Node] = tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True)
    return found


def _write_query(rule: Node) -> str:
    tokens = _strip(rule.prelude)
    for token in _walk(tokens):
        is_word = token.type == "ident" and token.lower_value in _MEDIA
        is_number = token.type in ("number", "dimension") and abs(token.value) <= _MOST_NUMBER
        is_mark = token.type in ("whitespace", "() block") or token in (":", ",", "/")
        if not (is_word or is_number or is_mark):
            why = say(
                "art.media",
                "@media may ask for width, height, aspect-ratio, orientation, prefers-color-scheme and "
                "prefers-reduced-motion only",
            )
            raise _Refused(rule.source_line, why)
    return _serialize(tokens)


def _write_keyframes(rule: Node, files: Container[str]) -> str:
    name = _strip(rule.prelude)
    if len(name) != 1 or name[0].type != "ident":
        raise _Refused(rule.source_line, _describe_damage())
    written = []
    for frame in _parse_rules(rule):
        if frame.type != "qualified-rule":
            raise _Refused(frame.source_line, _describe_damage())
        steps = _strip(frame.prelude)
        for step in steps:
            is_named = step.type == "ident" and step.lower_value in ("from", "to")
            if not (is_named or step.type in ("percentage", "whitespace") or step == ","):
                raise _Refused(step.source_line, _describe_damage())
        for each in _read_declarations(frame):
            if each.lower_name not in (*_MOVING, "animation-timing-function"):
                given = _show(each.name)
                why = say("art.keyframes", "@keyframes may change only transform and opacity, not {given}", given=given)
                raise _Refused(each.source_line, why)
        written.append(f"{_serialize(steps)} {{{_write_declarations(frame, files)}}}")
    return f"@keyframes {_serialize(name)} {{\n" + "\n".join(written) + "\n}"


def _write_selectors(rule: Node) -> str:
    parts: list[list[Node]] = [[]]
    tokens = _strip(rule.prelude)
    for token in _walk(tokens):
        is_name = token.type in ("ident", "hash", "whitespace", "number", "dimension", "string", "[] block")
        is_mark = token.type == "literal" and token.value in _SELECTOR_MARKS
        is_function = token.type == "function" and token.lower_name in _PSEUDO_FUNCTIONS
        if not (is_name or is_mark or is_function):
            given = _show(token.serialize())
            why = say("art.selector", "this selector cannot be used here: {given} is not allowed in it", given=given)
            raise _Refused(token.source_line, why)
    for token in tokens:
        if token == ",":
            parts.append([])
        else:
            parts[-1].append(token)
    written = [_serialize(_trim(part)) for part in parts]
    if not all(written) or sum(map(len, written)) > _MOST_SELECTOR:
        raise _Refused(rule.source_line, _describe_damage())
    return ", ".join(map(_add_art, written))


def _add_art(selector: str) -> str:
    """Returns the selector of what it names while the page shows art."""
    begun = _WITH_ART.match(selector)
    assert begun is not None
    if begun["art"]:
        return selector
    root = begun["root"] or ""
    rest = selector[len(root) :]
    if root and not re.match(r"[\w-]", rest):
        return f"{root}[data-art]{rest}"
    return f"[data-art] {selector}"


def _read_declarations(rule: Node) -> Iterator[Node]:
    for each in tinycss2.parse_blocks_contents(rule.content, skip_comments=True, skip_whitespace=True):
        if each.type in ("qualified-rule", "at-rule"):
            why = say("art.nested", "a rule within a rule is not allowed: write its selector in full")
            raise _Refused(each.source_line, why)
        if each.type != "declaration":
            raise _Refused(each.source_line, _describe_damage())
        yield each


def _write_declarations(rule: Node, files: Container[str]) -> str:
    return "; ".join(_write_declaration(each, files) for each in _read_declarations(rule))


def _write_declaration(each: Node, files: Container[str]) -> str:
    name: str = each.name if each.name.startswith("--") else each.lower_name
    if name.startswith("--") and name not in VARIABLES:
        why = say("art.variable", "{given} is not a colour of the page that can be set", given=_show(name))
        raise _Refused(each.source_line, why)
    if not name.startswith("--") and name not in _PROPERTIES:
        why = say("art.property", "the property {given} is not allowed", given=_show(name))
        raise _Refused(each.source_line, why)
    if each.important:
        raise _Refused(each.source_line, say("art.important", "!important is not allowed"))
    tokens = _strip(each.value)
    found = list(_walk(tokens))
    if not tokens or len(found) > _MOST_TOKENS:
        raise _Refused(each.source_line, _describe_damage())
    for token in found:
        _check_value(name, token, files)
    if name == "transition":
        _check_transition(each, tokens)
    if name.startswith("animation"):
        _check_animation(tokens)
    return f"{name}: {_serialize(tokens)}"


def _check_value(name: str, token: Node, files: Container[str]) -> None:
    if token.type == "url":
        _check_picture(name, token, files)
    elif not _is_allowed(name, token):
        why = say("art.value", "{given} is not allowed in {name}", given=_show(token.serialize()), name=_show(name))
        raise _Refused(token.source_line, why)


def _is_allowed(name: str, token: Node) -> bool:
    match token.type:
        case "ident" | "whitespace" | "hash" | "() block":
            return True
        case "number" | "percentage" | "dimension":
            return math.isfinite(token.value) and abs(token.value) <= _find_most(name, token)
        case "string":
            return name in _TEXTS and len(token.value) <= _MOST_CONTENT
        case "literal":
            return token.value in _SIGNS
        case "function" if token.lower_name in _RECKONING:
            return not name.endswith(_BLURRED)  # it could be reckoned to be large
        case "function":
            return token.lower_name in _FUNCTIONS
    return False


def _find_most(name: str, token: Node) -> int:
    """Returns the greatest number that there can be; a large blur takes a small machine long."""
    if token.type != "dimension" or token.lower_unit in ("deg", "turn") or not name.endswith(_BLURRED):
        return _MOST_NUMBER
    return _MOST_BLUR_PX if token.lower_unit == "px" else _MOST_BLUR


def _check_picture(name: str, token: Node, files: Container[str]) -> None:
    is_image = name in ("background", "background-image", "border-image", "border-image-source")
    if not (is_image and _PICTURE.fullmatch(token.value) and token.value in files):
        why = say(
            "art.url",
            "url({given}) is not allowed: it can name a picture in this folder (svg, png, jpg or webp), as a "
            "background or a border-image",
            given=_show(token.value),
        )
        raise _Refused(token.source_line, why)


def _check_transition(each: Node, tokens: Sequence[Node]) -> None:
    """Refuses what changes anything but transform and opacity: without a name it would be all."""
    parts: list[list[Node]] = [[]]
    for token in tokens:
        if token == ",":
            parts.append([])
        parts[-1].append(token)
    for part in parts:
        names = {token.lower_value for token in part if token.type == "ident"}
        has_var = any(token.type == "function" and token.lower_name == "var" for token in part)
        if not names & {*_MOVING, "none"} or "all" in names or has_var:
            why = say("art.transition", "transition may name only transform and opacity")
            raise _Refused(each.source_line, why)


def _check_animation(tokens: Sequence[Node]) -> None:
    """Refuses what does not come to rest."""
    for token in tokens:
        unit = {"s": 1, "ms": 1_000}.get(token.lower_unit) if token.type == "dimension" else None
        is_endless = token.type == "ident" and token.lower_value == "infinite"
        is_var = token.type == "function" and token.lower_name in {"var", *_RECKONING}
        is_long = unit is not None and abs(token.value) / unit > _MOST_SECONDS
        is_often = token.type == "number" and token.value > _MOST_TURNS
        if is_endless or is_var or is_long or is_often:
            why = say(
                "art.animation",
                "an animation runs at most {turns} times, {seconds} seconds each, written as plain numbers",
                turns=_MOST_TURNS,
                seconds=_MOST_SECONDS,
            )
            raise _Refused(token.source_line, why)


def _strip(tokens: Sequence[Node], depth: int = 0) -> list[Node]:
    """Returns these tokens with blanks in the places of comments, also within brackets, and none at their ends.

    Raises _Refused for brackets that go too deep.
    """
    kept = []
    for token in tokens:
        if token.type == "comment":
            kept.append(tinycss2.ast.WhitespaceToken(token.source_line, token.source_column, " "))
            continue
        kept.append(token)
        inner = _find_inner(token)
        if inner is not None:
            if depth == _DEEPEST:
                raise _Refused(token.source_line, _describe_damage())
            inner[:] = _strip(inner, depth + 1)
    return _trim(kept)


def _trim(tokens: Sequence[Node]) -> list[Node]:
    kept = [*tokens]
    while kept and kept[0].type == "whitespace":
        del kept[0]
    while kept and kept[-1].type == "whitespace":
        del kept[-1]
    return kept


def _walk(tokens: Sequence[Node]) -> Iterator[Node]:
    """Yields these tokens, and those within brackets. `url("…")` is one token."""
    for token in tokens:
        if token.type == "function" and token.lower_name == "url":
            only = token.arguments
            if len(only) == 1 and only[0].type == "string":
                yield tinycss2.ast.URLToken(token.source_line, token.source_column, only[0].value, "")
                continue
        yield token
        inner = _find_inner(token)
        if inner is not None:
            yield from _walk(inner)


def _find_inner(token: Node) -> list[Node] | None:
    """Returns what is within the brackets of a token; None: it has none."""
    if token.type == "function":
        return cast("list[Node]", token.arguments)
    if token.type in ("() block", "[] block", "{} block"):
        return cast("list[Node]", token.content)
    return None


def _serialize(tokens: Sequence[Node]) -> str:
    return " ".join(str(tinycss2.serialize(tokens)).split())


def _show(given: str) -> str:
    return escape_controls(given[:60])
