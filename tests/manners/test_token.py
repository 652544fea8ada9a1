"""A token keeps strangers out: the one of `oche token`, or one in a file or in the service's credential."""

from __future__ import annotations

import asyncio
import hmac
import os
import re
import stat
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from daemon.assemble import RunningDaemon, run_daemon
from daemon.config.reader import read_config
from daemon.web.devices import Devices, DevicesFull
from daemon.web.token import PageToken, locate_token_hash, make_token
from tests.daemon.process import PATIENCE_S, configure, eventually
from tests.manners.guest import ANYWHERE, enter, guest, oche_token, status_of

HANDS = 'game = "dards"\noptions = { mode = "dealt" }\n'
READS = ("tables", "table/main/state", "table/main/events", "table/main/layout", "table/main/seats", "stats", "x")


@pytest.fixture
def file(tmp_path: Path, unused_tcp_port: int) -> Path:
    return configure(tmp_path, unused_tcp_port, HANDS, web=ANYWHERE)


@pytest.fixture
def token(tmp_path: Path, file: Path) -> str:
    return make_token(tmp_path / "state")


@pytest.fixture
async def running(file: Path, token: str) -> AsyncIterator[RunningDaemon]:
    async with run_daemon(read_config(file)) as running:
        yield running


async def test_without_a_token_nothing_is_served(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    sentence = "there is no token yet: run  sudo oche token  on the machine that oche runs on"
    async with run_daemon(read_config(file)) as running, guest(running, Authorization="Bearer ") as phone:
        for path in ("/", "/history", "/static/app.js", "/api/tables", "/api/table/main/events", "/api/seat/0"):
            async with phone.get(path) as answer:
                assert (answer.status, sentence in await answer.text()) == (503, True)
        assert await status_of(phone.post("/api/table/main/throw", data=b"T20")) == 503
        assert running.tables["main"].state().line == 1
        assert sentence in caplog.text
        token = make_token(locate_token_hash(file.parent / "state").parent)
        assert await enter(phone, token) == 200


async def test_a_stranger_gets_the_form_and_nothing_else(running: RunningDaemon) -> None:
    async with guest(running) as phone:
        for path in ("/", "/history", "/static/app.js"):
            assert await status_of(phone.get(path)) == 200
        for path in READS:
            async with phone.get(f"/api/{path}") as answer:
                assert (answer.status, answer.headers["WWW-Authenticate"]) == (401, 'Bearer realm="oche"')
        for path in ("table/main/throw", "table/main/tap", "seat/0/choose"):
            assert await status_of(phone.post(f"/api/{path}", data=b"T20")) == (404 if "seat" in path else 401)
    assert running.tables["main"].state().line == 1


async def test_who_has_entered_stays_in_after_a_restart(file: Path, token: str) -> None:
    prepared = read_config(file)
    async with run_daemon(prepared) as running, guest(running) as phone:
        async with phone.post("/api/enter", json={"token": f" {token}\n"}) as answer:
            cookie = answer.headers["Set-Cookie"]
            assert all(word in cookie for word in ("HttpOnly", "SameSite=Strict", "Path=/", "Max-Age="))
            assert token not in cookie
        kept = cookie.partition(";")[0]
        assert await status_of(phone.get("/api/tables")) == 200
        async with phone.get("/") as answer:
            assert kept in answer.headers["Set-Cookie"]  # as long again
    value = kept.partition("=")[2]
    async with run_daemon(prepared) as running:
        name = f"oche-{(running.page or '').rstrip('/').rpartition(':')[2]}"
        async with guest(running, Cookie=f"{name}={value}") as phone, phone.get("/api/tables") as answer:
            assert answer.status == 200


async def test_a_program_sends_the_token_each_time(running: RunningDaemon, token: str) -> None:
    async with guest(running, Authorization=f"Bearer {token}") as program, program.get("/api/tables") as answer:
        assert (answer.status, "Set-Cookie" in answer.headers) == (200, False)
    async with guest(running, Authorization=f"Basic {token}") as program, program.get("/api/tables") as answer:
        assert answer.status == 401


async def test_a_new_token_ends_the_old_one_and_every_open_stream(
    file: Path, running: RunningDaemon, token: str
) -> None:
    async with guest(running) as phone:
        assert await enter(phone, token) == 200
        async with phone.get("/api/table/main/events") as stream:
            new = oche_token(file, "--new").output.split()[1]
            await stream.content.read()  # to its end
        assert await status_of(phone.get("/api/tables")) == 401
        assert await enter(phone, token) == 401
        assert await enter(phone, new) == 200


async def test_a_phone_at_a_seat_needs_no_token(running: RunningDaemon, token: str, tmp_path: Path) -> None:
    async with guest(running, Authorization=f"Bearer {token}") as tablet, guest(running) as phone:
        async with tablet.get("/api/table/main/seats") as answer:
            seat = (await answer.json())[0]["url"].partition("?seat=")[2]
        for path in ("", "/layout"):
            assert await status_of(phone.get(f"/api/seat/{seat}{path}")) == 200
        async with phone.get(f"/api/seat/{seat}/events") as stream:
            async with tablet.get("/api/table/main/events") as ended:
                make_token(tmp_path / "state")
                await ended.content.read()
            card = running.tables["main"].state(0).board["hand"][0]
            assert await status_of(phone.post(f"/api/seat/{seat}/choose", json={"choose": card})) == 200
            while b'"line":2' not in await stream.content.readuntil(b"\n\n"):
                pass  # to the state that shows it
        for path in READS:
            assert await status_of(phone.get(f"/api/{path}")) == 401


async def test_wrong_tokens_slow_down_their_sender_only(running: RunningDaemon, token: str) -> None:
    async with guest(running) as host, guest(running) as stranger:
        assert await enter(host, token) == 200
        for _ in range(10):
            assert await enter(stranger, "wrong") == 401
        async with stranger.post("/api/enter", json={"token": "wrong"}) as answer:
            assert (answer.status, int(answer.headers["Retry-After"]) <= 10) == (429, True)
        assert await status_of(stranger.get("/api/tables", headers={"Authorization": "Bearer wrong"})) == 429
        assert await status_of(host.get("/api/tables")) == 200
        assert (
            await status_of(stranger.get("/api/tables", headers={"Authorization": f"Bearer {token}"})) == 200
        )  # it shares its address with another client, behind one router
        assert await enter(stranger, token) == 200


async def test_a_storm_of_wrong_tokens_from_ones_own_address_is_not_noticed(running: RunningDaemon, token: str) -> None:
    """Where the token was shown before."""
    async with guest(running, Authorization="Bearer wrong") as storm:
        assert await status_of(storm.get("/api/tables", headers={"Authorization": f"Bearer {token}"})) == 200

        async def write() -> str:
            async with storm.post("/api/table/main/throw", data=b"T99") as answer:
                return await answer.text()

        while not any("too fast" in said for said in await asyncio.gather(*(write() for _ in range(90)))):
            pass
        async with (
            guest(running, Authorization=f"Bearer {token}") as program,
            program.post("/api/table/main/throw", data=b"T99") as answer,
        ):
            assert answer.status == 409  # ruled on


async def test_play_goes_on_with_an_unreadable_list_of_seats(
    file: Path, token: str, caplog: pytest.LogCaptureFixture
) -> None:
    claims = file.parent / "state" / "seats.claimed"
    claims.mkdir()
    headers = {"Authorization": f"Bearer {token}"}
    async with run_daemon(read_config(file)) as running, guest(running, **headers) as tablet:
        assert f"cannot read {claims}: is a directory; give it to the user that oche runs as" in caplog.text
        async with tablet.get("/api/table/main/seats") as answer:
            assert [seat["player"] for seat in await answer.json()] == ["Ann", "Bo"]


async def test_no_token_is_judged_after_many_wrong_ones(running: RunningDaemon, token: str) -> None:
    async with guest(running) as stranger:
        for tried, status in [("wrong", 401)] * 10 + [(token, 429), ("wrong", 429)]:
            assert await status_of(stranger.get("/api/tables", headers={"Authorization": f"Bearer {tried}"})) == status
        async with stranger.post("/api/enter", json={"token": token}) as answer:
            assert (answer.status, int(answer.headers["Retry-After"]) <= 10) == (429, True)


async def test_each_device_has_a_cookie_and_is_revoked_alone(
    file: Path, running: RunningDaemon, token: str, tmp_path: Path
) -> None:
    async with guest(running, **{"User-Agent": "wall"}) as wall, guest(running, **{"User-Agent": "phone"}) as phone:
        cookies = []
        for device in (wall, phone):
            async with device.post("/api/enter", json={"token": token}) as answer:
                cookies.append(answer.headers["Set-Cookie"].partition(";")[0].partition("=")[2])
        stored = locate_token_hash(tmp_path / "state").read_text().strip()
        derived = hmac.digest(bytes.fromhex(stored), b"the page of oche", "sha256").hex()
        kept = [each.read_text() for each in (tmp_path / "state/web.devices").iterdir()]
        assert not [text for text in kept for cookie in cookies if cookie[8:] in text]
        assert len({derived, *cookies}) == 3
        listed = {line.split()[2]: line.split()[0] for line in oche_token(file, "--list").output.splitlines()}
        assert set(listed) == {"wall", "phone"}
        async with phone.get("/api/table/main/events") as stream:
            left = oche_token(file, "--revoke", listed["phone"]).output
            assert (listed["wall"] in left, listed["phone"] in left) == (True, False)
            await stream.content.read()  # to its end
        for device, status in ((wall, 200), (phone, 401)):
            assert await status_of(device.get("/api/tables")) == status
        with_derived = {"Cookie": f"oche-{str(running.page).rstrip('/').rpartition(':')[2]}={derived}"}
        async with guest(running, **with_derived) as thief, thief.get("/api/tables") as answer:
            assert answer.status == 401
    unknown = oche_token(file, "--revoke", "../web.token").exception
    assert str(unknown) == "there is no device ../web.token: oche token --list shows all devices"


@pytest.mark.long
def test_devices_that_only_play_put_out_neither_the_setup_nor_who_was_here_today(tmp_path: Path) -> None:
    devices = Devices(tmp_path)

    def enter(of: str) -> str:
        return devices.add(of, is_secure=False, agent="", setup="setup")

    def has_left(cookie: str) -> bool:
        return devices.find(cookie, ["setup", "play"]) is None

    def was_last_here(cookie: str, days: float) -> None:
        at = time.time() - days * 24 * 3600
        os.utime(tmp_path / "web.devices" / cookie[:8], (at, at))

    owner, wall = enter("setup"), enter("play")
    guests = [enter("play") for _ in range(198)]
    for cookie in guests:
        devices.note(cookie[:8])
    was_last_here(owner, 300)
    was_last_here(wall, 0.9)
    with pytest.raises(DevicesFull):
        enter("play")
    was_last_here(guests[7], 1.1)
    was_last_here(guests[8], 1.2)
    for left in (guests[8], guests[7]):
        devices.note(enter("play")[:8])
        assert has_left(left)
    with pytest.raises(DevicesFull):
        enter("play")
    assert len(devices.list()) == 200
    assert not any(map(has_left, (owner, wall, *guests[9:])))
    enter("setup")
    assert (has_left(wall), has_left(owner)) == (True, False), "with that of the setup, who plays leaves first"


@pytest.mark.long
def test_entries_alone_keep_no_new_device_out(tmp_path: Path) -> None:
    """Who enters again and again and comes back with none of the cookies puts out only what it entered itself."""
    devices = Devices(tmp_path)

    def enter() -> str:
        return devices.add("play", is_secure=False, agent="", setup="setup")

    phones = [enter() for _ in range(3)]
    for phone in phones:
        devices.note(phone[:8])
        os.utime(tmp_path / "web.devices" / phone[:8], (1, 1))  # here, but long ago
    for _ in range(250):
        enter()
    phones.append(enter())
    devices.note(phones[-1][:8])
    for _ in range(250):
        enter()
    assert all(devices.find(phone, ["play"]) for phone in phones)


async def test_who_has_entered_and_asks_for_something_is_here(
    running: RunningDaemon, token: str, tmp_path: Path
) -> None:
    async with guest(running) as phone:
        await enter(phone, token)
        (device,) = (tmp_path / "state/web.devices").iterdir()
        assert device.stat().st_mtime == 0
        assert await status_of(phone.get("/api/tables")) == 200
        await eventually(lambda: device.stat().st_mtime > 0)


async def test_a_wall_that_only_follows_is_here(
    running: RunningDaemon, token: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.web.event_stream._PING_S", 0.01)
    async with guest(running) as wall:
        await enter(wall, token)
        (device,) = (tmp_path / "state/web.devices").iterdir()
        async with wall.get("/api/table/main/events") as stream:
            monkeypatch.setattr("daemon.web.devices._NOTED_S", 0.0)
            os.utime(device, (0, 0))
            async with asyncio.timeout(PATIENCE_S):
                while device.stat().st_mtime == 0:
                    await stream.content.readline()


async def test_one_address_enters_twenty_times_a_minute(running: RunningDaemon, token: str) -> None:
    """Ten at once, and one more in six seconds, however long each of them takes: no minute has more than twenty."""
    async with guest(running) as phone:
        began, statuses, wait_s = time.monotonic(), list[int](), None
        while statuses[-1:] != [429]:
            async with phone.post("/api/enter", json={"token": token}) as answer:
                statuses.append(answer.status)
                wait_s = answer.headers.get("Retry-After")
        assert statuses[:10] == [200] * 10
        assert len(statuses) - 1 <= 10 + (time.monotonic() - began) / 6
        assert wait_s is not None
        assert 3 < int(wait_s) <= 6
        assert await status_of(phone.get("/api/tables")) == 200, "who is in stays in"


async def test_who_finds_no_place_is_told_what_to_do(running: RunningDaemon, token: str, tmp_path: Path) -> None:
    devices = Devices(tmp_path / "state")
    for _ in range(200):
        devices.note(devices.add("another", is_secure=False, agent="")[:8])
    async with guest(running) as phone, phone.post("/api/enter", json={"token": token}) as answer:
        assert (answer.status, "sudo oche token --revoke" in await answer.text()) == (503, True)


@pytest.mark.parametrize(
    ("headers", "is_secure"),
    [({}, False), ({"X-Forwarded-Proto": "https"}, True), ({"Forwarded": 'for=1.2.3.4;proto="https"'}, True)],
)
async def test_a_cookie_is_secure_where_a_proxy_speaks_tls(
    running: RunningDaemon, token: str, headers: dict[str, str], *, is_secure: bool
) -> None:
    async with guest(running, **headers) as phone, phone.post("/api/enter", json={"token": token}) as answer:
        assert ("; Secure" in answer.headers["Set-Cookie"]) is is_secure
    port = str(running.page).rstrip("/").rpartition(":")[2]
    browser = {"Host": f"localhost:{port}", "Origin": f"https://localhost:{port}", "Sec-Fetch-Site": "same-origin"}
    async with guest(running, **browser) as phone, phone.post("/api/enter", json={"token": token}) as answer:
        cookie = answer.headers["Set-Cookie"]
        assert "; Secure" in cookie
        kept = {"Cookie": cookie.partition(";")[0]}
    async with guest(running, **kept) as phone, phone.get("/") as answer:
        assert "; Secure" in answer.headers["Set-Cookie"], "as it was"


def test_the_command_for_another_token_can_be_typed_where_the_file_has_a_blank(file: Path, tmp_path: Path) -> None:
    other = file.rename(tmp_path / "my oche.toml")
    oche_token(other)
    assert f"oche token --config '{other}' --new" in str(oche_token(other).exception)


def test_the_token_is_shown_once(file: Path, tmp_path: Path) -> None:
    made = oche_token(file)
    token = made.output.split()[1]
    assert f"/#token={token}\n" in made.output
    assert re.search(r"^Setup    (setup-[a-z0-9-]{34})\nAddress  \S+/#token=\1$", made.output, re.MULTILINE)
    hidden = locate_token_hash(tmp_path / "state")
    assert stat.S_IMODE(hidden.stat().st_mode) == 0o600
    assert token not in hidden.read_text()
    again = f"oche token --config {file} --new"
    assert (
        str(oche_token(file).exception)
        == f"there already is a token of {file}, and it was shown once: to make a new one, run {again}"
    )
    assert f"It is for the daemon that runs with {file}. For another daemon run oche token --config FILE" in made.output


@pytest.mark.parametrize("text", ["", "0" * 63, "ä" * 64, "0" * 64 + "\n0"])
async def test_a_hash_that_is_damaged(tmp_path: Path, text: str) -> None:
    locate_token_hash(tmp_path).write_text(text, encoding="utf-8")
    access = PageToken("0.0.0.0", None, tmp_path)
    assert str(access.trouble) == f"{tmp_path}/web.token cannot be used: make a new token with  sudo oche token --new"
    assert access.fingerprint is None


async def test_the_doctor_is_let_in_and_no_guest_of_a_proxy(running: RunningDaemon) -> None:
    async with guest(running) as doctor:
        assert await status_of(doctor.get("/api/broker")) == 200
        assert await status_of(doctor.get("/api/broker", headers={"X-Forwarded-For": "10.0.0.9"})) == 401


def test_the_newest_token_is_the_only_one(tmp_path: Path) -> None:
    tokens = [make_token(tmp_path) for _ in range(3)]
    access = PageToken("0.0.0.0", None, tmp_path)
    assert [access.find_role(token) for token in tokens] == [None, None, "play"]


async def test_a_token_of_ones_own(tmp_path: Path, unused_tcp_port: int) -> None:
    (tmp_path / "own").write_text("the treble twenty bed\n", encoding="utf-8")
    web = f'{ANYWHERE}token_file = "{tmp_path}/own"'
    file = configure(tmp_path, unused_tcp_port, web=web)
    assert str(oche_token(file).exception) == f"the token is the one in {tmp_path}/own: change it there"
    async with run_daemon(read_config(file)) as running, guest(running) as phone:
        assert await enter(phone, "the treble twenty bed") == 200
        (tmp_path / "own").write_text("T20", encoding="utf-8")
        async with phone.get("/") as answer:
            assert await answer.text() == (f"the token in {tmp_path}/own is too short: it needs at least 16 characters")


async def test_the_token_of_the_service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "web-token").write_text("only the service reads this", encoding="utf-8")
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))
    token = PageToken("0.0.0.0", None, tmp_path)
    assert token.find_role("only the service reads this") == "play"
    assert token.find_role("only the service reads that") is None


def test_the_command_knows_the_token_of_the_service(tmp_path: Path, unused_tcp_port: int) -> None:
    """Systemd shows it to the daemon alone, and the command is typed outside."""
    file = configure(tmp_path, unused_tcp_port, web=ANYWHERE)
    service = tmp_path / "web-token"
    service.write_text("\n", encoding="utf-8")
    assert oche_token(file).exception is None, "a line end: there is none"
    service.write_text("only the service reads this\n", encoding="utf-8")
    for options in ((), ("--new",)):
        assert str(oche_token(file, *options).exception) == (
            f"the token is the one in {service}: change it there, and restart the service (sudo systemctl restart oche)"
        )


@pytest.mark.parametrize(
    ("own", "sentence"),
    [
        ("", "sudo oche token --new makes another one"),
        ("token_file", "the valid token is the one in {folder}/own"),
        (
            "credential",
            "the valid token is in the service's credential web-token (/etc/oche/web-token as it is installed)",
        ),
    ],
)
async def test_who_shows_a_wrong_one_hears_which_counts(
    tmp_path: Path, unused_tcp_port: int, monkeypatch: pytest.MonkeyPatch, own: str, sentence: str
) -> None:
    web = ANYWHERE
    if own == "credential":
        (tmp_path / "web-token").write_text("only the service reads this", encoding="utf-8")
        monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))
    elif own:
        (tmp_path / "own").write_text("the treble twenty bed\n", encoding="utf-8")
        web += f'token_file = "{tmp_path}/own"'
    made = make_token(tmp_path / "state")
    if not own:
        make_token(tmp_path / "state")
    async with (
        run_daemon(read_config(configure(tmp_path, unused_tcp_port, web=web))) as running,
        guest(running, Authorization=f"Bearer {made}") as phone,
        phone.get("/api/tables") as answer,
    ):
        told = (await answer.json())["error"]["message"]
        assert told == f"this is not the token of this page: {sentence.format(folder=tmp_path)}"
