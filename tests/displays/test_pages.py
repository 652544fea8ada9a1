"""What the pages of the displays say of themselves."""

from __future__ import annotations

import json
import re

from tests.displays import test_awtrix, test_wled
from tests.displays.example import DISPLAYS


def shown(folder: str) -> list[object]:
    """The messages in the tables of a page."""
    page = (DISPLAYS / folder / "README.md").read_text(encoding="utf-8")
    return [json.loads(found) for found in re.findall(r"\| `(\{.+?\})`", page)]


def test_the_messages_in_the_tables_are_those_that_are_sent() -> None:
    assert shown("wled") == [test_wled.RED, test_wled.FIREWORKS, test_wled.BLINK, test_wled.OFF]
    sent = [test_awtrix.page("Ann 181", 0, 33), test_awtrix.SWITCH, test_awtrix.notice(text="180!", rainbow=True)]
    assert shown("awtrix") == [message for _, message in sent]
