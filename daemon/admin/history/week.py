"""A week in short: an evening of seven days, of which only the best is told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime

from daemon.admin.history.evening import Evening, EveningRecord, RecordKind, tell_evening
from daemon.admin.history.played_matches import PlayedMatch
from daemon.admin.players.names import PlayerNames
from protocol.messages import Week, WeekBadge, WeekBest, WeekPlayer
from protocol.player_names import name_key

MOST_PLAYERS = MOST_BADGES = 6
"""With names of 40 letters the event has less than 4 kB."""


def sum_up_week(matches: Iterable[PlayedMatch], since: datetime, before: datetime, names: PlayerNames) -> Week:
    """Returns what happened in the finished matches that began between these moments."""
    found = list(matches)
    played = [
        match
        for match in found
        if match.is_over and match.problem is None and since <= datetime.fromisoformat(match.at) < before
    ]
    labels = Counter(match.label for match in played)
    story = tell_evening(found, since, before, names)
    wins = Counter(name for match in played for name in _list_winners(match))
    winner = max(story.players, key=lambda each: wins[name_key(each.name)], default=None)
    most_wins = wins[name_key(winner.name)] if winner else 0
    most_played = max(labels, key=lambda label: labels[label], default="")
    return Week(
        since=since.isoformat(timespec="seconds"),
        before=before.isoformat(timespec="seconds"),
        matches=labels.total(),
        darts=sum(each.darts for each in story.players),
        players=tuple(
            WeekPlayer(each.name, each.matches, each.won, each.label, each.figure, each.value and round(each.value, 2))
            for each in story.players[:MOST_PLAYERS]
        ),
        best_finish=_find_best(story, "finish"),
        best_leg=_find_best(story, "leg", most_played),
        most_wins=WeekBest(winner.name, most_wins) if winner and most_wins else None,
        badges=tuple(WeekBadge(each.badge, each.tier, each.player) for each in story.badges[:MOST_BADGES]),
    )


def _list_winners(match: PlayedMatch) -> list[str]:
    """Returns the keys of those who have won it against others: alone one wins every match."""
    if match.has_player_twice or not any(part.won is False for part in match.parts):
        return []
    return [name_key(part.player) for part in match.parts if part.won and not part.is_bot]


def _find_best(story: Evening, kind: RecordKind, label: str | None = None) -> WeekBest | None:
    """Returns the record of the week of this kind; with a `label`, that in this game where there is one."""
    of_week = [each for each in story.records if each.of_evening and each.kind == kind]
    best: EveningRecord | None = next((each for each in of_week if each.label == label), next(iter(of_week), None))
    return WeekBest(best.player, best.value, best.label) if best else None
