"""Trying the broker as it is typed on the settings page: a real broker, beside a daemon that plays on another one."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.display import Display, find_retained
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.test_settings import overwrite, post, read, serve, write_file, written

JSON = Any  # JSON


@pytest.mark.slow
async def test_what_is_typed_is_tried_and_nothing_is_written(
    tmp_path: Path,
    mosquitto_path: Path,
    unused_tcp_port_factory: Callable[[], int],
    caplog: pytest.LogCaptureFixture,
) -> None:
    page, port, closed = (unused_tcp_port_factory() for _ in range(3))
    file = write_file(tmp_path, page)
    before = written(file)
    async with (
        Mosquitto(mosquitto_path, tmp_path / "broker", port, users={"oche": "s3cret"}),
        serve(file) as client,
    ):
        version = (await read(client))["version"]

        async def test(password: str | None, typed: dict[str, JSON]) -> dict[str, list[str]]:
            changes = [{"path": ["mqtt", key], "value": value} for key, value in typed.items()]
            body = {"version": version, "changes": changes, "password": password}
            status, answer = await post(client, "/api/settings/broker", body)
            assert status == 200, answer
            return {check["name"]: [check["verdict"], check["text"]] for check in answer["checks"]}

        there = {"host": "127.0.0.1", "port": port, "username": "oche"}
        good = await test("s3cret", there)
        assert good["login"] == ["ok", f"127.0.0.1:{port} accepted the login as oche, MQTT 5"]
        assert {verdict for verdict, _ in good.values()} == {"ok"}, good
        assert (await test("wr0ng", there))["login"] == ["problem", f"the broker 127.0.0.1:{port} refused the login"]
        assert (await test(None, there))["login"][1] == f"the broker 127.0.0.1:{port} refused oche without a password"
        assert (await test(None, {"host": f"127.0.0.1:{closed}"}))["port"][0] == "problem"
        retained = await find_retained(Display(port, username="oche", password="s3cret"))
        assert retained == {}
        assert "s3cret" not in caplog.text
    assert written(file) == before


async def test_the_password_that_is_kept_goes_to_no_other_broker(
    tmp_path: Path, mosquitto_path: Path, unused_tcp_port_factory: Callable[[], int]
) -> None:
    page, port = (unused_tcp_port_factory() for _ in range(2))
    file = write_file(tmp_path, page)
    (tmp_path / "kept").write_text("s3cret\n")
    overwrite(file, written(file).replace("on = false", 'on = false\nusername = "oche"\npassword_file = "kept"'))
    async with (
        Mosquitto(mosquitto_path, tmp_path / "broker", port, users={"oche": "s3cret"}),
        serve(file) as client,
    ):
        other = [{"path": ["mqtt", key], "value": value} for key, value in {"host": "127.0.0.1", "port": port}.items()]
        body = {"version": (await read(client))["version"], "changes": other, "password": ""}
        status, answer = await post(client, "/api/settings/broker", body)
        assert status == 200, answer
        (login,) = (check["text"] for check in answer["checks"] if check["name"] == "login")
        assert login == f"the broker 127.0.0.1:{port} refused oche without a password"
        assert (await post(client, "/api/settings/broker", body | {"password": None}))[0] == 400


@pytest.mark.slow
async def test_it_is_tried_a_few_times_a_minute_and_reads_no_file(tmp_path: Path, unused_tcp_port: int) -> None:
    file = write_file(tmp_path, unused_tcp_port)
    async with serve(file) as client:
        version = (await read(client))["version"]

        async def test(path: list[str], value: JSON) -> tuple[int, JSON]:
            body = {"version": version, "changes": [{"path": path, "value": value}]}
            status, answer = await post(client, "/api/settings/broker", body)
            return status, answer.get("error", {}).get("path")

        assert (await test(["bridge", "name"], "x"))[0] == 400
        assert await test(["mqtt", "password_file"], "/etc/shadow") == (400, ["mqtt", "password_file"])
        assert await test(["mqtt", "host"], "a b;c") == (400, ["mqtt", "host"])
        since = time.monotonic()
        statuses = [(await test(["mqtt", "host"], "127.0.0.1:1"))[0] for _ in range(7)]
        one_more_each_10_s = (time.monotonic() - since) // 10
        assert statuses[:6] == [200] * 6
        assert statuses.count(200) <= 6 + one_more_each_10_s
