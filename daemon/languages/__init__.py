"""What players read, in their language: files in the format i18next JSON v4, which the tools of translators know.

`<code>.json` has the sentences, and the page reads it too. Those that only who sets oche up meets are in
`setup_<code>.json`, which the page reads when settings are opened. A key is `group.name`; `{{value}}` is the place of a
value, and a sentence with a value `count` may have two forms, `name_one` and `name_other`. `label` has the names of
targets. The words of games and their options are in `games/` and `options/`: see game_words.py. `en.json`,
`setup_en.json` and `games/en.json` are written by `make docs`, for translators to begin with: English stands in the
code.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from protocol.messages import Phrase, Task, Variant
from protocol.sentence import Sentence, fill

FOLDER = Path(__file__).parent
LANGUAGES = ("en", *sorted({file.stem.removeprefix("setup_") for file in FOLDER.glob("*.json")} - {"en"}))
_OF_ONE = {"fr": (0, 1)}
"""Counts that take the form `_one`, by language; in the others 1 alone does."""


def translate(sentence: Sentence | Task | Variant | Phrase, language: str) -> str:
    """The sentence in this language; in English where the language has no words for it."""
    words = _read(language)
    group, _, name = sentence.key.partition(".")
    forms = words.get(group, {})
    plural = "one" if sentence.values.get("count") in _OF_ONE.get(language, (1,)) else "other"
    if not forms:
        forms = collect_added(language).get(group, {})
    template = forms.get(f"{name}_{plural}") or forms.get(name)
    if not template:
        return sentence.text
    values = {
        place: translate(value, language) if isinstance(value, Sentence | Phrase) else value
        for place, value in sentence.values.items()
    }
    try:
        return fill(template, values, words.get("label", {}))
    except KeyError:  # the words of a third party's game have a place that its sentence has not
        return sentence.text


def collect_added(language: str) -> Mapping[str, Mapping[str, str]]:
    """Returns the sentences that games of third parties bring in this language, by group and name."""
    from engine.games import GAMES, is_shipped  # noqa: PLC0415  large, and needed for these sentences alone

    found: dict[str, dict[str, str]] = {}
    for game in [GAMES[name] for name in GAMES if not is_shipped(name)]:
        if language in game.translations:
            for key, template in game.translations[language].sentences.items():
                group, _, name = key.partition(".")
                found.setdefault(group, {})[name] = template
    return found


def add_sentences(file: bytes, language: str) -> bytes:
    """Returns the file with the sentences of a language as the page reads it: with those of third parties' games."""
    added = collect_added(language)
    return json.dumps({**added, **json.loads(file)}, ensure_ascii=False).encode() if added else file


@cache
def _read(language: str) -> Mapping[str, Mapping[str, str]]:
    if language == "en":
        return {}
    return {
        group: words
        for name in (language, f"setup_{language}")
        for group, words in json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8")).items()
    }
