"""Every statement is a constant: what it works on is in its parameters, so that no name becomes a part of it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "daemon" / "collect"
CALLS = {"execute", "executemany", "copy", "stream"}
FILES = {("migrations.py", "each.text")}
"""The SQL files that ship."""


def find_constants(tree: ast.Module) -> set[str]:
    """The names that the head of a module gives to literals."""
    named = [node for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign)]
    return {
        target.id
        for node in named
        if isinstance(node.value, ast.Constant)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }


def find_others(file: str, text: str) -> Iterator[str]:
    """Yields the statements that are no constants."""
    tree = ast.parse(text)
    constants = find_constants(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CALLS:
            statement = node.args[0] if node.args else ast.Constant(None)
            is_constant = isinstance(statement, ast.Constant) or (
                isinstance(statement, ast.Name) and statement.id in constants
            )
            if not is_constant and (file, ast.unparse(statement)) not in FILES:
                yield f"{file}:{node.lineno}: {ast.unparse(statement)}"
        elif isinstance(node, ast.ImportFrom) and (node.module, *(each.name for each in node.names)) == (
            "psycopg",
            "sql",
        ):
            yield f"{file}:{node.lineno}: makes statements"


def test_every_statement_is_a_constant() -> None:
    found = [each for file in FOLDER.rglob("*.py") for each in find_others(file.name, file.read_text("utf-8"))]
    assert found == []


def test_the_test_finds_what_is_none() -> None:
    text = '_A: str = "select 1"\n_B = f"{_A}"\n_A2 = _A + _A\n'
    bad = ["f'select {x}'", "_B", "_A2", "'select %s' % x", "make()", "_A.format(x)"]
    assert len([*find_others("a.py", text + "".join(f"db.execute({each})\n" for each in bad))]) == len(bad)
    assert [*find_others("a.py", f"{text}db.execute(_A, [x])\ndb.execute('select 2')\n")] == []


def test_each_advisory_lock_has_a_number_of_its_own() -> None:
    """Else whoever forgets a player waits for whoever adds up all matches, and gives up after a minute."""
    found = [
        each for file in FOLDER.rglob("*.py") for each in re.findall(r"(?m)^_LOCK = ([\d_]+)", file.read_text("utf-8"))
    ]
    assert len({*found}) == len(found)
