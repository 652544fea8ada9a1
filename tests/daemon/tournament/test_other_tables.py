"""A tournament at the tables of another daemon, over a real broker: called, played, corrected, away, and taken once."""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import msgspec
import pytest
from msgspec import UNSET
from msgspec.structs import replace

from daemon.admin.doctor.broker import check_running
from daemon.admin.players.names import make_neutral_name
from daemon.assemble import RunningDaemon, run_daemon
from daemon.config.reader import CheckedConfig, read_config
from daemon.league.store import LeagueStore
from daemon.plugins.rule_guard import RuleGuard
from daemon.table.matches import Unplayable
from daemon.table.scoresheet import SeatSender
from daemon.tournament.desk import Desk
from daemon.tournament.offered import read_offer
from daemon.tournament.open_tournament import OpenTournament
from daemon.tournament.store import FILE, erase_names
from drivers.backoff import Backoff
from protocol.league_messages import LeagueOffer
from protocol.match_spec import Unreadable
from protocol.player_names import name_key
from protocol.tournament import Begin, Call, FoundTable, Result, SetTables, TableUse, TakeBack, TournamentSpec
from tests.commanding import give
from tests.daemon.display import Display
from tests.daemon.mosquitto import SHIPPED, Mosquitto
from tests.daemon.process import configure, eventually
from tests.daemon.tournament.playing import SPEC, begin, find_match, planned, run_desk, throw, win

FOUR = ("Ann", "Bo", "Cy", "Di")


def configure_other(folder: Path, port: int, mqtt: str = "") -> CheckedConfig:
    """Another daemon, `north`, with the table `far`."""
    folder.mkdir(exist_ok=True)
    return read_config(configure(folder, port, 'name = "far"', bridge='name = "north"', mqtt=mqtt))


@asynccontextmanager
async def run_both(folder: Path, port: int) -> AsyncIterator[tuple[Desk, RunningDaemon]]:
    """The desk of one daemon, and another daemon."""
    async with (
        run_desk(read_config(configure(folder, port))) as (_, desk),
        run_daemon(configure_other(folder / "other", port)) as other,
    ):
        yield desk, other


async def begin_far(desk: Desk) -> OpenTournament:
    """A tournament that is played at that table alone; returns it once the table is known."""
    found = await begin(desk, FOUR, ("far",))
    await eventually(lambda: "far" in desk.titles)
    return found


def taken(folder: Path) -> dict[str, str]:
    return {each.match: each.sha256 for each in LeagueStore(folder / "other" / "state").read().taken.values()}


@pytest.mark.slow
async def test_a_knock_out_is_played_there_by_start_and_darts_alone(tmp_path: Path, broker: Mosquitto) -> None:
    async with run_both(tmp_path, broker.port) as (desk, other):
        found, far = await begin_far(desk), other.tables["far"]
        for _ in range(3):
            ref = await planned(far, found)
            await win(far, min(far.committed.plan.players))
            await eventually(lambda: find_match(found, ref.split("/")[1]).status == "played")  # noqa: B023
        await eventually(lambda: found.is_over)
        view = found.view
        assert view.entrants[(view.winner or 0) - 2].name == "Ann"
        results = [line.input for line in found.journal.lines if isinstance(line.input, Result)]
        assert [(each.legs, 101 in each.points, 3 in each.darts) for each in results] == [((1, 0), True, True)] * 3
        await eventually(lambda: set(taken(tmp_path)) == {each.record for each in results})


@pytest.mark.long
async def test_a_daemon_speaks_for_its_own_tables_alone(tmp_path: Path, broker: Mosquitto) -> None:
    """Nor for a match that was called to another table than its own."""
    async with run_both(tmp_path, broker.port) as (desk, other), Display(broker.port) as display:
        found, far = await begin_far(desk), other.tables["far"]
        ref = await planned(far, found)
        info = json.loads(display.now["oche/bridge/north/info"])
        await display.say("oche/bridge/south/info", json.dumps({**info, "tables": ["near"]}), retain=True)
        await eventually(lambda: "near" in desk.titles)
        first, second = far.committed.plan.players
        header = {"oche": 1, "game": "x01", "players": [first, second], "options": {"start": 101}, "ref": ref}
        lie = sign(
            "".join(f"{json.dumps(each)}\n" for each in (header, *({"throw": bed} for bed in ("T20", "S1", "D20"))))
        )
        for table in ("far", "main", "near"):
            offer = replace(lie, ref=ref, table=table, match=f"lie{table}")
            await display.say("oche/bridge/south/league/offer", msgspec.json.encode(offer).decode())
        await win(far, second)
        await eventually(lambda: find_match(found, ref.split("/")[1]).status == "played")
        (result,) = [line.input for line in found.journal.lines if isinstance(line.input, Result)]
        assert result.record == far.state().match


@pytest.mark.slow
async def test_a_result_in_parts_is_put_together(tmp_path: Path, broker: Mosquitto) -> None:
    async with run_both(tmp_path, broker.port) as (desk, other), Display(broker.port) as display:
        found, far = await begin_far(desk), other.tables["far"]
        ref = await planned(far, found)
        players = [*far.committed.plan.players]
        header = {"oche": 1, "game": "x01", "players": players, "options": {"start": 101}, "ref": ref}
        lines = (header, *({"throw": bed} for bed in ("T20", "S1", "D20")))
        whole = sign("".join(f"{json.dumps(each)}\n" for each in lines))
        for part in (3, 1, 1, 2):
            record = whole.record[(part - 1) * 70 : part * 70 if part < 3 else None]
            offer = replace(whole, ref=ref, table="far", match="inparts", record=record, part=part, parts=3)
            await display.say("oche/bridge/north/league/offer", msgspec.json.encode(offer).decode())
        await eventually(lambda: find_match(found, ref.split("/")[1]).status == "played")
        (result,) = [line.input for line in found.journal.lines if isinstance(line.input, Result)]
        assert result.record == "inparts"


@pytest.mark.slow
async def test_an_older_record_that_comes_late_changes_no_result(tmp_path: Path, broker: Mosquitto) -> None:
    async with run_both(tmp_path, broker.port) as (desk, other), Display(broker.port) as display:
        found, far = await begin_far(desk), other.tables["far"]
        ref = await planned(far, found)
        players = [*far.committed.plan.players]
        header = {"oche": 1, "game": "x01", "players": players, "options": {"start": 101}, "ref": ref}
        won: list[dict[str, object]] = [{"throw": bed} for bed in ("T20", "S1", "D20")]
        missed: list[dict[str, object]] = [{"throw": "MISS"}, {"throw": "MISS"}, {"throw": "MISS"}, {"next": True}]

        async def offer(order: int, inputs: Sequence[dict[str, object]]) -> str:
            signed = sign("".join(f"{json.dumps(each)}\n" for each in (header, *inputs)))
            said = replace(signed, ref=ref, table="far", match="late", order=order)
            await display.say("oche/bridge/north/league/offer", msgspec.json.encode(said).decode())
            return said.sha256

        await offer(9, won)
        await eventually(lambda: find_match(found, ref.split("/")[1]).status == "played")
        for order, answer in ((5, {"answer": "older", "older_than": 9}), (10, {})):
            sha256 = await offer(order, [*missed, *won])
            wanted = {"match": "late", "sha256": sha256, **answer}
            await display.until(lambda: wanted in taken_by(display, "north"))  # noqa: B023
        winners = [line.input.winner for line in found.journal.lines if isinstance(line.input, Result)]
        assert len(winners) == len({*winners}) == 2, "what is said again as newer is a correction"


def taken_by(display: Display, bridge: str) -> list[object]:
    """What was answered to that daemon."""
    topic = f"oche/bridge/{bridge}/league/taken"
    return [json.loads(each.text) for each in display.messages if each.topic == topic]


def make_acl() -> str:
    """The rules that ship, without the marks of the organiser's lines; the other daemon has none of these."""
    rules = (SHIPPED / "acl").read_text(encoding="utf-8").replace("\n#topic", "\ntopic")
    return f"{rules}\nuser north\ntopic readwrite oche/bridge/north/#\ntopic readwrite oche/table/far/#\n"


def log_in(folder: Path, name: str) -> str:
    """Lines for `[mqtt]`."""
    (folder / "password").write_text("bridge", encoding="utf-8")
    (folder / "password").chmod(0o600)
    return f'username = "{name}"\npassword_file = "{folder}/password"'


def make_broker(program: Path, folder: Path, port: int, acl: str) -> Mosquitto:
    users = {"oche": "bridge", "north": "bridge"}
    return Mosquitto(program, folder / "mosquitto", port, users=users, shipped="oche.conf", acl=acl)


@pytest.mark.slow
async def test_the_lines_of_the_access_list_are_enough(
    tmp_path: Path, mosquitto_path: Path, unused_tcp_port: int
) -> None:
    ours, theirs = log_in(tmp_path, "oche"), log_in(tmp_path, "north")
    broker = make_broker(mosquitto_path, tmp_path, unused_tcp_port, make_acl())
    async with (
        broker,
        run_desk(read_config(configure(tmp_path, unused_tcp_port, mqtt=ours))) as (running, desk),
        run_daemon(configure_other(tmp_path / "other", unused_tcp_port, theirs)) as other,
    ):
        found, far = await begin_far(desk), other.tables["far"]
        name = (await planned(far, found)).split("/")[1]
        await win(far, min(far.committed.plan.players))
        await eventually(lambda: find_match(found, name).status == "played")
        await eventually(lambda: len(taken(tmp_path)) == 1)
        assert running.mqtt.status.sentence == "connected"


@pytest.mark.long
async def test_who_goes_on_from_a_file_gets_what_the_lost_organiser_had_taken(
    tmp_path: Path, broker: Mosquitto
) -> None:
    async with run_daemon(configure_other(tmp_path / "other", broker.port)) as other:
        far = other.tables["far"]
        async with run_desk(read_config(configure(tmp_path, broker.port))) as (_, desk):
            found = await begin_far(desk)
            names = list[str]()
            for _ in range(2):
                names.append((await planned(far, found)).split("/")[1])
                await win(far, min(far.committed.plan.players))
                await eventually(lambda: find_match(found, names[-1]).status == "played")
            lines = found.journal.lines
            first = next(number for number, line in enumerate(lines) if isinstance(line.input, Begin))
            await eventually(lambda: len(taken(tmp_path)) == 2)
        (tmp_path / "new").mkdir()
        async with run_desk(read_config(configure(tmp_path / "new", broker.port))) as (_, desk):
            await desk.restore(found.id, found.kept.made_s, found.kept.spec, lines[:first])
            again = await desk.find(found.id)
            for name in names:
                await eventually(lambda: find_match(again, name).status == "played")  # noqa: B023
            assert not any(isinstance(line.input, Begin) for line in again.journal.lines)
            assert again.view.outdated == ()
            final = await planned(far, again)
            assert final.split("/")[1] not in names


@pytest.mark.slow
async def test_a_correction_there_corrects_the_result(tmp_path: Path, broker: Mosquitto) -> None:
    async with run_both(tmp_path, broker.port) as (desk, other):
        found, far = await begin_far(desk), other.tables["far"]
        name = (await planned(far, found)).split("/")[1]
        await give(far, {"start": None}, "page")
        await throw(far, "T20")
        await eventually(lambda: find_match(found, name).status == "playing")
        await throw(far, "S1", "D20")
        await eventually(lambda: find_match(found, name).status == "played")
        await give(far, {"undo": True}, "page")
        await eventually(lambda: find_match(found, name).status == "playing")
        await throw(far, "MISS", "next", "S1", "MISS", "MISS", "next", "D20")
        await eventually(lambda: find_match(found, name).status == "played")
        said = [line.input for line in found.journal.lines if line.by == "table"]
        assert [type(each) for each in said] == [Begin, Result, TakeBack, Result]
        assert [sorted(each.darts) for each in said if isinstance(each, Result)] == [[0, 3], [3, 4]]


@pytest.mark.parametrize("others", [0, 1])
@pytest.mark.long
async def test_a_correction_after_the_end_is_entered_before_it_is_taken(
    tmp_path: Path, broker: Mosquitto, others: int
) -> None:
    """Nobody has opened the tournament since its organiser was restarted, and perhaps another one goes on."""
    setup = read_config(configure(tmp_path, broker.port))
    async with run_daemon(configure_other(tmp_path / "other", broker.port)) as other:
        far = other.tables["far"]
        async with run_desk(setup) as (_, desk):
            found = await begin(desk, FOUR[:2], ("far",))
            await eventually(lambda: "far" in desk.titles)
            await planned(far, found)
            await win(far, "Ann")
            await eventually(lambda: found.is_over)
            await eventually(lambda: len(taken(tmp_path)) == 1)
            before = taken(tmp_path)
            for _ in range(others):
                await begin(desk, FOUR[2:], ("main",))
        await give(far, {"undo": True}, "page")
        await throw(far, "S20", "next", "S1", "MISS", "MISS", "next", "D10")
        assert far.state().phase == "over"
        async with run_desk(setup) as (_, desk):
            await eventually(lambda: taken(tmp_path) != before)
            again = await desk.find(found.id)
            results = [line.input for line in again.journal.lines if isinstance(line.input, Result)]
            assert [sorted(each.darts) for each in results] == [[0, 3], [3, 4]]


@pytest.mark.slow
async def test_a_match_moves_there_and_back_with_what_was_thrown(tmp_path: Path, broker: Mosquitto) -> None:
    """It takes the place of what was left of it where it comes back."""
    async with (
        run_desk(read_config(configure(tmp_path, broker.port))) as (running, desk),
        run_daemon(configure_other(tmp_path / "other", broker.port)) as other,
    ):
        tables = {"main": running.tables["main"], "far": other.tables["far"]}
        found = await begin(desk, FOUR[:2], ("main", "far"))
        await eventually(lambda: desk.look("far").match is not None)
        await planned(tables["main"], found)
        await give(tables["main"], {"start": None}, "page")
        await throw(tables["main"], "T20", "S1", "S1", "next", "S5")
        await eventually(lambda: find_match(found, "final-1").status == "playing")
        for attempt, name in enumerate(("far", "main"), 2):
            await desk.do(found.id, Call("final-1", name), "organiser")
            ref = f"{found.id}/final-1/{attempt}"
            await eventually(lambda: tables[name].state().ref == ref)  # noqa: B023
            sides = tables[name].state().sides
            assert sorted(side.score for side in sides) == [39, 101], "the visit in progress is thrown again"
            await throw(tables[name], "S5")
            await eventually(lambda: find_match(found, "final-1").status == "playing")
        await throw(tables["main"], "MISS", "MISS", "next", "S19", "D10")
        await eventually(lambda: found.is_over)


@pytest.mark.long
async def test_a_match_with_hands_is_seen_to_begin(tmp_path: Path, broker: Mosquitto) -> None:
    """It has no record before its end, so what it is played by is known from its plan alone."""
    spec = TournamentSpec("Friday", "knock_out", "dards", {"mode": "dealt"}, seeding="hand")
    async with run_both(tmp_path, broker.port) as (desk, other):
        found, far = await begin(desk, FOUR, ("far",), spec), other.tables["far"]
        name = (await planned(far, found)).split("/")[1]
        await give(far, {"start": None}, "page")
        seat = far.state().turn.seat
        (prompt,) = far.state(seat).prompts
        await give(far, {"choose": (prompt.options or ())[0]}, SeatSender(seat))
        await throw(far, "S20")
        await eventually(lambda: find_match(found, name).status == "playing")


@pytest.mark.slow
async def test_what_is_played_while_the_desk_is_away_is_taken_afterwards(
    tmp_path: Path, broker: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It need not wait until it is said again by itself, which may be minutes."""
    monkeypatch.setattr("daemon.league.offers.AGAIN", Backoff(3600.0, 3600.0))
    setup = read_config(configure(tmp_path, broker.port))
    async with run_daemon(configure_other(tmp_path / "other", broker.port)) as other:
        far = other.tables["far"]
        async with run_desk(setup) as (_, desk):
            found = await begin_far(desk)
            name = (await planned(far, found)).split("/")[1]
        await win(far, min(far.committed.plan.players))
        await give(far, {"start": None}, "page")  # and something else after it
        async with run_desk(setup) as (_, desk):
            found = await desk.find(found.id)
            await eventually(lambda: find_match(found, name).status == "played")
            await eventually(lambda: len(taken(tmp_path)) == 1)


@pytest.mark.slow
async def test_a_match_waits_for_a_daemon_that_is_away(tmp_path: Path, broker: Mosquitto) -> None:
    async with run_desk(read_config(configure(tmp_path, broker.port))) as (_, desk):
        setup = configure_other(tmp_path / "other", broker.port)
        async with run_daemon(setup):
            await begin_far(desk)
        await eventually(lambda: desk.look("far").is_away)
        found = await begin(desk, FOUR, ("far",))
        await eventually(lambda: found.view.tables[0].status == "away")
        assert not [*found.list_active()]
        async with run_daemon(setup) as other:
            await eventually(lambda: other.tables["far"].committed.plan.ref is not UNSET)


async def test_tables_of_others_are_found_once_they_are_asked_for(tmp_path: Path, broker: Mosquitto) -> None:
    async with run_both(tmp_path, broker.port) as (desk, _), Display(broker.port) as display:
        found, main = await desk.find(await desk.make(SPEC)), FoundTable("main", "main")
        info = {"contract": 1, "tables": ["old", "main"]}
        await eventually(lambda: display.now.get("oche/bridge/north/state") == "online")
        for name, state in (("south", "online"), ("gone", "offline")):
            await display.say(f"oche/bridge/{name}/info", json.dumps(info), retain=True)
            await display.say(f"oche/bridge/{name}/state", state, retain=True)
        assert desk.list_found(found) == [main]
        everything = [main, FoundTable("far", "far", "north"), FoundTable("old", "old", "south", paper=True)]
        await eventually(lambda: desk.list_found(found) == everything)
        await desk.do(found.id, SetTables((TableUse("far"), TableUse("old", paper=True))), "organiser")
        assert desk.list_found(found) == [main]


@pytest.mark.long
async def test_a_player_who_is_forgotten_is_called_otherwise_there(tmp_path: Path, broker: Mosquitto) -> None:
    async with run_both(tmp_path, broker.port) as (desk, other):
        found, far = await begin_far(desk), other.tables["far"]
        ref = await planned(far, found)
        name = far.committed.plan.players[0]
        erase_names(tmp_path / "state" / FILE, {name_key(name)}, make_neutral_name)
        await desk.reload()
        await eventually(lambda: name not in far.committed.plan.players)
        assert far.committed.plan.ref == ref
        await win(far, far.committed.plan.players[0])
        await eventually(lambda: find_match(found, ref.split("/")[1]).status == "played")


@pytest.mark.long
async def test_a_match_that_people_have_left_there_keeps_no_table_busy(
    tmp_path: Path, broker: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with run_both(tmp_path, broker.port) as (desk, other):
        await begin_far(desk)
        await throw(other.tables["far"], "T20")
        await eventually(lambda: desk.look("far").is_busy)
        monkeypatch.setattr("daemon.tournament.other_tables.LEFT_S", 0.0)
        assert not desk.look("far").is_busy


@pytest.mark.slow
@pytest.mark.parametrize("board", ["", pytest.param("none", marks=pytest.mark.long)])
async def test_a_table_there_is_called_and_says_that_its_board_is_away(
    tmp_path: Path, broker: Mosquitto, board: str
) -> None:
    folder = tmp_path / "other"
    folder.mkdir()
    setup = read_config(configure(folder, broker.port, 'name = "far"', bridge='name = "north"', board=board))
    async with run_desk(read_config(configure(tmp_path, broker.port))) as (_, desk), run_daemon(setup) as other:
        found = await begin_far(desk)
        await planned(other.tables["far"], found)
        await eventually(lambda: found.view.tables[0].board_away == (board == ""))


@pytest.mark.long
async def test_an_older_oche_is_not_asked(tmp_path: Path, broker: Mosquitto) -> None:
    async with run_both(tmp_path, broker.port) as (desk, _), Display(broker.port) as display:
        await begin_far(desk)
        await eventually(lambda: not desk.look("far").is_away)
        await display.say("oche/bridge/north/state", "online", retain=True)  # as it does every minute
        info = json.loads(display.now["oche/bridge/north/info"])
        old = {**info, "contract": 1, "tables": ["old"]}
        await display.say("oche/bridge/old/info", json.dumps(old), retain=True)
        await display.say(
            "oche/bridge/newer/info", json.dumps({**old, "contract": 2, "tables": ["newer"]}), retain=True
        )
        await eventually(lambda: "newer" in desk.titles)
        assert set(desk.titles) == {"main", "far", "newer"}
        assert not desk.look("far").is_away


HEADER = (
    '{"oche":1,"game":"x01","players":["Ann","Bo"],"options":{"start":101,"out":"straight"},"ref":"k3v9x2ma/a-1/1"}\n'
)
RECORD = HEADER + '{"throw":"T20"}\n{"throw":"S20"}\n{"throw":"T7"}\n'
GOOD = LeagueOffer(
    *(1, "0123456789ab", "far", "standard", 4, hashlib.sha256(RECORD.encode()).hexdigest(), RECORD),
    ref="k3v9x2ma/a-1/1",
)
LONG = base64.b64encode(zlib.compress(b" " * 5_000_000)).decode()
CUT = base64.b64encode(zlib.compress(RECORD.encode())[:-9]).decode()


def sign(record: str) -> LeagueOffer:
    return replace(GOOD, record=record, lines=record.count("\n"), sha256=hashlib.sha256(record.encode()).hexdigest())


def test_an_offer_is_read_packed_or_not() -> None:
    found = read_offer(GOOD, RuleGuard())
    assert found.end is not None
    assert (found.record, found.end.winners, found.end.darts) == ("0123456789ab", (0,), (3, 0))
    packed = base64.b64encode(zlib.compress(RECORD.encode())).decode()
    assert read_offer(replace(GOOD, record=packed, packed=True), RuleGuard()) == found


@pytest.mark.parametrize(
    ("offer", "why"),
    [
        (replace(GOOD, sha256="0" * 64), "checksum"),
        (replace(GOOD, ref="k3v9x2ma/a-2/1"), "another match"),
        (replace(GOOD, lines=3), "another match"),
        (replace(GOOD, layout="square"), "no layout"),
        (replace(GOOD, record="not base64!", packed=True), "unpacked"),
        (replace(GOOD, record=LONG, packed=True), "longer than"),
        (replace(GOOD, record=CUT, packed=True), "cut off"),
        (sign("[1]\n"), "object"),
        (sign(RECORD.replace('"x01"', '"chess"')), "chess"),
        (sign(RECORD.replace("T7", "T8")), "not over"),
        (sign(RECORD + '{"throw":"S1"}\n'), "line 5"),
    ],
)
def test_an_offer_that_is_none_says_why(offer: LeagueOffer, why: str) -> None:
    with pytest.raises((Unreadable, Unplayable), match=why):
        read_offer(offer, RuleGuard())


async def find_trouble(setup: CheckedConfig) -> dict[str, str]:
    """What the doctor says of tournaments, by verdict."""
    return {check.verdict: str(check) async for check in check_running(setup) if check.name == "tournaments"}


@pytest.mark.slow
async def test_the_doctor_names_the_line_that_is_missing(
    tmp_path: Path, mosquitto_path: Path, unused_tcp_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.admin.doctor.other_tables.ECHO_S", 1.0)
    acl = make_acl()
    ours, theirs = log_in(tmp_path, "oche"), log_in(tmp_path, "north")
    broker = make_broker(mosquitto_path, tmp_path, unused_tcp_port, acl)
    setup = read_config(configure(tmp_path, unused_tcp_port, mqtt=ours))
    async with broker, run_desk(setup) as (_, desk):
        assert await find_trouble(setup) == {}
        async with run_daemon(configure_other(tmp_path / "other", unused_tcp_port, theirs)) as other:
            await planned(other.tables["far"], await begin_far(desk))
            plan = other.tables["far"].committed.plan
            assert set(await find_trouble(setup)) == {"ok"}
            assert other.tables["far"].committed.plan == plan
            for line, verdict in (
                ("topic readwrite oche/tournament/+/#", "problem"),
                ("topic write oche/table/+/request/game", "problem"),
                ("topic read oche/table/+/response/+", "warning"),
            ):
                broker.heed(acl.replace(f"{line}\n", "", 1))
                await eventually(partial(names_line, setup, verdict, line))
            broker.heed(acl)
        assert "the table far of a tournament does not answer" in (await find_trouble(setup))["warning"]


async def names_line(setup: CheckedConfig, verdict: str, line: str) -> bool:
    return line in (await find_trouble(setup)).get(verdict, "")
