"""The checks of boards with HTTP (`web:`), such as cameras: reachable, the right program, running, and its token.

A near board is asked with the GET of its profile's probe, which changes nothing there, also while a daemon uses it. A
board that is reached over the internet is not asked anything: the daemon says how that goes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from pathlib import Path

from daemon.admin.doctor.boards import TableBoard
from daemon.admin.doctor.checks import Check
from daemon.admin.doctor.service import Account, check_secret
from drivers.transport import LinkError
from drivers.web_peer import Deadlines, Peer
from drivers.web_request import request
from drivers.web_scan import Probed, probe_board
from protocol.profile import Web
from protocol.sentence import Sentence, get_reason, say

_DEADLINES = Deadlines(connect_s=2.5, answer_s=3.5)
"""Two answers fit into the time of a check."""


async def check_cameras(boards: Collection[TableBoard], account: Account | None) -> list[Check]:
    """Returns what is found of each of these boards, and of its token, which the account has to be able to read."""
    tokens = [check for board in boards for check in await asyncio.to_thread(_check_token, board, account)]
    return [*tokens, *await asyncio.gather(*map(_check_camera, boards))]


async def _check_camera(board: TableBoard) -> Check:
    web, at = board.profile.web, str(board.address)
    assert web is not None  # the configuration was checked
    try:
        peer = Peer(board.address, board.profile, _DEADLINES)
    except LinkError as error:
        return Check.from_sentence("camera", "problem", get_reason(error))
    if web.is_cloud:
        text = say(
            "doctor.cloud",
            "the board of table {name} works over its maker's servers: for it alone oche goes online, to {host}",
            name=board.table,
            host=peer.name,
        )
        return Check("camera", "ok", text)
    found = await _ask(peer, web)
    if isinstance(found, LinkError):
        return Check.from_sentence("camera", "problem", get_reason(found))
    if found is None:
        text = say("doctor.other_program", "what answers at {given} is not {kind}", given=at, kind=board.profile.id)
        remedy = say("doctor.find_camera", "correct the address or the profile: oche scan shows what is there")
        return Check("camera", "problem", text, remedy)
    what = _name(board, found)
    if found.state == "stopped":
        text = say("doctor.camera_stopped", "{what} does not see darts now", what=what)
        return Check("camera", "warning", text, say("doctor.start_camera", "start it there, or on the scoreboard"))
    if found.state == "running":
        return Check("camera", "ok", say("doctor.camera_runs", "{what} answers, and sees darts", what=what))
    return Check("camera", "ok", say("doctor.camera_answers", "{what} answers", what=what))


async def _ask(peer: Peer, web: Web) -> Probed | LinkError | None:
    """Returns what the board says of itself, or why there is no answer; None: it is another program."""
    if web.probe is None:  # it has no word for that: any answer will do
        answer = await request(peer, "GET", "/")
        return answer if isinstance(answer, LinkError) else Probed()
    passed = await probe_board(peer, [web.probe])
    if isinstance(passed, LinkError):
        return passed
    return passed[0][1] if passed else None


def _name(board: TableBoard, found: Probed) -> Sentence:
    kind = " ".join(filter(None, (board.profile.id, found.version)))
    given = {"given": str(board.address), "name": board.table, "kind": kind}
    return say("doctor.camera", "{given}, the board of table {name} ({kind}),", **given)


def _check_token(board: TableBoard, account: Account | None) -> list[Check]:
    """Whether the file of the board's token is there, has one, and is for the daemon alone."""
    if board.token_file is None:
        return []
    file = Path(board.token_file)
    if (check := check_secret("camera", file, say("secret.board", "the token of the board"), account)) is not None:
        return [check]
    text = say(
        "doctor.board_token", "the token of the board of table {name} is in {path}", name=board.table, path=str(file)
    )
    return [Check("camera", "ok", text)]
