"""The pages as a site: every link leads somewhere, the search finds them, and nothing is loaded from elsewhere."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "dist" / "site"


@pytest.mark.long
def test_the_pages_become_a_site_and_the_same_one_each_time() -> None:
    sums = []
    for _ in range(2):
        subprocess.run(("make", "-s", "site"), cwd=ROOT, check=True)  # fails for a link that leads nowhere
        sums.append(hashlib.sha256((ROOT / "dist" / "oche-site.tar").read_bytes()).digest())
    assert sums[0] == sums[1]
    found = json.loads((SITE / "search" / "search_index.json").read_text(encoding="utf-8"))["docs"]
    assert {"docs/install.html", "docs/configuration.html"} <= {page["location"].partition("#")[0] for page in found}
    for page in SITE.rglob("*.html"):
        loaded = re.findall(
            r"<(?:script|img|link rel=\"stylesheet\")[^>]*(?:src|href)=\"?(https?:[^\s\">]+)", page.read_text("utf-8")
        )
        assert not loaded, page
