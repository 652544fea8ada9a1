"""The files of the page: each is read and compressed once, and sent only to a client that has another version of it.

A browser asks for every file at every visit (`no-cache`: a new version must be seen at once), so what matters on a
small machine is the answer that nothing has changed. A file that was edited is read again: to look at the disk costs
microseconds.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import re
from pathlib import Path
from typing import NamedTuple

from daemon import languages
from daemon.http.messages import HttpRequest, HttpResponse, Route, accepts_gzip, answer_text

FOLDER = Path(__file__).parent / "page"
TYPES = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".json": "application/json",
    ".txt": "text/plain",
}
_NAME = re.compile(r"\w[\w.-]*", re.ASCII)
_LEVEL = 9


class _PageFile(NamedTuple):
    """A file as it is sent; `stamp` is another one once it was edited."""

    stamp: tuple[int, int]
    tag: str
    plain: bytes


class PageFiles:
    """The files of this folder, and those of the languages."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self._folder = folder
        self._kept: dict[str, _PageFile] = {}
        self._zipped: dict[str, tuple[str, bytes]] = {}
        """By name: the tag of the file, and the file compressed."""
        self.routes = [
            Route("GET", path, self._send, "nothing")
            for path in ("/", "/history", "/settings", "/guide", "/static/{file}")
        ]

    def read_version(self) -> str:
        """Returns what changes with every file: a page that was loaded before an update should be loaded anew."""
        names = sorted(path.name for folder in (self._folder, languages.FOLDER) for path in folder.iterdir())
        tags = [file.tag for name in names if (file := self._file(name)) is not None]
        return hashlib.sha256(" ".join(tags).encode()).hexdigest()[:20]

    async def _send(self, request: HttpRequest) -> HttpResponse:
        name = request.params.get("file") or f"{request.path.removeprefix('/') or 'index'}.html"
        file = await asyncio.to_thread(self._file, name)
        if file is None:
            raise answer_text(404, "there is no such file")
        is_zipped = accepts_gzip(request.header("accept-encoding"))
        tag = f"{file.tag}-gzip" if is_zipped else file.tag  # a strong tag: the same for the same bytes only
        kind = TYPES.get(Path(name).suffix, "application/octet-stream")
        response = HttpResponse(await self._zip(name, file) if is_zipped else file.plain, f"{kind}; charset=utf-8")
        response.headers |= {"ETag": f'"{tag}"', "Vary": "Accept-Encoding"}
        known = request.header("if-none-match")
        if known.strip() == "*" or f'"{tag}"' in known:
            response.status = 304
        elif is_zipped:
            response.headers["Content-Encoding"] = "gzip"
        return response

    async def _zip(self, name: str, file: _PageFile) -> bytes:
        """Compresses it once, in a thread, which holds up no dart."""
        tag, zipped = self._zipped.get(name, ("", b""))
        if tag != file.tag:
            zipped = await asyncio.to_thread(gzip.compress, file.plain, _LEVEL, mtime=0)
            self._zipped[name] = file.tag, zipped
        return zipped

    def _file(self, name: str) -> _PageFile | None:
        path = (languages.FOLDER if name.endswith(".json") else self._folder) / name
        if not _NAME.fullmatch(name):
            return None
        try:
            found = path.stat()
            stamp = found.st_mtime_ns, found.st_size
            kept = self._kept.get(name)
            if kept is None or kept.stamp != stamp:
                plain = path.read_bytes()
                if path.parent == languages.FOLDER and path.stem in languages.LANGUAGES:
                    plain = languages.add_sentences(plain, path.stem)
                tag = hashlib.sha256(plain).hexdigest()[:20]
                kept = self._kept[name] = _PageFile(stamp, tag, plain)
        except OSError:
            return None
        return kept
