"""What a match was asked for as, `ref`: the table says it again, and it stays with the match it was given for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from protocol.bodies import decode_command
from protocol.commands import CommandError
from tests.commanding import give
from tests.daemon.desk import Desk
from tests.daemon.test_durability import table_in
from tests.test_replay import replay

REF = "k3v9x2ma/winners-1-3/1"
ASKED: dict[str, Any] = {
    "game": "x01",
    "players": ["Cy", "Di"],
    "options": {"start": 101},
    "format": {"legs": 1, "sets": 1},
    "ref": REF,
}


def test_a_planned_ref_is_in_the_plan_the_record_and_the_state_and_ends_with_its_match() -> None:
    desk = Desk()
    desk.give(game=ASKED)
    desk.give(start=None)
    assert [desk.headers[-1]["ref"], desk.state.ref] == [REF, REF]
    assert desk.plan.ref is UNSET, "the same again is another match"
    desk.give(throw="T20")
    desk.give(throw="S1")
    desk.give(throw="D20")
    assert (desk.state.phase, desk.state.ref, desk.plan.ref) == ("over", REF, UNSET)
    desk.give(start=None)
    assert "ref" not in desk.headers[-1]


@pytest.mark.parametrize(
    "changed", [{"game": "cricket"}, {"players": ["Di", "Cy"]}, {"options": {"start": 301}}, {"format": {"legs": 2}}]
)
def test_a_plan_that_people_change_is_no_longer_what_was_asked_for(changed: dict[str, Any]) -> None:
    desk = Desk()
    desk.give(game=ASKED)
    desk.give(game={})
    assert [desk.plan.ref] == [REF], "nothing was changed"
    desk.give(game=changed)
    assert desk.plan.ref is UNSET


def test_a_plan_says_nothing_of_a_ref_or_of_places_that_it_has_not() -> None:
    desk = Desk()
    optional = {"ref", "places"}
    assert optional.isdisjoint(msgspec.to_builtins(desk.plan))
    desk.give(game={"places": [None, "south"], "ref": REF})
    assert optional <= msgspec.to_builtins(desk.plan).keys()


def test_of_the_plan_before_nothing_is_in_what_is_asked_for() -> None:
    desk = Desk()
    desk.give(game={"options": {"in": "double"}, "format": {"legs": 3}, "players": ["Ann", "bot:45"]})
    desk.give(game=ASKED | {"format": {"sets": 2}})
    assert (desk.plan.options["in"], desk.plan.format.legs, desk.plan.format.sets) == ("straight", 1, 2)
    assert desk.plan.players == ("Cy", "Di")


def test_the_bull_off_before_a_match_passes_its_ref_on() -> None:
    desk = Desk()
    desk.give(game=ASKED)
    desk.give(start=None, order="bull")
    assert desk.state.game == "bull_off"
    assert ("ref" in desk.headers[-1], desk.plan.ref) == (False, REF)
    desk.give(throw="S1")
    desk.give(next=True)
    desk.give(throw="DB")
    assert (desk.phase, desk.plan.players, desk.plan.ref) == ("over", ("Di", "Cy"), REF)
    desk.give(start=None)
    assert (desk.state.ref, desk.headers[-1]["players"]) == (REF, ["Di", "Cy"])


@pytest.mark.parametrize("ref", ["", "x" * 65, "two\nlines", 7])
def test_a_ref_is_a_short_line_of_text(ref: object) -> None:
    desk = Desk()
    for words in ({"game": {"ref": ref}}, {"start": ASKED | {"ref": ref}}):
        with pytest.raises(CommandError, match="ref"):
            desk.give(**words)
    assert desk.plan.ref is UNSET


def test_what_is_at_the_table_is_not_asked_for_again() -> None:
    desk = Desk()
    desk.give(start=ASKED)
    with pytest.raises(CommandError, match="already"):
        desk.give(game=ASKED)
    with pytest.raises(CommandError, match="already"):
        desk.give(start=ASKED)
    desk.give(game=ASKED | {"options": {"start": 301}})
    assert desk.plan.ref == REF, "that is another match"
    desk.give(game={"ref": REF.replace("/1", "/2")})
    desk.give(stop=True)
    desk.give(game=ASKED)
    assert desk.plan.ref == REF, "it was abandoned"


async def test_it_is_there_after_a_restart(tmp_path: Path) -> None:
    async with table_in(tmp_path) as table:
        await give(table, {"game": ASKED}, "mqtt")
    async with table_in(tmp_path) as table:
        assert table.committed.plan.ref == REF
        await give(table, {"start": None}, "page")
    async with table_in(tmp_path) as table:
        assert (table.state().ref, table.committed.plan.ref) == (REF, UNSET)


def test_a_record_with_it_is_replayed() -> None:
    record = "\n".join(map(json.dumps, ({"oche": 1, **ASKED}, {"throw": "T20"})))
    done = replay("-", "--json", given=record)
    assert (done.returncode, json.loads(done.stdout.splitlines()[-1])["state"]["ref"]) == (0, REF)


def test_a_header_alone_names_it_too() -> None:
    request = decode_command("start", json.dumps(ASKED).encode())
    assert getattr(getattr(request.command, "spec", None), "ref", None) == REF
