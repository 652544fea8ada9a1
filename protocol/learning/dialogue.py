"""The dialogue of learning a board, without I/O: asks for presses, takes frames, tells one press from its echoes.

A finger bounces, stays on a contact that then repeats its line, or closes two at once. So an answer is taken after a
short wait: the same contact within it is the same press, another one means that the press is asked for again. The next
press is asked for after that wait, so that nothing which comes late counts for it. What cannot be an answer is ignored.

A person says when there is no contact. A program cannot, so some time without a contact counts as that.

The terminal and the page both run it: they pass on what comes, call `tick` at `deadline`, and show what is returned.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from protocol.codebook import Codebook, load
from protocol.learning.contacts import FrameContacts
from protocol.learning.finding import Finding, describe_bed, format_profile, make_profile
from protocol.learning.learner import Learner
from protocol.learning.reading import HELD_NS, FrameReader
from protocol.learning.survey import Answer, Contact
from protocol.profile import Profile
from protocol.sentence import Sentence, say
from protocol.source import Source, SourceError
from protocol.standard import merged

_SECOND_NS = 1_000_000_000
_BOUNCE_NS = 200_000_000
_HELD_NS = HELD_NS
"""A contact that repeats itself within this time is still closed."""
_PATIENCE_NS = 3 * _SECOND_NS
_MOST_DOUBLES = 2
"""How often a press that closes two contacts is asked for again; then the first contact counts."""
_NO_BED_S = 15
"""After this time without a contact a segment in doubt is taken for one that the board does not have."""
_DEAD_S = 60
"""After this time without a contact a program's press is taken for one of a dead segment."""
_NOTHING_HEARD = 3
"""So many dead segments before the first contact mean that nothing is heard at all."""
_MOST_STRANGE = 5
"""How many different frames that are no contact are reported to a program."""


class Ask(NamedTuple):
    """Asks for a press of this segment, the `number`th (from 1) of `about` so many; `is_again`: once more."""

    press: str
    number: int
    about: int
    is_again: bool

    @property
    def text(self) -> str:
        """The English sentence."""
        again = "once more " if self.is_again else ""
        return f"{self.number} of about {self.about}: press {again}{describe_bed(self.press)}"


class Note(NamedTuple):
    """Something to say; `is_trouble`: to programs, too."""

    said: Sentence
    is_trouble: bool = False


class NothingHeard(Exception):
    """No contact has come for several presses; none of them is kept. `said` is what to do."""

    said = (
        f"nothing came for {_NOTHING_HEARD} presses: check the cable, and what is set for a hit and for the end of a "
        "message"
    )

    def __init__(self) -> None:
        super().__init__(self.said)


class _Settling(NamedTuple):
    """A contact that came, when (ns), and until when others are waited for."""

    contact: Contact
    time_ns: int
    until_ns: int
    others: tuple[Contact, ...] = ()


class Dialogue:
    """One run: `connect` when the board is there, `hear` each frame, `undo`, `skip` and `tick` as they come.

    `base` is the profile without a mat; a frame that it leaves open is read off the presses. `answers` goes on from an
    earlier run, in which `frame` and `releases` were found. `by_name`: a program presses. All times are monotonic, in
    nanoseconds. When nothing more is asked for, `is_done`; what is pressed from then on is `tried`, with the profile
    that was found. Raises ValueError for answers that cannot be gone on from.
    """

    def __init__(
        self,
        base: Profile,
        answers: Iterable[Answer] = (),
        *,
        frame: str | None = None,
        releases: Iterable[tuple[str, str]] = (),
        by_name: bool = False,
    ) -> None:
        self.reader = FrameReader(base, frame, releases)
        """How the frames look, as far as the presses tell."""
        self._by_name = by_name
        self._learner = Learner(self.reader.check(answers), is_matrix=self.reader.is_matrix, by_name=by_name)
        self._settling: _Settling | None = None
        self._last_contact: tuple[Contact, int] | None = None
        """The contact of the last press, and when it was last heard."""
        self._doubles = 0
        self._since_ns: int | None = None
        """When the press was asked for; None while there is no board."""
        self._again_ns: int | None = None
        """When the press is asked for again."""
        self._dead = 0
        """Presses without a contact; counted until the first contact comes."""
        self._has_heard = False
        self._strange: set[bytes] = set()
        self._book: Codebook | None = None
        self.tried: tuple[str, ...] = ()
        """The segments that were pressed since all is known, as the profile reads them; "": none it knows."""

    @property
    def answers(self) -> Sequence[Answer]:
        """All that was heard, in order."""
        return self._learner.answers

    @property
    def press(self) -> Ask | None:
        """The press that is asked for; None when all is known."""
        if self._learner.press is None:
            return None
        number = len(self.answers) + 1
        return Ask(self._learner.press, number, max(self._learner.about, number), self._learner.reason == "again")

    @property
    def is_done(self) -> bool:
        """Whether all is known."""
        return self._learner.press is None

    @property
    def finding(self) -> Finding:
        """What was found, once it `is_done`."""
        assert self._learner.finding is not None
        return self._learner.finding

    def write_profile(self) -> str:
        """Returns the profile as TOML, once it `is_done`. Raises SourceError when what was pressed makes none."""
        base = self.reader.write_base(list(self.finding.contacts.values()))
        text = format_profile(make_profile(base, self.finding, len(self.answers)))
        self._book = load(Source(text, base.id))
        return text

    def deadline(self) -> int | None:
        """When to call `tick` next; None: not before something else comes."""
        if self._settling is not None:
            return self._settling.until_ns
        times = [time for time in (self._again_ns, self._find_end()) if time is not None and not self.is_done]
        return min(times, default=None)

    def tick(self, now_ns: int) -> list[Ask | Note]:
        """Does what is due. Raises NothingHeard."""
        if self._settling is not None:
            return self._settle(now_ns) if now_ns >= self._settling.until_ns else []
        end, again = self._find_end(), self._again_ns
        if end is not None and now_ns >= end and (again is None or end <= again):
            return self._end_wait(now_ns)
        if again is not None and now_ns >= again:
            self._again_ns = None
            return self._repeat()
        return []

    def connect(self, now_ns: int) -> list[Ask | Note]:
        """The board is there."""
        self.reader.note_gone()
        return self._ask(now_ns)

    def disconnect(self, reason: str | Sentence) -> list[Ask | Note]:
        """The board is away, for this `reason`."""
        self._since_ns = self._again_ns = None
        return [Note(say("learn.no_board", "No board: {given}.", given=reason), is_trouble=True)]

    def hear(self, frame: bytes, now_ns: int) -> list[Ask | Note]:
        """Takes a frame. Raises NothingHeard."""
        said = self.tick(now_ns) if self._settling is not None else []
        if self.is_done:
            self._try(frame, now_ns)
            return said
        pressed = self._settling.contact if self._settling is not None else self._find_last_contact()
        is_settling = self._settling is not None
        if pressed is not None and self.reader.is_release(frame, pressed, now_ns, is_alone=is_settling):
            if self.reader.is_in_doubt and not is_settling:
                self._again_ns = now_ns + _PATIENCE_NS
            return said
        former = self.reader.contacts
        contact = self.reader.read(frame, now_ns, None if is_settling else self.answers)
        if former is not None and self.reader.contacts is not former:
            said += self._read_again(former)
        if self._settling is not None and contact is not None:
            same = contact == self._settling.contact
            time_ns = now_ns if same else self._settling.time_ns
            others = self._settling.others if same else (*self._settling.others, contact)
            self._settling = self._settling._replace(time_ns=time_ns, others=others)
        elif contact is not None and not self._is_held(contact, now_ns):
            self._again_ns = None
            self._settling = _Settling(contact, now_ns, now_ns + _BOUNCE_NS)
        else:
            if contact is None and (not self.reader.is_open or self.reader.is_news(frame, now_ns)):
                said.append(self._report_unknown(frame))
            self._again_ns = now_ns + _PATIENCE_NS
        return said

    def undo(self, now_ns: int) -> list[Ask | Note]:
        """Takes the last press back."""
        said = self._settle(now_ns) if self._settling is not None else []
        self.tried, self._book, self._last_contact = (), None, None
        if not self._learner.undo():
            said.append(Note(say("learn.no_press", "There is no press to take back.")))
        else:
            said += self._note_answer()
        return [*said, *self._ask(now_ns)]

    def skip(self, now_ns: int) -> list[Ask | Note]:
        """Notes that the press has no contact: a person reported it, or a program's time ended. Raises NothingHeard."""
        said = self._settle(now_ns) if self._settling is not None else []
        if self.is_done:
            return said
        if self._by_name:
            self._dead += 1
            if self._dead == _NOTHING_HEARD and not self._has_heard:
                while self._dead > 1 and self._learner.undo():
                    self._dead -= 1
                raise NothingHeard
            said.append(Note(self._explain_silence(), is_trouble=True))
        return [*said, *self._answer(None, now_ns)]

    def _end_wait(self, now_ns: int) -> list[Ask | Note]:
        """A program's time is over. If all that came was like a release of the press before, that is the answer."""
        if not self.reader.is_in_doubt:
            return self.skip(now_ns)
        contact = self.reader.refute_release()
        if contact is None:
            return self._ask(now_ns)
        self._has_heard = True
        return self._answer(contact, now_ns)

    def _explain_silence(self) -> Sentence:
        name, count = self._learner.press or "", self._find_limit_s()
        if self._learner.is_in_doubt:
            return say(
                "learn.no_bed",
                "No contact came for {name} in {count} seconds, so this board has no such bed.",
                name=name,
                count=count,
            )
        return say(
            "learn.dead",
            "No contact came for {name} in {count} seconds: oche takes this bed for broken.",
            name=name,
            count=count,
        )

    def _repeat(self) -> list[Ask | Note]:
        return [self.press] if self.press is not None and self._since_ns is not None else []

    def _ask(self, now_ns: int) -> list[Ask | Note]:
        self._since_ns, self._again_ns = now_ns, None
        return self._repeat()

    def _find_last_contact(self) -> Contact | None:
        return next((contact for _, contact in reversed(self.answers) if contact is not None), None)

    def _note_answer(self) -> list[Ask | Note]:
        former = self.reader.contacts
        return self._read_again(former) if self.reader.note_answer(self.answers) else []

    def _read_again(self, former: FrameContacts | None) -> list[Ask | Note]:
        """Reads all answers again, because their frames do not look as assumed."""
        was_unknown, convert = self._learner.is_unknown, self.reader.convert
        answers = [(segment, contact and convert(contact, former)) for segment, contact in self.answers]
        self._learner = Learner(answers, is_matrix=self.reader.is_matrix, by_name=self._by_name)
        if self._last_contact is not None:
            self._last_contact = (convert(self._last_contact[0], former), self._last_contact[1])
        if self._settling is not None:
            others = tuple(convert(other, former) for other in self._settling.others)
            self._settling = self._settling._replace(contact=convert(self._settling.contact, former), others=others)
        return [Note(_UNKNOWN_MAT)] if self._learner.is_unknown and not was_unknown and answers else []

    def _report_unknown(self, frame: bytes) -> Note:
        given = repr(frame.decode("latin-1"))
        is_news = frame not in self._strange and len(self._strange) < _MOST_STRANGE
        if is_news:
            self._strange.add(frame)
        if self.reader.is_open:
            said = say(
                "learn.odd",
                "Received {given}, which does not look like row and column: if you just pressed, press again.",
                given=given,
            )
            return Note(said, is_trouble=is_news or self.reader.contacts is None)
        said = say(
            "learn.unknown",
            "Received {given}, which is not a hit: check what is set for a hit and for the end of a message.",
            given=given,
        )
        return Note(said, is_trouble=is_news)

    def _settle(self, now_ns: int) -> list[Ask | Note]:
        """Takes the answer if the press has closed one contact, or too often several."""
        assert self._settling is not None
        contact, time_ns, _, others = self._settling
        self._settling = None
        if others and self._doubles < _MOST_DOUBLES:
            self._doubles += 1
            self._last_contact = None
            given = " + ".join(map(format_contact, dict.fromkeys((contact, *others))))
            said = say("learn.double", "That closed {given} at once: press the middle of the bed.", given=given)
            return [Note(said), *self._ask(now_ns)]
        self._last_contact = (contact, time_ns)
        self._has_heard = True
        return self._answer(contact, now_ns)

    def _answer(self, contact: Contact | None, now_ns: int) -> list[Ask | Note]:
        self._doubles = 0
        learner, press, said = self._learner, self._learner.press or "", list[Ask | Note]()
        was_unknown, guessed = learner.is_unknown, learner.guess
        other = self._find_twin(press, contact)
        learner.hear(contact)
        if not was_unknown and (kept := self.reader.drop_releases(self.answers)) is not None:
            self._learner = Learner(kept, is_matrix=self.reader.is_matrix, by_name=self._by_name)
        said += self._note_answer()
        if not self.reader.is_matrix and not self._learner.is_unknown:
            self._learner = Learner(self.answers, is_matrix=False, by_name=self._by_name)
        learner = self._learner
        if other is not None:
            twice = say(
                "learn.twice",
                "{name} sends the same as {given}: you pressed a wrong bed, or the board cannot tell the two apart.",
                name=press,
                given=other,
            )
            said.append(Note(twice))
        if learner.is_unknown and not was_unknown and Note(_UNKNOWN_MAT) not in said:
            said.append(Note(_UNKNOWN_MAT))
        if learner.guess is not None and learner.guess != guessed:
            guess = say(
                "learn.guess",
                "This looks like the mat {name}; the remaining presses confirm it and find the bulls.",
                name=learner.guess,
            )
            said.append(Note(guess))
        if learner.press is None:
            said += self._conclude()
        return [*said, *self._ask(now_ns)] if self._since_ns is not None else said

    def _conclude(self) -> list[Ask | Note]:
        """Makes the profile; where the presses make none, the last of them is taken back."""
        try:
            self.write_profile()
        except SourceError as error:
            if self._by_name:
                return []  # write_profile raises it to the program
            self._learner.undo()
            said = say(
                "learn.no_profile",
                "These presses do not make a profile ({given}). The last press was taken back.",
                given=str(error.reason),
            )
            return [Note(said)]
        return []

    def _find_twin(self, press: str, contact: Contact | None) -> str | None:
        """Another segment that gave this contact, but for the halves of one single."""
        if contact is None:
            return None
        found = (segment for segment, heard in reversed(self.answers) if heard == contact)
        return next((segment for segment in found if merged(segment) != merged(press)), None)

    def _try(self, frame: bytes, now_ns: int) -> None:
        assert self._book is not None
        meaning = self._book.meaning(frame)
        segment = meaning.segment.id if meaning is not None and meaning.segment is not None else ""
        last, self._last_contact = self._last_contact, (frame.decode("latin-1"), now_ns)
        contact = None if self.reader.contacts is None else self.reader.contacts.read(frame)
        if last is not None and last[0] in (frame.decode("latin-1"), contact) and now_ns - last[1] < _HELD_NS:
            return
        self.tried = (*self.tried, segment)

    def _is_held(self, contact: Contact, now_ns: int) -> bool:
        """Whether this is the contact of the last press, which is still closed. A program lets go at once."""
        last_contact = self._last_contact
        if last_contact is None or contact != last_contact[0] or now_ns - last_contact[1] >= _HELD_NS:
            return False
        last, press = self.answers[-1][0], self._learner.press or ""
        if self._by_name and merged(last) == merged(press):
            return False
        self._last_contact = (contact, now_ns)
        return True

    def _find_end(self) -> int | None:
        """When a press without a contact counts as one of a segment that has none: to a program."""
        if self._since_ns is None or not self._by_name or self.is_done:
            return None
        return self._since_ns + self._find_limit_s() * _SECOND_NS

    def _find_limit_s(self) -> int:
        return _NO_BED_S if self._learner.is_in_doubt else _DEAD_S


_UNKNOWN_MAT = say("learn.unknown_mat", "No known mat fits, so every segment has to be pressed, number by number.")


def format_contact(contact: Contact) -> str:
    """A contact as people read it: row and column, or the frame."""
    return contact if isinstance(contact, str) else f"{contact[0]},{contact[1]}"
