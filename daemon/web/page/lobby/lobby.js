/* The lobby: where the next match is put together, from the table's plan, so that the same people again cost nothing.
   What was put together stays until it is played, whatever happens at the table meanwhile. */

import { $, make, setText } from "../dom.js";
import { OptionForm, makeLabelled } from "../form.js";
import { makeGlyph } from "../glyphs.js";
import { askForHands, findHands } from "./hands.js";
import { ask, post, read } from "../link.js";
import { preparePart } from "../parts.js";
import { People } from "./people.js";
import { choose, linkTo, preference } from "../preferences.js";
import { makeRules } from "./rules.js";
import { awaitSeats } from "../wall/seats.js";
import { store, watch } from "../store.js";
import { history as statistics, language, words } from "../words/words.js";

const ROOMY_PX = 1200; // the rules stand open
const ROUTINES = "routines", OTHERS = "others"; // groups that no game names
const MOST_TILES = 6; // with the last one played, which is before them

const text = words.lobby;
/** @type {Record<string, string>} */
const TITLES = text.groups;
const describeRange = (/** @type {number[]} */ [low, high]) => (low === high ? `${low}` : `${low}–${high}`);
/** @param {"who" | "game" | "options"} name @param {...Node} content */
const makePart = (name, ...content) => make("section", { ariaLabel: text[name] }, make("h3", {}, text[name]), ...content);

const propose = preparePart(async () => (await import("./proposals.js")).propose, "static/lobby/proposals.css");

/** @type {Lobby | null} */
let lobby = null;
watch(() => lobby?.refresh());

/** @type {Promise<void> | null} */
let opening = null; // a second press meanwhile is for the same

/** Opens it as soon as the table was heard; as it was left, when the same match is still planned. */
export function openLobby() {
  opening ??= hearPlan().then(findPlan).then(show).finally(() => { opening = null; });
  return opening;
}

/** Resolves with what is planned. @returns {Promise<Oche.Plan>} */
const hearPlan = () => new Promise((done) => {
  const look = () => {
    if (!store.state || !store.plan) return;
    unwatch();
    done(store.plan);
  };
  const unwatch = watch(look);
  look();
});

/** Returns the plan of the match against a recorded leg that the address names, once; else this one.
    @param {Oche.Plan} plan @returns {Promise<Oche.Plan>} */
async function findPlan(plan) {
  const address = new URLSearchParams(location.search);
  const [match, name, leg] = ["ghost", "player", "leg"].map((key) => address.get(key));
  if (match === null) return plan;
  history.replaceState(null, "", linkTo("./", { ghost: null, player: null, leg: null }));
  const query = new URLSearchParams({ name: name ?? "", ...(leg !== null && { leg }) });
  /** @type {Oche.Plan | null} */
  const found = await read(`match/${encodeURIComponent(match)}/ghost?${query}`);
  if (!found) throw new Error(statistics.unknownMatch);
  return found;
}

/** @param {Oche.Plan} plan */
async function show(plan) {
  const { place } = store;
  if (!lobby?.isFor(plan)) {
    /** @type {[Oche.GameSummary[], Oche.KnownPlayer[]]} */
    const [games, recent] = await Promise.all([ask(`${place}/games?lang=${language}`), ask("players").catch(() => [])]);
    lobby?.element.remove();
    lobby = new Lobby(plan, games, recent);
    document.body.append(lobby.element);
    lobby.offerNotFilming().catch(() => {}); // the page of the camera has the same
  }
  lobby.open();
}

class Lobby {
  /** @param {Oche.Plan} plan what it begins with @param {Oche.GameSummary[]} games @param {Oche.KnownPlayer[]} recent */
  constructor(plan, games, recent) {
    this.plan = plan;
    /** The match at the table, as far as it was seen. @type {string | null} */
    this.match = null;
    this.isSending = false;
    this.hasFailed = false; // to read the form of the chosen game
    /** The form of the chosen game, once it is there. @type {OptionForm | null} */
    this.options = null;
    /** Its sheet. @type {Oche.GameSheet | null} */
    this.sheet = null;
    /** The sides and players that the options of the plan are for. @type {Oche.Marks | null} */
    this.planned = null;
    /** The sides and players by now. @type {Oche.Marks} */
    this.marks = { by_side: [], by_player: [] };

    this.said = make("p", { role: "alert" });
    this.start = make("button", { type: "button", className: "go", onclick: () => this.begin() });
    this.bull = make("input", { type: "checkbox", title: text.bullHint });
    this.order = makeLabelled(text.bull, this.bull);
    const count = (/** @type {number} */ value) =>
      make("input", { type: "number", min: "1", required: true, value: String(value) });
    this.legs = count(plan.format.legs ?? 1);
    this.sets = count(plan.format.sets ?? 1);
    const players = makePart("who");
    this.people = new People(players, plan, recent, (sentence) => this.tell(sentence), (marks) => this.follow(marks));
    const format = [makeLabelled(text.legs, this.legs), makeLabelled(text.sets, this.sets)];
    this.clear = make("input", { type: "checkbox", checked: plan.format.clear_legs === 2 });
    this.all = make("input", { type: "checkbox", checked: plan.format.play === "all" });
    const first = plan.format.first ?? "";
    this.first = make("select", {}, ...Object.entries(text.firsts).map(([value, said]) =>
      new Option(said, value, value === first, value === first)));
    players.append(this.order, make("div", { className: "row" }, ...format),
      makeLabelled(text.twoClear, this.clear), makeLabelled(text.all, this.all), makeLabelled(text.first, this.first));

    this.form = make("div");
    this.takes = make("p", { className: "aside" });
    this.rules = make("details", { open: innerWidth > ROOMY_PX });
    this.games = new Games(plan, games, () => this.choose());
    this.games.list.addEventListener("toggle", ({ target }) => {
      if (target instanceof HTMLDetailsElement && target.open && target.contains(this.games.proposed)) this.propose();
    }, true);
    /** @type {HTMLDialogElement} */
    this.element = make("dialog", { id: "lobby", test: "lobby", ariaLabel: text.title, onclose: giveBackFocus },
      make("div", { className: "bar" }, make("h2", { tabIndex: -1, autofocus: true }, [text.title, plan.ref && store.tournament?.round].filter(Boolean).join(" · ")),
        make("button", { type: "button", ariaLabel: text.close, onclick: () => this.element.close() }, makeGlyph("cross"))),
      players, makePart("game", this.games.search, this.games.list), makePart("options", this.takes, this.form, this.rules),
      make("div", { className: "bar" }, this.said, this.start));
    /** Where clips of moments are kept, what says who is not to be filmed. @type {import("../unfilmed.js").Unfilmed | null} */
    this.unfilmed = null;
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
    this.people.showFar();
    if (this.people.unnamed && !this.people.rows().length) this.people.field.focus();
    this.refresh();
  }

  /** Says a sentence beside the start. @param {string} sentence */
  tell(sentence) {
    setText(this.said, sentence);
  }

  enable() {
    this.start.disabled = this.isSending || !this.options;
  }

  /** Where clips of moments are kept, has people say in two taps that they are not to be filmed. */
  async offerNotFilming() {
    /** @type {{ most: number }} */
    const { most } = await ask("clips?match=-");
    if (!most) return;
    const { Unfilmed } = await import("../unfilmed.js");
    this.unfilmed = new Unfilmed(() => {}, true);
    this.unfilmed.element.ontoggle = () => this.showUnfilmed();
    this.order.before(this.unfilmed.element);
  }

  /** Shows those who are in the list by now. */
  showUnfilmed() {
    if (!(this.unfilmed?.element instanceof HTMLDetailsElement) || !this.unfilmed.element.open) return;
    this.unfilmed.show(this.people.read().players.filter((name) => !name.startsWith("bot:"))).catch(() => {});
  }

  /** Takes the sides and players by now. @param {Oche.Marks} marks */
  follow(marks) {
    this.order.hidden = marks.by_side.length < 2 || store.board?.layout.name !== "standard";
    this.planned ??= marks;
    this.marks = marks;
    this.options?.follow(marks);
    this.showUnfilmed();
  }

  /** Shows the options and the rules of the chosen game. */
  async choose() {
    this.options = null;
    this.hasFailed = false;
    this.enable();
    const { games, marks, plan } = this;
    const name = games.chosen;
    /** @type {Oche.GameSheet | Error} */
    const sheet = await ask(`games/${encodeURIComponent(games.game)}?lang=${language}`).catch((problem) => problem);
    if (games.chosen !== name) return; // another was chosen meanwhile
    this.hasFailed = sheet instanceof Error;
    this.tell(sheet instanceof Error ? sheet.message : "");
    if (sheet instanceof Error) return;
    const { doubles: _, scatter: _its, ...kept } = name === games.own ? plan.options : {}; // the table knows whose they are
    this.sheet = sheet;
    this.options = new OptionForm(this.form, sheet, kept, this.planned ?? marks);
    this.options.follow(this.marks);
    setText(this.takes, text.takes(describeRange(sheet.sides), describeRange(sheet.team_size)));
    this.rules.replaceChildren(make("summary", {}, text.rules), ...makeRules(sheet));
    this.enable();
  }

  /** Proposes practice to the people who are chosen. */
  propose() {
    const names = this.people.read().players.filter((name) => !name.startsWith("bot:"));
    return propose(this.games.proposed, names, () => (this.people.take() ? this.people.read() : null), () => this.element.close());
  }

  /** Begins the match, unless something is wrong, which is said. */
  async begin() {
    if (this.games.isEmpty) return this.tell(text.noGame);
    if (!this.people.take() || !this.options || !this.isValid()) return;
    const others = this.options.follow(this.marks, true);
    if (others.length && !this.people.unnamed) return this.tell(text.others(others.join(", ")));
    const { options: form, sheet } = this, people = this.people.read();
    const hands = sheet && findHands(sheet, form, people);
    const isWanted = sheet && hands ? await askForHands(sheet, people) : false;
    if (isWanted === null || this.said.textContent) return; // what was said meanwhile is read first
    this.isSending = true;
    this.enable();
    awaitSeats(isWanted);
    try {
      await post(`${store.place}/start`, {
        game: this.games.game, ...people, options: isWanted && hands || form.read(),
        format: {
          legs: Number(this.legs.value), sets: Number(this.sets.value),
          ...(this.clear.checked && { clear_legs: 2 }), ...(this.all.checked && { play: "all" }),
          ...(this.first.value && { first: this.first.value }),
        },
        ...(this.bull.checked && !this.order.hidden && { order: "bull" }), at: store.state?.line,
      });
      this.element.close();
    } catch (problem) {
      awaitSeats(false);
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
    this.tell(wrong ? `${label}${words.colon}${wrong.validationMessage}` : "");
    wrong?.reportValidity();
    return !wrong;
  }

  /** Looks at what has changed at the table. */
  refresh() {
    if (!store.state) return;
    const { match, phase, turn } = store.state;
    const isBegun = match && phase !== "over" && (turn.visit > 1 || turn.darts.length > 0); // what a start would lose
    const title = words.title(store.state.title);
    setText(this.start, isBegun ? text.stop(title) : words.start);
    if (this.element.open && this.match !== match && !this.isSending) this.tell(text.begun(title));
    this.match = match;
    const isLost = store.link === "lost";
    if (isLost) this.tell(words.lostLong);
    else if (this.said.textContent === words.lostLong) this.tell("");
    if (this.hasFailed && this.element.open && !isLost) this.choose();
  }
}

/** The games to choose among: tiles for those that most people play and for the last one, favourites of this device, and
    groups, in which games are in order of their titles, the variants of each below it. A game that was played as another than
    its own name says, such as 301, is there twice. */
class Games {
  /** @param {Oche.Plan} plan @param {Oche.GameSummary[]} games @param {() => void} onchange */
  constructor(plan, games, onchange) {
    this.planned = plan.game;
    const last = games.find(({ name }) => name === plan.game);
    /** In the order in which the daemon lists them, the others last. */
    this.groups = [...new Set(games.map(nameGroup).filter((group) => group !== OTHERS)), OTHERS];
    this.own = last?.title === plan.title ? plan.game : ""; // by what the planned game is chosen
    const offers = last && !this.own ? [{ ...last, name: this.own, title: plan.title, variant: undefined }, ...games] : games;
    const called = (/** @type {Oche.GameSummary} */ { name, title, variant }) =>
      (!variant && offers.some((other) => other.title === title && other.name.length < name.length) ? words.option(name) : words.title(title));
    /** @type {Oche.Offer[]} */
    this.offers = offers.map((offer) => this.makeOffer(offer, called(offer), onchange));
    this.proposed = make("div", { className: "proposed", test: "proposed" }); // among the routines
    this.list = make("div", { className: "list", role: "radiogroup", ariaLabel: text.game });
    this.search = make("input", {
      type: "search", placeholder: text.search, ariaLabel: text.search, oninput: () => this.arrange(),
    });
    const first = this.offers.find(({ name }) => name === this.own) ?? this.offers[0];
    if (first) first.button.checked = true;
    this.arrange();
  }

  /** @param {Oche.GameSummary} offer @param {string} title @param {() => void} onchange */
  makeOffer({ name, game, is_routine: isRoutine, group, language: lang, line, tile = 0, title: english, variant = "" }, title, onchange) {
    const button = make("input", { type: "radio", name: "game", value: name, onchange: () => {
      for (const other of this.offers) other.button.checked = other.button === button; // those that are not shown, too
      onchange();
    } });
    /** @type {HTMLButtonElement} */
    const star = make("button", {
      type: "button", className: "star", ariaLabel: text.favourite(`${title} ${variant}`.trim()), ariaPressed: String(readFavourites().includes(name)),
      onclick: () => this.keepFavourite(name, star),
    }, makeGlyph("star"));
    const element = make("div", { className: "offer" },
      make("label", {}, button, make("b", title === english ? { lang: "en" } : {}, title),
        ...(variant ? [" ", make("i", {}, variant)] : []), make("small", { lang }, line)), star);
    return { name, game, group: nameGroup({ is_routine: isRoutine, group }), tile, title, line, button, element };
  }

  /** By what it is chosen. */
  get chosen() {
    return this.offers.find(({ button }) => button.checked)?.name ?? "";
  }

  /** The name of the chosen game. */
  get game() {
    return this.chosen || this.planned;
  }

  get isEmpty() {
    return !this.list.querySelector("input");
  }

  /** @param {string} name @param {HTMLElement} star */
  keepFavourite(name, star) {
    const others = readFavourites().filter((each) => each !== name);
    const isNew = star.ariaPressed !== "true";
    star.ariaPressed = String(isNew);
    choose("favourites", (isNew ? [...others, name] : others).join());
  }

  /** Shows what is searched for, titles first; all games while nothing is. */
  arrange() {
    const wanted = this.search.value.trim().toLowerCase();
    this.list.replaceChildren(...(wanted ? this.find(wanted) : this.group()));
  }

  /** @param {string} wanted */
  find(wanted) {
    const rank = (/** @type {{ name: string, title: string, line: string }} */ { name, title, line }) =>
      [title.toLowerCase().startsWith(wanted), title.toLowerCase().includes(wanted),
        `${name} ${name.replaceAll("_", " ")} ${line}`.toLowerCase().includes(wanted)].indexOf(true);
    const found = this.offers.filter((offer) => rank(offer) >= 0).sort((one, other) => rank(one) - rank(other));
    return found.length ? found.map(({ element }) => element) : [make("p", {}, text.noGame)];
  }

  group() {
    const left = new Set(this.offers);
    const take = (/** @type {(offer: Oche.Offer) => boolean} */ isWanted) => [...left].filter((offer) =>
      isWanted(offer) && left.delete(offer)).map(({ element }) => element);
    const [first] = this.offers.filter(({ name }) => name === this.own);
    const last = take((offer) => offer === first);
    const tiles = this.offers.filter(({ tile, title }) => tile && title !== first?.title)
      .sort((one, other) => one.tile - other.tile).slice(0, MOST_TILES - last.length)
      .flatMap((offer) => take((each) => each === offer));
    const favourites = readFavourites().flatMap((kept) => take(({ name }) => name === kept));
    const fold = (/** @type {string} */ title, /** @type {Node[]} */ content) => make("details", {
      open: content.some((each) => each instanceof Element && each.querySelector(":checked")),
    }, make("summary", {}, title), ...content);
    const family = (/** @type {string} */ game) => {
      const own = take(({ name }) => name === game), others = take((offer) => offer.game === game);
      return own.length && others.length ? [...own, fold(text.variants(others.length), others)] : [...own, ...others];
    };
    const titles = new Map(this.offers.filter(({ name, game }) => name === game).map(({ game, title }) => [game, title]));
    const compare = (/** @type {string} */ one, /** @type {string} */ other) =>
      (titles.get(one) ?? one).localeCompare(titles.get(other) ?? other, language, { numeric: true });
    /** @param {string} group @returns {[string, Node[]]} */
    const gather = (group) => [group,
      [...new Set([...left].filter((offer) => offer.group === group).map(({ game }) => game))].sort(compare).flatMap(family)
      .concat(group === ROUTINES ? [this.proposed] : [])];
    return [
      make("div", { className: "tiles" }, ...last, ...tiles), ...favourites,
      ...this.groups.map(gather).filter(([, content]) => content.length).map(([group, content]) => fold(TITLES[group], content)),
    ];
  }
}

/** Returns what a game is listed under: a key of the titles.
    @param {Pick<Oche.GameSummary, "is_routine" | "group">} offer @returns {string} */
const nameGroup = ({ is_routine: isRoutine, group }) => (isRoutine ? ROUTINES : group && group in TITLES ? group : OTHERS);

const readFavourites = () => preference("favourites").split(",").filter(Boolean);

/** The button that opened the lobby, which would have the focus again, may be gone by now. */
function giveBackFocus() {
  if (!$("seats").hidden) return $("seats-close").focus(); // which are over the rest
  if (document.activeElement !== document.body) return;
  for (const id of /** @type {const} */ (["menu", "next"])) $(id).focus(); // Next cannot be pressed where a question is open
}
