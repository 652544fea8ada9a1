"""Where a side stands, for the ear: its score by its unit, its details, its marks, and whose squares are whose.

One table of words for what `detail` and `board` of the state have. A game with other keys is told by its score.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from daemon.outlets.spoken_names import join_names, name_target
from protocol.messages import State
from protocol.sentence import Sentence, Value, say

_UNITS = {
    "flags": say("ear.unit_flags", "flags"),
    "fox_steps": say("ear.unit_fox_steps", "steps of the fox"),
    "goals": say("ear.unit_goals", "goals"),
    "hits": say("ear.unit_hits", "hits"),
    "lives": say("ear.unit_lives", "lives"),
    "lives_taken": say("ear.unit_lives_taken", "lives taken"),
    "marks": say("ear.unit_marks", "marks"),
    "numbers": say("ear.unit_numbers", "numbers"),
    "runs": say("ear.unit_runs", "runs"),
    "steps": say("ear.unit_steps", "steps"),
    "strokes": say("ear.unit_strokes", "strokes"),
}
"""What a score counts if it is not points, by `board.unit`."""
_FLAGS = {
    "ball": say("ear.has_ball", "has the ball"),
    "failed": say("ear.failed", "not checked out"),
    "killer": say("ear.is_killer", "is a killer"),
}
"""Details that are true or false."""
_NUMBERS = {
    "lives": ("ear.with_lives", "lives {count}"),
    "left": ("ear.with_left", "left {count}"),
    "number": ("ear.with_number", "number {count}"),
    "points": ("ear.with_points", "points {count}"),
    "wickets_taken": ("ear.with_wickets", "wickets taken {count}"),
    "break": ("ear.with_break", "break {count}"),
    "in_hand": ("ear.with_pins", "pins in hand {count}"),
}
"""Details that are numbers, the most important first; 0 is not said."""
_ROLES = {
    "batter": say("ear.batter", "bats"),
    "bowler": say("ear.bowler", "bowls"),
    "fox": say("ear.fox", "is the fox"),
    "hound": say("ear.hound", "is the hound"),
    "scorer": say("ear.scorer", "scores"),
    "stopper": say("ear.stopper", "closes numbers"),
}


def tell_side(state: State, side: int, *, name: str = "", legs: bool = False, is_whole: bool = False) -> Sentence:
    """Returns the score of a side with its unit; `is_whole`: and its details. `name` replaces that of the side."""
    found = state.sides[side]
    name = name or found.name
    if found.out:
        return say("ear.side_out", "{name}: out", name=name)
    unit = _UNITS.get(str(state.board.get("unit")))
    score: Value = found.score
    if unit is not None:
        score = say("ear.score_unit", "{unit} {score}", unit=unit, score=found.score)
    details = _list_details(state, side) if is_whole else []
    if details:
        score = say("ear.list", "{first}, {second}", first=score, second=join_names(details))
    if legs:
        said, template = "ear.side_legs", "{name}: {score}, legs won: {legs}"
        return Sentence(said, template, {"name": name, "score": score, "legs": found.legs})
    return say("ear.side", "{name}: {score}", name=name, score=score)


def has_unit(state: State) -> bool:
    """Whether the scores count something else than points."""
    return str(state.board.get("unit")) in _UNITS


def tell_marks(state: State, side: int) -> list[Sentence]:
    """Returns what a side has closed, and where it has marks; nothing in a game without them."""
    board, found = state.board, state.sides[side]
    rows, marks, need = board.get("rows"), found.detail.get("marks"), board.get("need")
    cells = board.get("cells")
    if isinstance(cells, Sequence) and not board.get("secret"):
        rows, marks = [str(cell["label"]) for cell in cells], [_count_marks(cell, side) for cell in cells]
    if not isinstance(rows, Sequence) or not isinstance(marks, Sequence) or not isinstance(need, int):
        return []
    counted = [(_name_row(board, row), count) for row, count in zip(rows, marks, strict=False)]
    closed = [row for row, count in counted if count >= need]
    begun = [
        say("ear.marks_of", "{count} in {target}", target=row, count=count)
        for row, count in counted
        if 0 < count < need
    ]
    told = []
    if closed:
        told.append(say("ear.has_closed", "Closed by {name}: {targets}", name=found.name, targets=join_names(closed)))
    if begun:
        told.append(say("ear.has_marks", "Marks of {name}: {targets}", name=found.name, targets=join_names(begun)))
    return told


def tell_squares(state: State) -> list[Sentence]:
    """Returns the squares of the board row by row, and whose they are; nothing where there are none, or secrets."""
    board = state.board
    cells, columns = board.get("cells"), board.get("columns")
    if not isinstance(cells, Sequence) or not isinstance(columns, int) or board.get("secret"):
        return []
    names = [_name_row(board, str(cell["label"])) for cell in cells]
    told = [say("ear.squares", "Squares, {columns} in a row: {targets}", columns=columns, targets=join_names(names))]
    for side, found in enumerate(state.sides):
        owned = [name for name, cell in zip(names, cells, strict=True) if cell.get("owner") == side]
        if owned:
            told.append(say("ear.owns", "{name} has {targets}", name=found.name, targets=join_names(owned)))
    return told


def tell_winners(state: State) -> Sentence:
    """Returns who has won a match that is over."""
    names = [state.sides[side].name for side in state.winners]
    if not names:
        return say("ear.over", "The match is over")
    if len(names) == 1:
        return say("ear.match_won", "{name} wins the match", name=names[0])
    return say("ear.match_shared", "The match is shared by {name}", name=", ".join(names))


def _list_details(state: State, side: int) -> list[Value]:
    detail, unit = state.sides[side].detail, state.board.get("unit")
    role = _ROLES.get(str(detail.get("role")))
    found: list[Value] = [] if role is None else [role]
    found += [said for key, said in _FLAGS.items() if detail.get(key) is True]
    if state.phase == "throwing" and _FLAGS["failed"] in found:
        found.remove(_FLAGS["failed"])  # that was the visit before
    for key, (name, template) in _NUMBERS.items():
        count = detail.get(key)
        if isinstance(count, int) and count and key != unit and count != state.sides[side].score:
            found.append(Sentence(name, template, {"count": count}))
    return found


def _count_marks(cell: Mapping[str, Any], side: int) -> int:  # Any: JSON
    marks = cell.get("marks")
    return int(marks[side]) if isinstance(marks, Sequence) and side < len(marks) else 0


def _name_row(board: Mapping[str, Any], row: str) -> Value:  # Any: JSON
    return name_target(str(board.get("legend", {}).get(row, row)))
