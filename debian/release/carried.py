"""What the libraries in a folder are and under which licences, from the metadata that each has there.

    carried.py copyright FOLDER      paragraphs for debian/copyright
    carried.py licences FOLDER...    every library with its licence, and the texts, for people
    carried.py sbom FOLDER...        the same for programs: CycloneDX as JSON, without time and serial number

FOLDER is what `pip install --target` has filled; the last two want oche in one of them. A library whose wheel has no
licence text is refused unless the text stands in debian/licences: the licences ask that it is handed on.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import NamedTuple

TEXTS = Path(__file__).resolve().parents[1] / "licences"
IS_TEXT = re.compile(r"licen[cs]e|copying|notice|e[dp]l-v\d+", re.IGNORECASE)
TYPEFACE = "typeface.txt"
"""The licence of the typeface, which oche has among its files."""
COPYRIGHT = re.compile(r"^\W*(?:copyright|©)\s+((?:\(c\)\s*)?\d{4}.*?)[\s.]*$", re.IGNORECASE | re.MULTILINE)


class Library(NamedTuple):
    """One of the libraries.

    `licence` is an expression of SPDX, `texts` are the licence files by their names, `places` is what it has in the
    folder, and `needs` has the names of the libraries that it asks for.
    """

    name: str
    version: str
    licence: str
    texts: dict[str, str]
    places: list[str]
    needs: list[str]

    @property
    def purl(self) -> str:
        """Its name for programs: the package URL."""
        return f"pkg:pypi/{normalise_name(self.name)}@{self.version}"

    @property
    def holders(self) -> list[str]:
        """The lines of the licence that name who holds the copyright."""
        lines = [line for text in self.texts.values() for line in COPYRIGHT.findall(text)]
        return list(dict.fromkeys(lines)) or ["the authors, whom its licence does not name"]


def normalise_name(name: str) -> str:
    """Returns the name of a project as PyPI compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def read_libraries(folders: Sequence[Path]) -> list[Library]:
    """Returns the libraries in these folders by their names. Ends the program where one has no licence."""
    found = {library.name: library for library in map(_read, distributions(path=[*map(str, folders)]))}
    return [found[name] for name in sorted(found, key=normalise_name)]


def split_oche(folders: Sequence[Path]) -> tuple[Library, list[Library]]:
    """Returns oche and the other libraries in these folders. Ends the program where there is no oche."""
    found = {library.name: library for library in read_libraries(folders)}
    if "oche" not in found:
        sys.exit(f"There is no oche in {folders[0]}: name the folder that its libraries were installed to.")
    return found.pop("oche"), list(found.values())


def _read(distribution: Distribution) -> Library:
    name, version = distribution.metadata["Name"], distribution.version
    texts = {
        file.name: Path(str(distribution.locate_file(file))).read_text(encoding="utf-8")
        for file in distribution.files or ()
        if file.name == TYPEFACE or (".dist-info" in file.parts[0] and IS_TEXT.match(file.name))
    }
    ours = TEXTS / f"{normalise_name(name)}.txt"
    if not texts and ours.exists():
        texts = {ours.name: ours.read_text(encoding="utf-8")}
    if not texts:
        sys.exit(f"{name} {version} comes without the text of its licence: put it to {ours.parent.name}/{ours.name}.")
    places = sorted({file.parts[0] for file in distribution.files or () if file.parts[0] != ".."})
    needs = [re.split(r"[^\w.-]", each)[0] for each in distribution.requires or () if "extra ==" not in each]
    licence = _read_licence(distribution, "\n".join(texts.values()))
    return Library(name, version, licence, dict(sorted(texts.items())), places, needs)


def _read_licence(distribution: Distribution, text: str) -> str:
    """Its expression of SPDX: as the metadata has it, or as older metadata and the text say it."""
    metadata = distribution.metadata
    if expressions := metadata.get_all("License-Expression"):
        return str(expressions[0])
    named = [str(each) for each in metadata.get_all("License") or []]
    if named in (["Apache-2.0"], ["PSF-2.0"]):
        return named[0]
    said = " ".join([*named, *(metadata.get_all("Classifier") or [])])
    if re.search(r"\bMIT\b", said):
        return "MIT"
    if re.search(r"\bBSD\b", said):
        return "BSD-3-Clause" if re.search(r"neither\s+the\s+name", text, re.IGNORECASE) else "BSD-2-Clause"
    name = metadata["Name"]
    sys.exit(f"{name} {distribution.version} does not say its licence in words that {Path(__file__).name} knows.")


def write_copyright(folder: str, libraries: list[Library]) -> str:
    """Returns a paragraph for each, in the format of debian/copyright; the text where the package has no file of it.

    `folder` is the one of the package that has them, such as "usr/lib/oche".
    """
    paragraphs = []
    for library in libraries:
        licence = library.licence.replace(" OR ", " or ").replace(" AND ", " and ")
        ours = f"{normalise_name(library.name)}.txt"
        info = next(place for place in library.places if place.endswith(".dist-info"))
        text = library.texts.get(ours, f"Its text is in /{folder}/{info}").strip()
        files = " ".join(
            f"{folder}/{place}" + ("" if place.endswith((".py", ".so")) else "/*") for place in library.places
        )
        holders = "\n".join(library.holders)
        fields = (f"Files: {files}", f"Copyright: {holders}", f"License: {licence}\n{text}")
        paragraphs.append("\n".join(map(_continue, fields)))
    return "".join(f"\n{paragraph}\n" for paragraph in paragraphs)


def _continue(field: str) -> str:
    """A field whose further lines begin with a blank; an empty one has a full stop."""
    first, *rest = field.split("\n")
    return "\n".join([first, *(f" {line}".rstrip() if line.strip() else " ." for line in rest)])


def write_licences(oche: Library, libraries: list[Library]) -> str:
    """Returns a list of what is carried and below it every text."""
    listed = [oche, *libraries]
    rows = [f"{each.name} {each.version}: {each.licence}" for each in listed]
    head = f"What the Debian packages of oche {oche.version} carry, and the licences of each.\n\n" + "\n".join(rows)
    texts = [
        f"{'=' * 78}\n{each.name} {each.version}: {file}\n{'=' * 78}\n\n{text.strip()}"
        for each in listed
        for file, text in each.texts.items()
    ]
    return "\n\n".join([head, *texts]) + "\n"


def write_sbom(oche: Library, libraries: list[Library]) -> str:
    """Returns the bill of materials in CycloneDX 1.6."""
    refs = {normalise_name(each.name): each.purl for each in libraries}
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": _component(oche, "application")},
        "components": [_component(each, "library") for each in libraries],
        "dependencies": [
            {
                "ref": each.purl,
                "dependsOn": sorted({refs[name] for name in map(normalise_name, each.needs) if name in refs}),
            }
            for each in [oche, *libraries]
        ],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _component(library: Library, kind: str) -> dict[str, object]:
    return {
        "type": kind,
        "bom-ref": library.purl,
        "name": library.name,
        "version": library.version,
        "licenses": [{"expression": library.licence}],
        "purl": library.purl,
    }


def main(arguments: list[str]) -> int:
    """Prints what is asked for."""
    match arguments:
        case ["copyright", folder]:
            others = [each for each in read_libraries([Path(folder)]) if each.name != "oche"]
            sys.stdout.write(write_copyright(f"usr/lib/{Path(folder).name}", others))
        case ["licences", *folders] if folders:
            sys.stdout.write(write_licences(*split_oche([*map(Path, folders)])))
        case ["sbom", *folders] if folders:
            sys.stdout.write(write_sbom(*split_oche([*map(Path, folders)])))
        case _:
            print("usage: carried.py copyright|licences|sbom FOLDER...", file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
