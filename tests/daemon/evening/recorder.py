"""Asks a daemon over HTTP and MQTT, and notes the shape of each answer; waits for answers, never for time."""

from __future__ import annotations

import asyncio
import gzip
import io
import json
import re
import tarfile
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Self
from urllib.parse import urljoin
from zipfile import ZipFile

import aiohttp
import aiomqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.subscribeoptions import SubscribeOptions

from protocol.topics import TOPICS, TopicNames, parse
from tests.daemon.evening.shape import Shape
from tests.daemon.process import PATIENCE_S, Process, ended

JSON = Any  # Any: JSON
_NOTED = (
    *("Allow", "Cache-Control", "Content-Disposition", "Content-Encoding", "Etag", "Retry-After", "Set-Cookie"),
    *("Vary", "WWW-Authenticate"),
)
"""The headers that are noted of each answer; of some all are."""
_OF_ONE = ("Content-Length", "Date", "Connection", "Transfer-Encoding")
_AS_USUAL = {"Cache-Control": "no-store"}
_ACTS = {
    name: act.strip()
    for each in Path(__file__).with_name("acts.txt").read_text(encoding="utf-8").split("\n## ")[1:]
    for name, _, act in [each.partition("\n")]
}


class News:
    """What has come, and waiting for more."""

    def __init__(self) -> None:
        self._news = asyncio.Event()

    def tell(self) -> None:
        """Something has come."""
        self._news.set()

    async def until(self, is_so: Callable[[], bool], what: object) -> None:
        """Waits until what has come makes this true."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                while not is_so():
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            raise AssertionError(f"never came: {what}") from None


class Ear(News):
    """Hears all that is published, as it is published: retain flag, QoS, and whether it expires."""

    def __init__(self, client: aiomqtt.Client) -> None:
        super().__init__()
        self.client = client
        self.now: dict[str, JSON] = {}
        """The latest of each topic: what the JSON comes to, or the text."""
        self.entities: set[str] = set()
        """The topics of single entities of Home Assistant."""
        self.known: dict[str, str] = {}
        """The CorrelationData of the latest of each topic that had some."""
        self.count: Counter[str] = Counter()
        self._kinds: dict[tuple[str, str], dict[str, JSON]] = {}

    async def has(self, topic: str, is_so: Callable[[JSON], object], times: int = 1) -> None:
        """Waits until so many messages have come on this topic, and the latest is so."""
        await self.until(lambda: self.count[topic] >= times and bool(is_so(self.now[topic])), topic)

    async def listen(self) -> None:
        """Until cancelled."""
        async for message in self.client.messages:
            topic, payload = str(message.topic), bytes(message.payload).decode()
            found = parse(topic)
            if found is not None and TOPICS[found.kind].direction == "in":
                continue
            value = self.now[topic] = json.loads(payload) if payload.startswith("{") else payload
            if found is not None and not found.kind.endswith("response"):
                self._note(topic, found, value, message)
            self.known[topic] = getattr(message.properties, "CorrelationData", b"").decode()
            self.count[topic] += 1
            self.tell()

    def _note(self, topic: str, found: TopicNames, value: JSON, message: aiomqtt.Message) -> None:
        shape = Shape.of(value)
        if isinstance(value, str):
            shape = Shape(frozenset([f"={value}" if value in ("online", "offline", "") else "text"]), {})
        of = value["event_type"] if found.kind == "event" else ""
        kind = self._kinds.setdefault((found.kind, of), {"shape": shape, "how": set(), "names": {}})
        kind["shape"] = kind["shape"].merge(shape)
        is_kept = "expires" if hasattr(message.properties, "MessageExpiryInterval") else "stays"
        kind["how"].add(f"QoS {message.qos}{f', retained, {is_kept}' if message.retain else ''}")
        if found.kind == "discovery_component":
            self.entities.add(topic)
            return
        for name, each in found.names.items():
            kind["names"].setdefault(name, set()).add("*" if name == "tournament" else each)  # an id by chance

    @property
    def lines(self) -> list[JSON]:
        """A line for each kind of topic, and of events for each type."""
        return [
            {
                "published": TOPICS[kind].template,
                "names": {name: " ".join(sorted(each)) for name, each in found["names"].items()},
                "how": sorted(found["how"]),
                "payload": found["shape"].write(),
            }
            for (kind, _), found in sorted(self._kinds.items())
        ]


class Stream(News):
    """Server-sent events: the latest of each kind, and their shapes."""

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        super().__init__()
        self.now: dict[str, JSON] = {}
        self.shapes: dict[str, Shape] = {}
        self._response = response

    async def read(self) -> None:
        """Until cancelled, or the stream ends."""
        kind = ""
        async for line in self._response.content:
            if line.startswith(b"event: "):
                kind = line[7:].decode().strip()
            elif line.startswith(b"data: "):
                value = self.now[kind] = json.loads(line[6:])
                shape, of = Shape.of(value), value["event_type"] if kind == "fact" else kind
                self.shapes[of] = self.shapes[of].merge(shape) if of in self.shapes else shape
                self.tell()


class Recorder:
    """Adds to `lines` what it notes: one for each question, and one for each kind of what is streamed."""

    def __init__(self, daemon: Process, web: aiohttp.ClientSession, ear: Ear, lines: list[JSON]) -> None:
        self.lines = lines
        self.ear = ear
        self.token = ""
        """With which is asked; "": with none."""
        self._daemon = daemon
        self._web = web

    @classmethod
    @asynccontextmanager
    async def open(
        cls, daemon: Process, page: str, broker_port: int, login: tuple[str, str], lines: list[JSON]
    ) -> AsyncIterator[Self]:
        """Asks this daemon while the block lasts."""
        name, password = login
        client = aiomqtt.Client(
            "127.0.0.1", broker_port, protocol=aiomqtt.ProtocolVersion.V5, username=name, password=password
        )
        connector, timeout = aiohttp.TCPConnector(force_close=True), aiohttp.ClientTimeout(total=PATIENCE_S)
        jar = aiohttp.DummyCookieJar()
        async with (
            client,
            aiohttp.ClientSession(
                page, connector=connector, timeout=timeout, cookie_jar=jar, auto_decompress=False
            ) as web,
        ):
            await client.subscribe("#", options=SubscribeOptions(qos=1, retainAsPublished=True))
            ear = Ear(client)
            task = asyncio.create_task(ear.listen())
            try:
                yield cls(daemon, web, ear, lines)
            finally:
                await ended(task)

    async def get(self, path: str, **how: JSON) -> JSON:
        """Reads; see `ask`."""
        return await self.ask(f"GET {path}", **how)

    async def post(self, path: str, body: JSON = None, **how: JSON) -> JSON:
        """Sends this as JSON; see `ask`."""
        return await self.ask(f"POST {path}", data=None if body is None else json.dumps(body), **how)

    async def ask(
        self,
        asked: str,
        data: str | bytes | None = None,
        *,
        status: int = 200,
        before: int = 0,
        headers: dict[str, str] | None = None,
        about: str = "",
        all_headers: bool = False,
        is_noted: bool = True,
        waits: bool = True,
        **names: object,
    ) -> JSON:
        """Notes the answer to `GET /api/seat/{token}`, whose status must be this one; returns what it comes to.

        It is asked again when the daemon says so, and where the status is that of `before`. What it has done at a table
        has been published when this returns.
        """
        method, _, path = asked.partition(" ")
        line: JSON = {"ask": asked}
        if is_noted:
            self.lines.append(line)
        sent = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        sent |= headers or {}
        while True:
            async with self._web.request(method, path.format(**names), data=data, headers=sent) as answer:
                body = await answer.read()
            if answer.status == status or answer.status not in (202, 429, before):
                break
            await asyncio.sleep(int(answer.headers.get("Retry-After", "0")))
        assert answer.status == status, f"{asked} {data!r}: {answer.status} {body!r}"
        if answer.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        value, shape = _read(answer.headers.get("Content-Type", ""), body)
        line |= _describe(asked, about, answer, shape, all_headers=all_headers)
        for name, given in names.items():
            for header, text in line.get("headers", {}).items():
                line["headers"][header] = text.replace(str(given), f"{{{name}}}")
        if waits and method == "POST" and isinstance(value, dict) and "line" in value:
            await self.shown(value, path.format(**names))
        return value

    async def crawl(self, *pages: str) -> None:
        """Notes the types of these pages, and of all files that they and their scripts name."""
        types, left = dict[str, str](), list(pages)
        while left:
            async with self._web.get(path := left.pop(), headers={"Accept-Encoding": "identity"}) as answer:
                types[path] = answer.content_type if answer.status == 200 else str(answer.status)
                found = re.findall(r"""["`](\.{1,2}/|/?static/)([\w/-]+\.(?:css|js|svg))["`]""", await answer.text())
            whole = {urljoin(path if place.startswith(".") else "/", f"{place}{name}") for place, name in found}
            left += whole - {*types, *left}
        self.lines.append({"files": dict(sorted(types.items()))})

    async def shown(self, answer: JSON, path: str = "/api/table/main/") -> None:
        """Waits until the state that this command has led to is published."""
        table = path.split("/")[3] if "/api/table/" in path else "main"
        topic = f"oche/table/{table}/state"
        wanted = {key: answer[key] for key in ("line", "phase") if key in answer}
        await self.ear.until(lambda: wanted.items() <= self.ear.now.get(topic, {}).items(), (topic, wanted))

    @asynccontextmanager
    async def stream(self, path: str, **names: object) -> AsyncIterator[Stream]:
        """Notes the events of a stream that come while the block lasts."""
        sent = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        async with self._web.get(path.format(**names), headers=sent, timeout=aiohttp.ClientTimeout()) as response:
            stream = Stream(response)
            task = asyncio.create_task(stream.read())
            try:
                await stream.until(lambda: "page" in stream.now, path)
                self.lines.append(_describe(f"GET {path}", "", response, " ".join(stream.now)))
                yield stream
            finally:
                await ended(task)
        self.lines += [
            {"stream": path, "event": kind, "data": shape.write()} for kind, shape in sorted(stream.shapes.items())
        ]

    async def say(self, topic: str, payload: JSON = "") -> None:
        """Publishes what nobody answers."""
        self.lines.append({"say": topic})
        text = payload if isinstance(payload, str) else json.dumps(payload)
        await self.ear.client.publish(topic, text, qos=1)

    async def request(
        self, topic: str, payload: JSON = "", status: str = "ok", *, reply_to: str = "", about: str = ""
    ) -> JSON:
        """Notes the answer to a request over MQTT, whose status must be this one; returns its data."""
        text = payload if isinstance(payload, str) else json.dumps({"transaction": f"t{len(self.lines)}", **payload})
        answers = reply_to or topic.replace("/request/", "/response/")
        properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
        if reply_to:
            properties.ResponseTopic, properties.CorrelationData = reply_to, b"known"
        line: JSON = {"request": topic, **({"about": about} if about else {}), "response": answers}
        self.lines.append(line)
        times = self.ear.count[answers] + 1
        await self.ear.client.publish(topic, text, qos=1, properties=properties)
        await self.ear.has(answers, lambda _: True, times)
        answer = self.ear.now[answers]
        assert answer["status"] == status, f"{topic} {text}: {answer}"
        line |= {"answer": Shape.of(answer).write()} | ({"known": known} if (known := self.ear.known[answers]) else {})
        if "line" in answer["data"]:
            await self.shown(answer["data"], f"/api/{topic.partition('/')[2]}")
        return answer["data"]

    async def act(self, name: str, **names: JSON) -> None:
        """Plays an act of acts.txt."""
        for line in _ACTS[name].splitlines():
            status, what, *rest = line.split(" ", 2)
            if status.isdecimal():
                path, _, body = rest[0].partition(" ")
                await self.ask(f"{what} {path}", body or None, status=int(status), about=body, **names)
            else:
                body = "".join(rest)
                is_object = body.startswith("{") and body.endswith("}")
                await self.request(what, json.loads(body) if is_object else body, status, about=body)

    @asynccontextmanager
    async def restarts(self) -> AsyncIterator[None]:
        """What happens within has the daemon start anew; it has when the block is left."""
        info, state = "oche/bridge/oche/info", "oche/bridge/oche/state"
        before, starts = self.ear.now[info]["session"], self._daemon.errors.count("running; tables")
        yield
        await self._daemon.until(lambda: self._daemon.errors.count("running; tables") > starts)
        await self.ear.until(
            lambda: self.ear.now[info]["session"] != before and self.ear.now[state] == "online", "a new session"
        )


def _describe(
    asked: str, about: str, answer: aiohttp.ClientResponse, shape: JSON, *, all_headers: bool = False
) -> dict[str, JSON]:
    noted = {
        name: ", ".join(map(_hide, answer.headers.getall(name)))
        for name in sorted(set(answer.headers))
        if (name not in _OF_ONE if all_headers else name in _NOTED)
    }
    usual = {} if all_headers or "/api/" not in asked else _AS_USUAL
    headers = {name: text for name, text in noted.items() if usual.get(name) != text and name != "Content-Type"}
    line = {"ask": asked, "about": about, "status": answer.status, "type": answer.headers.get("Content-Type", "")}
    return {key: each for key, each in {**line, "headers": headers, "answer": shape}.items() if each not in ("", {})}


def _hide(header: str) -> str:
    """The header without what is another one each time."""
    header = re.sub(r"\boche-\d+(-\w+)?=[^;]+", r"oche-PORT\1=…", header)
    header = re.sub(r'"[0-9a-f]{8}\.\d+ ', '"… ', header)
    header = re.sub(r'"[0-9a-f]{12,}(-gzip)?"', r'"…\1"', header)
    header = re.sub(r"'sha256-[^']+'", "'sha256-…'", header)
    header = "SECONDS" if header.isdecimal() else header
    return re.sub(r"\d{4}-\d\d-\d\d", "DAY", re.sub(r"_[0-9a-f]{12}\.", "_ID.", header))


def _read(kind: str, body: bytes) -> tuple[JSON, JSON]:
    """What the body comes to, and the shape of it."""
    if kind == "application/json":
        value = json.loads(body)
        return value, Shape.of(value).write()
    if kind == "application/x-ndjson":
        header, *lines = map(json.loads, body.splitlines())
        return body, [Shape.of(header).write(), Shape.of(lines).write()]
    if kind == "application/zip":
        return body, sorted(ZipFile(io.BytesIO(body)).namelist())
    if kind == "application/gzip":
        with tarfile.open(fileobj=io.BytesIO(body)) as packed:
            return body, sorted(packed.getnames())
    return body, "empty" if not body else "bytes"
