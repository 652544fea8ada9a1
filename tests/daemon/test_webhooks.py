"""Web hooks: what the rules of the configuration name is sent to real servers, whatever these do."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest
from aiohttp import web

from daemon.assemble import run_daemon
from daemon.config.outlets import PLACEHOLDER, Range, Rule, Then, Webhook
from daemon.config.reader import read_config
from daemon.errors import UserError
from daemon.outlets.rules import Happening, is_met
from daemon.outlets.webhooks import Webhooks, fill_template
from daemon.snapshot import take_snapshot
from protocol.facts import Award, Dart, Fact, MatchWon, Visit, make_event
from protocol.layouts import find_layout
from protocol.messages import State
from tests.daemon.display import JSON, DirectDisplay
from tests.daemon.process import configure, ended, eventually
from tests.engine.records import Record, header

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]
RULE = Rule(on="180", then=Then(webhook="phone"))


class Server:
    """A web server that keeps what it is sent, and answers with these statuses, at last always with the last one."""

    def __init__(self, *statuses: int) -> None:
        self.statuses = list(statuses)
        self.url = ""
        self.bodies: list[bytes] = []
        self.headers: list[web.BaseRequest] = []

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.bodies.append(await request.read())
        self.headers.append(request)
        status = self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0]
        return web.Response(status=status, headers={"Location": self.url} if status == 302 else {})

    @property
    def sent(self) -> list[object]:
        return [json.loads(body) for body in self.bodies]


@asynccontextmanager
async def serving(answer: Answer) -> AsyncIterator[str]:
    """Serves this while the block lasts; yields its address."""
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(app, shutdown_timeout=0)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/hook"
    finally:
        await runner.cleanup()


@asynccontextmanager
async def sending(webhook: Webhook, troubles: dict[str, str]) -> AsyncIterator[Webhooks]:
    webhooks = Webhooks([webhook], {"main": "The bar"}, troubles)
    task = asyncio.create_task(webhooks.run())
    try:
        yield webhooks
    finally:
        await ended(task)


def happens(fact: Fact, state: State | None = None, **more: object) -> Happening:
    return Happening("main", make_event(fact, **more), state, find_layout("standard"))


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("daemon.outlets.webhooks.PAUSES_S", (0, 0, 0))


def played(*lines: str) -> State:
    record = Record(header("x01", ["Ann", "Bo"], options={"start": 301}))
    record.play(*lines)
    return take_snapshot(record.match)


VISIT = happens(Visit(side=0, points=60, darts=("S20", "S1", "S5")), played("S20 S1 S5 /"), player="Ann")
DART = happens(Dart(side=0, segment="T20", points=60, score=241), played("T20"), player="Ann")
AWARD = happens(Award(side=1, award="180"), player="Bo")
WON = happens(MatchWon(winners=(1,)), played())


@pytest.mark.parametrize(
    ("rule", "given", "expected"),
    [
        ({"on": "visit"}, VISIT, True),
        ({"on": ("180", "visit")}, VISIT, True),
        ({"on": "180"}, AWARD, True),
        ({"on": "award"}, AWARD, True),
        ({"on": "180"}, VISIT, False),
        ({"on": "visit", "points": 60}, VISIT, True),
        ({"on": "visit", "points": 61}, VISIT, False),
        ({"on": "visit", "points": Range(min=60, max=60)}, VISIT, True),
        ({"on": "visit", "points": Range(min=61)}, VISIT, False),
        ({"on": "visit", "points": Range(max=59)}, VISIT, False),
        ({"on": "award", "points": Range(min=0)}, AWARD, False),
        ({"on": "visit", "score": 275}, VISIT, True),
        ({"on": "visit", "score": Range(max=170)}, VISIT, False),
        ({"on": "visit", "darts": ("S1", "S5", "S20")}, VISIT, True),
        ({"on": "visit", "darts": ("S1", "S5", "S5")}, VISIT, False),
        ({"on": "dart", "bed": "T20"}, DART, True),
        ({"on": "dart", "bed": "triple"}, DART, True),
        ({"on": "dart", "bed": ("double", "20")}, DART, True),
        ({"on": "dart", "bed": "D20"}, DART, False),
        ({"on": "visit", "player": ("Bo", "Ann")}, VISIT, True),
        ({"on": "visit", "player": "Bo"}, VISIT, False),
        ({"on": "match_won", "player": "Bo"}, WON, True),
        ({"on": "match_won", "player": "Ann"}, WON, False),
        ({"on": "visit", "table": "main", "game": "x01"}, VISIT, True),
        ({"on": "visit", "table": "main", "game": "cricket"}, VISIT, False),
        ({"on": "visit", "table": "other"}, VISIT, False),
        ({"on": "180", "game": "x01"}, AWARD, False),  # what it led to is not known
    ],
)
def test_a_rule_is_met_when_all_conditions_hold(rule: dict[str, object], given: Happening, expected: bool) -> None:
    assert is_met(msgspec.convert({**msgspec.to_builtins(rule), "then": {}}, Rule), given) is expected


def test_a_name_in_a_template_stays_one_text() -> None:
    name = 'O"Neill\n{points}'
    values = {"player": name, "points": 180, "darts": ["T20"]}
    template = {"a": "{points}", "b": ["{player}", {"c": "{player}: {points}"}], "d": "{darts}", "e": "{award}", "f": 3}
    filled = fill_template(template, values)
    assert filled == {"a": 180, "b": [name, {"c": f"{name}: 180"}], "d": ["T20"], "e": None, "f": 3}
    assert PLACEHOLDER.findall("{a}{b c}{D}") == ["a"]


async def test_what_a_rule_names_is_sent_signed(tmp_path: Path) -> None:
    secret, server = tmp_path / "secret", Server(204)
    secret.write_text("of two\n")
    async with serving(server.answer) as url:
        json_ = {"text": "{player}: {moment} at {title}"}
        webhook = Webhook("phone", url, json_, {"X-Own": "yes"}, str(secret))
        async with sending(webhook, {}) as webhooks:
            webhooks.take(RULE, AWARD)
            await eventually(lambda: bool(server.bodies))
    assert server.sent == [{"text": "Bo: 180 at The bar"}]
    (request,) = server.headers
    sent = request.headers["Oche-Time"]
    digest = hmac.new(b"of two", f"{sent}.".encode() + server.bodies[0], hashlib.sha256).hexdigest()
    assert request.headers["Oche-Signature"] == f"sha256={digest}"
    assert request.headers["X-Own"] == "yes"
    assert request.headers["Content-Type"] == "application/json"


@pytest.mark.parametrize(
    ("statuses", "requests", "trouble"),
    [
        ([503, 429, 200], 3, None),
        ([500], 4, "it answered with status 500"),
        ([404], 1, "it answered with status 404"),
        ([302], 1, "it answered with status 302"),
    ],
)
async def test_a_request_is_sent_again_where_that_may_help(
    statuses: list[int], requests: int, trouble: str | None
) -> None:
    server, troubles = Server(*statuses), dict[str, str]()
    async with serving(server.answer) as url:
        server.url = url
        async with sending(Webhook("phone", url), troubles) as webhooks:
            webhooks.take(RULE, AWARD)
            await eventually(lambda: len(server.bodies) == requests and bool(troubles) == bool(trouble))
            server.statuses = [200]
            webhooks.take(RULE, DART)
            await eventually(lambda: len(server.bodies) == requests + 1 and not troubles)
    assert [each["event_type"] for each in map(json.loads, server.bodies)] == ["award"] * requests + ["dart"]


async def test_a_server_that_says_nothing_holds_up_no_other(caplog: pytest.LogCaptureFixture) -> None:
    asked, never, good = asyncio.Event(), asyncio.Event(), Server(200)

    async def say_nothing(request: web.Request) -> web.StreamResponse:
        asked.set()
        await never.wait()
        return web.Response()

    async with serving(say_nothing) as silent, serving(good.answer) as url:
        webhooks = Webhooks([Webhook("silent", silent), Webhook("good", url)], {"main": "main"}, {})
        task = asyncio.create_task(webhooks.run())
        webhooks.take(Rule(on="180", then=Then(webhook="silent")), AWARD)
        await asked.wait()
        for _ in range(105):
            webhooks.take(Rule(on="180", then=Then(webhook="good")), AWARD)
        await eventually(lambda: len(good.bodies) == 100)
        await ended(task)
        never.set()
    assert caplog.text.count("the web hook good is more than 100 behind: the oldest are left out") == 1


async def test_a_long_answer_counts_by_its_status(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page of HTML is as good an answer as any: what has arrived is not sent again."""
    troubles, asked = dict[str, str](), list[str]()

    async def answer(request: web.Request) -> web.StreamResponse:
        asked.append(request.headers["Oche-Id"])
        return web.Response(body=b"x" * 100_000, status=200 if len(asked) > 1 else 503)

    async with serving(answer) as url, sending(Webhook("phone", url), troubles) as webhooks:
        webhooks.take(RULE, AWARD)
        await eventually(lambda: len(asked) == 2)
        webhooks.take(RULE, AWARD)
        await eventually(lambda: len(asked) == 3)
    assert troubles == {}
    assert asked[0] == asked[1] != asked[2], "a receiver knows again what is sent again"


async def test_an_answer_that_never_comes_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("daemon.outlets.webhooks.TIMEOUT_S", 0.05)
    never, troubles = asyncio.Event(), dict[str, str]()

    async def answer(request: web.Request) -> web.StreamResponse:
        await never.wait()
        return web.Response()

    async with serving(answer) as url, sending(Webhook("phone", url), troubles) as webhooks:
        webhooks.take(RULE, AWARD)
        await eventually(lambda: bool(troubles))
        never.set()
    assert troubles == {"webhook phone": "it did not answer within 0.05 s"}


async def test_what_is_no_news_any_more_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server(200)
    async with serving(server.answer) as url:
        webhooks = Webhooks([Webhook("phone", url)], {"main": "main"}, {})
        monkeypatch.setattr("daemon.outlets.webhooks._NEWS_S", 0)
        webhooks.take(RULE, AWARD)
        task = asyncio.create_task(webhooks.run())
        for _ in range(10):  # turns of the loop: it waits for nothing until then
            await asyncio.sleep(0)
        monkeypatch.setattr("daemon.outlets.webhooks._NEWS_S", 60)
        webhooks.take(RULE, DART)
        await eventually(lambda: len(server.bodies) == 1)
        await ended(task)
    assert [each["event_type"] for each in map(json.loads, server.bodies)] == ["dart"]


@pytest.mark.parametrize("headers", [{"Authorization": "Bearer hunter2\n"}, {"X-Ä": "hunter2"}])
async def test_what_cannot_be_sent_is_not_told(headers: dict[str, str]) -> None:
    server, troubles = Server(200), dict[str, str]()
    async with serving(server.answer) as url, sending(Webhook("phone", url, headers=headers), troubles) as webhooks:
        webhooks.take(RULE, AWARD)
        await eventually(lambda: bool(troubles))
    assert "hunter2" not in str(troubles)


async def test_an_address_that_is_none_stops_no_other() -> None:
    server, troubles = Server(200), dict[str, str]()
    async with serving(server.answer) as url:
        hooks = [Webhook("port", "http://127.0.0.1:99999/"), Webhook("none", "http:///x"), Webhook("good", url)]
        webhooks = Webhooks(hooks, {"main": "main"}, troubles)
        task = asyncio.create_task(webhooks.run())
        for each in hooks:
            webhooks.take(Rule(on="180", then=Then(webhook=each.name)), AWARD)
        await eventually(lambda: len(troubles) == 2 and len(server.bodies) == 1)
        await ended(task)


async def test_a_rule_in_the_file_sends_what_a_board_did(
    tmp_path: Path, unused_tcp_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And while it cannot, the health report says so."""
    monkeypatch.setattr("daemon.health.HEALTH_S", 0.02)
    server = Server(404, 200)
    async with serving(server.answer) as url:
        more = f"""
[[outlets.webhook]]
name = "phone"
url = "{url}"
json = {{ said = "{{player}}: {{segment}}" }}
[[outlets.rule]]
on = "dart"
bed = "triple"
then = {{ webhook = "phone" }}
"""
        running = run_daemon(read_config(configure(tmp_path, unused_tcp_port, more=more)))
        async with running as daemon, DirectDisplay(daemon) as display:
            await display.ask("throw", {"throw": "T20"})
            await eventually(lambda: len(server.bodies) == 1)
            await eventually(lambda: "outlets" in _read_health(display))
            assert _read_health(display)["outlets"] == {"webhook phone": "it answered with status 404"}
            await display.ask("throw", {"throw": "S20"})
            await display.ask("throw", {"throw": "T19"})
            await eventually(lambda: len(server.bodies) == 2)
    assert server.sent == [{"said": "Ann: T20"}, {"said": "Ann: T19"}]


def _read_health(display: DirectDisplay) -> JSON:
    found: JSON = json.loads(display.now.get("oche/bridge/oche/health", "{}"))
    return found


MISTAKES = {
    'on = "180s"': "there is no moment '180s'; did you mean '180'?",
    'on = "180"\nthen = {webhook = "fone"}': "no [[outlets.webhook]] is called 'fone'; did you mean 'phone'?",
    'on = "180"\nthen = {}': "this rule does nothing: name what it does",
    'on = "180"\npoint = 3': "unknown key 'point'; did you mean 'points'?",
    'on = "180"\ntable = "maim"': "there is no 'maim'; did you mean 'main'?",
    'on = "180"\ngame = "xo1"': "there is no 'xo1'; did you mean 'x01'?",
    'on = "dart"\nbed = "tripel"': "there is no 'tripel'; did you mean 'triple'?",
    'on = "visit"\ndarts = ["S1", "S50", "S20"]': "there is no 'S50'; did you mean 'S5'?",
    'on = "visit"\npoints = {min = 2, max = 1}': "min is greater than max: no number is both",
    'on = ["bust", "180"]\npoints = 3': (
        "points never holds at 'bust' or '180', which has none: leave it out, or change on"
    ),
    'on = "180"\nbed = "T20"': "bed never holds at '180', which has none: leave it out, or change on",
}
HOOK = '[[outlets.webhook]]\nname = "phone"\nurl = "http://x/"\n'


@pytest.mark.parametrize("text", MISTAKES)
def test_a_mistake_in_a_rule_is_named_with_its_line(text: str, tmp_path: Path) -> None:
    action = "" if "then" in text else '\nthen = {webhook = "phone"}'
    with pytest.raises(UserError) as caught:
        read_config(configure(tmp_path, more=f"{HOOK}[[outlets.rule]]\n{text}{action}\n"))
    assert str(caught.value).endswith(MISTAKES[text])
    assert ", line " in str(caught.value)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ('headers = {Authorization = "Bearer hunter2 "}', "the value of 'Authorization' has blanks around it"),
        ('headers = {"X Y" = "hunter2"}', "'X Y' is not a header to set"),
        ('headers = {host = "hunter2"}', "'host' is not a header to set"),
        (HOOK.replace("phone", "next").replace("x/", "me:hunter2@x/"), "others can see an address with a password"),
        (HOOK.replace("phone", "next").replace("x/", "x:99999/"), "'http://x:99999/' is not a web address"),
        (HOOK, "there are two of the name 'phone': rename one"),
    ],
)
def test_a_mistake_in_a_web_hook_is_named_without_a_secret(more: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        read_config(configure(tmp_path, more=HOOK + more))
    assert said in str(caught.value)
    assert "hunter2" not in str(caught.value)


def test_an_unknown_placeholder_is_named(tmp_path: Path) -> None:
    more = '[[outlets.webhook]]\nname = "phone"\nurl = "http://x/"\njson = {a = [{b = "{plyer}"}]}\n'
    with pytest.raises(UserError, match=r"there is no value {plyer}; did you mean 'player'\?"):
        read_config(configure(tmp_path, more=more))
