"""What to do where an extra of oche is missing: one sentence for all of them, by the way that oche was installed."""

from __future__ import annotations

from protocol.sentence import Sentence, say

PACKAGED = "/usr/lib/oche/"
"""Where the Debian package has its files, and with it the image and the app that are made of it."""


def suggest_extra(extra: str, asked_by: str) -> Sentence:
    """Returns what installs this extra of pyproject.toml, such as "photo".

    `asked_by` is a file of oche's (`__file__`): where it lies tells how oche was installed.
    """
    if asked_by.startswith(PACKAGED):
        return say(
            "extra.package",
            "install the package oche-{name} (docs/install.md#extras); a container needs the image with the extras",
            name=extra,
        )
    if "/oche/app/" in asked_by:
        return say(
            "extra.wheel", "install oche's wheel again with the extra [{name}] (docs/install.md#extras)", name=extra
        )
    return say("extra.checkout", "in oche's checkout, pip install '.[{name}]'", name=extra)
