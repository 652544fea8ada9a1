"""Mistakes in TOML: the sentence a person reads, word for word, and the line it points to."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta, Struct

from protocol.source import Source, SourceError, locate
from protocol.spelling import explain_decode_error, suggest_nearest


class Link(Struct, frozen=True):
    kind: Literal["serial", "usb"] = "serial"
    baud: Annotated[int, Meta(ge=1)] = 9600


class Table(Struct, frozen=True):
    id: str
    link: Link = Link()
    names: list[str] = []


class Example(Struct, frozen=True):
    port: int = 1883
    host: str | None = None
    loud: bool = False
    words: dict[str, str | list[str]] = {}
    links: dict[str, Link] = {}
    table: list[Table] = []
    spare: list[Table] | None = None


GOOD = """\
port = 1884
host = "here"
loud = true

[words]
next = "n"
"undo it" = ["u", "U"]

[[table]]
id = "a"
link = {kind = "usb"}

[[table]]
id = "b"
names = [
    "Ann",
    "Bo",
]
[table.link]
baud = 115200
"""

MISTAKES: dict[str, tuple[str, str]] = {
    # unknown keys, wherever they stand
    "top": ("prot = 1\n", "line 1: unknown key 'prot'; did you mean 'port'?"),
    "far from all": (
        "# mine\n\nzzz = 1\n",
        "line 3: unknown key 'zzz'; possible here: host, links, loud, port, spare, table, words",
    ),
    "a table": ("[tables]\n", "line 1: unknown key 'tables'; did you mean 'table'?"),
    "in a list of tables": (
        '[[table]]\nid = "a"\n[[table]]\nid = "b"\nlonk = {}\n',
        "line 5: unknown key 'lonk'; did you mean 'link'?",
    ),
    "in a table of a list": (
        '[[table]]\nid = "a"\n[table.link]\nboud = 1\n',
        "line 4: unknown key 'boud'; did you mean 'baud'?",
    ),
    "inline": (
        'port = 1\n[[table]]\nid = "a"\nlink = {boud = 1}\n',
        "line 4: unknown key 'boud'; did you mean 'baud'?",
    ),
    "dotted": ('[[table]]\nid = "a"\nlink.boud = 1\n', "line 3: unknown key 'boud'; did you mean 'baud'?"),
    "in a list that may be left out": (
        '[[spare]]\nid = "a"\nnams = []\n',
        "line 3: unknown key 'nams'; did you mean 'names'?",
    ),
    "below free keys": ("[links.one]\nboud = 1\n", "line 2: unknown key 'boud'; did you mean 'baud'?"),
    # values
    "a text for a number": ('port = "1883"\n', "line 1: port = '1883': this must be a whole number"),
    "a number for a text": ("host = 1\n", "line 1: host = 1: this must be a text"),
    "a fraction": ("port = 1.5\n", "line 1: port = 1.5: this must be a whole number"),
    "a truth": ('\nloud = "yes"\n', "line 2: loud = 'yes': this must be true or false"),
    "a number for a table": (
        '[[table]]\nid = "a"\nlink = 3\n',
        "line 3: table.0.link = 3: this must be a table of keys",
    ),
    "a table for a list": ('[table]\nid = "a"\n', "line 1: table: this must be a list"),
    "an item of a list": (
        '[[table]]\nid = "a"\n[[table]]\nid = "b"\nnames = [\n  "Ann",\n  4,\n]\n',
        "line 5: table.1.names.1 = 4: this must be a text",
    ),
    "too small": (
        '[[table]]\nid = "a"\n[table.link]\nbaud = 0\n',
        "line 4: table.0.link.baud = 0: this must be a whole number >= 1",
    ),
    "a free key": ('[words]\nnext = "n"\nundo = 3\n', "line 3: words.undo = 3: this must be a text or a list"),
    "an item of a free key": ('[words]\nnext = ["n", 4]\n', "line 2: words.next.1 = 4: this must be a text"),
    "a table under a free key": ("[links]\none = 3\n", "line 2: links.one = 3: this must be a table of keys"),
    # one of a few words
    "a word": (
        '[[table]]\nid = "a"\nlink = {kind = "sreial"}\n',
        "line 3: table.0.link.kind = 'sreial': this must be one of serial, usb; did you mean 'serial'?",
    ),
    "a word below free keys": (
        '[links.one]\nkind = "ble"\n',
        "line 2: links.one.kind = 'ble': this must be one of serial, usb",
    ),
    # what is missing
    "a key": ('[[table]]\nid = "a"\n\n[[table]]\nnames = []\n', "line 4: table.1: the key 'id' is missing"),
    # what is no TOML
    "no value": ("port = 1\nhost =\n", "line 2: this is not TOML: Invalid value"),
    "no end": ('words = [\n"a"\n', "line 2: this is not TOML: Unclosed array"),
    "twice": ("port = 1\nport = 2\n", "line 2: this is not TOML: Cannot overwrite a value"),
}


def test_what_is_right_is_read() -> None:
    assert Source(GOOD, "oche.toml").read(Example) == Example(
        port=1884,
        host="here",
        loud=True,
        words={"next": "n", "undo it": ["u", "U"]},
        table=[Table("a", Link("usb")), Table("b", Link(baud=115200), ["Ann", "Bo"])],
    )
    assert Source("", "oche.toml").read(Example) == Example()


@pytest.mark.parametrize("mistake", MISTAKES)
def test_every_mistake_is_one_sentence_with_its_line(mistake: str) -> None:
    text, sentence = MISTAKES[mistake]
    with pytest.raises(SourceError) as caught:
        Source(text, "oche.toml").read(Example)
    assert str(caught.value) == f"oche.toml, {sentence}"
    assert (caught.value.file, f"line {caught.value.line}: {caught.value.reason}") == ("oche.toml", sentence)


def test_what_is_missing_from_the_whole_file_has_no_line() -> None:
    with pytest.raises(SourceError) as caught:
        Source("names = []\n", "table.toml").read(Table)
    assert str(caught.value) == "table.toml: the key 'id' is missing"
    assert caught.value.line is None


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("port",), 1),
        (("words",), 5),
        (("words", "undo it"), 7),
        (("words", "undo it", 1), 7),
        (("words", "redo"), 5),
        (("table", 0), 9),
        (("table", 0, "link", "kind"), 11),
        (("table", 1), 13),
        (("table", 1, "names"), 15),
        (("table", 1, "names", 1), 15),
        (("table", 1, "link"), 19),
        (("table", 1, "link", "baud"), 20),
        (("table", 1, "link", "kind"), 19),
        (("nowhere",), None),
        ((), None),
    ],
)
def test_where_a_value_is_written(path: tuple[str | int, ...], line: int | None) -> None:
    assert locate(GOOD, path) == line


def test_values_that_look_like_keys_are_not_located() -> None:
    text = (
        'about = """\nport = 1\n[words]\n"""\n'  # lines 1 to 4
        'teams = [\n    ["port"],\n    [1]\n]\n'  # 5 to 8
        '# port = 2\nport = 3\n\n["a.b".c]\nport = 4\n'
    )
    assert locate(text, ("port",)) == 10
    assert locate(text, ("teams", 1, 0)) == 5
    assert locate(text, ("a.b", "c", "port")) == 13
    assert locate(text, ("a.b", "d")) == 12, "the nearest thing around it"


def test_lists_of_tables_in_lists_of_tables() -> None:
    text = "[[a]]\nx = 1\n[[a.b]]\ny = 1\n[[a.b]]\ny = 2\n[[a]]\n[[a.b]]\ny = 3\n[a.b.c]\nz = 1\n"
    assert [locate(text, ("a", 0, "b", n, "y")) for n in (0, 1)] == [4, 6]
    assert locate(text, ("a", 1, "b", 0, "y")) == 9
    assert locate(text, ("a", 1, "b", 0, "c", "z")) == 11


@given(text=st.text("ab=[]\"'#.\n 1{},\\", max_size=60))
def test_no_text_makes_it_stumble(text: str) -> None:
    error = complaint(text)
    if error is not None:
        assert str(error).startswith("oche.toml")
        assert error.line is None or 1 <= error.line <= max(1, len(text.splitlines()))
        assert "\n" not in str(error.reason)


def complaint(text: str) -> SourceError | None:
    try:
        Source(text, "oche.toml").read(Example)
    except SourceError as error:
        return error
    return None


class Plate(msgspec.Struct):
    """A text of a certain form."""

    number: Annotated[str, msgspec.Meta(pattern="^[A-Z]{2} [0-9]+$")]


def test_a_text_that_does_not_match_says_what_it_must_look_like() -> None:
    with pytest.raises(msgspec.ValidationError) as error:
        msgspec.convert({"number": "x"}, Plate)
    assert explain_decode_error(error.value, Plate) == (
        "this must be a text of the form ^[A-Z]{2} [0-9]+$",
        ("number",),
    )


def test_the_nearest_spelling_may_differ_in_the_case_of_letters() -> None:
    assert suggest_nearest("BULL", ["bull", "T20"]) == "; did you mean 'bull'?"
    assert suggest_nearest("t20", ["20", "T20"]) == "; did you mean 'T20'?"
    assert suggest_nearest("x", ["bull", "T20"]) == "; possible here: T20, bull"
    assert suggest_nearest("x", []) == ""
