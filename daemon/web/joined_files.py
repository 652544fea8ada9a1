"""The files of a page, joined: a first visit asks for few of them, where each answer costs a small machine its time.

A document is served with one style sheet in the place of those it names, and with one script in the place of each that
it names and all which that imports; a script that is no module is written into the document. They are made of the files
as they are, which keep their own addresses below `static/`. What is joined has addresses below `joined/PAGE/`, where
every script is found once: a part that is loaded later shares the modules of the page, whichever way it imports them. A
joined file is there without a folder.

A module becomes a block, what it exports an object, and what it imports is taken out of those. The scripts keep to
`import { a, b as c } from "./file.js";`, or from `"../folder/file.js"`, and `export const`, `function` or `class`, each
at the beginning of a line; where one does not, or they import each other in a circle, the page is served as it is on
the disk. What a script awaits before it has run (the files of words) imports nothing: it would wait for the joined
script, and that for it. Lines that are a comment for readers alone are left out of the joined script.

What a document names to be fetched early (the typeface, which is made when oche is built) is left out of it where there
is no such file: the page goes by the document.
"""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from posixpath import basename, dirname, join, normpath

from msgspec import Struct

Read = Callable[[str], str]
"""Returns the text of a file by its name. Raises OSError."""
Has = Callable[[str], bool]
"""Returns whether there is a file of this name."""

_SHEETS = re.compile(r'(?:[ \t]*<link rel="stylesheet" href="static/[\w./-]+\.css">\n)+')
_FILE = re.compile(r'"static/[\w./-]+"')
_SHEET = re.compile(r'href="static/([\w./-]+\.css)"')
_EARLY = re.compile(r'[ \t]*<link rel="preload" href="static/([\w.-]+)"[^>]*>\n')
_SCRIPT = re.compile(r'(<script type="module" src=")static/([\w/]+)\.js"')
_PLAIN = re.compile(r'<script src="static/([\w/]+\.js)"></script>')
_NEWLINE = re.compile(r"\r\n?")
"""What browsers read as `\n` before they hash a script within a document."""
_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.{1,2}/[\w./]+)\.js";', re.MULTILINE)
_LATER = re.compile(r"""(\bimport\(["'`])(\.{1,2}/[^"'`]+)""")
"""What imports a script when it is needed; of its address only the folders count here."""
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class) ([\w$]+))", re.MULTILINE)
_OTHER = re.compile(r"^(?:import\b(?!\()|export\b)", re.MULTILINE)
_COMMENT = re.compile(r"^[ \t]*/\*\*(?:(?!\*/).)*\*/\n", re.MULTILINE)
"""What says above a function, on one line, what it takes: a twentieth of the bytes of a first visit."""
_AT_THE_TOP = re.compile(r"@(?:import|charset|namespace)\b")
"""What holds at the beginning of a style sheet alone."""


class _Unjoinable(Exception):
    """A file is written in a way that is not known here."""


class JoinedPage(Struct, frozen=True):
    """The document of a page, and the `files` that it asks for, by name. `homes` are those that have its modules.

    `hashes` are those of the scripts within the document, as a Content-Security-Policy has them.
    """

    files: Mapping[str, bytes]
    homes: Mapping[str, str]
    hashes: tuple[str, ...] = ()

    def find(self, name: str, read: Read) -> bytes:
        """Returns a file of the page; a script that is not joined shares its modules. Raises OSError without such."""
        if (joined := self.files.get(name)) is not None:
            return joined
        module, text = name.removesuffix(".js"), read(name)
        if module in self.homes:
            exported = ", ".join(_EXPORT.findall(text))
            text = f"{_import(module, [module], self.homes)}export const {{ {exported} }} = {_value(module)};\n"
        else:
            imports = _import(module, _list_imports(module, text), self.homes)
            text = imports + _take_out(module, text, self.homes)
        return text.encode()


def join_page(page: str, read: Read, has: Has) -> JoinedPage | None:
    """Returns this page joined; None where its files are written in a way that is not known here. Raises OSError."""
    read = cache(read)  # one text of each file, also where it is edited meanwhile
    document = _EARLY.sub(lambda early: early[0] if has(early[1]) else "", read(f"{page}.html"))
    files: dict[str, str] = {}
    homes: dict[str, str] = {}
    plain = {name: _NEWLINE.sub("\n", read(name)) for name in _PLAIN.findall(document)}
    try:
        if any("</script" in text or "<!--" in text for text in plain.values()):
            raise _Unjoinable
        if (sheets := _SHEETS.search(document)) is not None:
            files[f"{page}.css"] = _join_sheets(_SHEET.findall(sheets[0]), read)
            link = f'  <link rel="stylesheet" href="joined/{page}/{page}.css">\n'
            document = document.replace(sheets[0], _tell(sheets[0]) + link)
        for script in _SCRIPT.finditer(document):
            root = script[2]
            modules = [each for each in _sort(root, read) if each not in homes]
            files[name := f"{basename(root)}.all.js"] = _join_scripts(modules, homes, read)
            homes |= dict.fromkeys(modules, name)
    except _Unjoinable:
        return None
    document = _PLAIN.sub(lambda script: f"<script>{plain[script[1]]}</script>", document)
    scripts = "".join(script[0] for script in _SCRIPT.finditer(document))
    document = _SCRIPT.sub(lambda script: f'{script[1]}joined/{page}/{basename(script[2])}.all.js"', document)
    files[f"{page}.html"] = document.replace("</head>", f"{_tell(scripts)}</head>", 1)
    hashes = tuple(f"sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}" for text in plain.values())
    return JoinedPage({name: text.encode() for name, text in files.items()}, homes, hashes)


def _tell(asked: str) -> str:
    """Returns a comment for who reads the source: which files are joined."""
    return f"  <!-- joined: {' '.join(_FILE.findall(asked))} -->\n"


def _join_sheets(names: Sequence[str], read: Read) -> str:
    texts = [read(name) for name in names]
    if any(_AT_THE_TOP.search(text) for text in texts):
        raise _Unjoinable
    return "\n".join(texts)


def _join_scripts(modules: Sequence[str], homes: Mapping[str, str], read: Read) -> str:
    """Returns these modules, each behind those that it imports, as one; `homes` are the earlier ones."""
    texts = {each: read(f"{each}.js") for each in modules}
    known = dict.fromkeys(modules, "") | dict(homes)
    blocks = []
    for module, text in texts.items():
        body = _EXPORT.sub("", _move(module, _take_out(module, _COMMENT.sub("", text), known)))
        if _OTHER.search(body) or not all(
            _has(read(f"{_find(module, each)}.js"), names) for names, each in _IMPORT.findall(text)
        ):
            raise _Unjoinable
        value, exported = _value(module), ", ".join(_EXPORT.findall(text))
        blocks.append(f"let {value};\n{{\n{body}\n{value} = {{ {exported} }};\n}}\n")
    earlier = {each for module, text in texts.items() for each in _list_imports(module, text)} - texts.keys()
    return _import("", earlier, homes) + "".join(blocks) + f"export {{ {', '.join(map(_value, modules))} }};\n"


def _sort(root: str, read: Read) -> Iterator[str]:
    """Yields a module behind those that it imports, in the order in which a browser evaluates them."""
    done: set[str] = set()

    def visit(module: str, importing: tuple[str, ...]) -> Iterator[str]:
        if module in importing:
            raise _Unjoinable
        if module not in done:
            for each in _list_imports(module, read(f"{module}.js")):
                yield from visit(each, (*importing, module))
            done.add(module)
            yield module

    return visit(root, ())


def _has(text: str, names: str) -> bool:
    """Returns whether a script exports all that is imported with these words."""
    return {each.split()[0] for each in names.split(",") if each.strip()} <= {*_EXPORT.findall(text)}


def _list_imports(module: str, text: str) -> list[str]:
    return [_find(module, each) for _, each in _IMPORT.findall(text)]


def _find(module: str, address: str) -> str:
    """Returns the module at this address, as one that may be in a folder imports it."""
    return normpath(join(dirname(module), address))


def _move(module: str, text: str) -> str:
    """Returns a script that imports later what it did, once it is not in its folder any more."""
    return _LATER.sub(lambda found: f"{found[1]}./{_find(module, found[2])}", text)


def _import(importing: str, modules: Iterable[str], homes: Mapping[str, str]) -> str:
    """Returns what imports these modules from the files that have them; others are passed over."""
    found: dict[str, list[str]] = {}
    for module in sorted({*modules} & homes.keys()):
        found.setdefault(homes[module], []).append(_value(module))
    up = "../" if "/" in importing else "./"
    return "".join(f'import {{ {", ".join(values)} }} from "{up}{home}";\n' for home, values in found.items())


def _take_out(importing: str, text: str, known: Mapping[str, str]) -> str:
    """Returns this script, which takes what it imports out of the values of the modules that are known."""

    def take(found: re.Match[str]) -> str:
        names, module = found[1].replace(" as ", ": "), _find(importing, found[2])
        return f"const {{{names}}} = {_value(module)};" if module in known else found[0]

    return _IMPORT.sub(take, text)


def _value(module: str) -> str:
    """Returns what the value of a module is called."""
    return f"module_{module.replace('/', '$')}"
