"""The moments of a match: what people automate on, each of a type of its own.

The visual editor of Home Assistant filters an event entity by type alone; what an event carries is out of its reach. So
this is the one table of which event makes which moment. Each event makes one at most.
"""

from __future__ import annotations

_VISITS = {
    "checkout": "a visit that finishes the score",
    "140_plus": "any other visit of 140 to 179 points",
    "ton": "any other visit of 100 to 139 points",
}
_DARTS = {"bullseye": "a dart in the bullseye"}
_AWARDS = {
    "180": "three triple twenties",
    "hat_trick": "three darts in the bull",
    "three_in_the_black": "three darts in the bullseye",
    "three_in_a_bed": "three darts in one triple; in Burma Road in one segment",
    "high_out": "a two-dart finish of 100 or more",
    "white_horse": "triples of three numbers, in Cricket",
    "five_mark": "five marks in one visit, in Cricket",
    "six_mark": "six marks in one visit",
    "seven_mark": "seven marks in one visit",
    "eight_mark": "eight marks in one visit",
    "nine_mark": "nine marks in one visit",
    "shanghai": "a single, a double and a triple of the number",
    "hole_in_one": "a hole in one, in Golf",
    "fifty": "the best possible visit, in Three Dice",
    "yatzy": "five of a kind, in Yatzy-Dart",
    "bonus": "the bonus of the upper half, in Yatzy-Dart",
    "personal_best": "the player’s best result so far, in a practice game",
}
"""Not `low_ton` and `high_ton`: the points of those visits are moments, as `ton` and `140_plus`."""
_FACTS = {
    "bust": "a visit that does not count",
    "halved": "a score is halved",
    "life_lost": "a side loses one life or more",
    "eliminated": "a side is out of the leg",
    "leg_won": "a leg is won, in a match of several legs",
    "set_won": "a set is won, in a match of several sets",
    "match_won": "the match is won",
}
MOMENTS = {
    **{name: ("visit", about) for name, about in _VISITS.items()},
    **{name: ("dart", about) for name, about in _DARTS.items()},
    **{name: ("award", about) for name, about in _AWARDS.items()},
    **{name: (name, about) for name, about in _FACTS.items()},
}
"""The type of event that each comes from, and what it is."""
TEMPLATE = f"""{{% set e = value_json %}}{{% set t = e.event_type %}}\
{{% if t == 'visit' %}}{{% set m = 'checkout' if e.checkout is defined else '140_plus' if 140 <= e.points < 180 \
else 'ton' if 100 <= e.points < 140 else '' %}}\
{{% elif t == 'dart' %}}{{% set m = 'bullseye' if e.segment == 'DB' else '' %}}\
{{% elif t == 'award' %}}{{% set m = e.award if e.award in {[*_AWARDS]} else '' %}}\
{{% else %}}{{% set m = t if t in {[*_FACTS]} else '' %}}{{% endif %}}\
{{{{ dict(e, event_type=m) | tojson if m else '' }}}}"""
"""Jinja: the event as a moment; nothing for one that makes none."""
