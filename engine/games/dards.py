"""Dards: a card moves the target around the wheel, and like cards on like cards multiply it.

Every card is in one place: in `deck` (not dealt), in a hand, or laid. The deck is shuffled once, before the first
visit, and rounds are dealt from its top as they open, so no correction of a dart can change who holds what. A round
of Dards is as many rounds of the referee (everybody throws once) as each side has cards in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from engine.game import Advice, Game, Panel, Prompt, Seating, Step, Turn, put
from engine.games.targets import beds
from engine.luck import Luck
from engine.ranking import leaders
from engine.skill import Skill
from protocol.segment import Layout, Segment
from protocol.sentence import Sentence, say
from protocol.standard import NUMBERS

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
CARDS = tuple(rank + suit for suit in "HDCS" for rank in RANKS)
RED = "HD"
START = 20
"""The number at 12 o'clock."""
DEALS = 3
"""Rounds when cards are dealt."""


class Pile(Struct, frozen=True):
    """The number played last, the card on top, the rank that the chain began with, and how many cards it has."""

    target: int = START
    card: str | None = None
    base: str | None = None
    length: int = 0

    def with_card(self, card: str, wild: str | None, ace: int) -> Pile:
        """The pile after this card. Cards of the rank of `wild` continue any chain; an ace goes `ace` paces."""
        continues = rank(card) == self.base or (wild is not None and rank(card) == rank(wild))
        return Pile(
            target=moved(self.target, card, ace),
            card=card,
            base=self.base if continues else rank(card),
            length=self.length + 1 if continues else 1,
        )


def rank(card: str) -> str:
    """The rank of a card: A, 2 to 10, J, Q or K."""
    return card[:-1]


def pace(card: str, ace: int) -> int:
    """How many numbers a card moves the target by: clockwise, or below 0 counter-clockwise; an ace by `ace`."""
    paces = ace if rank(card) == "A" else RANKS.index(rank(card)) + 1
    return paces if card[-1] in RED else -paces


def moved(number: int, card: str, ace: int) -> int:
    """The number that a card leads to from this one."""
    return NUMBERS[(NUMBERS.index(number) + pace(card, ace)) % len(NUMBERS)]


def without(cards: tuple[str, ...], card: str) -> tuple[str, ...]:
    """The cards without this one."""
    return tuple(other for other in cards if other != card)


class Lap(NamedTuple):
    """A round of cards, and which lap around the players in it; both from 1."""

    round: int
    lap: int


def shares(dealt: bool, wild: bool, sides: int) -> tuple[int, ...]:
    """How many cards each side lays in each round: a single one unless they are dealt, then the longer ones first."""
    if not dealt:
        return ((len(CARDS) - wild) // sides,)
    each, longer = divmod((len(CARDS) - 1) // sides, DEALS)
    return tuple(each + (deal < longer) for deal in range(DEALS))


def find_lap(sizes: tuple[int, ...], lap: int) -> Lap:
    """Where in rounds of these sizes a lap is, counted from 1 over all of them."""
    round = 1
    while round < len(sizes) and lap > sizes[round - 1]:
        lap -= sizes[round - 1]
        round += 1
    return Lap(round, lap)


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """Where `mode` and `wild` are None: rapid without a wild for two sides, dealt with a wild for more."""

    mode: Literal["rapid", "dealt"] | None = None
    cards: Literal["shuffled", "manual"] = "shuffled"
    ace: Literal[1, 14] = 1
    double_up: bool = True
    wild: bool | None = None
    chain_resets: bool = False
    order: Literal["round", "total"] = "round"


class DardsState(Struct, frozen=True):
    """Tuples are indexed by side. `sizes` are the cards of each round, `round` is the open one, from 1.

    `cards` counts what each side has still to lay in this round, which is more than its hand in rapid and with real
    cards, where the engine holds none. `sequence` is the order in which this round was begun. Of the current visit:
    is its card `laid`, and how many cards were `drawn` by hand?
    """

    options: Options
    sizes: tuple[int, ...]
    seats: tuple[int, ...]
    deck: tuple[str, ...]
    hands: tuple[tuple[str, ...], ...]
    totals: tuple[int, ...]
    round_points: tuple[int, ...]
    cards: tuple[int, ...]
    pile: Pile = Pile()
    wild: str | None = None
    round: int = 0
    sequence: tuple[int, ...] = ()
    laid: bool = False
    drawn: int = 0


class Dards(Game[Options, DardsState]):
    """Darts with a deck of cards: a card says where to aim and how much it pays.

    The board is a clock of twenty numbers, and the game begins at the 20. Each card moves the target on from the number
    played last: a red card clockwise, a black one counter-clockwise, by the number of its pace (2 to 10; jack 11, queen
    12, king 13; `Steps of the ace`: 1 or 14). Then throw three darts. Each dart in the target scores its number,
    doubles and triples as usual; the bull and all other numbers score nothing. The highest total wins; equal totals
    share the win.

    `Double up equal ranks`: a card of the same rank as the card below it scores twice, a third of that rank three
    times, the fourth four times. This multiplies only the visit of that card. With `Double up equal ranks` off every
    card counts once.

    `Mode`: in `Rapid` (usual for two) each visit plays the top card of the deck, and all players get the same number
    of cards. In `Dealt` (usual for more) the cards are dealt in three rounds, the longest first: 6, 6 and 5 cards for
    three players. Players choose which card they lay, and keep their hands secret.

    `Wild cards` (usual in `Dealt`): the first card is put aside. It moves the start as any card would, and the other
    three cards of its rank are wild. A wild card moves the target by its own pace and always continues the chain,
    whatever its rank. After a wild card the chain goes on with another wild card or with the rank that it began with,
    so a chain can reach seven.

    Rounds: the player with the most points in a round begins the next one, then the second best follows, and so on;
    level players keep their order. `Order of the next round` says whether `Points of the round` or `Points in all`
    decide. The number played last and the pile carry over into the next round; with `New pile each round` a new pile
    begins. Before the first round, throw one dart each at the bull and sit in that order, the nearest first.

    `Cards`: with `Real cards` you use a real deck: deal, shuffle and choose by hand, and enter which card is the wild
    one and which one you lay.

    Source: Game of Dards, on the blog Understanding Eli, September 2013.
    """

    id = "dards"
    group = "boards"
    options_type = Options
    aside = frozenset({"cards"})
    hands: ClassVar[Mapping[str, Any]] = {"mode": "dealt", "cards": "shuffled"}
    sides = range(2, 17)

    def title(self, options: Options) -> str:
        return "Dards"

    def has_secrets(self, options: Options) -> bool:
        return options.mode == "dealt" and options.cards == "shuffled"

    def resolve(self, options: Options, seating: Seating) -> Options:
        mode = options.mode or ("rapid" if len(seating.sides) == 2 else "dealt")
        return replace(options, mode=mode, wild=mode == "dealt" if options.wild is None else options.wild)

    def setup(self, options: Options, seating: Seating, layout: Layout, luck: Luck) -> DardsState:
        count = len(seating.sides)
        none, manual = (0,) * count, options.cards == "manual"
        state = DardsState(
            options,
            sizes=shares(options.mode == "dealt", bool(options.wild), count),
            seats=tuple(side.seats[0] for side in seating.sides),
            deck=CARDS if manual else luck.shuffled("deck", CARDS),
            hands=((),) * count,
            totals=none,
            round_points=none,
            cards=none,
        )
        return _set_aside(state, state.deck[0]) if options.wild and not manual else state

    def begin(self, state: DardsState, turn: Turn, luck: Luck) -> Step[DardsState]:
        round, lap = find_lap(state.sizes, turn.round)
        if round != state.round:
            state = _open_round(state, round)
        if lap == 1:
            state = replace(state, sequence=(*state.sequence, turn.side))
        state = replace(state, laid=False, drawn=0)
        if state.options.mode == "rapid" and state.options.cards == "shuffled":
            state = _lay_card(state, turn.side, state.deck[0])
        return Step(state)

    def dart(self, state: DardsState, segment: Segment, turn: Turn, luck: Luck) -> Step[DardsState]:
        hits = [dart.points * _multiplier(state) for dart in turn.darts if str(state.pile.target) in dart.groups]
        gain = hits[-1] if str(state.pile.target) in segment.groups else 0
        state = replace(
            state,
            totals=put(state.totals, turn.side, state.totals[turn.side] + gain),
            round_points=put(state.round_points, turn.side, state.round_points[turn.side] + gain),
        )
        return Step(state, points=sum(hits))

    def round_over(self, state: DardsState, turn: Turn, luck: Luck) -> Step[DardsState]:
        if turn.round < sum(state.sizes):
            return Step(state)
        best = max((state.totals[side] for side in turn.playing), default=0)
        return Step(state, winners=tuple(side for side in turn.playing if state.totals[side] == best))

    def order(self, state: DardsState, round: int, sides: tuple[int, ...]) -> tuple[int, ...]:
        if round == 1:
            return sides
        before = tuple(side for side in state.sequence if side in sides)
        if find_lap(state.sizes, round).round == state.round:
            return before
        points = state.totals if state.options.order == "total" else state.round_points
        return tuple(sorted(before, key=lambda side: -points[side]))

    def prompts(self, state: DardsState, turn: Turn) -> tuple[Prompt, ...]:
        if state.laid:
            return ()
        if state.options.cards == "manual":
            what = (
                "Which card is the wild one, on top of the deck?"
                if _wild_is_due(state)
                else say("prompt.dards_draw", "Which card is laid?").text
            )
            prompt_id = turn.prompt_id("draw", state.drawn + 1)
            return (Prompt(prompt_id, turn.seat, what, options=state.deck, options_are="cards"),)
        hand = state.hands[turn.side]
        values = {card: _value_of_card(state, card) for card in hand}
        text = say("prompt.dards_card", "Which card do you lay?").text
        best, prompt_id = _best_card(state, hand), turn.prompt_id("card")
        return (Prompt(prompt_id, turn.seat, text, hand, None, values, best, secret=True, options_are="cards"),)

    def decide(self, state: DardsState, prompt: Prompt, answer: str, turn: Turn, luck: Luck) -> Step[DardsState]:
        state = replace(state, drawn=state.drawn + 1)
        return Step(_set_aside(state, answer) if _wild_is_due(state) else _lay_card(state, turn.side, answer))

    def leading(self, state: DardsState, sides: tuple[int, ...]) -> tuple[int, ...]:
        return leaders(sides, lambda side: state.totals[side])

    def score(self, state: DardsState, side: int) -> int:
        return state.totals[side]

    def view(self, state: DardsState, turn: Turn, seat: int | None) -> Panel:
        detail = tuple(
            {"round_points": points, "cards": cards}
            for points, cards in zip(state.round_points, state.cards, strict=True)
        )
        board: dict[str, Any] = {  # Any: JSON
            "target": state.pile.target,
            "multiplier": _multiplier(state),
            "card": state.pile.card,
            "pace": pace(state.pile.card, state.options.ace) if state.pile.card else None,
            "wild": state.wild,
            "cards_left": len(state.deck) + sum(len(hand) for hand in state.hands),
        }
        if state.options.ace != 1:
            board["ace"] = state.options.ace  # how far it goes, for those who draw the way
        if seat in state.seats and state.options.mode == "dealt" and state.options.cards == "shuffled":
            board["hand"] = state.hands[state.seats.index(seat)]
        return Panel("dards", detail, targets=(str(state.pile.target),) if state.laid else (), board=board)

    def task(self, state: DardsState, turn: Turn, panel: Panel) -> Sentence:
        target, factor = state.pile.target, _multiplier(state)
        if factor > 1:
            return say(
                "dards.multiplied",
                "Hit {target}: it counts {factor} times; nothing else counts",
                target=target,
                factor=factor,
            )
        return say("dards.hit", "Hit {target}: nothing else counts", target=target)

    def advise(self, state: DardsState, turn: Turn, seat: int, skill: Skill) -> Advice:
        if state.laid:
            target = str(state.pile.target)
            return Advice(aim=skill.best(lambda landed: landed.points if target in landed.groups else 0, beds(target)))
        if seat != state.seats[turn.side]:
            return Advice()
        return Advice(answer=_best_card(state, self.prompts(state, turn)[0].options or ()))


def _open_round(state: DardsState, round: int) -> DardsState:
    """With a new round open: its cards are dealt, and its points are 0 again."""
    count, size = len(state.seats), state.sizes[round - 1]
    if state.options.mode == "dealt" and state.options.cards == "shuffled":
        dealt = [state.deck[size * side : size * (side + 1)] for side in range(count)]
        hands = tuple((*old, *sorted(new, key=CARDS.index)) for old, new in zip(state.hands, dealt, strict=True))
        state = replace(state, hands=hands, deck=state.deck[count * size :])
    if state.options.chain_resets:
        state = replace(state, pile=Pile(state.pile.target))
    return replace(state, round=round, sequence=(), round_points=(0,) * count, cards=(size,) * count)


def _wild_is_due(state: DardsState) -> bool:
    return bool(state.options.wild) and state.wild is None


def _set_aside(state: DardsState, card: str) -> DardsState:
    """With this card as the wild one; the game starts at the number it leads to."""
    pile = Pile(moved(START, card, state.options.ace))
    return replace(state, wild=card, deck=without(state.deck, card), pile=pile)


def _lay_card(state: DardsState, side: int, card: str) -> DardsState:
    return replace(
        state,
        pile=state.pile.with_card(card, state.wild, state.options.ace),
        laid=True,
        deck=without(state.deck, card),
        hands=put(state.hands, side, without(state.hands[side], card)),
        cards=put(state.cards, side, state.cards[side] - 1),
    )


def _multiplier(state: DardsState) -> int:
    """The factor of the card on top."""
    return max(1, state.pile.length) if state.options.double_up else 1


def _value_of_card(state: DardsState, card: str) -> int:
    """The points of a single in the target if this card is laid."""
    after = _lay_card(state, 0, card)
    return after.pile.target * _multiplier(after)


def _best_card(state: DardsState, cards: tuple[str, ...]) -> str:
    return max(cards, key=lambda card: _value_of_card(state, card))


GAMES = (Dards(),)
