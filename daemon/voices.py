"""Who `oche boards learn` speaks to: a person at the board, or a program that presses for one.

A program gets nothing on standard output but what it has to press; what is wrong goes to standard error.
"""

from __future__ import annotations

import json
from typing import Protocol

import click

from protocol.learning.learner import Learner
from protocol.standard import NUMBERS


class Voice(Protocol):
    """How a press is asked for, and what else is told."""

    def ask(self, learner: Learner) -> None:
        """The next press."""

    def tell(self, sentence: str, *, is_trouble: bool = False) -> None:
        """Something a person wants to know."""


class Program:
    """For a program that reads: one JSON line a press."""

    def ask(self, learner: Learner) -> None:
        """The next press."""
        click.echo(json.dumps({"press": learner.press}))

    def tell(self, sentence: str, *, is_trouble: bool = False) -> None:
        """What went wrong, on standard error; of the rest nothing."""
        if is_trouble:
            click.echo(sentence, err=True)


class Person:
    """For people: which bed it is in words, how far it is, and what was heard."""

    def ask(self, learner: Learner) -> None:
        """The next press."""
        again = "once more " if learner.reason == "again" else ""
        at = f"{len(learner.answers) + 1} of about {max(learner.about, len(learner.answers) + 1)}"
        click.echo(f"{at}: press {again}{bed(learner.press or '')}")

    def tell(self, sentence: str, *, is_trouble: bool = False) -> None:
        """Something a person wants to know."""
        click.echo(f"  {sentence}")


def bed(segment: str) -> str:
    """A segment, so that nobody has to know what its name stands for."""
    if segment in ("SB", "DB"):
        return f"{segment}, the {'middle' if segment == 'DB' else 'ring'} of the bull"
    number = int(segment[1:])
    # Boards with merged singles and boards with two of each are told apart if now this half is pressed, now that.
    half = "between triple and bull" if NUMBERS.index(number) % 2 else "between double and triple"
    where = {
        "D": "the double, at the rim",
        "T": "the triple, the narrow ring half way",
        "O": "the outer single, between double and triple",
        "I": "the inner single, between triple and bull",
        "S": f"the single, {half}",
    }
    return f"{segment}, {where[segment[0]]}"
