"""What `make release` asks before it builds, and what it tells of the libraries it carries.

What it builds is installed and played by `make test-release`.
"""

from __future__ import annotations

import json
import os
import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
RELEASE = ROOT / "debian" / "release"
HEAD = "# Changelog\n\n## [Unreleased]\n\n"
OLD = "## [0.1.0] - 2026-11-22\n\nThe first.\n"
NEWS = "- A new game.\n\n"


@pytest.mark.parametrize(
    ("version", "changelog", "tags", "said"),
    [
        ("0.2.0.dev0", HEAD + NEWS + OLD, [], None),
        ("0.2.0rc1", HEAD + NEWS + OLD, ["v0.2.0rc1"], None),
        ("0.1.0", HEAD + OLD, ["v0.1.0"], None),
        ("0.1.0", HEAD + OLD, ["verified"], None),
        ("0.1", HEAD + OLD, [], "write one such as 1.2.3"),
        ("0.1.0", HEAD + OLD, ["v0.2.0"], "HEAD has the tag v0.2.0 and pyproject.toml the version 0.1.0"),
        ("0.2.0", HEAD + OLD, [], "write a section [0.2.0] with its date"),
        ("0.1.0", HEAD + NEWS + OLD, [], "or write the next version into pyproject.toml, such as 0.2.0.dev0"),
        ("0.1.0.dev0", HEAD + NEWS + OLD, [], "CHANGELOG.md says that 0.1.0 is released already"),
        ("0.2.0.dev0", HEAD + NEWS + OLD, ["v0.2.0.dev0"], "a version with .dev is for trying"),
    ],
)
def test_version_changelog_and_tag_have_to_agree(
    version: str, changelog: str, tags: list[str], said: str | None
) -> None:
    find_fault: Callable[[str, str, list[str]], str | None] = runpy.run_path(str(RELEASE / "version.py"))["find_fault"]
    fault = find_fault(version, changelog, tags)
    assert (fault is None) if said is None else (fault is not None and said in fault), fault


def test_the_checkout_has_one_version() -> None:
    find_fault = runpy.run_path(str(RELEASE / "version.py"))["find_fault"]
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    version = next(line.split('"')[1] for line in text.splitlines() if line.startswith("version ="))
    assert find_fault(version, (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), []) is None


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A repository with what is asked before anything is built."""
    folder = tmp_path / "clone"
    for file in (
        "pyproject.toml",
        "CHANGELOG.md",
        "debian/targets.sh",
        "debian/release/build.sh",
        "debian/release/version.py",
    ):
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, folder / file)
    git(folder, "init", "--quiet")
    git(folder, "add", ".")
    git(folder, "-c", "user.name=Ann", "-c", "user.email=ann@localhost", "commit", "--quiet", "--message", "all")
    return folder


def test_what_is_not_committed_is_not_released(clone: Path) -> None:
    (clone / "new").touch()
    assert (
        release(clone) == "make release builds what is committed, and here is more: "
        "commit or remove what git status names and try again.\n"
    )
    assert not (clone / "dist").exists()


def test_another_tag_stops_it(clone: Path) -> None:
    git(clone, "tag", "v9.0.0")
    assert "HEAD has the tag v9.0.0 and pyproject.toml the version" in release(clone)
    assert not (clone / "dist").exists()


def test_a_key_that_gpg_does_not_have_stops_it(clone: Path, tmp_path: Path) -> None:
    said = release(clone, KEY="ann@localhost", GNUPGHOME=str(tmp_path))
    assert "this is a build to try, and no release" in said, "HEAD has no tag"
    assert "gpg has no secret key ann@localhost here" in said


LIBRARY = "Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n{more}\n"


@pytest.fixture
def carried(tmp_path: Path) -> Path:
    """A folder with oche and a library that oche needs, as pip installs them."""
    folder = tmp_path / "oche-feed"
    folder.mkdir()
    write_library(folder, "oche", "License-Expression: MIT\nRequires-Dist: Some.Lib>=1", "Copyright 2026 Ann")
    write_library(
        folder, "some_lib", "License: BSD", "Copyright (c) 2020, Bo.\n\nNeither the name of Bo\n\nmay be used"
    )
    return folder


def test_the_bill_of_materials_names_each_library_and_who_needs_it(carried: Path) -> None:
    written = run_carried("sbom", carried)
    document = json.loads(written.stdout)
    assert (document["bomFormat"], document["specVersion"]) == ("CycloneDX", "1.6")
    assert not {"serialNumber", "timestamp"} & {*document, *document["metadata"]}, (
        "it is the same for the same libraries"
    )
    (library,) = document["components"]
    assert library["purl"] == "pkg:pypi/some-lib@1.0"
    assert library["licenses"] == [{"expression": "BSD-3-Clause"}]
    assert document["dependencies"][0] == {"ref": "pkg:pypi/oche@1.0", "dependsOn": ["pkg:pypi/some-lib@1.0"]}


def test_the_copyright_file_names_owner_and_licence_of_each_library(carried: Path) -> None:
    assert run_carried("copyright", carried).stdout == (
        "\nFiles: usr/lib/oche-feed/some_lib-1.0.dist-info/* usr/lib/oche-feed/some_lib.py\nCopyright: (c) 2020, Bo\n"
        "License: BSD-3-Clause\n Its text is in /usr/lib/oche-feed/some_lib-1.0.dist-info\n"
    )


def test_the_licences_name_those_of_extras_and_of_the_typeface(carried: Path, tmp_path: Path) -> None:
    (carried / "page").mkdir()
    (carried / "page" / "typeface.txt").write_text("Copyright 2019 Cy\n\nSIL Open Font License", encoding="utf-8")
    with (carried / "oche-1.0.dist-info" / "RECORD").open("a", encoding="utf-8") as record:
        record.write("page/typeface.txt,,\n")
    (more := tmp_path / "oche-proxy").mkdir()
    write_library(more, "another", "License: Apache-2.0", "Copyright 2020 Di")
    written = run_carried("licences", carried, more).stdout
    assert "\nanother 1.0: Apache-2.0\n" in written
    assert "oche 1.0: typeface.txt\n" in written
    assert "SIL Open Font License" in written


def test_a_library_without_the_text_of_its_licence_is_refused(carried: Path) -> None:
    write_library(carried, "other", "License: MIT", None)
    refused = run_carried("licences", carried)
    assert refused.returncode == 1
    assert refused.stderr == "other 1.0 comes without the text of its licence: put it to licences/other.txt.\n"


def write_library(folder: Path, name: str, more: str, licence: str | None) -> None:
    """One module with its metadata."""
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(LIBRARY.format(name=name, more=more), encoding="utf-8")
    (folder / f"{name}.py").touch()
    files = [f"{name}.py", f"{info.name}/METADATA"]
    if licence is not None:
        (info / "LICENSE").write_text(licence, encoding="utf-8")
        files.append(f"{info.name}/LICENSE")
    (info / "RECORD").write_text("".join(f"{file},,\n" for file in files), encoding="utf-8")


def run_carried(kind: str, *folders: Path) -> subprocess.CompletedProcess[str]:
    """The program, ended."""
    command = (sys.executable, "-B", str(RELEASE / "carried.py"), kind, *map(str, folders))
    return subprocess.run(command, capture_output=True, text=True, check=False)


def release(clone: Path, **environment: str) -> str:
    """What it says before it fails."""
    refused = subprocess.run(
        ("debian/release/build.sh", sys.executable),
        cwd=clone,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert refused.returncode == 1
    return refused.stderr


def git(folder: Path, *arguments: str) -> None:
    """Runs git there."""
    subprocess.run(("git", "-C", str(folder), *arguments), check=True)
