"""What players read, in their language: files in the format i18next JSON v4, which the tools of translators know.

`<code>.json` has the sentences, and the page reads it too. A key is `group.name`; `{{value}}` is the place of a value,
and a sentence with a value `count` may have two forms, `name_one` and `name_other`. `label` has the names of targets.
The words of games and their options are in `games/` and `options/`: see game_words.py. `en.json` and `games/en.json`
are written by `make docs`, for translators to begin with: English stands in the code.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from protocol.messages import Task
from protocol.sentence import Sentence, fill

FOLDER = Path(__file__).parent
LANGUAGES = ("en", *sorted(file.stem for file in FOLDER.glob("*.json") if file.stem != "en"))


def translate(sentence: Sentence | Task, language: str) -> str:
    """The sentence in this language; in English where the language has no words for it."""
    words = _read(language)
    group, _, name = sentence.key.partition(".")
    forms = words.get(group, {})
    plural = "one" if sentence.values.get("count") == 1 else "other"
    template = forms.get(f"{name}_{plural}") or forms.get(name)
    if not template:
        return sentence.text
    values = {
        place: translate(value, language) if isinstance(value, Sentence) else value
        for place, value in sentence.values.items()
    }
    return fill(template, values, words.get("label", {}))


@cache
def _read(language: str) -> Mapping[str, Mapping[str, str]]:
    if language == "en":
        return {}
    found: Mapping[str, Mapping[str, str]] = json.loads((FOLDER / f"{language}.json").read_text(encoding="utf-8"))
    return found
