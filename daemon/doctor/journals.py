"""`oche doctor` on the journals: is each whole and ours, and was one set aside?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from daemon.doctor.checks import Check
from daemon.errors import UserError
from daemon.stats.journals import journals
from daemon.store import StoreError

_PATIENCE_S = 4.0
"""For all of them; what takes longer is not waited for."""


def check_journals(folder: Path) -> Iterator[Check]:
    """Reads them as the statistics do, beside a daemon that may be writing."""
    try:
        found = journals(folder)
        aside = sorted(
            file.name for file in folder.glob("*.sqlite3.damaged-*") if not file.name.endswith(("-wal", "-shm"))
        )
    except (UserError, OSError) as error:
        yield Check("journal", "warning", str(error).partition("; ")[0], "run oche doctor as root (sudo)")
        return
    good = slow = 0
    for journal in found:
        try:
            is_whole = journal.check(_PATIENCE_S / len(found))
        except StoreError as error:
            what, _, remedy = str(error).partition("; ")
            back = (
                f"stop oche, sudo mv {journal.path} {journal.path}.damaged; a backup comes back with oche restore FILE"
            )
            yield Check("journal", "problem", what, remedy if "newer" in what else back)
        else:
            good += is_whole
            slow += not is_whole
    for name in aside:
        text = f"a damaged journal was set aside as {name}; its table has begun a new one"
        remedy = f"a backup comes back with oche restore FILE; when it is of no more use: sudo rm {folder / name}*"
        yield Check("journal", "warning", text, remedy)
    if slow:
        yield Check(
            "journal", "ok", f"{slow} could not be read through in {_PATIENCE_S:.0f} seconds; so far they are whole"
        )
    if good:
        yield Check("journal", "ok", f"{good} {'is' if good == 1 else 'are'} whole")
