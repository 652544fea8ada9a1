"""Which dartboard a table has; its matches have it in their headers, and all that is measured follows it."""

from __future__ import annotations

from math import hypot
from pathlib import Path
from secrets import token_hex
from typing import Any

import aiohttp
import pytest

from daemon.assemble import run_daemon
from daemon.config.reader import CheckedConfig, read_config
from daemon.errors import UserError
from daemon.journal.lines import Planned, StoredMatch
from daemon.table.matches import begin_first, resume
from protocol.codebook import list_shipped, shipped
from protocol.match_spec import write_header
from protocol.standard import DARTBOARDS, SOFT_13_INCH, SOFT_15_INCH, STEEL, Radii, standard
from tests.commanding import give
from tests.daemon.desk import Desk
from tests.daemon.evenings import Evening
from tests.daemon.process import configure
from tests.plain_guard import PlainGuard
from tests.protocol.hearing import WEB

FORTY = {"start": {"game": "x01", "players": ["Ann", "Bo"], "options": {"start": 140}}}
CHOICE = "this must be one of soft_15.5, soft_13.2, steel"


def set_up(folder: Path, table: str) -> CheckedConfig:
    file = folder / "oche.toml"
    file.write_text(f"[[table]]\n{table}\n", encoding="utf-8")
    return read_config(file)


@pytest.mark.parametrize(
    ("table", "dartboard"),
    [
        ('board = "none"', "steel"),
        ('board = "none"\nprofile = "granboard"', "steel"),
        ('board = "none"\ndartboard = "soft_13.2"', "soft_13.2"),
        ('board = "none"\nprofile = "pub.toml"', "soft_13.2"),
        ('board = "none"\nprofile = "plain-yatzy"\ngame = "yatzy_dart"', None),
        ('board = "sim:granboard"', "soft_15.5"),
        ('board = "serial:/dev/ttyUSB0"', "soft_15.5"),
        ('board = "serial:/dev/ttyUSB0"\ndartboard = "steel"', "steel"),
        ('board = "serial:/dev/ttyUSB0"\nprofile = "pub.toml"', "soft_13.2"),
        ('board = "serial:/dev/ttyUSB0"\nprofile = "pub.toml"\ndartboard = "soft_15.5"', "soft_15.5"),
        ('board = "serial:/dev/ttyUSB0"\ndartboard = "steel"\ntiming = {repeat_ms = 250}', "steel"),
        ('board = "ble:auto"\nprofile = "unicorn"', "steel"),
        ('board = "sim:plain-yatzy"\ngame = "yatzy_dart"', None),
    ],
)
def test_the_table_says_its_dartboard_else_its_profile(tmp_path: Path, table: str, dartboard: str | None) -> None:
    pub = 'id = "pub"\nname = "A board of 13.2 inches"\ndartboard = "soft_13.2"\n[hits]\nframe = "{id}"\n'
    (tmp_path / "pub.toml").write_text(pub, encoding="utf-8")
    setup = set_up(tmp_path, table)
    assert setup.codebooks[0].layout.dartboard == dartboard
    opened = begin_first(setup.config.table[0], setup.codebooks[0].layout, token_hex, PlainGuard())
    assert (opened.match.header.dartboard, opened.match.layout) == (dartboard, setup.codebooks[0].layout)
    assert write_header(opened.match.header).get("dartboard") == dartboard


def test_of_the_shipped_profiles_the_bristle_board_and_the_cameras_are_steel() -> None:
    found = {name: shipped(name).layout.dartboard for name in list_shipped()}
    steel = {"unicorn", *WEB}
    assert {name for name, dartboard in found.items() if dartboard == "steel"} == steel
    assert {dartboard for name, dartboard in found.items() if name not in steel} == {"soft_15.5", None}


def sit_down(folder: Path, table: str = 'board = "none"', game: str = "x01") -> Desk:
    """At a table with this dartboard, of steel where it does not say."""
    return Desk(set_up(folder, table).codebooks[0], board="none", takeout="timer", game=game)


def test_every_way_to_begin_a_match_takes_the_dartboard_of_the_table(tmp_path: Path) -> None:
    desk = sit_down(tmp_path)
    desk.give(start=None)
    desk.give(start={"game": "x01", "players": ["Ann", "Bo"], "dartboard": "soft_13.2"})  # a record, pasted
    desk.give(game={"game": "cricket"})
    desk.give(start=None)
    desk.give(start={"game": "x01", "players": ["Ann", "Bo"], "dartboard": "soft_15.5"}, order="bull")
    bull_off = desk.headers[-1]
    assert bull_off["game"] != "x01"
    desk.give(throw="SB")
    desk.give(next=True)
    desk.give(throw="DB")
    desk.give(start=None)
    assert (desk.headers[-1]["game"], desk.headers[-1]["players"]) == ("x01", ["Bo", "Ann"])
    desk.give(start={"game": "bobs_27", "players": ["Ann"]})
    assert len(desk.headers) == 6
    assert {header.get("dartboard") for header in desk.headers} == {"steel"}
    assert desk.scorer.match.layout is standard(STEEL)


def list_plans(desk: Desk) -> list[dict[str, Any]]:  # Any: JSON
    """The plans that the disk was told of."""
    lines = (line for each in desk.followed for line in each.lines)
    return [line.header for line in lines if isinstance(line, Planned) and line.header]


def test_a_plan_has_no_dartboard(tmp_path: Path) -> None:
    desk = sit_down(tmp_path)
    assert desk.scorer.sheet.plan.problem is None
    desk.give(game={"format": {"legs": 1}})
    assert list_plans(desk) == [], "it is what follows anyway"
    desk.give(game={"game": "x01", "players": ["Cy"], "dartboard": "soft_13.2"})
    (planned,) = list_plans(desk)
    assert planned["players"] == ["Cy"]
    assert "dartboard" not in planned
    desk.give(start=None)
    assert (desk.headers[-1]["players"], desk.headers[-1]["dartboard"]) == (["Cy"], "steel")


@pytest.mark.parametrize("dartboard", [None, "soft_13.2", "steel"])
def test_a_match_that_has_begun_keeps_its_own_and_the_next_has_that_of_the_table(
    tmp_path: Path, dartboard: str | None
) -> None:
    desk = sit_down(tmp_path)
    header = {**write_header(desk.scorer.match.header), "dartboard": dartboard}
    if dartboard is None:
        del header["dartboard"]  # of before there was one
    opened = resume(StoredMatch("before", header, []), desk.scorer.match.layout, PlainGuard())
    assert opened.match.header.dartboard == dartboard
    assert opened.match.layout.dartboard == dartboard or (dartboard is None and opened.match.layout is standard())
    desk.scorer.resume(opened, 0)
    desk.give(start=None)
    assert desk.headers[-1]["dartboard"] == "steel"


def test_what_has_another_layout_has_no_dartboard(tmp_path: Path) -> None:
    desk = sit_down(tmp_path, 'board = "none"\nprofile = "plain-yatzy"\ngame = "yatzy_dart"', "yatzy_dart")
    desk.give(start={"game": "yatzy_dart", "players": ["Ann", "Bo"], "dartboard": "steel"})
    assert "dartboard" not in desk.headers[-1]


async def ask(web: aiohttp.ClientSession, path: str) -> dict[str, Any]:  # Any: JSON
    async with web.get(path) as answer:
        assert answer.status == 200, path
        found: dict[str, Any] = await answer.json()
    return found


@pytest.mark.parametrize(
    ("more", "radii", "chance"),
    [
        ("", STEEL, 58),
        ('dartboard = "soft_15.5"', SOFT_15_INCH, 86),
        ('dartboard = "soft_13.2"', SOFT_13_INCH, 65),
    ],
    ids=["steel", "soft", "small"],
)
def test_chance_and_outlines_of_a_table_without_a_sensor_follow_its_dartboard(
    tmp_path: Path, more: str, radii: Radii, chance: float
) -> None:
    desk = sit_down(tmp_path, f'board = "none"\nprofile = "plain-standard"\n{more}')
    for given in (FORTY, {"throw": "T20"}, {"throw": "S20"}, {"throw": "S20"}, {"next": True}, {"total": 0}):
        desk.give(**given)
    assert desk.state.routes
    route = desk.state.routes[0]
    assert (desk.player, desk.state.hint, route.darts) == ("Ann", ("D20",), ("D20",))
    assert route.chance == pytest.approx(chance, abs=1)
    layout = desk.scorer.match.layout
    distances = [round(hypot(*point)) for point in layout["D20"].outline[0]]
    assert (layout.radius, min(distances), max(distances)) == (radii.double_out, radii.double_in, radii.double_out)


@pytest.mark.slow
async def test_a_match_of_before_is_drawn_on_its_own_dartboard(tmp_path: Path) -> None:
    with Evening(tmp_path / "state") as evening:
        soft = evening.play("T20 / T20", {"stop": True})
    with Evening(tmp_path / "state", layout=standard(STEEL)) as evening:
        steel = evening.play("T20 / T20", {"stop": True}, day=1)
        open_one = evening.play("T20", day=2)
    file = configure(tmp_path, board="none", profile="plain-standard", table='dartboard = "soft_13.2"')
    async with run_daemon(read_config(file)) as running, aiohttp.ClientSession(running.page) as web:
        assert running.tables["main"].match_id == open_one
        for match, dartboard in ((soft, "soft_15.5"), (steel, "steel")):
            report = await ask(web, f"/api/match/{match}")
            assert (report["layout"], report["dartboard"]) == ("standard", dartboard)
        layouts = {name: await ask(web, f"/api/layout/{name}") for name in ("standard", *DARTBOARDS)}
        assert {name: layout["name"] for name, layout in layouts.items()} == dict.fromkeys(layouts, "standard")
        assert layouts["standard"] == layouts["soft_13.2"], "without more it is that of the table"
        assert [layouts[name]["radius"] for name in ("soft_15.5", "soft_13.2", "steel")] == [1969, 1700, 1700]
        assert layouts["soft_13.2"] != layouts["steel"]
        assert await ask(web, "/api/table/main/layout") == {**layouts["steel"], "face": "x01"}
        await give(running.tables["main"], {"start": None}, "page")
        assert await ask(web, "/api/table/main/layout") == {**layouts["soft_13.2"], "face": "x01"}
        async with web.get("/api/layout/stele") as answer:
            assert answer.status == 404


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        (
            'board = "sim:plain-yatzy"\ngame = "yatzy_dart"\ndartboard = "steel"',
            "line 4: dartboard is only for the standard layout, and this is the yatzy layout: leave out dartboard",
        ),
        ('dartboard = "stel"', f"line 2: table.0.dartboard = 'stel': {CHOICE}; did you mean 'steel'?"),
    ],
)
def test_a_dartboard_that_cannot_be_is_named_with_its_line(tmp_path: Path, table: str, sentence: str) -> None:
    with pytest.raises(UserError) as caught:
        set_up(tmp_path, table)
    assert str(caught.value) == f"{tmp_path / 'oche.toml'}, {sentence}"
