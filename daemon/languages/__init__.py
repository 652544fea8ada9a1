"""The languages of sentences beside English: a file `<code>.json` for each, in the format i18next JSON v4.

The page reads the same files. A key is `group.name`; `{{value}}` is the place of a value, and a sentence with a value
`count` may have two forms, `name_one` and `name_other`. `label` has the names of targets.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from protocol.messages import Task
from protocol.sentence import Sentence, fill

FOLDER = Path(__file__).parent
LANGUAGES = ("en", *sorted(file.stem for file in FOLDER.glob("*.json")))


def translate(sentence: Sentence | Task, language: str) -> str:
    """The sentence in this language; in English where the language has no words for it."""
    words = _read(language)
    group, _, name = sentence.key.partition(".")
    forms = words.get(group, {})
    plural = "one" if sentence.values.get("count") == 1 else "other"
    template = forms.get(f"{name}_{plural}") or forms.get(name)
    return fill(template, sentence.values, words.get("label", {})) if template else sentence.text


@cache
def _read(language: str) -> Mapping[str, Mapping[str, str]]:
    if language == "en":
        return {}
    found: Mapping[str, Mapping[str, str]] = json.loads((FOLDER / f"{language}.json").read_text(encoding="utf-8"))
    return found
