"""Where the matches of a tournament stand, for draws of all kinds and sizes, as the page computes it."""

from __future__ import annotations

import itertools
from typing import Any

import msgspec
import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page

from daemon.assemble import RunningDaemon
from engine.tournament.draws import propose_draw
from engine.tournament.journal import TournamentJournal
from engine.tournament.view import make_view
from protocol.tournament import EMPTY, Enter, Kind, Result, SetTables, TableUse, TournamentSpec

JSON = Any  # Any: JSON
SIZES = (2, 3, 5, 8, 11, 16, 33, 64)
COLUMNS, ROWS = 3, 4
_LAY_OUT = """async ([view, most]) => {
  const { cutTree, listSections, placeTree } = await import("/static/tournament/bracket_layout.js");
  return listSections(view).map(({ key, rounds }) => ({
    key,
    matches: rounds.flatMap(({ matches }) => matches.filter(Boolean).map(({ id }) => id)),
    cells: placeTree(rounds.map(({ matches }) => matches)).cells.map(({ match, ...at }) => ({ id: match.id, ...at })),
    pages: cutTree(rounds, most).map((page) => page.map(({ matches }) => matches.map((match) => match?.id ?? ""))),
  }));
}"""
_ORDER = """async (live) => (await import("/static/tournament/bracket_layout.js")).orderPages(live)"""
_FOLLOW = """async ([view, entrant]) => {
  const { findNext, findPath } = await import("/static/tournament/bracket_layout.js");
  return [[...findPath(view, entrant)], findNext(view, entrant)?.id ?? null];
}"""


def draw(kind: Kind, count: int, **given: Any) -> TournamentJournal:  # Any: fields of the spec
    """A tournament of this many, drawn."""
    journal = TournamentJournal(TournamentSpec("Friday", kind, **given))
    for number in range(1, count + 1):
        journal.apply(0, "organiser", Enter((f"P{number}",)))
    journal.apply(0, "organiser", SetTables((TableUse("one"),)))
    proposed = propose_draw(journal.tournament, "seed")
    assert proposed is not None
    journal.apply(0, "organiser", proposed)
    return journal


def show(journal: TournamentJournal) -> JSON:
    return msgspec.to_builtins(make_view("abcd1234", 0, journal, {}))


def play(journal: TournamentJournal, match: str, winner: int) -> None:
    """Has side 0 or 1 win the match."""
    sides = journal.tournament.find_sides(match)
    legs = ((1, 0), (0, 1))[winner]
    journal.apply(0, "organiser", Result(match, sides, sides[winner], legs))


@pytest_asyncio.fixture(loop_scope="session")
async def script(browser: Browser, running: RunningDaemon) -> Page:
    """A page that has the scripts."""
    page = await browser.new_page()
    await page.goto(running.page or "")
    return page


@pytest.mark.parametrize("kind", ["knock_out", "double_knock_out", "groups"])
async def test_a_match_stands_between_those_that_lead_to_it(script: Page, kind: Kind) -> None:
    for count in SIZES:
        if kind == "groups" and count < 4:
            continue
        view = show(draw(kind, count, third_place=kind != "double_knock_out" and count > 3))
        matches = {each["id"]: each for each in view["matches"] if set(each["sides"]) != {EMPTY}}
        sections = await script.evaluate(_LAY_OUT, [view, {"columns": COLUMNS, "rows": ROWS}])
        shown = [match for section in sections for match in section["matches"]]
        assert sorted(shown) == sorted(matches), "each match once"
        for section in sections:
            if section["key"] in ("winners", "losers"):
                _check_tree(section["cells"], matches)
                _check_pages(section["pages"], section["matches"])


def _check_tree(cells: list[JSON], matches: dict[str, JSON]) -> None:
    at = {each["id"]: each for each in cells}
    for match, cell in at.items():
        for awaited in matches[match]["awaits"]:
            if awaited is None or awaited[0] != "winner" or awaited[1] not in at:
                continue
            before = at[awaited[1]]
            assert before["column"] == cell["column"] - 1
            middle = before["row"] + before["span"] / 2
            assert cell["row"] <= middle <= cell["row"] + cell["span"]
    for one, other in itertools.combinations(cells, 2):
        if one["column"] == other["column"]:
            assert one["row"] + one["span"] <= other["row"] or other["row"] + other["span"] <= one["row"]


def _check_pages(pages: list[list[list[str]]], matches: list[str]) -> None:
    assert {match for page in pages for column in page for match in column if match} == set(matches)
    assert all(len(page) <= COLUMNS and len(column) <= ROWS for page in pages for column in page)


async def test_what_is_played_comes_every_second_time(script: Page) -> None:
    for live in itertools.product([False, True], repeat=5):
        order = await script.evaluate(_ORDER, list(live))
        assert set(order) == set(range(5))
        if any(live):
            turns = [live[place] for place in (*order, order[0])]
            assert not any(not one and not other for one, other in itertools.pairwise(turns))


async def follow(script: Page, journal: TournamentJournal, side: int) -> tuple[set[str], str | None]:
    """The matches on the way of a side, and its next one."""
    path, following = await script.evaluate(_FOLLOW, [show(journal), side])
    return set(path), following


async def test_the_path_of_a_side_leads_to_the_final_until_it_has_lost(script: Page) -> None:
    journal = draw("knock_out", 8)
    side = journal.tournament.find_sides("winners-1-1")[0]
    path = {"winners-1-1", "winners-2-1", "final-1"}
    assert await follow(script, journal, side) == (path, "winners-1-1")
    play(journal, "winners-1-1", 0)
    assert await follow(script, journal, side) == (path, "winners-2-1")
    play(journal, "winners-1-2", 0)
    play(journal, "winners-2-1", 1)
    assert await follow(script, journal, side) == (path - {"final-1"}, None)


async def test_of_a_double_knock_out_the_path_goes_on_below(script: Page) -> None:
    journal = draw("double_knock_out", 8)
    side = journal.tournament.find_sides("winners-1-1")[0]
    play(journal, "winners-1-1", 1)
    path, following = await follow(script, journal, side)
    assert {"winners-1-1", "losers-1-1", "losers-4-1", "final-1"} <= path
    assert "winners-2-1" not in path
    assert following == "losers-1-1"
