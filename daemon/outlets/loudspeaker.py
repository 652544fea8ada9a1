"""The loudspeaker of this machine: calls what happens at one table, by a sound pack or the voice in the box.

It says what the voice of a page says, by the same rules. One recording plays at a time: a noise is heard while no call
waits, and ends when a call begins.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Coroutine, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple, TypeAlias

from daemon import files
from daemon.config import outlets
from daemon.errors import UserError
from daemon.outlets.backlog import Backlog
from daemon.outlets.call_keys import Recordings, Step, find_recordings
from daemon.outlets.calls import Call, Calls
from daemon.outlets.rules import Happening
from daemon.outlets.speech_queue import SpeechItem, SpeechQueue
from daemon.part import Part
from daemon.sound_packs import INSTALLED, Pack, find_packs, read_index, split_version
from daemon.table.effects import Update
from protocol.messages import State
from protocol.sentence import Sentence

log = logging.getLogger("oche.outlets")

SHARED = "shared"
"""A pack whose recordings take the place of those of any other."""
_MOST_NOISES = 5
_NAME = "loudspeaker"
"""What its trouble is called by."""

Play: TypeAlias = Callable[[Path], Coroutine[None, None, str | None]]
"""Plays a recording to its end; returns why it could not be heard. Stops when cancelled."""


class ReadPacks(NamedTuple):
    """The recordings of the packs that are played, and why others cannot be read, by their names."""

    packs: Sequence[Recordings]
    unreadable: Mapping[str, str | Sentence]


class _Recorded(SpeechItem, frozen=True):
    """A call, and the recordings that say it; its text is their names."""

    files: tuple[Path, ...] = ()


class Loudspeaker(Part):
    """Calls the table of this name. A Part, and an action of the outlets. `troubles` is as for web hooks.

    `state` is the folder with the packs, `language` that of the voice in the box. `play` plays a recording.
    """

    def __init__(
        self,
        config: outlets.Loudspeaker,
        table: str,
        state: Path,
        language: str,
        play: Play,
        troubles: dict[str, str],
        installed: Path = INSTALLED,
    ) -> None:
        self._config = config
        self._table = table
        self._folders = state, installed
        self._language = language
        self._play = play
        self._troubles = troubles
        self._waiting = Backlog[Update | str | None]("the loudspeaker")
        """News of the table; the key of a noise; None: what played has ended."""
        self._calls = Calls(darts=config.darts)
        self._queue = SpeechQueue[_Recorded]()
        self._noises = deque[tuple[Path, ...]](maxlen=_MOST_NOISES)
        self._packs: Sequence[Recordings] = ()
        self._state: State | None = None
        self._playing: asyncio.Task[None] | None = None
        self._is_call = False
        """Whether what plays is no noise."""
        self._silent = dict[Path, str]()
        """The recordings that could not be heard when they were last played, and why.

        Of several in a row the first: where the sound output is gone, that is all of them.
        """
        self._is_heard = True
        """Whether the latest recording could be heard."""

    def follow(self, update: Update) -> None:
        """Takes the news of a table."""
        if update.table == self._table and (update.state is not None or update.events):
            self._waiting.put(update)

    def take(self, rule: outlets.Rule, given: Happening) -> None:
        """Notes the sound that the rule names; `run` plays it."""
        if rule.then.sound is not None and given.table == self._table:
            self._waiting.put(rule.then.sound)

    async def run(self) -> None:
        """Plays what is due until cancelled."""
        clock = asyncio.get_running_loop().time
        try:
            await self._read_packs()
            while True:
                try:
                    async with asyncio.timeout_at(None if self._says else self._queue.deadline()):
                        news = await self._waiting.take()
                except TimeoutError:
                    pass
                else:
                    await self._take(news, clock())
                await self._begin_due(clock())
                await asyncio.sleep(0)  # a backlog must not hold up a dart
        finally:
            await self._stop()

    @property
    def _plays(self) -> bool:
        return self._playing is not None and not self._playing.done()

    @property
    def _says(self) -> bool:
        return self._plays and self._is_call

    async def _take(self, news: Update | str | None, now: float) -> None:
        if isinstance(news, str):
            self._put(Call("noise", [(Step((news.lower(),)),)]), now)
        elif news is not None:
            self._state = news.state or self._state
            await self._call(news, now)

    async def _call(self, update: Update, now: float) -> None:
        kinds = {event.event_type for event in update.events}
        if self._state is None or not kinds:
            return
        if kinds & {"undone", "corrected", "match_started"}:
            await self._take_back(self._state, now, is_corrected="corrected" in kinds)
        if "match_started" in kinds:
            self._silent.clear()  # they may have been replaced: the next one that plays ends the trouble
            await self._read_packs()
        if "dart" in kinds:  # what waits is late
            self._queue.clear()
            self._noises.clear()
        for call in self._calls.make(update.events, self._state):
            self._put(call, now)

    async def _take_back(self, state: State, now: float, *, is_corrected: bool) -> None:
        """What plays and waits has not been so; a visit that waits is called as it was corrected."""
        await self._stop()
        self._noises.clear()
        if not is_corrected:
            self._queue.clear()
            return
        for call in self._calls.correct(state):
            if self._queue.has(call.about):
                self._put(call, now)

    def _put(self, call: Call, now: float) -> None:
        found = find_recordings(call.ways, self._packs)
        if call.kind != "noise":
            text = " ".join(file.stem for file in found)
            self._queue.put(_Recorded(call.kind, text, call.about, files=found), now)
        elif found:
            self._noises.append(found)

    async def _begin_due(self, now: float) -> None:
        if self._says:
            return
        call = self._queue.take(now)
        if call is not None:
            await self._stop()  # a noise
            self._begin(call.files, is_call=True)
        elif self._noises and not self._queue and not self._plays:
            self._begin(self._noises.popleft(), is_call=False)

    def _begin(self, recordings: Sequence[Path], *, is_call: bool) -> None:
        if is_quiet(self._config.quiet_hours, datetime.now().astimezone().hour):
            recordings = ()
        self._is_call = is_call
        self._playing = asyncio.create_task(self._play_all(recordings))
        self._playing.add_done_callback(lambda _: self._waiting.put(None))

    async def _play_all(self, recordings: Sequence[Path]) -> None:
        for file in recordings:
            trouble = await self._play(file)
            if trouble is None:
                self._silent.pop(file, None)
            elif self._is_heard or file in self._silent:
                self._silent[file] = trouble  # one that is known keeps its place: two must not take turns in the log
            self._is_heard = trouble is None
            self._note(_NAME, next(reversed(self._silent.values()), None))

    async def _stop(self) -> None:
        """Stops what plays; returns when the sound output is free."""
        if self._playing is not None:
            self._playing.cancel()
            await asyncio.wait([self._playing])

    async def _read_packs(self) -> None:
        try:
            found = await asyncio.to_thread(read_packs, *self._folders, self._config.pack, self._language)
        except OSError as error:
            self._note("sound packs", f"the sounds cannot be read: {files.explain(error)}")
        except UserError as error:
            self._note("sound packs", str(error))
        else:
            self._packs = found.packs
            why = "; ".join(f"{name}: {reason}" for name, reason in sorted(found.unreadable.items()))
            self._note("sound packs", f"these sound packs cannot be read: {why}" if why else None)

    def _note(self, name: str, trouble: str | None) -> None:
        """Notes what is wrong, for the health report, and logs it where it is something else than before."""
        if trouble is None:
            if self._troubles.pop(name, None) is not None:
                log.info("%s: works again", name)
        elif self._troubles.get(name) != trouble:
            self._troubles[name] = trouble
            log.warning("%s: %s", name, trouble)


def read_packs(state: Path, installed: Path, wanted: str | None, language: str) -> ReadPacks:
    """Returns the recordings of the packs that are played, the first choice first.

    `wanted` is the name of a pack, or of its folder: of several versions the highest is played, whichever it names.
    Raises UserError where there are none, and OSError where the folder of the packs cannot be read.
    """
    found, unreadable = dict[str, tuple[Pack, Recordings]](), dict[str, str | Sentence]()
    for name, pack in find_packs(state, installed).items():
        try:
            found[name] = pack, _list_recordings(pack)
        except OSError as error:
            unreadable[name] = files.say_reason(error)
    shared = found[SHARED][1] if SHARED in found else {}
    chosen = None if wanted is None else split_version(wanted)[0]
    if chosen in unreadable:
        chosen = None
    if chosen is not None and chosen not in found:
        others = f", only {', '.join(sorted(found))}" if found else ""
        raise UserError(f"there is no sound pack {wanted!r}{others}: add it, or change outlets.loudspeaker.pack")
    own = [name for name, (pack, _) in sorted(found.items()) if not pack.is_installed and name != SHARED]
    box = [name for name, (pack, _) in sorted(found.items()) if pack.is_installed and name.endswith(f"-{language}")]
    names = dict.fromkeys([*([chosen] if chosen is not None else own[:1]), *box[:1]])
    packs: list[Recordings] = [{**found[name][1], **shared} for name in names]
    if not packs and not shared and not unreadable:
        raise UserError("there is no sound pack: add one in the settings, or install oche-voice")
    return ReadPacks(packs or [shared], unreadable)


def _list_recordings(pack: Pack) -> dict[str, tuple[Path, ...]]:
    return {key: tuple(pack.folder / name for name in names) for key, names in read_index(pack).keys.items()}


def is_quiet(hours: str | None, hour: int) -> bool:
    """Whether nothing sounds in this hour: between two hours, as in "22-7"."""
    if hours is None:
        return False
    first, end = map(int, hours.split("-"))
    return first <= hour < end if first < end else hour >= first or hour < end  # over midnight
