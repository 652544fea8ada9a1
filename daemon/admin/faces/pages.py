"""What the page asks of the machine: each part is loaded when it is first used, which is seldom."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from daemon.http.messages import (
    Answered,
    HttpRequest,
    HttpResponse,
    Role,
    Route,
    dispatch,
    load_beside,
    respond_error,
    respond_json,
)
from daemon.part import Part
from daemon.plugins.profiles import is_file_name
from daemon.rules import Guard
from protocol.sentence import say

if TYPE_CHECKING:
    from daemon.admin.faces.board_pages import BoardPages
    from daemon.admin.faces.care_pages import CarePages
    from daemon.admin.faces.learn_pages import LearnPages
    from daemon.admin.faces.player_pages import PlayerPages
    from daemon.admin.faces.settings_pages import SettingsPages
    from daemon.admin.faces.stats_pages import StatsPages
    from daemon.admin.history.process import HistoryProcess
    from daemon.admin.players.doubles import FavouriteDoubles
    from daemon.admin.settings.file import SettingsFile
    from daemon.board.link import Listener
    from daemon.web.auth import Auth

_OF_HISTORY = (
    *("/api/stats", "/api/stats/player", "/api/matches"),
    *("/api/match/{match}", "/api/match/{match}/steps", "/api/match/{match}/record"),
)
_OF_PLAYERS: tuple[tuple[str, str, Role], ...] = (
    *(("GET", "/api/players", "look"), ("GET", "/api/players/picture/{picture}", "look")),
    *(("POST", "/api/players", "play"), ("POST", "/api/players/picture", "play")),
    *(("POST", f"/api/players/{name}", "setup") for name in ("rename", "merge", "split", "forget")),
)
_OF_SETTINGS = (
    *(("GET", "/api/settings"), ("POST", "/api/settings")),
    *(("POST", f"/api/settings/{name}") for name in ("revert", "restore", "broker", "token")),
)
_OF_CARE = (
    *(("GET", f"/api/care/{name}") for name in ("traffic", "watch", "log", "news")),
    *(("POST", f"/api/care/{name}") for name in ("news", "report", "doctor", "backup", "restart")),
)
_OF_LEARN = (
    *(("GET", "/api/learn"), ("GET", "/api/learn/profile/{name}")),
    *(("POST", f"/api/learn/{name}") for name in ("start", "resume", "undo", "skip", "save", "stop")),
)
_OF_BOARDS = (
    *(("GET", "/api/boards/try"), ("POST", "/api/boards/try")),
    *(("POST", "/api/boards/scan"), ("POST", "/api/boards/stop")),
)


class AdminPages(Part):
    """Settings, care, boards, players and statistics, for the page of the daemon.

    `listeners` have the boards of the tables, by table. `settings` is the file that the daemon runs with; None: it has
    none. `describe_home_assistant` returns, as JSON, what Home Assistant is told of.
    """

    def __init__(
        self,
        auth: Auth,
        folder: Path,
        listeners: Mapping[str, Listener],
        history: HistoryProcess,
        doubles: FavouriteDoubles,
        settings: SettingsFile | None,
        guard: Guard,
        describe_home_assistant: Callable[[], object],
    ) -> None:
        self._auth = auth
        self._folder = folder
        self._listeners = listeners
        self._history = history
        self._doubles = doubles
        self._settings = settings
        self._guard = guard
        self._describe_home_assistant = describe_home_assistant
        self._stats_pages: StatsPages | None = None
        self._player_pages: PlayerPages | None = None
        self._settings_pages: SettingsPages | None = None
        self._care_pages: CarePages | None = None
        self._learn_pages: LearnPages | None = None
        self._board_pages: BoardPages | None = None
        self.routes = [
            *(Route("GET", path, self._get_stats) for path in _OF_HISTORY),
            *(Route(method, path, self._manage_players, role) for method, path, role in _OF_PLAYERS),
            *(Route(method, path, self._manage_settings, "setup") for method, path in _OF_SETTINGS),
            Route("GET", "/api/settings/home_assistant", self._show_home_assistant, "setup"),
            *(Route(method, path, self._care, "setup") for method, path in _OF_CARE),
            Route("POST", "/api/care/restore", self._care, "setup", takes_file=True),
            *(Route(method, path, self._learn, "setup") for method, path in _OF_LEARN),
            *(Route(method, path, self._find_board, "setup") for method, path in _OF_BOARDS),
        ]

    def lacks_board(self) -> bool:
        """Whether no table has been given a board yet, and the settings can give it one."""
        return self._settings is not None and self._settings.started.is_set() and self._settings.lacks_board

    async def close(self) -> None:
        """Ends what goes on, and gives boards back to their tables."""
        for pages in (self._learn_pages, self._board_pages):
            if pages is not None:
                await pages.close()

    async def _get_stats(self, request: HttpRequest) -> HttpResponse:
        await load_beside("daemon.admin.faces.stats_pages")
        from daemon.admin.faces.stats_pages import StatsPages  # noqa: PLC0415  most evenings need no statistics

        self._stats_pages = self._stats_pages or StatsPages(self._history)
        return await dispatch(self._stats_pages.routes, request)

    async def _manage_players(self, request: HttpRequest) -> HttpResponse:
        await load_beside("daemon.admin.faces.player_pages")
        from daemon.admin.faces.player_pages import PlayerPages  # noqa: PLC0415  as above

        if self._player_pages is None:
            tables = {name: listener.table for name, listener in self._listeners.items()}
            self._player_pages = PlayerPages(self._folder, tables, self._history, self._doubles)
        return await dispatch(self._player_pages.routes, request)

    async def _manage_settings(self, request: HttpRequest) -> HttpResponse:
        await load_beside("daemon.admin.faces.settings_pages")
        from daemon.admin.faces.settings_pages import SettingsPages  # noqa: PLC0415  hardly ever needed

        settings = await self._require_settings()
        self._settings_pages = self._settings_pages or SettingsPages(settings, self._auth, self._folder, self._guard)
        return await dispatch(self._settings_pages.routes, request)

    async def _show_home_assistant(self, request: HttpRequest) -> HttpResponse:
        return respond_json(self._describe_home_assistant(), accepted=request.header("accept-encoding"))

    async def _care(self, request: HttpRequest) -> HttpResponse:
        await load_beside("daemon.admin.faces.care_pages")
        from daemon.admin.faces.care_pages import CarePages  # noqa: PLC0415  hardly ever needed

        settings = await self._require_settings()
        self._care_pages = self._care_pages or CarePages(settings, self._folder, self._listeners)
        return await dispatch(self._care_pages.routes, request)

    async def _learn(self, request: HttpRequest) -> HttpResponse:
        await load_beside("daemon.admin.faces.learn_pages")
        from daemon.admin.faces.learn_pages import LearnPages  # noqa: PLC0415  hardly ever needed

        self._learn_pages = self._learn_pages or LearnPages(self._folder, self._listeners)
        return await dispatch(self._learn_pages.routes, request)

    async def _find_board(self, request: HttpRequest) -> HttpResponse:
        await load_beside("daemon.admin.faces.board_pages")
        from daemon.admin.faces.board_pages import BoardPages  # noqa: PLC0415  hardly ever needed

        self._board_pages = self._board_pages or BoardPages(self._folder, self._listeners, self._list_own_profiles)
        return await dispatch(self._board_pages.routes, request)

    def _list_own_profiles(self) -> list[str]:
        if self._settings is None or not self._settings.started.is_set():
            return []
        names = [table.profile for table in self._settings.running.table]
        return [str(self._settings.file.parent / name) for name in names if is_file_name(name)]

    async def _require_settings(self) -> SettingsFile:
        """Returns the file, once the daemon runs with it. Raises Answered where it was started without one."""
        if self._settings is None:
            said = say("settings.none", "this daemon has no configuration that could be changed: start oche run")
            raise Answered(respond_error(404, "unknown", said))
        await self._settings.started.wait()
        return self._settings
