"""The access lists of mosquitto that oche ships: collector, displays and other daemons get their own."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import aiomqtt
import pytest

from tests.daemon.mosquitto import SHIPPED, Mosquitto
from tests.daemon.rights import COLLECTOR, TWO_PLACES, Rights, find_rights, list_lend_topics, list_topics

DOCS = Path(__file__).parents[2] / "docs" / "venue"
USERS = {name: f"word-of-{name}" for name in ("oche", "south", "collector", "homeassistant", "tablet")}
VENUES = {name: f"word-of-{name}" for name in ("elm-street", "oak-lane", "collector", "wall")}
SHOWN = {"bridge_state", "state", "event", "next", "spoken", "attr", "board_state"}
"""The kinds of topics that a display may read."""


def add_daemon(rules: str, name: str) -> str:
    """The access list with another daemon in it, whose table has the same name."""
    (block,) = re.findall(r"^user oche\n(?:.+\n)+", rules, re.MULTILINE)
    renamed = re.sub("^user oche$", f"user {name}", block, flags=re.MULTILINE)
    renamed = renamed.replace("/oche/", f"/{name}/").replace("/main/", f"/{name}/")
    return f"{rules}\n{renamed}"


Connect = Callable[[str], aiomqtt.Client]


@pytest.fixture
async def connect(mosquitto_path: Path, tmp_path: Path, unused_tcp_port: int) -> AsyncIterator[Connect]:
    """Makes a connection of one of USERS."""
    acl = add_daemon((SHIPPED / "acl").read_text(encoding="utf-8"), "south")
    async with Mosquitto(mosquitto_path, tmp_path, unused_tcp_port, users=USERS, shipped="oche.conf", acl=acl):
        yield lambda user: _make_client(unused_tcp_port, user, USERS)


def _make_client(port: int, user: str, users: dict[str, str]) -> aiomqtt.Client:
    return aiomqtt.Client(
        "127.0.0.1", port, protocol=aiomqtt.ProtocolVersion.V311, username=user, password=users[user], timeout=30
    )


async def test_each_login_gets_what_is_its_own(connect: Connect) -> None:
    topics = list_topics("oche", "main")
    end = {"south": "oche/bridge/south/state", "collector": topics["league_offer"]}
    found = dict[str, Rights]()
    for user in USERS.keys() - {"oche"}:
        async with connect("oche") as daemon, connect(user) as login:
            teller = login if user == "south" else daemon
            found[user] = await find_rights(daemon, login, topics, (teller, end.get(user, topics["state"])))
    assert found["collector"] == COLLECTOR
    assert found["south"] == Rights(set(), set())
    assert found["tablet"] == Rights(SHOWN, set())
    assert not [kind for kind in found["homeassistant"].reads | found["homeassistant"].writes if "league" in kind]


async def test_two_places_take_no_more_than_their_lines(
    mosquitto_path: Path, tmp_path: Path, unused_tcp_port: int
) -> None:
    """Another daemon throws at no table of ours, nor answers for one, and only asks for what it is to be lent."""
    shipped = (SHIPPED / "acl").read_text(encoding="utf-8")
    before, mark, after = shipped.partition("# Only with matches in two places")
    lines, rest, others = after.partition("\n\n")
    rules = add_daemon(before + mark + lines.replace("\n#topic", "\ntopic") + rest + others, "south")
    topics = {**list_topics("oche", "main"), **list_lend_topics("main")}
    async with (
        Mosquitto(mosquitto_path, tmp_path, unused_tcp_port, users=USERS, shipped="oche.conf", acl=rules),
        _make_client(unused_tcp_port, "oche", USERS) as daemon,
        _make_client(unused_tcp_port, "south", USERS) as other,
    ):
        assert await find_rights(daemon, other, topics, (daemon, topics["state"])) == TWO_PLACES


async def test_a_league_of_venues_takes_their_matches_and_shows_none_to_others(
    mosquitto_path: Path, tmp_path: Path, unused_tcp_port: int
) -> None:
    own = "venues/elm-street/oche"
    topics = list_topics("oche", "main", own)
    rules = (DOCS / "league.acl").read_text(encoding="utf-8")
    end = {"oak-lane": "venues/oak-lane/link", "collector": topics["league_offer"]}
    found = dict[str, Rights]()
    async with Mosquitto(mosquitto_path, tmp_path / "league", unused_tcp_port, users=VENUES, acl=rules):
        for user in VENUES.keys() - {"elm-street"}:
            async with (
                _make_client(unused_tcp_port, "elm-street", VENUES) as venue,
                _make_client(unused_tcp_port, user, VENUES) as login,
            ):
                teller = login if user == "oak-lane" else venue
                found[user] = await find_rights(venue, login, topics, (teller, end.get(user, topics["state"])))
    assert found == {
        "collector": COLLECTOR,
        "oak-lane": Rights(set(), set()),
        "wall": Rights(SHOWN | {"bridge_info", "board_info"}, set()),
    }
