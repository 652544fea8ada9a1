"""Cuts the page's typeface: figures, Latin letters and what the page writes besides, in one file.

    typeface.py FOLDER    writes typeface.woff and its licence, typeface.txt, to FOLDER

It is made whenever oche is built (setup.py), out of a package that carries the family; a checkout that is not installed
has none, and its page is shown in the fonts of the system. The letters are enlarged to the height of those of DejaVu
Sans, which a Raspberry Pi and most of Linux have, and their lines get its height: whether a page has this typeface or
not, its lines stand where they stood, and only their width differs. The figures of this family have one width as they
are. It is compressed as browsers have long read it: the newer way would save 3 kB and need a compiler on a 32-bit Pi.
"""

from __future__ import annotations

import sys
from importlib.metadata import distribution
from io import BytesIO
from pathlib import Path

from fontTools.subset import Options, Subsetter, parse_unicodes
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

PACKAGE = "fontpkg-archivo-narrow"
FONT = "fontpkg_archivo_narrow/files/ArchivoNarrow[wght].ttf"
LICENCE = "fontpkg_archivo_narrow/LICENSE"
LETTERS = "20-7E A0-17F 218-21B 1E9E 2010-2026 2030 2032-2033 2039-203A 20AC 2116 2122 2190-2193 2212 2713"
WEIGHTS = (500, 700)
"""From the text's to the headings'; the page asks for up to 800, and gets the heaviest."""
CAPITAL, ASCENT, DESCENT = 0.74, 0.928, 0.236
"""Of DejaVu Sans, in em; its capitals are 0.73 high, and a pixel more is no loss from three metres."""
_KEPT_NAMES = [0, 1, 2, 13, 14]
"""Copyright, family, style, licence and its address."""


def cut_typeface(folder: Path) -> None:
    """Writes the typeface and its licence to this folder. Raises PackageNotFoundError where nothing carries it."""
    package = distribution(PACKAGE)
    font = TTFont(str(package.locate_file(FONT)), recalcTimestamp=False)
    options = Options()
    options.layout_features = ["kern", "mark", "ccmp"]
    options.name_IDs = _KEPT_NAMES
    options.hinting = False
    cutter = Subsetter(options)
    cutter.populate(unicodes=parse_unicodes(LETTERS))
    cutter.subset(font)
    font = instantiateVariableFont(font, {"wght": WEIGHTS})
    _fit_dejavu(font)
    font.flavor = "woff"
    made = BytesIO()
    font.save(made)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "typeface.woff").write_bytes(made.getvalue())
    (folder / "typeface.txt").write_text(Path(str(package.locate_file(LICENCE))).read_text("utf-8"), "utf-8")


def _fit_dejavu(font: TTFont) -> None:
    """Gives its capitals and its lines the height of those of DejaVu Sans."""
    em = font["head"].unitsPerEm = round(font["OS/2"].sCapHeight / CAPITAL)
    ascent, descent = round(em * ASCENT), round(em * DESCENT)
    lines, windows = font["hhea"], font["OS/2"]
    lines.ascent, lines.descent, lines.lineGap = ascent, -descent, 0
    windows.sTypoAscender, windows.sTypoDescender, windows.sTypoLineGap = ascent, -descent, 0
    windows.usWinAscent, windows.usWinDescent = ascent, descent


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: typeface.py FOLDER")
    cut_typeface(Path(sys.argv[1]))
