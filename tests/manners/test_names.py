"""A name is text and nothing else, however it came in and wherever it is shown."""

from __future__ import annotations

import json
from pathlib import Path

import aiohttp
import pytest

from daemon.assemble import run_daemon
from daemon.config.reader import read_config
from daemon.errors import UserError
from tests.daemon.process import configure

PAGE = Path(__file__).parents[2] / "daemon/web/page"
MARKUP = (
    *"innerHTML outerHTML insertAdjacentHTML document.write eval( Function( srcdoc javascript:".split(),
    *(" style=", " onclick=", "<script>"),
)
NAMES = {
    "<img src=x onerror=alert(1)>": "<img src=x onerror=alert(1)>",
    "\u202eevE\u2066": "evE",
    "A\x1b[31m\r\nnn": "A[31mnn",
    "B" * 4000: "B" * 40,
    "\u200b\ufeffCy\x00\u2028": "Cy",
    "e\u0301" * 100: "e\u0301" * 20,
}
INVISIBLE = ("\u202e\x00", "\u200b\u200d", "\u2800", "\u3164 \uffa0", "\u0301\u034f", "\ufe0f", "\U000e0041")


def test_the_page_makes_no_markup_of_text() -> None:
    for file in PAGE.glob("**/*.[hj]*"):
        text = file.read_text(encoding="utf-8")
        assert not [word for word in MARKUP if word in text], file


async def test_names_are_made_harmless_at_the_door(tmp_path: Path, unused_tcp_port: int) -> None:
    async with (
        run_daemon(read_config(configure(tmp_path, unused_tcp_port))) as running,
        aiohttp.ClientSession(running.page) as web,
    ):
        for sent, kept in NAMES.items():
            header = {"game": "x01", "players": [sent, "Bo"], "teams": [[0], [1]], "team_names": [sent, "Guests"]}
            async with web.post("/api/table/main/start", json=header) as answer:
                assert answer.status == 200, await answer.text()
            async with web.get("/api/table/main/state") as answer:
                side = (await answer.json())["sides"][0]
                assert (side["name"], side["players"]) == (kept, [kept])
        for name in INVISIBLE:
            for command, more in (("start", {"game": "x01"}), ("game", {"game": "x01"})):
                body = json.dumps({"players": [name, "Bo"], **more})
                async with web.post(f"/api/table/main/{command}", data=body) as answer:
                    assert answer.status == 400, (name, command)
                    assert "player 1 needs a name with at least one visible character" in await answer.text()


def test_an_invisible_name_in_the_configuration_is_one_sentence(tmp_path: Path) -> None:
    file = configure(tmp_path)
    text = file.read_text().replace('"Ann"', '"\u2800\u0301"')
    file.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=r"line \d+.*player 1 needs a name with at least one visible character"):
        read_config(file)


async def test_a_match_with_a_seed_of_a_player_says_so(tmp_path: Path, unused_tcp_port: int) -> None:
    """Also after a restart; and the next one has a seed of its own."""
    setup, header = read_config(configure(tmp_path, unused_tcp_port)), {"game": "x01", "players": ["Ann", "Bo"]}

    async def look(web: aiohttp.ClientSession) -> bool | None:
        async with web.get("/api/table/main/state") as answer:
            given: bool | None = (await answer.json()).get("seed_given")
            return given

    async def start(web: aiohttp.ClientSession, **body: object) -> None:
        async with web.post("/api/table/main/start", json=body) as answer:
            assert answer.status == 200, await answer.text()

    async with run_daemon(setup) as running, aiohttp.ClientSession(running.page) as web:
        assert await look(web) is None
        await start(web, **header, seed_given=True)
        assert await look(web) is None
        await start(web, **header, seed="mine", seed_given=False)
        assert await look(web) is True
    async with run_daemon(setup) as running, aiohttp.ClientSession(running.page) as web:
        assert await look(web) is True
        await start(web)
        assert await look(web) is None
