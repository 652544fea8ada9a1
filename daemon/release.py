"""The version of this installation and the addresses of the project, from its metadata, and its changelog."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def read_version() -> str:
    """Returns the version that is installed."""
    from importlib import metadata  # noqa: PLC0415  its import takes as long as a whole command

    try:
        return metadata.version("oche")
    except metadata.PackageNotFoundError:
        return "0 (not installed)"


def read_changelog() -> str:
    """Returns the text of CHANGELOG.md: of the package (see setup.py), or of the checkout; "" where there is none."""
    here = Path(__file__).parent
    for file in (here / "CHANGELOG.md", here.parent / "CHANGELOG.md"):
        if file.is_file():
            return file.read_text("utf-8")
    return ""


def find_project_url(label: str) -> str | None:
    """Returns the address of this label (`Homepage`, `Issues`) in pyproject.toml; None while the project has none."""
    from importlib import metadata  # noqa: PLC0415  as above

    try:
        listed = metadata.metadata("oche").get_all("Project-URL") or []
    except metadata.PackageNotFoundError:
        return None
    urls = dict(each.split(", ", 1) for each in listed)
    return urls.get(label)
