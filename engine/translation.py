"""The words of a game in another language, for authors of games that do not ship.

The words of those that ship are files, which the tools of translators know: see daemon/languages.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct


class Translation(Struct, frozen=True):
    """What players read of a game, in one language. What is left out is shown in English.

    `rules` are the paragraphs of the rule sheet, the first of them the line; `presets` the lines of the presets by
    their ids. `labels` are the names of options, `values` those of the words that each of them can be, `null` among
    them. `sentences` are those of `say`, by their keys, with `{{name}}` in the place of a value: {"nearest.aim":
    "Noch {{points}}"}.
    """

    rules: tuple[str, ...] = ()
    presets: Mapping[str, str] = {}
    labels: Mapping[str, str] = {}
    values: Mapping[str, Mapping[str, str]] = {}
    sentences: Mapping[str, str] = {}
