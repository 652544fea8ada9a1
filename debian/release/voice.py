"""Makes the voice in the box: four sound packs, spoken by Debian's speech programs, and a package of them.

    voice.py FOLDER VERSION    writes oche-voice_VERSION_all.deb to FOLDER, and prints where it is

English is spoken by flite with its voice slt (CMU Arctic), German, French and Spanish by espeak-ng. Each pack has 0 to
180, the beds and the calls, under the keys of packs that people have; a player's name is no part of them. sox cuts the
silence off and lame makes mp3 of it, which every browser plays. The package belongs beside that of oche, which does not
need it.

With the same versions of these programs the same bytes come of it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

PLACE = "usr/share/oche/sounds"
MOST_BYTES = 3_000_000
"""Of the package."""
PROGRAMS = ("espeak-ng", "flite", "sox", "lame")
_SILENCE = ("silence", "1", "0.01", "0.4%", "reverse")
_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh".split()
_ORDINALS_FR = (
    "première deuxième troisième quatrième cinquième sixième septième huitième neuvième dixième onzième"
).split()
_ORDINALS_ES = "primer segundo tercer cuarto quinto sexto séptimo octavo noveno décimo undécimo".split()
_ORDINALS_DE = "erste zweite dritte vierte fünfte sechste siebte achte neunte zehnte elfte".split()
ENGLISH = {
    "0": "No score",
    "busted": "Bust",
    "gameon": "Game on",
    "matchon": "Game on",
    "gameshot": "Game shot",
    "matchshot": "Game shot, and the match",
    "you_require": "You require",
    "bull": "Bull",
    "bullseye": "Bullseye",
    "outside": "Outside",
    "double": "Double",
    "triple": "Triple",
    "oche_hat_trick": "Hat trick",
    "oche_three_in_the_black": "Three in the black",
    "oche_three_in_a_bed": "Three in a bed",
    "oche_white_horse": "White horse",
    "oche_five_mark": "Five marks",
    "oche_six_mark": "Six marks",
    "oche_seven_mark": "Seven marks",
    "oche_eight_mark": "Eight marks",
    "oche_nine_mark": "Nine marks",
    "oche_shanghai": "Shanghai",
    "oche_hole_in_one": "Hole in one",
    "oche_personal_best": "Personal best",
}
GERMAN = {
    "0": "Keine Punkte",
    "busted": "Überworfen",
    "gameon": "Game on",
    "matchon": "Game on",
    "gameshot": "Leg gewonnen",
    "matchshot": "Spiel, Satz und Sieg",
    "you_require": "Rest",
    "bull": "Bull",
    "bullseye": "Bullsei",
    "outside": "Daneben",
    "double": "Doppel",
    "triple": "Tripel",
    "oche_hat_trick": "Hättrick",
    "oche_three_in_the_black": "Drei im Bullsei",
    "oche_three_in_a_bed": "Drei in einem Feld",
    "oche_white_horse": "Weißes Pferd",
    "oche_five_mark": "Fünf Marken",
    "oche_six_mark": "Sechs Marken",
    "oche_seven_mark": "Sieben Marken",
    "oche_eight_mark": "Acht Marken",
    "oche_nine_mark": "Neun Marken",
    "oche_shanghai": "Shanghai",
    "oche_hole_in_one": "Mit dem ersten Dart",
    "oche_personal_best": "Persönlicher Rekord",
}
FRENCH = {
    "0": "Pas de points",
    "busted": "Bust",
    "gameon": "C'est parti",
    "matchon": "C'est parti",
    "gameshot": "Gagné",
    "matchshot": "Jeu, set et match",
    "you_require": "Il vous faut",
    "bull": "Bulle",
    "bullseye": "Double bulle",
    "outside": "Manqué",
    "double": "Double",
    "triple": "Triple",
    "oche_hat_trick": "Trois bulles",
    "oche_three_in_the_black": "Trois doubles bulles",
    "oche_three_in_a_bed": "Trois dans la même zone",
    "oche_white_horse": "Cheval blanc",
    "oche_five_mark": "Cinq marques",
    "oche_six_mark": "Six marques",
    "oche_seven_mark": "Sept marques",
    "oche_eight_mark": "Huit marques",
    "oche_nine_mark": "Neuf marques",
    "oche_shanghai": "Shanghai",
    "oche_hole_in_one": "Trou en un",
    "oche_personal_best": "Record personnel",
}
SPANISH = {  # "bul": espeak-ng says "bull" as if it were Spanish
    "0": "Sin puntos",
    "busted": "Bust",
    "gameon": "A jugar",
    "matchon": "A jugar",
    "gameshot": "Gana",
    "matchshot": "Gana la partida",
    "you_require": "Necesitas",
    "bull": "Bul",
    "bullseye": "Bul doble",
    "outside": "Fuera",
    "double": "Doble",
    "triple": "Triple",
    "oche_hat_trick": "Tres buls",
    "oche_three_in_the_black": "Tres buls dobles",
    "oche_three_in_a_bed": "Tres en la misma zona",
    "oche_white_horse": "Caballo blanco",
    "oche_five_mark": "Cinco marcas",
    "oche_six_mark": "Seis marcas",
    "oche_seven_mark": "Siete marcas",
    "oche_eight_mark": "Ocho marcas",
    "oche_nine_mark": "Nueve marcas",
    "oche_shanghai": "Shangái",
    "oche_hole_in_one": "Hoyo en uno",
    "oche_personal_best": "Récord personal",
}
CONTROL = """Package: oche-voice
Version: {version}
Architecture: all
Maintainer: the oche authors <oche@localhost>
Section: misc
Priority: optional
Enhances: oche
Installed-Size: {size}
Description: a caller's voice for oche, in English, German, French and Spanish
 Recordings of a synthetic voice that calls visits, beds and legs on the page
 of oche: made by flite (voice slt) and espeak-ng when this was built.
"""
COPYRIGHT = """The recordings in /usr/share/oche/sounds were made by programs of Debian, when this package was built:

oche-en: flite {flite}, with its voice slt. Program and voice are free: copyright Carnegie Mellon University, whose
 terms (an X11-style licence) allow use and distribution of both, and ask nothing for what the voice has spoken.
oche-de, oche-fr, oche-es: espeak-ng {espeak-ng}. The program is under the GNU GPL, version 3 or later, of which no
 part is in the recordings: what a program speaks is not the program.

The texts that are spoken are a part of oche, whose licence holds for this package: the same as for oche itself, see
 /usr/share/doc/oche/copyright where oche is installed, or the file LICENSE in its source.
"""


def list_texts(language: str) -> dict[str, str]:
    """Returns what is spoken in this language ("en", "de", "fr", "es"), by key."""
    if language == "de":
        ordinals, leg, set_, player = _ORDINALS_DE, "das {} Leg", "und der {} Satz", "Spieler"
        numbers = {str(number): str(number) for number in range(1, 181)}
        beds = {"d": "Doppel", "t": "Tripel"}
        own = GERMAN
    elif language == "fr":
        ordinals, leg, set_, player = _ORDINALS_FR, "la {} manche", "la manche et le {} set", "Joueur"
        numbers = {str(number): str(number) for number in range(1, 181)}
        beds = {"d": "Double", "t": "Triple"}
        own = FRENCH
    elif language == "es":
        ordinals, leg, set_, player = _ORDINALS_ES, "el {} leg", "el {} set", "Jugador"
        numbers = {str(number): str(number) for number in range(1, 181)}
        beds = {"d": "Doble", "t": "Triple"}
        own = SPANISH
    else:
        ordinals, leg, set_, player = _ORDINALS, "and the {} leg", "and the {} set", "Player"
        numbers = {str(number): say_english(number) for number in range(1, 181)}
        beds = {"d": "Double", "t": "Triple"}
        own = ENGLISH
    return {
        **numbers,
        **{f"{ring}{bed}": f"{name} {numbers[str(bed)]}" for ring, name in beds.items() for bed in range(1, 21)},
        **{f"leg_{place}": leg.format(ordinal) for place, ordinal in enumerate(ordinals, 1)},
        **{f"set_{place}": set_.format(ordinal.replace("ière", "ier")) for place, ordinal in enumerate(ordinals, 1)},
        **{f"player{number}": f"{player} {numbers[str(number)]}" for number in range(1, 9)},
        **own,
    }


def say_english(number: int) -> str:
    """Returns this number below 200 in words, as callers say it."""
    if number < 20:
        return _ONES[number]
    if number < 100:
        tens, ones = divmod(number, 10)
        return _TENS[tens - 2] + (f" {_ONES[ones]}" if ones else "")
    return "one hundred" + (f" and {say_english(number - 100)}" if number > 100 else "")


def speak(language: str, text: str, place: Path) -> None:
    """Writes the recording of this text to this mp3 file."""
    with TemporaryDirectory() as work:
        spoken, cut = f"{work}/spoken.wav", f"{work}/cut.wav"
        if language == "en":
            _run("flite", "-voice", "slt", "-t", text, "-o", spoken)
        else:
            _run("espeak-ng", "-v", language, "-s", "150", "-w", spoken, text)
        # -R: the noise that hides rounding is always the same. 80 Hz: what speech programs rumble with is cut off.
        _run("sox", "-R", spoken, "-r", "16000", "-c", "1", cut, "highpass", "80", *_SILENCE, *_SILENCE, "norm", "-3")
        _run("lame", "--quiet", "-m", "m", "-b", "24", cut, str(place))


def make_packs(folder: Path, texts: Mapping[str, Mapping[str, str]]) -> None:
    """Writes a pack for each language to this folder."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        waiting = []
        for language, spoken in texts.items():
            pack = folder / f"oche-{language}"
            pack.mkdir(parents=True)
            waiting += [pool.submit(speak, language, text, pack / f"{key}.mp3") for key, text in spoken.items()]
        for each in waiting:
            each.result()


def make_package(folder: Path, version: str) -> Path:
    """Writes the package to this folder; returns where it is."""
    package = folder / f"oche-voice_{version}_all.deb"
    with TemporaryDirectory() as work:
        root = Path(work, "root")
        make_packs(root / PLACE, {language: list_texts(language) for language in ("en", "de", "fr", "es")})
        about = root / "usr/share/doc/oche-voice/copyright"
        about.parent.mkdir(parents=True)
        about.write_text(COPYRIGHT.format_map({name: read_version(name) for name in PROGRAMS}), "utf-8")
        size = sum(file.stat().st_size for file in root.rglob("*") if file.is_file())
        (root / "DEBIAN").mkdir()
        (root / "DEBIAN/control").write_text(CONTROL.format(version=version, size=size // 1024), "utf-8")
        for path in (root, *root.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        folder.mkdir(parents=True, exist_ok=True)
        _run("dpkg-deb", "--root-owner-group", "--build", str(root), str(package))
    if package.stat().st_size > MOST_BYTES:
        sys.exit(f"{package} has more than {MOST_BYTES} bytes")
    return package


def read_version(name: str) -> str:
    """Returns the version of a Debian package."""
    command = ("dpkg-query", "-W", "-f", "${Version}", name)
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _run(*command: str) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)


def main(folder: str, version: str) -> None:
    """Makes the package."""
    print(make_package(Path(folder), version))


if __name__ == "__main__":
    main(*sys.argv[1:])
