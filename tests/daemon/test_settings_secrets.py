"""The settings and secrets: who has the token of the setup does not read with it what the machine keeps to itself."""

from __future__ import annotations

import json
import re
from pathlib import Path

import aiohttp
import pytest

from daemon.admin.requests import Change
from daemon.admin.settings.settings_file import SettingsFile
from daemon.config.reader import read_config
from daemon.errors import UserError
from daemon.web.token import locate_token_hash, make_setup_token, make_token
from protocol.source import SourceError
from tests.daemon.test_settings import change, overwrite, post, read, serve, started_anew, write_file, written
from tests.daemon.test_settings_restart import save, start, start_anew
from tests.manners.guest import ANYWHERE

USER = Change(("mqtt", "username"), "oche")


@pytest.fixture
def file(tmp_path: Path, unused_tcp_port: int) -> Path:
    (tmp_path / "state").mkdir()
    return write_file(tmp_path, unused_tcp_port)


@pytest.fixture
def credentials(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of those that systemd gives the service."""
    (folder := tmp_path / "credentials").mkdir()
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(folder))
    return folder


async def refuse(
    settings: SettingsFile, said: str, *changes: Change, password: str | None = None
) -> tuple[object, ...]:
    """Returns the path of the value to blame."""
    before = written(settings.file)
    with pytest.raises(SourceError, match=said) as refused:
        await save(settings, *changes, password=password)
    assert written(settings.file) == before
    return refused.value.path


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("host", "elsewhere.example"),
        ("host", ["127.0.0.1", "elsewhere.example"]),
        ("port", 1999),
        ("tls", True),
        ("username", "other"),
    ],
)
async def test_a_kept_password_goes_to_no_other_broker_or_user(file: Path, key: str, value: object) -> None:
    settings = await start(file)
    await save(settings, USER, password="s3cret")
    await start_anew(settings)
    secret = settings.running.mqtt.password_file
    other = Change(("mqtt", key), value)
    assert await refuse(settings, "enter the password again", other) == ("mqtt", "password")
    everything = {"base": "oche", "username": "oche", "password_file": secret, key: value}
    assert await refuse(settings, "enter the password again", Change(("mqtt",), everything)) == ("mqtt", "password")
    await save(settings, other, password="another")
    await start_anew(settings)
    assert settings.running.mqtt.password_file != secret
    await save(settings, Change(("mqtt", "host"), "x"), Change(("mqtt", "username")))  # none goes along
    await start_anew(settings)
    assert settings.running.mqtt.password_file is None


async def test_a_password_is_taken_away(file: Path) -> None:
    settings = await start(file)
    await save(settings, USER, password="s3cret")
    await start_anew(settings)
    await save(settings, Change(("mqtt", "host"), "elsewhere.example"), password="")
    await start_anew(settings)
    assert (settings.running.mqtt.host, settings.running.mqtt.password_file) == ("elsewhere.example", None)


@pytest.mark.parametrize(
    "path",
    [
        ("mqtt", "password_file"),
        ("mqtt", "cert_file"),
        ("mqtt", "key_file"),
        ("web", "token_file"),
        ("league", "token_file"),
        ("bridge", "state_dir"),
    ],
)
async def test_files_with_secrets_are_named_in_the_file_alone(file: Path, path: tuple[str, str]) -> None:
    settings = await start(file)
    assert await refuse(settings, "in the file itself", Change(path, "/etc/shadow")) == path
    section, key = path
    assert await refuse(settings, "in the file itself", Change((section,), {key: "/etc/shadow"})) == path


async def test_the_token_of_the_league_goes_to_no_other_address(file: Path, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("bridge-token", encoding="utf-8")
    league = '\n[league]\nurl = "https://league.example"\ntoken_file = "token"\n'
    overwrite(file, written(file) + league)
    settings = await start(file)
    said = "the league's token would be sent to the new address"
    assert await refuse(settings, said, Change(("league", "url"), "https://elsewhere.example")) == ("league", "url")
    await save(settings, Change(("league", "since"), "2026-09-01"))
    await start_anew(settings)
    await save(settings, Change(("league", "url")))


@pytest.mark.parametrize(
    ("url", "is_taken"),
    [
        ("https://league.example", True),
        ("http://127.0.0.1:8190", True),
        ("http://192.168.1.20", True),
        ("http://league", True),
        ("http://league.local/pages", True),
        ("http://league.example", False),
        ("http://9.9.9.9", False),
        ("http://[2620:fe::fe]:8190", False),
    ],
)
def test_the_token_of_the_league_leaves_the_own_network_only_encrypted(file: Path, url: str, is_taken: bool) -> None:
    text = file.read_text(encoding="utf-8")
    file.write_text(f'{text}\n[league]\nurl = "{url}"\ntoken_file = "token"\n', encoding="utf-8")
    if is_taken:
        read_config(file)
    else:
        with pytest.raises(UserError, match="others on the way can read the token of the league: write https://"):
            read_config(file)
    file.write_text(f'{text}\n[league]\nurl = "{url}"\n', encoding="utf-8")
    read_config(file)


async def test_the_page_is_not_switched_off_where_it_could_not_be_switched_on(file: Path) -> None:
    settings = await start(file)
    assert await refuse(settings, "without the page", Change(("web", "on"), False)) == ("web", "on")
    assert await refuse(settings, "a new address after each start", Change(("web", "port"), 0)) == ("web", "port")


async def test_the_password_of_the_service_counts(file: Path, credentials: Path) -> None:
    overwrite(credentials / "mqtt-password", "s3cret\n")
    overwrite(file, written(file).replace("[mqtt]\n", '[mqtt]\nusername = "oche"\n'))
    settings = await start(file)
    assert await refuse(settings, "the service uses the password", password="mine") == ("mqtt", "password")
    other = Change(("mqtt", "host"), "elsewhere.example")
    assert await refuse(settings, "the password comes from the service", other) == ("mqtt", "host")
    await save(settings, Change(("mqtt", "discovery"), "off"))


async def test_a_password_in_the_environment_goes_to_no_other_broker(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OCHE_MQTT_PASSWORD", "s3cret")
    overwrite(file, written(file).replace("[mqtt]\n", '[mqtt]\nusername = "oche"\n'))
    settings, other = await start(file), Change(("mqtt", "host"), "elsewhere.example")
    assert await refuse(settings, "the password comes from the service", other) == ("mqtt", "host")
    await save(settings, other, password="another")
    await start_anew(settings)
    assert settings.running.mqtt.password_file is not None
    for changes in ((), (Change(("mqtt", "host"), "third.example"),)):
        said = await refuse(settings, "the service would send its own", *changes, password="")
        assert said == ("mqtt", "password")
    await save(settings, Change(("mqtt", "username")), password="")  # none goes along
    await start_anew(settings)
    assert await refuse(settings, "the password comes from the service", USER) == ("mqtt", "username")


async def test_the_token_of_the_service_counts(tmp_path: Path, unused_tcp_port: int, credentials: Path) -> None:
    overwrite(credentials / "web-token", "a token of the house\n")
    file = write_file(tmp_path, unused_tcp_port, web=ANYWHERE)
    setup = make_setup_token(tmp_path / "state")
    async with serve(file, Authorization=f"Bearer {setup}") as client:
        status, answer = await post(client, "/api/settings/token", {"role": "play"})
        assert status == 400
        assert "the valid token is in the service's credential web-token" in answer["error"]["message"]
        async with client.get("/api/tables", headers={"Authorization": "Bearer a token of the house"}) as let_in:
            assert let_in.status == 200
    assert not locate_token_hash(tmp_path / "state").exists()


async def test_opening_the_page_makes_the_tokens_and_keeps_this_browser_in(file: Path, unused_tcp_port: int) -> None:
    async with serve(file) as client:
        status, answer = await change(client, (["web", "host"], "0.0.0.0"))
        assert status == 200
        assert [each["role"] for each in answer["tokens"]] == ["play", "setup"]
        assert all(each["url"].endswith(f"#token={each['token']}") for each in answer["tokens"])
        found = await started_anew(client, answer["run"])
        assert found["needs_token"]
        assert not [each for each in answer["tokens"] if each["token"] in json.dumps(found)]
        async with aiohttp.ClientSession(f"http://127.0.0.1:{unused_tcp_port}") as stranger:
            async with stranger.get("/api/settings") as refused:
                assert refused.status == 401
            for each in answer["tokens"]:
                headers = {"Authorization": f"Bearer {each['token']}"}
                async with stranger.get("/api/tables", headers=headers) as let_in:
                    assert (await let_in.json())[0]["role"] == each["role"]
        status, made = await post(client, "/api/settings/token", {"role": "setup"})
        assert status == 200
        assert made["tokens"][0]["token"] != answer["tokens"][1]["token"]
        await read(client)  # who has made it is still in


async def test_the_brokers_password_is_kept_apart_and_never_told(file: Path, tmp_path: Path) -> None:
    async with serve(file) as client:
        body = {"version": (await read(client))["version"], "password": "s3cret word"}
        status, answer = await post(client, "/api/settings", body)
        assert (status, answer["error"]["path"]) == (400, ["mqtt", "password_file"])
        body["changes"] = [{"path": ["mqtt", "username"], "value": "oche"}]
        status, answer = await post(client, "/api/settings", body)
        assert status == 200, answer
        found = await started_anew(client, answer["run"])
        assert "s3cret" not in json.dumps(found)
        assert "s3cret" not in written(file)
        (kept,) = (tmp_path / "state").glob("mqtt-password-*")
        assert (written(kept), kept.stat().st_mode & 0o777) == ("s3cret word\n", 0o600)


async def test_opening_the_page_makes_no_token_beside_that_of_the_service(file: Path, credentials: Path) -> None:
    overwrite(credentials / "web-token", "a token of the house\n")
    async with serve(file) as client:
        status, answer = await change(client, (["web", "host"], "0.0.0.0"))
        assert (status, [each["role"] for each in answer["tokens"]]) == (200, ["setup"])
        await started_anew(client, answer["run"])


async def test_another_port_keeps_this_browser_in(tmp_path: Path, unused_tcp_port_factory: object) -> None:
    assert callable(unused_tcp_port_factory)
    port, other = unused_tcp_port_factory(), unused_tcp_port_factory()
    file = write_file(tmp_path, port, web=ANYWHERE)
    make_token(tmp_path / "state")
    setup = make_setup_token(tmp_path / "state")
    async with serve(file) as client:
        assert (await post(client, "/api/enter", {"token": setup}))[0] == 200
        status, answer = await change(client, (["web", "port"], other))
        assert (status, answer["port"]) == (200, other)
        timeout = aiohttp.ClientTimeout(total=60)
        async with aiohttp.ClientSession(
            f"http://127.0.0.1:{other}", cookie_jar=client.cookie_jar, timeout=timeout
        ) as there:
            assert (await started_anew(there, answer["run"]))["effective"]["web"]["port"] == other


async def test_where_no_token_can_be_made_nothing_is_written(file: Path, tmp_path: Path) -> None:
    """And once one can, all are shown: none was kept of the first try."""
    before = written(file)
    async with serve(file) as client:
        (tmp_path / "state" / "web.setup.new").mkdir()
        status, answer = await change(client, (["web", "host"], "0.0.0.0"))
        assert (status, answer["error"]["code"]) == (503, "unavailable")
        assert (await read(client))["runs_with_file"]
        assert written(file) == before
        (tmp_path / "state" / "web.setup.new").rmdir()
        status, answer = await change(client, (["web", "host"], "0.0.0.0"))
        assert (status, [each["role"] for each in answer["tokens"]]) == (200, ["play", "setup"])


async def test_the_secret_of_a_web_hook_stays_its_own(file: Path) -> None:
    def hook(name: str, secret: str) -> str:
        return f'\n[[outlets.webhook]]\nname = "{name}"\nurl = "https://a.example/"\n{secret}'

    own = 'secret_file = "own"\n'
    overwrite(file, written(file) + hook("signed", own) + hook("plain", ""))
    (file.parent / "own").write_text("s3cret\n")
    settings, at, key = await start(file), ("outlets", "webhook"), "secret_file"
    said = "change outlets.webhook.secret_file in the file itself"
    for wanted in (
        Change((*at, 0, key), "/etc/shadow"),
        Change((*at, 0, key), None),
        Change((*at, 1, key), "own"),
        Change((*at, 2), {"name": "new", "url": "https://a.example/", key: "other"}),
    ):
        assert await refuse(settings, said, wanted) == (*at, wanted.path[2], key)
    await save(settings, Change((*at, 0, "name"), "other"), Change((*at, 1), None))
    assert written(file).count(own) == 1
    await start_anew(settings)
    await save(settings, Change((*at, 0), None))
    assert own not in written(file)


async def test_the_token_of_a_board_goes_to_no_other_board(file: Path) -> None:
    kept = 'board = "web:192.168.0.7"\nprofile = "autodarts"\nboard_token_file = "token"\n'
    overwrite(file, re.sub(r'board = "sim:.*"\n', kept, written(file).replace('profile = "opendarts"\n', ""), count=1))
    settings, at = await start(file), ("table", 0)
    said = "change table.board_token_file in the file itself: files with secrets"
    assert await refuse(settings, said, Change((*at, "board_token_file"), "/etc/shadow")) == (*at, "board_token_file")
    other = {"name": "second", "board": "web:192.168.0.8", "profile": "autodarts", "board_token_file": "/etc/shadow"}
    assert await refuse(settings, said, Change(("table", 1), other)) == ("table", 1, "board_token_file")
    said = "enter the token of the board again, or remove it: the saved one belongs to the previous board"
    for elsewhere in ("web:192.168.0.8", " web:192.168.0.8", "web:192.168.0.7:80"):
        assert await refuse(settings, said, Change((*at, "board"), elsewhere)) == (*at, "board_token")
    assert await refuse(settings, said, Change((*at, "profile"), "opendarts-cameras")) == (*at, "board_token")
    assert await refuse(settings, said, Change(("table", 1), {**other, "board_token_file": "token"})) == (
        "table",
        1,
        "board_token",
    )
    await save(settings, Change((*at, "board"), "none"), Change((*at, "profile")))
    await start_anew(settings)
    assert await refuse(
        settings, said, Change((*at, "board"), "web:192.168.0.8"), Change((*at, "profile"), "autodarts")
    )
    await save(
        settings,
        Change((*at, "board"), "web:192.168.0.8"),
        Change((*at, "profile"), "autodarts"),
        Change((*at, "board_token_file")),
    )
    assert "token" not in written(file).partition("[[table]]")[2]


async def test_the_key_of_a_proxy_is_named_in_the_file_alone(file: Path) -> None:
    overwrite(file, f'{written(file)}\n[[proxy]]\nhost = "proxy-cellar.local"\nkey_file = "key"\n')
    settings, said = await start(file), "change proxy.key_file in the file itself: files with secrets"
    at = ("proxy", 0, "key_file")
    assert await refuse(settings, said, Change(at, "/etc/shadow")) == at
    other = {"host": "proxy-bar.local", "key_file": "/etc/shadow"}
    assert await refuse(settings, said, Change(("proxy", 1), other)) == ("proxy", 1, "key_file")
    await save(settings, Change(("proxy", 0, "host"), "proxy-attic.local"), Change(("proxy", 1), {"host": "other"}))
    assert 'host = "proxy-attic.local"\nkey_file = "key"' in written(file)


@pytest.mark.slow
async def test_the_typed_token_of_a_board_is_kept_apart_and_never_told(file: Path, tmp_path: Path) -> None:
    """Another one replaces it, and an empty one takes it away; what is named is a file of the daemon's choice."""

    def list_kept() -> list[str]:
        return sorted(written(each) for each in (tmp_path / "state").glob("board-token-*"))

    def describe(kept: Path) -> tuple[str, int]:
        return written(kept), kept.stat().st_mode & 0o777

    at: list[str | int] = ["table", 0]
    board = ([*at, "board"], "web:127.0.0.1:9"), ([*at, "profile"], "opendartboard-apaiko")
    async with serve(file) as client:
        status, answer = await change(client, *board, ([*at, "board_token"], "two words"))
        assert (status, answer["error"]["path"]) == (400, [*at, "board_token"])
        for token in ("s3cret-1", " s3cret-2\n"):
            status, answer = await change(client, *board, ([*at, "board_token"], token))
            assert status == 200, answer
            found = await started_anew(client, answer["run"])
            assert "s3cret" not in json.dumps(found) + written(file)
        (name,) = re.findall(r'board_token_file = "(.*)"', written(file))
        assert describe(Path(name)) == ("s3cret-2\n", 0o600)
        assert list_kept() == ["s3cret-1\n", "s3cret-2\n"], "as long as the former file can come back"
        status, answer = await change(client, ([*at, "board"], "web:127.0.0.1:8"))
        assert (status, answer["error"]["path"]) == (400, [*at, "board_token"])
        status, answer = await change(client, ([*at, "board"], "web:127.0.0.1:8"), ([*at, "board_token"], "s3cret-3"))
        assert status == 200, answer
        await started_anew(client, answer["run"])
        new = {"name": "den", "board": "web:127.0.0.1:7", "profile": "opendartboard-apaiko", "board_token": "s3cret-4"}
        status, answer = await change(client, (["table", 1], new))
        assert status == 200, answer
        await started_anew(client, answer["run"])
        assert written(file).count("board_token_file") == 2
        status, answer = await change(
            client, ([*at, "board"], "none"), ([*at, "profile"], None), ([*at, "board_token"], "")
        )
        assert status == 200, answer
        found = await started_anew(client, answer["run"])
        assert "board_token_file" not in found["written"]["table"][0]
