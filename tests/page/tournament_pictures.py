"""The pictures of a tournament for the docs: its bracket on a wall and a phone, its tables, its organiser, a sheet."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from playwright.async_api import Browser, ViewportSize, expect

from daemon.assemble import RunningDaemon
from daemon.config.reader import CheckedConfig, read_config
from daemon.tournament.desk import Desk
from daemon.tournament.open_tournament import OpenTournament
from protocol.match_spec import Format
from protocol.tournament import Enter, Result, SetTables, TableUse, TournamentSpec
from tests.commanding import give
from tests.daemon.process import configure, eventually
from tests.daemon.tournament.playing import planned, run_desk, throw

NAMES = (
    "Ann Petersen,Bo,Cy Young,Dee,Ed,Flo Hansen,Gus,Hal,Ida,Jo Maxwell,Kim,Lea,Maximilian Oberhuber,Nils,Ole,Pia"
).split(",")
TABLES = ("left", "middle", "right")


class TournamentPicture(NamedTuple):
    """A file, the window, the view that is opened in it, what of it is seen, or "" for all, and how large."""

    name: str
    size: ViewportSize
    path: str
    seen: str
    scale: float = 1


SCENES = (
    TournamentPicture("tournament-wall", ViewportSize(width=1280, height=720), "?view=wall#/{id}", "body"),
    TournamentPicture("tournament-tables", ViewportSize(width=1280, height=720), "?view=wall#/{id}/tables", "body"),
    TournamentPicture("tournament-organiser", ViewportSize(width=390, height=780), "#/{id}/organise", ""),
    TournamentPicture("tournament-phone", ViewportSize(width=390, height=780), "#/{id}", "body"),
    TournamentPicture("tournament-sheet", ViewportSize(width=1200, height=900), "#/{id}/print", ".paper"),
)


async def _draw(desk: Desk) -> OpenTournament:
    """A knock-out of sixteen, some of whom have played."""
    spec = TournamentSpec(
        "Friday Night Open",
        "knock_out",
        options={"start": 301},
        format=Format(legs=2),
        third_place=True,
        seeding="hand",
    )
    made = await desk.make(spec)
    for seed, name in enumerate(NAMES, 1):
        await desk.do(made, Enter((name,), seed=seed), "organiser")
    drawn = await desk.propose(made)
    assert drawn is not None
    await desk.do(made, drawn, "organiser")
    found = await desk.find(made)
    for number, (winner, lost) in enumerate(((0, 0), (1, 1), (0, 1), (0, 0), (1, 1)), 1):
        sides = found.journal.tournament.find_sides(match := f"winners-1-{number}")
        legs = (2, lost) if winner == 0 else (lost, 2)
        await desk.do(made, Result(match, sides, sides[winner], legs), "organiser")
    await desk.do(made, SetTables((*(TableUse(name) for name in TABLES), TableUse("Corner", paper=True))), "organiser")
    return found


async def _play(running: RunningDaemon, found: OpenTournament) -> None:
    """Has two tables play, and the third one wait for its players."""
    for name, darts in (("left", "T20 T20 S20 next T19 S19 S7"), ("middle", "T20 S5 S1 next T18 T18 S18 next S20")):
        table = running.tables[name]
        await planned(table, found)
        await give(table, {"start": None}, "page")
        await throw(table, *darts.split())
    await eventually(lambda: sum(each.status == "playing" for each in found.view.matches) == 2)
    await planned(running.tables["right"], found)


def _prepare(folder: Path) -> CheckedConfig:
    """The configuration of the tables, whose boards are simulated."""
    folder.mkdir(parents=True)
    board = 'board = "sim:opendarts"\nprofile = "opendarts"'
    one, *others = (f'name = "{name}"\ntitle = "Table {number}"' for number, name in enumerate(TABLES, 1))
    more = "".join(f"\n[[table]]\n{other}\n{board}\n" for other in others)
    return read_config(configure(folder, table=one, board="sim:opendarts", profile="opendarts", more=more))


async def take(picture: TournamentPicture, browser: Browser, folder: Path) -> bytes:
    """Returns the screenshot."""
    async with run_desk(_prepare(folder)) as (running, desk):
        found = await _draw(desk)
        await _play(running, found)
        page = await browser.new_page(
            viewport=picture.size, device_scale_factor=picture.scale, reduced_motion="reduce", locale="en"
        )
        await page.goto(f"{running.page}tournament{picture.path.format(id=found.id)}")
        await expect(page.locator(".fitted-name, .organising .table").first).to_be_visible()
        if picture.name == "tournament-tables":
            await expect(page.locator(".up .score")).to_have_count(2)
        if picture.name == "tournament-phone":
            await page.get_by_text("Ann Petersen").first.click()
        seen = page.locator(picture.seen).first if picture.seen else page
        taken = await seen.screenshot(animations="disabled")
        await page.close()
    return taken
