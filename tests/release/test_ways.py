"""Every way to install oche, each in a Debian of its own: what it brings plays a leg that an MQTT client sees."""

from __future__ import annotations

import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from tests.figures import Figure
from tests.release.conftest import APT, BROKER, NAMES, ROOT, SERVICE, STATE, Build, Enter, Shown, new_key

pytestmark = pytest.mark.release

CONFIG = """
[bridge]
state_dir = "/home/user/matches"

[[table]]
board = "sim:granboard"
game = "x01"
options = { start = 501, out = "double" }
players = ["Ann", "Bo"]
"""
# Each ends in a program `oche` of the user; {wheel} is the file, {again} is --force where another version is installed.
WAYS = {
    "pip": (
        "12",
        "python3-venv",
        'python3 -m venv ~/oche-env && ~/oche-env/bin/pip install "{wheel}[broker,feed,league,photo,proxy]"',
        "oche-env/bin/oche",
    ),
    "pipx": ("12", "pipx", 'pipx install {again} "{wheel}[broker]"', ".local/bin/oche"),
    "uv": (
        "13",
        "python3-venv",
        'python3 -m venv ~/tools && ~/tools/bin/pip install uv && ~/tools/bin/uv tool install "{wheel}[broker]"',
        ".local/bin/oche",
    ),
}


# For Python as it is where the packages are installed: what each extra brings is there.
EXTRAS = """exec(open('/usr/bin/oche').read().replace('\\nmain()', ''))
sys.path.insert(0, '/usr/lib/oche/oche/app')
import daemon.outlets.feed, drivers.proxy_link, zxingcpp"""


def is_won(shown: Shown) -> bool:
    """Whether Ann has won the leg."""
    return bool(shown.state["phase"] == "over" and shown.state["winners"] == [0])


@pytest.mark.parametrize("way", WAYS)
def test_the_wheel_plays_a_leg(way: str, wheel: Path, debian: Enter, figure: Figure) -> None:
    release, package, install, program = WAYS[way]
    with debian(release) as fresh:
        fresh.machine.put(wheel, wheel.name)
        fresh.said(f"{APT} --no-install-recommends {package}")
        fresh.said(install.format(wheel=f"/{wheel.name}", again=""), who="user")
        fresh.said(f"cat >oche.toml <<'END'\n{CONFIG}\nEND", who="user")
        daemon = f"/home/user/{program} run --config /home/user/oche.toml"
        shown = fresh.plays(daemon, "start", "T20", "S1", "D20", who="user")
        assert is_won(shown), shown.state
        figure(f"by {way} on Debian {release}, seconds from the start to the first state", shown.seconds)


@pytest.mark.parametrize("release", NAMES)
def test_the_package_plays_a_leg_by_apt_from_the_signed_repository(
    release: str, dist: Path, repository: str, debian: Enter, figure: Figure
) -> None:
    with debian(release) as fresh:
        fresh.machine.put(dist / "apt" / "oche.asc", "etc/apt/keyrings/oche.asc")
        source = f"deb [signed-by=/etc/apt/keyrings/oche.asc] {repository} {NAMES[release]} main"
        fresh.said(f"echo '{source}' >/etc/apt/sources.list.d/oche.list")
        fresh.said(f'{APT} oche oche-feed oche-photo oche-proxy && python3 -ISc "{EXTRAS}"')
        assert f"+deb{release}" in fresh.said("dpkg-query --show oche")
        shown = fresh.plays(SERVICE, "start", "T20", "S1", "D20", before=f"{STATE} && {BROKER}")
        assert is_won(shown), shown.state
        fresh.said("apt-get purge -qq --yes oche && ! ls -d /usr/lib/oche*")
        figure(f"by apt on Debian {release}, seconds from the start to the first state", shown.seconds)


def test_the_image_with_the_extras_has_them_and_what_a_league_needs(dist: Path, tmp_path: Path) -> None:
    (image,) = dist.glob("*-oci-amd64-extras.tar")
    with tarfile.open(image) as archive:
        assert b"-extras" in archive.extractfile("index.json").read()  # type: ignore[union-attr]  # it is a file
    layout = ROOT / "debian" / "release" / "oci_layout.py"
    subprocess.run((sys.executable, "-B", layout, "layer", image, tmp_path), check=True)
    root = tmp_path / "root"
    root.mkdir()
    subprocess.run(("tar", "-x", "-f", tmp_path / "layer-amd64.tar.gz", "-C", root), check=True)
    enter = 'mount --bind /dev "$1/dev" && exec chroot "$1" /usr/bin/python3 -ISc "$2"'
    asked = f"{EXTRAS}, psycopg_pool"
    subprocess.run(("unshare", "--mount", "sh", "-c", enter, "sh", root, asked), check=True)


def test_apt_takes_nothing_that_another_key_signed(repository: str, debian: Enter, tmp_path: Path) -> None:
    home = tmp_path / "gpg"
    key = tmp_path / "another.asc"
    with new_key(home, "another"), key.open("wb") as file:
        subprocess.run(("gpg", "--homedir", home, "--armor", "--export", "another"), stdout=file, check=True)
    with debian("13") as fresh:
        fresh.machine.put(key, "etc/apt/keyrings/oche.asc")
        source = f"deb [signed-by=/etc/apt/keyrings/oche.asc] {repository} trixie main"
        fresh.said(f"echo '{source}' >/etc/apt/sources.list.d/oche.list")
        fresh.said("! apt-get update --error-on=any && ! apt-get install --yes oche")


def test_the_same_commit_gives_the_same_bytes(dist: Path, build: Build) -> None:
    again = build("release-in-another-folder")
    assert (again / "SHA256SUMS").read_text() == (dist / "SHA256SUMS").read_text()
    subprocess.run(("sha256sum", "--check", "--quiet", "SHA256SUMS"), cwd=again, check=True)
    listed = {line.split()[1] for line in (dist / "SHA256SUMS").read_text().splitlines()}
    files = {str(file.relative_to(dist)) for file in dist.rglob("*") if file.is_file()}
    unlisted = {Path(file).name for file in files - listed}
    assert unlisted == {"SHA256SUMS", "SHA256SUMS.asc", "InRelease", "Release.gpg", "oche.asc"}
