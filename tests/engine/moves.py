"""What a match can be told: a Hypothesis strategy of moves, legal and illegal ones, and the lines they come to.

A move is drawn without knowing the match, so that examples shrink well; what it means (which line an amend reaches
back to, which answers are open) is worked out against the match when its turn comes.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

import msgspec
from hypothesis import reject
from hypothesis import strategies as st

from engine.game import Game
from protocol.match_spec import Unreadable
from tests.engine.records import Line, Record

SEGMENTS = ("T20", "T20", "T19", "D20", "D1", "S20", "I20", "O19", "S1", "S5", "SB", "DB", "MISS")
PEOPLE = ("Ann", "Bo", "Cy", "Di")
LONG = ('Ann Åström "the arrow" of Örebro, twice!', "Bo")


class Move(NamedTuple):
    """What to do, and two numbers: how far back or which of several, and which segment."""

    kind: str
    k: int
    n: int


KINDS = (
    *("throw",) * 12,
    *("total",) * 4,
    *("next",) * 6,
    *("answer",) * 5,
    *("undo",) * 3,
    *("redo",) * 2,
    *("amend",) * 4,
    *("retire",) * 2,  # a match can be conceded only once all others have left
    *("concede",) * 2,
    *("same", "ghost", "retotal", "amend_answer", "garbage", "stop", "nonsense"),
)

SHORT: Mapping[str, Mapping[str, st.SearchStrategy[Any]]] = {  # Any: JSON
    "x01": {
        "start": st.sampled_from([101, 170, 301]),
        "rounds": st.sampled_from([None, None, 2]),
        "freeze": st.sampled_from(["off", "off", "off", "lose", "bust"]),
        "places": st.sampled_from([False, False, True]),
        "split_11": st.sampled_from([False, False, True]),
    },
    "tactics": {"spread": st.sampled_from([None, None, None, 1])},
    "cricket": {
        "spread": st.sampled_from([None, None, 1]),
        "order": st.sampled_from(["free", "free", "free", "down", "up"]),
        "team_close": st.sampled_from(["shared", "shared", "both", "one"]),
    },
    "toy": {
        "rounds": st.sampled_from([1, 2, None]),
        "target": st.sampled_from([40, 60, 200]),
        "behind": st.sampled_from([20, 150]),
        "machine_points": st.sampled_from([0, 0, 30]),
    },
}
"""Values that go together, so that few are refused, and with which a match is likely to end.

The others are drawn from the options' own types.
"""


def moves(longest: int) -> st.SearchStrategy[list[Move]]:
    """Up to so many moves. Lists are short when left to themselves, so most have a least size."""
    one = st.builds(Move, st.sampled_from(KINDS), st.integers(0, 11), st.integers(0, len(SEGMENTS) - 1))
    return st.sampled_from([0, longest // 2, longest * 2 // 3]).flatmap(
        lambda least: st.lists(one, min_size=least, max_size=longest)
    )


_FORMATS: list[dict[str, Any]] = [  # Any: JSON
    *({}, {"legs": 2}, {"sets": 2}, {"clear_legs": 2, "first": "loser"}),
    {"legs": 2, "sets": 2, "play": "all", "first": "same"},
]


@st.composite
def headers(draw: st.DrawFn, game: Game[Any, Any]) -> dict[str, Any]:  # Any: JSON
    """A header for as many people as the game takes, up to four, alone or in teams, with options of the game."""
    options = {
        field.encode_name: draw(strategy)
        for field in msgspec.structs.fields(game.options_type)
        if (strategy := SHORT.get(game.id, {}).get(field.encode_name, _values(field.type))) is not None
    }
    shapes: list[dict[str, Any]] = [  # Any: JSON
        {"players": list(PEOPLE[:count])} for count in range(1, 5) if count in game.sides
    ]
    if 2 in game.sides:
        shapes.append({"players": list(LONG)})
    if 2 in game.team_size:
        shapes += [{"players": list(PEOPLE), "teams": teams} for teams in ([[0, 2], [1, 3]], [[3], [0, 1], [2]])]
    return {
        "oche": 1,
        "game": game.id,
        "seed": draw(st.sampled_from(["oche", "bull", "treble"])),
        "options": options,
        "format": draw(st.sampled_from(_FORMATS)),
        "undo_all": draw(st.sampled_from([True, True, False])),
        **draw(st.sampled_from(shapes)),
    }


def _values(kind: Any) -> st.SearchStrategy[Any] | None:  # Any: a type expression
    """What an option can be told, where its type lists that or has a least number; else it keeps its default."""
    if kind is bool:
        return st.booleans()
    if get_origin(kind) in (UnionType, Union):
        return _values(get_args(kind)[0])
    if get_origin(kind) is Annotated:
        kind, *about = get_args(kind)
        least = next((meta.ge for meta in about if isinstance(meta, msgspec.Meta)), None)
        return st.sampled_from([least, least, least + 1]) if kind is int and least is not None else None
    return st.sampled_from(get_args(kind)) if get_origin(kind) is Literal else None


def record(first: Line, game: Game[Any, Any]) -> Record:
    """A record of this header; options that this game refuses together are no example."""
    try:
        return Record(first, game)
    except Unreadable:
        reject()


def line_of(move: Move, given: Record) -> Line:
    """The line that this move comes to now."""
    back = [one for one in given.journal[::-1] if {"throw", "total"} & {*one[1]} and "amend" not in one[1]]
    answers = [one for one in given.journal[::-1] if "choose" in one[1] and "amend" not in one[1]]
    thrown, was = back[move.k % len(back)] if back else (1, {"throw": "MISS"})
    segment = _segments(given)[move.n]
    match move.kind:
        case "throw":
            return {"throw": segment}
        case "total":
            return _total(move)
        case "answer":
            return _answer(given, move.k)
        case "retotal":
            return {"amend": thrown, **_total(move)}
        case "amend" | "same" | "ghost":
            real: Mapping[str, Line] = {"amend": {"throw": segment}, "same": was, "ghost": {"throw": None}}
            return {"amend": thrown, **real[move.kind]}
        case "amend_answer":
            number, line = answers[move.k % len(answers)] if answers else (2, {"choose": "x"})
            return {"amend": number, "choose": ("once", "twice", "3", "toy", line["choose"])[move.n % 5]}
        case "retire":
            sides = len(given.state["sides"])
            return {"retire": (-1, sides)[move.k % 2] if move.k > 9 else move.k % sides}
        case "garbage":
            return GARBAGE[move.k % len(GARBAGE)]
        case "nonsense":
            return NONSENSE[move.k % len(NONSENSE)]
    return {move.kind: True}


GARBAGE: tuple[Line, ...] = tuple({"throw": given} for given in ("T21", "", "double", "t20", "NO", "TOTAL"))


NONSENSE: tuple[Line, ...] = (
    {"next": False},
    {"throw": None},
    {"amend": 5},
    {"choose": "x", "prompt": "row@1"},
    {"amend": 1, "throw": "T20"},
    {"amend": -1, "throw": "T20"},
    {"throw": "T20", "next": True},
    {"total": -1},
    {"total": 60, "darts": 0},
    {"total": "60"},
)


def _total(move: Move) -> Line:
    """Points together, some of them impossible; sometimes of fewer darts than are left."""
    points = (60, 26, 0, 180, 100, 45, 85, 40, 32, 101, 163, 181, 2)[move.n]
    return {"total": points, **({"darts": move.k, "at_finish": 1} if 0 < move.k < 4 else {})}


def _segments(given: Record) -> tuple[str, ...]:
    """As many segments of the layout as there are in SEGMENTS, the last one its miss."""
    layout = given.match.layout
    if layout.name == "standard":
        return SEGMENTS
    step = max(1, len(layout) // len(SEGMENTS))
    return (*(segment.id for segment in layout.segments[::step][: len(SEGMENTS) - 1]), layout.miss.id)


def _answer(given: Record, k: int) -> Line:
    prompts = given.match.position.prompts
    if not prompts:
        return {"choose": "yes"}
    prompt = prompts[k % len(prompts)]
    answers = prompt.options or ("6", "1", "round", "toy", "7 16 10", "4 4 4")
    answer = answers[k % len(answers)]
    return {"choose": answer} if k % 3 else {"choose": answer, "prompt": prompt.id}
