"""Random seasons of matches between people, whose outcomes are known because they were made up before they were played.

What is counted here is counted from that alone: from who was to win each match, and from which names were given,
merged and forgotten since. No code of the history takes part.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import msgspec

from daemon.admin.history.forget import find_keys, forget_player
from daemon.admin.history.history import History
from daemon.admin.history.played_matches import PlayedMatch
from daemon.admin.players.book import PlayerBook
from daemon.admin.requests import ChangePlayer
from protocol.layouts import find_layout
from tests.daemon.evenings import Evening

NAMES = ("Ann", "Bo", "Cy", "Dee", "Ewa", "Flo")
STEP_DAYS = 0.37
"""Between two matches."""
FINISH, MISSES = "T20 S1 D20", "MISS MISS MISS"


class Made(NamedTuple):
    """A match between two people as it was made up; `winner` is a place, None for a draw."""

    day: float
    names: tuple[str, str]
    winner: int | None
    variant: str
    legs: tuple[int, int]
    points: tuple[int, int]
    darts: tuple[int, int]


class Season:
    """A folder with journals and a book of players, and what was made up."""

    spellings: Sequence[Callable[[str], str]] = (str.upper, str.title, str.casefold)

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.random = Random(seed)
        self.made: list[Made] = []
        self._count = 0
        self._names = 0
        self._people = {name.casefold(): n for n, name in enumerate(NAMES)}
        """The person of each name, in small letters."""
        self._shown = dict(enumerate(NAMES))
        self._uncounted: set[int] = set()

    def play(self, matches: int) -> None:
        """Plays so many matches, of all kinds."""
        with Evening(self.folder) as evening, Evening(self.folder, "kitchen") as kitchen:
            for _ in range(matches):
                self._count += 1
                self._play_one(self.random.choice((evening, kitchen)), self._count * STEP_DAYS)

    def change_names(self) -> None:
        """Renames, merges, forgets or discounts a player."""
        book, who = PlayerBook(self.folder), self.random.choice(sorted(self._shown))
        name = self._shown[who]
        match self.random.choice(("rename", "rename", "merge", "forget", "count")):
            case "rename":
                self._names += 1
                to = f"{name[:3]} {self._names}"
                book.rename(name, to, [])
                self._people[to.casefold()], self._shown[who] = who, to
            case "merge" if len(self._shown) > 3:
                into = self.random.choice([each for each in sorted(self._shown) if each != who])
                book.merge(name, self._shown[into])
                self._people = {key: into if each == who else each for key, each in self._people.items()}
                del self._shown[who]
                self._uncounted.discard(who)
            case "forget" if len(self._shown) > 3:
                forget_player(self.folder, find_keys(self.folder, name))
                book.add(name)
                book.remove(name)
                gone = {key for key, each in self._people.items() if each == who}
                self.made = [each for each in self.made if gone.isdisjoint(map(str.casefold, each.names))]
                self._people = {key: each for key, each in self._people.items() if key not in gone}
                del self._shown[who]
                self._uncounted.discard(who)
            case "count":
                is_counted = who in self._uncounted
                (self._uncounted.remove if is_counted else self._uncounted.add)(who)
                book.change(msgspec.convert({"name": name, "counts": is_counted}, ChangePlayer))

    def list_people(self) -> list[str]:
        """What each is called now."""
        return sorted(self._shown.values())

    def list_made(self) -> list[Made]:
        """The matches that count, oldest first, with the present names."""
        found = []
        for each in sorted(self.made):
            one, other = (self._people[name.casefold()] for name in each.names)
            if one != other and not {one, other} & self._uncounted:
                found.append(each._replace(names=(self._shown[one], self._shown[other])))
        return found

    def read(self) -> tuple[list[PlayedMatch], History]:
        """The matches as the history has them."""
        history = History(self.folder, dict.fromkeys(("main", "kitchen"), find_layout("standard")), "1")
        found = list(history.counted_matches())
        assert history.problems == []
        return found, history

    def _play_one(self, evening: Evening, day: float) -> None:
        random, in_use = self.random, sorted(self._people)
        names = random.sample([name for name in in_use if self._people[name] in self._shown], len(in_use))
        two, winner = self._spell(names), random.randrange(2)
        if two is None:
            return
        header: dict[str, Any] = {"players": [*two], "options": {"start": 101}}  # Any: JSON
        turns = [FINISH] if not winner else [MISSES, FINISH]
        match random.choice(("leg", "leg", "undone", "amended", "legs", "points", "others")):
            case "leg":
                evening.play(" / ".join(turns), day=day, **header)
                self._note(day, two, winner, legs=(1 - winner, winner), darts=(3, 3 * winner))
            case "undone":  # the first had won, till the last dart was taken back
                evening.play(FINISH, {"undo": True}, f"MISS / {FINISH}", day=day, **header)
                self._note(day, two, 1, points=(61, 101), darts=(3, 3))
            case "amended":
                evening.play("T20 S1 S20", {"amend": 4, "throw": "D20"}, day=day, **header)
                self._note(day, two, 0, legs=(1, 0))
            case "legs":  # first to two; the second begins the second leg
                darts = (f"{FINISH} / {FINISH} / {FINISH}") if not winner else f"{MISSES} / {FINISH} / {FINISH}"
                evening.play(darts, day=day, format={"legs": 2}, **header)
                legs = (2, 1) if not winner else (0, 2)
                thrown = (6, 3) if not winner else (3, 6)
                self._note(day, two, winner, legs=legs, points=(101 * legs[0], 101 * legs[1]), darts=thrown)
            case "points":  # level is drawn
                one, other = (random.choice(("S1", "S2")) for _ in two)
                evening.play(
                    f"{one} {one} {one} / {other} {other} {other}",
                    day=day,
                    **header | {"game": "count_up", "options": {"rounds": 1}},
                )
                won = None if one == other else 0 if one > other else 1
                points = 3 * int(one[1]), 3 * int(other[1])
                legs = (int(won != 1), int(won != 0))
                self._note(day, two, won, "count_up (rounds 1)", legs=legs, points=points, darts=(3, 3))
            case "others":
                self._play_other(evening, day, [*two], header)

    def _play_other(self, evening: Evening, day: float, two: list[str], header: dict[str, Any]) -> None:  # Any: JSON
        """A match that is none between two people to its end."""
        match self.random.randrange(5):
            case 0:
                evening.play("T20", {"stop": True}, day=day, **header)
            case 1:
                evening.play("T20", day=day, **header)
            case 2:
                evening.play(FINISH, day=day, **header | {"players": [*two, "Zoë"], "teams": [[0, 2], [1]]})
            case 3:
                evening.play(f"MISS / {FINISH}", day=day, **header | {"players": [*two, "Zoë"]})
            case 4:
                evening.throw(self._count, 9, day=day, **header | {"bots": [None, 60]})

    def _spell(self, names: list[str]) -> tuple[str, str] | None:
        """Names of two people, sometimes spelled in another way; None where all of these are one."""
        one = names[0]
        other = next((name for name in names if self._people[name] != self._people[one]), None)
        if other is None:
            return None
        change = self.random.choice(self.spellings)
        return change(one), change(other)

    def _note(
        self,
        day: float,
        names: tuple[str, str],
        winner: int | None,
        variant: str = "101",
        *,
        legs: tuple[int, int] | None = None,
        points: tuple[int, int] | None = None,
        darts: tuple[int, int] = (3, 0),
    ) -> None:
        won = (int(winner != 1), int(winner != 0))
        legs = legs or won
        self.made.append(Made(day, names, winner, variant, legs, points or (101 * legs[0], 101 * legs[1]), darts))
