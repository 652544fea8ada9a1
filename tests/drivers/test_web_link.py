"""Boards with HTTP and WebSocket, against a server by aiohttp: messages, requests, the end, tokens, encryption."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import socket
import ssl
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from aiohttp import web
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from msgspec.structs import replace

from daemon.config.schemes import with_token
from drivers.address import AddressError
from drivers.capture import Recording, record_links
from drivers.recent_traffic import RecentTraffic
from drivers.schemes import SCHEMES, parse
from drivers.session import Session
from drivers.transport import Lost, Refused, Unavailable
from drivers.web_link import open_web
from drivers.web_peer import Connection, Peer
from protocol.codebook import make_raw_codebook
from protocol.events import Garbage
from protocol.web_frames import MOST_BYTES, Received, Wanted, encode_packet
from tests.drivers.listening import PATIENCE_S, SOON, take
from tests.drivers.web_ends import HASTY, PATIENT, WebBoard, ask, hear, lie, make_profile, opened

LIVE = make_profile()
OPEN = Received("/live", socket="open")


async def answer_json() -> web.Response:
    return web.json_response({"running": True})


async def test_messages_come_one_by_one_with_where_they_came_from() -> None:
    async with WebBoard().serve() as board, opened(board.address, LIVE) as link:
        assert await hear(link) == OPEN
        live = await board.sockets.get()
        for value in ({"type": "state", "n": 1.5}, [1, {"a": None}], {"name": "\x1b[2J\u202e"}):
            await live.send_json(value)
            assert await hear(link) == Received("/live", json=value)
        await live.send_bytes(b'{"as": "bytes"}')
        assert await hear(link) == Received("/live", json={"as": "bytes"})
        await live.send_str("hello \x1b[2J")
        assert await hear(link) == Received("/live", text="hello ?[2J")
        await live.send_str("5")
        assert await hear(link) == Received("/live", text="5")


async def test_a_dialogue_speaks_through_the_socket_and_asks_beside_it() -> None:
    async with WebBoard().serve() as board, opened(board.address, LIVE) as link:
        board.answers["/api/state"] = answer_json
        assert await hear(link) == OPEN
        await link.send(encode_packet(Wanted(say={"type": "HELLO"})))
        assert await board.said.get() == {"type": "HELLO"}
        asked = await ask(link, Wanted("GET", "/api/state"))
        assert asked == Received("GET /api/state", json={"running": True}, status=200)
        posted = await ask(link, Wanted("POST", "/api/state?a=1", {"x": [1]}))
        assert posted == Received("POST /api/state?a=1", json={"running": True}, status=200)
        missing = await ask(link, Wanted("PUT", "/nowhere"))
        assert missing == Received("PUT /nowhere", text="", status=404)
        assert board.asked == ["GET /api/state", 'POST /api/state?a=1 {"x":[1]}', "PUT /nowhere"]


async def test_only_messages_of_the_named_types_leave_the_link() -> None:
    profile = make_profile(types=("state",))
    async with WebBoard().serve() as board, opened(board.address, profile) as link:
        assert await hear(link) == OPEN
        live = await board.sockets.get()
        for text in ('{"type": "auth", "token": "x"}', '{"type": ["state"]}', "state", '["state"]', "{}", "{"):
            await live.send_str(text)
        await live.send_json({"type": "state"})
        assert await hear(link) == Received("/live", json={"type": "state"})


async def test_at_most_two_requests_at_once_and_none_without_end() -> None:
    at_once = most = 0
    go_on = asyncio.Event()

    async def answer() -> web.Response:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        await go_on.wait()
        at_once -= 1
        return web.json_response([])

    async with WebBoard().serve() as board, opened(board.address, LIVE) as link:
        board.answers["/slow"] = answer
        assert await hear(link) == OPEN
        for _ in range(40):
            await link.send(encode_packet(Wanted("GET", "/slow")))
        refused = [await hear(link) for _ in range(24)]
        assert set(map(str, refused)) == {str(Received("GET /slow", failed="no answer"))}
        await asyncio.sleep(0.2)  # a third would come now
        go_on.set()
        answers = [await hear(link) for _ in range(16)]
        assert all(each.status == 200 for each in answers)
        assert most == 2


async def test_a_long_answer_and_a_long_message_are_passed_over() -> None:
    async def answer() -> web.Response:
        return web.json_response("x" * MOST_BYTES)

    async with WebBoard().serve() as board, opened(board.address, LIVE) as link:
        board.answers["/long"] = answer
        assert await hear(link) == OPEN
        assert await ask(link, Wanted("GET", "/long")) == Received("GET /long", status=200, failed="too long")
        live = await board.sockets.get()
        await live.send_json("x" * MOST_BYTES)
        assert await hear(link) == Received("/live", failed="too long")
        longest = {"x": "y" * (MOST_BYTES - len('{"x": ""}'))}
        await live.send_json(longest)
        assert await hear(link) == Received("/live", json=longest)


async def test_no_redirect_is_followed() -> None:
    async def answer() -> web.Response:
        return web.Response(status=302, headers={"Location": "/state"})

    async with WebBoard().serve() as board, opened(board.address, LIVE) as link:
        board.answers["/moved"] = answer
        assert await hear(link) == OPEN
        assert await ask(link, Wanted("GET", "/moved")) == Received("GET /moved", status=302, text="")
        assert board.asked == ["GET /moved"]


@pytest.mark.parametrize("code", [1000, 1001, 4100])
async def test_the_code_of_the_end_is_told_before_the_link_is_lost(code: int) -> None:
    async with WebBoard().serve() as board, opened(board.address, LIVE) as link:
        assert await hear(link) == OPEN
        live = await board.sockets.get()
        await live.send_json({"last": 1})
        await live.close(code=code)
        assert await hear(link) == Received("/live", json={"last": 1})
        assert await hear(link) == Received("/live", socket="closed", code=code)
        for _ in range(2):
            with pytest.raises(Lost, match="ended the connection"):
                await link.receive()
        with pytest.raises(Lost):
            await link.send(encode_packet(Wanted("GET", "/state")))


@pytest.mark.parametrize(("is_cloud", "count", "retry_s"), [(False, 0, 1), (False, 1, 0), (True, 0, 15), (True, 1, 15)])
async def test_a_server_is_not_asked_too_often(is_cloud: bool, count: int, retry_s: float) -> None:
    profile = make_profile(is_cloud=is_cloud)
    async with WebBoard().serve() as board, opened(board.address, profile) as link:
        live = await board.sockets.get()
        for _ in range(count):
            await live.send_json({})
        await live.close()
        with pytest.raises(Lost) as lost:  # noqa: PT012
            while True:
                await hear(link)
    assert lost.value.retry_s == retry_s
    with pytest.raises(Unavailable) as unavailable:
        await open_web(board.address, profile)
    assert unavailable.value.retry_s == (15 if is_cloud else 0)


async def test_what_cannot_be_reached_is_unavailable() -> None:
    board = WebBoard()
    async with board.serve():
        pass
    with pytest.raises(Unavailable, match="refuses the connection"):
        await open_web(board.address, LIVE)


@pytest.mark.parametrize(
    ("status", "kind", "said"),
    [
        (401, Refused, "wants a token"),
        (404, Refused, "no board of this profile"),
        (302, Refused, "no board of this profile"),
        (200, Refused, "no board of this profile"),
        (503, Unavailable, "is not ready"),
    ],
)
async def test_an_answer_that_opens_no_socket(status: int, kind: type[Exception], said: str) -> None:
    async def answer() -> web.Response:
        return web.Response(status=status, headers={"Location": "/live"} if status == 302 else {})

    board = WebBoard()
    board.has_socket = False
    board.answers["/live"] = answer
    async with board.serve():
        with pytest.raises(kind, match=rf"127.0.0.1:{board.port}.* \(HTTP {status}\)") as caught:
            await open_web(board.address, LIVE)
        assert said in str(caught.value)


async def test_a_wrong_token() -> None:
    async def answer() -> web.Response:
        return web.Response(status=401)

    board = WebBoard(path="/another")
    board.answers["/live"] = answer
    async with board.serve():
        with pytest.raises(Refused, match="does not accept its token"):
            await open_web(board.address, make_profile(socket="/live?t={token}"), read_token=lambda: "wrong")


async def test_the_system_looks_after_a_silent_end() -> None:
    async with WebBoard().serve() as board:
        connection = await Peer(board.address, LIVE, PATIENT).connect()
        get = connection.writer.get_extra_info("socket").getsockopt
        asking_s = get(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL) * get(socket.IPPROTO_TCP, socket.TCP_KEEPCNT)
        assert get(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        assert get(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) + asking_s <= 30
        connection.writer.close()
        await connection.writer.wait_closed()


async def test_a_board_that_answers_can_do_without_its_socket_which_is_tried_again() -> None:
    board = WebBoard()
    board.has_socket = False
    board.answers["/state"] = answer_json
    profile = make_profile(paths={"state": "/state"})
    async with board.serve(), opened(board.address, profile, replace(PATIENT, retry_s=0.01, most_retry_s=0.05)) as link:
        assert await hear(link) == Received("/live", socket="closed")
        assert await ask(link, Wanted(say={"x": 1})) == Received("/live", failed="not connected")
        assert (await ask(link, Wanted("GET", "/state"))).json == {"running": True}
        board.has_socket = True
        assert await hear(link) == OPEN
        live = await board.sockets.get()
        await live.close(code=1001)
        assert await hear(link) == Received("/live", socket="closed", code=1001)
        assert await hear(link) == OPEN


async def test_a_board_without_socket_that_answers_no_more_is_lost() -> None:
    board = WebBoard()
    board.has_socket = False
    board.answers["/state"] = answer_json
    profile = make_profile(paths={"state": "/state"})
    async with AsyncExitStack() as stack:
        async with board.serve():
            deadlines = replace(PATIENT, silent_s=1e6)
            link = await stack.enter_async_context(opened(board.address, profile, deadlines))
            assert await hear(link) == Received("/live", socket="closed")
        assert await ask(link, Wanted("GET", "/state")) == Received("GET /state", failed="no answer")
        with pytest.raises(Lost, match="refuses the connection") as lost:
            await link.receive()
        assert lost.value.unheard_s > 0


async def test_neither_socket_nor_answer_is_why_the_socket_was_refused() -> None:
    board = WebBoard()
    board.has_socket = False
    async with board.serve():
        with pytest.raises(Refused, match="HTTP 404"):
            await open_web(board.address, make_profile(paths={"state": "/state"}))


SECRET = "s3cret/%&=\u00fc"


async def test_a_token_is_filled_in_and_nowhere_else(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setattr(asyncio.get_running_loop(), "get_debug", lambda: True)
    (file := tmp_path / "token").write_text(SECRET + "\n", encoding="utf-8")
    book = make_raw_codebook()
    book = replace(book, profile=replace(book.profile, web=make_profile(socket="/live?t={token}&s={serial}").web))
    recent = RecentTraffic()
    told: list[str] = []
    async with WebBoard().serve() as board:
        board.answers["/state"] = answer_json
        address = f"{board.address}?serial=A%26B"
        schemes = with_token(SCHEMES, str(file))
        with Recording(tmp_path / "taken", parse(address), version="1", overwrite=True) as recording:
            taken = record_links(record_links(schemes, recent), recording)
            async with Session("bar", address, book, schemes=taken, backoff=SOON) as session:
                told += map(str, await take(session, 2))
                await (await board.sockets.get()).close(code=4102)
                told += map(str, await take(session, 3))
        assert board.queries[0] == "/live?t=s3cret%2F%25%26%3D%C3%BC&s=A%26B"
        link = await schemes["web"].open(parse(address), book.profile)
        assert await hear(link) == Received("/live?t={token}&s={serial}", socket="open")
        answer = await ask(link, Wanted("GET", "/state?t={token}&v={visit}"))
        assert board.asked == ["GET /state?t=s3cret%2F%25%26%3D%C3%BC&v=%7Bvisit%7D"]
        assert (answer.source, answer.status) == ("GET /state?t={token}&v={visit}", 200)
        told += [repr(link), str(answer)]
        await link.aclose()
    with pytest.raises(Unavailable) as caught:
        await schemes["web"].open(parse(address), book.profile)
    recorded = recent.encode(parse(address), "1", "x").decode() + (tmp_path / "taken").read_text(encoding="utf-8")
    packets = [bytes.fromhex(json.loads(line).get("in", "")).decode() for line in recorded.splitlines()]
    for text in (*told, *packets, recorded, repr(caught.value), caplog.text):
        assert "s3cret" not in text


@pytest.mark.parametrize(
    ("content", "said"), [(None, "No such file"), (b"", "the file is empty"), (b"\xff\xfe", "it is not UTF-8 text")]
)
async def test_a_token_that_cannot_be_read_is_one_sentence(tmp_path: Path, content: bytes | None, said: str) -> None:
    file = tmp_path / "token"
    if content is not None:
        file.write_bytes(content)
    schemes = with_token(SCHEMES, str(file))
    with pytest.raises(Refused, match=r"cannot read the token of the board from .*write the token of the board") as e:
        await schemes["web"].open(parse("web:127.0.0.1"), make_profile(socket="/live?t={token}"))
    assert said.lower() in str(e.value).lower()


async def test_a_path_whose_names_have_no_value_is_refused() -> None:
    with pytest.raises(Refused, match=r"the board at 127.0.0.1 has a token: .* board_token_file"):
        await open_web(parse("web:127.0.0.1"), make_profile(socket="/live?t={token}"))
    with pytest.raises(
        AddressError, match=r"web:127.0.0.1 lacks the serial of the board: write web:127.0.0.1\?serial=…"
    ):
        await open_web(parse("web:127.0.0.1"), make_profile(socket="/live?t={serial}"))
    with pytest.raises(Refused, match="the profile opendarts does not describe a board on web"):
        await open_web(parse("web:127.0.0.1"), replace(LIVE, id="opendarts", web=None))


async def test_what_is_not_taken_is_not_read_and_nothing_is_lost() -> None:
    many = 100
    async with WebBoard().serve() as board, opened(board.address, LIVE, PATIENT) as link:
        sending = asyncio.create_task(_send_many(await board.sockets.get(), many))
        await asyncio.sleep(0.3)
        assert not sending.done()
        assert await hear(link) == OPEN
        assert [(await hear(link)).json["n"] for _ in range(many)] == list(range(many))
        await sending


async def _send_many(live: web.WebSocketResponse, many: int) -> None:
    for number in range(many):
        await live.send_json({"n": number, "x": "y" * 60_000})


async def test_a_recording_of_a_board_is_played_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "evening.jsonl"
    book = make_raw_codebook()
    book = replace(book, profile=replace(book.profile, web=LIVE.web))
    async with WebBoard().serve() as board:
        with Recording(file, board.address, version="1", profile="raw") as recording:
            schemes = record_links(SCHEMES, recording)
            async with Session("bar", str(board.address), book, schemes=schemes, backoff=SOON) as session:
                live = await board.sockets.get()
                for number in range(3):
                    await live.send_json({"n": number, "x": "ü" * 3000})
                await live.close(code=1001)
                then = await take(session, 6)
    async with Session("bar", f"replay:{file}?speed=0", book, backoff=SOON) as session:
        now = await take(session, 6)
    raws = [[each.raw for each in items if isinstance(each, Garbage)] for items in (then, now)]
    assert raws[0] == raws[1]
    assert len(raws[0]) == 5


def make_certificate(folder: Path, name: str) -> tuple[Path, ssl.SSLContext]:
    """A certificate of 127.0.0.1 that it has signed itself, and the context of its server."""
    key = ec.generate_private_key(ec.SECP256R1())
    who = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(who)
        .issuer_name(who)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address(name))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    (file := folder / "certificate.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file, folder / "key.pem")
    return file, context


ENCRYPTED = make_profile(tls=True)


async def test_an_encrypted_board_with_a_certificate_that_the_system_trusts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate, context = make_certificate(tmp_path, "127.0.0.1")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    async with WebBoard().serve(context) as board, opened(board.address, ENCRYPTED) as link:
        board.answers["/state"] = answer_json
        assert await hear(link) == OPEN
        await (await board.sockets.get()).send_json({"a": 1})
        assert await hear(link) == Received("/live", json={"a": 1})
        assert (await ask(link, Wanted("GET", "/state"))).status == 200


@pytest.mark.parametrize("name", [None, "127.0.0.2"])
async def test_an_encrypted_board_without_such_a_certificate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str | None
) -> None:
    certificate, context = make_certificate(tmp_path, name or "127.0.0.1")
    if name is not None:  # trusted, but of another host
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    async with WebBoard().serve(context) as board:
        with pytest.raises(Refused, match=r"the certificate of 127.0.0.1:\d+ is not trusted here"):
            await open_web(board.address, ENCRYPTED)


async def test_a_board_that_is_not_encrypted_or_never_shakes_hands(tmp_path: Path) -> None:
    async with WebBoard().serve() as board:
        with pytest.raises(Unavailable, match="no encrypted connection"):
            await open_web(board.address, ENCRYPTED)

    async def say_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(PATIENCE_S)

    async with lie(say_nothing) as address:
        with pytest.raises(Unavailable, match="nothing answers"):
            await open_web(address, ENCRYPTED, deadlines=replace(HASTY, connect_s=0.2))


async def test_a_long_name_of_a_host_and_one_that_is_not_ascii() -> None:
    for host, authority in (("a" * 62, "unknown"), ("\u00f6.invalid", "xn--nda.invalid:80"), ("[::1%lo]", "[::1]:80")):
        assert Peer(parse(f"web:{host}:80"), LIVE, PATIENT).authority == authority
    with pytest.raises(Unavailable):
        await open_web(parse("web:" + "a" * 62), LIVE)


async def test_a_connection_that_is_given_up_is_closed_whenever_that_is() -> None:
    async with WebBoard().serve() as board:
        peer = Peer(board.address, make_profile(), HASTY)
        for turns in range(12):
            connecting = asyncio.create_task(peer.connect())
            for _ in range(turns):
                await asyncio.sleep(0)
            connecting.cancel()
            (done,) = await asyncio.gather(connecting, return_exceptions=True)
            if isinstance(done, Connection):
                done.abort()
            gc.collect()  # one that is open still is a warning, and so an error


def test_the_address_of_a_board_with_options() -> None:
    address = parse("web:game.example.com?serial=A%20B")
    assert (address.options, str(address)) == ({"serial": "A B"}, "web:game.example.com?serial=A%20B")
    for text in ("web:auto", "web:[fe80", "web:a:b:c", "web:host:0", "web:host?token=x"):
        with pytest.raises(AddressError) as caught:
            parse(text)
        assert "tcp:" not in str(caught.value)
