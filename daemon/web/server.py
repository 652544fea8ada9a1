"""The web server: the page, and for displays without MQTT server-sent events out and commands in.

auth.py decides which requests are admitted. What only one seat may see has an address that cannot be guessed: seats.py.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from msgspec import Struct

from daemon.http.connection import OpenPort
from daemon.http.messages import (
    EarlyResponse,
    HttpRequest,
    HttpResponse,
    HttpRoute,
    PackedJson,
    Role,
    answer_text,
    pack_json,
    read_body,
    respond_error,
    respond_json,
)
from daemon.part import BrokerTrouble, Part
from daemon.rules import Guard, RulesFailed
from daemon.table.effects import Update
from daemon.table.scoresheet import SeatSender, Sender
from daemon.table.table import Table
from daemon.web.auth import Auth
from daemon.web.drawn_layouts import describe_layout, find_dartboard
from daemon.web.ear import DETAILS, Ear, EarListener, find_side, find_state, read_language
from daemon.web.event_stream import EventStream, encode_event, encode_table, encode_update
from daemon.web.joining import View, is_of_this_machine, make_join_codes
from daemon.web.page_files import PageFiles
from daemon.web.qr_code import QrCodes
from daemon.web.seats import Seat, SeatRefused, Seats
from daemon.web.taps import Tap, Taps
from engine.match import Match
from protocol.bodies import MAX_START_BYTES, decode_command
from protocol.commands import CommandError
from protocol.layouts import find_layout
from protocol.segment import Layout
from protocol.sentence import get_reason, say

_FULL_S = 10.0
_BUSY_S = 5.0
"""After so long a client that gave too many commands may give more."""
_ALL_TABLES = ""
"""Stands for them where a table has its name, which is never empty."""
_STATUS = {"unknown": 404, "invalid": 400, "busy": 503, "unavailable": 503}


class WebServer(Part):
    """The page of all tables, at this port. A Part.

    `routes` are served beside its own. `lacks_board` says whether no table has a board yet, and may read the disk.
    Codes bring the `phone_token` to phones; "": each phone is asked for it. `load_ear` returns what makes the sentences
    of those who play by ear; None: nobody does.
    """

    def __init__(
        self,
        port: OpenPort,
        tables: Mapping[str, Table],
        taps: Taps,
        auth: Auth,
        folder: Path,
        guard: Guard,
        trouble: BrokerTrouble,
        routes: Sequence[HttpRoute],
        lacks_board: Callable[[], bool],
        phone_token: str = "",
        load_ear: Callable[[], Ear] | None = None,
    ) -> None:
        self._port = port
        self._load_ear = load_ear
        self._phone_token = phone_token
        self._tables = tables
        self._taps = taps
        self._auth = auth
        self._seats = Seats(folder, auth.key, self._announce_claim)
        self._layouts = {name: table.codebook.layout for name, table in tables.items()}
        self._files = PageFiles()
        self._codes = QrCodes()
        self._packed: dict[tuple[str, ...], tuple[Layout, PackedJson]] = {}
        """Layouts by their names, their dartboards and the way in which a game draws them."""
        self._guard = guard
        self._lacks_board = lacks_board
        self._streams: dict[str, set[EventStream]] = {name: set() for name in (*tables, _ALL_TABLES)}
        self._kept_events: dict[tuple[str, str], bytes] = {}
        """What displays that come later are told as well, by the table and the name of the event."""
        self._trouble = trouble
        trouble.subscribe(self._show_broker_trouble)
        self.routes = [
            *self._files.routes,
            HttpRoute("GET", "/api/tables", self._list_tables),
            HttpRoute("GET", "/api/tables/events", self._stream_tables),
            HttpRoute("GET", "/api/broker", self._get_broker),
            HttpRoute("GET", "/api/table/{table}/events", self._stream_events),
            HttpRoute("GET", "/api/table/{table}/state", self._get_state),
            HttpRoute("GET", "/api/table/{table}/plan", self._get_plan),
            HttpRoute("GET", "/api/table/{table}/layout", self._get_layout),
            HttpRoute("GET", "/api/table/{table}/standing", self._describe_standing),
            HttpRoute("GET", "/api/table/{table}/seats", self._list_free_seats, "play"),  # each answers for its hand
            HttpRoute("GET", "/api/table/{table}/join", self._list_join_codes),
            HttpRoute(
                "GET", "/api/layout/{name}", self._get_named_layout, "nothing"
            ),  # cards are drawn without a token
            HttpRoute("POST", "/api/table/{table}/tap", self._tap),
            HttpRoute("POST", "/api/table/{table}/start", self._execute, most_bytes=MAX_START_BYTES),
            HttpRoute("POST", "/api/table/{table}/{command}", self._execute),
            HttpRoute("GET", "/api/seat/{token}", self._get_seat, "nothing"),
            HttpRoute("GET", "/api/seat/{token}/events", self._stream_events, "nothing"),
            HttpRoute("GET", "/api/seat/{token}/layout", self._get_layout, "nothing"),
            HttpRoute("GET", "/api/seat/{token}/standing", self._describe_standing, "nothing"),
            HttpRoute("POST", "/api/seat/{token}/choose", self._answer_prompt, "nothing"),
            *auth.routes,
            *routes,
        ]
        """What is served."""

    def publish(self, update: Update) -> None:
        """Sends the update to all displays of its table."""
        streams, table = self._streams[update.table], self._tables[update.table]
        if streams:
            public = encode_update(update)
            for stream in tuple(streams):
                is_private = update.state is not None and stream.seat is not None
                events = encode_update(update._replace(state=table.state(stream.seat))) if is_private else public
                if stream.end_if_outdated(table) or not stream.send(events):
                    streams.discard(stream)
                elif stream.ear is not None and (table.scorer.lent is None or table.scorer.lent.state is None):
                    stream.ear.tell(update, partial(_speak, stream))  # after it, so that a dart waits for no sentence
        if update.state is not None and self._streams[_ALL_TABLES]:
            self._send([encode_table(update.table, update.state)], self._streams[_ALL_TABLES])

    def speak_lent(self, update: Update) -> None:
        """Has the displays that play by ear at this table follow the match at another one, or its own again."""
        for stream in self._streams[update.table]:
            if stream.ear is not None:
                stream.ear.tell(update, partial(_speak, stream))

    def play_sound(self, table: str, key: str) -> None:
        """Has the displays of this table that speak play the sound with this key."""
        self.tell(table, "sound", {"sound": key})

    def tell(self, table: str, name: str, value: object) -> None:
        """Sends an event of this name to the displays of this table."""
        self._send([encode_event(name, value)], self._streams[table])

    def keep_telling(self, table: str, name: str, value: object) -> None:
        """The same, also to displays that come later; a value of None only to those that are there."""
        self._kept_events.pop((table, name), None)
        if value is not None:
            self._kept_events[table, name] = encode_event(name, value)
        self.tell(table, name, value)

    def _show_broker_trouble(self, trouble: str) -> None:
        """Sends this sentence to all displays."""
        for streams in self._streams.values():
            self._send([encode_event("broker", {"text": trouble})], streams)

    def _send(self, events: list[bytes], streams: set[EventStream]) -> None:
        """Sends these to all of the displays that are not too slow."""
        for stream in tuple(streams):
            if not stream.send(events):
                streams.discard(stream)

    async def run(self) -> None:
        """Serves until cancelled."""
        async with self._port.serve(self._respond, self._auth.connections):
            try:
                await self._auth.watch_token(self._end_public_streams)
            except asyncio.CancelledError:
                self._port.close()  # for good: who connects now is refused, and waits for nothing
                raise
            finally:
                for streams in self._streams.values():
                    for stream in streams:
                        stream.end()

    async def _respond(self, request: HttpRequest) -> HttpResponse:
        return await self._auth.answer(request, self.routes)

    def _end_public_streams(self) -> None:
        """Ends the streams that needed the former token; those of seats did not."""
        for streams in self._streams.values():
            for stream in streams:
                if stream.seat is None:
                    stream.end()

    def _announce_claim(self, table: Table) -> None:
        """Publishes the state again: at each state, a display that shows codes of seats asks which are left."""
        self.publish(Update(table.name, table.everything.state))

    async def _list_tables(self, request: HttpRequest) -> HttpResponse:
        tables = self._tables.values()
        role = request.role
        lacks_board = role == "setup" and await asyncio.to_thread(self._lacks_board)
        more = {"lacks_board": True} if lacks_board else {}
        return respond_json(
            [
                {"table": t.name, "name": t.title, "tap": t.name in self._taps.tables, "role": role, **more}
                for t in tables
            ]
        )

    async def _get_broker(self, request: HttpRequest) -> HttpResponse:
        return respond_json({"text": self._trouble.sentence})

    async def _get_state(self, request: HttpRequest) -> HttpResponse:
        return respond_json(self._table(request).state())

    async def _get_plan(self, request: HttpRequest) -> HttpResponse:
        return respond_json(self._table(request).committed.plan)

    async def _get_layout(self, request: HttpRequest) -> HttpResponse:
        match = ((await self._seat(request)).table if "token" in request.params else self._table(request)).match
        return await self._respond_layout(request, match.layout, face=_find_face(match, self._guard))

    async def _get_named_layout(self, request: HttpRequest) -> HttpResponse:
        name = request.params["name"]
        try:
            own = next((own for own in self._layouts.values() if own.name == name), None)
            layout = find_dartboard(name) or own or find_layout(name)
        except ValueError as error:
            raise answer_text(404, str(error)) from None
        return await self._respond_layout(request, layout)

    async def _respond_layout(self, request: HttpRequest, layout: Layout, **more: str) -> HttpResponse:
        """Answers with a layout, which is packed once; `more` are further fields."""
        key = layout.name, str(layout.dartboard), *more.values()
        known, packed = self._packed.get(key, (None, None))
        if packed is None or known is not layout:
            packed = await pack_json({**more, **describe_layout(layout)})
            self._packed[key] = layout, packed
        return packed.respond(request)

    async def _list_free_seats(self, request: HttpRequest) -> HttpResponse:
        table, base = self._table(request), self._find_base(request)
        free = []
        for seat in self._seats.list_free(table):
            url = f"{base}?seat={seat.token}"
            code = {
                "url": url,
                "qr": await self._codes.draw(url, request.connection.client),
                "local": is_of_this_machine(url),
            }
            free.append({"seat": seat.number, "player": seat.player, **code})
        return respond_json(free)

    async def _list_join_codes(self, request: HttpRequest) -> HttpResponse:
        name = self._table(request).name if len(self._tables) > 1 else None
        tokens: dict[View, str] = {"spectator": self._auth.spectator_token}
        may_play = request.role != "look"
        asks = self._auth.needs_token and may_play and not self._phone_token
        if may_play:
            tokens["remote"] = self._phone_token if self._auth.needs_token else ""
        draw = partial(self._codes.draw, client=request.connection.client)
        return respond_json(await make_join_codes(self._find_base(request), name, tokens, draw, asks=asks))

    def _find_base(self, request: HttpRequest) -> str:
        """Returns the address of the page for a phone beside the display that asks. Raises EarlyResponse."""
        try:
            return self._auth.public_url.for_phones(request.query.get("base", f"http://{request.header('host')}/"))
        except ValueError as error:
            raise EarlyResponse(respond_error(400, "invalid", str(error))) from None

    async def _get_seat(self, request: HttpRequest) -> HttpResponse:
        seat = await self._seat(request)
        return respond_json({"table": seat.table.name, "seat": seat.number, "player": seat.player})

    async def _stream_events(self, request: HttpRequest) -> HttpResponse:
        """Sends the present state, and then every update. Streams of seats count as those of who plays."""
        seat = await self._seat(request) if "token" in request.params else None
        table = seat.table if seat else self._table(request)
        return await self._open_stream(request, "play" if seat else request.role, table, seat.number if seat else None)

    async def _stream_tables(self, request: HttpRequest) -> HttpResponse:
        """Sends the states of all tables, and then each change: a browser keeps too few connections for one each."""
        return await self._open_stream(request, request.role, None, None)

    async def _open_stream(
        self, request: HttpRequest, role: Role, table: Table | None, seat: int | None
    ) -> HttpResponse:
        """Returns the stream of this table, None: of all tables, as this `seat` sees it, None: as everyone does."""
        version = await asyncio.to_thread(self._files.read_version)
        client, streams = request.connection.client, self._auth.streams[role]
        displays = self._streams[_ALL_TABLES if table is None else table.name]
        if not streams.enter(client):
            said = say("refused.many_displays", "too many displays are watching: close one, or try again later")
            return respond_error(503, "busy", said, _FULL_S)

        def leave() -> None:
            streams.leave(client)
            displays.discard(stream)

        def note() -> None:
            self._auth.note_device(request.device)

        detail, ear = DETAILS.get(request.query.get("ear", "")), None
        if self._load_ear is not None and detail is not None and table is not None:
            ear = EarListener(self._load_ear(), table, seat, detail, read_language(request.query))
        stream = EventStream(table, seat, request.connection.abort, leave, note, ear)
        if table is None:
            stream.send([encode_table(each.name, each.state()) for each in self._tables.values()])
        trouble = encode_event("broker", {"text": self._trouble.sentence})
        kept = [event for (of, _), event in self._kept_events.items() if table is not None and of == table.name]
        stream.send([trouble, encode_event("page", {"version": version}), *kept])
        displays.add(stream)
        return HttpResponse(stream, "text/event-stream")

    async def _describe_standing(self, request: HttpRequest) -> HttpResponse:
        """Says in sentences where one stands, or the question asked for, with what a seat may see."""
        seat = await self._seat(request) if "token" in request.params else None
        table = seat.table if seat else self._table(request)
        if self._load_ear is None:
            raise answer_text(404, "nothing is said here")
        number = seat.number if seat else None
        state, codebook, side = find_state(table, number), table.codebook, find_side(table, number)
        language, prompt = read_language(request.query), request.query.get("prompt", "")
        ear, has_button = self._load_ear(), codebook.has_next
        return respond_json(ear.describe(state, codebook.layout, language, side, prompt, has_button=has_button))

    async def _execute(self, request: HttpRequest) -> HttpResponse:
        table, name = self._table(request), request.params.get("command", "start")
        return await self._command(table, name, request, "page")

    async def _answer_prompt(self, request: HttpRequest) -> HttpResponse:
        seat = await self._seat(request)
        return await self._command(seat.table, "choose", request, SeatSender(seat.number))

    async def _command(self, table: Table, name: str, request: HttpRequest, sender: Sender) -> HttpResponse:
        try:
            given, client = decode_command(name, request.body), self._auth.client_of(request)
            return respond_json(await table.command(given.command, sender, given.at, client))
        except CommandError as error:
            return _refuse(error)

    async def _tap(self, request: HttpRequest) -> HttpResponse:
        """Throws a dart where a finger touched the page, at a table that takes darts from it or whose board is away."""
        table = self._table(request)
        throw = self._taps.find(table.name)
        if throw is None:
            raise answer_text(404, "this table has a real board: throw a dart")
        try:
            return respond_json(await throw(read_body(request.body, Tap), self._auth.client_of(request)))
        except CommandError as error:
            return _refuse(error)
        except ValueError as error:
            return respond_error(400, "invalid", get_reason(error))

    async def _seat(self, request: HttpRequest) -> Seat:
        tables, browser = list(self._tables.values()), self._auth.browser_of(request)
        try:
            seat = await self._seats.claim(request.params["token"], tables, browser)
        except SeatRefused as error:
            raise answer_text(404, str(error)) from None
        request.connection.admit(may_play=True, has_shown=True)
        return seat

    def _table(self, request: HttpRequest) -> Table:
        name = request.params["table"]
        table = self._tables.get(name)
        if table is None:
            raise answer_text(404, f"there is no table {name!r}")
        return table


def _speak(stream: EventStream, items: Sequence[Struct]) -> None:
    """Sends what is to be said."""
    stream.send([encode_event("ear", item) for item in items])


def _refuse(error: CommandError) -> HttpResponse:
    wait_s = _BUSY_S if error.code == "busy" else 0.0
    return respond_error(_STATUS.get(error.code, 409), error.code, error.said, wait_s)


def _find_face(match: Match, guard: Guard) -> str:
    """Returns the component of the page that draws this match; "plain" when the rules fail."""
    try:
        with guard.call(match.game, may_refuse=False):
            return str(match.panel().face)
    except RulesFailed:
        return "plain"
