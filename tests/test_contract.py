"""The contract that other software is written against: what is checked in is what the registry says, and it holds."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from daemon.admin.faces.mqtt import BODIES as REQUESTS
from daemon.snapshot import take_snapshot
from protocol.bodies import BODIES, decode_command, decode_transaction
from protocol.contract import make_schemas
from protocol.facts import FACTS, BoardHit, Event, collect_fields, describe_fact
from protocol.messages import make_attributes
from protocol.topics import ATTRIBUTES
from tests.contract import PAGE, SCHEMAS, generated
from tests.daemon.display import fits
from tests.engine.records import Record, header

NODE = Path(__file__).parent / "node"
TEXT = PAGE.read_text(encoding="utf-8")
SHOWN = re.findall(r"^```json\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def test_what_is_generated_is_checked_in() -> None:
    files = generated()
    found = {file: file.read_text(encoding="utf-8") for file in {*files, *SCHEMAS.iterdir()} if file.exists()}
    assert {str(file) for file in {*files, *found} if files.get(file) != found.get(file)} == set(), "run make docs"


@pytest.mark.parametrize("name", make_schemas(REQUESTS))
def test_a_schema_is_one(name: str) -> None:
    Draft202012Validator.check_schema(make_schemas(REQUESTS)[name])


@pytest.mark.parametrize("name", BODIES)
def test_the_example_of_a_command_is_understood(name: str) -> None:
    body = BODIES[name]
    fits(f"cmd_{name}", {"transaction": "a", "at": 1, **body.example})
    text = json.dumps({"transaction": "a", "at": 1, **body.example}).encode()
    request = decode_command(name, text)
    assert (decode_transaction(text), request.at) == ("a", 1)
    assert body.text is None or type(decode_command(name, body.text.encode()).command) is type(request.command)


class Renamed(BoardHit, frozen=True, tag="renamed"):
    """A fact whose segment is of another kind than in all others."""

    segment: int  # type: ignore[assignment]


def test_the_registry_knows_all_there_is() -> None:
    told = {field for kind in map(describe_fact, FACTS.values()) for field in (*kind.fields, *kind.optional)}
    assert {"event_type", "session", "seq"} | told == set(Event.__struct_fields__)
    with pytest.raises(TypeError, match="the field segment of Renamed is of another type in another fact"):
        collect_fields([*FACTS.values(), Renamed])
    assert tuple(make_attributes(take_snapshot(Record(header("x01")).match))) == ATTRIBUTES


@pytest.mark.parametrize("text", SHOWN)
def test_what_the_page_shows_fits(text: str) -> None:
    shown = json.loads(text)
    fits("event" if "event_type" in shown else "response", shown)


@pytest.mark.long
@pytest.mark.usefixtures("node_modules")
def test_the_document_is_right_for_the_official_parser(node_path: Path) -> None:
    command = [node_path, NODE / "asyncapi.mjs", SCHEMAS.parent / "asyncapi.json"]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (told.returncode, told.stdout, told.stderr) == (0, "", "")
