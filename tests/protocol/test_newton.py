"""NewTon's messages: the checksums that others have computed, what is refused, and what only gets a remark."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from protocol.match_spec import Format, PlannedSpec, read_header
from protocol.newton import (
    Assignment,
    Leg,
    NewtonResult,
    assign,
    check_result,
    decode,
    encode,
    name_matches,
    pack_leg,
    plan,
    read_assignment,
    read_result,
    report,
    sign,
)
from protocol.player_names import name_key, shorten_name
from protocol.sentence import Refusal
from protocol.tournament import MatchView, Stage

ASSIGNED = (
    '{"bo":3,"ln":2,"mid":"FS-1-3","mr":13,"p1":"Mia","p2":"Tom","sc":501,"sid":"0a1b2c3d4e5f","t":"a",'
    '"tid":"1790000000000","ts":1790000000,"v":1}'
)
PLAYED = (
    '{"bo":1,"fls":1,"legs":[{"w":1,"s":"ZIw8UXg=|LTwpZA==","cd":3}],"ln":2,"mid":"FS-1-3","mr":13,"p1":"Mia",'
    '"p2":"Tom","sc":501,"sid":"0a1b2c3d4e5f","t":"r","tid":"1790000000000","ts":1790000600,"v":1,"w":1}'
)
UMLAUTS = ASSIGNED.replace("Mia", "Jürgen").replace("Tom", "Zoë")


def seal(text: str, crc: str | None = None) -> str:
    value = json.loads(text)
    return json.dumps({**value, "crc": sign(value) if crc is None else crc}, ensure_ascii=False)


@pytest.mark.parametrize(("text", "crc"), [(ASSIGNED, "10d99d52"), (UMLAUTS, "d5bb71ec"), (PLAYED, "7af28fe4")])
def test_the_checksums_that_newton_computes(text: str, crc: str) -> None:
    message = decode(seal(text, crc))
    assert json.loads(encode(message)) == {**json.loads(text), "crc": crc}


@given(st.dictionaries(st.text(max_size=5), st.integers(0, 9) | st.text(max_size=9)))
def test_the_order_in_which_keys_arrive_does_not_matter(message: dict[str, Any]) -> None:
    assert sign(message) == sign(dict(reversed(message.items())))


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("", "newton_unreadable"),
        ("[1]", "newton_unreadable"),
        ("501, best of three", "newton_unreadable"),
        (f'{{"p1":"{"x" * 4000}"}}', "newton_unreadable"),
        (ASSIGNED, "newton_crc"),
        (seal(ASSIGNED, "5773f00c"), "newton_crc"),
        (seal(ASSIGNED).replace("Mia", "Mio"), "newton_crc"),
        (seal(ASSIGNED.replace('"v":1', '"v":2')), "newton_field"),
        (seal(ASSIGNED.replace('"sc":501', '"sc":701')), "newton_field"),
        (seal(ASSIGNED.replace('"t":"a"', '"t":"x"')), "newton_field"),
        (seal(PLAYED.replace("ZIw8UXg=|LTwpZA==", "ZIw8UXg=")), "newton_field"),
        (seal(PLAYED.replace("ZIw8UXg=|LTwpZA==", "ZIw8UXg=|?")), "newton_field"),
        (seal(PLAYED.replace('"cd":3', '"cd":4')), "newton_field"),
    ],
)
def test_what_is_refused(text: str, key: str) -> None:
    with pytest.raises(Refusal) as refused:
        decode(text)
    assert msgspec.structs.asdict(refused.value.said)["key"] == f"tournament.{key}"  # type: ignore[arg-type]


@given(st.text(max_size=80) | st.binary(max_size=80).map(lambda raw: raw.decode("latin-1")))
def test_whatever_is_pasted_is_read_or_refused(text: str) -> None:
    with pytest.raises(Refusal):
        decode(text)


def hand_over(legs: int = 2) -> Assignment:
    spec = PlannedSpec("x01", ("Mia", "Tom"), format=Format(legs=legs))
    return assign(spec, mid="FS-1-3", tid="abcd1234", sid="0a1b2c3d4e5f", ts=1790000000, lane=2)


GOOD = ([100, 140, 60, 81, 120], [45, 60, 41, 100])


def play(*legs: Leg, bo: int = 2) -> NewtonResult:
    return report(hand_over(bo), legs, first=1, ts=1790000600)


def test_a_match_is_handed_over_and_comes_back() -> None:
    legs = [
        pack_leg(1, GOOD, 3),
        pack_leg(2, ([140, 180], [180, 180, 141]), 2),
        pack_leg(1, ([100, 140, 60], [45, 60, 41]), 0),
    ]
    arrived = decode(encode(play(*legs)))
    assert isinstance(arrived, NewtonResult)
    assert check_result(arrived, hand_over()) == ()
    result = read_result(arrived, "winners-1-3", (7, 4))
    assert (result.winner, result.legs, result.sides) == (7, (2, 1), (7, 4))
    assert result.points == (501 + 320 + 300, 246 + 501 + 146)
    assert result.darts == (15 + 6 + 9, 12 + 8 + 9)


@pytest.mark.parametrize(
    ("legs", "remark"),
    [
        ([pack_leg(1, ([200, 181, 120], [1, 1]), 3)], "leg 1: a visit of 200"),
        ([pack_leg(1, (GOOD[0], [45]), 3)], "leg 1: the numbers of visits do not fit: 5 and 1"),
        ([pack_leg(2, ([100, 140, 60, 81, 100], [45, 60, 171, 180, 45]), 3)], None),
        ([pack_leg(1, ([100, 140, 60, 81, 119], [1] * 4), 3)], "leg 1: its winner scored 500, not 501"),
        ([pack_leg(2, (GOOD[0], [100, 140, 60, 81, 120]), 3)], "leg 1: 501 was scored without winning it"),
        ([pack_leg(1, (GOOD[0], [1] * 5), 0)], "leg 1: 501 was scored without winning it"),
        ([pack_leg(1, GOOD, 3), pack_leg(1, GOOD[::-1], 3)], "leg 2: its winner scored 246, not 501"),
    ],
)
def test_what_does_not_add_up_is_remarked(legs: list[Leg], remark: str | None) -> None:
    remarks = list(map(str, check_result(play(*legs, bo=1), hand_over(1))))
    assert remark in remarks if remark else remarks == []


def test_too_few_legs_other_players_and_another_format_are_remarked() -> None:
    result = play(pack_leg(1, GOOD, 3))
    assert list(map(str, check_result(result, hand_over()))) == ["the legs do not fit: 1 and 0, where 2 wins the match"]
    other = msgspec.structs.replace(result, p2="Tim", sc=301)
    assert list(map(str, check_result(other, hand_over())))[:2] == [
        "the result names Tim in place of Tom",
        "301 was played, best of 3: not as it was handed over",
    ]


@pytest.mark.parametrize(("field", "value"), [("tid", "other"), ("sid", "0" * 12), ("mid", "FS-1-4")])
def test_a_result_of_another_match_is_refused(field: str, value: str) -> None:
    result = msgspec.structs.replace(play(pack_leg(1, GOOD, 3), bo=1), **{field: value})
    with pytest.raises(Refusal, match="another"):
        check_result(result, hand_over(1))


@pytest.mark.parametrize(
    "spec",
    [
        PlannedSpec("cricket", ("A", "B")),
        PlannedSpec("x01", ("A", "B"), options={"start": 701}),
        PlannedSpec("x01", ("A", "B"), options={"out": "master"}),
        PlannedSpec("x01", ("A", "B"), options={"starts": [501, 301]}),
        PlannedSpec("x01", ("A", "B"), options={"rounds": 25}),
        PlannedSpec("x01", ("A", "B"), options={"unheard": True}),
        PlannedSpec("x01", ("A", "B", "C", "D"), teams=((0, 1), (2, 3))),
        PlannedSpec("x01", ("A", "B"), format=Format(legs=3, sets=2)),
        PlannedSpec("x01", ("A", "B"), format=Format(legs=3, first="loser")),
    ],
)
def test_what_newton_cannot_play(spec: PlannedSpec) -> None:
    with pytest.raises(Refusal, match="NewTon plays"):
        assign(spec, mid="m", tid="t", sid="0" * 12, ts=0, lane=1)


def test_a_limit_of_rounds_and_the_writer_are_handed_over() -> None:
    options = {"start": 301, "rounds": 15, "in": "straight", "starts": []}
    spec = PlannedSpec("x01", ("A", "B"), options=options, format=Format(legs=3))
    made = assign(spec, mid="m", tid="t", sid="0" * 12, ts=0, lane=1, writer="C")
    assert (made.sc, made.mr, made.bo, made.ref) == (301, 15, 5, "C")


def view(stage: Stage, round: int, number: int = 1) -> MatchView:
    return MatchView(
        id=f"{stage}-{round}-{number}",
        stage=stage,
        round=round,
        number=number,
        sides=(-1, -1),
        awaits=(None, None),
        status="waiting",
        winner=None,
        score=None,
        table=None,
        attempt=0,
        writer=0,
    )


def test_matches_of_a_double_knock_out_have_newtons_names() -> None:
    matches = [
        *(view("winners", 1, number) for number in range(1, 5)),
        *(view("winners", round) for round in (2, 3)),
        *(view("losers", round) for round in (1, 2, 3, 4)),
        *(view("final", round) for round in (1, 2)),
    ]
    named = name_matches(matches)
    assert len(set(named.values())) == len(matches)
    assert named["winners-1-3"] == "FS-1-3"
    assert (named["losers-3-1"], named["losers-4-1"]) == ("BS-3-1", "BS-FINAL")
    assert (named["final-1-1"], named["final-2-1"]) == ("GRAND-FINAL", "final-2-1")


def test_the_final_of_a_knock_out_is_its_last_round() -> None:
    named = name_matches([view("winners", 1, 1), view("winners", 1, 2), view("final", 1), view("third", 1)])
    assert list(named.values()) == ["FS-1-1", "FS-1-2", "FS-2-1", "third-1-1"]


@given(st.text(max_size=99), st.text(max_size=99), st.integers(1, 99), st.booleans(), st.integers(0, 2**33))
def test_all_that_a_result_needs_is_in_the_header_of_its_match(
    one: str, other: str, bo: int, is_turned: bool, ts: int
) -> None:
    """Whoever begins, and whatever NewTon calls its players."""
    names = shorten_name(one) or "Mia", shorten_name(other) or "Tom"
    assume(name_key(names[0]) != name_key(names[1]))
    assigned = msgspec.structs.replace(decode_assignment(ASSIGNED), p1=names[0], p2=names[1], bo=bo, ts=ts)
    header = read_header({"oche": 1, **msgspec.to_builtins(plan(assigned))})
    found = read_assignment(header.in_order((1, 0)) if is_turned else header)
    assert found is not None
    assert msgspec.structs.replace(found, ts=ts) == assigned


def decode_assignment(text: str) -> Assignment:
    message = decode(seal(text))
    assert isinstance(message, Assignment)
    return message


def test_the_same_match_handed_over_once_more_is_another_one() -> None:
    once = decode_assignment(ASSIGNED)
    again = msgspec.structs.replace(once, ts=once.ts + 60)
    assert plan(once).ref != plan(again).ref


@pytest.mark.parametrize("ref", [None, "k3v9x2ma/final-1/1", "newton/3/2/a/0/0a1b/1/FS-1-1"])
def test_a_match_of_another_organiser_is_none_of_newton(ref: str | None) -> None:
    assert read_assignment(PlannedSpec("x01", ("Mia", "Tom"), {"start": 501, "rounds": 13}, ref=ref)) is None
