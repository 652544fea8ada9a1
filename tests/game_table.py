"""The table of docs/games.md on the interface of a game, made from the docstrings of engine/game.py and its like."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from typing import Any

from engine import game
from engine.game import Advice, Game, Preset, Prompt, Reason, Step, Translation, Turn
from engine.luck import Luck
from engine.skill import Skill
from protocol.segment import Segment

BEGIN, END = "<!-- interface, written by make docs -->\n\n", "\n\n<!-- end of interface -->"
_GIVEN: tuple[tuple[str, type[Any], tuple[str, ...]], ...] = (  # Any: of any class
    ("turn", Turn, ("thrown", "prompt_id")),
    ("segment", Segment, ("points",)),
    ("luck", Luck, ("number", "die", "shuffled")),
    ("skill", Skill, ("chances", "worth", "best")),
)
"""What a method is given: its name there, its class, and the methods and properties that a game calls."""
_MADE = (Step, Prompt, Reason, Advice, Preset, Translation)
"""What a game makes, whose docstrings say what the fields are."""


def with_interface(page: str) -> str:
    """The page with the table as it is now."""
    before, _, rest = page.partition(BEGIN)
    _, found, after = rest.partition(END)
    assert found, "docs/games.md has lost a mark of the interface"
    return before + BEGIN + make_table() + END + after


def make_table() -> str:
    """Every attribute and method of a game, then what it is given and what it makes, a row each."""
    rows = [*_list_attributes(), *(_describe_method("", Game, name) for name in _list_methods())]
    for name, kind, members in _GIVEN:
        if kind in (Turn, Segment):
            rows.append((f"`{name}`", _read(kind)))
        rows += [_describe_method(f"{name}.", kind, member) for member in members]
    rows += [(f"`{kind.__name__}({', '.join(inspect.signature(kind).parameters)})`", _read(kind)) for kind in _MADE]
    return "\n".join(["| name | meaning |", "|---|---|", *(f"| {name} | {_escape(text)} |" for name, text in rows)])


def _list_attributes() -> Iterator[tuple[str, str]]:
    """Yields the class attributes with their defaults and the texts below them. Raises AssertionError without one."""
    classes = [node for node in ast.parse(inspect.getsource(game)).body if isinstance(node, ast.ClassDef)]
    (body,) = (node.body for node in classes if node.name == "Game")
    for node, below in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.AnnAssign):
            assert isinstance(below, ast.Expr), f"say below it what {ast.unparse(node.target)} is"
            default = f" = {ast.unparse(node.value)}" if node.value is not None else ""
            yield f"`{ast.unparse(node.target)}{default}`", " ".join(str(ast.literal_eval(below.value)).split())


def _list_methods() -> list[str]:
    return [name for name, member in vars(Game).items() if inspect.isfunction(member) and not name.startswith("_")]


def _describe_method(before: str, kind: type, name: str) -> tuple[str, str]:
    member = getattr(kind, name)
    if isinstance(member, property):
        return f"`{before}{name}`", _read(member)
    given = [each for each in inspect.signature(member).parameters.values() if each.name != "self"]
    words = (each.name if each.default is each.empty else f"{each.name}={each.default!r}" for each in given)
    return f"`{before}{name}({', '.join(words)})`", _read(member)


def _read(member: object) -> str:
    return " ".join((inspect.getdoc(member) or "").split())


def _escape(text: str) -> str:
    return text.replace("|", "\\|")
