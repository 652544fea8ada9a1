"""The command line as such: what it prints for those who do not know it yet, and a match as sentences on a terminal."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from msgspec import UNSET
from msgspec.structs import replace

from daemon import cli
from daemon.release import find_project_url
from daemon.snapshot import make_states
from daemon.table.effects import Update
from daemon.terminal import Terminal, paint, render_scoreboard
from protocol.facts import LifeLost, MatchDartMissed, Visit, make_event
from tests.commanding import give
from tests.daemon.process import Saying
from tests.daemon.test_bots import evening
from tests.simulator.hurry import hurry


@pytest.mark.parametrize("command", [(), ("boards",), ("config",), ("history",)])
def test_a_command_without_its_arguments_prints_its_help(oche: Saying, command: tuple[str, ...]) -> None:
    said = oche(*command)
    assert (said.status, said.output) == (2, "")
    assert said.errors.startswith(f"Usage: {' '.join(('oche', *command))} [OPTIONS] COMMAND [ARGS]...\n")
    assert said.errors == oche(*command, "--help").output


@pytest.mark.parametrize("command", [(), ("play",), ("history", "export")])
def test_help_is_there_by_its_word_and_whole(oche: Saying, command: tuple[str, ...]) -> None:
    said = oche("help", *command)
    assert (said.status, said.output) == (0, oche(*command, "--help").output)
    listed = said.output.partition("Commands:")[2]
    assert "..." not in listed


def test_the_list_says_of_each_command_what_its_own_help_says() -> None:
    """The list has the sentences by themselves, so that it shows them without loading the commands."""
    context = click.Context(cli.oche)
    helps = {name: command for name in cli.COMMANDS if (command := cli.oche.get_command(context, name)) is not None}
    assert {name: command.get_short_help_str(1000) for name, command in helps.items()} == cli.COMMANDS


def test_help_names_what_there_is_not(oche: Saying) -> None:
    for command, sentence in (
        (("plya",), "oche: there is no command 'plya'; did you mean 'play'?"),
        (("play", "x01"), "oche: oche play has no subcommands: leave out 'x01'"),
        (("history", "lst"), "oche: there is no command 'lst'"),
    ):
        said = oche("help", *command)
        assert (said.status, said.output) == (2, "")
        assert said.errors.strip() == sentence


@pytest.mark.parametrize(("more", "is_coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)])
def test_colours_are_for_terminals_that_want_them(
    monkeypatch: pytest.MonkeyPatch, more: dict[str, str], is_coloured: bool
) -> None:
    for name, value in {"TERM": "xterm", "NO_COLOR": "", **more}.items():
        monkeypatch.setenv(name, value)
    master, terminal = os.openpty()
    with os.fdopen(master), os.fdopen(terminal, "w") as screen:
        assert paint("oche:", "red", screen) == ("\x1b[31moche:\x1b[0m" if is_coloured else "oche:")
    assert paint("oche:", "red", io.StringIO()) == "oche:", "what is no terminal has none"


def test_a_mistake_is_told_in_red_on_a_terminal() -> None:
    master, terminal = os.openpty()
    env = {**os.environ, "TERM": "xterm", "NO_COLOR": ""}
    subprocess.run([sys.executable, "-m", "daemon.cli", "plya"], stderr=terminal, env=env, check=False)
    os.close(terminal)
    with os.fdopen(master, "rb", buffering=0) as shown:
        assert shown.read(4096).startswith(b"\x1b[31moche:\x1b[0m there is no command 'plya'")


def test_an_address_of_the_project_is_shown_once_it_has_one(
    oche: Saying, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "oche-9.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(
        "Metadata-Version: 2.4\nName: oche\nVersion: 9\nProject-URL: Homepage, https://oche.example\n"
    )
    assert ("https://" in oche("--help").output) == (find_project_url("Homepage") is not None)
    monkeypatch.syspath_prepend(tmp_path)
    assert (find_project_url("Homepage"), find_project_url("Issues")) == ("https://oche.example", None)
    assert oche("--help").output.endswith("\n\nhttps://oche.example\n")


def played(
    folder: Path,
    captured: pytest.CaptureFixture[str],
    game: str,
    darts: str,
    layout: str = "standard",
    *,
    is_steel: bool = False,
) -> str:
    """What is printed while these darts are thrown in this game."""

    async def main() -> None:
        async with evening(folder, layout, game=game, players=("Ann", "Bo")) as ours:
            ours.table.subscribe(Terminal(is_steel=is_steel))
            for dart in darts.split():
                await give(ours.table, {"next": True} if dart == "/" else {"throw": dart}, "page")

    hurry(main())
    printed = captured.readouterr().out
    assert not re.search(r"[a-z]_[a-z]", printed), printed
    return printed


def test_an_award_is_named_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "     Ann: low ton!\n" in played(tmp_path, capsys, "x01", "T20 T20 S1")


def test_a_perfect_leg_that_is_shorter_is_not_named_by_nine_darts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "     Ann: perfect leg!\n" in played(tmp_path, capsys, "301", "T20 T20 T20 / / T20 T19 D2")


@pytest.mark.parametrize(
    ("darts", "name"),
    [
        ("T20 S20 S20", "one hundred"),
        ("T20 T7 S20", "one hundred and one"),
        ("T20 S20 D16", "one hundred and twelve"),
        ("T20 T20 S20", "one hundred and forty"),
        ("T20 T20 T19", "one hundred and seventy-seven"),
        ("SB DB DB", "three bulls"),
        ("T19 T19 T19", "three in a bed"),
    ],
)
def test_an_award_at_a_steel_tip_is_named_as_in_a_pub(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], darts: str, name: str
) -> None:
    assert f"     Ann: {name}!\n" in played(tmp_path, capsys, "x01", darts, is_steel=True)


def test_a_life_that_is_lost_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "     Ann: a life lost\n" in played(tmp_path, capsys, "nine_lives", "MISS MISS MISS")


def test_a_comeback_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    leg = "T20 T20 T20 / / T20 T20 T20 / / MISS / T20 T20 T20 / MISS / T20 T20 T20 / MISS / T20 T19 D12"
    assert "     Bo: comeback, was 360 points behind\n" in played(tmp_path, capsys, "501", leg)


@pytest.mark.parametrize(("missed", "said"), [(1, "match dart missed"), (3, "3 match darts missed")])
def test_match_darts_that_were_missed_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], missed: int, said: str
) -> None:
    async def main() -> None:
        async with evening(tmp_path, players=("Ann", "Bo")) as ours:
            state, _ = make_states(ours.table.match)
            event = make_event(MatchDartMissed(missed=missed, side=0), match="m", line=2, player="Ann")
            Terminal().publish(Update("main", state, (event,)))

    hurry(main())
    assert capsys.readouterr().out == f"     Ann: {said}\n"


def test_lives_of_nobody_are_not_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A game of a third party may leave out whose they are where its check does not come."""

    async def main() -> None:
        async with evening(tmp_path, players=("Ann", "Bo")) as ours:
            state, _ = make_states(ours.table.match)
            for target in ("", "20"):
                lost = LifeLost(lives=2, target=target or UNSET)
                Terminal().publish(Update("main", state, (make_event(lost, match="m", line=2),)))

    hurry(main())
    assert capsys.readouterr().out == "     20: 2 lives lost\n"


@pytest.mark.parametrize(
    ("game", "darts", "named"),
    [
        ("x01", "T20 O5 SB", "T20 5 25 "),
        ("x01", "I20 DB MISS", "20 Bull Miss "),
        ("golf", "O1 I1 T1", "1 outer, 1 inner, T1 "),
    ],
)
def test_beds_are_named_as_players_say(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], game: str, darts: str, named: str
) -> None:
    assert named in played(tmp_path, capsys, game, darts)


def test_a_dart_that_the_board_could_not_read_is_a_question_mark(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """At the oche, and after the visit."""

    async def main() -> None:
        async with evening(tmp_path, game="x01", players=("Ann", "Bo")) as ours:
            for dart in ("T20", "MISS", "MISS"):
                await give(ours.table, {"throw": dart}, "page")
            state, _ = make_states(ours.table.match)
        one, other, last = state.turn.darts
        state = replace(state, turn=replace(state.turn, darts=(one, replace(other, unread=True), last)))
        assert "Ann threw T20 ? Miss;" in render_scoreboard(state)
        visit = make_event(Visit(points=60, darts=("T20", "MISS", "MISS"), side=0), match="m", line=4, player="Ann")
        Terminal().publish(Update("main", state, (visit,)))

    hurry(main())
    assert "T20 ? Miss " in capsys.readouterr().out


def test_a_question_is_asked_without_its_id(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed = played(tmp_path, capsys, "yatzy_dart", "6i 6i 6i", "yatzy")
    assert re.search(r"^     Ann: .+ \(.*three kind.*\)$", printed, re.MULTILINE), printed
