"""A token that somebody made up, in a file or in the service's credential: the one of `oche token` does not count."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.access import Access, new_token
from daemon.config import read_config
from daemon.service import running
from tests.daemon.house import configure
from tests.manners.way_in import ANYWHERE, guest, oche_token


async def test_a_token_of_ones_own(tmp_path: Path, unused_tcp_port: int) -> None:
    (tmp_path / "own").write_text("the treble twenty bed\n", encoding="utf-8")
    web = f'{ANYWHERE}token_file = "{tmp_path}/own"'
    file = configure(tmp_path, unused_tcp_port, web=web)
    assert str(oche_token(file).exception) == f"the token is the one in {tmp_path}/own: change it there"
    async with running(read_config(file)) as house, guest(house) as phone:
        async with phone.post("/api/enter", json={"token": "the treble twenty bed"}) as answer:
            assert answer.status == 200
        (tmp_path / "own").write_text("T20", encoding="utf-8")
        async with phone.get("/") as answer:
            assert await answer.text() == (f"the token in {tmp_path}/own is too short: it takes 16 characters or more")


async def test_the_token_of_the_service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "web-token").write_text("only the service reads this", encoding="utf-8")
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))
    access = Access("0.0.0.0", None, tmp_path)
    assert access.knows("only the service reads this")
    assert not access.knows("only the service reads that")


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
        ("token_file", "the one in {folder}/own counts"),
        (
            "credential",
            "the one of the service counts, from its credential web-token (/etc/oche/web-token as it is installed)",
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
    made = new_token(tmp_path / "state")
    if not own:
        new_token(tmp_path / "state")
    async with (
        running(read_config(configure(tmp_path, unused_tcp_port, web=web))) as house,
        guest(house, Authorization=f"Bearer {made}") as phone,
        phone.get("/api/tables") as answer,
    ):
        told = (await answer.json())["error"]["message"]
        assert told == f"this is not the token of this page: {sentence.format(folder=tmp_path)}"
