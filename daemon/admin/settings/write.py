"""Writing a change of the configuration file: first all that can take it back, then the file itself.

What is refused has changed nothing. Once the file is another one there is no way back, and what was kept stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from daemon import files
from daemon.admin.answers import Refused
from daemon.admin.settings.settings_history import Pending, SettingsHistory
from daemon.errors import UserError
from daemon.remedies import suggest_in_daemon
from protocol.sentence import Sentence, get_reason, say
from protocol.source import SourceError


class SettingsChanged(Exception):
    """The file is another one than that which was read."""


class SettingsHalfWritten(UserError):
    """The file was written in part only. What is kept of the change is needed: the next start completes it."""


@contextmanager
def explain_refusals() -> Iterator[None]:
    """Raises Refused for what the block raises where a change cannot be made; a SourceError stays as it is."""
    try:
        yield
    except SettingsChanged:
        said = say("settings.changed", "the file was changed meanwhile, and nothing was saved: look at it again")
        raise Refused("changed", said) from None
    except SourceError:
        raise
    except ValueError as error:
        raise Refused("invalid", get_reason(error)) from None


def write_change(
    history: SettingsHistory, state: Path, pending: Pending, secrets: Sequence[tuple[str, str]] = ()
) -> Pending:
    """Notes a change and makes it; returns it with what was kept. Each of the `secrets` has the path of its file.

    Raises SettingsChanged and UserError, and has changed nothing then, and SettingsHalfWritten.
    """
    file = Path(pending.file)
    try:
        with files.explain_errors(say_unwritten(state), suggest_in_daemon):
            for name, secret in secrets:
                files.replace_file(Path(name), f"{secret}\n".encode(), mode=0o600)
            if pending.before not in (None, pending.after) and not pending.used:
                pending = msgspec.structs.replace(pending, made=history.choose_name(pending.version))
            history.begin(pending)
            if pending.made and pending.before is not None:
                history.keep(pending.made, pending.before)
        with files.explain_errors(say_unwritten(file), suggest_in_daemon):
            try:
                write_text(file, pending.after, encode_text(pending.before))
            except files.FileChanged:
                raise SettingsChanged from None
            except files.HalfWritten as error:
                raise SettingsHalfWritten(_say_half_written(file, error)) from None
    except SettingsHalfWritten:
        raise
    except (UserError, SettingsChanged):
        with suppress(OSError):
            history.end(pending, is_applied=False)
            for name, _ in secrets:
                files.remove_file(Path(name))
        raise
    return pending


def write_text(file: Path, text: str | None, before: bytes | None) -> None:
    """Writes the file over what it was `before`; None stands for no file. Raises as files.replace_keeping_owner."""
    place = file.resolve()
    if text is not None:
        files.replace_keeping_owner(place, text.encode(), expected=before)
    elif (place.read_bytes() if place.exists() else None) != before:
        raise files.FileChanged
    else:
        files.remove_file(file)


def encode_text(text: str | None) -> bytes | None:
    """Returns the content of a file with this text; None: there is none."""
    return None if text is None else text.encode()


def say_unwritten(place: Path) -> Sentence:
    """Returns the sentence for a file, or a folder, that cannot be written."""
    return say("file.cannot_write", "cannot write {name}", name=str(place))


def _say_half_written(place: Path, error: OSError) -> Sentence:
    return say(
        "settings.half_written",
        "{name} was only partly written: {why}. Check the disk, and restart oche: it then completes the file",
        name=str(place),
        why=files.say_reason(error),
    )
