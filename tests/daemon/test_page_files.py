"""The files of the page: sent once, and again only when they are other ones."""

from __future__ import annotations

import gzip
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest
from yarl import URL

from daemon.http.limits import ConnectionLimit
from daemon.http.messages import HttpRequest, HttpResponse, find_route
from daemon.web.page_files import FOLDER, PAGES, TYPES, PageFiles
from tests.daemon.serving import serve_http

PLAIN = {"Accept-Encoding": "identity"}
ZIPPED = {"Accept-Encoding": "gzip, deflate, br"}


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[aiohttp.ClientSession]:
    """A page of two files."""
    (tmp_path / "index.html").write_text("<!doctype html>" + "<p>Bull’s eye</p>" * 100, encoding="utf-8")
    (tmp_path / "app.js").write_text("export {};\n", encoding="utf-8")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "part.js").write_text("export const part = 1;\n", encoding="utf-8")
    routes = PageFiles(tmp_path).routes

    async def respond(request: HttpRequest) -> HttpResponse:
        return await find_route(routes, request).respond(request)

    async with (
        serve_http(respond, ConnectionLimit(each=9, most=9)) as port,
        aiohttp.ClientSession(f"http://127.0.0.1:{port}/", auto_decompress=False) as site,
    ):
        yield site


async def test_a_file_is_sent_in_the_form_that_was_asked_for(site: aiohttp.ClientSession, tmp_path: Path) -> None:
    source = (tmp_path / "index.html").read_bytes()
    async with site.get("/", headers=PLAIN) as plain, site.get("/", headers=ZIPPED) as zipped:
        assert await plain.read() == source
        assert gzip.decompress(await zipped.read()) == source
        assert "Content-Encoding" not in plain.headers
        assert int(zipped.headers["Content-Length"]) < len(source) / 5
        assert plain.headers["ETag"] != zipped.headers["ETag"], "other bytes are another version"
        assert plain.headers["Content-Type"] == zipped.headers["Content-Type"] == "text/html; charset=utf-8"
        assert zipped.headers["Vary"] == "Accept-Encoding"
    async with site.get("/static/app.js") as answer:
        assert answer.content_type == "text/javascript"


async def test_documents_with_the_players_may_use_the_microphone(site: aiohttp.ClientSession, tmp_path: Path) -> None:
    allowed = {}
    for page in PAGES:
        (tmp_path / f"{page}.html").write_text("<!doctype html>", encoding="utf-8")
        async with site.get("/" if page == "index" else f"/{page}") as answer:
            allowed[page] = "microphone=(self)" in answer.headers["Permissions-Policy"]
    assert allowed == {
        "index": False,
        "history": True,
        "settings": True,
        "guide": False,
        "stream": False,
        "take_home": False,
        "story": False,
        "tournament": False,
        "camera": False,
    }


async def test_the_typeface_is_sent_as_it_is_and_named_once_it_is_made(
    site: aiohttp.ClientSession, tmp_path: Path
) -> None:
    early = '<link rel="preload" href="static/typeface.woff" as="font" crossorigin>\n'
    (tmp_path / "index.html").write_text(f"<head>\n{early}</head>", encoding="utf-8")
    async with site.get("/") as document:
        assert "typeface" not in gzip.decompress(await document.read()).decode()
    (tmp_path / "typeface.woff").write_bytes(b"wOFF" * 100)
    async with site.get("/") as document, site.get("/static/typeface.woff", headers=ZIPPED) as font:
        assert early in gzip.decompress(await document.read()).decode()
        assert font.headers["Content-Type"] == "font/woff"
        assert "Content-Encoding" not in font.headers
        assert await font.read() == b"wOFF" * 100
    async with site.get("/static/typeface.woff", headers={"If-None-Match": font.headers["ETag"]}) as again:
        assert again.status == 304


@pytest.mark.parametrize("form", [PLAIN, ZIPPED])
async def test_an_unchanged_file_is_not_sent_again_and_an_edited_one_is(
    site: aiohttp.ClientSession, tmp_path: Path, form: dict[str, str]
) -> None:
    async with site.get("/static/app.js", headers=form) as answer:
        tag = answer.headers["ETag"]
    for known in (tag, f'"other", {tag}', f"W/{tag}", "*"):
        async with site.get("/static/app.js", headers={**form, "If-None-Match": known}) as answer:
            assert (answer.status, await answer.read(), answer.headers["ETag"]) == (304, b"", tag)
    for other in ('"other"', "nonsense", ""):
        async with site.get("/static/app.js", headers={**form, "If-None-Match": other}) as answer:
            assert answer.status == 200
    (tmp_path / "app.js").write_text("export default 1;\n", encoding="utf-8")
    async with site.get("/static/app.js", headers={**form, "If-None-Match": tag}) as answer:
        body = await answer.read()
        assert (answer.status, gzip.decompress(body) if form is ZIPPED else body) == (200, b"export default 1;\n")
    (tmp_path / "app.js").unlink()
    async with site.get("/static/app.js", headers=form) as answer:
        assert answer.status == 404


async def test_a_file_in_a_folder_has_its_own_address_and_is_of_the_version(
    site: aiohttp.ClientSession, tmp_path: Path
) -> None:
    async with site.get("/static/folder/part.js", headers=PLAIN) as answer:
        assert await answer.text() == "export const part = 1;\n"
    version = PageFiles(tmp_path).read_version()
    (tmp_path / "folder" / "part.js").write_text("export const part = 22;\n", encoding="utf-8")
    assert PageFiles(tmp_path).read_version() != version
    async with site.get("/static/folder/part.js", headers=PLAIN) as answer:
        assert await answer.text() == "export const part = 22;\n"


NOT_THERE = [
    *("no.js", "folder", "..%2fcli.py", "%2e%2e", "%00", "app.js%00", ".hidden", "folder%2Fpart.js", "folder/no.js"),
    *("folder/..%2fapp.js", "%2e%2e/app.js", "%2e/app.js", "folder/%2e%2e", ".hidden/part.js", "games/de.json"),
    *("folder/folder/part.js", "folder/", "/part.js"),
]


@pytest.mark.parametrize("name", NOT_THERE)
async def test_what_is_not_in_the_folder_is_not_there(site: aiohttp.ClientSession, name: str) -> None:
    async with site.get(URL(f"/static/{name}", encoded=True)) as answer:
        assert answer.status == 404


async def test_a_page_is_sent_joined_and_what_is_edited_is_joined_anew(
    site: aiohttp.ClientSession, tmp_path: Path
) -> None:
    document = '<head>\n<script type="module" src="static/app.js"></script>\n</head>\n'
    (tmp_path / "index.html").write_text(document, encoding="utf-8")
    (tmp_path / "app.js").write_text('import { one } from "./one.js";\nwindow.found = one;\n', encoding="utf-8")
    (tmp_path / "one.js").write_text("export const one = 1;\n", encoding="utf-8")
    async with site.get("/", headers=PLAIN) as answer:
        assert 'src="joined/index/app.all.js"' in await answer.text()
    async with site.get("/joined/index/app.all.js", headers=PLAIN) as plain:
        assert plain.content_type == "text/javascript"
        assert "const one = 1;" in await plain.text()
    async with site.get("/joined/index/app.all.js", headers=ZIPPED) as zipped:
        assert gzip.decompress(await zipped.read()).decode() == await plain.text()
        tag = zipped.headers["ETag"]
    async with site.get("/joined/index/app.all.js", headers={**ZIPPED, "If-None-Match": tag}) as answer:
        assert answer.status == 304
    async with site.get("/static/app.js", headers=PLAIN) as answer:
        assert await answer.read() == (tmp_path / "app.js").read_bytes()
    (tmp_path / "one.js").write_text("export const one = 22;\n", encoding="utf-8")
    async with site.get("/joined/index/app.all.js", headers={**ZIPPED, "If-None-Match": tag}) as answer:
        assert "const one = 22;" in gzip.decompress(await answer.read()).decode()
    (tmp_path / "one.js").write_bytes(b"\xff")
    async with site.get("/", headers=PLAIN) as answer:
        assert await answer.text() == document, "as it is, where it cannot be joined"
    async with site.get("/joined/index/app.all.js") as answer:
        assert answer.status == 404


async def test_a_view_for_a_stream_has_a_document_of_its_own(site: aiohttp.ClientSession, tmp_path: Path) -> None:
    """At the address of the first page, which would be heavier with it; each is compressed once."""
    (tmp_path / "stream.html").write_text("<!doctype html><p>stream</p>", encoding="utf-8")
    for headers in (PLAIN, ZIPPED):
        for view in ("overlay", "announcer", "tables"):
            async with site.get(f"/?table=main&view={view}", headers=headers) as answer:
                found = await answer.read()
                assert b"<p>stream</p>" in (found if headers is PLAIN else gzip.decompress(found))
        for query in ("", "?view=wall", "?view=over"):
            async with site.get(f"/{query}", headers=headers) as answer:
                found = await answer.read()
                assert b"eye</p>" in (found if headers is PLAIN else gzip.decompress(found))
    async with site.get("/stream") as answer:
        assert answer.status == 404


async def test_a_script_within_a_document_may_run_there_and_nowhere_else(
    site: aiohttp.ClientSession, tmp_path: Path
) -> None:
    async with site.get("/") as answer:
        assert "script-src 'self';" in answer.headers["Content-Security-Policy"], "it is not joined, and has none"
    document = '<head>\n<script src="static/app.js"></script>\n</head>\n'
    (tmp_path / "index.html").write_text(document, encoding="utf-8")
    async with site.get("/", headers=PLAIN) as answer:
        assert "<script>export {};\n</script>" in await answer.text()
        policy, tag = answer.headers["Content-Security-Policy"], answer.headers["ETag"]
        assert "script-src 'self' 'sha256-" in policy
    async with site.get("/", headers={**PLAIN, "If-None-Match": tag}) as answer:
        assert (answer.status, answer.headers["Content-Security-Policy"]) == (304, policy), "a browser takes the newest"
    (tmp_path / "app.js").write_text("other();\n", encoding="utf-8")
    async with site.get("/") as answer:
        assert "'sha256-" in answer.headers["Content-Security-Policy"] != policy
    async with site.get("/no", headers=PLAIN) as answer:
        assert "'sha256-" not in answer.headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    "path", ["no/app.all.js", "index/no.js", "index/index.html", "index/..%2fcli.py", "static/app.js"]
)
async def test_what_is_not_of_a_page_is_not_joined(site: aiohttp.ClientSession, path: str) -> None:
    async with site.get(URL(f"/joined/{path}", encoded=True)) as answer:
        assert answer.status == 404


def test_every_file_of_the_page_has_a_type() -> None:
    assert {path.suffix for path in FOLDER.glob("**/*.*")} <= TYPES.keys()
