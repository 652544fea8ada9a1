"""The kinds of boards as the guide of the page offers them."""

from __future__ import annotations

import pytest

from daemon.admin.settings.known_boards import list_known_boards
from protocol.codebook import ADDED, WITHHELD, list_shipped
from protocol.sentence import say
from protocol.source import Source

OWN = 'id = "{}"\nname = "A board of ours"\n[hits]\nframe = "{{id}}"\n'


def test_boards_that_one_can_buy_come_first_and_the_best_known_before() -> None:
    known = list_known_boards()
    assert {each["profile"] for each in known} == set(list_shipped())
    brands = [brand for each in known for brand in each["brands"][:1]]
    assert brands[:3] == ["GRANBOARD", "DARTSLIVE", "Unicorn"]
    assert "Decathlon" in brands
    assert [each["profile"] for each in known if each["is_cloud"]] == ["scolia", "scolia-external"]
    assert brands[-2:] == ["Scolia", "Scolia"], "what needs the internet is the last that is offered"
    assert not any(each["brands"] for each in known[len(brands) :])


def test_the_profiles_of_this_machine_are_among_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ADDED, "ours", Source(OWN.format("ours"), "ours.toml"))
    monkeypatch.setitem(WITHHELD, "granboard", say("profile.broken", "it is broken"))
    known = {each["profile"]: each for each in list_known_boards()}
    of_web = {"is_cloud": False, "wants_token": False}
    assert known["ours"] == {"profile": "ours", "name": "A board of ours", "brands": [], "link": "serial", **of_web}
    assert "granboard" not in known
