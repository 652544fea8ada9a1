"""Files that change places, all of them or none, whatever fails or is killed meanwhile: how a backup is put back.

A note on the disk says what goes where, and the end of its name how far it has come:

    drafts   the files that come are written beside their places, and nothing is changed yet
    aside    what is in those places is moved aside
    put      the files that come are moved into their places

Each step moves one file by renaming it, so that the disk itself says which of them are done. To take it back is the
same way in the other direction. From wherever it was left, it can be gone on with in both.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Literal, get_args

import msgspec
from msgspec import Struct

from daemon import files

_FOLDER = os.O_DIRECTORY | os.O_NOFOLLOW
Phase = Literal["drafts", "aside", "put"]
_Step = tuple[str, str]
"""Where a file is, and where it goes."""


class Move(Struct, frozen=True):
    """A place, and the names that what comes there has until then, and what is there afterwards; "": there is none."""

    place: str
    draft: str = ""
    aside: str = ""


class Plan(Struct, frozen=True):
    """What changes places in the folder of the `state` and beside the configuration."""

    state: str
    aside: str
    """The folder that what is in the state is moved to."""
    moves: tuple[Move, ...]
    folders: tuple[str, ...] = ()
    """Those that are made for the drafts, the outermost first."""


class Exchange:
    """The exchange that the note of this path is of. Its methods raise OSError, and can be called again then."""

    def __init__(self, note: Path) -> None:
        self._note = Path(os.path.realpath(note.parent), note.name)

    @property
    def phase(self) -> Phase | None:
        """How far it has come; None: it has not begun, or is over."""
        return next((phase for phase in get_args(Phase) if os.path.lexists(self._file(phase))), None)

    def read(self) -> Plan:
        """Returns what it is to do."""
        if (phase := self.phase) is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(self._note))
        try:
            return msgspec.json.decode(self._file(phase).read_bytes(), type=Plan)
        except msgspec.DecodeError as error:
            raise OSError(errno.EINVAL, f"{self._file(phase)} is damaged ({error})") from None

    def begin(self, plan: Plan) -> None:
        """Notes what it is to do; then the drafts are written."""
        with files.open_replacement(self._file("drafts")) as file:
            os.fchmod(file.fileno(), 0o644)  # root writes it, and the daemon reads it
            file.write(msgspec.json.encode(plan))

    def finish(self, others: Iterable[Move] = ()) -> None:
        """Moves all to their places. `others` came there since, and were moved away when it was taken back."""
        plan, phase = self.read(), self.phase
        _sync(self._note.parent)  # whoever wrote the note may have been stopped before this
        if phase == "drafts":
            phase = self._turn("drafts", "aside")
        if phase == "aside":
            files.make_folder(Path(plan.aside), mode=0o700)
            move((each.place, each.aside) for each in plan.moves if not _is_there(each.aside))
            self._turn("aside", "put")
        move((each.draft, each.place) for each in (*plan.moves, *others))

    def undo(self, others: Iterable[Move] = ()) -> None:
        """Moves back what was moved, and nothing else; the drafts stay. `others` have come to the places since."""
        if (phase := self.phase) in (None, "drafts"):
            return
        plan = self.read()
        _sync(self._note.parent)
        if phase == "put":
            move((each.place, each.draft) for each in (*others, *plan.moves) if not _is_there(each.draft))
            self._turn("put", "aside")
        move((each.aside, each.place) for each in plan.moves)
        _remove_folder(plan.aside)
        self._turn("aside", "drafts")

    def discard(self) -> None:
        """Takes it back, removes the drafts and the folders that were made for them, and forgets it."""
        if self.phase is None:
            return
        self.undo()
        plan = self.read()
        for each in plan.moves:
            if each.draft:
                Path(each.draft).unlink(missing_ok=True)
        for folder in reversed(plan.folders):
            _remove_folder(folder)
        self.forget()

    def forget(self) -> None:
        """Removes the note: it is over, and cannot be taken back any more."""
        with suppress(OSError):  # a note that was cut off while it was written
            self._note.with_name(f"{self._file('drafts').name}.new").unlink(missing_ok=True)
        if (phase := self.phase) is not None:
            self._file(phase).unlink()
            with suppress(OSError):  # it is gone for all who ask, and nothing would be done twice
                _sync(self._note.parent)

    def _file(self, phase: Phase) -> Path:
        return self._note.with_name(f"{self._note.name}-{phase}")

    def _turn(self, former: Phase, phase: Phase) -> Phase:
        """Notes how far it has come. The disk keeps that before a file is moved: raises OSError where it does not."""
        move([(str(self._file(former)), str(self._file(phase)))])
        return phase


def find_exchange(config: Path) -> Exchange:
    """The exchange of what is put back as this configuration.

    The note is beside it and not in the folder of the state: root obeys it, and nobody else can write there.
    """
    return Exchange(config.absolute().with_name(f"{config.name}.restore"))


def _is_there(name: str) -> bool:
    return os.path.lexists(name)


def move(steps: Iterable[_Step]) -> None:
    """Renames each file that is there and goes somewhere, and has the disk keep that. Raises OSError."""
    changed = set[Path]()
    for source, target in steps:
        if source and target and os.path.lexists(source):
            _rename(Path(source), Path(target))
        changed |= {Path(each).parent for each in (source, target) if each}
    for folder in sorted(changed):
        if folder.exists():
            _sync(folder)


def _rename(source: Path, target: Path) -> None:
    """Renames one file. Root does this, too, and must not follow the link of another user into either folder."""
    try:
        with (
            files.open_descriptor(source.parent, _FOLDER | os.O_PATH) as away,
            files.open_descriptor(target.parent, _FOLDER | os.O_PATH) as into,
        ):
            os.rename(source.name, target.name, src_dir_fd=away, dst_dir_fd=into)
    except OSError as error:
        error.filename, error.filename2 = str(source), None
        raise


def _sync(folder: Path) -> None:
    files.sync(folder, _FOLDER)


def _remove_folder(folder: str) -> None:
    """Removes a folder, unless there is something in it."""
    try:
        Path(folder).rmdir()
    except OSError as error:
        if error.errno not in (errno.ENOENT, errno.ENOTEMPTY):
            raise
