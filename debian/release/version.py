"""Prints the version of the next release, or a sentence that says where it is not the same; with `latest`, its file.

The version stands in pyproject.toml. CHANGELOG.md and, where HEAD has one, the tag have to agree with it before
anything is built, because what is published under a version stays under it.

The file is `latest.json`, which daemons look at where `bridge.update_url` names it: version and notes.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)((?:a|b|rc|\.dev)\d+)?")
SECTION = re.compile(r"^## \[(.+?)\](?: - \d{4}-\d\d-\d\d)?$", re.MULTILINE)
RELEASE_TAG = re.compile(r"v\d.*")


def find_fault(version: str, changelog: str, tags: list[str]) -> str | None:
    """Returns what contradicts the version of pyproject.toml, as one sentence; None where all agree.

    `tags` are those of the commit; only those that begin with `v` and a digit mean a release.
    """
    read = VERSION.fullmatch(version)
    if read is None:
        return f"pyproject.toml has the version {version}: write one such as 1.2.3, 1.2.3rc1 or 1.2.3.dev0."
    for tag in tags:
        if RELEASE_TAG.fullmatch(tag) and tag != f"v{version}":
            return f"HEAD has the tag {tag} and pyproject.toml the version {version}: make them the same."
    sections = _read_sections(changelog)
    unreleased = sections.pop("Unreleased", "").strip()
    newest = next(iter(sections), "0.0.0")
    if read[4] is None:
        if newest != version:
            return (
                f"pyproject.toml has the version {version} and the newest section of CHANGELOG.md is {newest}:"
                f" write a section [{version}] with its date."
            )
        if unreleased:
            return (
                f"CHANGELOG.md has changes under Unreleased that {version} would have, too: move them to its section,"
                f" or write the next version into pyproject.toml, such as {read[1]}.{int(read[2]) + 1}.0.dev0."
            )
    elif _numbers(newest) >= _numbers(version):
        return f"pyproject.toml has the version {version}, and CHANGELOG.md says that {newest} is released already."
    elif read[4].startswith(".dev") and f"v{version}" in tags:
        return f"HEAD has the tag v{version}: a version with .dev is for trying and is not released."
    return None


def make_latest(project: dict[str, Any], changelog: str) -> dict[str, str]:  # Any: TOML
    """Returns what `latest.json` has: of this project, the notes of its version, or of what is not released yet."""
    sections = _read_sections(changelog)
    notes = sections.get(project["version"], sections.get("Unreleased", ""))
    address = project.get("urls", {}).get("Changelog")
    return {"version": project["version"], "notes": notes.strip()} | ({"url": address} if address else {})


def _read_sections(changelog: str) -> dict[str, str]:
    """Returns the text of each section by its version."""
    parts = SECTION.split(changelog)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def _numbers(version: str) -> tuple[int, ...]:
    """The three numbers a version begins with."""
    read = VERSION.match(version)
    return tuple(map(int, read.group(1, 2, 3))) if read else ()


def main() -> int:
    """Prints the version of the checkout in the current folder; the tag's absence is told on standard error."""
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    changelog = Path("CHANGELOG.md").read_text(encoding="utf-8")
    if sys.argv[1:] == ["latest"]:
        print(json.dumps(make_latest(project, changelog), ensure_ascii=False, indent=2))
        return 0
    version = project["version"]
    listed = subprocess.run(("git", "tag", "--points-at", "HEAD"), stdout=subprocess.PIPE, text=True, check=True)
    tags = listed.stdout.split()
    if fault := find_fault(version, changelog, tags):
        print(fault, file=sys.stderr)
        return 1
    if f"v{version}" not in tags:
        print(f"HEAD has no tag v{version}: this is a build to try, and no release.", file=sys.stderr)
    print(version)
    return 0


if __name__ == "__main__":
    sys.exit(main())
