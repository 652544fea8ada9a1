"""What the documentation says is so: of profiles, key by key, of the configuration, of boards and games."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec import Struct, inspect
from msgspec.structs import FieldInfo, fields

from daemon.commands.boards import command as boards
from daemon.config.reader import read_config
from daemon.config.schemes import SCHEMES
from daemon.home_assistant.entities import GAME, TOURNAMENT, WEEK, list_table_entities
from drivers.schemes import parse
from engine.games import GAMES
from protocol.bodies import BODIES, decode_command
from protocol.codebook import ACTING, list_shipped, shipped
from protocol.commands import Start
from protocol.ground_round import GroundRoundDesign
from protocol.layouts import find_layout
from protocol.layouts import load as load_layout
from protocol.profile import Profile
from protocol.source import Source
from protocol.spelling import struct_of
from protocol.templates import NUMBERED
from protocol.topics import parse as parse_topic
from protocol.yatzy import YatzyDesign
from tests.command_table import PLACES
from tests.contract import COMMANDS, CONFIGURATION, HOME_ASSISTANT
from tests.pages import PAGES, ROOT
from tests.venue.venue import write_certificate

DOCS = Path(__file__).parent.parent / "docs"
PAGE = (DOCS / "profiles.md").read_text(encoding="utf-8")
ROWS = {
    found[1]: found.groups()[1:]
    for found in re.finditer(r"^\| `([a-z_.]+)` \| (.+?) \| (.+?) \| (.+) \|$", PAGE, re.MULTILINE)
}
EXAMPLES = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
PROFILES = [text for text in EXAMPLES if "[[table]]" not in text]


def keys(kind: type[Struct], path: str = "") -> Iterator[tuple[str, FieldInfo]]:
    """Every key of a profile that holds a value, with the tables it is in."""
    for field in fields(kind):
        table = struct_of(field.type)
        if table is None:
            yield f"{path}{field.encode_name}", field
        else:
            yield from keys(table, f"{path}{field.encode_name}.")


KEYS = dict(keys(Profile))


def test_every_key_is_described_and_no_other() -> None:
    assert set(ROWS) == set(KEYS)


def test_a_key_is_described_as_it_is() -> None:
    for key, field in KEYS.items():
        value, default, _ = ROWS[key]
        usual = field.default_factory() if callable(field.default_factory) else field.default
        if field.required:
            assert default == "required", key
        elif usual in (None, "", [], {}):
            assert default == "–", key
        else:
            assert tomllib.loads(f"x = {default.strip('`')}")["x"] == (
                list(usual) if isinstance(usual, tuple) else usual
            ), key
        told = inspect.type_info(field.type)
        for part in told.types if isinstance(told, inspect.UnionType) else [told]:
            if isinstance(part, inspect.IntType):
                assert (f"from {part.ge}" if part.le is None else f"{part.ge} to {part.le}") in value, key
            if isinstance(part, inspect.LiteralType):
                assert set(re.findall(r"`([a-z0-9_.-]+)`", value)) == set(part.values), key


def test_all_placeholders_and_all_buttons_that_act_are_named() -> None:
    for word in (*NUMBERED, "row", "col", "key", "id"):
        assert f"| `{{{word}}}`" in PAGE or f" `{{{word}}}` |" in PAGE
    part = PAGE[PAGE.index("## Buttons") : PAGE.index("## A mat")]
    assert all(f"`{name}`" in part for name in ACTING)


@pytest.mark.parametrize(
    "text",
    [*PROFILES, *(file.read_text(encoding="utf-8") for file in sorted((DOCS / "boards").glob("*.toml")))],
    ids=lambda text: str(tomllib.loads(text)["id"]),
)
def test_an_example_is_right(tmp_path: Path, text: str) -> None:
    file = tmp_path / "example.toml"
    file.write_text(text, encoding="utf-8")
    result = CliRunner().invoke(boards, ["check", str(file)])
    assert result.exception is None
    assert result.output.endswith(" segments, all decoded correctly.\n")


def test_the_configuration_is_right_beside_the_first_example(tmp_path: Path) -> None:
    (tmp_path / "my-board.toml").write_text(PROFILES[0], encoding="utf-8")
    (config,) = (text for text in EXAMPLES if "[[table]]" in text)
    (tmp_path / "oche.toml").write_text(config, encoding="utf-8")
    assert read_config(tmp_path / "oche.toml").codebooks[0].profile.id == "my-board"


def test_every_mat_is_named() -> None:
    part = PAGE.partition("The shipped mats are ")[2].partition(", named after")[0]
    assert re.findall(r"`(\w+)`", part) == sorted(file.stem for file in (ROOT / "protocol" / "mats").glob("*.toml"))


def test_the_excerpt_of_a_mat_is_from_its_file() -> None:
    (excerpt,) = re.findall(r"^```text\n(.*?)\n```$", PAGE, re.MULTILINE | re.DOTALL)
    assert excerpt in (DOCS / "boards" / "own-mat.toml").read_text(encoding="utf-8")


_ON_SITE = re.compile(r"(docs|systemd)/.+|.+\.md|LICENSE|tests/.+\.py")
"""What debian/release/site.sh copies: a link to anything else leads nowhere there."""


def test_a_link_leads_to_a_file() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\((?!http)([^)#]+)", page.read_text(encoding="utf-8")):
            file = (page.parent / target).resolve()
            assert file.is_file(), f"{page}: {target}"
            assert _ON_SITE.fullmatch(str(file.relative_to(ROOT))), f"{page}: {target} is not on the site"


def test_a_link_leads_to_a_heading() -> None:
    for page in PAGES:
        for target, anchor in re.findall(r"\]\((?!http)([^)#]*)#([^)]+)\)", page.read_text(encoding="utf-8")):
            file = page.parent / target if target else page
            assert anchor in find_anchors(file), f"{page}: {target}#{anchor}"


def find_anchors(page: Path) -> set[str]:
    """Returns what the headings of this page are called in links."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


def test_a_command_is_explained_where_the_list_of_commands_leads() -> None:
    for name, place in {name: place for places in PLACES.values() for name, place in places.items()}.items():
        page, _, _ = place.partition("#")
        text = (DOCS / (page or COMMANDS.name)).read_text(encoding="utf-8")
        assert re.search(rf"oche {name}\b", re.sub(r"\s+", " ", text)), f"{page} does not name oche {name}"


def test_every_page_is_in_the_table_of_contents_and_in_that_of_the_site() -> None:
    contents = DOCS / "README.md"
    linked = re.findall(r"\]\((?!http)([^)#]+\.md)", contents.read_text(encoding="utf-8"))
    listed = {(DOCS / target).resolve().relative_to(ROOT) for target in linked}
    assert {page.relative_to(ROOT) for page in DOCS.glob("*.md")} - {contents.relative_to(ROOT)} <= listed
    site = (ROOT / "debian" / "release" / "mkdocs.yml").read_text(encoding="utf-8")
    assert {Path(page) for page in re.findall(r"- (\S+\.md)$", site, re.MULTILINE)} == {
        *(Path("README.md"), contents.relative_to(ROOT)),
        *listed,
    }


BOARDS = (ROOT / "docs" / "boards.md").read_text(encoding="utf-8")
PLAYING = (ROOT / "docs" / "playing.md").read_text(encoding="utf-8")
LAYOUTS: dict[str, type[Struct]] = {"yatzy": YatzyDesign, "ground_round": GroundRoundDesign}
CONFIGURATIONS = re.findall(r"^```toml\n(.*?)^```$", CONFIGURATION.read_text("utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(
    "text", re.findall(r"^```toml\n(\[(?:yatzy|ground).*?)^```$", PLAYING, re.MULTILINE | re.DOTALL)
)
def test_an_example_of_a_layout_is_the_one_that_ships(text: str) -> None:
    layout = load_layout(Source(text, "layout.toml"))
    assert layout is find_layout(layout.name)
    assert set(*tomllib.loads(text).values()) == {
        field.name for field in fields(LAYOUTS[layout.name]) if field.name != "hexes"
    }


@pytest.mark.parametrize("scheme", SCHEMES)
def test_an_address_of_each_kind_is_in_the_table(scheme: str) -> None:
    page = CONFIGURATION.read_text(encoding="utf-8")
    rows = re.findall(rf"^\| `({scheme}(?::[^`]+)?)` \|", page, re.MULTILINE)
    assert rows
    for address in rows:
        assert parse(address, SCHEMES).scheme == scheme
    for option in SCHEMES[scheme].options:
        assert re.search(rf"^\| `{scheme}:.*\?{option}=", page, re.MULTILINE), option


def test_a_board_to_begin_with_is_as_sure_as_its_profile_says() -> None:
    part = BOARDS.partition("## Which board to begin with")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| .+ \| `([a-z-]+)` \| ([a-z ]+) \| .+ \|$", part, re.MULTILINE)
    order = ("very high", "high", "medium", "low")
    assert [level for _, level in rows] == sorted((level for _, level in rows), key=order.index)
    for name, level in rows:
        assert shipped(name).profile.confidence.startswith(f"{level}:"), name


def test_every_shipped_board_is_in_the_table() -> None:
    table = "\n".join(line for line in BOARDS.splitlines() if line.startswith("| "))
    assert [name for name in list_shipped() if f"`{name}`" not in table] == []


def test_every_game_is_in_the_table_and_nothing_else_is() -> None:
    table = PLAYING.partition("| game | what it is |")[2].partition("\n\n")[0]
    first_cells = [row.split("|")[1] for row in table.splitlines() if row]
    assert {name for cell in first_cells for name in re.findall(r"`(\w+)`", cell)} == set(GAMES)


def test_the_readme_names_every_command() -> None:
    (row,) = re.findall(r"\| the commands: (.+) \|", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert set(re.findall("`([a-z]+)`", row)) == set(BODIES)


@pytest.mark.parametrize("text", CONFIGURATIONS, ids=("shortest", "whole"))
def test_an_example_of_the_configuration_is_read_without_a_mistake(tmp_path: Path, text: str) -> None:
    certificate, key = write_certificate(tmp_path)
    (tmp_path / "my-layout.toml").write_text("[yatzy]\nstar_radius_mm = 8\n", encoding="utf-8")
    file = tmp_path / "oche.toml"
    for name, made in (("ca.crt", certificate), ("oche.crt", certificate), ("oche.key", key)):
        text = text.replace(f"/etc/oche/{name}", str(made))
    file.write_text(text, encoding="utf-8")
    setup = read_config(file)
    assert not setup.remarks
    assert len(setup.config.table) == text.count("[[table]]")


PARTS = [
    (page, text)
    for page in ("README.md", "docs/boards.md", "docs/troubleshooting.md", "docs/upgrading.md")
    for text in re.findall(r"^```toml\n(.*?)^```$", (ROOT / page).read_text("utf-8"), re.MULTILINE | re.DOTALL)
]


@pytest.mark.parametrize(("page", "text"), PARTS)
def test_a_part_of_a_configuration_is_read_without_a_mistake(tmp_path: Path, page: str, text: str) -> None:
    file = tmp_path / "oche.toml"
    file.write_text(text if "[[table]]" in text else f'[[table]]\nboard = "none"\n\n{text}', encoding="utf-8")
    assert not read_config(file).remarks, page


def test_what_troubleshooting_quotes_is_what_oche_says() -> None:
    """A quotation stands between “ and ”, with … for what differs."""
    files = [
        *ROOT.glob("daemon/web/page/**/*_en.js"),
        *ROOT.glob("daemon/languages/*en.json"),
        ROOT / "daemon/service/lock.py",
        ROOT / "daemon/web/public_url.py",
    ]
    said = "\n".join(file.read_text(encoding="utf-8") for file in files).replace("’", "'")
    quoted = re.findall("“([^”]+)”", (DOCS / "troubleshooting.md").read_text(encoding="utf-8").replace("\n", " "))
    assert len(quoted) > 5
    assert [part for text in quoted for part in text.split("…") if part.strip() not in said] == []


def test_every_symptom_is_in_the_list_at_the_top() -> None:
    head, _, rest = (DOCS / "troubleshooting.md").read_text(encoding="utf-8").partition("\n## ")
    listed = re.findall(r"\]\(#([^)]+)\)", head)
    symptoms = [
        re.sub(r"[^\w -]", "", title).lower().replace(" ", "-")
        for title in re.findall(r"^### (.+)$", rest, re.MULTILINE)
    ]
    assert sorted(listed) == sorted(symptoms)


HOME_EXAMPLES = HOME_ASSISTANT.read_text(encoding="utf-8").partition("\n## Start a match from an automation\n")[2]


def test_what_an_automation_publishes_is_a_command() -> None:
    (address, payload), *more = re.findall(r"topic: (\S+)\n +payload: '(.+)'\n", HOME_EXAMPLES)
    assert not more
    found = parse_topic(address)
    assert found is not None
    assert (found.kind, found.names["table"]) == ("cmd", "main")
    command = decode_command(found.names["command"], payload.encode()).command
    assert isinstance(command, Start)
    assert command.spec is not None
    assert command.spec.players == ("Ann", "Bo")


def test_an_automation_presses_what_home_assistant_has() -> None:
    known = {
        f"{entity.platform}.oche_main_{entity.key}"
        for entity in (*list_table_entities("standard", has_battery=False), GAME)
    } | {f"{entity.platform}.oche_bridge_oche_{entity.key}" for entity in (WEEK, *TOURNAMENT)}
    named = re.findall(r"entity_id: (\S+)\n", HOME_EXAMPLES)
    assert len(named) == 5
    assert set(named) <= known
