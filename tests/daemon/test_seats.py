"""A hand is seen by its seat alone: on the phone that claimed it, and on its topic where strangers are kept out."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from daemon.assemble import RunningDaemon, run_daemon
from daemon.config.reader import read_config
from tests.commanding import give
from tests.daemon.display import Display, find_retained
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import Process, configure, eventually

HANDS = 'game = "dards"\noptions = { mode = "dealt" }\nseed = "a seed"\n'
JSON = dict[str, Any]  # Any: JSON


@pytest.fixture
async def running(tmp_path: Path) -> AsyncIterator[RunningDaemon]:
    async with run_daemon(read_config(configure(tmp_path, 0, HANDS))) as running:
        yield running


@pytest.fixture
async def phone() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as phone:
        yield phone


async def seats(phone: aiohttp.ClientSession, running: RunningDaemon) -> list[JSON]:
    async with phone.get(f"{running.page}api/table/main/seats") as answer:
        found: list[JSON] = await answer.json()
        return found


async def view(phone: aiohttp.ClientSession, running: RunningDaemon, token: str) -> JSON:
    """The first state on the seat's stream."""
    async with phone.get(f"{running.page}api/seat/{token}/events") as stream:
        async for line in stream.content:
            if line.startswith(b'data: {"v"'):
                state: JSON = json.loads(line.removeprefix(b"data: "))
                return state
    raise AssertionError("the stream ended")


async def test_a_phone_sees_only_its_own_hand(running: RunningDaemon, phone: aiohttp.ClientSession) -> None:
    free = await seats(phone, running)
    assert [seat["player"] for seat in free] == ["Ann", "Bo"]
    assert free[0]["qr"]["size"] > 20
    tokens = [seat["url"].partition("?seat=")[2] for seat in free]
    hands = [(await view(phone, running, token))["board"]["hand"] for token in tokens]
    assert all(len(hand) == 9 for hand in hands)
    assert not set(hands[0]) & set(hands[1])
    public = running.tables["main"].state()
    assert "hand" not in public.board
    assert public.prompts[0].options is None
    mine = await view(phone, running, tokens[0])
    assert mine["prompts"][0]["options"] == hands[0]


async def test_a_seat_is_offered_until_a_phone_opens_it(running: RunningDaemon, phone: aiohttp.ClientSession) -> None:
    token = (await seats(phone, running))[1]["url"].partition("?seat=")[2]
    async with phone.get(f"{running.page}api/seat/{token}") as answer:
        assert await answer.json() == {"table": "main", "seat": 1, "player": "Bo"}
    assert [seat["player"] for seat in await seats(phone, running)] == ["Ann"]
    async with phone.get(f"{running.page}api/seat/0123") as answer:
        assert answer.status == 404


async def test_the_first_browser_has_a_hand_for_itself(
    tmp_path: Path, phone: aiohttp.ClientSession, unused_tcp_port: int
) -> None:
    """After a restart too; a program has no cookie, and keeps no phone out."""
    file = configure(tmp_path, 0, HANDS)
    text = file.read_text(encoding="utf-8").replace("[web]\nport = 0", f"[web]\nport = {unused_tcp_port}")
    file.write_text(text, encoding="utf-8")
    first, second = (aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) for _ in range(2))
    refused = "another phone or browser opened this hand first: only that one shows it"
    ann, bo = "", ""
    async with first, second:
        for _ in range(2):
            async with run_daemon(read_config(file)) as running:
                if not ann:
                    ann, bo = (seat["url"] for seat in await seats(phone, running))
                    await view(phone, running, bo.partition("?seat=")[2])
                for browser in (first, second):
                    async with browser.get(ann) as page:
                        assert page.status == 200
                    assert (await view(browser, running, bo.partition("?seat=")[2]))["board"]["hand"]
                hand = f"{running.page}api/seat/{ann.partition('?seat=')[2]}"
                for path in ("", "", "/layout"):
                    async with first.get(f"{hand}{path}") as answer:
                        assert answer.status == 200
                    for other in (second, phone):
                        async with other.get(f"{hand}{path}") as answer:
                            assert (answer.status, await answer.text()) == (404, refused)


async def test_displays_are_told_when_a_seat_is_taken(running: RunningDaemon, phone: aiohttp.ClientSession) -> None:
    token = (await seats(phone, running))[0]["url"].partition("?seat=")[2]
    async with phone.get(f"{running.page}api/table/main/events") as wall:
        while not (await wall.content.readuntil(b"\n\n")).startswith(b"event: page\n"):
            pass  # the last of what it is told first
        for _ in range(2):
            await view(phone, running, token)
        async with phone.post(f"{running.page}api/table/main/stop") as answer:
            assert answer.status == 200
        states: list[bool] = []
        while len(states) < 2:
            news = await wall.content.readuntil(b"\n\n")
            states += [b'"phase":"over"' in news] if news.startswith(b"event: state") else []
        assert states == [False, True]


FOUND = ("https://darts.lan/", "http://192.168.1.20:8180/my/darts/", "http://[fe80::1]:80/", "http://127.0.0.1:1/")
NOT_FOUND = (
    ("https://darts.example.org/", "the page is not served as 'darts.example.org': add that name to web.names"),
    ("https://a.lan.example.org:443/", "the page is not served as 'a.lan.example.org'"),
    ("http://a\\@b.example.org/", "base is the address where the page was found, such as http://"),
    *(
        (base, "base is the address where the page was found, such as http://192.168.1.20:8180/, 200 characters")
        for base in (
            "",
            "/",
            "darts.lan",
            "javascript://darts.lan/",
            "ftp://darts.lan/",
            "http://:80/",
            "http://ann:secret@darts.lan/",
            "http://darts.lan@192.0.2.1/",
            "http://darts.lan",
            "http://darts.lan/oche",
            "http://darts.lan/?",
            "http://darts.lan/?a=/",
            "http://darts.lan/#/",
            "http://darts.lan/ /",
            "http://darts.lan/\n",
            f"http://darts.lan/{'a' * 200}/",
        )
    ),
)


async def test_a_code_leads_to_where_the_display_found_the_page(
    running: RunningDaemon, phone: aiohttp.ClientSession
) -> None:
    for base in FOUND:
        async with phone.get(f"{running.page}api/table/main/seats", params={"base": base}) as answer:
            assert [seat["url"].partition("?seat=")[0] for seat in await answer.json()] == [base, base]


async def test_no_code_leads_anywhere_else(running: RunningDaemon, phone: aiohttp.ClientSession) -> None:
    for base, why in NOT_FOUND:
        async with phone.get(f"{running.page}api/table/main/seats", params={"base": base}) as answer:
            error = (await answer.json())["error"]
            assert (answer.status, error["code"], error["message"][: len(why)]) == (400, "invalid", why), base


async def test_a_secret_question_is_answered_by_its_seat_alone(
    running: RunningDaemon, phone: aiohttp.ClientSession
) -> None:
    ann, bo = (seat["url"].partition("?seat=")[2] for seat in await seats(phone, running))
    card = (await view(phone, running, ann))["board"]["hand"][0]
    refused = "only Ann can answer card@1, on the phone of that seat"
    for url in ("table/main/choose", f"seat/{bo}/choose"):
        async with phone.post(f"{running.page}api/{url}", json={"choose": card}) as answer:
            assert (answer.status, (await answer.json())["error"]["message"]) == (409, refused)
    async with phone.post(f"{running.page}api/seat/{ann}/choose", json={"choose": card}) as answer:
        assert answer.status == 200
    assert running.tables["main"].state().board["card"] == card


async def test_a_game_without_secrets_has_no_private_seats(tmp_path: Path, phone: aiohttp.ClientSession) -> None:
    async with run_daemon(read_config(configure(tmp_path))) as running:
        assert await seats(phone, running) == []


SEAT = "oche/table/main/seat/{}/state"


@pytest.fixture
async def closed(mosquitto_path: Path, tmp_path: Path, unused_tcp_port: int) -> AsyncIterator[Mosquitto]:
    """A broker that wants a login, and remembers."""
    broker = Mosquitto(
        mosquitto_path, tmp_path / "mosquitto", unused_tcp_port, users={"oche": "secret"}, remembers=True
    )
    async with broker:
        yield broker


def login(folder: Path) -> str:
    (folder / "password").write_text("secret", encoding="utf-8")
    return f'username = "oche"\npassword_file = "{folder}/password"'


def insider(port: int) -> Display:
    """A display with the login."""
    return Display(port, username="oche", password="secret")


async def test_a_broker_with_a_login_has_each_hand_on_its_own_topic(tmp_path: Path, closed: Mosquitto) -> None:
    setup = read_config(configure(tmp_path, closed.port, HANDS, mqtt=login(tmp_path)))
    async with run_daemon(setup), insider(closed.port) as display:
        topic = SEAT.format(0)
        await display.until(lambda: topic in display.now)
        mine = json.loads(display.now[topic])
        assert mine["seat"] == 0
        assert len(mine["view"]["board"]["hand"]) == 9
        card, another = mine["prompts"][0]["options"][:2]
        assert card not in display.now["oche/table/main/state"]
        await display.say("oche/table/main/cmd/choose", card)
        await display.say("oche/table/main/seat/1/cmd/choose", card)
        await display.say("oche/table/main/seat/00/cmd/choose", another)
        await display.say("oche/table/main/seat/0/cmd/choose", card)
        state = await display.until_line(2)
        assert state["board"]["card"] == card
        await display.say("oche/table/main/cmd/stop")
        await display.until(lambda: display.now[topic] == "")


async def test_a_phone_of_the_last_match_sees_nothing_of_the_next(
    running: RunningDaemon, phone: aiohttp.ClientSession
) -> None:
    token = (await seats(phone, running))[0]["url"].partition("?seat=")[2]
    async with phone.get(f"{running.page}api/seat/{token}/events") as stream:
        await stream.content.readuntil(b"\n\n")
        header = {"game": "dards", "options": {"mode": "dealt"}, "players": ["Cid", "Dan"]}
        async with phone.post(f"{running.page}api/table/main/start", json=header) as answer:
            assert answer.status == 200
        assert b"Cid" not in await stream.content.read()
    async with phone.get(f"{running.page}api/seat/{token}") as answer:
        assert answer.status == 404


async def test_a_laid_card_is_not_probed_by_a_correction(running: RunningDaemon, phone: aiohttp.ClientSession) -> None:
    ann = (await seats(phone, running))[0]["url"].partition("?seat=")[2]
    card = (await view(phone, running, ann))["board"]["hand"][0]
    async with phone.post(f"{running.page}api/seat/{ann}/choose", json={"choose": card}) as answer:
        assert answer.status == 200
    async with phone.post(f"{running.page}api/table/main/amend", json={"amend": 2, "choose": "2S"}) as answer:
        assert answer.status == 409
        assert "use undo" in (await answer.json())["error"]["message"]


async def test_a_claimed_seat_is_not_offered_again_after_a_restart(
    tmp_path: Path, phone: aiohttp.ClientSession
) -> None:
    setup = read_config(configure(tmp_path, 0, HANDS))
    async with run_daemon(setup) as running:
        token = (await seats(phone, running))[0]["url"].partition("?seat=")[2]
        await view(phone, running, token)
    async with run_daemon(setup) as running:
        assert [seat["player"] for seat in await seats(phone, running)] == ["Bo"]
        assert (await view(phone, running, token))["board"]["hand"]


def claims(folder: Path) -> list[str]:
    """The lines of the file of claims that have something."""
    return (folder / "state" / "seats.claimed").read_text("ascii").split()


async def test_half_a_line_of_a_power_cut_costs_no_other_claim(tmp_path: Path, phone: aiohttp.ClientSession) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "seats.claimed").write_text("0123456789abcdef", "ascii")
    setup = read_config(configure(tmp_path, 0, HANDS))
    async with run_daemon(setup) as running:
        for seat in await seats(phone, running):
            await view(phone, running, seat["url"].partition("?seat=")[2])
    async with run_daemon(setup) as running:
        assert await seats(phone, running) == []


async def test_the_claims_of_matches_before_are_taken_out_of_the_file(
    tmp_path: Path, phone: aiohttp.ClientSession
) -> None:
    """Those of the other table stay, also while its journal cannot be read."""
    kitchen = f'[[table]]\nname = "kitchen"\nboard = "serial:{tmp_path}/other"\nplayers = ["Cy", "Di"]\n{HANDS}'
    setup = read_config(configure(tmp_path, 0, HANDS, more=kitchen))
    cy = ""

    async def open_all(running: RunningDaemon) -> int:
        free = await seats(phone, running)
        for seat in free:
            await view(phone, running, seat["url"].partition("?seat=")[2])
        return len(free)

    async with run_daemon(setup) as running:
        async with phone.get(f"{running.page}api/table/kitchen/seats") as answer:
            cy = (await answer.json())[0]["url"].partition("?seat=")[2]
        await view(phone, running, cy)
        for _ in range(3):
            assert await open_all(running) == 2
            assert len(claims(tmp_path)) == 3
            await give(running.tables["main"], {"start": None}, "page")
    journals = [tmp_path / "state" / f"kitchen.sqlite3{ending}" for ending in ("", "-copy")]
    for path in journals:
        path.rename(path.with_name(f"{path.name}.away"))
    journals[0].mkdir()
    async with run_daemon(setup) as running:
        assert running.tables["kitchen"].trouble is not None
        assert await open_all(running) == 2
        assert await open_all(running) == 0
        assert len(claims(tmp_path)) == 5
    journals[0].rmdir()
    for path in journals:
        path.with_name(f"{path.name}.away").rename(path)
    async with run_daemon(setup) as running:
        async with phone.get(f"{running.page}api/table/kitchen/seats") as answer:
            assert [seat["player"] for seat in await answer.json()] == ["Di"]
        await give(running.tables["main"], {"start": None}, "page")
        assert await open_all(running) == 2
        assert len(claims(tmp_path)) == 3


@pytest.mark.slow
async def test_a_crash_leaves_no_hand_on_a_broker_that_lets_strangers_in(
    tmp_path: Path, closed: Mosquitto, mosquitto_path: Path
) -> None:
    """Killed with hands on the table; then the broker forgets its users, and the daemon is told of no login."""
    async with (
        insider(closed.port) as display,
        Process("run", "--config", configure(tmp_path, closed.port, HANDS, mqtt=login(tmp_path))) as daemon,
    ):
        await display.until(lambda: SEAT.format(1) in display.now)
        await daemon.kill()
    stored = tmp_path / "mosquitto" / "mosquitto.db"
    await eventually(lambda: stored.exists() and SEAT.format(1).encode() in stored.read_bytes())
    await closed.kill()
    async with (
        Mosquitto(mosquitto_path, tmp_path / "mosquitto", closed.port, remembers=True) as broker,
        Display(broker.port) as display,
    ):
        await display.until(lambda: "hand" in display.now.get(SEAT.format(1), ""))
        async with run_daemon(read_config(configure(tmp_path, broker.port, HANDS))) as running:
            await display.until(lambda: display.now[SEAT.format(0)] == display.now[SEAT.format(1)] == "")
            assert not [topic for topic in await find_retained(Display(broker.port)) if "/seat/" in topic]
            assert running.tables["main"].committed.hands, "the match goes on with them"


async def test_hands_of_today_stay_and_those_of_yesterday_go(tmp_path: Path, closed: Mosquitto) -> None:
    async with insider(closed.port) as display:
        for seat in ("0", "1", "7", "63", "x", "1 "):
            await display.say(SEAT.format(seat), "yesterday's", retain=True)
        async with run_daemon(read_config(configure(tmp_path, closed.port, HANDS, mqtt=login(tmp_path)))):
            await display.until(lambda: all(display.now[SEAT.format(seat)] == "" for seat in ("7", "63", "x", "1 ")))
            await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
            found = {
                topic: text for topic, text in (await find_retained(insider(closed.port))).items() if "/seat/" in topic
            }
        assert found.keys() == {SEAT.format(0), SEAT.format(1)}
        assert all(json.loads(text)["view"]["board"]["hand"] for text in found.values())
        assert not [m for m in display.messages if m.topic == SEAT.format(0) and m.text == ""], "never taken away"


async def test_a_retained_answer_is_ignored_and_told_on_the_page(
    tmp_path: Path, closed: Mosquitto, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    setup = read_config(configure(tmp_path, closed.port, HANDS, mqtt=login(tmp_path)))
    async with insider(closed.port) as display, run_daemon(setup) as running:
        await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
        card = json.loads(display.now[SEAT.format(0)])["prompts"][0]["options"][0]
        choose = "oche/table/main/seat/0/cmd/choose"
        async with aiohttp.ClientSession(running.page) as web, web.get("/api/table/main/events") as stream:
            await display.say(choose, card, retain=True)
            async for line in stream.content:
                if b"ignored the retained command on oche/table/main/seat/0/cmd/choose" in line:
                    break
        await display.say(choose, "", retain=True)
        assert display.line() == 1
        await display.say(choose, card)
        assert (await display.until_line(2))["board"]["card"] == card
        await display.say(choose, "", retain=True)
        await display.ask("next", {})
    told = [record.getMessage() for record in caplog.records if "ignored" in record.getMessage()]
    assert [sentence.split(":")[0] for sentence in told] == [
        f"ignored the retained command on {choose}",
        f"ignored an empty retained message on {choose}",
    ]
