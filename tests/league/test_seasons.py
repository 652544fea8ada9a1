"""Seasons in the database: their matches are played, sent and folded, and the tables follow from them alone."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest
from msgspec import UNSET, UnsetType
from msgspec.structs import replace
from psycopg import Connection

from daemon.admin import requests
from daemon.admin.tournaments.tournament_file import read_file
from daemon.collect.bounded_source import SeasonSource
from daemon.collect.folding import fold_all
from daemon.collect.postgres_source import Scope
from daemon.collect.received import Received, Sender
from daemon.collect.season_results import find_matches
from daemon.collect.seasons import add_season, drop_season, enter, read_season, take_back, write_match_day
from daemon.errors import UserError
from daemon.tournament.ref import Ref
from engine.league.schedule import list_fixtures
from engine.tournament.journal import replay
from engine.tournament.match_header import make_header
from protocol.league_messages import LeagueResults, ResultByHand
from protocol.match_spec import write_header
from protocol.season import DivisionView, EnterResult, FixtureView, SeasonSpec
from tests.daemon.evenings import Evening
from tests.daemon.process import Said, Saying
from tests.engine.league.seasons import SLOTS, make_season
from tests.engine.league.seasons import find as find_fixture
from tests.league.offering import write_config
from tests.league.offers import IDS, NORTH, SOUTH
from tests.league.offers import read as read_message
from tests.league.postgres import Postgres
from tests.league.sending import connect, list_records, say, send
from tests.league.test_sources import ask, give, open_journals

CHECK_OUT = {"start": 101, "out": "straight"}
JSON = dict[str, Any]  # Any: JSON
FIRST_WINS = "T20 T13 S2"
SECOND_WINS = f"MISS MISS MISS / {FIRST_WINS}"


@pytest.fixture
def db(postgres: Postgres, league_database: str) -> Iterator[Connection[Any]]:
    with connect(postgres, league_database) as db:
        yield db


def with_game(spec: SeasonSpec) -> SeasonSpec:
    return replace(spec, options=CHECK_OUT, days=())


def play_day(
    evening: Evening,
    spec: SeasonSpec,
    day: int,
    home_wins: Callable[[str], bool],
    *,
    attempt: int = 1,
    home: str | None = None,
) -> list[str]:
    """Plays all matches of the file of a match day as tables are asked for them; returns their ids."""
    tournament, content = write_match_day(spec, day, home=home)
    file = read_file(content)
    found = replay(file.head.spec, file.lines).tournament
    played = []
    for match in found.list_matches():
        ref = str(Ref(tournament, match, attempt))
        header = make_header(found, match, ref)
        people, _ = found.find_people(match)
        is_first = header.players[0] in people
        darts = FIRST_WINS if is_first == home_wins(match) else SECOND_WINS
        played.append(evening.play(darts, day=day, **write_header(replace(header, ref=ref))))
    return played


def send_all(db: Connection[Any], folder: Path) -> None:
    send(db, *list_records(folder))
    fold_all(db, "1")


def read(db: Connection[Any]) -> DivisionView:
    return read_season(db, "autumn").divisions[0]


def find(division: DivisionView, home: str, away: str) -> FixtureView:
    return next(each for each in division.fixtures if (each.home, each.away) == (home, away))


def list_points(division: DivisionView) -> dict[str, int]:
    return {row.side: row.points for row in division.rows}


def test_matches_of_a_season_are_found_by_their_ref_and_make_its_table(db: Connection[Any], tmp_path: Path) -> None:
    spec = with_game(make_season("Ann", "Bo", "Cy"))
    assert add_season(db, spec)
    with Evening(tmp_path) as evening:
        for day in range(1, 7):
            play_day(evening, spec, day, lambda _: True)
        evening.play(SECOND_WINS, game="x01", players=["Ann", "Bo"], options=CHECK_OUT)  # not of the season
    send_all(db, tmp_path)
    division = read(db)
    assert {each.status for each in division.fixtures} == {"played"}
    assert {each.score for each in division.fixtures} == {(1, 0)}
    assert [(row.points, row.played, row.legs) for row in division.rows] == [(4, 4, (2, 2))] * 3
    assert all(row.average for row in division.rows)


def test_a_corrected_dart_changes_the_table(db: Connection[Any], tmp_path: Path) -> None:
    spec = with_game(make_season("Ann", "Bo"))
    add_season(db, spec)
    with Evening(tmp_path) as evening:
        (match,) = play_day(evening, spec, 1, lambda _: True)
    send_all(db, tmp_path)
    assert list_points(read(db)) == {"Ann": 2, "Bo": 0}
    corrected: tuple[JSON, ...] = (
        {"undo": True},
        {"throw": "S1"},
        {"next": True},
        *({"throw": dart} for dart in FIRST_WINS.split()),
    )
    with Evening(tmp_path) as evening:
        evening.go_on(match, *corrected, line=5, day=2)
    send_all(db, tmp_path)
    assert list_points(read(db)) == {"Ann": 0, "Bo": 2}


@pytest.mark.parametrize("is_whole_day", [False, True])
def test_a_team_match_is_played_in_slots_at_its_home(db: Connection[Any], tmp_path: Path, is_whole_day: bool) -> None:
    spec = with_game(make_season("Bell", "Crown", "Swan", "Star", slots=SLOTS))
    add_season(db, spec)
    home = next(each for each in list_fixtures(spec) if each.day == 1)
    names = [side.name for side in spec.divisions[0].sides]
    chosen = None if is_whole_day else names[home.home - 1]
    with Evening(tmp_path) as evening:
        play_day(evening, spec, 1, lambda match: match.endswith(("/1", "/3")), home=chosen)
    send_all(db, tmp_path)
    division = read(db)
    assert [each.score for each in division.fixtures if each.day == 1] == [(3, 1), (3, 1) if is_whole_day else None]
    found = find(division, names[home.home - 1], names[home.away - 1])
    assert (found.status, found.score) == ("played", (3, 1))
    db.execute("update oche.person set shown_key = 'substitute ' || id")
    db.execute("update oche.person_name set name_key = 'substitute ' || id")
    assert find(read(db), found.home, found.away) == found, "the teams are known by their names"


def test_the_order_of_arrival_and_the_attempt_that_was_void_change_nothing(db: Connection[Any], tmp_path: Path) -> None:
    spec = with_game(make_season("Ann", "Bo"))
    add_season(db, spec)
    with Evening(tmp_path) as evening:
        play_day(evening, spec, 1, lambda _: False, attempt=1)
        play_day(evening, spec, 1, lambda _: True, attempt=2)
    for record in reversed(list_records(tmp_path)):
        send(db, record)
        fold_all(db, "1")
    assert find(read(db), "Ann", "Bo").score == (1, 0)


def test_a_match_that_was_stopped_counts_nowhere(db: Connection[Any], tmp_path: Path) -> None:
    spec = with_game(make_season("Ann", "Bo"))
    add_season(db, spec)
    fixture = list_fixtures(spec)[0]
    ref = str(Ref(fixture.tournament, fixture.match, 1))
    with Evening(tmp_path) as evening:
        evening.play("T20 T13", {"stop": True}, game="x01", players=["Ann", "Bo"], options=CHECK_OUT, ref=ref)
    send_all(db, tmp_path)
    assert db.execute("select count(*) from oche.match where tournament = %s", [fixture.tournament]).fetchone() == (1,)
    assert find(read(db), "Ann", "Bo").status == "open"


def test_a_player_is_known_by_the_name_that_the_league_shows(db: Connection[Any], tmp_path: Path) -> None:
    spec = with_game(make_season("Ann", "Bo"))
    add_season(db, spec)
    with Evening(tmp_path) as evening:
        play_day(evening, spec, 1, lambda _: True)
    send_all(db, tmp_path)
    db.execute("update oche.person set shown = shown || ' Lee', shown_key = shown_key || ' lee'")
    assert find(read(db), "Ann", "Bo").score == (1, 0)
    db.execute("delete from oche.season")
    add_season(db, with_game(make_season("Ann Lee", "Bo Lee")))
    assert find(read(db), "Ann Lee", "Bo Lee").score == (1, 0)


def test_the_figures_of_a_season_are_those_of_its_matches(db: Connection[Any], tmp_path: Path) -> None:
    spec = with_game(make_season("Ann", "Bo", "Cy"))
    add_season(db, spec)
    own, other = tmp_path / "own", tmp_path / "other"
    with Evening(own) as evening:
        for day in range(1, 5):
            play_day(evening, spec, day, lambda _: True)
    with Evening(other, "kitchen") as evening:
        evening.play(SECOND_WINS, day=2, game="x01", players=["Ann", "Bo"], options=CHECK_OUT)
        evening.play(
            SECOND_WINS, day=3, game="x01", players=["Ann", "Di"], ref="abcdefgh/round-1-1/1", options=CHECK_OUT
        )
    send_all(db, own)
    send_all(db, other)
    journals = open_journals(own)
    season = SeasonSource(lambda: give(db), Scope(), find_matches(db, spec), show_places=False)
    for request in (
        requests.ListFigures(),
        requests.ListFigures(game="501"),
        requests.ListMatches(),
        requests.ListMatches(player="Cy", table="main"),
        requests.ReadFigures(name="Ann"),
        requests.ReadFigures(name="Di"),
        requests.ReadHeadToHead(name="Ann", other="Bo"),
        requests.ReadRatings(),
        requests.ReadLeague(month="2026-10"),
    ):
        assert ask(season, request) == ask(journals, request), request
    assert len(ask(season, requests.ListMatches())["matches"]) == 4


def test_what_is_entered_is_numbered_and_can_be_taken_back(db: Connection[Any]) -> None:
    add_season(db, make_season("Ann", "Bo"))
    fixture = read(db).fixtures[0].id
    assert enter(db, "autumn", EnterResult(fixture, (3, 1))) == 1
    assert enter(db, "autumn", EnterResult(fixture, (1, 3))) == 2
    assert list_points(read(db)) == {"Ann": 0, "Bo": 2}
    take_back(db, "autumn", 2)
    assert list_points(read(db)) == {"Ann": 2, "Bo": 0}
    assert enter(db, "autumn", EnterResult(fixture, (2, 2))) == 3
    with pytest.raises(UserError, match="nothing with the number 2 was entered"):
        take_back(db, "autumn", 2)


def say_results(
    tournament: str, *results: ResultByHand, line: int = 5, order: int | UnsetType = UNSET, sender: Sender = NORTH
) -> Received:
    message = LeagueResults(1, IDS[sender].hex, f"{tournament}-{len(results)}", tournament, line, results, order)
    return read_message("league_results", message, sender)


def test_what_is_entered_at_a_match_day_counts_and_the_newest_of_it(db: Connection[Any]) -> None:
    spec = make_season("Ann", "Bo")
    add_season(db, spec)
    fixture = find_fixture(spec, "Ann", "Bo")
    won, lost = (ResultByHand(fixture.match, fixture.entrants, winner, legs) for winner, legs in RESULTS)

    def points_after(*results: ResultByHand, **more: Any) -> int:  # Any: see say_results
        say(db, say_results(fixture.tournament, *results, **more))
        return list_points(read(db))["Ann"]

    assert points_after(won, order=5) == 2
    assert points_after(lost, order=4) == 2, "it came late"
    assert points_after(lost, order=6) == 0
    assert points_after(won) == 2, "an older oche tells no order"
    assert points_after(line=9, sender=SOUTH) == 0, "the south has the tournament now, and nothing is entered there"
    assert points_after(won, line=4, sender=SOUTH) == 2, "it has a former state of it, so the north counts"
    assert points_after(lost, line=12, sender=SOUTH) == 0
    with pytest.raises(UserError, match="the season autumn has results"):
        add_season(db, make_season("Bo", "Ann"))


def test_what_was_entered_at_match_days_goes_with_its_season(db: Connection[Any]) -> None:
    spec = make_season("Ann", "Bo")
    add_season(db, spec)
    fixture = find_fixture(spec, "Ann", "Bo")
    say(db, say_results(fixture.tournament, ResultByHand(fixture.match, fixture.entrants, 0, (3, 1))))
    assert list_points(read(db)) == {"Ann": 2, "Bo": 0}
    drop_season(db, "autumn")
    add_season(db, make_season("Cy", "Di"))
    assert list_points(read(db)) == {"Cy": 0, "Di": 0}, "nobody of these has won"


def test_with_results_the_sides_stay(db: Connection[Any]) -> None:
    spec = make_season("Ann", "Bo")
    assert add_season(db, spec)
    assert not add_season(db, make_season("Bo", "Ann"))
    assert not add_season(db, spec)
    enter(db, "autumn", EnterResult("1-1-1", (3, 1)))
    with pytest.raises(UserError, match="the season autumn has results"):
        add_season(db, make_season("Bo", "Ann"))
    assert not add_season(db, make_season("Ann", "Bo", tie_breaks=("wins",)))


RESULTS: tuple[tuple[Literal[0, 1], tuple[int, int]], ...] = ((0, (3, 1)), (1, (1, 3)))
SEASON = """
id = "winter"
name = "Winter"
begins = "2026-12-01"
ends = "2027-03-31"
days = ["2026-12-07", "2026-12-14"]
options = { start = 501 }

[points]
win = 3

[[divisions]]
name = "One"
promoted = 1

[[divisions.sides]]
name = "Bell"
people = ["Ann"]
place = "The Bell"
table = "bell"

[[divisions.sides]]
name = "Crown"
people = ["Bo"]
"""


@pytest.fixture
def season(
    tmp_path: Path,
    postgres: Postgres,
    league_database: str,
    capfdbinary: pytest.CaptureFixture[bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[..., Said]:
    """Types `oche collect season` with these words; the file of a season is `winter.toml`."""
    saying = Saying(capfdbinary, monkeypatch)
    config = write_config(tmp_path, 1, postgres, league_database)
    (tmp_path / "winter.toml").write_text(SEASON)
    monkeypatch.chdir(tmp_path)
    return lambda *words: saying("collect", "--config", config, "season", *words)


def test_a_season_is_kept_by_its_commands(season: Callable[..., Said], tmp_path: Path) -> None:
    assert season("add", "winter.toml").output == "added: winter\n"
    assert season("add", "winter.toml").output == "changed: winter\n"
    assert season("list").output == "winter  2026-12-01  2027-03-31  Winter\n"
    assert season("result", "winter", "1-1-1", "3", "1").output == (
        "entered as 1; oche collect season undo winter 1 takes it back\n"
    )
    assert season("forfeit", "winter", "1-2-1", "home").status == 0
    assert season("postpone", "winter", "1-2-1", "2026-12-20").status == 0
    assert season("deduct", "winter", "Crown", "1", "--reason", "late").status == 0
    shown = season("show", "winter").output.splitlines()
    assert shown[0] == "Winter, 2026-12-01 to 2027-03-31"
    assert [line.split() for line in shown[3:5]] == [
        ["1", "Bell", "1", "2", "0", "0", "3-1", "6", "promoted"],
        ["2", "Crown", "1", "0", "0", "2", "1-3", "-1", "1", "deducted"],
    ]
    assert shown[5:9] == [
        "match day 1",
        "  1-1-1  2026-12-07  Bell – Crown  3-1 (by hand)",
        "match day 2",
        "  1-2-1  2026-12-20 postponed  Crown – Bell  0-0 (forfeit)",
    ]
    assert shown[-1].endswith("deduct: side Crown, points 1, reason late")
    assert season("undo", "winter", "4").status == 0
    assert season("day", "winter", "1", "--home", "bell", "--output", "day.jsonl").status == 0
    file = read_file((tmp_path / "day.jsonl").read_bytes())
    assert [each.name for each in replay(file.head.spec, file.lines).tournament.tables] == ["bell"]
    assert season("remove", "winter").status == 0
    assert season("list").output == ""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("show", "wintre"), "there is no season 'wintre'; did you mean 'winter'?"),
        (("result", "winter", "1-9-1", "3", "1"), "this season has no fixture 1-9-1"),
        (("postpone", "winter", "1-1-1", "2026-02-30"), "2026-02-30 is no day"),
        (("withdraw", "winter", "Swan"), "no side of this season is called Swan"),
        (("day", "winter", "9", "--output", "x"), "this season has no match day 9"),
        (("day", "winter", "2", "--home", "Bell", "--output", "x"), "Bell is not at home on match day 2"),
        (("day", "winter", "1", "--division", "Two", "--output", "x"), "this season has no division Two: it has One"),
        (("undo", "winter", "1"), "nothing with the number 1 was entered"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(
    season: Callable[..., Said], words: tuple[str, ...], said: str
) -> None:
    season("add", "winter.toml")
    status, _, errors = season(*words)
    assert status == 2
    assert said in errors
    assert errors.count("\n") == 1


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (("promoted", "promotes"), "winter.toml, line 14: unknown key 'promotes'"),
        (("2026-12-14", "2026-12-32"), "2026-12-32 is no day: write one such as 2026-10-01"),
        (('name = "Crown"', 'name = "bell"'), "the side bell is there twice"),
        (("start = 501", "start = -1"), "start"),
    ],
)
def test_a_file_that_is_wrong_is_refused_with_its_place(
    season: Callable[..., Said], tmp_path: Path, changed: tuple[str, str], said: str
) -> None:
    (tmp_path / "winter.toml").write_text(SEASON.replace(*changed))
    status, _, errors = season("add", "winter.toml")
    assert (status, said in errors, "winter.toml" in errors) == (2, True, True), errors


def test_a_season_may_be_json(season: Callable[..., Said], tmp_path: Path) -> None:
    (tmp_path / "winter.json").write_bytes(msgspec.json.encode(make_season("Ann", "Bo")))
    assert season("add", "winter.json").output == "added: autumn\n"


def test_the_example_of_the_guide_is_a_season(season: Callable[..., Said], tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "league.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```toml\n(id = .*?)^```$", page, re.MULTILINE | re.DOTALL)
    (tmp_path / "winter.toml").write_text(example)
    assert season("add", "winter.toml").output == "added: winter-2026\n"
    typed = [line.split("`")[1] for line in page.splitlines() if line.startswith("| `oche collect season")]
    assert len(typed) == 7
    typed += re.findall(r"^    (oche collect season day .*)$", page, re.MULTILINE)
    for words in typed:
        status, _, errors = season(*shlex.split(words)[3:])
        assert (status, errors) == (0, ""), words
