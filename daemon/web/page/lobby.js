/* The lobby: where the next match is put together, from the table's plan, so that the same people again cost nothing.
   What was put together stays until it is played, whatever happens at the table meanwhile. */

import { $, make, setText } from "./dom.js";
import { OptionForm, makeLabelled } from "./form.js";
import { ask, send } from "./link.js";
import { People } from "./people.js";
import { makeRules } from "./rules.js";
import { store, watch } from "./store.js";
import { words } from "./words.js";

const ROOMY_PX = 1200; // the rules stand open

const text = words.lobby;
const describeRange = (/** @type {number[]} */ [low, high]) => (low === high ? `${low}` : `${low}–${high}`);
/** @param {"who" | "game" | "options"} name @param {...Node} content */
const makePart = (name, ...content) => make("section", { ariaLabel: text[name] }, make("h3", {}, text[name]), ...content);

/** @type {Lobby | null} */
let lobby = null;
watch(() => lobby?.refresh());

/** Opens it; as it was left, when the same match is still planned. */
export async function openLobby() {
  const { place, plan, state } = store;
  if (!state || !plan) throw new Error(words.unreachable); // nothing was heard yet
  if (!lobby?.isFor(plan)) {
    /** @type {[Oche.GameSummary[], Oche.RecentPlayer[]]} */
    const [games, recent] = await Promise.all([ask(`${place}/games`), ask("players").catch(() => [])]);
    lobby?.element.remove();
    lobby = new Lobby(plan, games, recent);
    document.body.append(lobby.element);
  }
  lobby.open();
}

class Lobby {
  /** @param {Oche.Plan} plan what it begins with @param {Oche.GameSummary[]} games @param {Oche.RecentPlayer[]} recent */
  constructor(plan, games, recent) {
    this.plan = plan;
    /** The match at the table, as far as it was seen. @type {string | null} */
    this.match = null;
    this.isSending = false;
    this.hasFailed = false; // to read the form of the chosen game
    /** The form of the chosen game, once it is there. @type {OptionForm | null} */
    this.options = null;
    /** The sides and players that the options of the plan are for. @type {Oche.Marks | null} */
    this.planned = null;
    /** The sides and players by now. @type {Oche.Marks} */
    this.marks = { by_side: [], by_player: [] };

    this.said = make("p", { role: "alert" });
    this.start = make("button", { type: "button", className: "go", onclick: () => this.begin() });
    this.bull = make("input", { type: "checkbox" });
    this.order = makeLabelled(text.bull, this.bull);
    const count = (/** @type {number} */ value) =>
      make("input", { type: "number", min: "1", required: true, value: String(value) });
    this.legs = count(plan.format.legs ?? 1);
    this.sets = count(plan.format.sets ?? 1);
    const players = makePart("who");
    this.people = new People(players, plan, recent, (sentence) => this.tell(sentence), (marks) => this.follow(marks));
    const format = [makeLabelled(text.legs, this.legs), makeLabelled(text.sets, this.sets)];
    players.append(this.order, make("div", { className: "row" }, ...format));

    this.form = make("div");
    this.takes = make("p", { className: "aside" });
    this.rules = make("details", { open: innerWidth > ROOMY_PX });
    this.games = new Games(plan, games, () => this.choose());
    /** @type {HTMLDialogElement} */
    this.element = make("dialog", { id: "lobby", test: "lobby", ariaLabel: text.title, onclose: giveBackFocus },
      make("div", { className: "bar" }, make("h2", { tabIndex: -1, autofocus: true }, text.title),
        make("button", { type: "button", ariaLabel: text.close, onclick: () => this.element.close() }, "×")),
      players, makePart("game", this.games.search, this.games.list), makePart("options", this.takes, this.form, this.rules),
      make("div", { className: "bar" }, this.said, this.start));
    this.choose();
  }

  /** Whether it was put together from this plan. @param {Oche.Plan} plan */
  isFor(plan) {
    return JSON.stringify(plan) === JSON.stringify(this.plan);
  }

  open() {
    this.match = store.state?.match ?? null;
    this.tell("");
    if (!this.element.open) this.element.showModal();
    this.refresh();
  }

  /** Says a sentence beside the start. @param {string} sentence */
  tell(sentence) {
    setText(this.said, sentence);
  }

  enable() {
    this.start.disabled = this.isSending || !this.options;
  }

  /** Takes the sides and players by now. @param {Oche.Marks} marks */
  follow(marks) {
    this.order.hidden = marks.by_side.length < 2 || store.board?.layout.name !== "standard";
    this.planned ??= marks;
    this.marks = marks;
    this.options?.follow(marks);
  }

  /** Shows the options and the rules of the chosen game. */
  async choose() {
    this.options = null;
    this.hasFailed = false;
    this.enable();
    const { games, marks, plan } = this;
    const name = games.chosen;
    /** @type {Oche.GameSheet | Error} */
    const sheet = await ask(`games/${encodeURIComponent(games.game)}`).catch((problem) => problem);
    if (games.chosen !== name) return; // another was chosen meanwhile
    this.hasFailed = sheet instanceof Error;
    this.tell(sheet instanceof Error ? sheet.message : "");
    if (sheet instanceof Error) return;
    const { doubles: _, ...kept } = name === games.own ? plan.options : {}; // the table knows whose doubles are whose
    this.options = new OptionForm(this.form, sheet, kept, this.planned ?? marks);
    this.options.follow(this.marks);
    setText(this.takes, text.takes(describeRange(sheet.sides), describeRange(sheet.team_size)));
    this.rules.replaceChildren(make("summary", {}, text.rules), ...makeRules(sheet.rules));
    this.enable();
  }

  /** Begins the match, unless something is wrong, which is said. */
  async begin() {
    if (!this.people.take() || !this.options || !this.isValid()) return;
    const others = this.options.follow(this.marks, true);
    if (others.length) return this.tell(text.others(others.join(", ")));
    this.isSending = true;
    this.enable();
    try {
      await send(store.place, "start", {
        game: this.games.game, ...this.people.read(), options: this.options.read(),
        format: { legs: Number(this.legs.value), sets: Number(this.sets.value) },
        ...(this.bull.checked && !this.order.hidden && { order: "bull" }), at: store.state?.line,
      });
      this.element.close();
    } catch (problem) {
      this.tell(/** @type {Error} */ (problem).message);
    }
    this.match = store.state?.match ?? null;
    this.isSending = false;
    this.enable();
    const hasLostFocus = this.element.open && !this.element.contains(document.activeElement); // being disabled
    if (hasLostFocus) this.start.focus();
  }

  /** Whether all fields can be read; what is wrong with the first that cannot is said. */
  isValid() {
    /** @type {NodeListOf<HTMLDetailsElement>} */
    const folded = this.element.querySelectorAll("details:has(:invalid)");
    for (const each of folded) each.open = true;
    /** @type {HTMLInputElement | null} */
    const wrong = this.element.querySelector("input:invalid");
    const label = wrong?.ariaLabel ?? wrong?.labels?.[0].textContent;
    this.tell(wrong ? `${label}: ${wrong.validationMessage}` : "");
    wrong?.reportValidity();
    return !wrong;
  }

  /** Looks at what has changed at the table. */
  refresh() {
    if (!store.state) return;
    const { match, phase, title } = store.state;
    setText(this.start, match && phase !== "over" ? text.stop(title) : words.start);
    if (this.element.open && this.match !== match && !this.isSending) this.tell(text.begun(title));
    this.match = match;
    const isLost = store.link === "lost";
    if (isLost) this.tell(words.lostLong);
    else if (this.said.textContent === words.lostLong) this.tell("");
    if (this.hasFailed && this.element.open && !isLost) this.choose();
  }
}

/** The games to choose among: what was played last, then the games, then their presets. A game that was played as another
    than its own name says, such as 301, is there twice. */
class Games {
  /** @param {Oche.Plan} plan @param {Oche.GameSummary[]} games @param {() => void} onchange */
  constructor(plan, games, onchange) {
    this.planned = plan.game;
    const last = games.find(({ name }) => name === plan.game);
    this.own = last?.title === plan.title ? plan.game : ""; // by what the planned game is chosen
    const rank = (/** @type {Oche.GameSummary} */ { name, game }) =>
      (name === this.own ? 0 : name === plan.game ? 1 : name === game ? 2 : 3);
    const offers = last && !this.own ? [...games, { ...last, name: this.own, title: plan.title }] : [...games];
    this.entries = offers.sort((one, other) => rank(one) - rank(other)).map(({ name, title, line }, index) => {
      const button = make("input", { type: "radio", name: "game", value: name, checked: !index, onchange });
      return { button, label: make("label", {}, button, make("b", {}, title), make("small", {}, line)) };
    });
    this.list = make("div", { className: "list", lang: "en", role: "radiogroup", ariaLabel: text.game },
      ...this.entries.map(({ label }) => label));
    this.search = make("input", {
      type: "search", placeholder: text.search, ariaLabel: text.search, oninput: () => this.sift(),
    });
  }

  /** By what it is chosen. */
  get chosen() {
    return this.entries.find(({ button }) => button.checked)?.button.value ?? "";
  }

  /** The name of the chosen game. */
  get game() {
    return this.chosen || this.planned;
  }

  /** Shows only what is searched for. */
  sift() {
    const wanted = this.search.value.trim().toLowerCase();
    for (const { button, label } of this.entries) {
      label.hidden = !`${button.value} ${label.textContent}`.toLowerCase().includes(wanted);
    }
  }
}

/** The button that opened the lobby, which would have the focus again, may be gone by now. */
function giveBackFocus() {
  if (document.activeElement !== document.body) return;
  for (const id of /** @type {const} */ (["menu", "next"])) $(id).focus(); // Next cannot be pressed where a question is open
}
