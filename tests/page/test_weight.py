"""The page is small and whole: it asks for nothing from elsewhere, and for no file that it does not bring."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "daemon" / "web" / "page"
MOST_BYTES = 100_000
FILES = {file.name: file.read_text(encoding="utf-8") for file in PAGE.iterdir()}
SVG_NAMESPACE = "http://www.w3.org/2000/svg"


def test_all_of_it_is_small() -> None:
    """As it goes over the wire: every view, every language and the statistics, which no client loads all of."""
    sent = {name: len(gzip.compress(text.encode(), 9, mtime=0)) for name, text in FILES.items()}
    assert sum(sent.values()) < MOST_BYTES, sorted(sent.items(), key=lambda each: -each[1])


def test_nothing_in_it_names_another_host() -> None:
    elsewhere = re.compile(r"""\b(?:https?|wss?):|["'(=]\s*//[\w.-]""")
    named = {name: elsewhere.findall(text.replace(SVG_NAMESPACE, "")) for name, text in FILES.items()}
    assert not {name: found for name, found in named.items() if found}


def test_every_file_is_there_and_none_is_left_over() -> None:
    """An import that fails is an empty screen; `history` is the one page beside the first that has an address."""
    asked = re.compile(r"""(?:static/|(?:from|import|import\()\s*["']\./)([\w.]+)["']""")
    wanted = {"index.html", "history.html"}.union(*(asked.findall(text) for text in FILES.values()))
    languages = re.search(r"LANGUAGES = {(.*?)}", FILES["words.js"], re.DOTALL)
    assert languages is not None
    wanted |= {f"words_{code}.js" for code in re.findall(r"(\w+):", languages[1])}
    assert wanted == FILES.keys()
