"""The page changes single values of the owner's file; all else in it stays as it was written."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.admin.requests import Change
from daemon.admin.settings.toml_edit import change_text
from protocol.source import SourceError

FILE = """\
# The house.

[[table]]   # the first
board = "none"  # no sensor
players = [
    "Ann",  # she built it
    "Bo",
]
options = { start = 501, out = "double" } # as ever

# The broker in the cellar.
[mqtt]
host = "a # b"
"port" = 1884
# username = "oche"

# Who may look.
[web]
names = []

[[table]]
board = "sim:granboard"
name = "bar"
timing.repeat_ms = 5

[table.wiring]
turn = 3
"""


def change(text: str, *changes: tuple[tuple[str | int, ...], Any]) -> str:
    """Returns it with these changes of (path, value)."""
    return change_text(text, [Change(path, value) for path, value in changes])


@pytest.mark.parametrize(
    ("path", "value", "before", "after"),
    [
        (("table", 0, "board"), "sim:granboard", '"none"  #', '"sim:granboard"  #'),
        (("table", 0, "options", "out"), "master", '"double" } #', '"master" } #'),
        (("table", 0, "options"), {"start": 301, "out": "double"}, "start = 501", "start = 301"),
        (("table", 1, "wiring"), {"turn": 4}, "turn = 3", "turn = 4"),
        (("table", 1, "wiring"), {"turn": 4, "x": 1}, "turn = 3\n", "turn = 4\nx = 1\n"),
        (("mqtt", "host"), "x", '"a # b"', '"x"'),
        (("mqtt", "port"), 1, '"port" = 1884', '"port" = 1'),
        (("mqtt", "port"), None, '"port" = 1884\n', ""),
        (("mqtt", "tls"), True, '"port" = 1884\n', '"port" = 1884\ntls = true\n'),
        (("web", "names"), ["a", 'q"\\\x7f\n'], "names = []", 'names = ["a", "q\\"\\\\\\u007F\\n"]'),
        (("table", 1, "timing", "repeat_ms"), None, "timing.repeat_ms = 5\n", ""),
        (("table", 1, "timing", "contact_ms"), 6, "repeat_ms = 5\n", "repeat_ms = 5\ntiming.contact_ms = 6\n"),
        (("table", 1, "wiring", "turn"), 4, "turn = 3", "turn = 4"),
        (("table", 1, "wiring"), None, "[table.wiring]\nturn = 3\n", ""),
        (("table", 0), None, FILE[FILE.index("[[table]]") : FILE.index("\n# The broker")], ""),
        (
            ("table", 2),
            {"board": "none", "title": "ä"},
            "turn = 3\n",
            'turn = 3\n\n[[table]]\nboard = "none"\ntitle = "ä"\n',
        ),
        (("bridge", "language"), "de", "turn = 3\n", 'turn = 3\n\n[bridge]\nlanguage = "de"\n'),
        (("player", 0), {"name": "Ann"}, "turn = 3\n", 'turn = 3\n\n[[player]]\nname = "Ann"\n'),
        (("web",), None, "[web]\nnames = []\n", ""),
    ],
)
def test_one_change_touches_nothing_else(path: tuple[str | int, ...], value: object, before: str, after: str) -> None:
    assert FILE.count(before) == 1
    assert change(FILE, (path, value)) == FILE.replace(before, after)


def test_changes_are_made_one_after_the_other() -> None:
    changed = change(FILE, (("table", 0), None), (("table", 0, "name"), "cellar"), (("table", 1), {"board": "none"}))
    assert [table.get("name") for table in tomllib.loads(changed)["table"]] == ["cellar", None]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ('table = [{ board = "none" }]', ("table", 0, "board")),
        ('web = { names = ["a"] }\nmqtt.host = "b"', ("mqtt", "port")),
        ('mqtt.host = "b"', ("mqtt", "host")),
        ("", ("mqtt", "host")),
        ("[mqtt]\n[mqtt.x]\ny=1", ("mqtt", "host")),
    ],
)
def test_other_ways_to_write_it(text: str, path: tuple[str | int, ...]) -> None:
    changed: Any = tomllib.loads(change(text, (path, 'new "one"')))
    for step in path:
        changed = changed[step]
    assert changed == 'new "one"'


@pytest.mark.parametrize(
    "path", [(), ("table", 3), ("table", 5, "board"), ("table", "board"), ("table", -1), (0,), ("mqtt", "host", "x")]
)
def test_what_has_no_place_is_refused(path: tuple[str | int, ...]) -> None:
    with pytest.raises(ValueError, match="there is no setting"):
        change(FILE, (path, "x"))


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("table", 0, "players"), ["Cy"], "the file has a comment within players"),
        (("table", 0, "options"), {"start": {"x": None}}, "TOML has no null"),
        (("table", 0, "players"), ["Ann", None], "TOML has no null"),
        (("table", 5, "board"), "none", "there is no setting"),
        (("new",), "x", "is a section: write keys"),
    ],
)
def test_what_is_refused_has_the_path_of_its_change(path: tuple[str | int, ...], value: object, said: str) -> None:
    with pytest.raises(SourceError, match=said) as refused:
        change(FILE, (("mqtt", "host"), "x"), (path, value))
    assert refused.value.path == path


def test_a_list_over_lines_without_a_comment_is_changed() -> None:
    text = 'players = [\n  "# Ann",\n  "Bo" ] # as ever\n'
    assert change(text, (("players",), ["Cy"])) == 'players = ["Cy"] # as ever\n'


def test_the_comments_in_a_table_stay_when_it_is_changed_as_a_whole() -> None:
    text = "[[table]]\n[table.options] # of x01\n# the dearest\nstart = 501 # long\nout = 1 # gone\n"
    after = "[[table]]\n[table.options] # of x01\n# the dearest\nstart = 301 # long\nnew = { a = 1 }\n"
    assert change(text, (("table", 0, "options"), {"start": 301, "new": {"a": 1}})) == after


OUTLETS = """\
[[outlets.rule]]  # the great one
on = "180"
then = { webhook = "phone" } # buzzes

# Quiet evenings.
[[outlets.rule]]
on = "visit"
[outlets.rule.then]
webhook = "phone"

# Mine.
[[outlets.webhook]]
name = "phone"
"""


@pytest.mark.parametrize(
    ("path", "value", "before", "after"),
    [
        (("outlets", "rule", 0, "on"), ["180", "ton"], 'on = "180"', 'on = ["180", "ton"]'),
        (("outlets", "rule", 0, "then"), {"webhook": "x"}, '"phone" } #', '"x" } #'),
        (("outlets", "rule", 1, "then"), {"webhook": "x"}, '"phone"\n\n# Mine', '"x"\n\n# Mine'),
        (("outlets", "rule", 1, "points"), {"min": 9}, 'on = "visit"\n', 'on = "visit"\npoints = { min = 9 }\n'),
        (
            ("outlets", "rule", 0),
            None,
            '[[outlets.rule]]  # the great one\non = "180"\nthen = { webhook = "phone" } # buzzes\n',
            "",
        ),
        (("outlets", "rule", 1), None, '[[outlets.rule]]\non = "visit"\n[outlets.rule.then]\nwebhook = "phone"\n', ""),
        (("outlets", "webhook", 0), None, '[[outlets.webhook]]\nname = "phone"\n', ""),
        (("outlets", "rule", 2), {"on": "bust"}, "\n# Mine", '\n[[outlets.rule]]\non = "bust"\n\n# Mine'),
        (
            ("outlets", "light", 0),
            {"name": "strip"},
            'name = "phone"\n',
            'name = "phone"\n\n[[outlets.light]]\nname = "strip"\n',
        ),
        (
            ("outlets", "feed"),
            {"port": 8079},
            'name = "phone"\n',
            'name = "phone"\n\n[outlets]\nfeed = { port = 8079 }\n',
        ),
    ],
)
def test_tables_within_a_section_are_changed(
    path: tuple[str | int, ...], value: object, before: str, after: str
) -> None:
    assert OUTLETS.count(before) == 1
    assert change(OUTLETS, (path, value)) == OUTLETS.replace(before, after)


def test_the_last_table_of_a_kind_is_removed() -> None:
    first = change("# Mine.\n", (("outlets", "rule", 0), {"on": "180"}))
    assert first == '# Mine.\n\n[[outlets.rule]]\non = "180"\n'
    assert change(first, (("outlets", "rule", 0), None)) == "# Mine.\n\n"
    assert change('[outlets]\nrule = [{ on = "180" }]\n', (("outlets", "rule", 0), None)) == "[outlets]\nrule = []\n"


WORDS = st.text(max_size=8)
VALUES = st.recursive(
    st.one_of(st.booleans(), st.integers(-(2**53), 2**53), st.floats(allow_nan=False, allow_infinity=False), WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)
PLACES = st.sampled_from(
    [
        ("table", 0, "options"),
        ("table", 1, "title"),
        ("mqtt", "host"),
        ("web", "x"),
        ("new", "x"),
        ("table", 0, "new", "a"),
    ]
)


@pytest.mark.parametrize(
    ("text", "path", "value", "after"),
    [
        ("[web]\nport = 80 # ours\n", ("web", "proxies", 0), "10.0.0.1", 'proxies = ["10.0.0.1"]\n'),
        ("# mine\n", ("web", "proxies", 0), "10.0.0.1", '\n[web]\nproxies = ["10.0.0.1"]\n'),
        ('[[table]]\nboard = "none"\n', ("table", 0, "players", 0), "Ann", 'players = ["Ann"]\n'),
    ],
)
def test_the_first_element_of_a_list_that_is_not_there_is_added(
    text: str, path: tuple[str | int, ...], value: str, after: str
) -> None:
    assert change(text, (path, value)) == text + after


def test_a_line_end_of_unicode_is_none_of_toml() -> None:
    changed = change(FILE, (("mqtt", "host"), "a\u2028b\x85"), (("mqtt", "host"), "c"))
    assert changed == change(FILE, (("mqtt", "host"), "c"))


@pytest.mark.parametrize("path", [("new",), ("table", 2)])
def test_a_section_is_a_table(path: tuple[str | int, ...]) -> None:
    with pytest.raises(ValueError, match="is a section: write keys with values into it instead of 'x'"):
        change(FILE, (path, "x"))


@given(st.lists(st.tuples(PLACES, VALUES), max_size=4))
def test_any_value_is_written_so_that_it_is_read_again(changes: list[tuple[tuple[str | int, ...], Any]]) -> None:
    changed = change(FILE, *changes)
    assert all(line in changed for line in FILE.splitlines() if line.startswith("#"))
