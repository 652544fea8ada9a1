"""Clips while the daemon runs: taken from a camera page for the match at a table, listed, read and deleted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from daemon import files
from daemon.admin import requests
from daemon.admin.answers import Answer, Json, Refused, Sound
from daemon.admin.clips.clip_files import Clip, keep_clip, list_clips, read_clip, remove_clip, remove_clips_of
from daemon.admin.players.book import PlayerBook
from daemon.admin.turn import finish_in_turn
from daemon.errors import UserError
from daemon.table.table import Table
from protocol.player_names import name_key
from protocol.sentence import Sentence, say

Announce = Callable[[str, str, object], None]
"""Sends an event of this name with this value to the displays of a table."""


def list_people(table: Table) -> list[str]:
    """Returns who plays the current match of this table: a camera sees no bot, nor the player whose darts it throws."""
    bots = table.match.header.bots or ()
    seated = enumerate(table.match.seating.players)
    return [name for seat, name in seated if seat >= len(bots) or bots[seat] is None]


class Clips:
    """Requests about clips. At most `most` are kept, 0: none. A new one is announced to the displays of its table."""

    def __init__(self, folder: Path, tables: Mapping[str, Table], most: int, announce: Announce) -> None:
        self._folder = folder
        self._book = PlayerBook(folder)
        self._tables = tables
        self._most = most
        self._announce = announce
        self._turn = asyncio.Lock()

    async def ask(self, request: requests.ClipRequest) -> Answer | Clip | Json | Sound:
        """Returns the answer. Raises Refused."""
        try:
            match request:
                case requests.AddClip():
                    return await self._add(request)
                case requests.ListClips(of):
                    found = await asyncio.to_thread(list_clips, self._folder)
                    clips = [each for each in found if of in ("", each.match)]
                    return {"v": 1, "most": self._most, "clips": clips}
                case requests.ReadClip(clip):
                    content = await asyncio.to_thread(read_clip, self._folder, clip)
                    if content is None:
                        raise Refused("unknown", "there is no such clip")
                    return Sound(clip, *content)
                case requests.RemoveClip(clip):
                    if not await asyncio.to_thread(remove_clip, self._folder, clip):
                        raise Refused("unknown", say("clips.none", "this clip is gone already"))
                    return Answer()
        except UserError as error:
            raise Refused("invalid", error.said) from None
        except OSError as error:
            why = files.say_reason(error)
            raise Refused("unavailable", say("clips.disk", "the clips cannot be reached: {why}", why=why)) from None

    async def _add(self, request: requests.AddClip) -> Clip:
        if not self._most:
            raise Refused(
                "unknown", say("clips.off", 'no clips are kept here: set "Clips kept" in the settings, under Page')
            )
        table = next((each for each in self._tables.values() if each.match_id == request.match), None)
        if table is None:
            raise Refused("unknown", _say_no_match())
        line = int(request.line) if request.line.isascii() and request.line.isdigit() and len(request.line) < 8 else 0
        if not 0 < line <= table.state().line:
            raise Refused("invalid", say("clips.no_line", "this match has no such line"))
        about, people = (request.match, line, request.moment), list_people(table)  # others may play once it is its turn
        clip = await finish_in_turn(
            self._turn, lambda: asyncio.to_thread(self._keep, table, about, people, request.content)
        )
        self._announce(table.name, "clip", clip)
        return clip

    def _keep(self, table: Table, about: tuple[str, int, str], people: list[str], content: bytes) -> Clip:
        match, _, _ = about
        self._refuse_unfilmed(match, people)
        clip = keep_clip(self._folder, about, content, self._most)
        self._refuse_unfilmed(match, people)  # one may have said no while it was written
        if people != list_people(table) and match == table.match_id:  # one was forgotten then
            remove_clip(self._folder, clip.clip)
            raise Refused("unknown", _say_no_match())
        return clip

    def _refuse_unfilmed(self, match: str, people: Iterable[str]) -> None:
        """Raises UserError if one of these is not to be filmed, and deletes all clips of their match.

        The page does that as soon as someone says no; `oche players merge` cannot.
        """
        unwilling = self._book.list_unfilmed()
        for name in people:
            if name_key(name) in unwilling:
                remove_clips_of(self._folder, {match})
                raise UserError(say("clips.said_no", "{name} is not to be filmed, so nothing is kept", name=name), 2)


def _say_no_match() -> Sentence:
    return say("clips.no_match", "this match is not being played")
