"""The web servers in [web].proxies: what they open, for whom, and under which names of the page."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from daemon.assemble import run_daemon
from daemon.config.reader import CheckedConfig, read_config
from daemon.errors import UserError
from daemon.web.token import make_token
from tests.daemon.process import configure
from tests.manners.guest import ANYWHERE, guest, status_of


def behind_proxy(folder: Path, port: int, web: str = "") -> CheckedConfig:
    """A daemon whose proxy has the address that the tests come from; the reader takes no such file."""
    setup = read_config(configure(folder, port, web=f"{ANYWHERE}{web}"))
    return replace(setup, config=replace(setup.config, web=replace(setup.config.web, proxies=("127.0.0.1",))))


async def test_who_comes_through_a_proxy_that_asks_for_a_login_plays_without_a_token(
    tmp_path: Path, unused_tcp_port: int
) -> None:
    away = {"Host": "home.example.org", "X-Forwarded-For": "192.168.1.30", "Content-Type": "application/json"}
    setup = behind_proxy(tmp_path, unused_tcp_port, 'names = ["home.example.org"]')
    async with run_daemon(setup) as running, guest(running, **away) as phone:
        async with phone.get("/api/tables") as answer:
            assert (answer.status, (await answer.json())[0]["role"]) == (200, "play")
        for origin, status in (("https://home.example.org", 200), ("https://elsewhere.example.org", 403)):
            assert await status_of(phone.post("/api/table/main/miss", json={}, headers={"Origin": origin})) == status
        passed_on = {"Host": "172.30.33.4:8180", "X-Forwarded-Host": "home.example.org"}
        browser = {**passed_on, "Origin": "https://home.example.org"}
        assert await status_of(phone.post("/api/table/main/miss", json={}, headers=browser)) == 200


NAMED, INGRESS = {"X-Forwarded-For": "192.168.1.30"}, {"X-Ingress-Path": "/api/hassio_ingress/x"}
EVIL = "http://evil.example:8180"


ASKED: list[tuple[dict[str, str], int]] = [
    ({}, 401),
    (NAMED, 200),
    ({"Forwarded": "for=192.168.1.30"}, 200),
    (INGRESS, 401),
    ({"Host": "evil.example:8180"}, 403),
    ({"Host": "evil.example:8180", **INGRESS}, 403),
    ({"Host": "evil.example:8180", **NAMED}, 403),
    ({"X-Forwarded-Host": "evil.example:8180", **NAMED}, 403),
    ({"X-Forwarded-Host": "darts.lan, evil.example", **NAMED}, 403),
    ({"Host": "home.example.org", **NAMED, **INGRESS}, 200),
]
"""What a proxy passes on, and the answer."""


async def test_a_proxy_says_for_whom_it_asks_and_by_which_name(tmp_path: Path, unused_tcp_port: int) -> None:
    """Only that of Home Assistant may pass on any name."""
    setup = behind_proxy(tmp_path, unused_tcp_port)
    make_token(tmp_path / "state")
    async with run_daemon(setup) as running:
        for headers, status in ASKED:
            async with guest(running, **headers) as phone:
                assert await status_of(phone.get("/api/tables")) == status, headers
                assert await status_of(phone.post("/api/table/main/miss", json={}, headers={"Origin": EVIL})) == 403, (
                    headers
                )


async def test_a_command_on_the_machine_of_a_proxy_is_let_in(tmp_path: Path, unused_tcp_port: int) -> None:
    setup = behind_proxy(tmp_path, unused_tcp_port)
    token = make_token(tmp_path / "state")
    async with run_daemon(setup) as running:
        for headers, status in (({}, 404), ({"Authorization": f"Bearer {token}"}, 404), (NAMED, 403)):
            async with guest(running, **headers) as report, report.get("/api/care/traffic") as answer:
                assert answer.status == status, "this daemon has no file, so it has no traffic to tell"


async def test_another_address_than_the_proxys_needs_the_token(tmp_path: Path, unused_tcp_port: int) -> None:
    file = configure(tmp_path, unused_tcp_port, web=f'{ANYWHERE}proxies = ["192.0.2.9"]')
    async with run_daemon(read_config(file)) as running, guest(running, **NAMED) as phone:
        assert await status_of(phone.get("/api/tables")) in (401, 503)
        assert await status_of(phone.get("/", headers={"Host": "home.example.org"})) == 403


async def test_a_proxy_is_named_by_its_address(tmp_path: Path, unused_tcp_port: int) -> None:
    file = configure(tmp_path, unused_tcp_port, web=f'{ANYWHERE}proxies = ["nginx"]')
    with pytest.raises(UserError, match=r"'nginx' is not an address: write one such as 192.168.1.9"):
        read_config(file)


@pytest.mark.parametrize("proxy", ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"])
def test_the_loopback_is_no_proxy(tmp_path: Path, unused_tcp_port: int, proxy: str) -> None:
    file = configure(tmp_path, unused_tcp_port, web=f'{ANYWHERE}proxies = ["{proxy}"]')
    with pytest.raises(UserError, match=f"'{proxy}' is this machine itself: .* Leave it out"):
        read_config(file)
