"""The contacts in the frames of a board that is being learned, while it may still be open how its frames look.

What the first press shows is a guess, and no guess is kept against the presses: a frame that contradicts it makes it
another form that reads all frames so far, or, when the frame comes again, one in which each frame is a contact of its
own. Each guess can be taken back because the frame of every contact is known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from protocol.learning.contacts import OPAQUE, FrameContacts
from protocol.learning.forms import FrameForms, guess_template
from protocol.learning.releases import Releases
from protocol.learning.survey import Answer, Contact
from protocol.profile import Profile

HELD_NS = 1_000_000_000
"""A frame that comes again within this time is an echo of the same press."""
_MOST_ODD = 16
_NOISE = 2
"""A frame that was heard during so many presses, and was none of them, is noise."""


class _Doubted(NamedTuple):
    """A frame that came when a press was asked for, and was taken for the release of the press before; when (ns)."""

    frame: bytes
    press: str
    time_ns: int


class FrameReader:
    """Reads frames. `base` is the profile of the board; where it says no frame, its frames are found out.

    `frame` is the template of the answers that are gone on from, `releases` what was noticed with them. Raises
    ValueError for a template that cannot be.
    """

    def __init__(self, base: Profile, frame: str | None = None, releases: Iterable[tuple[str, str]] = ()) -> None:
        self._open_base = self.base = base
        self.is_open = base.hits.frame is None
        self.releases = Releases(releases)
        self._forms = FrameForms(base)
        self.contacts: FrameContacts | None = None
        """What reads the frames; None until a press has shown how they look."""
        self._odd: dict[bytes, int] = {}
        """Frames that were no contact since the last answer, and when each came first."""
        self._noise: Counter[bytes] = Counter()
        self._doubted: _Doubted | None = None
        self._count = 0
        """How many answers there are."""
        self._pressed: set[str] = set()
        """The frames of their contacts."""
        frame = base.hits.frame or frame
        if frame is not None:
            self._set(frame, FrameContacts(replace(base, hits=replace(base.hits, frame=frame))))

    def check(self, answers: Iterable[Answer]) -> list[Answer]:
        """The answers of an earlier run, as they are read now. Raises ValueError for one that is no contact here."""
        checked = []
        for segment, contact in answers:
            read = None
            if contact is not None:
                read = None if self.contacts is None else self.contacts.read(self.contacts.frame(contact))
                if read is None or isinstance(read, str) is not isinstance(contact, str):
                    raise ValueError(f"{contact!r} for {segment} is no contact of this board")
            checked.append((segment, read))
        self._count = len(checked)
        if self.contacts is not None:
            self._pressed = {frame.decode("latin-1") for frame in self._list_frames(checked)}
        return checked

    @property
    def frame(self) -> str | None:
        """The template of the frames, as far as it is known."""
        return self.base.hits.frame

    @property
    def is_matrix(self) -> bool:
        """Whether a contact is a row and a column, as far as is known."""
        return self.contacts is None or self.contacts.is_matrix

    def read(self, frame: bytes, now_ns: int, answers: Sequence[Answer] | None) -> Contact | None:
        """The contact in this frame, None if it has none.

        `contacts` may have become others that read all `answers`; not so without them, within a press.
        """
        if self.contacts is None:
            return self._find_form(frame, now_ns)
        contact = self.contacts.read(frame)
        if not self.is_open or (contact is not None and self._noise[frame] < _NOISE):
            return contact
        if answers is not None and self.contacts.is_matrix and self._overturn(frame, now_ns, answers):
            return self.contacts.read(frame)
        return None

    def is_release(self, frame: bytes, pressed: Contact, now_ns: int, *, is_alone: bool) -> bool:
        """Whether this frame says that the contact pressed last is open again; `is_alone`: no press is asked for."""
        if self.contacts is None:
            return False
        press, said = (each.decode("latin-1") for each in (self.contacts.frame(pressed), frame))
        if press == said:
            self._doubted = None
            return False
        is_strange = self.contacts.read(frame) is None
        if self.contacts.is_matrix and not is_strange and not self.releases.is_known(press, said):
            return False
        if not self.releases.is_release(press, said, is_strange=is_strange, is_alone=is_alone):
            return False
        if is_alone or self.releases.is_believed(press, said):
            return True
        if self._doubted is None or self._doubted.frame != frame:
            self._doubted = _Doubted(frame, press, now_ns)
        elif now_ns - self._doubted.time_ns >= HELD_NS:
            self.refute_release()
            return False
        return True

    def drop_releases(self, answers: Sequence[Answer]) -> Sequence[Answer] | None:
        """The answers before the first that was the release of the press before; None if none was.

        What came after it may have been pressed for another segment than the one that it was taken for.
        """
        if self.contacts is None or not self.is_matrix:
            return None
        heard = [(at, segment, contact) for at, (segment, contact) in enumerate(answers) if contact is not None]
        frames = [(segment, self.contacts.frame(contact).decode("latin-1")) for _, segment, contact in heard]
        first = self.releases.find_first(frames)
        if first is None:
            return None
        kept = answers[: heard[first][0]]
        self._pressed = {frame.decode("latin-1") for frame in self._list_frames(kept)}
        self._count = len(kept)
        return kept

    @property
    def is_in_doubt(self) -> bool:
        """Whether a frame that was taken for a release may be the press that is asked for."""
        return self._doubted is not None

    def refute_release(self) -> Contact | None:
        """Takes the frame that is in doubt for a contact. Returns it, None if it cannot be read yet."""
        if self._doubted is None or self.contacts is None:
            return None
        frame, press, time_ns = self._doubted
        self._doubted = None
        self.releases.refute(press, frame.decode("latin-1"))
        self._odd.setdefault(frame, time_ns)
        return self.contacts.read(frame)

    def is_news(self, frame: bytes, now_ns: int) -> bool:
        """Whether this frame, which was no contact, is worth telling: it is no echo, and no noise that comes always."""
        return self._odd.get(frame, now_ns) == now_ns and self._noise[frame] < _NOISE

    def note_answer(self, answers: Sequence[Answer]) -> bool:
        """Notes that a press was answered, or taken back. Returns whether `contacts` has become others."""
        is_heard = bool(answers) and answers[-1][1] is not None
        if is_heard:
            self._noise.update(self._odd.keys())
        self._odd.clear()
        self._doubted = None
        is_back, self._count = len(answers) < self._count, len(answers)
        former = self._pressed
        if self.contacts is not None:
            self._pressed = {frame.decode("latin-1") for frame in self._list_frames(answers)}
        if is_back:
            self.releases.forget(former - self._pressed)
        elif is_heard:
            self.releases.note_press()
        if not self.is_open or self.contacts is None:
            return False
        frames = self._list_frames(answers)
        if not frames:
            self.base, self.contacts = self._open_base, None
            return True
        return self._change(self._forms.choose(frames, is_sure=True))

    def convert(self, contact: Contact, former: FrameContacts | None) -> Contact:
        """The contact that another form had read, as this one reads it."""
        if former is None or self.contacts is None:
            return contact
        return self.contacts.read(former.frame(contact)) or contact

    def note_gone(self) -> None:
        """Notes that the board was away: what it said before is not said again."""
        self._odd.clear()
        self._doubted = None

    def write_base(self, contacts: Sequence[Contact]) -> Profile:
        """The profile of the board, with what it is to ignore; these are all its contacts."""
        if self.contacts is None:
            return self.base
        frames = [self.contacts.frame(contact).decode("latin-1") for contact in contacts]
        ignored = [word for word in self.releases.list_frames(frames) if word not in self.base.ignore]
        return replace(self.base, ignore=[*self.base.ignore, *ignored]) if ignored else self.base

    def _find_form(self, frame: bytes, now_ns: int) -> Contact | None:
        """The contact in a frame of the first press. What is not plainly two numbers may be a greeting.

        So it has to come again; what comes between may be the release of the contact.
        """
        template = guess_template(frame)
        contacts = self._forms.find_contacts(template)
        if template == OPAQUE or contacts is None or contacts.read(frame) is None:
            if not self._is_repeated(frame, now_ns):
                return None
            template = self._forms.choose([frame], is_sure=True)
            heard = list(self._odd)
            later = heard[heard.index(frame) + 1 :]
            self.releases.expect(frame.decode("latin-1"), (other.decode("latin-1") for other in later))
            del self._odd[frame]
        contacts = self._forms.find_contacts(template)
        contact = None if contacts is None else contacts.read(frame)
        if contact is not None:
            self._change(template)
        return contact

    def _overturn(self, frame: bytes, now_ns: int, answers: Sequence[Answer]) -> bool:
        """Takes another form that reads this frame as well, if there is one or the frame has come again."""
        template = self._forms.choose([*self._list_frames(answers), frame], is_sure=True)
        if template == OPAQUE and (not self._is_repeated(frame, now_ns) or self._noise[frame] >= _NOISE):
            return False
        self._odd.pop(frame, None)
        return self._change(template)

    def _is_repeated(self, frame: bytes, now_ns: int) -> bool:
        """Whether this frame came before during this press, and this is no echo; notes it."""
        if len(self._odd) >= _MOST_ODD and frame not in self._odd:
            self._odd.clear()
        return now_ns - self._odd.setdefault(frame, now_ns) >= HELD_NS

    def _list_frames(self, answers: Sequence[Answer]) -> list[bytes]:
        assert self.contacts is not None
        return [self.contacts.frame(contact) for _, contact in answers if contact is not None]

    def _change(self, template: str) -> bool:
        contacts = self._forms.find_contacts(template)
        if template == self.base.hits.frame or contacts is None:
            return False
        self._set(template, contacts)
        return True

    def _set(self, template: str, contacts: FrameContacts) -> None:
        self.base = replace(self._open_base, hits=replace(self._open_base.hits, frame=template))
        self.contacts = contacts
