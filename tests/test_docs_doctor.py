"""A reader of docs/doctor.md sees what `oche doctor` says, and types what it says to type."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, get_args

import pytest

from daemon.admin.doctor.checks import Name
from daemon.config.reader import read_config
from daemon.mqtt.errors import ErrorKind
from tests.english_words import read_sentences

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "doctor.md").read_text(encoding="utf-8")
SAID = (
    *sorted((ROOT / "daemon" / "admin" / "doctor").glob("*.py")),
    ROOT / "daemon" / "remedies.py",
    ROOT / "daemon" / "config" / "reader.py",  # write_command
)
CODE = "\n".join(file.read_text(encoding="utf-8") for file in SAID)


def commands(text: str) -> set[str]:
    """What is to be typed as root: the programs, and what two of them are to do."""
    text = re.sub(r"\s+", " ", text)
    verbs = re.findall(r"systemctl [a-z]+(?:-[a-z]+)?|raspi-config nonint [a-z_]+", text)
    return {*re.findall(r"sudo ([a-z][a-z-]*)", text), *verbs} - {"systemctl show"}


def test_every_check_has_its_part_in_the_order_of_names() -> None:
    parts = re.findall(r"^### (.+)$", PAGE, re.MULTILINE)
    assert sorted(parts) == sorted(get_args(Name))


def test_the_commands_of_the_page_are_those_of_the_doctor() -> None:
    assert commands(PAGE) == commands(CODE)


class Line(NamedTuple):
    """A place that makes a check: where, the name (None: of several), and the sentences it may have."""

    function: str
    name: str | None
    sentences: frozenset[str]


ELSEWHERE = {
    "check_machine": "",  # daemon/admin/doctor/machine.py
    "check_configuration": "",  # any sentence of the reader
    "check_plugins": "",
    "check_journals": "",
    "_check_adapter": "link.no_bus link.no_service link.denied link.off link.no_adapter",
    "_check_board": "link.tcp_unknown link.tcp_no_answer link.tcp_firewall link.tcp_closed link.tcp_no_way"
    " link.tcp_hung_up link.tcp_silent link.no_rfc2217 link.rfc2217_baud",
    "_check_camera": "link.tcp_unknown link.tcp_no_answer link.tcp_no_way link.tcp_closed link.web_slow",
    "check_secret": "secret.unread",
    "_check_state": "link.no_proxy_library link.proxy_full link.proxy_gone link.proxy_key_unread link.proxy_no_key"
    " link.proxy_none link.proxy_old link.proxy_other link.proxy_passive link.proxy_password link.proxy_silent"
    " link.proxy_taken link.proxy_unknown link.proxy_wants_key link.proxy_wrong_key",
    "_check_local": "broker.none broker.port_taken",
    "_check_password": "",
    "_check_connection": "",  # these two have those of ErrorKind
    "_explain_refusal": "",
    "_check_login": "broker.packet_limit",
    "_report_denied": "broker.no_topic",
    "report_hang_up": "broker.hung_up",
    "check_tournaments": "broker.no_topic",
    "check_places": "broker.no_topic",
    "check_league": "",  # any sentence of its file
}
"""Where a check has its sentence from another file: the keys of those that must be answered on the page."""


def list_lines() -> Iterator[Line]:
    """Yields what the doctor says that is not `ok`, as the code has it."""
    for file in sorted((ROOT / "daemon" / "admin" / "doctor").glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield from _list_checks(node)


def _list_checks(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Line]:
    """Yields those of one function. A variable has what it was given since the check before, or else last."""
    calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
    checks = [call for call in calls if ast.unparse(call.func) in ("Check", "Check.from_sentence")]
    since = 0
    for check in sorted(checks, key=lambda call: call.lineno):
        name, verdict, said = check.args[0], check.args[1], check.args[2]
        if not (isinstance(verdict, ast.Constant) and verdict.value == "ok"):
            found = frozenset(_find_sentences(said, function, since, check.lineno))
            yield Line(function.name, name.value if isinstance(name, ast.Constant) else None, found)  # type: ignore[arg-type]
        since = check.lineno


def _find_sentences(said: ast.expr, function: ast.AST, since: int, until: int) -> Iterator[str]:
    match said:
        case ast.Constant(str(text)):
            yield text
        case ast.IfExp():
            yield from _find_sentences(said.body, function, since, until)
            yield from _find_sentences(said.orelse, function, since, until)
        case ast.Call(ast.Name("say"), [ast.Starred(pair), *_]):
            yield from _find_sentences(pair, function, since, until)
        case ast.Call(ast.Name("say"), [_, text, *_]) | ast.Tuple([_, text]):
            yield from _find_sentences(text, function, since, until)
        case ast.Name(name):
            before = [
                each
                for each in ast.walk(function)
                if isinstance(each, ast.Assign) and ast.unparse(each.targets[0]) == name and each.lineno < until
            ]
            latest = [each for each in before if each.lineno > since] or before[-1:]
            for each in latest:
                yield from _find_sentences(each.value, function, since, until)


def find_part(name: str | None) -> str:
    """Returns the part of the page on this check; None: the whole page."""
    return PAGE if name is None else PAGE.partition(f"\n### {name}\n")[2].partition("\n### ")[0]


def is_answered(sentence: str, part: str) -> bool:
    """Whether a row begins with it, "…" standing for each value, and then says something."""
    return (
        re.search(rf"^\| {re.escape(re.sub('{[^}]+}', '…', sentence))} \| .{{8,}} \|$", part, re.MULTILINE) is not None
    )


def test_every_line_that_is_not_ok_is_answered_on_the_page() -> None:
    lines = list(list_lines())
    assert len(lines) > 80
    missing = [
        (line.name, sentence)
        for line in lines
        for sentence in line.sentences - {"{what}", "{name}: {what}"}
        if not is_answered(sentence, find_part(line.name))
    ]
    assert missing == [], "give each a row in docs/doctor.md"


@pytest.mark.slow
def test_every_line_from_elsewhere_is_answered_on_the_page() -> None:
    assert {line.function for line in list_lines() if not line.sentences} == {*ELSEWHERE}
    english = read_sentences()
    keys = [key.split(".") for keys in ELSEWHERE.values() for key in keys.split()]
    sentences = [english[group][name] for group, name in keys] + [kind.value[0].template for kind in ErrorKind]
    said = [re.sub("{+[^}]+}+", "…", sentence.partition(": ")[0].replace("{{more}}", "")) for sentence in sentences]
    assert [sentence for sentence in said if not is_answered(sentence, PAGE)] == []


EVERYTHING = "\n".join(file.read_text(encoding="utf-8") for file in sorted((ROOT / "daemon").rglob("*.py")))
SETTINGS = sorted({*re.findall(r"write (\w+ = \S+) below \[(\w+)\]", EVERYTHING)})


def test_no_setting_is_written_where_it_lands_in_another_table() -> None:
    assert re.findall(r"(?:bridge|mqtt|web|table)\.\w+ = [\"'\w].*", EVERYTHING) == []
    assert {section for _, section in SETTINGS} == {"mqtt", "web"}


@pytest.mark.parametrize(("line", "section"), SETTINGS)
def test_a_setting_that_is_told_makes_a_file_that_is_right(tmp_path: Path, line: str, section: str) -> None:
    file = tmp_path / "oche.toml"
    shipped = (ROOT / "debian" / "etc" / "oche.toml").read_text(encoding="utf-8")
    key, _, value = line.partition(" = ")
    without = re.sub(rf"(?<=\[{section}\]\n)((?:[^\[]*\n)?){key} = .*\n", r"\1", shipped)
    bare = '[[table]]\nboard = "sim:granboard"\n'
    for text in (without.replace(f"[{section}]\n", f"[{section}]\n{line}\n"), f"{bare}\n[{section}]\n{line}\n"):
        file.write_text(text, encoding="utf-8")
        found = getattr(read_config(file).config, section)
        assert getattr(found, key) == tomllib.loads(f"value = {value}")["value"]
