"""What the machine can be asked for: one union, from which page and MQTT have theirs; and one place carries it out."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import UnionType
from typing import IO, NoReturn, get_args

import click
import h11
import msgspec
import pytest
from msgspec import UnsetType
from msgspec.structs import fields

from daemon.admin import answers, requests
from daemon.admin.admin import Admin
from daemon.admin.answers import ENDING, File, Refused
from daemon.admin.backup.archive import MOST_BYTES_IN_ALL
from daemon.admin.faces.http import PageRoutes
from daemon.admin.faces.mqtt import BODIES, BridgeRequests
from daemon.admin.players.book import PlayerProfile
from daemon.admin.requests import ASKED, Request
from daemon.http.messages import ClientConnection, HttpRequest
from daemon.web.auth import Auth
from daemon.web.token import PageToken, make_setup_token, make_token
from protocol.commands import CommandError
from protocol.topics import TOPICS
from tests.daemon.test_settings import serve, write_file, written
from tests.daemon.test_sounds import MP3, make_zip
from tests.manners.guest import ANYWHERE
from tests.test_docs_web import PAGE

UNIONS = [union for name, union in vars(requests).items() if name.endswith("Request") and isinstance(union, UnionType)]
READ: dict[type[Request], Request] = {
    **{kind: kind() for kind, asked in ASKED.items() if not kind.__struct_fields__ and asked.page.startswith("GET")},
    **{kind: kind() for kind in (requests.ListFigures, requests.ListMatches, requests.ReadLog, requests.ReadTryout)},
    requests.ReadFigures: requests.ReadFigures(name="Ann"),
    requests.ReadHeadToHead: requests.ReadHeadToHead(name="Ann", other="Bo"),
    requests.ReadHandicap: requests.ReadHandicap(name="Ann", other="Bo"),
    requests.ReadLearning: requests.ReadLearning(),
}
"""What can be asked of a machine without boards, and changes nothing."""
NO_BOARD = "serial:/dev/null/no"


def test_each_request_is_asked_for_and_carried_out_by_one() -> None:
    kinds = [kind for union in UNIONS for kind in get_args(union) if kind in ASKED]
    kinds.append(requests.ReadHomeAssistant)  # which is answered without another's help
    assert sorted(kind.__name__ for kind in kinds) == sorted(kind.__name__ for kind in ASKED)
    assert all(asked.page or asked.mqtt for asked in ASKED.values())
    assert all(kind.__doc__ for kind in ASKED)


def test_no_two_requests_share_a_way() -> None:
    for ways in ([asked.page for asked in ASKED.values()], [asked.mqtt for asked in ASKED.values()]):
        there = [way for way in ways if way]
        assert len({*there}) == len(there)


def test_what_is_read_changes_nothing() -> None:
    assert not [kind for kind, asked in ASKED.items() if asked.changes and asked.page.startswith("GET")]


def test_a_body_that_is_no_json_is_the_field_of_its_name() -> None:
    """And those of a GET are in its address."""
    names = {kind: asked.body for kind, asked in ASKED.items() if asked.body != "json"}
    assert all(name in kind.__struct_fields__ for kind, name in names.items())
    assert all(ASKED[kind].page.startswith("POST") for kind in names)
    raw = (bytes, IO[bytes], Path)
    assert {*names} == {kind for kind in ASKED for each in fields(kind) if each.type in raw}


def test_the_page_on_http_tells_of_every_address() -> None:
    """And of no other; `/api/learn/undo`, `skip` in one line are two."""
    text = re.sub(r"(POST `/api/learn/)undo`, `skip`, `stop`", r"\1undo` \1skip` \1stop`", PAGE)
    told = {
        (method, re.sub(r"/(ID|garage|PICTURE|RECORDED_NAME|PACK|ART|FILE|CLIP|MATCH)\b", "/{}", path))
        for method, path in re.findall(r"(GET|POST)\s`?(/(?:api|sounds|art)/[\w/]+(?:\.csv)?)", text)
    }
    asked = {tuple(re.sub(r"\{\w+\}", "{}", each.page).split(" ")) for each in ASKED.values() if each.page}
    ours = re.compile(
        r"/api/(settings|care|learn|boards|lights|players|stats|matches|match|sounds|art|clips|evening|newton)\b|/api/league/(sending|since|fetch)$"
        r"|/api/tournaments?\b(?!/\{\}/(links|code)$)|/(sounds|art)\b"
    )
    assert {each for each in told if ours.match(each[1])} == asked


def test_the_rights_of_players_are_those_that_are_told() -> None:
    told = re.findall(r"^\| (POST) `(/api/players[\w/]*)\S* \| `(\w+)` \|", PAGE, re.MULTILINE)
    asked = {each.page: each.role for each in ASKED.values()}
    assert len(told) == 7
    assert all(asked[f"{method} {path}"] == role for method, path, role in told)


def test_the_rights_of_settings_care_and_boards_are_those_of_who_sets_up() -> None:
    roles = {each.role for each in ASKED.values() if re.match(r"\w+ /api/(settings|care|learn|boards)\b", each.page)}
    assert roles == {"setup"}


async def test_who_lacks_the_right_is_refused_on_every_route(tmp_path: Path, unused_tcp_port: int) -> None:
    file = write_file(tmp_path, unused_tcp_port, web=ANYWHERE)
    page, _ = make_token(tmp_path / "state"), make_setup_token(tmp_path / "state")
    roles = ["none", "look", "play", "setup"]
    needed = {"organise": "setup", "code": "look"}  # for whom there is no link and no code
    through_proxy = {"X-Forwarded-For": "192.0.2.7"}  # a program of this machine needs no token for the traffic
    before = written(file)
    async with serve(file) as guest:
        async with guest.get("/api/table/main/join", headers={"Authorization": f"Bearer {page}"}) as codes:
            look = (await codes.json())["codes"][-1]["url"].partition("token=")[2]
        others = {kind: asked for kind, asked in ASKED.items() if kind is not requests.SignUp}  # has its code
        for method, path, right in ((*each.page.split(" "), each.role) for each in others.values() if each.page):
            role = needed.get(right, right)
            for token, theirs in zip(("", look, page), roles[: roles.index(role)], strict=False):
                headers = {**through_proxy, **({"Authorization": f"Bearer {token}"} if token else {})}
                async with guest.request(method, path, headers=headers) as answer:
                    assert answer.status == (403 if token else 401), (method, path, theirs)
                    told = await answer.text()
                assert (right == "setup" and bool(token)) == ("cannot change settings" in told), (path, theirs, told)
        wrong = {**through_proxy, "Authorization": "Bearer setup-none"}
        async with guest.get("/api/settings", headers=wrong) as answer:
            assert answer.status == 401
    assert written(file) == before


def test_the_bridge_has_a_body_for_each_request_over_mqtt() -> None:
    assert [*BODIES] == [name for name in BODIES if name in {asked.mqtt for asked in ASKED.values()}]
    assert {*BODIES} == {asked.mqtt for asked in ASKED.values() if asked.mqtt}
    assert "{request}" in TOPICS["bridge_request"].template


def test_each_command_that_is_named_is_one() -> None:
    for name in {asked.command for asked in ASKED.values() if asked.command}:
        first, *more = name.split(" ")
        command: click.Command = import_module(f"daemon.commands.{first}").command
        for each in more:
            assert isinstance(command, click.Group)
            command = command.commands[each]
        assert command.help


def test_a_player_changes_what_a_profile_has() -> None:
    told = {each.name: each.type for each in fields(PlayerProfile)}
    assert {each.name: each.type for each in fields(requests.ChangePlayer)} == {"name": str} | {
        name: kind | UnsetType for name, kind in told.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize("kind", READ, ids=lambda kind: kind.__name__)
async def test_an_answer_is_of_the_type_that_is_told(admin: Admin, kind: type[Request]) -> None:
    answer = await admin.ask(READ[kind])
    assert isinstance(answer, ASKED[kind].answer)
    assert msgspec.json.encode(answer)


def test_an_answer_begins_with_its_version() -> None:
    assert msgspec.json.encode(answers.Checks(checks=[msgspec.Raw(b"{}")])) == b'{"v":1,"checks":[{}]}'
    assert msgspec.json.encode(answers.StillReading(reading={"done": 1, "of": 2})).startswith(b'{"v":1,"reading"')


async def test_a_daemon_without_a_file_is_not_asked_for_settings(admin: Admin) -> None:
    admin._settings = None  # noqa: SLF001  as where the daemon was started without one
    assert (await admin.ask(requests.ListPlayers()))[0].name == "Ann"
    for kind in (requests.ReadSettings, requests.MakeBackup, requests.ReadLog):
        with pytest.raises(Refused):
            await admin.check(kind)
    await admin.check(requests.ReadHomeAssistant)


async def test_what_is_asked_while_the_daemon_ends_is_refused(admin: Admin) -> None:
    """A page that waits for a new start asks for the settings: what is refused is no start."""
    await admin.ask(requests.ReadSettings())
    await admin.close()
    for kind in (requests.ReadSettings, requests.ReadTryout):  # loaded, and not
        with pytest.raises(Refused) as refused:
            await admin.ask(kind())
        assert (refused.value.code, refused.value.said) == ("unavailable", ENDING)


@pytest.mark.parametrize("is_loaded", [False, True])
@pytest.mark.parametrize(
    "begins", [requests.TryBoard(NO_BOARD, "opendarts"), requests.StartLearning(NO_BOARD, "mine", frame="*")]
)
async def test_what_begins_while_the_daemon_ends_does_not_outlive_it(
    admin: Admin, begins: Request, *, is_loaded: bool
) -> None:
    if is_loaded:
        await admin.ask(requests.ReadTryout())
        await admin.ask(requests.ReadLearning())
    asked = asyncio.create_task(admin.ask(begins))
    await asyncio.sleep(0)
    await admin.close()
    with suppress(Refused):
        await asked
    assert not {"trying a board out", "learning a board"} & {task.get_name() for task in asyncio.all_tasks()}


@pytest.mark.slow
async def test_the_bridge_and_the_page_make_no_backup_at_once(admin: Admin) -> None:
    """The one that was asked for first is made, until its file was sent."""
    bridge = BridgeRequests(admin)
    file = await admin.ask(requests.MakeBackup())
    assert isinstance(file, File)
    with pytest.raises(CommandError) as refused:
        await bridge.take("backup", b"")()
    assert refused.value.code == "busy"
    assert str(refused.value).startswith("another report, backup or check is in progress")
    assert not isinstance(file.content, bytes)
    admin.release(file.content)
    making = asyncio.create_task(bridge.take("backup", b"")())
    await asyncio.sleep(0)
    assert admin.is_busy
    with pytest.raises(Refused) as unmade:
        await admin.ask(requests.HealthCheck())
    assert (unmade.value.code, unmade.value.wait_s) == ("busy", 10)
    assert (await making)["bytes"] > 0


@pytest.mark.slow
async def test_a_report_that_is_sent_slowly_keeps_no_backup_waiting(admin: Admin) -> None:
    """And when it has been sent, what is made then goes on alone."""
    report = await admin.ask(requests.MakeReport())
    backup = asyncio.create_task(BridgeRequests(admin).take("backup", b"")())
    await asyncio.sleep(0)
    assert admin.is_busy
    admin.release(report.content)
    with pytest.raises(Refused):
        await admin.ask(requests.HealthCheck())
    assert (await backup)["bytes"] > 0
    assert not admin.is_busy


@pytest.mark.slow
async def test_a_pack_that_waits_for_another_one_keeps_nothing_else_waiting(admin: Admin, tmp_path: Path) -> None:
    (file := tmp_path / "upload").write_bytes(make_zip({"180.mp3": MP3}))
    sounds = await admin._load(admin._make_sounds)  # noqa: SLF001  nothing else holds its turn for as long as a test wants
    async with sounds._turn:  # noqa: SLF001  the same
        adding = asyncio.create_task(admin.ask(requests.AddSounds(file, "mine.zip")))
        await asyncio.sleep(0)
        admin.release((await admin.ask(requests.MakeReport())).content)
        assert not adding.done()
    assert (await adding)["pack"] == "mine"


def never() -> NoReturn:
    raise AssertionError("it is read")


@pytest.mark.slow
async def test_a_backup_that_cannot_be_taken_is_refused_before_it_is_read(admin: Admin, tmp_path: Path) -> None:
    routes = PageRoutes(admin, Auth((), PageToken("127.0.0.1", None, tmp_path), b""), tmp_path).make()
    (respond,) = (each.respond for each in routes if each.path == "/api/care/restore")

    async def send(size: int, receive: Callable[[], AsyncIterator[bytes]] = never) -> tuple[int, str, str]:
        head = h11.Request(method="POST", target="/", headers=[("Host", "localhost"), ("Content-Length", str(size))])
        answer = await respond(HttpRequest(head, ClientConnection("me", None, None, receive, never)))
        assert isinstance(answer.body, bytes)
        error = json.loads(answer.body)["error"]
        return answer.status, error["code"], error.get("key", "")

    assert await send(MOST_BYTES_IN_ALL + 1) == (413, "invalid", "care.too_large")
    admin.is_busy = True
    assert await send(1) == (503, "busy", "care.busy")
    admin.is_busy = False
    begun, is_complete = asyncio.Event(), asyncio.Event()

    async def receive_slowly() -> AsyncIterator[bytes]:
        begun.set()
        await is_complete.wait()
        yield b"x"

    first = asyncio.create_task(send(1, receive_slowly))
    await begun.wait()
    assert await send(1) == (503, "busy", "care.receiving")
    is_complete.set()
    assert (await first)[:2] == (503, "unavailable")
