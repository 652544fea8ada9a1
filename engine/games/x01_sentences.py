"""What X01 says of a visit that decides and of players who may not go out; all else is said in engine/checkouts.py."""

from __future__ import annotations

from engine.game import Turn, say
from engine.games.x01_state import X01State
from protocol.sentence import Sentence


def say_deciding(state: X01State, turn: Turn) -> Sentence:
    """What to do in a visit that decides by its points alone."""
    best = max((made for side, made in enumerate(state.deciding) if side != turn.side), default=0)
    if best:
        return say("x01.to_beat", "This visit decides: the most points win the leg; to beat: {best}", best=best)
    return say("x01.highest", "This visit decides: the most points win the leg")


def say_frozen(state: X01State, turn: Turn, way: tuple[str, ...]) -> Sentence:
    """Who throws, and who may not go out."""
    name, left = state.names[turn.seat], state.scores[turn.seat]
    if state.is_frozen(turn):
        partner = next(seat for seat in state.score_indices[turn.side] if seat != turn.seat)
        return say(
            "x01.frozen",
            "{name} throws and may not go out: {given} has more left than both opponents",
            name=name,
            given=state.names[partner],
        )
    if way:
        return say("x01.free", "{name} throws and may go out: {targets}", name=name, targets=way)
    frozen = tuple(name for seat, name in enumerate(state.names) if state.is_frozen(turn, seat))
    if frozen:
        return say(
            "x01.free_others",
            "{name} throws, {left} left. May not go out yet: {given}",
            name=name,
            left=left,
            given=", ".join(frozen),
        )
    return say("x01.free_all", "{name} throws, {left} left; all may go out", name=name, left=left)
