"""Two people who play a match out: they aim as the game advises for their skill, and miss as people do."""

from __future__ import annotations

from random import Random

from engine.games import game, spelled_out
from engine.match import Match
from engine.record import Choose, Header, Next, Throw
from engine.skill import Skill
from protocol.layouts import layout
from simulator.thrower import Thrower

PAIRS = [[0, 2], [1, 3]]


def play(
    name: str, sigma_mm: float, seed: str, most: int, players: int = 2, teams: list[list[int]] | None = None
) -> Match:
    """A match of this game or preset, to its end or until so many inputs were made."""
    header = spelled_out(Header(1, name, ["Ann", "Bo", "Cy", "Di"][:players], teams=teams, seed=seed))
    chosen = game(header.game)
    match = Match(header, chosen, seed)
    face = layout(chosen.layouts[0])
    thrower, skill = Thrower(sigma_mm, Random(seed), face), Skill(face, sigma_mm)
    for line in range(2, most + 2):
        if match.position.over:
            break
        advice, prompts = match.advice(skill), match.position.prompts
        if match.position.phase == "takeout":
            outcome = match.apply(line, Next())
        elif prompts and (match.position.blocking or advice.answer):
            answer = advice.answer or prompts[0].default
            assert answer is not None, f"{name}: nobody says what to answer to {prompts[0].text}"
            outcome = match.apply(line, Choose(answer, prompts[0].id))
        else:
            assert advice.aim is not None, f"{name}: nobody says where to aim"
            outcome = match.apply(line, Throw(thrower.throw(advice.aim).segment.id))
        assert outcome.accepted, outcome.reason
    return match
