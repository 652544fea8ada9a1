"""Sets up on the page's interface, in the guest: what the service writes there, it writes under its unit.

    python -m tests.appliance.setting_up

It runs with the host's Python, in the guest, and begins with a match at hand. Its last line is the outcome, as JSON.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

import aiohttp

from tests.daemon.test_care import fetch
from tests.daemon.test_players import PNG
from tests.daemon.test_restore import put_back, score, send
from tests.daemon.test_settings import change, post, started_anew

ADDRESS = "http://127.0.0.1:8180"

JSON = Any  # JSON


async def set_up(client: aiohttp.ClientSession) -> JSON:
    """Changes settings and players, and puts back what was so before the last changes; returns what is so then."""

    async def send_all(*bodies: tuple[str, JSON]) -> None:
        for path, body in bodies:
            status, answer = await post(client, f"/api/{path}", body)
            assert status == 200, (path, answer)

    async def set_title(title: str) -> JSON:
        status, answer = await change(client, (["table", 0, "title"], title))
        assert status == 200, answer
        return await started_anew(client, answer["run"])

    before = await score(client)
    await send_all(
        ("table/main/throw", {"throw": "T20"}),
        ("players", {"name": "Ann", "nickname": "Ace"}),
        ("players/rename", {"name": "Ann", "to": "Annie"}),
        ("players", {"name": "Cy", "nickname": "Cyclone"}),
    )
    async with client.post("/api/players/picture?name=Annie", data=PNG) as answer:
        assert answer.status == 200, await answer.text()
    await set_title("The Oak")
    backup = await fetch(client, "/api/care/backup")
    await send_all(
        ("players/rename", {"name": "Annie", "to": "Anne"}),
        ("players/forget", {"name": "Cy", "sure": True}),
        ("table/main/throw", {"throw": "T19"}),
    )
    await set_title("The Elm")
    status, found = await send(client, backup)
    assert status == 200, found
    settings = await put_back(client, found, "config", "state")
    async with client.get("/api/players") as answer:
        players = {player["name"]: player.get("nickname", "") for player in await answer.json()}
    return {
        "thrown": before - await score(client),
        "title": settings["effective"]["table"][0].get("title"),
        "notice": settings["notice"],
        "players": players,
        "checks": json.loads(await fetch(client, "/api/care/doctor"))["checks"],
        "report": len(await fetch(client, "/api/care/report")),
    }


async def main() -> None:
    async with aiohttp.ClientSession(ADDRESS, timeout=aiohttp.ClientTimeout(total=120)) as client:
        print(json.dumps(await set_up(client)))  # noqa: T201  what it is for


if __name__ == "__main__":
    asyncio.run(main())
