"""The files of the page: each is read and compressed once, and sent only to a client that has another version of it.

A browser asks for every file at every visit (`no-cache`: a new version must be seen at once), so what matters on a
small machine is the answer that nothing has changed, and that there are few: what a page needs at first is joined
(joined_files.py). A file that was edited is read again: to look at the disk costs microseconds.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import re
from pathlib import Path

from msgspec import Struct

from daemon import languages
from daemon.http.messages import (
    HttpRequest,
    HttpResponse,
    HttpRoute,
    accepts_gzip,
    answer_text,
    write_permissions,
    write_policy,
)
from daemon.web.joined_files import JoinedPage, join_page

PAGES = ("index", "history", "settings", "guide", "stream", "take_home", "story", "camera", "tournament")
STREAM_VIEWS = ("overlay", "announcer", "tables")
"""Those in the address of the first page that have a document of their own, so that it stays as light as it is."""
FOLDER = Path(__file__).parent / "page"
TYPES = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".woff": "font/woff",
    ".json": "application/json",
    ".txt": "text/plain",
}
_NAME = re.compile(r"\w[\w.-]*", re.ASCII)
_LEVEL = 9
_JOINED = (".css", ".js")
_COMPRESSED = (".woff",)
"""What is no text, and gains nothing."""


class _PageFile(Struct, frozen=True):
    """A file as it is sent; `stamp` is another one once it was edited. `hashes` are those of scripts within it."""

    stamp: tuple[int, int]
    tag: str
    plain: bytes
    hashes: tuple[str, ...] = ()


class _Joined(Struct, frozen=True):
    """A page joined, None where that cannot be; `tags` are those of the files that it is made of, by name.

    `sent` are its files as they were sent last, by name.
    """

    page: JoinedPage | None
    tags: dict[str, str]
    sent: dict[str, _PageFile]


class PageFiles:
    """The files of this folder, and those of the languages."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self._folder = folder
        self._kept: dict[str, _PageFile] = {}
        self._zipped: dict[tuple[str, str], tuple[str, bytes]] = {}
        """By address and name: the tag of the file, and the file compressed."""
        self._joined: dict[str, _Joined] = {}
        pages = ("/", *(f"/{page}" for page in PAGES if page not in {"index", "stream"}))
        files = [f"{place}/{file}" for place in ("static", "joined/{page}") for file in ("{file}", "{folder}/{file}")]
        self.routes = [
            HttpRoute("GET", path, self._send, "nothing") for path in (*pages, *(f"/{file}" for file in files))
        ]

    def read_version(self) -> str:
        """Returns what changes with every file: a page that was loaded before an update should be loaded again."""
        names = sorted(
            path.relative_to(folder).as_posix()
            for folder, depth in ((self._folder, "**/*"), (languages.FOLDER, "*"))
            for path in folder.glob(depth)
        )
        tags = [file.tag for name in names if (file := self._file(name)) is not None]
        return hashlib.sha256(" ".join(tags).encode()).hexdigest()[:20]

    async def _send(self, request: HttpRequest) -> HttpResponse:
        steps = [request.params[step] for step in ("folder", "file") if step in request.params]
        if not all(_NAME.fullmatch(step) for step in steps):
            raise answer_text(404, "there is no such file")
        name = "/".join(steps) or f"{_name_page(request)}.html"
        file = await asyncio.to_thread(self._find, request, name)
        if file is None:
            raise answer_text(404, "there is no such file")
        is_text = Path(name).suffix not in _COMPRESSED
        is_zipped = is_text and accepts_gzip(request.header("accept-encoding"))
        tag = f"{file.tag}-gzip" if is_zipped else file.tag  # a strong tag: the same for the same bytes only
        kind = TYPES.get(Path(name).suffix, "application/octet-stream")
        response = HttpResponse(
            await self._zip((request.path, name), file) if is_zipped else file.plain,
            f"{kind}; charset=utf-8" if is_text else kind,
        )
        response.headers |= {"ETag": f'"{tag}"', "Vary": "Accept-Encoding"}
        if file.hashes:
            response.headers["Content-Security-Policy"] = write_policy(*file.hashes)
        if name in ("history.html", "settings.html"):  # both have the players, who record their names there
            response.headers["Permissions-Policy"] = write_permissions("microphone")
        if name == "camera.html":
            response.headers |= {
                "Permissions-Policy": write_permissions("camera"),
                "Content-Security-Policy": write_policy(*file.hashes, framed="'none'"),
                "X-Frame-Options": "DENY",
            }
        known = request.header("if-none-match")
        if known.strip() == "*" or f'"{tag}"' in known:
            response.status = 304
        elif is_zipped:
            response.headers["Content-Encoding"] = "gzip"
        return response

    async def _zip(self, key: tuple[str, str], file: _PageFile) -> bytes:
        """Compresses it once, in a thread, which holds up no dart."""
        tag, zipped = self._zipped.get(key, ("", b""))
        if tag != file.tag:
            zipped = await asyncio.to_thread(gzip.compress, file.plain, _LEVEL, mtime=0)
            self._zipped[key] = file.tag, zipped
        return zipped

    def _find(self, request: HttpRequest, name: str) -> _PageFile | None:
        """Returns the file that is asked for; None where there is none."""
        page = request.params.get("page")
        if "file" not in request.params:
            return self._join(_name_page(request), name)
        if page is None:
            return self._file(name)
        return self._join(page, name) if page in PAGES and Path(name).suffix in _JOINED else None

    def _file(self, name: str) -> _PageFile | None:
        folder, _, file = name.rpartition("/")
        if not _NAME.fullmatch(file) or (folder and not _NAME.fullmatch(folder)):
            return None
        path = (languages.FOLDER if file.endswith(".json") and not folder else self._folder) / name
        try:
            found = path.stat()
            stamp = found.st_mtime_ns, found.st_size
            kept = self._kept.get(name)
            if kept is None or kept.stamp != stamp:
                plain = path.read_bytes()
                if path.parent == languages.FOLDER and path.stem in languages.LANGUAGES:
                    plain = languages.add_sentences(plain, path.stem)
                tag = _make_tag(plain)
                kept = self._kept[name] = _PageFile(stamp, tag, plain)
        except OSError:
            return None
        return kept

    def _join(self, page: str, name: str) -> _PageFile | None:
        """Returns a file of a page as it is joined, the document itself among them; None where there is none."""
        joined = self._joined.get(page)
        if joined is None or any(self._read_tag(each) != tag for each, tag in joined.tags.items()):
            tags: dict[str, str] = {}
            try:
                made = join_page(page, lambda each: self._read(each, tags), lambda each: self._has(each, tags))
            except (OSError, UnicodeDecodeError):
                made = None
            joined = self._joined[page] = _Joined(made, tags, {})
        if joined.page is None:
            return self._file(name) if name == f"{page}.html" else None
        try:
            plain = joined.page.find(name, lambda each: self._read(each, {}))
        except (OSError, UnicodeDecodeError):
            return None
        sent = joined.sent.get(name)
        if sent is None or sent.plain != plain:
            hashes = joined.page.hashes if name == f"{page}.html" else ()
            sent = joined.sent[name] = _PageFile((0, 0), _make_tag(plain), plain, hashes)
        return sent

    def _read(self, name: str, tags: dict[str, str]) -> str:
        """Returns the text of a file, and puts its tag there. Raises FileNotFoundError."""
        file = self._file(name)
        tags[name] = "" if file is None else file.tag
        if file is None:
            raise FileNotFoundError(name)
        return file.plain.decode()

    def _has(self, name: str, tags: dict[str, str]) -> bool:
        """Returns whether there is a file, and puts its tag there."""
        tags[name] = self._read_tag(name)
        return bool(tags[name])

    def _read_tag(self, name: str) -> str:
        file = self._file(name)
        return "" if file is None else file.tag


def _name_page(request: HttpRequest) -> str:
    is_stream = request.path == "/" and request.query.get("view") in STREAM_VIEWS
    return "stream" if is_stream else request.path.removeprefix("/") or PAGES[0]


def _make_tag(plain: bytes) -> str:
    return hashlib.sha256(plain).hexdigest()[:20]
