"""The evening: two tables, one with the layout of Yatzy; every address, and every request over MQTT.

What always asks the same is in acts.txt; here is what takes up an answer, a board or a new start.
"""

from __future__ import annotations

import asyncio
import base64
import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from daemon.config.week_time import DAYS
from protocol.codebook import shipped
from protocol.newton import Assignment, encode, plan
from simulator.pty_board import PtyBoard
from tests.daemon.evening.recorder import Ear, Recorder
from tests.daemon.evenings import DAY, Evening
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import PATIENCE_S, Process, configure, throw
from tests.daemon.test_sounds import MP3, WAV, make_zip
from tests.daemon.test_tournament_files import play_on_tablet
from tests.daemon.wled import Wled, serve_wled

JSON = Any  # Any: JSON
MAIN, SEAT, BRIDGE = "/api/table/main", "/api/seat/{token}", "oche/bridge/oche/request"
HANDS: JSON = {"game": "dards", "players": ["Ann", "Bo"], "options": {"mode": "dealt"}, "seed": "a"}
MATCH: JSON = {"game": "501", "players": ["Ann", "Bo"], "seed": "a"}
WITH_BOT: JSON = {"game": "cricket", "players": ["Ann", "Al"], "bots": [None, 45], "tempos": [None, 0.001], "seed": "a"}
ASSIGNED = Assignment(
    mid="FS-1-3", tid="1790000000000", sid="0a1b2c3d4e5f", p1="Ann", p2="Bo", sc=101, bo=1, ts=1790000000
)
"""What NewTon hands over."""
STILL = b"\xff\xd8\xff\xc0\x00\x11\x08\x01\x0e\x01\xe0\x03" + bytes(9) + b"\xff\xda" + bytes(9)
"""What a JPEG begins with."""
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


@asynccontextmanager
async def start_evening(
    folder: Path, mosquitto: Path, ports: tuple[int, int], lines: list[JSON]
) -> AsyncIterator[tuple[Recorder, PtyBoard]]:
    """A daemon with its broker, which refuses anonymous clients, and the board of the table `main`."""
    (folder / "state").mkdir()
    (folder / "state" / "web.seen").write_text("0.0.1\n", encoding="utf-8")  # so there are news
    with Evening(folder / "state", "cellar") as cellar:  # so there is something to tell of the week
        spec, day = plan(ASSIGNED), (datetime.now(UTC) - DAY) / timedelta(1) - 1
        cellar.play("T20 S1 D20", day=day, options=spec.options, ref=spec.ref)
    (folder / "password").write_text("secret", encoding="utf-8")
    now = datetime.now().astimezone()
    kitchen = 'board = "sim:plain-yatzy"\nprofile = "plain-yatzy"\ngame = "yatzy_dart"\nlamps = false'
    file = configure(
        folder,
        ports[0],
        'takeout = "button"',
        more="[league]\non = true\n"
        f'[outlets]\nspoken = "calls"\n[[table]]\nname = "kitchen"\ntakeout = "button"\n{kitchen}',
        bridge=f'week_at = "{DAYS[now.weekday()]} {now:%H:%M}"',
        mqtt=f'username = "oche"\npassword_file = "{folder}/password"\nrequests = true',
    )
    text = file.read_text(encoding="utf-8").replace("port = 0\n", f"port = {ports[1]}\nclips = 5\n")
    file.write_text(text, encoding="utf-8")
    users = {"oche": "secret", "display": "seen"}
    async with (
        Mosquitto(mosquitto, folder / "mosquitto", ports[0], users=users),
        PtyBoard(shipped("opendarts"), folder / "board") as board,
        Process("run", "--config", file) as daemon,
    ):
        login = ("display", users["display"])
        async with Recorder.open(daemon, await daemon.runs(), ports[0], login, lines) as evening:
            await evening.ear.has("oche/bridge/oche/state", lambda state: state == "online")
            await is_online(evening.ear)
            yield evening, board
            assert "Traceback" not in daemon.errors, daemon.errors


async def play_evening(folder: Path, mosquitto: Path, ports: tuple[int, int], lines: list[JSON]) -> None:
    """Adds the lines of the recording, as they come."""
    async with start_evening(folder, mosquitto, ports, lines) as (evening, board):
        looking = asyncio.create_task(evening.post("/api/boards/scan"))  # which takes some seconds
        await evening.say("homeassistant/status", "online")
        async with evening.stream(f"{MAIN}/events") as stream:
            await evening.get("/", all_headers=True)
            await evening.get("/static/app.js", all_headers=True)
            await evening.get("/static/app.js", status=304, headers={"If-None-Match": "*"})
            await evening.get("/api/tables", all_headers=True)
            await evening.crawl("/", "/history", "/settings", "/guide", "/take_home", "/story", "/tournament")
            await evening.act("before the first dart")
            await play_with_bot(evening)
            await evening.act("commands of the page")
            await evening.act("refusals")
            await evening.ask(f"POST {MAIN}/throw", "x" * 9000, status=413)
            await evening.post(f"{MAIN}/next", status=415, headers={"Content-Encoding": "gzip"})
            await evening.post(f"{MAIN}/next", status=403, headers={"Origin": "http://other.example"})
            await evening.get(f"{MAIN}/state", status=403, headers={"Host": "other.example"})
            await play_by_mqtt(evening)
            await play_on_board(evening, board)
            await earn_badge(evening)
            expected = {"notice", "board_online", "badge"}
            await stream.until(lambda: expected <= stream.shapes.keys(), "a notice, the board and a badge")
        async with evening.stream("/api/table/kitchen/events") as stream:
            every, kitchen = "/api/tables/events", "/api/table/kitchen/events?ear=full"
            async with evening.stream(every), evening.stream(kitchen) as ear:
                await evening.act("a visit at the other table")
                await ear.until(lambda: "ear" in ear.shapes, "a sentence")
            await stream.until(lambda: stream.now["fact"]["event_type"] == "takeout_started", "the end of the visit")
        await play_hands(evening)
        await evening.act("players")
        await show_picture(evening)
        await hear_name(evening)
        await play_sounds(evening)
        await show_art(evening)
        await keep_clips(evening)
        await evening.act("statistics")
        found = await evening.get("/api/matches?player=Ann")
        match = next(each["match"] for each in reversed(found["matches"]) if each["winners"])
        await evening.act("a match that is over", match=match)
        await take_home(evening, match)
        await hold_tournament(evening)
        await play_for_newton(evening)
        await play_in_two_places(evening)
        await evening.ear.has("oche/bridge/oche/week", lambda week: week["matches"] == 1)
        await try_board(evening, board)
        await learn_board(evening, folder)
        await evening.act("a recording begins")
        await throw_darts(evening, board, "D4")
        await evening.act("care")
        await looking
        await evening.ear.has("homeassistant/device/oche_main/config", lambda _: True, times=2)
        await change_settings(evening)
        await open_to_others(evening)
        lines += evening.ear.lines


async def is_online(ear: Ear) -> None:
    """Waits until the table `main` has its board."""
    await ear.has("oche/table/main/board/state", lambda state: state == "online")


async def throw_darts(evening: Recorder, board: PtyBoard, *beds: str) -> None:
    """Darts at the board, one after the other; not of beds that were commanded, which would be the same darts."""
    for line, bed in enumerate(beds, evening.ear.now["oche/table/main/state"]["line"] + 1):
        throw(board, bed)
        await evening.shown({"line": line})


async def play_with_bot(evening: Recorder) -> None:
    """First of all, since a bot rests after a correction."""
    await evening.post(f"{MAIN}/start", WITH_BOT)
    for _ in range(3):
        await evening.post(f"{MAIN}/miss")
    await evening.post(f"{MAIN}/next", waits=False)
    await evening.shown({"line": 9})


async def play_by_mqtt(evening: Recorder) -> None:
    """Commands that are answered, elsewhere, or not at all."""
    await evening.act("commands over MQTT")
    await evening.request("oche/table/main/request/start", MATCH, reply_to="tablet/answer")
    for name, body, line in (("throw", "T20", 2), ("miss", "", 3), ("throw", "T99", 3)):
        await evening.say(f"oche/table/main/cmd/{name}", body)
        await evening.shown({"line": line})


async def earn_badge(evening: Recorder) -> None:
    """A match that is over, with a badge that no other of the evening gives; told unless the next has begun by then."""
    await evening.post(f"{MAIN}/start", MATCH)
    for _ in range(3):
        await evening.post(f"{MAIN}/throw", {"throw": "T20"})
    await evening.post(f"{MAIN}/retire", {"retire": 1})
    await evening.post(f"{MAIN}/concede")


async def play_on_board(evening: Recorder, board: PtyBoard) -> None:
    """Darts of the board, in a match that a program asked for; of a finger while its cable is pulled."""
    await evening.post(f"{MAIN}/start", MATCH | {"ref": "k3v9x2ma/winners-1-3/1"})
    await throw_darts(evening, board, "D1", "D2", "D3")
    await board.unplug()
    await evening.ear.has("oche/table/main/board/state", lambda state: state == "offline")
    await evening.act("a finger while the board is away")
    board.plug()
    await board.wait_until_open()
    await is_online(evening.ear)
    await evening.post(f"{MAIN}/next")


async def play_hands(evening: Recorder) -> None:
    """A game whose hands are for their seats alone: by their addresses, and over MQTT."""
    await evening.post(f"{MAIN}/start", HANDS)
    first, second = (each["url"].partition("?seat=")[2] for each in await evening.get(f"{MAIN}/seats"))
    await evening.get(SEAT, token=first)
    await evening.get(f"{SEAT}/layout", token=first)
    await evening.get(f"{SEAT}/standing", token=first)
    await evening.get("/?seat={token}", token=second)
    async with evening.stream(f"{SEAT}/events", token=first) as stream:
        await evening.post(f"{SEAT}/choose", {"choose": "no card"}, status=409, token=first)
        await evening.post(f"{SEAT}/choose", {"choose": stream.now["state"]["board"]["hand"][0]}, token=first)
        await stream.until(lambda: stream.now["state"]["phase"] == "throwing", "the card is laid")
    await evening.post(f"{MAIN}/miss")
    line = (await evening.post(f"{MAIN}/next"))["line"]
    mine = "oche/table/main/seat/1/state"
    await evening.ear.has(mine, lambda state: state and state["prompts"])
    await evening.say("oche/table/main/seat/1/cmd/choose", evening.ear.now[mine]["view"]["board"]["hand"][0])
    await evening.shown({"line": line + 1})
    await evening.post(f"{MAIN}/start", MATCH)
    await evening.ear.has(mine, lambda state: state == "")


async def play_sounds(evening: Recorder) -> None:
    """A sound pack is added, read and removed."""
    await evening.ask("POST /api/sounds?name=joey.zip", make_zip({"180.mp3": MP3, "readme.txt": b""}))
    await evening.get("/api/sounds")
    await evening.get("/api/sounds/joey")
    await evening.get("/sounds/joey/180.mp3", all_headers=True)
    await evening.post("/api/sounds/remove", {"pack": "joey"})
    await evening.post("/api/sounds/remove", {"pack": "joey"}, status=404)
    await evening.ask("POST /api/sounds?name=joey.zip", b"no zip", status=400)


async def show_art(evening: Recorder) -> None:
    """Art is added, read and removed."""
    await evening.ask("POST /api/art?name=pub.zip", make_zip({"art.css": b".side { color: red }", "180.wav": WAV}))
    await evening.ask("POST /api/art/event?event=bust&kind=sound", WAV)
    await evening.get("/api/art")
    await evening.get("/art/pub/art.css", all_headers=True)
    await evening.get("/art/own/bust.wav", all_headers=True)
    await evening.post("/api/art/remove", {"art": "pub"})
    await evening.post("/api/art/remove", {"art": "pub"}, status=404)
    await evening.ask("POST /api/art?name=pub.zip", make_zip({"art.css": b"@import 'x';"}), status=400)


async def take_home(evening: Recorder, match: str) -> None:
    """A phone without a token sees a match, and then an evening, by the codes of a wall."""
    (picture,) = {each["picture"] for each in await evening.get("/api/players") if "picture" in each}
    for query in ("match={match}", "since=1577880000&before=1577966400"):
        told = await evening.get(f"/api/code?{query}", match=match, is_noted=False)
        shown = {"Oche-Code": told["url"].partition("#code=")[2]}
        if "match" in query:
            await evening.get("/api/taken/match/{match}", match=match, headers=shown)
            await evening.get("/api/taken/match/{match}/best", match=match, headers=shown)
            await evening.get("/api/taken/venue", headers=shown)
            await evening.get("/api/taken/players/picture/{picture}", picture=picture, headers=shown)
        else:
            await evening.get("/api/taken/evening", headers=shown)
        await evening.get("/api/taken/players", headers=shown)


async def hold_tournament(evening: Recorder) -> None:
    """A final on paper, from the code on the wall to the places. Each step is published before the next is taken."""
    made = await evening.post("/api/tournament", {"name": "Friday", "kind": "knock_out", "options": {"start": 101}})
    at, about, topic = "/api/tournament/{id}", {"id": made["id"]}, f"oche/tournament/{made['id']}"

    async def do(given: JSON, status: int = 200) -> None:
        await evening.post(f"{at}/do", given, status=status, about=given["do"], waits=False, **about)

    await evening.get("/api/tournaments")
    links = await evening.get(f"{at}/links", **about)
    code = links["sign_up"]["url"].rpartition("/")[2]
    await evening.get(f"{at}/code", **about)
    await evening.get(f"{at}/sign_up", **about)
    await evening.post(f"{at}/sign_up", {"code": code, "people": ["Ann"]}, waits=False, **about)
    await do({"do": "enter", "people": ["Bo"]})
    await do({"do": "enter", "people": ["Bo"]}, status=409)
    await do({"do": "change", "entrant": 2, "confirmed": True})
    await do({"do": "set_tables", "tables": [{"name": "one", "paper": True}]})
    drawn = await evening.post(f"{at}/propose", **about)
    await do(drawn)
    await evening.ear.has(f"{topic}/table/one", lambda table: table and table["match"])  # it is called by itself
    view = await evening.get(at, **about)
    (match,) = view["matches"]
    final = {"match": match["id"], **about}
    handed = await evening.get(f"{at}/newton/{{match}}", **final)
    result = encode(play_on_tablet(handed["text"]))
    await evening.post(f"{at}/newton/{{match}}", {"text": result}, about="result", **final)
    await evening.post(f"{at}/newton/{{match}}", {"text": "nothing"}, status=409, **final)
    sides = match["sides"]
    await do({"do": "result", "match": match["id"], "sides": sides, "winner": sides[0], "legs": [1, 0]})
    await evening.ear.has(f"{topic}/state", lambda state: state["phase"] == "over")
    await evening.get(at, about="over", **about)
    await evening.get(f"{at}/results.csv", **about)
    await evening.get(f"{at}/places.csv", **about)
    await evening.get(f"{at}/tables", **about)
    file = await evening.get(f"{at}/file", **about)
    await evening.ask("POST /api/tournament/restore", file)
    await evening.ask("POST /api/tournament/restore", b"{}", status=400)
    await evening.say("oche/bridge/oche/league/taken", {"match": "no match", "sha256": "0" * 64})
    for told in ("players", "forget", "results"):
        await evening.ear.has(f"oche/bridge/oche/league/{told}", lambda said: said["bridge_id"])
        await evening.say("oche/bridge/oche/league/heard", {"of": "another"})
    other = await evening.post("/api/tournament", {"name": "Saturday", "kind": "round_robin"}, about="of other tables")
    elsewhere = {"do": "set_tables", "tables": [{"name": "cellar"}]}  # for which the doctor tries the broker
    await evening.post(f"{at}/do", elsewhere, about="of other tables", waits=False, id=other["id"])
    await evening.ear.has(f"oche/tournament/{other['id']}/table/cellar", lambda table: table)


async def play_in_two_places(evening: Recorder) -> None:
    """A table of another daemon plays along, and leaves."""
    places = {"game": "501", "players": ["Ann", "Bo"], "places": [None, "attic"]}
    await evening.post(f"{MAIN}/start", places, about="in two places")
    state = "oche/table/main/state"
    await evening.ear.has(state, lambda state: "places" in state)
    match = evening.ear.now[state]["match"]
    said = {"v": 1, "to": "main", "match": match, "session": "5e551015", "first": 1, "mono_ms": 0}
    topic, taken = "oche/table/attic/league/input", "oche/table/main/league/taken"
    async with asyncio.timeout(PATIENCE_S):
        for seq, told in enumerate(({"join": True}, {"leave": True}), 1):
            given = {**said, "seq": seq, "input": told}
            await evening.say(topic, given)
            while evening.ear.now.get(taken, {}).get("seq") != seq:  # as it is said again: it is not heard at once
                await asyncio.sleep(0.1)
                await evening.ear.client.publish(topic, json.dumps(given), qos=1)


async def play_for_newton(evening: Recorder) -> None:
    """A match of NewTon's organiser is planned, and the one that was played goes back."""
    await evening.post("/api/newton?table=main", {"text": encode(ASSIGNED)})
    await evening.post("/api/newton?table=main", {"text": "nothing"}, status=409)
    (played,) = (await evening.get("/api/matches?table=cellar"))["matches"]
    await evening.get("/api/match/{match}/newton", match=played["match"])
    await evening.get("/api/match/whist/newton", status=404)


async def keep_clips(evening: Recorder) -> None:
    """A still of the current match is kept, read and deleted."""
    match = (await evening.get(f"{MAIN}/state"))["match"]
    about = "/api/clips?match={match}&line=1&moment=match_won"
    kept = await evening.ask(f"POST {about}", STILL, match=match)
    await evening.get("/api/clips?match={match}", match=match)
    await evening.get("/api/clips/{clip}", clip=kept["clip"], all_headers=True)
    await evening.post("/api/clips/remove", {"clip": kept["clip"]})
    await evening.post("/api/clips/remove", {"clip": kept["clip"]}, status=404)
    await evening.ask(f"POST {about}", b"no clip", status=400, match=match)


async def show_picture(evening: Recorder) -> None:
    """A picture is given, and read again."""
    await evening.ask("POST /api/players/picture?name=Ann", PNG)
    await evening.ask("POST /api/players/picture?name=Ann&size=large", PNG)
    (picture,) = {each["picture"] for each in await evening.get("/api/players") if "picture" in each}
    await evening.get("/api/players/picture/{picture}", picture=picture, all_headers=True)


async def hear_name(evening: Recorder) -> None:
    """A player's name is recorded, and read again."""
    await evening.ask("POST /api/players/recorded_name?name=Ann", WAV)
    (recorded,) = {each["recorded_name"] for each in await evening.get("/api/players") if "recorded_name" in each}
    await evening.get("/api/players/recorded_name/{recorded}", recorded=recorded, all_headers=True)


async def try_board(evening: Recorder, board: PtyBoard) -> None:
    """The board of a table is tried out, which gets it back."""
    await evening.post("/api/boards/try", {"board": board.address})
    await evening.ear.has("oche/table/main/board/state", lambda state: state == "offline")
    await board.wait_until_open()
    await wait_for(evening, "/api/boards/try", lambda told: told["trouble"] is None)
    throw(board, "D5")
    await wait_for(evening, "/api/boards/try", lambda told: told["heard"])
    await evening.get("/api/boards/try")
    await evening.post("/api/boards/stop")
    await evening.get("/api/boards/try")
    await is_online(evening.ear)


async def wait_for(evening: Recorder, path: str, is_so: Callable[[JSON], object]) -> JSON:
    """What is told once it is so; that is not noted, for it may be told more than once."""
    told = await evening.get(path, is_noted=False)
    while not is_so(told):
        told = await evening.get(f"{path}?since={told['run']}.{told['version']}", is_noted=False)
    return told


def has_heard(count: int, told: JSON) -> bool:
    """Whether so many presses are known."""
    return len(told["heard"]) >= count


async def learn_board(evening: Recorder, folder: Path) -> None:
    """An unknown board is learned press by press."""
    await evening.act("no board is learned")
    async with PtyBoard(shipped("opendarts"), folder / "other") as board:
        wanted = {"board": board.address, "name": "garage"}
        await evening.post("/api/learn/start", wanted)
        await evening.act("a board is learned")
        for begin, state in ((("start", wanted), "asking"), (("resume", None), "trying")):
            await evening.post(f"/api/learn/{begin[0]}", begin[1])
            await board.wait_until_open()
            told = await wait_for(evening, "/api/learn", lambda told: told["online"])
            while told["state"] == "asking" and (state == "trying" or len(told["heard"]) < 2):
                throw(board, told["press"]["segment"])
                told = await wait_for(evening, "/api/learn", partial(has_heard, len(told["heard"]) + 1))
            await evening.get("/api/learn", about=state)
            await evening.post("/api/learn/" + ("stop" if state == "asking" else "save"))
    await evening.get("/api/learn/profile/garage")


async def change_settings(evening: Recorder) -> None:
    """Changes by page and over MQTT, each of which has the daemon start anew; a backup is put back."""
    await evening.act("settings")
    async with evening.restarts():
        await change(evening, ["table", 0, "title"], "The Oak")
    await change(evening, ["table", 0, "takeout"], "whenever", status=400)
    async with evening.restarts():
        await evening.post("/api/settings/revert", {"version": await find_version(evening)})
    await change(evening, ["mqtt", "host"], "127.0.0.1", path="/api/settings/broker")
    await change(evening, ["web", "port"], 1, path="/api/settings/broker", status=400)
    await evening.post("/api/lights/scan")
    async with serve_wled(Wled()) as wled:
        light = {"path": ["outlets", "light", 0], "value": {"name": "ring", "url": wled.url}}
        trial = {"version": await find_version(evening), "light": 0, "changes": [light], "scene": "red"}
        await evening.post("/api/lights/try", trial)
        await evening.post("/api/lights/stop")
        wled.is_away = True
        await evening.post("/api/lights/try", trial, status=503)
    staged = await evening.ask("POST /api/care/restore", await evening.post("/api/care/backup"))
    wanted = {"version": await find_version(evening), "restore": staged["restore"], "parts": ["config", "state"]}
    await evening.post("/api/settings/restore", {**wanted, "restore": "restore-x"}, status=503)
    async with evening.restarts():
        await evening.post("/api/settings/restore", wanted)
    async with evening.restarts():
        await evening.post("/api/care/restart")
    found = await evening.request(f"{BRIDGE}/options", {})
    changed = {"path": ["mqtt", "discovery"], "value": "components"}
    await evening.request(f"{BRIDGE}/options", {"changes": [changed], "version": "x"}, "error")
    await evening.request(f"{BRIDGE}/options", {"changes": [{**changed, "value": "loud"}]}, "error")
    async with evening.restarts():
        await evening.request(f"{BRIDGE}/options", {"changes": [changed], **found})
    async with evening.restarts():
        await evening.request(f"{BRIDGE}/restart", {})


async def find_version(evening: Recorder) -> str:
    """That of the configuration file."""
    told = await evening.get("/api/settings", is_noted=False)
    return str(told["version"])


async def change(
    evening: Recorder, place: list[str | int], value: JSON, path: str = "/api/settings", status: int = 200
) -> JSON:
    """Changes the file as it is."""
    body = {"version": await find_version(evening), "changes": [{"path": place, "value": value}]}
    return await evening.post(path, body, status=status, about=".".join(map(str, place)))


async def open_to_others(evening: Recorder) -> None:
    """The page is opened to others: from now on it asks for tokens, and each has its rights."""
    async with evening.restarts():
        told = await change(evening, ["web", "host"], "0.0.0.0")
    tokens = {each["role"]: each["token"] for each in told["tokens"]}
    await evening.act("without a token")
    evening.token = tokens["play"]
    await evening.act("with the token of the page")
    codes = (await evening.get(f"{MAIN}/join"))["codes"]
    (evening.token,) = {token for each in codes for token in re.findall("look-[^&]+", each["url"])}
    await evening.act("with the token of spectators")
    for token in (tokens["play"], tokens["setup"], evening.token):
        await evening.post("/api/enter", {"token": token})
    evening.token = tokens["setup"]
    await evening.get("/api/tables")
    told = await evening.get("/api/settings/home_assistant")
    entities = sum(len(device["entities"]) for device in told["devices"])
    await evening.post("/api/settings/token", {"role": "setup"})
    evening.token = ""
    await evening.post("/api/enter", {"token": "x"}, status=429, before=401)
    ear = evening.ear
    await ear.until(lambda: len(ear.entities) >= entities, f"{entities} entities of Home Assistant")
