"""Plug-ins of third parties: what is whole is played, what is broken is told in one sentence and stops nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from daemon.commands.boards import command as boards
from daemon.commands.games import command as games
from daemon.config.reader import read_config
from daemon.errors import UserError
from daemon.plugins import loader
from daemon.plugins.broken import BrokenPlugin
from engine.games import GAMES, PRESETS, game
from protocol.codebook import list_profiles, read_shipped, shipped
from tests.daemon.process import run
from tests.test_docs_game import source_of

NEAREST = source_of()
DART = "thrown = sum(dart.points for dart in turn.darts)"
BOARD = read_shipped("plain-standard").text.replace('id = "plain-standard"', 'id = "garage"')


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Of a configuration, with one game and one board of one's own."""
    for name in ("games", "boards"):
        (tmp_path / name).mkdir()
    (tmp_path / "games" / "nearest.py").write_text(NEAREST, encoding="utf-8")
    (tmp_path / "boards" / "garage.toml").write_text(BOARD, encoding="utf-8")
    return tmp_path


def configured(folder: Path, more: str = 'game = "nearest"') -> Path:
    file = folder / "oche.toml"
    file.write_text(f'[[table]]\nboard = "sim:garage"\nprofile = "garage"\n{more}\n', encoding="utf-8")
    return file


def load_one(folder: Path, text: str | bytes) -> BrokenPlugin:
    """What is said of a game with this text; everything else is known."""
    file = folder / "games" / "broken.py"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    (broken,) = loader.load(folder)
    assert "nearest" in GAMES
    assert "\n" not in str(broken)
    return broken


def test_a_file_beside_the_configuration_is_a_game_and_a_board(folder: Path) -> None:
    setup = read_config(configured(folder))
    assert (setup.config.table[0].game, setup.codebooks[0].profile.id, setup.remarks) == ("nearest", "garage", ())
    assert game("nearest").title(game("nearest").options_type()) == "Nearest to 61"
    assert not list(folder.rglob("__pycache__")), "nothing is written beside a configuration"


def test_a_folder_is_a_package_with_files_of_its_own(folder: Path) -> None:
    package = folder / "games" / "far"
    package.mkdir()
    (package / "__init__.py").write_text("from .rules import Nearest\n\nGAMES = (Nearest(),)\n", encoding="utf-8")
    (package / "rules.py").write_text(NEAREST.replace('id = "nearest"', 'id = "far"'), encoding="utf-8")
    (folder / "games" / "_notes.py").write_text("this is no game", encoding="utf-8")
    assert loader.load(folder) == ()
    assert {"far", "nearest"} <= GAMES.keys()


def test_another_folder_has_other_plugins(folder: Path, tmp_path: Path) -> None:
    before = len(GAMES), len(PRESETS), list_profiles()
    loader.load(folder)
    assert loader.load(folder) == ()
    assert (len(GAMES), len(list_profiles())) == (before[0] + 1, len(before[2]) + 1)
    loader.load(tmp_path / "elsewhere")
    assert (len(GAMES), len(PRESETS), list_profiles()) == before


def test_the_commands_know_them(folder: Path) -> None:
    config = ("--config", str(configured(folder)))
    assert "\nnearest " in CliRunner().invoke(games, config).output
    assert "Come near the goal" in CliRunner().invoke(games, [*config, "nearest"]).output
    assert "\ngarage " in CliRunner().invoke(boards, ["list", *config]).output
    assert CliRunner().invoke(boards, ["show", "garage", *config]).output == BOARD


def test_a_file_can_be_checked_before_it_is_put_there(folder: Path) -> None:
    file = folder / "games" / "nearest.py"
    empty = ("--config", str(folder / "none" / "oche.toml"), "check", str(file))
    said = CliRunner().invoke(games, empty)
    assert said.output == f"{file}: nearest can be played: Come near the goal with three darts, but not over it.\n"
    file.write_text(NEAREST.replace('    group = "rounds"\n', ""), encoding="utf-8")
    hint = f"{file}: nearest has no group, so the lobby lists it under More games: give it one of x01, cricket, "
    assert hint in CliRunner().invoke(games, empty).output
    file.write_text(NEAREST.replace("the `Goal` (61)", "the goal (61)"), encoding="utf-8")
    said = CliRunner().invoke(games, empty)
    assert str(said.exception) == "nearest, en: the rule sheet does not name the option goal, which is shown as `Goal`"
    file.write_text(NEAREST.replace(DART, "thrown = 1 // 0"), encoding="utf-8")
    said = CliRunner().invoke(games, empty)
    assert isinstance(said.exception, UserError)
    assert re.fullmatch(f"{file}, line [0-9]+: ZeroDivisionError: .*", str(said.exception))
    file.write_text("x = 1\n", encoding="utf-8")
    said = CliRunner().invoke(games, empty)
    assert str(said.exception).startswith(f"{file}: it has no GAMES: list an instance of each game")


@pytest.mark.slow
async def test_a_folder_is_checked_and_played_as_a_file_is(tmp_path: Path) -> None:
    package = tmp_path / "far"
    package.mkdir()
    (package / "__init__.py").write_text("from .rules import Nearest\n\nGAMES = [Nearest()]\n", encoding="utf-8")
    (package / "rules.py").write_text(NEAREST, encoding="utf-8")
    assert (await run("games", "check", package)).output.startswith(f"{package}: nearest can be played: ")
    played = await run("play", "--port", "0", "--speed", "500", "--seed", "1", "--game", package)
    assert (played.process.returncode, played.errors) == (0, "")
    assert re.search(r" won\.$", played.output.rstrip())


@pytest.mark.slow
async def test_the_demo_says_that_another_game_is_played(tmp_path: Path) -> None:
    """Where the rules of the chosen one fail for its players, as they did not when they were tried."""
    file = tmp_path / "nearest.py"
    none = "none = (0,) * len(seating.sides)"
    file.write_text(NEAREST.replace(none, f'{none} * (1 // ("Di" not in seating.players))'), encoding="utf-8")
    demo = ("play", "--port", "0", "--speed", "500", "--seed", "1", "--players", "Cy,Di", "--game", file)
    played = await run(*demo)
    assert played.process.returncode == 0
    assert "the table begins with x01: the rules of nearest failed" in played.errors
    assert f"{file}, line " in played.errors
    assert "begins with x01" in played.output


def test_a_file_that_is_in_its_place_already_can_be_checked(folder: Path, tmp_path: Path) -> None:
    config = ("--config", str(configured(folder)))
    there, draft = folder / "games" / "nearest.py", tmp_path / "drafts" / "nearest.py"
    draft.parent.mkdir()
    draft.write_text(NEAREST, encoding="utf-8")
    for file in (there, draft):
        said = CliRunner().invoke(games, [*config, "check", str(file)])
        assert said.output.startswith(f"{file}: nearest can be played: "), said
    draft = draft.rename(draft.with_name("other.py"))
    said = CliRunner().invoke(games, [*config, "check", str(draft)])
    assert str(said.exception) == f"{draft}: the id 'nearest' is already used by {there}: rename one of them"


def line_of(text: str) -> int:
    """The line of the game on which this is."""
    return NEAREST[: NEAREST.index(text)].count("\n") + 1


def translated(words: str) -> str:
    """The game with these translations."""
    text = NEAREST.replace("options_type =", f"translations = {words}\n    options_type =")
    return text.replace("import Advice", "import Translation, Advice")


def with_phrases(phrases: str) -> str:
    """The game with these phrases."""
    return NEAREST.replace("options_type =", f"phrases = {phrases}\n    options_type =")


def with_hands(hands: str) -> str:
    """The game with these hands."""
    return NEAREST.replace("options_type =", f"hands = {hands}\n    options_type =")


BROKEN: dict[str, tuple[str | bytes, str]] = {
    "syntax": ("class X:\n  id = 'x'\n    y(\n", r"FILE, line 3: unexpected indent"),
    "import": ("import nothing_of_that_name\n", r"FILE, line 1: ModuleNotFoundError: No module named .*"),
    "raises": ("1 / 0\n", r"FILE, line 1: ZeroDivisionError: division by zero"),
    "exits": ("raise SystemExit(1)\n", r"FILE, line 1: SystemExit: 1"),
    "no games": ("x = 1\n", r"FILE: it has no GAMES: list an instance of each game, as in GAMES = \[Nearest\(\)\]"),
    "empty": (
        "GAMES = []\n",
        r"FILE: its GAMES is empty: list an instance of each game, as in GAMES = \[Nearest\(\)\]",
    ),
    "not a list": ("GAMES = 1\n", r"FILE: it has no GAMES.*"),
    "no game": ("GAMES = [1]\n", r"FILE: 1 is not a Game: derive its class from engine\.game\.Game"),
    "a class": (NEAREST.replace("[Nearest()]", "[Nearest]"), r"FILE: Nearest is a class: .* Nearest\(\)"),
    "abstract": (NEAREST.replace("def score", "def scores"), r"FILE, line \d+: TypeError: .*"),
    "not UTF-8": (b"x = '\xff'\n", r"FILE, line 1: .*(utf|UTF)-8.*"),
    "null bytes": (b"\0", r"FILE.*: .*null bytes.*"),
    "in a library": ("import re\nre.compile('(')\n", r"FILE, line 2: .*"),
    "no rule sheet": (
        re.sub(r'    """Come near.*?"""\n', "", NEAREST, flags=re.DOTALL),
        r"FILE: .* has no rule sheet.*",
    ),
    "no id": (NEAREST.replace('id = "nearest"', 'id = "A B"'), r"FILE: the id of Nearest is 'A B': use .*"),
    "taken": (NEAREST, r".*the id 'nearest' is already used by .*: rename one of them"),
    "shipped": (
        NEAREST.replace('"nearest"', '"x01"'),
        r"FILE: the id 'x01' is that of a shipped game: choose another",
    ),
    "preset": (NEAREST.replace('"nearest"', '"501"'), r"FILE: the id of Nearest is '501': .*"),
    "no default": (NEAREST.replace("= 61", ""), r"FILE.*default.*"),
    "strange option": (NEAREST.replace("Annotated[int, Meta(ge=2, le=180)] = 61", "complex = 1j"), r"FILE: .* JSON.*"),
    "no such layout": (
        NEAREST.replace("options_type =", 'layouts = ("star",)\n    options_type ='),
        r"FILE: nearest\.layouts .*",
    ),
    "no such group": (
        NEAREST.replace('group = "rounds"', 'group = "darts"'),
        r"FILE: nearest\.group is 'darts': write one of x01, cricket, .*, or None",
    ),
    "no place for a tile": (
        NEAREST.replace("options_type =", "tile = 0\n    options_type ="),
        r"FILE: nearest\.tile is 0: write its place among the tiles, 1 for the first, or None",
    ),
    "a method in the place of an attribute": (
        NEAREST.replace("    def score", "    def group(self):\n        return 1\n\n    def score").replace(
            '    group = "rounds"\n', ""
        ),
        r"FILE: nearest\.group is a method, and Game has an attribute of that name: rename it",
    ),
    "no rules version": (
        NEAREST.replace("options_type =", 'rules = "a"\n    options_type ='),
        r"FILE: nearest\.rules .*",
    ),
    "no translation": (translated('{"de": {"rules": []}}'), r"FILE: nearest\.translations must look like .*"),
    "no language": (
        translated('{"deutsch": Translation()}'),
        r"FILE: nearest\.translations\['deutsch'\]: write the code of a language, such as de",
    ),
    "a language that is no text": (translated("{1: Translation()}"), r"FILE: .*\[1\]: write the code of a language.*"),
    "a sheet that is one text": (
        translated('{"de": Translation(rules=("Triff"))}'),
        r"FILE: nearest\.translations\['de'\]: Expected `array`, got `str` - at `\$\.rules`",
    ),
    "a label that is no text": (
        translated('{"de": Translation(labels={"goal": 5})}'),
        r"FILE: nearest\.translations\['de'\]: Expected `str`, got `int` - at `\$\.labels\[\.\.\.\]`",
    ),
    "a name for no option": (
        translated('{"de": Translation(labels={"aim": "Ziel"})}'),
        r"FILE: nearest\.translations\['de'\] names 'aim', which is not one of its options",
    ),
    "a sentence of another": (
        translated('{"de": Translation(sentences={"task.points": "Triff"})}'),
        r"FILE: .* has the sentence 'task\.points': the keys of a game's own sentences begin with nearest\.",
    ),
    "hands that are none": (
        with_hands('"yes"'),
        r"FILE: nearest\.hands is 'yes': write options with their values, such as .*",
    ),
    "hands by no option": (with_hands('{"mode": "dealt"}'), r"FILE: nearest\.hands: nearest has no option 'mode'.*"),
    "hands without secrets": (with_hands('{"goal": 60}'), r"FILE: nearest\.hands: has_secrets returns False with .*"),
    "phrases that are none": (with_phrases('{"goal": "far"}'), r"FILE: nearest\.phrases must look like .*"),
    "a phrase for no option": (
        with_phrases('{"aim": {"*": ("nearest.aim", "far")}}'),
        r"FILE: nearest\.phrases names 'aim', which is not one of its options",
    ),
    "a phrase of another": (
        with_phrases('{"goal": {"*": ("variant.aim", "far")}}'),
        r"FILE: .*\.phrases has 'variant\.aim': the keys of a game's own sentences begin with nearest\.",
    ),
    "a long phrase": (
        with_phrases('{"goal": {"*": ("broken_one.aim", "farther than all others")}}'),
        r"FILE: nearest\.phrases says 'farther than all others', which has more than 17 characters: three must fit.*",
    ),
    "a phrase with another place": (
        with_phrases('{"goal": {"*": ("broken_one.goal", "to {goal}")}}'),
        r"FILE: nearest\.phrases says 'to {goal}': its places are {count} for a number .*, not {goal}",
    ),
    "setup": (NEAREST.replace("none = (0,)", "none = (1 // 0,)"), r"FILE, line \d+: ZeroDivisionError: .*"),
    "dart": (NEAREST.replace(DART, "thrown = 1 // 0"), r"FILE, line \d+: ZeroDivisionError: .*"),
    "view": (NEAREST.replace('Panel("plain"', 'Panel(1 // 0, "plain"'), r"FILE, line \d+: ZeroDivisionError: .*"),
    "advise": (NEAREST.replace("left = state", "left = 1 // 0\n        left = state"), r"FILE, line \d+: ZeroDiv.*"),
    "no panel": (
        NEAREST.replace('Panel("plain", tuple', 'dict(face="plain", detail=tuple'),
        rf"FILE, line {line_of('def view')}: view of nearest must return a Panel, and returned {{.*",
    ),
    "no step": (NEAREST.replace(DART, "return 1"), r"FILE: TypeError: dart, .* must return a Step, .* returned 1 \(.*"),
    "winners that are no list": (
        NEAREST.replace("winners=leaders(turn.playing, lambda side: scores[side])", "winners=0"),
        r"FILE: TypeError: .* \(a value of the game does not fit in engine\.\w+, line \d+\)",
    ),
    "no answers": (
        NEAREST.replace(
            "    def score",
            '    def prompts(self, state, turn):\n        return (Prompt("a@1", 0, "?"),)\n\n    def score',
        ).replace("import Advice", "import Prompt, Advice"),
        r"FILE, line \d+: the prompt a@1 has neither options nor a pattern",
    ),
    "no JSON": (NEAREST.replace('{"visit": visit}', '{"visit": 1j}'), r"FILE, line \d+: .* JSON.*"),
    "leading of another kind": (
        NEAREST.replace("    def score", "    def leading(self, state, sides):\n        return 0\n\n    def score"),
        rf"FILE, line {line_of('def score')}: leading of nearest must return some of \(0, 1\), and returned 0",
    ),
    "a method called like a new one": (
        NEAREST.replace("    def score", "    def leading(self, state):\n        return 0\n\n    def score"),
        r"FILE: TypeError: .*leading\(\) takes 2 positional arguments but 3 were given.*",
    ),
    "huge": (NEAREST.replace('{"visit": visit}', '{"visit": "x" * 3000}'), r"FILE: nearest shows \d+ bytes .*"),
    "score": (
        NEAREST.replace("return state.scores[side]", "return 0.5"),
        rf"FILE, line {line_of('def score')}: .*Expected `int`, got `float`.*",
    ),
    "lives of nobody": (
        NEAREST.replace("facts = (Bust(side=turn.side),) if is_bust else ()", "facts = (LifeLost(lives=2),)").replace(
            "import Advice", "import LifeLost, Advice"
        ),
        r"FILE: nearest tells LifeLost\(.*\): give it the side, or where that is secret the target",
    ),
    "no lives": (
        NEAREST.replace("Bust(side=turn.side),) if is_bust else ()", "LifeLost(side=0, lives=0),)").replace(
            "import Advice", "import LifeLost, Advice"
        ),
        r"FILE: nearest tells LifeLost\(.*\): Expected `int` >= 1 - at `\$\.lives`",
    ),
    "a fact of nobody": (
        NEAREST.replace("Bust(side=turn.side),) if is_bust else ()", "Bust(),)"),
        r"FILE: nearest tells Bust\(side=None\): give it the side that it is about",
    ),
    "a fact of no side": (
        NEAREST.replace("Bust(side=turn.side),) if is_bust else ()", "Bust(side=2),)"),
        r"FILE: nearest tells Bust\(side=2\), and there is no side 2: count sides from 0",
    ),
    "a reason for a task": (
        NEAREST.replace(
            "    def score",
            '    def task(self, state, turn, panel):\n        return Reason(say("nearest.x", "x"))\n\n    def score',
        ).replace("import Advice", "import Reason, say, Advice"),
        rf"FILE, line {line_of('def score')}: task of nearest must return a Sentence, and returned Reason\(.*",
    ),
    "not pure": (
        NEAREST.replace("is_bust =", "thrown += random.randrange(9); is_bust =").replace(
            "from", "import random\nfrom", 1
        ),
        "FILE: nearest gives another result for the same darts: take all chance from luck",
    ),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_plugin_is_reported_and_the_others_are_used(folder: Path, what: str) -> None:
    text, sentence = BROKEN[what]
    if what not in ("taken", "shipped", "preset", "no id") and isinstance(text, str):
        text = text.replace('id = "nearest"', 'id = "broken_one"')
        sentence = sentence.replace("nearest", "broken_one")
    broken = load_one(folder, text) if what != "taken" else taken(folder, text)
    told = f"{broken.where}: {broken.said}" if str(folder) not in str(broken.said) else str(broken.said)
    assert re.fullmatch(sentence.replace("FILE", re.escape(str(folder / "games" / "broken.py"))), told), told


def taken(folder: Path, text: str | bytes) -> BrokenPlugin:
    """Of two with one id the second in the alphabet is left out."""
    (folder / "games" / "broken.py").write_bytes(str(text).encode())
    (broken,) = loader.load(folder)
    assert broken.where == str(folder / "games" / "nearest.py")
    return broken._replace(where=str(folder / "games" / "broken.py"))


def test_an_unreadable_plugin_is_reported(folder: Path) -> None:
    (folder / "games" / "circle.py").symlink_to("circle.py")
    (folder / "boards" / "circle.toml").symlink_to("circle.toml")
    (folder / "games" / "gone.py").symlink_to("nowhere.py")
    (folder / "boards" / "latin.toml").write_bytes(b'id = "\xff"')
    (folder / "boards" / "wrong.toml").write_text('id = "wrong"\nname = "W"\nhit = 1\n', encoding="utf-8")
    (folder / "boards" / "twice.toml").write_text(BOARD, encoding="utf-8")
    (folder / "boards" / "ours.toml").write_text(read_shipped("opendarts").text, encoding="utf-8")
    told = {broken.where.removeprefix(f"{folder}/"): str(broken.said) for broken in loader.load(folder)}
    assert told == {
        "games/circle.py": f"cannot read {folder}/games/circle.py: too many levels of symbolic links",
        "games/gone.py": f"cannot read {folder}/games/gone.py: no such file or directory",
        "boards/circle.toml": f"cannot read {folder}/boards/circle.toml: too many levels of symbolic links",
        "boards/latin.toml": f"{folder}/boards/latin.toml is not UTF-8 text: save it as UTF-8",
        "boards/wrong.toml": f"{folder}/boards/wrong.toml, line 3: unknown key 'hit'; did you mean 'hits'?",
        "boards/twice.toml": f"{folder}/boards/twice.toml, line 1: the id 'garage' is already used by "
        f"{folder}/boards/garage.toml: rename one of them",
        "boards/ours.toml": f"{folder}/boards/ours.toml, line 1: the id 'opendarts' belongs to a shipped "
        "profile: choose another",
    }
    assert shipped("garage").profile.id == "garage"


def test_a_table_whose_game_is_broken_begins_with_another(folder: Path) -> None:
    (folder / "games" / "nearest.py").write_text(NEAREST.replace(DART, "thrown = 1 // 0"), encoding="utf-8")
    setup = read_config(configured(folder, 'game = "nearest"\noptions = {goal = 99}'))
    assert (setup.config.table[0].game, setup.config.table[0].options) == ("x01", {})
    (remark,) = setup.remarks
    assert str(remark).startswith("the table main starts with x01: the plug-in nearest is not used (")


def test_the_id_of_a_game_that_cannot_even_be_read_is_known(folder: Path) -> None:
    (folder / "games" / "nearest.py").rename(folder / "games" / "other.py")
    (folder / "games" / "other.py").write_text(f"{NEAREST}\n)", encoding="utf-8")
    assert read_config(configured(folder)).config.table[0].game == "x01"
    with pytest.raises(ValueError, match=r"the plug-in other is not used .*unmatched"):
        game("nearest")


def test_a_board_that_is_broken_is_named_where_a_table_needs_it(folder: Path) -> None:
    (folder / "boards" / "garage.toml").write_text(f"{BOARD}\n[hist]\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"oche.toml, line \d: the plug-in garage is not used .*'hist'; did you mean"):
        read_config(configured(folder))
