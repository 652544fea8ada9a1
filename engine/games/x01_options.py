"""The options of X01, what people can play with them, and the presets: 501, 301 and their relatives."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from engine.checkouts import Fifty
from engine.finishing import Bull, Out
from engine.game import Preset, Seating
from protocol.sentence import Refusal, say

Double = Annotated[int, Meta(ge=1, le=25, description="the number of a double; 25 is the bull")]


class Options(Struct, frozen=True, forbid_unknown_fields=True, rename={"enter": "in", "leave": "out"}):
    """The start, what the first and the last dart must be, and what houses differ in; see the rule sheet of X01."""

    start: Annotated[int, Meta(ge=101, le=1501)] = 501
    enter: Out = "straight"
    leave: Out = "double"
    bull: Bull = "25/50"
    rounds: Annotated[int, Meta(ge=1, le=1000)] | None = None
    tie: Literal["share", "one_more_round", "deciding_visit", "highest_visit"] = "share"
    finish: Literal["first", "equal_turns"] = "first"
    starts: Annotated[
        tuple[Annotated[int, Meta(ge=2, le=1501)], ...],
        Meta(description="a list with a score for each side, 2 to 1501", examples=[[501, 301]]),
    ] = ()
    shared: bool = True
    freeze: Literal["off", "lose", "bust"] = "off"
    reopen_after_bust: bool = True
    bust_counts_3: bool = False
    bull_at_finish: Fifty = "always"
    places: bool = False
    split_11: bool = False
    scatter: Annotated[
        tuple[Annotated[float, Meta(ge=3, le=100)], ...],
        Meta(description="a list of a number for each player, 3 to 100", examples=[[12, 20]]),
    ] = ()
    doubles: Annotated[
        tuple[Annotated[tuple[Double, ...], Meta(max_length=21)], ...],
        Meta(description="a list for each player of numbers 1 to 20, or 25 for the bull", examples=[[[16, 8], [20]]]),
    ] = ()


def fit_options(options: Options, seating: Seating) -> Options:
    """The options as these people play with them. Raises ValueError with the reason when they cannot."""
    if options.freeze != "off":
        if [len(side.seats) for side in seating.sides] != [2, 2]:
            raise Refusal(say("x01.refuse_freeze", "freeze is for two teams of two players each"))
        options = replace(options, shared=False)
    if options.places:
        _check_places(options)
    if options.split_11 and options.leave == "straight":
        raise Refusal(
            say(
                "x01.refuse_split",
                "split_11 is for double and master out: with straight out a 1 is finished by a single",
            )
        )
    if options.starts and len(options.starts) != len(seating.sides):
        sides = len(seating.sides)
        raise Refusal(
            say("x01.refuse_starts", "starts needs a score for each of the {sides} sides, or none at all", sides=sides)
        )
    if 3 in options.starts and options.enter != "straight" and options.leave == "double":
        raise Refusal(
            say(
                "x01.refuse_3",
                "starts has a 3, which cannot be brought to zero {given} in and double out",
                given=options.enter,
            )
        )
    if options.doubles and len(options.doubles) != len(seating.players):
        raise Refusal(
            say(
                "x01.refuse_doubles",
                "doubles needs a list for each of the {players} players, or none at all",
                players=len(seating.players),
            )
        )
    if options.scatter and len(options.scatter) != len(seating.players):
        raise Refusal(
            say(
                "x01.refuse_scatter",
                "scatter needs a number for each of the {players} players, or none at all",
                players=len(seating.players),
            )
        )
    if any(20 < number < 25 for liked in options.doubles for number in liked):
        raise Refusal(say("x01.refuse_double", "doubles are 1 to 20, and 25 for the bull"))
    return options


def _check_places(options: Options) -> None:
    """Raises Refusal when these options cannot be played for places."""
    if options.finish != "first" or options.freeze != "off":
        raise Refusal(say("x01.refuse_places", "places are for finish first, without freeze"))
    if options.tie == "highest_visit":
        raise Refusal(
            say("x01.refuse_highest", "places go by what is left: take another tie than highest_visit, or no places")
        )


_STARTS = (101, 201, 301, 401, 501, 601, 701, 801, 901, 1001, 1101, 1501)
# What can be read of soft-tip machines: points per dart are points by "the number of actual darts thrown", for a bull
# of 50 and straight out (rezotek.com/FRT/front/reglamentos_dardos10_pb.htm), "used, not passed" (NDA, ndadarts.com).
# Nowhere does a bust count three, so their presets leave `bust_counts_3` off.
_LIMITS = {301: 10, 501: 15, 701: 15, 901: 20, 1101: 20, 1501: 20}
"""How many rounds soft-tip machines give a start score."""

PRESETS = (
    *(Preset(str(start), "x01", {"start": start}, f"{start} straight in, double out.") for start in _STARTS),
    *(
        Preset(
            f"soft_{start}",
            "x01",
            {"start": start, "out": "straight", "bull": "50/50", "rounds": rounds},
            f"{start} as soft-tip machines play it: straight out, bull 50, {rounds} rounds.",
        )
        for start, rounds in _LIMITS.items()
    ),
    *(
        Preset(f"master_{start}", "x01", {"start": start, "out": "master"}, f"{start} out on a double or a triple.")
        for start in (301, 501, 701)
    ),
    Preset("double_in_301", "x01", {"start": 301, "in": "double"}, "301 double in, double out."),
    Preset("master_in_501", "x01", {"start": 501, "in": "master", "out": "master"}, "501 master in, master out."),
    Preset(
        "freeze_301",
        "x01",
        {"start": 301, "shared": False, "freeze": "lose"},
        "301 for two pairs: going out while the partner has too much left loses.",
    ),
    Preset("quickie_301", "x01", {"start": 301, "rounds": 10}, "301 over at most ten rounds; the lowest score wins."),
    Preset("quickie_501", "x01", {"start": 501, "rounds": 10}, "501 over at most ten rounds; the lowest score wins."),
    Preset(
        "equal_501",
        "x01",
        {"start": 501, "finish": "equal_turns", "tie": "one_more_round"},
        "501 with equal turns: the round is played to its end, and who is level throws on.",
    ),
)
