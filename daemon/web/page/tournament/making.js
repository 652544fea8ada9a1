/* The list of tournaments, and making one: from the lobby with known names to the first match called in a few taps beside the
   names. What is seldom changed is folded away, with values that fit an evening. */

import { makeAvatar } from "../avatar.js";
import { $, make, setText } from "../dom.js";
import { enter } from "../enter.js";
import { OptionForm, makeLabelled } from "../form.js";
import { makeGlyph } from "../glyphs.js";
import { ask, fetchAnswer, post, read, tablePath } from "../link.js";
import { makeButton, makeChoice, makeStepper } from "./fields.js";
import { fold } from "./known_people.js";
import { makeMore } from "./more_options.js";
import { Source } from "./source.js";
import { put } from "../store.js";
import { texts } from "./texts.js";
import { language, words } from "../words/words.js";

const MOST_LEGS = 21;
const CHIPS = 40;
const MOST_NAME = 40;

/** Shows both; the second for those who may set up. @param {HTMLElement} root */
export async function show(root) {
  /** @type {[{ tournaments: Oche.TournamentSummary[] } | null, Oche.TableInfo[] | null]} */
  const [found, tables] = await Promise.all([read("tournaments"), read("tables")]);
  root.replaceChildren(...listTournaments(found?.tournaments ?? []));
  const isSetup = tables?.some(({ role }) => role === "setup");
  if (isSetup && tables) {
    /** @type {[Oche.GameSummary[], Oche.KnownPlayer[]]} */
    const [games, known] = await Promise.all([ask(`${tablePath(tables[0].table)}/games?lang=${language}`), ask("players").catch(() => [])]);
    root.append(new Making(tables, games, known).element, makeRestore());
  } else root.append(make("p", { className: "aside", test: "no-setup" }, texts.needsSetup), makeButton(texts.enterSetup, enterSetup, "enter-setup"));
  const played = (tables ?? []).filter(({ role }) => role !== "look");
  if (played.length) root.append(makeAssigned(played));
}

/** Takes a match of NewTon's organiser. @param {Oche.TableInfo[]} tables */
function makeAssigned(tables) {
  const details = make("details", { test: "newton" }, make("summary", {}, texts.newton.play));
  details.ontoggle = async () => {
    details.ontoggle = null;
    const { makeAssignment } = await import("./newton.js");
    details.append(...makeAssignment(tables));
  };
  return details;
}

/** Asks for the token of the setup, which one may leave. */
function enterSetup() {
  put({ role: "look" });
  return enter();
}

/** Lists what is on and the latest that is over; those before it are folded away, for they become many.
    @param {Oche.TournamentSummary[]} tournaments */
function listTournaments(tournaments) {
  if (!tournaments.length) return [];
  const latest = tournaments.find(({ phase }) => phase === "over");
  const old = tournaments.filter((each) => each.phase === "over" && each !== latest);
  return [make("h2", {}, texts.list), makeList(tournaments.filter((each) => !old.includes(each)), "tournament"),
    ...(old.length ? [make("details", { test: "old-tournaments" }, make("summary", {}, `${texts.phases.over} (${old.length})`), makeList(old, "old"))] : [])];
}

/** @param {Oche.TournamentSummary[]} tournaments @param {string} test */
const makeList = (tournaments, test) => make("ul", { className: "tournaments" }, ...tournaments.map((each, place) =>
  make("li", {}, make("a", { href: `#/${each.id}`, test: `${test}-${place}` }, make("b", {}, each.name), make("span", {},
    each.winner ? texts.wonBy(each.winner) : [texts.phases[each.phase], each.matches ? texts.played(each.played, each.matches) : ""].filter(Boolean).join(" · "))))));

/** Takes a tournament from its file. */
function makeRestore() {
  const said = make("p", { role: "alert", test: "restore-said" });
  const file = make("input", { type: "file", accept: ".jsonl,.json", test: "restore", ariaLabel: texts.restore });
  file.onchange = async () => {
    if (!file.files?.[0]) return;
    try {
      const { id } = await fetchAnswer("tournament/restore", { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file.files[0] });
      location.hash = `#/${id}`;
    } catch (problem) {
      setText(said, /** @type {Error} */ (problem).message);
    }
    file.value = "";
  };
  return make("details", { className: "restore" }, make("summary", {}, texts.restore), file, said);
}

class Making {
  /** @param {Oche.TableInfo[]} tables @param {Oche.GameSummary[]} games @param {Oche.KnownPlayer[]} known */
  constructor(tables, games, known) {
    this.tables = tables;
    this.games = games.filter(({ sides, is_routine: isRoutine }) => !isRoutine && sides[0] <= 2 && sides[1] >= 2)
      .sort((one, other) => (one.tile ?? 99) - (other.tile ?? 99));
    /** Who is here, in the order in which they were tapped. @type {string[]} */
    this.people = [];
    /** Teams with a name, of which each plays several matches against another. @type {{ name: string, people: string[] }[]} */
    this.teams = [];
    this.known = new Map(known.map((each) => [fold(each.name), each]));
    this.said = make("p", { role: "alert", test: "making-said" });
    this.proposed = ""; // as it is called until a name is typed
    this.name = make("input", { maxLength: MOST_NAME, required: true, test: "name" });
    this.kind = makeChoice(texts.kind, texts.kinds, "knock_out", "kind", () => this.follow());
    this.game = make("select", { test: "game", onchange: () => this.choose() }, ...this.games.map((each) =>
      new Option([words.title(each.title), each.variant].filter(Boolean).join(" "), each.name)));
    this.legs = makeStepper(words.lobby.legs, 2, [1, MOST_LEGS], "legs-to-win");
    this.side = makeChoice(texts.sides, texts.sideKinds, "singles", "side", () => this.list());
    this.form = make("div", { className: "game-options" });
    this.more = makeMore();
    this.pairs = make("p", { className: "aside" });
    this.entered = make("ol", { className: "entered", test: "entered" });
    this.field = make("input", {
      maxLength: MOST_NAME * 8, placeholder: words.lobby.name, ariaLabel: words.lobby.name, autocomplete: "off", enterKeyHint: "done", test: "player",
      onkeydown: (event) => { if (event.key === "Enter") { event.preventDefault(); this.addTyped(); } },
    });
    const buttons = known.slice(0, CHIPS).map((player) => this.makeChip(player));
    this.chips = { buttons, element: make("div", { className: "chips", role: "group", ariaLabel: words.lobby.recent }, ...buttons) };
    this.draw = makeButton(texts.draw, () => this.make(true), "draw", "go");
    this.open = makeButton(texts.openSignUp, () => this.make(false), "open-sign-up");
    /** The options of the chosen game, once they are there. @type {OptionForm | null} */
    this.gameOptions = null;
    /** @type {Oche.GameSheet | null} */
    this.sheet = null;
    /** What a preset such as 501 says of its game. @type {Record<string, any>} */
    this.preset = {};
    this.element = this.build();
    this.nameIt();
    this.follow();
    this.list();
    this.choose();
  }

  build() {
    return make("form", { onsubmit: (event) => event.preventDefault() },
      make("h2", {}, texts.make), this.kind.element,
      make("div", { className: "two" }, makeLabelled(words.lobby.game, this.game), this.legs.element),
      this.side.element,
      make("section", { ariaLabel: words.lobby.who }, make("h3", {}, words.lobby.who),
        this.chips.element,
        make("div", { className: "typed" }, this.field, makeButton(words.lobby.add, () => this.addTyped(), "add")),
        this.pairs, this.entered),
      make("details", { test: "more" }, make("summary", {}, words.lobby.more), makeLabelled(texts.name, this.name),
        this.more.element,
        make("details", {}, make("summary", {}, words.lobby.options), this.form)),
      make("div", { className: "bar" }, this.said, this.open, this.draw));
  }

  /** @param {Oche.KnownPlayer} player */
  makeChip(player) {
    const chip = makeButton(player.name, () => this.toggle(player.name), `known-${player.name}`);
    chip.prepend(makeGlyph("plus"), makeGlyph("tick"), ...(player.picture ? [makeAvatar(player)] : []));
    return chip;
  }

  /** Names the tournament after its kind and the day, until a name is typed. */
  nameIt() {
    const day = new Intl.DateTimeFormat(language, { day: "numeric", month: "long" }).format(new Date());
    if (!this.name.value || this.name.value === this.proposed) this.name.value = this.proposed = `${texts.kinds[this.kind.read()]}, ${day}`.slice(0, MOST_NAME);
  }

  /** Offers what belongs to the kind. */
  follow() {
    this.nameIt();
    this.more.follow(this.kind.read());
  }

  /** Reads the options of the chosen game. */
  async choose() {
    this.gameOptions = this.sheet = null;
    const name = this.game.value;
    try {
      /** @type {Oche.GameSheet} */
      const sheet = await ask(`games/${encodeURIComponent(name)}?lang=${language}`);
      const chosen = this.games.find((each) => each.name === name);
      /** @type {Oche.GameSheet | null} */
      const usual = chosen && chosen.game !== name ? await ask(`games/${encodeURIComponent(chosen.game)}?lang=${language}`) : null;
      if (this.game.value !== name) return;
      this.sheet = sheet;
      this.preset = usual ? Object.fromEntries(Object.entries(sheet.chosen).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(usual.chosen[key]))) : {};
      this.gameOptions = new OptionForm(this.form, sheet, {}, { by_side: [], by_player: [] });
      this.tell("");
    } catch (problem) {
      this.tell(/** @type {Error} */ (problem).message);
    }
  }

  /** @param {string} sentence */
  tell(sentence) {
    setText(this.said, sentence);
  }

  /** @param {string} name */
  toggle(name) {
    const place = this.people.findIndex((each) => fold(each) === fold(name));
    if (place < 0) this.people.push(name);
    else this.people.splice(place, 1);
    this.list();
  }

  addTyped() {
    if (this.side.read() === "teams") {
      const [name, ...people] = this.field.value.split(/[:,]/).map((each) => each.trim()).filter(Boolean);
      if (!people.length) return this.tell(texts.teamHow);
      this.teams.push({ name, people });
      this.field.value = "";
      this.field.focus();
      this.tell("");
      return this.list();
    }
    for (const name of this.field.value.split(",").map((each) => each.trim()).filter(Boolean)) {
      if (!this.people.some((each) => fold(each) === fold(name))) this.people.push(this.known.get(fold(name))?.name ?? name);
    }
    this.field.value = "";
    this.field.focus();
    return this.list();
  }

  /** How many people enter together, of those who are no team with a name. */
  get together() {
    return this.side.read() === "fixed" ? this.more.readSize() : 1;
  }

  /** Returns the people side by side, as they enter, or the teams. @returns {{ name?: string, people: string[] }[]} */
  readSides() {
    if (this.side.read() === "teams") return this.teams;
    const size = this.together;
    return Array.from({ length: Math.ceil(this.people.length / size) }, (_, at) => ({ people: this.people.slice(at * size, (at + 1) * size) }));
  }

  list() {
    const kind = this.side.read(), size = this.together, isTeams = kind === "teams";
    this.more.setSides(kind);
    this.chips.element.hidden = isTeams;
    this.field.placeholder = isTeams ? texts.teamExample : words.lobby.name;
    setText(this.pairs, isTeams ? texts.teamHow : size > 1 ? texts.inTurn(size) : "");
    this.entered.replaceChildren(...this.readSides().map(({ name, people }, at) => make("li", { className: people.length < size ? "lacking" : "" },
      ...(name ? [this.makeEntered(`${name}: ${people.join(", ")}`, name, () => { this.teams.splice(at, 1); this.list(); })]
        : people.map((each) => this.makeEntered(each, each, () => this.toggle(each)))))));
    for (const chip of this.chips.buttons) chip.ariaPressed = String(this.people.some((each) => fold(each) === fold(chip.textContent)));
    const count = this.readSides().length;
    setText(this.draw, count ? texts.drawOf(count) : texts.draw);
  }

  /** @param {string} said @param {string} name @param {() => void} remove */
  makeEntered(said, name, remove) {
    const off = makeButton(said, remove, `entered-${name}`);
    off.append(makeGlyph("cross"));
    off.ariaLabel = words.lobby.remove(said);
    return off;
  }

  /** Returns the tournament as it was put together. @returns {Record<string, any>} */
  describe() {
    const chosen = this.games.find(({ name }) => name === this.game.value);
    const side = this.side.read();
    const format = { legs: this.legs.read(), ...this.more.readSets() };
    return {
      name: this.name.value.trim(), kind: this.kind.read(), game: chosen?.game ?? this.game.value,
      options: { ...this.preset, ...this.gameOptions?.read() },
      format,
      ...(side === "fixed" || side === "drawn" ? { side: this.more.readSize() } : {}), ...(side === "drawn" && { drawn: true }),
      ...(side === "teams" && { slots: this.more.readSlots() }), ...this.more.read(this.kind.read(), format),
    };
  }

  /** Makes it with those who are here; then leads to its draw, or to where others sign up. @param {boolean} isComplete */
  async make(isComplete) {
    if (this.field.value.trim()) this.addTyped();
    const sides = this.readSides();
    const size = this.together;
    if (isComplete && sides.length < 2) return this.tell(texts.tooFew);
    if (sides.some(({ people }) => people.length < size)) return this.tell(texts.lacksPartner(size));
    if (!this.sheet) return this.tell(words.unreachable);
    for (const button of [this.draw, this.open]) button.disabled = true;
    this.tell(texts.makes);
    try {
      /** @type {{ id: string }} */
      const { id } = await post("tournament", this.describe());
      await enterAll(id, sides, this.tables);
      location.hash = `#/${id}/${isComplete ? "draw" : "organise"}`;
    } catch (problem) {
      this.tell(/** @type {Error} */ (problem).message);
    }
    for (const button of [this.draw, this.open]) button.disabled = false;
    return undefined;
  }
}

/** Gives the tournament its tables and sides. What is refused is said, and the others enter.
    @param {string} id @param {{ name?: string, people: string[] }[]} sides @param {Oche.TableInfo[]} tables */
async function enterAll(id, sides, tables) {
  const source = new Source(id);
  await source.read();
  await source.do({ do: "set_tables", tables: tables.map(({ table }) => ({ name: table })) });
  /** @type {string[]} */
  const refused = [];
  for (const side of sides) {
    await source.do({ do: "enter", ...side }).catch(({ message }) => refused.push(message));
  }
  source.leave(true);
  if (refused.length) {
    setText($("toast"), refused.join(" "));
    $("toast").hidden = false;
  }
}
