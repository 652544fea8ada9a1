"""What the next match is put together from, as JSON: the games, their rule sheets and options, who has played here.

    GET /api/table/{table}/games        what the board of this table can play: catalogue.Offer, a list
    GET /api/games/{name}               all of one game or preset: catalogue.Sheet
    GET /api/players                    [{"name": "Ann", "last": "2026-11-22T08:00:00.000+00:00"}], the latest first

docs/web.md has an answer of each.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

import msgspec
from aiohttp import web

from daemon import catalogue, rules
from daemon.answers import refusal
from daemon.errors import UserError
from daemon.stats.guests import guests
from daemon.table import Table
from engine.games import game


class Lobby:
    """The answers of these tables, whose journals are in the folder."""

    def __init__(self, tables: Mapping[str, Table], folder: Path) -> None:
        self._tables = tables
        self._folder = folder
        self._offers: dict[str, list[catalogue.Offer]] = {}
        """By face: a Raspberry Pi takes its time to ask a hundred games, and they answer the same again."""

    @property
    def routes(self) -> list[web.RouteDef]:
        """What is answered here."""
        return [
            web.get("/api/table/{table}/games", self._games),
            web.get("/api/games/{name}", self._sheet),
            web.get("/api/players", self._players),
        ]

    async def _games(self, request: web.Request) -> web.Response:
        table = self._tables.get(request.match_info["table"])
        if table is None:
            raise web.HTTPNotFound(text=f"there is no table {request.match_info['table']!r}")
        face = table.codebook.layout.name
        if face not in self._offers:
            self._offers[face] = list(catalogue.offers(face))
        return _json([offer for offer in self._offers[face] if not rules.withdrawn(game(offer.game))])

    async def _sheet(self, request: web.Request) -> web.Response:
        try:
            return _json(catalogue.sheet(request.match_info["name"]))
        except rules.RulesFailed as error:
            return refusal(503, "unavailable", str(error))
        except ValueError as error:
            raise web.HTTPNotFound(text=str(error)) from None

    async def _players(self, request: web.Request) -> web.Response:
        try:
            return _json(await asyncio.to_thread(guests, self._folder))
        except UserError as error:
            return refusal(503, "unavailable", str(error))


def _json(value: object) -> web.Response:
    answer = web.Response(body=msgspec.json.encode(value), content_type="application/json")
    answer.enable_compression()
    return answer
