"""Legs in a real Firefox: tapped on the drawn board, corrected and summed up; and from the first visit on."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from daemon.assemble import RunningDaemon, run_daemon
from daemon.table.table import Table
from protocol.standard import standard
from simulator.pty_board import PtyBoard
from tests.commanding import give
from tests.daemon.process import eventually, journal, throw
from tests.page.firefox import Firefox, start_firefox
from tests.page.playing import enter_total, finish_leg, make_look, run, setup
from tests.page.test_guide import make_found, write_fresh
from tests.page.window import ENTER, Window

pytestmark = pytest.mark.long

SIZES = {"wall": (1920, 1080), "remote": (390, 844)}
INSIDE = """(() => {
  const path = document.querySelector('#board [data-segment="BED"]');
  path.scrollIntoView({ block: "center" });
  const { x, y, width, height } = path.getBBox();
  const steps = [...Array(20).keys()].map((step) => (step + 0.5) / 20);
  const points = steps.flatMap((across) => steps.map((down) => new DOMPoint(x + across * width, y + down * height)));
  const inside = points.filter((point) => path.isPointInFill(point));
  const middle = (axis) => inside.reduce((sum, point) => sum + point[axis], 0) / inside.length;
  const seen = new DOMPoint(middle("x"), middle("y")).matrixTransform(path.getScreenCTM());
  return [seen.x, seen.y];
})()"""
TRIED = "document.querySelector('[data-testid=try-said]').textContent"
SPILLED = "document.documentElement.scrollWidth > innerWidth"


async def tap(window: Window, number: int, bed: str) -> None:
    """Taps the middle of a bed, and waits until it is the dart of this number in the visit."""
    await window.click_at(*await window.run(INSIDE.replace("BED", bed)))
    await window.until(f"document.querySelector('[data-testid=dart-{number}]').dataset.segment", bed)


async def look(window: Window, table: Table, view: str) -> None:
    """Asserts that the state is shown, all of it, as people see it."""
    state = msgspec.to_builtins(table.state())
    assert await window.run(make_look(state, is_wall=view == "wall")) == []


async def play_leg(window: Window, running: RunningDaemon, view: str) -> None:
    """Plays a 501 at this daemon: Ann taps the board and corrects a dart, Bo types."""
    table = running.tables["main"]
    await give(table, {"start": {"game": "501", "players": ["Ann", "Bo"]}}, "page")
    await window.resize(*SIZES[view])
    await window.goto(running.page or "")
    await window.until("document.documentElement.dataset.view", view)
    await window.until("Boolean(document.querySelector('#board [data-segment=T20]'))")
    for score in ("321", "141"):
        await window.until("document.body.dataset.phase", "throwing")
        for number in range(3):
            await tap(window, number, "T20")
        await window.until("document.querySelector('[data-testid=score-0]').textContent", score)
        await window.click("next")
        await window.until("document.querySelector('[data-testid=player]').textContent", "Bo")
        await window.run("document.querySelector('#tap-id').focus()")
        for number in range(2):
            await window.press(f"t1{ENTER}")
            await window.until(f"document.querySelector('[data-testid=dart-{number}]').dataset.segment", "T1")
        await window.press(ENTER)
        await window.until("document.querySelector('[data-testid=player]').textContent", "Ann")
    await tap(window, 0, "T18")
    await window.click("dart-0")
    await window.until("(document.querySelector('#correction-id').focus(), document.activeElement.id)", "correction-id")
    await window.press(f"t20{ENTER}")
    await window.until("document.querySelector('[data-testid=dart-0]').dataset.segment", "T20")
    await tap(window, 1, "T17")
    await look(window, table, view)
    await window.click("undo")
    await window.until("document.querySelector('[data-testid=dart-1]').dataset.segment", "")
    await tap(window, 1, "T19")
    await window.click_at(*await window.run(INSIDE.replace("BED", "D12")))
    await window.until("document.body.dataset.phase", "over")
    await window.until("document.querySelector('[data-testid=last-visit]')?.textContent", "Ann: T20 T19 D12 = 141")
    await look(window, table, view)
    assert not await window.run(SPILLED)
    assert not await window.problems()


@pytest.mark.parametrize("view", SIZES)
async def test_a_leg_is_played_in_firefox(tmp_path: Path, firefox_path: Path, unused_tcp_port: int, view: str) -> None:
    prepared = setup(tmp_path, unused_tcp_port, board="sim:opendarts", profile="opendarts", takeout="button")
    async with (
        run_daemon(prepared, takes_taps=True) as running,
        start_firefox(firefox_path, tmp_path / "firefox") as firefox,
    ):
        await play_leg(firefox, running, view)


async def start_match(firefox: Firefox) -> None:
    """Begins what the lobby proposes."""
    await firefox.until("Boolean(document.querySelector('#lobby')?.open)")
    await firefox.until("document.querySelector('#lobby .go').disabled", wanted=False)
    await firefox.run("document.querySelector('#lobby .go').click()")
    await firefox.until("document.querySelector('#lobby').open", wanted=False)


async def test_a_board_that_is_found_in_firefox_is_tried_out_and_plays(
    tmp_path: Path, firefox_path: Path, unused_tcp_port: int, board: PtyBoard
) -> None:
    file = write_fresh(tmp_path, unused_tcp_port)
    async with run(file) as address, start_firefox(firefox_path, tmp_path / "firefox") as firefox:
        await firefox.answer("/api/boards/scan", make_found(board.address, "likely"))
        await firefox.resize(*SIZES["remote"])
        await firefox.goto(address)
        await firefox.click("card-electronic")
        await firefox.click("found-try")
        await board.wait_until_open()
        await firefox.until(f"{TRIED}.includes('Press any segment')")
        throw(board, "T20")
        await firefox.until(f"{TRIED}.includes('T20')")
        await firefox.click("try-use")
        await start_match(firefox)
        await board.wait_until_open()
        throw(board, "T19")
        await eventually(lambda: {"throw": "T19"} in journal(tmp_path))
        await firefox.until("document.querySelector('[data-testid=score-0]').textContent", "444")
        await finish_leg(lambda bed: board.hit(standard()[bed]), firefox.click, tmp_path)
        await firefox.until("document.body.dataset.phase", "over")
        assert not await firefox.run(SPILLED)
        assert not await firefox.problems()


async def test_the_first_visit_in_firefox_leads_to_a_finished_leg(
    tmp_path: Path, firefox_path: Path, unused_tcp_port: int
) -> None:
    file = write_fresh(tmp_path, unused_tcp_port)
    async with run(file) as address, start_firefox(firefox_path, tmp_path / "firefox") as firefox:
        await firefox.resize(*SIZES["wall"])
        await firefox.goto(address)
        await firefox.click("card-typed")
        await start_match(firefox)
        for total, left in (("180", "321"), ("60", "441"), ("180", "141"), ("60", "381"), ("141", "0")):
            await firefox.until("document.querySelector('[data-testid=pad-typed]')?.textContent", "Total of the visit")
            await enter_total(firefox.click, total)
            side = 0 if left in ("321", "141", "0") else 1
            await firefox.until(f"document.querySelector('[data-testid=score-{side}]').textContent", left)
        await firefox.until("document.body.dataset.phase", "over")
        assert not await firefox.problems()
    assert [line["total"] for line in journal(tmp_path) if "total" in line] == [180, 60, 180, 60, 141]
