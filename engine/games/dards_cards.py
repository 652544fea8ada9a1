"""What the cards of Dards do, whoever holds them: where one leads, how long a chain is, how many are dealt.

Apart from the game because none of it knows who plays. A card is its rank and suit, such as AH, 10S or QC.
"""

from __future__ import annotations

from typing import NamedTuple

from msgspec import Struct

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
    """A, 2 to 10, J, Q, K."""
    return card[:-1]


def moved(number: int, card: str, ace: int) -> int:
    """Where a card leads from a number: clockwise when it is red."""
    paces = ace if rank(card) == "A" else RANKS.index(rank(card)) + 1
    clockwise = paces if card[-1] in RED else -paces
    return NUMBERS[(NUMBERS.index(number) + clockwise) % len(NUMBERS)]


def without(cards: tuple[str, ...], card: str) -> tuple[str, ...]:
    """The cards but this one."""
    return tuple(other for other in cards if other != card)


class Place(NamedTuple):
    """A round of cards, and which time round the players it is; both from 1."""

    round: int
    lap: int


def shares(dealt: bool, wild: bool, sides: int) -> tuple[int, ...]:
    """How many cards each side lays in each round: a single one unless they are dealt, then the longer ones first."""
    if not dealt:
        return ((len(CARDS) - wild) // sides,)
    each, longer = divmod((len(CARDS) - 1) // sides, DEALS)
    return tuple(each + (deal < longer) for deal in range(DEALS))


def place(sizes: tuple[int, ...], lap: int) -> Place:
    """Where in rounds of these sizes a lap is, counted from 1 over all of them."""
    round = 1
    while round < len(sizes) and lap > sizes[round - 1]:
        lap -= sizes[round - 1]
        round += 1
    return Place(round, lap)
