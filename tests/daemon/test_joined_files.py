"""The files of a page are joined as they are, and each script is there once."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable

import pytest

from daemon.languages import LANGUAGES
from daemon.web.joined_files import join_page
from daemon.web.page_files import FOLDER, PAGES

DOCUMENT = """<head>
  <link rel="stylesheet" href="static/one.css">
  <link rel="stylesheet" href="static/two.css">
  <script type="module" src="static/first.js" blocking="render"></script>
  <script type="module" src="static/app.js"></script>
</head>
"""
FILES = {
    "index.html": DOCUMENT,
    "one.css": "b { color: red }",
    "two.css": "b { color: blue }",
    "store.js": "export const store = {};\n",
    "first.js": 'import { store } from "./store.js";\nexport function first() { return store; }\n',
    "view.js": 'import { store as kept } from "./store.js";\nexport const view = () => kept;\n',
    "app.js": (
        'import { first } from "./first.js";\nimport {\n  view,\n} from "./view.js";\n'
        'export async function more() { return import("./later.js"); }\nfirst();\nview();\n'
    ),
    "later.js": 'import { part } from "./part.js";\nimport { store } from "./store.js";\nexport const x = 1;\n',
    "part.js": "export const part = 1;\n",
}


IN_FOLDERS = {
    "index.html": '<head>\n  <script type="module" src="static/wall/wall.js"></script>\n</head>\n',
    "store.js": 'export const store = {};\nexport const open = () => import("./wall/later.js");\n',
    "wall/score.js": 'import { store } from "../store.js";\nexport const score = () => store;\n',
    "wall/wall.js": (
        'import { score } from "./score.js";\nimport { word } from "../words/words.js";\n'
        'word("de");\nscore();\nimport("./later.js");\nimport("../lobby/lobby.js");\n'
    ),
    "words/words.js": "export const word = (language) => import(`./words_${language}.js`);\n",
    "wall/later.js": (
        'import { store } from "../store.js";\nimport { part } from "../part.js";\nimport("./other.js");\n'
    ),
}


def reader(**changes: str) -> Callable[[str], str]:
    """Of these files, by their names without a dot."""
    files = FILES | {name.replace("_", "."): text for name, text in changes.items()}

    def read(name: str) -> str:
        try:
            return files[name]
        except KeyError:
            raise FileNotFoundError(name) from None

    return read


def is_never(name: str) -> bool:
    """None of what a document has fetched early is there."""
    return False


@pytest.mark.parametrize("is_made", [True, False])
def test_what_is_fetched_early_is_named_only_where_it_is_there(is_made: bool) -> None:
    early = '  <link rel="preload" href="static/letters.woff" as="font" crossorigin>\n'
    document = DOCUMENT.replace("<head>\n", f"<head>\n{early}")
    asked: list[str] = []

    def has(name: str) -> bool:
        asked.append(name)
        return is_made

    page = join_page("index", reader(index_html=document), has)
    assert page is not None
    assert page.files["index.html"].decode().count(early) == is_made
    assert asked == ["letters.woff"]


def test_a_page_asks_for_one_sheet_and_for_each_of_its_scripts_with_all_that_it_imports() -> None:
    page = join_page("index", reader(), is_never)
    assert page is not None
    document = page.files["index.html"].decode()
    assert document.count("<link") == document.count("joined/index/index.css") == 1
    assert '<script type="module" src="joined/index/first.all.js" blocking="render"></script>' in document
    assert '"static/one.css" "static/two.css"' in document, "the source says what was joined"
    sheet = page.files["index.css"].decode()
    assert sheet.index("red") < sheet.index("blue"), "the later one wins"
    first, app = (page.files[name].decode() for name in ("first.all.js", "app.all.js"))
    assert first.index("const store = {}") < first.index("function first"), "behind what it imports"
    assert "const store = {}" not in app, "a script is in one file only"
    assert "const { view, } = module_view;" in " ".join(app.split())
    assert "const { store: kept } = module_store;" in app
    assert 'import { module_first, module_store } from "./first.all.js";' in app
    assert 'import("./later.js")' in app
    assert page.homes == {"store": "first.all.js", "first": "first.all.js", "view": "app.all.js", "app": "app.all.js"}


def test_what_is_loaded_later_shares_the_scripts_of_the_page() -> None:
    page = join_page("index", reader(), is_never)
    assert page is not None
    assert page.find("store.js", reader()).decode() == (
        'import { module_store } from "./first.all.js";\nexport const { store } = module_store;\n'
    )
    assert page.find("later.js", reader()).decode() == (
        'import { module_store } from "./first.all.js";\nimport { part } from "./part.js";\n'
        "const { store } = module_store;\nexport const x = 1;\n"
    )
    assert page.find("part.js", reader()).decode() == FILES["part.js"]
    with pytest.raises(FileNotFoundError):
        page.find("nothing.js", reader())


def test_scripts_in_folders_import_from_where_they_are_joined_what_they_did() -> None:
    page = join_page("index", IN_FOLDERS.__getitem__, is_never)
    assert page is not None
    assert 'src="joined/index/wall.all.js"' in page.files["index.html"].decode()
    joined = page.files["wall.all.js"].decode()
    assert "const { store } = module_store;" in joined
    assert "const { score } = module_wall$score;" in joined
    for later in ('"./wall/later.js"', '"./lobby/lobby.js"', "`./words/words_${language}.js`"):
        assert f"import({later})" in joined
    assert page.find("wall/score.js", IN_FOLDERS.__getitem__).decode() == (
        'import { module_wall$score } from "../wall.all.js";\nexport const { score } = module_wall$score;\n'
    )
    assert page.find("wall/later.js", IN_FOLDERS.__getitem__).decode() == (
        'import { module_store } from "../wall.all.js";\nconst { store } = module_store;\n'
        'import { part } from "../part.js";\nimport("./other.js");\n'
    )


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_a_script_that_is_no_module_is_within_the_document(newline: str) -> None:
    """What looks after the others has to be there whatever does not come. Browsers hash newlines as their own."""
    document = FILES["index.html"].replace("<head>\n", '<head>\n  <script src="static/plain.js"></script>\n')
    page = join_page(
        "index", reader(index_html=document, plain_js=f"// Bull’s eye{newline}found();{newline}"), is_never
    )
    assert page is not None
    _, _, rest = page.files["index.html"].decode().partition("  <script>")
    text, _, rest = rest.partition("</script>")
    assert text == "// Bull’s eye\nfound();\n"
    assert page.hashes == (f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}",)
    assert 'src="joined/index/app.all.js"' in rest
    for other in ("found('</script>');\n", "found('<!--');\n"):
        assert join_page("index", reader(index_html=document, plain_js=other), is_never) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"view_js": 'import { app } from "./app.js";\nexport const view = 1;\n'},
        {"view_js": "export default 1;\nexport const view = 1;\n"},
        {"view_js": "const view = 1;\nexport { view };\n"},
        {"view_js": 'export * from "./store.js";\nexport const view = 1;\n'},
        {"view_js": "export const other = 1, view = 2;\n"},
        {"view_js": 'import * as all from "./store.js";\nexport const view = all;\n'},
        {"view_js": 'import "./store.js";\nexport const view = 1;\n'},
        {"two_css": '@import "one.css";\n'},
    ],
)
def test_what_is_written_in_another_way_is_not_joined(changes: dict[str, str]) -> None:
    assert join_page("index", reader(**changes), is_never) is None


@pytest.mark.parametrize("name", PAGES)
def test_every_page_is_written_so_that_it_can_be_joined(name: str) -> None:
    page = join_page(name, lambda each: (FOLDER / each).read_text(encoding="utf-8"), is_never)
    assert page is not None
    assert page.files.keys() > {f"{name}.html", f"{name}.css", "preferences.all.js"}
    assert "<script>/* A part of the page that did not come" in page.files[f"{name}.html"].decode()


def test_each_file_is_read_once_for_a_page() -> None:
    """An edit between two readings would be in one part of what is joined, and not in another."""
    asked: list[str] = []

    def read(name: str) -> str:
        asked.append(name)
        return (FOLDER / name).read_text(encoding="utf-8")

    assert join_page("index", read, is_never) is not None
    assert len(asked) == len(set(asked))


def test_the_files_of_words_import_nothing() -> None:
    """Scripts await them before they have run, and what they imported would wait for those."""
    files = [file for language in LANGUAGES for file in FOLDER.glob(f"**/*_{language}.js")]
    assert len(files) >= len(LANGUAGES)
    imports = re.compile(r"^import\b|\bimport\(", re.MULTILINE)
    assert not [file.name for file in files if imports.search(file.read_text(encoding="utf-8"))]
