"""The messages that NewTon, a program for tournaments, shows as QR codes: a match for a tablet, and its result.

`encode` writes them and `decode` reads them. What has the wrong checksum, or is of another tournament, is refused.
Where only the arithmetic of a result is wrong, there are remarks: the organiser sees them and decides.

A match that NewTon has handed over is played here as `plan` has it. All that its result needs is in the header of that
match: the ids are in its `ref`.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from binascii import crc32
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from protocol.match_spec import Format, Ordinal, PlannedSpec, read_json
from protocol.player_names import name_key, shorten_name
from protocol.sentence import Refusal, Sentence, say
from protocol.tournament import Entrant, MatchView, Result

STARTS = (101, 201, 301, 501)
MOST_CHARACTERS = 4000
"""Longer than any QR code."""
ROUNDS = range(7, 21)
"""The limits of rounds that NewTon knows: after them a throw at the bull decides."""
PLAIN: Mapping[str, Any] = {  # Any: values of options
    "in": "straight",
    "out": "double",
    "bull": "25/50",
    "finish": "first",
    "freeze": "off",
    "split_11": False,
    "starts": (),
}
"""What NewTon plays of X01. The options that are not here and not in _FREE do not matter there or are not known."""
_REF = re.compile(
    "newton/(?P<bo>[0-9]{1,2})/(?P<ln>[0-9]*)/(?P<first>[ab])/(?P<ts>[0-9]{1,6})"
    "/(?P<sid>[0-9a-f]{12})/(?P<tid>[^/]+)/(?P<mid>.+)"
)
"""The ref of a match that NewTon has handed over; it differs if NewTon hands the same match over once more."""
_MOST_REF = 64
_FREE = frozenset(
    ("start", "rounds", "tie", "shared", "reopen_after_bust", "bust_counts_3", "bull_at_finish", "scatter", "doubles")
)
_Name = Annotated[str, Meta(min_length=1, max_length=100)]
_Side = Literal[1, 2]


class Leg(Struct, frozen=True):
    """A leg: who won it, the points of each visit, and the darts of the last one.

    `s` is base64 of the visits of player 1, a byte each, then `|` and those of player 2. `cd` is 0 where the decider
    ended the leg, whose own round is not among the visits.
    """

    w: _Side
    s: Annotated[str, Meta(max_length=300)]
    cd: Annotated[int, Meta(ge=0, le=3)]

    @property
    def visits(self) -> tuple[bytes, bytes]:
        """The points of each visit, by player. Raises Refusal."""
        try:
            one, other = (b64decode(part, validate=True) for part in self.s.split("|"))
        except ValueError:
            raise _refuse_field("legs") from None
        return one, other


class _Message(Struct, frozen=True, kw_only=True):
    """`mid`, `tid` and `sid` name the match, the tournament and the installation of the organiser.

    `p1` and `p2` are the players, `sc` the start score, `bo` best of how many legs, `mr` the rounds until the decider,
    `ln` the lane (the table), `ref` who keeps the score, `ts` when this was made (Unix time).
    """

    mid: Annotated[str, Meta(min_length=1, max_length=64)]
    tid: Annotated[str, Meta(min_length=1, max_length=64)]
    sid: Annotated[str, Meta(pattern="^[0-9a-f]{12}$")]
    p1: _Name
    p2: _Name
    sc: Literal[101, 201, 301, 501]
    bo: Annotated[int, Meta(ge=1, le=99)]
    mr: Ordinal = 13
    ln: Ordinal | UnsetType = UNSET
    ref: _Name | UnsetType = UNSET
    ts: int
    v: Literal[1] = 1


class Assignment(_Message, frozen=True, kw_only=True, tag="a", tag_field="t"):
    """A match that a tablet plays."""


class NewtonResult(_Message, frozen=True, kw_only=True, tag="r", tag_field="t"):
    """What a tablet says of a match: `w` is the winner, `fls` who began the first leg; they take turns to begin."""

    w: _Side
    fls: _Side
    legs: Annotated[tuple[Leg, ...], Meta(min_length=1, max_length=99)]
    t1: str | UnsetType = UNSET
    t2: str | UnsetType = UNSET


def encode(message: Assignment | NewtonResult) -> str:
    """The text of the QR code."""
    made = msgspec.to_builtins(message)
    made["crc"] = sign(made)
    return _write(made)


def decode(text: str) -> Assignment | NewtonResult:
    """The message in the text of a QR code. Raises Refusal."""
    try:
        if len(text) > MOST_CHARACTERS:
            raise ValueError
        value = read_json(text.strip())
    except ValueError:
        raise Refusal(
            say("tournament.newton_unreadable", "this is no message of NewTon: scan the code again, or paste all of it")
        ) from None
    if value.get("crc") != sign(value):
        raise Refusal(
            say("tournament.newton_crc", "the message of NewTon has arrived with a mistake: scan the code again")
        )
    try:
        message: Assignment | NewtonResult = msgspec.convert(value, Assignment | NewtonResult)
    except msgspec.ValidationError as error:
        raise _refuse_field(str(error)) from None
    for leg in message.legs if isinstance(message, NewtonResult) else ():
        _ = leg.visits
    return message


def sign(message: Mapping[str, Any]) -> str:  # Any: JSON
    """The checksum of a message, whatever `crc` it has.

    NewTon takes the low byte of each UTF-16 unit, and sorts the keys of the message, but not those of its legs.
    """
    text = _write({key: value for key, value in message.items() if key != "crc"})
    return f"{crc32(text.encode('utf-16-le', 'surrogatepass')[::2]):08x}"


def _write(message: Mapping[str, Any]) -> str:  # Any: JSON
    return msgspec.json.encode({key: message[key] for key in sorted(message)}).decode()


def _refuse_field(reason: str) -> Refusal:
    return Refusal(
        say(
            "tournament.newton_field",
            "oche cannot read this message of NewTon: {given}",
            given=reason,
        )
    )


def assign(spec: PlannedSpec, *, mid: str, tid: str, sid: str, ts: int, lane: int, writer: str = "") -> Assignment:
    """The message that hands over the match of `spec`, whose players are in this order. Raises Refusal if it cannot."""
    options, format = spec.options, spec.format
    start, rounds = options.get("start", 501), options.get("rounds")
    known = _FREE | PLAIN.keys()
    if (
        spec.game != "x01"
        or len(spec.players) != 2
        or (spec.teams is not None and len(spec.teams) != 2)
        or start not in STARTS
        or not (rounds is None or rounds in ROUNDS)
        or any(key not in known or (key in PLAIN and _freeze(value) != PLAIN[key]) for key, value in options.items())
        or format != Format(legs=format.legs)
    ):
        raise Refusal(
            say(
                "tournament.newton_cannot",
                "NewTon plays 101, 201, 301 or 501 only, one against one, straight in and double out, without sets",
            )
        )
    return Assignment(
        mid=mid,
        tid=tid,
        sid=sid,
        p1=spec.players[0],
        p2=spec.players[1],
        sc=start,
        bo=2 * format.legs - 1,
        mr=ROUNDS[-1] if rounds is None else rounds,
        ln=lane,
        ref=writer or UNSET,
        ts=ts,
    )


def _freeze(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def check_result(result: NewtonResult, assigned: Assignment) -> tuple[Sentence, ...]:
    """What does not add up in the result of a match that was handed over. Raises Refusal if it is of another match."""
    if (result.tid, result.sid) != (assigned.tid, assigned.sid):
        raise Refusal(say("tournament.newton_elsewhere", "this result belongs to another tournament"))
    if result.mid != assigned.mid:
        raise Refusal(say("tournament.newton_match", "this result belongs to another match: {given}", given=result.mid))
    return tuple(_list_remarks(result, assigned))


def _list_remarks(result: NewtonResult, assigned: Assignment) -> Iterator[Sentence]:
    for told, known in ((result.p1, assigned.p1), (result.p2, assigned.p2)):
        if told != known:
            yield say("tournament.newton_name", "the result names {given} in place of {name}", given=told, name=known)
    if (result.sc, result.bo) != (assigned.sc, assigned.bo):
        yield say(
            "tournament.newton_format",
            "{start} was played, best of {legs}: not as it was handed over",
            start=result.sc,
            legs=result.bo,
        )
    for number, leg in enumerate(result.legs, 1):
        yield from _check_leg(number, leg, result.sc, begins=(result.fls + number) % 2)
    needed = (result.bo + 1) // 2
    won = _count_legs(result)
    if (won[result.w - 1], won[2 - result.w] < needed) != (needed, True):
        yield say(
            "tournament.newton_legs",
            "the legs do not fit: {won} and {lost}, where {legs} wins the match",
            won=won[result.w - 1],
            lost=won[2 - result.w],
            legs=needed,
        )


def _check_leg(number: int, leg: Leg, start: int, begins: int) -> Iterator[Sentence]:
    """What does not add up in a leg that the player of that index began."""
    visits, winner = leg.visits, leg.w - 1
    for points in (points for mine in visits for points in mine if points > 180):
        yield say("tournament.newton_visit", "leg {leg}: a visit of {points}", leg=number, points=points)
    ahead = len(visits[begins]) - len(visits[1 - begins])
    fits = ahead == (begins == winner) if leg.cd else ahead in (0, 1)
    if not fits:
        yield say(
            "tournament.newton_visits",
            "leg {leg}: the numbers of visits do not fit: {first} and {second}",
            leg=number,
            first=len(visits[0]),
            second=len(visits[1]),
        )
    scored = [sum(mine) for mine in visits]
    if leg.cd and scored[winner] != start:
        yield say(
            "tournament.newton_sum",
            "leg {leg}: its winner scored {points}, not {start}",
            leg=number,
            points=scored[winner],
            start=start,
        )
    others = [points for side, points in enumerate(scored) if not leg.cd or side != winner]
    if max(others) >= start:
        yield say(
            "tournament.newton_too_many",
            "leg {leg}: {points} was scored without winning it",
            leg=number,
            points=max(others),
        )


def plan(assigned: Assignment) -> PlannedSpec:
    """The match that NewTon has handed over, as a table is asked for it. Raises Refusal for one that cannot be played.

    Where NewTon throws at the bull after the last round, the lower score wins the leg; equal scores play on.
    """
    names = shorten_name(assigned.p1), shorten_name(assigned.p2)
    lane = "" if assigned.ln is UNSET else assigned.ln
    # Who begins may be decided at the bull, so the order of the players does not tell who is player 1.
    first = "a" if name_key(names[0]) < name_key(names[1]) else "b"
    ids = f"{assigned.ts % 10**6}/{assigned.sid}/{assigned.tid}/{assigned.mid}"
    ref = f"newton/{assigned.bo}/{lane}/{first}/{ids}"
    if "/" in assigned.tid or not ref.isprintable() or len(ref) > _MOST_REF:
        raise _refuse_field("mid, tid")
    options = {"start": assigned.sc, "rounds": assigned.mr, "tie": "one_more_round"}
    return PlannedSpec("x01", names, options, format=Format(legs=(assigned.bo + 1) // 2), ref=ref)


def read_assignment(played: PlannedSpec) -> Assignment | None:
    """The message whose match was played so, with the names as they are there; None: NewTon has not handed it over."""
    found = _REF.fullmatch(played.ref or "")
    if found is None or played.game != "x01" or len(played.players) != 2:
        return None
    one, other = played.players
    is_turned = (name_key(one) < name_key(other)) != (found["first"] == "a")
    return Assignment(
        mid=found["mid"],
        tid=found["tid"],
        sid=found["sid"],
        p1=other if is_turned else one,
        p2=one if is_turned else other,
        sc=played.options["start"],
        bo=int(found["bo"]),
        mr=played.options["rounds"],
        ln=int(found["ln"]) if found["ln"] else UNSET,
        ts=int(found["ts"]),
    )


def pack_leg(winner: _Side, visits: tuple[Sequence[int], Sequence[int]], darts: int) -> Leg:
    """A leg with the points of each visit by player, and the darts of the last one (0: the decider ended it)."""
    return Leg(winner, "|".join(b64encode(bytes(mine)).decode() for mine in visits), darts)


def report(assigned: Assignment, legs: Sequence[Leg], *, first: _Side, ts: int) -> NewtonResult:
    """The result of a match that NewTon has handed over, of which `first` began the first leg."""
    same = {key: getattr(assigned, key) for key in _Message.__struct_fields__}
    winner: _Side = 1 if 2 * sum(leg.w == 1 for leg in legs) > len(legs) else 2
    return NewtonResult(**{**same, "ts": ts}, w=winner, fls=first, legs=tuple(legs))


def _count_legs(result: NewtonResult) -> tuple[int, int]:
    return sum(leg.w == 1 for leg in result.legs), sum(leg.w == 2 for leg in result.legs)


def read_result(result: NewtonResult, match: str, sides: tuple[Entrant, Entrant]) -> Result:
    """What it means for the match whose sides are `p1` and `p2` of the message, as an organiser enters it."""
    points, darts = [0, 0], [0, 0]
    for leg in result.legs:
        for side, visits in enumerate(leg.visits):
            points[side] += sum(visits)
            last = leg.cd if leg.cd and leg.w == side + 1 and visits else 3
            darts[side] += 3 * len(visits) - 3 + last if visits else 0
    return Result(
        match,
        sides,
        sides[result.w - 1],
        legs=_count_legs(result),
        points=(points[0], points[1]),
        darts=(darts[0], darts[1]),
    )


def name_matches(matches: Iterable[MatchView]) -> dict[str, str]:
    """NewTon's name of each match by its id; what NewTon does not have keeps its id."""
    matches = list(matches)
    rounds = {stage: max((each.round for each in matches if each.stage == stage), default=0) for stage in _SIDES}
    return {each.id: _name_match(each, rounds) for each in matches}


_SIDES = {"winners": "FS", "losers": "BS"}


def _name_match(match: MatchView, rounds: Mapping[str, int]) -> str:
    if match.stage == "final" and match.round == 1:
        return "GRAND-FINAL" if rounds["losers"] else f"FS-{rounds['winners'] + 1}-1"
    if match.stage == "losers" and match.round == rounds["losers"]:
        return "BS-FINAL"
    return f"{_SIDES[match.stage]}-{match.round}-{match.number}" if match.stage in _SIDES else match.id
