"""The settings on the web, for clients with the role "setup": what is so, changes, and new tokens.

    GET  /api/settings           what is written and what it comes to, the form, and whether it can be changed
    POST /api/settings           {"version": "…", "changes": [{"path": ["table", 0, "takeout"], "value": "timer"}]}
    POST /api/settings/revert    {"version": "…"}: takes back the last change
    POST /api/settings/restore   {"version": "…", "restore": "restore-…", "parts": ["config", "state"]}: of a backup
    POST /api/settings/broker    {"version": "…", "changes": […]}: what `oche doctor` says of the broker that is typed
    POST /api/settings/token     {"role": "play"}: another token of the page, or of the setup; the former one ends

A change is answered before the daemon starts anew with it. What is refused has the path of the value to blame. No
secret is ever returned, but for a token that was made just now.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Struct

from daemon.admin.news import read_news
from daemon.admin.own_commands import read_command
from daemon.admin.settings.file import Part, Prepare, SettingsFile
from daemon.admin.settings.form import make_form
from daemon.admin.settings.toml_edit import Change
from daemon.admin.settings.write import SettingsChanged, SettingsHalfWritten
from daemon.config.credentials import find_secret
from daemon.config.sections import Config, Web
from daemon.errors import UserError
from daemon.http.addresses import format_host_port, is_any, is_loopback
from daemon.http.messages import HttpRequest, HttpResponse, Route, read_body, respond_error, respond_json
from daemon.plugins.loader import list_statuses
from daemon.release import read_version
from daemon.rules import Guard
from daemon.web.auth import Auth
from daemon.web.public_url import PublicUrl
from daemon.web.qr_code import draw_qr_code
from daemon.web.token import (
    CREDENTIAL,
    drop_token,
    locate_setup_hash,
    locate_token_hash,
    make_setup_token,
    make_token,
)
from drivers.rate_limit import Rate, RateLimit
from engine.games import GAMES, PRESETS, ROUTINES
from protocol.codebook import list_profiles
from protocol.sentence import Sentence, get_reason, say, write_sentence
from protocol.source import SourceError

_TESTS = Rate(6, 0.1)
"""How often a broker may be tried: often enough for a person; each takes a process of its own."""
_TEST_S = 60.0


class _Changes(Struct, forbid_unknown_fields=True):
    version: str
    changes: list[Change] = []
    password: str | None = None
    """The broker's."""


class _Version(Struct, forbid_unknown_fields=True):
    version: str


class _Restore(Struct, forbid_unknown_fields=True):
    version: str
    restore: str
    """The name that POST /api/care/restore has told."""
    parts: Annotated[list[Part], msgspec.Meta(min_length=1)]


class _Wanted(Struct, forbid_unknown_fields=True):
    role: Literal["play", "setup"]


class SettingsPages:
    """What the settings page asks for; `folder` is that of the state."""

    def __init__(self, settings: SettingsFile, auth: Auth, folder: Path, guard: Guard) -> None:
        self._settings = settings
        self._auth = auth
        self._folder = folder
        self._guard = guard
        self._start = secrets.token_hex(4)
        self._tests = RateLimit(_TESTS)
        self._is_testing = False
        self.routes = [
            Route("GET", "/api/settings", self._get),
            Route("POST", "/api/settings", self._change),
            Route("POST", "/api/settings/revert", self._revert),
            Route("POST", "/api/settings/restore", self._restore),
            Route("POST", "/api/settings/broker", self._test_broker),
            Route("POST", "/api/settings/token", self._make_token),
        ]

    async def _get(self, request: HttpRequest) -> HttpResponse:
        settings = self._settings
        async with settings.writing:
            read = await asyncio.to_thread(self._read)
        notice = settings.notice
        found = {
            "v": 1,
            "run": self._start,
            "oche": read_version(),
            "file": str(settings.file),
            **read,
            "notice": None if notice is None else write_sentence(notice),
            "needs_token": self._auth.needs_token,
            "effective": msgspec.to_builtins(settings.running),
            "form": make_form(),
            "plugins": [
                {"name": name, "where": where, "reason": write_sentence(said) if said else None}
                for name, where, said in list_statuses(self._guard)
            ],
            "choices": {
                "game": [*GAMES, *PRESETS, *ROUTINES],
                "exercises": [*GAMES, *PRESETS],
                "profile": list_profiles(),
            },
        }
        return respond_json(found, accepted=request.header("accept-encoding"))

    def _read(self) -> dict[str, Any]:  # Any: JSON
        """Returns what is in the file, and what can be done with it."""
        settings = self._settings
        trouble: str | Sentence | None = settings.trouble
        try:
            version, written = settings.read()[1], settings.read_values()
            can_revert, runs_with_file = settings.can_revert, settings.runs_with_file
        except UserError as error:
            version, written, trouble, can_revert, runs_with_file = "", {}, error.said, False, False
        return {
            "has_news": bool(read_news(self._folder)),
            "version": version,
            "trouble": None if trouble is None else write_sentence(trouble),
            "can_revert": can_revert,
            "runs_with_file": runs_with_file,
            "written": written,
        }

    async def _change(self, request: HttpRequest) -> HttpResponse:
        def save(prepare: Prepare) -> Awaitable[Config]:
            wanted = read_body(request.body, _Changes)
            return self._settings.save(wanted.version, wanted.changes, wanted.password, prepare)

        return await self._apply(request, save)

    async def _restore(self, request: HttpRequest) -> HttpResponse:
        def restore(prepare: Prepare) -> Awaitable[Config]:
            wanted = read_body(request.body, _Restore)
            return self._settings.restore(wanted.version, wanted.restore, wanted.parts, prepare)

        return await self._apply(request, restore)

    async def _apply(self, request: HttpRequest, change: Callable[[Prepare], Awaitable[Config]]) -> HttpResponse:
        """Makes a change and the tokens it needs; where it is refused they are dropped, for they were not shown."""
        tokens: list[dict[str, Any]] = []  # Any: JSON
        try:
            config = await change(partial(self._make_missing_tokens, tokens))
        except SettingsHalfWritten as error:  # the next start completes the change, which needs its tokens
            return _refuse(error)
        except (SettingsChanged, UserError, ValueError) as error:
            for each in tokens:
                await asyncio.to_thread(drop_token, self._auth.folder, each["role"])
            return _refuse(error)
        return await self._answer(request, config, tokens)

    async def _revert(self, request: HttpRequest) -> HttpResponse:
        try:
            config = await self._settings.revert(read_body(request.body, _Version).version)
        except (SettingsChanged, UserError, ValueError) as error:
            return _refuse(error)
        return await self._answer(request, config, [])

    async def _test_broker(self, request: HttpRequest) -> HttpResponse:
        """Answers with what `oche doctor` finds at the broker as it was typed; nothing is written."""
        try:
            wanted = read_body(request.body, _Changes)
            if any(change.path[:1] != ("mqtt",) for change in wanted.changes):
                raise ValueError("only changes of mqtt are tried at a broker")
            config = await self._settings.preview(wanted.version, wanted.changes, wanted.password)
        except (SettingsChanged, UserError, ValueError) as error:
            return _refuse(error)
        if self._is_testing or not self._tests.take(time.monotonic_ns()):
            said = say("settings.many_tests", "a broker was tried several times just now: try again in a moment")
            return respond_error(503, "busy", said, 10)
        self._is_testing = True
        typed = {"config": config, "running": self._settings.running.mqtt, "password": wanted.password}
        try:
            command, given = ("doctor", "--json", "--broker", "-"), msgspec.json.encode(typed)
            found = await read_command(*command, folder=self._folder, given=given, patience_s=_TEST_S)
        except (UserError, OSError) as error:
            return respond_error(503, "unavailable", get_reason(error))
        finally:
            self._is_testing = False
        return respond_json({"v": 1, "checks": [msgspec.Raw(line) for line in found.splitlines()]})

    async def _make_token(self, request: HttpRequest) -> HttpResponse:
        try:
            role = read_body(request.body, _Wanted).role
            web = self._settings.running.web
            if role == "play" and self._auth.own_token:
                raise ValueError(f"no token of the page is made here: {self._auth.own_token}")
            made = await asyncio.to_thread(self._describe_token, role, web)
        except (UserError, ValueError) as error:
            return _refuse(error)
        response = respond_json({"v": 1, "tokens": [made]})
        if role == "setup" and self._auth.needs_token:
            await self._auth.admit_setup(request, response)
        return response

    def _make_missing_tokens(self, made: list[dict[str, Any]], config: Config) -> None:  # Any: JSON
        """Adds the tokens that a page which is opened to others needs and has not. Raises UserError.

        They are made before anything is written: without a token nothing is opened.
        """
        folder, web = self._auth.folder, config.web
        if is_loopback(self._settings.running.web.host) and not is_loopback(web.host):
            if find_secret(CREDENTIAL, web.token_file) is None and not locate_token_hash(folder).exists():
                made.append(self._describe_token("play", web))
            if not locate_setup_hash(folder).exists():
                made.append(self._describe_token("setup", web))

    async def _answer(
        self,
        request: HttpRequest,
        config: Config,
        tokens: list[dict[str, Any]],  # Any: JSON
    ) -> HttpResponse:
        """Tells where the page will be, and the tokens that were made: this browser is let in where it needs one."""
        before, after, url = self._settings.running.web, config.web, None
        if before.host != after.host and not is_any(after.host):
            setup = "".join(f"#token={each['token']}" for each in tokens if each["role"] == "setup")
            url = f"http://{format_host_port(after.host, after.port)}/settings{setup}"
        told = {"v": 1, "run": self._start, "port": after.port, "url": url, "tokens": tokens}
        response = respond_json(told)
        if (before.host, before.port) != (after.host, after.port) and not is_loopback(after.host):
            await self._auth.admit_setup(request, response, after.port)
        return response

    def _describe_token(self, role: Literal["play", "setup"], web: Web) -> dict[str, Any]:  # Any: JSON
        token = (make_token if role == "play" else make_setup_token)(self._auth.folder)
        port = web.port or self._auth.public_url.port
        url = f"http://{PublicUrl(web.host, port, web.names).authority}/#token={token}"
        return {"role": role, "token": token, "url": url, "qr": draw_qr_code(url)}


def _refuse(error: Exception) -> HttpResponse:
    match error:
        case SettingsChanged():
            said = say("settings.changed", "the file was changed meanwhile, and nothing was written: look at it again")
            return respond_error(409, "changed", said)
        case UserError():
            return respond_error(503, "unavailable", error.said)
        case SourceError():
            return respond_error(400, "invalid", error.reason, path=error.path)
    return respond_error(400, "invalid", get_reason(error))
