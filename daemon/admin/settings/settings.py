"""The settings: what is so, changes, and new tokens.

A change is answered before the daemon restarts with it. What is refused has the path of the value to blame. No
secret in a file is ever returned, but for a token that was made just now. Addresses and headers of web hooks are part
of the configuration, and are returned as they are written.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any, Literal, Protocol, cast

import msgspec

from daemon.admin import requests
from daemon.admin.answers import Checks, Json, Refused, SetupGrant
from daemon.admin.news import read_news
from daemon.admin.process import TypedBroker, WorkerProcess
from daemon.admin.requests import ASKED, Change
from daemon.admin.settings.board_tokens import has_tokens
from daemon.admin.settings.form import make_form
from daemon.admin.settings.known_boards import list_known_boards
from daemon.admin.settings.settings_file import Prepare, SettingsFile
from daemon.admin.settings.write import SettingsChanged, SettingsHalfWritten, explain_refusals
from daemon.admin.turn import finish_in_turn
from daemon.config.credentials import find_secret
from daemon.config.lights import SCENES
from daemon.config.sections import Config, Web
from daemon.errors import UserError
from daemon.files import explain_errors
from daemon.http.addresses import format_host_port, is_any, is_loopback
from daemon.plugins.loader import list_statuses
from daemon.release import read_version
from daemon.remedies import suggest_in_daemon
from daemon.rules import Guard
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
from engine.games import GAMES, PRESETS, collect_routines
from protocol.codebook import list_profiles
from protocol.sentence import Sentence, say, write_sentence

_TESTS = Rate(6, 0.1)
"""How often a broker may be tried: often enough for a person; each takes a process of its own."""
_TEST_S = 60.0


class Admission(Protocol):
    """The people admitted to the page that is served, at `public_url`."""

    public_url: PublicUrl

    @property
    def needs_token(self) -> bool:
        """Whether a client needs a token."""

    @property
    def own_token(self) -> str:
        """Where the token of the page comes from, the end of a sentence; "" where it is one that oche has made."""


class Settings:
    """What is asked of the settings; `folder` is that of the state, which the tokens are kept in."""

    def __init__(
        self,
        settings: SettingsFile,
        admission: Admission,
        folder: Path,
        guard: Guard,
        worker: WorkerProcess,
    ) -> None:
        self._settings = settings
        self._admission = admission
        self._folder = folder
        self._guard = guard
        self._worker = worker
        self._tests = RateLimit(_TESTS)
        self._is_testing = False
        self._changing = asyncio.Lock()
        """Held while the file is changed and the tokens are made that the change needs, or dropped again."""

    async def ask(self, request: requests.SettingsRequest) -> object:
        """Returns the answer. Raises Refused, SourceError and UserError."""
        with explain_refusals():
            if ASKED[type(request)].changes:
                return await finish_in_turn(self._changing, partial(self._carry_out, request))
            return await self._carry_out(request)

    async def _carry_out(self, request: requests.SettingsRequest) -> object:
        settings = self._settings
        match request:
            case requests.ReadSettings():
                return await self._describe()
            case requests.ChangeSettings(version, changes, password):
                return await self._apply(partial(settings.save, version, changes, password))
            case requests.ChangeOptions():
                return await self._change_options(request)
            case requests.RevertSettings(version):
                return self._describe_change(await settings.revert(version), [])
            case requests.RestoreBackup(version, name, parts):
                return await self._apply(partial(settings.restore, version, name, parts))
            case requests.TryBroker():
                return await self._try_broker(request)
            case requests.MakeToken(role):
                return await self._make_token(role)

    async def _describe(self) -> Json:
        settings = self._settings
        async with settings.writing:
            read = await asyncio.to_thread(self._read)
        notice = settings.notice
        routines = collect_routines(each.routine() for each in settings.running.routine)
        return {
            "v": 1,
            "run": settings.run,
            "oche": read_version(),
            "file": str(settings.file),
            **read,
            "notice": None if notice is None else write_sentence(notice),
            "needs_token": self._admission.needs_token,
            "effective": msgspec.to_builtins(settings.running),
            "form": make_form(),
            "boards": list_known_boards(),
            "plugins": [
                {"name": name, "where": where, "reason": write_sentence(said) if said else None}
                for name, where, said in list_statuses(self._guard)
            ],
            "choices": {
                "game": [*GAMES, *PRESETS, *routines],
                "exercises": [*GAMES, *PRESETS],
                "profile": list_profiles(),
                "scene": [scene.name for scene in SCENES],
            },
        }

    def _read(self) -> Json:
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

    async def _apply(self, change: Callable[[Prepare], Awaitable[Config]]) -> Json | SetupGrant:
        """Makes a change and the tokens it needs; where it is refused they are dropped, for they were not shown."""
        tokens: list[Json] = []
        try:
            config = await change(partial(self._make_missing_tokens, tokens))
        except SettingsHalfWritten:  # the next start completes the change, which needs its tokens
            raise
        except (SettingsChanged, UserError, ValueError):
            for each in tokens:
                await asyncio.to_thread(drop_token, self._folder, each["role"])
            raise
        return self._describe_change(config, tokens)

    async def _change_options(self, wanted: requests.ChangeOptions) -> Json:
        """Changes the configuration. Without changes it is left as it is, and does not restart."""
        if has_tokens(wanted.changes):
            raise ValueError("board_token is only taken from the page: a broker may show it to others")
        _, version = await asyncio.to_thread(self._settings.read)
        if isinstance(wanted.version, str) and wanted.version != version:
            raise SettingsChanged
        if wanted.changes:
            changes = [Change(change.path, change.value) for change in wanted.changes]
            await self._settings.save(version, changes, prepare=self._check_opening)
            _, version = await asyncio.to_thread(self._settings.read)
        return {"version": version}

    def _check_opening(self, config: Config) -> None:
        """Raises UserError where the page would become reachable for others: its tokens are shown on the page alone."""
        if self._is_opened(config):
            raise UserError("open the page to others in its own settings, which show the tokens: web.host is as it was")

    def _is_opened(self, config: Config) -> bool:
        return is_loopback(self._settings.running.web.host) and not is_loopback(config.web.host)

    async def _try_broker(self, wanted: requests.TryBroker) -> Checks:
        """Returns what `oche doctor` finds at the broker as it was typed; nothing is written."""
        if any(change.path[:1] != ("mqtt",) for change in wanted.changes):
            raise ValueError("only settings of mqtt can be tested with a broker")
        config = await self._settings.preview(wanted.version, wanted.changes, wanted.password)
        if self._is_testing or not self._tests.take(time.monotonic_ns()):
            said = say("settings.many_tests", "a broker was tested several times just now: try again in a moment")
            raise Refused("busy", said, 10)
        typed = TypedBroker(config, self._settings.running.mqtt, wanted.password)
        self._is_testing = True
        try:
            with explain_errors("the broker cannot be tested", suggest_in_daemon):
                return cast("Checks", await self._worker.carry_out(wanted, "doctor", _TEST_S, broker=typed))
        finally:
            self._is_testing = False

    async def _make_token(self, role: Literal["play", "setup"]) -> Json | SetupGrant:
        web = self._settings.running.web
        if role == "play" and self._admission.own_token:
            raise ValueError(f"no token for the page can be made here: {self._admission.own_token}")
        answer = {"v": 1, "tokens": [await asyncio.to_thread(self._describe_token, role, web)]}
        return SetupGrant(answer) if role == "setup" and self._admission.needs_token else answer

    def _make_missing_tokens(self, made: list[Json], config: Config) -> None:
        """Adds the tokens that a page which is opened to others needs and has not. Raises UserError.

        They are made before anything is written: without a token nothing is opened.
        """
        folder, web = self._folder, config.web
        if self._is_opened(config):
            if find_secret(CREDENTIAL, web.token_file) is None and not locate_token_hash(folder).exists():
                made.append(self._describe_token("play", web))
            if not locate_setup_hash(folder).exists():
                made.append(self._describe_token("setup", web))

    def _describe_change(self, config: Config, tokens: list[dict[str, Any]]) -> Json | SetupGrant:
        """Tells where the page will be, and the tokens that were made: this client is let in where it needs one."""
        before, after, url = self._settings.running.web, config.web, None
        if before.host != after.host and not is_any(after.host):
            setup = "".join(f"#token={each['token']}" for each in tokens if each["role"] == "setup")
            url = f"http://{format_host_port(after.host, after.port)}/settings{setup}"
        answer = {"v": 1, "run": self._settings.run, "port": after.port, "url": url, "tokens": tokens}
        has_moved = (before.host, before.port) != (after.host, after.port)
        return SetupGrant(answer, after.port) if has_moved and not is_loopback(after.host) else answer

    def _describe_token(self, role: Literal["play", "setup"], web: Web) -> Json:
        token = (make_token if role == "play" else make_setup_token)(self._folder)
        port = web.port or self._admission.public_url.port
        url = PublicUrl(web.host, port, web.names).with_token(token)
        return {"role": role, "token": token, "url": url, "qr": draw_qr_code(url)}
