"""The configuration of a league's programs: each mistake is one sentence with its line."""

from __future__ import annotations

from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict

from daemon.collect.config import LeagueConfig, read_league_config
from daemon.collect.database import connect, find_address
from daemon.errors import UserError
from tests.league.postgres import Postgres


def read(folder: Path, text: str) -> LeagueConfig:
    file = folder / "league.toml"
    file.write_text(text, encoding="utf-8")
    return read_league_config(file)


def test_an_empty_file_is_a_league_on_this_machine(tmp_path: Path) -> None:
    config = read(tmp_path, "")
    assert config.bases == ("oche",)
    address = conninfo_to_dict(find_address(config.database))
    assert (address["dbname"], address["user"]) == ("oche", "oche_collect")
    assert conninfo_to_dict(find_address(config.database, is_reader=True))["user"] == "oche_league"


def test_passwords_are_in_files_beside_it(tmp_path: Path) -> None:
    (tmp_path / "word").write_text("it's me\n", encoding="utf-8")
    config = read(tmp_path, '[database]\nurl = "host=db dbname=league"\npassword_file = "word"')
    address = conninfo_to_dict(find_address(config.database))
    assert (address["host"], address["dbname"], address["password"]) == ("db", "league", "it's me")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[colect]", "line 1: .*colect"),
        ("\n[collect]\nbases = ['venues/#']", "line 3: base '#' is part of MQTT topics"),
        ("[mqtt]\nbase = 'A'", "line 2: base 'A' is part of MQTT topics"),
        ("[mqtt]\nhost = 'mqtt://here'", "line 2: 'mqtt://here' is not a broker's address"),
        ("[mqtt]\nca_file = 'ca'", "line 2: ca_file has no effect without TLS"),
        ("[league]\ntime_zone = 'Berlin'", "line 2: there is no time zone 'Berlin'"),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UserError, match=said) as raised:
        read(tmp_path, text)
    assert raised.value.status == 2


def test_passwords_may_be_credentials_of_systemd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "database-reader-password").write_text("secret", encoding="utf-8")
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))
    address = conninfo_to_dict(find_address(read(tmp_path, "").database, is_reader=True))
    assert address["password"] == "secret"


def test_a_session_whose_client_has_vanished_ends(postgres: Postgres, tmp_path: Path) -> None:
    """Its locks would keep other collectors waiting. The owner may choose other times."""
    url = f"postgresql:///postgres?host={postgres.folder}"
    for more, wanted in (("", "30s"), ("&options=-c%20idle_in_transaction_session_timeout%3D5s", "5s")):
        with connect(read(tmp_path, f'[database]\nurl = "{url}{more}"').database) as db:
            assert db.execute("show idle_in_transaction_session_timeout").fetchone() == (wanted,)
            assert db.execute("show timezone").fetchone() == ("UTC",)


def test_an_address_that_is_none_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"database\.url cannot be read: "):
        find_address(read(tmp_path, '[database]\nurl = "oche at home"').database)
