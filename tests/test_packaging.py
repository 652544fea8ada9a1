"""The wheel: what the rooms hold but for what only tests use, and no name where another project could overwrite it.

And the source distribution: every file there is, so that it can run its own tests. Both are built from a copy of the
files on disk, so that a build never leaves anything in the checkout or finds old leavings.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from fontTools.ttLib import TTFont
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("protocol", "engine", "drivers", "simulator", "daemon")
PRIVATE = "oche/app"
CUTTER = Path("debian/release/typeface.py")
TYPEFACE = {f"{PRIVATE}/daemon/web/page/typeface.{kind}" for kind in ("woff", "txt")}
"""What is made when oche is built: the typeface of the page, and its licence."""
MOST_BYTES = 25_000
FOR_TESTS = Path("simulator/kernel")
"""In a room, and not in the wheel."""


@pytest.fixture(scope="module")
def pyproject() -> dict[str, Any]:  # Any: TOML
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of the files on disk."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    left_out = shutil.ignore_patterns("__pycache__", *(Path(name).name for name in TYPEFACE))
    for room in ROOMS:
        shutil.copytree(ROOT / room, source / room, ignore=left_out)
    for file in ("pyproject.toml", "LICENSE", "README.md", "setup.py", "CHANGELOG.md"):
        shutil.copy(ROOT / file, source)
    (source / CUTTER).parent.mkdir(parents=True)
    shutil.copy(ROOT / CUTTER, source / CUTTER)
    _pip("wheel", "--no-build-isolation", f"--wheel-dir={folder}", str(source))
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with nothing but the installed wheel."""
    target = tmp_path_factory.mktemp("installed")
    _pip("install", f"--target={target}", str(wheel))
    return target


MENDED = {
    "aiohttp": "3.14.4",
    "amqtt": "0.11.4",
    "cryptography": "46.0.5",
    "fonttools": "4.60.2",
    "h11": "0.16",
    "jinja2": "3.1.6",
    "pytest": "9.0.3",
    "setuptools": "78.1.1",
}
"""The first versions without the holes that are known of these libraries."""


def test_no_lower_bound_admits_a_version_with_a_known_hole(pyproject: dict[str, Any]) -> None:  # Any: TOML
    project = pyproject["project"]
    wanted = [*project["dependencies"], *pyproject["build-system"]["requires"]]
    for extra in project["optional-dependencies"].values():
        wanted += extra
    asked = [Requirement(text) for text in wanted]
    assert {requirement.name for requirement in asked} >= MENDED.keys()
    for requirement in asked:
        lowest = [Version(each.version) for each in requirement.specifier if each.operator == ">="]
        assert all(version >= Version(MENDED.get(requirement.name, "0")) for version in lowest), requirement


@pytest.mark.slow
def test_the_wheel_carries_the_rooms_and_nothing_that_only_tests_use(wheel: Path) -> None:
    on_disk = {
        f"{PRIVATE}/{file.relative_to(ROOT)}"
        for room in ROOMS
        for file in (ROOT / room).rglob("*")
        if file.is_file() and "__pycache__" not in file.parts and FOR_TESTS not in file.relative_to(ROOT).parents
    }
    shipped = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert shipped == on_disk | {f"{PRIVATE}/daemon/CHANGELOG.md"} | TYPEFACE
    assert f"{PRIVATE}/protocol/mats/gran_12x7.toml" in shipped
    assert (ROOT / FOR_TESTS / "usbip.py").is_file()


def test_the_typeface_is_light_and_has_figures_of_one_width_and_the_letters_of_europe(wheel: Path) -> None:
    font, licence = (zipfile.ZipFile(wheel).read(name) for name in sorted(TYPEFACE, reverse=True))
    assert len(font) <= MOST_BYTES
    assert b"SIL OPEN FONT LICENSE" in licence.upper()
    read = TTFont(BytesIO(font))
    letters = read.getBestCmap()
    assert len({read["hmtx"][letters[ord(digit)]][0] for digit in "0123456789"}) == 1
    assert {ord(letter) for letter in "AZazÄÖÜßéçñøåŁŠğőž–…’„“·×←"} <= letters.keys()
    assert "kern" in {each.FeatureTag for each in read["GPOS"].table.FeatureList.FeatureRecord}


def test_nothing_in_the_wheel_imports_what_only_tests_use() -> None:
    for room in ROOMS:
        for module in (ROOT / room).rglob("*.py"):
            if FOR_TESTS not in module.relative_to(ROOT).parents:
                assert ".".join(FOR_TESTS.parts) not in module.read_text(encoding="utf-8"), module


@pytest.mark.long
def test_only_oche_lands_in_site_packages(installed: Path) -> None:
    names = {entry.name for entry in installed.iterdir() if entry.suffix != ".dist-info"}
    assert names == {"oche", "bin"}


@pytest.mark.slow
def test_the_command_runs_beside_another_projects_daemon(
    installed: Path,
    tmp_path: Path,
    pyproject: dict[str, Any],  # Any: TOML
) -> None:
    (tmp_path / "daemon").mkdir()
    (tmp_path / "daemon" / "__init__.py").write_text("raise ImportError('this is the daemon of another project')\n")
    path = os.pathsep.join((str(installed), str(tmp_path)))
    ours = _run(path, "-c", "import oche.app.daemon.launch as launch; print(launch.__file__)")
    assert Path(ours.strip()).is_relative_to(installed)
    assert pyproject["project"]["version"] in _run(path, str(installed / "bin" / "oche"), "--version")


@pytest.mark.long
def test_the_source_distribution_has_every_file(tmp_path: Path) -> None:
    source = tmp_path / "source"
    files = _files()
    for file in files:
        (source / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, source / file)
    for folder in ("tests", "docs/plugins/game"):
        (source / folder / "__pycache__").mkdir()
        (source / folder / "__pycache__" / "old.pyc").touch()
    build = "import sys; from setuptools import build_meta; build_meta.build_sdist(sys.argv[1])"
    done = subprocess.run(
        (sys.executable, "-c", build, str(tmp_path)), cwd=source, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    (built,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(built) as archive:
        packed = {Path(*Path(each.name).parts[1:]): each.mode for each in archive if each.isfile()}
    assert sorted(file for file in packed if not _is_made(file)) == files
    assert [file for file in files if (packed[file] ^ (ROOT / file).stat().st_mode) & 0o100] == []


def _files() -> list[Path]:
    """Every file of the project: those that git knows, or those of the source distribution that this is."""
    if not (ROOT / ".git").exists():
        listed = (ROOT / "oche.egg-info" / "SOURCES.txt").read_text(encoding="utf-8").split("\n")
    else:
        git = ("git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
        listed = subprocess.run(git, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    return sorted(path for path in map(Path, listed) if path.name and (ROOT / path).is_file() and not _is_made(path))


def _is_made(path: Path) -> bool:
    """Is this written by the build of a source distribution?"""
    return path.parts[0] == "oche.egg-info" or str(path) in ("PKG-INFO", "setup.cfg")


def _run(path: str, *command: str) -> str:
    """What Python prints for this, from a folder that holds nothing of ours."""
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(
        (sys.executable, *command), cwd="/", env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def _pip(command: str, *arguments: str) -> None:
    """Runs pip without the network."""
    pip = (sys.executable, "-m", "pip", command, "--quiet", "--disable-pip-version-check", "--no-index", "--no-deps")
    done = subprocess.run((*pip, *arguments), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
