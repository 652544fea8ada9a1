/* Who plays: people and bots in the order of throwing, alone or in teams: a column each, and a tap changes sides. */

import { chooseColours, makeAvatar } from "../avatar.js";
import { make, rebuild, setSideColour, setStyle, setText } from "../dom.js";
import { makeLabelled } from "../form.js";
import { makeGlyph } from "../glyphs.js";
import { words } from "../words/words.js";

const CHIPS = 24; // people to tap
const maxLength = 40; // of names
const MOST_TEAMS = 16;
const UNNAMED = "Home,Guest"; // as a table calls players whom nobody has named

const text = words.lobby;

/** Returns the name without what tells two spellings of it apart, as the daemon does. @param {string} name */
const fold = (name) => name.normalize("NFC").toUpperCase().toLowerCase().split(/\s+/).filter(Boolean).join(" ");
const isBot = (/** @type {string} */ name) => name.startsWith("bot:");

/** A team; without a name of its own it is called after its players. @typedef {{ name: string, mark: number }} Team */
/** A player in the list, known again by the mark wherever the row is put.
    @typedef {{ mark: number, element: HTMLElement, player: Oche.KnownPlayer | undefined, team: Team, swap: HTMLButtonElement, ghost: Oche.Ghost | null, read: () => string }} Row */

/** @param {Node | string} label @param {() => void} onclick @param {string | null} ariaLabel */
const makeButton = (label, onclick, ariaLabel = null) => make("button", { type: "button", onclick, ariaLabel }, label);
const makeLine = (/** @type {Node[]} */ ...content) => make("div", { className: "row" }, ...content);

export class People {
  /** Puts the list into `place`, with the players of the plan; `tell` says a sentence, `changed` is called at each change.
      @param {HTMLElement} place @param {Oche.Plan} plan @param {Oche.KnownPlayer[]} recent
      @param {(sentence: string) => void} tell @param {(marks: Oche.Marks) => void} changed */
  constructor(place, { ghosts, places, players, team_names: names, teams }, recent, tell, changed) {
    this.tell = tell;
    this.known = new Map(recent.flatMap((player) => [player.name, ...(player.names ?? [])].map((name) => [fold(name), player])));
    this.changed = changed;
    this.added = 0;
    /** @type {Map<Element, Row>} */
    this.byElement = new Map();
    this.list = make("ol");
    /** In the order of their columns. @type {Team[]} */
    this.teams = [{ name: "", mark: 0 }, { name: "", mark: 1 }];
    this.heads = make("div", { className: "heads" });
    /** Who plays where nobody is named: on the very first visit. @type {string[] | null} */
    this.unnamed = !recent.length && `${players}` === UNNAMED ? players : null;
    this.teamed = make("input", {
      type: "checkbox", checked: Boolean(teams && teams.length < players.length) || Boolean(names?.some(Boolean)),
      onchange: () => this.number(),
    });
    this.field = make("input", {
      maxLength, ariaLabel: text.name, placeholder: text.name, autocomplete: "off", enterKeyHint: "done",
      onkeydown: ({ key }) => { if (key === "Enter") this.addTyped(); },
    });
    this.chips = make("div", { className: "row chips", role: "group", ariaLabel: text.recent },
      ...recent.slice(0, CHIPS).map((player) => {
        const { name, nickname } = player;
        const chip = makeButton(name, () => this.welcome(name));
        if (nickname) chip.title = nickname;
        chip.prepend(makeGlyph("plus"), makeGlyph("tick"), ...(player.picture ? [makeAvatar(player)] : []));
        return chip;
      }));
    const alone = makeButton(text.bot, () => this.welcome("bot:60"));
    alone.className = "alone"; // a team has one of its own
    this.farTable = make("input", {
      maxLength, pattern: "[a-z0-9-]*", placeholder: text.farTable, ariaLabel: text.farTable, autocomplete: "off", value: places?.find(Boolean) ?? "",
    });
    this.farTables = make("div", { className: "row chips", role: "group", ariaLabel: text.farTable, test: "far-tables" });
    this.far = make("select", { ariaLabel: text.far, onchange: () => this.showFar() });
    place.append(this.heads, this.list, makeLine(this.field, makeButton(text.add, () => this.addTyped())), this.chips,
      makeLine(makeButton(text.clear, () => this.clear()), alone,
        makeButton(text.shuffle, () => this.shuffle())),
      makeLabelled(text.teams, this.teamed, "teams"), makeLine(makeLabelled(text.far, this.far), this.farTable), this.farTables);
    const hasOwn = (/** @type {number} */ team) => /\D/.test(names?.[team] ?? "") && names?.indexOf(names[team]) === team;
    if (this.teamed.checked && teams) this.teams = teams.map((_, team) => ({ name: hasOwn(team) && names ? names[team] : "", mark: team }));
    if (!this.unnamed) {
      (teams ?? players.map((_, seat) => [seat])).forEach((seats, team) => seats.forEach((seat) =>
        this.add(players[seat], this.teamed.checked ? this.teams[team] : undefined, ghosts?.[seat])));
    }
    this.number();
    const far = places?.findIndex(Boolean) ?? -1;
    this.far.value = String(far < 0 ? "" : this.rows()[this.sides()[far].seats[0]]?.mark ?? "");
    this.showFar();
  }

  /** Offers the sides of which one may throw at another table; the one that was chosen stays so. */
  offerFar() {
    const rows = this.rows(), { value } = this.far;
    const offered = this.sides().map(({ name, seats }) => new Option(name || seats.map((seat) => rows[seat].swap.textContent).join(" & "), String(rows[seats[0]].mark)));
    this.far.replaceChildren(new Option(text.allHere, ""), ...offered);
    this.far.value = offered.some((each) => each.value === value) ? value : "";
    this.showFar();
  }

  showFar() {
    const isFar = Boolean(this.far.value);
    this.farTable.hidden = this.farTables.hidden = !isFar;
    this.farTable.required = isFar;
    if (isFar) import("./far_tables.js").then(({ offerTables }) => offerTables(this.farTables, this.farTable));
  }

  /** Returns the table of each side, null for this one; none where all play here. */
  readPlaces() {
    const rows = this.rows(), table = this.farTable.value.trim();
    const places = this.sides().map(({ seats }) => (String(rows[seats[0]].mark) === this.far.value && table ? table : null));
    return places.some(Boolean) ? { places } : {};
  }

  /** Returns the rows in their order. */
  rows() {
    return [...this.list.children].flatMap((element) => this.byElement.get(element) ?? []);
  }

  /** What is the same for all names of one player. @param {string} name */
  key(name) {
    return fold(this.known.get(fold(name))?.name ?? name);
  }

  /** Returns the name by which this player is in the list, if any. @param {string} name */
  find(name) {
    return this.rows().map((row) => row.read()).find((other) => !isBot(other) && this.key(other) === this.key(name));
  }

  /** Returns why the list cannot play: one player is in it twice; "" if none is. */
  explain() {
    const people = this.rows().map((row) => row.read()).filter((name) => !isBot(name));
    const again = people.find((name, place) => people.findIndex((other) => this.key(other) === this.key(name)) < place);
    return again === undefined ? "" : text.twice(this.find(again) ?? again, again);
  }

  /** Adds a player, or a bot such as `bot:60`, `bot:Ann` or `bot:60:2.5:Marvin`, which may throw the darts of a recorded leg.
      @param {string} name @param {Team} team @param {Oche.Ghost | null} ghost */
  add(name, team = this.findSmallest(), ghost = null) {
    const [bot, level, tempo, called] = /^bot:([^:]+)(?::([\d.]*))?(?::(.*))?$/.exec(name) ?? [];
    const seen = bot ? "Bot" : name;
    const player = this.known.get(fold(name));
    let model = bot && /\D/.test(level) ? level : ""; // whom the bot throws like
    const skill = make("input", {
      type: "number", min: "20", max: "110", required: true, value: model ? "60" : level ?? "", hidden: Boolean(model), disabled: Boolean(model), ariaLabel: text.level,
    });
    const seconds = make("input", {
      type: "number", min: "0.1", max: "60", step: "any", value: tempo ?? "", placeholder: text.seconds, ariaLabel: text.tempo,
    });
    const own = ghost ? `${ghost.player} (${words.darts(ghost.visits.flat().length)})` : "";
    const title = make("input", { className: "bot", maxLength, value: called ?? own, placeholder: text.name, ariaLabel: text.botName });
    const swap = makeButton(seen, () => this.changeSides(element));
    swap.className = "swap";
    const up = makeButton(makeGlyph("arrow_up"), () => this.moveUp(element, up), text.up(seen));
    const off = makeButton(makeGlyph("cross"), () => this.remove(element), text.remove(seen));
    const element = make("li", {}, make("span", { className: "badge" }), ...(player ? [makeAvatar(player)] : []), make("b", {}, swap), ...(bot ? [title, ...(ghost ? [] : [skill]), seconds] : []),
      up, off);
    const read = () => (bot ? `bot:${[model || skill.value, seconds.value, title.value.trim()].join(":").replace(/:+$/, "")}` : name);
    this.byElement.set(element, { mark: this.added++, element, player, team, swap, ghost, read });
    this.list.append(element);
    if (bot && !ghost) import("./models.js").then(({ offerModels }) => offerModels(skill, model, (chosen) => { model = chosen; }));
  }

  /** Has a player throw earlier. The first of a team takes the whole team along; who is first of all becomes the last.
      @param {Element} element @param {HTMLElement} focused */
  moveUp(element, focused) {
    const team = this.byElement.get(element)?.team;
    const earlier = this.rows().filter((row) => !this.teamed.checked || row.team === team).map((row) => row.element);
    const before = earlier[earlier.findIndex((each) => each === element) - 1];
    const column = this.teamed.checked && team ? this.teams.indexOf(team) : 0;
    if (before) before.before(element);
    else if (column) this.teams.splice(column - 1, 2, this.teams[column], this.teams[column - 1]);
    else this.list.append(element);
    this.number();
    focused.focus();
  }

  /** Returns the first team of the fewest. */
  findSmallest() {
    const count = (/** @type {Team} */ team) => this.rows().filter((row) => row.team === team).length;
    return this.teams.reduce((least, team) => (count(team) < count(least) ? team : least));
  }

  /** Puts a player into the next team. @param {Element} element */
  changeSides(element) {
    const row = this.byElement.get(element);
    if (!row || !this.teamed.checked) return;
    row.team = this.teams[(this.teams.indexOf(row.team) + 1) % this.teams.length];
    this.number();
  }

  /** Adds a bot to a team. @param {Team} team */
  addBot(team) {
    this.add("bot:60", team);
    this.number();
  }

  addTeam() {
    this.teams.push({ name: "", mark: this.teams.length });
    this.number();
  }

  /** @param {Element} element */
  remove(element) {
    const neighbour = element.nextElementSibling ?? element.previousElementSibling;
    const off = neighbour?.lastElementChild;
    (off instanceof HTMLElement ? off : this.field).focus();
    element.remove();
    this.number();
  }

  /** Adds a player unless one of that name is there, which is said. Returns whether there was none. @param {string} name */
  welcome(name) {
    const other = isBot(name) ? undefined : this.find(name);
    this.tell(other === undefined ? "" : text.twice(other, name));
    if (name && other === undefined) this.add(name);
    this.number();
    return other === undefined;
  }

  /** Takes all out, so that others can be typed. */
  clear() {
    this.list.replaceChildren();
    this.number();
    this.field.focus();
  }

  /** Adds the players whose names stand in the field, with commas between them; false when one cannot be. */
  take() {
    const isTaken = this.field.value.split(",").every((name) => this.welcome(name.trim()));
    if (isTaken) this.field.value = "";
    else this.field.focus();
    const why = isTaken ? this.explain() : "";
    if (why) this.tell(why);
    return isTaken && !why;
  }

  addTyped() {
    this.take();
    this.field.focus();
  }

  /** Draws lots for the order; the teams stay as large as they are. */
  shuffle() {
    const teams = this.rows().map(({ team }) => team);
    /** @type {[number, Row][]} */
    const lots = this.rows().map((row) => [Math.random(), row]);
    lots.sort(([one], [other]) => one - other).forEach(([, row], place) => {
      row.team = teams[place];
      this.list.append(row.element);
    });
    this.number();
  }

  /** Returns the places of the list by team, in the order of the columns, or by themselves. */
  sides() {
    const rows = this.rows();
    if (!this.teamed.checked) return rows.map((_, seat) => ({ name: "", seats: [seat] }));
    return this.teams.map((team) => ({ name: team.name.trim(), seats: [...rows.keys()].filter((seat) => rows[seat].team === team) }))
      .filter(({ seats }) => seats.length);
  }

  /** Above each column the name of its team, and a button that adds a bot to it. */
  renderHeads() {
    rebuild(this.heads, this.teams.map(({ mark }) => mark), () => [...this.teams.map((team, at) => make("div", {},
      make("input", {
        maxLength, value: team.name, placeholder: text.side(at + 1), ariaLabel: text.sideName(at + 1),
        oninput: ({ target }) => { team.name = /** @type {HTMLInputElement} */ (target).value; this.number(); },
      }), makeButton(text.shortBot, () => this.addBot(team), text.sideBot(at + 1)))),
    ...(this.teams.length < MOST_TEAMS ? [makeButton(text.addSide, () => this.addTeam())] : [])]);
    setStyle(this.list, "--columns", this.teams.length);
    setStyle(this.heads, "--columns", this.teams.length);
  }

  /** Numbers the sides anew, and tells of the change. */
  number() {
    const rows = this.rows();
    const sides = this.sides().map(({ seats }) => seats);
    this.renderHeads();
    for (const { element, swap, team } of rows) {
      swap.disabled = !this.teamed.checked;
      swap.ariaLabel = swap.disabled ? null : text.swap(swap.textContent);
      setStyle(element, "--column", this.teams.indexOf(team) + 1);
    }
    sides.forEach((seats, side) => seats.forEach((seat) => {
      const { element } = rows[seat];
      if (element.firstElementChild) setText(element.firstElementChild, side + 1);
      setSideColour(element, side);
    }));
    this.offerFar();
    const known = rows.filter(({ player }) => player);
    chooseColours(known.map(({ player }) => player)).forEach((colour, place) => {
      const avatar = known[place].element.querySelector(".avatar");
      if (avatar) setSideColour(avatar, colour);
    });
    for (const chip of this.chips.children) chip.ariaPressed = String(this.find(chip.textContent) !== undefined);
    const marks = rows.map(({ mark }) => mark);
    this.changed({ by_side: sides.map((seats) => seats.map((seat) => marks[seat]).sort().join()), by_player: marks });
  }

  /** Returns what a header says of the players. */
  read() {
    const sides = this.sides(), rows = this.rows();
    if (!rows.length && this.unnamed) return { players: this.unnamed };
    return {
      players: rows.map((row) => row.read()),
      ...(rows.some(({ ghost }) => ghost) && { ghosts: rows.map(({ ghost }) => ghost) }),
      ...(this.teamed.checked && { teams: sides.map(({ seats }) => seats), team_names: sides.map(({ name }) => name) }),
      ...this.readPlaces(),
    };
  }
}
