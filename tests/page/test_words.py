"""Every language says all there is to say: a half translation fails here, not on a user's wall."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, expect

from daemon.assemble import RunningDaemon
from engine.badges import BADGES
from engine.game import GROUPS
from protocol.facts import FACTS
from protocol.sentence import say
from tests.commanding import give

PAGE = Path(__file__).parents[2] / "daemon" / "web" / "page"
REFUSED = """async (body) => {
  const { post } = await import("./static/link.js");
  return post("table/main/start", body).then(() => "", ({ message }) => message);
}"""
FACES, LEGEND = ((PAGE / name).read_text(encoding="utf-8") for name in ("faces/faces.js", "lobby/legend.js"))
LANGUAGES = [file.stem.removeprefix("words_") for file in PAGE.glob("words/words_*.js")]
OTHERS = sorted({*LANGUAGES} - {"en"})
TEXTS = [str(file.relative_to(PAGE)).removesuffix("_en.js") for file in PAGE.rglob("*_en.js")]
"""What the page says, each in a file for every language."""

SHAPES = """async ([languages, texts]) => {
  const shape = (value) => typeof value === "function" ? `function of ${value.length}`
    : Array.isArray(value) ? `list of ${value.length}`
    : typeof value === "object" ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shape(each)]))
    : value.trim() ? typeof value : "nothing";
  const found = {};
  for (const language of languages) {
    found[language] = {};
    for (const text of texts) found[language][text] = shape({ ...await import(`./static/${text}_${language}.js`) });
  }
  return found;
}"""

MOMENTS = """async ([languages, facts]) => {
  const { makePhrases } = await import("./static/words/phrases.js");
  const found = [];
  for (const language of languages) {
    const { words } = await import(`./static/words/words_${language}.js`);
    const tell = (fact) => { try { return makePhrases(words, language).moment(fact); } catch { return ""; } };
    for (const fact of facts) if (!tell(fact)) found.push(`${language} ${fact.event_type}`);
  }
  return found;
}"""
NAMED_GROUPS = """async (language) => {
  const { words } = await import(`./static/words/words_${language}.js`);
  return Object.entries(words.lobby?.groups ?? {}).filter(([, title]) => title.trim()).map(([group]) => group);
}"""
UNITS = """async (numbers) => {
  const { words } = await import("./static/words/words.js");
  return numbers.map((n) => `${n} ${words.unit("points", n)}, ${words.darts(n)}`);
}"""
HEADS = """async (ids) => {
  const { words } = await import("./static/words/words.js");
  return ids.map(words.option);
}"""
HUNDREDS = """async ([language, numbers]) => {
  const { words } = await import(`./static/words/words_${language}.js`);
  return numbers.map((n) => words.hundreds(n).replaceAll("\\u00ad", ""));
}"""
FIGURES = """async (given) => {
  const { history } = await import("./static/words/words.js");
  return history.figures(given).map(([, text]) => `${text}`);
}"""
CARRIED = {"side": 0, "player": "Ann", "names": ["Ann"], "target": "20", "cell": "5", "award": "hat_trick", "lives": 2}

NO_ROOM = """() => [...document.querySelectorAll("footer button")].filter((button) => {
  const words = new Range();
  words.selectNodeContents(button);
  const [inner, outer] = [words, button].map((each) => each.getBoundingClientRect());
  return inner.left < outer.left || inner.right > outer.right || outer.left < 0 || outer.right > innerWidth;
}).map((button) => button.textContent)"""
"""The buttons below that are too narrow for their words, or not on the screen."""

FIELDS = """async (language) => {
  const { form } = await (await fetch("api/settings")).json();
  const [{ settings: en }, { settings: own }] = await Promise.all(
    ["en", language].map((code) => import(`./static/words/settings_${code}.js`)));
  const found = [];
  for (const [section, { $ref, items }] of Object.entries(form.$defs.Config.properties)) {
    const find = ($ref) => form.$defs[$ref.split("/").at(-1)].properties;
    const look = (path, { readOnly, description, $ref, items, anyOf = [], enum: choices = [] }) => {
      if (readOnly) return;
      if (items?.$ref) { // a list of tables: cards of their own
        for (const part of ["kinds", "one"]) if (!own[part][path] || !en[part][path]) found.push(`${part} ${path}`);
        for (const [inner, each] of Object.entries(find(items.$ref))) look(`${path}.${inner}`, each);
        return;
      }
      const values = [...choices, ...anyOf.flatMap((each) => each.enum ?? [])];
      for (const texts of en.values[path] || own.values[path] ? [en, own] : []) {
        for (const each of values) if (!texts.values[path]?.[each]) found.push(`value ${path} ${each}`);
      }
      const key = path.split(".").at(-1);
      if (!own.help[path] || !description) found.push(`help ${path}`);
      for (const { fields } of [en, own]) if (!fields[path] && !fields[key]) found.push(`label ${path}`);
      for (const part of [$ref, ...anyOf.map((each) => each.$ref)].filter(Boolean)) {
        for (const [inner, each] of Object.entries(find(part))) look(`${path}.${inner}`, each);
      }
    };
    for (const [key, each] of Object.entries(find($ref ?? items.$ref))) look(`${section}.${key}`, each);
  }
  return found;
}"""


def paths(shape: dict[str, Any] | str, path: str = "") -> dict[str, str]:
    """`words.menu.title`: what is there."""
    if isinstance(shape, str):
        return {path: shape}
    return {key: kind for name, each in shape.items() for key, kind in paths(each, f"{path}.{name}").items()}


async def test_every_language_has_every_word(page: Page, running: RunningDaemon) -> None:
    files = [f"{text}_{language}.js" for language in LANGUAGES for text in TEXTS]
    assert not [file for file in files if not (PAGE / file).exists()], "copy the German ones and translate them"
    await page.goto(running.page or "")
    shapes = await page.evaluate(SHAPES, [LANGUAGES, TEXTS])
    assert {"words", "settings", "players", "statistics"} <= {Path(text).name for text in TEXTS}
    named = re.findall(r"(\w+): \"", (PAGE / "words/words.js").read_text().split("LANGUAGES = ")[1].split(";")[0])
    assert sorted(named) == sorted(LANGUAGES)
    # What the daemon calls by an identifier has a word only where English would not do, and English
    # helps with the descriptions of the form itself.
    own = re.compile(r".*\.words\.names\.|.*\.settings\.(help|values|care\.checks)\b")
    english = {key: kind for key, kind in paths(shapes.pop("en")).items() if not own.match(key)}
    assert shapes
    for language, shape in shapes.items():
        there = {key: kind for key, kind in paths(shape).items() if not own.match(key)}
        assert not [f"{language}{key}" for key in english.keys() - there.keys()], "these words are missing"
        assert not [f"{language}{key}" for key in there.keys() - english.keys()], "these words are said nowhere"
        assert there == english, language
        assert not [key for key, kind in paths(shape).items() if kind == "nothing"]


async def test_every_language_has_words_for_each_fact_that_is_flashed(page: Page, address: str) -> None:
    flashed = [{"event_type": name, **CARRIED} for name, kind in FACTS.items() if kind.rank]
    assert len(flashed) > 9
    await page.goto(address)
    assert await page.evaluate(MOMENTS, [LANGUAGES, flashed]) == []


async def test_badges_are_called_in_english_as_in_a_terminal(page: Page, address: str) -> None:
    await page.goto(address)
    named = await page.evaluate("import('./static/words/badges_en.js').then(({ badges }) => badges.named)")
    assert named == {each.id: [each.name, each.about] for each in BADGES.values()}


async def test_lives_of_nobody_are_not_flashed(page: Page, address: str) -> None:
    """A game of a third party may leave out whose they are where its check does not come."""
    await page.goto(address)
    quiet = await page.evaluate(MOMENTS, [["en"], [{"event_type": "life_lost", "lives": 2}]])
    assert quiet == ["en life_lost"]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        (
            "en",
            "one hundred; one hundred and twelve; one hundred and forty; one hundred and sixty-seven",
        ),
        ("de", "hundert; hundertzwölf; hundertvierzig; hundertsiebenundsechzig"),
        ("nl", "honderd; honderdtwaalf; honderdveertig; honderdzevenenzestig"),
        ("fr", "cent; cent douze; cent quarante; cent soixante-sept"),
        ("es", "cien; ciento doce; ciento cuarenta; ciento sesenta y siete"),
    ],
)
async def test_a_visit_of_100_and_more_is_said_in_words(page: Page, address: str, language: str, said: str) -> None:
    await page.goto(address)
    assert await page.evaluate(HUNDREDS, [language, [100, 112, 140, 167]]) == said.split("; ")


async def test_french_counts_tens_by_twenties_from_60_on(page: Page, address: str) -> None:
    await page.goto(address)
    said = await page.evaluate(HUNDREDS, ["fr", [101, 121, 160, 161, 170, 171, 177, 180]])
    tens = "un; vingt et un; soixante; soixante et un; soixante-dix; soixante et onze; soixante-dix-sept; quatre-vingts"
    assert said == [f"cent {each}" for each in tens.split("; ")]


async def test_none_is_a_plural_in_english_and_none_in_french(page: Page, address: str) -> None:
    for language, said in (
        ("en", ["0 points, 0 darts", "1 point, 1 dart", "2 points, 2 darts"]),
        ("fr", ["0 point, 0 fléchette", "1 point, 1 fléchette", "2 points, 2 fléchettes"]),
    ):
        await page.goto(f"{address}?lang={language}")
        assert await page.evaluate(UNITS, [0, 1, 2]) == said


async def test_one_point_that_is_checked_out_is_no_plural_in_french(page: Page, address: str) -> None:
    await page.goto(address)
    said = "[1, 2].map((await import('./static/words/result_fr.js')).result.out)"
    assert await page.evaluate(f"async () => {said}") == ["1 fermé", "2 fermés"]


ONES = """async (language) => {
  const { statistics } = await import(`./static/words/statistics_${language}.js`);
  return [statistics.resultsLabel("8", "8", 1, "8", "D"), statistics.onlyBed("20", "1 N")];
}"""


@pytest.mark.parametrize(
    ("language", "result", "bed"),
    [
        ("en", "Results: 1. The first 8,", "All landed in 20: 1 N."),
        ("de", "Ergebnisse: 1. Das erste 8,", "Alles steckte in 20: 1 N."),
        ("nl", "Resultaten: 1. Het eerste 8,", "Alles zat in 20: 1 N."),
        ("fr", "Résultats : 1. Le premier 8,", "Tout était dans 20 : 1 N."),
        ("es", "Resultados: 1. El primero 8,", "Todo cayó en 20: 1 N."),
    ],
)
async def test_one_result_and_one_dart_are_no_plurals(
    page: Page, address: str, language: str, result: str, bed: str
) -> None:
    await page.goto(address)
    found = [each.replace("\u00a0", " ") for each in await page.evaluate(ONES, language)]
    assert found[0].startswith(result)
    assert found[1] == bed


async def test_english_alone_capitalizes_each_word_of_a_name(page: Page, address: str) -> None:
    for language, said in (
        ("en", ["Three of a Kind", "Two Pairs", "Other Name"]),
        ("es", ["Trío", "Dos pares", "Other Name"]),
        ("fr", ["Brelan", "Deux paires", "Other Name"]),
    ):
        await page.goto(f"{address}?lang={language}")
        assert await page.evaluate(HEADS, ["three_kind", "two_pairs", "other_name"]) == said


async def test_statistics_call_awards_as_a_pub_does(page: Page, address: str) -> None:
    await page.goto(f"{address}?lang=en")
    none: dict[str, int] = {}
    given = {
        "tons": none,
        "marks": none,
        "more": none,
        "bests": none,
        "targets": none,
        "awards": {"low_ton": 4, "high_out": 1},
    }
    assert "4 × 100 to 150 · 1 × high finish" in await page.evaluate(FIGURES, given)
    said = await page.evaluate(FIGURES, {**given, "average": -3.03, "ppd": -1.01, "first_nine": 45.5})
    assert not [text for text in said if text.startswith("-")], "where points are lost it is no average"
    assert "45.50" in said
    assert "1 dart" in await page.evaluate(FIGURES, {**given, "best_leg": 1})


async def test_every_language_names_each_group_of_games(page: Page, address: str) -> None:
    await page.goto(address)
    for language in LANGUAGES:
        named = await page.evaluate(NAMED_GROUPS, language)
        assert sorted(named) == sorted([*GROUPS, "routines", "others"]), language


@pytest.mark.parametrize(
    ("language", "title", "said"),
    [
        ("de", "Alle Einstellungen", "Tische brauchen verschiedene Namen,"),
        ("nl", "Alle instellingen", "Twee banen hebben verschillende namen nodig,"),
        ("fr", "Tous les réglages", "Deux tables doivent avoir des noms différents,"),
        ("es", "Todos los ajustes", "Dos mesas necesitan nombres distintos,"),
    ],
)
async def test_each_has_every_label_and_every_help_of_the_settings(
    page: Page, address: str, language: str, title: str, said: str
) -> None:
    """English helps with the descriptions of the form itself."""
    await page.goto(f"{address}settings?lang={language}#all")
    assert await page.evaluate(FIELDS, language) == []
    await expect(page.get_by_test_id("title")).to_have_text(title)
    await expect(page.locator("#form")).to_contain_text(said)


async def test_what_to_do_is_said_in_the_language_of_the_reader(page: Page, running: RunningDaemon) -> None:
    await page.goto(f"{running.page}?lang=de")
    await expect(page.get_by_test_id("task")).to_have_text("Von 301 mit Doppel auf 0")
    await give(running.tables["main"], {"throw": "T20"}, "page")
    await page.goto(f"{running.page}?lang=en")
    await expect(page.get_by_test_id("task")).to_have_text("Get 241 to 0 on a double")


@pytest.mark.long
async def test_german_is_german_throughout(page: Page, running: RunningDaemon) -> None:
    await page.goto(f"{running.page}?lang=de")
    await expect(page.get_by_test_id("phase")).to_have_text("Noch 3 Darts")
    await expect(page.get_by_test_id("undo")).to_have_text("Rückgängig")
    await expect(page.get_by_role("region", name="Am Oche")).to_be_visible()
    await give(running.tables["main"], {"throw": "T20"}, "page")
    await expect(page.get_by_test_id("live")).to_contain_text("Ann: Triple 20, 60. Stand 241.")
    await expect(page.get_by_test_id("dart-0")).to_have_accessible_name(re.compile("Dart 1, Triple 20. Korrigieren"))


async def test_a_label_has_the_colon_of_its_language(page: Page, running: RunningDaemon) -> None:
    await give(running.tables["main"], {"start": {"game": "x01", "players": ["Ann", "Bo", "Cy", "Di"]}}, "page")
    for dart in ("S20", "S20", "S20"):
        await give(running.tables["main"], {"throw": dart}, "page")
    for language, said in (("en", "Next: Bo"), ("fr", "Suivant\u00a0: Bo")):
        await page.goto(f"{running.page}?lang={language}")
        await expect(page.get_by_test_id("phase")).to_have_text(re.compile("Bo$"))
        assert (await page.get_by_test_id("phase").text_content() or "").endswith(said)


async def test_the_buttons_have_room_for_their_words(page: Page, running: RunningDaemon) -> None:
    words = {
        "de": ["Rückgängig", "Wiederholen", "Fehlwurf", "Nächster"],
        "en": ["Undo", "Redo", "Miss", "Next"],
        "nl": ["Ongedaan maken", "Opnieuw", "Mis", "Volgende"],
        "fr": ["Annuler", "Rétablir", "Manqué", "Suivant"],
        "es": ["Deshacer", "Rehacer", "Fuera", "Siguiente"],
    }
    sizes = (((800, 480), "wall"), ((600, 1024), "wall"), ((320, 640), "remote"), ((740, 360), "remote"))
    for (size, view), language in itertools.product(sizes, words):
        await page.set_viewport_size({"width": size[0], "height": size[1]})
        await page.goto(f"{running.page}?lang={language}&view={view}")
        await expect(page.locator("footer button")).to_have_text(words[language])
        assert await page.evaluate(NO_ROOM) == [], f"{view} of {size}, {language}"


async def test_games_are_called_what_they_are_called_in_german(page: Page, running: RunningDaemon) -> None:
    start = {"game": "darts_at", "players": ["Ann"], "options": {"target": "19"}}
    await give(running.tables["main"], {"start": start}, "page")
    await page.goto(f"{running.page}?lang=de")
    await expect(page.get_by_test_id("title")).to_have_text("99 Darts auf die 19")
    await page.locator("#other").evaluate("button => button.click()")
    await page.get_by_label("Suchen").fill("round the clock")  # its English name finds it, too
    titles = page.get_by_test_id("lobby").locator(".offer b")
    await expect(titles.first).to_have_text("Rund um die Uhr")
    await expect(page.locator("[lang=en]").filter(has=page.get_by_text("Rund um die Uhr", exact=True))).to_have_count(0)
    await expect(titles.first).not_to_have_attribute("lang", "en")
    await page.get_by_label("Suchen").fill("shanghai")  # that is English, and is to be spoken so
    await expect(titles.first).to_have_attribute("lang", "en")


@pytest.mark.long
async def test_the_device_chooses_the_language_unless_it_was_told(page: Page, running: RunningDaemon) -> None:
    context = await page.context.browser.new_context(locale="de-AT")  # type: ignore[union-attr]
    german = await context.new_page()
    await german.goto(running.page or "")
    await expect(german.get_by_test_id("next")).to_have_text("Nächster")
    await german.goto(f"{running.page}?lang=en")
    await expect(german.get_by_test_id("next")).to_have_text("Next")


async def test_options_and_rules_are_in_the_language_of_the_reader(page: Page, running: RunningDaemon) -> None:
    await page.goto(f"{running.page}?lang=de")
    await expect(page.locator("#board .area").first).to_be_visible()  # before that a button does nothing yet
    await page.locator("#other").evaluate("button => button.click()")
    lobby = page.get_by_test_id("lobby")
    await expect(lobby.get_by_text("501, Straight In").first).to_be_attached()
    await lobby.get_by_text("Mehr Optionen").click()
    await expect(lobby.get_by_label("Bei Gleichstand").locator("option:checked")).to_have_text("Geteilter Sieg")
    await expect(lobby.get_by_placeholder("Ohne Grenze")).to_be_visible()
    await lobby.get_by_role("button", name="Schließen").click()
    await page.get_by_test_id("rules").click()
    rules = page.get_by_test_id("rules-dialog")
    lines = rules.get_by_test_id("rules-wins").locator("p[lang=de]")
    wins = "Wer zuerst auf genau null kommt, gewinnt das Leg."
    await expect(lines).to_have_text(["301, Straight In, Double Out.", wins])
    await expect(rules.get_by_text("Startwert: 301")).to_be_hidden()
    await rules.get_by_test_id("rules-all").locator("summary").click()
    await expect(rules.get_by_text("Startwert: 301")).to_be_visible()
    await expect(rules.locator("p[lang=en]")).to_have_count(0)
    await expect(rules.get_by_test_id("legend")).to_have_text("–zählt nichts")
    await rules.get_by_test_id("rules-close").click()
    await give(running.tables["main"], {"start": {"game": "cricket", "players": ["Ann", "Bo"]}}, "page")
    await expect(page.locator("[data-shape=table]")).to_be_attached()  # the face that its symbols stand on
    await page.get_by_test_id("rules").click()
    await expect(rules.get_by_test_id("legend")).to_contain_text("drei Treffer: geschlossen")


def test_each_face_with_symbols_has_a_legend() -> None:
    shared, own = (re.search(rf"{name} = new Map.+?{{(.+?)}}\)\);", FACES, re.DOTALL) for name in ("SHARED", "OWN"))
    assert shared is not None
    assert own is not None
    faces = {*re.findall(r"\w+", shared[1]), *re.findall(r"^  (\w+): \(\)", own[1], re.MULTILINE)}
    assert len(faces) > 10
    assert faces - {"plain", "x01"} == {*re.findall(r"^  (\w+): \(", LEGEND, re.MULTILINE)}


async def test_a_refusal_is_said_in_the_language_of_the_reader(page: Page, running: RunningDaemon) -> None:
    await page.goto(f"{running.page}?lang=de")
    await expect(page.get_by_test_id("task")).to_contain_text("Von 301")
    await page.keyboard.press("u")
    await expect(page.get_by_test_id("toast")).to_have_text("Es gibt nichts zurückzunehmen")
    alone = await page.evaluate(REFUSED, {"game": "knockout", "players": ["Ann"]})
    assert alone == "Dieses Spiel ist für 2 bis 16 Seiten, nicht für 1"
    unseen = await page.evaluate(REFUSED, {"game": "x01", "players": ["Ann", " "]})
    assert unseen == "Spieler 2 braucht einen Namen mit mindestens einem sichtbaren Zeichen"
    stray = say("refused.stray", "{bed} did not count: {why}", bed="MISS", why=say("refused.thrown", "it is thrown"))
    running.tables["main"].notify(stray)
    await expect(page.get_by_test_id("toast")).to_have_text(
        "Daneben hat nicht gezählt: Alle Darts dieser Aufnahme sind geworfen: zieh sie, dann Nächster"
    )
