"""Full pubs in one daemon: no dart is lost, and the delays are told beside those of a single table.

`make load` plays for ten minutes at each; the same is part of `make long` for half a minute. Nothing here fails for
being slow.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.bench.report import table
from tests.bench.tables import NOTES, measure
from tests.load.pub import DARTS_A_SECOND, SELDOM


@pytest.mark.long
@pytest.mark.usefixtures("mosquitto_path")
def test_full_pubs(tmp_path: Path, load_s: float) -> None:
    rows = measure(tmp_path, ((32, DARTS_A_SECOND), (256, SELDOM)), load_s)
    sys.stdout.write(f"\nNo dart was lost in {load_s:.0f} seconds.\n\n{table(rows, *NOTES)}\n")
