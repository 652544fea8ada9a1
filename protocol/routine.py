"""A routine: exercises that are played one after the other, a match each, by the same players."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, Struct

MOST_EXERCISES = 12
_Text = Annotated[str, Meta(min_length=1, max_length=80)]
_Results = Annotated[tuple[int | None, ...], Meta(max_length=64)]


class Exercise(Struct, frozen=True):
    """A game or a preset, with the options that it is played with. `title` is what it is called with these."""

    game: str
    options: dict[str, Any] = {}  # Any: checked by the game's own Struct
    title: Annotated[str, Meta(max_length=80)] = ""


class Routine(Struct, frozen=True):
    """Exercises in their order. The match plays the one at the index `at`, counted from 0.

    `results` has the results of the sides in each earlier exercise; null for an exercise that was stopped.
    """

    name: _Text
    title: _Text
    exercises: Annotated[tuple[Exercise, ...], Meta(min_length=1, max_length=MOST_EXERCISES)]
    at: Annotated[int, Meta(ge=0)] = 0
    results: Annotated[tuple[_Results, ...], Meta(max_length=MOST_EXERCISES)] = ()

    @property
    def exercise(self) -> Exercise:
        """The exercise of this match."""
        return self.exercises[self.at]

    @property
    def following(self) -> Exercise | None:
        """The exercise after it; None after the last one."""
        return self.exercises[self.at + 1] if self.at + 1 < len(self.exercises) else None
