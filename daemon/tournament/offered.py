"""What another daemon offers as a finished match: unpacked, checked, and played again to find how it ended.

Whoever may publish there can offer anything, so nothing of it is believed but the record, which is played by our rules.
"""

from __future__ import annotations

from daemon.journal.lines import Line, StoredMatch
from daemon.rules import Guard
from daemon.table.matches import Unplayable, resume
from daemon.tournament.tables import TableMatch, read_match
from protocol.layouts import find_layout
from protocol.league_messages import LeagueOffer
from protocol.league_parts import unpack_record
from protocol.match_spec import Unreadable, read_json
from protocol.sentence import Refusal


def read_offer(offer: LeagueOffer, guard: Guard) -> TableMatch:
    """Returns the match of an offer as it ended. Plays it again: to be called in a thread.

    Raises Unreadable with what is wrong, and Unplayable where our rules do not know it or do not find its end.
    """
    lines = [read_json(line) for line in unpack_record(offer).splitlines()]
    if len(lines) != offer.lines or not lines or lines[0].get("ref") != offer.ref:
        raise Unreadable("it is the record of another match")
    header, *inputs = lines
    try:
        layout = find_layout(offer.layout)
    except Refusal as error:
        raise Unreadable(error.said) from None
    stored = StoredMatch(
        offer.match, header, [Line(offer.match, number, each, "") for number, each in enumerate(inputs, 2)]
    )
    found = read_match(offer.match, resume(stored, layout, guard).match)
    if found.end is None:
        raise Unplayable("by the rules of this oche it is not over")
    return found
