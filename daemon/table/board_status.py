"""The status of a table's board: whether it is connected, what it has told of itself, and counts of what it sent."""

from __future__ import annotations

from msgspec import UNSET, Struct, field
from msgspec.structs import replace

from daemon.table.effects import BoardNews, Effects
from protocol.commands import CommandError
from protocol.debounce import UNNAMED
from protocol.events import Battery, BoardEvent, Complaint, Correct, Garbage, Mend, Readiness, Remedy, Status
from protocol.facts import BoardOffline, BoardOnline, BoardProblem, make_event
from protocol.messages import BoardInfo
from protocol.sentence import Sentence, say


class Counts(Struct):
    """Counts of what a board has sent since the daemon started; `drops` by the reason of protocol.debounce."""

    hits: int = 0
    drops: dict[str, int] = field(default_factory=dict)
    stray: int = 0
    garbage: int = 0

    @property
    def dropped(self) -> int:
        """How many events were dropped, for all reasons."""
        return sum(self.drops.values())

    def drop(self, reason: str) -> None:
        """Counts one dropped event."""
        self.drops[reason] = self.drops.get(reason, 0) + 1


class BoardStatus:
    """The status of one board. Times are nanoseconds of the monotonic clock."""

    def __init__(self, profile: str, address: str) -> None:
        self.online = False
        self.counts = Counts()
        self.said: str | Sentence = say("link.not_found", "the board has not been found yet")
        self._info = BoardInfo(profile, address, str(self.said))
        self._hit_ns: int | None = None
        self._link: str | Sentence = self.said
        self._unready: Sentence | None = None
        self._is_away = False

    @property
    def sees_darts(self) -> bool:
        """Whether it sees darts, as far as is known: False once it is away, or has said that it sees none."""
        return not self._is_away and self._unready is None

    @property
    def stuck(self) -> tuple[str, ...]:
        """The ids of the segments that do not open."""
        return self._info.stuck

    def at(self, now: int) -> BoardNews:
        """The status at this time."""
        if self._hit_ns is None:
            return BoardNews(self.online, self._info, self.said, is_ready=self._unready is None)
        age_s = max(0, round((now - self._hit_ns) / 1e9))
        info = replace(self._info, last_hit_s=age_s)
        return BoardNews(self.online, info, self.said, is_ready=self._unready is None)

    def learn(self, **known: object) -> Effects:
        """Notes new values of fields of BoardInfo."""
        self._info = replace(self._info, **known)
        return Effects(is_board_changed=True)

    def set_link(self, online: bool, said: str | Sentence, signal_dbm: int | None = None) -> Effects:
        """Notes whether it is connected, with the sentence about it."""
        is_news = online != self.online
        events = (make_event(BoardOnline() if online else BoardOffline()),) if is_news else ()
        self.online, self._link, self._is_away = online, said, not online
        if is_news or not online:
            self._unready = None
            self._info = replace(self._info, remedy=None)
        self.said = self._unready or said
        return replace(self.learn(text=str(self.said), signal_dbm=signal_dbm), events=events)

    def _set_readiness(self, readiness: Readiness) -> Effects:
        """Notes whether the board sees darts; people are told once why it does not."""
        is_news = readiness.said is not None and readiness.said != self._unready
        self._unready = readiness.said
        self.said = readiness.said or self._link
        return replace(
            self.learn(text=str(self.said), remedy=readiness.remedy), notice=readiness.said if is_news else None
        )

    def hear(self, event: BoardEvent) -> Effects:
        """Notes what the board tells of itself, or counts what means nothing."""
        match event:
            case Garbage():
                self.counts.garbage += 1
            case Battery(percent=percent):
                return self.learn(battery=percent)
            case Status(text=text):
                return self.learn(firmware=text)
            case Readiness():
                return self._set_readiness(event)
            case Complaint(said=said):
                return Effects(notice=said)
        return Effects()

    def mend(self, remedy: Remedy) -> Effects:
        """Has the board do what it needs. Raises CommandError where that is something else, or nothing."""
        if self._info.remedy != remedy:
            said = say("refused.no_remedy", "the board does not need this now: see what it says of itself")
            raise CommandError(said, "unavailable")
        return Effects(to_board=(Mend(remedy),))

    def correct(self, corrections: tuple[Correct, ...]) -> Effects:
        """Has the board told what a player has corrected; says so where it is not there to hear it."""
        if corrections and not self.online:
            return Effects(notice=say("link.untold", "the board was not told of this: it is not connected"))
        return Effects(to_board=corrections)

    def note_stuck(self, now: tuple[str, ...]) -> Effects:
        """Notes the segments that are stuck now, and says each once; they stand on the board until they open."""
        before = self.stuck
        if now == before:
            return Effects()
        events = tuple(
            make_event(BoardProblem(problem="stuck", segment=UNSET if segment_id == UNNAMED else segment_id))
            for segment_id in now
            if segment_id not in before
        )
        return replace(self.learn(stuck=now), events=events)

    def hit(self, time_ns: int) -> None:
        """Counts a hit at this time."""
        self.counts.hits += 1
        self._hit_ns = time_ns
