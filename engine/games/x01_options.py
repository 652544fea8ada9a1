"""The options of X01, and which of them go together."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from engine.checkouts import Fifty
from engine.finishing import Bull, Out
from engine.game import Seating, say
from protocol.sentence import Refusal

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
        Meta(description="a list with a number for each player, 3 to 100", examples=[[12, 20]]),
    ] = ()
    doubles: Annotated[
        tuple[Annotated[tuple[Double, ...], Meta(max_length=21)], ...],
        Meta(description="for each player a list of numbers, 1 to 20, or 25 for the bull", examples=[[[16, 8], [20]]]),
    ] = ()


def fit_options(options: Options, seating: Seating) -> Options:
    """The options as these people play with them. Raises ValueError with the reason when they cannot."""
    if options.freeze != "off":
        if [len(side.seats) for side in seating.sides] != [2, 2]:
            raise Refusal(say("x01.refuse_freeze", "freeze needs two teams of two players each"))
        options = replace(options, shared=False)
    if options.places:
        _check_places(options)
    if options.split_11 and options.leave == "straight":
        raise Refusal(
            say(
                "x01.refuse_split",
                "split_11 needs double or master out: with straight out a single finishes 1",
            )
        )
    if options.starts and len(options.starts) != len(seating.sides):
        sides = len(seating.sides)
        raise Refusal(
            say("x01.refuse_starts", "starts needs one score for each side ({sides} here), or none at all", sides=sides)
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
                "doubles needs one list for each player ({players} here), or none at all",
                players=len(seating.players),
            )
        )
    if options.scatter and len(options.scatter) != len(seating.players):
        raise Refusal(
            say(
                "x01.refuse_scatter",
                "scatter needs one number for each player ({players} here), or none at all",
                players=len(seating.players),
            )
        )
    if any(20 < number < 25 for liked in options.doubles for number in liked):
        raise Refusal(say("x01.refuse_double", "favourite doubles are 1 to 20, and 25 for the bull"))
    return options


def _check_places(options: Options) -> None:
    """Raises Refusal when these options cannot be played for places."""
    if options.finish != "first" or options.freeze != "off":
        raise Refusal(say("x01.refuse_places", 'places need finish "first", without freeze'))
    if options.tie == "highest_visit":
        raise Refusal(
            say(
                "x01.refuse_highest",
                "places depend on the points left: choose another tie than highest_visit, or no places",
            )
        )
