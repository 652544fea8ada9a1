"""Requests about tournaments.

Who organises has the right of the setup, or the link of the tournament; who signs up has its code. Both are judged by
daemon/admin/faces/tournament.py. What comes as JSON of its own is `content`.
"""

from __future__ import annotations

from collections.abc import Mapping

from daemon.admin.answers import Answer, File
from daemon.admin.requests.asked import Asked, Request

MOST_SPEC_BYTES = 32_000
MOST_FILE_BYTES = 4_000_000
"""Of a tournament in a file: 256 entrants of which each match was played in any format are half a megabyte."""
MOST_PHOTO_BYTES = 4_200_000
"""Of a photograph: four million points of one byte each."""


class ListTournaments(Request, frozen=True):
    """The tournaments of this daemon, the latest first."""


class MakeTournament(Request, frozen=True):
    """Makes a tournament; `content` is its spec."""

    content: bytes


class RestoreTournament(Request, frozen=True):
    """Stores a tournament from its file. One that is here already gets the lines that it lacks."""

    content: bytes


class _OneTournament(Request, frozen=True):
    id: str


class ReadTournament(_OneTournament, frozen=True):
    """All of a tournament. Where `since` is its latest version the answer waits for a change, ten seconds at most."""

    since: str = ""


class DoInTournament(_OneTournament, frozen=True):
    """Adds a line to a tournament; `content` is the input, with an Expectation if it has one."""

    content: bytes


class ProposeDraw(_OneTournament, frozen=True):
    """The draw that comes next, as an input that is not done yet."""


class FindTables(_OneTournament, frozen=True):
    """The tables that a tournament can still be given. Those of others are looked for from the first time on."""


class ReadTournamentFile(_OneTournament, frozen=True):
    """A tournament as a file that replays."""


class ReadResults(_OneTournament, frozen=True):
    """The matches of a tournament, as CSV."""


class ReadPlaces(_OneTournament, frozen=True):
    """The places of a tournament, as CSV."""


class ReadSignUp(_OneTournament, frozen=True):
    """The name of a tournament, who has entered, and whether others still can."""


class SignUp(_OneTournament, frozen=True):
    """Enters people into a tournament, as one side; `name` is that of their team."""

    people: tuple[str, ...]
    name: str = ""


class WriteNewTon(_OneTournament, frozen=True):
    """A match as NewTon's QR code has it, for a tablet."""

    match: str


class ReadNewTon(_OneTournament, frozen=True):
    """The result in the text or the photograph of NewTon's QR code, to be looked at: nothing is entered yet."""

    match: str
    content: bytes


class PlanNewTon(Request, frozen=True):
    """Plans a match that NewTon hands over, by the text or the photograph of its QR code, at a table."""

    table: str
    content: bytes


TournamentRequest = (
    ListTournaments
    | MakeTournament
    | RestoreTournament
    | ReadTournament
    | DoInTournament
    | ProposeDraw
    | FindTables
    | ReadTournamentFile
    | ReadResults
    | ReadPlaces
    | ReadSignUp
    | SignUp
    | WriteNewTon
    | ReadNewTon
    | PlanNewTon
)
_AT = "/api/tournament/{id}"
TOURNAMENT: Mapping[type[Request], Asked] = {
    ListTournaments: Asked("look", "GET /api/tournaments", answer=Answer),
    MakeTournament: Asked(
        "setup",
        "POST /api/tournament",
        changes=True,
        body="content",
        most_bytes=MOST_SPEC_BYTES,
        answer=Answer,
    ),
    RestoreTournament: Asked(
        "setup",
        "POST /api/tournament/restore",
        changes=True,
        body="content",
        most_bytes=MOST_FILE_BYTES,
        answer=Answer,
    ),
    ReadTournament: Asked("code", f"GET {_AT}"),
    DoInTournament: Asked("organise", f"POST {_AT}/do", changes=True, body="content", answer=Answer),
    ProposeDraw: Asked("organise", f"POST {_AT}/propose"),
    FindTables: Asked("organise", f"GET {_AT}/tables", answer=Answer),
    ReadTournamentFile: Asked("organise", f"GET {_AT}/file", answer=File),
    ReadResults: Asked("code", f"GET {_AT}/results.csv", answer=File),
    ReadPlaces: Asked("code", f"GET {_AT}/places.csv", answer=File),
    ReadSignUp: Asked("code", f"GET {_AT}/sign_up"),
    SignUp: Asked("code", f"POST {_AT}/sign_up", changes=True, answer=Answer),
    WriteNewTon: Asked("organise", f"GET {_AT}/newton/{{match}}", answer=Answer),
    ReadNewTon: Asked(
        "organise", f"POST {_AT}/newton/{{match}}", body="content", most_bytes=MOST_PHOTO_BYTES, answer=Answer
    ),
    # Who plays at a table plans its matches: a tablet of NewTon asks for no more either.
    PlanNewTon: Asked(
        "play", "POST /api/newton", changes=True, body="content", most_bytes=MOST_PHOTO_BYTES, answer=Answer
    ),
}
