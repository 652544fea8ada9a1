"""The README tells people what they can plug in: a board that ships and is not in its table does not exist for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from protocol.codebook import shipped_names

README = Path(__file__).parent.parent / "README.md"


@pytest.mark.parametrize("name", shipped_names())
def test_every_shipped_board_is_in_the_table(name: str) -> None:
    table = [line for line in README.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    assert any(f"`{name}`" in line for line in table)
