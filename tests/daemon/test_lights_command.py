"""`oche lights`: a scene is tried on real controllers, and the arguments of darts-wled become a configuration."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from daemon.assemble import run_daemon
from daemon.config.check_outlets import Known, find_mistake
from daemon.config.outlets import Outlets, Range, Rule, Then
from daemon.config.reader import read_config
from daemon.errors import UserError
from daemon.outlets.colour_names import find_colour
from daemon.outlets.darts_wled import import_arguments
from daemon.outlets.find_lights import find_lights, format_lights
from engine.games import GAMES
from protocol.layouts import find_layout
from protocol.standard import merged
from tests.daemon.process import Process, Saying, configure, eventually
from tests.daemon.process import run as run_oche
from tests.daemon.wled import Wled, serve_wled
from tests.sweep import many

START_FILE = r"""
PUSHD .
REM my lights
"C:\Downloads\darts-wled.exe" -CON "127.0.0.1:8079" -WEPS "192.168.3.71" "192.168.3.72" ^
-DU "0" -BRI "255" -HFO 100 -HF "rainbow" -IDE "solid|lightgoldenrodyellow" -IDE2=solid|green ^
-PIDE "john doe=solid|azure4|e:1" -G "colorloop" -M "running|orange|red1" "x" --busted_effects "solid|red3" ^
-PJ "solid|green1" -S180 "rainbow" "ps|4|d:8" -A1 "0-14" "breathe|s255|i9|p3|green1|red2" -A6 "75-89" "solid|brick" ^
-CMB "s1,s20,s5=63|red|d:5" "102|blue" "t20,d25=x" -DMU "t20=63|red|d:3" "3=ps|5|2|e:0" -DSBULL "fire 2012"
"""


BEDS = {bed for each in find_layout("standard") for bed in (each.id, merged(each.id), *each.groups)}
KNOWN = Known(["main"], tuple(GAMES), BEDS, has_mqtt=True)


def read(text: str) -> Outlets:
    """What the printed lines are to the reader of configurations."""
    found = msgspec.toml.decode(import_arguments(text).text, type=dict[str, Outlets])
    return found.get("outlets", Outlets())


def test_a_start_file_is_understood() -> None:
    outlets = read(START_FILE)
    assert find_mistake(outlets, KNOWN) is None
    assert [(light.name, light.url, light.brightness) for light in outlets.light] == [
        ("wled1", "http://192.168.3.71", 255),
        ("wled2", "http://192.168.3.72", 255),
    ]
    everyone = {"*": "solid_lightgoldenrodyellow", "2": "solid_green"}
    assert [light.idle for light in outlets.light] == [everyone, {**everyone, "john doe": "solid_azure4"}]
    first, second = "rainbow", "ps_4_d_8"
    assert outlets.rule == (
        Rule("dart", Then(light="fire_2012"), bed="bull"),
        Rule("dart", Then(light="ps_5_2", lights=("wled1",)), bed="triple"),
        Rule("dart", Then(light="63_red_d_3"), bed="T20"),
        Rule("visit", Then(light="breathe_s255_i9_p3_green1_red2"), points=Range(0, 14)),
        Rule("visit", Then(light=(first, second)), points=180),
        Rule("visit", Then(light=("63_red_d_5", "102_blue")), darts=("S1", "S20", "S5")),
        Rule("bust", Then(light="solid_red3")),
        Rule("checkout", Then(light="rainbow"), points=Range(100)),
        Rule("leg_won", Then(light="colorloop")),
        Rule("match_won", Then(light="running_orange_red1")),
    )
    scenes = {scene.name: scene for scene in outlets.scene}
    breathe = scenes["breathe_s255_i9_p3_green1_red2"]
    assert (breathe.effect, breathe.speed, breathe.intensity, breathe.palette) == ("breathe", 255, 9, 3)
    assert (breathe.colours, breathe.seconds) == (("#00ff00", "#ee0000"), 0)
    assert (scenes["ps_4_d_8"].preset, scenes["ps_4_d_8"].seconds) == (4, 8)
    assert (scenes["ps_5_2"].preset, scenes["ps_5_2"].seconds) == (5, 2)


def test_what_has_no_counterpart_is_named() -> None:
    assert import_arguments(START_FILE).left == (
        "-A6 'solid|brick'",
        "-CMB x",
        "-M x",
        "-CON 127.0.0.1:8079",
        "-PJ 'solid|green1'",
    )
    assert import_arguments('-IDE "solid|red" -HFO many').left == ("-HFO many", "-IDE 'solid|red'")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('cd x && wled.exe -S180 "rainbow" & pause', ("& pause",)),
        ('-S180 "rainbow" # my -best\n-B "solid|red"', ("# my -best",)),
        ('wled.exe -S180 "rainbow" ^\n "breathe"\npause\n', ("pause",)),
        ('-S180 "rainbow" >log.txt 2>&1', ("> log.txt 2", ">& 1")),
        ("-DU -5 -BRI 0 -HFO 1000", ("-DU -5", "-HFO 1000", "-BRI 0")),
        ('-A1 "9-3" rainbow -A2 "20-30" rainbow', ("-A1 9-3 rainbow",)),
        ('-CMB "t20,t20,t20,t20=rainbow"', ("-CMB rainbow",)),
        ('--takeout_effect "solid|red"', ("-TOE 'solid|red'",)),
        ("-WEPS a:99999 me:secret@b http://:80 c:80", ("-WEPS a:99999", "-WEPS me:secret@b", "-WEPS http://:80")),
    ],
)
def test_what_the_reader_would_refuse_is_named(text: str, left: tuple[str, ...]) -> None:
    assert import_arguments(f"-WEPS ring\n{text}" if "-WEPS" not in text else text).left == left


def test_without_a_controller_the_lines_are_comments() -> None:
    imported = import_arguments('-S180 "rainbow"')
    assert (read('-S180 "rainbow"'), imported.has_lights) == (Outlets(), False)
    lines = [line.removeprefix("# ") for line in imported.text.splitlines()[1:]]
    outlets = msgspec.toml.decode("\n".join(lines).replace("\n#\n", "\n\n"), type=dict[str, Outlets])["outlets"]
    assert find_mistake(outlets, KNOWN) is None
    assert (len(outlets.light), len(outlets.rule)) == (1, 1)


def test_of_more_rules_than_there_can_be_the_weakest_are_named() -> None:
    scores = " ".join(f"-S{number} rainbow" for number in range(181))
    darts = " ".join(f"-DS{number} rainbow" for number in range(1, 21))
    text = f"-WEPS ring {scores} {darts} -M rainbow"
    assert import_arguments(text).left == ("-DS1 rainbow", "-DS2 rainbow")
    assert read(text).rule[-1] == Rule("match_won", Then(light="rainbow"))


@pytest.mark.parametrize(
    ("text", "why"), [("", "there are no arguments"), ('-S1 "solid', "a quotation mark is missing")]
)
def test_a_text_that_is_none_is_refused(text: str, why: str) -> None:
    with pytest.raises(UserError, match=why):
        import_arguments(text)


WORDS = st.sampled_from(
    "& ; # pause a:99999 u:p@h http://[ -5 9-3 -TOE -HFO".split()
    + '-WEPS -S180 -A1 -DMU -CMB -PIDE -IDE -DU -BRI 0-15 9 a "b c" solid|red 5|s300 ps|7 ps|0 x e:0 solid|e:1 '
    "t20=fire =x 1=2|blue|e:0 ann=solid|red|blue|tan1|gold -DS7 ^ # d25,t1,s9=ps|3|d:1.5".split()
)


@pytest.mark.slow
@given(st.lists(WORDS | st.text(max_size=6), max_size=14))
@settings(max_examples=many(200, 5000), deadline=None)
@example(["-DU", "inf"])
@example(["-G", "²"])
@example(["-S1", "5"])
@example(["-WEPS", "a:99999"])
@example(["A"])
@example(["a:80"])
@example(["-WEPS", "a", "-DU", "-5"])
@example(["-WEPS", "a", *[word for number in range(181) for word in (f"-S{number}", "5|e:0", "6")]])
def test_whatever_is_pasted_becomes_a_valid_configuration_or_one_sentence(words: list[str]) -> None:
    for text in (" ".join(words), f"-WEPS a {' '.join(words)}"):
        with suppress(UserError):
            assert find_mistake(read(text), KNOWN) is None


@pytest.mark.parametrize(
    ("name", "colour"),
    [("red", "#ff0000"), ("gold2", "#eec900"), ("tan1", "#ffa54f"), ("Grey50", "#7f7f7f"), ("brick", None), ("", None)],
)
def test_colours_are_found_by_their_names(name: str, colour: str | None) -> None:
    found = find_colour(name)
    if colour is None or found is None:
        assert found == colour
        return
    pairs = zip(bytes.fromhex(found[1:]), bytes.fromhex(colour[1:]), strict=True)
    assert all(abs(a - b) <= 1 for a, b in pairs), "X11 rounds its shades otherwise"


def test_the_command_prints_sections_and_says_what_is_left(oche: Saying, tmp_path: Path) -> None:
    file = tmp_path / "start.bat"
    file.write_text('-WEPS 10.0.0.7 -B "solid|red" -PJ x', encoding="utf-8")
    said = oche("lights", "import", file)
    assert (said.status, said.errors) == (1, "oche: these have no counterpart in oche: -PJ x\n")
    assert 'url = "http://10.0.0.7"' in said.output
    file.write_text('-B "solid|red"', encoding="utf-8")
    said = oche("lights", "import", file)
    missing = "there is no light yet: add -WEPS with the address of your controller"
    assert (said.status, said.errors) == (1, f"oche: {missing}\n")


@pytest.mark.slow
async def test_a_scene_is_tried_and_the_light_put_back(tmp_path: Path) -> None:
    async with serve_wled(Wled()) as wled:
        light = f'[[outlets.light]]\nname = "ring"\nurl = "{wled.url}"\n'
        scene = '[[outlets.scene]]\nname = "short"\ncolours = ["#010203"]\nseconds = 0.01\n'
        file, before = configure(tmp_path, more=light + scene), wled.look

        async def attempt(*words: str) -> tuple[int | None, str]:
            said = await run_oche("lights", "try", *words, "--config", file)
            assert said.output == ""
            return said.process.returncode, said.errors

        assert await attempt("short") == (0, "")
        shown = [body["seg"][0]["col"][0] for body in wled.requests if body]
        assert shown == [[1, 2, 3], [255, 160, 0]]
        assert wled.look == before
        wled.is_away = True
        assert await attempt("short") == (1, "oche: light ring: it answered with status 503\n")
        assert await attempt("shrot") == (2, "oche: there is no scene 'shrot'; did you mean 'short'?\n")
        status, errors = await attempt("short", "--light", "left")
        assert (status, "has no light 'left': add an [[outlets.light]]" in errors) == (2, True)


async def test_no_scene_is_tried_while_the_daemon_has_the_lights(tmp_path: Path) -> None:
    async with serve_wled(Wled()) as wled:
        file = configure(tmp_path, more=f'[[outlets.light]]\nname = "ring"\nurl = "{wled.url}"\n')
        async with run_daemon(read_config(file)):
            said = await run_oche("lights", "try", "red", "--config", file)
        assert said.process.returncode == 1
        assert said.errors.startswith("oche: oche is running and controls the lights: stop it first (sudo systemctl")
        assert wled.requests == []


async def test_a_trial_that_is_killed_is_mended_at_the_next_start(tmp_path: Path) -> None:
    async with serve_wled(Wled()) as wled:
        light = f'[[outlets.light]]\nname = "ring"\nurl = "{wled.url}"\n'
        file, before = configure(tmp_path, more=light), wled.look
        async with Process("lights", "try", "red", "--config", file) as trial:
            await eventually(lambda: wled.colour == [255, 0, 0])
            await trial.kill()
        assert wled.look != before
        async with run_daemon(read_config(file)):
            await eventually(lambda: wled.look == before)


async def test_controllers_are_found_among_the_known_hosts(unused_tcp_port: int) -> None:
    other = Wled()
    other.is_away = True
    async with serve_wled(Wled()) as first, serve_wled(Wled()) as second, serve_wled(other):
        hosts = [each.url.removeprefix("http://") for each in (first, other, second)]
        text = format_lights(await find_lights([*hosts, f"127.0.0.1:{unused_tcp_port}"]))
    found = msgspec.toml.decode(text, type=dict[str, Outlets])["outlets"].light
    assert [(light.name, light.url) for light in found] == [
        ("ring-at-the-board", first.url),
        ("ring-at-the-board-2", second.url),
    ]
