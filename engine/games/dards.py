"""Dards: a card moves the target around the wheel, and like cards on like cards multiply it.

Every card is in one place: in `deck` (not dealt), in a hand, or laid. The deck is shuffled once, before the first
visit, and rounds are dealt from its top as they open, so no correction of a dart can change who holds what. A round
of Dards is as many rounds of the referee (everybody throws once) as each side has cards in it.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from engine.game import Advice, Game, Panel, Prompt, Seating, Step, Turn
from engine.games.beds import beds
from engine.games.dards_cards import CARDS, START, Pile, moved, place, shares, without
from engine.luck import Luck
from engine.skill import Skill
from engine.tuples import put
from protocol.segment import Layout, Segment


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """`mode` and `wild` None depend on who plays: rapid without a wild for two sides, dealt with one for more."""

    mode: Literal["rapid", "dealt"] | None = None
    cards: Literal["shuffled", "manual"] = "shuffled"
    ace: Literal[1, 14] = 1
    double_up: bool = True
    wild: bool | None = None
    chain_resets: bool = False
    order: Literal["round", "total"] = "round"


class State(Struct, frozen=True):
    """Tuples are indexed by side. `sizes` are the cards of each round, `round` is the open one, from 1.

    `cards` counts what each side has still to lay in this round, which is more than its hand in rapid and with real
    cards, where the engine holds none. `sequence` is the order in which this round was begun. Of the visit at hand:
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


class Dards(Game[Options, State]):
    """Darts with a deck of cards: a card says where to aim and what it pays.

    Darts and cards. The board is a clock of twenty numbers, and the game begins at the 20. A card moves the target
    from the number played last: red clockwise, black counter-clockwise, by its pace (2 to 10; jack 11, queen 12, king
    13; the ace 1, with option `ace` 14). Then three darts: each in the target scores its number, doubles and triples
    as usual; the bull and all other numbers nothing. The highest total wins, and equal totals share the win.

    Double up: a card of the same rank as the one below it scores twice, a third of that rank three times, the fourth
    four times. Only the visit of that card is multiplied. With `double_up` off every card counts once.

    Option `mode`: in `rapid` (usual for two) each visit plays the top card of the deck, in equal numbers for all. In
    `dealt` (usual for more) the cards are dealt in three rounds, longer rounds first, and everybody chooses what to
    lay: 6, 6 and 5 cards for three players. Nobody sees another's hand.

    Option `wild` (usual in dealt): the first card is put aside, moves the start as any card would, and makes the
    other three of its rank wild. A wild moves by its own pace and always continues the chain, whatever its rank;
    after it both another wild and the rank that the chain began with go on. So a chain can reach seven.

    Rounds: who made most points in a round begins the next one, the second best follows, and so on; who is level
    keeps the order of before. Option `order`: `round` or `total` points decide. The number played last and the pile
    go on into the next round; with `chain_resets` a new round starts a new pile. Before the first round throw one
    dart each at the bull and sit down in that order, the closest first.

    Option `cards`: `manual` is for a real deck. Deal, shuffle and choose by hand, and tell which card is the wild and
    which one is laid.

    Source: Game of Dards, on the blog Understanding Eli, September 2013.
    """

    id = "dards"
    options_type = Options
    aside = frozenset({"cards"})
    sides = range(2, 17)

    def title(self, options: Options) -> str:
        return "Dards"

    def has_secrets(self, options: Options) -> bool:
        return options.mode == "dealt" and options.cards == "shuffled"

    def resolve(self, options: Options, seating: Seating) -> Options:
        mode = options.mode or ("rapid" if len(seating.sides) == 2 else "dealt")
        return replace(options, mode=mode, wild=mode == "dealt" if options.wild is None else options.wild)

    def setup(self, options: Options, seating: Seating, layout: Layout, luck: Luck) -> State:
        count = len(seating.sides)
        none, manual = (0,) * count, options.cards == "manual"
        state = State(
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

    def begin(self, state: State, turn: Turn, luck: Luck) -> Step[State]:
        round, lap = place(state.sizes, turn.round)
        if round != state.round:
            state = _open(state, round)
        if lap == 1:
            state = replace(state, sequence=(*state.sequence, turn.side))
        state = replace(state, laid=False, drawn=0)
        if state.options.mode == "rapid" and state.options.cards == "shuffled":
            state = _lay(state, turn.side, state.deck[0])
        return Step(state)

    def dart(self, state: State, segment: Segment, turn: Turn, luck: Luck) -> Step[State]:
        hits = [dart.points * _times(state) for dart in turn.darts if str(state.pile.target) in dart.groups]
        gain = hits[-1] if str(state.pile.target) in segment.groups else 0
        state = replace(
            state,
            totals=put(state.totals, turn.side, state.totals[turn.side] + gain),
            round_points=put(state.round_points, turn.side, state.round_points[turn.side] + gain),
        )
        return Step(state, points=sum(hits))

    def round_over(self, state: State, turn: Turn, luck: Luck) -> Step[State]:
        if turn.round < sum(state.sizes):
            return Step(state)
        best = max((state.totals[side] for side in turn.playing), default=0)
        return Step(state, winners=tuple(side for side in turn.playing if state.totals[side] == best))

    def order(self, state: State, round: int, sides: tuple[int, ...]) -> tuple[int, ...]:
        if round == 1:
            return sides
        before = tuple(side for side in state.sequence if side in sides)
        if place(state.sizes, round).round == state.round:
            return before
        points = state.totals if state.options.order == "total" else state.round_points
        return tuple(sorted(before, key=lambda side: -points[side]))

    def prompts(self, state: State, turn: Turn) -> tuple[Prompt, ...]:
        if state.laid:
            return ()
        if state.options.cards == "manual":
            what = "Which card is the wild one, on top of the deck?" if _wild_is_due(state) else "Which card is laid?"
            return (Prompt(turn.prompt_id("draw", state.drawn + 1), turn.seat, what, options=state.deck),)
        hand = state.hands[turn.side]
        values = {card: _value(state, card) for card in hand}
        text, best = "Which card do you lay?", _best(state, hand)
        return (Prompt(turn.prompt_id("card"), turn.seat, text, hand, values=values, default=best, secret=True),)

    def decide(self, state: State, prompt: Prompt, answer: str, turn: Turn, luck: Luck) -> Step[State]:
        state = replace(state, drawn=state.drawn + 1)
        return Step(_set_aside(state, answer) if _wild_is_due(state) else _lay(state, turn.side, answer))

    def score(self, state: State, side: int) -> int:
        return state.totals[side]

    def view(self, state: State, turn: Turn, seat: int | None) -> Panel:
        detail = tuple(
            {"round_points": points, "cards": cards}
            for points, cards in zip(state.round_points, state.cards, strict=True)
        )
        board: dict[str, Any] = {  # Any: JSON
            "target": state.pile.target,
            "multiplier": _times(state),
            "card": state.pile.card,
            "wild": state.wild,
            "cards_left": len(state.deck) + sum(len(hand) for hand in state.hands),
        }
        if state.options.ace != 1:
            board["ace"] = state.options.ace  # how far it goes, for those who draw the way
        if seat in state.seats and state.options.mode == "dealt" and state.options.cards == "shuffled":
            board["hand"] = state.hands[state.seats.index(seat)]
        return Panel("dards", detail, targets=(str(state.pile.target),) if state.laid else (), board=board)

    def advise(self, state: State, turn: Turn, seat: int, skill: Skill) -> Advice:
        if state.laid:
            target = str(state.pile.target)
            return Advice(aim=skill.best(lambda landed: landed.points if target in landed.groups else 0, beds(target)))
        if seat != state.seats[turn.side]:
            return Advice()
        return Advice(answer=_best(state, self.prompts(state, turn)[0].options or ()))


def _open(state: State, round: int) -> State:
    """A round opens: its cards are dealt, and everybody is at 0 points again."""
    count, size = len(state.seats), state.sizes[round - 1]
    if state.options.mode == "dealt" and state.options.cards == "shuffled":
        dealt = [state.deck[size * side : size * (side + 1)] for side in range(count)]
        hands = tuple((*old, *sorted(new, key=CARDS.index)) for old, new in zip(state.hands, dealt, strict=True))
        state = replace(state, hands=hands, deck=state.deck[count * size :])
    if state.options.chain_resets:
        state = replace(state, pile=Pile(state.pile.target))
    return replace(state, round=round, sequence=(), round_points=(0,) * count, cards=(size,) * count)


def _wild_is_due(state: State) -> bool:
    return bool(state.options.wild) and state.wild is None


def _set_aside(state: State, card: str) -> State:
    """The wild card is known; the game starts where it leads."""
    pile = Pile(moved(START, card, state.options.ace))
    return replace(state, wild=card, deck=without(state.deck, card), pile=pile)


def _lay(state: State, side: int, card: str) -> State:
    return replace(
        state,
        pile=state.pile.with_card(card, state.wild, state.options.ace),
        laid=True,
        deck=without(state.deck, card),
        hands=put(state.hands, side, without(state.hands[side], card)),
        cards=put(state.cards, side, state.cards[side] - 1),
    )


def _times(state: State) -> int:
    """What the card on top multiplies by."""
    return max(1, state.pile.length) if state.options.double_up else 1


def _value(state: State, card: str) -> int:
    """What one single in the target would score with this card."""
    after = _lay(state, 0, card)
    return after.pile.target * _times(after)


def _best(state: State, cards: tuple[str, ...]) -> str:
    return max(cards, key=lambda card: _value(state, card))


GAMES = (Dards(),)
