"""The halve-it family: a target each round, hits of it count, and a visit without any halves the score.

The family is one set of rules over a `Plan` (halving.py): targets, start score, rounding, what counts. A game is its
options, the plan that they stand for, and a rule sheet; a sequence of targets is data.
"""

from __future__ import annotations

import re
from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from engine.finishing import Bull
from engine.game import Preset, Seating
from engine.games.halving import Halving
from engine.games.halving_targets import (
    BED_OR_21,
    CAPITAL,
    COLOURS,
    FIFTY_SEVEN,
    FORTY_ONE,
    HURDLES,
    IN_A_ROW,
    SIDE_BY_SIDE,
    HalvingRules,
)
from engine.games.targets import shorten_label
from engine.ranking import Tie
from protocol.sentence import Refusal, say


class BurmaOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """The readings of the rules that houses differ in."""

    bull_is_double: bool = True
    three_bulls: bool = True
    bull: Bull = "25/50"
    one_number_shanghai: bool = True
    tie: Literal["leaders", "all"] = "leaders"


class BurmaRoad(Halving[BurmaOptions]):
    """Twelve targets, one a round: hits score, and a visit without a hit halves the score.

    Twelve rounds, one target each: 20, 19, any triple, 18, 17, any double, 16, 15, Three in a Bed or 21, 14, 13,
    bull. Each side starts with 32 points and throws three darts a round; the members of a team take turns, one a round.

    Each dart in the target scores its points: a double twice its number, a triple three times. A visit with no dart in
    the target halves your score. An odd score is rounded up, so your score never falls below 1.

    Triples and doubles: any of them counts, and you need not call which. The inner bull counts as a double if `Inner
    bull is a double` is on. The bull counts 25 and 50 (with `Bull` 50/50: 50 and 50).

    Three in a Bed or 21: three darts in the same number, in any rings, or three scoring darts that add up to exactly
    21. Both score all their points. Three bulls count as a bed if `Three bulls are a bed` is on.

    Shanghai: if all three darts count and are a single, a double and a triple of one number, the points of the visit
    are doubled. With `Shanghai on one number` off, they may be of different numbers.

    The highest score after the bull wins. `When level`: sides that share the lead throw on from the 20 again until a
    round decides; with `All throw again` all sides do, and the highest score wins.

    Source: Sacramento Valley Darting Association, Burma Road rules of play, revised April 2024.
    """

    id = "burma_road"
    group = "rounds"
    name = "Burma Road"
    options_type = BurmaOptions
    sides = range(2, 17)
    team_size = range(1, 5)

    def plan(self, options: BurmaOptions) -> HalvingRules:
        return HalvingRules(
            targets=("20", "19", "triple", "18", "17", "double", "16", "15", BED_OR_21, "14", "13", "bull"),
            start=32,
            bull=options.bull,
            bull_is_double=options.bull_is_double,
            three_bulls=options.three_bulls,
            shanghai=2,
            one_number_shanghai=options.one_number_shanghai,
            tie=options.tie,
        )


_MACHINE = ("15", "16", "double", "17", "18", "triple", "19", "20", "bull")
_SEQUENCES = {
    "machine": ("Halve-It", 40, _MACHINE),
    "bar": ("Halve-It", 0, ("12", "13", "14", "double", "15", "16", "17", "triple", "18", "19", "20", "bull")),
    "pub": ("Halve-It", 0, ("20", "19", "triple", "18", "double", "17", "16", COLOURS, "15", HURDLES, "14", "bull")),
    "40": ("Double Down", 40, _MACHINE),
    "41": ("Double Down 41", 40, ("20", "19", "double", "18", "17", "triple", "16", "15", FORTY_ONE, "bull")),
}
"""The name on the wall, where the score starts, and the targets."""

_SAID = {
    **dict.fromkeys(("d", "double", "doubles", "any double"), "double"),
    **dict.fromkeys(("t", "triple", "triples", "treble", "trebles", "any triple", "any treble"), "triple"),
    **dict.fromkeys(("b", "bull", "bulls", "any bull"), "bull"),
    **dict.fromkeys(("db", "50", "inner bull", "bullseye", "double bull", "red bull"), "DB"),
    **dict.fromkeys(("sb", "25", "outer bull", "single bull", "green bull"), "SB"),
    **dict.fromkeys(("3c", "three colours", "three colors", "colours", "colors"), COLOURS),
    **dict.fromkeys(("h", "hurdles"), HURDLES),
    **dict.fromkeys(("21", "bed", "bed or 21", BED_OR_21), BED_OR_21),
    FORTY_ONE: FORTY_ONE,
}
"""What players say for targets that are no number or bed of one."""
_BED = re.compile(r"(d|double|t|triple|treble|)\s*(\d{1,2})")


def _read_target(said: str) -> str:
    """The target that a player means: "20", "D16", "treble 7", "bull". Raises Refusal."""
    word = " ".join(said.lower().split())
    if word in _SAID:
        return _SAID[word]
    if (found := _BED.fullmatch(word)) and 1 <= int(found[2]) <= 20:
        return f"{found[1][:1].upper()}{int(found[2])}"
    raise Refusal(
        say(
            "halving.no_target",
            "there is no target {given}: write 1 to 20, D, T or B, a bed such as D16 or T7, DB, SB, 3C, H, 21 or 41",
            given=repr(said),
        )
    )


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """Which sequence, and the readings of the rules that houses differ in."""

    sequence: Literal["machine", "bar", "pub", "40", "41"] = "machine"
    round_up: bool = True
    bull: Bull = "25/50"
    bull_is_double: bool = True
    tie: Tie = "share"
    start: Annotated[int, Meta(ge=0, le=1000)] | None = None
    targets: Annotated[
        tuple[Annotated[str, Meta(max_length=20)], ...],
        Meta(
            max_length=40,
            description="a list of targets, such as 20, D16, T or bull",
            examples=[["20", "T", "D16", "bull"]],
        ),
    ] = ()


class HalveIt(Halving[Options]):
    """One target a round: hits score, and a visit without a hit halves the score.

    Every side throws three darts at the target of the round. Each dart in it scores its points: a double twice its
    number, a triple three times. A visit without a dart in the target halves your score. The highest score after the
    last target wins.

    `Sequence` sets the start score and the targets (D any double, T any triple, B the bull): machine: 40; 15, 16, D,
    17, 18, T, 19, 20, B. bar: 0; 12, 13, 14, D, 15, 16, 17, T, 18, 19, 20, B. pub: 0; 20, 19, T, 18, D, 17, 16, three
    colours, 15, hurdles, 14, B. 40: the same as machine, under the name that other machines use, Double Down. 41: 40;
    20, 19, D, 18, 17, T, 16, 15, 41, B, which is Double Down 41 on those machines.

    Three targets need all three darts together. If they fit, all their points count; if not, your score is halved.
    Three colours (3C): three darts in three different colours of the bristle board, whatever colours your board has.
    On it the 20 has a black single and a red double and triple, the 1 a white single and a green double and triple,
    and so on in turn; the outer bull is green, the inner one red. Hurdles (H): the first dart in any number; each
    following dart in the next number but one, clockwise: 20, 18, 13. 41: three scoring darts that add up to exactly
    41.

    `Start score` sets another start (0 to 1000). `Targets of your own` sets your own targets in that order, up to
    forty: a number, any double, any triple, the bull, its inner or outer part, a bed such as D16 or treble 7, three
    colours, hurdles, 41, or 21 (three darts in one number, or three scoring darts that add up to 21).

    Halving rounds an odd score up; with `Round halves up` off it rounds down. The bull counts 25 and 50 (with `Bull`
    50/50: 50 and 50). The inner bull counts as a double if `Inner bull is a double` is on.

    `When level` after the last target, sides share the win. With `One more round` they throw on from the first target
    again until a round decides.

    Source: Double Down of chinadart.com, One80, Halex; dcsdl.co.uk (pub); the bar's is a house rule, after Carromco.
    """

    id = "halve_it"
    group = "rounds"
    options_type = Options

    def title(self, options: Options) -> str:
        return _SEQUENCES[options.sequence][0]

    def resolve(self, options: Options, seating: Seating) -> Options:
        return replace(options, targets=tuple(map(_read_target, options.targets)))

    def plan(self, options: Options) -> HalvingRules:
        _, start, targets = _SEQUENCES[options.sequence]
        return HalvingRules(
            options.targets or targets,
            start if options.start is None else options.start,
            round_up=options.round_up,
            bull=options.bull,
            bull_is_double=options.bull_is_double,
            tie="leaders" if options.tie == "one_more_round" else "share",
        )


class BermudaOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """The readings of the rules that houses differ in."""

    round_up: bool = True
    bull: Bull = "25/50"
    bull_is_double: bool = False
    tie: Literal["fewest_halves", "share"] = "fewest_halves"
    bull_round: Literal["value", "25"] = "value"


class Bermuda(Halving[BermudaOptions]):
    """Thirteen targets from the 12 to the inner bull: hits score, a visit without a hit halves.

    Thirteen rounds, one target each: 12, 13, 14, any double, 15, 16, 17, any triple, 18, 19, 20, bull, inner bull.
    Every side starts with 0 and throws three darts a round. Each dart in the target scores its points: a double twice
    its number, a triple three times. A visit without a dart in the target halves your score. An odd score is rounded
    up; with `Round halves up` off it is rounded down.

    In the round of doubles the inner bull does not count, unless `Inner bull is a double` is on. In the round of the
    bull both parts count, 25 and 50 (with `Bull` 50/50: 50 and 50; with `Bull in the bull round` at 25 both count 25
    there). In the last round only the inner bull counts.

    The highest score wins. `When level`, the side that was halved less often wins. If that is level too, or with
    `Share the win`, sides share the win.

    Source: the manual of Arachnid's Black Widow (Bermuda Triangle); how odd scores are halved is a house rule of oche.
    """

    id = "bermuda"
    group = "rounds"
    name = "Bermuda Triangle"
    options_type = BermudaOptions

    def plan(self, options: BermudaOptions) -> HalvingRules:
        numbers = ("12", "13", "14", "double", "15", "16", "17", "triple", "18", "19", "20")
        return HalvingRules(
            (*numbers, "bull", "DB"),
            start=0,
            round_up=options.round_up,
            bull=options.bull,
            bull_is_double=options.bull_is_double,
            tie=options.tie,
            bull_round_25=options.bull_round == "25",
        )


class ContractOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """The readings of the rules that houses differ in."""

    round_up: bool = True
    bull: Bull = "25/50"
    bull_is_double: bool = True
    tie: Tie = "share"
    contracts: Annotated[
        tuple[Annotated[str, Meta(max_length=20)], ...],
        Meta(
            max_length=15,
            description="a list of the fifteen contracts, in the order in which they are played",
            examples=[["20", "19", "18", "17", "16", "15", "14", "B", "C", "57", "3S", "3R", "3C", "T", "D"]],
        ),
    ] = ()


_CONTRACTS = (
    *(CAPITAL, "20", FIFTY_SEVEN, "19", SIDE_BY_SIDE, "18", IN_A_ROW, "17", COLOURS, "16"),
    *("triple", "15", "double", "14", "bull"),
)
_CONTRACT_NAMES = {
    **{contract.lower(): contract for contract in _CONTRACTS},
    **{word: target for word, target in _SAID.items() if target in _CONTRACTS},
    "capital": CAPITAL,
    "side by side": SIDE_BY_SIDE,
    "in a row": IN_A_ROW,
}


def _read_contracts(given: tuple[str, ...]) -> tuple[str, ...]:
    """The contracts that a player means. Raises Refusal unless it is each of them once, or none at all."""
    read = []
    for said in given:
        contract = _CONTRACT_NAMES.get(" ".join(said.lower().split()))
        if contract is None or contract in read:
            raise Refusal(
                say(
                    "halving.no_contract",
                    "{given} is not a contract, or is listed twice: write C, 20, 57, 19, 3S, 18, 3R, 17, 3C, "
                    "16, T, 15, D, 14, B",
                    given=repr(said),
                )
            )
        read.append(contract)
    missing = [shorten_label(contract) for contract in _CONTRACTS if contract not in read]
    if read and missing:
        raise Refusal(
            say(
                "halving.no_order",
                "contracts needs each of the fifteen contracts once, or none at all; missing: {missing}",
                missing=", ".join(missing),
            )
        )
    return () if tuple(read) == _CONTRACTS else tuple(read)


class FifteenContracts(Halving[ContractOptions]):
    """Le Capital: fifteen contracts, one a round; failing a contract halves the score.

    Every side starts with 0 and throws three darts a round. If you meet the contract, the darts that meet it score
    their points: a double twice its number, a triple three times. If you do not, your score is halved. An odd score is
    rounded up; with `Round halves up` off it is rounded down. These are the contracts, in this order (for another, give
    a list of all fifteen in `Order of the contracts`):

    capital (C): all points of the three darts. 20. 57: exactly 57 points with one, two or three darts; the visit ends
    when you have them. 19. Side by side (3S): three numbers that lie side by side on the board, in any order, such as
    16, 7, 19; the bull does not count. 18. In a row (3R): three consecutive numbers, in any order, such as 7, 8, 9;
    the bull stands for 21 here but scores its own points. 17. Colours (3C): three darts in three different colours of
    the bristle board. 16. Any triple. 15. Any double. 14. The bull.

    The bull counts 25 and 50 (with `Bull` 50/50: 50 and 50). The inner bull counts as a double if `Inner bull is a
    double` is on.

    The highest score after the last contract wins. `When level`, sides share the win; with `One more round` they throw
    on from the first contract again until a round decides.

    Source: Le Capital as the club Darts 44 of Nantes prints it, darts44.com.
    """

    id = "fifteen_contracts"
    group = "rounds"
    name = "Fifteen Contracts"
    options_type = ContractOptions

    def resolve(self, options: ContractOptions, seating: Seating) -> ContractOptions:
        return replace(options, contracts=_read_contracts(options.contracts))

    def plan(self, options: ContractOptions) -> HalvingRules:
        return HalvingRules(
            targets=options.contracts or _CONTRACTS,
            start=0,
            round_up=options.round_up,
            bull=options.bull,
            bull_is_double=options.bull_is_double,
            tie="leaders" if options.tie == "one_more_round" else "share",
        )


GAMES = (BurmaRoad(), HalveIt(), Bermuda(), FifteenContracts())
PRESETS = (
    Preset("halve_it_bar", "halve_it", {"sequence": "bar"}, "Twelve targets from the 12 to the bull, starting at 0."),
    Preset("halve_it_pub", "halve_it", {"sequence": "pub"}, "From the 20 down, with hurdles and three colours."),
    Preset("double_down", "halve_it", {"sequence": "40"}, "Nine targets from the 15 to the bull, from 40."),
    Preset("double_down_41", "halve_it", {"sequence": "41"}, "From the 20 down, with three darts that make 41."),
)
